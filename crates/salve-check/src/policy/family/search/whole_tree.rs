//! Searches of a whole tree that would show the secrets in it.
//!
//! In: what a search looks for and where. Out: nothing, or an objection where it takes (nearly) every
//! line, or leaves out (nearly) every ordinary file, and the tree holds secrets. Never looks for a
//! secret by its content: a search for a word is left alone.

use crate::Pattern;
use crate::policy::context::{Context, Judged, has_flag, operands};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Item;
use regex::RegexBuilder;

/// Ordinary names: a search that leaves most of them out is about the others.
pub(in crate::policy) const FILES: &[&str] =
    &["main.rs", "index.js", "README.md", "package.json", "notes.txt", "main.py"];
/// Ordinary names of folders.
pub(in crate::policy) const FOLDERS: &[&str] =
    &["src", "lib", "docs", "tests", "app", "node_modules"];
/// How many of them may be left out.
const LEFT_OUT: usize = 3;

/// Lines of files that hold secrets; what takes most of them takes any line.
const SAMPLES: &[&str] = &[
    "API_KEY=s3cr3t",
    "-----BEGIN OPENSSH PRIVATE KEY-----",
    "MIIEpAIBAAKCAQEA7v/x+Q9w",
    "password: hunter2",
];
/// How many of the samples a search may take.
const TAKEN: usize = 2;
/// The longest expression that is tried.
const MAX_EXPRESSION: usize = 1000;

/// Asks where files are left out so that hardly an ordinary one remains.
pub(in crate::policy) fn leaves_out_the_ordinary<'a>(
    excluded: impl Iterator<Item = &'a str>,
    ordinary: &[&str],
) -> Judged {
    let patterns: Vec<&str> = excluded.collect();
    let takes = |pattern: &&str, name: &str| {
        let pattern = pattern.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        Pattern::new(pattern).map_or(true, |pattern| pattern.matches(name))
    };
    let negates = patterns.iter().find(|pattern| pattern.contains("[!") || pattern.contains("[^"));
    let left_out =
        ordinary.iter().filter(|name| patterns.iter().any(|one| takes(one, name))).count();
    // To leave out everything is to search nothing.
    if negates.is_some() || (left_out > LEFT_OUT && !patterns.contains(&"*")) {
        let why = "what is left out leaves few files but hidden and secret ones";
        return Err(Objection::never(Rule::Secret, why));
    }
    Ok(())
}

/// How the expressions of a search are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Plain,
    Basic,
    Extended,
}

/// What a search looks for.
#[derive(Debug)]
pub(in crate::policy) struct Search<'a> {
    expressions: Vec<&'a str>,
    language: Language,
    ignores_case: bool,
    /// Takes what does not fit, or what is in a file that is not read here.
    takes_any: bool,
    /// Shows names or counts and no line.
    hides_lines: bool,
}

