//! Sentences that state a change: "Replace `old` with `new`."
//!
//! In: the lines of a reply. Out: the replacements, when there is no other way to read the
//! sentence. Never takes a sentence that quotes anything else, or one inside a fence.

use super::Builder;
use crate::clean::{is_fence_line, path_label};
use crate::edits::blocks::Line;
use salve_types::{EditEnd, EditSet, HunkBody};

const LONGEST: usize = 600;

/// Reads the sentences of a reply that state a replacement.
pub(super) fn read(lines: &[Line<'_>]) -> Option<EditSet> {
    let mut builder = Builder::default();
    for line in lines {
        // A reply with code of its own says more than its sentences do.
        if is_fence_line(line.text) {
            return None;
        }
        if let Some((path, old, new)) = read_sentence(line.text) {
            let body = HunkBody::Text { old: old.to_owned(), new: new.to_owned() };
            builder.push(path, body, None, line.span);
        }
    }
    (!builder.files.is_empty()).then(|| builder.into_set(EditEnd::Complete))
}

fn read_sentence(line: &str) -> Option<(Option<String>, &str, &str)> {
    let line = line.trim().trim_start_matches(['-', '*', ' ']);
    if line.len() > LONGEST {
        return None;
    }
    let parts: Vec<&str> = line.split('`').collect();
    // Words and quotations take turns: `before`, old, `with`, new, `after`.
    let (path, words) = match parts.as_slice() {
        [before, old, between, new, after] => (None, [*before, *old, *between, *new, *after]),
        [before, path, comma, old, between, new, after] if is_place(before, comma) => {
            (Some(path_label(path)?), ["replace", *old, *between, *new, *after])
        }
        [before, old, between, new, place, path, after] if place.trim() == "in" => {
            (Some(path_label(path)?), [*before, *old, *between, *new, *after])
        }
        _ => return None,
    };
    let [before, old, between, new, after] = words;
    let verb = before.trim().to_ascii_lowercase();
    let joins = ["with", "by", "to"].contains(&between.trim().to_ascii_lowercase().as_str());
    let ends = after.trim().trim_end_matches('.').is_empty();
    let fits = ["replace", "change"].contains(&verb.as_str()) && joins && ends && !old.is_empty();
    fits.then_some((path, old, new))
}

// "In `a.py`, replace `x` with `y`."
fn is_place(before: &str, comma: &str) -> bool {
    let comma = comma.trim().trim_start_matches(',').trim();
    before.trim().eq_ignore_ascii_case("in")
        && ["replace", "change"].iter().any(|verb| comma.eq_ignore_ascii_case(verb))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_sentences_are_changes() {
        let cases = [
            ("Replace `a` with `b`.", Some((None, "a", "b"))),
            ("- Change `a(1)` to `a(2)`", Some((None, "a(1)", "a(2)"))),
            ("In `src/x.py`, replace `a` with `b`.", Some((Some("src/x.py"), "a", "b"))),
            ("Replace `a` with `b` in `src/x.py`.", Some((Some("src/x.py"), "a", "b"))),
            ("Replace `a` with `b` and `c`.", None),
            ("I would replace `a` with `b`.", None),
            ("Replace `a` with `b` if it is long.", None),
            ("Replace `` with `b`.", None),
            ("Replace a with b.", None),
        ];
        for (line, expected) in cases {
            let found = read_sentence(line);
            let expected = expected.map(|(path, old, new)| (path.map(str::to_owned), old, new));
            assert_eq!(found, expected, "{line}");
        }
    }
}
