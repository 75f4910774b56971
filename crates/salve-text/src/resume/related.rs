//! Whether a continuation belongs to the partial text at all.
//!
//! In: both texts, later the join that would be made. Out: a reason to refuse, or nothing. Never
//! refuses for style: talk, another file, or the same file from its beginning are the reasons.

use super::candidate::Candidate;
use super::seam::{self, Vocabulary};
use super::stitch::{DropReason, Place, RefusalReason};
use super::ties;
use super::weights;
use crate::detect::{LanguageHints, detect_language};
use crate::inspect::{Inside, outline};
use crate::lines::lines;
use crate::prose::{self, Talk};
use salve_types::Language;

type Refusal = Option<(RefusalReason, &'static str)>;

/// Refuses a continuation that is talk.
pub(crate) fn refusal(content: &str, place: Place) -> Refusal {
    let message = "the continuation is talk, not the rest of the text";
    is_talk(content, place).then_some((RefusalReason::Talk, message))
}

/// What is known about a join that would be made.
pub(crate) struct Join<'a> {
    pub(crate) partial: &'a str,
    pub(crate) content: &'a str,
    pub(crate) joined: &'a str,
    pub(crate) candidate: &'a Candidate,
    pub(crate) place: Place,
    pub(crate) language: Language,
    pub(crate) label: Option<Language>,
}

/// Refuses a join that puts another text after the partial one, or the same text again.
pub(crate) fn refusal_after(join: &Join<'_>) -> Refusal {
    // What starts with the end of the partial text is its continuation.
    let explained = join.candidate.reason == Some(DropReason::PrefillEcho)
        || join.content[..join.candidate.drop].lines().count() > 3;
    if !explained && starts_over(join.partial, join.content) {
        return Some((
            RefusalReason::RestartedFromBeginning,
            "the continuation starts over from the beginning, and not in the same words",
        ));
    }
    if join.candidate.told >= weights::PROOF_OF_BELONGING {
        return None;
    }
    let message = "the continuation is the start of another text";
    (strangeness(join) >= STRANGE).then_some((RefusalReason::Unrelated, message))
}

// How many points make a continuation another text; only the surest signs reach it alone.
const STRANGE: i32 = 9;

fn is_talk(content: &str, place: Place) -> bool {
    let mut sentences = content.lines().filter(|line| !line.trim().is_empty());
    let all_prose = sentences.by_ref().all(is_prose);
    match place {
        Place::Code => all_prose && (prose::is_refusal(content) || is_sentence(content)),
        Place::Words => all_prose && (prose::is_refusal(content) || prose::asks_back(content)),
    }
}

fn is_prose(line: &str) -> bool {
    prose::by_looks(line) != Talk::No
}

fn is_sentence(content: &str) -> bool {
    let content = content.trim();
    content.starts_with(char::is_uppercase)
        && content.lines().any(|line| line.trim_end().ends_with(['.', '!', '?', ':']))
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
    first[0] == again[0] && same * 2 >= pairs
}

// Points for every sign that the continuation is another text: it begins like a file although this
// one is past its beginning, it is on its own although something is open here, it is in another
// language, it knows none of the words used here, and it does not fit the line that was cut.
fn strangeness(join: &Join<'_>) -> i32 {
    let labelled = label_points(join);
    let begins = beginning(join);
    if labelled + begins == 0 && ties::closes_what_was_open(join) {
        return 0;
    }
    let own_words = detect_language(join.content, &LanguageHints::default());
    let alone = [join.language, own_words].iter().any(|&it| is_complete(join.content, it))
        && join.content.lines().count() > 3;
    let mut points = foreign_words(join) + labelled + foreign_language(join) + begins;
    points -= if ties::lines_begin_alike(join) >= 60 { 4 } else { 0 };
    points += if ties::turns_quotes(join) { STRANGE } else { 0 };
    points += if ties::breaks_string(join) { 6 } else { 0 } + foreign_sign(join);
    if alone {
        points += if is_complete(join.joined, join.language) { 0 } else { 6 };
    }
    points += unended(join) + misfit(join) + if alone && misfit(join) > 0 { 3 } else { 0 };
    points
}