impl<'a> Search<'a> {
    /// Reads the flags of `grep` and `git grep`.
    pub(in crate::policy) fn of_grep(items: &[Item<'a>], pattern_is_a_flag: bool) -> Self {
        let language = match () {
            () if has_flag(items, &["-F", "--fixed-strings"]) => Language::Plain,
            () if has_flag(items, &["-E", "--extended-regexp", "-P", "--perl-regexp"]) => {
                Language::Extended
            }
            () => Language::Basic,
        };
        Self { language, ..Self::of_any(items, pattern_is_a_flag) }
    }

    /// Reads the flags of `rg`.
    pub(in crate::policy) fn of_rg(items: &[Item<'a>], pattern_is_a_flag: bool) -> Self {
        let plain = has_flag(items, &["-F", "--fixed-strings"]);
        let language = if plain { Language::Plain } else { Language::Extended };
        Self { language, ..Self::of_any(items, pattern_is_a_flag) }
    }

    fn of_any(items: &[Item<'a>], pattern_is_a_flag: bool) -> Self {
        let flags = items.iter().filter_map(|item| match item {
            Item::Flag { name: "-e" | "--regexp", value, .. } => *value,
            _ => None,
        });
        let first = operands(items).map(|(text, _)| text).take(usize::from(!pattern_is_a_flag));
        let takes_any = ["-v", "--invert-match", "-f", "--file", "--not", "--passthru"];
        let hides = [
            "-c",
            "--count",
            "--count-matches",
            "-l",
            "--files-with-matches",
            "--name-only",
            "-L",
            "--files-without-match",
            "-q",
            "--quiet",
            "--silent",
            "--files",
            "--type-list",
        ];
        Self {
            expressions: flags.chain(first).collect(),
            language: Language::Extended,
            ignores_case: has_flag(items, &["-i", "-y", "--ignore-case", "-S", "--smart-case"]),
            takes_any: has_flag(items, &takes_any),
            hides_lines: has_flag(items, &hides),
        }
    }

    /// Asks where nearly every line would be shown, and one of the folders holds secrets.
    pub(in crate::policy) fn shows_no_secret(
        &self,
        context: &Context<'_>,
        folders: &[&str],
    ) -> Judged {
        if self.hides_lines || !self.takes_nearly_all() {
            return Ok(());
        }
        let folders = if folders.is_empty() { &["."] } else { folders };
        match folders.iter().find(|folder| context.paths.holds_secrets(folder)) {
            None => Ok(()),
            Some(folder) => {
                let why = format!(
                    "the search shows nearly every line, and `{}` holds files with secrets",
                    folder.escape_debug()
                );
                Err(Objection::never(Rule::Secret, why))
            }
        }
    }

    fn takes_nearly_all(&self) -> bool {
        self.takes_any || self.expressions.iter().any(|expression| self.takes(expression))
    }

    fn takes(&self, expression: &str) -> bool {
        let written = match self.language {
            Language::Plain => regex::escape(expression),
            Language::Basic => as_extended(expression),
            Language::Extended => expression.to_owned(),
        };
        if written.len() > MAX_EXPRESSION {
            return true;
        }
        // What this cannot read (a look ahead, a reference back) may take anything.
        let built = RegexBuilder::new(&written)
            .case_insensitive(self.ignores_case)
            .size_limit(1 << 18)
            .build();
        built.map_or(true, |built| {
            built.is_match("") || SAMPLES.iter().filter(|line| built.is_match(line)).count() > TAKEN
        })
    }
}

// In a basic expression the letters of an extended one mean themselves, and their meaning has a
// backslash.
fn as_extended(basic: &str) -> String {
    let mut extended = String::with_capacity(basic.len() + 8);
    let mut letters = basic.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '(' | ')' | '{' | '}' | '|' | '+' | '?' => extended.extend(['\\', letter]),
            '\\' => match letters.next() {
                Some(special @ ('(' | ')' | '{' | '}' | '|' | '+' | '?')) => extended.push(special),
                Some('<' | '>') => extended.push_str("\\b"),
                Some(other) => extended.extend(['\\', other]),
                None => extended.push_str("\\\\"),
            },
            // A star at the beginning is a star.
            '*' if extended.is_empty() => extended.push_str("\\*"),
            _ => extended.push(letter),
        }
    }
    extended
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(language: Language, expression: &str) -> bool {
        let search = Search {
            expressions: vec![expression],
            language,
            ignores_case: false,
            takes_any: false,
            hides_lines: false,
        };
        search.takes_nearly_all()
    }

    #[test]
    fn what_takes_every_line_is_told_from_a_search() {
        for (language, expression) in [
            (Language::Basic, ""),
            (Language::Basic, "."),
            (Language::Basic, ".*"),
            (Language::Basic, "^"),
            (Language::Basic, "$"),
            (Language::Basic, "x*"),
            (Language::Basic, "a\\|"),
            (Language::Basic, "[a-zA-Z]"),
            (Language::Basic, "[^#]"),
            (Language::Extended, "(a|)"),
            (Language::Extended, "x?"),
            (Language::Extended, "(?=.)"),
            (Language::Extended, "[A-Za-z0-9=+/_-]"),
            (Language::Plain, ""),
        ] {
            assert!(takes(language, expression), "{expression}");
        }
        for (language, expression) in [
            (Language::Basic, "TODO"),
            (Language::Basic, "a > b"),
            (Language::Basic, "fn main"),
            (Language::Basic, "x+"),
            (Language::Basic, "foo(bar)"),
            (Language::Basic, "a\\|b"),
            (Language::Basic, "password"),
            (Language::Basic, "*x"),
            (Language::Extended, "^import|^from"),
            (Language::Extended, "impl .* for"),
            (Language::Plain, "."),
            (Language::Plain, "error"),
        ] {
            assert!(!takes(language, expression), "{expression}");
        }
    }

    #[test]
    fn leaving_out_nearly_everything_is_told_from_leaving_out_a_kind() {
        let leaves =
            |patterns: &[&str]| leaves_out_the_ordinary(patterns.iter().copied(), FILES).is_err();
        for patterns in [&["[!.]*"][..], &["[^.]*"], &["?*.*"], &["[a-z]*", "[A-Z]*"]] {
            assert!(leaves(patterns), "{patterns:?}");
        }
        for patterns in [&["*.rs"][..], &["*.min.js"], &["package-lock.json", "*.md"], &[], &["*"]]
        {
            assert!(!leaves(patterns), "{patterns:?}");
        }
    }
}
