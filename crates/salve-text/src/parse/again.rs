//! The least-cost reading: a value with faults is read again with one bracket more or less.
//!
//! In: a first reading that had to drop, supply or overwrite something. Out: the reading that needs the
//! least repairs, among it and those with a bracket supplied, closed or dropped at the places of its
//! faults. Happens once, at the end of the text, for values up to a fixed length, and reads no more
//! than a fixed number of bytes. Never chooses a reading that costs as much as the first.

use super::machine::{Found, narrow};
use super::patch::{Patch, lift};
use super::quote::rskip_blank;
use super::repair::{Edit, RepairCode as Code};
use super::tree::{NodeState, Tag};
use super::{JsonParser, ParseMode, ParseOptions, Parsed, replay};

// Longer texts are left as they were read.
const LONGEST: usize = 64 * 1024;
// How many bytes all further readings of one text may have.
const MOST_BYTES: usize = 4 * 1024 * 1024;
// How many faults are mended one after the other.
const ROUNDS: usize = 3;
// How many strings are tried with a quote more.
const MOST_STRINGS: usize = 4;
const MOST_MARKS: usize = 64;
// How many places of a reading are looked at.
const MOST_PLACES: usize = 12;

// What a value costs that another one of the same key replaces: more than any sign.
const LOST: u32 = 12;
// A string that ends at a quote that was read as one of its own: words in quotes are common.
const INNER_QUOTE: u32 = 4;
// By how much another reading has to be cheaper than the one before.
const MARGIN: u32 = 1;
// A bracket, comma, colon or quote outside the answer.
const UNREAD: u32 = 1;

/// Returns the cheapest reading of the text of `first`.
pub(super) fn least_cost(first: Parsed, options: &ParseOptions) -> Parsed {
    let short = first.tree.source.len() <= LONGEST && first.unread == 0;
    if options.mode == ParseMode::Text || !short || !is_doubtful(&first) {
        return first;
    }
    let (mut best, mut budget) = (first, MOST_BYTES);
    let mut before: Vec<(String, Patch)> = Vec::new();
    for _ in 0..ROUNDS {
        let Some((read, patch)) = cheaper(&best, &mut budget, options) else { break };
        let text = std::mem::replace(&mut best, read).tree.source;
        before.push((text, patch));
    }
    if before.is_empty() {
        return best;
    }
    while let Some((text, patch)) = before.pop() {
        lift(&mut best, text, &patch);
    }
    if is_replayed(&best) { best } else { once(&best.tree.source, options) }
}

// Whether the repairs make the text strict JSON of the same value, which is promised of every reading.
fn is_replayed(read: &Parsed) -> bool {
    let repairs = read.repairs();
    let in_order = repairs.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start);
    let strict = replay(&read.tree.source, &repairs);
    in_order
        && serde_json::from_str::<serde_json::Value>(&strict)
            .is_ok_and(|value| value == read.value())
}

fn once(text: &str, options: &ParseOptions) -> Parsed {
    let mut parser = JsonParser::new(options);
    parser.push(text);
    parser.first_reading()
}

// The cheapest reading of the text of `best` with one change, where it is cheaper than `best` is.
fn cheaper(best: &Parsed, budget: &mut usize, options: &ParseOptions) -> Option<(Parsed, Patch)> {
    let mut cheapest: Option<(Parsed, Patch)> = None;
    let mut least = cost(best);
    for patch in patches(best) {
        let Some(text) = patch.apply(&best.tree.source) else { continue };
        let Some(rest) = budget.checked_sub(text.len()) else { break };
        *budget = rest;
        let read = once(&text, options);
        let guess = if patch.ends_string { INNER_QUOTE } else { 0 };
        let cost = cost(&read) + patch_weight(patch.code) * patch.signs() + guess;
        if cost + MARGIN <= least && patch.is_kept(&read) && !splits(best, &read, &patch) {
            // From here on the cheapest counts.
            least = cost + MARGIN - 1;
            cheapest = Some((read, patch));
        }
    }
    cheapest
}

// Whether a bracket was dropped or supplied before the end of a text that is meant as data: not code with
// calls, and not words around it, which have brackets and quotes of their own.
fn is_doubtful(read: &Parsed) -> bool {
    let end = narrow(read.tree.source.len());
    let edits = &read.tree.edits;
    let has_calls = edits.iter().any(|edit| edit.code == Code::CallWrapper);
    let unpaired = edits.iter().any(|edit| is_bracket(edit.code) && edit.start < end);
    let begins = read.tree.source.trim_start_matches([' ', '\n', '\r', '\t', '\u{feff}']);
    let is_data = begins.starts_with(['{', '[', '"']);
    // A key that comes twice in a sound text is what its writer wrote.
    let faulty = edits.iter().any(|edit| weight(edit.code) > 0 && edit.start < end);
    let lost = faulty && !read.winners.is_empty();
    !has_calls && (unpaired || lost || is_data && unread(read) >= 4 * UNREAD)
}

