//! Reading a source as tokens, enough of each language to choose a place in it.
//!
//! In: a language and a text. Out: words, numbers, texts, comments and marks with their places, and which
//! bracket closes which. Never a tree and never an error: what it cannot read is a mark of its own. It
//! shares nothing with the product, so that the product's mistakes are not the planter's too.

use salve_types::Language;
use std::ops::Range;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Word,
    Number,
    Text,
    Comment,
    Mark,
    /// A line for the preprocessor of C.
    Directive,
}

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) at: Range<usize>,
}

/// A file with its tokens; comments are left out.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) language: Language,
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) tokens: Vec<Token>,
    /// For each token that opens a bracket, the one that closes it.
    pub(crate) closing: Vec<Option<usize>>,
    /// How many brackets are open before each token.
    pub(crate) depth: Vec<usize>,
}

impl Source {
    /// Reads a file.
    pub(crate) fn read(language: Language, path: &str, text: &str) -> Self {
        let mut tokens = tokens(language, text);
        tokens.retain(|token| token.kind != Kind::Comment);
        let (closing, depth) = brackets(text, &tokens);
        Self { language, path: path.to_owned(), text: text.to_owned(), tokens, closing, depth }
    }

    /// Returns the text of a token; nothing past the end.
    pub(crate) fn word(&self, index: usize) -> &str {
        self.tokens.get(index).and_then(|token| self.text.get(token.at.clone())).unwrap_or("")
    }

    /// Returns the text of the token before.
    pub(crate) fn before(&self, index: usize) -> &str {
        index.checked_sub(1).map_or("", |before| self.word(before))
    }

    /// Returns whether the token is of a kind.
    pub(crate) fn is(&self, index: usize, kind: Kind) -> bool {
        self.tokens.get(index).is_some_and(|token| token.kind == kind)
    }

    /// Returns the place of a run of tokens, both ends included.
    pub(crate) fn span(&self, first: usize, last: usize) -> Range<usize> {
        let start = self.tokens.get(first).map_or(0, |token| token.at.start);
        let end = self.tokens.get(last).map_or(start, |token| token.at.end);
        start..end
    }

    /// Returns where the line of a place begins.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        self.text.get(..at).and_then(|text| text.rfind('\n')).map_or(0, |end| end + 1)
    }

    /// Returns where the line of a place ends, its break included.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        let rest = self.text.get(at..).and_then(|text| text.find('\n'));
        rest.map_or(self.text.len(), |end| at + end + 1)
    }

    /// Returns whether only white space is before the token on its line.
    pub(crate) fn opens_line(&self, index: usize) -> bool {
        let Some(token) = self.tokens.get(index) else { return false };
        let start = self.line_start(token.at.start);
        self.text.get(start..token.at.start).is_some_and(|text| text.trim().is_empty())
    }
}

fn tokens(language: Language, text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let blank = rest.len() - rest.trim_start().len();
        if blank > 0 {
            at += blank;
            continue;
        }
        let (kind, length) = one(language, text, at, tokens.last());
        let length = length.clamp(1, rest.len());
        // A character is never split.
        let end = (at + length..=text.len()).find(|end| text.is_char_boundary(*end));
        let end = end.unwrap_or(text.len());
        tokens.push(Token { kind, at: at..end });
        at = end;
    }
    tokens
}

fn one(language: Language, text: &str, at: usize, last: Option<&Token>) -> (Kind, usize) {
    let rest = text.get(at..).unwrap_or("");
    if let Some(length) = comment(language, rest) {
        return (Kind::Comment, length);
    }
    let line = text.get(..at).and_then(|text| text.rsplit('\n').next()).unwrap_or("");
    if language == Language::C && rest.starts_with('#') && line.trim().is_empty() {
        return (Kind::Directive, directive(rest));
    }
    if let Some(length) = quoted(language, rest) {
        return (Kind::Text, length);
    }
    if language == Language::TypeScript
        && rest.starts_with('/')
        && regex_may_begin(text, last)
        && let Some(length) = regex(rest)
    {
        return (Kind::Text, length);
    }
    let first = rest.chars().next().unwrap_or(' ');
    if first.is_ascii_digit() {
        return (Kind::Number, number(rest));
    }
    let lifetime = usize::from(language == Language::Rust && first == '\'');
    let name = rest.get(lifetime..).unwrap_or("");
    let end = name.find(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '$'));
    match end.unwrap_or(name.len()) {
        0 => (Kind::Mark, mark(rest)),
        length => (Kind::Word, length + lifetime),
    }
}

