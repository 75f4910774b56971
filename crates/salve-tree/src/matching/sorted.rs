//! The runs of lines of a file, sorted, so that further searches cost no pass over the file.
//!
//! In: the numbers of a file's lines. Out: where a run of them is, found by halving. Sorting is by
//! doubling with counted buckets: a bounded number of rounds, each linear. Never: more places than
//! asked for.

use std::cmp::Ordering;

/// Runs are told apart by this many lines at most.
const DEPTH: usize = 1024;

/// Every line of a file as the beginning of a run, in the order of the runs.
pub(super) struct Sorted {
    order: Vec<u32>,
}

impl Sorted {
    /// Sorts the runs of `lines`, whose numbers are below `kinds`.
    pub(super) fn new(lines: &[u32], kinds: usize) -> Self {
        let identity: Vec<u32> = (0..lines.len() as u32).collect();
        let mut order = by_bucket(&identity, lines, kinds);
        let mut rank = ranks(&order, |a, b| lines[a as usize] == lines[b as usize]);
        let mut length = 1;
        while length < DEPTH.min(lines.len()) {
            let classes = order.last().map_or(0, |&last| rank[last as usize] as usize + 1);
            if classes == order.len() {
                break;
            }
            // By the second half first: what ends before it, then the rest in the order it has.
            let ends = (lines.len() - length) as u32..lines.len() as u32;
            let rest = order.iter().filter_map(|&at| at.checked_sub(length as u32));
            let second: Vec<u32> = ends.chain(rest).collect();
            order = by_bucket(&second, &rank, classes);
            let half = |at: u32| rank.get(at as usize + length);
            rank = ranks(&order, |a, b| rank[a as usize] == rank[b as usize] && half(a) == half(b));
            length *= 2;
        }
        Self { order }
    }

    /// Returns the first lines, ascending, of at most `most` places where the run is.
    pub(super) fn find(&self, lines: &[u32], sought: &[u32], most: usize) -> Vec<usize> {
        let depth = sought.len().min(DEPTH);
        let head = &sought[..depth];
        let side = |at: u32| {
            let at = at as usize;
            lines[at..(at + depth).min(lines.len())].cmp(head)
        };
        let start = self.order.partition_point(|&at| side(at) == Ordering::Less);
        let count = self.order[start..].partition_point(|&at| side(at) == Ordering::Equal);
        let mut found: Vec<usize> = self.order[start..start + count]
            .iter()
            .map(|&at| at as usize)
            .take(most)
            .filter(|&at| lines.get(at..at + sought.len()) == Some(sought))
            .collect();
        found.sort_unstable();
        found
    }
}

// Brings items into the order of their buckets and keeps their order within one.
fn by_bucket(items: &[u32], bucket: &[u32], buckets: usize) -> Vec<u32> {
    let mut next = vec![0_u32; buckets + 1];
    for &item in items {
        next[bucket[item as usize] as usize + 1] += 1;
    }
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    let mut out = vec![0; items.len()];
    for &item in items {
        let slot = &mut next[bucket[item as usize] as usize];
        out[*slot as usize] = item;
        *slot += 1;
    }
    out
}

fn ranks(order: &[u32], same: impl Fn(u32, u32) -> bool) -> Vec<u32> {
    let mut rank = vec![0; order.len()];
    let mut class = 0;
    for (at, &item) in order.iter().enumerate() {
        class += u32::from(at > 0 && !same(order[at - 1], item));
        rank[item as usize] = class;
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_are_found_as_a_plain_search_finds_them(
            lines in proptest::collection::vec(0_u32..3, 0..60),
            sought in proptest::collection::vec(0_u32..3, 1..6),
        ) {
            let plain: Vec<usize> =
                (0..lines.len()).filter(|&at| lines[at..].starts_with(&sought)).collect();
            let sorted = Sorted::new(&lines, 3);
            prop_assert_eq!(sorted.find(&lines, &sought, usize::MAX), plain);
        }
    }
}
