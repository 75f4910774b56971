//! Line numbers that a model copied from a listing into an edit.
//!
//! In: the old and the new lines of one edit. Out: the same lines without the numbers, and the
//! number of the first line. Never touches lines whose numbers are not proven to be a listing's:
//! the numbers must count up line by line, or begin at the line the edit itself names.
//!
//! What is not proven here is left as it is; matching tries it with and without its numbers
//! against the file, which is better evidence than the edit alone.

/// Takes the numbers of a listing from both sides; gives the number of the first old line.
pub(in crate::edits) fn strip_numbers(
    old: &mut [String],
    new: &mut [String],
    claimed: Option<u32>,
) -> Option<u32> {
    let first = listing_start(old, claimed)?;
    for line in old.iter_mut().chain(new) {
        if let Some((_, rest)) = split_number(line) {
            *line = rest.to_owned();
        }
    }
    Some(first)
}

// One line alone might be `1 | flags`; two that count up are a listing.
fn listing_start(lines: &[String], claimed: Option<u32>) -> Option<u32> {
    let mut first = None;
    for (number, line) in (0u32..).zip(lines) {
        let (found, _) = split_number(line)?;
        let start = *first.get_or_insert(found);
        if start.checked_add(number) != Some(found) {
            return None;
        }
    }
    first.filter(|start| lines.len() > 1 || claimed == Some(*start))
}

// `12 | code`: the number, and the code with its own indentation.
fn split_number(line: &str) -> Option<(u32, &str)> {
    let body = line.trim_start();
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let number = body.get(..digits)?.parse().ok()?;
    let rest = body.get(digits..)?.trim_start_matches([' ', '\t']);
    let code = rest.strip_prefix(['|', '│'])?;
    // `||` is an operator, and `1 |2` was not written by a listing.
    let code = match code.strip_prefix(' ') {
        Some(code) => code,
        None if code.is_empty() => code,
        None => return None,
    };
    Some((number, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(old: &str, new: &str, claimed: Option<u32>) -> (Option<u32>, String, String) {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let (mut old, mut new) = (lines(old), lines(new));
        let first = strip_numbers(&mut old, &mut new, claimed);
        (first, old.join("\n"), new.join("\n"))
    }

    #[test]
    fn numbers_of_a_listing_go() {
        let cases = [
            ("1 | a\n2 |   b", "a\n  c", None, (Some(1), "a\n  b", "a\n  c")),
            (" 9 | a\n10 | b\n11 |", "9 | a\n10 | c", None, (Some(9), "a\nb\n", "a\nc")),
            ("7 | x", "", Some(7), (Some(7), "x", "")),
            ("7 | x", "7 | y", None, (None, "7 | x", "7 | y")),
            ("1 | a\n3 | b", "x", None, (None, "1 | a\n3 | b", "x")),
            ("1 | a\nb", "x", None, (None, "1 | a\nb", "x")),
            ("1 || a\n2 || b", "x", None, (None, "1 || a\n2 || b", "x")),
            ("", "1 | a", None, (None, "", "1 | a")),
            ("4294967295 | a\n0 | b", "x", None, (None, "4294967295 | a\n0 | b", "x")),
        ];
        for (old, new, claimed, (first, old_after, new_after)) in cases {
            let expected = (first, old_after.to_owned(), new_after.to_owned());
            assert_eq!(stripped(old, new, claimed), expected, "{old}");
        }
    }
}
