//! `salve recover`: brings a workspace to rest after a crash.
//!
//! In: a workspace. Out: what was undone, finished or kept. Never more than every other command
//! does when it opens the workspace; this one only says so.

use crate::arguments::{Format, TreeArguments};
use crate::failure::{CommandResult, Ending};
use crate::output;
use crate::workspace::{self, told};
use serde_json::json;

/// Runs `salve recover`.
pub(crate) fn run(arguments: &TreeArguments, format: Format) -> CommandResult {
    let opened = workspace::open(arguments)?;
    let recovery = &opened.recovery;
    match format {
        Format::Human if recovery.is_clean() => output::result("nothing to recover\n")?,
        // What was done has been told already, on standard error as by every command.
        Format::Human => output::result(&told(recovery))?,
        _ => output::value(format, &json!(recovery))?,
    }
    let open = !recovery.damaged_journals.is_empty() || recovery.busy.is_some();
    Ok(if open { Ending::Findings } else { Ending::Clean })
}
