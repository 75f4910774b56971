//! What must hold after every fault.
//!
//! In: a folder after recovery and what is known of the run. Out: every violation, with its kind.
//! Never repairs anything.
//!
//! I1 all files old or all new; I2 every byte the user had can be had back; I3 nothing foreign
//! touched, permissions, links and attributes kept; I4 no temporary file left; I5 recovery twice is
//! recovery once; I6 the history says what the tree is; I7 what was promised is there.

use super::fault::USER_BYTES;
use super::listing::{self, Identity, Listing, Node};
use super::workload::Stage;
use salve_tree::{
    ChangeMeta, ContentHash, History, OnChanged, RewindOutcome, Workspace, WorkspaceOptions, rewind,
};
use std::collections::BTreeMap;
use std::path::Path;

/// What is wrong, by the column of the table it counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// The tree is neither old nor new.
    Torn,
    /// Bytes of the user's are gone.
    Lost,
    /// Something of Salve's was left lying about.
    Leftover,
    /// Anything else that was promised and not kept.
    Broken,
}

/// One thing that is wrong.
#[derive(Debug, Clone)]
pub(crate) struct Violation {
    /// Where it counts.
    pub(crate) kind: Kind,
    /// What was found.
    pub(crate) what: String,
}

/// What is known of a run before its folder is looked at.
pub(crate) struct Known<'a> {
    /// The trees the workload goes through.
    pub(crate) stages: &'a [Stage],
    /// The stages that are allowed now.
    pub(crate) allowed: Vec<usize>,
    /// A file that another process changed meanwhile.
    pub(crate) meanwhile: Option<Meanwhile<'a>>,
    /// Whether a read may have failed, so that Salve keeps a copy more than it needs to.
    pub(crate) may_keep: bool,
    /// The files that must not be touched, as they were.
    pub(crate) bystanders: &'a BTreeMap<String, Identity>,
}

/// What another process did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meanwhile<'a> {
    /// To which file.
    pub(crate) path: &'a str,
    /// Whether the file was removed, and not written.
    pub(crate) removed: bool,
}

impl Violation {
    /// Notes a violation.
    pub(crate) fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into() }
    }
}

/// Looks at a folder after recovery.
pub(crate) fn after_recovery(folder: &Path, known: &Known<'_>) -> anyhow::Result<Vec<Violation>> {
    let mut wrong = Vec::new();
    let tree = listing::tree(folder)?;
    let stage = find_stage(&tree, known);
    wrong.extend(torn(&tree, known));
    wrong.extend(users_bytes(folder, &tree, known));
    wrong.extend(touched_bystanders(folder, known)?);
    wrong.extend(leftovers(folder, known)?);
    wrong.extend(history(folder, stage, known));
    Ok(wrong)
}

/// Tells whether a tree is none of those that are allowed.
pub(crate) fn torn(tree: &Listing, known: &Known<'_>) -> Option<Violation> {
    let is_whole = find_stage(tree, known).is_some();
    (!is_whole).then(|| Violation::new(Kind::Torn, describe(tree, known)))
}

/// Takes everything back and compares with the first tree: what was overwritten can be had again.
pub(crate) fn by_going_back(folder: &Path, begin: &Listing) -> anyhow::Result<Vec<Violation>> {
    let (workspace, _) = Workspace::open(folder, WorkspaceOptions::default())?;
    let history = History::load(&workspace)?;
    if history.position().is_none() {
        return Ok(Vec::new());
    }
    let meta = ChangeMeta { now: 9_000, ..ChangeMeta::default() };
    let why = match rewind(&workspace, None, OnChanged::Refuse, &meta) {
        Ok(RewindOutcome::Moved(_)) => {
            let differences = listing::differences(&listing::tree(folder)?, begin);
            if differences.is_empty() {
                return Ok(Vec::new());
            }
            differences.join("; ")
        }
        Ok(other) => format!("{other:?}"),
        Err(error) => error.to_string(),
    };
    Ok(vec![Violation::new(Kind::Lost, format!("the old tree cannot be had back: {why}"))])
}

/// The stage that the tree is in, among those that are allowed.
fn find_stage(tree: &Listing, known: &Known<'_>) -> Option<usize> {
    known.allowed.iter().copied().find(|number| {
        let Some(stage) = known.stages.get(*number) else { return false };
        let Some(meanwhile) = known.meanwhile else { return *tree == stage.tree };
        without(tree, meanwhile.path) == without(&stage.tree, meanwhile.path)
    })
}

