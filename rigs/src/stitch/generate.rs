//! Continuations as models write them.
//!
//! In: files, cuts, a seed. Out: cases, each with the partial text, the continuation and what a
//! right join is. Never calls the stitcher.

use super::report::boundary;
use super::talk::{self, pick};
use crate::corpus::{Random, SourceFile};
use crate::cuts::{Cut, Place};
use salve_types::Language;

/// What the continuation does besides continuing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Nothing: it goes on at the next character.
    Exact,
    /// Repeats the last one to three lines.
    EchoLines,
    /// Repeats the last characters.
    EchoText,
    /// Starts the cut line again.
    HalfLine,
    /// Starts the block around the cut again from its header.
    BlockRestart,
    /// Repeats the whole partial text.
    Prefill,
    /// It is in a fence.
    Fence,
    /// Comes after an announcement.
    Preamble,
    /// It is deeper or less deep than the text.
    Shifted,
    /// Several of these at once.
    Mixed,
    /// Comes after a thought in tags.
    Thought,
    /// It is in a fence of another kind, or one that names a file.
    OtherFence,
    /// Comes after talk that the usual kinds do not have.
    OtherTalk,
    /// Repeats four to fifteen lines.
    LongEcho,
    /// File and continuation have the line ends of Windows.
    CarriageReturns,
    /// The original itself repeats lines at the cut.
    MeantRepetition,
    /// Talk, or another file.
    Unrelated,
    /// The same file from its beginning.
    WholeFile,
    /// The same file from its beginning, in other words.
    WholeFileChanged,
}

impl Kind {
    /// Returns the word in the table.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::EchoLines => "echo_lines",
            Self::EchoText => "echo_text",
            Self::HalfLine => "half_line",
            Self::BlockRestart => "block_restart",
            Self::Prefill => "prefill",
            Self::Fence => "fence",
            Self::Preamble => "preamble",
            Self::Shifted => "shifted",
            Self::Mixed => "mixed",
            Self::Thought => "thought",
            Self::OtherFence => "other_fence",
            Self::OtherTalk => "other_talk",
            Self::LongEcho => "long_echo",
            Self::CarriageReturns => "carriage_returns",
            Self::MeantRepetition => "meant_repetition",
            Self::Unrelated => "unrelated",
            Self::WholeFile => "whole_file",
            Self::WholeFileChanged => "whole_changed",
        }
    }

    /// Returns whether a refusal is as right as a join.
    pub(crate) const fn may_refuse(self) -> bool {
        matches!(
            self,
            Self::MeantRepetition | Self::Unrelated | Self::WholeFile | Self::WholeFileChanged
        )
    }
}

/// What a right join is.
pub(crate) enum Truth {
    /// Exactly this text.
    Text(String),
    /// None at all.
    Nothing,
}

/// One partial text with one continuation.
pub(crate) struct Case<'a> {
    pub(crate) kind: Kind,
    pub(crate) file: &'a SourceFile,
    pub(crate) partial: String,
    pub(crate) continuation: String,
    pub(crate) truth: Truth,
}

const JOINED: &[Kind] = &[
    Kind::Exact,
    Kind::EchoLines,
    Kind::EchoText,
    Kind::HalfLine,
    Kind::BlockRestart,
    Kind::Prefill,
    Kind::Fence,
    Kind::Preamble,
    Kind::Shifted,
    Kind::Mixed,
];

/// Makes `count` cases: four fifths are to be joined, one fifth is to be kept or refused.
pub(crate) fn generate<'a>(
    files: &'a [SourceFile],
    cuts: &[Cut<'a>],
    count: usize,
    seed: u64,
) -> Vec<Case<'a>> {
    let mut random = Random::new(seed).for_name("stitch");
    let repeats = repetitions(files);
    let mut cases = Vec::with_capacity(count);
    let mut tries = 0;
    while cases.len() < count && tries < count * 20 && !cuts.is_empty() {
        tries += 1;
        let cut = &cuts[random.below(cuts.len())];
        let slot = cases.len() % 25;
        let case = match slot {
            0..20 => joined(JOINED[slot / 2], cut, &mut random),
            20 | 21 if !repeats.is_empty() => {
                meant(&repeats[random.below(repeats.len())], &mut random)
            }
            20..23 => unrelated(files, cut, &mut random),
            23 => whole(cut, &mut random),
            _ => whole_changed(cut, &mut random),
        };
        cases.extend(case);
    }
    cases
}

