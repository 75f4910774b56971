//! From frames to what people read: the open constructs and the text that would close them.
//!
//! In: the machine at the end of a text and the last bytes of it. Out: the list outermost first and
//! the closing text. Never invents content: closers only, plus the line break, the rest of an escape
//! or of half a token without which a closer would not close.

use super::half::{End, completion, ends_in_escape, is_raw_csharp};
use super::heredoc;
use super::machine::Machine;
use super::markup::{CLOSING, DECLARATION};
use super::rules::{Dialect, Escape, rust_form};
use super::stack::{Frame, Kind};
use super::strings::is_word;
use salve_types::{OpenConstruct, OpenKind};

/// What is open and how to close it.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// Outermost first.
    pub(super) open: Vec<OpenConstruct>,
    pub(super) closing: String,
}

/// Describes the end state.
pub(super) fn ending(machine: &Machine, end: End<'_>) -> Ending {
    let tail = end.tail;
    let mut open: Vec<OpenConstruct> = Vec::new();
    let frames: Vec<&Frame> = machine.stack.frames().collect();
    let leaf = frames.len() > machine.stack.len();
    let mut in_line_comment = false;
    for (index, frame) in frames.iter().enumerate() {
        if leaf && index + 1 == frames.len() {
            push_runs(machine, &mut open);
        }
        in_line_comment |= matches!(frame.kind, Kind::LineComment | Kind::Directive);
        let inner = index + 1 == frames.len();
        if let Some(construct) = construct(machine, frame, end, inner) {
            open.push(construct);
        }
    }
    if !leaf {
        push_runs(machine, &mut open);
    }
    if !leaf {
        push_announced(machine, &mut open);
    }
    let directive = push_directive(&frames, &mut open, tail);
    push_pending(machine, &mut open, tail);
    drop_half_closed(machine, &mut open);
    if let Some(innermost) = open.last_mut() {
        innermost.closer.insert_str(0, completion(machine, end));
    }
    // What the preprocessor line itself needs comes before its end, everything else after.
    let inside = open.iter().rev().take_while(|one| Some(one.offset) == directive).count();
    let (outer, inner) = open.split_at(open.len() - inside);
    let text = |list: &[OpenConstruct]| -> String {
        list.iter().rev().map(|construct| construct.closer.as_str()).collect()
    };
    let (mut closing, rest) = (text(inner), text(outer));
    if in_line_comment && !rest.is_empty() && !rest.starts_with('\n') {
        closing.push('\n');
    }
    closing.push_str(&rest);
    Ending { open, closing }
}

fn construct(machine: &Machine, frame: &Frame, end: End<'_>, inner: bool) -> Option<OpenConstruct> {
    let tail = end.tail;
    let inside = end.inside(machine, frame);
    let name = || String::from_utf8_lossy(machine.stack.name(frame)).into_owned();
    let (kind, closer) = match frame.kind {
        Kind::Paren => (OpenKind::Paren, ")".to_owned()),
        Kind::Bracket => (OpenKind::Bracket, "]".to_owned()),
        Kind::Brace => (OpenKind::Brace, "}".to_owned()),
        Kind::Hole => hole_closer(frame),
        Kind::Block => (OpenKind::Block, format!("\n{}", name())),
        Kind::Text => text_closer(machine, frame, inside, inner),
        Kind::Delimited => delimited_closer(frame, &name(), tail),
        Kind::StarComment => (OpenKind::Comment, star_closer(machine, frame, inside, inner)),
        Kind::MarkupComment if frame.form == super::ruby::BLOCK_COMMENT => {
            (OpenKind::Comment, "\n=end".to_owned())
        }
        Kind::MarkupComment => {
            let opener = end.from(frame).map_or("", |bytes| match bytes {
                b"<!" => "--",
                b"<!-" => "-",
                _ => "",
            });
            (OpenKind::Comment, format!("{opener}{}", unfinished("-->", inside, inner)))
        }
        Kind::Regex => (OpenKind::Regex, regex_closer(frame, inside, inner)),
        Kind::Tag => (OpenKind::Tag, tag_closer(machine, frame, tail)),
        Kind::Element if machine.may_stay_open(frame) => return None,
        Kind::Element => (OpenKind::Element, format!("</{}>", name())),
        Kind::Fence => {
            let sign = char::from(frame.form).to_string().repeat(usize::from(frame.extra));
            let half = end.from(frame).map_or(sign.len(), <[u8]>::len);
            let missing = sign.get(half.min(sign.len())..).unwrap_or_default();
            let line = if tail.ends_with(b"\n") { "" } else { "\n" };
            (OpenKind::Fence, format!("{missing}{line}{sign}"))
        }
        Kind::Top | Kind::LineComment | Kind::Directive | Kind::Define | Kind::Opaque => {
            return None;
        }
    };
    Some(place(frame, kind, closer))
}

