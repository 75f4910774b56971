//! From wishes to planned files: one file first, then all of them together.
//!
//! In: what a set wants of each file. Out: the state before and after of every path that changes.
//! Never: two planned files at one path.

use super::carriers::{PathProblem, Wish};
use super::change::{Edited, Ground, carry_out};
use super::guards::{Guarded, object};
use super::hashes::{Known, Precondition};
use super::rebase::rebase;
use super::{FileOutcome, FileReport, Operation, RefusalCode, VerifyOptions};
use crate::path::check_set;
use crate::{
    FileContent, FileState, FileText, FileView, MatchOptions, PlannedFile, TreePath, ViewError,
};
use std::collections::BTreeMap;

/// The permission bits of a new file for which the edit gives none.
const NEW_FILE_MODE: u32 = 0o644;

/// The decision about one file, and what follows for the paths it touches.
#[derive(Debug)]
pub(super) struct FilePlan {
    pub(super) report: FileReport,
    steps: Vec<Step>,
}

/// What happens at one path.
#[derive(Debug, Clone)]
struct Step {
    path: TreePath,
    before: Option<FileState>,
    after: Option<FileContent>,
    moved_from: Option<TreePath>,
}

/// Where a file is, and where it goes.
struct Ends {
    path: TreePath,
    new_path: Option<TreePath>,
}

/// Why a file is not in the plan.
struct Refused(FileOutcome);

impl Refused {
    fn new(code: RefusalCode, detail: impl Into<String>) -> Self {
        Self(FileOutcome::refused(code, detail))
    }
}

/// Decides about one file.
pub(super) fn plan_file(
    wish: Wish<'_>,
    view: &dyn FileView,
    known: &Known,
    options: &VerifyOptions<'_>,
) -> FilePlan {
    let mut report = FileReport {
        path: wish.path.as_ref().map_or_else(|_| wish.written.clone(), ToString::to_string),
        moved_to: None,
        operation: Operation::Update,
        outcome: FileOutcome::Planned,
        hunks: Vec::new(),
        hash: None,
        rebased: false,
        notes: Vec::new(),
    };
    match decide(wish, view, known, options, &mut report) {
        Ok(steps) => {
            if steps.is_empty() {
                report.outcome = FileOutcome::NoChange;
                report.notes.push("no changes needed".to_owned());
            }
            FilePlan { report, steps }
        }
        Err(Refused(outcome)) => {
            report.outcome = outcome;
            FilePlan { report, steps: Vec::new() }
        }
    }
}

fn decide(
    wish: Wish<'_>,
    view: &dyn FileView,
    known: &Known,
    options: &VerifyOptions<'_>,
    report: &mut FileReport,
) -> Result<Vec<Step>, Refused> {
    let path = wish.path.map_err(path_refused)?;
    let new_path = wish.rename_to.transpose().map_err(path_refused)?.filter(|new| *new != path);
    let before = view.read(&path).map_err(|why| path_refused(PathProblem::View(why)))?;
    report.hash = before.as_ref().map(|file| file.hash);
    report.moved_to = new_path.as_ref().map(ToString::to_string);

    let (base, base_known) = match known.check(&path, before.as_ref(), options) {
        Precondition::Met { proven } => (None, proven),
        Precondition::Stale { base } => (Some(base), true),
        Precondition::Refused { code, detail } => return Err(Refused::new(code, detail)),
    };
    let present = before.as_ref().map(|file| file.bytes.as_slice());
    let content = base.as_deref().or(present);
    let language_path = new_path.as_ref().unwrap_or(&path).as_str();
    let base_known = base_known || options.matching.base_known;
    let matching = MatchOptions { base_known, ..options.matching };
    let ground = Ground { path: path.as_str(), content, matching, options };
    let mut edited = carry_out(&wish.changes, ground).map_err(|failed| {
        report.hunks = failed.hunks;
        Refused::new(failed.code, failed.detail)
    })?;
    report.hunks = std::mem::take(&mut edited.hunks);
    report.notes.append(&mut edited.notes);
    report.operation = operation(before.is_some(), edited.content.is_some(), new_path.is_some());
    if let (Some(base), Some(present)) = (&base, present) {
        carry_over(&path, base, present, &mut edited)?;
        report.rebased = true;
        report.notes.push("made on an older version and carried over to this one".to_owned());
    }
    guard(language_path, present, &edited, options)?;
    let replaced = match &new_path {
        Some(new_path) if wish.may_replace => replaced(new_path, view, known, options, report)?,
        _ => None,
    };
    Ok(steps(Ends { path, new_path }, before, replaced, edited, wish.mode))
}

