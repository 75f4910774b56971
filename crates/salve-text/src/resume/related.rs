//! Whether a continuation belongs to the partial text at all.
//!
//! In: both texts, later the join that would be made. Out: a reason to refuse, or nothing. Never
//! refuses for style: talk, another file, or the same file from its beginning are the reasons.

use super::candidate::Candidate;
use super::lines::lines;
use super::prose;
use super::seam::{self, Vocabulary};
use super::stitch::{DropReason, Place, RefusalReason};
use crate::detect::{LanguageHints, detect_language};
use crate::inspect::{Inside, outline};
use salve_types::Language;

type Refusal = Option<(RefusalReason, &'static str)>;

/// Refuses what can be told from the continuation alone.
pub(crate) fn refusal(partial: &str, content: &str, place: Place) -> Refusal {
    if is_talk(content, place) {
        return Some((
            RefusalReason::Unrelated,
            "the continuation is talk, not the rest of the text",
        ));
    }
    if starts_over(partial, content) {
        return Some((
            RefusalReason::RestartedFromBeginning,
            "the continuation starts over from the beginning, and not in the same words",
        ));
    }
    None
}

/// Refuses what can be told from the join that would be made.
pub(crate) fn refusal_after(
    partial: &str,
    content: &str,
    joined: &str,
    candidate: &Candidate,
    place: Place,
    language: Language,
) -> Refusal {
    let echoed = candidate.reason.is_some_and(|reason| reason != DropReason::LineBreak);
    if !echoed && strangeness(partial, content, joined, place, language) >= STRANGE {
        return Some((RefusalReason::Unrelated, "the continuation is the start of another text"));
    }
    None
}

// How many points make a continuation another text; no single sign reaches it.
const STRANGE: i32 = 9;

fn is_talk(content: &str, place: Place) -> bool {
    let mut sentences = content.lines().filter(|line| !line.trim().is_empty());
    let all_prose = sentences.by_ref().all(prose::is_prose);
    match place {
        Place::Code => all_prose && content.trim().contains(' '),
        Place::Words => all_prose && prose::is_refusal(content),
    }
}

// The first lines of both texts are the same or nearly so, but the whole partial is not repeated.
fn starts_over(partial: &str, content: &str) -> bool {
    const COMPARED: usize = 12;
    if content.trim_start().starts_with(partial.trim()) {
        return false;
    }
    let significant = |text: &str| -> Vec<String> {
        lines(text)
            .map(|line| line.of(text).trim().to_owned())
            .filter(|line| line.chars().filter(|sign| sign.is_alphanumeric()).count() >= 4)
            .take(COMPARED)
            .collect()
    };
    let (first, again) = (significant(partial), significant(content));
    if first.len() < 3 || again.len() < 3 {
        return false;
    }
    let pairs = first.len().min(again.len());
    let same = again.iter().take(pairs).filter(|line| first.contains(line)).count();
    first[0] == again[0] && same * 10 >= pairs * 6
}

// Points for every sign that the continuation is another text: it begins like a file although this
// one is past its beginning, it stands on its own although something is open here, it knows none of
// the words used here, and its first word does not fit.
fn strangeness(
    partial: &str,
    content: &str,
    joined: &str,
    place: Place,
    language: Language,
) -> i32 {
    let mut points = foreign_words(partial, content) + foreign_language(content, language);
    if !is_at_beginning(partial) {
        points += beginning(content, place);
    }
    if stands_alone(content, joined, language) {
        points += 6;
    }
    if seam::fit(partial, content, place, &Vocabulary::new(partial, content)) < -3.0 {
        points += 3;
    }
    points
}

// How much a text begins like a file: a licence, a shebang or a document type says so alone.
fn beginning(content: &str, place: Place) -> i32 {
    const SURE: &[&str] = &[
        "#!/",
        "<!DOCTYPE",
        "<!doctype",
        "<?xml",
        "<?php",
        "'use strict'",
        "\"use strict\"",
        "@charset",
    ];
    const LIKELY: &[&str] = &[
        "package ",
        "#include",
        "//!",
        "import ",
        "from ",
        "use ",
        "\"\"\"",
        "#pragma once",
        "#ifndef ",
        "<html",
        "\"use client\"",
        "# -*-",
    ];
    let start = content.trim_start();
    let first = start.lines().next().unwrap_or_default().trim();
    let is_comment =
        ["/*", "//", "#", "<!--", "--", "\"\"\""].iter().any(|sign| first.starts_with(sign));
    let head: String = start.chars().take(500).collect::<String>().to_lowercase();
    let licence =
        ["copyright", "licen", "(c)", "all rights"].iter().any(|word| head.contains(word));
    if SURE.iter().any(|sign| first.starts_with(sign)) || (is_comment && licence) {
        9
    } else if place == Place::Code && LIKELY.iter().any(|sign| first.starts_with(sign)) {
        5
    } else {
        0
    }
}

// Whether the partial text has not come past comments and imports yet, or stopped among imports.
fn is_at_beginning(partial: &str) -> bool {
    const IMPORTS: &[&str] =
        &["import", "from", "use ", "package", "using", "#include", "export", "pub use", "mod "];
    let is_import = |line: &str| IMPORTS.iter().any(|word| line.starts_with(word));
    let mut last = partial.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(12);
    if last.any(is_import) {
        return true;
    }
    let code = partial.lines().map(str::trim).filter(|line| {
        let comment = ["/*", "//", "#", "*", "<!--", "--", "\"\"\""]
            .iter()
            .any(|sign| line.starts_with(sign));
        !line.is_empty() && !comment && !is_import(line)
    });
    code.take(4).count() < 4 && partial.len() < 4_000
}

// Whether the continuation is complete by itself and the joined text is not.
fn stands_alone(content: &str, joined: &str, language: Language) -> bool {
    let complete = |text: &str| {
        let outline = outline(text, language);
        outline.crossed.is_none() && outline.end.depth == 0 && outline.end.inside == Inside::Code
    };
    content.ends_with('\n') && content.lines().count() > 3 && complete(content) && !complete(joined)
}

// Whether the continuation is written in another language, as far as its own words tell.
fn foreign_language(content: &str, language: Language) -> i32 {
    let found = detect_language(content, &LanguageHints::default());
    if found == Language::Text || language == Language::Text || family(found) == family(language) {
        return 0;
    }
    if content.lines().count() > 8 { 5 } else { 1 }
}

// Languages that are easily taken for one another, or stand inside one another.
fn family(language: Language) -> u8 {
    use Language as L;
    match language {
        L::TypeScript | L::Tsx | L::JavaScript | L::Jsx => 1,
        L::C | L::Cpp => 2,
        L::Java | L::CSharp | L::Kotlin => 3,
        L::Python => 4,
        L::Rust => 5,
        L::Go => 6,
        L::Bash => 7,
        L::Css => 8,
        L::Json => 9,
        L::Sql => 10,
        L::Ruby => 11,
        L::Swift => 12,
        _ => 0,
    }
}

fn foreign_words(partial: &str, content: &str) -> i32 {
    let known = Vocabulary::words_in(partial);
    let told = Vocabulary::words_in(content);
    if known.len() < 30 || told.len() < 15 {
        return 0;
    }
    let shared = told.iter().filter(|word| known.contains(*word)).count() * 100 / told.len();
    match shared {
        0..8 => 4,
        8..15 => 2,
        15..30 => 0,
        _ => -3,
    }
}
