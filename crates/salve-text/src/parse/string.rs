//! Quoted strings: where they end, and what inside them must be escaped.
//!
//! In: an opening quote of any kind. Out: a string node, with an edit for every byte that strict
//! JSON would not accept there. Never ends a string of valid JSON anywhere but at its own quote:
//! doubts arise only where what follows a quote could not follow it in JSON.

use super::ParseMode;
use super::decode::{hex4, is_low_surrogate};
use super::machine::{Comma, FrameKind, Machine, State, Step, Token, WINDOW, Wait, narrow};
use super::outlook::Outlook;
use super::repair::RepairCode as Code;
use super::tree::{NodeState, Shape, Tag};

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Key,
    Value,
}

/// The kinds of quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    Double,
    Single,
    Backtick,
    /// “ ” „ ‟ « »
    RoundDouble,
    /// ‘ ’ ‚ ‛ ´
    RoundSingle,
    /// `\"` at both ends.
    Escaped,
}

/// A string whose end has not been seen yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Str {
    /// Where the opening quote stands, and where the content begins.
    start: usize,
    body: usize,
    scan: usize,
    quote: Quote,
    role: Role,
    /// Quotes before this place are known to be content.
    inner_until: usize,
    /// The quote at this place is known to close the string.
    closes_at: usize,
    /// How many quotes were kept as content.
    inner: u32,
    /// The token's first edit.
    mark: usize,
    /// The number of edits when the content began.
    restart: usize,
    escaped: bool,
    edited: bool,
    /// Whether the string is known to have no closing quote, so that a delimiter ends it.
    stops: bool,
    doubled: bool,
    /// Whether the end of the string was guessed.
    guessed: bool,
    /// The comma before the string, as it was when the string began.
    prior: Comma,
}

/// What there is behind a doubtful quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Better {
    /// No better place to end the string.
    None,
    /// The quote at this place closes it.
    Closes(usize),
    /// The string goes on at least to this place.
    Later(usize),
}

// How many later quotes are weighed against a doubtful one.
const MOST_QUOTES: usize = 8;

// What a byte means inside a string: nothing, or something to look at.
const LOOK: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table
};

const LOOK_OTHER: [bool; 256] = {
    let mut table = LOOK;
    table[b'\'' as usize] = true;
    table[b'`' as usize] = true;
    table[0xE2] = true;
    table[0xC2] = true;
    table
};

impl Machine {
    /// The kind and length of the quote at `at`.
    pub(super) fn quote_at(&self, at: usize) -> Step<Option<(Quote, usize)>> {
        Ok(match self.byte(at)? {
            Some(b'\\') if self.byte(at + 1)? == Some(b'"') => Some((Quote::Escaped, 2)),
            _ => quote_of(self.bytes(), at),
        })
    }

    pub(super) fn begin_string(&mut self, (quote, length): (Quote, usize), role: Role) -> Step {
        let start = self.pos;
        let mut body = start + length;
        let mut doubled = false;
        // `""word` is a quote written twice, `""` before anything else an empty string.
        if matches!(quote, Quote::Double | Quote::Single)
            && self.bytes().get(body) == self.bytes().get(start)
            && self.byte(body + 1)?.is_some_and(is_word)
        {
            doubled = true;
            body += 1;
        } else if self.byte(body)?.is_none() && !self.last {
            return Err(Wait);
        }
        let prior = self.stack.last().map_or(Comma::First, |frame| frame.comma);
        self.member_begins(start);
        let mark = self.tree.edits.len();
        let edited = quote != Quote::Double || doubled;
        if edited {
            self.edit(start, body, "\"", if doubled { Code::DoubledQuote } else { quote.code() });
        }
        self.pos = body;
        self.token = Some(Token::Str(Str {
            start,
            body,
            scan: body,
            quote,
            role,
            inner_until: 0,
            closes_at: 0,
            inner: 0,
            mark,
            restart: self.tree.edits.len(),
            escaped: false,
            edited,
            stops: false,
            doubled,
            guessed: false,
            prior,
        }));
        Ok(())
    }

