//! What follows a quote: could the string end there?
//!
//! In: a place after a quote and the open frames. Out: whether JSON could go on like that. Looks
//! at most one window ahead, and finds every real end of a string in valid JSON sure.

use super::ParseMode;
use super::doubt::is_name;
use super::machine::{FrameKind, Machine, Step, WINDOW};
use super::quote::{Quote, is_word, quote_of};
use super::string::Role;

/// How well the text after a quote fits the end of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outlook {
    /// Words follow.
    Unlikely,
    /// A sign of JSON follows, but not what should come after it.
    Possible,
    /// JSON goes on after it.
    Sure,
}

use Outlook::{Possible, Sure, Unlikely};

impl Machine {
    /// Judges a quote that ends at `from`.
    pub(super) fn outlook(&self, from: usize, role: Role) -> Step<Outlook> {
        let mut depth = self.stack.len();
        let mut at = from;
        let mut extra = false;
        loop {
            let start = at;
            at = self.skip_gap(at)?;
            if at > from + WINDOW {
                return Ok(Sure);
            }
            let Some((byte, width)) = self.sign_at(at)? else { return Ok(Sure) };
            if role == Role::Key {
                return self.outlook_key(at, byte, at > start);
            }
            let untouched = depth == self.stack.len();
            let kind = depth.checked_sub(1).map(|index| self.stack[index].kind);
            match byte {
                b'}' | b']'
                    if untouched
                        && kind.is_some_and(|kind| !kind.is_closed_by(byte))
                        && self.goes_on(depth, at + 1)? =>
                {
                    // One too many: what follows fits where the string is.
                    return Ok(Sure);
                }
                b'}' | b']' | b')' => {
                    let Some(below) = self.depth_after(depth, byte) else {
                        // One closer too many, right after a good one.
                        if extra || at > start {
                            return Ok(Possible);
                        }
                        extra = true;
                        at += 1;
                        continue;
                    };
                    depth = below;
                    at += 1;
                    if depth == 0 {
                        return self.outlook_behind_root(at);
                    }
                }
                b',' => return self.outlook_comma(at + width, kind, from),
                // A semicolon in place of a comma.
                b';' if kind.is_some() => return self.outlook_semicolon(at + width, kind),
                b':' => {
                    let implied = untouched && kind == Some(FrameKind::Array);
                    return Ok(if implied { Sure } else { Unlikely });
                }
                // `…"}{"…`: the comma between two objects of a list was lost.
                b'{' if !untouched
                    && kind == Some(FrameKind::Array)
                    && self.quote_behind(at)? =>
                {
                    return Ok(Sure);
                }
                _ => {
                    let newline = self.bytes()[start..at].contains(&b'\n');
                    return self.outlook_other(at, byte, kind, newline);
                }
            }
        }
    }

    fn outlook_key(&self, at: usize, byte: u8, spaced: bool) -> Step<Outlook> {
        Ok(match byte {
            b':' => Sure,
            b'=' => Possible,
            _ if spaced && quote_of(self.bytes(), at).is_some() => Sure,
            _ if quote_of(self.bytes(), at).is_some() => Possible,
            _ => Unlikely,
        })
    }

    // The number of frames left open after a closing bracket, if it closes one.
    fn depth_after(&self, depth: usize, byte: u8) -> Option<usize> {
        let count = match byte {
            b'}' => self.open[0],
            b']' => self.open[1],
            _ => self.open[2],
        };
        if count == 0 {
            return None;
        }
        // A bracket of the wrong kind is looked for nearby only.
        let near = depth.saturating_sub(8);
        (near..depth).rev().find(|&index| self.stack[index].kind.is_closed_by(byte))
    }

