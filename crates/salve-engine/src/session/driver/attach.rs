//! The files of a turn: which are meant, what is in them, and what became of them.
//!
//! In: what the person said, and the workspace. Out: texts with their hashes, for the model; a log of what was
//! read and written, for the session. Never reads what `load` refuses.

use super::super::handoff::{LOADED_BYTES, LOADED_FILES};
use super::super::load::{
    LoadLimits, Loaded, MapLimits, OmitCode, OmittedFile, load_from, map_index, workspace_names,
};
use super::super::machine::{LoadWhy, TurnResult};
use super::super::pages::{Gathered, gather};
use super::super::plan::{PlanAction, mentioned_words, plan_by_mentions};
use super::super::state::SavedTurn;
use super::super::urls::UrlPolicy;
use super::super::work::TurnWork;
use super::notice::notice;
use super::{PlannedBy, TurnEvent};
use crate::heal::RepairError;
use salve_tree::{ChangeSet, ContentHash, Root, md5_label};
use salve_types::{FileOpBy, FileOpKind, FileOperation, Timestamp};
use serde_json::json;
use std::path::Path;

/// A workspace of at most this many files is shown whole where nothing in it was named.
const SMALL_WORKSPACE: usize = 12;

/// Finds out which files are meant: those that are named, and those the session is about already.
pub(super) fn plan(
    work: &TurnWork,
    saved: &mut SavedTurn,
    now: u64,
) -> Result<TurnResult, RepairError> {
    let root = Root::open(work.root()).map_err(|error| RepairError::Io(error.to_string()))?;
    notice(&root, work.root(), saved, work.input().turn, now);
    let names = workspace_names(&root)?;
    let mentions = mentioned_words(&saved.request);
    let index = map_index(&root, &names, &mentions, &MapLimits::default(), work.map_cache());
    let names = names.with_symbols(index.definitions());
    let mut plan = plan_by_mentions(&saved.request, &names);
    let by = if saved.proposed.is_some() { PlannedBy::Model } else { PlannedBy::Mentions };
    if let Some(proposed) = saved.proposed.take() {
        plan.take_proposal(proposed, &saved.request);
    }
    let mut add = |pattern: String| {
        let action = PlanAction::File { pattern };
        if !plan.actions.contains(&action) {
            plan.actions.push(action);
        }
    };
    let known = saved.known.iter().filter(|path| names.paths().contains(path));
    known.for_each(|path| add(globset::escape(path)));
    if plan.actions.is_empty() && names.paths().len() <= SMALL_WORKSPACE {
        names.paths().iter().for_each(|path| {
            plan.actions.push(PlanAction::File { pattern: globset::escape(path) });
        });
    }
    // Where a model plans, that was said before it was asked.
    if !saved.machine.options().plan {
        saved.effects.say(TurnEvent::planning());
    }
    let patterns: Vec<String> = plan.actions.iter().map(shown).collect();
    saved.effects.say(TurnEvent::searching(&patterns, by));
    saved.effects.plan = serde_json::to_value(&plan).ok();
    saved.plan = plan;
    Ok(TurnResult::Planned)
}

