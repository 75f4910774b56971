//! Asks a person about every hunk of a plan.
//!
//! In: a verified plan. Out: the part of it that was taken. Never takes what was not answered.

use crate::change;
use crate::failure::Failure;
use crate::keys::Keys;
use crate::review_keys::ReviewKeys;
use salve_tree::VerifiedEdits;

/// What a person took.
pub(super) enum Choice {
    /// All or a part.
    Taken(VerifiedEdits),
    /// Nothing.
    Left,
}

/// Asks about every hunk of a plan.
pub(super) fn choose(verified: VerifiedEdits) -> Result<Choice, Failure> {
    let mut review = ReviewKeys::new(Keys::open()?);
    let mut failure = None;
    let kept = verified.keep(|file, hunk| {
        let path = file.path.as_str();
        let drawn = || match hunk {
            Some(hunk) => format!("{}\n{}", change::visible(path), change::hunk(hunk)),
            None => change::planned(file),
        };
        review.takes(path, drawn).unwrap_or_else(|error| {
            failure.get_or_insert(error);
            review.stop();
            false
        })
    });
    match failure {
        Some(failure) => Err(failure),
        None if kept.files().is_empty() => Ok(Choice::Left),
        None => Ok(Choice::Taken(kept)),
    }
}
