//! `salve history` and `salve diff`: what was applied here, and what it did.
//!
//! In: the history of a workspace. Out: one line per change, or a change in full. Never writes,
//! except `gc`, which forgets contents when it is asked to.

use crate::arguments::{DiffArguments, Format, HistoryArguments, HistoryCommand};
use crate::change::{self, visible};
use crate::commands::undo::find;
use crate::failure::{CommandResult, Ending};
use crate::output;
use crate::workspace::{self, now};
use anstyle::{AnsiColor, Style};
use salve_engine::host::OpenWorkspace;
use salve_tree::{ChangeSet, ChangedFile, ExportedChange, History};
use serde_json::json;

/// Runs `salve history`.
pub(crate) fn run(arguments: &HistoryArguments, format: Format) -> CommandResult {
    let opened = match &arguments.command {
        Some(HistoryCommand::Gc { max_size: Some(mib) }) => {
            workspace::open_keeping(&arguments.tree, mib.saturating_mul(1 << 20))?
        }
        _ => workspace::open(&arguments.tree)?,
    };
    match &arguments.command {
        None => list(&opened, arguments.limit, format),
        Some(HistoryCommand::Gc { .. }) => collect(&opened, format),
        Some(HistoryCommand::Export { change }) => {
            let history = History::load(&opened.tree)?;
            let exported = history.export(&opened.tree, &find(&history, change)?.id)?;
            output::json(&exported)?;
            Ok(Ending::Clean)
        }
    }
}

/// Runs `salve diff`.
pub(crate) fn run_diff(arguments: &DiffArguments, format: Format) -> CommandResult {
    let opened = workspace::open(&arguments.tree)?;
    let history = History::load(&opened.tree)?;
    let change = match &arguments.change {
        Some(named) => Some(find(&history, named)?),
        None => history.position(),
    };
    let Some(change) = change else {
        output::story("There is no change yet.\n");
        return Ok(Ending::Clean);
    };
    let exported = history.export(&opened.tree, &change.id)?;
    match format {
        Format::Human => output::result(&drawn(&exported))?,
        _ => output::value(format, &exported)?,
    }
    Ok(Ending::Clean)
}

fn list(opened: &OpenWorkspace, limit: usize, format: Format) -> CommandResult {
    let history = History::load(&opened.tree)?;
    let size = History::size(&opened.tree)?;
    let newest: Vec<&ChangeSet> = history.changes().iter().rev().take(limit).collect();
    let position = history.position().map(|change| change.id.as_str());
    match format {
        Format::Human => {
            let mut text = String::new();
            for change in &newest {
                let here = position == Some(change.id.as_str());
                text.push_str(&line(change, here, history.is_in_effect(&change.id)));
            }
            if history.changes().is_empty() {
                text.push_str("no changes yet\n");
            }
            let dim = Style::new().dimmed();
            text.push_str(&format!(
                "{dim}{}, {} kept in {} of at most {}{dim:#}\n",
                counted(history.changes().len(), "change"),
                counted(size.contents, "content"),
                bytes(size.bytes),
                bytes(size.cap),
            ));
            output::result(&text)?;
        }
        Format::Jsonl => {
            for change in &newest {
                output::json_line(change)?;
            }
        }
        _ => output::json(&json!({
            "changeHistory": { "history": newest, "position": position }, "size": size,
        }))?,
    }
    Ok(Ending::Clean)
}

