//! What happens with a command that was proposed: run it, show a button, ask, or skip it.
//!
//! In: the verdict, the settings and whether somebody is there. Out: one step. Never runs what the
//! policy does not allow, and never waits for a person who is not there.

use super::{AutoRun, AutoRunMode, CommandVerdict, may_auto_run};
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
    /// Somebody is there.
    Interactive,
    /// Nobody is.
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
    /// It runs.
    Run,
    /// Nothing happens until somebody presses the button.
    RunButton,
    /// These answers are offered.
    Prompt(&'static [Choice]),
    /// It does not run.
    Skip,
}

/// Everything that a step depends on.
#[derive(Debug, Clone, Copy)]
pub struct Proposal<'a> {
    /// The answer of the policy.
    pub verdict: &'a CommandVerdict,
    /// A rule denies it: nobody is asked.
    pub is_denied: bool,
    /// Every layer of the sandbox is there.
    pub layers_complete: bool,
    /// How commands run.
    pub mode: AutoRunMode,
    /// Whether somebody is there.
    pub attendance: Attendance,
}

/// Chooses the step.
pub fn next_step(proposal: Proposal<'_>) -> NextStep {
    let Proposal { verdict, is_denied, layers_complete, mode, attendance } = proposal;
    if is_denied {
        return NextStep::Skip;
    }
    let answer = may_auto_run(verdict, layers_complete, mode);
    match (attendance, mode, answer) {
        (_, _, AutoRun::Run) => NextStep::Run,
        (Attendance::Unattended, ..) => NextStep::Skip,
        (Attendance::Interactive, AutoRunMode::Off, _) => NextStep::RunButton,
        // Remembering helps only where an entry of the list is what is missing.
        (Attendance::Interactive, _, AutoRun::NotAllowed) if verdict.smallest.is_some() => {
            NextStep::Prompt(&[Choice::RunOnce, Choice::AddAndRun, Choice::Skip])
        }
        (Attendance::Interactive, ..) => NextStep::Prompt(&[Choice::RunOnce, Choice::Skip]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RiskClass;
    use crate::policy::Rule;

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
        use Attendance::{Interactive, Unattended};
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
        ] {
            let settings = AutoApply { all, files: true, commands };
            let verdict = verdict(listed);
            let proposal = Proposal {
                verdict: &verdict,
                is_denied: false,
                layers_complete: true,
                mode: settings.command_mode(AutoRunMode::Listed),
                attendance: there,
            };
            assert_eq!(next_step(proposal), step, "{all} {commands} {listed} {there:?}");
            assert_eq!(next_step(Proposal { is_denied: true, ..proposal }), NextStep::Skip);
        }
        let labels: Vec<&str> =
            [Choice::RunOnce, Choice::AddAndRun, Choice::Skip].map(Choice::label).into();
        assert_eq!(labels, ["Run Once", "Add & Run", "Skip"]);
    }

    #[test]
    fn c056_what_an_entry_cannot_mend_is_not_offered_to_be_added() {
        let mut never = verdict(false);
        never.smallest = None;
        let listed = verdict(true);
        let ask = NextStep::Prompt(&[Choice::RunOnce, Choice::Skip]);
        let proposal = |verdict, layers_complete| Proposal {
            verdict,
            is_denied: false,
            layers_complete,
            mode: AutoRunMode::Listed,
            attendance: Attendance::Interactive,
        };
        assert_eq!(next_step(proposal(&never, true)), ask);
        assert_eq!(next_step(proposal(&listed, false)), ask, "a layer of the sandbox is missing");
    }
}
