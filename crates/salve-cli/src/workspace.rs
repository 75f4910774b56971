//! Opens the workspace a command works on.
//!
//! In: the arguments. Out: an open workspace that is at rest, the time, and the words about what a
//! crash had left. Never hides a recovery: it is reported on standard error.

use crate::arguments::{FolderArguments, TreeArguments};
use crate::change::visible;
use crate::failure::Failure;
use crate::{environment, output};
use salve_engine::host::{OpenWorkspace, Place, PlaceError, PlaceSearch, Unfit};
use salve_tree::{ChangeMeta, Cost, Origin, Recovery, WorkspaceOptions};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Opens the folder the arguments name and brings it to rest.
pub(crate) fn open(arguments: &TreeArguments) -> Result<OpenWorkspace, Failure> {
    open_keeping(arguments, WorkspaceOptions::default().history_cap)
}

/// As [`open`], with another bound on the bytes that the history keeps.
pub(crate) fn open_keeping(
    arguments: &TreeArguments,
    history_cap: u64,
) -> Result<OpenWorkspace, Failure> {
    let place = place(&arguments.place)?;
    let options = WorkspaceOptions {
        wait: Duration::from_secs(arguments.wait),
        holder: format!("salve, process {}", std::process::id()),
        history_cap,
        ..WorkspaceOptions::default()
    };
    let opened = OpenWorkspace::open_at(&place, options)?;
    // Another process that is writing is no news: the next writer waits, and recovers then.
    output::story(&told(&Recovery { busy: None, ..opened.recovery.clone() }));
    Ok(opened)
}

/// Describes a change that this command makes now.
pub(crate) fn meta(origin: Origin) -> ChangeMeta {
    ChangeMeta { now: now(), origin, ..ChangeMeta::default() }
}

/// Turns dollars into the unit of the history.
pub(crate) fn dollars(amount: f64) -> Option<Cost> {
    let micro = (amount * 1e6).round();
    // Money that is not a number, or negative, is no cost.
    (micro >= 0.0).then(|| Cost { micro_dollars: micro as u64, ..Cost::default() })
}

/// Returns the milliseconds since 1970.
#[expect(clippy::disallowed_methods, reason = "salve-cli is the one crate that asks for the time")]
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Finds the workspace around the folder named, or around the one this was started in.
pub(crate) fn place(arguments: &FolderArguments) -> Result<Place, Failure> {
    let start = arguments
        .directory
        .clone()
        .or_else(environment::start_folder)
        .ok_or_else(|| Failure::new("the folder this was started in is gone"))?;
    let named = arguments.root.clone();
    let (home, owners) = (environment::home(), environment::owners());
    let own = owners.first().copied();
    Place::find(&PlaceSearch { start, named, home, owners }).map_err(|error| {
        let hint = remedy(&error, own);
        let failure = Failure::from(error);
        hint.into_iter().fold(failure, Failure::hint)
    })
}

// What to do about a folder that is not taken for a workspace.
fn remedy(error: &PlaceError, own: Option<u32>) -> Option<String> {
    let PlaceError::Unfit { folder, why } = error else { return None };
    let folder = salve_check::quote_for_display(&[folder.to_string_lossy()]);
    Some(match (why, own) {
        // A folder that was mounted into a container, for the most part.
        (Unfit::OtherOwner { owner }, Some(own)) => visible(&format!(
            "It belongs to uid {owner} and you are uid {own}, as in a container with a mounted folder. If \
             you trust what is in it, name it with `--root {folder}`; or work as its owner, or make it \
             yours with `chown -R {own} {folder}`."
        )),
        _ => "Go to the folder of a project, or name this one with `--root`.".to_owned(),
    })
}

/// Says what recovery did; nothing when there was nothing to do.
pub(crate) fn told(recovery: &Recovery) -> String {
    let mut text = String::new();
    for id in &recovery.undone {
        text.push_str(&format!("recovered: {id} was interrupted and is undone\n"));
    }
    for id in &recovery.finished {
        text.push_str(&format!("recovered: {id} was complete and is cleaned up\n"));
    }
    for foreign in &recovery.foreign {
        let kept = match &foreign.kept {
            Some(kept) => format!("; the other bytes are in {}", visible(kept)),
            None => String::new(),
        };
        text.push_str(&format!(
            "recovered: {} was changed by another program and is left as it is{kept}\n",
            visible(&foreign.path)
        ));
    }
    for journal in &recovery.damaged_journals {
        text.push_str(&format!(
            "warning: the journal {} cannot be read ({}); nothing was touched\n",
            journal.name, journal.why
        ));
    }
    if recovery.torn_history {
        text.push_str("recovered: an unfinished line at the end of the history was removed\n");
    }
    if let Some(copy) = &recovery.damaged_history {
        text.push_str(&format!("warning: the history was damaged; a copy is kept as {copy}\n"));
    }
    if let Some(holder) = &recovery.busy {
        text.push_str(&format!("{holder} is writing; nothing was recovered\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_of_a_mounted_folder_and_the_remedies_are_named() {
        let unfit = |why| PlaceError::Unfit { folder: "/my work".into(), why };
        let hint = remedy(&unfit(Unfit::OtherOwner { owner: 1000 }), Some(0)).unwrap();
        for words in ["uid 1000 and you are uid 0", "--root '/my work'", "chown -R 0 '/my work'"] {
            assert!(hint.contains(words), "{hint}");
        }
        assert!(remedy(&unfit(Unfit::Home), Some(0)).unwrap().contains("`--root`"));
    }
}