// The rest of the file, up to its end or to where the model is cut again.
pub(super) struct Rest<'a> {
    pub(super) text: &'a str,
    pub(super) reaches_end: bool,
}

pub(super) fn rest<'a>(file: &'a SourceFile, at: usize, random: &mut Random) -> Option<Rest<'a>> {
    let text = &file.text[at..];
    if text.trim().len() < 20 {
        return None;
    }
    if random.below(5) < 3 {
        return Some(Rest { text, reaches_end: true });
    }
    let end = boundary(text, 200 + random.below(4_000));
    Some(Rest { text: &text[..end], reaches_end: end == text.len() })
}

fn joined<'a>(kind: Kind, cut: &Cut<'a>, random: &mut Random) -> Option<Case<'a>> {
    let partial = cut.prefix();
    if partial.trim().len() < 40 {
        return None;
    }
    let rest = rest(cut.file, cut.at, random)?;
    let continuation = match kind {
        Kind::Exact => rest.text.to_owned(),
        Kind::EchoLines => echo_lines(partial, random)? + rest.text,
        Kind::EchoText => echo_text(partial, random)? + rest.text,
        Kind::HalfLine => half_line(partial, random)? + rest.text,
        Kind::BlockRestart => block_restart(partial)? + rest.text,
        Kind::Prefill => format!("{partial}{}", rest.text),
        Kind::Fence => fenced(cut.file, rest.text, &rest, random)?,
        Kind::Preamble => announced(cut, rest.text, random)?,
        Kind::Shifted => shifted(cut, "", rest.text, random)?,
        _ => mixed(cut, &rest, random)?,
    };
    Some(Case {
        kind,
        file: cut.file,
        partial: partial.to_owned(),
        continuation,
        truth: Truth::Text(format!("{partial}{}", rest.text)),
    })
}

fn mixed(cut: &Cut<'_>, rest: &Rest<'_>, random: &mut Random) -> Option<String> {
    let partial = cut.prefix();
    match random.below(6) {
        0 => {
            let body = echo_lines(partial, random)? + rest.text;
            fenced(cut.file, &body, rest, random)
        }
        1 => {
            let body = half_line(partial, random)? + rest.text;
            let body = fenced(cut.file, &body, rest, random)?;
            Some(format!("{}\n\n{body}", pick(talk::PREAMBLES, random)))
        }
        2 => {
            let echo = echo_lines(partial, random)?;
            shifted(cut, &echo, rest.text, random)
        }
        3 => Some(format!(
            "{}\n\n{}{}",
            pick(talk::PREAMBLES, random),
            echo_lines(partial, random)?,
            rest.text
        )),
        4 => {
            let body = fenced(cut.file, &format!("{partial}{}", rest.text), rest, random)?;
            Some(format!("{}\n\n{body}", pick(talk::PREAMBLES, random)))
        }
        _ => {
            let body = fenced(cut.file, rest.text, rest, random)?;
            Some(format!("{}\n\n{body}", pick(talk::PREAMBLES, random)))
        }
    }
}

pub(super) fn line_start(text: &str) -> usize {
    text.rfind('\n').map_or(0, |at| at + 1)
}

// The last lines, the half one among them. A model that echoes shows something of the text: lines
// of nothing but blanks are not an echo.
pub(super) fn echo_lines(partial: &str, random: &mut Random) -> Option<String> {
    let mut start = line_start(partial);
    let more = random.below(3) + usize::from(start == partial.len());
    for _ in 0..more {
        if start > 0 {
            start = line_start(&partial[..start - 1]);
        }
    }
    let echo = &partial[start..];
    if echo.trim().is_empty() || start == 0 {
        return None;
    }
    // The first line often loses its indentation.
    Some(if random.below(3) == 0 { echo.trim_start_matches([' ', '\t']) } else { echo }.to_owned())
}

