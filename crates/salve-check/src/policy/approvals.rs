//! What a person agreed to, and for how long.
//!
//! In: a verdict that asks, and a yes with its scope. Out: the entries that this yes adds, and later
//! the answer whether it still covers a command. Never more than the smallest entry that would have
//! allowed the command, and nothing lasting for a command that no entry may allow.

use super::list::{ListEntry, PolicyRules};
use super::{CommandVerdict, judge_command};
use crate::{PathFacts, Plan, RepoFacts, RiskClass, quote_for_display};
use serde::{Deserialize, Serialize};

/// How long a yes counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// For this one run of exactly these words.
    Once,
    /// While this process lives.
    Session,
    /// In this workspace, until it is taken back.
    Project,
}

/// A lasting yes to one entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// How long it counts.
    pub scope: Scope,
    /// The workspace it was given in.
    pub workspace: String,
    /// The entry.
    #[serde(flatten)]
    pub entry: ListEntry,
}

/// Everything that was agreed to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Approvals {
    lasting: Vec<Approval>,
    once: Vec<(String, Plan)>,
}

/// Why a yes cannot last.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalError {
    /// No entry may allow it: it is asked every time.
    #[error("{why}; this is asked every time and can only be run once")]
    OnlyOnce {
        /// What speaks against it.
        why: String,
    },
    /// The words are not known, so that nothing can be agreed to.
    #[error("{why}; what would run is not known, so that there is nothing to agree to")]
    NothingToRun {
        /// What speaks against it.
        why: String,
    },
}

impl Approvals {
    /// Starts from the lasting approvals that were kept; those of a session never are.
    pub fn restore(kept: Vec<Approval>) -> Self {
        let lasting = kept.into_iter().filter(|kept| kept.scope == Scope::Project).collect();
        Self { lasting, once: Vec::new() }
    }

    /// Returns what is to be kept beyond this process.
    pub fn kept(&self) -> impl Iterator<Item = &Approval> {
        self.lasting.iter().filter(|approval| approval.scope == Scope::Project)
    }

    /// Agrees to exactly what a verdict would run, one time.
    ///
    /// # Errors
    ///
    /// Fails when what would run is not known.
    pub fn approve_once(
        &mut self,
        workspace: &str,
        verdict: &CommandVerdict,
    ) -> Result<(), ApprovalError> {
        let Some(plan) = &verdict.plan else {
            return Err(ApprovalError::NothingToRun { why: verdict.why.clone() });
        };
        self.once.push((workspace.to_owned(), plan.clone()));
        Ok(())
    }

    /// Uses up a yes that was given for one run of exactly this plan.
    pub fn take_once(&mut self, workspace: &str, plan: &Plan) -> bool {
        let given =
            self.once.iter().position(|(place, agreed)| place == workspace && agreed == plan);
        given.map(|at| self.once.swap_remove(at)).is_some()
    }

    /// Agrees to entries for a session or a project.
    pub fn approve_entries(&mut self, scope: Scope, workspace: &str, entries: Vec<ListEntry>) {
        for entry in entries {
            let approval = Approval { scope, workspace: workspace.to_owned(), entry };
            if scope != Scope::Once && !self.lasting.contains(&approval) {
                self.lasting.push(approval);
            }
        }
    }

    /// Takes back every lasting yes to an entry in a workspace; returns how many there were.
    pub fn revoke(&mut self, workspace: &str, words: &[String]) -> usize {
        let before = self.lasting.len();
        self.lasting.retain(|one| one.workspace != workspace || one.entry.words != words);
        before - self.lasting.len()
    }

    /// Adds what counts in a workspace to the rules.
    pub fn apply_to(&self, workspace: &str, rules: &mut PolicyRules) {
        let here = self.lasting.iter().filter(|approval| approval.workspace == workspace);
        rules.allowed.extend(here.map(|approval| approval.entry.clone()));
    }
}

/// Returns the smallest entries that would allow a line, one per command that needs one. `risk` is
/// what the person agrees to: only what is [`RiskClass::Network`] gets a network.
///
/// # Errors
///
/// Fails when something speaks against the line that no entry can lift.
pub fn entries_to_add(
    line: &str,
    risk: RiskClass,
    rules: &PolicyRules,
    paths: &dyn PathFacts,
    repository: &dyn RepoFacts,
) -> Result<Vec<ListEntry>, ApprovalError> {
    let mut rules = rules.clone();
    let mut entries: Vec<ListEntry> = Vec::new();
    loop {
        let verdict = judge_command(line, &rules, paths, repository);
        match verdict.smallest {
            _ if verdict.allow => return Ok(entries),
            Some(words) if entries.iter().all(|entry| entry.words != words) => {
                let entry = ListEntry { words, risk };
                rules.allowed.push(entry.clone());
                entries.push(entry);
            }
            _ => return Err(ApprovalError::OnlyOnce { why: verdict.why }),
        }
    }
}

