//! What a project says to agents: `AGENTS.md` and `CLAUDE.md`, from its root down to a folder.
//!
//! In: an open workspace and the folder that the work is about. Out: each file's text with its path, the
//! outermost first, so that the nearest has the last word. It is data for a prompt, never policy: nothing in it
//! loosens a rule or a setting. Never a file from outside, never the same text twice, never above the limits.

use super::load::{beginning, read_text};
use salve_tree::Root;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The names that are read, in this order.
const NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// The most bytes of one file that are taken, of all together, and the largest that is read.
const EACH: usize = 32 << 10;
const ALL: usize = 96 << 10;
const LARGEST: u64 = 1 << 20;
/// The deepest folder that is looked into.
const DEEPEST: usize = 32;

/// The rules of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectRules {
    /// Its path in the workspace.
    pub path: String,
    /// Its text, or the beginning of it.
    pub text: String,
    /// Whether `text` is only the beginning.
    pub cut: bool,
}

/// Reads the rules that hold in a folder, given relative to the root.
pub fn project_rules(root: &Root, here: &str) -> Vec<ProjectRules> {
    let mut folders = vec![String::new()];
    for step in here.split('/').filter(|step| !step.is_empty() && *step != ".").take(DEEPEST) {
        let above = folders.last().map_or("", String::as_str);
        folders.push(format!("{above}{step}/"));
    }
    let mut rules: Vec<ProjectRules> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut left = ALL;
    for (folder, name) in folders.iter().flat_map(|folder| NAMES.map(|name| (folder, name))) {
        // One that is missing, binary or leads out says nothing.
        let Ok(read) = read_text(root, &format!("{folder}{name}"), LARGEST) else { continue };
        // One name is often a link to the other, or a copy of it.
        if read.text.trim().is_empty() || !seen.insert(read.hash) {
            continue;
        }
        let text = beginning(&read.text, EACH.min(left)).to_owned();
        if text.is_empty() {
            continue;
        }
        left -= text.len();
        let cut = text.len() < read.text.len();
        rules.push(ProjectRules { path: read.real, text, cut });
    }
    rules
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "a test's own scratch folder")]

    use super::*;
    use std::fs;

    fn rules(layout: &[(&str, &str)], here: &str) -> Vec<(String, String)> {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in layout {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match text.strip_prefix("-> ") {
                Some(target) => std::os::unix::fs::symlink(target, path).unwrap(),
                None => fs::write(path, text).unwrap(),
            }
        }
        let root = Root::open(folder.path()).unwrap();
        let rules = project_rules(&root, here);
        assert!(rules.iter().map(|one| one.text.len()).sum::<usize>() <= ALL);
        rules.into_iter().map(|one| (one.path, one.text)).collect()
    }

    #[test]
    fn rules_come_from_the_root_down_to_the_folder() {
        let layout = [
            ("AGENTS.md", "use tabs"),
            ("CLAUDE.md", "be brief"),
            ("a/AGENTS.md", "use spaces"),
            ("a/b/CLAUDE.md", "never mind"),
            ("c/AGENTS.md", "elsewhere"),
        ];
        let paths = |here: &str| -> Vec<String> {
            rules(&layout, here).into_iter().map(|(path, _)| path).collect()
        };
        assert_eq!(paths(""), ["AGENTS.md", "CLAUDE.md"]);
        assert_eq!(paths("a/b"), ["AGENTS.md", "CLAUDE.md", "a/AGENTS.md", "a/b/CLAUDE.md"]);
        assert_eq!(paths("./a/none/"), ["AGENTS.md", "CLAUDE.md", "a/AGENTS.md"]);
        assert_eq!(paths("../.."), ["AGENTS.md", "CLAUDE.md"]);
    }

    #[test]
    fn one_text_is_read_once_and_nothing_from_outside() {
        let layout =
            [("AGENTS.md", "rules"), ("CLAUDE.md", "-> AGENTS.md"), ("a/CLAUDE.md", "rules")];
        assert_eq!(rules(&layout, "a"), [("AGENTS.md".to_owned(), "rules".to_owned())]);
        assert_eq!(rules(&[("CLAUDE.md", "-> /etc/hosts"), ("AGENTS.md", " \n")], ""), []);
        assert_eq!(rules(&[("AGENTS.md", "a\0b")], ""), []);
        let long = format!("{}\n", "x".repeat(99)).repeat(2_000);
        let found = rules(&[("AGENTS.md", &long), ("a/AGENTS.md", &format!("y{long}"))], "a");
        assert_eq!(found.iter().map(|(_, text)| text.len()).collect::<Vec<_>>(), [32_700, 32_701]);
    }
}
