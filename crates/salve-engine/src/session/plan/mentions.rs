//! What a person's words mention: paths, names, patterns, addresses, things.
//!
//! In: a text. Out: its mentions in reading order, as they were written, without the punctuation around them
//! and without the line numbers after them. Knows nothing of a workspace; never more than [`MOST`].

mod words;

use words::{is_filler, noun};
pub(super) use words::{is_product, plain_words};

/// How many mentions a text has at most.
const MOST: usize = 200;
/// How much of a text is read.
const MOST_BYTES: usize = 64 << 10;
/// The longest mention.
const LONGEST: usize = 300;

/// How a mention was marked as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Mark {
    /// Not at all.
    Bare,
    /// By quotes or backticks.
    Quoted,
    /// By `@`.
    At,
    /// It is in a block of code: a path there counts only if it exists.
    Code,
}

/// One mention.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Mention {
    Url(String),
    Glob(String),
    /// What may be a path or the name of a file.
    Path {
        text: String,
        mark: Mark,
    },
    /// What may be a symbol, or a file without an ending.
    Name(String),
    /// "the email module"; whether it is looked for even if nothing is called so.
    Thing {
        name: String,
        must: bool,
    },
    /// "the handlers folder".
    Folder(String),
}

/// Lists the mentions of a text.
pub(super) fn mentions(text: &str) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    let mut is_code = false;
    for line in beginning(text).lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
            continue;
        }
        let tokens = tokens(line, is_code);
        for (at, token) in tokens.iter().enumerate() {
            let phrase = phrase(&tokens, at).filter(|_| !is_code);
            for mention in phrase.into_iter().chain(single(token)) {
                if found.len() < MOST && !found.contains(&mention) {
                    found.push(mention);
                }
            }
        }
    }
    found
}

/// Lists what a text names as paths of files, outside its blocks of code.
pub fn mentioned_paths(text: &str) -> Vec<String> {
    let path = |mention| match mention {
        Mention::Path { text, mark } if mark != Mark::Code => Some(text),
        _ => None,
    };
    mentions(text).into_iter().filter_map(path).collect()
}

/// Lists the words of a text by which a map is ranked: names of files, symbols, then plain words.
pub fn mentioned_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut add = |word: &str| {
        if word.len() > 1 && words.len() < MOST && !words.iter().any(|other| other == word) {
            words.push(word.to_owned());
        }
    };
    for mention in mentions(text) {
        match mention {
            Mention::Path { text, .. } => {
                let file = text.trim_end_matches('/').rsplit('/').next().unwrap_or(&text);
                add(file);
                add(file.split('.').next().unwrap_or(file));
            }
            // At the beginning of a sentence any word has a capital.
            Mention::Name(name) if words::is_common(&name) => {}
            Mention::Name(name) => {
                add(name.trim_end_matches("()").rsplit([':', '.', '#']).next().unwrap_or(&name));
            }
            Mention::Thing { name, .. } | Mention::Folder(name) => add(&name),
            Mention::Url(_) | Mention::Glob(_) => {}
        }
    }
    plain_words(text).iter().for_each(|word| add(word));
    words
}

struct Token {
    text: String,
    mark: Mark,
}