fn comment(language: Language, rest: &str) -> Option<usize> {
    let line = if language == Language::Python { "#" } else { "//" };
    if rest.starts_with(line) {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if language == Language::Python || !rest.starts_with("/*") {
        return None;
    }
    Some(rest.find("*/").map_or(rest.len(), |end| end + 2))
}

fn directive(rest: &str) -> usize {
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    rest.get(..end).map_or(end, |text| text.trim_end().len())
}

// The length of a text in quotes that begins here.
fn quoted(language: Language, rest: &str) -> Option<usize> {
    let prefix = rest.find(|letter: char| !letter.is_ascii_alphabetic())?;
    let letters = rest.get(..prefix)?;
    let body = rest.get(prefix..)?;
    match language {
        Language::Python => {
            let known = letters.chars().all(|letter| "rRbBuUfF".contains(letter)) && prefix <= 2;
            let quote = known.then(|| body.chars().next()).flatten()?;
            let triple = [quote; 3].iter().collect::<String>();
            match quote {
                '"' | '\'' if body.starts_with(&triple) => {
                    Some(prefix + until(body, 3, &triple, true))
                }
                '"' | '\'' => Some(prefix + until(body, 1, &quote.to_string(), true)),
                _ => None,
            }
        }
        Language::Rust => {
            let hashes = body.len() - body.trim_start_matches('#').len();
            if letters.ends_with('r') && prefix <= 2 && body.get(hashes..)?.starts_with('"') {
                let close = format!("\"{}", "#".repeat(hashes));
                return Some(prefix + until(body, hashes + 1, &close, false));
            }
            if !matches!(letters, "" | "b" | "c") {
                return None;
            }
            if body.starts_with('"') {
                return Some(prefix + until(body, 1, "\"", true));
            }
            let mut letters = body.chars();
            let is_character = letters.next() == Some('\'')
                && letters.next().is_some_and(|one| one == '\\' || letters.next() == Some('\''));
            is_character.then(|| prefix + until(body, 1, "'", true))
        }
        _ if prefix > 0 && !matches!(letters, "L" | "u" | "U" | "u8") => None,
        Language::TypeScript if prefix == 0 && body.starts_with('`') => Some(template(body)),
        _ => match body.chars().next()? {
            quote @ ('"' | '\'') => Some(prefix + until(body, 1, &quote.to_string(), true)),
            _ => None,
        },
    }
}

fn until(body: &str, from: usize, close: &str, escapes: bool) -> usize {
    let mut at = from;
    while let Some(rest) = body.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(close) {
            return at + close.len();
        }
        let mut letters = rest.chars();
        at += letters.next().map_or(1, char::len_utf8);
        if escapes && rest.starts_with('\\') {
            at += letters.next().map_or(0, char::len_utf8);
        }
    }
    body.len()
}

fn template(body: &str) -> usize {
    let mut at = 1;
    let mut open = 0_usize;
    while let Some(letter) = body.get(at..).and_then(|rest| rest.chars().next()) {
        match letter {
            '\\' => at += 1,
            '`' if open == 0 => return at + 1,
            '{' if open > 0 || body.get(..at).is_some_and(|text| text.ends_with('$')) => open += 1,
            '}' => open = open.saturating_sub(1),
            _ => {}
        }
        at += letter.len_utf8();
    }
    body.len()
}

