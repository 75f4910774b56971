//! The upstream's key, taken out of what goes to clients.
//!
//! In: headers and bytes of replies, in any pieces. Out: the same, with stars in the place of the key
//! that the gateway holds, as it is or escaped as in JSON, in an address or in a page. Never holds
//! back more than the beginning of a key, and copies only what it changes.

mod events;
mod spread;

use aho_corasick::{AhoCorasick, MatchKind};
use bytes::{Bytes, BytesMut};
use futures_util::Stream;
use http::{HeaderMap, HeaderValue};
use std::fmt::Write;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

const STARS: &[u8] = b"***";
/// A shorter word is in texts by chance, and no provider gives out such keys.
const SHORTEST: usize = 8;

/// What is taken out; nothing where the gateway holds no key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scrub(Option<Arc<Forms>>);

#[derive(Debug)]
struct Forms {
    finder: AhoCorasick,
    forms: Vec<Vec<u8>>,
}

impl Scrub {
    /// Prepares for a key.
    pub(crate) fn of(key: Option<&str>) -> Self {
        let forms = key.filter(|key| key.len() >= SHORTEST).map(forms).unwrap_or_default();
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&forms);
        Self(
            finder
                .ok()
                .filter(|_| !forms.is_empty())
                .map(|finder| Arc::new(Forms { finder, forms })),
        )
    }

    /// Returns whether there is something to take out.
    pub(crate) const fn is_needed(&self) -> bool {
        self.0.is_some()
    }

    /// Cleans the headers of a reply.
    pub(crate) fn headers(&self, headers: &mut HeaderMap) {
        let Some(forms) = &self.0 else { return };
        for value in headers.values_mut() {
            if forms.finder.is_match(value.as_bytes()) {
                let clean = forms.finder.replace_all_bytes(value.as_bytes(), &forms.stars());
                // A header with stars in it is as good a header as it was before.
                *value = HeaderValue::from_bytes(&clean)
                    .unwrap_or_else(|_| HeaderValue::from_static("***"));
            }
        }
    }

    /// Cleans bytes that are all there.
    pub(crate) fn bytes(&self, bytes: Bytes) -> Bytes {
        match &self.0 {
            Some(forms) if forms.finder.is_match(&bytes) => {
                forms.finder.replace_all_bytes(&bytes, &forms.stars()).into()
            }
            _ => bytes,
        }
    }

    /// Cleans bytes as they come.
    pub(crate) fn stream<S>(&self, pieces: S) -> Scrubbed<S> {
        let cleaner = self.0.clone().map(|forms| OpenEnd { forms, kept: BytesMut::new() });
        Cleaned { pieces, cleaner, over: false }
    }
}

impl Forms {
    fn stars(&self) -> Vec<&'static [u8]> {
        vec![STARS; self.forms.len()]
    }

    fn longest(&self) -> usize {
        self.forms.iter().map(Vec::len).max().unwrap_or(1)
    }

    // How many bytes at the end may be the beginning of a key.
    fn open_end(&self, bytes: &[u8]) -> usize {
        let begins = |length: usize| {
            let end = &bytes[bytes.len() - length..];
            self.forms.iter().any(|form| form.len() > length && form.starts_with(end))
        };
        (1..self.longest().min(bytes.len() + 1)).rev().find(|length| begins(*length)).unwrap_or(0)
    }

    // Returns what may go on, and keeps the end that may be the beginning of a key.
    fn cleaned(&self, kept: &mut BytesMut, piece: &Bytes) -> Bytes {
        if kept.is_empty() && !self.finder.is_match(piece) {
            let open = self.open_end(piece);
            kept.extend_from_slice(&piece[piece.len() - open..]);
            return piece.slice(..piece.len() - open);
        }
        kept.extend_from_slice(piece);
        // A key whose end may still grow into a longer form of it waits as well.
        let open = self.open_end(kept);
        let whole = kept.split_to(kept.len() - open);
        self.finder.replace_all_bytes(&whole, &self.stars()).into()
    }
}

/// Takes the key out of pieces as they come.
pub(crate) trait PieceCleaner {
    /// Takes the next piece; returns what may go on.
    fn take(&mut self, piece: Bytes) -> Bytes;
    /// Returns what was kept, at the end.
    fn rest(&mut self) -> Bytes;
}

/// Pieces without the key in them; as they are where no key is held.
pub(crate) struct Cleaned<S, C> {
    pieces: S,
    cleaner: Option<C>,
    over: bool,
}

