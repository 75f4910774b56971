//! What lies beside a file, seen from its folder up to the top of the checked folder.
//!
//! In: what a spec says about neighbours, the files of the folder. Out: whether a folder is one where
//! it applies, and the project that a folder belongs to. What lies above a project of its own does not
//! count for it. Never opens a file.

use super::Applies;
use super::name_pattern::{file_name, folder_of, name_matches};
use super::survey::Survey;
use std::collections::BTreeSet;

/// The folders that hold a file that a spec asks about.
pub(super) struct Neighbours<'a> {
    asks: bool,
    called_for: BTreeSet<&'a str>,
    held_off: BTreeSet<&'a str>,
    projects: BTreeSet<&'a str>,
}

impl<'a> Neighbours<'a> {
    pub(super) fn of(applies: &Applies, survey: &'a Survey) -> Self {
        let folders_with = |names: &[String]| -> BTreeSet<&'a str> {
            let is_named =
                |path: &&'a str| names.iter().any(|pattern| name_matches(pattern, file_name(path)));
            let files = survey.files.iter().map(String::as_str);
            if names.is_empty() {
                return BTreeSet::new();
            }
            files.filter(is_named).map(folder_of).collect()
        };
        Self {
            asks: !applies.beside.is_empty(),
            called_for: folders_with(&applies.beside),
            held_off: folders_with(&applies.not_beside),
            projects: folders_with(&applies.project_files),
        }
    }

    /// Tells whether a spec applies in a folder, as far as its neighbours say.
    pub(super) fn admit(&self, folder: &str) -> bool {
        let mut called_for = !self.asks;
        for folder in upwards(folder) {
            if self.held_off.contains(folder) {
                return false;
            }
            called_for |= self.called_for.contains(folder);
            if self.projects.contains(folder) {
                break;
            }
        }
        called_for
    }

    /// Returns the folder of the project that a folder belongs to.
    pub(super) fn project_of<'b>(&self, folder: &'b str) -> Option<&'b str> {
        upwards(folder).find(|above| self.projects.contains(above))
    }
}

/// Iterates over a folder and those above it, up to the top, which is empty.
pub(super) fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| folder_of(folder)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upwards_ends_at_the_top() {
        assert_eq!(upwards("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(upwards("").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn the_nearest_project_ends_the_search() {
        let files = ["app/x.c", "one.lock", "web/two.lock", "web/src/a"].map(str::to_owned);
        let survey = Survey { files: files.into(), ..Survey::default() };
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let applies = Applies {
            beside: owned(&["one.lock"]),
            project_files: owned(&["*.lock"]),
            ..Applies::default()
        };
        let neighbours = Neighbours::of(&applies, &survey);
        assert!(neighbours.admit("") && neighbours.admit("app"));
        assert!(!neighbours.admit("web") && !neighbours.admit("web/src"));
        assert_eq!(neighbours.project_of("web/src"), Some("web"));
        assert_eq!(neighbours.project_of("app"), Some(""));
    }
}
