//! Reads a woven text again, line by line and without its outline.
//!
//! In: the old lines, those of the lazy text with its markers, the woven ones. Out: whether the woven
//! text is the lazy one, each run of its lines together, with one run of old lines in the place of
//! each marker and in the order of the old file. Beside a marker no old line is lost without another
//! in its place, and none is there twice. Blank lines are only decoration. Never: a guess at what was
//! meant.

use super::markers::{Marker, MarkerKind};
use super::rivals::{self, Window};
use super::{Unresolved, shown};
use std::collections::HashMap;

/// Runs that could be in more places than these are not told apart.
const MOST_PLACES: usize = 32;

/// Checks a woven text.
pub(super) fn check(
    old: &[&str],
    lazy: &[&str],
    markers: &[Marker],
    woven: &[String],
) -> Result<(), Unresolved> {
    let old = Said::of(old.iter().copied());
    let woven = Said::of(woven.iter().map(String::as_str));
    let runs = runs(lazy, markers);
    let mut walk = Walk { old: &old, woven: &woven, old_at: 0, woven_at: 0 };
    let mut place = Place::default();
    let mut windows = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        let last = number + 1 == runs.len();
        if number > 0 {
            let from = walk.old_at;
            let kept = walk.keep(&place, run, last).ok_or_else(|| not_as_meant(run, &place))?;
            if kept.is_empty() {
                // Nothing is between the two runs: they are in the place of old lines together.
                place.silent |= !run.after_removal;
            } else {
                windows.push(Window { run: place.run, old: from..walk.old_at - kept.len() });
                place = Place { after_marker: true, kept_above: kept, ..Place::default() };
            }
        }
        if !walk.is_next(&run.lines) {
            return Err(not_as_meant(run, &place));
        }
        place.run.extend(&run.lines);
        walk.woven_at += run.lines.len();
    }
    let rest = &old.lines[walk.old_at..];
    if walk.woven_at != woven.lines.len() || !place.takes(rest, None) {
        return Err(not_as_meant(&Run::default(), &place));
    }
    windows.push(Window { run: place.run, old: walk.old_at..old.lines.len() });
    rivals::check(&old.lines, &old.places, &windows, key)
}

fn not_as_meant(run: &Run<'_>, place: &Place<'_>) -> Unresolved {
    let line = run.lines.first().or(place.run.last()).copied().unwrap_or_default();
    Unresolved::NotAsMeant { line: shown(line) }
}

/// Lines of the lazy text between two markers.
#[derive(Default)]
struct Run<'t> {
    lines: Vec<&'t str>,
    /// The marker above them says that something goes.
    after_removal: bool,
}

// Markers with nothing between them keep one run of lines together.
fn runs<'t>(lazy: &[&'t str], markers: &[Marker]) -> Vec<Run<'t>> {
    let mut markers = markers.iter().peekable();
    let mut runs = vec![Run::default()];
    for (at, line) in lazy.iter().enumerate() {
        let first = runs.len() == 1;
        let Some(run) = runs.last_mut() else { break };
        if let Some(marker) = markers.next_if(|marker| marker.line == at) {
            let after_removal = marker.kind == MarkerKind::Remove;
            if first || !run.lines.is_empty() {
                runs.push(Run { lines: Vec::new(), after_removal });
            } else {
                run.after_removal |= after_removal;
            }
        } else if !line.trim().is_empty() {
            run.lines.push(line);
        }
    }
    runs
}

/// The lines of a text that are not blank.
struct Said<'t> {
    lines: Vec<&'t str>,
    places: HashMap<&'t str, Vec<usize>>,
}

impl<'t> Said<'t> {
    fn of(lines: impl Iterator<Item = &'t str>) -> Self {
        let lines: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, line) in lines.iter().enumerate() {
            places.entry(key(line)).or_default().push(at);
        }
        Self { lines, places }
    }

    // The places from `from` on where the lines are together.
    fn find(&self, sought: &[&str], from: usize) -> impl Iterator<Item = usize> {
        let first = sought.first().map(|line| key(line));
        let places = first.and_then(|first| self.places.get(first)).map(Vec::as_slice);
        let places = places.unwrap_or_default();
        let begin = places.partition_point(|&place| place < from);
        places[begin..].iter().copied().take(MOST_PLACES).filter(move |&at| {
            let there = self.lines.get(at..at + sought.len());
            there.is_some_and(|there| there.iter().zip(sought).all(|(a, b)| key(a) == key(b)))
        })
    }
}

// Weaving shifts lines and puts commas between those of a list.
fn key(line: &str) -> &str {
    line.trim().trim_end_matches(',')
}

struct Walk<'w, 't> {
    old: &'w Said<'t>,
    woven: &'w Said<'t>,
    old_at: usize,
    woven_at: usize,
}

impl<'w, 't> Walk<'w, 't> {
    fn is_next(&self, run: &[&str]) -> bool {
        let there = self.woven.lines.get(self.woven_at..self.woven_at + run.len());
        there.is_some_and(|there| there.iter().zip(run).all(|(a, b)| key(a) == key(b)))
    }