/// Makes a construct at the place of a frame.
pub(super) fn place(frame: &Frame, kind: OpenKind, closer: String) -> OpenConstruct {
    OpenConstruct { kind, line: frame.line, column: frame.column, offset: frame.offset, closer }
}

/// Returns a broken string as if it were still open.
pub(super) fn broken_string(machine: &Machine, frame: &Frame) -> OpenConstruct {
    let (kind, closer) = text_closer(machine, frame, b"?", true);
    place(frame, kind, closer)
}

fn hole_closer(frame: &Frame) -> (OpenKind, String) {
    let kind = match frame.form {
        b')' => OpenKind::Paren,
        b'`' => OpenKind::Template,
        _ => OpenKind::Brace,
    };
    (kind, char::from(frame.form).to_string())
}

fn text_closer(machine: &Machine, frame: &Frame, tail: &[u8], inner: bool) -> (OpenKind, String) {
    let form = &machine.rules.forms[usize::from(frame.form)];
    if machine.is_percent(frame) {
        let closer = char::from(frame.extra as u8).to_string();
        return (form.kind, closer.repeat(1 + usize::from(frame.extra >> 8)));
    }
    let close = String::from_utf8_lossy(form.close);
    let mut closer = if close.len() > 1 {
        unfinished(&close, tail, inner)
    } else if is_raw_csharp(machine, frame) {
        unfinished(&"\"".repeat(usize::from(frame.extra)), tail, inner)
    } else {
        unfinished(&format!("{close}{}", "#".repeat(usize::from(frame.extra))), tail, inner)
    };
    let escapes = matches!(form.escape, Escape::Backslash);
    if inner && escapes && ends_in_escape(tail) {
        closer.insert(0, '\\');
    }
    // Two quotes in a row are no character, and six quotes open a text of their own.
    let character = machine.rules.dialect == Dialect::Rust
        && usize::from(frame.form) == rust_form::CHAR
        || is_raw_csharp(machine, frame);
    if inner && character && tail.is_empty() {
        closer.insert(0, ' ');
    }
    (form.kind, closer)
}

// The part of a closer that the text does not have yet; the opener itself does not count as one.
fn unfinished(closer: &str, tail: &[u8], inner: bool) -> String {
    if !inner || closer.len() < 2 {
        return closer.to_owned();
    }
    let present = (1..closer.len()).rev().find(|&len| {
        let part = &closer.as_bytes()[..len];
        tail.ends_with(part) && !tail.ends_with(closer.as_bytes())
    });
    closer[present.unwrap_or(0)..].to_owned()
}

fn delimited_closer(frame: &Frame, name: &str, tail: &[u8]) -> (OpenKind, String) {
    match frame.form {
        heredoc::RAW_CPP => (OpenKind::DoubleQuote, format!("){name}\"")),
        heredoc::DOLLAR => (OpenKind::Heredoc, format!("${name}$")),
        _ if tail.ends_with(b"\n") => (OpenKind::Heredoc, format!("{name}\n")),
        _ => (OpenKind::Heredoc, format!("\n{name}\n")),
    }
}

// Where comments nest, a slash and the star of the closer would open one more.
fn star_closer(machine: &Machine, frame: &Frame, inside: &[u8], inner: bool) -> String {
    let rest = "*/".repeat(usize::from(frame.extra).max(1));
    let nested = machine.rules.nested_comments;
    let ends_level = inside.ends_with(b"*/") && !inside.ends_with(b"/*/");
    if !inner {
        rest
    } else if inside.ends_with(b"*") && !(nested && inside.ends_with(b"/*")) {
        rest[1..].to_owned()
    } else if nested && inside.ends_with(b"/") && !ends_level {
        format!(" {rest}")
    } else {
        rest
    }
}

// Without anything inside, the two slashes would be a comment.
fn regex_closer(frame: &Frame, tail: &[u8], inner: bool) -> String {
    if inner && tail.is_empty() {
        return "(?:)/".to_owned();
    }
    let class = if frame.extra == 0 { "" } else { "]" };
    let escape = if inner && ends_in_escape(tail) { "\\" } else { "" };
    format!("{escape}{class}/")
}

