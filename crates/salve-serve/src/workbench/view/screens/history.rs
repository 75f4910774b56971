//! History: every change of files, what going back would do, and the buttons that do it.
//!
//! In: change sets, turns, and the difference to before one. Out: the screen. Never a button for what cannot be taken
//! back.

use super::{
    FileDiff, SessionChoice, counted, file_diffs, go_button, hash, older, post_button,
    sessions_menu, terminal,
};
use crate::workbench::view::parts::{
    Tone, badge, card, empty, failure, moment, notice, screen_head, short,
};
use maud::{Markup, html};
use serde_json::json;

/// What became of a change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ChangeFate {
    /// It is in the files.
    #[default]
    InEffect,
    /// It was taken back.
    TakenBack,
    /// It was refused: there is nothing to take back.
    Blocked,
    /// The files were as it wanted them.
    NoChangeNeeded,
}

/// A change in a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChangeView {
    /// Its id.
    pub(crate) id: String,
    /// Its number in the workspace.
    pub(crate) number: u64,
    /// Whether the files are at it.
    pub(crate) here: bool,
    /// What became of it.
    pub(crate) fate: ChangeFate,
    /// Its files, each with what happened to it.
    pub(crate) files: Vec<String>,
    /// How many there are.
    pub(crate) file_count: usize,
    /// Lines that came and went.
    pub(crate) lines: (u64, u64),
    /// What it cost.
    pub(crate) micro_dollars: u64,
    /// When.
    pub(crate) at: i64,
    /// Where it is from.
    pub(crate) origin: String,
    /// What it was called.
    pub(crate) label: Option<String>,
    /// The turn it was made in, where it was made in a conversation.
    pub(crate) turn: Option<TurnPlace>,
}

/// A turn of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TurnPlace {
    /// The session.
    pub(crate) session: String,
    /// Which turn.
    pub(crate) turn: u32,
}

/// A turn that can be gone back to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TurnLine {
    /// Where.
    pub(crate) place: TurnPlace,
    /// What was asked.
    pub(crate) request: String,
    /// Whether it counts no more.
    pub(crate) rewound: bool,
    /// When.
    pub(crate) at: i64,
}

/// What going back to before a turn would do.
#[derive(Debug, Clone, Default)]
pub(crate) struct ComparedView {
    /// The turn.
    pub(crate) place: TurnPlace,
    /// The files, as they are now against as they would be.
    pub(crate) files: Vec<FileDiff>,
    /// How many changes are taken back.
    pub(crate) changes: usize,
    /// Changes that are not of the session and lie in between.
    pub(crate) others: usize,
    /// Files that are not shown.
    pub(crate) left_out: usize,
}

/// What the screen shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct HistoryView {
    /// The sessions of the workspace.
    pub(crate) sessions: Vec<SessionChoice>,
    /// The chosen one.
    pub(crate) session: Option<SessionChoice>,
    /// The changes, newest first.
    pub(crate) changes: Vec<ChangeView>,
    /// How many there are in all.
    pub(crate) total: usize,
    /// Where the older ones are.
    pub(crate) older: Option<String>,
    /// The turns of the chosen session, newest first.
    pub(crate) turns: Vec<TurnLine>,
    /// The turn before which the last rewind went, while it can be undone.
    pub(crate) undoable: Option<u32>,
    /// A comparison, where one is asked for.
    pub(crate) compared: Option<ComparedView>,
    /// Why the changes cannot be read now.
    pub(crate) unreadable: Option<String>,
}

/// What is said of changes that cannot be taken back.
fn not_applied(count: usize) -> String {
    format!(
        "⚠️ {count} change(s) failed to apply originally (AI hallucinated file content). These cannot be rolled back."
    )
}

/// Draws the screen.
pub(crate) fn history_screen(view: &HistoryView) -> Markup {
    let chosen = view.session.as_ref().map(|session| session.id.as_str());
    let about = "Every change of a file, in order. Compare first; going back can itself be undone.";
    let blocked = view.changes.iter().filter(|change| change.fate == ChangeFate::Blocked).count();
    html! {
        (screen_head("History", about, &sessions_menu("/history", chosen, &view.sessions)))
        @if let (Some(turn), Some(session)) = (view.undoable, &view.session) { (undo(turn, session)) }
        @if let Some(compared) = &view.compared { (comparison(compared)) }
        @if let Some(why) = &view.unreadable {
            (failure("The changes cannot be read now", why, "While a turn works on the files, this waits for it. Load the page again."))
        }
        @if blocked > 0 { (notice(Tone::Info, "", &html! { p { (not_applied(blocked)) } })) }
        @if view.changes.is_empty() && view.unreadable.is_none() {
            (empty("⏪", "Nothing was changed yet", "Every change that is applied here keeps the files before and after it, byte for byte.",
                &["Open Chat, and ask for a change", "Apply it", "Come back: it can be compared and taken back"]))
        } @else if !view.changes.is_empty() {
            (card("Change History", &html! {
                ol.timeline aria-label="Changes" { @for change in &view.changes { (change_row(change)) } }
                p.dim { (counted(view.total, "change")) " in all" }
                (older(view.older.as_deref()))
            }))
        }
        @if !view.turns.is_empty() { (turns(view)) }
    }
}

