//! The new text, woven from a lazy text and the old one.
//!
//! In: two outlines. Out: the lines of the new text. Never: a line of the old text lost between
//! two pairs where a marker is.

use super::align::{Lean, Level, align};
use super::keys::{is_weak, key_of};
use super::markers::MarkerKind;
use super::outline::{Closer, Item, Outline, Part, indent_of};
use super::{Unresolved, shown};
use crate::matching::similarity;
use std::collections::HashSet;

/// As many lines may go without anything in their place and without a word about them.
const MAX_SILENT_LOSS: usize = 3;

/// A new line this much like one that is kept may be that one, changed.
const LOOKS_CHANGED: f64 = 0.5;
/// Short lines are alike by chance.
const SHORT_LOOKS_CHANGED: f64 = 0.7;
const SHORT_LINE: usize = 12;

/// The lines of the new text.
#[derive(Debug, Default)]
pub(super) struct Woven {
    pub(super) lines: Vec<String>,
    /// How many of them markers stood for.
    pub(super) kept_lines: usize,
}

/// Weaves the texts together.
pub(super) fn weave(
    path: &str,
    template: &Outline<'_>,
    present: &Outline<'_>,
    lean: Lean,
) -> Result<Woven, Unresolved> {
    let mut loom = Loom {
        new_lines: &template.lines,
        old_lines: &present.lines,
        old_set: present.lines.iter().map(|line| line.trim_end()).collect(),
        lean,
        json: path.to_ascii_lowercase().ends_with(".json"),
        woven: Woven::default(),
    };
    let after_marker = loom.body(&template.items, &present.items, Place::Top)?;
    let blanks = if after_marker || template.end_blanks == present.end_blanks {
        &present.lines[present.lines.len() - present.end_blanks..]
    } else {
        &template.lines[template.lines.len() - template.end_blanks..]
    };
    loom.woven.lines.extend(blanks.iter().map(|line| (*line).to_owned()));
    Ok(loom.woven)
}

struct Loom<'a> {
    new_lines: &'a [&'a str],
    old_lines: &'a [&'a str],
    old_set: HashSet<&'a str>,
    lean: Lean,
    json: bool,
    woven: Woven,
}

/// Where a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is the whole text.
    Top,
    /// Below a pair.
    Below,
    /// In a construct that the lazy text does not name.
    Found,
}

/// What is between two pairs.
struct Gap<'a> {
    new: &'a [Item],
    old: &'a [Item],
    /// Some marker is in the body, so that what is not there may be meant by it.
    lazy: bool,
    /// The lines may have been meant by a marker: no pair follows, or the construct before ends
    /// with a marker and nothing closes it.
    open: bool,
}

