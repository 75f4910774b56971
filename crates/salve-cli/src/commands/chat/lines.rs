//! The conversation at a terminal, line by line.
//!
//! In: lines a person types; one that ends in a backslash goes on in the next, and `"""` begins and ends a text of
//! many lines. Out: turns, and what slash commands show. Never ends because a turn ended badly.

use super::follow::Chat;
use super::{ending, slash, turns};
use crate::arguments::ChatArguments;
use crate::failure::{CommandResult, Ending, Failure};
use crate::output;
use std::io::{BufRead, Write};

/// Begins and ends a text of many lines.
const QUOTES: &str = "\"\"\"";

/// Talks until the person ends it.
pub(super) async fn run(chat: &mut Chat<'_>, arguments: &ChatArguments) -> CommandResult {
    output::story("Ask for a change; `/help` shows the commands, Ctrl-D ends.\n");
    let mut last = Ending::Clean;
    while let Some(typed) = read().await? {
        let typed = typed.trim();
        if typed.is_empty() {
            continue;
        }
        let done = match slash::Slash::of(typed) {
            Some(slash::Slash::Quit) => break,
            Some(command) => slash::run(chat, &command).await,
            None => turns(chat, arguments, typed).await.and_then(|report| {
                last = ending(&report);
                chat.show_end(&report)
            }),
        };
        if let Err(failure) = done {
            output::transient("");
            output::story(&failure.render());
        }
    }
    if let Some(session) = &chat.session {
        output::story(&format!("`salve chat --session {}` goes on with it.\n", session.id));
    }
    Ok(last)
}

// A terminal is read in a thread of its own: turns run on the others.
async fn read() -> Result<Option<String>, Failure> {
    let read = tokio::task::spawn_blocking(|| {
        let mut lines = std::io::stdin().lock();
        let mut next = |prompt: &str| -> std::io::Result<Option<String>> {
            let mut stderr = anstream::stderr().lock();
            let _ = write!(stderr, "{prompt}").and_then(|()| stderr.flush());
            let mut line = String::new();
            Ok((lines.read_line(&mut line)? > 0).then_some(line))
        };
        gathered(&mut next)
    });
    let read = read.await.map_err(|error| Failure::new(format!("the terminal: {error}")))?;
    Ok(read?)
}

// One text, of as many lines as the person says.
fn gathered(
    next: &mut impl FnMut(&str) -> std::io::Result<Option<String>>,
) -> std::io::Result<Option<String>> {
    let Some(first) = next("> ")? else { return Ok(None) };
    let first = first.trim_end_matches(['\n', '\r']).to_owned();
    if first.trim() == QUOTES {
        let mut text = String::new();
        while let Some(line) = next("… ")? {
            if line.trim() == QUOTES {
                break;
            }
            text.push_str(&line);
        }
        return Ok(Some(text));
    }
    let mut text = first;
    while let Some(open) = text.strip_suffix('\\') {
        let mut joined = format!("{open}\n");
        let Some(line) = next("… ")? else { return Ok(Some(joined)) };
        joined.push_str(line.trim_end_matches(['\n', '\r']));
        text = joined;
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(typed: &[&str]) -> Option<String> {
        let mut left = typed.iter().map(|line| format!("{line}\n"));
        gathered(&mut |_| Ok(left.next())).unwrap()
    }

    #[test]
    fn a_text_has_as_many_lines_as_the_person_says() {
        for (typed, expected) in [
            (&[][..], None),
            (&["one"][..], Some("one")),
            (&["one \\", "two"][..], Some("one \ntwo")),
            (&["a\\", "b\\", "c"][..], Some("a\nb\nc")),
            (&["a\\"][..], Some("a\n")),
            (&["\"\"\"", "a", "", "b\\", "\"\"\"", "later"][..], Some("a\n\nb\\\n")),
            (&["\"\"\"", "a"][..], Some("a\n")),
        ] {
            assert_eq!(read(typed).as_deref(), expected, "{typed:?}");
        }
    }
}