fn beginning(text: &str) -> &str {
    let mut end = text.len().min(MOST_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

// Quoted pieces are one token each where they look like one name; everything else is cut at spaces.
fn tokens(line: &str, is_code: bool) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut rest = line;
    let mut before = ' ';
    let bare = if is_code { Mark::Code } else { Mark::Bare };
    let mut word = String::new();
    let end_word = |word: &mut String, found: &mut Vec<Token>| {
        if !word.is_empty() {
            found.push(Token { text: std::mem::take(word), mark: bare });
        }
    };
    while let Some(letter) = rest.chars().next() {
        let after = &rest[letter.len_utf8()..];
        let opens = before.is_whitespace() || matches!(before, '(' | '[' | '@' | ',' | ':' | '=');
        if let Some(inside) = closer(letter).filter(|_| opens).and_then(|end| quoted(after, end)) {
            let mark = match (is_code, before) {
                (true, _) => Mark::Code,
                (_, '@') => Mark::At,
                _ => Mark::Quoted,
            };
            if before == '@' {
                word.pop();
            }
            end_word(&mut word, &mut found);
            found.push(Token { text: inside.to_owned(), mark });
            rest = &after[inside.len()..];
            rest = rest.chars().next().map_or("", |end| &rest[end.len_utf8()..]);
            before = ' ';
            continue;
        }
        if letter.is_whitespace() {
            end_word(&mut word, &mut found);
        } else if word.len() < LONGEST {
            word.push(letter);
        }
        (before, rest) = (letter, after);
    }
    end_word(&mut word, &mut found);
    found
}

const fn closer(letter: char) -> Option<char> {
    match letter {
        '`' => Some('`'),
        '"' => Some('"'),
        '\'' => Some('\''),
        '\u{201c}' => Some('\u{201d}'),
        '\u{2018}' => Some('\u{2019}'),
        _ => None,
    }
}

// What is between quotes, if it reads as one name.
fn quoted(after: &str, end: char) -> Option<&str> {
    let length = after.find(end).filter(|&length| (1..=LONGEST).contains(&length))?;
    let inside = &after[..length];
    let is_path = || {
        inside.contains('/')
            || inside
                .rsplit_once('.')
                .is_some_and(|(_, end)| !end.is_empty() && end.len() < 8 && !end.contains(' '))
    };
    let follows = after[length + end.len_utf8()..].chars().next();
    let ends = follows.is_none_or(|letter| !letter.is_alphanumeric());
    (ends && (!inside.contains(char::is_whitespace) || is_path())).then_some(inside)
}

// Without the punctuation around it, and without what only says where in a file.
fn trimmed(token: &Token) -> &str {
    let mut text = token.text.as_str();
    if matches!(token.mark, Mark::Bare | Mark::Code) {
        text = text.trim_start_matches(['"', '\'', '<', '{', ',', ';']);
        for (open, close) in [('(', ')'), ('[', ']')] {
            // `[slug]/page.tsx` keeps its bracket, `[see` does not.
            let inner = |rest: &str| rest.find(close).is_some_and(|at| at + 1 < rest.len());
            if let Some(rest) = text.strip_prefix(open).filter(|rest| !inner(rest)) {
                text = rest;
            }
        }
        let call = text.ends_with("()");
        text = text.trim_end_matches(['.', ',', ';', ':', '!', '?', '"', '\'', '>', '}']);
        if !call && !text.ends_with("()") {
            let open = |close: char| if close == ')' { '(' } else { '[' };
            while let Some(last) = text.chars().next_back().filter(|last| ")]".contains(*last)) {
                if text.matches(open(last)).count() >= text.matches(last).count() {
                    break;
                }
                text = text.trim_end_matches(last).trim_end_matches(['.', ',', ';', ':']);
            }
        }
        text = text.strip_suffix("'s").or_else(|| text.strip_suffix("\u{2019}s")).unwrap_or(text);
    }
    without_place(text)
}

// `a.rs:12:5`, `a.rs#L10`, `a.ts(3,4)` name `a.rs` and `a.ts`.
fn without_place(text: &str) -> &str {
    let is_place = |end: &str| {
        !end.is_empty()
            && end.chars().all(|letter| letter.is_ascii_digit() || "-,L".contains(letter))
            && end.contains(|letter: char| letter.is_ascii_digit())
    };
    if text.contains("://") {
        return text;
    }
    if let Some((head, end)) = text.strip_suffix(')').and_then(|text| text.rsplit_once('('))
        && is_place(end)
    {
        return head;
    }
    let mut text = text;
    for mark in [':', ':', '#'] {
        match text.rsplit_once(mark) {
            Some((head, end)) if is_place(end) && !head.is_empty() => text = head,
            _ => {}
        }
    }
    text
}

fn single(token: &Token) -> Option<Mention> {
    let raw = token.text.trim_matches([',', ';', '"', '\'', '(', ')']);
    let is_glob = raw.contains('*')
        && (raw.contains('/') || raw.contains("*."))
        && !raw.contains("://")
        && token.mark != Mark::Code;
    if is_glob {
        return Some(Mention::Glob(raw.trim_end_matches('.').to_owned()));
    }
    let mut text = trimmed(token).trim_matches('*');
    let mut mark = token.mark;
    if let Some(rest) = text.strip_prefix('@') {
        (text, mark) = (rest, Mark::At);
    }
    if let Some(at) = text.find("://") {
        let scheme = text.get(..at).unwrap_or_default();
        let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
        return (is_scheme && mark != Mark::Code).then(|| Mention::Url(text.to_owned()));
    }
    if text.contains('@') || text.is_empty() || text.len() > LONGEST {
        return None;
    }
    let slashed = if text.contains('\\') && !text.contains('/') {
        text.replace('\\', "/")
    } else {
        text.to_owned()
    };
    if is_path_like(&slashed) {
        return Some(Mention::Path { text: slashed, mark });
    }
    if mark == Mark::At {
        return Some(Mention::Path { text: slashed, mark });
    }
    (mark != Mark::Code && is_name(text, mark)).then(|| Mention::Name(text.to_owned()))
}

fn is_path_like(text: &str) -> bool {
    let plain = text.trim_matches('/');
    let name = plain.rsplit('/').next().unwrap_or(plain);
    let dotted = name
        .rsplit_once('.')
        .is_some_and(|(stem, end)| !end.is_empty() && (!stem.is_empty() || name.len() > 2));
    let is_number =
        plain.chars().all(|letter| letter.is_ascii_digit() || ".-/+%v".contains(letter));
    !plain.is_empty() && !is_number && !text.ends_with("()") && (text.contains('/') || dotted)
}

// A name that looks written by a programmer, or was marked as a name.
fn is_name(text: &str, mark: Mark) -> bool {
    let plain = text.trim_end_matches("()");
    let is_word = plain
        .split([':', '.', '#'])
        .filter(|part| !part.is_empty())
        .all(|part| part.chars().all(|letter| letter.is_alphanumeric() || "_$-".contains(letter)));
    let camel = plain
        .chars()
        .zip(plain.chars().skip(1))
        .any(|(one, two)| one.is_lowercase() && two.is_uppercase());
    let starts_upper = plain.starts_with(char::is_uppercase) && plain.len() > 2;
    let coded = plain.len() < text.len() || plain.contains('_') || plain.contains("::");
    is_word && !plain.is_empty() && (mark == Mark::Quoted || coded || camel || starts_upper)
}

// "the email module", "email module", "module email".
fn phrase(tokens: &[Token], at: usize) -> Option<Mention> {
    let word = |at: usize| tokens.get(at).map(|token| trimmed(token).trim_matches('*'));
    let name = word(at).filter(|name| is_plain_name(name) && !is_filler(name))?;
    let kind = noun(&word(at + 1)?.to_lowercase())?;
    let before = at.checked_sub(1).and_then(word).map(str::to_lowercase);
    let has_article = matches!(before.as_deref(), Some("the" | "our" | "my"));
    if kind.is_folder {
        return Some(Mention::Folder(name.to_owned()));
    }
    let must = kind.is_file && has_article && name.len() > 2 && !words::says_nothing(name);
    Some(Mention::Thing { name: name.to_owned(), must })
}

fn is_plain_name(text: &str) -> bool {
    text.len() > 1
        && text.starts_with(char::is_alphabetic)
        && text.chars().all(|letter| letter.is_alphanumeric() || "_-".contains(letter))
}
