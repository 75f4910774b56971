//! Sets one key at the top of a TOML file, and touches no other byte.
//!
//! In: the text, a key and a plain value. Out: the text with that key, proven by reading it: every
//! other value is what it was. Never writes what reads differently in any other place.

use super::agents::{Edited, Setting};
use super::yaml_keys::splice;
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

/// Sets or removes the setting.
pub(super) fn edit(text: &str, setting: &Setting, remove: bool) -> Edited {
    let [key] = setting.path.as_slice() else {
        return Edited::Unsure("the setting is not at the top".to_owned());
    };
    let (Ok(before), Ok(places)) = (text.parse::<Table>(), DeTable::parse(text)) else {
        return Edited::Unsure("it is not valid TOML".to_owned());
    };
    // Another provider has its own address, and the setting would do nothing.
    if let Some(provider) =
        before.get("model_provider").filter(|name| name.as_str() != Some("openai"))
    {
        let why = format!("`model_provider` is {provider}; its own `base_url` is what counts");
        return if remove { Edited::Same } else { Edited::Unsure(why) };
    }
    let ours = Value::String(setting.value.clone());
    let after = match (before.get(*key), remove) {
        (None, true) => return Edited::Same,
        (Some(value), false) if *value == ours => return Edited::Same,
        (Some(value), true) if *value != ours => {
            return Edited::Unsure(format!("`{key}` is {value}, which is not the gateway"));
        }
        (Some(Value::String(_)), true) => replace(text, places.get_ref(), key, None),
        (Some(Value::String(_)), false) => replace(text, places.get_ref(), key, Some(&ours)),
        (Some(value), _) => return Edited::Unsure(format!("`{key}` is {value}, which is no text")),
        (None, false) => Some(insert(text, places.get_ref(), &format!("{key} = {ours}"))),
    };
    let mut wanted = before;
    if remove {
        wanted.remove(*key);
    } else {
        wanted.insert((*key).to_owned(), ours);
    }
    match after {
        Some(after) if after.parse::<Table>().is_ok_and(|read| read == wanted) => {
            Edited::Text(after)
        }
        _ => Edited::Unsure(format!("the place of `{key}` is not certain")),
    }
}

// Puts another value in the place of the one that is there, or takes the lines of the key out.
fn replace(text: &str, table: &DeTable<'_>, key: &str, value: Option<&Value>) -> Option<String> {
    let (name, now) = table.iter().find(|(name, _)| name.get_ref() == key)?;
    let (start, end) = (now.span().start, now.span().end);
    match value {
        Some(value) => Some(splice(text, start, end, &value.to_string())),
        None => {
            let line = text.get(..name.span().start)?.rfind('\n').map_or(0, |at| at + 1);
            Some(splice(text, line, next_line(text, end), ""))
        }
    }
}

// After the last value before the first table, so that it becomes no part of a table.
fn insert(text: &str, table: &DeTable<'_>, line: &str) -> String {
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let values = table.iter().filter(|(_, value)| !is_table(value.get_ref()));
    match values.map(|(_, value)| value.span().end).max() {
        Some(end) => {
            let next = next_line(text, end);
            let is_broken = text.get(..next).is_some_and(|head| head.ends_with('\n'));
            let joint = if is_broken { "" } else { ending };
            splice(text, next, next, &format!("{joint}{line}{ending}"))
        }
        None if text.trim().is_empty() => format!("{text}{line}{ending}"),
        // Nothing but tables and comments: it comes first, apart from what follows.
        None => format!("{line}{ending}{ending}{text}"),
    }
}

// Whether a value may be written under a header of its own, below everything at the top.
fn is_table(value: &DeValue<'_>) -> bool {
    match value {
        DeValue::Table(_) => true,
        DeValue::Array(items) => items.iter().any(|item| is_table(item.get_ref())),
        _ => false,
    }
}

fn next_line(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.find('\n').map_or(text.len(), |at| from + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(text: &str, remove: bool) -> Edited {
        edit(
            text,
            &Setting { path: vec!["openai_base_url"], value: "http://g/v1".to_owned() },
            remove,
        )
    }

    #[test]
    fn one_line_changes_and_comments_stay() {
        let ours = "openai_base_url = \"http://g/v1\"\n";
        let cases = [
            ("", ours.to_owned()),
            (
                "model = \"x\" # mine\n\n[mcp]\na = 1\n",
                format!("model = \"x\" # mine\n{ours}\n[mcp]\na = 1\n"),
            ),
            (
                "# top\n[t]\nopenai_base_url = 'no'\n",
                format!("{ours}\n# top\n[t]\nopenai_base_url = 'no'\n"),
            ),
            ("list = [\n  1,\n]", format!("list = [\n  1,\n]\n{ours}")),
            (
                "openai_base_url = \"\"\"http://o\"\"\" # why\n",
                "openai_base_url = \"http://g/v1\" # why\n".to_owned(),
            ),
            (
                "text = '''\nopenai_base_url = 1\n'''\nopenai_base_url = 'x'\n",
                "text = '''\nopenai_base_url = 1\n'''\nopenai_base_url = \"http://g/v1\"\n"
                    .to_owned(),
            ),
            (
                "a = 1\r\n[t]\r\n",
                "a = 1\r\nopenai_base_url = \"http://g/v1\"\r\n[t]\r\n".to_owned(),
            ),
            ("a.b = 1\n[[l]]\nx = 1\n", format!("{ours}\na.b = 1\n[[l]]\nx = 1\n")),
            ("a = [[1], [2]]\n[[l]]\nx = 1\n", format!("a = [[1], [2]]\n{ours}[[l]]\nx = 1\n")),
            (
                "\"openai_base_url\" = 'http://o'\nb = 2\n",
                "\"openai_base_url\" = \"http://g/v1\"\nb = 2\n".to_owned(),
            ),
            (
                "openai_base_url = 'http://o' # why\n[t]\n",
                "openai_base_url = \"http://g/v1\" # why\n[t]\n".to_owned(),
            ),
        ];
        for (before, after) in cases {
            assert_eq!(to(before, false), Edited::Text(after.clone()), "{before:?}");
            assert_eq!(to(&after, false), Edited::Same, "{after:?}");
        }
        assert_eq!(
            to(&format!("a = 1\n{ours}[t]\n"), true),
            Edited::Text("a = 1\n[t]\n".to_owned())
        );
        assert_eq!(to("a = 1\n", true), Edited::Same);
    }

    #[test]
    fn what_is_not_certain_is_left() {
        for text in [
            "a = \n",
            "model_provider = \"mine\"\n",
            "openai_base_url = 3\n",
            "openai_base_url.x = 'http://o'\n",
            "[openai_base_url]\nx = 1\n",
            "a = 1\na = 2\n",
        ] {
            assert!(matches!(to(text, false), Edited::Unsure(_)), "{text:?}");
        }
        assert!(matches!(to("openai_base_url = 'http://other'\n", true), Edited::Unsure(_)));
    }
}
