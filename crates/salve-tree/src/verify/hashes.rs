//! The precondition: a file is what the model saw when it made the edit.
//!
//! In: the hashes a carrier echoes and those the caller knows. Out: met, stale with the base, or
//! the refusal. Never: trust in a hash that we did not compute ourselves.

use super::{RefusalCode, VerifyOptions};
use crate::{ContentHash, FileState, FileView, TreePath};
use salve_types::EditSet;
use std::collections::BTreeMap;

/// The hashes that are known of the files of a set.
#[derive(Debug)]
pub(super) struct Known {
    demanded: bool,
    by_path: BTreeMap<TreePath, Vec<String>>,
}

/// What the precondition says about one file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Precondition {
    /// The file is what the model saw, or no hash is demanded.
    Met {
        /// A hash says so.
        proven: bool,
    },
    /// The file moved on since; this is what the model saw.
    Stale { base: Vec<u8> },
    /// The edit may not be applied.
    Refused { code: RefusalCode, detail: String },
}

impl Known {
    /// Gathers the hashes under normalised paths, so that `./a.py` is `a.py`.
    pub(super) fn gather(
        edits: &EditSet,
        view: &dyn FileView,
        options: &VerifyOptions<'_>,
    ) -> Self {
        let mut by_path: BTreeMap<TreePath, Vec<String>> = BTreeMap::new();
        let given = edits.hashes.iter().chain(options.bases).flatten();
        for (written, hash) in given {
            if let Ok(path) = view.admit(written) {
                by_path.entry(path).or_default().push(hash.clone());
            }
        }
        Self { demanded: edits.hashes.is_some() || options.bases.is_some(), by_path }
    }

    /// Compares the file with the hashes of its path.
    pub(super) fn check(
        &self,
        path: &TreePath,
        file: Option<&FileState>,
        options: &VerifyOptions<'_>,
    ) -> Precondition {
        let given = self.by_path.get(path).map_or(&[][..], Vec::as_slice);
        let wrong = match file {
            Some(file) => given.iter().find(|hash| !ContentHash::names(hash, &file.bytes)),
            // A hash of a file that is not there: either the file is new and the hash is noise, or
            // the file was removed since. Only the history can tell.
            None => given.iter().find(|hash| former(path, hash, options).is_some()),
        };
        match (wrong, file) {
            (Some(hash), Some(file)) => mismatch(path, hash, file, options),
            (Some(hash), None) => Precondition::Refused {
                code: RefusalCode::HashMismatch,
                detail: format!("stale: {path} was removed since it was {}", short(hash)),
            },
            (None, Some(file)) if self.demanded && given.is_empty() => Precondition::Refused {
                code: RefusalCode::NoHashProvided,
                detail: format!(
                    "an edit of {path} must name the hash of what it was made on; \
                     the file is {} now",
                    short(&file.hash.hex())
                ),
            },
            (None, file) => Precondition::Met { proven: file.is_some() && !given.is_empty() },
        }
    }
}

fn mismatch(
    path: &TreePath,
    written: &str,
    file: &FileState,
    options: &VerifyOptions<'_>,
) -> Precondition {
    if let Some(base) = former(path, written, options) {
        return Precondition::Stale { base };
    }
    Precondition::Refused {
        code: RefusalCode::HashMismatch,
        detail: format!(
            "never seen: no known version of {path} is {}; it is {} now; read it again",
            short(written),
            short(&file.hash.hex())
        ),
    }
}

/// Finds the former content that a hash names, and checks that it does.
fn former(path: &TreePath, written: &str, options: &VerifyOptions<'_>) -> Option<Vec<u8>> {
    let base = options.history?.base(path, written)?;
    ContentHash::names(written, &base).then_some(base)
}

/// Shortens a hash for a message; a reply may have put anything in its place.
pub(super) fn short(hash: &str) -> String {
    hash.chars().filter(|character| !character.is_control()).take(12).collect()
}
