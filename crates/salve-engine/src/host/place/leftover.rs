//! State folders below a workspace that no command uses any more.
//!
//! In: the root of a workspace. Out: the `.salve` folders below it, relative to the root. Never looks
//! into nested repositories, which are workspaces of their own, nor into folders of tools, and looks
//! at a bounded number of folders.

use super::{STATE, is_repository};
use std::path::Path;

/// How many folders are looked at.
const MAX_FOLDERS: usize = 20_000;
/// How many are named.
const MAX_NAMED: usize = 20;
/// Folders that tools fill, and that people do not work in.
const OF_TOOLS: &[&str] = &[".git", STATE, "node_modules", "target", ".venv", "venv", "vendor"];

/// Lists the state folders below the root that are not the root's own.
pub fn leftover_states(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![root.to_owned()];
    let mut looked = 0;
    while let Some(folder) = waiting.pop() {
        looked += 1;
        if looked > MAX_FOLDERS || found.len() >= MAX_NAMED {
            break;
        }
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            // A symbolic link is not followed.
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let (path, name) = (entry.path(), entry.file_name());
            if name == STATE && folder != root {
                let relative = path.strip_prefix(root).unwrap_or(&path);
                found.push(relative.to_string_lossy().into_owned());
            } else if !OF_TOOLS.iter().any(|of_tools| name == *of_tools) && !is_repository(&path) {
                waiting.push(path);
            }
        }
    }
    found.sort();
    found
}