    pub(super) fn step_string(&mut self, mut token: Str) -> Step {
        let table = if token.quote == Quote::Double { &LOOK } else { &LOOK_OTHER };
        loop {
            let bytes = self.tree.source.as_bytes();
            let mut at = token.scan;
            if token.stops {
                while at < bytes.len() && !table[bytes[at] as usize] && !is_stop(bytes[at]) {
                    at += 1;
                }
            } else {
                while at < bytes.len() && !table[bytes[at] as usize] {
                    at += 1;
                }
            }
            token.scan = at;
            let Some(&byte) = bytes.get(at) else {
                self.token = Some(Token::Str(token));
                if !self.last {
                    return Err(Wait);
                }
                return self.string_meets_end(token);
            };
            if token.stops && is_stop(byte) {
                if self.stops_here(&token, at) {
                    return self.close_before(token, at);
                }
                token.scan += 1;
                continue;
            }
            // A wait below must come back to this very byte.
            self.token = Some(Token::Str(token));
            if byte == b'\\' {
                if token.quote == Quote::Escaped && self.byte(at + 1)? == Some(b'"') {
                    return self.close_string(token, at, 2, false);
                }
                self.read_escape(&mut token, at)?;
            } else if byte < 0x20 {
                let escape = control_escape(byte);
                self.edit(at, at + 1, escape, Code::UnescapedControl);
                token.edited = true;
                token.scan = at + 1;
            } else {
                match quote_of(bytes, at).filter(|(quote, _)| token.quote.is_closed_by(*quote)) {
                    Some((_, length)) if at >= token.inner_until => {
                        if self.meet_quote(&mut token, at, length)? {
                            return Ok(());
                        }
                    }
                    Some((_, length)) => self.keep_quote(&mut token, at, length),
                    None => {
                        let length = if byte < 0x80 { 1 } else { utf8_length(byte) };
                        self.keep_quote(&mut token, at, length);
                    }
                }
            }
        }
    }

    // A quote that is content: a double one must be escaped, the others may stand.
    fn keep_quote(&mut self, token: &mut Str, at: usize, length: usize) {
        if at == token.body && self.bytes()[at] == self.bytes()[token.start] && length == 1 {
            // Directly behind the opening quote it is that quote, written twice.
            self.edit(at, at + 1, "", Code::DoubledQuote);
            token.edited = true;
        } else if self.bytes()[at] == b'"' {
            self.edit(at, at, "\\", Code::UnescapedQuote);
            token.edited = true;
        }
        token.inner = token.inner.wrapping_add(1);
        token.scan = at + length;
    }

    // Decides about a quote that could close the string; gives whether the string is done.
    fn meet_quote(&mut self, token: &mut Str, at: usize, length: usize) -> Step<bool> {
        if token.stops {
            // The string has no closing quote; this one opens the next string.
            self.close_before(*token, at)?;
            return Ok(true);
        }
        if token.doubled && self.bytes().get(at + 1) == self.bytes().get(at) {
            self.close_string(*token, at, length + 1, true)?;
            return Ok(true);
        }
        let known = at == token.closes_at;
        let outlook = if known { Outlook::Sure } else { self.outlook(at + length, token.role)? };
        if outlook == Outlook::Sure {
            self.close_string(*token, at, length, false)?;
            return Ok(true);
        }
        if outlook == Outlook::Unlikely {
            if let Some(end) = self.missing_end(token, at)? {
                self.close_before(*token, end)?;
                return Ok(true);
            }
        }
        match self.better_quote(token, at + length, outlook)? {
            Better::None => {
                // Words follow the quote: that it closes the string is a guess.
                token.guessed = outlook == Outlook::Unlikely && token.role == Role::Value;
                self.close_string(*token, at, length, false)?;
                Ok(true)
            }
            better => {
                match better {
                    Better::Closes(later) => (token.inner_until, token.closes_at) = (later, later),
                    Better::Later(later) => token.inner_until = later,
                    Better::None => {}
                }
                self.keep_quote(token, at, length);
                Ok(false)
            }
        }
    }

