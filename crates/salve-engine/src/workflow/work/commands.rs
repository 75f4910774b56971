//! Checks and commands of a flow.
//!
//! In: a block. Out: what the toolchains say, or what a command wrote. Never decides whether a command may run: the
//! policy does, and silence is no yes.

use super::{FlowWork, Given, Performed, ended, without_approval};
use crate::heal::RepairError;
use crate::session::machine::CheckEnd;
use crate::session::{CommandOutcome, SuggestedCommand, check_workspace, run_line};
use salve_types::{SegmentKind, Signal};

impl FlowWork {
    pub(super) fn check(&self, given: Given<'_>) -> Result<Performed, RepairError> {
        let found = check_workspace(&self.parts)?;
        let (signal, words) = match found.end {
            CheckEnd::Green => (Signal::Success, format!("green: {}", found.ran.join(", "))),
            CheckEnd::Red => (Signal::CheckFail, found.findings.join("\n")),
            // Nothing that applies says nothing against the files.
            CheckEnd::Nothing => (Signal::Success, "no toolchain applies here".to_owned()),
            CheckEnd::NotRun => {
                let missing: Vec<String> =
                    found.missing.iter().map(|one| format!("`{one}` is not installed")).collect();
                let why = [missing, found.findings].concat().join("; ");
                let words = format!("the check did not run: {why}");
                (Signal::FailDefault, words)
            }
        };
        let words = self.parts.redact.redact(&words);
        Ok(without_approval(ended(given, signal, SegmentKind::CheckReport, words)))
    }

    pub(super) fn command(&self, given: Given<'_>) -> Result<Performed, RepairError> {
        let line = given.block.options.command.clone().unwrap_or_default();
        let output = |signal, words: &str| {
            let words = self.parts.redact.redact(words);
            ended(given, signal, SegmentKind::CommandOutput, words)
        };
        if given.begun {
            let words = format!(
                "`{line}` was begun by a process that died, and may have run; it is not run again"
            );
            return Ok(without_approval(output(Signal::FailDefault, &words)));
        }
        let (here, consent) = (&self.input.here, self.input.commands);
        let command = SuggestedCommand { command: line.clone(), description: None, cwd: None };
        let outcome = run_line(&self.parts, here, &command, consent.mode, consent.agreed, false)?;
        Ok(match outcome {
            CommandOutcome::Ran(ran) => {
                let signal = if ran.ok { Signal::Success } else { Signal::CheckFail };
                without_approval(output(signal, if ran.ok { &ran.said } else { &ran.for_model }))
            }
            CommandOutcome::Denied { why } => {
                let words = format!("`{line}` is refused: {why}");
                without_approval(output(Signal::FailDefault, &words))
            }
            CommandOutcome::Waits { why } | CommandOutcome::Skipped { why } => {
                let words = format!("`{line}` did not run, a person must allow it: {why}");
                Performed { done: output(Signal::Breaker, &words), needs_approval: true }
            }
        })
    }
}
