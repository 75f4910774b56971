//! The same fault among other names.
//!
//! In: a file, the fault in it, and the other files of its project. Out: names of the file, those nearest to
//! the fault first, and the file with each of them written with other letters. Never a name that another file
//! or a text in quotes has, and never two names made one; that the project is green with the new names is for
//! its own tools to say.

use super::folder::Files;
use super::plant::{self, Class, Fault};
use super::tokens::{Kind, Source};
use salve_types::Language;
use std::collections::{BTreeMap, BTreeSet};

/// Other names for some of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Renaming {
    words: BTreeMap<String, String>,
    shift: u8,
}

// What a name follows where it is made known.
const DECLARE: &[&str] = &["let", "mut", "const", "var", "for", "static", "ref"];
const DECLARE_CODE: &[&str] = &["fn", "def", "function", "class", "struct", "enum", "type"];

// Words of the languages that are too short to be misspelt.
#[rustfmt::skip]
const SHORT: &[&str] = &[
    "and", "any", "as", "def", "del", "do", "dyn", "fn", "get", "if", "in", "int", "is", "let", "mod", "move",
    "mut", "new", "not", "of", "or", "pub", "ref", "set", "then", "try", "use", "var",
];

fn is_keyword(word: &str) -> bool {
    plant::is_keyword(word) || SHORT.contains(&word)
}

/// Returns the names of the fault's file that may be others, nearest first.
pub(crate) fn names_near(truth: &Files, language: Language, fault: &Fault) -> Vec<String> {
    let Some(text) = text_of(truth, &fault.path) else { return Vec::new() };
    let source = Source::read(language, &fault.path, &text);
    let elsewhere: BTreeSet<String> = truth
        .keys()
        .filter(|path| **path != fault.path)
        .filter_map(|path| text_of(truth, path))
        .flat_map(|text| words(&text).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let quoted: BTreeSet<&str> = (0..source.tokens.len())
        .filter(|index| source.is(*index, Kind::Text) || source.is(*index, Kind::Directive))
        .flat_map(|index| words(source.word(index)))
        .collect();
    let line = |at: usize| source.text.get(..at).map_or(0, |text| text.matches('\n').count());
    let own = line(fault.at);
    let mut nearest: BTreeMap<&str, usize> = BTreeMap::new();
    let mut declared: BTreeSet<&str> = BTreeSet::new();
    let mut code: BTreeSet<&str> = BTreeSet::new();
    for (index, token) in source.tokens.iter().enumerate() {
        let word = source.word(index);
        let plain = word.is_ascii() && word.starts_with(|one: char| one.is_ascii_alphabetic());
        if token.kind != Kind::Word || !plain || is_keyword(word) {
            continue;
        }
        let away = line(token.at.start).abs_diff(own);
        let known = nearest.entry(word).or_insert(away);
        *known = away.min(*known);
        if DECLARE_CODE.contains(&source.before(index)) {
            code.insert(word);
        } else if is_declared(&source, index) {
            declared.insert(word);
        }
    }
    // A function is renamed where the fault is about it; its name may be one that a trait asks for.
    let may = |word: &str, away: usize| {
        (declared.contains(word) && !code.contains(word)) || (away == 0 && code.contains(word))
    };
    let mut found: Vec<(usize, &str)> = nearest
        .into_iter()
        .filter(|(word, away)| may(word, *away))
        .filter(|(word, _)| !elsewhere.contains(*word) && !quoted.contains(word))
        .map(|(word, away)| (away, word))
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, word)| word.to_owned()).collect()
}

fn is_declared(source: &Source, index: usize) -> bool {
    let (before, after) = (source.before(index), source.word(index + 1));
    let first = matches!(before, "(" | "," | "|" | "{" | "&");
    DECLARE.contains(&before)
        || match source.language {
            Language::Rust => after == ":" && first,
            Language::TypeScript => matches!(after, ":" | "?") && first,
            Language::Python => {
                let statement = source.depth.get(index) == Some(&0);
                statement && matches!(after, "=" | ",") && (source.opens_line(index) || first)
            }
            _ => {
                let kind = index.checked_sub(1).is_some_and(|at| source.is(at, Kind::Word));
                let follows = (kind && !is_keyword_but_type(before)) || before == "*";
                follows && matches!(after, ";" | "=" | "," | ")" | "[")
            }
        }
}

