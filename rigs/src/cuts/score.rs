//! Whether a verdict is right about a cut.
//!
//! In: a cut with its truth, and the verdict on its prefix. Out: right or not, and what was expected
//! in words. Never asks the inspector for the truth: where nothing is open, the grammar decides
//! whether the prefix is valid by itself.

use super::sample::Cut;
use super::truth::What;
use super::valid::{Validity, validity};
use salve_types::{Language, TruncationKind, Verdict};

/// What a verdict on a cut should say.
#[derive(Default)]
pub(crate) struct Expected {
    /// Kinds that are right. The first is the truth by the letter; the others are as good.
    kinds: Vec<TruncationKind>,
    /// Nothing is open and the prefix is valid by itself.
    whole: bool,
    /// Nothing is open and the prefix is not valid.
    any_cut: bool,
}

impl Expected {
    /// Works out what a verdict on `cut` should say.
    pub(crate) fn of(cut: &Cut<'_>) -> Self {
        let language = cut.file.language;
        let mut expected = Self::default();
        if let Some(innermost) = cut.open.innermost {
            expected.kinds.push(innermost.what.kind(language));
            if cut.open.block.is_some() {
                expected.kinds.push(TruncationKind::OpenBlock);
            }
            if innermost.what == What::Backquote {
                let also = [TruncationKind::OpenTemplateLiteral, TruncationKind::OpenBlock];
                expected.kinds.extend(also);
            }
            if is_maybe_lifetime(cut) {
                expected.kinds.push(TruncationKind::UnbalancedBraces);
            }
        } else {
            let validity = validity(cut.prefix(), language);
            expected.whole = validity != Validity::Invalid;
            expected.any_cut = validity != Validity::Valid;
        }
        // A cut through an opener (`/` of `/*`, `""` of `"""`) reads as before it, as after it, or
        // as the shorter opener that its first byte is.
        if let Some(split) = cut.open.split {
            expected.kinds.push(split.what.kind(language));
            expected.kinds.extend(match (split.what, &cut.prefix()[split.opener.start..]) {
                (What::Comment, "/") => Some(TruncationKind::OpenRegex),
                (What::Comment, read) if read.starts_with('<') => Some(TruncationKind::OpenJsxTag),
                _ => None,
            });
        }
        expected
    }

    /// Tells whether a verdict is right.
    pub(crate) fn accepts(&self, verdict: &Verdict) -> bool {
        if verdict.is_valid {
            return self.whole;
        }
        self.any_cut || verdict.kind.is_some_and(|kind| self.kinds.contains(&kind))
    }

    /// Returns the expectation in words.
    pub(crate) fn words(&self) -> String {
        let mut words: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        if self.whole {
            words.push("whole");
        }
        if self.any_cut {
            words.push("any cut");
        }
        words.join(" or ")
    }
}

// `'a` is how both a lifetime and a character begin; no reader can tell before the next byte.
fn is_maybe_lifetime(cut: &Cut<'_>) -> bool {
    let Some(innermost) = cut.open.innermost else { return false };
    let read = &cut.prefix()[innermost.opener.start..];
    cut.file.language == Language::Rust
        && innermost.what == What::SingleQuote
        && read.starts_with('\'')
        && read[1..].chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}