    // Looks for a later quote that closes the string better than one with this outlook.
    fn better_quote(&self, token: &Str, from: usize, outlook: Outlook) -> Step<Better> {
        let (mut best, mut best_at) = (outlook, Better::None);
        let (mut at, mut seen) = (from, 0);
        let limit = from + WINDOW;
        let unlikely = outlook == Outlook::Unlikely;
        while seen < MOST_QUOTES && at < limit {
            let Some(byte) = self.byte(at)? else {
                // The text ends here. Without another quote this one is the last chance.
                // A quote that completes a pair of inner ones is the second of that pair.
                let paired = token.role == Role::Value && token.inner % 2 == 1;
                let inner = best_at == Better::None && unlikely && (seen > 0 || paired);
                return Ok(if inner { Better::Later(from) } else { best_at });
            };
            if token.role == Role::Key && matches!(byte, b',' | b'{' | b'}' | b'[' | b']' | b'\n') {
                return Ok(best_at);
            }
            if byte == b'\\' {
                at += 2;
                continue;
            }
            let closing = quote_of(self.bytes(), at).filter(|(q, _)| token.quote.is_closed_by(*q));
            let Some((_, length)) = closing else {
                at += 1;
                continue;
            };
            seen += 1;
            if self.missing_end(token, at)?.is_some() {
                return Ok(Better::Later(at));
            }
            let later = self.outlook(at + length, token.role)?;
            if later == Outlook::Sure {
                return Ok(Better::Closes(at));
            }
            if later > best {
                (best, best_at) = (later, Better::Closes(at));
            }
            at += length;
        }
        if best_at == Better::None && token.role == Role::Value && unlikely {
            // None of the quotes up to here closes the string; they need not be judged again.
            return Ok(Better::Later(at));
        }
        Ok(best_at)
    }

    // Whether the quote at `at` opens the next string, so that this one ended before it without a
    // quote of its own: gives that end.
    fn missing_end(&self, token: &Str, at: usize) -> Step<Option<usize>> {
        let bytes = self.bytes();
        let before = rskip_blank(bytes, token.body, at);
        if before <= token.body {
            return Ok(None);
        }
        let sign = before - 1;
        match (token.role, bytes[sign]) {
            (Role::Key, b':') if sign > token.body => Ok(Some(sign)),
            (Role::Value, b',') if sign > token.body => {
                let opens = if self.has_keys() {
                    self.key_follows(at)?
                } else {
                    self.next_quote_is_sure(token, at + 1)?
                };
                Ok(opens.then_some(sign))
            }
            (Role::Value, b':') if self.has_keys() => {
                let word_end = rskip_blank(bytes, token.body, sign);
                let word = rskip_word(bytes, token.body, word_end);
                let comma = rskip_blank(bytes, token.body, word);
                let shape = word < word_end && comma > token.body + 1 && bytes[comma - 1] == b',';
                let opens = shape && self.next_quote_is_sure(token, at + 1)?;
                Ok(opens.then(|| comma - 1))
            }
            (Role::Value, b'+') if self.next_quote_is_sure(token, at + 1)? => Ok(Some(sign)),
            _ => Ok(None),
        }
    }

    fn next_quote_is_sure(&self, token: &Str, from: usize) -> Step<bool> {
        let mut at = from;
        while at < from + WINDOW {
            let Some(byte) = self.byte(at)? else { return Ok(false) };
            if byte == b'\\' {
                at += 2;
                continue;
            }
            let closing = quote_of(self.bytes(), at).filter(|(q, _)| token.quote.is_closed_by(*q));
            if let Some((_, length)) = closing {
                return Ok(self.outlook(at + length, token.role)? == Outlook::Sure);
            }
            at += 1;
        }
        Ok(false)
    }

    // ---- Ends of strings.

    fn close_string(&mut self, mut token: Str, at: usize, length: usize, doubled: bool) -> Step {
        let end = at + length;
        if let Some((quote, body)) = self.concatenation(end)? {
            self.join_strings(token, at, quote, body);
            return Ok(());
        }
        let implied = self.implies_object(&token, end)?;
        self.trim_layout(&mut token, at);
        if doubled || token.quote != Quote::Double || self.bytes()[at] != b'"' {
            let code = if doubled { Code::DoubledQuote } else { token.quote.code() };
            self.edit(at, end, "\"", code);
            token.edited = true;
        }
        let state = if token.guessed { NodeState::Inferred } else { NodeState::Complete };
        self.finish_string(token, end, end, state, implied);
        Ok(())
    }

    // A raw line break right before the closing quote is layout: the quote was set on a line of its
    // own. It is reported like every other byte that is left out.
    fn trim_layout(&mut self, token: &mut Str, quote: usize) {
        let bytes = self.bytes();
        let layout = self.mode == ParseMode::Llm
            && token.role == Role::Value
            && quote > token.body
            && bytes[quote - 1] == b'\n';
        let end = rskip_blank(bytes, token.body, quote);
        if !layout || end == token.body {
            return;
        }
        self.keep_edits_before(token, end);
        self.edit(end, quote, "", Code::TrailingNewline);
        token.edited = true;
    }

    fn keep_edits_before(&mut self, token: &Str, end: usize) {
        let keep = self.tree.edits[token.mark..].partition_point(|edit| {
            (edit.end as usize) <= end && (edit.start as usize) < end.max(token.body)
        });
        self.truncate_edits(token.mark + keep);
    }

