//! Unified diffs, read by their lines and not by their counts.
//!
//! In: the lines of a reply, one after the other, each with the two that follow it. Out: the files
//! the diffs change, whether the text ended inside one, and what was repaired. Never: a hunk made
//! longer or shorter to please its header.
//!
//! The counts of a hunk header are wrong in most diffs that small models write. They decide only
//! where the lines alone leave a doubt: whether `--- x` removes a line or begins a file, whether
//! an empty line at the end belongs to the hunk, and whether a text without a last line break was
//! cut off.

mod file;
mod hunk;
mod names;

pub(super) use hunk::{Declared, has_no_effect, read_header};

use super::carriers::Carrier;
use super::lines::{Line, OpenFence};
use file::{FileDraft, Finished, header_only, is_extended};
use hunk::HunkDraft;
use salve_types::{EditEnd, EditFormat, EditNote, EditNoteCode, EditSet, FileEdit, LineKind, Span};

/// Reads diffs line by line.
#[derive(Debug, Default)]
pub(super) struct DiffReader {
    files: Vec<FileEdit>,
    notes: Vec<EditNote>,
    malformed: Option<EditEnd>,
    fence: Option<OpenFence>,
    // A diff stood in the fence that is open.
    fence_holds_diff: bool,
    file: Option<FileDraft>,
    hunk: Option<HunkDraft>,
    last: Option<Line>,
    // How many hunks had as many lines as their header promised, and how many had not.
    counted: usize,
    miscounted: usize,
}

impl DiffReader {
    /// Takes the next line; `ahead` are the two lines after it.
    pub(super) fn line(&mut self, text: &str, line: Line, ahead: [Option<Line>; 2]) {
        self.last = Some(line);
        let raw = line.of(text);
        match &self.fence {
            Some(open) if open.fence.is_closed_by(raw) => {
                self.end_file(false);
                self.fence = None;
                return;
            }
            None if OpenFence::read(raw, line.start).is_some() => {
                // A fence right after the lines of a hunk closes a block whose opening was lost.
                if self.hunk.is_some() {
                    self.end_file(false);
                    return;
                }
                self.end_file(false);
                self.fence = OpenFence::read(raw, line.start);
                self.fence_holds_diff = false;
                return;
            }
            _ => {}
        }
        let fence = self.fence;
        let content = |line: Line| {
            let raw = line.of(text);
            fence.map_or(raw, |open| open.fence.content(raw))
        };
        let view = View {
            line,
            content: content(line),
            next: ahead[0].map(content),
            second: ahead[1].map(content),
            terminator: line.terminator(text),
        };
        self.take(&view);
        self.fence_holds_diff |= self.file.is_some();
    }

    /// Ends the text; `None` when no diff stood in it.
    pub(super) fn finish(mut self) -> Option<Carrier> {
        let cut = self.cut();
        self.end_file(true);
        if self.files.is_empty() && self.malformed.is_none() && cut.is_none() {
            return None;
        }
        let end = cut.or(self.malformed).unwrap_or(EditEnd::Complete);
        let format = EditFormat::UnifiedDiff;
        let (files, notes) = (self.files, self.notes);
        Some(Carrier::of(EditSet { format, files, end, notes, hashes: None }))
    }

    // Signs that the text stops inside a diff. Wrong counts alone are none: most are only wrong.
    fn cut(&self) -> Option<EditEnd> {
        let file = self.file.as_ref();
        let at = file.map(FileDraft::start);
        let truncated = |at, why: &str| Some(EditEnd::Truncated { at, why: why.to_owned() });
        if let Some(fence) = &self.fence
            && (self.fence_holds_diff || file.is_some())
        {
            return truncated(fence.at, "the fence around the diff is not closed");
        }
        let unterminated = self.last.is_some_and(|line| !line.is_terminated());
        match (&self.hunk, file) {
            (Some(hunk), _) if hunk.lines.is_empty() && at.is_some() => {
                truncated(at?, "the last hunk has no lines")
            }
            (Some(hunk), _) if unterminated && hunk.remaining().is_some_and(|it| it != (0, 0)) => {
                truncated(at?, "the text ends inside a line of a hunk that promises more lines")
            }
            (Some(hunk), _) if unterminated && hunk.ends_in_half_a_mark() => {
                truncated(at?, "the text ends inside a line that begins the next change")
            }
            // A hunk that has no change yet, or is the first that lacks lines after others that had
            // them all, or lacks those after its last change, was not written to its end.
            (Some(hunk), _) if self.is_cut_short(hunk) => {
                truncated(at?, "the last hunk has fewer lines than its header promises")
            }
            // A header line without a line break may be half a name.
            (None, Some(file)) if unterminated && !file.had_hunk() => {
                truncated(at?, "the text ends inside the header of a file")
            }
            _ => None,
        }
    }