fn undo(turn: u32, session: &SessionChoice) -> Markup {
    let path = format!("/api/v1/sessions/{}/actions", session.id);
    notice(
        Tone::Info,
        &format!("The session was rewound to before turn {turn}"),
        &html! {
            p { "What was taken back is kept. Undoing brings files and turns back as they were." }
            div.actions { (post_button("Undo the rewind", &path, &json!({ "type": "undoRewind" }), "")) }
        },
    )
}

fn change_row(change: &ChangeView) -> Markup {
    let mark = if change.here { "●" } else { "○" };
    let more = change.file_count.saturating_sub(change.files.len());
    html! {
        li.change-row .here[change.here] id={ "change-" (change.number) } {
            div.words {
                p {
                    span aria-hidden="true" { (mark) " " }
                    strong { "Change #" (change.number) }
                    " - " (counted(change.file_count, "file"))
                    " (" span.plus { "+" (change.lines.0) } " " span.minus { "-" (change.lines.1) } ")"
                    " - " (cents(change.micro_dollars))
                    " - " (moment(change.at)) " "
                    (fate_badge(change.fate))
                    @if change.here { (badge(Tone::Info, "The files are here")) }
                }
                p.dim {
                    (change.origin) " " (hash(&change.id))
                    @if let Some(label) = &change.label { " · " (short(label, 80)) }
                }
                p.paths {
                    @for (at, file) in change.files.iter().enumerate() { @if at > 0 { ", " } code { (file) } }
                    @if more > 0 { " and " (more) " more" }
                }
            }
            (row_actions(change))
        }
    }
}

// A line has dollars and cents, as the list in the terminal has.
fn cents(micro_dollars: u64) -> String {
    format!("${:.2}", micro_dollars as f64 / 1e6)
}

fn row_actions(change: &ChangeView) -> Markup {
    let can_rewind = change.fate == ChangeFate::InEffect;
    html! {
        div.actions {
            @match &change.turn {
                Some(place) if can_rewind => {
                    (go_button("Compare", &compare_link(place), "small"))
                    (rewind_button("◀ Rewind", place, "both", "small"))
                },
                None if can_rewind => {
                    span.dim { "Not of a session: " (terminal(&format!("salve rewind {}", change.id))) }
                },
                _ => {},
            }
        }
    }
}

fn fate_badge(fate: ChangeFate) -> Markup {
    match fate {
        ChangeFate::InEffect => html! {},
        ChangeFate::TakenBack => badge(Tone::Plain, "↩ taken back"),
        ChangeFate::Blocked => badge(Tone::Bad, "🚫 not applied"),
        ChangeFate::NoChangeNeeded => badge(Tone::Plain, "no change was needed"),
    }
}

fn compare_link(place: &TurnPlace) -> String {
    format!("/history?session={}&before={}#compare", place.session, place.turn)
}

// The words on the button are "Rewind"; the sign is for the eye.
fn rewind_button(words: &str, place: &TurnPlace, scope: &str, class: &str) -> Markup {
    let path = format!("/api/v1/sessions/{}/actions", place.session);
    let body = json!({ "type": "rewind", "turn": place.turn, "scope": scope });
    html! {
        button class=(class) type="button" data-post=(path) data-body=(body.to_string())
            aria-label=[(scope == "both").then_some("Rewind")]
            title={ "Go back to before turn " (place.turn) } { (words) }
    }
}

