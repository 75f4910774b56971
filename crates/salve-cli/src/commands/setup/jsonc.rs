//! Sets one value in a JSON file that may have comments, and touches no other byte.
//!
//! In: the text, the path of keys and a plain value. Out: the text with that value there, missing
//! objects made on the way, in the file's own indentation. What is not JSON with comments is left to
//! a person. Never writes the file anew.

use super::agents::{Edited, Setting};
use super::yaml_keys::splice;
use serde_json::{Value, json};

const DEEPEST: usize = 64;

/// Sets or removes the setting.
pub(super) fn edit(text: &str, setting: &Setting, remove: bool) -> Edited {
    let (path, value) = (setting.path.as_slice(), setting.value.as_str());
    if text.trim().is_empty() {
        return if remove {
            Edited::Same
        } else {
            Edited::Text(format!("{}\n", pretty(&nested(path, value), "")))
        };
    }
    let Some(root) = Reader::read(text) else {
        return Edited::Unsure("it is not valid JSON, with or without comments".to_owned());
    };
    let after = if remove { take(text, &root, path, value) } else { put(text, &root, path, value) };
    match after {
        Err(why) => Edited::Unsure(why),
        Ok(None) => Edited::Same,
        Ok(Some(after)) => {
            let read = Reader::read(&after);
            let now = read.as_ref().and_then(|root| root.find(path)).and_then(Node::text);
            // What was written must read as what was meant.
            if now == (!remove).then_some(value) && read.is_some() {
                Edited::Text(after)
            } else {
                Edited::Unsure("the place of the setting is not certain".to_owned())
            }
        }
    }
}

fn put(text: &str, root: &Node, path: &[&str], value: &str) -> Result<Option<String>, String> {
    let mut node = root;
    for (depth, key) in path.iter().enumerate() {
        let Kind::Object(members) = &node.kind else {
            return Err(format!("`{}` is not an object", path[..depth].join(".")));
        };
        let mut named = members.iter().filter(|member| member.key == *key);
        let Some(member) = named.next() else {
            return Ok(Some(insert(text, node, key, &nested(&path[depth + 1..], value))));
        };
        if named.next().is_some() {
            return Err(format!("`{key}` is there more than once"));
        }
        node = &member.value;
    }
    match &node.kind {
        Kind::Object(_) => Err(format!("`{}` is an object", path.join("."))),
        Kind::Text(now) if now == value => Ok(None),
        _ => Ok(Some(splice(text, node.start, node.end, &json!(value).to_string()))),
    }
}

fn take(text: &str, root: &Node, path: &[&str], value: &str) -> Result<Option<String>, String> {
    let Some(node) = root.find(path) else { return Ok(None) };
    if node.text() != Some(value) {
        return Err(format!("`{}` is not the gateway", path.join(".")));
    }
    // Objects that hold nothing else go too.
    let mut depth = path.len() - 1;
    while depth > 0 && root.find(&path[..depth]).is_some_and(|parent| parent.members().len() == 1) {
        depth -= 1;
    }
    let Some(parent) = root.find(&path[..depth]) else { return Ok(None) };
    let members = parent.members();
    let Some(index) = members.iter().position(|member| member.key == path[depth]) else {
        return Ok(None);
    };
    let member = &members[index];
    let (mut start, mut end) = (member.start, member.value.end);
    let rest = text.get(end..parent.end).unwrap_or_default();
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    if rest.trim_start_matches([' ', '\t']).starts_with(',') {
        end += blank + 1;
    } else if let Some(previous) = index.checked_sub(1).and_then(|index| members.get(index)) {
        // The last one takes the comma before it along; a comment between stays.
        let between = text.get(previous.value.end..start).unwrap_or_default();
        if between.trim() != "," {
            return Err("a comment stands before the setting".to_owned());
        }
        start = previous.value.end;
        return Ok(Some(splice(text, start, end, "")));
    }
    let line_start = text.get(..start).and_then(|before| before.rfind('\n')).unwrap_or(0);
    let alone = text.get(line_start..start).is_some_and(|before| before.trim().is_empty())
        && text.get(end..).is_some_and(|after| after.starts_with(['\n', '\r']));
    if alone {
        start = line_start;
        if text.get(..start).is_some_and(|before| before.ends_with('\r')) {
            start -= 1;
        }
    }
    Ok(Some(splice(text, start, end, "")))
}

