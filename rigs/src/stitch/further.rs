//! More kinds of continuations, for measurements with seeds nobody worked on.
//!
//! In: files, cuts, a seed. Out: cases of the usual kinds and of further ones, half and half. Kept
//! apart, so that fixed seeds go on meaning the cases they meant. Never calls the stitcher.

use super::generate::{Case, Kind, Truth, echo_lines, generate, half_line, line_start, rest};
use super::talk::pick;
use crate::corpus::{Random, SourceFile};
use crate::cuts::{Cut, Place};

const TALK: &[&str] = &[
    "Here's the remaining part of the file:",
    "Continuing the code:",
    "Sure thing! Picking up where we left off:",
    "Below is the rest of the code, starting exactly where it was cut off:",
    "Right, the rest follows:",
    "Continuation:",
];
const REFUSALS: &[&str] = &[
    "I don't have the earlier part of the file, so I can't go on from there. Could you paste it again?",
    "Sorry about that! Which part should I continue?",
    "The response seems to have been interrupted. Would you like me to start over?",
    "I've finished the task. Is there anything else you would like to change?",
];
const KINDS: &[Kind] =
    &[Kind::Thought, Kind::OtherFence, Kind::OtherTalk, Kind::LongEcho, Kind::CarriageReturns];

/// Makes `count` cases, half of them of the usual kinds.
pub(super) fn further<'a>(
    files: &'a [SourceFile],
    cuts: &[Cut<'a>],
    count: usize,
    seed: u64,
) -> Vec<Case<'a>> {
    let mut cases = generate(files, cuts, count / 2, seed);
    let mut random = Random::new(seed).for_name("further joins");
    let mut tries = 0;
    while cases.len() < count && tries < count * 20 && !cuts.is_empty() {
        tries += 1;
        let cut = &cuts[random.below(cuts.len())];
        let case = match random.below(12) {
            0 => refused(cut, &mut random),
            slot => joined(KINDS[slot % KINDS.len()], cut, &mut random),
        };
        cases.extend(case);
    }
    cases
}

fn joined<'a>(kind: Kind, cut: &Cut<'a>, random: &mut Random) -> Option<Case<'a>> {
    let partial = cut.prefix();
    if partial.trim().len() < 40 {
        return None;
    }
    let rest = rest(cut.file, cut.at, random)?;
    let body = match random.below(3) {
        0 => format!("{}{}", half_line(partial, random)?, rest.text),
        1 => format!("{}{}", echo_lines(partial, random)?, rest.text),
        _ => rest.text.to_owned(),
    };
    let fence = |mark: &str, name: &str, body: &str| {
        let closed = rest.reaches_end && body.ends_with('\n');
        let fits = !body.contains(mark) && (closed || !rest.reaches_end);
        fits.then(|| format!("{mark}{name}\n{body}{}", if closed { mark } else { "" }))
    };
    let language = cut.file.language.name();
    let (mut truth, mut start) = (format!("{partial}{}", rest.text), partial.to_owned());
    let continuation = match kind {
        Kind::Thought => {
            let thought =
                "<think>\nThe file was cut off, so I go on at the same place.\n</think>\n\n";
            format!("{thought}{}", fence("```", language, &body)?)
        }
        Kind::OtherFence if random.below(2) == 0 => fence("~~~", language, &body)?,
        Kind::OtherFence => fence("````", language, &body)?,
        Kind::OtherTalk => format!("{}\n\n{}", pick(TALK, random), fence("```", language, &body)?),
        Kind::LongEcho => long_echo(partial, random)? + rest.text,
        _ => {
            // A break that is half of one is a place where no file ends.
            if partial.ends_with('\r') || cut.file.text.contains('\r') {
                return None;
            }
            (truth, start) = (windows(&truth), windows(&start));
            windows(&body)
        }
    };
    Some(Case { kind, file: cut.file, partial: start, continuation, truth: Truth::Text(truth) })
}

fn windows(text: &str) -> String {
    text.replace('\n', "\r\n")
}

fn long_echo(partial: &str, random: &mut Random) -> Option<String> {
    let mut start = line_start(partial);
    for _ in 0..4 + random.below(12) {
        start = line_start(partial.get(..start.checked_sub(1)?)?);
    }
    (start > 0 && partial[start..].trim().len() > 60).then(|| partial[start..].to_owned())
}

fn refused<'a>(cut: &Cut<'a>, random: &mut Random) -> Option<Case<'a>> {
    // In running text a sentence is text, whoever says it.
    let running =
        matches!(cut.place, Place::Comment | Place::String | Place::Template | Place::Heredoc);
    (cut.at >= 200 && !running).then(|| Case {
        kind: Kind::Unrelated,
        file: cut.file,
        partial: cut.prefix().to_owned(),
        continuation: pick(REFUSALS, random).to_owned(),
        truth: Truth::Nothing,
    })
}