impl Loom<'_> {
    /// Weaves the bodies below one pair. Returns whether the last thing was a marker.
    fn body(&mut self, new: &[Item], old: &[Item], place: Place) -> Result<bool, Unresolved> {
        let levels = (
            Level { lines: self.new_lines, items: new },
            Level { lines: self.old_lines, items: old },
        );
        if let Some((orphan, alone)) =
            first_orphan(new, self.new_lines).filter(|_| place != Place::Found)
        {
            // The construct it is below is left out, so its place is deeper down.
            if !alone || old.is_empty() {
                return Err(Unresolved::Unplaced { line: shown(self.new_lines[orphan.line]) });
            }
            let gap = Gap { new, old, lazy: true, open: true };
            self.descend(&gap, orphan, &mut Vec::new())?;
            return Ok(new.last().is_some_and(|item| item.marker.is_some()));
        }
        let pairs = align(levels.0, levels.1, place == Place::Top, self.lean)?;
        let shift = self.shift(new, old, &pairs);
        let lazy = new.iter().any(Item::holds_marker);
        let mut ends = Vec::new();
        let (mut next_new, mut next_old) = (0_usize, 0_usize);
        let ending = (new.len(), old.len());
        for (at_new, at_old) in pairs.iter().copied().chain([ending]) {
            let before = next_new.checked_sub(1).and_then(|before| new.get(before));
            let open = (at_new, at_old) == ending || before.is_some_and(ends_with_marker);
            let gap = Gap { new: &new[next_new..at_new], old: &old[next_old..at_old], lazy, open };
            self.gap(&gap, &shift, &mut ends)?;
            if let (Some(new_item), Some(old_item)) = (new.get(at_new), old.get(at_old)) {
                let after_marker = gap.new.last().is_some_and(|item| item.marker.is_some());
                self.pair(new_item, old_item, after_marker, &shift)?;
                ends.push(self.woven.lines.len());
            }
            (next_new, next_old) = (at_new + 1, at_old + 1);
        }
        self.separate(old, &ends);
        Ok(new.last().is_some_and(|item| item.marker.is_some()))
    }

    /// Weaves what is between two pairs.
    fn gap(
        &mut self,
        gap: &Gap<'_>,
        shift: &Shift,
        ends: &mut Vec<usize>,
    ) -> Result<(), Unresolved> {
        let is_keep = |item: &Item| item.marker == Some(MarkerKind::Keep);
        let segments: Vec<&[Item]> = gap.new.split(is_keep).collect();
        let (Some(first), Some(last)) = (segments.first(), segments.last()) else { return Ok(()) };
        if segments.len() == 1 {
            check_loss(gap, self.old_lines)?;
            return self.all_new(first, shift, ends);
        }
        let middle = &segments[1..segments.len() - 1];
        let unplaced =
            middle.iter().flat_map(|segment| segment.iter()).find(|item| item.marker.is_none());
        if let (Some(item), false) = (unplaced, gap.old.is_empty()) {
            return self.descend(gap, item, ends);
        }
        self.check_depth(gap)?;
        self.check_closers(gap)?;
        self.check_changed(first.iter(), gap.old.iter())?;
        self.check_changed(last.iter().rev(), gap.old.iter().rev())?;
        self.all_new(first, shift, ends)?;
        self.keep(gap.old, ends);
        for segment in middle {
            self.all_new(segment, shift, ends)?;
        }
        self.all_new(last, shift, ends)
    }

    /// Refuses a line beside a marker that is at just its depth below what the marker keeps:
    /// then the line is not new, and what it is below is not there.
    fn check_depth(&self, gap: &Gap<'_>) -> Result<(), Unresolved> {
        let (Some(first), Some(last)) = (gap.old.first(), gap.old.last()) else { return Ok(()) };
        let mut new = gap.new.iter().filter(|item| item.marker.is_none()).peekable();
        if new.peek().is_none() {
            return Ok(());
        }
        let kept: HashSet<&str> =
            self.old_lines[first.line..last.end].iter().map(|line| line.trim_end()).collect();
        let twin = new
            .map(|item| self.new_lines[item.line].trim_end())
            .find(|line| !is_weak(line) && kept.contains(line));
        twin.map_or(Ok(()), |line| Err(Unresolved::Unplaced { line: shown(line) }))
    }

    /// Refuses a line beside a marker that only closes something: what it closes is not there, so
    /// that it is a line the marker keeps.
    fn check_closers(&self, gap: &Gap<'_>) -> Result<(), Unresolved> {
        if gap.old.is_empty() {
            return Ok(());
        }
        let mut open = 0_usize;
        for item in gap.new.iter().filter(|item| item.marker.is_none() && !item.has_body()) {
            let line = self.new_lines[item.line].trim();
            let closes = line.starts_with(['}', ')', ']']) && is_weak(line);
            match open.checked_sub(usize::from(closes)) {
                Some(left) => open = left + usize::from(line.ends_with(['{', '(', '['])),
                None => return Err(Unresolved::Unplaced { line: shown(line) }),
            }
        }
        Ok(())
    }

    /// Refuses a line beside a marker that looks like a line the marker keeps: it may be that line,
    /// changed, and then both would stay. The lines go from the pair towards the marker.
    fn check_changed<'i>(
        &self,
        new: impl ExactSizeIterator<Item = &'i Item>,
        old: impl Iterator<Item = &'i Item>,
    ) -> Result<(), Unresolved> {
        let kept: Vec<&Item> = old.take(new.len() + 1).collect();
        for (at, item) in new.filter(|item| item.marker.is_none()).enumerate() {
            // As many lines from the pair as the new one is, or one more or less.
            let near = kept.get(at.saturating_sub(1)..(at + 2).min(kept.len()));
            let line = self.new_lines[item.line].trim();
            let looks = |kept: &&&Item| {
                let old = self.old_lines[kept.line].trim();
                let short = line.len().min(old.len()) < SHORT_LINE;
                let least = if short { SHORT_LOOKS_CHANGED } else { LOOKS_CHANGED };
                let alike = !is_weak(old) && similarity(line, old).0 >= least;
                alike && !self.declares_another(item, kept)
            };
            if let Some(kept) = near.unwrap_or_default().iter().find(looks) {
                let kept = shown(self.old_lines[kept.line]);
                return Err(Unresolved::MayBeChanged { line: shown(line), kept });
            }
        }
        Ok(())
    }

    /// Tells whether a construct has another name than one that is kept, and another body.
    fn declares_another(&self, new: &Item, old: &Item) -> bool {
        let keys =
            (key_of(self.new_lines[new.line], false), key_of(self.old_lines[old.line], false));
        let body = |lines: &[&str], item: &Item| {
            lines.get(item.line + 1).map(|line| line.trim().to_owned())
        };
        let named = matches!(&keys, (Some(new), Some(old)) if new != old);
        named
            && new.has_body()
            && old.has_body()
            && body(self.new_lines, new) != body(self.old_lines, old)
    }

    /// Looks for the one construct of the gap in which the items without a place have theirs.
    fn descend(
        &mut self,
        gap: &Gap<'_>,
        item: &Item,
        ends: &mut Vec<usize>,
    ) -> Result<(), Unresolved> {
        let line = self.new_lines[item.line].trim();
        let unplaced = || Unresolved::Unplaced { line: shown(line) };
        if gap.new.first().is_none_or(|item| item.marker.is_none()) {
            return Err(unplaced());
        }
        let homes = |body: &[Item]| {
            body.iter().filter(|old| self.old_lines[old.line].trim() == line).count()
        };
        let found: Vec<usize> = (0..gap.old.len())
            .filter(|index| gap.old[*index].bodies().map(homes).sum::<usize>() > 0)
            .collect();
        let [home] = found.as_slice() else { return Err(unplaced()) };
        let old = &gap.old[*home];
        if old.bodies().map(homes).sum::<usize>() != 1 {
            return Err(Unresolved::Ambiguous { line: shown(line) });
        }
        self.keep(&gap.old[..*home], ends);
        self.blanks_of_old(old.line, old.blanks);
        self.old_line(old.line);
        for part in &old.parts {
            if homes(&part.body) == 1 {
                self.body(gap.new, &part.body, Place::Found)?;
            } else {
                self.keep(&part.body, &mut Vec::new());
            }
            self.old_closer(part.closer);
        }
        ends.push(self.woven.lines.len());
        self.keep(&gap.old[*home + 1..], ends);
        Ok(())
    }

    /// Weaves one pair.
    fn pair(
        &mut self,
        new: &Item,
        old: &Item,
        after_marker: bool,
        shift: &Shift,
    ) -> Result<(), Unresolved> {
        // A line that is elsewhere at just its own depth is not this one, shifted.
        let (new_line, old_line) = (self.new_lines[new.line], self.old_lines[old.line]);
        if indent_of(new_line) != indent_of(old_line) && self.old_set.contains(new_line.trim_end())
        {
            return Err(Unresolved::Unplaced { line: shown(new_line) });
        }
        self.blanks((new.line, new.blanks), (old.line, old.blanks), after_marker);
        self.line(new.line, old.line, shift);
        let line = || shown(self.new_lines[new.line]);
        if new.parts.len() != old.parts.len() {
            if new.holds_marker() || (!new.has_body() && old.has_body()) {
                return Err(Unresolved::ShapeDiffers { line: line() });
            }
            self.new_lines_of(new.line + 1..new.end, shift);
            return Ok(());
        }
        for (new_part, old_part) in new.parts.iter().zip(&old.parts) {
            if new_part.body.is_empty() && !old_part.body.is_empty() {
                return Err(Unresolved::ShapeDiffers { line: line() });
            }
            let after_marker = self.body(&new_part.body, &old_part.body, Place::Below)?;
            self.closer(new_part, old_part, after_marker, shift)?;
        }
        Ok(())
    }

    fn closer(
        &mut self,
        new: &Part,
        old: &Part,
        after_marker: bool,
        shift: &Shift,
    ) -> Result<(), Unresolved> {
        match (new.closer, old.closer) {
            (Some(new), Some(old)) => {
                self.blanks((new.line, new.blanks), (old.line, old.blanks), after_marker);
                self.line(new.line, old.line, shift);
            }
            (Some(new), None) => self.new_lines_of(new.line - new.blanks..new.line + 1, shift),
            // What ends with lines of its own and not with a marker ends without the closer.
            (None, Some(old)) if !after_marker && new.body.iter().any(Item::holds_marker) => {
                return Err(Unresolved::ShapeDiffers { line: shown(self.old_lines[old.line]) });
            }
            (None, closer) => self.old_closer(closer),
        }
        Ok(())
    }

    fn old_closer(&mut self, closer: Option<Closer>) {
        if let Some(closer) = closer {
            self.blanks_of_old(closer.line, closer.blanks);
            self.old_line(closer.line);
        }
    }

    /// Takes a line of a pair: the old one where only the space around it differs.
    fn line(&mut self, new: usize, old: usize, shift: &Shift) {
        if self.new_lines[new].trim() == self.old_lines[old].trim() {
            self.old_line(old);
        } else {
            self.woven.lines.push(shift.apply(self.new_lines[new]));
        }
    }

    fn old_line(&mut self, line: usize) {
        self.woven.lines.push(self.old_lines[line].to_owned());
    }

    /// Takes the blank lines before a pair. Those around a marker are only decoration.
    fn blanks(&mut self, new: (usize, usize), old: (usize, usize), after_marker: bool) {
        if after_marker || new.1 == old.1 {
            self.blanks_of_old(old.0, old.1);
        } else {
            let blanks = &self.new_lines[new.0 - new.1..new.0];
            self.woven.lines.extend(blanks.iter().map(|blank| (*blank).to_owned()));
        }
    }

    fn blanks_of_old(&mut self, line: usize, count: usize) {
        let blanks = &self.old_lines[line - count..line];
        self.woven.lines.extend(blanks.iter().map(|blank| (*blank).to_owned()));
    }

    fn keep(&mut self, items: &[Item], ends: &mut Vec<usize>) {
        for item in items {
            let lines = &self.old_lines[item.line - item.blanks..item.end];
            self.woven.kept_lines += lines.len();
            self.woven.lines.extend(lines.iter().map(|line| (*line).to_owned()));
            ends.push(self.woven.lines.len());
        }
    }

    fn all_new(
        &mut self,
        items: &[Item],
        shift: &Shift,
        ends: &mut Vec<usize>,
    ) -> Result<(), Unresolved> {
        for item in items.iter().filter(|item| item.marker.is_none()) {
            if item.holds_marker() {
                let line = shown(self.new_lines[item.line]);
                return Err(Unresolved::OmissionInNew { line });
            }
            self.new_lines_of(item.line - item.blanks..item.end, shift);
            ends.push(self.woven.lines.len());
        }
        Ok(())
    }

    fn new_lines_of(&mut self, lines: std::ops::Range<usize>, shift: &Shift) {
        self.woven.lines.extend(self.new_lines[lines].iter().map(|line| shift.apply(line)));
    }

    /// Measures how far the new text is shifted against the old one at this depth.
    fn shift(&self, new: &[Item], old: &[Item], pairs: &[(usize, usize)]) -> Shift {
        let Some((at_new, at_old)) = pairs.first() else { return Shift::default() };
        Shift::between(self.new_lines[new[*at_new].line], self.old_lines[old[*at_old].line])
    }

    /// Puts the commas of a list between items that were not neighbours before.
    fn separate(&mut self, old: &[Item], ends: &[usize]) {
        let is_list = |item: &Item| self.old_lines[item.end - 1].trim_end().ends_with(',');
        let Some((last, others)) = old.split_last() else { return };
        let separated =
            others.iter().all(is_list) && !is_list(last) && (self.json || !others.is_empty());
        let Some((last_end, other_ends)) = ends.split_last().filter(|_| separated) else { return };
        for end in other_ends {
            if let Some(line) = end.checked_sub(1).and_then(|line| self.woven.lines.get_mut(line))
                && !line.trim_end().ends_with([',', '{', '[', '('])
                && !line.trim_start().starts_with("//")
            {
                line.truncate(line.trim_end().len());
                line.push(',');
            }
        }
        if let Some(line) = last_end.checked_sub(1).and_then(|line| self.woven.lines.get_mut(line))
            && self.json
            && line.trim_end().ends_with(',')
        {
            line.truncate(line.trim_end().len() - 1);
        }
    }
}

