//! The command policy: any line is answered, and nothing that is added makes it freer.
//!
//! In: a line. Out: a panic when an allowed line has no plan, when a delete is let through after
//! it, or when two answers differ. Never judges whether the list itself is wise.

use crate::input;
use salve_check::{
    GlobMatches, ListingBudget, PathConcern, PathFacts, PathJudgement, PathKind, PathUse,
    PolicyRules, RepoFacts, RepoHazard, judge_command,
};

/// A workspace in which everything is fine, so that only the policy stands between a line and a yes.
struct Anything;

impl PathFacts for Anything {
    fn judge(&self, path: &str, _: PathUse) -> PathJudgement {
        if path.starts_with('/') || path.split('/').any(|step| step == "..") {
            let why = "outside".to_owned();
            return PathJudgement::Ask {
                concern: PathConcern::Outside,
                rule: "outside_workspace",
                why,
            };
        }
        PathJudgement::Fine
    }

    fn expand(&self, pattern: &str, _: &mut ListingBudget) -> GlobMatches {
        GlobMatches::Names(vec![pattern.replace(['*', '?', '[', ']'], "x")])
    }

    fn is_folder(&self, path: &str) -> bool {
        path.ends_with('/')
    }

    fn kind(&self, path: &str) -> PathKind {
        if self.is_folder(path) { PathKind::Folder } else { PathKind::File }
    }

    fn real(&self, path: &str) -> String {
        path.to_owned()
    }

    fn picks_secrets(&self, _: &str) -> bool {
        false
    }
}

impl RepoFacts for Anything {
    fn hazards(&self) -> Vec<RepoHazard> {
        Vec::new()
    }
}

pub(super) fn check(bytes: &[u8]) {
    let line = input::text(bytes);
    let rules = PolicyRules::default();
    let judge = |line: &str| judge_command(line, &rules, &Anything, &Anything);
    let verdict = judge(&line);
    assert_eq!(verdict, judge(&line), "one line has two answers");
    assert!(!verdict.why.is_empty(), "an answer gives its reason");
    // After a backslash the next character is text, and after `#` all of it may be.
    let takes_more_as_text = line.ends_with('\\') || line.contains('#');
    for more in ["; rm x", " && rm x", " | sh", "; find . -delete"] {
        let longer = judge(&format!("{line}{more}"));
        assert!(!longer.allow || takes_more_as_text, "{more:?} was let through");
    }
    if !verdict.allow {
        return;
    }
    let plan = verdict.plan.expect("what is allowed has a plan");
    for command in plan.commands() {
        let name = command.argv.first().map_or("", String::as_str);
        let listed = rules.allowed.iter().any(|entry| command.argv.starts_with(&entry.words));
        assert!(listed, "`{name}` is not on the list");
        // These two take nothing but paths and switches.
        let climbs = command.argv.iter().any(|word| word.starts_with("../"));
        assert!(!climbs || !matches!(name, "cat" | "mv"), "{:?} leads outside", command.argv);
    }
}
