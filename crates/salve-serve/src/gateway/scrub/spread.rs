//! A key that the events of a stream tell in pieces, taken out while they go by.
//!
//! In: the events of a successful stream, in any pieces. Out: the same bytes, unless the texts that a
//! client joins spell a key; then those texts without it. An event waits only while its text may be
//! the middle of a key. Never another event, and never another field.

use super::events::{Event, each_text};
use super::{Cleaned, Forms, PieceCleaner, STARS, Scrub, Scrubbed};
use bytes::{Bytes, BytesMut};
use salve_model::wire::SseSplitter;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

/// So many bytes of a key say nothing of it, and many texts end with fewer of them by chance.
const FIRST: usize = 4;
/// More than this never waits: what else a stream says must reach its client.
const MOST_WAITING: usize = 256 << 10;
/// More places than this are not remembered, but for those that wait.
const MOST_PLACES: usize = 4096;

impl Scrub {
    /// Cleans the events of a successful stream as they come.
    pub(crate) fn spread<S>(&self, pieces: S) -> Spread<S> {
        let cleaner = self.0.clone().map(|forms| Joined {
            forms,
            splitter: SseSplitter::default(),
            places: BTreeMap::new(),
            waiting: VecDeque::new(),
            bytes: 0,
            next: 0,
        });
        Cleaned { pieces: self.stream(pieces), cleaner, over: false }
    }
}

/// A stream of events without the key in them, however many of them tell it.
pub(crate) type Spread<S> = Cleaned<Scrubbed<S>, Joined>;

/// What the events of one stream have told, place by place.
pub(crate) struct Joined {
    forms: Arc<Forms>,
    splitter: SseSplitter,
    places: BTreeMap<String, Place>,
    // Events that may tell a part of a key, and those after them, by number.
    waiting: VecDeque<(u64, Event)>,
    bytes: usize,
    next: u64,
}

// The text of one place: the end of what went on, and the texts that wait, by their events.
#[derive(Default)]
struct Place {
    sent: String,
    waiting: VecDeque<Piece>,
    // The first event that must wait.
    open: Option<u64>,
}

struct Piece {
    event: u64,
    text: String,
    is_changed: bool,
}

impl PieceCleaner for Joined {
    fn take(&mut self, piece: Bytes) -> Bytes {
        let mut out = BytesMut::new();
        self.splitter.push(piece);
        loop {
            match self.splitter.next_frame() {
                Ok(Some(frame)) => self.event(Event::of(frame), &mut out),
                Ok(None) => return out.freeze(),
                // Longer than any event is looked at: it goes on as it is.
                Err(_) => {
                    let left = std::mem::take(&mut self.splitter).finish();
                    self.release(u64::MAX, &mut out);
                    out.extend_from_slice(&left.unwrap_or_default().raw);
                }
            }
        }
    }

    fn rest(&mut self) -> Bytes {
        let mut out = BytesMut::new();
        if let Some(frame) = std::mem::take(&mut self.splitter).finish() {
            self.event(Event::of(frame), &mut out);
        }
        self.release(u64::MAX, &mut out);
        out.freeze()
    }
}

impl Joined {
    fn event(&mut self, mut event: Event, out: &mut BytesMut) {
        let number = self.next;
        self.next += 1;
        let (forms, places) = (&self.forms, &mut self.places);
        each_text(&mut event.said, &mut String::new(), &mut |place, text| {
            if !places.contains_key(place) {
                if places.len() >= MOST_PLACES {
                    places.retain(|_, place| !place.waiting.is_empty());
                }
                places.insert(place.to_owned(), Place::default());
            }
            if let Some(place) = places.get_mut(place) {
                place.take(forms, number, text);
            }
        });
        self.bytes += event.frame.raw.len();
        self.waiting.push_back((number, event));
        let open = self.places.values().filter_map(|place| place.open).min();
        let full = self.bytes > MOST_WAITING;
        self.release(open.filter(|_| !full).unwrap_or(u64::MAX), out);
    }

    // Lets the events before this one go.
    fn release(&mut self, before: u64, out: &mut BytesMut) {
        let longest = self.forms.longest();
        while let Some((number, mut event)) = self.waiting.pop_front() {
            if number >= before {
                self.waiting.push_front((number, event));
                return;
            }
            self.bytes = self.bytes.saturating_sub(event.frame.raw.len());
            let (places, is_changed) = (&mut self.places, &mut event.is_changed);
            each_text(&mut event.said, &mut String::new(), &mut |place, text| {
                let piece = places.get_mut(place).and_then(|place| place.goes_on(number, longest));
                if let Some(piece) = piece.filter(|piece| piece.is_changed) {
                    *text = piece.text;
                    *is_changed = true;
                }
            });
            out.extend_from_slice(&event.written());
        }
    }
}

impl Place {
    fn take(&mut self, forms: &Forms, event: u64, text: &str) {
        self.waiting.push_back(Piece { event, text: text.to_owned(), is_changed: false });
        let mut joined = self.joined();
        while let Some(found) = forms.finder.find(joined.as_bytes()) {
            self.take_out(found.range());
            joined = self.joined();
        }
        // The first bytes of a key that went on already are a part of it.
        let open = if begins_key(forms, &joined) { forms.open_end(joined.as_bytes()) } else { 0 };
        let from = joined.len() - open;
        let mut end = self.sent.len();
        let ends = self.waiting.iter().map(|piece| {
            end += piece.text.len();
            (piece.event, end)
        });
        let first = ends.filter(|(_, end)| *end > from).map(|(event, _)| event).next();
        self.open = first.filter(|_| open >= FIRST);
    }

