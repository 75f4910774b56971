//! The file that a workflow writes.
//!
//! In: the path of the input, the words of the request. Out: one path, as it was written. Never guesses between two.

use crate::session::mentioned_paths;

/// Why there is no path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// None is named.
    #[error("the request names no file, and the input has no `path`; name one of them")]
    None,
    /// Several are named.
    #[error("the request names several files ({}); say which one as `path` of the input", .0.join(", "))]
    Several(Vec<String>),
}

/// Returns the path that is written: the input's, else the one that the request names.
///
/// # Errors
/// When there is none, or more than one.
pub fn target_path(
    given: Option<&str>,
    request: &str,
    exists: impl Fn(&str) -> bool,
) -> Result<String, TargetError> {
    if let Some(path) = given.map(str::trim).filter(|path| !path.is_empty()) {
        return Ok(path.to_owned());
    }
    let mut named: Vec<String> = Vec::new();
    for path in mentioned_paths(request) {
        let path = path.trim_start_matches("./").to_owned();
        let file = path.rsplit('/').next().unwrap_or(&path);
        // A word with a stroke in it may be no path; one with an ending is, and so is what is there.
        let has_ending = file.rsplit_once('.').is_some_and(|(stem, ending)| {
            !stem.is_empty() && ending.chars().all(char::is_alphanumeric) && !ending.is_empty()
        });
        if (has_ending || exists(&path)) && !named.contains(&path) {
            named.push(path);
        }
    }
    match named.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(TargetError::None),
        _ => Err(TargetError::Several(named)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_the_inputs_else_the_one_that_the_request_names() {
        let found = |given: Option<&str>, request: &str| {
            target_path(given, request, |path| path == "Makefile")
        };
        let several = |paths: &[&str]| {
            Err(TargetError::Several(paths.iter().map(|path| (*path).to_owned()).collect()))
        };
        for (given, request, expected) in [
            (Some("a.ts"), "write b.ts", Ok("a.ts".to_owned())),
            (None, "Write src/limit.ts with a limiter.", Ok("src/limit.ts".to_owned())),
            (None, "Write `src/limit.ts`; again: src/limit.ts!", Ok("src/limit.ts".to_owned())),
            (None, "Add a target to ./Makefile", Ok("Makefile".to_owned())),
            (None, "Write a limiter", Err(TargetError::None)),
            (Some("  "), "Write a limiter", Err(TargetError::None)),
            (None, "Move a.ts to b.ts", several(&["a.ts", "b.ts"])),
        ] {
            assert_eq!(found(given, request), expected, "{request}");
        }
    }
}
