//! Files in memory, for tests of the heal loop's parts.
//!
//! In: paths and texts. Out: the same as [`Sources`]. Never in the product.

use super::Sources;
use std::collections::BTreeMap;

/// Files by their paths.
pub(crate) struct Files(BTreeMap<String, String>);

impl Files {
    /// Takes files.
    pub(crate) fn of<P: Into<String>, T: Into<String>>(
        files: impl IntoIterator<Item = (P, T)>,
    ) -> Self {
        Self(files.into_iter().map(|(path, text)| (path.into(), text.into())).collect())
    }
}

impl Sources for Files {
    fn read(&self, path: &str) -> Option<String> {
        self.0.get(path).cloned()
    }

    fn list(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}