// A member more at the end of an object, as the others are written.
fn insert(text: &str, object: &Node, key: &str, value: &Value) -> String {
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let close = object.end - 1;
    let inside = text.get(object.start + 1..close).unwrap_or_default();
    let content_end = object.start + 1 + inside.trim_end().len();
    let outer = indentation(text, object.start);
    let (members, lines) = (object.members(), inside.contains('\n'));
    let inner = match members.first() {
        Some(member) if lines => indentation(text, member.start),
        _ => format!("{outer}{}", unit(text)),
    };
    let written = format!("{}: {}", json!(key), pretty(value, &inner)).replace('\n', ending);
    let Some(last) = members.last() else {
        // A comment in an empty object stays where it is.
        let kept = text.get(object.start + 1..content_end).unwrap_or_default();
        return splice(
            text,
            object.start + 1,
            close,
            &format!("{kept}{ending}{inner}{written}{ending}{outer}"),
        );
    };
    let tail = text.get(last.value.end..close).unwrap_or_default();
    let has_comma = without_comments(tail).contains(',');
    if !lines {
        let comma = if has_comma { " " } else { ", " };
        return splice(text, content_end, content_end, &format!("{comma}{written}"));
    }
    let comma = if has_comma { "," } else { "" };
    let longer =
        splice(text, content_end, content_end, &format!("{ending}{inner}{written}{comma}"));
    if has_comma { longer } else { splice(&longer, last.value.end, last.value.end, ",") }
}

fn nested(path: &[&str], value: &str) -> Value {
    path.iter().rev().fold(json!(value), |inner, key| json!({ *key: inner }))
}

// Pretty JSON whose lines after the first begin with the indentation.
fn pretty(value: &Value, indentation: &str) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.replace('\n', &format!("\n{indentation}"))
}

fn indentation(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or_default();
    let line = before.get(before.rfind('\n').map_or(0, |place| place + 1)..).unwrap_or_default();
    line.chars().take_while(|character| matches!(character, ' ' | '\t')).collect()
}

// How far the file indents: as its first indented line does.
fn unit(text: &str) -> &str {
    let line = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    line.map_or("  ", |line| &line[..line.len() - line.trim_start().len()])
}

fn without_comments(text: &str) -> String {
    let mut reader = Reader { text, at: 0 };
    let mut plain = String::new();
    while reader.at < text.len() {
        reader.skip_comment();
        if let Some(character) = text.get(reader.at..).and_then(|rest| rest.chars().next()) {
            plain.push(character);
            reader.at += character.len_utf8();
        }
    }
    plain
}

#[derive(Debug)]
struct Node {
    start: usize,
    end: usize,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Object(Vec<Member>),
    Text(String),
    Other,
}

#[derive(Debug)]
struct Member {
    start: usize,
    key: String,
    value: Node,
}

impl Node {
    fn members(&self) -> &[Member] {
        if let Kind::Object(members) = &self.kind { members } else { &[] }
    }

    fn text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind { Some(text) } else { None }
    }

    fn find(&self, path: &[&str]) -> Option<&Self> {
        let Some((key, rest)) = path.split_first() else { return Some(self) };
        self.members().iter().find(|member| member.key == *key)?.value.find(rest)
    }
}

