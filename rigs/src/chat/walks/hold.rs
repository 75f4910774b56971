//! What is held to the beliefs of a walk after every step.
//!
//! In: the beliefs, the store and the folder. Out: the first thing that is not so. Never a belief changed.

use super::Known;
use super::belief::{Belief, Files, Talk};
use super::desk::MARK;
use anyhow::{Context, Result, ensure};
use salve_engine::session::{FileRegistry, file_registry};
use salve_store::Store;
use salve_tree::{ContentHash, History, Workspace, WorkspaceOptions};
use salve_types::{ChangeState, FileOpBy, FileOpKind, FileOperation};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Holds everything to the beliefs.
pub(super) async fn all(belief: &Belief, store: &Store, root: &Path, now: &Known) -> Result<()> {
    ensure!(
        files(root)? == belief.files,
        "files: {:?}, believed: {:?}",
        files(root)?,
        belief.files
    );
    let (tree, _) = Workspace::open(root, WorkspaceOptions::default())?;
    let history = History::load(&tree)?;
    position(belief, &history)?;
    for (at, talk) in belief.talks.iter().enumerate() {
        let what = || format!("session {} ({at})", talk.session);
        session(belief, store, &history, talk).await.with_context(what)?;
        let now = Some(now).filter(|now| now.talk == Some(at));
        registry(belief, store, talk, root, now).await.with_context(what)?;
    }
    Ok(())
}

// The history is at the changes that are believed to be in force, and says of each file what they do.
fn position(belief: &Belief, history: &History) -> Result<()> {
    for change in &belief.changes {
        let in_effect = history.is_in_effect(&change.id);
        ensure!(in_effect == change.in_force, "{} in effect: {in_effect}", change.id);
    }
    let mut said: BTreeMap<String, Option<String>> = BTreeMap::new();
    for change in history.changes().iter().filter(|change| history.is_in_effect(&change.id)) {
        for file in &change.files {
            said.insert(file.file_path.clone(), file.new.map(|version| version.hash.hex()));
        }
    }
    let hash = |content: String| ContentHash::of(content.as_bytes()).hex();
    let believed: BTreeMap<String, Option<String>> =
        belief.by_history().into_iter().map(|(path, content)| (path, content.map(hash))).collect();
    ensure!(said == believed, "the history says {said:?}, believed: {believed:?}");
    Ok(())
}

// Tasks are done by changes that are applied and checked; turns count unless they were rewound.
async fn session(belief: &Belief, store: &Store, history: &History, talk: &Talk) -> Result<()> {
    let todos = store.todos(&talk.session).await?;
    let changes = store.session_changes(&talk.session).await?;
    let shown: BTreeMap<String, bool> =
        todos.iter().map(|todo| (todo.text.clone(), todo.completed)).collect();
    ensure!(shown.len() == todos.len(), "a task is there twice: {todos:?}");
    let believed = belief.tasks(talk);
    ensure!(shown == believed, "tasks: {shown:?}, believed: {believed:?}");
    for todo in &todos {
        let by = changes.iter().find(|change| {
            change.state == ChangeState::Applied
                && change.checked != Some(false)
                && change.todos.contains(&todo.id)
                && history.is_in_effect(&change.change_id)
        });
        ensure!(by.is_some() == todo.completed, "{todo:?} by {changes:?}");
    }
    for change in &changes {
        let applied = change.state == ChangeState::Applied;
        ensure!(applied == history.is_in_effect(&change.change_id), "{change:?}");
    }
    let known: BTreeSet<&str> = changes.iter().map(|change| change.change_id.as_str()).collect();
    let wanted: BTreeSet<&str> = talk.changes().map(|at| belief.changes[at].id.as_str()).collect();
    ensure!(known == wanted, "changes: {known:?}, believed: {wanted:?}");
    let rewound: Vec<bool> =
        store.turns(&talk.session).await?.iter().map(|turn| turn.rewound).collect();
    let believed: Vec<bool> =
        talk.turns.iter().skip(talk.inherited).map(|turn| turn.rewound).collect();
    ensure!(rewound == believed, "rewound: {rewound:?}, believed: {believed:?}");
    let events = store.session_events(&talk.session, 0, 100_000).await?;
    ensure!(events.is_sorted_by(|one, next| one.id < next.id), "events out of order");
    Ok(())
}

// The registry is a fold of the log. What the session that went on last knows is what the files are.
async fn registry(
    belief: &Belief,
    store: &Store,
    talk: &Talk,
    root: &Path,
    now: Option<&Known>,
) -> Result<()> {
    let log = store.file_operations(&talk.session).await?;
    let registry = FileRegistry::fold(&log, &BTreeMap::new());
    let folded = fold(&log);
    let known: BTreeMap<String, Option<String>> =
        registry.entries().map(|entry| (entry.path.clone(), entry.hash.clone())).collect();
    ensure!(known == folded, "the registry is {known:?}, the log says {folded:?}");
    let document = file_registry(&registry, &root.display().to_string());
    let names: BTreeSet<&String> =
        document.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    ensure!(names == known.keys().collect(), "the document names {names:?}");
    for operation in &log {
        let is_changed = operation.hash_before != operation.hash_after;
        ensure!(is_changed == (operation.op != FileOpKind::Read), "{operation:?}");
    }
    let is_known = |path: &String| {
        now.is_some_and(|now| now.files.as_ref().is_none_or(|files| files.contains(path)))
    };
    for (path, hash) in known.iter().filter(|(path, _)| is_known(path)) {
        let content = belief.files.get(path).map(|text| ContentHash::of(text.as_bytes()).hex());
        ensure!(*hash == content, "{path} is known as {hash:?} and is {content:?}: {log:?}");
    }
    Ok(())
}

// Written a second time, by the words of the documents.
fn fold(log: &[FileOperation]) -> BTreeMap<String, Option<String>> {
    let mut known = BTreeMap::new();
    for operation in log {
        let is_shown = operation.op == FileOpKind::Read || operation.by == FileOpBy::Ai;
        match operation.op {
            FileOpKind::Delete => drop(known.remove(&operation.path)),
            _ if is_shown || known.contains_key(&operation.path) => {
                known.insert(operation.path.clone(), operation.hash_after.clone());
            }
            _ => {}
        }
    }
    known
}

/// Returns the texts of the project.
pub(super) fn files(root: &Path) -> Result<Files> {
    let mut files = Files::new();
    for entry in std::fs::read_dir(root)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_file() && name != MARK {
            files.insert(name, std::fs::read_to_string(entry.path())?);
        }
    }
    Ok(files)
}
