//! Code with its words coloured, by classes.
//!
//! In: code and the name of its language or file. Out: escaped text in spans of a few short classes, or plain
//! text where the language is not known or the text is long. What was coloured once is kept by its hash.
//! Takes time for long texts: callers draw on a thread that may wait. Never a style attribute.

use maud::{Markup, PreEscaped, html};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

/// Longer texts stay plain.
const MOST_BYTES: usize = 128 * 1024;
/// Texts of more lines stay plain.
const MOST_LINES: usize = 2_000;
/// Lines longer than this stay plain: grammars are slow on them.
const LONGEST_LINE: usize = 1_000;
/// How many texts are kept before the older half is forgotten.
const KEPT: usize = 512;

/// The class of a piece of a line; empty for plain text.
pub type Class = &'static str;

/// One line as pieces: how many bytes, and their class.
pub type LineClasses = Vec<(usize, Class)>;

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

// The scopes that get a class; the longest that fits wins, the innermost scope first.
const CLASSES: &[(&str, Class)] = &[
    ("comment", "c"),
    ("string.regexp", "x"),
    ("string", "s"),
    ("constant.character.escape", "x"),
    ("constant.numeric", "n"),
    ("constant", "n"),
    ("keyword.operator", ""),
    ("keyword", "k"),
    ("storage", "k"),
    ("entity.name.function", "f"),
    ("support.function", "f"),
    ("variable.function", "f"),
    ("entity.name.tag", "k"),
    ("entity.other.attribute-name", "t"),
    ("entity.name", "t"),
    ("support.type", "t"),
    ("support.class", "t"),
    ("variable.language", "k"),
    ("variable.parameter", "v"),
    ("markup.inserted", "s"),
    ("markup.deleted", "x"),
    ("markup.heading", "k"),
    ("meta.diff.header", "c"),
    ("punctuation.definition.comment", "c"),
    ("punctuation.definition.string", "s"),
];

static SCOPES: LazyLock<Vec<(Scope, Class)>> = LazyLock::new(|| {
    let scope = |(name, class): &(&str, Class)| Some((Scope::new(name).ok()?, *class));
    CLASSES.iter().filter_map(scope).collect()
});

/// Draws a block of code.
pub fn code_block(code: &str, language: &str) -> Markup {
    html! { pre.code { code { (highlighted(code, language)) } } }
}

/// Returns code with its words in classes, escaped.
pub fn highlighted(code: &str, language: &str) -> Markup {
    let Some(lines) = line_classes(code, language) else {
        return html! { (code) };
    };
    let mut drawn = String::with_capacity(code.len() * 2);
    for (line, classes) in code.split_inclusive('\n').zip(lines.iter()) {
        push_line(&mut drawn, line, classes);
    }
    PreEscaped(drawn)
}

/// Returns the classes of each line; nothing where the text stays plain.
pub fn line_classes(code: &str, language: &str) -> Option<Arc<Vec<LineClasses>>> {
    let is_long = code.len() > MOST_BYTES
        || code.lines().count() > MOST_LINES
        || code.lines().any(|line| line.len() > LONGEST_LINE);
    let syntax = find(language).filter(|_| !is_long)?;
    let key = *blake3::Hasher::new()
        .update(syntax.name.as_bytes())
        .update(&[0])
        .update(code.as_bytes())
        .finalize()
        .as_bytes();
    let kept = || KEPT_LINES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(lines) = kept().get(&key) {
        return Some(lines);
    }
    let lines = Arc::new(parse(code, syntax)?);
    kept().put(key, Arc::clone(&lines));
    Some(lines)
}

/// Writes a piece of a line in its class.
pub fn push_line(out: &mut String, line: &str, classes: &LineClasses) {
    let mut rest = line;
    for (length, class) in classes {
        let (now, later) = rest.split_at_checked(*length).unwrap_or((rest, ""));
        push_span(out, now, class);
        rest = later;
    }
    push_span(out, rest, "");
}

/// Writes a text, escaped, in a span where it has a class.
pub fn push_span(out: &mut String, text: &str, class: &str) {
    if text.is_empty() {
        return;
    }
    let escaped = html! { (text) }.into_string();
    if class.is_empty() || text.trim().is_empty() {
        out.push_str(&escaped);
    } else {
        let _ = write!(out, "<span class=\"{class}\">{escaped}</span>");
    }
}

