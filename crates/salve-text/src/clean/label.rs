//! Labels of blocks: the language and the file they name.
//!
//! In: the words after a fence, or a line near it. Out: a language, a path. Never takes a word for
//! a path that does not look like one.

use salve_types::Language;

/// What the words after a fence say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) language: Option<Language>,
    pub(crate) path: Option<String>,
}

/// Reads the words after a fence: `ts`, `ts title="a.ts"`, `rust:src/main.rs`, `src/a.py`,
/// `12:20:src/a.ts`, `{.python #id}`.
pub(crate) fn read_info(info: &str) -> Label {
    let info = info.trim();
    let mut label = Label::default();
    let first = info.split([' ', '\t', ',', '{']).find(|word| !word.is_empty()).unwrap_or("");
    let first = first.trim_matches(['{', '}', '.']);
    label.language = Language::from_name(first);
    if label.language.is_none()
        && let Some((name, rest)) = first.split_once(':')
    {
        label.language = Language::from_name(name);
        // `12:20:src/a.ts` cites lines of a file.
        let rest = rest.rsplit(':').next().unwrap_or(rest);
        label.path = as_path(rest);
    }
    if label.path.is_none() {
        label.path = attribute(info).or_else(|| info.split_whitespace().find_map(as_path));
    }
    if label.language.is_none() {
        label.language = label.path.as_deref().and_then(Language::from_path);
    }
    label
}

/// Reads a line before a fence that is nothing but the name of a file: `**src/a.ts**`,
/// `File: src/a.ts`, `### src/a.ts`, `` `src/a.ts`: ``.
pub(crate) fn path_label(line: &str) -> Option<String> {
    as_path(label_name(line))
}

/// Returns what a line names that is nothing but a name, whatever it looks like.
pub(crate) fn label_name(line: &str) -> &str {
    let mut rest = line.trim().trim_start_matches('#').trim();
    rest = rest.trim_start_matches(['-', '*', '>', '+']).trim_start();
    // A numbered step may carry the name: `1. src/a.ts`.
    if let Some((number, tail)) = rest.split_once(". ")
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        rest = tail;
    }
    rest = strip_marks(rest);
    for word in [
        "filename",
        "file name",
        "file path",
        "filepath",
        "file",
        "path",
        "datei",
        "fichier",
        "archivo",
    ] {
        if let Some(head) = rest.get(..word.len())
            && head.eq_ignore_ascii_case(word)
            && let Some(tail) =
                rest[word.len()..].trim_start_matches(['*', '_', '`']).strip_prefix(':')
        {
            rest = strip_marks(tail.trim_start_matches(['*', '_']));
            break;
        }
    }
    // `src/a.ts (new file)` still names one file.
    let name = rest.split_once(" (").map_or(
        rest,
        |(name, note)| {
            if note.ends_with(')') { name } else { rest }
        },
    );
    strip_marks(name)
}

/// Reads the first line of a block that is a comment with nothing but a path: `// src/a.ts`.
pub(crate) fn comment_path(line: &str) -> Option<String> {
    let line = line.trim();
    let inner =
        ["//", "#", "--", "/*", "<!--", ";"].iter().find_map(|sign| line.strip_prefix(sign))?;
    if inner.starts_with(['!', '#', '/']) {
        return None;
    }
    let inner = inner.trim_end_matches("*/").trim_end_matches("-->").trim();
    path_label(inner)
}

fn strip_marks(text: &str) -> &str {
    let marks = ['*', '`', '"', '\'', '[', ']'];
    let mut name = text.trim().trim_end_matches(':').trim_matches(marks);
    // A name may begin with an underscore; emphasis is on both sides of what it is for.
    while let Some(inner) = name.strip_prefix('_').and_then(|name| name.strip_suffix('_')) {
        name = inner.trim_matches(marks);
    }
    name.trim_end_matches(':').trim()
}

// `title="a.ts"`, `file=a.ts`, `path='a.ts'` and their relatives.
fn attribute(info: &str) -> Option<String> {
    for key in ["title=", "filename=", "file=", "path=", "filepath=", "name="] {
        let Some(at) = info.find(key) else { continue };
        let value = &info[at + key.len()..];
        let value = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or(""),
            _ => value.split([' ', '\t', '}']).next().unwrap_or(""),
        };
        if let Some(path) = as_path(value) {
            return Some(path);
        }
    }
    None
}

// A path has a known ending or a folder and an ending, and no character that a path would not
// have; version numbers, sentences and addresses do not pass.
fn as_path(word: &str) -> Option<String> {
    let word = word.trim();
    let fits = !word.is_empty()
        && word.len() <= 200
        && !word.contains("://")
        && word.chars().all(|c| c.is_alphanumeric() || "/\\._-+@()[]~$ ".contains(c))
        && !word.ends_with('/')
        && word.matches(' ').count() <= 2
        && (!word.contains(' ') || word.contains('/'));
    if !fits {
        return None;
    }
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let known_name =
        matches!(name, "Dockerfile" | "Makefile" | "Gemfile" | "Rakefile" | "LICENSE" | "Procfile");
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let ending_fits = !ending.is_empty()
        && ending.len() <= 10
        && ending.chars().all(|c| c.is_ascii_alphanumeric())
        && ending.chars().any(|c| c.is_ascii_alphabetic());
    let has_folder = word.len() > name.len();
    let known_ending = Language::from_path(name).is_some() || known_config(ending);
    let dotfile = stem.is_empty() && ending_fits;
    let good = known_name
        || (ending_fits && !stem.is_empty() && (known_ending || has_folder))
        || (dotfile && (has_folder || name.len() > 3));
    good.then(|| word.to_owned())
}

fn known_config(ending: &str) -> bool {
    #[rustfmt::skip]
    const ENDINGS: &[&str] = &[
        "lock", "env", "ini", "cfg", "conf", "gradle", "proto", "graphql", "prisma", "tf", "lua",
        "dart", "scala", "ex", "exs", "erl", "hs", "ml", "r", "jl", "pl", "zig", "nim", "vim",
        "bat", "ps1", "cmake", "mk", "csv", "tsv", "properties", "razor", "csproj", "sol", "asm",
        "s", "m", "mm", "fs", "clj", "astro", "styl", "sass", "rst", "tex", "adoc", "log",
    ];
    ENDINGS.contains(&ending.to_ascii_lowercase().as_str())
}
