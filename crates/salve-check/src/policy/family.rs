//! The programs on the list, each with the rules of its own words.
//!
//! In: a command whose leading words are on the list. Out: nothing, or an objection. Never judges a
//! program that has no table here by its flags: its words are looked at as paths only.

pub(super) mod copies;
pub(super) mod everyday;
mod files;
mod git;
mod network;
mod node;
mod pip;
mod python;
mod search;
mod systems;
mod tsc;

use super::context::{Context, Judged, has_flag, operands};
use super::options::Item;
use crate::RiskClass;
use Starts::{Code, Git, Installer, Nothing};

/// The rules of a program, and how many words name it.
pub(super) struct Family {
    pub(super) named: usize,
    pub(super) judge: fn(&Context<'_>) -> Judged,
    pub(super) starts: Starts,
}

/// What a program starts beside itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Starts {
    /// Nothing.
    Nothing,
    /// git, or git's own reading of the repository.
    Git,
    /// Code of the workspace.
    Code,
    /// Code of the packages that it installs.
    Installer,
}

/// Finds the rules for a command by its leading words.
pub(super) fn family(words: &[String]) -> Option<Family> {
    let first = words.first()?.as_str();
    let second = words.get(1).map_or("", String::as_str);
    let (judge, starts): (fn(&Context<'_>) -> Judged, Starts) = match (first, second) {
        ("npm", "install") => (node::npm_install, Installer),
        ("npm", "run") => (node::npm_run, Code),
        ("npm", "test") => (node::npm_test, Code),
        ("yarn", "install") => (node::yarn_install, Installer),
        ("yarn", "add") => (node::yarn_add, Installer),
        ("yarn", "test" | "build") => (node::yarn_script, Code),
        ("pnpm", "install") => (node::pnpm_install, Installer),
        ("pnpm", "run") => (node::pnpm_run, Code),
        ("git", "status") => (git::status, Git),
        ("git", "diff") => (git::diff, Git),
        ("git", "log") => (git::log, Git),
        ("git", "branch") => (git::branch, Git),
        ("pip" | "pip3", "install") => (pip::install, Installer),
        ("cargo", "build" | "check") => (systems::cargo_build, Code),
        ("cargo", "run") => (systems::cargo_run, Code),
        ("cargo", "test") => (systems::cargo_test, Code),
        ("go", "build") => (systems::go_build, Code),
        ("go", "run") => (systems::go_run, Code),
        ("go", "test") => (systems::go_test, Code),
        _ => {
            let (judge, starts) = single(first)?;
            return Some(Family { named: 1, judge, starts });
        }
    };
    Some(Family { named: 2, judge, starts })
}

type Judge = fn(&Context<'_>) -> Judged;

fn single(program: &str) -> Option<(Judge, Starts)> {
    let looks: Judge = match program {
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
        "tsc" => return Some((tsc::tsc, Code)),
        "python" | "python3" => return Some((python::python, Code)),
        _ => return None,
    };
    Some((looks, Nothing))
}

/// Returns the files that a fetching program would write.
pub(super) fn fetched_files(context: &Context<'_>) -> Vec<String> {
    network::fetched(context)
}

/// Tells whether a command installs packages that it names itself, rather than the project's own.
/// What cannot be read counts as a name.
pub(super) fn names_packages(context: &Context<'_>) -> bool {
    let words: [&str; 2] = [0, 1].map(|at| context.words.get(at).map_or("", String::as_str));
    let context = Context { named: 2, ..*context };
    let items = match words {
        ["pip" | "pip3", "install"] => pip::words(&context),
        ["npm", "install" | "i" | "add"] => node::npm_words(&context),
        ["yarn", "add"] => node::yarn_words(&context),
        ["pnpm", "install" | "i" | "add"] => node::pnpm_words(&context),
        _ => return false,
    };
    items.map_or(true, |items| operands(&items).any(|(word, _)| !word.starts_with('.')))
}

/// Endings of archives that a package manager reads as a file of the folder it is started in.
#[rustfmt::skip]
const ARCHIVES: &[&str] = &[
    ".whl", ".zip", ".egg", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".tlz", ".tzst", ".gz", ".bz2", ".xz", ".lz",
    ".lzma", ".zst", ".7z", ".rar", ".crate", ".gem", ".jar",
];

/// Tells whether a word could be read as an archive, whatever else it is.
fn is_archive(text: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    let without_extras = text.split('[').next().unwrap_or_default().trim_end();
    let after_extras = text.rsplit(']').next().unwrap_or_default().trim_end();
    let before_marker = text.split(';').next().unwrap_or_default().trim_end();
    let readings = [text.trim_end(), without_extras, after_extras, before_marker];
    readings.iter().any(|text| ARCHIVES.iter().any(|ending| text.ends_with(ending)))
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
        .chain(everyday::tables())
        .collect()
}
