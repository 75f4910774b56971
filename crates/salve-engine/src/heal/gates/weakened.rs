//! Tests and assertions stay what they are.
//!
//! In: a file before and after. Out: a refusal when there are fewer tests or assertions, when one of a
//! test says something else, or when a test is skipped. Only an assertion that does not compile may be
//! changed. What is in a comment or a string is not there.

use super::file::{ChangedFile, Text};
use super::paths::is_test;
use super::reports::{Reports, words};
use super::silencing::{adds, first_added};
use super::{GateRefusal, GateRule, refusal};
use salve_types::{CheckRole, Language};

/// How a test is skipped, as tokens of code.
#[rustfmt::skip]
const SKIPS: &[&str] = &[
    "[ ignore", "mark . skip", "mark . skipif", "mark . xfail", "pytest . skip (", "pytest . xfail (",
    "unittest . skip", "unittest . expectedFailure", "@ skip", "@ expectedFailure", "SkipTest",
    "self . skipTest (", "importorskip (", "it . skip", "test . skip", "describe . skip", "suite . skip",
    "context . skip", "it . todo", "test . todo", "it . only", "test . only", "describe . only",
    "test . fails", "it . fails", "it . failing", "test . failing", "xit (", "xtest (", "xdescribe (",
    "xspecify (", "fit (", "fdescribe (", "this . skip (", "t . skip (", "t . Skip", "b . Skip",
    "GTEST_SKIP*", "DISABLED_*", "should_panic", ", ignore ]", ", ignore )", "TEST_IGNORE", "@ Disabled", "@ Ignore", "[ Ignore", "[ Skip",
    "cfg ( not ( test", "cfg ! ( test", "collect_ignore", "__test__ = False",
];

pub(super) fn judge(file: &ChangedFile, reports: &Reports) -> Result<(), GateRefusal> {
    let Some(after) = &file.after else { return Ok(()) };
    skipped(file, after)?;
    let Some(before) = &file.before else { return Ok(()) };
    if tests(after, file.language) < tests(before, file.language) {
        let what = "removes a test";
        return Err(refusal(GateRule::WeakenedTest, &file.path, None, what));
    }
    let (old, mut new) = (assertions(before), assertions(after));
    if new.len() < old.len() {
        let what = format!("removes an assertion (there were {}, now {})", old.len(), new.len());
        return Err(refusal(GateRule::WeakenedTest, &file.path, None, what));
    }
    let names: Vec<&str> = file.path.split('/').collect();
    let all = CheckRole::of(&names) == Some(CheckRole::Test);
    for (line, text) in old {
        if let Some(at) = new.iter().position(|(_, kept)| *kept == text) {
            new.swap_remove(at);
            continue;
        }
        let in_test = || {
            let holds = |item: &&super::items::Item| (item.first..=item.last).contains(&line);
            before.items.iter().filter(holds).any(|item| is_test(before, item))
        };
        let mut places = reports.places(&file.path);
        let is_broken =
            places.any(|place| place.is_static() && place.first <= line && line <= place.last);
        if (all || in_test()) && !is_broken {
            let what = format!("changes the assertion `{}`", before.line(line).trim());
            return Err(refusal(GateRule::WeakenedTest, &file.path, Some(line), what));
        }
    }
    Ok(())
}

fn skipped(file: &ChangedFile, after: &Text) -> Result<(), GateRefusal> {
    let before = file.before.as_ref().map_or("", |before| &before.code);
    for skip in SKIPS {
        if adds(file, skip) {
            let line = first_added(before, &after.code, skip);
            let what = format!("skips a test with `{}`", skip.replace(' ', ""));
            return Err(refusal(GateRule::SkippedTest, &file.path, line, what));
        }
    }
    Ok(())
}

fn tests(text: &Text, language: Language) -> usize {
    let is_test = |line: &str| match language {
        Language::Rust => {
            line.starts_with("#[") && words(line).any(|word| matches!(word, "test" | "rstest"))
        }
        Language::Python => {
            let line = line.strip_prefix("async ").unwrap_or(line);
            line.starts_with("def test") || line.starts_with("class Test")
        }
        Language::C | Language::Cpp => {
            let word = words(line).next().unwrap_or_default();
            line.starts_with(word) && (word.starts_with("TEST") || word.starts_with("START_TEST"))
        }
        Language::Go => line.starts_with("func Test"),
        Language::Java | Language::Kotlin | Language::CSharp => {
            line.starts_with("@Test") || line.starts_with("[Test") || line.starts_with("[Fact")
        }
        _ => ["it(", "test(", "describe(", "suite(", "it.each", "test.each", "specify("]
            .iter()
            .any(|start| line.starts_with(start)),
    };
    text.code.lines().filter(|line| is_test(line.trim())).count()
}

// The lines with a word that asserts; without blanks, so that a formatter may move them.
fn assertions(text: &Text) -> Vec<(u32, String)> {
    let lines = text.code.lines().zip(text.text.lines()).zip(1..);
    lines
        .filter(|((code, _), _)| words(code).any(is_assertion))
        .map(|((_, line), number)| (number, line.split_whitespace().collect()))
        .collect()
}

fn is_assertion(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    lower.contains("assert")
        || lower.starts_with("expect_")
        || matches!(word, "expect" | "should" | "raises" | "CHECK" | "REQUIRE" | "verify")
}
