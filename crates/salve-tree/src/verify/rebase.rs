//! An edit that was made on an older version, carried over to the present one.
//!
//! In: the base, the present content and the edited base. Out: the merged content, or every place
//! where both sides changed the same lines. Never: a choice between the sides.

use super::SideOfConflict;
use diffy::{ConflictStyle, MergeOptions};

/// So long that no line of a file begins with as many.
const MARKER: usize = 41;

/// Merges two texts that were both made from `base`: what changed in either is in the result.
///
/// # Errors
/// Every place at which both changed the same lines, with both sides of it.
pub fn merge_texts(base: &str, present: &str, wanted: &str) -> Result<String, Vec<SideOfConflict>> {
    let merged = rebase(base.as_bytes(), present.as_bytes(), wanted.as_bytes())?;
    // Lines of texts, joined, are a text.
    Ok(String::from_utf8_lossy(&merged).into_owned())
}

/// Merges what the edit changed with what was changed since.
pub(super) fn rebase(
    base: &[u8],
    present: &[u8],
    edited: &[u8],
) -> Result<Vec<u8>, Vec<SideOfConflict>> {
    let mut options = MergeOptions::new();
    options.set_conflict_marker_length(MARKER).set_conflict_style(ConflictStyle::Diff3);
    options.merge_bytes(base, present, edited).map_err(|marked| conflicts(&marked))
}

/// Reads the places in conflict from the text with markers.
fn conflicts(marked: &[u8]) -> Vec<SideOfConflict> {
    let text = String::from_utf8_lossy(marked);
    let markers = ["<", "|", "=", ">"].map(|character| character.repeat(MARKER));
    let mut found = Vec::new();
    let mut side: Option<usize> = None;
    let mut sides = [String::new(), String::new(), String::new()];
    for line in text.split_inclusive('\n') {
        match markers.iter().position(|marker| line.starts_with(marker.as_str())) {
            Some(3) => {
                let [present, base, wanted] = std::mem::take(&mut sides);
                found.push(SideOfConflict { present, base, wanted });
                side = None;
            }
            Some(marker) => side = Some(marker),
            None => {
                if let Some(text) = side.and_then(|side| sides.get_mut(side)) {
                    text.push_str(line);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_in_different_places_are_merged() {
        let merged = rebase(b"a\nb\nc\nd\ne\n", b"A\nb\nc\nd\ne\n", b"a\nb\nc\nd\nE\n");
        assert_eq!(merged, Ok(b"A\nb\nc\nd\nE\n".to_vec()));
    }

    #[test]
    fn changes_of_the_same_lines_are_shown_from_both_sides() {
        let found = rebase(b"a\nb\nc\n", b"a\nB\nc\n", b"a\nbb\nc\n").unwrap_err();
        let expected =
            SideOfConflict { present: "B\n".into(), base: "b\n".into(), wanted: "bb\n".into() };
        assert_eq!(found, [expected]);
    }
}
