//! Sets one key at the top of a YAML file, and touches no other byte.
//!
//! In: the text, a key and a plain value. Out: the text with that key's value on one line. Whatever is
//! not a mapping in block style, one key per line at the margin, is left to a person. Never parses
//! what is indented: it belongs to some other key.

use super::agents::{Edited, Setting};

/// Sets or removes the setting.
pub(super) fn edit(text: &str, setting: &Setting, remove: bool) -> Edited {
    let [key] = setting.path.as_slice() else {
        return Edited::Unsure("the setting is not at the top".to_owned());
    };
    if let Err(why) = is_block_mapping(text) {
        return Edited::Unsure(why);
    }
    let found: Vec<Line<'_>> = lines(text).filter(|line| line.key() == Some(key)).collect();
    match found.as_slice() {
        [] if remove => Edited::Same,
        [] => append(text, key, &setting.value),
        [line] => change(text, line, setting, remove),
        _ => Edited::Unsure(format!("`{key}` is there more than once")),
    }
}

/// One line with its place; the line break is no part of it.
pub(super) struct Line<'t> {
    pub(super) start: usize,
    pub(super) text: &'t str,
    /// Just past the line break.
    pub(super) next: usize,
}

/// Splits a text into lines with their places.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |whole| {
        let line =
            Line { start, text: whole.trim_end_matches(['\n', '\r']), next: start + whole.len() };
        start = line.next;
        line
    })
}

impl<'t> Line<'t> {
    // The key at the margin.
    fn key(&self) -> Option<&'t str> {
        let (key, rest) = self.text.split_once(':')?;
        let ends = rest.is_empty() || rest.starts_with([' ', '\t']);
        let bare = key.trim_end().trim_matches(['"', '\'']);
        (ends && !key.starts_with([' ', '\t', '#', '-'])).then_some(bare)
    }
}

/// The place and text of a value on its line, when it is a plain or quoted one that ends there.
pub(super) fn scalar<'t>(line: &Line<'t>, after_colon: usize) -> Option<(usize, &'t str, &'t str)> {
    let rest = line.text.get(after_colon..)?;
    let value = rest.trim_start();
    let at = after_colon + rest.len() - value.len();
    let quote = value.chars().next().filter(|mark| matches!(mark, '"' | '\''));
    let length = match quote {
        Some(mark) => {
            let inside = value.get(1..)?;
            let end = inside.find(mark)?;
            // Escapes make the text another than what is written.
            if inside.get(..end)?.contains('\\') || inside.get(end + 1..)?.starts_with(mark) {
                return None;
            }
            end + 2
        }
        None if value.starts_with(['|', '>', '&', '*', '!', '{', '[', '%', '@', '`', '#']) => {
            return None;
        }
        None => value.find(" #").unwrap_or(value.len()),
    };
    let written = value.get(..length)?.trim_end();
    let after = value.get(length..)?.trim_start();
    let meant = if quote.is_some() { written.get(1..written.len() - 1)? } else { written };
    (!written.is_empty() && (after.is_empty() || after.starts_with('#'))).then_some((
        line.start + at,
        written,
        meant,
    ))
}

fn change(text: &str, line: &Line<'_>, setting: &Setting, remove: bool) -> Edited {
    let key = setting.path.first().copied().unwrap_or_default();
    let after_colon = line.text.find(':').map_or(line.text.len(), |colon| colon + 1);
    let goes_on = text.get(line.next..).is_some_and(|rest| rest.starts_with([' ', '\t']));
    let Some((at, written, meant)) = scalar(line, after_colon).filter(|_| !goes_on) else {
        return Edited::Unsure(format!("the value of `{key}` is not a text on one line"));
    };
    match (meant == setting.value, remove) {
        (true, false) => Edited::Same,
        (true, true) => Edited::Text(splice(text, line.start, line.next, "")),
        (false, true) => Edited::Unsure(format!("`{key}` is {meant}, which is not the gateway")),
        (false, false) => Edited::Text(splice(text, at, at + written.len(), &setting.value)),
    }
}

