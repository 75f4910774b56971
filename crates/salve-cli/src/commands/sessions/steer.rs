//! `salve sessions handoff`, `guide` and `pause`: where a conversation goes from here.
//!
//! In: a session and what a person says. Out: the child and what its input begins with, or a line that it was heard.
//! Never decides: the engine does.

use super::{dated, find, looked};
use crate::arguments::{FolderArguments, Format, PlaceArguments, SessionsHandoffArguments};
use crate::change::visible;
use crate::failure::{CommandResult, Ending};
use crate::output;
use crate::workspace::now;
use salve_engine::session::{HandoffChoice, HandoffDone, decide_handoff, guide, pause_steps};
use serde_json::json;

/// Runs `salve sessions handoff`.
pub(super) fn handoff(
    store: &PlaceArguments,
    place: &FolderArguments,
    options: &SessionsHandoffArguments,
    format: Format,
) -> CommandResult {
    let choice = match (options.extend, options.cancel) {
        (true, _) => HandoffChoice::Extend,
        (_, true) => HandoffChoice::Cancel,
        _ => HandoffChoice::Handoff,
    };
    let done = looked(store, async |store| {
        let session = find(store, place, Some(&options.id)).await?;
        Ok(decide_handoff(store, &session.id, choice).await?)
    })?;
    match format {
        Format::Human => {
            if let HandoffDone::Handoff { child, .. } = &done {
                output::result(&format!("{}\n", child.id))?;
            }
            output::story(&handed_over(&done));
        }
        _ => output::value(format, &dated(json!(done)))?,
    }
    Ok(Ending::Clean)
}

/// Says what came of it.
pub(in crate::commands) fn handed_over(done: &HandoffDone) -> String {
    match done {
        HandoffDone::Handoff { child, input } => {
            let mut text =
                format!("`salve chat --session {}` goes on in a fresh session.\n", child.id);
            for line in input.lines() {
                text.push_str(&format!("  {}\n", visible(line)));
            }
            text
        }
        HandoffDone::Extend { session } => {
            let window = session.extended_limit.unwrap_or_default();
            format!("the session goes on with a window of {window} tokens\n")
        }
        HandoffDone::Cancel { .. } => "the session goes on as it is\n".to_owned(),
    }
}

/// Runs `salve sessions guide`.
pub(super) fn guidance(
    store: &PlaceArguments,
    place: &FolderArguments,
    id: &str,
    text: &str,
    format: Format,
) -> CommandResult {
    looked(store, async |store| {
        let session = find(store, place, Some(id)).await?;
        Ok(guide(store, &session.id, text, &key()).await?)
    })?;
    heard("it enters the next request\n", format)
}

/// Runs `salve sessions pause`.
pub(super) fn pause(
    store: &PlaceArguments,
    place: &FolderArguments,
    id: &str,
    format: Format,
) -> CommandResult {
    looked(store, async |store| {
        let session = find(store, place, Some(id)).await?;
        Ok(pause_steps(store, &session.id, &key()).await?)
    })?;
    heard("the next step waits for you\n", format)
}

fn heard(words: &str, format: Format) -> CommandResult {
    match format {
        Format::Human => output::story(words),
        _ => output::value(format, &json!({ "ok": true }))?,
    }
    Ok(Ending::Clean)
}

/// What one word of a person is known by.
pub(in crate::commands) fn key() -> String {
    format!("{}-{}", now(), std::process::id())
}
