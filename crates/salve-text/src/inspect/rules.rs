//! What the lexical machine must know about each language, as data.
//!
//! In: a [`Language`]. Out: its [`Rules`]: which bytes need a look in code, the string forms, the
//! comment signs, and a dialect that names the few habits no table can express. The tables are in
//! the files below, by families. Never: behaviour; one machine reads all of these tables.

mod c_family;
mod data;
mod script;
mod scripting;

pub(super) use c_family::{c_form, csharp_form, rust_form, swift_form};
pub(super) use data::{html_form, sql_form};
pub(super) use script::script_form;
pub(super) use scripting::{bash_form, python_form, ruby_form};

use c_family::{C, CPP, CSHARP, GO, JAVA, KOTLIN, RUST, SWIFT};
use data::{CSS, HTML, JSON, MARKDOWN, SQL, TEXT, TOML, YAML};
use salve_types::{Language, OpenKind};
use script::{JAVASCRIPT, JSX, TSX, TYPESCRIPT};
use scripting::{BASH, PHP, PYTHON, RUBY};

/// Why a byte of code needs a look; `PLAIN` bytes are skipped in runs.
pub(super) mod class {
    pub(in crate::inspect) const PLAIN: u8 = 0;
    pub(in crate::inspect) const NEWLINE: u8 = 1;
    pub(in crate::inspect) const QUOTE: u8 = 2;
    pub(in crate::inspect) const OPEN: u8 = 3;
    pub(in crate::inspect) const CLOSE: u8 = 4;
    pub(in crate::inspect) const SLASH: u8 = 5;
    pub(in crate::inspect) const HASH: u8 = 6;
    pub(in crate::inspect) const LESS: u8 = 7;
    pub(in crate::inspect) const DASH: u8 = 8;
    pub(in crate::inspect) const DOLLAR: u8 = 9;
    pub(in crate::inspect) const ESCAPE: u8 = 10;
    pub(in crate::inspect) const PERCENT: u8 = 11;
    pub(in crate::inspect) const QUESTION: u8 = 12;
    pub(in crate::inspect) const EQUALS: u8 = 13;
    pub(in crate::inspect) const WORD: u8 = 14;
    pub(in crate::inspect) const BAR: u8 = 15;
    pub(in crate::inspect) const COLON: u8 = 16;
}

/// Habits of a language that are code rather than data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Nothing beyond the tables.
    Plain,
    Rust,
    /// Regular expressions by position; `markup` adds JSX.
    Script {
        markup: bool,
    },
    Python,
    /// Preprocessor lines.
    C,
    Java,
    CSharp,
    Swift,
    Ruby,
    Php,
    Bash,
    Sql,
    Html,
    Css,
    Json,
    Yaml,
    Markdown,
    Text,
}

/// How a string may contain its own closer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    None,
    Backslash,
    /// The closer written twice stands for itself.
    Doubled,
    /// SQL: doubled, and a backslash where it plainly escapes.
    Sql,
}

/// Which sign inside a string opens a hole that holds code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hole {
    None,
    /// `${`
    DollarBrace,
    /// `#{`
    HashBrace,
    /// `\(`
    BackslashParen,
    /// `{`, with `{{` as plain text.
    Brace,
    /// `$(`, `${` and a backtick.
    Shell,
}

/// One form of string.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) open: &'static [u8],
    pub(super) close: &'static [u8],
    pub(super) escape: Escape,
    /// Whether it may run over the end of a line.
    pub(super) lines: bool,
    pub(super) hole: Hole,
    pub(super) kind: OpenKind,
    /// Bytes inside the string that need a look.
    pub(super) stops: [bool; 256],
}

/// Everything the machine reads about a language.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) language: Language,
    pub(super) dialect: Dialect,
    /// Class of each byte at the top level.
    pub(super) classes: [u8; 256],
    /// Class of each byte inside brackets: line ends matter to few languages there.
    pub(super) inner_classes: [u8; 256],
    pub(super) forms: &'static [Form],
    /// Whether `//` starts a comment.
    pub(super) slash_comments: bool,
    /// Whether `/*` starts a comment, and whether these nest.
    pub(super) star_comments: bool,
    pub(super) nested_comments: bool,
    /// Whether the last three of several closing quotes close.
    pub(super) greedy_triple: bool,
    /// Whether crossing brackets may be called an error: the tables describe the language fully.
    pub(super) strict: bool,
}

