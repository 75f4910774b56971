//! The size of the history and how it is kept within its cap.
//!
//! In: the contents that are kept and the change sets that need them. Out: less of them, oldest
//! first. Never: a content forgotten that a checkpoint or a newer change set needs; an entry of the
//! history rewritten: one whose contents are gone says that it cannot be reached any more.

use super::{ChangeSet, History};
use crate::apply::begin;
use crate::checkpoint;
use crate::{ContentHash, TreeError, Workspace};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How much the history keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct HistorySize {
    /// How many contents.
    pub contents: usize,
    /// Their bytes on disk.
    pub bytes: u64,
    /// The most bytes that a collection leaves.
    pub cap: u64,
}

/// What a collection did.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GcReport {
    /// Contents forgotten.
    pub forgotten: usize,
    /// Bytes freed.
    pub freed: u64,
    /// What is kept now.
    pub kept: HistorySize,
}

impl History {
    /// Measures what the history of a workspace keeps.
    pub fn size(workspace: &Workspace) -> Result<HistorySize, TreeError> {
        let listed = match workspace.blobs()? {
            Some(blobs) => blobs.list()?,
            None => Vec::new(),
        };
        let bytes = listed.iter().map(|(_, size)| size).sum();
        Ok(HistorySize { contents: listed.len(), bytes, cap: workspace.options().history_cap })
    }

    /// Tells which change sets can still be reached: all their contents are kept.
    pub fn rewindable(&self, workspace: &Workspace) -> Result<BTreeSet<&str>, TreeError> {
        let Some(blobs) = workspace.blobs()? else { return Ok(BTreeSet::new()) };
        let kept: BTreeSet<ContentHash> = blobs.list()?.into_iter().map(|(hash, _)| hash).collect();
        let whole =
            |change: &&ChangeSet| change.applied && needs(change).all(|hash| kept.contains(&hash));
        Ok(self.changes.iter().filter(whole).map(|change| change.id.as_str()).collect())
    }

    /// Forgets the contents of the oldest change sets until the rest is within the cap.
    pub fn gc(workspace: &Workspace) -> Result<GcReport, TreeError> {
        let (state, log) = begin(workspace)?;
        let history = Self::of(&log);
        let sizes: BTreeMap<ContentHash, u64> = state.blobs.list()?.into_iter().collect();
        let cap = workspace.options().history_cap;
        let mut keep = checkpoint::needed(workspace)?;
        let mut total: u64 = keep.iter().filter_map(|hash| sizes.get(hash)).sum();
        for change in history.changes.iter().rev() {
            let new: BTreeSet<_> = needs(change).filter(|hash| !keep.contains(hash)).collect();
            total += new.iter().filter_map(|hash| sizes.get(hash)).sum::<u64>();
            if total > cap {
                break;
            }
            keep.extend(new);
        }
        let (mut forgotten, mut freed) = (0, 0);
        for (hash, size) in sizes.iter().filter(|(hash, _)| !keep.contains(hash)) {
            state.blobs.forget(*hash)?;
            forgotten += 1;
            freed += size;
        }
        drop(state);
        Ok(GcReport { forgotten, freed, kept: Self::size(workspace)? })
    }
}

fn needs(change: &ChangeSet) -> impl Iterator<Item = ContentHash> {
    change.files.iter().flat_map(|file| [file.old, file.new]).flatten().map(|version| version.hash)
}