// Whether one value became several by it, other than at the end of a line.
fn splits(before: &Parsed, read: &Parsed, patch: &Patch) -> bool {
    let next = before.tree.source.as_bytes().get(patch.at);
    before.tree.selected.len() == 1
        && read.tree.selected.len() > 1
        && !matches!(next, None | Some(b'\n' | b'\r'))
}

const fn is_bracket(code: Code) -> bool {
    matches!(
        code,
        Code::MissingCloser
            | Code::MismatchedCloser
            | Code::ExtraCloser
            | Code::ExtraOpener
            | Code::MissingBraces
    )
}

// What a repair costs. Habits of a writer, such as apostrophes, cost nothing: they are in every
// reading. Two brackets that were both lost cost more than one that is too many.
const fn weight(code: Code) -> u32 {
    match code {
        // One for the opener, one for the closer.
        Code::MissingBraces => 2,
        Code::MissingCloser => 4,
        Code::ExtraOpener | Code::ExtraCloser | Code::MismatchedCloser => 3,
        Code::MissingQuote => 3,
        Code::TruncatedString | Code::TalkDropped => 2,
        Code::MissingColon | Code::MissingValue => 1,
        Code::MissingComma | Code::ExtraComma | Code::ExtraColon | Code::UnquotedString => 1,
        Code::UnescapedQuote | Code::UnescapedControl => 1,
        Code::StringConcatenation | Code::DoubledQuote => 1,
        _ => 0,
    }
}

/// What a sign costs that is put in or taken out.
const fn patch_weight(code: Code) -> u32 {
    match code {
        Code::MissingBraces => 4,
        code => weight(code),
    }
}

// The values that make up the answer; both lists are in the order of the text.
pub(super) fn answers(read: &Parsed) -> impl Iterator<Item = &Found> {
    let mut selected = read.tree.selected.iter().peekable();
    read.found.iter().filter(move |found| selected.next_if(|node| **node == found.node).is_some())
}

fn cost(read: &Parsed) -> u32 {
    let mut cost = LOST * narrow(read.winners.len()) + unread(read);
    for found in answers(read) {
        let range = found.edits.0 as usize..found.edits.1 as usize;
        let edits = read.tree.edits.get(range).unwrap_or_default();
        cost += edits.iter().map(|edit| weight(edit.code) + dropped(read, edit)).sum::<u32>();
    }
    cost
}

// The signs of JSON in what a repair takes away, beyond the one sign that it is about.
fn dropped(read: &Parsed, edit: &Edit) -> u32 {
    let long = edit.end > edit.start + 1 && !matches!(edit.code, Code::Comment);
    let bytes = read.tree.source.as_bytes();
    let part = bytes.get(edit.start as usize..edit.end as usize).filter(|_| long);
    UNREAD * signs(part.unwrap_or_default())
}

fn signs(part: &[u8]) -> u32 {
    let is_sign = |byte: &&u8| matches!(byte, b'{' | b'}' | b'[' | b']' | b'"' | b':');
    narrow(part.iter().filter(is_sign).count())
}

// The signs of JSON outside the answer.
fn unread(read: &Parsed) -> u32 {
    let bytes = read.tree.source.as_bytes();
    let (mut count, mut done) = (0, 0);
    for found in answers(read) {
        let (start, end) = (found.start as usize, found.end as usize);
        let gap = bytes.get(done..start).unwrap_or_default();
        let answer = bytes.get(start..end).unwrap_or_default();
        count += signs(&gap[..begins_again(gap, answer)]);
        done = found.end as usize;
    }
    count += signs(bytes.get(done..).unwrap_or_default());
    UNREAD * count
}

// Where the beginning of an answer is in the text before it: a document that begins again is no loss.
fn begins_again(gap: &[u8], answer: &[u8]) -> usize {
    let gap = gap.trim_ascii_end();
    let same = |at: &usize| answer.starts_with(&gap[*at..]);
    let first = answer.first().copied().unwrap_or_default();
    memchr::memchr_iter(first, gap).take(MOST_PLACES).find(same).unwrap_or(gap.len())
}

