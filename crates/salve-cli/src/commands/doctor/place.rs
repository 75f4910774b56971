//! Which folder the commands started here work on, and why.
//!
//! In: the folder this was started in. Out: one row for the workspace, and one for state folders below
//! it that no command uses. Never changes anything.

use super::{Check, State};
use crate::arguments::FolderArguments;
use crate::change::visible;
use crate::workspace;
use salve_engine::host::{Place, leftover_states};

/// Looks at the workspace.
pub(super) fn rows() -> Vec<Check> {
    match workspace::place(&FolderArguments::default()) {
        Ok(place) => std::iter::once(found(&place)).chain(leftovers(&place)).collect(),
        Err(failure) => vec![Check {
            name: "workspace".to_owned(),
            state: State::Missing,
            detail: visible(&crate::batch::failure_text(&failure)),
        }],
    }
}

fn found(place: &Place) -> Check {
    let mut detail = format!("{} ({})", place.root.display(), place.why);
    for (folder, why) in &place.passed_over {
        detail.push_str(&format!("; not {}: {why}", folder.display()));
    }
    Check::new("workspace", true, visible(&detail))
}

fn leftovers(place: &Place) -> Option<Check> {
    let found = leftover_states(&place.root);
    (!found.is_empty()).then(|| {
        let detail = format!(
            "left over, no command uses them: {}; `salve history --root DIR` shows what one holds",
            found.join(", ")
        );
        Check::new("nested .salve", true, visible(&detail))
    })
}
