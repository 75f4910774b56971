//! Normalising: twice is once, and no line is lost.
//!
//! In: text. Out: a panic when a second pass changes anything or the number of lines differs. Never
//! judges whether a placeholder was right.

use crate::input;
use salve_check::normalise;

pub(super) fn check(bytes: &[u8]) {
    let text = input::text(bytes);
    let once = normalise(&text);
    assert_eq!(normalise(&once), once, "normalising twice is not normalising once");
    assert_eq!(once.matches('\n').count(), text.matches('\n').count(), "a line was lost");
    assert!(!once.contains('\u{1b}'));
}
