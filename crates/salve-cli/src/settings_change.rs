//! One setting of the user's own file, changed and taken back.
//!
//! In: the name of a setting that has few values, and one of them. Out: the file with that one line changed or added,
//! and what is needed to take it back. Never a file that says anything else than before but for that setting, and never
//! an undo over a change that somebody else made since.

use crate::config_files;
use crate::failure::Failure;
use std::path::PathBuf;

const FILE: &str = "config.toml";
const SWITCH: &[&str] = &["true", "false"];

/// The settings that have few values, and these.
const CHOICES: &[(&str, &[&str])] = &[
    ("enforcement", &["off", "observe", "enforce"]),
    ("sentinel", &["none", "optional", "required"]),
    ("auto_apply", SWITCH),
    ("auto_apply_files", SWITCH),
    ("auto_apply_cli", SWITCH),
    ("strictness", &["sketch", "development", "production"]),
];

/// A change that was made.
#[derive(Debug, Clone)]
pub(crate) struct SettingChange {
    /// The setting.
    pub(crate) name: String,
    /// What the file said before.
    pub(crate) before: Option<String>,
    /// What it says now.
    pub(crate) after: String,
    /// The file.
    pub(crate) path: PathBuf,
    /// Its text before and now.
    texts: (String, String),
}

/// Returns the values that a setting can have; none where it is changed in the file alone.
pub(crate) fn choices(name: &str) -> &'static [&'static str] {
    CHOICES.iter().find(|(known, _)| *known == name).map_or(&[], |(_, values)| values)
}

/// Changes a setting in the user's own file.
pub(crate) fn change(name: &str, value: &str) -> Result<SettingChange, Failure> {
    let values = choices(name);
    if values.is_empty() {
        return Err(Failure::new(format!("`{name}` is not changed here"))
            .hint("Change the line in your own config.toml."));
    }
    if !values.contains(&value) {
        let values = values.join(", ");
        return Err(Failure::new(format!("`{name}` is one of {values}, not `{value}`")));
    }
    let path = config_files::of_user(FILE)?;
    let old = config_files::read(&path)?.unwrap_or_default();
    let (new, before) = changed(&old, name, value)?;
    config_files::replace(FILE, &new)?;
    let (name, after) = (name.to_owned(), value.to_owned());
    Ok(SettingChange { name, before, after, path, texts: (old, new) })
}

/// Takes a change back.
pub(crate) fn undo(change: &SettingChange) -> Result<(), Failure> {
    let now = config_files::read(&change.path)?.unwrap_or_default();
    if now != change.texts.1 {
        let path = change.path.display();
        return Err(Failure::new(format!("`{path}` was changed since; nothing was taken back"))
            .hint("Change the line there."));
    }
    config_files::replace(FILE, &change.texts.0)
}

// The text with the setting changed, and what it said before.
fn changed(text: &str, name: &str, value: &str) -> Result<(String, Option<String>), Failure> {
    let mut wanted = table(text)?;
    let written = match value {
        "true" | "false" => toml::Value::Boolean(value == "true"),
        _ => toml::Value::String(value.to_owned()),
    };
    let before = wanted.insert(name.to_owned(), written.clone()).map(|before| shown(&before));
    let is_it = |line: &str| {
        let rest = line.trim_start().strip_prefix(name);
        rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let plain = lines.iter().position(|line| line.trim_start().starts_with('['));
    let plain = plain.unwrap_or(lines.len());
    let place = lines.iter().take(plain).position(|line| is_it(line));
    let line = format!("{name} = {written}");
    match place.and_then(|place| lines.get_mut(place)) {
        Some(old) => {
            // What a person noted beside it stays.
            let note = old.split_once('#').map(|(_, note)| format!(" #{note}"));
            *old = line + &note.unwrap_or_default();
        }
        None => lines.insert(0, line),
    }
    let new = lines.join("\n") + "\n";
    if table(&new).ok().as_ref() != Some(&wanted) {
        return Err(Failure::new(format!(
            "`{FILE}` is written in a way that only you should change"
        ))
        .hint("Change the line there."));
    }
    Ok((new, before))
}

fn table(text: &str) -> Result<toml::Table, Failure> {
    toml::from_str(text).map_err(|_| Failure::new(format!("`{FILE}` cannot be read as it is")))
}

fn shown(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str, name: &str, value: &str) -> String {
        changed(text, name, value).map_or_else(|_| "refused".to_owned(), |(new, _)| new)
    }

    #[test]
    fn one_line_changes_and_everything_else_stays() {
        assert_eq!(after("", "auto_apply", "false"), "auto_apply = false\n");
        let file = "# mine\nauto_apply = true # for now\n\n[roles]\nmodel = 'a/b'\n";
        assert_eq!(after(file, "auto_apply", "false"), file.replace("= true", "= false"));
        assert_eq!(after(file, "strictness", "sketch"), format!("strictness = \"sketch\"\n{file}"));
        let longer = "auto_apply_files = true\nauto_apply = true\n";
        let wanted = "auto_apply_files = true\nauto_apply = false\n";
        assert_eq!(after(longer, "auto_apply", "false"), wanted);
        let (_, before) = changed(file, "auto_apply", "false").unwrap();
        assert_eq!(before.as_deref(), Some("true"));
    }

    #[test]
    fn a_file_that_is_not_understood_is_left() {
        for text in [
            "auto_apply = ",
            "sentinel_mark = \"\"\"\nauto_apply = x\n\"\"\"\n",
            "\"auto_apply\" = true\n",
        ] {
            let said = changed(text, "auto_apply", "false").map(|(new, _)| new);
            assert!(said.is_err(), "{text}: {said:?}");
        }
        assert!(change("allow_ports", "1").is_err());
        assert!(change("auto_apply", "maybe").is_err());
    }
}