/// Reads the file that a moved one replaces. It must be what the model saw, like any other.
fn replaced(
    new_path: &TreePath,
    view: &dyn FileView,
    known: &Known,
    options: &VerifyOptions<'_>,
    report: &mut FileReport,
) -> Result<Option<FileState>, Refused> {
    let file = view.read(new_path).map_err(|why| path_refused(PathProblem::View(why)))?;
    match known.check(new_path, file.as_ref(), options) {
        Precondition::Met { .. } => {}
        Precondition::Stale { .. } => {
            let detail = format!("stale: {new_path}, which the moved file replaces, changed since");
            return Err(Refused::new(RefusalCode::HashMismatch, detail));
        }
        Precondition::Refused { code, detail } => return Err(Refused::new(code, detail)),
    }
    if file.is_some() {
        report.notes.push(format!("replaces {new_path}, whose content the history keeps"));
    }
    Ok(file)
}

/// Carries an edit of an older version over to the present one.
fn carry_over(
    path: &TreePath,
    base: &[u8],
    present: &[u8],
    edited: &mut Edited,
) -> Result<(), Refused> {
    let Some(content) = &edited.content else {
        let detail = format!("stale: {path} changed since the reply that deletes it was made");
        return Err(Refused::new(RefusalCode::HashMismatch, detail));
    };
    let merged = rebase(base, present, content).map_err(|conflicts| {
        let code = RefusalCode::Conflict;
        let detail = format!(
            "stale: {path} changed since, in {} of the places that the edit changes",
            conflicts.len().max(1)
        );
        Refused(FileOutcome::Refused { code, message: code.label(), detail, conflicts })
    })?;
    edited.content = Some(merged);
    Ok(())
}

fn guard(
    path: &str,
    present: Option<&[u8]>,
    edited: &Edited,
    options: &VerifyOptions<'_>,
) -> Result<(), Refused> {
    let Some(after) = edited.content.as_deref().and_then(|after| FileText::read(after).ok()) else {
        return Ok(());
    };
    let before = present.and_then(|bytes| FileText::read(bytes).ok());
    let before = before.as_ref().map(FileText::text);
    if before == Some(after.text()) {
        return Ok(());
    }
    let guarded = Guarded { path, before, after: after.text(), whole: edited.whole };
    match object(&guarded, options.probe, options.allow) {
        None => Ok(()),
        Some((code, detail)) => Err(Refused::new(code, detail)),
    }
}

const fn operation(existed: bool, stays: bool, moves: bool) -> Operation {
    match (existed, stays, moves) {
        (_, false, _) => Operation::Delete,
        (_, true, true) => Operation::Rename,
        (false, true, false) => Operation::Create,
        (true, true, false) => Operation::Update,
    }
}

/// Says what happens at the path, and at the new path; nothing when nothing changes.
fn steps(
    Ends { path, new_path }: Ends,
    before: Option<FileState>,
    replaced: Option<FileState>,
    edited: Edited,
    mode: Option<u32>,
) -> Vec<Step> {
    let old_mode = before.as_ref().map_or(NEW_FILE_MODE, |file| file.mode);
    // The bits beyond read, write and execute are none of a reply's business.
    let mode = mode.map_or(old_mode, |mode| (mode & 0o777) | (old_mode & 0o7000));
    let after = edited.content.map(|bytes| FileContent { bytes, mode });
    if let Some(new_path) = new_path {
        let moved_from = Some(path.clone());
        return vec![
            Step { path, before, after: None, moved_from: None },
            Step { path: new_path, before: replaced, after, moved_from },
        ];
    }
    let same = match (&before, &after) {
        (Some(before), Some(after)) => before.bytes == after.bytes && before.mode == after.mode,
        (None, None) => true,
        _ => false,
    };
    if same {
        return Vec::new();
    }
    vec![Step { path, before, after, moved_from: None }]
}

