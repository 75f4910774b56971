//! Styles: the ways in which models write one value.
//!
//! In: a value and a style. Out: tokens that mean the value, and the texts that count the same as a
//! text block of it. Never a fault: what these write is broken only in so far as it is not JSON.

mod wrap;

use super::token::{Mark, Shape, Token, Unit};
use super::words::{one_in, pick, sentence};
use crate::corpus::Random;
use serde_json::Value;

/// A document written in a style.
pub(super) struct Written {
    pub tokens: Vec<Token>,
    /// Pairs of a text and another one that counts the same: the border of a text block is unclear.
    pub same: Vec<(String, String)>,
    /// Whether commas before closers belong to the style.
    pub trailing: bool,
}

/// Where it comes from: the notes, or further ones.
pub(super) const STYLES: &[(&str, bool)] = &[
    ("compact", true),
    ("pretty", true),
    ("python", true),
    ("bare keys", true),
    ("// comments", true),
    ("# comments", true),
    ("trailing commas", true),
    ("fenced in talk", true),
    ("fenced value", true),
    ("triple-quoted value", true),
    ("backticked value", true),
    ("four spaces", false),
    ("tabs", false),
    ("crlf", false),
    ("spaced", false),
    ("ascii escapes", false),
    ("single quotes", false),
    ("smart quotes", false),
    ("block comments", false),
    ("leading commas", false),
    ("bare in talk", false),
    ("think first", false),
    ("tagged", false),
    ("bom", false),
    ("assigned", false),
    ("lines", false),
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Quotes {
    Double,
    Ascii,
    Single,
    Python,
    Smart,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Block {
    Fence,
    Triple,
    Backtick,
}

struct Look {
    quotes: Quotes,
    bare_keys: bool,
    /// Nothing: all on one line.
    indent: Option<&'static str>,
    line: &'static str,
    spaced: bool,
    leading_commas: bool,
    trailing: bool,
    comments: &'static [&'static str],
    /// Which of the string values is a block.
    block: Option<(usize, Block)>,
}

/// Writes a value in the style of that name.
pub(super) fn write(value: &Value, style: &str, random: &mut Random) -> Option<Written> {
    let roomy = random.below(3) > 0;
    let mut look = Look {
        quotes: Quotes::Double,
        bare_keys: false,
        indent: roomy.then_some("  "),
        line: "\n",
        spaced: one_in(random, 2),
        leading_commas: false,
        trailing: false,
        comments: &[],
        block: None,
    };
    match style {
        "compact" => (look.indent, look.spaced) = (None, false),
        "pretty" | "bom" => look.indent = Some("  "),
        "python" => look.quotes = Quotes::Python,
        "bare keys" => look.bare_keys = true,
        "// comments" => (look.comments, look.indent) = (&["// ", "//"], Some("  ")),
        "# comments" => (look.comments, look.indent) = (&["# ", "#"], Some("  ")),
        "block comments" => look.comments = &["/* "],
        "trailing commas" => look.trailing = true,
        "fenced value" => look.block = Some((block(value, Block::Fence, random)?, Block::Fence)),
        "triple-quoted value" => {
            look.block = Some((block(value, Block::Triple, random)?, Block::Triple));
        }
        "backticked value" => {
            look.block = Some((block(value, Block::Backtick, random)?, Block::Backtick));
        }
        "four spaces" => look.indent = Some("    "),
        "tabs" => look.indent = Some("\t"),
        "crlf" => (look.indent, look.line) = (Some("  "), "\r\n"),
        "spaced" => (look.indent, look.spaced) = (None, true),
        "ascii escapes" => look.quotes = Quotes::Ascii,
        "single quotes" => look.quotes = Quotes::Single,
        "smart quotes" => look.quotes = Quotes::Smart,
        "leading commas" => (look.leading_commas, look.indent) = (true, Some("  ")),
        "assigned" => look.bare_keys = one_in(random, 2),
        "lines" => return wrap::lines(value, &Look { indent: None, ..look }, random),
        _ => {}
    }
    let mut written = Writer::write(value, &look, random);
    wrap::wrap(&mut written.tokens, style, random);
    number(&mut written.tokens);
    Some(written)
}

fn number(tokens: &mut [Token]) {
    for (id, token) in tokens.iter_mut().enumerate() {
        token.id = id;
    }
}

// The string value to be written as a block: mostly the one with the most lines.
fn block(value: &Value, block: Block, random: &mut Random) -> Option<usize> {
    let mut texts = Vec::new();
    collect(value, &mut texts);
    let fits = |text: &str| {
        let free = !text.is_empty() && !text.contains('\r');
        free && match block {
            Block::Fence => {
                !text.contains("```") && !text.starts_with('\n') && !text.ends_with("\n\n")
            }
            Block::Triple => {
                !text.contains("\"\"\"")
                    && !text.contains('\\')
                    && !text.ends_with('"')
                    && !text.starts_with('"')
            }
            Block::Backtick => !text.contains(['`', '\\', '$']),
        }
    };
    let mut places: Vec<(usize, usize)> = texts
        .iter()
        .enumerate()
        .filter(|(_, text)| fits(text))
        .map(|(place, text)| (text.matches('\n').count(), place))
        .collect();
    places.sort();
    let best = places.last()?.1;
    Some(if one_in(random, 4) { places[random.below(places.len())].1 } else { best })
}

fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(map) => map.values().for_each(|item| collect(item, texts)),
        _ => {}
    }
}

