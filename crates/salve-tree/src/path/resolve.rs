//! The walk from the root to the file that a path names, symlinks included.
//!
//! In: the steps of a path and a tree to walk. Out: the names of the real path, what is there
//! and what the last existing directory holds. Never: a step above the root, however it is written.

use super::{Objection, PathRule, names::Component};
use std::collections::VecDeque;

/// As many symlinks as Linux follows in one path.
const MAX_LINKS: usize = 40;

/// Where a path leads.
#[derive(Debug)]
pub(super) struct Resolved {
    /// The real path, step by step.
    pub(super) names: Vec<String>,
    /// How many of the names exist, from the front.
    pub(super) existing: usize,
    /// What is at the path.
    pub(super) target: Option<Entry>,
    /// The names in the last existing directory, when the path does not exist.
    pub(super) siblings: Vec<String>,
    /// Whether the last existing directory can be written to.
    pub(super) parent_writable: bool,
}

/// What is at a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) links: u64,
    pub(super) mode: u32,
    pub(super) bytes: u64,
    pub(super) immutable: bool,
}

/// The kinds of entries that matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Directory,
    Symlink,
    Other,
}

/// A tree that is walked one directory at a time, from its root.
pub(super) trait Walk {
    /// Looks at a name in the current directory.
    fn look(&mut self, name: &str) -> Result<Option<Entry>, Objection>;

    /// Reads the symlink that was looked at last.
    fn link_target(&mut self) -> Result<String, Objection>;

    /// Makes the directory that was looked at last the current one.
    fn enter(&mut self);

    /// Goes back to the directory from which the current one was entered.
    fn leave(&mut self);

    /// Tells whether the current directory is the inside of a git repository, as git tells it: a
    /// bare one, or what a `.git` file leads to.
    fn is_repository(&self) -> bool;

    /// Lists the current directory.
    fn siblings(&self) -> Vec<String>;

    /// Tells whether names can be made and replaced in the current directory.
    fn writable(&self) -> bool;
}

/// Resolves a path step by step.
pub(super) fn resolve(steps: &[Component], walk: &mut dyn Walk) -> Result<Resolved, Objection> {
    let mut queue: VecDeque<Component> = steps.iter().cloned().collect();
    let mut names: Vec<String> = Vec::new();
    let (mut missing, mut links) = (0_usize, 0_usize);
    let mut target = None;
    while let Some(step) = queue.pop_front() {
        let name = match step {
            Component::Up if names.pop().is_none() => return Err(outside(links)),
            Component::Up => {
                if missing == 0 {
                    walk.leave();
                }
                missing = missing.saturating_sub(1);
                continue;
            }
            Component::Name(name) => name,
        };
        if missing > 0 {
            missing += 1;
            names.push(name);
            continue;
        }
        match walk.look(&name)? {
            None => missing = 1,
            Some(Entry { kind: Kind::Symlink, .. }) => {
                links += 1;
                follow(&walk.link_target()?, links, &mut queue)?;
                continue;
            }
            Some(entry) if entry.kind == Kind::Directory && !queue.is_empty() => {
                walk.enter();
                if walk.is_repository() {
                    return Err(Objection::new(
                        PathRule::Repository,
                        format!("{name:?} is the inside of a repository under another name"),
                    ));
                }
            }
            Some(_) if !queue.is_empty() => {
                return Err(Objection::new(
                    PathRule::NotADirectory,
                    format!("{name:?} is a file, so nothing can stand below it"),
                ));
            }
            Some(entry) => target = Some(entry),
        }
        names.push(name);
    }
    if missing == 0 && target.is_none() {
        return Err(Objection::new(
            PathRule::Directory,
            "the path leads to a directory, not to a file",
        ));
    }
    Ok(Resolved {
        existing: names.len() - missing,
        siblings: if missing > 0 { walk.siblings() } else { Vec::new() },
        parent_writable: walk.writable(),
        names,
        target,
    })
}

/// Tells a repository by what git looks for in it.
pub(super) fn looks_like_a_repository(has: impl Fn(&str) -> bool) -> bool {
    has("HEAD") && ((has("objects") && has("refs")) || has("commondir"))
}

/// Puts the steps of a symlink's target before the steps that remain.
fn follow(to: &str, links: usize, queue: &mut VecDeque<Component>) -> Result<(), Objection> {
    if links > MAX_LINKS {
        return Err(Objection::new(PathRule::SymlinkLoop, "the path goes round in symlinks"));
    }
    if to.starts_with('/') {
        return Err(outside(links));
    }
    for step in to.split('/').rev().filter(|step| !step.is_empty() && *step != ".") {
        queue.push_front(match step {
            ".." => Component::Up,
            name => Component::Name(name.to_owned()),
        });
    }
    Ok(())
}

fn outside(links: usize) -> Objection {
    if links > 0 {
        return Objection::new(
            PathRule::SymlinkOut,
            "a symlink of the path leads out of the workspace",
        );
    }
    Objection::new(PathRule::OutsideWorkspace, "the path leads out of the workspace")
}