// The brackets that may be missing, or one too many, at the places where the reading had to be repaired.
fn patches(read: &Parsed) -> Vec<Patch> {
    let bytes = read.tree.source.as_bytes();
    let mut out: Vec<Patch> = Vec::new();
    for at in places(read) {
        let behind = behind_value(bytes, at);
        let next = next_token(bytes, at);
        let comma = bytes.get(behind..next).is_some_and(|gap| gap.contains(&b','));
        let follows = bytes.get(next).is_some_and(|byte| !matches!(byte, b'}' | b']' | b','));
        let closers: [&'static str; 4] =
            if comma || !follows { ["}", "]", "}]", "]}"] } else { ["},", "],", "}],", "]},"] };
        for closer in closers {
            out.push(Patch::insert(behind, closer, Code::MissingCloser));
        }
        for opener in ["{", "["] {
            out.push(Patch::insert(next, opener, Code::MissingBraces));
        }
        for start in starts_of_values(read, behind) {
            out.push(Patch::insert(start, "[", Code::MissingBraces));
            out.push(Patch::insert(start, "{", Code::MissingBraces));
        }
        if matches!(bytes.get(at), Some(b'"' | b'\'')) {
            // A quote inside a string that may have been its end.
            for sign in [",", ":"] {
                out.push(Patch::end_string(at + 1, sign, Code::MissingComma));
            }
            for closer in ["}", "]", "},", "],"] {
                out.push(Patch::end_string(at + 1, closer, Code::MissingCloser));
            }
        }
        if matches!(bytes.get(behind.wrapping_sub(1)), Some(b'}' | b']')) {
            out.push(Patch::remove(behind - 1, Code::ExtraCloser));
        }
        if matches!(bytes.get(next), Some(b'}' | b']')) {
            out.push(Patch::remove(next, Code::ExtraCloser));
        }
    }
    missing_quotes(read, &mut out);
    out.sort_by_key(|patch| (patch.at, patch.drop, patch.insert));
    out.dedup();
    out
}

// `"key: [⏎ 1],⏎ "next": …` and `"text,⏎ "more"`: strings that run over the end of a line may lack the
// quote before the first colon or comma, or at the end of the line.
fn missing_quotes(read: &Parsed, out: &mut Vec<Patch>) {
    let (bytes, nodes) = (read.tree.source.as_bytes(), &read.tree.nodes);
    let ran_over = |edit: &&Edit| {
        matches!(edit.code, Code::UnescapedQuote | Code::UnescapedControl | Code::MissingQuote)
    };
    let string_at = |edit: &Edit| {
        let behind = nodes.partition_point(|node| node.start <= edit.start);
        let node = nodes.get(behind.checked_sub(1)?)?;
        (node.tag == Tag::String && edit.end <= node.end).then_some((node.start, node.end))
    };
    let edits = read.tree.edits.iter().filter(ran_over);
    let mut strings: Vec<(u32, u32)> = edits.take(MOST_MARKS).filter_map(string_at).collect();
    strings.dedup();
    for (start, end) in strings.into_iter().take(MOST_STRINGS) {
        let (start, end) = (start as usize, end as usize);
        let text = bytes.get(start..end).unwrap_or_default();
        if text.first() != Some(&b'"') {
            continue;
        }
        let line = memchr::memchr(b'\n', text).unwrap_or(text.len());
        let line_end = rskip_blank(bytes, start + 1, start + line);
        let signs = memchr::memchr2_iter(b':', b',', &text[..line]).take(2);
        for at in signs.map(|at| start + at).chain([line_end, behind_value(bytes, line_end)]) {
            out.push(Patch::insert(at, "\"", Code::MissingQuote));
        }
    }
}

// Where brackets were repaired, keys came again, and values begin that words with signs are in front of.
fn places(read: &Parsed) -> Vec<usize> {
    let tree = &read.tree;
    let doubts = tree.edits.iter().filter(|edit| is_bracket(edit.code) || weight(edit.code) > 1);
    let mut places: Vec<usize> = doubts.map(|edit| edit.start as usize).take(MOST_PLACES).collect();
    let start = |index: u32| tree.nodes.get(index as usize).map(|node| node.start as usize);
    places.extend(read.winners.iter().take(4).filter_map(|&value| start(value.saturating_sub(1))));
    places.extend(read.found.iter().take(4).map(|found| found.start as usize));
    // The first string of a text whose first bracket was lost.
    places.extend(memchr::memchr(b'"', tree.source.as_bytes()));
    places.sort_unstable();
    places.dedup();
    places.truncate(MOST_PLACES + 4);
    places
}

// The end of what is in front of `at`, a comma passed over.
fn behind_value(bytes: &[u8], at: usize) -> usize {
    let end = rskip_blank(bytes, 0, at);
    match end.checked_sub(1).and_then(|last| bytes.get(last)) {
        Some(b',') => rskip_blank(bytes, 0, end - 1),
        _ => end,
    }
}

fn next_token(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',')) {
        at += 1;
    }
    at
}

// Where the values begin that end at `end`.
fn starts_of_values(read: &Parsed, end: usize) -> Vec<usize> {
    let ends_here = read.tree.nodes.iter().filter(|node| node.end as usize == end);
    let mut starts: Vec<usize> =
        ends_here.filter(|node| node.tag != Tag::Group).map(|node| node.start as usize).collect();
    starts.dedup();
    starts.truncate(3);
    starts
}

/// Marks the innermost container around a place as a guess.
pub(super) fn doubt_around(read: &mut Parsed, start: u32, end: u32) {
    let around = |node: &&mut super::tree::Node| {
        node.is_container() && node.start <= start && end <= node.end
    };
    if let Some(node) = read.tree.nodes.iter_mut().filter(around).last() {
        node.state = node.state.max(NodeState::Inferred);
    }
}