fn is_keyword_but_type(word: &str) -> bool {
    is_keyword(word)
        && !matches!(
            word,
            "char" | "double" | "float" | "int" | "long" | "short" | "unsigned" | "signed"
        )
}

impl Renaming {
    /// Writes these names with other letters; nothing when every way meets a name that there is.
    pub(crate) fn of(names: &[String], text: &str) -> Option<Self> {
        let taken: BTreeSet<&str> = words(text).collect();
        let is_free = |word: &String| !taken.contains(word.as_str()) && !is_keyword(word);
        (5..25).find_map(|shift| {
            let words: BTreeMap<String, String> =
                names.iter().map(|name| (name.clone(), shifted(name, shift))).collect();
            words.values().all(is_free).then_some(Self { words, shift })
        })
    }

    /// Returns a text with the new names.
    pub(crate) fn text(&self, text: &str) -> String {
        self.write(text, &BTreeMap::new())
    }

    /// Returns the file with the fault in it and the new names; what was misspelt is so in the same way.
    pub(crate) fn planted(&self, fault: &Fault, text: &str) -> Option<String> {
        let mut wrong = BTreeMap::new();
        if fault.class == Class::MisspeltName && self.words.contains_key(&fault.old) {
            wrong.insert(fault.new.clone(), shifted(&fault.new, self.shift));
        }
        Some(self.write(&fault.plant(text)?, &wrong))
    }

    fn write(&self, text: &str, more: &BTreeMap<String, String>) -> String {
        let mut written = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(is_letter) {
            let (before, from) = rest.split_at(start);
            let end = from.find(|one| !is_letter(one)).unwrap_or(from.len());
            let (word, after) = from.split_at(end);
            written.push_str(before);
            let new = self.words.get(word).or_else(|| more.get(word));
            written.push_str(new.map_or(word, String::as_str));
            rest = after;
        }
        written.push_str(rest);
        written
    }
}

// Letters move on in the alphabet: a name that was misspelt by one letter still is, and nothing else is left.
fn shifted(word: &str, shift: u8) -> String {
    let one = |letter: char| {
        let first = match letter {
            'a'..='z' => b'a',
            'A'..='Z' => b'A',
            other => return other,
        };
        let place = u8::try_from(letter).unwrap_or(first) - first;
        char::from(first + (place + shift) % 26)
    };
    word.chars().map(one).collect()
}

fn is_letter(one: char) -> bool {
    one.is_alphanumeric() || matches!(one, '_' | '$')
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|one| !is_letter(one)).filter(|word| !word.is_empty())
}

fn text_of(files: &Files, path: &str) -> Option<String> {
    String::from_utf8(files.get(path)?.clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str, old: &str, new: &str) -> Fault {
        Fault {
            class: Class::MisspeltName,
            kind: String::new(),
            path: "a.rs".to_owned(),
            at: text.rfind(old).expect("the place"),
            old: old.to_owned(),
            new: new.to_owned(),
        }
    }

    #[test]
    fn names_of_the_file_alone_are_found_and_written_otherwise() {
        let text = "fn f(rows: &[u8]) -> u8 {\n    let total = rows.len();\n    let shown = 1;\n    \
                    println!(\"{shown}\");\n    total\n}\n";
        let fault = fault(text, "total", "totl");
        let files = Files::from([
            ("a.rs".to_owned(), text.as_bytes().to_vec()),
            ("b.rs".to_owned(), b"let rest = f(&[]);".to_vec()),
        ]);
        let names = names_near(&files, Language::Rust, &fault);
        // `len` is declared nowhere, `f` is known elsewhere, `shown` is in a text.
        assert_eq!(names, ["total", "rows"]);
        let renaming = Renaming::of(&names, text).expect("free names");
        let planted = renaming.planted(&fault, text).expect("planted");
        assert!(planted.contains("let ytyfq = wtbx.len();"), "{planted}");
        assert!(planted.ends_with("    ytyq\n}\n"), "{planted}");
        assert!(renaming.text(text).ends_with("    ytyfq\n}\n"));
    }

    #[test]
    fn two_names_are_never_made_one() {
        let names = ["ab".to_owned()];
        let renaming = Renaming::of(&names, "ab fg gh").expect("another shift");
        assert_eq!(renaming.text("ab fg gh"), "hi fg gh");
    }
}