/// Writes entries for the person who is about to add them.
pub fn show_entries(entries: &[ListEntry]) -> String {
    let shown: Vec<String> = entries.iter().map(|entry| quote_for_display(&entry.words)).collect();
    shown.join(", ")
}

// Facts of a workspace where nothing speaks against a path.
#[cfg(test)]
pub(super) mod tests_support {
    use crate::{
        GlobMatches, ListingBudget, PathFacts, PathJudgement, PathKind, PathUse, RepoFacts,
        RepoHazard,
    };

    pub(in crate::policy) struct Quiet;

    impl PathFacts for Quiet {
        fn judge(&self, _path: &str, _usage: PathUse) -> PathJudgement {
            PathJudgement::Fine
        }

        fn is_folder(&self, _path: &str) -> bool {
            false
        }

        fn expand(&self, _pattern: &str, _budget: &mut ListingBudget) -> GlobMatches {
            GlobMatches::Names(Vec::new())
        }

        fn kind(&self, _path: &str) -> PathKind {
            PathKind::File
        }

        fn real(&self, path: &str) -> String {
            path.to_owned()
        }

        fn picks_secrets(&self, _pattern: &str) -> bool {
            false
        }
    }

    impl RepoFacts for Quiet {
        fn hazards(&self) -> Vec<RepoHazard> {
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::tests_support::Quiet;
    use super::*;

    fn judged(line: &str, approvals: &Approvals, workspace: &str) -> CommandVerdict {
        let mut rules = PolicyRules::default();
        approvals.apply_to(workspace, &mut rules);
        judge_command(line, &rules, &Quiet, &Quiet)
    }

    #[test]
    fn c057_the_second_time_runs_unasked_and_nothing_wider_does() {
        let mut approvals = Approvals::default();
        let line = "make test && ls | sort -u";
        assert!(!judged(line, &approvals, "w").allow);
        let entries =
            entries_to_add(line, RiskClass::Write, &PolicyRules::default(), &Quiet, &Quiet)
                .expect("entries");
        assert_eq!(show_entries(&entries), "make test, sort -u");
        approvals.approve_entries(Scope::Project, "w", entries);
        assert!(judged(line, &approvals, "w").allow, "the second time runs unasked");
        for other in ["make", "make clean", "sort", "make testx"] {
            assert!(!judged(other, &approvals, "w").allow, "{other} was not agreed to");
        }
        assert!(!judged(line, &approvals, "other").allow, "another workspace was not either");
        let kept: Vec<Approval> = approvals.kept().cloned().collect();
        let text = serde_json::to_string(&kept).expect("json");
        let again = Approvals::restore(serde_json::from_str(&text).expect("approvals"));
        assert!(judged(line, &again, "w").allow, "a project's approvals are kept");
        assert_eq!(approvals.revoke("w", &["make".to_owned(), "test".to_owned()]), 1);
        assert!(!judged(line, &approvals, "w").allow);
    }

    #[test]
    fn c057_a_session_ends_with_its_process() {
        let mut approvals = Approvals::default();
        let entries =
            entries_to_add("make", RiskClass::Write, &PolicyRules::default(), &Quiet, &Quiet)
                .expect("entries");
        approvals.approve_entries(Scope::Session, "w", entries);
        assert!(judged("make", &approvals, "w").allow);
        let next = Approvals::restore(approvals.kept().cloned().collect());
        assert!(!judged("make", &next, "w").allow);
    }

    #[test]
    fn c057_once_is_these_words_one_time() {
        let mut approvals = Approvals::default();
        let verdict = judged("rm x", &approvals, "w");
        approvals.approve_once("w", &verdict).expect("a plan");
        let other = judged("rm y", &approvals, "w").plan.expect("a plan");
        let plan = verdict.plan.expect("a plan");
        assert!(!approvals.take_once("w", &other), "other words");
        assert!(!approvals.take_once("v", &plan), "another workspace");
        assert!(approvals.take_once("w", &plan));
        assert!(!approvals.take_once("w", &plan), "it is used up");
        let unknown = judged("rm $x", &approvals, "w");
        assert!(matches!(
            approvals.approve_once("w", &unknown),
            Err(ApprovalError::NothingToRun { .. })
        ));
    }

    #[test]
    fn c060_a_delete_can_be_agreed_to_once_but_not_for_good() {
        for line in
            ["rm x", "ls && rm -rf build", "git clean -fd", "find . -delete", "ls | xargs rm"]
        {
            let entries =
                entries_to_add(line, RiskClass::Write, &PolicyRules::default(), &Quiet, &Quiet);
            assert!(matches!(entries, Err(ApprovalError::OnlyOnce { .. })), "{line}: {entries:?}");
        }
    }
}
