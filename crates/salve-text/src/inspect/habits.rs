//! The crossing where the machine asks what a language does differently.
//!
//! In: a byte whose class is particular to some languages, or the end of a line. Out: the call into
//! the file that knows. Never: decides anything itself beyond the choice of language.

use super::lines::Lines;
use super::machine::{Machine, View};
use super::rules::{Dialect, class};
use super::stack::Kind;

/// State that only some languages need; all of it is bounded.
#[derive(Debug, Default)]
pub(super) struct Habits {
    /// Here-documents announced on this line.
    pub(super) pending: Vec<super::heredoc::Pending>,
    /// Preprocessor conditions that are open.
    pub(super) arms: Vec<super::preprocessor::Arm>,
    /// Whether a `#define` is open.
    pub(super) defining: bool,
    /// Whether the page leaves out end tags that it may leave out.
    pub(super) implied_ends: bool,
    /// Conditions of a template around the page's own tags.
    pub(super) conditions: super::arms::Conditions,
    /// Just past the last word that ended a block which began at the margin.
    pub(super) margin_end: usize,
    /// Whether a backslash was seen to escape a quote, as it does in MySQL.
    pub(super) escapes: bool,
    /// `try` blocks that still lack their `except` or `finally`.
    pub(super) tries: Vec<super::python::Try>,
}

impl Habits {
    /// Returns the bytes held outside the struct itself.
    pub(super) fn heap_bytes(&self) -> usize {
        let pending: usize = self.pending.iter().map(super::heredoc::Pending::heap_bytes).sum();
        let arms: usize = self.arms.iter().map(super::preprocessor::Arm::heap_bytes).sum();
        pending
            + arms
            + self.pending.capacity() * size_of::<super::heredoc::Pending>()
            + self.arms.capacity() * size_of::<super::preprocessor::Arm>()
            + self.tries.capacity() * size_of::<super::python::Try>()
    }
}

/// Words of script languages that begin a statement wherever they are at the margin.
const DECLARING: &[&[u8]] = &[b"export ", b"declare ", b"interface ", b"type ", b"const "];

impl Machine {
    /// Handles the classes that few languages use.
    pub(super) fn habit(&mut self, view: &View<'_>, at: usize, kind: u8) -> usize {
        match (self.rules.dialect, kind) {
            (Dialect::Script { .. }, class::LESS) => self.less(view, at),
            (Dialect::Ruby, class::LESS) => self.ruby_heredoc(view, at),
            (Dialect::Php, class::LESS) => self.php_heredoc(view, at),
            (Dialect::Bash, class::LESS) => self.bash_heredoc(view, at),
            (Dialect::Bash, class::DOLLAR) => self.bash_dollar(view, at),
            (Dialect::Bash | Dialect::Css, class::ESCAPE) => (at + 2).min(view.bytes.len()),
            (Dialect::Sql, class::DOLLAR) => self.dollar_quote(view, at),
            (Dialect::Sql, class::DASH) => self.sql_dash(view, at),
            (Dialect::Ruby, class::PERCENT) => self.percent(view, at),
            (Dialect::Ruby, class::QUESTION) => Self::ruby_character(view, at),
            (Dialect::Ruby, class::EQUALS) => self.ruby_equals(view, at),
            (Dialect::Ruby, class::DOLLAR) => self.ruby_global(view, at),
            (Dialect::Ruby, class::COLON) => self.ruby_symbol(view, at),
            (Dialect::Php, class::QUESTION) => self.php_end(view, at),
            (Dialect::Yaml, class::BAR) => self.yaml_block(view, at),
            (_, class::WORD) => self.word(view, at),
            _ => at + 1,
        }
    }

    /// Handles `#` in code.
    pub(super) fn hash(&mut self, view: &View<'_>, at: usize) -> usize {
        let before = view.before(at);
        let spaced = view.base + at == 0 || before.is_ascii_whitespace();
        let comment = match self.rules.dialect {
            Dialect::C | Dialect::CSharp => return self.preprocess(view, at),
            Dialect::Swift => return self.swift_hash(view, at),
            // A format specification such as `{x:#x}` is not a comment.
            Dialect::Python => self.stack.top() != Kind::Hole,
            Dialect::Bash => spaced || b";&|()`".contains(&before),
            Dialect::Yaml => spaced,
            Dialect::Php => view.at(at + 1) != b'[',
            // MySQL only, and operators such as `#>` exist elsewhere.
            Dialect::Sql => spaced && view.at(at + 1) == b' ',
            _ => true,
        };
        if comment {
            self.open(view, Kind::LineComment, at);
        }
        at + 1
    }