    // The string goes on behind a plus sign, in the quotes that open before `body`.
    fn join_strings(&mut self, mut token: Str, at: usize, quote: Quote, body: usize) {
        self.edit(at, body, "", Code::StringConcatenation);
        token.edited = true;
        token.quote = quote;
        token.scan = body;
        token.body = body;
        token.stops = false;
        token.inner = 0;
        token.restart = self.tree.edits.len();
        self.pos = body;
        self.token = Some(Token::Str(token));
    }

    // Closes a string whose quote is absent, before the delimiter at `delimiter`.
    fn close_before(&mut self, mut token: Str, delimiter: usize) -> Step {
        let end = rskip_blank(self.bytes(), token.body, delimiter);
        let joined = self.concatenation(end)?;
        self.keep_edits_before(&token, end);
        if let Some((quote, body)) = joined {
            self.join_strings(token, end, quote, body);
            return Ok(());
        }
        self.edit(end, end, "\"", Code::MissingQuote);
        token.edited = true;
        self.finish_string(token, end, end, NodeState::Inferred, false);
        Ok(())
    }

    fn finish_string(
        &mut self,
        token: Str,
        end: usize,
        resume: usize,
        state: NodeState,
        implied: bool,
    ) {
        self.token = None;
        self.pos = resume;
        let mut mark = token.mark;
        let mut role = token.role;
        if implied {
            let edit = super::repair::Edit {
                start: narrow(token.start),
                end: narrow(token.start),
                after: "{",
                code: Code::MissingBraces,
                ends_token: false,
            };
            self.insert_edit(mark, edit);
            let open_edit = narrow(mark);
            mark += 1;
            self.push_frame(token.start, FrameKind::Implied, Tag::Object, open_edit);
            self.set_comma(Comma::Member);
            role = Role::Key;
        }
        let index = self.push_node(token.start, end, Tag::String, state);
        let shape = match (token.edited, token.escaped) {
            (true, _) => Shape::Edited,
            (false, true) => Shape::Escaped,
            (false, false) => Shape::Plain,
        };
        if token.edited {
            self.end_token_edits();
        }
        if let Some(node) = self.node_mut(index) {
            node.shape = shape;
            node.link = if token.edited { narrow(mark) } else { index + 1 };
        }
        match role {
            Role::Key => self.state = State::Colon,
            Role::Value => self.value_done(),
        }
    }

    // `["key": value]`: a string in a list with a colon behind it is the key of an object.
    fn implies_object(&self, token: &Str, end: usize) -> Step<bool> {
        let in_list = matches!(self.frame_kind(), Some(FrameKind::Array));
        if token.role == Role::Key || !in_list || self.stack.len() >= self.max_depth {
            return Ok(false);
        }
        let at = self.skip_blank(end);
        if at > end + WINDOW {
            return Ok(false);
        }
        Ok(self.byte(at)? == Some(b':'))
    }

    // `"a" + "b"`: gives the kind and the inside of the second string's quote.
    fn concatenation(&self, end: usize) -> Step<Option<(Quote, usize)>> {
        let at = self.skip_comment(end)?;
        if at > end + WINDOW || self.byte(at)? != Some(b'+') {
            return Ok(None);
        }
        let open = self.skip_comment(at + 1)?;
        if open > end + 2 * WINDOW {
            return Ok(None);
        }
        Ok(self.quote_at(open)?.map(|(quote, length)| (quote, open + length)))
    }

    // The first place from `at` that is neither white space nor in a short comment.
    fn skip_comment(&self, at: usize) -> Step<usize> {
        let start = self.skip_blank(at);
        if self.bytes().get(start) != Some(&b'/') || !self.looking_at(start, b"/*")? {
            return Ok(start);
        }
        let rest = &self.bytes()[start..self.bytes().len().min(start + WINDOW)];
        match memchr::memmem::find(rest, b"*/") {
            Some(length) => Ok(self.skip_blank(start + length + 2)),
            None if rest.len() < WINDOW && !self.last => Err(Wait),
            None => Ok(start),
        }
    }