fn regex_may_begin(text: &str, last: Option<&Token>) -> bool {
    let Some(last) = last else { return true };
    let word = text.get(last.at.clone()).unwrap_or("");
    match last.kind {
        Kind::Mark => !matches!(word, ")" | "]" | "}" | "++" | "--"),
        Kind::Word => matches!(word, "return" | "typeof" | "case" | "in" | "of"),
        Kind::Comment => true,
        _ => false,
    }
}

fn regex(rest: &str) -> Option<usize> {
    let line = rest.lines().next()?;
    let mut class = false;
    let mut escaped = false;
    for (at, letter) in line.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => class = true,
            ']' => class = false,
            '/' if !class => {
                let flags = line.get(at + 1..)?;
                let end = flags.find(|letter: char| !letter.is_ascii_alphabetic());
                return Some(at + 1 + end.unwrap_or(flags.len()));
            }
            _ => {}
        }
    }
    None
}

fn number(rest: &str) -> usize {
    let mut end = 0;
    for (at, letter) in rest.char_indices() {
        let next = rest.get(at + 1..).unwrap_or("");
        let dot = letter == '.' && next.starts_with(|after: char| after.is_ascii_digit());
        if !letter.is_alphanumeric() && letter != '_' && !dot {
            break;
        }
        end = at + letter.len_utf8();
    }
    end
}

#[rustfmt::skip]
const MARKS: &[&str] = &[
    "...", "..=", "<<=", ">>=", "===", "!==", "**=", "//=", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "::",
    "..", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "++", "--", "?.", "??", ":=", "<<", "**", "//",
];

fn mark(rest: &str) -> usize {
    MARKS.iter().find(|mark| rest.starts_with(**mark)).map_or(1, |mark| mark.len())
}

fn brackets(text: &str, tokens: &[Token]) -> (Vec<Option<usize>>, Vec<usize>) {
    let mut closing = vec![None; tokens.len()];
    let mut depth = Vec::with_capacity(tokens.len());
    let mut open: Vec<usize> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let word = if token.kind == Kind::Mark { text.get(token.at.clone()) } else { None };
        if matches!(word, Some(")" | "]" | "}"))
            && let Some(slot) = open.pop().and_then(|opened| closing.get_mut(opened))
        {
            *slot = Some(index);
        }
        depth.push(open.len());
        if matches!(word, Some("(" | "[" | "{")) {
            open.push(index);
        }
    }
    (closing, depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(language: Language, text: &str) -> Vec<String> {
        let source = Source::read(language, "x", text);
        (0..source.tokens.len()).map(|index| source.word(index).to_owned()).collect()
    }

    #[test]
    fn each_language_is_read_as_its_own() {
        let rust =
            words(Language::Rust, "fn a<'b>(c: &'b str) { r#\"x\"y\"#; '\\n'; 0..n // z\n }");
        let expected = "fn a < 'b > ( c : & 'b str ) { r#\"x\"y\"# ; '\\n' ; 0 .. n }";
        assert_eq!(rust.join(" "), expected);
        let python = words(Language::Python, "a = f'x' # b\n\"\"\"q'\n\"\"\"\nreturn a // 2");
        assert_eq!(python.join(" "), "a = f'x' \"\"\"q'\n\"\"\" return a // 2");
        let script = words(Language::TypeScript, "x = /a[/]b/g.test(`p${q({})}`) / 2;");
        assert_eq!(script.join(" "), "x = /a[/]b/g . test ( `p${q({})}` ) / 2 ;");
        let c = words(Language::C, "#define A \\\n  1\nint a = L'x'; /* y */ a->b++;");
        assert_eq!(c.join(" "), "#define A \\\n  1 int a = L'x' ; a -> b ++ ;");
    }

    #[test]
    fn brackets_find_each_other() {
        let source = Source::read(Language::C, "x", "f(a[1], {b})");
        assert_eq!(source.closing.get(1), Some(&Some(10)));
        assert_eq!(source.closing.get(3), Some(&Some(5)));
        assert_eq!(source.depth.get(4), Some(&2));
    }
}