fn comparison(view: &ComparedView) -> Markup {
    let place = &view.place;
    let body = html! {
        p {
            "Going back to before turn " (place.turn) " takes " (counted(view.changes, "change")) " back. "
            "Red lines go, green lines come."
        }
        @if view.others > 0 {
            (notice(Tone::Wait, "", &html! {
                p { (counted(view.others, "change")) " in between " @if view.others == 1 { "is" } @else { "are" }
                    " not of this session; the files are not moved past others' work." }
            }))
        }
        div.actions {
            (rewind_button("Rewind both", place, "both", "primary"))
            (rewind_button("Rewind files", place, "files", ""))
            (rewind_button("Rewind conversation", place, "conversation", ""))
            button.quiet type="button" data-do="split" aria-pressed="false" { "Side by side" }
            a.button href={ "/history?session=" (place.session) } { "Close" }
        }
        @if view.files.is_empty() { p.dim { "No file would change." } }
        (file_diffs(&view.files))
        @if view.left_out > 0 { p.dim { (counted(view.left_out, "file")) " more would change and " @if view.left_out == 1 { "is" } @else { "are" } " not shown." } }
    };
    html! { section #compare.card { h2 { "Compare before restore: turn " (place.turn) } (body) } }
}

fn turns(view: &HistoryView) -> Markup {
    let title = view.session.as_ref().map_or("", |session| super::titled(&session.title));
    card(
        &format!("Turns of “{title}”"),
        &html! {
            ol.timeline aria-label="Turns" {
                @for turn in &view.turns {
                    li.change-row {
                        div.words {
                            p { strong { "Turn " (turn.place.turn) } " - " (moment(turn.at)) " "
                                @if turn.rewound { (badge(Tone::Plain, "↩ rewound")) } }
                            p { a href={ "/chat/" (turn.place.session) "?at=" (turn.place.turn) "#t" (turn.place.turn) } { (short(&turn.request, 120)) } }
                        }
                        @if !turn.rewound {
                            div.actions {
                                (go_button("Compare", &compare_link(&turn.place), "small"))
                                (rewind_button("◀ Rewind", &turn.place, "both", "small"))
                            }
                        }
                    }
                }
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::view::diff::hunks_between;

    fn place() -> TurnPlace {
        TurnPlace { session: "s1".into(), turn: 3 }
    }

    fn change(number: u64) -> ChangeView {
        ChangeView {
            id: format!("c{number}"),
            number,
            files: vec!["a<b>.rs".into()],
            file_count: 2,
            lines: (45, 12),
            micro_dollars: 20_000,
            turn: Some(place()),
            ..ChangeView::default()
        }
    }

    #[test]
    fn c116_changes_are_listed_with_their_figures() {
        let here = ChangeView { here: true, ..change(3) };
        let view =
            HistoryView { changes: vec![here, change(2)], total: 2, ..HistoryView::default() };
        let drawn = history_screen(&view).into_string();
        assert!(drawn.contains("<h2>Change History</h2>") && drawn.contains("◀ Rewind"), "{drawn}");
        assert!(
            drawn.contains("<strong>Change #3</strong> - 2 files (<span class=\"plus\">+45"),
            "{drawn}"
        );
        assert!(
            drawn.contains(" - $0.02 - ")
                && drawn.matches("● ").count() == 1
                && drawn.matches("○ ").count() == 1
        );
        assert!(drawn.contains("aria-label=\"Rewind\"") && !drawn.contains("a<b>"), "{drawn}");
    }

    #[test]
    fn c120_what_was_not_applied_has_no_button() {
        let blocked = ChangeView { fate: ChangeFate::Blocked, ..change(1) };
        let noop = ChangeView { fate: ChangeFate::NoChangeNeeded, ..change(2) };
        let drawn =
            history_screen(&HistoryView { changes: vec![blocked, noop], ..HistoryView::default() })
                .into_string();
        assert!(
            drawn.contains(
                "⚠️ 1 change(s) failed to apply originally (AI hallucinated file content)."
            ),
            "{drawn}"
        );
        assert!(!drawn.contains("data-post"), "{drawn}");
    }

    #[test]
    fn c117_comparing_comes_before_each_kind_of_rewind() {
        let files = vec![FileDiff {
            path: "a.rs".into(),
            hunks: hunks_between("new\n", "old\n"),
            note: None,
        }];
        let compared = ComparedView { place: place(), files, changes: 2, others: 1, left_out: 0 };
        let view = HistoryView {
            compared: Some(compared),
            undoable: Some(2),
            session: Some(SessionChoice { id: "s1".into(), title: "t".into() }),
            ..HistoryView::default()
        };
        let drawn = history_screen(&view).into_string();
        for scope in ["both", "files", "conversation"] {
            let body = json!({ "type": "rewind", "turn": 3, "scope": scope }).to_string();
            let body = body.replace('"', "&quot;");
            assert!(drawn.contains(&body), "{scope}: {drawn}");
        }
        assert!(
            drawn.contains("role=\"group\" aria-label=\"a.rs\"")
                && drawn.contains("Undo the rewind"),
            "{drawn}"
        );
    }

    #[test]
    fn an_empty_history_teaches() {
        let drawn = history_screen(&HistoryView::default()).into_string();
        assert!(drawn.contains("<h1>History</h1>") && drawn.contains("Nothing was changed yet"));
    }
}
