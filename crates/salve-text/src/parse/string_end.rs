//! The end of a quoted string: at its quote, before a delimiter, or where the text ends.
//!
//! In: a string token and where it ends. Out: its node, joined with the string after a plus sign
//! where there is one. Never leaves an edit after the end of the string.

use super::ParseMode;
use super::machine::{Comma, FrameKind, Machine, State, Step, Token, WINDOW, Wait, narrow};
use super::quote::{Quote, rskip_blank};
use super::repair::{Edit, RepairCode as Code};
use super::string::{Role, Str, is_stop};
use super::tree::{NodeState, Shape, Tag};

impl Machine {
    pub(super) fn close_string(
        &mut self,
        mut token: Str,
        at: usize,
        length: usize,
        doubled: bool,
    ) -> Step {
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
        let guessed = token.guessed || token.inner > 0 && self.holds_members(&token, at);
        let state = if guessed { NodeState::Inferred } else { NodeState::Complete };
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
        if layout && token.quote == Quote::Triple {
            // One line is a text without a break; several are the content of a file.
            let line = quote - 1 - usize::from(quote > token.body + 1 && bytes[quote - 2] == b'\r');
            if !bytes[token.body..line].contains(&b'\n') {
                self.keep_edits_before(token, line);
                self.edit(line, quote, "", Code::TrailingNewline);
                token.edited = true;
            }
            return;
        }
        let end = rskip_blank(bytes, token.body, quote);
        // Several lines are the content of a file, whose last break is content too; but not where the
        // opening quote is on a line of its own as well.
        let is_file =
            layout && bytes[token.body] != b'\n' && bytes[token.body..end].contains(&b'\n');
        if !layout || end == token.body || is_file {
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

    // The string goes on after a plus sign, in the quotes that open before `body`.
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

    /// Closes a string at a quote of the other kind, which is a guess.
    pub(super) fn close_at_other(&mut self, mut token: Str, at: usize) -> Step {
        self.keep_edits_before(&token, at);
        token.guessed = true;
        self.close_string(token, at, 1, false)
    }

    // Closes a string whose quote is absent, before the delimiter at `delimiter`.
    pub(super) fn close_before(&mut self, mut token: Str, delimiter: usize) -> Step {
        let end = rskip_blank(self.bytes(), token.body, delimiter);
        // A quote that is absent and a plus without blanks around it: `[a-z]+"` is a pattern.
        let spaced = self.byte(end)?.is_some_and(|byte| byte.is_ascii_whitespace());
        let joined = if spaced { self.concatenation(end)? } else { None };
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
            let edit = Edit {
                start: narrow(token.start),
                end: narrow(token.start),
                after: "{",
                code: Code::MissingBraces,
                ends_token: false,
            };
            self.insert_edit(mark, edit);
            let open_edit = narrow(mark);
            mark += 1;
            let in_object = self.has_keys();
            self.push_frame(token.start, FrameKind::Implied, Tag::Object, open_edit);
            if in_object {
                // `"a": "b": 1` may be two keys as well.
                self.doubt_container();
            }
            self.set_comma(Comma::Member);
            role = Role::Key;
        }
        if role == Role::Key && state == NodeState::Inferred {
            // Keys have no place of their own that could be named.
            self.doubt_container();
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

    // `["key": value]`: a string in a list with a colon after it is the key of an object.
    fn implies_object(&self, token: &Str, end: usize) -> Step<bool> {
        let in_list = matches!(self.frame_kind(), Some(FrameKind::Array));
        if token.role == Role::Key || self.stack.len() >= self.max_depth {
            return Ok(false);
        }
        if !in_list {
            // `"a": "b": 1}`: the brace after the first colon was lost.
            let length = end.saturating_sub(token.scan);
            return Ok(self.names_member(token, token.scan, length)?.is_some());
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
    pub(super) fn string_meets_end(&mut self, mut token: Str) -> Step {
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
        if !token.stops
            && let Some(quote) = self.other_end(&token, end)?
        {
            return self.close_at_other(token, quote);
        }
        if token.role == Role::Key && self.mode == ParseMode::Llm {
            self.drop_truncated_key(&token);
            return Ok(());
        }
        if short
            && self.mode == ParseMode::Llm
            && token.role == Role::Value
            && let Some(closers) = self.closers_at_end(&token)
        {
            self.close_before(token, closers)?;
            for frame in &self.stack.clone() {
                if let Some(node) = self.node_mut(frame.node) {
                    node.state = NodeState::Inferred;
                }
            }
            return Ok(());
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
    pub(super) fn stops_here(&self, token: &Str, at: usize) -> bool {
        let bytes = self.bytes();
        match bytes[at] {
            b'/' => {
                let comment = matches!(bytes.get(at + 1), Some(b'/' | b'*'));
                comment && (at == token.body || bytes[at - 1] != b':')
            }
            _ => true,
        }
    }
}

const fn is_delimiter(byte: u8) -> bool {
    is_stop(byte) || matches!(byte, b':' | b'(' | b')')
}
