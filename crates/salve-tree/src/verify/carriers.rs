//! What the set wants of each file: edits of one file brought together.
//!
//! In: the edits of a set. Out: per file one wish, its paths admitted. Never: a choice between
//! edits that contradict each other.

use super::VerifyOptions;
use crate::{FileView, TreePath, ViewError};
use salve_types::{EditFormat, EditSet, FileChange, FileEdit};

/// What is to happen to one file.
#[derive(Debug)]
pub(super) struct Wish<'a> {
    /// The path as written.
    pub(super) written: String,
    /// The admitted path, or why there is none.
    pub(super) path: Result<TreePath, PathProblem>,
    /// Where the file goes, when it is moved.
    pub(super) rename_to: Option<Result<TreePath, PathProblem>>,
    /// The format lets a moved file replace the one at its new path.
    pub(super) may_replace: bool,
    /// The permission bits, when some edit gives them.
    pub(super) mode: Option<u32>,
    /// The changes, in the order of the reply.
    pub(super) changes: Vec<&'a FileChange>,
}

/// Why an edit has no path.
#[derive(Debug, Clone)]
pub(super) enum PathProblem {
    /// Neither the edit nor the caller names a file.
    Unnamed,
    /// The tree does not admit it.
    View(ViewError),
}

/// Brings the edits of each file together, in the order in which the files come up.
pub(super) fn gather<'a>(
    edits: &'a EditSet,
    view: &dyn FileView,
    options: &VerifyOptions<'_>,
) -> Vec<Wish<'a>> {
    let mut wishes: Vec<Wish<'a>> = Vec::new();
    let mut by_path = std::collections::HashMap::new();
    for edit in &edits.files {
        let written = edit.path.as_deref().or(options.target).unwrap_or_default();
        let path = match written {
            "" if edit.path.is_none() => Err(PathProblem::Unnamed),
            _ => view.admit(written).map_err(PathProblem::View),
        };
        let known = path.as_ref().ok().and_then(|path| by_path.get(path)).copied();
        let index = known.unwrap_or_else(|| {
            if let Ok(path) = &path {
                by_path.insert(path.clone(), wishes.len());
            }
            let written = written.to_owned();
            let changes = Vec::new();
            // The tools that `apply_patch` comes from move over an existing file; git refuses to.
            let may_replace = edits.format == EditFormat::ApplyPatch;
            wishes.push(Wish { written, path, rename_to: None, may_replace, mode: None, changes });
            wishes.len() - 1
        });
        if let Some(wish) = wishes.get_mut(index) {
            add(wish, edit, view);
        }
    }
    wishes
}

fn add<'a>(wish: &mut Wish<'a>, edit: &'a FileEdit, view: &dyn FileView) {
    if let Some(new_path) = &edit.rename_to {
        wish.rename_to = Some(view.admit(new_path).map_err(PathProblem::View));
    }
    wish.mode = edit.mode.or(wish.mode);
    if edit.change != FileChange::Keep {
        wish.changes.push(&edit.change);
    }
}
