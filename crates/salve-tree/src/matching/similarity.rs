//! How alike two lines are.
//!
//! In: two short texts. Out: 1 for equal, 0 for nothing in common; one less the share of characters
//! that an edit would have to touch; and what the comparison cost. Never: more work than a bound,
//! whatever the texts.

/// Lines are compared by their first characters only, so that one line cannot cost much.
const MOST: usize = 512;

/// Returns one less the edit distance as a share of the longer text, and the steps it took.
pub(crate) fn similarity(left: &str, right: &str) -> (f64, usize) {
    if left == right {
        return (1.0, 1);
    }
    let left: Vec<char> = left.chars().take(MOST).collect();
    let right: Vec<char> = right.chars().take(MOST).collect();
    let longer = left.len().max(right.len());
    if longer == 0 {
        // They differ after a bound or not at all; empty against empty was equal above.
        return (0.0, 1);
    }
    let most = bound(&left, &right);
    // Most lines of a file have nothing to do with the line sought: their letters tell at once.
    if most < 0.4 {
        return (most, left.len() + right.len());
    }
    let distance = distance(&left, &right);
    let alike = 1.0 - f64::from(distance as u32) / f64::from(longer as u32);
    (alike, left.len() * right.len())
}

/// Returns what the similarity cannot exceed, from the counts of the characters alone.
fn bound(left: &[char], right: &[char]) -> f64 {
    let mut counts = [0_i32; 64];
    for &character in left {
        counts[character as usize % 64] += 1;
    }
    for &character in right {
        counts[character as usize % 64] -= 1;
    }
    let surplus: i32 = counts.iter().filter(|count| **count > 0).sum();
    let lack: i32 = -counts.iter().filter(|count| **count < 0).sum::<i32>();
    let longer = left.len().max(right.len());
    1.0 - f64::from(surplus.max(lack)) / f64::from(longer as u32)
}

fn distance(left: &[char], right: &[char]) -> usize {
    let start = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let (left, right) = (&left[start..], &right[start..]);
    let end = left.iter().rev().zip(right.iter().rev()).take_while(|(l, r)| l == r).count();
    let (left, right) = (&left[..left.len() - end], &right[..right.len() - end]);
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, character) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, other) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(character != other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn likeness_is_the_share_that_stays() {
        for (left, right, expected) in [
            ("same", "same", 1.0),
            ("", "", 1.0),
            ("abcd", "abce", 0.75),
            ("abcd", "", 0.0),
            ("const result = f();", "const results = f();", 0.95),
            ("log(\"wrong\")", "log(\"hello\")", 7.0 / 12.0),
        ] {
            let (found, _) = similarity(left, right);
            assert!((found - expected).abs() < 1e-9, "{left} {right}: {found}");
        }
    }

    proptest! {
        #[test]
        fn the_bound_holds(left in "[a-d]{0,12}", right in "[a-d]{0,12}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            let (left, right) = (chars(&left), chars(&right));
            let longer = left.len().max(right.len());
            if longer > 0 {
                let exact = 1.0 - distance(&left, &right) as f64 / longer as f64;
                prop_assert!(bound(&left, &right) >= exact - 1e-9);
            }
        }
    }
}
