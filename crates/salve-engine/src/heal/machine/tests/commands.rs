//! Candidates with commands: what they write belongs to them, and what a person must allow is named.

use super::*;
use crate::heal::FixCommand;

fn with_command() -> Candidate {
    let argv = ["npm", "install", "x"].map(str::to_owned).to_vec();
    let commands = vec![FixCommand { argv, folder: String::new() }];
    Candidate { commands, ..candidate(FixSource::Fixer, "as it is") }
}

fn proposed(result: TrialResult) -> Loop {
    let mut machine = Loop::new(HealOptions::default());
    machine.take(StepResult::Checked(check("a"))).unwrap();
    machine.take(StepResult::Proposed(vec![with_command()])).unwrap();
    machine.take(StepResult::Tried(vec![result])).unwrap();
    machine
}

#[test]
fn what_the_commands_of_a_fix_write_is_applied_with_it() {
    let written = Patch { files: [("package.json".to_owned(), Some("{}".to_owned()))].into() };
    let mut machine = proposed(TrialResult::Grown { check: check(""), written });
    machine.take(StepResult::Confirmed(Confirmation::default())).unwrap();
    let accepted = machine.accepted().unwrap();
    let files: Vec<&String> = accepted.candidate.patch.files.keys().collect();
    assert_eq!(files, ["a.rs", "package.json"]);
    assert_eq!(accepted.candidate.commands, with_command().commands);
}

#[test]
fn a_fix_that_needs_approval_fails_with_its_commands_named() {
    let lines = vec!["npm install x".to_owned()];
    let machine = proposed(TrialResult::NeedsApproval(lines.clone()));
    assert_eq!(machine.attempts()[0].result, AttemptResult::NeedsApproval(lines));
    assert!(machine.accepted().is_none());
}
