//! `salve cache`: what runs with the network have fetched for each workspace.
//!
//! In: the folder of all caches. Out: a list with sizes, or what was thrown away. Never touches the
//! user's own caches, and never what a run is using.

use crate::arguments::{CacheAction, CacheArguments, Format};
use crate::change::visible;
use crate::failure::{CommandResult, Ending};
use crate::{host, output, workspace};
use salve_check::{WorkspaceCache, clear_caches, list_caches};
use serde_json::{Value, json};

/// Runs `salve cache`.
pub(crate) fn run(arguments: &CacheArguments, format: Format) -> CommandResult {
    let all = host::data_folder()?.join(host::CACHES);
    let (found, verb) = match &arguments.action {
        None | Some(CacheAction::List) => (list_caches(&all)?, "keeps"),
        Some(CacheAction::Clear { all: true, .. }) => (clear_caches(&all, None)?, "threw away"),
        Some(CacheAction::Clear { place, .. }) => {
            let root = workspace::place(place)?.root;
            (clear_caches(&all, Some(&root))?, "threw away")
        }
    };
    match format {
        Format::Human => output::result(&table(&found, verb))?,
        _ => output::values(format, &found.iter().map(document).collect::<Vec<_>>())?,
    }
    Ok(Ending::Clean)
}

fn table(found: &[WorkspaceCache], verb: &str) -> String {
    if found.is_empty() {
        return format!("{verb} nothing\n");
    }
    let line = |cache: &WorkspaceCache| {
        let workspace = visible(&cache.workspace.to_string_lossy());
        format!("{verb} {:>8.1} MiB for {workspace}\n", cache.bytes as f64 / f64::from(1 << 20))
    };
    found.iter().map(line).collect()
}

fn document(cache: &WorkspaceCache) -> Value {
    json!({ "workspace": cache.workspace, "folder": cache.folder, "bytes": cache.bytes })
}