    // The text ended inside a string.
    fn string_meets_end(&mut self, mut token: Str) -> Step {
        let end = self.bytes().len();
        let short = end - token.body <= 4 * WINDOW;
        if short && !token.stops && self.mode == ParseMode::Text {
            let last = rskip_blank(self.bytes(), token.body, end);
            let delimited = last > token.body && is_delimiter(self.bytes()[last - 1]);
            if delimited && token.role == Role::Value {
                // A delimiter at the very end says that not the text but the quote is missing.
                self.truncate_edits(token.restart);
                token.edited = token.restart > token.mark;
                token.scan = token.body;
                token.stops = true;
                self.token = Some(Token::Str(token));
                return Ok(());
            }
        }
        if token.role == Role::Key && self.mode == ParseMode::Llm {
            self.drop_truncated_key(&token);
            return Ok(());
        }
        if short && self.mode == ParseMode::Llm && token.role == Role::Value {
            if let Some(closers) = self.closers_at_end(&token) {
                self.close_before(token, closers)?;
                for frame in &self.stack.clone() {
                    if let Some(node) = self.node_mut(frame.node) {
                        node.state = NodeState::Inferred;
                    }
                }
                return Ok(());
            }
        }
        let code = if token.stops { Code::MissingQuote } else { Code::TruncatedString };
        self.edit(end, end, "\"", code);
        token.edited = true;
        self.finish_string(token, end, end, NodeState::Truncated, false);
        Ok(())
    }

    // Where the closing brackets begin that end the text, if they close all that is open.
    fn closers_at_end(&self, token: &Str) -> Option<usize> {
        let bytes = self.bytes();
        let mut end = rskip_blank(bytes, token.body, bytes.len());
        for frame in &self.stack {
            let before = rskip_blank(bytes, token.body, end);
            if before <= token.body || !frame.kind.is_closed_by(bytes[before - 1]) {
                return None;
            }
            end = before - 1;
        }
        (!self.stack.is_empty()).then_some(end)
    }

    fn drop_truncated_key(&mut self, token: &Str) {
        // The comma that was supplied for this key goes with it.
        let supplied = usize::from(token.prior == Comma::Missing);
        self.truncate_edits(token.mark.saturating_sub(supplied));
        let end = self.bytes().len();
        self.edit(token.start, end, "", Code::TruncatedKey);
        self.token = None;
        self.pos = end;
        self.set_comma(token.prior);
        self.close_all(end, NodeState::Truncated);
    }

    // A stop inside an address such as `https://` is none.
    fn stops_here(&self, token: &Str, at: usize) -> bool {
        let bytes = self.bytes();
        match bytes[at] {
            b'/' => {
                let comment = matches!(bytes.get(at + 1), Some(b'/' | b'*'));
                comment && (at == token.body || bytes[at - 1] != b':')
            }
            _ => true,
        }
    }

    // ---- Escapes.

    fn read_escape(&mut self, token: &mut Str, at: usize) -> Step {
        let Some(next) = self.byte(at + 1)? else {
            self.edit(at, at + 1, "", Code::TruncatedString);
            token.edited = true;
            token.scan = at + 1;
            return Ok(());
        };
        match next {
            b'\\' if token.quote == Quote::Escaped && self.byte(at + 2)? == Some(b'"') => {
                self.edit(at, at + 1, "", Code::EscapedQuotes);
                token.edited = true;
                token.scan = at + 3;
            }
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                token.escaped = true;
                token.scan = at + 2;
            }
            b'u' => return self.read_unicode(token, at),
            _ => {
                let quoted =
                    next == b'\'' || next == b'`' || quote_of(self.bytes(), at + 1).is_some();
                let dropped = quoted || next < 0x20 || self.mode == ParseMode::Text;
                if dropped {
                    self.edit(at, at + 1, "", Code::InvalidEscape);
                } else {
                    self.edit(at, at, "\\", Code::InvalidEscape);
                }
                token.edited = true;
                let length = if quoted { utf8_length(next) } else { 0 };
                token.scan = at + 1 + length;
            }
        }
        Ok(())
    }

    fn read_unicode(&mut self, token: &mut Str, at: usize) -> Step {
        for offset in 2..6 {
            match self.byte(at + offset)? {
                Some(digit) if digit.is_ascii_hexdigit() => {}
                Some(_) => {
                    self.edit(at, at, "\\", Code::InvalidEscape);
                    token.edited = true;
                    token.scan = at + 2;
                    return Ok(());
                }
                None => {
                    self.edit(at, at + offset, "", Code::TruncatedString);
                    token.edited = true;
                    token.scan = at + offset;
                    return Ok(());
                }
            }
        }
        let code = hex4(self.bytes().get(at + 2..at + 6)).unwrap_or_default();
        token.escaped = true;
        token.scan = at + 6;
        if (0xD800..0xDC00).contains(&code) {
            return self.read_surrogate(token, at);
        }
        if is_low_surrogate(code) {
            self.edit(at, at + 6, "\\ufffd", Code::InvalidEscape);
            token.edited = true;
        }
        Ok(())
    }

    // Half a pair is waited for, dropped where the text ends in it, and replaced elsewhere.
    fn read_surrogate(&mut self, token: &mut Str, at: usize) -> Step {
        for offset in 6..12 {
            let Some(byte) = self.byte(at + offset)? else {
                self.edit(at, at + offset, "", Code::TruncatedString);
                token.edited = true;
                token.scan = at + offset;
                return Ok(());
            };
            let fits = match offset {
                6 => byte == b'\\',
                7 => byte == b'u',
                _ => byte.is_ascii_hexdigit(),
            };
            if !fits {
                break;
            }
        }
        let low = hex4(self.bytes().get(at + 8..at + 12)).filter(|low| is_low_surrogate(*low));
        if low.is_some() && self.bytes().get(at + 6..at + 8) == Some(b"\\u") {
            token.scan = at + 12;
        } else {
            self.edit(at, at + 6, "\\ufffd", Code::InvalidEscape);
            token.edited = true;
        }
        Ok(())
    }
}