    fn outlook_behind_root(&self, mut at: usize) -> Step<Outlook> {
        let from = at;
        while matches!(self.bytes().get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        if at > from + WINDOW {
            return Ok(Sure);
        }
        let Some(byte) = self.byte(at)? else { return Ok(Sure) };
        match byte {
            b'\n' | b'\r' | b'`' | b'<' | b'{' | b'[' | b'/' | b';' | b'#' => Ok(Sure),
            b',' => self.outlook_comma(at + 1, None, from),
            _ => Ok(Possible),
        }
    }

    // Only what surely begins a member or an item makes a semicolon a comma: code has them too.
    fn outlook_semicolon(&self, at: usize, kind: Option<FrameKind>) -> Step<Outlook> {
        let next = self.skip_gap(at)?;
        let newline = self.bytes()[at..next].contains(&b'\n');
        let Some(byte) = self.byte(next)? else { return Ok(Possible) };
        let quoted = quote_of(self.bytes(), next).is_some();
        let sure = match kind {
            // `"x";⏎}`: one more after the last member.
            Some(kind) if newline && kind.is_closed_by(byte) => {
                let behind = self.skip_gap(next + 1)?;
                matches!(self.byte(behind)?, None | Some(b';' | b',' | b'}' | b']' | b'`'))
            }
            Some(kind) if kind.has_keys() => {
                quoted && self.key_follows(next)? || self.word_key_follows(next)?
            }
            _ => {
                newline && (quoted || matches!(byte, b'{' | b'['))
                    || self.value_follows(next)?
                    || matches!(byte, b'{' | b'[') && self.quote_behind(next)?
            }
        };
        Ok(if sure { Sure } else { Unlikely })
    }

    fn outlook_comma(&self, at: usize, kind: Option<FrameKind>, from: usize) -> Step<Outlook> {
        let mut at = self.skip_gap(at)?;
        while at <= from + WINDOW && matches!(self.byte(at)?, Some(b',' | b':')) {
            at = self.skip_gap(at + 1)?;
        }
        if at > from + WINDOW {
            return Ok(Sure);
        }
        let Some(byte) = self.byte(at)? else { return Ok(Sure) };
        if matches!(byte, b'}' | b']' | b')' | b'/' | b'#') {
            let comment = matches!(byte, b'/' | b'#');
            return Ok(if kind.is_some() || comment { Sure } else { Possible });
        }
        if self.looking_at(at, b"...")? {
            return Ok(Sure);
        }
        let quoted = quote_of(self.bytes(), at).is_some();
        match kind {
            Some(kind) if kind.has_keys() => {
                let sure = if quoted {
                    self.key_follows(at)? || self.lone_key_follows(at)?
                } else if matches!(byte, b'{' | b'[') {
                    self.quote_behind(at)?
                } else {
                    self.word_key_follows(at)? || self.key_follows_words(at)?
                };
                Ok(if sure { Sure } else { Possible })
            }
            Some(_) => {
                let sure = quoted || matches!(byte, b'{' | b'[' | b'(' | b'-' | b'0'..=b'9');
                Ok(if sure || self.literal_follows(at)? { Sure } else { Possible })
            }
            None if quoted && self.mode == ParseMode::Llm => {
                Ok(if self.key_follows(at)? { Sure } else { Possible })
            }
            None => {
                let sure = quoted || matches!(byte, b'{' | b'[' | b'-' | b'0'..=b'9');
                Ok(if sure { Sure } else { Possible })
            }
        }
    }

    fn outlook_other(
        &self,
        at: usize,
        byte: u8,
        kind: Option<FrameKind>,
        newline: bool,
    ) -> Step<Outlook> {
        let keys = kind.is_some_and(FrameKind::has_keys);
        match byte {
            b'/' => {
                let comment = matches!(self.byte(at + 1)?, Some(b'/' | b'*'));
                return Ok(if comment { Sure } else { Unlikely });
            }
            b'#' if newline => return Ok(Sure),
            b';' if kind.is_none() => return Ok(Sure),
            b'<' if kind.is_none() => return Ok(Sure),
            b'`' if self.is_fence(at)? => return Ok(Sure),
            b'+' => {
                let next = self.skip_blank(at + 1);
                let quoted = self.byte(next)?.is_some() && self.quote_at(next)?.is_some();
                let comment = self.looking_at(next, b"/*")?;
                return Ok(if quoted || comment { Sure } else { Unlikely });
            }
            _ => {}
        }
        if quote_of(self.bytes(), at).is_some() {
            return Ok(match kind {
                Some(_) if keys => {
                    if self.key_follows(at)? {
                        Sure
                    } else {
                        Unlikely
                    }
                }
                Some(_) if newline || self.opens_string(at)? || self.value_follows(at)? => Sure,
                Some(_) => Possible,
                None => {
                    if newline {
                        Sure
                    } else {
                        Unlikely
                    }
                }
            });
        }
        if keys {
            let sure = newline && self.word_key_follows(at)?;
            return Ok(if sure { Sure } else { Unlikely });
        }
        Ok(match byte {
            b'{' | b'[' if newline => Sure,
            b'{' | b'[' => Possible,
            b'0'..=b'9' if newline => Sure,
            _ if newline && kind.is_none() => Sure,
            _ => Unlikely,
        })
    }

    /// Whether a quoted key with its colon is at `at`.
    pub(super) fn key_follows(&self, at: usize) -> Step<bool> {
        let Some((quote, mut opening)) = quote_of(self.bytes(), at) else { return Ok(false) };
        // A quote written twice opens a key too.
        if self.byte(at + opening)? == Some(self.bytes()[at])
            && self.byte(at + opening + 1)?.is_some_and(is_word)
        {
            opening += 1;
        }
        let mut end = at + opening;
        loop {
            if end > at + WINDOW {
                return Ok(true);
            }
            let Some(byte) = self.byte(end)? else { return Ok(true) };
            if byte == b'\\' {
                end += 2;
                continue;
            }
            if byte == b'\n' {
                // No key goes over a line.
                return Ok(self.odd_key(at + opening)?.is_some());
            }
            match quote_of(self.bytes(), end) {
                Some((other, length)) if quote.closes_key(other) => {
                    let twice =
                        end > at + opening && self.byte(end + length)? == Some(self.bytes()[end]);
                    if twice {
                        let behind = self.skip_gap(end + 2 * length)?;
                        if matches!(self.sign_at(behind)?, Some((b':', _))) {
                            return Ok(true);
                        }
                    }
                    let behind = self.skip_gap(end + length)?;
                    // A key may have lost its colon.
                    let spaced = behind > end + length;
                    return Ok(match self.sign_at(behind)? {
                        None | Some((b':', _)) => true,
                        Some((b'=', _)) => self.equals_value(behind)?,
                        Some((b'"' | b'\'', _)) if spaced => true,
                        Some(_) if behind > at + WINDOW => true,
                        Some((byte, _)) => {
                            self.is_damaged_key(at + opening, (end, behind), byte)?
                                || self.odd_key(at + opening)?.is_some()
                        }
                    });
                }
                _ => end += 1,
            }
        }
    }

    // `"a" = 1`, `"a" => [`: a value follows the sign in place of a colon.
    fn equals_value(&self, at: usize) -> Step<bool> {
        let arrow = usize::from(self.byte(at + 1)? == Some(b'>'));
        let value = self.skip_blank(at + 1 + arrow);
        Ok(match self.byte(value)? {
            Some(b'{' | b'[') => true,
            Some(_) => self.value_follows(value)?,
            None => false,
        })
    }

    // Whether a string is a key that lost its colon, `"b""y",`, or its second quote, `"b:"y",`. What
    // follows must be a value and a sign after it, or words in quotes would be taken for keys.
    fn is_damaged_key(&self, body: usize, (quote, behind): (usize, usize), byte: u8) -> Step<bool> {
        let bytes = self.bytes();
        if let Some((b':', name)) = bytes[body..quote].split_last() {
            return Ok(is_name(name) && self.value_follows(quote)?);
        }
        if !is_name(&bytes[body..quote]) {
            return Ok(false);
        }
        let opener = matches!(byte, b'{' | b'[');
        Ok(opener
            && (behind == quote + 1
                || self.quote_behind(behind)?
                || self.byte(behind + 1)? == Some(b'\n'))
            || self.value_follows(behind)?)
    }

    // Whether a short scalar is at `at`, and a comma or a closing bracket after it.
    pub(super) fn value_follows(&self, at: usize) -> Step<bool> {
        let mut end = at;
        let quoted = matches!(self.byte(at)?, Some(b'"' | b'\''));
        if quoted {
            end += 1;
            while end < at + WINDOW && self.byte(end)?.is_some_and(|it| it != self.bytes()[at]) {
                end += if self.bytes()[end] == b'\\' { 2 } else { 1 };
            }
            end += 1;
        } else {
            let in_scalar = |it: u8| is_word(it) || matches!(it, b'.' | b'+');
            while end < at + WINDOW && self.byte(end)?.is_some_and(in_scalar) {
                end += 1;
            }
            let word = &self.bytes()[at..end];
            let number = matches!(word, [b'0'..=b'9' | b'-', ..] | [b'.', b'0'..=b'9', ..]);
            if !number && super::bare::literal(word).is_none() {
                return Ok(false);
            }
        }
        let sign = self.skip_blank(end);
        Ok(matches!(self.byte(sign)?, Some(b',' | b'}' | b']' | b';')))
    }

    // Whether a quoted key is at `at` that has no value and is the last of its object.
    fn lone_key_follows(&self, at: usize) -> Step<bool> {
        let mut end = at + 1;
        while end < at + WINDOW {
            match self.byte(end)? {
                Some(b'"') if self.bytes()[at] == b'"' => {
                    let behind = self.skip_blank(end + 1);
                    return Ok(end > at + 1 && self.byte(behind)? == Some(b'}'));
                }
                Some(byte) if is_word(byte) => end += 1,
                _ => return Ok(false),
            }
        }
        Ok(false)
    }

    // Whether a quoted key is after words that belong nowhere.
    fn key_follows_words(&self, from: usize) -> Step<bool> {
        for at in from..from + WINDOW {
            match self.byte(at)? {
                Some(b'"') => {
                    let spaced = at > from && self.bytes()[at - 1] == b' ';
                    return Ok(spaced && self.key_follows_surely(at)?);
                }
                None | Some(b',' | b':' | b'{' | b'}' | b'[' | b']' | b'\n') => return Ok(false),
                Some(_) => {}
            }
        }
        Ok(false)
    }

    // Whether the quote at `at` looks like the beginning of a string, not its end.
    fn opens_string(&self, at: usize) -> Step<bool> {
        let spaced = at > 0 && matches!(self.bytes()[at - 1], b' ' | b'\t');
        Ok(spaced && self.byte(at + 1)?.is_some_and(is_word))
    }

    /// Whether a key without quotes, and its colon, is at `at`.
    pub(super) fn word_key_follows(&self, at: usize) -> Step<bool> {
        let mut end = at;
        loop {
            if end > at + WINDOW {
                return Ok(false);
            }
            match self.byte(end)? {
                Some(byte) if is_word(byte) => end += 1,
                Some(b'"') if end > at => end += 1,
                _ => break,
            }
        }
        let behind = self.skip_blank(end);
        let in_call = self.frame_kind() == Some(FrameKind::Call);
        Ok(end > at
            && match self.byte(behind)? {
                Some(b':') => true,
                Some(b'=') => in_call,
                _ => false,
            })
    }

    // Whether `true`, `false`, `null` or one of their relatives is at `at`.
    fn literal_follows(&self, at: usize) -> Step<bool> {
        let mut end = at;
        while end < at + 10 && self.byte(end)?.is_some_and(|byte| byte.is_ascii_alphabetic()) {
            end += 1;
        }
        Ok(super::bare::literal(&self.bytes()[at..end]).is_some())
    }
}

impl Quote {
    fn closes_key(self, other: Self) -> bool {
        use Quote::{Double, RoundDouble, RoundSingle, Single};
        self == other
            || matches!((self, other), (RoundDouble, Double) | (RoundSingle, Single))
            || matches!((self, other), (Self::Backtick, RoundSingle | Single))
    }
}
