//! Preprocessor lines of C, C++ and C#.
//!
//! In: `#` at the start of a line. Out: the line is skipped, or read as code of its own for
//! `#define`; of the arms of an `#if` the first one that is compiled decides what stays open. Never lets
//! a bracket of one arm close a bracket of another.

use super::habits::is_continued;
use super::machine::{Machine, View};
use super::stack::{Frame, Kind};
use memchr::memchr2;

const ARM_LIMIT: usize = 32;
/// Frames around an `#if` that an arm may close and open again.
const SAVED: usize = 4;

/// An open `#if`.
#[derive(Debug)]
pub(super) struct Arm {
    /// The frame that it opened.
    pub(super) frame: Frame,
    before: (usize, Vec<Frame>),
    after_first: Option<(usize, Vec<Frame>)>,
    // Whether the arm that is being read is `#if 0`, which is never compiled.
    is_dead: bool,
}

impl Arm {
    /// Returns the bytes held outside the struct itself.
    pub(super) fn heap_bytes(&self) -> usize {
        let after = self.after_first.as_ref().map_or(0, |saved| saved.1.capacity());
        (self.before.1.capacity() + after) * size_of::<Frame>()
    }
}

impl Machine {
    /// Handles `#` in code.
    pub(super) fn preprocess(&mut self, view: &View<'_>, at: usize) -> usize {
        let line = view.behind(at);
        let blanks = line.iter().rev().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
        let before = line[..line.len() - blanks].last();
        let starts_line = before == Some(&b'\n') || (before.is_none() && view.base + at == blanks);
        if !starts_line || self.habits.defining {
            return at + 1;
        }
        let rest = view.ahead(at + 1).trim_ascii_start();
        let word = &rest[..rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()];
        match word {
            b"define" => {
                self.habits.defining = true;
                self.open(view, Kind::Define, at);
                return at + 1;
            }
            b"if" | b"ifdef" | b"ifndef" if self.habits.arms.len() < ARM_LIMIT => {
                let frame = Frame::new(Kind::Block, view.base + at);
                let before = self.stack.save(SAVED);
                let is_dead = word == b"if" && is_zero(&rest[word.len()..]);
                self.habits.arms.push(Arm { frame, before, after_first: None, is_dead });
            }
            b"else" | b"elif" | b"elifdef" | b"elifndef" => self.next_arm(),
            b"endif" => {
                if let Some(arm) = self.habits.arms.pop() {
                    let dead = arm.is_dead.then_some(&arm.before);
                    if let Some(kept) = arm.after_first.as_ref().or(dead) {
                        self.stack.restore(kept);
                    }
                }
            }
            _ => {}
        }
        self.open(view, Kind::Directive, at);
        at + 1
    }

    fn next_arm(&mut self) {
        let after = self.stack.save(SAVED);
        if let Some(arm) = self.habits.arms.last_mut() {
            self.stack.restore(&arm.before);
            if !std::mem::take(&mut arm.is_dead) {
                arm.after_first.get_or_insert(after);
            }
        }
    }

    /// Closes a `#define` with everything its body left open.
    pub(super) fn end_define(&mut self) {
        self.habits.defining = false;
        let depth = self.stack.frames().rev().take(64).position(|frame| frame.kind == Kind::Define);
        for _ in 0..depth.map_or(0, |depth| depth + 1) {
            self.stack.pop();
        }
    }

    /// Reads inside a directive: only comments and the end of the line matter.
    pub(super) fn directive(&mut self, view: &View<'_>, pos: usize) -> usize {
        let found = memchr2(b'\n', b'/', &view.bytes[pos..view.limit]);
        let Some(found) = found else { return view.limit };
        let at = pos + found;
        match (view.bytes[at], view.at(at + 1)) {
            (b'\n', _) if is_continued(view, at) => at + 1,
            (b'\n', _) => {
                self.stack.pop();
                at
            }
            (b'/', b'*') => {
                self.stack.push(Frame::new(Kind::StarComment, view.base + at).with(0, 1));
                at + 2
            }
            (b'/', b'/') => {
                self.open(view, Kind::LineComment, at);
                at + 2
            }
            _ => at + 1,
        }
    }
}

// Whether a condition is false whatever else it says: `0`, `0 // why`, `0 && X`.
fn is_zero(condition: &[u8]) -> bool {
    let line = condition.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let Some(rest) = line.trim_ascii_start().strip_prefix(b"0") else { return false };
    let rest = rest.trim_ascii_start();
    rest.is_empty() || rest.starts_with(b"/") || rest.starts_with(b"&&")
}
