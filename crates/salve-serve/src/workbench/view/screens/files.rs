//! Files: what a session knows of its files, and what was done to them turn by turn.
//!
//! In: the registry, asked against the disk, and the operations. Out: the screen. Never a content of a file.

use super::{SessionChoice, counted, hash, sessions_menu, terminal};
use crate::workbench::view::chart::thousands;
use crate::workbench::view::parts::{Tone, badge, card, empty, moment, notice, screen_head, table};
use maud::{Markup, html};

/// What the session's knowledge of a file is worth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// The model has seen it as it is.
    Fresh,
    /// It was changed in the session after the model last saw it.
    Changed,
    /// It is not on disk what the session knows.
    ChangedOutside,
    /// It is not there any more.
    Gone,
    /// The disk could not be asked.
    #[default]
    Unknown,
}

/// A file of the registry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileRow {
    /// The path.
    pub(crate) path: String,
    /// What is known is worth this.
    pub(crate) freshness: Freshness,
    /// The language.
    pub(crate) language: String,
    /// Bytes.
    pub(crate) size: u64,
    /// Why it is in the conversation.
    pub(crate) loaded_by: String,
    /// The turn in which the model last had it.
    pub(crate) seen: u32,
    /// The turn in which it was last changed.
    pub(crate) modified: Option<u32>,
    /// Its hash, as last known.
    pub(crate) hash: Option<String>,
    /// Its MD5.
    pub(crate) md5: Option<String>,
}

/// Something that was done to a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OperationRow {
    /// What.
    pub(crate) op: String,
    /// By whom.
    pub(crate) by: String,
    /// The path.
    pub(crate) path: String,
    /// Bytes afterwards.
    pub(crate) size: u64,
    /// Hashes before and after.
    pub(crate) hashes: (Option<String>, Option<String>),
    /// When.
    pub(crate) at: i64,
}

/// What was done in a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TurnFiles {
    /// The turn.
    pub(crate) turn: u32,
    /// What was done, in order.
    pub(crate) operations: Vec<OperationRow>,
    /// How many more there were.
    pub(crate) left_out: usize,
}

/// What the screen shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct FilesView {
    /// The sessions of the workspace.
    pub(crate) sessions: Vec<SessionChoice>,
    /// The chosen one.
    pub(crate) session: Option<SessionChoice>,
    /// The turn that the session is at.
    pub(crate) turn: u32,
    /// The files.
    pub(crate) files: Vec<FileRow>,
    /// Files that are not listed.
    pub(crate) left_out: usize,
    /// What was done, newest turn first.
    pub(crate) turns: Vec<TurnFiles>,
}

/// Draws the screen.
pub(crate) fn files_screen(view: &FilesView) -> Markup {
    let chosen = view.session.as_ref().map(|session| session.id.as_str());
    let stale = view.files.iter().filter(|file| is_stale(file.freshness)).count();
    html! {
        (screen_head("Files", "The files that a session knows, and whether they are still what the model saw.",
            &sessions_menu("/files", chosen, &view.sessions)))
        @if view.files.is_empty() && view.turns.is_empty() {
            (empty("📂", "No file was read yet", "A file is registered when a turn reads it: with its hash, its size and why it was read. A file that changed since is marked, and shown to the model again before it is edited.",
                &["Open Chat", "Name a file with @, or ask about one", "Come back to see what the model knows of it"]))
        } @else {
            @if let Some(session) = &view.session {
                p.dim { "Session " a href={ "/chat/" (session.id) } { (super::titled(&session.title)) } ", " (counted(view.files.len() + view.left_out, "file")) ", turn " (view.turn) }
            }
            @if stale > 0 {
                (notice(Tone::Info, &format!("{} changed since the model saw {}", counted(stale, "file"), if stale == 1 { "it" } else { "them" }),
                    &html! { p { "An edit of such a file is not applied blindly: it is shown to the model again first." } }))
            }
            (card("Registry", &registry(view)))
            (card("What was done, turn by turn", &log(&view.turns)))
        }
    }
}

const fn is_stale(freshness: Freshness) -> bool {
    matches!(freshness, Freshness::Changed | Freshness::ChangedOutside | Freshness::Gone)
}

