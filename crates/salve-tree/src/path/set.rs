//! The rules on the paths of one set together.
//!
//! In: the paths that will exist and change. Out: the pairs that cannot be applied together.
//! Never: a look at the disk.

use super::{Objection, PathRule, similar};
use crate::TreePath;
use std::collections::BTreeMap;

/// Finds paths of one set that exclude each other: a file and a directory of one name, or names
/// that a case-insensitive file system takes for one. `coming` are the paths that will exist.
pub(crate) fn check_set(coming: &[&TreePath]) -> Vec<(TreePath, Objection)> {
    let mut found = Vec::new();
    let mut looks: BTreeMap<String, &TreePath> = BTreeMap::new();
    for path in coming {
        let folded = similar::skeleton(path.as_str());
        match looks.get(&folded) {
            Some(twin) if *twin != *path => found.push((
                (*path).clone(),
                Objection::new(
                    PathRule::CaseTwin,
                    format!("{twin} of the same reply is the same name where case does not count"),
                ),
            )),
            _ => {
                looks.insert(folded, path);
            }
        }
    }
    for path in coming {
        let text = path.as_str();
        for (end, _) in text.match_indices('/') {
            let above = similar::skeleton(&text[..end]);
            if let Some(file) = looks.get(&above) {
                found.push((
                    (*path).clone(),
                    Objection::new(
                        PathRule::FileAndDirectory,
                        format!(
                            "{file} of the same reply is a file, so nothing can stand below it"
                        ),
                    ),
                ));
            }
        }
    }
    found
}
