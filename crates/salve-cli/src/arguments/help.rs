//! The command line with what its definition cannot hold: examples, where global options are, and the
//! formats of the commands that report findings.
//!
//! In: the definition. Out: the command that parses, with examples for each command. Never another
//! option or meaning: `--help`, the manual pages and the completions come from the same value.

use super::examples::EXAMPLES;
use super::folder::PLACE;
use super::{Arguments, FormatChoice, GLOBAL};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, CommandFactory, ValueEnum};

/// The commands that report findings in files, and so have formats for tools that collect them.
const REPORTERS: [&str; 2] = ["check", "inspect"];

/// Returns the command line, ready to parse.
pub(crate) fn command() -> Command {
    let mut command = Arguments::command();
    for (name, lines) in EXAMPLES {
        let words: Vec<&str> = name.split(' ').collect();
        let shown: String = lines.lines().map(|line| format!("\n  {line}")).collect();
        command = changed(command, &words, &|one| one.after_help(format!("Examples:{shown}")));
    }
    for name in REPORTERS {
        command = changed(command, &[name], &|one| one.arg(all_formats()));
    }
    command.mut_subcommands(with_place_before)
}

// Changes the command that these words name; one that does not exist is not made up.
fn changed(command: Command, words: &[&str], change: &dyn Fn(Command) -> Command) -> Command {
    match words.split_first() {
        None => change(command),
        Some((first, rest)) if command.find_subcommand(first).is_some() => {
            command.mut_subcommand(first, |inner| changed(inner, rest, change))
        }
        Some(_) => command,
    }
}

// The global option again, with the formats that only some commands have.
fn all_formats() -> Arg {
    let all = FormatChoice::value_variants().iter();
    let shown = all.filter_map(|choice| Some(choice.to_possible_value()?.hide(false)));
    let parser = PossibleValuesParser::new(shown)
        .map(|name| FormatChoice::from_str(&name, false).unwrap_or(FormatChoice::Human));
    Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .help("How the result is written")
        .default_value("human")
        .help_heading(GLOBAL)
        .value_parser(parser)
}

// `salve trust -C DIR add` is `salve trust add -C DIR`. Help shows it where it means something.
fn with_place_before(command: Command) -> Command {
    let place = |one: &Command| -> Vec<Arg> {
        one.get_arguments().filter(|arg| arg.get_help_heading() == Some(PLACE)).cloned().collect()
    };
    if !place(&command).is_empty() {
        return command;
    }
    let found = command.get_subcommands().map(place).find(|args| !args.is_empty());
    command.args(found.unwrap_or_default().into_iter().map(|arg| arg.global(true).hide(true)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    // Every command and subcommand with its words, as they are parsed.
    fn all() -> Vec<(String, Command)> {
        let mut root = command();
        root.build();
        let mut found = Vec::new();
        let mut open: Vec<(String, Command)> = vec![(String::new(), root)];
        while let Some((name, command)) = open.pop() {
            for one in command.get_subcommands().filter(|one| one.get_name() != "help") {
                let name = format!("{name} {}", one.get_name()).trim().to_owned();
                open.push((name.clone(), one.clone()));
                found.push((name, one.clone()));
            }
        }
        found
    }

    #[test]
    fn every_command_and_subcommand_has_examples_that_parse() {
        let all: Vec<String> = all().into_iter().map(|(name, _)| name).collect();
        let known: Vec<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
        for name in &all {
            assert!(known.contains(&name.as_str()), "{name} has no example");
        }
        for (name, lines) in EXAMPLES {
            assert!(all.iter().any(|known| known == name), "{name} is no command");
            for line in lines.lines() {
                let words = words(line);
                let call = words.get(1..).unwrap_or_default().join(" ");
                assert!(call.starts_with(name), "{line}");
                let parsed = command().try_get_matches_from(&words);
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
        }
    }

    // The words of the call of `salve` before a redirection or a pipe, quotes taken off.
    fn words(line: &str) -> Vec<String> {
        let mut words = vec!["salve".to_owned()];
        let call = line.split_once("salve ").map_or("", |(_, call)| call);
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
    fn a_command_s_own_options_come_first_and_global_ones_last() {
        for (name, mut command) in all() {
            let help = command.render_long_help().to_string();
            let at = |heading: &str| help.find(&format!("\n{heading}:\n"));
            let global = at(GLOBAL).unwrap_or_else(|| panic!("{name}: {help}"));
            for before in
                ["Arguments", "Commands", "Options", "Workspace options", "Place of the jobs"]
            {
                assert!(at(before).is_none_or(|at| at < global), "{name}: {help}");
            }
            for last in ["      --format", "      --color"] {
                assert_eq!(help.matches(last).count(), 1, "{name}: {help}");
                assert!(help.find(last) > Some(global), "{name}: {help}");
            }
            let own = at("Options").unwrap_or(0);
            for heading in ["Workspace options", "Place of the jobs"] {
                assert!(at(heading).is_none_or(|at| at > own), "{name}: {help}");
            }
            for place in ["--directory", "--root <DIR>", "--wait", "--jobs <URL>"] {
                let heading = at("Workspace options").or(at("Place of the jobs"));
                assert!(help.find(place).is_none_or(|at| Some(at) > heading), "{name}: {help}");
            }
            assert!(help.contains("\nExamples:\n"), "{name}: {help}");
        }
    }

    #[test]
    fn the_folder_may_be_named_before_and_after_a_subcommand() {
        let mut seen = Vec::new();
        for (name, command) in all().into_iter().filter(|(name, _)| name.contains(' ')) {
            let takes_place = |arg: &Arg| arg.get_id() == "directory" && !arg.is_hide_set();
            if !command.get_arguments().any(takes_place) {
                continue;
            }
            let lines = EXAMPLES.iter().find(|(known, _)| *known == name).map_or("", |it| it.1);
            let line = lines.lines().find(|line| !line.contains(" -C ")).unwrap_or_default();
            for after in 1..=name.split(' ').count() {
                let mut words = words(line);
                words
                    .splice(after + 1..=after, ["-C", "there", "--root", "top"].map(str::to_owned));
                let matches = super::command().try_get_matches_from(&words);
                let matches = matches.unwrap_or_else(|error| panic!("{words:?}: {error}"));
                let mut at = &matches;
                while let Some((_, inner)) = at.subcommand() {
                    at = inner;
                    let folder = |id: &str| at.get_one::<PathBuf>(id).cloned();
                    assert_eq!(folder("directory"), Some(PathBuf::from("there")), "{words:?}");
                    assert_eq!(folder("root"), Some(PathBuf::from("top")), "{words:?}");
                }
            }
            seen.push(name);
        }
        for known in
            ["cache clear", "checkpoint create", "history gc", "policy command", "trust revoke"]
        {
            assert!(seen.iter().any(|name| name == known), "{known}: {seen:?}");
        }
    }

    #[test]
    fn formats_are_offered_where_they_are_taken_and_nowhere_else() {
        for (name, mut command) in all() {
            let help = command.render_long_help().to_string();
            let offered = help.contains("- sarif:") || help.contains("sarif, github");
            assert_eq!(offered, REPORTERS.contains(&name.as_str()), "{name}: {help}");
        }
        for name in REPORTERS {
            for words in
                [["salve", name, "--format", "sarif"], ["salve", "--format", "sarif", name]]
            {
                let matches = super::command().try_get_matches_from(words).unwrap();
                let format = matches.get_one::<FormatChoice>("format").copied();
                assert_eq!(format, Some(FormatChoice::Sarif), "{words:?}");
            }
        }
    }
}
