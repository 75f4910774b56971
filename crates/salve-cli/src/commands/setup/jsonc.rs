//! Sets one value in a JSON file that may have comments, and touches no other byte.
//!
//! In: the text, the path of keys and a plain value. Out: the text with that value there, missing
//! objects made on the way, in the file's own indentation. What is not JSON with comments is left to
//! a person. Never writes the file anew.

use super::agents::{Edited, Setting};
use super::yaml_keys::splice;
use salve_text::{
    Kind, NodeId, ParseMode, ParseOptions, Parsed, Repair, RepairCode, Tree, parse_json,
};
use serde_json::{Value, json};

const MARK: char = '\u{feff}';

/// Sets or removes the setting.
pub(super) fn edit(text: &str, setting: &Setting, remove: bool) -> Edited {
    let (path, value) = (setting.path.as_slice(), setting.value.as_str());
    // A byte order mark is no part of the document.
    if let Some(text) = text.strip_prefix(MARK) {
        return match edit(text, setting, remove) {
            Edited::Text(after) => Edited::Text(format!("{MARK}{after}")),
            other => other,
        };
    }
    if text.trim().is_empty() {
        return if remove {
            Edited::Same
        } else {
            Edited::Text(format!("{}\n", pretty(&nested(path, value), "")))
        };
    }
    let Some(document) = Document::read(text) else {
        return Edited::Unsure("it is not valid JSON, with or without comments".to_owned());
    };
    let after = if remove { document.take(path, value) } else { document.put(path, value) };
    match after {
        Err(why) => Edited::Unsure(why),
        Ok(None) => Edited::Same,
        Ok(Some(after)) => {
            let read = Document::read(&after);
            let now = read.as_ref().and_then(|document| document.text_at(path));
            // What was written must read as what was meant.
            if now.as_deref() == (!remove).then_some(value) && read.is_some() {
                Edited::Text(after)
            } else {
                Edited::Unsure("the place of the setting is not certain".to_owned())
            }
        }
    }
}

/// JSON with comments and commas before closing brackets, and nothing else that is not strict.
struct Document {
    parsed: Parsed,
    root: NodeId,
}

impl Document {
    fn read(text: &str) -> Option<Self> {
        let options = ParseOptions { mode: ParseMode::Text, max_depth: 64 };
        let parsed = parse_json(text, &options);
        let root = parsed.tree.root()?;
        let end = parsed.tree.span(root).end;
        let is_allowed = |repair: Repair| match repair.code {
            RepairCode::Comment => repair.before.trim_start().starts_with('/'),
            RepairCode::TrailingComma => repair.span.end <= end,
            // What it means is decided where the key is looked for.
            RepairCode::DuplicateKey => true,
            _ => false,
        };
        let mut repairs = parsed.repairs().into_iter();
        if !parsed.complete || !repairs.all(is_allowed) {
            return None;
        }
        Some(Self { parsed, root })
    }

    fn tree(&self) -> &Tree {
        &self.parsed.tree
    }

    fn source(&self) -> &str {
        self.tree().source()
    }

    /// Returns the members of an object that have this key.
    fn named(&self, object: NodeId, key: &str) -> Vec<(NodeId, NodeId)> {
        let tree = self.tree();
        tree.entries(object).filter(|(name, _)| tree.text(*name) == key).collect()
    }

    fn find(&self, path: &[&str]) -> Option<NodeId> {
        path.iter().try_fold(self.root, |node, key| Some(self.named(node, key).first()?.1))
    }

    fn text_at(&self, path: &[&str]) -> Option<String> {
        let node = self.find(path).filter(|node| self.tree().kind(*node) == Kind::String)?;
        Some(self.tree().text(node).into_owned())
    }

    fn put(&self, path: &[&str], value: &str) -> Result<Option<String>, String> {
        let mut node = self.root;
        for (depth, key) in path.iter().enumerate() {
            if self.tree().kind(node) != Kind::Object {
                return Err(format!("`{}` is not an object", path[..depth].join(".")));
            }
            match self.named(node, key).as_slice() {
                [] => return Ok(Some(self.insert(node, key, &nested(&path[depth + 1..], value)))),
                [(_, found)] => node = *found,
                _ => return Err(format!("`{key}` is there more than once")),
            }
        }
        if self.tree().kind(node) == Kind::Object {
            return Err(format!("`{}` is an object", path.join(".")));
        }
        if self.text_at(path).as_deref() == Some(value) {
            return Ok(None);
        }
        let span = self.tree().span(node);
        Ok(Some(splice(self.source(), span.start, span.end, &json!(value).to_string())))
    }

