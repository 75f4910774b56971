//! `salve knowledge export` and `import`: `healing-patterns.json`.
//!
//! In: the patterns of a workspace, or a file from anywhere. Out: the file, or what was new in it. Never half a
//! file: one that is refused changes nothing.

use super::{look, root};
use crate::arguments::{FolderArguments, Format, KnowledgeExportArguments, PlaceArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::{input, job_place, output};
use salve_store::{
    ImportedPattern, KnowledgeScope, PATTERN_FILE, PatternFilter, pattern_file, read_pattern_file,
};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The most patterns that one file is given.
const MOST: u32 = 200_000;

/// Runs `salve knowledge export`.
pub(super) fn export(
    store: &PlaceArguments,
    place: &FolderArguments,
    options: &KnowledgeExportArguments,
) -> CommandResult {
    let workspace = if options.all { None } else { Some(root(place)?) };
    let filter = PatternFilter { workspace, ..PatternFilter::default() };
    let found = look(store, async |store| Ok(store.patterns(&filter, MOST).await?))?;
    let patterns = found.unwrap_or_default();
    let text = pattern_file(&patterns, options.full);
    match options.file.as_deref().filter(|file| *file != Path::new("-")) {
        None => output::content(&text)?,
        Some(file) => {
            let file = if file.is_dir() { file.join(PATTERN_FILE) } else { file.to_owned() };
            write(&file, &text)?;
            let count = output::counted(patterns.len(), "error");
            output::story(&format!("{count} written to {}\n", file.display()));
        }
    }
    Ok(Ending::Clean)
}

/// Puts a new file in the place of an old one, whole.
pub(in crate::commands) fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
    let put = || -> std::io::Result<()> {
        let mut new = tempfile::Builder::new().tempfile_in(&folder)?;
        new.write_all(text.as_bytes())?;
        new.as_file().sync_all()?;
        new.persist(file)?;
        Ok(())
    };
    put().map_err(|error| Failure::new(format!("cannot write `{}`: {error}", file.display())))
}

/// Runs `salve knowledge import`.
pub(super) fn import(
    store: &PlaceArguments,
    place: &FolderArguments,
    file: &Path,
    scope: KnowledgeScope,
    format: Format,
) -> CommandResult {
    let text = input::text(Some(file))?;
    let patterns = read_pattern_file(&text).map_err(|error| {
        Failure::from(
            anyhow::Error::from(error).context(format!("`{}` is refused", file.display())),
        )
        .hint("Nothing of it was taken over.")
    })?;
    let workspace = root(place)?;
    let count = patterns.len();
    let fixes = job_place::with(store, "knowledge", async |open| {
        let mut fixes = 0;
        for pattern in patterns {
            let pattern = ImportedPattern { workspace: workspace.clone(), scope, ..pattern };
            fixes += open.store().import_pattern(pattern).await?;
        }
        Ok(fixes)
    })?;
    match format {
        Format::Human => output::result(&format!(
            "{}, {fixes} new {}; each is checked before it is used\n",
            output::counted(count, "error"),
            if fixes == 1 { "fix" } else { "fixes" },
        ))?,
        _ => output::value(format, &json!({ "patterns": count, "new_fixes": fixes }))?,
    }
    Ok(Ending::Clean)
}