impl<S, C, E> Stream for Cleaned<S, C>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    C: PieceCleaner + Unpin,
{
    type Item = Result<Bytes, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if this.over {
                return Poll::Ready(None);
            }
            let piece = ready!(Pin::new(&mut this.pieces).poll_next(cx));
            let Some(cleaner) = &mut this.cleaner else { return Poll::Ready(piece) };
            let clean = match piece {
                Some(Ok(piece)) => cleaner.take(piece),
                Some(error) => return Poll::Ready(Some(error)),
                None => {
                    this.over = true;
                    cleaner.rest()
                }
            };
            if !clean.is_empty() {
                return Poll::Ready(Some(Ok(clean)));
            }
        }
    }
}

/// Pieces without the key in them, wherever they are cut.
pub(crate) type Scrubbed<S> = Cleaned<S, OpenEnd>;

/// Keeps the end of a piece that may be the beginning of a key.
pub(crate) struct OpenEnd {
    forms: Arc<Forms>,
    kept: BytesMut,
}

impl PieceCleaner for OpenEnd {
    fn take(&mut self, piece: Bytes) -> Bytes {
        self.forms.cleaned(&mut self.kept, &piece)
    }

    // It was a beginning and no more.
    fn rest(&mut self) -> Bytes {
        self.kept.split().freeze()
    }
}

// The ways in which an echo may spell a key: as it is, and escaped.
fn forms(key: &str) -> Vec<Vec<u8>> {
    let json = serde_json::Value::from(key).to_string();
    let json = json[1..json.len() - 1].to_owned();
    let page = key.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let unicode = |text: &str| {
        let escaped = |character: char| match character {
            '<' | '>' | '&' | '\'' | '+' | '=' => format!("\\u{:04x}", u32::from(character)),
            other => other.to_string(),
        };
        text.chars().map(escaped).collect::<String>()
    };
    let percent = |upper: bool| {
        let mut text = String::new();
        for byte in key.bytes() {
            let plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
            // Writing to a string does not fail.
            let _ = match (plain, upper) {
                (true, _) => write!(text, "{}", char::from(byte)),
                (false, true) => write!(text, "%{byte:02X}"),
                (false, false) => write!(text, "%{byte:02x}"),
            };
        }
        text
    };
    let mut forms = vec![
        key.to_owned(),
        json.replace('/', "\\/"),
        unicode(&json),
        unicode(&json).to_uppercase().replace("\\U", "\\u"),
        page.replace('"', "&quot;").replace('\'', "&#39;"),
        page.replace('"', "&#34;").replace('\'', "&#x27;"),
        page,
        percent(true),
        percent(false),
        json,
    ];
    forms.sort();
    forms.dedup();
    forms.into_iter().map(String::into_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt, StreamExt, stream};

    const KEY: &str = "sk-held/0123+\"x\"&=<9>";

    fn streamed(text: &str, size: usize) -> String {
        let pieces = text.as_bytes().chunks(size).map(|piece| Ok(Bytes::copy_from_slice(piece)));
        let pieces: Vec<Result<Bytes, ()>> = pieces.collect();
        let clean = Scrub::of(Some(KEY)).stream(stream::iter(pieces));
        let pieces: Vec<_> = clean.collect().now_or_never().unwrap();
        let bytes: Vec<u8> = pieces.into_iter().flat_map(|piece| piece.unwrap().to_vec()).collect();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_key_is_taken_out_in_any_spelling_and_any_pieces() {
        for form in forms(KEY) {
            let form = String::from_utf8(form).unwrap();
            let text = format!("Bearer {form}{form}, again: {form}. sk-held/01");
            let whole = Scrub::of(Some(KEY)).bytes(Bytes::from(text.clone()));
            assert_eq!(whole, "Bearer ******, again: ***. sk-held/01", "{form}");
            for size in [1, 2, 3, 7, 1000] {
                assert_eq!(
                    streamed(&text, size),
                    "Bearer ******, again: ***. sk-held/01",
                    "{form}"
                );
            }
        }
    }

    #[test]
    fn what_holds_no_key_is_not_touched() {
        let text = "sk-held/0123 and sk-hel, sk-held/0123+\"x\"&=<8>";
        for size in [1, 5, 1000] {
            assert_eq!(streamed(text, size), text);
        }
        assert!(!Scrub::of(None).is_needed() && !Scrub::of(Some("short")).is_needed());
        let mut headers = HeaderMap::new();
        headers.insert("x-echo", HeaderValue::from_static("Bearer sk-held-1234"));
        Scrub::of(Some("sk-held-1234")).headers(&mut headers);
        assert_eq!(headers["x-echo"], "Bearer ***");
    }
}
