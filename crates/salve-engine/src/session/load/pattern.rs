//! From a pattern to the files that fit it.
//!
//! In: a pattern as a person or a model wrote it, and the names of the workspace. Out: the files, the likeliest
//! first, or why there is none. Never matches a name that was not listed.

use super::{OmitCode, SearchCode};
use crate::facts::CommandPaths;
use crate::session::plan::WorkspaceNames;
use globset::GlobBuilder;
use salve_check::{PathConcern, PathFacts, PathJudgement, PathKind, PathUse};
use salve_tree::Root;

/// The longest pattern.
const LONGEST: usize = 500;

/// What a pattern gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found<'a> {
    Files(Vec<&'a str>),
    Nothing(SearchCode),
}

/// Finds the files of a pattern.
pub(super) fn find<'a>(root: &Root, names: &'a WorkspaceNames, written: &str) -> Found<'a> {
    let pattern = match plain(root, written) {
        Ok(pattern) => pattern,
        Err(code) => return Found::Nothing(code),
    };
    // A name is itself before it is a pattern: `app/[slug]/page.tsx`.
    if let Some(path) = names.paths().iter().find(|path| **path == pattern) {
        return Found::Files(vec![path]);
    }
    let folder = pattern.trim_end_matches('/');
    let below = format!("{folder}/");
    if names.has_folder(folder) {
        let inside = names.paths().iter().filter(|path| path.starts_with(&below));
        return Found::Files(sorted(inside.map(String::as_str).collect(), ""));
    }
    let glob = GlobBuilder::new(&pattern).literal_separator(true).backslash_escape(false).build();
    let Ok(glob) = glob else { return Found::Nothing(SearchCode::BadPattern) };
    let matcher = glob.compile_matcher();
    let fits = names.paths().iter().filter(|path| matcher.is_match(path.as_str()));
    let fits: Vec<&str> = fits.map(String::as_str).collect();
    if fits.is_empty() {
        return Found::Nothing(why_nothing(root, &pattern));
    }
    Found::Files(sorted(fits, &pattern))
}

// Relative to the workspace, or not at all.
fn plain(root: &Root, written: &str) -> Result<String, SearchCode> {
    let written = written.trim();
    if written.is_empty() || written.len() > LONGEST || written.contains(char::is_control) {
        return Err(SearchCode::BadPattern);
    }
    let slashed = if written.contains('\\') && !written.contains('/') {
        written.replace('\\', "/")
    } else {
        written.to_owned()
    };
    let below = root.path().to_str().and_then(|root| slashed.strip_prefix(root));
    let relative = match below.and_then(|rest| rest.strip_prefix('/')) {
        Some(relative) => relative,
        None => slashed.strip_prefix("./").unwrap_or(&slashed),
    };
    let leaves = relative.starts_with(['/', '~'])
        || relative.split('/').any(|step| step == "..")
        || relative.chars().nth(1) == Some(':');
    if leaves {
        return Err(SearchCode::Outside);
    }
    if relative.trim_matches(['/', '.']).is_empty() {
        return Err(SearchCode::BadPattern);
    }
    Ok(relative.to_owned())
}

// A name that was not listed may still be there: ignored by the project, or none that is read.
fn why_nothing(root: &Root, pattern: &str) -> SearchCode {
    let paths = CommandPaths::new(root);
    if pattern.contains(['*', '?', '[', '{']) {
        let picks = paths.picks_secrets(pattern);
        return if picks { SearchCode::LeftOut(OmitCode::Secret) } else { SearchCode::NoMatch };
    }
    match paths.judge(pattern, PathUse::Read) {
        PathJudgement::Ask { concern: PathConcern::Secret, .. } => {
            SearchCode::LeftOut(OmitCode::Secret)
        }
        PathJudgement::Ask { concern: PathConcern::Outside, .. } => SearchCode::Outside,
        _ if paths.kind(pattern) == PathKind::Missing => SearchCode::NoMatch,
        _ => SearchCode::Ignored,
    }
}

// The file that a pattern was made of first, tests last, then the nearest to the root.
fn sorted<'a>(mut files: Vec<&'a str>, pattern: &str) -> Vec<&'a str> {
    let last = pattern.rsplit('/').next().unwrap_or_default().replace('*', "");
    files.sort_by_cached_key(|path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_test = name.contains("test") || name.contains("spec");
        (name != last, is_test, path.matches('/').count(), *path)
    });
    files
}
