//! The policy against the case file and against tables of our own.
//!
//! In: lines with the answer they should get. Out: nothing but passed tests. The facts here are made
//! of names alone; the real resolver is tested where it lives.

mod facts;
mod families;
mod properties;

use super::*;
use crate::policy::tests::facts::{NamesOnly, PlainRepository};
use serde_json::Value;

pub(super) fn judge(line: &str) -> CommandVerdict {
    judge_command(line, &PolicyRules::default(), &NamesOnly, &PlainRepository)
}

/// Cases whose answer depends on a symlink, which names alone cannot tell.
const NEEDS_A_DISK: &str = "setup";

#[test]
fn x12_the_case_file_has_no_false_allow_and_no_benign_line_is_asked_about() {
    let cases = include_str!("../../tests/data/commands.jsonl");
    let (mut allowed, mut asked) = (Vec::new(), Vec::new());
    for case in cases.lines() {
        let case: Value = serde_json::from_str(case).unwrap();
        if case.get(NEEDS_A_DISK).is_some() {
            continue;
        }
        let line = case["command"].as_str().unwrap();
        let verdict = judge(line);
        let shown =
            format!("{}: {line:.80} ({}: {})", case["id"], verdict.rule.name(), verdict.why);
        match (case["allow"].as_bool().unwrap(), verdict.allow) {
            (false, true) => allowed.push(shown),
            (true, false) => asked.push(shown),
            _ => {}
        }
    }
    assert!(allowed.is_empty(), "false allows:\n{}", allowed.join("\n"));
    assert!(asked.is_empty(), "benign lines asked about:\n{}", asked.join("\n"));
}
