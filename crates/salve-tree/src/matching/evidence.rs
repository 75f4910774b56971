//! What decides between equal places, and what casts doubt on a single one.
//!
//! In: the places of a hunk and what the hunk says about where it belongs. Out: the places that are
//! left, or the reason to doubt. Never: a decision by nearness alone when the file may have moved
//! on since the hunk was written: an old line number then points anywhere.

use super::indent::indent;
use super::index::Index;
use std::ops::Range;
use std::rc::Rc;

/// What a hunk says about where it belongs, beside the lines it seeks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claims<'h> {
    /// The line, counted from 0, where it claims to begin.
    pub(crate) hint: Option<usize>,
    /// Lines that stand above, outermost first.
    pub(crate) anchors: &'h [String],
    /// It ends at the end of the file.
    pub(crate) at_end: bool,
}

/// Hunks are looked at no closer than this where they fit in more places.
const MOST_PLACES: usize = 256;

/// Leaves the places that the hunk's claims, line numbers apart, do not rule out. Claims that rule
/// out every place are taken for wrong.
pub(crate) fn narrow(
    index: &Index<'_>,
    claims: &Claims<'_>,
    places: Vec<usize>,
    length: usize,
) -> Vec<usize> {
    let mut places = places;
    if places.len() > 1 && claims.at_end {
        let end = index.text().line_count();
        keep(&mut places, |first| first + length == end);
    }
    if places.len() > 1 && places.len() <= MOST_PLACES && !claims.anchors.is_empty() {
        let sections = Sections::new(index, claims.anchors);
        keep(&mut places, |first| sections.hold(first..first + length));
    }
    places
}

/// Picks the place nearest to the hint when it is there or at most half as far as the next.
pub(crate) fn nearest(hint: usize, places: &[usize]) -> Option<usize> {
    let mut by_distance: Vec<_> =
        places.iter().map(|&place| (place.abs_diff(hint), place)).collect();
    by_distance.sort_unstable();
    match by_distance[..] {
        [(_, place)] => Some(place),
        [(first, place), (second, _), ..] if second > 0 && second >= 2 * first => Some(place),
        _ => None,
    }
}

/// Returns the first anchor that names no line of the file.
pub(crate) fn absent_anchor<'h>(index: &Index<'_>, anchors: &'h [String]) -> Option<&'h str> {
    let mut named = anchors.iter().map(|anchor| anchor.trim()).filter(|it| !it.is_empty());
    named.find(|anchor| index.anchored(anchor).is_empty())
}

/// Tells whether the anchors stand in the file but only below a place.
pub(crate) fn anchors_stand_below(index: &Index<'_>, claims: &Claims<'_>, end: usize) -> bool {
    let Some(innermost) = claims.anchors.last() else { return false };
    let places = index.anchored(innermost.trim());
    !places.is_empty() && places.iter().all(|&place| place >= end)
}

/// Tells whether a place is in no section that the anchors name; anchors that stand nowhere name
/// none.
pub(crate) fn outside_anchors(index: &Index<'_>, claims: &Claims<'_>, lines: Range<usize>) -> bool {
    !claims.anchors.is_empty() && !Sections::new(index, claims.anchors).hold(lines)
}

fn keep(places: &mut Vec<usize>, fits: impl Fn(usize) -> bool) {
    let kept: Vec<_> = places.iter().copied().filter(|&place| fits(place)).collect();
    if !kept.is_empty() {
        *places = kept;
    }
}

/// The sections that anchors open, each inside the one before.
struct Sections<'i, 't> {
    index: &'i Index<'t>,
    anchors: Vec<Rc<[usize]>>,
}

impl<'i, 't> Sections<'i, 't> {
    fn new(index: &'i Index<'t>, anchors: &[String]) -> Self {
        let named = anchors.iter().map(|anchor| anchor.trim()).filter(|it| !it.is_empty());
        Self { index, anchors: named.map(|anchor| index.anchored(anchor)).collect() }
    }

    // Lines are in a section when its anchor is above them, or is their first line, and no line
    // of the same depth opens another section in between.
    fn hold(&self, lines: Range<usize>) -> bool {
        let mut inner = lines.start + 1;
        for anchors in self.anchors.iter().rev() {
            let above = anchors.partition_point(|&place| place < inner);
            let Some(&anchor) = above.checked_sub(1).and_then(|above| anchors.get(above)) else {
                return false;
            };
            let depth = indent(self.index.text().line(anchor)).len();
            if self.index.opens_between(anchor + 1..inner.saturating_sub(1), depth) {
                return false;
            }
            inner = anchor + 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileText;

    #[test]
    fn nearness_decides_only_two_to_one() {
        for (hint, places, expected) in [
            (9, &[1, 5, 9][..], Some(9)),
            (8, &[1, 5, 9, 13][..], Some(9)),
            (7, &[1, 5, 9][..], None),
            (6, &[5, 8][..], Some(5)),
            (100, &[5, 8][..], None),
            (3, &[7][..], Some(7)),
            (3, &[][..], None),
        ] {
            assert_eq!(nearest(hint, places), expected, "{hint} {places:?}");
        }
    }

    #[test]
    fn anchors_name_the_section() {
        let text = FileText::plain(
            "class A:\n    def f():\n        x\n    def g():\n        x\nclass B:\n    def f():\n        x\n"
                .to_owned(),
        );
        let index = Index::new(&text);
        for (anchors, expected) in [
            (&["class A:", "def g():"][..], &[4][..]),
            (&["class B:"], &[7]),
            (&["def f():"], &[2, 7]),
            (&["class B:", "def f()"], &[7]),
            (&["def missing():"], &[2, 4, 7]),
        ] {
            let anchors: Vec<_> = anchors.iter().map(|&anchor| anchor.to_owned()).collect();
            let claims = Claims { hint: None, anchors: &anchors, at_end: false };
            assert_eq!(narrow(&index, &claims, vec![2, 4, 7], 1), expected, "{anchors:?}");
        }
    }
}