// Points for lines of code after a string or comment that they never end.
fn unended(join: &Join<'_>) -> i32 {
    let end = |text| outline(text, join.language).end;
    let mut lines = join.content.lines().filter(|line| !line.trim().is_empty());
    let told = lines.by_ref().count() > 8 && join.content.ends_with('\n');
    let prose = join.content.lines().filter(|line| is_prose(line)).count();
    let few = prose * 4 < join.content.lines().count();
    let after = end(join.joined);
    let turned = after.inside == Inside::Words && is_complete(join.content, join.language);
    let still = join.place == Place::Words && (after == end(join.partial) || turned);
    if told && few && still { 5 } else { 0 }
}

// Points for a first line that cannot go on the line that was cut.
fn misfit(join: &Join<'_>) -> i32 {
    let echoes = join.candidate.drop > 0;
    if echoes || !seam::is_mid_line(join.partial) {
        return 0;
    }
    let vocabulary = Vocabulary::new(join.partial, join.content);
    if seam::fit(join.partial, join.content, join.place, &vocabulary) < weights::MISFIT {
        return 4;
    }
    if join.place != Place::Code {
        // No comment begins inside another one; an address may go on with two slashes.
        let opened = outline(join.partial, join.language).end.opener;
        let in_comment = opened.is_some_and(|at| {
            ["/*", "<!--"].iter().any(|sign| join.partial[at..].starts_with(sign))
        });
        let again = ["/*", "// ", "//\n", "<!--", "#!/"];
        let begins = again.iter().any(|sign| join.content.starts_with(sign));
        return if in_comment && begins && !join.partial.ends_with(':') { 6 } else { 0 };
    }
    let comment = ["/*", "//", "<!--", "\"\"\"", "#!", "# "].iter();
    let in_word = join.partial.ends_with(|sign: char| sign.is_alphanumeric() || sign == '_');
    match comment.into_iter().any(|sign| join.content.starts_with(sign)) {
        true if in_word => 6,
        true => 3,
        false => 0,
    }
}

// Points for a text that begins like a file: a licence, a shebang or a document type says so alone.
fn beginning(join: &Join<'_>) -> i32 {
    const SURE: &[&str] = &[
        "#!/",
        "<!DOCTYPE",
        "<!doctype",
        "<?xml",
        "<html",
        "<?php",
        "'use strict'",
        "\"use strict\"",
        "@charset",
        "'use client'",
        "\"use client\"",
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
        "# -*-",
    ];
    let start = join.content.trim_start();
    let mut head = start.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = head.next().unwrap_or_default();
    let comments = ["/*", "//", "#", "<!--", "--", "\"\"\""];
    let is_comment = comments.iter().any(|sign| first.starts_with(sign));
    let top: String = start.chars().take(500).collect::<String>().to_lowercase();
    let licence = ["copyright", "licen", "(c)", "all rights", "author:"]
        .iter()
        .any(|word| top.contains(word));
    let page = join.language == Language::Html && first.starts_with("<html");
    if SURE.iter().any(|sign| first.starts_with(sign) && !page) || (is_comment && licence) {
        let past = has_code(join.partial, 1) || misfit(join) > 0 || is_second_licence(join);
        return if past { STRANGE } else { 0 };
    }
    let likely = |line: &str| LIKELY.iter().any(|sign| line.starts_with(sign));
    let two = likely(first) && head.take(12).any(likely);
    // After a blank or a brace the same line may go on with `from` or `import`; else it cannot.
    let open_end = join.partial.ends_with([' ', '\t', '}', '{', ','])
        || join.content.starts_with(['\n', '\r']);
    if two && join.candidate.drop == 0 && seam::is_mid_line(join.partial) && !open_end {
        return STRANGE;
    }
    let counts = two || (join.place == Place::Code && likely(first));
    let past = has_code(join.partial, 4) || misfit(join) > 0;
    if counts && past && !is_among_imports(join.partial) { 5 } else { 0 }
}

