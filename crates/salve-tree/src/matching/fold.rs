//! Takes off what transport and habit put on a text: typography, entities, escapes, line numbers.
//!
//! In: lines of a file or sides of a hunk. Out: a line reduced to what is compared, or a hunk whose
//! both sides were read as they were meant. Never: a change of a file's text.

use super::pattern::Sides;
use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfkc_quick};

/// Reduces a line to what the folded level compares: ASCII typography, NFKC, single spaces.
pub(crate) fn folded(line: &str) -> Cow<'_, str> {
    let line = line.trim();
    let plain = line.is_ascii() && !line.contains("  ") && !line.contains(['\t', '\x0c']);
    if plain {
        return Cow::from(line);
    }
    let ascii = ascii_typography(line);
    let normal: Cow<'_, str> = match is_nfkc_quick(ascii.chars()) {
        IsNormalized::Yes => ascii,
        _ => Cow::from(ascii.nfkc().collect::<String>()),
    };
    Cow::from(normal.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The readings of a hunk that its transport may have changed, the likeliest first. Each differs
/// from the hunk as written.
pub(crate) fn readings<'h>(sides: &Sides<'h>) -> Vec<Sides<'h>> {
    let mut readings: Vec<Sides<'h>> = Vec::new();
    let numbered = without_line_numbers(sides);
    let base = numbered.as_ref().unwrap_or(sides).clone();
    readings.extend(numbered);
    let steps: [fn(&str) -> Cow<'_, str>; 3] = [ascii_typography, decode_entities, unescape];
    for step in steps {
        if let Some(reading) = read_with(&base, step) {
            readings.push(reading);
        }
    }
    readings
}

// A step counts when the old side shows that the hunk needs it; the new side follows.
fn read_with<'h>(sides: &Sides<'h>, step: fn(&str) -> Cow<'_, str>) -> Option<Sides<'h>> {
    let needed = sides.old.iter().any(|line| matches!(step(line), Cow::Owned(_)));
    needed.then(|| {
        let read = |lines: &[Cow<'h, str>]| -> Vec<Cow<'h, str>> {
            lines
                .iter()
                .flat_map(|line| {
                    let read = step(line);
                    read.split('\n').map(|piece| Cow::from(piece.to_owned())).collect::<Vec<_>>()
                })
                .collect()
        };
        Sides { old: read(&sides.old), new: read(&sides.new) }
    })
}

/// Takes `12 | ` and its kin off every line of a side, when all of its lines count up by one.
pub(crate) fn without_line_numbers<'h>(sides: &Sides<'h>) -> Option<Sides<'h>> {
    let old = strip_numbers(&sides.old)?;
    let new = strip_numbers(&sides.new).unwrap_or_else(|| sides.new.clone());
    Some(Sides { old, new })
}

fn strip_numbers<'h>(lines: &[Cow<'h, str>]) -> Option<Vec<Cow<'h, str>>> {
    let mut expected = None;
    let mut stripped = Vec::with_capacity(lines.len());
    for line in lines {
        let (number, rest) = leading_number(line)?;
        if expected.is_some_and(|expected| expected != number) {
            return None;
        }
        expected = number.checked_add(1);
        stripped.push(Cow::from(rest.to_owned()));
    }
    expected.map(|_| stripped)
}

// `  12 | text`, `12: text`, `12\ttext`, `12→text`.
fn leading_number(line: &str) -> Option<(u64, &str)> {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let number = line[..digits].parse().ok()?;
    let rest = &line[digits..];
    let bar = rest.trim_start_matches(' ').strip_prefix('|');
    let rest = bar.or_else(|| rest.strip_prefix(['\t', '→', ':'])).map(|rest| {
        if bar.is_some() || !line.contains('\t') {
            rest.strip_prefix(' ').unwrap_or(rest)
        } else {
            rest
        }
    })?;
    Some((number, rest))
}