// `● Change #3 - 2 files (+45 -12) - $0.02 - 3s ago`, older ones with `○`.
fn line(change: &ChangeSet, here: bool, in_effect: bool) -> String {
    let bold = if here { Style::new().bold() } else { Style::new() };
    let (green, red) = (AnsiColor::Green.on_default(), AnsiColor::Red.on_default());
    let dim = Style::new().dimmed();
    let files = counted(change.files.len(), "file");
    let stats = &change.total_stats;
    let cost = change
        .cost
        .map_or(String::new(), |cost| format!(" - ${:.2}", cost.micro_dollars as f64 / 1e6));
    let ago = ago(now().saturating_sub(change.timestamp));
    let label =
        change.label.as_deref().map_or(String::new(), |label| format!(" - {}", visible(label)));
    let state = match (change.applied, in_effect) {
        (false, _) => " (not applied)",
        (true, false) => " (taken back)",
        (true, true) => "",
    };
    let names = names(change);
    format!(
        "{bold}{} Change #{}{bold:#} - {files} ({green}+{}{green:#} {red}-{}{red:#}){cost} - {ago}{label}{dim}{state}{dim:#}\n{dim}{names}{dim:#}",
        if here { '●' } else { '○' },
        change.number,
        stats.added,
        stats.removed,
    )
}

// `    src/a.rs, src/b.rs (new) and 3 more`: what a change can be told by.
fn names(change: &ChangeSet) -> String {
    const SHOWN: usize = 4;
    let named = |file: &ChangedFile| {
        let path = visible(&file.file_path);
        match (&file.moved_from, &file.old, &file.new) {
            (Some(from), ..) => format!("{} → {path}", visible(from)),
            (None, None, Some(_)) => format!("{path} (new)"),
            (None, Some(_), None) => format!("{path} (deleted)"),
            _ => path,
        }
    };
    // A file that was moved is listed once, at its new place.
    let gone = |file: &&ChangedFile| {
        let here = Some(file.file_path.as_str());
        file.new.is_some() || change.files.iter().all(|it| it.moved_from.as_deref() != here)
    };
    let all: Vec<&ChangedFile> = change.files.iter().filter(gone).collect();
    let shown: Vec<String> = all.iter().take(SHOWN).map(|file| named(file)).collect();
    match all.len().saturating_sub(SHOWN) {
        _ if all.is_empty() => String::new(),
        0 => format!("    {}\n", shown.join(", ")),
        more => format!("    {} and {more} more\n", shown.join(", ")),
    }
}

fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

pub(super) fn ago(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0..60 => format!("{seconds}s ago"),
        60..3_600 => format!("{}m ago", seconds / 60),
        3_600..86_400 => format!("{}h ago", seconds / 3_600),
        _ => format!("{}d ago", seconds / 86_400),
    }
}

fn bytes(count: u64) -> String {
    match count {
        0..1_024 => format!("{count} B"),
        1_024..1_048_576 => format!("{:.1} KiB", count as f64 / 1_024.0),
        _ => format!("{:.1} MiB", count as f64 / 1_048_576.0),
    }
}

fn collect(opened: &OpenWorkspace, format: Format) -> CommandResult {
    let report = History::gc(&opened.tree)?;
    match format {
        Format::Human => output::result(&format!(
            "{} contents forgotten, {} freed; {} contents in {} stay\n",
            report.forgotten,
            bytes(report.freed),
            report.kept.contents,
            bytes(report.kept.bytes),
        ))?,
        _ => output::value(format, &report)?,
    }
    Ok(Ending::Clean)
}

/// Draws the files of a change.
pub(crate) fn drawn_files(exported: &ExportedChange) -> String {
    let files = exported.change.files.iter().zip(&exported.contents);
    files
        .map(|(file, content)| {
            let old = content.old_content.as_deref().zip(file.old.as_ref().map(|old| old.mode));
            let new = content.new_content.as_deref().zip(file.new.as_ref().map(|new| new.mode));
            change::file(&file.file_path, old, new)
        })
        .collect()
}

fn drawn(exported: &ExportedChange) -> String {
    let change = &exported.change;
    let mut text: String = line(change, true, true).lines().take(1).collect();
    text.push('\n');
    text.push_str(&drawn_files(exported));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_read_as_people_say_them() {
        assert_eq!(
            [3_000, 59_999, 300_000, 7_200_000, 200_000_000].map(ago),
            ["3s ago", "59s ago", "5m ago", "2h ago", "2d ago"]
        );
        assert_eq!([10, 2_048, 5 << 20].map(bytes), ["10 B", "2.0 KiB", "5.0 MiB"]);
    }
}
