//! What a key means, the same at every question.
//!
//! In: what is offered, and the keys as they come. Out: taken, refused, or what to say. Never takes an
//! offer that lasts without Enter, and never takes silence for a yes.

use super::{ENTER, ESCAPE};

/// Something that can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offer {
    /// The key that takes it.
    pub(crate) key: char,
    /// What it does.
    pub(crate) words: &'static str,
    /// Whether it counts beyond this once.
    pub(crate) lasts: bool,
}

/// What comes of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    /// The offer with this key is taken.
    Taken(char),
    /// Nothing is taken.
    Refused,
    /// The offer with this key waits for Enter.
    Confirm(char),
    /// This is to be said, and the question stays open.
    Help(String),
}

/// A question that is being answered.
pub(super) struct Answer<'a> {
    offers: &'a [Offer],
    waiting: Option<char>,
}

/// Tells whether a key says no: `n`, `s`, `q`, Esc, Ctrl-C, Ctrl-D, Enter, and a terminal that is gone.
fn refuses(key: Option<char>) -> bool {
    matches!(
        key,
        None | Some('n' | 'N' | 's' | 'S' | 'q' | 'Q' | ESCAPE | '\u{3}' | '\u{4}' | ENTER)
    )
}

impl<'a> Answer<'a> {
    pub(super) fn new(offers: &'a [Offer]) -> Self {
        Self { offers, waiting: None }
    }

    /// Hears one key.
    pub(super) fn hear(&mut self, key: Option<char>) -> Reply {
        if let Some(waiting) = self.waiting.take() {
            return match key {
                Some(ENTER) => Reply::Taken(waiting),
                key if refuses(key) => Reply::Refused,
                _ => Reply::Help(self.help()),
            };
        }
        let pressed = key.map(|key| key.to_ascii_lowercase());
        match self.offers.iter().find(|offer| Some(offer.key) == pressed) {
            Some(offer) if offer.lasts => {
                self.waiting = Some(offer.key);
                Reply::Confirm(offer.key)
            }
            Some(offer) => Reply::Taken(offer.key),
            None if refuses(key) => Reply::Refused,
            None => Reply::Help(self.help()),
        }
    }

    fn help(&self) -> String {
        let mut text = String::new();
        for offer in self.offers {
            let enter = if offer.lasts { ", then Enter" } else { "" };
            text.push_str(&format!("{}  {}{enter}\n", offer.key, offer.words));
        }
        text.push_str("n  no (also s, q, Esc, Ctrl-D, Enter)\n?  this help\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFERS: &[Offer] = &[
        Offer { key: 'r', words: "run it once", lasts: false },
        Offer { key: 'a', words: "add it and run", lasts: true },
    ];

    fn replies(keys: &str) -> Vec<Reply> {
        let mut answer = Answer::new(OFFERS);
        keys.chars().map(|key| answer.hear(Some(key))).collect()
    }

    #[test]
    fn what_lasts_needs_enter() {
        assert_eq!(replies("r"), [Reply::Taken('r')]);
        assert_eq!(replies("a\n"), [Reply::Confirm('a'), Reply::Taken('a')]);
        let pasted = replies("argo --version");
        assert_eq!(pasted[0], Reply::Confirm('a'));
        assert!(matches!(pasted[1], Reply::Help(_)), "the next letter takes it back");
    }

    #[test]
    fn every_way_to_say_no_is_answered() {
        for key in ['n', 'N', 's', 'q', ESCAPE, '\u{3}', '\u{4}', ENTER] {
            assert_eq!(Answer::new(OFFERS).hear(Some(key)), Reply::Refused, "{key:?}");
        }
        assert_eq!(Answer::new(OFFERS).hear(None), Reply::Refused, "a terminal that is gone");
        assert_eq!(replies("aq"), [Reply::Confirm('a'), Reply::Refused]);
    }

    #[test]
    fn every_other_key_gets_the_help() {
        for key in ['?', 'x', '1', ' '] {
            let Reply::Help(text) = Answer::new(OFFERS).hear(Some(key)) else { panic!("{key}") };
            assert!(text.contains("a  add it and run, then Enter"), "{text}");
        }
    }
}
