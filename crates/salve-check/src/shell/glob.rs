//! Expansion of a pattern with folders in it, as `bash` expands it in the C locale.
//!
//! In: a pattern and a lister of folders. Out: the matching paths sorted by bytes; none
//! means that the word stays as it is. Never reads a folder itself, and never returns more than a
//! bounded number of paths.

use super::pattern::{Pattern, PatternError};
use crate::GlobMatches;

/// The most paths that one pattern may stand for, at any depth.
pub const MAX_MATCHES: usize = 4096;

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

/// Expands a pattern.
pub fn expand_pattern(pattern: &str, folders: &impl ListFolder) -> GlobMatches {
    let components: Result<Vec<Pattern>, _> = pattern.split('/').map(Pattern::new).collect();
    let components = match components {
        Ok(components) => components,
        Err(error) => return GlobMatches::Unknown(error.to_string()),
    };
    let mut paths = vec![String::new()];
    let mut has_expanded = false;
    for (index, component) in components.iter().enumerate() {
        let is_last = index + 1 == components.len();
        paths = match component.literal() {
            Some(name) => followed(paths, &name, has_expanded, folders),
            None => {
                has_expanded = true;
                match expanded(&paths, component, folders) {
                    Ok(paths) => paths,
                    Err(why) => return GlobMatches::Unknown(why),
                }
            }
        };
        if !is_last {
            paths.iter_mut().for_each(|path| path.push('/'));
        }
    }
    paths.sort_unstable();
    GlobMatches::Names(paths)
}

// After a pattern, a plain name stays only where it exists, and a last `/` only after a folder.
fn followed(
    paths: Vec<String>,
    name: &str,
    has_expanded: bool,
    folders: &impl ListFolder,
) -> Vec<String> {
    let mut kept = Vec::new();
    for mut path in paths {
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
    kept
}

fn expanded(
    paths: &[String],
    component: &Pattern,
    folders: &impl ListFolder,
) -> Result<Vec<String>, String> {
    let mut matches = Vec::new();
    for path in paths {
        let folder = if path.is_empty() { "." } else { path.as_str() };
        if !folders.is_folder(folder) {
            continue;
        }
        for name in folders.names(folder)? {
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
