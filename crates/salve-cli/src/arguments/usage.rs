//! What is said about a command line that cannot be read.
//!
//! In: clap's error and the words that were typed. Out: the same error with suggestions that are like what
//! was written, in the words of every other failure. Never another meaning of the error.

use super::help::command;
use clap::Command;
use clap::error::{ContextKind, ContextValue};

/// Returns the text of an error: its suggestions are the likeliest of the names at that place, and are
/// called hints as everywhere.
pub(crate) fn usage_error(mut error: clap::Error, typed: &[String]) -> String {
    let mut root = command();
    root.build();
    let at = place(&root, &error, typed);
    suggest(&mut error, at);
    in_our_words(&error.render().ansi().to_string())
}

// The command whose part was mistyped: the last one that is named before the mistake.
fn place<'a>(root: &'a Command, error: &clap::Error, typed: &[String]) -> &'a Command {
    let mistake =
        [ContextKind::InvalidSubcommand, ContextKind::InvalidArg].into_iter().find_map(|kind| {
            match error.get(kind) {
                Some(ContextValue::String(written)) => Some(written.as_str()),
                _ => None,
            }
        });
    let mut at = root;
    for word in typed {
        if mistake.is_some_and(|written| word.split('=').next() == Some(written)) {
            break;
        }
        at = at.find_subcommand(word).unwrap_or(at);
    }
    at
}

fn suggest(error: &mut clap::Error, place: &Command) {
    if let Some(ContextValue::String(written)) = error.get(ContextKind::InvalidSubcommand).cloned()
    {
        let names = place.get_subcommands().map(Command::get_name).filter(|name| *name != "help");
        replace(error, ContextKind::SuggestedSubcommand, alike(&written, names));
    }
    if let Some(ContextValue::String(written)) = error.get(ContextKind::InvalidArg).cloned()
        && error.kind() == clap::error::ErrorKind::UnknownArgument
    {
        let longs =
            place.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(|arg| arg.get_long());
        // The dashes are alike in all of them, and so say nothing.
        let near: Vec<String> = match written.strip_prefix("--") {
            Some(name) => alike(name, longs).iter().map(|name| format!("--{name}")).collect(),
            None => Vec::new(),
        };
        let near = near.iter().map(String::as_str).collect();
        replace(error, ContextKind::SuggestedArg, near);
    }
    if let Some(ContextValue::String(written)) = error.get(ContextKind::InvalidValue).cloned()
        && let Some(ContextValue::Strings(valid)) = error.get(ContextKind::ValidValue).cloned()
    {
        let near = alike(&written, valid.iter().map(String::as_str));
        replace(error, ContextKind::SuggestedValue, near);
    }
}

fn replace(error: &mut clap::Error, kind: ContextKind, near: Vec<&str>) {
    error.remove(kind);
    if !near.is_empty() {
        let near = near.into_iter().map(str::to_owned).collect();
        error.insert(kind, ContextValue::Strings(near));
    }
}

// A hint is a hint, whichever part of the program gives it, and comes right after the error.
fn in_our_words(text: &str) -> String {
    let calm = anstyle::AnsiColor::Cyan.on_default();
    let mut shown = String::new();
    for line in text.lines() {
        let plain = anstream::adapter::strip_str(line).to_string();
        if !plain.trim_start().starts_with("tip: ") {
            shown.push_str(line);
            shown.push('\n');
            continue;
        }
        let (_, said) = line.split_once("tip:").unwrap_or(("", line));
        let said = said.strip_prefix("\u{1b}[0m").unwrap_or(said);
        shown.truncate(shown.trim_end_matches('\n').len());
        shown.push_str(&format!("\n {calm}hint{calm:#}:{said}\n"));
    }
    shown
}

/// Returns the names that may have been meant, the likeliest first.
pub(crate) fn alike<'a>(written: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let most = (written.chars().count() / 3).clamp(1, 3);
    let mut near: Vec<(usize, &str)> = names
        .map(|name| (distance(written, name), name))
        .filter(|(distance, name)| *distance <= most || name.starts_with(written))
        .collect();
    near.sort();
    near.into_iter().map(|(_, name)| name).take(3).collect()
}

// How many letters are missing, too many, wrong or swapped.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let above = |back: usize, at: usize| {
                rows.len().checked_sub(back).and_then(|row| rows.get(row)?.get(at)).copied()
            };
            let mut least = above(1, j).unwrap_or(usize::MAX).saturating_add(usize::from(a != b));
            least = least.min(above(1, j + 1).unwrap_or(usize::MAX).saturating_add(1));
            least = least.min(row.last().copied().unwrap_or(usize::MAX).saturating_add(1));
            let swapped =
                i > 0 && j > 0 && one.get(i - 1) == Some(b) && other.get(j - 1) == Some(a);
            if swapped {
                least = least.min(above(2, j - 1).unwrap_or(usize::MAX).saturating_add(1));
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows.last().and_then(|row| row.last()).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> String {
        let typed: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let error = command().try_get_matches_from(&typed).unwrap_err();
        let rest = typed.get(1..).unwrap_or_default();
        anstream::adapter::strip_str(&usage_error(error, rest)).to_string()
    }

    #[test]
    fn the_likeliest_name_is_suggested_and_no_other() {
        for (line, expected) in [
            ("salve aply", "a similar subcommand exists: 'apply'"),
            ("salve appply", "a similar subcommand exists: 'apply'"),
            ("salve undoo", "a similar subcommand exists: 'undo'"),
            ("salve udno", "a similar subcommand exists: 'undo'"),
            ("salve chekc", "a similar subcommand exists: 'check'"),
            ("salve histroy", "a similar subcommand exists: 'history'"),
            ("salve doctr", "a similar subcommand exists: 'doctor'"),
            ("salve rum", "a similar subcommand exists: 'run'"),
            ("salve hist", "a similar subcommand exists: 'history'"),
            ("salve jobs lst", "a similar subcommand exists: 'list'"),
            ("salve jobs cancle x", "a similar subcommand exists: 'cancel'"),
            ("salve checkpoint restor", "a similar subcommand exists: 'restore'"),
            ("salve policy approvals revok 1", "a similar subcommand exists: 'revoke'"),
            ("salve policy comand ls", "a similar subcommand exists: 'command'"),
            ("salve apply --dryrun", "a similar argument exists: '--dry-run'"),
            ("salve apply --interactiv", "a similar argument exists: '--interactive'"),
            ("salve check --change", "a similar argument exists: '--changed'"),
            ("salve jobs start --promt x", "a similar argument exists: '--prompt'"),
            ("salve checkpoint create --rot x y", "a similar argument exists: '--root'"),
            ("salve undo --fromat=json", "a similar argument exists: '--format'"),
            ("salve undo --format jsn", "a similar value exists: 'json'"),
            ("salve setup adier", "a similar value exists: 'aider'"),
        ] {
            let text = said(line);
            assert!(text.contains(expected), "{line}: {text}");
        }
        for line in ["salve xyzzy", "salve jobs xyzzy", "salve apply --xyzzy", "salve setup xyzzy"]
        {
            let text = said(line);
            assert!(!text.contains("similar"), "{line}: {text}");
        }
    }

    #[test]
    fn a_suggestion_is_a_hint() {
        let text = said("salve aply");
        let start = "error: unrecognized subcommand 'aply'\n hint: a similar subcommand exists: 'apply'\n\nUsage:";
        assert!(text.starts_with(start), "{text}");
        assert!(!text.contains("tip:"), "{text}");
    }
}
