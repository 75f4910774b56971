//! The programs on the list, each with the rules of its own words.
//!
//! In: a command whose leading words are on the list. Out: nothing, or an objection. Never judges a
//! program that has no table here by its flags: its words are looked at as paths only.

mod copies;
mod files;
mod git;
mod network;
mod node;
mod pip;
mod python;
mod search;
mod systems;
mod tsc;

use super::context::{Context, Judged, has_flag};
use super::options::Item;
use crate::RiskClass;

/// The rules of a program, and how many words name it.
pub(super) struct Family {
    pub(super) named: usize,
    pub(super) judge: fn(&Context<'_>) -> Judged,
}

/// Finds the rules for a command by its leading words.
pub(super) fn family(words: &[String]) -> Option<Family> {
    let first = words.first()?.as_str();
    let second = words.get(1).map_or("", String::as_str);
    let judge: fn(&Context<'_>) -> Judged = match (first, second) {
        ("npm", "install") => node::npm_install,
        ("npm", "run") => node::npm_run,
        ("npm", "test") => node::npm_test,
        ("yarn", "install") => node::yarn_install,
        ("yarn", "add") => node::yarn_add,
        ("yarn", "test" | "build") => node::yarn_script,
        ("pnpm", "install") => node::pnpm_install,
        ("pnpm", "run") => node::pnpm_run,
        ("git", "status") => git::status,
        ("git", "diff") => git::diff,
        ("git", "log") => git::log,
        ("git", "branch") => git::branch,
        ("pip" | "pip3", "install") => pip::install,
        ("cargo", "build" | "check") => systems::cargo_build,
        ("cargo", "run") => systems::cargo_run,
        ("cargo", "test") => systems::cargo_test,
        ("go", "build") => systems::go_build,
        ("go", "run") => systems::go_run,
        ("go", "test") => systems::go_test,
        _ => return single(first).map(|judge| Family { named: 1, judge }),
    };
    Some(Family { named: 2, judge })
}

fn single(program: &str) -> Option<fn(&Context<'_>) -> Judged> {
    Some(match program {
        "ls" => files::ls,
        "pwd" => files::pwd,
        "cat" => files::cat,
        "head" => files::head,
        "tail" => files::tail,
        "grep" => search::grep,
        "find" => search::find,
        "mkdir" => files::mkdir,
        "touch" => files::touch,
        "echo" => files::echo,
        "curl" => network::curl,
        "wget" => network::wget,
        "cp" => copies::cp,
        "mv" => copies::mv,
        "tsc" => tsc::tsc,
        "python" | "python3" => python::python,
        _ => return None,
    })
}

/// Judges a program that a person listed and that has no table.
pub(super) fn listed_only(context: &Context<'_>) -> Judged {
    context.foreign_words(context.words.get(context.agreed..).unwrap_or_default())
}

/// Returns what a command can do beyond what its entry says: a branch is made, a file is written.
pub(super) fn raised_risk(context: &Context<'_>) -> RiskClass {
    let words: [&str; 2] = [0, 1].map(|at| context.words.get(at).map_or("", String::as_str));
    if words == ["git", "branch"] && git::makes_a_branch(context) {
        return RiskClass::Write;
    }
    RiskClass::Read
}

fn asks_for_help(items: &[Item<'_>]) -> bool {
    has_flag(items, &["--help", "--version"])
}

/// Returns every table, so that a test can look at them.
#[cfg(test)]
pub(super) fn tables() -> Vec<&'static super::options::Table> {
    [copies::TABLES, files::TABLES, git::TABLES, network::TABLES, node::TABLES, pip::TABLES]
        .into_iter()
        .chain([python::TABLES, search::TABLES, systems::TABLES, tsc::TABLES])
        .flatten()
        .copied()
        .collect()
}
