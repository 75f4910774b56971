//! What could be a path in a word whose meaning only its program knows.
//!
//! In: a word. Out: every part of it that a program might open, or an objection to code in it.
//! Never decides about a path.

use super::Judged;
use crate::policy::objection::{Objection, Rule};
use crate::{PathConcern, PathUse};

/// A part of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate<'a> {
    pub(super) text: &'a str,
    /// Whether it looks like a path: other words happen to be called like a secret.
    is_path: bool,
}

impl Candidate<'_> {
    /// Tells whether it can only be a path that begins elsewhere.
    pub(super) fn leads_away(&self) -> bool {
        self.text.split('/').any(|step| step == "..") || self.text.starts_with(['/', '~'])
    }

    /// Tells whether what speaks against a path speaks against this word.
    pub(super) fn counts(&self, concern: PathConcern, usage: PathUse) -> bool {
        match (concern, usage) {
            (PathConcern::Form, _) => false,
            (PathConcern::Protected, _) => true,
            // A secret is judged as it would be read.
            (_, PathUse::Write) => false,
            (PathConcern::Secret, PathUse::Read) => self.is_path,
            _ => true,
        }
    }
}

/// Returns everything in a word that could be a path.
pub(super) fn candidates(word: &str) -> Judged<Vec<Candidate<'_>>> {
    let mut found = vec![Candidate { text: word, is_path: true }];
    // `-I/usr/include`: a path glued to a short flag.
    if let Some(rest) = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')) {
        let mut letters = rest.chars();
        let _ = letters.next();
        found.push(Candidate { text: letters.as_str(), is_path: true });
    }
    for atom in word.split(['=', ',', '[', ']', '{', '}', '(', ')', '|', ';', '\'', '"']) {
        let atom = atom.trim_start_matches('@');
        if let Some((scheme, _)) = scheme(atom) {
            if ["data", "javascript", "blob"].contains(&scheme.as_str()) {
                let why = format!("`{}` is code", word.escape_debug());
                return Err(Objection::never(Rule::Argument, why));
            }
            if scheme != "file" && atom.contains("://") {
                continue;
            }
        }
        found.push(Candidate { text: atom, is_path: true });
        let pieces = atom.split([':', '@']).filter(|piece| *piece != atom);
        found.extend(pieces.map(|text| {
            let is_path = text.contains('/') || text.starts_with(['.', '~']);
            Candidate { text, is_path }
        }));
    }
    found.retain(|candidate| {
        let text = candidate.text;
        !text.is_empty() && !text.starts_with('-') && !text.contains("://")
    });
    found.dedup();
    Ok(found)
}

// `file:`, `data:`, `https:`, in lower case.
fn scheme(text: &str) -> Option<(String, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    is_scheme.then(|| (scheme.to_ascii_lowercase(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_path_into_a_word_is_taken_apart() {
        for (word, hidden) in [
            ("@/etc/passwd", "/etc/passwd"),
            ("--from=@/etc/passwd", "/etc/passwd"),
            ("-d@/etc/passwd", "/etc/passwd"),
            ("a:/etc/passwd", "/etc/passwd"),
            ("src,/etc/passwd", "/etc/passwd"),
            ("a=b=/etc/passwd", "/etc/passwd"),
            ("file:///etc/passwd", "///etc/passwd"),
            ("--in=file:/etc/passwd", "/etc/passwd"),
            ("{/etc/passwd}", "/etc/passwd"),
            ("-o.vscode/x", ".vscode/x"),
            ("--report=json:.claude/x", ".claude/x"),
            ("@.env", ".env"),
        ] {
            let found = candidates(word).unwrap();
            assert!(found.iter().any(|candidate| candidate.text == hidden), "{word}: {found:?}");
        }
        for word in ["https://example.com/a", "--url=http://localhost:3000/x", "postgres://u@h/db"]
        {
            let found = candidates(word).unwrap();
            assert!(!found.iter().any(Candidate::leads_away), "{word}: {found:?}");
        }
        for word in ["data:text/javascript,1", "--import=DATA:text/javascript,1"] {
            assert!(candidates(word).is_err(), "{word}");
        }
    }
}
