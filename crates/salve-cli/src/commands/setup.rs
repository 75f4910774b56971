//! `salve setup`: points an agent that is already there at the gateway.
//!
//! In: the name of an agent. Out: the change of that agent's own configuration as a diff, a question,
//! and the change, which `--remove` takes back. Never writes another file than the one shown,
//! never rewrites what it does not change, and where it cannot be sure it says which lines to paste.

mod agents;
mod continue_models;
mod former;
mod jsonc;
mod toml_key;
mod yaml_keys;

use crate::arguments::{Format, SetupArguments};
use crate::change::{self, visible};
use crate::failure::{CommandResult, Ending, Failure};
use crate::keys::Keys;
use crate::{config_files, output};
use agents::{Edited, Place, Wish};
use former::Former;
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;

/// The permission bits of a configuration that did not exist: it may come to hold keys.
const NEW_FILE_MODE: u32 = 0o600;

/// Runs `salve setup`.
pub(crate) fn run(arguments: &SetupArguments, format: Format) -> CommandResult {
    let wish = Wish { url: &arguments.url, provider: arguments.provider, remove: arguments.remove };
    let Some(place) = agents::place(arguments.agent)? else {
        output::as_drawn(&agents::lines(arguments.agent, &wish))?;
        output::story(
            "this agent keeps its settings where only it can change them; enter them there\n",
        );
        return Ok(Ending::NeedsApproval);
    };
    let before = config_files::read(&place.path())?;
    let shown = visible(&place.path().to_string_lossy());
    let taken_back = || {
        let former = Former::load(arguments.agent.name())?;
        let ours = former.path == place.path() && former.url == arguments.url;
        former.restored(before.as_deref()?).filter(|_| ours).map(Edited::Text)
    };
    let edited = if wish.remove { taken_back() } else { None };
    match edited.unwrap_or_else(|| agents::edit(arguments.agent, before.as_deref(), &wish)) {
        Edited::Same => {
            tell(
                format,
                &shown,
                "unchanged",
                &format!("{shown} is as it should be; nothing was changed\n"),
            )?;
            Ok(Ending::Clean)
        }
        Edited::Unsure(why) => {
            let lines = agents::lines(arguments.agent, &wish);
            output::story(&format!("{shown} was not changed: {why}\n"));
            output::story(if wish.remove {
                "Take these lines out:\n"
            } else {
                "Put these lines into it:\n"
            });
            output::as_drawn(&lines)?;
            Ok(Ending::NeedsApproval)
        }
        Edited::Text(after) => offer(arguments, &place, before.as_deref(), &after, format),
    }
}

fn offer(
    arguments: &SetupArguments,
    place: &Place,
    before: Option<&str>,
    after: &str,
    format: Format,
) -> CommandResult {
    let shown = visible(&place.path().to_string_lossy());
    let old = before.map(|text| (text.as_bytes(), NEW_FILE_MODE));
    let diff = change::file(&place.file, old, Some((after.as_bytes(), NEW_FILE_MODE)));
    output::story(&format!("{shown}\n{diff}"));
    if arguments.dry_run {
        tell(format, &shown, "planned", "")?;
        return Ok(Ending::Clean);
    }
    if !arguments.yes && !said_yes()? {
        output::story("nothing was changed\n");
        return Ok(Ending::NeedsApproval);
    }
    write(arguments, place, before, after)?;
    let name = arguments.agent.name();
    let words = match arguments.remove {
        true => format!("changed {shown}\n"),
        false => format!("changed {shown}; `salve setup {name} --remove` takes it back\n"),
    };
    tell(format, &shown, "changed", &words)?;
    Ok(Ending::Clean)
}

fn tell(format: Format, path: &str, state: &str, words: &str) -> Result<(), Failure> {
    let document = json!({ "file": path, "state": state });
    match format {
        Format::Human => output::result(words),
        _ => output::value(format, &document),
    }
}

fn said_yes() -> Result<bool, Failure> {
    let Some(keys) = Keys::of_person() else {
        output::story("there is no terminal to ask on; `--yes` changes it without asking\n");
        return Ok(false);
    };
    keys.said_yes("Change it?")
}

// The text that a person has seen, and what was there before, kept where the user's data is.
fn write(
    arguments: &SetupArguments,
    place: &Place,
    before: Option<&str>,
    after: &str,
) -> Result<(), Failure> {
    std::fs::create_dir_all(&place.folder).map_err(|error| {
        Failure::new(format!("cannot create `{}`: {error}", place.folder.display()))
    })?;
    let path = place.path();
    if config_files::read(&path)?.as_deref() != before {
        return Err(Failure::new(format!("`{}` changed in the meantime", path.display()))
            .hint("Nothing was written; run the command again."));
    }
    let name = arguments.agent.name();
    if !arguments.remove {
        let former = Former {
            path: path.clone(),
            url: arguments.url.clone(),
            before: before.map(str::to_owned),
            after: after.to_owned(),
        };
        former.keep(name)?;
    }
    let mode = path.metadata().map_or(NEW_FILE_MODE, |found| found.permissions().mode() & 0o7777);
    former::replace(&path, after, Some(mode))?;
    if arguments.remove {
        Former::forget(name);
    }
    Ok(())
}
