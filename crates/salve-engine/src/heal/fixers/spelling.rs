//! How far apart two names are.
//!
//! In: two names. Out: the number of slips between them, when it is small enough for one to be the other
//! misspelt. A slip is a letter lost, added or changed, or two neighbours swapped. Names that differ only
//! in case or underscores are one slip apart.

/// Returns how many slips lie between two names; nothing when they are too many for their length.
pub(crate) fn slips(written: &str, meant: &str) -> Option<usize> {
    if written == meant {
        return None;
    }
    let limit = allowed(written.chars().count());
    if plain(written) == plain(meant) {
        return Some(1);
    }
    let (written, meant): (Vec<char>, Vec<char>) =
        (written.chars().collect(), meant.chars().collect());
    if written.len().min(meant.len()) < 2 || written.len().abs_diff(meant.len()) > limit {
        return None;
    }
    // Half of a name changed is another name.
    let found = distance(&written, &meant);
    (found <= limit && found * 2 <= written.len().max(meant.len())).then_some(found)
}

fn allowed(length: usize) -> usize {
    match length {
        0..=3 => 1,
        4..=8 => 2,
        _ => length / 3,
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|one| *one != '_').flat_map(char::to_lowercase).collect()
}

// Optimal string alignment: the distance of Levenshtein with swaps of neighbours.
fn distance(one: &[char], other: &[char]) -> usize {
    let width = other.len() + 1;
    let mut before = vec![0; width];
    let mut above: Vec<usize> = (0..width).collect();
    for (row, left) in one.iter().enumerate() {
        let mut current = vec![row + 1; width];
        for (column, right) in other.iter().enumerate() {
            let changed = above[column] + usize::from(left != right);
            let mut least = changed.min(above[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && *left == other[column - 1] && one[row - 1] == *right {
                least = least.min(before[column - 1] + 1);
            }
            current[column + 1] = least;
        }
        before = std::mem::replace(&mut above, current);
    }
    above[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted_and_other_names_refused() {
        for (written, meant, wanted) in [
            ("cuont", "count", Some(1)),
            ("coutn", "count", Some(1)),
            ("cont", "count", Some(1)),
            ("countt", "count", Some(1)),
            ("helpr", "helper", Some(1)),
            ("getName", "get_name", Some(1)),
            ("COUNT", "count", Some(1)),
            ("n", "N", Some(1)),
            ("n", "m", None),
            ("to", "at", None),
            ("same", "same", None),
            ("abcd", "wxyz", None),
            ("sze", "size", Some(1)),
            ("sze", "item", None),
            ("confguratoin_valeu", "configuration_value", Some(3)),
        ] {
            assert_eq!(slips(written, meant), wanted, "{written} {meant}");
        }
    }
}
