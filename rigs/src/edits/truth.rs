//! What an edit is meant to do, before any format is chosen.
//!
//! In: a real file. Out: changes of lines whose result is known. Never: a change that leaves the file
//! as it is.

use super::files::Source;
use crate::corpus::Random;

/// Lines in the place of lines.
#[derive(Debug, Clone)]
pub(super) struct Op {
    /// The first line, from 0, that goes or that the new ones are put before.
    pub(super) at: usize,
    pub(super) removed: usize,
    pub(super) new: Vec<String>,
}

/// Changes of one file, ascending and apart.
#[derive(Debug, Clone)]
pub(super) struct Truth {
    pub(super) path: String,
    pub(super) before: Vec<String>,
    pub(super) ops: Vec<Op>,
    /// What ends a line of the file.
    pub(super) ending: &'static str,
}

impl Truth {
    /// Returns the file before.
    pub(super) fn before(&self) -> String {
        self.text(&self.before)
    }

    /// Joins lines as the file does.
    pub(super) fn text(&self, lines: &[String]) -> String {
        lines.iter().map(|line| format!("{line}{}", self.ending)).collect()
    }

    /// Returns the file after.
    pub(super) fn after(&self) -> String {
        let mut lines = Vec::new();
        let mut from = 0;
        for op in &self.ops {
            lines.extend_from_slice(&self.before[from..op.at]);
            lines.extend(op.new.iter().cloned());
            from = op.at + op.removed;
        }
        lines.extend_from_slice(&self.before[from..]);
        self.text(&lines)
    }
}

/// Makes changes of a file.
pub(super) fn truth(source: &Source, random: &mut Random) -> Option<Truth> {
    let lines = &source.lines;
    let ops = match random.below(8) {
        0 | 1 => vec![change(lines, random)?],
        2 => vec![insertion(lines, random)?],
        3 => vec![deletion(lines, random)?],
        4 => {
            let paragraph = paragraph(lines, random)?;
            vec![Op { at: paragraph.0, removed: paragraph.1, new: Vec::new() }]
        }
        5 => moved(lines, random)?,
        6 => vec![Op { at: lines.len(), removed: 0, new: fresh(lines, random) }],
        _ => apart(vec![change(lines, random)?, deletion(lines, random)?])?,
    };
    let truth =
        Truth { path: source.path.clone(), before: lines.clone(), ops, ending: source.ending };
    (truth.after() != truth.before()).then_some(truth)
}

// A statement becomes another one, perhaps of two lines.
fn change(lines: &[String], random: &mut Random) -> Option<Op> {
    let at = statement(lines, random)?;
    let removed = 1 + usize::from(random.below(3) == 0 && says(lines.get(at + 1)?));
    let mut new: Vec<String> =
        lines[at..at + removed].iter().map(|line| altered(line, random)).collect();
    if random.below(4) == 0 {
        new.push(altered(&lines[at], random));
    }
    Some(Op { at, removed, new })
}

fn insertion(lines: &[String], random: &mut Random) -> Option<Op> {
    let at = statement(lines, random)?;
    let count = 1 + random.below(3);
    let new = (0..count).map(|_| altered(&lines[at], random)).collect();
    Some(Op { at: at + 1, removed: 0, new })
}

fn deletion(lines: &[String], random: &mut Random) -> Option<Op> {
    let at = statement(lines, random)?;
    let most = (lines.len() - at - 1).min(5);
    Some(Op { at, removed: (1 + random.below(4)).min(most.max(1)), new: Vec::new() })
}

fn moved(lines: &[String], random: &mut Random) -> Option<Vec<Op>> {
    let (at, count) = paragraph(lines, random)?;
    let (to, _) = paragraph(lines, random)?;
    let clear = to + 8 < at || to > at + count + 8;
    let gone = Op { at, removed: count, new: Vec::new() };
    let come = Op { at: to, removed: 0, new: lines[at..at + count].to_vec() };
    clear.then_some(()).and_then(|()| apart(vec![gone, come]))
}

// A paragraph with the blank line after it.
fn paragraph(lines: &[String], random: &mut Random) -> Option<(usize, usize)> {
    let blank = |at: usize| lines.get(at).is_some_and(|line| line.trim().is_empty());
    let starts: Vec<usize> = (1..lines.len()).filter(|&at| blank(at - 1) && !blank(at)).collect();
    let start = *starts.get(random.below(starts.len()))?;
    let length = (start..lines.len()).take_while(|&at| !blank(at)).count();
    let whole = blank(start + length) && !blank(start + length + 1);
    (whole && (2..25).contains(&length)).then_some((start, length + 1))
}

fn apart(mut ops: Vec<Op>) -> Option<Vec<Op>> {
    ops.sort_by_key(|op| op.at);
    ops.windows(2).all(|pair| pair[0].at + pair[0].removed + 8 < pair[1].at).then_some(ops)
}

// New lines at the end that say something nothing else says.
fn fresh(lines: &[String], random: &mut Random) -> Vec<String> {
    let like = lines.iter().find(|line| says(line) && !line.starts_with([' ', '\t']));
    let like = like.cloned().unwrap_or_else(|| "end".to_owned());
    (0..1 + random.below(3)).map(|_| altered(&like, random)).collect()
}

fn statement(lines: &[String], random: &mut Random) -> Option<usize> {
    (0..40)
        .map(|_| random.below(lines.len().saturating_sub(2)))
        .find(|&at| says(&lines[at]) && at > 0)
}

fn says(line: &str) -> bool {
    line.chars().filter(|character| character.is_alphanumeric()).count() >= 6
}

/// Gives a line another word, which is nowhere else.
pub(super) fn altered(line: &str, random: &mut Random) -> String {
    let word = format!("salved{}", random.below(1_000_000));
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let start = line.find(|character: char| character.is_alphabetic());
    let Some(start) = start else { return format!("{line} {word}") };
    let rest = &line[start..];
    let end = start + rest.find(|character| !is_word(character)).unwrap_or(rest.len());
    // The first word is often a keyword; the last one says what is meant.
    match line[end..].rfind(is_word) {
        Some(last) if random.below(2) == 0 => {
            let last = end + last;
            let length = line[last..].chars().next().map_or(0, char::len_utf8);
            format!("{}_{word}{}", &line[..last + length], &line[last + length..])
        }
        _ => format!("{}_{word}{}", &line[..end], &line[end..]),
    }
}
