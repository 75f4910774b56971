//! The differences that applied changes made, from the history of the workspace.
//!
//! In: ids of change sets. Out: hunks by change and path. Where the history cannot be read now, there are none, and the
//! page shows the counts alone. Never waits for another process that is writing.

use super::super::state::WorkbenchState;
use super::super::view::diff::{DiffHunk, hunks_between};
use salve_engine::host::OpenWorkspace;
use salve_tree::{History, WorkspaceOptions};
use std::collections::BTreeMap;
use std::time::Duration;

/// Hunks by the id of the change and the path.
pub(super) type Diffs = BTreeMap<(String, String), Vec<DiffHunk>>;

/// Longer files are not compared for a page.
const MOST_BYTES: usize = 512 * 1024;

/// Reads the differences of changes.
pub(super) async fn differences(
    state: &WorkbenchState,
    changes: impl Iterator<Item = String>,
) -> Diffs {
    let changes: Vec<String> = changes.collect();
    if changes.is_empty() {
        return Diffs::new();
    }
    let place = state.config.place.clone();
    let read = move || {
        let options = WorkspaceOptions { wait: Duration::ZERO, ..WorkspaceOptions::default() };
        let opened = OpenWorkspace::open_at(&place, options).ok()?;
        let history = History::load(&opened.tree).ok()?;
        let mut diffs = Diffs::new();
        for change in changes {
            let Ok(exported) = history.export(&opened.tree, &change) else { continue };
            for file in exported.contents {
                let (Some(old), Some(new)) =
                    (readable(file.old_content), readable(file.new_content))
                else {
                    continue;
                };
                diffs.insert((change.clone(), file.file_path), hunks_between(&old, &new));
            }
        }
        Some(diffs)
    };
    tokio::task::spawn_blocking(read).await.ok().flatten().unwrap_or_default()
}

// A file that is not there is empty; one that is long or no text is not shown.
fn readable(content: Option<Vec<u8>>) -> Option<String> {
    let bytes = content.unwrap_or_default();
    if bytes.len() > MOST_BYTES {
        return None;
    }
    String::from_utf8(bytes).ok()
}
