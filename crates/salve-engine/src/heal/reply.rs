//! From a model's or an agent's answer to changed files.
//!
//! In: a reply in any edit format, or the JSON of a repair, and the files it speaks of. Out: the files
//! as they would be, and how sure the model says it is; or why the answer cannot be used. Every stage of
//! a reply is passed: clean, inspect, parse, verify. Never takes an edit that was cut, does not fit or
//! was repaired.

use super::{Patch, Sources};
use crate::facts::GrammarProbe;
use crate::pipeline::{PipelineOptions, read_edits_of};
use salve_model::RepairAnswer;
use salve_text::{EditOptions, possible_names};
use salve_tree::{
    AdmitOptions, MatchOptions, MemoryView, Refusal, Verification, VerifyOptions, verify,
};
use salve_types::{EditEnd, RawReply};
use std::collections::BTreeMap;

/// A fix as an answer gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweredFix {
    /// The files as they would be, on top of the state that was shown.
    pub patch: Patch,
    /// How sure the model says it is.
    pub confidence: Option<f64>,
    /// Why, in its words.
    pub reasoning: Option<String>,
}

/// Why an answer is no fix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnusableAnswer {
    /// Nothing in it is an edit.
    #[error("there is no edit in it")]
    NoEdit,
    /// Its edits do not fit, or are cut.
    #[error("{0}")]
    Refused(String),
    /// It changes nothing.
    #[error("the answer changes nothing")]
    NoChange,
    /// It changes a file that is not text.
    #[error("the answer writes `{0}`, which is no text")]
    NotText(String),
}

/// Reads an answer. `best` is the patch that leads to the state that was shown, and `target` the file
/// that is meant where the answer names none.
///
/// # Errors
/// When the answer cannot be used as it is.
pub fn read_answer(
    text: &str,
    best: &Patch,
    sources: &dyn Sources,
    target: Option<&str>,
) -> Result<AnsweredFix, UnusableAnswer> {
    if let Some(answer) = as_repair(text) {
        let path = target.ok_or_else(|| UnusableAnswer::Refused("it names no file".to_owned()))?;
        let files = BTreeMap::from([(path.to_owned(), Some(answer.fixed_code))]);
        let patch = on_top(best, files, sources)?;
        let (confidence, reasoning) = (Some(answer.confidence), answer.reasoning);
        return Ok(AnsweredFix { patch, confidence, reasoning });
    }
    let files = edited(text, sources, target)?;
    let patch = on_top(best, files, sources)?;
    Ok(AnsweredFix { patch, confidence: confidence(text), reasoning: None })
}

// The answer as the documents describe it: one JSON object with the whole code.
fn as_repair(text: &str) -> Option<RepairAnswer> {
    let trimmed = text.trim();
    trimmed.starts_with('{').then(|| serde_json::from_str(trimmed).ok())?
}

fn edited(
    text: &str,
    sources: &dyn Sources,
    target: Option<&str>,
) -> Result<BTreeMap<String, Option<String>>, UnusableAnswer> {
    Ok(edited_files(text, sources, target)?.files)
}

/// The files that an answer edits.
pub(crate) struct EditedFiles {
    /// As they would be; nothing for one that goes.
    pub(crate) files: BTreeMap<String, Option<String>>,
    /// Those that are moved: from the new path to the old one.
    pub(crate) moves: BTreeMap<String, String>,
}

/// Reads the edits of an answer, each held to the files that were shown.
///
/// # Errors
/// When there is no edit in it, or one does not fit.
pub(crate) fn edited_files(
    text: &str,
    sources: &dyn Sources,
    target: Option<&str>,
) -> Result<EditedFiles, UnusableAnswer> {
    let raw = RawReply::from_text(text.to_owned());
    let view = view(text, sources, target);
    let read = |target: Option<&str>| {
        let options = EditOptions { target: target.map(str::to_owned), ..EditOptions::default() };
        read_edits_of(&raw, &view, &options, &PipelineOptions::default())
    };
    // A target would be taken for what the answer names itself.
    let edits = match read(None) {
        named if !named.files.is_empty() && named.files.iter().all(|file| file.path.is_some()) => {
            named
        }
        _ => read(target),
    };
    if edits.files.is_empty() && edits.end == EditEnd::Complete {
        return Err(UnusableAnswer::NoEdit);
    }
    let verify_options = VerifyOptions {
        target,
        probe: &GrammarProbe,
        // The model saw these very bytes.
        matching: MatchOptions { base_known: true, ..MatchOptions::default() },
        ..VerifyOptions::default()
    };
    let verified = match verify(&edits, &view, &verify_options) {
        Verification::Verified { edits, .. } => edits,
        Verification::Refused(refusal) => return Err(UnusableAnswer::Refused(words(&refusal))),
    };
    let (mut files, mut moves) = (BTreeMap::new(), BTreeMap::new());
    for file in verified.files() {
        let path = file.path.as_str().to_owned();
        if let Some(from) = &file.moved_from {
            moves.insert(path.clone(), from.as_str().to_owned());
        }
        let text = match &file.after {
            None => None,
            Some(after) => match String::from_utf8(after.bytes.clone()) {
                Ok(text) => Some(text),
                Err(_) => return Err(UnusableAnswer::NotText(path)),
            },
        };
        files.insert(path, text);
    }
    Ok(EditedFiles { files, moves })
}