/// Reads JSON with comments and commas before closing brackets, and keeps places.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn read(text: &'t str) -> Option<Node> {
        let start = text.len() - text.trim_start_matches('\u{feff}').len();
        let mut reader = Self { text, at: start };
        let node = reader.value(0)?;
        reader.skip();
        (reader.at == text.len()).then_some(node)
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        self.skip();
        let start = self.at;
        let kind = match self.peek()? {
            b'{' if depth < DEEPEST => Kind::Object(self.object(depth)?),
            b'[' if depth < DEEPEST => {
                self.items(b']', |reader| reader.value(depth + 1).map(drop))?;
                Kind::Other
            }
            b'"' => Kind::Text(self.string()?),
            _ => {
                let rest = self.text.get(self.at..)?;
                let length = rest.find(|character: char| {
                    !(character.is_ascii_alphanumeric() || "+-.".contains(character))
                });
                let word = rest.get(..length.unwrap_or(rest.len()))?;
                serde_json::from_str::<Value>(word).ok()?;
                self.at += word.len();
                Kind::Other
            }
        };
        Some(Node { start, end: self.at, kind })
    }

    fn object(&mut self, depth: usize) -> Option<Vec<Member>> {
        let mut members = Vec::new();
        self.items(b'}', |reader| {
            let start = reader.at;
            let key = reader.string()?;
            reader.skip();
            reader.take(b':')?;
            members.push(Member { start, key, value: reader.value(depth + 1)? });
            Some(())
        })?;
        Some(members)
    }

    // What stands between brackets, with commas between, and one after the last allowed.
    fn items(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        loop {
            self.skip();
            if self.peek()? == close {
                self.at += 1;
                return Some(());
            }
            item(self)?;
            self.skip();
            if self.peek()? != close {
                self.take(b',')?;
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let start = self.at;
        self.take(b'"')?;
        loop {
            match self.peek()? {
                b'\\' => self.at += 2,
                b'"' => {
                    self.at += 1;
                    return serde_json::from_str(self.text.get(start..self.at)?).ok();
                }
                _ => self.at += 1,
            }
        }
    }

    fn skip(&mut self) {
        loop {
            let before = self.at;
            while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
                self.at += 1;
            }
            self.skip_comment();
            if self.at == before {
                return;
            }
        }
    }

    fn skip_comment(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.starts_with("//") {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            // One that never ends is no comment, and what follows is no JSON.
            self.at += rest.find("*/").map_or(0, |end| end + 2);
        }
    }

    fn take(&mut self, wanted: u8) -> Option<()> {
        (self.peek()? == wanted).then(|| self.at += 1)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(text: &str, remove: bool) -> Edited {
        edit(text, &Setting { path: vec!["env", "URL"], value: "http://g".to_owned() }, remove)
    }

    #[test]
    fn one_place_changes_and_comments_stay() {
        let cases = [
            ("", "{\n  \"env\": {\n    \"URL\": \"http://g\"\n  }\n}\n"),
            ("{}", "{\n  \"env\": {\n    \"URL\": \"http://g\"\n  }\n}"),
            ("{\"a\": 1}\n", "{\"a\": 1, \"env\": {\n    \"URL\": \"http://g\"\n  }}\n"),
            (
                "{\n\t\"a\": 1 // one\n}\n",
                "{\n\t\"a\": 1, // one\n\t\"env\": {\n\t  \"URL\": \"http://g\"\n\t}\n}\n",
            ),
            (
                "{\n  \"env\": {\n    \"X\": \"y\", // c\n  },\n}\n",
                "{\n  \"env\": {\n    \"X\": \"y\", // c\n    \"URL\": \"http://g\",\n  },\n}\n",
            ),
            (
                "{\"env\": {\"URL\": \"http://o\" /* o */}}",
                "{\"env\": {\"URL\": \"http://g\" /* o */}}",
            ),
            (
                "{\r\n  \"env\": {}\r\n}\r\n",
                "{\r\n  \"env\": {\r\n    \"URL\": \"http://g\"\r\n  }\r\n}\r\n",
            ),
        ];
        for (before, after) in cases {
            assert_eq!(to(before, false), Edited::Text(after.to_owned()), "{before:?}");
            assert_eq!(to(after, false), Edited::Same, "{after:?}");
        }
    }

    #[test]
    fn it_goes_again_with_what_it_left_empty() {
        let cases = [
            (
                "{\n  \"a\": 1,\n  \"env\": {\n    \"URL\": \"http://g\"\n  }\n}\n",
                "{\n  \"a\": 1\n}\n",
            ),
            (
                "{\n  \"env\": {\n    \"URL\": \"http://g\",\n    \"X\": 1\n  }\n}\n",
                "{\n  \"env\": {\n    \"X\": 1\n  }\n}\n",
            ),
            ("{\"env\": {\"URL\": \"http://g\"}, \"b\": 2}", "{ \"b\": 2}"),
        ];
        for (before, after) in cases {
            assert_eq!(to(before, true), Edited::Text(after.to_owned()), "{before:?}");
        }
        for text in ["{}", "{\"env\": {}}", "{\"a\": 1}"] {
            assert_eq!(to(text, true), Edited::Same);
        }
    }

    #[test]
    fn what_is_not_certain_is_left() {
        let deep = "[".repeat(100_000);
        for text in [
            "[]",
            "{",
            "{\"env\": 3}",
            "{\"env\": {\"URL\": {}}}",
            "{\"env\": {}, \"env\": {}}",
            "{'env': {}}",
            "{} x",
            "{ /* }",
            &deep,
        ] {
            assert!(matches!(to(text, false), Edited::Unsure(_)), "{text:.20}");
        }
        assert!(matches!(to("{\"env\": {\"URL\": \"http://other\"}}", true), Edited::Unsure(_)));
    }
}
