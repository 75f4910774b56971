//! `salve files`: the files of a session, and what was done to them.
//!
//! In: a session, the newest of this workspace where none is named. Out: each file as the session last knew it, and
//! whether the model has to see it again; or every operation. Never reads a file that the session does not name.

mod uploads;

use crate::arguments::{FilesArguments, Format};
use crate::commands::sessions::{dated, find, looked};
use crate::failure::{CommandResult, Ending};
use crate::output;
use crate::table::{Align, table};
use salve_engine::session::{FileRegistry, RegistryEntry};
use salve_tree::{AdmitOptions, DiskView, FileView, Root};
use salve_types::{FileOperation, LoadedBy};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// A file as a session last knew it.
#[derive(Debug, Serialize)]
struct KnownFile {
    path: String,
    hash: Option<String>,
    md5: Option<String>,
    size: u64,
    last_seen_turn: u32,
    last_modified_turn: Option<u32>,
    loaded_by: LoadedBy,
    /// Whether the model has to see it again before it changes it; nothing where the disk cannot be asked.
    stale: Option<bool>,
}

/// Runs `salve files`.
pub(crate) fn run(arguments: &FilesArguments, format: Format) -> CommandResult {
    if let Some(done) = uploads::run(arguments, format) {
        return done;
    }
    let (session, log) = looked(&arguments.store, async |store| {
        let session = find(store, &arguments.place, arguments.id.as_deref()).await?;
        let log = store.file_operations(&session.id).await?;
        Ok((session, log))
    })?;
    if arguments.log {
        let wanted = |one: &&FileOperation| arguments.turn.is_none_or(|turn| one.turn == turn);
        return operations(&log.iter().filter(wanted).collect::<Vec<_>>(), format);
    }
    let files = known(&log, Path::new(&session.workspace));
    match format {
        Format::Human if files.is_empty() => output::result("no files\n")?,
        Format::Human => output::result(&drawn(&files))?,
        _ => output::values(format, &files)?,
    }
    Ok(Ending::Clean)
}

fn operations(log: &[&FileOperation], format: Format) -> CommandResult {
    match format {
        Format::Human if log.is_empty() => output::result("no file operations\n")?,
        Format::Human => {
            let columns = [
                ("turn", Align::Right),
                ("when", Align::Left),
                ("what", Align::Left),
                ("by", Align::Left),
                ("bytes", Align::Right),
                ("file", Align::Left),
            ];
            let row = |one: &&FileOperation| {
                vec![
                    one.turn.to_string(),
                    one.at.to_string(),
                    one.op.name().to_owned(),
                    one.by.name().to_owned(),
                    one.size.to_string(),
                    one.path.clone(),
                ]
            };
            output::result(&table(&columns, &log.iter().map(row).collect::<Vec<_>>()))?;
        }
        _ => {
            let log: Vec<Value> = log.iter().map(|one| dated(json!(one))).collect();
            output::values(format, &log)?;
        }
    }
    Ok(Ending::Clean)
}

/// Folds the log into the newest state of each file, and asks the disk about each.
fn known(log: &[FileOperation], workspace: &Path) -> Vec<KnownFile> {
    let registry = FileRegistry::fold(log, &BTreeMap::new());
    let root = Root::open(workspace).ok();
    let view = root.as_ref().map(|root| DiskView::new(root, AdmitOptions::default()));
    let known = |entry: &RegistryEntry| {
        let found = view.as_ref().and_then(|view| on_disk(view, &entry.path));
        KnownFile {
            path: entry.path.clone(),
            hash: entry.hash.clone(),
            md5: entry.md5.clone(),
            size: entry.size,
            last_seen_turn: entry.last_seen_turn,
            last_modified_turn: entry.last_modified_turn,
            loaded_by: entry.loaded_by,
            stale: found.map(|found| registry.is_stale(&entry.path, found.as_deref())),
        }
    };
    registry.entries().map(known).collect()
}

/// Returns the hash of a file on disk, or nothing for one that is not there; no answer where that cannot be told.
#[expect(clippy::option_option, reason = "no file and no answer are two things")]
fn on_disk(view: &DiskView<'_>, path: &str) -> Option<Option<String>> {
    let path = view.admit(path).ok()?;
    Some(view.read(&path).ok()?.map(|state| state.hash.hex()))
}

fn drawn(files: &[KnownFile]) -> String {
    let columns = [
        ("file", Align::Left),
        ("because of", Align::Left),
        ("seen", Align::Right),
        ("modified", Align::Right),
        ("bytes", Align::Right),
        ("known", Align::Left),
    ];
    let row = |file: &KnownFile| {
        let state = match file.stale {
            Some(false) => "as it is",
            Some(true) => "as it was",
            None => "-",
        };
        vec![
            file.path.clone(),
            file.loaded_by.name().to_owned(),
            format!("turn {}", file.last_seen_turn),
            file.last_modified_turn.map_or("-".to_owned(), |turn| format!("turn {turn}")),
            file.size.to_string(),
            state.to_owned(),
        ]
    };
    table(&columns, &files.iter().map(row).collect::<Vec<_>>())
}