fn append(text: &str, key: &str, value: &str) -> Edited {
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let joint = if text.is_empty() || text.ends_with('\n') { "" } else { ending };
    Edited::Text(format!("{text}{joint}{key}: {value}{ending}"))
}

/// Puts a text in the place of another.
pub(super) fn splice(text: &str, start: usize, end: usize, with: &str) -> String {
    let (before, after) =
        (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    format!("{before}{with}{after}")
}

/// Says why the text is not one mapping in block style, if it is not.
pub(super) fn is_block_mapping(text: &str) -> Result<(), String> {
    let mut documents = 0;
    let mut seen = false;
    for line in lines(text) {
        let line = line.text;
        if line == "---" || line.starts_with("--- ") {
            documents += 1;
            if documents > 1 || seen || line.len() > 3 {
                return Err("it holds more than one document".to_owned());
            }
            continue;
        }
        if line.starts_with("...") || line.starts_with('%') {
            return Err("it has directives or an end mark".to_owned());
        }
        if line.trim().is_empty() || line.starts_with(['#', ' ', '\t']) {
            continue;
        }
        seen = true;
        let is_key = line
            .split_once(':')
            .is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with([' ', '\t']));
        // A list may be at the margin under its key.
        let is_item = line == "-" || line.starts_with("- ");
        if line.starts_with(['{', '[', '?', '&', '*', '!', '|', '>']) || !(is_key || is_item) {
            return Err("it is not written one key per line".to_owned());
        }
    }
    let first = lines(text)
        .map(|line| line.text)
        .find(|line| !line.trim().is_empty() && !line.starts_with('#') && *line != "---");
    match first {
        Some(line) if line.starts_with([' ', '\t']) || line == "-" || line.starts_with("- ") => {
            Err("it is not a mapping at the margin".to_owned())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(text: &str, remove: bool) -> Edited {
        edit(
            text,
            &Setting { path: vec!["openai-api-base"], value: "http://g/v1".to_owned() },
            remove,
        )
    }

    #[test]
    fn one_line_changes_and_comments_stay() {
        let cases = [
            ("", "openai-api-base: http://g/v1\n"),
            ("# mine\nmodel: x", "# mine\nmodel: x\nopenai-api-base: http://g/v1\n"),
            ("a: 1\r\n", "a: 1\r\nopenai-api-base: http://g/v1\r\n"),
            (
                "openai-api-base: http://o # why\nb: |\n  c: d\n",
                "openai-api-base: http://g/v1 # why\nb: |\n  c: d\n",
            ),
            ("openai-api-base:   'http://o'\n", "openai-api-base:   http://g/v1\n"),
            ("read:\n- a\n- b\n", "read:\n- a\n- b\nopenai-api-base: http://g/v1\n"),
            (
                "---\nx: |\n  openai-api-base: no\n",
                "---\nx: |\n  openai-api-base: no\nopenai-api-base: http://g/v1\n",
            ),
        ];
        for (before, after) in cases {
            assert_eq!(to(before, false), Edited::Text(after.to_owned()), "{before:?}");
            assert_eq!(to(after, false), Edited::Same, "{after:?}");
        }
        assert_eq!(
            to("a: 1\nopenai-api-base: http://g/v1 # x\nb: 2\n", true),
            Edited::Text("a: 1\nb: 2\n".to_owned())
        );
        assert_eq!(to("a: 1\n", true), Edited::Same);
    }

    #[test]
    fn what_is_not_certain_is_left() {
        for text in [
            "{a: 1}\n",
            "- a\n",
            "a: 1\n---\nb: 2\n",
            "openai-api-base: |\n  x\n",
            "openai-api-base: [x]\n",
            "openai-api-base: a\nopenai-api-base: b\n",
            "openai-api-base: \"a\\n\"\n",
            "openai-api-base: a\n  b\n",
            "%YAML 1.2\n---\na: 1\n",
            "just words\n",
            "  a: 1\n",
            "openai-api-base:\n",
            "? a\n: b\n",
        ] {
            assert!(matches!(to(text, false), Edited::Unsure(_)), "{text:?}");
        }
        assert!(matches!(to("openai-api-base: http://other\n", true), Edited::Unsure(_)));
    }
}
