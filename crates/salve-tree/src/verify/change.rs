//! One file's change carried out on its content.
//!
//! In: the changes a set wants of one file and the content they are made on. Out: the new content
//! with an outcome per hunk, or why there is none. Never: half of the hunks.

use super::{RefusalCode, VerifyOptions};
use crate::lazy::{is_lazy, resolve_lazy};
use crate::terminators::keep_terminators;
use crate::{FileText, HunkOutcome, MatchOptions, Matched, Rung, match_hunks};
use salve_types::{FileChange, Hunk, HunkBody, LineKind};

/// So many different carriers of one file are compared.
const MOST_CARRIERS: usize = 16;

/// A file after its change.
#[derive(Debug, PartialEq)]
pub(super) struct Edited {
    /// The new content; `None`: the file is deleted.
    pub(super) content: Option<Vec<u8>>,
    pub(super) hunks: Vec<HunkOutcome>,
    pub(super) notes: Vec<String>,
    /// The edit gave the whole file.
    pub(super) whole: bool,
}

/// Why a change could not be carried out.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) code: RefusalCode,
    pub(super) detail: String,
    pub(super) hunks: Vec<HunkOutcome>,
}

/// What a change is made on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) path: &'a str,
    /// The content; `None`: there is no file.
    pub(super) content: Option<&'a [u8]>,
    pub(super) matching: MatchOptions,
    pub(super) options: &'a VerifyOptions<'a>,
}

impl Failed {
    fn new(code: RefusalCode, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), hunks: Vec::new() }
    }
}

impl Edited {
    fn whole(content: Vec<u8>) -> Self {
        Self { content: Some(content), hunks: Vec::new(), notes: Vec::new(), whole: true }
    }
}

/// Carries out everything a set wants of one file.
pub(super) fn carry_out(changes: &[&FileChange], ground: Ground<'_>) -> Result<Edited, Failed> {
    match changes {
        [] => keep(ground),
        [change] => carry_out_one(change, ground),
        [FileChange::Delete, FileChange::Create(text) | FileChange::Write(text)] => {
            existing(ground)?;
            write(text, ground)
        }
        [patches @ .., FileChange::Delete]
            if patches.iter().all(|change| matches!(change, FileChange::Patch(_))) =>
        {
            delete_shown(patches, ground)
        }
        [first @ (FileChange::Create(_) | FileChange::Write(_)), patches @ ..]
            if ground.content.is_none()
                && patches.iter().all(|change| matches!(change, FileChange::Patch(_))) =>
        {
            let written = carry_out_one(first, ground)?;
            let patched = patch(patches, Ground { content: written.content.as_deref(), ..ground })?;
            Ok(Edited { whole: true, ..patched })
        }
        _ if changes.iter().all(|change| matches!(change, FileChange::Patch(_))) => {
            patch(changes, ground)
        }
        _ => agree(changes, ground),
    }
}

/// Deletes a file whose lines the reply shows, if they are all it has.
fn delete_shown(patches: &[&FileChange], ground: Ground<'_>) -> Result<Edited, Failed> {
    existing(ground)?;
    let emptied = patch(patches, ground)?;
    if emptied.content.as_ref().is_some_and(|content| !content.is_empty()) {
        let detail = format!("{} has lines that the reply does not show as deleted", ground.path);
        return Err(Failed {
            hunks: emptied.hunks,
            ..Failed::new(RefusalCode::HunkRefused, detail)
        });
    }
    Ok(Edited { content: None, whole: true, ..emptied })
}

/// Accepts several carriers of one file only where they come to the same content. A carrier that was
/// sent again is carried out once: each costs a pass over the file.
fn agree(changes: &[&FileChange], ground: Ground<'_>) -> Result<Edited, Failed> {
    let mut different: Vec<&FileChange> = Vec::new();
    for change in changes {
        if !different.contains(change) {
            different.push(change);
        }
        if different.len() > MOST_CARRIERS {
            let detail = format!(
                "the reply edits {} in more than {MOST_CARRIERS} ways; send one of them",
                ground.path
            );
            return Err(Failed::new(RefusalCode::CarriersDisagree, detail));
        }
    }
    let mut agreed: Option<Edited> = None;
    for change in different {
        let edited = carry_out_one(change, ground)?;
        match &agreed {
            Some(first) if first.content != edited.content => {
                let detail = format!(
                    "the reply edits {} in {} ways that give different contents; send one of them",
                    ground.path,
                    changes.len()
                );
                return Err(Failed::new(RefusalCode::CarriersDisagree, detail));
            }
            Some(_) => {}
            None => agreed = Some(edited),
        }
    }
    agreed.ok_or_else(|| Failed::new(RefusalCode::NoEdits, "there is nothing to do"))
}