/// Writes quotes, dashes, spaces and ellipses in ASCII.
pub(crate) fn ascii_typography(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(|character| ascii_of(character).is_some()) {
        return Cow::from(text);
    }
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match ascii_of(character) {
            Some(ascii) => out.push_str(ascii),
            None => out.push(character),
        }
    }
    Cow::from(out)
}

fn ascii_of(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}' | '\u{2032}' | '\u{00B4}' => "'",
        '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{201F}' | '\u{2033}' | '\u{00AB}'
        | '\u{00BB}' => "\"",
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-",
        '\u{00A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => " ",
        '\u{2026}' => "...",
        '\u{200B}' | '\u{FEFF}' => "",
        _ => return None,
    })
}

fn decode_entities(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::from(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut changed = false;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity));
        let (length, character) = known.map_or((1, "&"), |(entity, text)| (entity.len(), *text));
        changed |= known.is_some();
        out.push_str(character);
        rest = &rest[length..];
    }
    out.push_str(rest);
    if changed { Cow::from(out) } else { Cow::from(text) }
}

const ENTITIES: &[(&str, &str)] = &[
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#34;", "\""),
    ("&apos;", "'"),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&nbsp;", " "),
    ("&amp;", "&"),
];

fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::from(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut changed = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let meant = (character == '\\').then(|| characters.peek().copied().and_then(escape_of));
        match meant.flatten() {
            Some(meant) => {
                characters.next();
                changed = true;
                out.push(meant);
            }
            None => out.push(character),
        }
    }
    if changed { Cow::from(out) } else { Cow::from(text) }
}

fn escape_of(character: char) -> Option<char> {
    Some(match character {
        'n' => '\n',
        't' => '\t',
        '"' | '\'' | '\\' | '`' | '/' => character,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides<'h>(old: &'h str, new: &'h str) -> Sides<'h> {
        let lines = |text: &'h str| text.split('\n').map(Cow::from).collect();
        Sides { old: lines(old), new: lines(new) }
    }

    #[test]
    fn folding_is_typography_forms_and_space() {
        for (line, expected) in [
            ("  a  b\tc ", "a b c"),
            ("print(“hi” – ‘x’)", "print(\"hi\" - 'x')"),
            ("a\u{00A0}b\u{200B}", "a b"),
            ("ﬁle e\u{0301}", "file \u{00E9}"),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert_eq!(folded(line), expected);
        }
    }

    #[test]
    fn line_numbers_go_only_where_every_line_counts_up() {
        for (old, expected) in [
            ("1 | a\n2 |     b", Some("a\n    b")),
            (" 9 | a\n10 | b", Some("a\nb")),
            ("7: a\n8: b", Some("a\nb")),
            ("7\ta\n8\tb", Some("a\nb")),
            ("12→a", Some("a")),
            ("1 | a\n3 | b", None),
            ("1 | a\nb", None),
            ("1234 + x", None),
            ("99999999999999999999999 | x", None),
        ] {
            let stripped = without_line_numbers(&sides(old, "x"));
            assert_eq!(stripped.map(|sides| sides.old.join("\n")).as_deref(), expected, "{old}");
        }
    }

    #[test]
    fn readings_follow_the_old_side_and_take_the_new_side_along() {
        let cases = [
            (sides("if a &lt; b &amp;&amp; c", "if a &gt; b"), "if a < b && c", "if a > b"),
            (sides(r#"print(\"a\")"#, r#"print(\"b\")"#), r#"print("a")"#, r#"print("b")"#),
            (sides(r"a\nb", r"a\nc"), "a\nb", "a\nc"),
            (sides("say(“a”)", "say(“b”)"), "say(\"a\")", "say(\"b\")"),
            (sides("3 | x = “1”", "3 | x = “2”"), "x = \"1\"", "x = \"2\""),
        ];
        for (sides, old, new) in cases {
            let readings = readings(&sides);
            let last = readings.last().expect("a reading");
            assert_eq!((last.old.join("\n").as_str(), last.new.join("\n").as_str()), (old, new));
        }
        assert!(readings(&sides("a & b \\d", "&lt;")).is_empty());
    }
}