impl Quote {
    fn is_closed_by(self, other: Self) -> bool {
        match self {
            Self::Double => other == Self::Double,
            Self::Single => other == Self::Single,
            Self::Backtick => {
                matches!(other, Self::Backtick | Self::RoundSingle | Self::Single)
            }
            Self::RoundDouble => matches!(other, Self::RoundDouble | Self::Double),
            Self::RoundSingle => matches!(other, Self::RoundSingle | Self::Single),
            Self::Escaped => other == Self::Double,
        }
    }

    const fn code(self) -> Code {
        match self {
            Self::Double | Self::Single | Self::Backtick => Code::SingleQuotes,
            Self::RoundDouble | Self::RoundSingle => Code::SpecialQuotes,
            Self::Escaped => Code::EscapedQuotes,
        }
    }
}

/// The kind and length of the quote at `at`, escaped ones apart.
pub(super) fn quote_of(bytes: &[u8], at: usize) -> Option<(Quote, usize)> {
    let next = |offset: usize| bytes.get(at + offset).copied().unwrap_or(0);
    match *bytes.get(at)? {
        b'"' => Some((Quote::Double, 1)),
        b'\'' => Some((Quote::Single, 1)),
        b'`' => Some((Quote::Backtick, 1)),
        0xC2 => match next(1) {
            0xB4 => Some((Quote::RoundSingle, 2)),
            0xAB | 0xBB => Some((Quote::RoundDouble, 2)),
            _ => None,
        },
        0xE2 if next(1) == 0x80 => match next(2) {
            0x9C..=0x9F => Some((Quote::RoundDouble, 3)),
            0x98..=0x9B => Some((Quote::RoundSingle, 3)),
            _ => None,
        },
        _ => None,
    }
}

pub(super) const fn utf8_length(first: u8) -> usize {
    match first {
        0..=0x7F => 1,
        0x80..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4,
    }
}

pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-') || byte >= 0x80
}

// The end of the text in `from..to` without the white space at its end.
pub(super) fn rskip_blank(bytes: &[u8], from: usize, mut to: usize) -> usize {
    while to > from && matches!(bytes[to - 1], b' ' | b'\n' | b'\r' | b'\t') {
        to -= 1;
    }
    to
}

fn rskip_word(bytes: &[u8], from: usize, mut to: usize) -> usize {
    while to > from && is_word(bytes[to - 1]) {
        to -= 1;
    }
    to
}

const fn is_stop(byte: u8) -> bool {
    matches!(byte, b',' | b'[' | b']' | b'/' | b'{' | b'}' | b'\n' | b'+')
}

const fn is_delimiter(byte: u8) -> bool {
    is_stop(byte) || matches!(byte, b':' | b'(' | b')')
}

/// The escape of a control character.
pub(super) fn control_escape(byte: u8) -> &'static str {
    const ESCAPES: [&str; 32] = [
        "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007",
        "\\b", "\\t", "\\n", "\\u000b", "\\f", "\\r", "\\u000e", "\\u000f", "\\u0010", "\\u0011",
        "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017", "\\u0018", "\\u0019",
        "\\u001a", "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f",
    ];
    ESCAPES.get(usize::from(byte)).copied().unwrap_or("")
}
