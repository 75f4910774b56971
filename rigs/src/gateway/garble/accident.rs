//! One accident to one frame.
//!
//! In: a frame. Out: its bytes after one accident: bytes changed, lost or added anywhere, a name in it
//! that lost or gained letters, lines that became other lines, another event in its place. Never more
//! than one accident, and repeatable by its seed.

use fastrand::Rng;

/// Damages one frame.
pub(super) fn damaged(rng: &mut Rng, frame: &[u8]) -> Vec<u8> {
    match rng.usize(0..12) {
        0 => flipped(rng, frame),
        1 => deleted(rng, frame),
        2 => inserted(rng, frame),
        3 => Vec::new(),
        4 => frame[..rng.usize(0..frame.len())].to_vec(),
        5 => [&frame[..rng.usize(1..frame.len())], b"\n\n"].concat(),
        6 => {
            let junk: Vec<u8> = (0..rng.usize(1..80)).map(|_| rng.u8(b' '..b'~')).collect();
            [b"data: ", junk.as_slice(), b"\n\n"].concat()
        }
        7 => rng.choice(OTHERS).copied().unwrap_or_default().as_bytes().to_vec(),
        8 | 9 => other_name(rng, frame),
        10 => other_lines(rng, frame),
        _ => heartbeat(rng, frame),
    }
}

fn flipped(rng: &mut Rng, frame: &[u8]) -> Vec<u8> {
    let mut bytes = frame.to_vec();
    for _ in 0..rng.usize(1..5) {
        let at = rng.usize(0..bytes.len());
        bytes[at] ^= rng.u8(1..);
    }
    bytes
}

fn deleted(rng: &mut Rng, frame: &[u8]) -> Vec<u8> {
    let mut bytes = frame.to_vec();
    let start = rng.usize(0..bytes.len());
    bytes.drain(start..frame.len().min(start + rng.usize(1..12)));
    bytes
}

fn inserted(rng: &mut Rng, frame: &[u8]) -> Vec<u8> {
    let mut bytes = frame.to_vec();
    let at = rng.usize(0..=bytes.len());
    bytes.splice(at..at, (0..rng.usize(1..9)).map(|_| rng.u8(..)).collect::<Vec<_>>());
    bytes
}

// A field or a kind loses a stretch, gains one, or is written over by half, all in letters.
fn other_name(rng: &mut Rng, frame: &[u8]) -> Vec<u8> {
    let names = names(frame);
    let Some((start, end)) = rng.choice(names) else { return flipped(rng, frame) };
    let length = end - start;
    let from = start + rng.usize(0..=length);
    let mut letters = |count: usize| (0..count).map(|_| rng.lowercase() as u8).collect::<Vec<_>>();
    let mut bytes = frame.to_vec();
    match from % 3 {
        0 => {
            let more = letters(1 + from % 6);
            bytes.splice(from..from, more);
        }
        1 => {
            let from = from.min(end - 1);
            bytes.drain(from..end.min(from + 1 + from % 8));
        }
        _ => {
            let from = from.min(end - 1);
            let over = letters((end - from).min(length.div_ceil(2)));
            bytes.splice(from..from + over.len(), over);
        }
    }
    bytes
}

// Where the names of fields and the kinds of events are: words in quotes before a colon, and what
// follows `"type":`.
fn names(frame: &[u8]) -> Vec<(usize, usize)> {
    let text = String::from_utf8_lossy(frame);
    let mut found = Vec::new();
    let mut quotes = text.match_indices('"').map(|(at, _)| at).peekable();
    while let (Some(open), Some(close)) = (quotes.next(), quotes.peek().copied()) {
        let word = &text[open + 1..close];
        let is_word = |byte: u8| byte.is_ascii_lowercase() || b"_.".contains(&byte);
        let named = text[close..].starts_with("\":") || text[..open].ends_with("\"type\":");
        if named && !word.is_empty() && word.bytes().all(is_word) && frame.len() == text.len() {
            found.push((open + 1, close));
        }
    }
    found
}

// Lines that are no longer lines of data.
fn other_lines(rng: &mut Rng, frame: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(frame).into_owned();
    let letters: String = (0..rng.usize(1..4)).map(|_| rng.lowercase()).collect();
    let all = [
        text.replace("data: ", ": "),
        text.replace("data: ", &format!(":{letters}")),
        text.replace("data: ", &format!(":{letters}:")),
        text.replace("data: ", ":ta: "),
        text.replace("data: ", "id: "),
        text.replace("data: ", "retry: "),
        text.replace("data: ", &format!("{letters}: ")),
        text.replace("data: ", ": ").replace("event: ", ": "),
        text.replace("data: ", ": ").replace("event: ", "id: "),
        text.replace("data: ", "event: ping\n: "),
    ];
    rng.choice(all).unwrap_or_default().into_bytes()
}

// An event that says it is a heartbeat, in both places or in one.
fn heartbeat(rng: &mut Rng, frame: &[u8]) -> Vec<u8> {
    let mut text = String::from_utf8_lossy(frame).into_owned();
    let kind = ["content_block_delta", "response.output_text.delta", "content_block_start"];
    for kind in kind {
        text = text.replace(kind, "ping");
    }
    if !text.starts_with("event: ") && rng.bool() {
        text.insert_str(0, "event: ping\n");
    }
    text.into_bytes()
}

// Events of other kinds, and of no kind, in the place of one.
const OTHERS: &[&str] = &[
    "data: {}\n\n",
    "data: null\n\n",
    "data: {\"type\":\"mystery\"}\n\n",
    "event: mystery\ndata: {\"type\":\"mystery\",\"index\":0}\n\n",
    "data: {\"choices\":[{\"index\":0}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":7}}]}\n\n",
    "data: {\"choices\":[{\"index\":3,\"delta\":{\"content\":\"x\"}}]}\n\n",
    "data: {\"choices\":\"no\"}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":0}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":9,\"delta\":{\"type\":\"text_delta\",\"text\":\"\"}}\n\n",
    "data: {\"type\":\"response.output_text.delta\",\"output_index\":0}\n\n",
    "data: {\"object\":\"chat.completion.note\",\"id\":\"x\"}\n\n",
];