// Whether a comment begins, with a licence, where one with a licence is open or just ended.
fn is_second_licence(join: &Join<'_>) -> bool {
    let head: String = join.content.lines().take(4).collect::<Vec<_>>().join("\n").to_lowercase();
    let before = join.partial.to_lowercase();
    let licensed = before.contains("copyright") || before.contains("licen");
    let last = join.partial.trim_end().lines().next_back().unwrap_or_default().trim_start();
    let in_lines = last.starts_with("//") && join.content.starts_with("/*");
    let in_block = join.place == Place::Words && join.content.starts_with("/*");
    licensed && head.contains("copyright") && (in_lines || in_block)
}

// Whether the partial text has come to lines that are neither comments nor imports.
fn has_code(partial: &str, wanted: usize) -> bool {
    let code = partial.lines().map(str::trim).filter(|line| {
        let comment = ["/*", "//", "#", "*", "<!--", "--", "\"\"\""]
            .iter()
            .any(|sign| line.starts_with(sign));
        !line.is_empty()
            && (!comment || line.starts_with("#include"))
            && (!is_import(line) || wanted == 1)
    });
    code.take(wanted).count() == wanted
}

// Whether the partial text stopped in an import or right after one.
fn is_among_imports(partial: &str) -> bool {
    let mut last = partial.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(30);
    let is_name =
        |line: &str| line.chars().all(|sign| sign.is_alphanumeric() || " _,}{*".contains(sign));
    last.by_ref().next().is_some_and(is_import)
        || last.find(|line| !is_name(line)).is_some_and(is_import)
}

fn is_import(line: &str) -> bool {
    const IMPORTS: &[&str] = &[
        "import", "from ", "use ", "package", "using", "#include", "export {", "export *",
        "pub use", "mod ",
    ];
    IMPORTS.iter().any(|word| line.starts_with(word))
}

// Whether nothing is open at the end of a text and nothing was closed that it did not open.
fn is_complete(text: &str, language: Language) -> bool {
    let outline = outline(text, language);
    outline.crossed.is_none() && outline.end.depth == 0 && outline.end.inside == Inside::Code
}

// Points for a fence that names another language.
fn label_points(join: &Join<'_>) -> i32 {
    if join.label.is_some_and(|label| is_other(join, label)) { STRANGE } else { 0 }
}

fn is_other(join: &Join<'_>, found: Language) -> bool {
    let own = family(join.language);
    // A page may hold styles, scripts and data, where it has opened them.
    let is_open = |name: &str| {
        let opened = join.partial.rfind(&format!("<{name}"));
        opened > join.partial.rfind(&format!("</{name}"))
    };
    let held = join.language == Language::Html
        && matches!(family(found), 1 | 8 | 9)
        && (is_open("script") || is_open("style"));
    own != 0 && family(found) != 0 && family(found) != own && !held
}

// Points for a start that no data can have: data knows no words but three, and seldom comments.
fn foreign_sign(join: &Join<'_>) -> i32 {
    let start = join.content[join.candidate.drop..].trim_start();
    let strange = start.starts_with(['/', '#', '<', '@', '*', '(', ';']);
    let commented = join.partial.contains("//") || join.partial.contains("/*");
    let data = join.language == Language::Json && join.place == Place::Code;
    if data && strange && !commented { STRANGE } else { 0 }
}

// Points for the look of another language.
fn foreign_language(join: &Join<'_>) -> i32 {
    let own = family(join.language);
    let detect = |text| detect_language(text, &LanguageHints::default());
    let found = detect(join.content);
    let looks = join.content.lines().count() > 8
        && is_other(join, found)
        && [own, 0].contains(&family(detect(join.partial)))
        && (join.place == Place::Code || is_complete(join.content, found));
    if looks { 5 } else { 0 }
}

// Languages that are easily taken for one another, or are inside one another.
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
        L::Html => 13,
        _ => 0,
    }
}

// Points for words that are not used here; comments are not compared.
fn foreign_words(join: &Join<'_>) -> i32 {
    let (partial, content) = (without_comments(join.partial), without_comments(join.content));
    let known = Vocabulary::words_in(&partial);
    let told = Vocabulary::words_in(&content);
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

fn without_comments(text: &str) -> String {
    let code = text.lines().filter(|line| {
        !["/*", "//", "#", "*", "<!--", "--"].iter().any(|sign| line.trim_start().starts_with(sign))
    });
    code.collect::<Vec<_>>().join("\n")
}