// By the word after a fence, or by the end of a file's name.
fn find(language: &str) -> Option<&'static SyntaxReference> {
    let language = language.trim();
    if language.is_empty() || language.len() > 200 {
        return None;
    }
    let name = language.rsplit(['/', '\\']).next().unwrap_or(language);
    let ending = name.rsplit('.').next().unwrap_or(name);
    let syntaxes = &*SYNTAXES;
    let found = syntaxes
        .find_syntax_by_token(name)
        .or_else(|| syntaxes.find_syntax_by_extension(name))
        .or_else(|| syntaxes.find_syntax_by_token(ending))
        .or_else(|| match ending {
            "console" | "shell" => syntaxes.find_syntax_by_token("bash"),
            "jsonc" | "json5" => syntaxes.find_syntax_by_token("json"),
            _ => None,
        });
    found.filter(|syntax| syntax.name != "Plain Text")
}

fn parse(code: &str, syntax: &SyntaxReference) -> Option<Vec<LineClasses>> {
    let mut state = ParseState::new(syntax);
    let mut stack = ScopeStack::new();
    let mut lines = Vec::new();
    for line in code.split_inclusive('\n') {
        let ops = state.parse_line(line, &SYNTAXES).ok()?;
        let mut classes: LineClasses = Vec::new();
        let mut add = |length: usize, class: Class| match classes.last_mut() {
            Some(last) if last.1 == class => last.0 += length,
            _ if length > 0 => classes.push((length, class)),
            _ => {}
        };
        let mut at = 0;
        for (place, op) in &ops {
            add(place.saturating_sub(at), class_of(&stack));
            at = at.max(*place);
            stack.apply(op).ok()?;
        }
        add(line.len().saturating_sub(at), class_of(&stack));
        lines.push(classes);
    }
    Some(lines)
}

fn class_of(stack: &ScopeStack) -> Class {
    for scope in stack.as_slice().iter().rev() {
        let fits = SCOPES.iter().filter(|(known, _)| known.is_prefix_of(*scope));
        if let Some((_, class)) = fits.max_by_key(|(known, _)| known.len()) {
            return class;
        }
    }
    ""
}

type Lines = Arc<Vec<LineClasses>>;

// Two generations: what was asked for in neither is forgotten.
#[derive(Default)]
struct Kept {
    young: HashMap<[u8; 32], Lines>,
    old: HashMap<[u8; 32], Lines>,
}

impl Kept {
    fn get(&mut self, key: &[u8; 32]) -> Option<Lines> {
        if let Some(lines) = self.young.get(key) {
            return Some(Arc::clone(lines));
        }
        let lines = self.old.remove(key)?;
        self.put(*key, Arc::clone(&lines));
        Some(lines)
    }

    fn put(&mut self, key: [u8; 32], lines: Lines) {
        if self.young.len() >= KEPT / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, lines);
    }
}

static KEPT_LINES: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_get_short_classes() {
        insta::assert_snapshot!(
            highlighted("# why\ndef total(order):\n    return 3.5 * \"<b>\"\n", "shop/price.py").into_string(),
            @r#"
        <span class="c"># why
        </span><span class="k">def</span> <span class="f">total</span>(<span class="v">order</span>):
            <span class="k">return</span> <span class="n">3.5</span> * <span class="s">&quot;&lt;b&gt;&quot;</span>
        "#
        );
    }

    #[test]
    fn unknown_and_long_texts_are_plain_and_escaped() {
        assert_eq!(highlighted("<a> & b", "no-such-language").into_string(), "&lt;a&gt; &amp; b");
        let long = "let x = 1;\n".repeat(MOST_LINES + 1);
        assert_eq!(highlighted(&long, "rust").into_string(), long);
        let wide = "x".repeat(LONGEST_LINE + 1);
        assert_eq!(highlighted(&wide, "rust").into_string(), wide);
    }

    #[test]
    fn the_same_text_is_parsed_once() {
        let one = line_classes("let kept = 1;\n", "rust").unwrap();
        let again = line_classes("let kept = 1;\n", "rs").unwrap();
        assert!(Arc::ptr_eq(&one, &again));
    }
}
