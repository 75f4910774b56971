//! `salve heal status`: what heals of a workspace did so far.
//!
//! In: the attempts and counts that are kept, the checkpoints and the history of the workspace. Out: five figures, for
//! people or as one document. Never heals, and never makes a database where there is none.

use crate::arguments::{FormatChoice, TreeArguments};
use crate::change::visible;
use crate::failure::{CommandResult, Ending, Failure};
use crate::{host, output, workspace};
use salve_store::{HealAttemptFilter, Store, StoreError};
use salve_tree::{History, Origin, list_checkpoints};
use serde::Serialize;
use std::collections::BTreeMap;

/// How many attempts are read: more than heals of one workspace make in a year.
const MOST_ATTEMPTS: u32 = 100_000;

/// The state of the heals of a workspace.
#[derive(Debug, Default, Serialize)]
struct HealStatus {
    /// The attempts of the last heal.
    heal_attempts: usize,
    /// Heals that ended without healing an error, one after the other, by its exact signature.
    error_counts: BTreeMap<String, u32>,
    /// The checkpoints that can be restored, by name, oldest first.
    checkpoints: Vec<String>,
    /// The tokens of all heals.
    tokens_used: u64,
    /// How often heals changed each file.
    file_modifications: BTreeMap<String, usize>,
}

/// Runs `salve heal status`.
pub(super) fn run(tree: &TreeArguments, format: FormatChoice) -> CommandResult {
    if !matches!(format, FormatChoice::Human | FormatChoice::Json | FormatChoice::Jsonl) {
        return Err(Failure::new("`salve heal status` has no output in this format")
            .hint("Formats of this command: human, json, jsonl"));
    }
    let opened = workspace::open(tree)?;
    let root = workspace::place(&tree.place)?.root.display().to_string();
    let kept = host::read_store("heal", async |store| Ok(kept(store, &root).await?))?;
    let mut status = kept.unwrap_or_default();
    let checkpoints = list_checkpoints(&opened.tree)?;
    let valid = checkpoints.into_iter().filter(|listed| listed.why.is_none());
    status.checkpoints = valid.filter_map(|listed| Some(listed.checkpoint?.name)).collect();
    for change in History::load(&opened.tree)?.changes() {
        if change.applied && matches!(change.origin, Origin::Heal | Origin::Rule) {
            for file in &change.files {
                *status.file_modifications.entry(file.file_path.clone()).or_default() += 1;
            }
        }
    }
    match format {
        FormatChoice::Human => output::result(&drawn(&status))?,
        FormatChoice::Jsonl => output::json_line(&status)?,
        _ => output::json(&status)?,
    }
    Ok(Ending::Clean)
}

async fn kept(store: &Store, root: &str) -> Result<HealStatus, StoreError> {
    let filter =
        HealAttemptFilter { workspace: Some(root.to_owned()), ..HealAttemptFilter::default() };
    let attempts = store.heal_attempts(filter, MOST_ATTEMPTS).await?;
    let last = attempts.first().map(|attempt| attempt.heal.clone());
    Ok(HealStatus {
        heal_attempts: attempts.iter().filter(|one| Some(&one.heal) == last.as_ref()).count(),
        error_counts: store.unhealed_counts(root).await?,
        tokens_used: attempts.iter().map(|attempt| attempt.tokens).sum(),
        ..HealStatus::default()
    })
}

fn drawn(status: &HealStatus) -> String {
    let none = |text: String| if text.is_empty() { "none".to_owned() } else { text };
    let counts = |counts: Vec<(&String, String)>| {
        none(counts.iter().map(|(name, count)| format!("\n  {count}x {}", visible(name))).collect())
    };
    let errors =
        status.error_counts.iter().map(|(name, count)| (name, count.to_string())).collect();
    let files =
        status.file_modifications.iter().map(|(name, count)| (name, count.to_string())).collect();
    let checkpoints: Vec<_> = status.checkpoints.iter().map(|name| visible(name)).collect();
    format!(
        "attempts of the last heal: {}\nerrors not healed: {}\ncheckpoints: {}\ntokens used: {}\n\
         files changed by heals: {}\n",
        status.heal_attempts,
        counts(errors),
        none(checkpoints.join(", ")),
        status.tokens_used,
        counts(files),
    )
}