struct Writer<'a> {
    look: &'a Look,
    random: &'a mut Random,
    tokens: Vec<Token>,
    same: Vec<(String, String)>,
    /// String values so far.
    texts: usize,
}

impl<'a> Writer<'a> {
    fn write(value: &Value, look: &'a Look, random: &'a mut Random) -> Written {
        let mut writer = Writer { look, random, tokens: Vec::new(), same: Vec::new(), texts: 0 };
        writer.value(value, 1);
        Written { tokens: writer.tokens, same: writer.same, trailing: look.trailing }
    }

    fn push(&mut self, mark: Mark, text: &str) {
        self.tokens.push(token(mark, text));
    }

    fn value(&mut self, value: &Value, depth: usize) {
        let python = self.look.quotes == Quotes::Python;
        match value {
            Value::Null if python => self.push(Mark::Plain(Value::Null), "None"),
            Value::Bool(true) if python => self.push(Mark::Plain(Value::Bool(true)), "True"),
            Value::Bool(false) if python => self.push(Mark::Plain(Value::Bool(false)), "False"),
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.container(Shape::Array, items.len(), depth, |writer, at| {
                    writer.value(&items[at], depth + 1);
                });
            }
            Value::Object(map) => {
                let members: Vec<(&String, &Value)> = map.iter().collect();
                self.container(Shape::Object, members.len(), depth, |writer, at| {
                    let (key, value) = members[at];
                    writer.key(key);
                    writer.push(Mark::Colon, ":");
                    if writer.look.indent.is_some() || writer.look.spaced {
                        writer.push(Mark::Space, " ");
                    }
                    writer.value(value, depth + 1);
                });
            }
            plain => self.push(Mark::Plain(plain.clone()), &plain.to_string()),
        }
    }

    fn container(
        &mut self,
        shape: Shape,
        count: usize,
        depth: usize,
        mut item: impl FnMut(&mut Self, usize),
    ) {
        let (open, close) = if shape == Shape::Object { ("{", "}") } else { ("[", "]") };
        self.push(Mark::Open(shape), open);
        for at in 0..count {
            let later = at > 0;
            if later && !self.look.leading_commas {
                self.push(Mark::Comma, ",");
            }
            self.rest_of_line(depth);
            if later && self.look.leading_commas {
                self.push(Mark::Comma, ",");
                self.push(Mark::Space, " ");
            } else if later && self.look.indent.is_none() && self.look.spaced {
                self.push(Mark::Space, " ");
            }
            item(self, at);
        }
        if count > 0 {
            if self.look.trailing && !one_in(self.random, 3) {
                self.push(Mark::Comma, ",");
            }
            self.rest_of_line(depth - 1);
        }
        self.push(Mark::Close(shape), close);
    }

    // A comment, the end of the line, and the indentation of the next.
    fn rest_of_line(&mut self, depth: usize) {
        let comment = |writer: &mut Self| {
            let mark = pick(writer.random, writer.look.comments);
            let text = sentence(writer.random).replace(['\n', '\r'], " ").replace("*/", "");
            let end = if mark.starts_with("/*") { " */" } else { "" };
            writer.push(Mark::Space, &format!("{mark}{text}{end}"));
        };
        let commented = !self.look.comments.is_empty() && one_in(self.random, 4);
        if commented {
            self.push(Mark::Space, " ");
            comment(self);
        }
        let Some(indent) = self.look.indent else { return };
        let next = format!("{}{}", self.look.line, indent.repeat(depth));
        self.push(Mark::Space, &next);
        if !self.look.comments.is_empty() && one_in(self.random, 6) {
            comment(self);
            self.push(Mark::Space, &next);
        }
    }

    fn key(&mut self, key: &str) {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let bare = self.look.bare_keys
            && key.chars().all(plain)
            && key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let bare = bare && !matches!(key, "true" | "false" | "null");
        let quotes = if bare { (String::new(), String::new()) } else { self.quotes(key) };
        self.quoted(Mark::Key, key, quotes);
    }

    fn text(&mut self, text: &str) {
        let block = self.look.block.filter(|(at, _)| *at == self.texts);
        self.texts += 1;
        match block {
            Some((_, block)) => self.block(text, block),
            None => {
                let quotes = self.quotes(text);
                self.quoted(Mark::Text, text, quotes);
            }
        }
    }

    fn quotes(&self, text: &str) -> (String, String) {
        let (open, close) = match self.look.quotes {
            Quotes::Double | Quotes::Ascii => ("\"", "\""),
            Quotes::Single => ("'", "'"),
            Quotes::Python if text.contains('\'') && !text.contains('"') => ("\"", "\""),
            Quotes::Python => ("'", "'"),
            Quotes::Smart if text.contains(['“', '”']) => ("\"", "\""),
            Quotes::Smart => ("“", "”"),
        };
        (open.to_owned(), close.to_owned())
    }

    fn quoted(&mut self, mark: Mark, text: &str, (open, close): (String, String)) {
        let units = text.chars().map(|letter| Unit {
            written: escaped(letter, &open, self.look.quotes),
            plain: letter.to_string(),
        });
        let units = units.collect();
        self.tokens.push(Token { id: 0, mark, open, units, close });
    }

    // The line break before the closing fence may belong to the text or to the fence.
    fn block(&mut self, text: &str, block: Block) {
        let broken = block != Block::Fence && one_in(self.random, 3);
        let language = pick(self.random, &["", "python", "text", "ts", ""]);
        let (open, mut close) = match block {
            Block::Fence => (format!("```{language}\n"), "\n```".to_owned()),
            Block::Triple if broken => ("\"\"\"\n".to_owned(), "\n\"\"\"".to_owned()),
            Block::Triple => ("\"\"\"".to_owned(), "\"\"\"".to_owned()),
            Block::Backtick if broken => ("`\n".to_owned(), "\n`".to_owned()),
            Block::Backtick => ("`".to_owned(), "`".to_owned()),
        };
        if block == Block::Fence || broken {
            let inner = text.strip_suffix('\n');
            self.same.push((text.to_owned(), format!("{text}\n")));
            self.same.push((text.to_owned(), format!("\n{text}\n")));
            self.same.push((text.to_owned(), format!("\n{text}")));
            if let Some(inner) = inner {
                close = close[1..].to_owned();
                self.same.push((text.to_owned(), inner.to_owned()));
                self.same.push((text.to_owned(), format!("\n{inner}")));
            }
        }
        let units = text
            .chars()
            .map(|letter| Unit { written: letter.to_string(), plain: letter.to_string() });
        let units = units.collect();
        self.tokens.push(Token { id: 0, mark: Mark::Text, open, units, close });
    }
}

/// A token without quotes.
pub(super) fn token(mark: Mark, text: &str) -> Token {
    Token { id: usize::MAX, mark, open: text.to_owned(), units: Vec::new(), close: String::new() }
}

fn escaped(letter: char, quote: &str, quotes: Quotes) -> String {
    match letter {
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '"' if matches!(quote, "\"" | "“") => "\\\"".to_owned(),
        '\'' if quote == "'" => "\\'".to_owned(),
        other if other.is_control() => format!("\\u{:04x}", other as u32),
        other if quotes == Quotes::Ascii && !other.is_ascii() => {
            let mut pair = [0; 2];
            other.encode_utf16(&mut pair).iter().map(|half| format!("\\u{half:04x}")).collect()
        }
        other => other.to_string(),
    }
}