// A start tag needs its end tag too; of an end tag only the rest is missing.
fn tag_closer(machine: &Machine, frame: &Frame, tail: &[u8]) -> String {
    let name = String::from_utf8_lossy(machine.stack.name(frame)).into_owned();
    if frame.extra & CLOSING != 0 {
        let element = machine.stack.frames().rev().find(|open| open.kind == Kind::Element);
        let whole = element.map(|open| machine.stack.name(open)).unwrap_or_default();
        let rest = whole.strip_prefix(name.as_bytes()).unwrap_or_default();
        let rest =
            if tail.last().is_some_and(|&byte| is_word(byte) || byte == b'/') { rest } else { b"" };
        return format!("{}>", String::from_utf8_lossy(rest));
    }
    if frame.extra & DECLARATION != 0 || machine.is_void(frame) || tail.ends_with(b"/") {
        return ">".to_owned();
    }
    // An arrow would close nothing: the attribute needs a value first.
    let value = if tail.ends_with(b"=") { "\"\"" } else { "" };
    format!("{value}></{name}>")
}

// An end tag that is half there closes its element: that element needs no closer of its own.
fn drop_half_closed(machine: &Machine, open: &mut [OpenConstruct]) {
    let closing = machine
        .stack
        .frames()
        .next_back()
        .is_some_and(|frame| frame.kind == Kind::Tag && frame.extra & CLOSING != 0);
    if closing
        && let Some(element) = open.iter_mut().rev().find(|one| one.kind == OpenKind::Element)
    {
        element.closer.clear();
    }
}

// Here-documents whose bodies were to begin on the next line: the first one is read first.
fn push_announced(machine: &Machine, open: &mut Vec<OpenConstruct>) {
    for (index, one) in machine.habits.pending.iter().enumerate().rev() {
        let name = String::from_utf8_lossy(&one.name);
        let line = if index == 0 { "\n" } else { "" };
        let quote = one.half_quote.map(char::from).map_or_else(String::new, String::from);
        open.push(place(&one.frame, OpenKind::Heredoc, format!("{quote}{line}{name}\n")));
    }
}

// Brackets deeper than the stack keeps: their kind and number are known, their places are not.
fn push_runs(machine: &Machine, open: &mut Vec<OpenConstruct>) {
    let last = open.last().cloned();
    for &(kind, count) in machine.stack.runs() {
        let (kind, sign) = match kind {
            Kind::Paren => (OpenKind::Paren, ")"),
            Kind::Bracket => (OpenKind::Bracket, "]"),
            _ => (OpenKind::Brace, "}"),
        };
        if let Some(last) = &last {
            let closer = sign.repeat(count as usize);
            open.push(OpenConstruct { kind, closer, ..last.clone() });
        }
    }
}

// What the unfinished preprocessor line at the end leaves open: a file name, a condition. Returns
// the place of that line.
fn push_directive(frames: &[&Frame], open: &mut Vec<OpenConstruct>, tail: &[u8]) -> Option<usize> {
    let frame = frames.last().filter(|frame| frame.kind == Kind::Directive)?;
    let line = &tail[tail.iter().rposition(|&byte| byte == b'#').unwrap_or(tail.len())..];
    let word = line[1.min(line.len())..].trim_ascii_start();
    if word.starts_with(b"include") && line.iter().filter(|&&byte| byte == b'"').count() == 1 {
        open.push(place(frame, OpenKind::DoubleQuote, "\"".to_owned()));
    }
    if word.starts_with(b"if") || word.starts_with(b"elif") {
        let count = |sign: u8| line.iter().filter(|&&byte| byte == sign).count();
        for _ in count(b')')..count(b'(') {
            open.push(place(frame, OpenKind::Paren, ")".to_owned()));
        }
    }
    Some(frame.offset)
}

// Preprocessor conditions and `try` blocks are kept beside the stack.
fn push_pending(machine: &Machine, open: &mut Vec<OpenConstruct>, tail: &[u8]) {
    let line = if tail.ends_with(b"\n") { "" } else { "\n" };
    let mut blocks: Vec<OpenConstruct> = Vec::new();
    for arm in &machine.habits.arms {
        let construct = place(&arm.frame, OpenKind::Block, "\n#endif\n".to_owned());
        blocks.push(construct);
    }
    for open in &machine.habits.tries {
        let closer = format!("{line}{}finally: pass\n", " ".repeat(open.indent));
        blocks.push(place(&open.frame, OpenKind::Block, closer));
    }
    for block in blocks {
        let at = open.partition_point(|one| one.offset < block.offset);
        open.insert(at, block);
    }
}