/// Returns the tables of a language.
pub(super) fn rules_of(language: Language) -> &'static Rules {
    use Language as L;
    match language {
        L::Rust => &RUST,
        L::TypeScript => &TYPESCRIPT,
        L::Tsx => &TSX,
        L::JavaScript => &JAVASCRIPT,
        L::Jsx => &JSX,
        L::Python => &PYTHON,
        L::Go => &GO,
        L::C => &C,
        L::Cpp => &CPP,
        L::Java => &JAVA,
        L::CSharp => &CSHARP,
        L::Kotlin => &KOTLIN,
        L::Swift => &SWIFT,
        L::Ruby => &RUBY,
        L::Php => &PHP,
        L::Bash => &BASH,
        L::Sql => &SQL,
        L::Html => &HTML,
        L::Css => &CSS,
        L::Json => &JSON,
        L::Yaml => &YAML,
        L::Toml => &TOML,
        L::Markdown => &MARKDOWN,
        _ => &TEXT,
    }
}

const BRACKETS: &[(&[u8], u8)] = &[(b"([{", class::OPEN), (b")]}", class::CLOSE)];

const fn classes(list: &[(&[u8], u8)], newline: bool, words: bool) -> [u8; 256] {
    let mut table = [class::PLAIN; 256];
    let mut index = 0;
    while words && index < 128 {
        let byte = index as u8;
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            table[index] = class::WORD;
        }
        index += 1;
    }
    mark(&mut table, BRACKETS);
    mark(&mut table, list);
    if newline {
        table[b'\n' as usize] = class::NEWLINE;
    }
    table
}

const fn mark(table: &mut [u8; 256], list: &[(&[u8], u8)]) {
    let mut row = 0;
    while row < list.len() {
        let (bytes, value) = list[row];
        let mut at = 0;
        while at < bytes.len() {
            table[bytes[at] as usize] = value;
            at += 1;
        }
        row += 1;
    }
}

const fn form(
    open: &'static [u8],
    close: &'static [u8],
    escape: Escape,
    lines: bool,
    hole: Hole,
    kind: OpenKind,
) -> Form {
    let mut stops = [false; 256];
    stops[close[0] as usize] = true;
    stops[b'\\' as usize] = !matches!(escape, Escape::None | Escape::Doubled);
    stops[b'\n' as usize] = !lines;
    match hole {
        Hole::None => {}
        Hole::DollarBrace => stops[b'$' as usize] = true,
        Hole::HashBrace => stops[b'#' as usize] = true,
        Hole::BackslashParen => stops[b'\\' as usize] = true,
        Hole::Brace => {
            stops[b'{' as usize] = true;
            stops[b'}' as usize] = true;
        }
        Hole::Shell => {
            stops[b'$' as usize] = true;
            stops[b'`' as usize] = true;
        }
    }
    Form { open, close, escape, lines, hole, kind, stops }
}

// The common shapes, so that the tables below read as a list of differences.
const fn double(escape: Escape, lines: bool, hole: Hole) -> Form {
    form(b"\"", b"\"", escape, lines, hole, OpenKind::DoubleQuote)
}

const fn single(escape: Escape, lines: bool) -> Form {
    form(b"'", b"'", escape, lines, Hole::None, OpenKind::SingleQuote)
}

const fn triple_double(escape: Escape, hole: Hole) -> Form {
    form(b"\"\"\"", b"\"\"\"", escape, true, hole, OpenKind::DoubleQuote)
}

const fn triple_single(escape: Escape, hole: Hole) -> Form {
    form(b"'''", b"'''", escape, true, hole, OpenKind::SingleQuote)
}

const fn backtick(escape: Escape, hole: Hole) -> Form {
    form(b"`", b"`", escape, true, hole, OpenKind::Template)
}

const BASE: Rules = Rules {
    language: Language::Text,
    dialect: Dialect::Plain,
    classes: [class::PLAIN; 256],
    inner_classes: [class::PLAIN; 256],
    forms: &[],
    slash_comments: false,
    star_comments: false,
    nested_comments: false,
    greedy_triple: false,
    strict: true,
};

const C_LIKE: &[(&[u8], u8)] = &[(b"\"'", class::QUOTE), (b"/", class::SLASH)];
const BACKTICKED: &[(&[u8], u8)] = &[(b"\"'`", class::QUOTE), (b"/", class::SLASH)];
const MARKED_UP: &[(&[u8], u8)] =
    &[(b"\"'`", class::QUOTE), (b"/", class::SLASH), (b"<", class::LESS)];
