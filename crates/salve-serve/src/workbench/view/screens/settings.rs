//! Settings and Doctor: every setting with where it is from, and what the machine can do.
//!
//! In: rows of both. Out: the screen. Never a secret, and never a way to change a setting but the user's own file.

use super::{go_button, post_button, terminal};
use crate::workbench::view::parts::{Tone, badge, card, empty, failure, screen_head, table};
use maud::{Markup, html};
use serde_json::json;

/// A setting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SettingView {
    /// Its name.
    pub(crate) name: String,
    /// Its value.
    pub(crate) value: String,
    /// Where that is from.
    pub(crate) origin: String,
}

/// Something that the doctor looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DoctorView {
    /// What.
    pub(crate) name: String,
    /// `ok`, `missing` or `fail`.
    pub(crate) state: String,
    /// What was found.
    pub(crate) detail: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
}

/// What the screen shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct SettingsView {
    /// The settings.
    pub(crate) settings: Vec<SettingView>,
    /// Why they cannot be read.
    pub(crate) fault: Option<String>,
    /// What the doctor found.
    pub(crate) doctor: Vec<DoctorView>,
    /// Where the gateway listens.
    pub(crate) gateway: Option<String>,
    /// The version.
    pub(crate) version: String,
    /// The session used last, by which work is paused.
    pub(crate) session: Option<String>,
}

/// Draws the screen.
pub(crate) fn settings_screen(view: &SettingsView) -> Markup {
    html! {
        (screen_head("Settings", "Every setting with its value and where that is from. They are read anew for every turn.", &html! {}))
        @if let Some(why) = &view.fault { (failure("The settings cannot be read", why, "Mend the file that is named, and load this page again.")) }
        (card("How to change one", &html! {
            p { "Settings live in your own " code { "config.toml" } ": a project can tighten them, never loosen them. Change the line there; it counts from the next turn on, and taking the line out undoes it." }
            p { "Which file that is: " (terminal("salve doctor")) " · all values with their origins: " (terminal("salve config show --origin")) }
            @if let Some(session) = &view.session {
                @let path = format!("/api/v1/sessions/{session}/actions");
                div.actions {
                    (post_button("Pause all work", &path, &json!({ "type": "pause" }), ""))
                    (post_button("Let work go on", &path, &json!({ "type": "resume" }), ""))
                }
            }
        }))
        (card("Settings in force", &settings(&view.settings)))
        section #doctor.card { h2 { "Doctor" } (doctor(view)) }
    }
}

fn settings(settings: &[SettingView]) -> Markup {
    if settings.is_empty() {
        return empty(
            "⚙️",
            "No setting to show",
            "The settings could not be read; the reason is above.",
            &[],
        );
    }
    let row = |one: &SettingView| {
        let tone = if one.origin == "built in" { Tone::Plain } else { Tone::Info };
        vec![
            html! { code { (one.name) } },
            html! { code { (one.value) } },
            badge(tone, &one.origin),
        ]
    };
    let rows: Vec<Vec<Markup>> = settings.iter().map(row).collect();
    table("Settings in force", &["Setting", "Value", "From"], &rows)
}

fn doctor(view: &SettingsView) -> Markup {
    let bad = view.doctor.iter().filter(|one| one.state != "ok").count();
    let row = |one: &DoctorView| {
        vec![
            super::outcome_badge(&one.state),
            html! { (one.name) },
            html! { (one.detail) @if let Some(hint) = &one.hint { br; span.dim { (hint) } } },
        ]
    };
    let rows: Vec<Vec<Markup>> = view.doctor.iter().map(row).collect();
    html! {
        p.dim {
            @if !view.version.is_empty() { "Salve " (view.version) " · " }
            @if let Some(gateway) = &view.gateway { "gateway at " code { (gateway) } } @else { "no gateway runs" }
            @if !view.doctor.is_empty() { " · " @if bad == 0 { "everything is in order" } @else { (bad) " to look at" } }
        }
        @if rows.is_empty() { div.actions { (go_button("Ask the doctor", "/settings?doctor=1#doctor", "")) span.dim { "It looks at the sandbox, the tools and the models of this machine, which takes a few seconds. In the terminal: " (terminal("salve doctor")) } } }
        @else { (table("Doctor", &["State", "What", "Found"], &rows)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_their_origin_and_the_doctor_his_facts() {
        let setting = SettingView {
            name: "auto_apply".into(),
            value: "<on>".into(),
            origin: "config.toml".into(),
        };
        let fact = DoctorView {
            name: "sandbox".into(),
            state: "missing".into(),
            detail: "no Landlock".into(),
            hint: Some("newer kernel".into()),
        };
        let view = SettingsView {
            settings: vec![setting],
            doctor: vec![fact],
            version: "0.1".into(),
            ..SettingsView::default()
        };
        let drawn = settings_screen(&view).into_string();
        for words in [
            "<h1>Settings</h1>",
            "auto_apply",
            "config.toml",
            "&lt;on&gt;",
            "sandbox",
            "missing",
            "newer kernel",
            "1 to look at",
            "no gateway runs",
        ] {
            assert!(drawn.contains(words), "{words}: {drawn}");
        }
        let broken = SettingsView { fault: Some("line 3".into()), ..SettingsView::default() };
        assert!(settings_screen(&broken).into_string().contains("The settings cannot be read"));
    }
}