// The files that the answer may speak of: what it names, and the target.
fn view(text: &str, sources: &dyn Sources, target: Option<&str>) -> MemoryView {
    let named = possible_names(text).into_iter().chain(target.map(str::to_owned));
    let files = named.filter_map(|name| {
        let path = name.trim_start_matches("./").to_owned();
        let text = sources.read(&path)?;
        Some((path, text))
    });
    MemoryView::new(files.collect::<BTreeMap<_, _>>(), AdmitOptions::default())
}

fn words(refusal: &Refusal) -> String {
    match refusal.detail.lines().next().filter(|line| !line.is_empty()) {
        Some(detail) if detail != refusal.message => format!("{}: {detail}", refusal.message),
        _ => refusal.message.clone(),
    }
}

fn on_top(
    best: &Patch,
    files: BTreeMap<String, Option<String>>,
    sources: &dyn Sources,
) -> Result<Patch, UnusableAnswer> {
    let mut made = best.clone();
    let mut differs = false;
    for (path, text) in files {
        if sources.read(&path) != text {
            differs = true;
            made.files.insert(path, text);
        }
    }
    if differs { Ok(made) } else { Err(UnusableAnswer::NoChange) }
}

// The last line of the form `Confidence: 0.8`, in any case and with marks of emphasis around it.
fn confidence(text: &str) -> Option<f64> {
    text.lines().rev().find_map(|line| {
        let line = line.trim().trim_matches(['*', '_', '`', '-', ' ']);
        let (name, value) = line.split_once(':')?;
        if !name.trim_matches(['*', '_', '`', ' ']).eq_ignore_ascii_case("confidence") {
            return None;
        }
        let value = value.trim_matches(['*', '_', '`', ' ', '.']);
        match value.strip_suffix('%') {
            Some(hundredths) => hundredths.trim().parse::<f64>().ok().map(|number| number / 100.0),
            None => value.parse().ok(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heal::testing::Files;

    const CODE: &str = "fn one() -> u8 {\n    \"1\"\n}\n\nfn two() -> u8 {\n    2\n}\n";

    fn read(text: &str) -> Result<(String, Option<f64>), UnusableAnswer> {
        let files = Files::of([("src/a.rs", CODE)]);
        let fix = read_answer(text, &Patch::default(), &files, Some("src/a.rs"))?;
        Ok((fix.patch.files["src/a.rs"].clone().unwrap_or_default(), fix.confidence))
    }

    #[test]
    fn r31_an_answer_is_read_in_any_edit_format() {
        let fixed = CODE.replace("\"1\"", "1");
        let json = serde_json::json!({ "fixed_code": fixed, "confidence": 0.9 }).to_string();
        let block = "The string is the fault.\n\nsrc/a.rs\n<<<<<<< SEARCH\n    \"1\"\n=======\n    1\n\
                     >>>>>>> REPLACE\n\nConfidence: 0.9\n";
        let diff = "```diff\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@\n fn one() -> u8 {\n-    \"1\"\n\
                    +    1\n }\n```\n**Confidence:** 90%\n";
        let whole = format!("Here is the file:\n\n```rust\n{fixed}```\n\nconfidence: 0.9");
        for text in [&json, block, diff, &whole] {
            assert_eq!(read(text), Ok((fixed.clone(), Some(0.9))), "{text}");
        }
    }

    #[test]
    fn an_edit_that_names_its_file_is_not_taken_for_one_of_the_target() {
        let files = Files::of([("a.py", "LIMIT = 5\n"), ("b.py", "LIMIT = 5\n")]);
        let text = "b.py\n<<<<<<< SEARCH\nLIMIT = 5\n=======\nLIMIT = 7\n>>>>>>> REPLACE\n";
        let fix = read_answer(text, &Patch::default(), &files, Some("a.py")).unwrap();
        let changed: Vec<&String> = fix.patch.files.keys().collect();
        assert_eq!(changed, ["b.py"]);
    }

    #[test]
    fn an_answer_that_cannot_be_used_says_why() {
        let same = format!("```rust\n{CODE}```");
        assert_eq!(read(&same), Err(UnusableAnswer::NoChange));
        let misfit = "src/a.rs\n<<<<<<< SEARCH\nnothing of it\n=======\nx\n>>>>>>> REPLACE\n";
        let cut = "src/a.rs\n<<<<<<< SEARCH\n    \"1\"\n=======\n    1";
        for text in ["I do not know.", misfit, cut] {
            assert!(matches!(read(text), Err(UnusableAnswer::Refused(_))), "{text}");
        }
    }

    #[test]
    fn r03_a_confidence_is_read_as_it_is_said() {
        for (text, expected) in [
            ("x\nConfidence: 0.75", Some(0.75)),
            ("confidence: 1.", Some(1.0)),
            ("Confidence: 80 %\n", Some(0.8)),
            ("- **Confidence**: 0.5", Some(0.5)),
            ("Confidence: NaN", Some(f64::NAN)),
            ("Confidence: high", None),
            ("no number", None),
        ] {
            let found = confidence(text);
            let same = found == expected
                || found.zip(expected).is_some_and(|(a, b)| a.is_nan() && b.is_nan());
            assert!(same, "{text}: {found:?}");
        }
    }
}