    // Wrong counts alone are no sign of a cut, and a closed fence is one that there was none.
    fn is_cut_short(&self, hunk: &HunkDraft) -> bool {
        let counts = self.counted > 0 && self.miscounted == 0;
        hunk.promises_more()
            && (counts
                || !hunk.changes()
                || hunk.ends_in_its_changes()
                || hunk.stops_among_its_changes()
                || hunk.lacks_the_rest_of_its_context())
    }

    fn take(&mut self, view: &View<'_>) {
        if let Some(rest) = view.content.strip_prefix("diff --git ") {
            self.end_file(false);
            // Without a header below it the line is talk about a diff.
            if view.next.is_none_or(|next| is_extended(next) || is_old(next) || is_hunk(next)) {
                self.file = Some(FileDraft::from_git(rest, view.line));
            }
        } else if let Some(what) = foreign(view.content) {
            self.end_file(false);
            let why = format!("{what} cannot be applied to one file; send a unified diff");
            self.malformed.get_or_insert(EditEnd::Malformed { at: view.line.start, why });
        } else if begins_other_carrier(view.content) {
            self.end_file(false);
        } else if let Some((declared, section)) = read_header(view.content)
            && (self.file.is_some() || view.is_hunk_without_file())
        {
            self.end_hunk();
            self.file.get_or_insert_with(|| FileDraft::new(view.line));
            self.hunk = Some(HunkDraft::new(declared, section, view.line));
        } else if self.hunk.is_some() {
            self.take_in_hunk(view);
        } else {
            self.take_in_header(view);
        }
    }

    fn take_in_header(&mut self, view: &View<'_>) {
        let open = self.file.as_ref().is_some_and(|file| !file.had_hunk());
        if open
            && let Some(file) = &mut self.file
            && file.is_git()
            && !file.has_names()
            && file.take_extended(view.content, view.line)
        {
            return;
        }
        // The last line of the text may be the first of a header whose rest was cut off.
        let cut_header = view.next.is_none() && is_old(view.content) && !self.files.is_empty();
        if view.begins_file() || cut_header || (open && is_new(view.content)) {
            self.take_names(view);
            return;
        }
        let in_diff_fence = self.fence.is_some_and(|fence| fence.says_diff);
        let named = open && self.file.as_ref().is_some_and(FileDraft::has_names);
        let bare_hunk = match prefix(view.content) {
            Some(LineKind::Context) => named,
            Some(_) => named || (in_diff_fence && !is_signature(view)),
            None => false,
        };
        if bare_hunk {
            let message = "the hunk has no `@@` line".to_owned();
            let span = Span::new(view.line.start, view.line.end);
            self.notes.push(EditNote { code: EditNoteCode::MissingHeader, message, span });
            self.file.get_or_insert_with(|| FileDraft::new(view.line));
            self.hunk = Some(HunkDraft::new(None, None, view.line));
            self.take_in_hunk(view);
        } else if open && !view.content.trim().is_empty() {
            self.end_file(false);
        }
    }

    fn take_names(&mut self, view: &View<'_>) {
        let (is_old, rest) = match view.content.strip_prefix("--- ") {
            Some(rest) => (true, rest),
            None => (false, view.content.strip_prefix("+++ ").unwrap_or_default()),
        };
        // The second line of a pair, or the names below git's own headers.
        let continues = self.file.as_ref().is_some_and(|file| {
            !file.had_hunk() && if is_old { !file.has_old() } else { !file.has_new() }
        });
        if !continues {
            self.end_file(false);
        }
        let file = self.file.get_or_insert_with(|| FileDraft::new(view.line));
        if is_old {
            file.set_old(rest, view.line);
        } else {
            file.set_new(rest, view.line);
        }
    }

    fn take_in_hunk(&mut self, view: &View<'_>) {
        let in_fence = self.fence.is_some();
        let Some(hunk) = &mut self.hunk else { return };
        if view.begins_file_after(hunk) {
            self.end_file(false);
            self.take_names(view);
            return;
        }
        let satisfied = hunk.is_satisfied();
        if is_signature(view) && (satisfied || view.is_version_next()) {
            self.end_file(false);
            return;
        }
        if view.content.starts_with("\\ ") {
            hunk.push_no_newline(view.line);
            return;
        }
        match prefix(view.content) {
            // A list below a finished diff is talk.
            Some(_) if satisfied && hunk.is_waiting() && !in_fence && is_bullet(view.content) => {
                self.end_file(false);
            }
            Some(kind) => {
                let text = view.content.get(1..).unwrap_or_default();
                hunk.push(kind, text, view.line, view.terminator);
            }
            None => hunk.push_bare(view.content, view.line),
        }
    }

    fn end_hunk(&mut self) {
        let in_fence = self.fence.is_some();
        if let (Some(hunk), Some(file)) = (self.hunk.take(), &mut self.file) {
            let (noted, is_declared) = (self.notes.len(), hunk.declared.is_some());
            file.take_hunk(hunk, in_fence, &mut self.notes);
            let mut noted = self.notes.get(noted..).unwrap_or_default().iter();
            let wrong = noted.any(|note| note.code == EditNoteCode::HunkCount);
            self.miscounted += usize::from(is_declared && wrong);
            self.counted += usize::from(is_declared && !wrong);
        }
    }

