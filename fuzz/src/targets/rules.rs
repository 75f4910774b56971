//! What people and models write about commands: rule files, answers, and the verdict on a line.
//!
//! In: a text, read as each of the three. Out: a panic when one of them is not answered, when a
//! workspace's file allows something, or when a verdict allows without saying exactly what would
//! run. Never judges whether a verdict is wise.

use crate::input;
use salve_check::{
    CommandFollowUp, GlobMatches, ListingBudget, PathConcern, PathFacts, PathJudgement, PathKind,
    PathUse, PolicyRules, RepoFacts, RepoHazard, RuleSource, UserRules, judge_command,
    parse_command_line, read_follow_up,
};

pub(super) fn check(bytes: &[u8]) {
    let text = input::text(bytes);
    if let Ok(loaded) = UserRules::load(&text, RuleSource::Project) {
        let mut rules = PolicyRules::default();
        loaded.rules.apply_to(&mut rules);
        assert_eq!(rules.allowed, PolicyRules::default().allowed, "a workspace allows something");
    }
    let line = match read_follow_up(&text) {
        CommandFollowUp::Replace { command } => command,
        CommandFollowUp::Continue | CommandFollowUp::Stop { .. } => text,
    };
    let rules = PolicyRules::default();
    let verdict = judge_command(&line, &rules, &Facts, &Facts);
    assert_eq!(verdict, judge_command(&line, &rules, &Facts, &Facts), "a verdict has a mood");
    assert!(!verdict.why.is_empty(), "a verdict says why");
    if verdict.allow {
        let parsed = parse_command_line(&line).expect("what is allowed can be parsed");
        let plan = verdict.plan.expect("what is allowed is known");
        let words: Vec<Vec<&str>> =
            parsed.commands().map(|command| command.argv().collect()).collect();
        let planned: Vec<Vec<&str>> = plan
            .commands()
            .map(|command| command.argv.iter().map(String::as_str).collect())
            .collect();
        assert_eq!(words, planned, "what is judged is not what runs");
    }
}

/// A workspace where every path inside is fine and no pattern matches.
struct Facts;

impl PathFacts for Facts {
    fn judge(&self, path: &str, _usage: PathUse) -> PathJudgement {
        if path.starts_with('/') || path.split('/').any(|step| step == "..") {
            let why = "it leads out".to_owned();
            return PathJudgement::Ask {
                concern: PathConcern::Outside,
                rule: "outside_workspace",
                why,
            };
        }
        PathJudgement::Fine
    }

    fn is_folder(&self, _path: &str) -> bool {
        false
    }

    fn expand(&self, _pattern: &str, _budget: &mut ListingBudget) -> GlobMatches {
        GlobMatches::Names(Vec::new())
    }

    fn kind(&self, _path: &str) -> PathKind {
        PathKind::Missing
    }

    fn real(&self, path: &str) -> String {
        path.to_owned()
    }

    fn picks_secrets(&self, _pattern: &str) -> bool {
        false
    }
}

impl RepoFacts for Facts {
    fn hazards(&self) -> Vec<RepoHazard> {
        Vec::new()
    }
}
