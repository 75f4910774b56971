//! `salve policy approvals`: what was agreed to for good, and taking it back.
//!
//! In: the user's `approvals.toml`. Out: a numbered list, or one with less in it. Never adds anything:
//! that is a person's answer to `salve run`.

use crate::arguments::{ApprovalsCommand, Format};
use crate::change::visible;
use crate::failure::{CommandResult, Ending, Failure};
use crate::{output, workspace_config};
use salve_check::{Approval, quote_for_display};
use serde_json::json;

/// Runs `salve policy approvals`.
pub(super) fn run(command: Option<&ApprovalsCommand>, format: Format) -> CommandResult {
    let mut kept = workspace_config::kept_approvals()?;
    match command {
        None | Some(ApprovalsCommand::List) => list(&kept, format),
        Some(ApprovalsCommand::Revoke { numbers, all }) => {
            let chosen = if *all { (1..=kept.len()).collect() } else { numbers.clone() };
            for number in &chosen {
                let _ = at(&kept, *number)?;
            }
            let mut number = 0;
            kept.retain(|approval| {
                number += 1;
                let revoked = chosen.contains(&number);
                if revoked {
                    output::story(&format!("no longer approved: {}\n", shown(approval)));
                }
                !revoked
            });
            workspace_config::keep_approvals(kept)?;
            Ok(Ending::Clean)
        }
        Some(ApprovalsCommand::Narrow { number, words }) => {
            let approval = at(&kept, *number)?.clone();
            let mut narrowed = approval;
            narrowed.entry.words.extend(words.iter().cloned());
            output::story(&format!("approved from now on: {}\n", shown(&narrowed)));
            if let Some(slot) = kept.get_mut(*number - 1) {
                *slot = narrowed;
            }
            workspace_config::keep_approvals(kept)?;
            Ok(Ending::Clean)
        }
    }
}

fn at(kept: &[Approval], number: usize) -> Result<&Approval, Failure> {
    number.checked_sub(1).and_then(|index| kept.get(index)).ok_or_else(|| {
        Failure::new(format!("there is no approval {number}"))
            .hint("`salve policy approvals list` numbers them.")
    })
}

fn shown(approval: &Approval) -> String {
    let words = quote_for_display(&approval.entry.words);
    visible(&format!(
        "{words}  ({}, in {})",
        output::word(&approval.entry.risk),
        approval.workspace
    ))
}

fn list(kept: &[Approval], format: Format) -> CommandResult {
    if format == Format::Human {
        if kept.is_empty() {
            output::result("nothing is approved for good\n")?;
        }
        for (index, approval) in kept.iter().enumerate() {
            output::result(&format!("{:>3}  {}\n", index + 1, shown(approval)))?;
        }
        return Ok(Ending::Clean);
    }
    let document = |(index, approval): (usize, &Approval)| {
        json!({
            "number": index + 1, "workspace": approval.workspace, "words": approval.entry.words,
            "risk": approval.entry.risk,
        })
    };
    output::values(format, &kept.iter().enumerate().map(document).collect::<Vec<_>>())?;
    Ok(Ending::Clean)
}