fn registry(view: &FilesView) -> Markup {
    let row = |file: &FileRow| {
        vec![
            html! { code { (file.path) } },
            freshness_badge(file.freshness),
            html! { (seen(view.turn, file.seen)) },
            html! { (modified(file)) },
            html! { (file.loaded_by) },
            html! { (file.language) },
            html! { (thousands(file.size)) },
            html! { @if let Some(known) = &file.hash { (hash(known)) } @else { "unknown" } @if let Some(md5) = &file.md5 { br; span.dim { "md5 " (hash(md5)) } } },
        ]
    };
    let rows: Vec<Vec<Markup>> = view.files.iter().map(row).collect();
    let heads = [
        "File",
        "Known as",
        "Last Seen",
        "Modified Since",
        "Loaded by",
        "Language",
        "Bytes",
        "Hash (first 12)",
    ];
    html! {
        (table("Registry", &heads, &rows))
        @if view.left_out > 0 { p.dim { (counted(view.left_out, "file")) " more: " (terminal("salve files")) } }
    }
}

fn seen(turn: u32, seen: u32) -> String {
    match turn.saturating_sub(seen) {
        0 => "This turn".to_owned(),
        ago => format!("{ago} turn(s) ago"),
    }
}

fn modified(file: &FileRow) -> String {
    match file.modified {
        Some(turn) if is_stale(file.freshness) => format!("⚠️ Yes (turn {turn})"),
        None if is_stale(file.freshness) => "⚠️ Yes (outside)".to_owned(),
        Some(turn) => format!("No (turn {turn})"),
        None => "No".to_owned(),
    }
}

fn freshness_badge(freshness: Freshness) -> Markup {
    match freshness {
        Freshness::Fresh => badge(Tone::Good, "✓ as it is"),
        Freshness::Changed => badge(Tone::Wait, "⚠️ stale"),
        Freshness::ChangedOutside => badge(Tone::Wait, "⚠️ changed outside"),
        Freshness::Gone => badge(Tone::Bad, "✗ gone"),
        Freshness::Unknown => badge(Tone::Plain, "not read"),
    }
}

fn log(turns: &[TurnFiles]) -> Markup {
    html! {
        @for (at, turn) in turns.iter().enumerate() {
            details open[at == 0] {
                summary { "Turn " (turn.turn) ": " (counted(turn.operations.len() + turn.left_out, "operation")) }
                (operations(turn))
                @if turn.left_out > 0 { p.dim { (turn.left_out) " more: " (terminal(&format!("salve files --log --turn {}", turn.turn))) } }
            }
        }
        @if turns.is_empty() { p.dim { "Nothing was done yet." } }
    }
}

fn operations(turn: &TurnFiles) -> Markup {
    let row = |one: &OperationRow| {
        let (before, after) = &one.hashes;
        let after = after.as_ref().filter(|after| before.as_ref() != Some(*after));
        vec![
            html! { (moment(one.at)) },
            badge(Tone::Plain, &one.op),
            html! { (one.by) },
            html! { code { (one.path) } },
            html! { (thousands(one.size)) },
            html! {
                @if let Some(before) = before { (hash(before)) }
                @if before.is_some() && after.is_some() { " → " }
                @if let Some(after) = after { (hash(after)) }
            },
        ]
    };
    let rows: Vec<Vec<Markup>> = turn.operations.iter().map(row).collect();
    let heads = ["When", "What", "By", "File", "Bytes", "Hash"];
    table(&format!("Turn {}", turn.turn), &heads, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(path: &str, freshness: Freshness, seen: u32, modified: Option<u32>) -> FileRow {
        FileRow {
            path: path.into(),
            freshness,
            seen,
            modified,
            hash: Some("0123456789abcdef".into()),
            ..FileRow::default()
        }
    }

    #[test]
    fn c247_c248_stale_files_are_marked() {
        let files = vec![
            row("a.rs", Freshness::Fresh, 4, None),
            row("<b>.rs", Freshness::Changed, 1, Some(3)),
            row("c.rs", Freshness::ChangedOutside, 2, None),
        ];
        let view = FilesView { files, turn: 4, ..FilesView::default() };
        let drawn = files_screen(&view).into_string();
        for words in [
            "This turn",
            "3 turn(s) ago",
            "⚠️ Yes (turn 3)",
            "⚠️ changed outside",
            "2 files changed since",
            ">0123456789ab</code>",
        ] {
            assert!(drawn.contains(words), "{words}: {drawn}");
        }
        assert!(!drawn.contains("<b>.rs"), "{drawn}");
    }

    #[test]
    fn operations_are_told_by_turn() {
        let operation =
            OperationRow { op: "update".into(), path: "a.rs".into(), ..OperationRow::default() };
        let turns = vec![TurnFiles { turn: 3, operations: vec![operation], left_out: 2 }];
        let drawn = files_screen(&FilesView { turns, ..FilesView::default() }).into_string();
        assert!(
            drawn.contains("Turn 3: 3 operations") && drawn.contains("salve files --log --turn 3"),
            "{drawn}"
        );
        assert!(files_screen(&FilesView::default()).into_string().contains("No file was read yet"));
    }
}