fn echo_text(partial: &str, random: &mut Random) -> Option<String> {
    let start = boundary(partial, partial.len().checked_sub(15 + random.below(180))?);
    let echo = &partial[start..];
    (echo.trim().len() >= 12).then(|| echo.to_owned())
}

pub(super) fn half_line(partial: &str, random: &mut Random) -> Option<String> {
    let half = &partial[line_start(partial)..];
    let bare = half.trim_start();
    if bare.is_empty() {
        return None;
    }
    Some(if random.below(3) == 0 { bare } else { half }.to_owned())
}

// From the nearest line above that is less deep and opens a block, up to the cut.
fn block_restart(partial: &str) -> Option<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut start = line_start(partial);
    let mut depth = indent(&partial[start..]);
    while start > 0 {
        start = line_start(&partial[..start - 1]);
        let line = partial[start..].lines().next().unwrap_or_default();
        if line.trim().is_empty() {
            continue;
        }
        if depth == 0
            && partial[start..].len() > 40
            && partial[line_start(partial)..].trim().is_empty()
        {
            depth = indent(line);
        }
        let opens = line.trim_end().ends_with(['{', ':', '(', '[', '>']);
        if indent(line) < depth && opens && start > 0 && partial.len() - start < 20_000 {
            return Some(partial[start..].to_owned());
        }
    }
    None
}

fn fenced(file: &SourceFile, body: &str, rest: &Rest<'_>, random: &mut Random) -> Option<String> {
    if body.contains("```") {
        return None;
    }
    let label = if random.below(4) == 0 { "" } else { file.language.name() };
    let mut out = format!("```{label}\n{body}");
    if rest.reaches_end {
        // The closing fence needs a line of its own; a file without a last line break is rare.
        if !out.ends_with('\n') {
            return None;
        }
        out.push_str("```");
        match random.below(3) {
            0 => out.push('\n'),
            1 => out.push_str(&format!("\n\n{}\n", pick(talk::TRAILERS, random))),
            _ => {}
        }
    }
    Some(out)
}

// An announcement, an empty line, the text. Without a fence it cannot be told how many line breaks
// belong to the announcement when the text starts with some of its own, so those are left out.
fn announced(cut: &Cut<'_>, body: &str, random: &mut Random) -> Option<String> {
    if body.starts_with(['\n', '\r']) {
        return None;
    }
    let gap = if random.below(3) == 0 { "\n" } else { "\n\n" };
    // In running text a sentence is text; only a plain announcement is recognisable there.
    let preamble =
        if matches!(cut.place, Place::Comment | Place::String | Place::Template | Place::Heredoc) {
            talk::PREAMBLES[random.below(6)]
        } else {
            pick(talk::PREAMBLES, random)
        };
    Some(format!("{preamble}{gap}{body}"))
}

// Every line that starts in the continuation moves by the same number of columns. Moves to the left
// need room in every line. Where indentation is the structure, a move that gives another valid
// program cannot be seen by anybody, so without an echo only moves that break the block are made.
fn shifted(cut: &Cut<'_>, echo: &str, rest: &str, random: &mut Random) -> Option<String> {
    let partial = cut.prefix();
    let half = &partial[line_start(partial)..];
    if !half.is_empty() && half.trim().is_empty() {
        return None;
    }
    let by = [2usize, 4, 4, 8][random.below(4)];
    let left = random.below(3) == 0;
    if cut.file.language == Language::Python && echo.is_empty() {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let next = rest.lines().skip(1).find(|line| !line.trim().is_empty())?;
        if left || indent(next) != indent(half) || half.is_empty() {
            return None;
        }
    }
    let whole = format!("{echo}{rest}");
    let starts_line = partial.ends_with('\n') || !echo.is_empty();
    let mut moved = 0;
    let mut out = String::new();
    for (index, line) in whole.split_inclusive('\n').enumerate() {
        if line.trim().is_empty() || (index == 0 && !starts_line) {
            out.push_str(line);
        } else if left {
            out.push_str(line.strip_prefix(&" ".repeat(by))?);
            moved += 1;
        } else {
            if line.starts_with('\t') {
                return None;
            }
            out.push_str(&" ".repeat(by));
            out.push_str(line);
            moved += 1;
        }
    }
    (moved >= 3).then_some(out)
}

