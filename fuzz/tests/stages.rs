//! Promises that several stages keep together, on texts of every language.
//!
//! In: the seeds of the inspector, which are whole texts, and pairs of partial and continuation.
//! Out: failed assertions with the text. Never in a crate of the product: siblings do not see each
//! other, not even in tests.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use salve_engine::pipeline::{PipelineOptions, judge_text};
use salve_syntax::check_syntax;
use salve_text::{InspectOptions, StitchOptions, StitchOutcome, inspect_text, stitch};
use salve_types::{Language, RawReply};

// File name, which is the language's name, and text without the byte that chooses the language.
fn whole_texts() -> Vec<(Language, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/inspect");
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let text = std::fs::read_to_string(entry.path()).unwrap();
        texts.push((Language::from_name(&name).unwrap(), text[1..].to_owned()));
    }
    texts
}

// A grammar reads what the preprocessor leaves out.
fn without_dead_arms(text: &str) -> String {
    let mut dead = false;
    let lives = |line: &&str| {
        dead |= line.trim_end() == "#if 0";
        let lives = !dead;
        dead &= line.trim_end() != "#endif";
        lives
    };
    text.split_inclusive('\n').filter(lives).collect()
}

fn is_judged_whole(language: Language, text: &str) -> bool {
    let raw = RawReply { language: Some(language), ..RawReply::from_text(text) };
    judge_text(&raw, &PipelineOptions::default()).verdict.is_valid
}

#[test]
fn t39_cut_anywhere_a_text_is_whole_only_where_its_grammar_says_so() {
    let (mut cuts, mut wrong) = (0, Vec::new());
    for (language, text) in whole_texts() {
        for (at, _) in text.char_indices().skip(1) {
            let prefix = &text[..at];
            let rejects =
                |text: &str| check_syntax(text, language).is_some_and(|report| !report.is_clean());
            let rejects = rejects(prefix) && rejects(&without_dead_arms(prefix));
            cuts += 1;
            if rejects && is_judged_whole(language, prefix) {
                wrong.push((language.name(), prefix.to_owned()));
            }
        }
    }
    assert!(cuts > 2_000, "only {cuts} cuts");
    assert!(wrong.is_empty(), "{} of {cuts}: {:#?}", wrong.len(), wrong.first_chunk::<5>());
}

#[test]
fn t18_the_closing_text_leaves_nothing_open() {
    let (mut cuts, mut wrong) = (0, Vec::new());
    for (language, text) in whole_texts() {
        let options = InspectOptions { language: Some(language), ..InspectOptions::default() };
        for (at, _) in text.char_indices().skip(1) {
            let prefix = &text[..at];
            let verdict = inspect_text(prefix, &options);
            if verdict.open.is_empty() {
                continue;
            }
            cuts += 1;
            let closed = format!("{prefix}{}", verdict.closing);
            let still = inspect_text(&closed, &options).open;
            if !still.is_empty() {
                wrong.push((language.name(), prefix.to_owned(), verdict.closing, still));
            }
        }
    }
    assert!(cuts > 1_500, "only {cuts} cuts");
    assert!(wrong.is_empty(), "{} of {cuts}: {:#?}", wrong.len(), wrong);
}

#[test]
fn t25_a_continuation_that_closes_the_string_first_gives_a_text_that_parses() {
    let cases = [
        (Language::Tsx, "const a = <div className=\"bg-zinc-", "900\">Hi</div>;\n"),
        (Language::Tsx, "const a = <div className=\"bg-zinc-900", "\">Hi</div>;\n"),
        (Language::Jsx, "const a = <a href='/x", "'>It's</a>;\n"),
        (Language::Html, "<p class=\"a", "\">text</p>\n"),
        (Language::Rust, "fn main() {\n    let a = \"hello wor", "ld\";\n}\n"),
        (Language::Python, "def f():\n    return \"\"\"one\n", "two\"\"\"\n"),
        (Language::JavaScript, "const t = `a ${b", "} c`;\n"),
        (Language::Json, "{\"a\": \"hel", "lo\"}\n"),
    ];
    for (language, partial, continuation) in cases {
        let options = StitchOptions { language: Some(language), ..StitchOptions::default() };
        let stitched = stitch(partial, continuation, &options);
        let StitchOutcome::Joined { text } = stitched.outcome else {
            panic!("refused: {partial:?} + {continuation:?}: {:?}", stitched.outcome);
        };
        assert_eq!(text, format!("{partial}{continuation}"));
        let report = check_syntax(&text, language);
        assert!(report.is_none_or(|report| report.is_clean()), "does not parse: {text:?}");
    }
}
