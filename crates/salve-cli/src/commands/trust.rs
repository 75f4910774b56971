//! `salve trust`: one yes to what a workspace brings, for as long as it stays the same.
//!
//! In: a workspace folder. Out: what its file would define, a question, the list of what is
//! trusted. Never trusts without a yes, and never runs anything that a file defines.

use crate::arguments::{FolderArguments, Format, TrustArguments, TrustCommand};
use crate::change::visible;
use crate::failure::{CommandResult, Ending, Failure};
use crate::keys::Keys;
use crate::output;
use crate::trust::{BOUND_FILES, Standing, TrustList, Trusted, rule_files};
use crate::workspace::{self, now};
use anstyle::AnsiColor;
use salve_check::{Registry, SpecError};
use salve_engine::knowledge::read_rule;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Runs `salve trust`.
pub(crate) fn run(arguments: &TrustArguments, format: Format) -> CommandResult {
    let mut list = TrustList::load()?;
    match &arguments.command {
        TrustCommand::Add { place, yes } => {
            add(&mut list, &workspace::place(place)?.root, *yes, format)
        }
        TrustCommand::List => show(&list, format),
        TrustCommand::Revoke { place } => {
            let folder = revoked(place)?;
            if !list.revoke(&folder)? {
                return Err(Failure::new(format!("`{}` is not trusted", folder.display()))
                    .hint("`salve trust list` shows what is."));
            }
            output::story(&format!("no longer trusted: {}\n", visible_path(&folder)));
            Ok(Ending::Clean)
        }
    }
}

// A folder that is gone can still be revoked, by the name it was trusted with.
fn revoked(place: &FolderArguments) -> Result<PathBuf, Failure> {
    match &place.directory {
        Some(gone) if !gone.exists() => Ok(gone.clone()),
        _ => Ok(workspace::place(place)?.root),
    }
}

fn add(list: &mut TrustList, workspace: &Path, yes: bool, format: Format) -> CommandResult {
    let standing = list.standing(workspace)?;
    output::story(&offer(workspace, &standing)?);
    if standing == Standing::Trusted {
        return Ok(Ending::Clean);
    }
    if !yes && !said_yes()? {
        output::story("nothing is trusted\n");
        return Ok(Ending::NeedsApproval);
    }
    let entry = list.add(workspace, now())?;
    match format {
        Format::Human => {
            output::result(&format!("trusted: {}\n", visible_path(&entry.workspace)))?;
        }
        _ => output::json(&document(&entry)?)?,
    }
    Ok(Ending::Clean)
}

/// What trusting would put in force, in words.
fn offer(workspace: &Path, standing: &Standing) -> Result<String, Failure> {
    let mut text = match standing {
        Standing::Trusted => return Ok("already trusted, and nothing has changed\n".to_owned()),
        Standing::Changed(files) => {
            format!(
                "{} changed since it was trusted: {}\n",
                visible_path(workspace),
                files.join(", ")
            )
        }
        Standing::Unknown => format!("{} is not trusted\n", visible_path(workspace)),
    };
    let mut nothing = true;
    for name in BOUND_FILES {
        let path = workspace.join(name);
        let Ok(content) = std::fs::read_to_string(&path) else { continue };
        let table: toml::Table = toml::from_str(&content)
            .map_err(|error| Failure::new(format!("cannot use `{}`: {error}", path.display())))?;
        let incomplete = check_entries(&path, &table)?;
        for spec in table.get("toolchain").and_then(toml::Value::as_array).into_iter().flatten() {
            text.push_str(&format!("  {name} defines the check {}\n", defined(spec)));
            nothing = false;
        }
        text.push_str(&incomplete);
    }
    for name in rule_files(workspace)? {
        let content = std::fs::read_to_string(workspace.join(&name)).unwrap_or_default();
        match read_rule(&content) {
            Ok((rule, _)) => {
                let (language, what) = (rule.language.name(), visible(&rule.description));
                text.push_str(&format!("  {} may fix {language}: {what}\n", visible(&name)));
                nothing = false;
            }
            Err(error) => {
                let why = visible(&error.to_string());
                text.push_str(&format!("  {} cannot be used: {why}\n", visible(&name)));
            }
        }
    }
    if nothing {
        text.push_str("  it defines no commands and no rules; trust would change nothing today\n");
    }
    Ok(text)
}

// What is wrong with the entries is said now, with the field, and not at the first check: a field that
// does not exist is an error, an entry that is not complete is only told.
fn check_entries(path: &Path, table: &toml::Table) -> Result<String, Failure> {
    let mut own = table.clone();
    own.retain(|key, _| key == "toolchain");
    match Registry::built_in().register_toml(&toml::to_string(&own)?) {
        Ok(()) => Ok(String::new()),
        Err(error @ SpecError::Text(_)) => {
            let why = visible(&error.to_string());
            Err(Failure::new(format!("cannot use `{}`: {why}", path.display()))
                .hint("docs/settings.md lists the fields of `[[toolchain]]`."))
        }
        Err(error) => Ok(format!("  it cannot be used yet: {}\n", visible(&error.to_string()))),
    }
}

// The words are another's: they are shown escaped, as one argument vector.
fn defined(spec: &toml::Value) -> String {
    let word = |key: &str| spec.get(key).and_then(toml::Value::as_str).unwrap_or("?");
    let arguments = spec.get("compile_args").and_then(toml::Value::as_array);
    let arguments = arguments.into_iter().flatten().map(ToString::to_string);
    let line: Vec<String> =
        std::iter::once(format!("{:?}", word("compile_command"))).chain(arguments).collect();
    visible(&format!("{}: {}", word("target_id"), line.join(" ")))
}

fn said_yes() -> Result<bool, Failure> {
    let Some(keys) = Keys::of_person() else {
        output::story("there is no terminal to ask on; `--yes` trusts it without asking\n");
        return Ok(false);
    };
    keys.said_yes("Trust it as it is now?")
}

fn show(list: &TrustList, format: Format) -> CommandResult {
    let entries = list.entries();
    match format {
        Format::Human if entries.is_empty() => output::result("nothing is trusted\n")?,
        Format::Human => {
            for entry in entries {
                output::result(&line(entry))?;
            }
        }
        _ => {
            let documents = entries.iter().map(document).collect::<Result<Vec<_>, _>>()?;
            output::values(format, &documents)?;
        }
    }
    Ok(Ending::Clean)
}

fn line(entry: &Trusted) -> String {
    let (green, red) = (AnsiColor::Green.on_default(), AnsiColor::Red.on_default());
    let state = match entry.changed_files() {
        Ok(changed) if changed.is_empty() => format!("{green}unchanged{green:#}"),
        Ok(changed) => format!("{red}changed{red:#}: {}", changed.join(", ")),
        Err(_) => format!("{red}cannot be read{red:#}"),
    };
    format!("{}  {state}\n", visible_path(&entry.workspace))
}

fn document(entry: &Trusted) -> Result<Value, Failure> {
    Ok(json!({
        "workspace": entry.workspace, "since": entry.since, "files": entry.files,
        "changed": entry.changed_files()?,
    }))
}

fn visible_path(path: &Path) -> String {
    visible(&path.to_string_lossy())
}
