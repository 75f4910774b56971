//! Edits: a reply in any edit format becomes one [`EditSet`].
//!
//! In: a reply's text. Out: what it wants changed, whether it ended where an edit may end, and
//! what was repaired on the way. Never: a look at a file, a guess at what a cut reply would have
//! said.

mod apply_patch;
mod blocks;
mod original_changed;
mod tool_call;
mod unified;
mod whole;

use salve_types::{EditEnd, EditFormat, EditSet};

/// What the caller knows about the edit.
#[derive(Debug, Clone, Default)]
pub struct EditOptions {
    /// The format somebody says it is; a hint, the content decides.
    pub format: Option<EditFormat>,
    /// The file that is meant where the reply names none.
    pub target: Option<String>,
    /// 1-based lines where the hunks are thought to begin, one per hunk or one for all.
    pub hints: Vec<u32>,
}

/// Reads one format: `None` when the text is not in it at all.
type Reader = fn(&str, &EditOptions) -> Option<EditSet>;

/// The readers in the order in which they are asked: the ones with the strongest marks first.
const READERS: &[(EditFormat, Reader)] = &[
    (EditFormat::ApplyPatch, apply_patch::read),
    (EditFormat::SearchReplace, blocks::read),
    (EditFormat::JsonTool, tool_call::read),
    (EditFormat::UnifiedDiff, unified::read),
    (EditFormat::OriginalChanged, original_changed::read),
    (EditFormat::WholeFile, whole::read),
];

/// Reads the edits of a reply in whatever format they are written.
pub fn parse_edits(text: &str, options: &EditOptions) -> EditSet {
    READERS.iter().find_map(|(_, read)| read(text, options)).unwrap_or_else(|| EditSet {
        format: EditFormat::Unknown,
        files: Vec::new(),
        end: EditEnd::Malformed { at: 0, why: "no edit format was recognised".to_owned() },
        notes: Vec::new(),
        hashes: None,
    })
}