    /// Handles `-` in SQL: two of them start a comment.
    pub(super) fn sql_dash(&mut self, view: &View<'_>, at: usize) -> usize {
        if view.at(at + 1) == b'-' {
            self.open(view, Kind::LineComment, at);
            return at + 2;
        }
        at + 1
    }

    /// Handles the end of a line in code and returns the index after it.
    pub(super) fn line_end(&mut self, view: &View<'_>, at: usize) -> usize {
        if self.habits.defining && !is_continued(view, at) {
            self.end_define();
        }
        match self.rules.dialect {
            Dialect::Ruby => self.end_word_line(),
            Dialect::Bash if !is_continued(view, at) => self.end_bash_line(),
            _ => {}
        }
        if !self.habits.pending.is_empty() {
            self.begin_heredocs();
        }
        at + 1
    }

    /// Notes a line start at which nothing is open.
    pub(super) fn calm_line(&mut self, view: &View<'_>, at: usize) {
        if self.rules.dialect == Dialect::Python {
            if view.before(at) != b'\\' && !view.behind(at).ends_with(b"\\\r") {
                self.python_line(view, at + 1);
            }
            return;
        }
        self.calm = view.base + at + 1;
        let behind = view.behind(at).trim_ascii_end();
        let next = view.ahead(at + 1);
        let script = matches!(self.rules.dialect, Dialect::Script { .. });
        let ended = matches!(behind.last(), Some(b';' | b'}'))
            && view.base + at > self.mark
            && !continues_statement(next.trim_ascii_start());
        // Where people write no semicolons, such a word at the margin is the only sign.
        if ended || (script && DECLARING.iter().any(|word| next.starts_with(word))) {
            self.calm_statement = self.calm;
        }
    }

    /// Notes that a bracket closed and nothing is open any more: a statement has ended if the next
    /// line starts another one without indentation.
    pub(super) fn calm_after_bracket(&mut self, view: &View<'_>, end: usize, byte: u8) {
        let rest = view.ahead(end);
        let lines = rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        let next = rest.get(lines).copied().unwrap_or(0);
        if continues_statement(&rest[lines..]) {
            return;
        }
        if byte == b'}' && lines > 0 && (next.is_ascii_alphabetic() || b"/#@".contains(&next)) {
            self.calm_statement = view.base + end;
        }
    }

    /// Moves the start of the next statement past a comment that is between two of them.
    pub(super) fn calm_comment(&mut self, view: &View<'_>, at: usize) {
        let distance = (view.base + at).saturating_sub(self.calm_statement);
        let behind = view.behind(at);
        let blank = distance <= behind.len()
            && behind[behind.len() - distance..].iter().all(u8::is_ascii_whitespace);
        self.calm_before_comment = self.stack.is_empty() && blank;
    }

    /// Notes the end of a comment.
    pub(super) fn end_comment(&mut self, view: &View<'_>, end: usize) {
        self.mark = view.base + end;
        if self.calm_before_comment && self.stack.is_empty() {
            self.calm_statement = view.base + end;
        }
    }

    /// Returns whether a closer without its opener is ordinary here.
    pub(super) fn is_loose_closer(&self, kind: Kind) -> bool {
        // `case x in pattern)` has a closing parenthesis of its own.
        self.rules.dialect == Dialect::Bash && kind == Kind::Paren
    }

    /// Gives the frames kept in the habits their line and column.
    pub(super) fn resolve_habits(&mut self, view: &View<'_>, lines: &mut Lines) {
        for one in self.habits.pending.iter_mut().filter(|one| one.frame.line == 0) {
            let place = lines.place(view.bytes, view.base, one.frame.offset);
            (one.frame.line, one.frame.column) = place;
        }
        for arm in self.habits.arms.iter_mut().filter(|arm| arm.frame.line == 0) {
            let place = lines.place(view.bytes, view.base, arm.frame.offset);
            (arm.frame.line, arm.frame.column) = place;
        }
        for open in self.habits.tries.iter_mut().filter(|open| open.frame.line == 0) {
            let place = lines.place(view.bytes, view.base, open.frame.offset);
            (open.frame.line, open.frame.column) = place;
        }
    }
}

// Whether a line starts with a word that belongs to the statement before it.
fn continues_statement(line: &[u8]) -> bool {
    let words: [&[u8]; 5] = [b"while", b"else", b"catch", b"finally", b"from"];
    words.iter().any(|word| line.starts_with(word))
}

/// Returns whether a backslash carries the line over its end.
pub(super) fn is_continued(view: &View<'_>, at: usize) -> bool {
    view.before(at) == b'\\' || view.behind(at).ends_with(b"\\\r")
}
