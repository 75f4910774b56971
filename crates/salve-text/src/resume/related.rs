//! Whether a continuation belongs to the partial text at all.
//!
//! In: both texts, later the join that would be made. Out: a reason to refuse, or nothing. Never
//! refuses for style: talk, another file, or the same file from its beginning are the reasons.

use super::candidate::Candidate;
use super::lines::lines;
use super::prose;
use super::seam::{self, Vocabulary};
use super::stitch::{DropReason, Place, RefusalReason};
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
    candidate: &Candidate,
    place: Place,
    language: Language,
) -> Refusal {
    let echoed = candidate.reason.is_some_and(|reason| reason != DropReason::LineBreak);
    if !echoed && strangeness(partial, content, place, language) >= STRANGE {
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
fn strangeness(partial: &str, content: &str, place: Place, language: Language) -> i32 {
    let mut points = 0;
    if begins_file(content) && !is_at_beginning(partial) {
        points += 6;
    }
    if stands_alone(partial, content, language) {
        points += 6;
    }
    points += foreign_words(partial, content);
    if seam::fit(partial, content, place, &Vocabulary::new(partial, content)) < -3.0 {
        points += 3;
    }
    points
}

fn begins_file(content: &str) -> bool {
    let start = content.trim_start();
    let first = start.lines().next().unwrap_or_default().trim();
    const SIGNS: &[&str] = &[
        "#!",
        "<!DOCTYPE",
        "<!doctype",
        "<?xml",
        "<?php",
        "<html",
        "package ",
        "#include",
        "'use strict'",
        "\"use strict\"",
        "//!",
        "@charset",
        "import ",
        "from ",
        "use ",
        "\"\"\"",
        "#pragma once",
        "#ifndef ",
    ];
    if SIGNS.iter().any(|sign| first.starts_with(sign)) {
        return true;
    }
    let head: String = start.chars().take(600).collect::<String>().to_lowercase();
    let is_comment = ["/*", "//", "#", "<!--", "--"].iter().any(|sign| first.starts_with(sign));
    is_comment && (head.contains("copyright") || head.contains("licen") || head.contains("author"))
}

// Whether the partial text has not come past comments and imports yet.
fn is_at_beginning(partial: &str) -> bool {
    let code = lines(partial).map(|line| line.of(partial).trim()).filter(|line| {
        let comment = ["/*", "//", "#", "*", "<!--", "--", "\"\"\""]
            .iter()
            .any(|sign| line.starts_with(sign));
        let import = ["import", "from", "use", "package", "using", "@", "}", "'use"]
            .iter()
            .any(|word| line.starts_with(word));
        !line.is_empty() && !comment && !import
    });
    code.take(6).count() < 6 && partial.len() < 4_000
}

// Whether something is open here that the continuation neither closes nor misses.
fn stands_alone(partial: &str, content: &str, language: Language) -> bool {
    let here = outline(partial, language).end;
    let there = outline(content, language);
    let open = here.depth > 0;
    open && there.crossed.is_none()
        && there.end.depth == 0
        && there.end.inside == Inside::Code
        && content.ends_with('\n')
        && content.lines().count() > 3
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
