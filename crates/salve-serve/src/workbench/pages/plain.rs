//! Screens that so far only say what they are for, and where the same is found today.
//!
//! In: nothing but the frame. Out: pages. Never a figure that nothing is behind.

use super::super::answer::{Answer, page};
use super::super::state::WorkbenchState;
use super::super::view::parts::{empty, screen_head};
use super::super::view::shell;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use maud::html;
use std::sync::Arc;

macro_rules! screens {
    ($($name:ident: $title:literal, $about:literal, $icon:literal, $words:literal, [$($step:literal),*];)+) => {
        $(
            #[doc = concat!("Answers with the screen ", $title, ".")]
            pub(super) async fn $name(State(state): State<Arc<WorkbenchState>>) -> Answer<Response> {
                let body = html! {
                    (screen_head($title, $about, &html! {}))
                    (empty($icon, concat!($title, " in the terminal"), $words, &[$($step),*]))
                };
                Ok(page(StatusCode::OK, shell::page(&super::shell(&state, $title), &body)))
            }
        )+
    };
}

screens! {
    home: "Home", "What was healed, blocked, rolled back and learned.", "🩹",
        "Ask for a change in the chat. What happens on the way is counted, and can be looked up in the terminal.",
        ["Open Chat", "Ask for a change", "salve sessions list"];
    history: "History", "Every change of a file, in order; each can be taken back.", "⏪",
        "Rewind is a button of every turn in the chat.", ["salve history", "salve undo", "salve sessions rewind last --turn N"];
    files: "Files", "The files that a session knows, and which of them changed since.", "📂",
        "The registry of the newest session can be listed.", ["salve files"];
    heal: "Heal", "A failing check, healed step by step.", "❤️‍🩹",
        "Start one in the folder of the project.", ["salve check", "salve heal"];
    knowledge: "Knowledge", "Patterns and rules that were learned from accepted fixes.", "📖",
        "What is known is listed with how often it won.", ["salve rules"];
    jobs: "Jobs", "What runs, what waits, and calls whose end is not known.", "🧵",
        "Jobs survive a restart, and are listed.", ["salve jobs list"];
    audit: "Audit", "Every prompt and answer of a session, where you asked for that.", "🔍",
        "Turn it on for a session; from then on every generation is kept.", ["salve sessions audit last --on", "salve sessions export last --document audit"];
    settings: "Settings", "Every setting with its value and where that is from.", "⚙️",
        "Settings are files of yours; nothing here changes them.", ["salve config show --origin", "salve doctor"];
}
