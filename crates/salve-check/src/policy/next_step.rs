//! What happens with a command or with edits that were proposed: go on, show a button, ask, or skip.
//!
//! In: the verdict, the settings and whether a person is there. Out: one step. Never runs what a rule
//! denies, and never waits for a person who is not there.

use super::{AutoRun, AutoRunMode, CommandVerdict, Rule, may_auto_run};
use serde::{Deserialize, Serialize};

/// The three switches; an action is automatic when the master and its own switch are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AutoApply {
    /// The master switch.
    pub all: bool,
    /// Edits of files are applied without asking.
    pub files: bool,
    /// Commands are run without asking.
    pub commands: bool,
}

impl Default for AutoApply {
    fn default() -> Self {
        Self { all: true, files: true, commands: false }
    }
}

impl AutoApply {
    /// Returns whether edits are applied without asking.
    pub const fn applies_files(self) -> bool {
        self.all && self.files
    }

    /// Returns how commands run: as wished when both switches are on, else not by themselves.
    pub const fn command_mode(self, wished: AutoRunMode) -> AutoRunMode {
        if self.all && self.commands { wished } else { AutoRunMode::Off }
    }
}

/// Whether a question would be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Attendance {
    /// A person agreed beforehand.
    Agreed,
    /// A person is there to be asked.
    Interactive,
    /// No person is there.
    Unattended,
}

/// What a person can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub enum Choice {
    /// Run it this time.
    #[serde(rename = "Run Once")]
    RunOnce,
    /// Remember the smallest entry that allows it, and run it.
    #[serde(rename = "Add & Run")]
    AddAndRun,
    /// Do not run it.
    #[serde(rename = "Skip")]
    Skip,
}

impl Choice {
    /// Returns the label.
    pub const fn label(self) -> &'static str {
        match self {
            Self::RunOnce => "Run Once",
            Self::AddAndRun => "Add & Run",
            Self::Skip => "Skip",
        }
    }
}

/// The step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use]
pub enum NextStep {
    /// It is run, or applied.
    Run,
    /// Nothing happens until a person presses the button.
    RunButton,
    /// These answers are offered.
    Prompt(&'static [Choice]),
    /// It is not run, and not applied.
    Skip,
}

/// Everything that the step of a command depends on.
#[derive(Debug, Clone, Copy)]
pub struct ProposedCommand<'a> {
    /// The answer of the policy.
    pub verdict: &'a CommandVerdict,
    /// An entry of the list would allow it from now on.
    pub addable: bool,
    /// Every layer of the sandbox is there.
    pub layers_complete: bool,
    /// How commands run.
    pub mode: AutoRunMode,
    /// Whether a person is there.
    pub attendance: Attendance,
}

/// Chooses the step of a command.
pub fn next_step(command: ProposedCommand<'_>) -> NextStep {
    let ProposedCommand { verdict, addable, layers_complete, mode, attendance } = command;
    if verdict.rule == Rule::Denied {
        return NextStep::Skip;
    }
    let answer = may_auto_run(verdict, layers_complete, mode);
    match (attendance, mode, answer) {
        (Attendance::Agreed, ..) | (_, _, AutoRun::Run) => NextStep::Run,
        (Attendance::Unattended, ..) => NextStep::Skip,
        (Attendance::Interactive, AutoRunMode::Off, _) => NextStep::RunButton,
        // Remembering helps only where an entry of the list is what is missing.
        (Attendance::Interactive, _, AutoRun::NotAllowed) if addable => {
            NextStep::Prompt(&[Choice::RunOnce, Choice::AddAndRun, Choice::Skip])
        }
        (Attendance::Interactive, ..) => NextStep::Prompt(&[Choice::RunOnce, Choice::Skip]),
    }
}

