//! Line ends of a file that is written as a whole.
//!
//! In: the old text and a new whole text, whose line ends are the carrier's. Out: the new text in
//! which a line that stays has the end it had, and new lines have the file's usual one. Never: a
//! change of any other character.

use crate::FileText;
use imara_diff::{Algorithm, Diff, InternedInput};

/// Gives the lines of `new` the terminators that the file uses.
pub(crate) fn keep_terminators(old: &FileText, new: &str) -> String {
    // A text with carriage returns means them.
    if new.contains('\r') || !old.text().contains('\r') {
        return new.to_owned();
    }
    let ends: Vec<&str> = (0..old.line_count()).map(|line| old.terminator(line)).collect();
    let usual = usual_end(&ends);
    let input = InternedInput {
        before: Vec::new(),
        after: Vec::new(),
        interner: imara_diff::Interner::new(old.line_count()),
    };
    let mut input: InternedInput<&str> = input;
    input.update_before(old.lines());
    input.update_after(new.lines());
    let diff = Diff::compute(Algorithm::Histogram, &input);

    let mut out = String::with_capacity(new.len() + old.line_count());
    let mut old_line = 0;
    for (index, line) in new.split_inclusive('\n').enumerate() {
        let Some(content) = line.strip_suffix('\n') else {
            out.push_str(line);
            break;
        };
        out.push_str(content);
        let added = u32::try_from(index).is_ok_and(|index| diff.is_added(index));
        let kept = if added { None } else { next_kept(&diff, &mut old_line, &ends) };
        out.push_str(kept.filter(|end| !end.is_empty()).unwrap_or(usual));
    }
    out
}

/// Returns the terminator of the next old line that stays.
fn next_kept<'a>(diff: &Diff, old_line: &mut usize, ends: &[&'a str]) -> Option<&'a str> {
    while u32::try_from(*old_line).is_ok_and(|line| *old_line < ends.len() && diff.is_removed(line))
    {
        *old_line += 1;
    }
    let end = ends.get(*old_line).copied();
    *old_line += 1;
    end
}

fn usual_end<'a>(ends: &[&'a str]) -> &'a str {
    let count = |wanted: &str| ends.iter().filter(|end| **end == wanted).count();
    let (crlf, lf, cr) = (count("\r\n"), count("\n"), count("\r"));
    if crlf >= lf && crlf >= cr {
        "\r\n"
    } else if lf >= cr {
        "\n"
    } else {
        "\r"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_stay_keep_their_ends_and_new_ones_take_the_usual_end() {
        for (old, new, expected) in [
            ("a\nb\n", "a\nc\n", "a\nc\n"),
            ("a\r\nb\r\n", "a\nx\nb\n", "a\r\nx\r\nb\r\n"),
            ("a\r\nb\nc\r\n", "a\nb\nx\nc\n", "a\r\nb\nx\r\nc\r\n"),
            ("a\r\nb\nc\r\n", "b\nc", "b\nc"),
            ("a\r\nb", "a\nb\nc\n", "a\r\nb\r\nc\r\n"),
            ("a\r\n", "a\r\nb\n", "a\r\nb\n"),
            ("a\r\nb\r\n", "", ""),
        ] {
            let old_text = FileText::read(old.as_bytes()).unwrap();
            assert_eq!(keep_terminators(&old_text, new), expected, "{old:?} -> {new:?}");
        }
    }
}