fn without(tree: &Listing, path: &str) -> Listing {
    let mut rest = tree.clone();
    rest.remove(path);
    // The folder of a file that a user makes there himself is his as well.
    for (at, _) in path.match_indices('/') {
        rest.remove(&path[..at]);
    }
    rest
}

fn describe(tree: &Listing, known: &Known<'_>) -> String {
    let mut words = Vec::new();
    for number in &known.allowed {
        if let Some(stage) = known.stages.get(*number) {
            let mut differences = listing::differences(tree, &stage.tree);
            let more = differences.len().saturating_sub(3);
            differences.truncate(3);
            words.push(format!("not tree {number}: {} (+{more})", differences.join("; ")));
        }
    }
    words.join(" | ")
}

fn users_bytes(folder: &Path, tree: &Listing, known: &Known<'_>) -> Option<Violation> {
    let meanwhile = known.meanwhile.filter(|meanwhile| !meanwhile.removed)?;
    let theirs = ContentHash::of(USER_BYTES);
    let is_theirs = |node: &Node| matches!(node, Node::File { hash, .. } if *hash == theirs);
    if tree.get(meanwhile.path).is_some_and(is_theirs) {
        return None;
    }
    let own = listing::state(folder).unwrap_or_default();
    let kept = own.iter().find(|(_, node)| is_theirs(node)).map(|(path, _)| path);
    let found = tree.get(meanwhile.path);
    Some(match kept {
        // They are not lost, but they are not where the user wrote them either.
        Some(kept) => Violation::new(
            Kind::Broken,
            format!("{} is {found:?}; the user's bytes are in .salve/{kept}", meanwhile.path),
        ),
        None => Violation::new(
            Kind::Lost,
            format!("the user's bytes in {} are gone; there is {found:?}", meanwhile.path),
        ),
    })
}

fn touched_bystanders(folder: &Path, known: &Known<'_>) -> anyhow::Result<Vec<Violation>> {
    let now = listing::identities(folder)?;
    let touched = known.bystanders.iter().filter(|(path, was)| now.get(*path) != Some(was));
    Ok(touched
        .map(|(path, _)| Violation::new(Kind::Broken, format!("{path} was touched")))
        .collect())
}

/// Folders of `.salve` in which nothing may be left when nothing is going on.
const EMPTY_AT_REST: &[&str] = &["journal/", "tmp/"];

/// What else may stand in `.salve`.
const DOCUMENTED: &[&str] =
    &[".gitignore", "lock", "journal", "tmp", "blobs", "history", "leases", "checkpoints", "kept"];

fn leftovers(folder: &Path, known: &Known<'_>) -> anyhow::Result<Vec<Violation>> {
    let mut wrong = Vec::new();
    for path in listing::state(folder)?.keys() {
        let top = path.split('/').next().unwrap_or(path);
        let may_keep = known.may_keep || known.meanwhile.is_some();
        let is_kept_without_need = top == "kept" && !may_keep;
        if EMPTY_AT_REST.iter().any(|dir| path.starts_with(dir))
            || !DOCUMENTED.iter().any(|known| top.starts_with(known))
            || is_kept_without_need
        {
            wrong.push(Violation::new(Kind::Leftover, format!(".salve/{path}")));
        }
    }
    for path in listing::tree(folder)?.keys() {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name.starts_with(".salve-") && !known.bystanders.contains_key(path) {
            wrong.push(Violation::new(Kind::Leftover, path.clone()));
        }
    }
    Ok(wrong)
}

fn history(folder: &Path, stage: Option<usize>, known: &Known<'_>) -> Vec<Violation> {
    let broken = |what: String| vec![Violation::new(Kind::Broken, what)];
    let history = match Workspace::open(folder, WorkspaceOptions::default()) {
        Ok((workspace, recovery)) if recovery.is_clean() => match History::load(&workspace) {
            Ok(history) => history,
            Err(error) => return broken(format!("the history cannot be read: {error}")),
        },
        Ok((_, recovery)) => return broken(format!("recovery had more to do: {recovery:?}")),
        Err(error) => return broken(format!("the workspace does not open: {error}")),
    };
    if let Some(damage) = history.damage() {
        return broken(format!("the history is damaged: {damage:?}"));
    }
    let in_effect =
        history.changes().iter().filter(|change| history.is_in_effect(&change.id)).count();
    let Some(expected) = stage.and_then(|number| known.stages.get(number)) else {
        return Vec::new();
    };
    if in_effect == expected.in_effect {
        return Vec::new();
    }
    broken(format!(
        "the history has {in_effect} changes in effect, the tree {}",
        expected.in_effect
    ))
}
