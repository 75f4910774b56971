//! Reader of one edit format.

use super::EditOptions;
use salve_types::EditSet;

/// Reads the format; `None` when the text is not in it.
pub(super) fn read(_text: &str, _options: &EditOptions) -> Option<EditSet> {
    None
}