/// A place where the original repeats itself.
struct Repetition<'a> {
    file: &'a SourceFile,
    at: usize,
}

// Lines that equal the line before them, or the two before: the cut goes between.
fn repetitions(files: &[SourceFile]) -> Vec<Repetition<'_>> {
    let mut found = Vec::new();
    for file in files {
        let mut at = 0;
        let mut before: [&str; 4] = [""; 4];
        let mut of_file = 0;
        for line in file.text.split_inclusive('\n') {
            let bare = line.trim();
            let once = !bare.is_empty() && before[3].trim() == bare;
            let twice = !bare.is_empty() && before[3].trim() == bare.trim()
                || (before[2] == line && !bare.is_empty() && before[3] == before[1]);
            if at > 100 && (once || twice) && of_file < 30 && file.text.len() - at > 60 {
                found.push(Repetition { file, at });
                of_file += 1;
            }
            before = [before[1], before[2], before[3], line];
            at += line.len();
        }
    }
    found
}

fn meant<'a>(place: &Repetition<'a>, random: &mut Random) -> Option<Case<'a>> {
    let rest = rest(place.file, place.at, random)?;
    let partial = &place.file.text[..place.at];
    let continuation = match random.below(3) {
        0 => fenced(place.file, rest.text, &rest, random)?,
        _ => rest.text.to_owned(),
    };
    Some(Case {
        kind: Kind::MeantRepetition,
        file: place.file,
        partial: partial.to_owned(),
        continuation,
        truth: Truth::Text(format!("{partial}{}", rest.text)),
    })
}

fn unrelated<'a>(files: &'a [SourceFile], cut: &Cut<'a>, random: &mut Random) -> Option<Case<'a>> {
    if cut.at < 200 {
        return None;
    }
    let continuation = if random.below(2) == 0 {
        pick(talk::REFUSALS, random).to_owned()
    } else {
        let other = &files[random.below(files.len())];
        if other.name == cut.file.name {
            return None;
        }
        match random.below(3) {
            0 => format!("```{}\n{}\n```\n", other.language.name(), other.text),
            1 => format!(
                "{}\n\n```{}\n{}\n```\n",
                pick(talk::PREAMBLES, random),
                other.language.name(),
                other.text
            ),
            _ => other.text.clone(),
        }
    };
    Some(Case {
        kind: Kind::Unrelated,
        file: cut.file,
        partial: cut.prefix().to_owned(),
        continuation,
        truth: Truth::Nothing,
    })
}

fn whole<'a>(cut: &Cut<'a>, random: &mut Random) -> Option<Case<'a>> {
    let text = &cut.file.text;
    if cut.at < 40 || text.contains("```") || !text.ends_with('\n') {
        return None;
    }
    let continuation = match random.below(3) {
        0 => text.clone(),
        1 => format!("```{}\n{text}```\n", cut.file.language.name()),
        _ => format!("Here is the complete file:\n\n```{}\n{text}```\n", cut.file.language.name()),
    };
    Some(Case {
        kind: Kind::WholeFile,
        file: cut.file,
        partial: cut.prefix().to_owned(),
        continuation,
        truth: Truth::Text(text.clone()),
    })
}

// The file again with one line before the cut rewritten, so that no join is right.
fn whole_changed<'a>(cut: &Cut<'a>, random: &mut Random) -> Option<Case<'a>> {
    let prefix = cut.prefix();
    let lines: Vec<&str> = prefix.split_inclusive('\n').collect();
    if lines.len() < 8 {
        return None;
    }
    let changed = 3 + random.below(lines.len() - 5);
    if lines[changed].trim().len() < 4 {
        return None;
    }
    let mut text: String = lines[..changed].concat();
    text.push_str(&lines[changed].replace(['a', 'e', '1'], "zq"));
    text.push_str(&lines[changed + 1..].concat());
    text.push_str(&cut.file.text[cut.at..]);
    if text == cut.file.text {
        return None;
    }
    Some(Case {
        kind: Kind::WholeFileChanged,
        file: cut.file,
        partial: prefix.to_owned(),
        continuation: text,
        truth: Truth::Nothing,
    })
}