    fn joined(&self) -> String {
        let waiting = self.waiting.iter().map(|piece| piece.text.as_str());
        std::iter::once(self.sent.as_str()).chain(waiting).collect()
    }

    // Takes a stretch out of the texts that wait; what of it went on is forgotten.
    fn take_out(&mut self, found: Range<usize>) {
        let mut start = self.sent.len();
        self.sent.truncate(found.start.min(start));
        let mut stars = std::str::from_utf8(STARS).unwrap_or_default();
        for piece in &mut self.waiting {
            let length = piece.text.len();
            let from = found.start.saturating_sub(start).min(length);
            let to = found.end.saturating_sub(start).min(length);
            start += length;
            if from < to {
                piece.text.replace_range(from..to, std::mem::take(&mut stars));
                piece.is_changed = true;
            }
        }
    }

    // The text of an event goes on to the client.
    fn goes_on(&mut self, event: u64, longest: usize) -> Option<Piece> {
        let is_next = self.waiting.front().is_some_and(|piece| piece.event == event);
        let piece = if is_next { self.waiting.pop_front()? } else { return None };
        self.sent.push_str(&piece.text);
        let mut from = self.sent.len().saturating_sub(longest);
        while !self.sent.is_char_boundary(from) {
            from += 1;
        }
        self.sent.drain(..from);
        if self.waiting.is_empty() {
            self.open = None;
        }
        Some(piece)
    }
}

// Whether the first bytes of a key are in a text; nearly always they are not.
fn begins_key(forms: &Forms, text: &str) -> bool {
    let is_first = |bytes: &[u8]| forms.forms.iter().any(|form| form.starts_with(bytes));
    text.as_bytes().windows(FIRST).any(is_first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt, StreamExt, stream};

    const KEY: &str = "sk-held-0123456789";

    fn cleaned(told: &str, size: usize) -> Vec<String> {
        let pieces = told.as_bytes().chunks(size).map(|piece| Ok(Bytes::copy_from_slice(piece)));
        let pieces: Vec<Result<Bytes, ()>> = pieces.collect();
        let clean = Scrub::of(Some(KEY)).spread(stream::iter(pieces));
        let clean: Vec<_> = clean.collect().now_or_never().unwrap();
        clean.into_iter().map(|it| String::from_utf8(it.unwrap().to_vec()).unwrap()).collect()
    }

    fn chat(text: &str, choice: usize) -> String {
        format!(
            "data: {{\"choices\":[{{\"index\":{choice},\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
        )
    }

    fn text(stream: &str, choice: usize) -> String {
        let mark = format!("\"index\":{choice},\"delta\":{{\"content\":\"");
        let texts = stream.split(&mark).skip(1).filter_map(|rest| rest.split('"').next());
        texts.collect()
    }

    #[test]
    fn a_key_in_pieces_of_any_size_is_taken_out() {
        let said = format!("The key is {KEY}, and {KEY}{KEY} again. sk-held-01");
        for size in 1..24 {
            let pieces = said.as_bytes().chunks(size).map(|it| std::str::from_utf8(it).unwrap());
            let told: String = pieces.map(|piece| chat(piece, 0)).collect();
            for cut in [1, 7, 10_000] {
                let clean = cleaned(&format!("{told}data: [DONE]\n\n"), cut).concat();
                let got = text(&clean, 0);
                // Up to three of its bytes went on before it was known for what it is.
                assert!(!got.contains("held-0123"), "{size} {cut}: {got}");
                assert!(got.starts_with("The key is ") && got.contains("***, and "), "{got}");
                assert!(got.ends_with(" again. sk-held-01"), "{size} {cut}: {got}");
                assert!(clean.ends_with("data: [DONE]\n\n"));
            }
        }
    }

    #[test]
    fn answers_and_blocks_are_told_apart() {
        let told = [chat("a sk-held", 0), chat("b sk-h", 1), chat("-0123456789", 0)].concat();
        let clean = cleaned(&told, 9).concat();
        assert_eq!((text(&clean, 0), text(&clean, 1)), ("a ***".to_owned(), "b sk-h".to_owned()));
        let blocks = ["sk-held", "-0123456789"].iter().enumerate().map(|(at, text)| {
            format!("event: x\ndata: {{\"index\":{at},\"delta\":{{\"text\":\"{text}\"}}}}\n\n")
        });
        let blocks: String = blocks.collect();
        assert_eq!(cleaned(&blocks, 100).concat(), blocks, "no client joins these");
    }

    #[test]
    fn what_tells_no_key_goes_on_at_once_and_unchanged() {
        let told = [
            ": ping\r\n\r\n".to_owned(),
            chat("is it sk", 0),
            chat("-", 0),
            chat("hot or", 0),
            "data: { \"odd\" : 1 }\n\n".to_owned(),
            chat(" sk-hel", 0),
            chat("p me\\u0021", 0),
            "data: [DONE]\n\ndata: left".to_owned(),
        ];
        for size in [1, 50, 10_000] {
            assert_eq!(cleaned(&told.concat(), size).concat(), told.concat());
        }
        // One event waits, for the one after it shows that it is no key.
        let came = cleaned(&told.concat(), 1);
        assert_eq!(came.len(), told.len());
        assert_eq!(came[5], [told[5].as_str(), &told[6]].concat());
    }

    #[test]
    fn no_more_waits_than_is_allowed() {
        let told = chat("sk-held", 0);
        let other = format!("data: {{\"other\":\"{}\"}}\n\n", "x".repeat(50_000));
        let told = [told, other.repeat(9)].concat();
        let came = cleaned(&told, 60_000);
        assert_eq!(came.concat(), told);
        assert!(came.len() > 2);
    }
}