/// Tells whether the last line of a construct is a marker.
fn ends_with_marker(item: &Item) -> bool {
    item.parts.last().is_some_and(|part| {
        part.closer.is_none()
            && part.body.last().is_some_and(|last| last.marker.is_some() || ends_with_marker(last))
    })
}

/// Finds an item after a marker that is deeper than the marker, or deeper than an item that
/// follows, so that the line it is below is not there; and tells whether all items are so.
fn first_orphan<'i>(items: &'i [Item], lines: &[&str]) -> Option<(&'i Item, bool)> {
    let mut margin = usize::MAX;
    let mut margins = vec![margin; items.len()];
    for (index, item) in items.iter().enumerate().rev() {
        margins[index] = margin;
        if item.marker.is_none() && !lines[item.line].trim_start().starts_with(['}', ')', ']']) {
            margin = margin.min(item.indent);
        }
    }
    let mut marker_indent = None;
    let mut first = None;
    let mut alone = true;
    for (item, margin) in items.iter().zip(margins) {
        if item.marker.is_some() {
            marker_indent = Some(item.indent);
        } else if marker_indent.is_some_and(|marker| item.indent > marker.min(margin)) {
            first = first.or(Some(item));
        } else {
            alone = false;
        }
    }
    first.map(|item| (item, alone))
}

