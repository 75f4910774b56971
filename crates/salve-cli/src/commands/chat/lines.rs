//! The conversation at a terminal, line by line.
//!
//! In: lines a person types, with the usual keys of a line editor and the requests before as its history; one that
//! ends in a backslash goes on in the next, and `"""` begins and ends a text of many lines. Out: turns, and what
//! slash commands show. Never ends because a turn ended badly.

use super::follow::Chat;
use super::{ending, slash, turns};
use crate::arguments::ChatArguments;
use crate::failure::{CommandResult, Ending, Failure};
use crate::output;
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

/// Begins and ends a text of many lines.
const QUOTES: &str = "\"\"\"";

/// The editor, with what was asked before.
type LineEditor = Editor<(), MemHistory>;

/// Talks until the person ends it.
pub(super) async fn run(chat: &mut Chat<'_>, arguments: &ChatArguments) -> CommandResult {
    output::story("Ask for a change; `/help` shows the commands, Ctrl-D ends.\n");
    let mut last = Ending::Clean;
    let mut editor = editor(chat).await?;
    loop {
        let prefill = std::mem::take(&mut chat.prefill);
        let typed;
        (editor, typed) = read(editor, prefill).await?;
        let Some(typed) = typed else { break };
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
    leave(chat).await?;
    if let Some(session) = &chat.session {
        output::story(&format!("`salve chat --session {}` goes on with it.\n", session.id));
    }
    Ok(last)
}

// The end of a conversation is where the time of what it uploaded begins, or ends.
async fn leave(chat: &Chat<'_>) -> Result<(), Failure> {
    let uploads = chat.settings.help.uploads;
    let Some(session) = chat.session.as_ref().filter(|_| uploads.on) else { return Ok(()) };
    let left = chat.open.upload_desk()?.leave_session(&session.id, &uploads).await;
    let left = left.map_err(|fault| Failure::new(fault.to_string()))?;
    if !left.deleted.is_empty() {
        output::story(&format!("deleted {} upload(s)\n", left.deleted.len()));
    }
    for (record, why) in &left.failed {
        output::story(&format!("`{}` could not be deleted there: {why}\n", record.path));
    }
    Ok(())
}

// The arrow keys bring back what was asked in this session. Nothing of it is written anywhere else.
async fn editor(chat: &Chat<'_>) -> Result<LineEditor, Failure> {
    let config = Config::builder().auto_add_history(false).build();
    let mut editor =
        LineEditor::with_history(config, MemHistory::new()).map_err(|error| terminal(&error))?;
    if let Some(session) = &chat.session {
        for turn in chat.open.store().turns(&session.id).await? {
            editor.add_history_entry(turn.text).map_err(|error| terminal(&error))?;
        }
    }
    Ok(editor)
}

fn terminal(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(format!("the terminal: {error}"))
}

// A terminal is read in a thread of its own: turns run on the others.
async fn read(
    mut editor: LineEditor,
    prefill: String,
) -> Result<(LineEditor, Option<String>), Failure> {
    let read = tokio::task::spawn_blocking(move || {
        let mut prefill = Some(prefill);
        let mut next = |prompt: &str| -> std::io::Result<Option<String>> {
            let start = prefill.take().unwrap_or_default();
            match editor.readline_with_initial(prompt, (&start, "")) {
                Ok(line) => Ok(Some(format!("{line}\n"))),
                // Ctrl-C leaves the line.
                Err(ReadlineError::Interrupted) => Ok(Some("\n".to_owned())),
                Err(ReadlineError::Eof) => Ok(None),
                Err(error) => Err(std::io::Error::other(error.to_string())),
            }
        };
        let text = gathered(&mut next)?;
        if let Some(text) = text.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            editor
                .add_history_entry(text)
                .map_err(|error| std::io::Error::other(error.to_string()))?;
        }
        Ok::<_, std::io::Error>((editor, text))
    });
    Ok(read.await.map_err(|error| terminal(&error))??)
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
