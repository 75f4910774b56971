//! The command policy: may this line be started, by which rule, and what exactly would be started.
//!
//! In: a line, the list, and facts about paths and the repository. Out: a verdict with the parsed
//! words that are shown, logged and executed. Never: a file, a process, a clock, a failure: every
//! line has an answer, and every doubt is answered with "ask".

mod addresses;
mod approvals;
mod auto_run;
mod context;
mod effects;
mod family;
mod follow_up;
mod line_tree;
mod list;
mod next_step;
mod objection;
mod options;
mod segment;
mod user_rules;

pub use approvals::{Approval, ApprovalError, Approvals, Scope, entries_to_add, show_entries};
pub use auto_run::{AutoRun, AutoRunMode, may_auto_run};
pub use follow_up::{CommandFollowUp, Supervision, read_follow_up, read_supervision};
pub use list::{DEFAULT_LIST, ListEntry, PolicyRules, Profile};
pub use next_step::{
    Attendance, AutoApply, Choice, NextStep, ProposedCommand, next_step, next_step_of_edits,
};
pub use objection::Rule;
pub use user_rules::{LoadedRules, RuleDecision, RuleError, RuleSource, UserRule, UserRules};

use crate::{
    CommandLine, PathFacts, Plan, PlannedPipeline, RepoFacts, RiskClass, parse_command_line,
};
use context::Context;
use line_tree::LineTree;
use objection::Objection;
use segment::JudgedCommand;
use serde::Serialize;

/// The answer about one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[must_use]
pub struct CommandVerdict {
    /// Whether it may be started without anybody having looked at it; whether it starts by itself is
    /// the question of [`may_auto_run`].
    pub allow: bool,
    /// The rule that decided.
    pub rule: Rule,
    /// The reason in one sentence.
    pub why: String,
    /// What it can do at worst, over all its commands.
    pub risk: RiskClass,
    /// The command that the rule is about; absent when the line could not be taken apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<CommandSegment>,
    /// The smallest entry of the list that would allow that command; absent where none may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest: Option<Vec<String>>,
    /// What would be executed, word for word; absent when that cannot be told.
    #[serde(skip)]
    pub plan: Option<Plan>,
}

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandSegment {
    /// Which one, from 0.
    pub index: usize,
    /// Its words.
    pub argv: Vec<String>,
}

/// Judges a line.
pub fn judge_command(
    line: &str,
    rules: &PolicyRules,
    paths: &dyn PathFacts,
    repository: &dyn RepoFacts,
) -> CommandVerdict {
    match parse_command_line(line) {
        Ok(parsed) => judge_parsed(&parsed, rules, paths, repository),
        Err(refusal) => CommandVerdict {
            allow: false,
            rule: refusal.rule.into(),
            why: format!("{}: {}", refusal.construct, refusal.why),
            risk: RiskClass::Network,
            segment: None,
            smallest: None,
            plan: None,
        },
    }
}

fn judge_parsed(
    line: &CommandLine,
    rules: &PolicyRules,
    paths: &dyn PathFacts,
    repository: &dyn RepoFacts,
) -> CommandVerdict {
    let mut summary = Summary::default();
    let tree = LineTree::new(paths);
    for pipeline in &line.pipelines {
        let words: Vec<_> =
            pipeline.commands.iter().map(|command| segment::expand(command, &tree)).collect();
        let effects = effects_of(pipeline, &words, &tree, repository);
        let mut commands = Vec::new();
        for (place, command) in pipeline.commands.iter().enumerate() {
            // The commands of a pipeline run at the same time, so that each may find what any other
            // does.
            let others = effects.iter().enumerate().filter(|(other, _)| *other != place);
            let before = tree.add(others.flat_map(|(_, effects)| effects.clone()));
            let words = words.get(place).map(|words| words.as_deref());
            if let Some(words) = words {
                let judged = segment::judge(command, words, place > 0, rules, &tree, repository);
                let written = command.argv().map(str::to_owned).collect();
                commands.extend(summary.add(judged, written));
            }
            tree.forget_after(before);
        }
        tree.add(effects.into_iter().flatten());
        summary.pipelines.push(PlannedPipeline { joiner: pipeline.joiner, commands });
    }
    summary.verdict()
}

// What each command of a pipeline does to the tree.
fn effects_of(
    pipeline: &crate::Pipeline,
    words: &[Result<Vec<String>, Objection>],
    tree: &LineTree<'_>,
    repository: &dyn RepoFacts,
) -> Vec<Vec<line_tree::Effect>> {
    let fetches = pipeline.commands.iter().any(|one| matches!(one.name(), "curl" | "wget"));
    let each = pipeline.commands.iter().zip(words).map(|(command, words)| {
        let words = words.as_deref().unwrap_or_default();
        let context =
            Context { words, named: 0, agreed: 0, has_input: false, paths: tree, repository };
        effects::effects(&context, command, fetches)
    });
    each.collect()
}

/// What the commands of a line come to, one after the other.
struct Summary {
    pipelines: Vec<PlannedPipeline>,
    count: usize,
    risk: RiskClass,
    first: Option<(CommandSegment, Objection)>,
    is_complete: bool,
}

impl Default for Summary {
    fn default() -> Self {
        let pipelines = Vec::new();
        Self { pipelines, count: 0, risk: RiskClass::Read, first: None, is_complete: true }
    }
}

impl Summary {
    fn add(
        &mut self,
        judged: JudgedCommand,
        written: Vec<String>,
    ) -> Option<crate::PlannedCommand> {
        let JudgedCommand { planned, risk, objection } = judged;
        self.risk = self.risk.max(risk);
        self.is_complete &= planned.is_some();
        let denied = |objection: &Objection| objection.rule == Rule::Denied;
        let first = self.first.as_ref().map(|(_, objection)| objection);
        // A denial is the one objection that no person can lift, so that it is the one to name.
        if let Some(objection) = objection
            && first.is_none_or(|first| denied(&objection) && !denied(first))
        {
            let argv = planned.as_ref().map_or(written, |command| command.argv.clone());
            self.first = Some((CommandSegment { index: self.count, argv }, objection));
        }
        self.count += 1;
        planned
    }

    fn verdict(self) -> CommandVerdict {
        let plan = self.is_complete.then_some(Plan { pipelines: self.pipelines });
        match self.first {
            None => CommandVerdict {
                allow: true,
                rule: Rule::Listed,
                why: match self.count {
                    1 => "the command is on the list, and nothing speaks against its words"
                        .to_owned(),
                    count => format!(
                        "all {count} commands are on the list, and nothing speaks against their words"
                    ),
                },
                risk: self.risk,
                segment: None,
                smallest: None,
                plan,
            },
            Some((segment, objection)) => CommandVerdict {
                allow: false,
                rule: objection.rule,
                why: objection.why,
                risk: self.risk,
                smallest: objection.entry_words.and_then(|words| {
                    segment.argv.get(..words.min(segment.argv.len())).map(<[String]>::to_vec)
                }),
                segment: Some(segment),
                plan,
            },
        }
    }
}

#[cfg(test)]
mod tests;