/// Refuses to drop lines that no marker speaks of, where they may just have been left out. A body
/// without any marker is written out, and what it lacks is meant to go.
fn check_loss(gap: &Gap<'_>, old_lines: &[&str]) -> Result<(), Unresolved> {
    let (Some(first), Some(last)) = (gap.old.first(), gap.old.last()) else { return Ok(()) };
    let removed = gap.new.iter().any(|item| item.marker == Some(MarkerKind::Remove));
    if !gap.lazy || removed {
        return Ok(());
    }
    let constructs = |items: &[Item]| items.iter().filter(|item| item.has_body()).count();
    let silent = gap.new.is_empty() && (gap.open || last.end - first.line > MAX_SILENT_LOSS);
    let unmatched = constructs(gap.old) > if gap.open { 0 } else { constructs(gap.new) };
    if silent || unmatched {
        let line = shown(old_lines[first.line]);
        return Err(Unresolved::Lost { first: first.line + 1, last: last.end, line });
    }
    Ok(())
}

/// The difference between two indentations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Shift {
    from: String,
    to: String,
}

impl Shift {
    fn between(new: &str, old: &str) -> Self {
        let margin = |line: &str| line[..line.len() - line.trim_start().len()].to_owned();
        if indent_of(new) == indent_of(old) {
            return Self::default();
        }
        Self { from: margin(new), to: margin(old) }
    }

    fn apply(&self, line: &str) -> String {
        match line.strip_prefix(self.from.as_str()) {
            Some(rest) if self.from != self.to => format!("{}{rest}", self.to),
            _ => line.to_owned(),
        }
    }
}
