//! Numbers in the forms people and programs write them.
//!
//! In: a token that begins like a number. Out: a number that keeps every digit, with edits where
//! JSON writes it otherwise. Never rounds, and never makes a number of what has leading zeros.

use super::bare::Bare;
use super::machine::{Machine, Step, blank_length, narrow};
use super::repair::RepairCode as Code;
use super::tree::{NodeState, Shape, Tag};

impl Machine {
    pub(super) fn number_ends(&self, at: usize, byte: u8) -> Step<bool> {
        Ok(match byte {
            b' ' | b'\n' | b'\r' | b'\t' | b',' | b']' | b'}' | b')' | b'"' | b'\'' | b';'
            | b'`' | b'[' | b'{' => true,
            b'/' => matches!(self.byte(at + 1)?, Some(b'/' | b'*')),
            0xEF => {
                matches!(self.sign_at(at)?, Some((b',' | b';', 3)))
                    || blank_length(self.bytes(), at).is_some()
            }
            _ => blank_length(self.bytes(), at).is_some(),
        })
    }

    // Whether what was read as a number is one, or digits that are kept as a string.
    pub(super) fn is_number(&self, token: &Bare) -> Step<bool> {
        let word = &self.bytes()[token.start..token.scan];
        if matches!(word, b"-" | b"+") {
            // `- Infinity`
            let next = self.skip_blank(token.scan);
            return Ok(!matches!(self.byte(next)?, Some(b'I' | b'N')));
        }
        let digits = word.strip_prefix(b"-").unwrap_or(word);
        Ok(number_fixes(word).is_some() || digits.iter().all(u8::is_ascii_digit))
    }

    // Puts a number on the tape if `start..end` is one, or can be made one without losing a digit.
    pub(super) fn push_number(
        &mut self,
        start: usize,
        end: usize,
        quoted: bool,
        state: NodeState,
    ) -> bool {
        let Some(fixes) = number_fixes(&self.bytes()[start..end]) else { return false };
        let mark = narrow(self.tree.edits.len());
        let at_end = end == self.bytes().len() && self.last;
        let mut incomplete = false;
        for fix in &fixes {
            incomplete |= fix.incomplete;
            let code =
                if fix.incomplete && at_end { Code::TruncatedNumber } else { Code::NumberFormat };
            self.edit(start + fix.from, start + fix.to, fix.after, code);
        }
        if quoted {
            self.edit(end, end + 1, "", Code::MissingQuote);
        }
        let edited = quoted || !fixes.is_empty();
        let state = if incomplete && at_end { NodeState::Truncated } else { state };
        let index = self.push_node(start, if quoted { end + 1 } else { end }, Tag::Number, state);
        if edited {
            self.end_token_edits();
            if let Some(node) = self.node_mut(index) {
                node.shape = Shape::Edited;
                node.link = mark;
            }
        }
        true
    }
}

impl Machine {
    /// Puts `0x1f` on the tape as the number it is.
    pub(super) fn push_hexadecimal(&mut self, start: usize, end: usize) -> bool {
        const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        let word = self.tree.source.get(start..end).unwrap_or_default();
        let Some(digits) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) else {
            return false;
        };
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        let Ok(number) = u64::from_str_radix(digits, 16) else { return false };
        // A text that ends here may have had more digits.
        let cut = end == self.bytes().len() && self.last && !self.stack.is_empty();
        let mark = narrow(self.tree.edits.len());
        for digit in number.to_string().bytes() {
            let digit = DIGITS.get(usize::from(digit - b'0')).copied().unwrap_or("");
            self.edit(start, start, digit, Code::NumberFormat);
        }
        self.edit(start, end, "", Code::NumberFormat);
        self.end_token_edits();
        let state = if cut { NodeState::Truncated } else { NodeState::Complete };
        let index = self.push_node(start, end, Tag::Number, state);
        if let Some(node) = self.node_mut(index) {
            node.shape = Shape::Edited;
            node.link = mark;
        }
        true
    }
}

struct Fix {
    from: usize,
    to: usize,
    after: &'static str,
    /// Whether digits are absent that would have come next.
    incomplete: bool,
}

// What must change for `word` to be a JSON number; nothing if it cannot be one.
fn number_fixes(word: &[u8]) -> Option<Vec<Fix>> {
    let mut fixes = Vec::new();
    let mut fix = |from, to, after, incomplete| fixes.push(Fix { from, to, after, incomplete });
    let mut at = 0;
    match word.first()? {
        b'+' => {
            fix(0, 1, "", false);
            at = 1;
        }
        b'-' => at = 1,
        _ => {}
    }
    // A run of digits begins with one; separators may only follow.
    let digits = |from: usize| match word.get(from) {
        Some(b'0'..=b'9') => {
            let run = word[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'_');
            from + run.count()
        }
        _ => from,
    };
    let mut separators: Vec<usize> = Vec::new();
    let mut note = |from: usize, to: usize| {
        separators.extend((from..to).filter(|&index| word[index] == b'_'));
    };
    let end = digits(at);
    if end == at && word.get(at) != Some(&b'.') {
        // A sign alone: what would have come is not known, and nothing is zero.
        if at != word.len() || word == b"+" {
            return None;
        }
        fix(at, at, "0", true);
    } else if end == at {
        if !word.get(at + 1).is_some_and(u8::is_ascii_digit) {
            return None;
        }
        fix(at, at, "0", false);
    } else {
        if !word[at].is_ascii_digit() || (word[at] == b'0' && end > at + 1) {
            return None;
        }
        note(at, end);
    }
    at = end;
    if word.get(at) == Some(&b'.') {
        let end = digits(at + 1);
        if end == at + 1 {
            fix(end, end, "0", true);
        }
        note(at + 1, end);
        at = end;
    }
    if matches!(word.get(at), Some(b'e' | b'E')) {
        let signed = matches!(word.get(at + 1), Some(b'+' | b'-'));
        let first = at + 1 + usize::from(signed);
        let end = digits(first);
        if end == first {
            fix(at, end, "", true);
        }
        note(first, end);
        at = end;
    }
    if at != word.len() {
        return None;
    }
    for index in separators {
        fixes.push(Fix { from: index, to: index + 1, after: "", incomplete: false });
    }
    fixes.sort_by_key(|fix| fix.from);
    Some(fixes)
}