    fn end_file(&mut self, is_last: bool) {
        self.end_hunk();
        let Some(file) = self.file.take() else { return };
        match file.finish(&mut self.notes) {
            Finished::Edits(edits) => self.files.extend(edits),
            Finished::HeaderOnly(at) => {
                self.malformed.get_or_insert(header_only(at, is_last));
            }
            Finished::Malformed(at, why) => {
                self.malformed.get_or_insert(EditEnd::Malformed { at, why });
            }
            Finished::Nothing => {}
        }
    }
}

/// A line with the two after it, all without the indent of their fence.
struct View<'t> {
    line: Line,
    content: &'t str,
    next: Option<&'t str>,
    second: Option<&'t str>,
    terminator: &'t str,
}

impl View<'_> {
    // `@@` is believed without a file header only where lines of a hunk follow.
    fn is_hunk_without_file(&self) -> bool {
        self.next.is_some_and(|next| next.is_empty() || prefix(next).is_some())
            || read_header(self.content).is_some_and(|(declared, _)| declared.is_some())
    }

    // `---` and `+++` in this order, in the other order above a hunk, or one of them above a hunk.
    fn begins_file(&self) -> bool {
        let hunk_is = |line: Option<&str>| line.is_some_and(is_hunk);
        if is_old(self.content) {
            return self.next.is_some_and(is_new) || hunk_is(self.next);
        }
        is_new(self.content)
            && (hunk_is(self.next) || (self.next.is_some_and(is_old) && hunk_is(self.second)))
    }

    // Inside a hunk `--- x` and `+++ y` may be a removed and an added line. They are where the
    // header still promises exactly these two and they do not look like names of one file.
    fn begins_file_after(&self, hunk: &HunkDraft) -> bool {
        if self.next.is_none() && is_old(self.content) {
            return hunk.is_satisfied();
        }
        let (Some(old), Some(new)) = (
            self.content.strip_prefix("--- "),
            self.next.and_then(|next| next.strip_prefix("+++ ")),
        ) else {
            return false;
        };
        if hunk.is_satisfied() {
            return true;
        }
        let above_hunk = self.second.is_none_or(is_hunk);
        let promised = hunk.remaining().is_some_and(|(old, new)| old > 0 && new > 0);
        if !above_hunk {
            return !promised;
        }
        hunk.remaining() != Some((1, 1)) || look_like_one_file(old, new)
    }

    fn is_version_next(&self) -> bool {
        self.next.is_some_and(|next| {
            let version = next.trim();
            version.starts_with(|first: char| first.is_ascii_digit()) && version.contains('.')
        })
    }
}

fn is_old(line: &str) -> bool {
    line.strip_prefix("--- ").is_some_and(|name| !name.trim().is_empty())
}

fn is_new(line: &str) -> bool {
    line.strip_prefix("+++ ").is_some_and(|name| !name.trim().is_empty())
}

fn is_hunk(line: &str) -> bool {
    read_header(line).is_some()
}

fn is_signature(view: &View<'_>) -> bool {
    view.content == "-- " || view.content == "--"
}

// `- word`: a removed line that begins with exactly one blank is rarer than a list.
fn is_bullet(line: &str) -> bool {
    line.strip_prefix("- ").is_some_and(|rest| !rest.starts_with([' ', '\t']) && !rest.is_empty())
}

fn prefix(line: &str) -> Option<LineKind> {
    match line.as_bytes().first()? {
        b' ' => Some(LineKind::Context),
        b'-' => Some(LineKind::Remove),
        b'+' => Some(LineKind::Add),
        _ => None,
    }
}

fn look_like_one_file(old: &str, new: &str) -> bool {
    let word = |name: &str| name.split('\t').next().unwrap_or_default().trim().to_owned();
    let (old, new) = (word(old), word(new));
    let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    old == "/dev/null" || new == "/dev/null" || (last(&old) == last(&new) && !old.is_empty())
}

// Marks of formats that begin below a diff; the lines after them are not the diff's.
fn begins_other_carrier(line: &str) -> bool {
    line.starts_with("*** Begin Patch") || line.starts_with("<<<<<<< ")
}

// Diffs that are not unified diffs of one file against one other.
fn foreign(line: &str) -> Option<&'static str> {
    let combined = ["diff --cc ", "diff --combined ", "@@@ -"];
    if combined.iter().any(|begin| line.starts_with(begin)) {
        return Some("a combined diff of a merge");
    }
    let ranges = line.strip_prefix("*** ").and_then(|rest| rest.strip_suffix(" ****"));
    ranges
        .is_some_and(|range| range.bytes().all(|byte| byte.is_ascii_digit() || byte == b','))
        .then_some("a context diff")
}

#[cfg(test)]
mod tests;
