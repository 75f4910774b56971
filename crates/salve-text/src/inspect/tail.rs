//! The last statement: whether a text in which nothing is open still ends too early.
//!
//! In: the end of the text from the last place where nothing was open. Out: why the last statement
//! cannot be whole, or nothing. Never flags what could be the end of a real file.

mod items;
mod lines;
mod python;
mod script;
mod split;
mod tokens;
mod types;

use super::reader::Read;
use super::stack::Kind;
use super::weights;
use salve_types::{Language, OpenConstruct, OpenKind, Position, Span, TruncationKind};
use tokens::{Token, tokens};

/// Why the last statement is not whole.
#[derive(Debug)]
pub(super) struct Unfinished {
    pub(super) kind: TruncationKind,
    pub(super) message: String,
    pub(super) weight: f64,
    pub(super) span: Span,
    /// The block that was announced and has no body, with its smallest body as the closer.
    pub(super) block: Option<OpenConstruct>,
}

/// What the rules of a language found.
enum Reason {
    /// A statement that is not whole.
    Statement(&'static str),
    /// A block that was announced and has no body.
    Block,
}

/// Looks at the last statement; `end` is where the sentinel starts in the tail, or its length.
pub(super) fn unfinished(read: &Read<'_>, end: usize) -> Option<Unfinished> {
    let tail_start = read.len - read.tail.len();
    let strong = read.machine.calm_statement;
    let start = if strong >= tail_start && strong > 0 || tail_start == 0 {
        strong
    } else {
        read.machine.calm
    };
    let start = start.max(if is_line_language(read.machine.rules.language) {
        read.machine.calm
    } else {
        0
    });
    let from = start.checked_sub(tail_start).filter(|&from| from <= end)?;
    let bytes = match read.machine.rules.language {
        // A page that ends outside its code has no last statement.
        Language::Php if read.machine.stack.top() == Kind::Opaque => return None,
        Language::Php => after_php_tag(&read.tail[from..end], start),
        _ => after_shebang(&read.tail[from..end], start),
    };
    let start = tail_start + end - bytes.len();
    let reason = judge(bytes, read.machine.rules.language)?;
    let span = Span::new(start + bytes.len() - bytes.trim_ascii_start().len(), tail_start + end);
    Some(match reason {
        Reason::Statement(message) => Unfinished {
            kind: TruncationKind::GeneralTruncation,
            message: format!("The text ends inside a statement: {}", lower_first(message)),
            weight: weights::OPEN_STATEMENT,
            span,
            block: None,
        },
        Reason::Block => block(read, bytes, span),
    })
}

// A first line for the system is no statement.
fn after_shebang(bytes: &[u8], start: usize) -> &[u8] {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if start > 0 || !text.starts_with(b"#!") || text.starts_with(b"#![") || text.len() == 2 {
        return text;
    }
    text.iter().position(|&byte| byte == b'\n').map_or(b"", |at| &text[at + 1..])
}

// What comes before the first tag is no code. A later one is found where it ends a stretch of text: in a
// string it is none.
fn after_php_tag(bytes: &[u8], start: usize) -> &[u8] {
    let begins = start == 0 && bytes.trim_ascii_start().starts_with(b"<");
    let Some(tag) = memchr::memmem::find(bytes, b"<?").filter(|_| begins) else { return bytes };
    let rest = &bytes[tag + 2..];
    // Half a tag is no end of a page.
    if rest.is_empty() {
        return &bytes[tag..];
    }
    rest.strip_prefix(b"php").or_else(|| rest.strip_prefix(b"=")).unwrap_or(rest)
}

// Languages in which the last line start is always the start of the last statement.
fn is_line_language(language: Language) -> bool {
    language == Language::Python
}

fn judge(bytes: &[u8], language: Language) -> Option<Reason> {
    use Language as L;
    let ends_line = bytes.ends_with(b"\n");
    let list = tokens(bytes, language);
    match language {
        L::Python => python::judge(&list),
        L::TypeScript | L::Tsx => script::judge(&list, true),
        L::JavaScript | L::Jsx => script::judge(&list, false),
        L::Rust | L::C | L::Cpp | L::Java | L::CSharp | L::Php | L::Css => {
            items::judge(&list, language, ends_line)
        }
        L::Go => items::judge_go(&list, ends_line),
        L::Bash => lines::bash(&list, bytes),
        L::Sql => lines::sql(&list),
        L::Toml => lines::toml(&list),
        L::Kotlin | L::Swift | L::Ruby => lines::operators(&list),
        _ => None,
    }
}

// Python: the smallest body is `pass`, on the same line or indented on the next.
fn block(read: &Read<'_>, bytes: &[u8], span: Span) -> Unfinished {
    let text = super::verdict::readable(bytes);
    let indent = text.len() - text.trim_ascii_start().len();
    let head = Position::of(text, indent);
    let below = Position::of(text, text.trim_ascii_end().len()).line - head.line;
    let construct = OpenConstruct {
        kind: OpenKind::Block,
        line: read.last_line.saturating_sub(below),
        column: head.column,
        offset: span.start,
        closer: smallest_body(text, read.machine.stack.top() == Kind::LineComment),
    };
    Unfinished {
        kind: TruncationKind::OpenBlock,
        message: "A block was announced and has no body".to_owned(),
        weight: weights::BLOCK_WITHOUT_BODY,
        span,
        block: Some(construct),
    }
}

// `text` is the head and what follows it: blanks and comments only.
fn smallest_body(text: &str, in_comment: bool) -> String {
    let blank = &text[text.trim_ascii_end().len()..];
    let last = match blank.rsplit_once('\n') {
        Some((_, last)) => last,
        None if in_comment => "",
        None => return " pass".to_owned(),
    };
    let head = text.trim_ascii_start();
    let before = text[..text.len() - head.len()].rsplit('\n').next().unwrap_or_default();
    let wanted = format!("{before}    ");
    if in_comment {
        return format!("\n{wanted}pass");
    }
    match wanted.strip_prefix(last) {
        Some(missing) => format!("{missing}pass"),
        // More than is wanted is a deeper body, and anything else is a line to leave alone.
        None if last.starts_with(before) => "pass".to_owned(),
        None => format!("\n{wanted}pass"),
    }
}

fn last_two<'a, 'b>(tokens: &'a [Token<'b>]) -> Option<(&'a Token<'b>, &'a Token<'b>)> {
    match tokens {
        [.., left, right] => Some((left, right)),
        _ => None,
    }
}

fn lower_first(message: &str) -> String {
    let mut letters = message.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