/// Chooses the step of edits that were verified.
pub fn next_step_of_edits(settings: AutoApply, attendance: Attendance) -> NextStep {
    match attendance {
        _ if settings.applies_files() => NextStep::Run,
        Attendance::Agreed => NextStep::Run,
        Attendance::Interactive => NextStep::RunButton,
        Attendance::Unattended => NextStep::Skip,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RiskClass;

    fn verdict(allow: bool) -> CommandVerdict {
        CommandVerdict {
            allow,
            rule: if allow { Rule::Listed } else { Rule::NotListed },
            why: String::new(),
            risk: RiskClass::Read,
            segment: None,
            smallest: (!allow).then(|| vec!["make".to_owned()]),
            plan: None,
        }
    }

    #[test]
    fn c055_the_switches_and_their_defaults() {
        let defaults = AutoApply::default();
        assert_eq!(defaults, AutoApply { all: true, files: true, commands: false });
        assert!(defaults.applies_files());
        assert_eq!(defaults.command_mode(AutoRunMode::Listed), AutoRunMode::Off);
        for all in [false, true] {
            for one in [false, true] {
                let settings = AutoApply { all, files: one, commands: one };
                assert_eq!(settings.applies_files(), all && one);
                let runs = settings.command_mode(AutoRunMode::Listed) == AutoRunMode::Listed;
                assert_eq!(runs, all && one, "both the master and its own switch are needed");
            }
        }
    }

    #[test]
    fn c056_the_truth_table() {
        use Attendance::{Agreed, Interactive, Unattended};
        const ASK: NextStep = NextStep::Prompt(&[Choice::RunOnce, Choice::AddAndRun, Choice::Skip]);
        for (all, commands, listed, there, step) in [
            (false, false, false, Interactive, NextStep::RunButton),
            (false, false, true, Interactive, NextStep::RunButton),
            (false, true, false, Interactive, NextStep::RunButton),
            (false, true, true, Interactive, NextStep::RunButton),
            (true, false, false, Interactive, NextStep::RunButton),
            (true, false, true, Interactive, NextStep::RunButton),
            (true, true, false, Interactive, ASK),
            (true, true, true, Interactive, NextStep::Run),
            (false, false, true, Unattended, NextStep::Skip),
            (true, false, true, Unattended, NextStep::Skip),
            (true, true, false, Unattended, NextStep::Skip),
            (true, true, true, Unattended, NextStep::Run),
            (false, false, false, Agreed, NextStep::Run),
        ] {
            let settings = AutoApply { all, files: true, commands };
            let verdict = verdict(listed);
            let command = |verdict| ProposedCommand {
                verdict,
                addable: !listed,
                layers_complete: true,
                mode: settings.command_mode(AutoRunMode::Listed),
                attendance: there,
            };
            assert_eq!(next_step(command(&verdict)), step, "{all} {commands} {listed} {there:?}");
            let denied = CommandVerdict { allow: false, rule: Rule::Denied, ..verdict.clone() };
            assert_eq!(next_step(command(&denied)), NextStep::Skip);
        }
        let labels: Vec<&str> =
            [Choice::RunOnce, Choice::AddAndRun, Choice::Skip].map(Choice::label).into();
        assert_eq!(labels, ["Run Once", "Add & Run", "Skip"]);
    }

    #[test]
    fn c056_what_an_entry_cannot_mend_is_not_offered_to_be_added() {
        let (never, listed) = (verdict(false), verdict(true));
        let ask = NextStep::Prompt(&[Choice::RunOnce, Choice::Skip]);
        let command = |verdict, layers_complete| ProposedCommand {
            verdict,
            addable: false,
            layers_complete,
            mode: AutoRunMode::Listed,
            attendance: Attendance::Interactive,
        };
        assert_eq!(next_step(command(&never, true)), ask);
        assert_eq!(next_step(command(&listed, false)), ask, "a layer of the sandbox is missing");
    }

    #[test]
    fn c055_edits_are_applied_unasked_when_both_switches_are_on() {
        use Attendance::{Agreed, Interactive, Unattended};
        for (all, files) in [(true, true), (true, false), (false, true), (false, false)] {
            let settings = AutoApply { all, files, commands: true };
            let expected = |otherwise| if all && files { NextStep::Run } else { otherwise };
            for (there, otherwise) in [
                (Agreed, NextStep::Run),
                (Interactive, NextStep::RunButton),
                (Unattended, NextStep::Skip),
            ] {
                assert_eq!(next_step_of_edits(settings, there), expected(otherwise));
            }
        }
    }
}