/// Joins the plans of all files. A file whose paths collide with those of another is refused.
pub(super) fn join_plans(plans: &mut [FilePlan], view: &dyn FileView) -> Vec<PlannedFile> {
    loop {
        match try_join(plans, view) {
            Ok(files) => return files,
            // Each round refuses at least one file more, so the rounds end.
            Err(collisions) => {
                for (index, detail) in collisions {
                    if let Some(plan) = plans.get_mut(index) {
                        plan.steps.clear();
                        plan.report.outcome =
                            FileOutcome::refused(RefusalCode::PathsCollide, detail);
                    }
                }
            }
        }
    }
}

type Collisions = Vec<(usize, String)>;

fn try_join(plans: &[FilePlan], view: &dyn FileView) -> Result<Vec<PlannedFile>, Collisions> {
    let mut files: BTreeMap<&TreePath, PlannedFile> = BTreeMap::new();
    let mut owners: BTreeMap<&TreePath, usize> = BTreeMap::new();
    let mut collisions = Collisions::new();
    for (index, step) in each_step(plans) {
        match files.get_mut(&step.path) {
            None => {
                files.insert(&step.path, planned(step));
            }
            // One file leaves the path and another comes there.
            Some(file) if file.after.is_none() && step.after.is_some() => {
                file.after.clone_from(&step.after);
                file.moved_from.clone_from(&step.moved_from);
            }
            Some(file)
                if step.after.is_none() && file.moved_from.is_some() && file.before.is_none() =>
            {
                file.before.clone_from(&step.before);
            }
            Some(_) => collisions.push((index, format!("{} is changed twice", step.path))),
        }
        owners.insert(&step.path, index);
    }
    for file in files.values().filter(|file| file.moved_from.is_some() && file.before.is_none()) {
        if let (Ok(Some(_)), Some(owner)) = (view.read(&file.path), owners.get(&file.path)) {
            let detail = format!("{} exists; a moved file may not replace it", file.path);
            collisions.push((*owner, detail));
        }
    }
    let coming: Vec<&TreePath> =
        files.values().filter(|file| file.after.is_some()).map(|file| &file.path).collect();
    for (path, objection) in check_set(&coming) {
        if let Some(owner) = owners.get(&path) {
            collisions.push((*owner, objection.why));
        }
    }
    if collisions.is_empty() { Ok(in_order(plans, files)) } else { Err(collisions) }
}

fn each_step(plans: &[FilePlan]) -> impl Iterator<Item = (usize, &Step)> {
    let steps = |(index, plan): (usize, _)| {
        let plan: &FilePlan = plan;
        plan.steps.iter().map(move |step| (index, step))
    };
    plans.iter().enumerate().flat_map(steps)
}

/// Brings the planned files into the order of the reply.
fn in_order(plans: &[FilePlan], mut files: BTreeMap<&TreePath, PlannedFile>) -> Vec<PlannedFile> {
    each_step(plans).filter_map(|(_, step)| files.remove(&step.path)).collect()
}

fn planned(step: &Step) -> PlannedFile {
    PlannedFile {
        path: step.path.clone(),
        before: step.before.clone(),
        after: step.after.clone(),
        moved_from: step.moved_from.clone(),
    }
}

fn path_refused(problem: PathProblem) -> Refused {
    match problem {
        PathProblem::Unnamed => Refused::new(
            RefusalCode::NoPath,
            "the edit names no file; write its path on the line above it, or give `--target`",
        ),
        PathProblem::View(why @ ViewError::Refused { .. }) => {
            Refused::new(RefusalCode::Path, why.to_string())
        }
        PathProblem::View(why @ ViewError::Unreadable { .. }) => {
            Refused::new(RefusalCode::Unreadable, why.to_string())
        }
    }
}