/// Reads the files of the plan; after a refusal also those that the answer was about.
pub(super) fn load(
    work: &TurnWork,
    saved: &mut SavedTurn,
    why: LoadWhy,
    now: u64,
) -> Result<TurnResult, RepairError> {
    let root = Root::open(work.root()).map_err(|error| RepairError::Io(error.to_string()))?;
    let names = workspace_names(&root)?;
    let mut actions: Vec<PlanAction> = Vec::new();
    if why != LoadWhy::Planned {
        notice(&root, work.root(), saved, work.input().turn, now);
        let written = saved.preview.iter().filter_map(|file| file["path"].as_str());
        let wanted = saved.wanted.iter().map(String::as_str).chain(written);
        let there = wanted.filter(|path| names.paths().iter().any(|name| name == path));
        actions.extend(there.map(|path| PlanAction::File { pattern: globset::escape(path) }));
    }
    actions.extend(saved.plan.actions.iter().cloned());
    let mut refused = Vec::new();
    if work.input().help.pages != UrlPolicy::Off {
        let Gathered { pages, refused: not_read, rest } = gather(actions, |url| work.page(url));
        // What was read once is not read again in the same turn.
        if why == LoadWhy::Planned {
            saved.pages = pages;
        }
        (actions, refused) = (rest, not_read);
    }
    let Loaded { files, failures, omitted, omitted_more } =
        load_from(&root, &names, &actions, &LoadLimits::default());
    if why == LoadWhy::Planned && !saved.inherited.is_empty() {
        let wanted = saved.inherited.iter().filter(|path| names.paths().contains(path));
        let wanted: Vec<PlanAction> =
            wanted.map(|path| PlanAction::File { pattern: globset::escape(path) }).collect();
        let limits = LoadLimits {
            files: LOADED_FILES,
            bytes_per_file: LOADED_BYTES,
            ..LoadLimits::default()
        };
        let known = |path: &String| files.iter().any(|file| file.path == *path);
        saved.inherited_files = load_from(&root, &names, &wanted, &limits).files;
        saved.inherited_files.retain(|file| !known(&file.path));
    }
    // One that is cut was not seen whole, so that it has no base to be changed on.
    let whole = saved.inherited_files.clone();
    for file in files.iter().chain(whole.iter().filter(|file| !file.cut)) {
        if saved.bases.insert(file.path.clone(), file.hash.clone()).as_ref() == Some(&file.hash) {
            continue;
        }
        saved.effects.file_operations.push(FileOperation {
            path: file.path.clone(),
            op: FileOpKind::Read,
            hash_before: Some(file.hash.clone()),
            hash_after: Some(file.hash.clone()),
            md5: Some(file.md5.clone()),
            size: file.size,
            by: FileOpBy::Ai,
            at: moment(now),
            turn: work.input().turn,
        });
    }
    let loaded: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    let failed = failures.iter().chain(&refused).map(|failure| failure.pattern.clone());
    let failed: Vec<String> = failed.collect();
    let mut told = TurnEvent::files_loaded(&loaded, &failed);
    if !saved.pages.is_empty() || !refused.is_empty() {
        let pages: Vec<&str> = saved.pages.iter().map(|page| page.url.as_str()).collect();
        (told.payload["pages"], told.payload["refused"]) = (json!(pages), json!(refused));
    }
    saved.effects.say(told);
    (saved.files, saved.failures) = (files, failed);
    let large = |file: &&OmittedFile| matches!(file.code, OmitCode::TooLarge | OmitCode::ByteLimit);
    saved.uploads.wanted = omitted.iter().filter(large).map(|file| file.path.clone()).collect();
    saved.omitted = omitted.iter().map(|file| format!("{} ({:?})", file.path, file.code)).collect();
    if omitted_more > 0 {
        saved.omitted.push(format!("{omitted_more} more"));
    }
    Ok(TurnResult::Loaded)
}

fn shown(action: &PlanAction) -> String {
    match action {
        PlanAction::File { pattern } => pattern.clone(),
        PlanAction::Url { url } => url.clone(),
    }
}

/// Notes what a change did to files: the model knows them as it wrote them.
pub(super) fn note_change(
    root: &Path,
    saved: &mut SavedTurn,
    change: &ChangeSet,
    turn: u32,
    now: u64,
) {
    for file in &change.files {
        let content = std::fs::read(root.join(&file.file_path)).ok();
        let after = file.new.as_ref().map(|version| version.hash.hex());
        let content = content.filter(|bytes| Some(ContentHash::of(bytes).hex()) == after);
        let op = match (&file.old, &file.new) {
            (_, None) => FileOpKind::Delete,
            (None, _) => FileOpKind::Create,
            _ => FileOpKind::Update,
        };
        match &after {
            Some(hash) => drop(saved.bases.insert(file.file_path.clone(), hash.clone())),
            None => drop(saved.bases.remove(&file.file_path)),
        }
        saved.preview.push(serde_json::json!({
            "path": file.file_path, "added": file.stats.added, "removed": file.stats.removed,
            "isNewFile": file.is_new_file, "change": change.id,
        }));
        saved.effects.file_operations.push(FileOperation {
            path: file.file_path.clone(),
            op,
            hash_before: file.old.as_ref().map(|version| version.hash.hex()),
            hash_after: after,
            md5: content.as_deref().map(md5_label),
            size: content.map_or(0, |bytes| bytes.len() as u64),
            by: FileOpBy::Ai,
            at: moment(now),
            turn,
        });
    }
}

/// Notes that a heal changed files.
pub(super) fn note_files(
    root: &Path,
    saved: &mut SavedTurn,
    files: &[String],
    turn: u32,
    now: u64,
) {
    for path in files {
        let content = std::fs::read(root.join(path)).ok();
        let before = saved.bases.get(path).cloned();
        let after = content.as_deref().map(|bytes| ContentHash::of(bytes).hex());
        let op = if after.is_some() { FileOpKind::Update } else { FileOpKind::Delete };
        if let Some(hash) = &after {
            saved.bases.insert(path.clone(), hash.clone());
        }
        saved.effects.file_operations.push(FileOperation {
            path: path.clone(),
            op,
            hash_before: before,
            hash_after: after,
            md5: content.as_deref().map(md5_label),
            size: content.map_or(0, |bytes| bytes.len() as u64),
            by: FileOpBy::Ai,
            at: moment(now),
            turn,
        });
    }
}

fn moment(now: u64) -> Timestamp {
    Timestamp(i64::try_from(now).unwrap_or(i64::MAX))
}
