//! Sets one key at the top of a TOML file, and touches no other byte.
//!
//! In: the text, a key and a plain value. Out: the text with that key, proven by reading it: every
//! other value is what it was. Never writes what reads differently in any other place.

use super::agents::{Edited, Setting};
use super::yaml_keys::{lines, splice};
use toml::{Table, Value};

/// Sets or removes the setting.
pub(super) fn edit(text: &str, setting: &Setting, remove: bool) -> Edited {
    let [key] = setting.path.as_slice() else {
        return Edited::Unsure("the setting is not at the top".to_owned());
    };
    let Ok(before) = text.parse::<Table>() else {
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
        (Some(_), true) => replace(text, key, None),
        (Some(_), false) => replace(text, key, Some(&setting.value)),
        (None, false) => Some(insert(text, key, &setting.value)),
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

// The line of the key before the first table, with another value or gone.
fn replace(text: &str, key: &str, value: Option<&str>) -> Option<String> {
    let head = lines(text).take_while(|line| !line.text.trim_start().starts_with('['));
    let mut found = head.filter(|line| {
        line.text
            .split_once('=')
            .is_some_and(|(name, _)| name.trim().trim_matches(['"', '\'']) == key)
    });
    let line = found.next()?;
    if found.next().is_some() {
        return None;
    }
    let Some(value) = value else { return Some(splice(text, line.start, line.next, "")) };
    let equals = line.text.find('=')?;
    let rest = line.text.get(equals + 1..)?;
    let at = equals + 1 + rest.len() - rest.trim_start().len();
    let mark = rest.trim_start().chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
    let end = at + 1 + line.text.get(at + 1..)?.find(mark)? + 1;
    Some(splice(text, line.start + at, line.start + end, &format!("\"{value}\"")))
}

// After the last line of the part before the first table, so that it is no part of a table.
fn insert(text: &str, key: &str, value: &str) -> String {
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let head = lines(text).take_while(|line| !line.text.trim_start().starts_with('['));
    let last = head
        .filter(|line| !line.text.trim().is_empty() && !line.text.trim_start().starts_with('#'))
        .last();
    let written = format!("{key} = \"{value}\"{ending}");
    match last {
        Some(line)
            if text.get(line.start..line.next).is_some_and(|whole| whole.ends_with('\n')) =>
        {
            splice(text, line.next, line.next, &written)
        }
        Some(line) => splice(text, line.next, line.next, &format!("{ending}{written}")),
        // Nothing but tables and comments: it comes first, apart from what follows.
        None if text.trim().is_empty() => format!("{text}{written}"),
        None => format!("{written}{ending}{text}"),
    }
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
            "openai_base_url = \"\"\"http://o\"\"\"\n",
            "openai_base_url = 3\n",
            "text = '''\nopenai_base_url = 1\n'''\nopenai_base_url = 'x'\n",
        ] {
            assert!(matches!(to(text, false), Edited::Unsure(_)), "{text:?}");
        }
        assert!(matches!(to("openai_base_url = 'http://other'\n", true), Edited::Unsure(_)));
    }
}
