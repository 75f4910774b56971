//! Which settings of a repository start a program, or lead git to another place.
//!
//! In: a setting, or the text of an attributes file. Out: whether it does. Never trusts a value to be
//! harmless because it looks so, but for those that turn a feature off.

use super::config::Setting;

/// Endings of keys whose value is a command.
const COMMANDS: &[&str] = &[
    "command",
    "cmd",
    "program",
    "helper",
    "hook",
    "driver",
    "editor",
    "pager",
    "textconv",
    "process",
    "clean",
    "smudge",
    "askpass",
    "askyesno",
    "difffilter",
    "uploadpack",
    "receivepack",
    "vcs",
];
/// Settings by their full name, without the subsection.
const NAMES: &[(&str, &str)] = &[
    ("core", "fsmonitor"),
    ("core", "hookspath"),
    ("core", "attributesfile"),
    ("core", "gitproxy"),
    ("core", "worktree"),
    ("diff", "external"),
    ("log", "showsignature"),
    ("include", "path"),
    ("includeif", "path"),
    ("protocol", "allow"),
];
/// Values that turn a setting off.
const OFF: &[&str] = &["false", "no", "off", "0", ""];

/// Tells whether a setting starts a program or leads elsewhere.
pub(super) fn starts(setting: &Setting) -> bool {
    let Setting { section, subsection, key, value } = setting;
    let is_off = value.as_deref().is_some_and(|value| OFF.contains(&value.to_lowercase().as_str()));
    let value = value.as_deref().unwrap_or_default();
    match (section.as_str(), key.as_str()) {
        ("alias", _) => value.starts_with('!'),
        ("submodule", "update") => value.starts_with('!'),
        ("remote" | "url" | "submodule", _) if value.contains("::") => true,
        // `url."ext::sh -c x".insteadOf`: the place is the name of the section.
        ("url", _) if subsection.as_deref().is_some_and(|place| place.contains("::")) => true,
        // A format or an order that checks signatures starts the program that does.
        ("format" | "log" | "pretty" | "branch" | "tag", "pretty" | "format" | "sort")
        | ("pretty", _)
            if value.contains("%G") || value.contains("signature") =>
        {
            true
        }
        ("pager", _) => !is_off,
        ("filter", "required") => false,
        (section, key) => {
            let named = NAMES.contains(&(section, key));
            let runs = COMMANDS.iter().any(|ending| key.ends_with(ending));
            (named || runs) && !is_off
        }
    }
}

/// Drivers that git has built in, or that only choose a pattern.
const BUILT_IN: &[&str] = &[
    "ada", "bash", "bibtex", "cpp", "csharp", "css", "dts", "elixir", "fortran", "fountain",
    "golang", "html", "java", "kotlin", "markdown", "matlab", "objc", "pascal", "perl", "php",
    "python", "ruby", "rust", "scheme", "tex", "text", "binary", "union",
];

/// Returns the drivers of their own that an attributes file names.
pub(super) fn drivers(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let words = lines.flat_map(|line| line.split_ascii_whitespace().skip(1));
    words
        .filter(|word| {
            ["filter=", "diff=", "merge="].iter().any(|start| {
                word.strip_prefix(start).is_some_and(|driver| !BUILT_IN.contains(&driver))
            })
        })
        .map(|word| format!("attribute {word}"))
        .collect()
}