fn carry_out_one(change: &FileChange, ground: Ground<'_>) -> Result<Edited, Failed> {
    match change {
        FileChange::Keep => keep(ground),
        FileChange::Create(text) => create(text, ground),
        FileChange::Write(text) => write(text, ground),
        FileChange::Lazy(text) => lazy(text, ground),
        FileChange::Patch(_) => patch(&[change], ground),
        FileChange::Delete => {
            existing(ground)?;
            Ok(Edited { content: None, ..Edited::whole(Vec::new()) })
        }
    }
}

fn keep(ground: Ground<'_>) -> Result<Edited, Failed> {
    let content = existing(ground)?.to_vec();
    Ok(Edited { whole: false, ..Edited::whole(content) })
}

fn create(text: &str, ground: Ground<'_>) -> Result<Edited, Failed> {
    match ground.content {
        None => Ok(Edited::whole(text.as_bytes().to_vec())),
        // A file that is there with just this content was created before: nothing to do.
        Some(content) if content == text.as_bytes() => Ok(Edited::whole(content.to_vec())),
        Some(_) => Err(Failed::new(
            RefusalCode::AlreadyExists,
            format!("{} exists; a new file may not replace it; edit it instead", ground.path),
        )),
    }
}

fn write(text: &str, ground: Ground<'_>) -> Result<Edited, Failed> {
    let Some(content) = ground.content else {
        return Ok(Edited::whole(text.as_bytes().to_vec()));
    };
    let old = read_text(content)?;
    let VerifyOptions { probe, allow, .. } = ground.options;
    if !allow.omissions && is_lazy(ground.path, old.text(), text, *probe) {
        return lazy(text, ground);
    }
    let mut edited = Edited::whole(encode(&old, &keep_terminators(&old, text))?);
    edited.hunks.push(whole_hunk(&old, Rung::Whole));
    Ok(edited)
}

fn lazy(text: &str, ground: Ground<'_>) -> Result<Edited, Failed> {
    let old = read_text(existing(ground)?)?;
    match resolve_lazy(ground.path, old.text(), text, ground.options.probe) {
        Ok(resolved) => {
            let content = encode(&old, &keep_terminators(&old, &resolved.text))?;
            let hunks = vec![whole_hunk(&old, Rung::Structure)];
            Ok(Edited { hunks, notes: resolved.notes, whole: false, ..Edited::whole(content) })
        }
        Err(why) => Err(Failed::new(RefusalCode::LazyUnresolved, why.to_string())),
    }
}

fn whole_hunk(old: &FileText, rung: Rung) -> HunkOutcome {
    let last_line = old.line_count();
    HunkOutcome::Placed { rung, first_line: 1, last_line, score: 1.0, in_result: false }
}

/// Applies patches. The hunks of all of them are placed together, in their order.
fn patch(patches: &[&FileChange], ground: Ground<'_>) -> Result<Edited, Failed> {
    let hunks: Vec<Hunk> = patches
        .iter()
        .filter_map(|change| match change {
            FileChange::Patch(hunks) => Some(hunks.as_slice()),
            _ => None,
        })
        .flatten()
        .cloned()
        .collect();
    let content = match ground.content {
        Some(content) => content,
        None if hunks.iter().all(needs_no_file) => b"",
        None => return Err(missing(ground)),
    };
    let old = read_text(content)?;
    let Matched { outcomes, text, .. } = match_hunks(&old, &hunks, &ground.matching);
    let Some(text) = text else {
        let failed = outcomes.iter().filter(|hunk| matches!(hunk, HunkOutcome::Refused(_)));
        let detail = format!("{} of {} hunks have no place", failed.count(), outcomes.len());
        return Err(Failed { code: RefusalCode::HunkRefused, detail, hunks: outcomes });
    };
    let content = Some(encode(&old, &text)?);
    Ok(Edited { content, hunks: outcomes, notes: Vec::new(), whole: false })
}

/// Tells whether a hunk can be applied where there is no file yet: it seeks nothing.
fn needs_no_file(hunk: &Hunk) -> bool {
    match &hunk.body {
        HunkBody::Lines(lines) => lines.iter().all(|line| line.kind == LineKind::Add),
        HunkBody::Block { old, .. } => old.iter().all(String::is_empty),
        HunkBody::Text { old, .. } => old.is_empty(),
        HunkBody::At(_) => false,
    }
}

fn existing<'a>(ground: Ground<'a>) -> Result<&'a [u8], Failed> {
    ground.content.ok_or_else(|| missing(ground))
}

fn missing(ground: Ground<'_>) -> Failed {
    let detail = format!(
        "{} does not exist; name a file that exists, or ask the user to attach it",
        ground.path
    );
    Failed::new(RefusalCode::MissingFile, detail)
}

fn read_text(content: &[u8]) -> Result<FileText, Failed> {
    FileText::read(content).map_err(|why| Failed::new(RefusalCode::Unreadable, why.to_string()))
}

fn encode(old: &FileText, text: &str) -> Result<Vec<u8>, Failed> {
    old.encode(text).map_err(|why| Failed::new(RefusalCode::Unreadable, why.to_string()))
}