    fn take(&self, path: &[&str], value: &str) -> Result<Option<String>, String> {
        let (tree, text) = (self.tree(), self.source());
        if self.find(path).is_none() {
            return Ok(None);
        }
        if self.text_at(path).as_deref() != Some(value) {
            return Err(format!("`{}` is not the gateway", path.join(".")));
        }
        // Objects that hold nothing else go too.
        let mut depth = path.len() - 1;
        let is_alone = |node: NodeId| tree.entries(node).count() == 1;
        while depth > 0 && self.find(&path[..depth]).is_some_and(is_alone) {
            depth -= 1;
        }
        let Some(parent) = self.find(&path[..depth]) else { return Ok(None) };
        let members: Vec<_> = tree.entries(parent).collect();
        let is_ours = |(key, _): &(NodeId, NodeId)| tree.text(*key) == path[depth];
        let Some(index) = members.iter().position(is_ours) else { return Ok(None) };
        let (key, node) = members[index];
        let (mut start, mut end) = (tree.span(key).start, tree.span(node).end);
        let rest = text.get(end..tree.span(parent).end).unwrap_or_default();
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if rest.trim_start_matches([' ', '\t']).starts_with(',') {
            end += blank + 1;
        } else if let Some((_, previous)) = index.checked_sub(1).and_then(|at| members.get(at)) {
            // The last one takes the comma before it along; a comment between stays.
            let before = tree.span(*previous).end;
            if text.get(before..start).unwrap_or_default().trim() != "," {
                return Err("there is a comment before the setting".to_owned());
            }
            return Ok(Some(splice(text, before, end, "")));
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
    fn insert(&self, object: NodeId, key: &str, value: &Value) -> String {
        let (tree, text) = (self.tree(), self.source());
        let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let (open, close) = (tree.span(object).start + 1, tree.span(object).end - 1);
        let inside = text.get(open..close).unwrap_or_default();
        let content_end = open + inside.trim_end().len();
        let outer = indentation(text, open - 1);
        let lines = inside.contains('\n');
        let inner = match tree.entries(object).next() {
            Some((first, _)) if lines => indentation(text, tree.span(first).start),
            _ => format!("{outer}{}", unit(text)),
        };
        let written = format!("{}: {}", json!(key), pretty(value, &inner)).replace('\n', ending);
        let Some((_, last)) = tree.entries(object).last() else {
            // A comment in an empty object stays where it is.
            let kept = text.get(open..content_end).unwrap_or_default();
            let member = format!("{kept}{ending}{inner}{written}{ending}{outer}");
            return splice(text, open, close, &member);
        };
        let last_end = tree.span(last).end;
        let has_comma = self.parsed.repairs().iter().any(|repair| {
            let is_between = last_end <= repair.span.start && repair.span.end <= close;
            repair.code == RepairCode::TrailingComma && is_between
        });
        if !lines {
            let comma = if has_comma { " " } else { ", " };
            return splice(text, content_end, content_end, &format!("{comma}{written}"));
        }
        let comma = if has_comma { "," } else { "" };
        let member = format!("{ending}{inner}{written}{comma}");
        let longer = splice(text, content_end, content_end, &member);
        if has_comma { longer } else { splice(&longer, last_end, last_end, ",") }
    }
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

    // Our parser mends nearly anything; a person's file must be what it is taken for.
    #[test]
    fn what_the_parser_would_mend_is_left() {
        for text in [
            "{\"a\": 1 \"b\": 2}",
            "{\"a\": 1,, \"b\": 2}",
            "{a: 1}",
            "{\"a\": True}",
            "{\"a\": 01}",
            "{\"a\": .5}",
            "{\"a\": \"x\ny\"}",
            "{\"a\": \"\\q\"}",
            "{\"a\": [1, ...]}",
            "# comment\n{}",
            "Here it is: {}",
            "```json\n{}\n```",
            "{}{}",
            "{},",
            "({})",
            "{\"a\": \"x\" + \"y\"}",
            "{\"a\": 1]",
            "{\"a\"}",
            "{\"a\": 1}\n<!-- -->",
        ] {
            assert!(matches!(to(text, false), Edited::Unsure(_)), "{text}");
        }
    }

    #[test]
    fn comments_and_marks_anywhere_stay() {
        let cases = [
            (
                "\u{feff}// a\n{\n  \"b\": [1, /* c */ 2,], // d, e\n}\n// f\n",
                "\u{feff}// a\n{\n  \"b\": [1, /* c */ 2,], // d, e\n  \"env\": {\n    \"URL\": \"http://g\"\n  },\n}\n// f\n",
            ),
            (
                "{\n  \"u\": \"http://x//y\", \"s\": \"/* , */\" // no, comma\n}",
                "{\n  \"u\": \"http://x//y\", \"s\": \"/* , */\", // no, comma\n  \"env\": {\n    \"URL\": \"http://g\"\n  }\n}",
            ),
        ];
        for (before, after) in cases {
            assert_eq!(to(before, false), Edited::Text(after.to_owned()), "{before:?}");
            assert_eq!(to(after, false), Edited::Same, "{after:?}");
        }
        let [(before, after), (_, commented)] = cases;
        assert_eq!(to(after, true), Edited::Text(before.to_owned()));
        assert!(matches!(to(commented, true), Edited::Unsure(_)), "the comma is another's");
    }
}
