//! `salve policy profile`: ready lists of commands that a person asks for once.
//!
//! In: the name of a profile. Out: its entries, one by one, a question, and the word kept in the
//! user's own folder. Never turns one on without a yes, and never for a workspace by its own files.

use crate::arguments::{Format, ProfileArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::keys::Keys;
use crate::{output, workspace_config};
use salve_check::{ListEntry, Profile, quote_for_display};
use serde_json::{Value, json};

/// Runs `salve policy profile`.
pub(super) fn run(arguments: &ProfileArguments, format: Format) -> CommandResult {
    let mut active = workspace_config::profiles()?;
    let Some(name) = &arguments.name else { return list(&active, format) };
    let profile = named(name)?;
    let is_active = active.contains(&profile);
    if arguments.remove {
        active.retain(|other| *other != profile);
        workspace_config::keep_profiles(&active)?;
        output::story(&format!("the profile `{}` is off\n", profile.name()));
        return Ok(Ending::Clean);
    }
    show(profile, is_active, format)?;
    if is_active || arguments.show {
        return Ok(Ending::Clean);
    }
    if !arguments.yes && !said_yes()? {
        output::story("nothing was changed\n");
        return Ok(Ending::NeedsApproval);
    }
    active.push(profile);
    workspace_config::keep_profiles(&active)?;
    output::story(&format!(
        "the profile `{0}` is on, in every workspace; `salve policy profile {0} --remove` takes it back\n",
        profile.name()
    ));
    Ok(Ending::Clean)
}

fn named(name: &str) -> Result<Profile, Failure> {
    Profile::ALL.iter().copied().find(|profile| profile.name() == name).ok_or_else(|| {
        let names: Vec<&str> = Profile::ALL.iter().map(|profile| profile.name()).collect();
        Failure::new(format!("there is no profile `{}`", name.escape_debug()))
            .hint(format!("There is: {}", names.join(", ")))
    })
}

fn said_yes() -> Result<bool, Failure> {
    let Some(keys) = Keys::of_person() else {
        output::story("there is no terminal to ask on; `--yes` turns it on without asking\n");
        return Ok(false);
    };
    keys.said_yes("Allow these in every workspace, in the sandbox?")
}

fn document(profile: Profile, is_active: bool) -> Value {
    let entry = |entry: &ListEntry| json!({ "words": entry.words, "risk": entry.risk });
    let entries: Vec<Value> = profile.entries().iter().map(entry).collect();
    json!({ "profile": profile.name(), "active": is_active, "entries": entries })
}

fn list(active: &[Profile], format: Format) -> CommandResult {
    for profile in Profile::ALL {
        let is_active = active.contains(profile);
        match format {
            Format::Human => {
                let state = if is_active { "on" } else { "off" };
                let count = profile.entries().len();
                output::result(&format!("{}  {state}  {count} entries\n", profile.name()))?;
            }
            _ => output::value(format, &document(*profile, is_active))?,
        }
    }
    Ok(Ending::Clean)
}

fn show(profile: Profile, is_active: bool, format: Format) -> Result<(), Failure> {
    if format != Format::Human {
        return output::value(format, &document(profile, is_active));
    }
    let dim = anstyle::Style::new().dimmed();
    let mut entries = profile.entries();
    entries.sort_by_key(|entry| entry.risk);
    let mut text = String::new();
    for entry in entries {
        let risk = output::word(&entry.risk);
        text.push_str(&format!("{dim}{risk:<8}{dim:#} {}\n", quote_for_display(&entry.words)));
    }
    if is_active {
        text.push_str("This profile is on.\n");
    }
    output::result(&text)
}