    // Steps over the lines that a marker keeps, up to the run after it, and returns them.
    fn keep(&mut self, place: &Place<'_>, next: &Run<'_>, last: bool) -> Option<&'w [&'t str]> {
        let woven = self.woven;
        let ends: Vec<usize> = match next.lines.is_empty() {
            true => vec![woven.lines.len()],
            // The last run is at the end.
            false if last => vec![woven.lines.len().checked_sub(next.lines.len())?],
            false => woven.find(&next.lines, self.woven_at).collect(),
        };
        for end in ends {
            let kept = woven.lines.get(self.woven_at..end)?;
            if kept.is_empty() {
                return Some(kept);
            }
            let (old, from) = (self.old, self.old_at);
            let below = kept.first().copied();
            let mut starts = old.find(kept, from);
            if let Some(start) = starts.find(|start| place.takes(&old.lines[from..*start], below)) {
                self.woven_at = end;
                self.old_at = start + kept.len();
                return Some(kept);
            }
        }
        None
    }
}

/// Lines of the lazy text with nothing kept between them, and what is above them.
#[derive(Default)]
struct Place<'p> {
    run: Vec<&'p str>,
    after_marker: bool,
    kept_above: &'p [&'p str],
    /// A marker among them keeps no line.
    silent: bool,
}

impl Place<'_> {
    // Tells whether a run may be in the place of these old lines, above a kept line if there is one.
    fn takes(&self, gone: &[&str], below: Option<&str>) -> bool {
        let same = |(a, b): &(&&str, &&str)| key(a) == key(b);
        let head = self.run.iter().zip(gone).take_while(same).count();
        let (new, lost) = (&self.run[head..], &gone[head..]);
        let tail = new.iter().rev().zip(lost.iter().rev()).take_while(same).count();
        let (new, lost) = (&new[..new.len() - tail], &lost[..lost.len() - tail]);
        // What goes beside a marker has something else in its place, line for line, unless it is one
        // item that is written anew.
        let above_open = self.after_marker && head == 0;
        let below_open = below.is_some() && tail == 0;
        let open = above_open || below_open || self.silent;
        if open && lost.len() > new.len() && !is_one_item(new, lost) {
            return false;
        }
        // A line beside a marker that the old text has is the neighbour of what the marker keeps.
        let is_lost = |line: Option<&&str>| {
            line.is_some_and(|line| lost.iter().any(|lost| lost.trim_end() == line.trim_end()))
        };
        if (above_open && is_lost(new.first())) || (below_open && is_lost(new.last())) {
            return false;
        }
        let twin = |new: Option<&&str>, kept: Option<&&str>| match (new, kept) {
            (Some(new), Some(kept)) => new.trim_end() == kept.trim_end(),
            _ => false,
        };
        let twice_above = above_open && twin(new.first(), self.kept_above.last());
        let twice_below = below_open && twin(new.last(), below.as_ref());
        !twice_above && !twice_below
    }
}

// The new lines begin as the old ones do, as a declaration by its word and its name, and all the old
// ones below are inside of it.
fn is_one_item(new: &[&str], lost: &[&str]) -> bool {
    let (Some(new), Some((lost, inside))) = (new.first(), lost.split_first()) else { return false };
    let words = |line: &str| -> Vec<String> {
        let words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.filter(|word| !word.is_empty()).take(2).map(str::to_owned).collect()
    };
    let depth = |line: &str| line.len() - line.trim_start().len();
    let closes = |line: &str| line.trim_start().starts_with(['}', ')', ']']);
    let is_inside =
        |line: &&str| depth(line) > depth(lost) || (depth(line) == depth(lost) && closes(line));
    let name = words(lost);
    name.len() == 2 && name == words(new) && inside.iter().all(is_inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &[&str] = &["fn a() {", "    one();", "    two();", "}", "", "fn b() {", "}"];
    const LAZY: &[&str] = &["fn a() {", "    1();", "    // ...", "}", "// ...", "fn b() {", "}"];

    fn read(woven: &[&str]) -> Result<(), Unresolved> {
        let keep = |line| Marker { line, kind: MarkerKind::Keep };
        let woven: Vec<String> = woven.iter().map(|&line| line.to_owned()).collect();
        check(OLD, LAZY, &[keep(2), keep(4)], &woven)
    }

    #[test]
    fn a_woven_text_is_the_lazy_one_with_old_lines_for_its_markers() {
        let right = ["fn a() {", "    1();", "    two();", "}", "", "fn b() {", "}"];
        assert_eq!(read(&right), Ok(()));
        for (what, woven) in [
            ("a line of the reply is lost", &["fn a() {", "    two();", "}", "fn b() {", "}"][..]),
            (
                "a line is kept twice",
                &["fn a() {", "    1();", "    two();", "    two();", "}", "fn b() {", "}"],
            ),
            (
                "a brace is there twice",
                &["fn a() {", "    1();", "    two();", "}", "}", "fn b() {", "}"],
            ),
            ("a kept line is lost", &["fn a() {", "    1();", "}", "fn b() {", "}"]),
            (
                "lines are in another order",
                &["fn a() {", "    two();", "    1();", "}", "fn b() {", "}"],
            ),
            (
                "a line came in",
                &["fn a() {", "    1();", "    two();", "    x();", "}", "fn b() {", "}"],
            ),
        ] {
            assert!(read(woven).is_err(), "{what}");
        }
    }
}
