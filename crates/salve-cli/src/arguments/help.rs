//! The command line with what its definition cannot hold: examples, and suggestions in their order.
//!
//! In: the definition. Out: the command that parses, with an example for each command. Never another
//! option or meaning: `--help`, the manual pages and the completions come from the same value.

use super::Arguments;
use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory};

/// Examples of each command, by its words.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "apply",
        "salve apply < reply.md\nsalve apply reply.md --dry-run\nsalve apply --paste --check\nsalve apply --interactive --edits reply.md",
    ),
    ("cache", "salve cache list\nsalve cache clear"),
    ("calls", "salve calls list\nsalve calls show 12"),
    (
        "check",
        "salve check\nsalve check src/parse.rs\nsalve check --changed\nsalve check --target cargo-test\nsalve check --format sarif > findings.sarif\nsalve check --format github",
    ),
    (
        "checkpoint",
        "salve checkpoint create green\nsalve checkpoint list\nsalve checkpoint restore green",
    ),
    ("clean", "salve clean --lang rust < answer.md > main.rs\nsalve clean --explain answer.md"),
    ("completions", "salve completions bash > ~/.local/share/bash-completion/completions/salve"),
    ("config", "salve config show --origin"),
    ("demo", "salve demo"),
    ("diff", "salve diff\nsalve diff 3"),
    ("doctor", "salve doctor\nsalve doctor --format json"),
    ("explain", "salve explain OPEN_DOUBLE_QUOTE\nsalve explain"),
    (
        "gateway",
        "salve gateway --upstream https://api.openai.com/v1\nsalve gateway --upstream https://api.anthropic.com --port 8800",
    ),
    (
        "history",
        "salve history\nsalve history --limit 5 --format json\nsalve history gc --max-size 100",
    ),
    (
        "inspect",
        "salve inspect reply.ts --lang ts\nsalve inspect reply.ts --finish-reason length --format json\nsalve inspect main.rs --format sarif",
    ),
    (
        "jobs",
        "salve jobs start --prompt task.md --lang rust > main.rs\nsalve jobs list\nsalve jobs show ID",
    ),
    ("keys", "salve keys list\nsalve keys add --name laptop"),
    ("man", "salve man run | man -l -"),
    (
        "parse",
        "salve parse < answer.txt\nsalve parse --schema my-schema.json --format json < answer.txt",
    ),
    (
        "policy",
        "salve policy command 'npm test && git push'\nsalve policy path ../x .git/config src/a.rs\nsalve policy profile everyday\nsalve policy approvals",
    ),
    ("recover", "salve recover"),
    ("redo", "salve redo"),
    (
        "resume",
        "salve resume prompt reply.ts > prompt.txt\nsalve resume stitch --partial reply.ts --continuation more.txt > whole.ts",
    ),
    ("rewind", "salve rewind 3\nsalve rewind 0"),
    (
        "run",
        "salve run -- cargo test\nsalve run --env DATABASE_URL --timeout 900 -- npm test\nsalve run --exit-code program -- pytest -q\nsalve run --allow-port 5432 -- npm test\nsalve run --no-input --line 'npm run build && npm test'\ncat data.json | salve run -- python3 tool.py",
    ),
    ("runs", "salve runs\nsalve runs --last 5\nsalve runs ID"),
    ("schema", "salve schema list\nsalve schema check CodeAndExplanation answer.json"),
    ("setup", "salve setup aider\nsalve setup claude-code --dry-run\nsalve setup aider --remove"),
    ("signature", "cargo build 2>&1 | salve signature --explain"),
    ("sim", "salve sim --script answers.toml"),
    ("stats", "salve stats"),
    ("trust", "salve trust add\nsalve trust list"),
    ("undo", "salve undo\nsalve undo 3\nsalve undo --file src/a.rs\nsalve undo --merge"),
    ("worker", "salve worker"),
];

/// Returns the command line, ready to parse.
pub(crate) fn command() -> Command {
    let mut command = Arguments::command();
    for (name, lines) in EXAMPLES {
        let shown: String = lines.lines().map(|line| format!("\n  {line}")).collect();
        command =
            command.mut_subcommand(name, |command| command.after_help(format!("Examples:{shown}")));
    }
    command
}

/// Puts the command that is most like what was written first, and leaves out what is not like it.
pub(crate) fn order_suggestions(error: &mut clap::Error) {
    let Some(ContextValue::String(written)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let names: Vec<String> =
        Arguments::command().get_subcommands().map(|one| one.get_name().to_owned()).collect();
    let alike = alike(written, names.iter().map(String::as_str));
    if alike.is_empty() {
        return;
    }
    let alike = alike.into_iter().map(str::to_owned).collect();
    error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(alike));
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

    fn first(written: &str) -> Option<String> {
        let command = command();
        let names = command.get_subcommands().map(Command::get_name);
        alike(written, names).first().map(|name| (*name).to_owned())
    }

    #[test]
    fn the_likeliest_command_comes_first() {
        for (written, expected) in [
            ("aply", Some("apply")),
            ("appply", Some("apply")),
            ("undoo", Some("undo")),
            ("udno", Some("undo")),
            ("chekc", Some("check")),
            ("histroy", Some("history")),
            ("doctr", Some("doctor")),
            ("rum", Some("run")),
            ("hist", Some("history")),
            ("xyzzy", None),
        ] {
            assert_eq!(first(written).as_deref(), expected, "{written}");
        }
    }

    #[test]
    fn the_error_names_the_likeliest_first() {
        let mut error = command().try_get_matches_from(["salve", "aply"]).unwrap_err();
        order_suggestions(&mut error);
        let text = error.to_string();
        assert!(text.contains("'apply'") && !text.contains("'policy'"), "{text}");
    }

    #[test]
    fn every_command_has_an_example_that_parses() {
        let all: Vec<String> =
            command().get_subcommands().map(|one| one.get_name().to_owned()).collect();
        for name in all.iter().filter(|name| *name != "help") {
            assert!(EXAMPLES.iter().any(|(known, _)| known == name), "{name}");
        }
        for (name, lines) in EXAMPLES {
            for line in lines.lines() {
                let call = line.split_once("salve ").map(|(_, call)| call).unwrap_or_default();
                assert!(call.starts_with(name), "{line}");
                let words = words(call);
                let parsed = command().try_get_matches_from(
                    std::iter::once("salve").chain(words.iter().map(String::as_str)),
                );
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
        }
    }

    // The words before a redirection or a pipe, quotes taken off.
    fn words(call: &str) -> Vec<String> {
        let mut words = Vec::new();
        let mut quoted = false;
        for part in call.split('\'') {
            if quoted {
                words.push(part.to_owned());
            } else {
                for word in part.split_whitespace() {
                    if matches!(word, "<" | ">" | "|") {
                        return words;
                    }
                    words.push(word.to_owned());
                }
            }
            quoted = !quoted;
        }
        words
    }

    #[test]
    fn global_options_come_last_in_every_help() {
        let mut all = command();
        all.build();
        for one in all.get_subcommands_mut().filter(|one| one.get_name() != "help") {
            let help = one.render_help().to_string();
            if let Some(at) = help.find("--format") {
                let heading = help.find("Global options:").unwrap_or(usize::MAX);
                assert!(heading < at, "{}: {help}", one.get_name());
            }
        }
    }
}
