//! Expansion of a pattern with folders in it, as `bash` expands it in the C locale.
//!
//! In: a pattern and a lister of folders. Out: the matching paths sorted by bytes; none
//! means that the word stays as it is. Never reads a folder itself, and never returns more than a
//! bounded number of paths.

use super::pattern::{Pattern, PatternError};
use crate::GlobMatches;

/// The most paths that one pattern may stand for, at any depth.
pub const MAX_MATCHES: usize = 4096;

/// How much of the tree the patterns of one line may look at together. What is counted is work, not
/// time: the answer to a line is the same on every machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingBudget {
    /// Folders that may still be listed.
    pub folders: usize,
    /// Names that may still be read.
    pub names: usize,
    /// Single paths that may still be looked at.
    pub looks: usize,
}

impl Default for ListingBudget {
    fn default() -> Self {
        Self { folders: 128, names: 50_000, looks: 4_096 }
    }
}

impl ListingBudget {
    fn take(left: &mut usize, count: usize) -> Result<(), String> {
        match left.checked_sub(count) {
            Some(rest) => {
                *left = rest;
                Ok(())
            }
            None => {
                Err("the patterns of the line look at more of the tree than is allowed".to_owned())
            }
        }
    }
}

/// Lists folders for [`expand_pattern`]; paths are relative to where the command would run, or
/// absolute, as the pattern is.
pub trait ListFolder {
    /// Returns the names in a folder without `.` and `..`; none when there is no such folder.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be told.
    fn names(&self, folder: &str) -> Result<Vec<String>, String>;

    /// Returns whether something is at a path, a symlink to nothing included.
    fn exists(&self, path: &str) -> bool;

    /// Returns whether a path is a folder, symlinks followed.
    fn is_folder(&self, path: &str) -> bool;
}

/// Checks that every component of a pattern is one that shells agree on.
pub(super) fn check(pattern: &str) -> Result<(), PatternError> {
    if pattern.contains("//") {
        return Err(PatternError::Separator);
    }
    pattern.split('/').try_for_each(|component| Pattern::new(component).map(drop))
}

/// Expands a pattern, as far as the budget goes.
pub fn expand_pattern(
    pattern: &str,
    folders: &impl ListFolder,
    budget: &mut ListingBudget,
) -> GlobMatches {
    match try_expand(pattern, folders, budget) {
        Ok(paths) => GlobMatches::Names(paths),
        Err(why) => GlobMatches::Unknown(why),
    }
}

fn try_expand(
    pattern: &str,
    folders: &impl ListFolder,
    budget: &mut ListingBudget,
) -> Result<Vec<String>, String> {
    let components: Result<Vec<Pattern>, _> = pattern.split('/').map(Pattern::new).collect();
    let components = components.map_err(|error| error.to_string())?;
    let mut paths = vec![String::new()];
    let mut has_expanded = false;
    for (index, component) in components.iter().enumerate() {
        let is_last = index + 1 == components.len();
        paths = match component.literal() {
            Some(name) => followed(paths, &name, has_expanded, folders, budget)?,
            None => {
                has_expanded = true;
                expanded(&paths, component, folders, budget)?
            }
        };
        if !is_last {
            paths.iter_mut().for_each(|path| path.push('/'));
        }
    }
    paths.sort_unstable();
    Ok(paths)
}

// After a pattern, a plain name stays only where it exists, and a last `/` only after a folder.
fn followed(
    paths: Vec<String>,
    name: &str,
    has_expanded: bool,
    folders: &impl ListFolder,
    budget: &mut ListingBudget,
) -> Result<Vec<String>, String> {
    let mut kept = Vec::new();
    for mut path in paths {
        ListingBudget::take(&mut budget.looks, usize::from(has_expanded))?;
        let is_there = match name {
            _ if !has_expanded => true,
            "" => folders.is_folder(&path),
            _ => {
                path.push_str(name);
                folders.exists(&path)
            }
        };
        if !has_expanded {
            path.push_str(name);
        }
        if is_there {
            kept.push(path);
        }
    }
    Ok(kept)
}

fn expanded(
    paths: &[String],
    component: &Pattern,
    folders: &impl ListFolder,
    budget: &mut ListingBudget,
) -> Result<Vec<String>, String> {
    let mut matches = Vec::new();
    for path in paths {
        let folder = if path.is_empty() { "." } else { path.as_str() };
        ListingBudget::take(&mut budget.looks, 1)?;
        if !folders.is_folder(folder) {
            continue;
        }
        ListingBudget::take(&mut budget.folders, 1)?;
        let names = folders.names(folder)?;
        ListingBudget::take(&mut budget.names, names.len())?;
        for name in names {
            if component.matches(&name) {
                matches.push(format!("{path}{name}"));
            }
            if matches.len() > MAX_MATCHES {
                return Err(format!("the pattern stands for more than {MAX_MATCHES} paths"));
            }
        }
    }
    Ok(matches)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A tree in which every folder holds the same hundred folders.
    #[derive(Default)]
    struct Wide {
        listed: Cell<usize>,
        looked: Cell<usize>,
    }

    impl ListFolder for Wide {
        fn names(&self, _: &str) -> Result<Vec<String>, String> {
            self.listed.set(self.listed.get() + 1);
            Ok((0..100).map(|number| format!("d{number}")).collect())
        }

        fn exists(&self, _: &str) -> bool {
            self.looked.set(self.looked.get() + 1);
            true
        }

        fn is_folder(&self, path: &str) -> bool {
            self.exists(path)
        }
    }

    #[test]
    fn the_patterns_of_a_line_share_one_budget() {
        let (tree, mut budget) = (Wide::default(), ListingBudget::default());
        let most = budget.clone();
        assert!(matches!(expand_pattern("*", &tree, &mut budget), GlobMatches::Names(_)));
        for pattern in ["*/*", "*/z*", "*/*/*", "*/d1/*/d2"].into_iter().cycle().take(64) {
            let _ = expand_pattern(pattern, &tree, &mut budget);
        }
        assert!(matches!(expand_pattern("*/z0*", &tree, &mut budget), GlobMatches::Unknown(_)));
        assert!(tree.listed.get() <= most.folders, "{} folders listed", tree.listed.get());
        assert!(tree.looked.get() <= most.looks, "{} paths looked at", tree.looked.get());
    }
}
