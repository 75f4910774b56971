//! Settings and Doctor: every setting with where it is from, and what the machine can do.
//!
//! In: rows of both. Out: the screen, with a choice where a setting has few values. Never a secret, and never a way to
//! change a setting but the user's own file.

use super::{go_button, post_button, terminal};
use crate::workbench::view::parts::{Tone, badge, card, empty, failure, screen_head, table};
use maud::{Markup, html};
use serde_json::json;

const ACTIONS: &str = "/api/v1/actions";

/// A setting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SettingView {
    /// Its name.
    pub(crate) name: String,
    /// Its value.
    pub(crate) value: String,
    /// Where that is from.
    pub(crate) origin: String,
    /// The values that can be chosen.
    pub(crate) choices: Vec<String>,
}

/// A change that can be taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChangedView {
    /// The setting.
    pub(crate) name: String,
    /// What the file said before.
    pub(crate) before: Option<String>,
    /// What it says now.
    pub(crate) after: String,
    /// The file.
    pub(crate) file: String,
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
    /// The last change that can be taken back.
    pub(crate) changed: Option<ChangedView>,
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
            p { "Settings live in your own " code { "config.toml" } ": a project can tighten them, never loosen them. Choose a value below, or change the line there; it counts from the next turn on." }
            p { "Which file that is: " (terminal("salve doctor")) " · all values with their origins: " (terminal("salve config show --origin")) }
            @if let Some(session) = &view.session {
                @let path = format!("/api/v1/sessions/{session}/actions");
                div.actions {
                    (post_button("Pause all work", &path, &json!({ "type": "pause" }), ""))
                    (post_button("Let work go on", &path, &json!({ "type": "resume" }), ""))
                }
            }
        }))
        @if let Some(changed) = &view.changed { (card("Last change", &last_change(changed))) }
        (card("Settings in force", &settings(&view.settings)))
        section #doctor.card { h2 { "Doctor" } (doctor(view)) }
    }
}

fn last_change(changed: &ChangedView) -> Markup {
    html! {
        p {
            code { (changed.name) } " is now " code { (changed.after) } ", before it was "
            @match &changed.before { Some(before) => { code { (before) } }, None => "not set" }
            " · " code { (changed.file) }
        }
        div.actions { (post_button("Undo", ACTIONS, &json!({ "type": "undoSetting" }), "")) }
    }
}

// A setting with few values is chosen, and what is chosen is written into the user's own file.
fn value(one: &SettingView) -> Markup {
    if one.choices.is_empty() {
        return html! { code { (one.value) } };
    }
    let body = json!({ "type": "changeSetting", "name": one.name });
    html! {
        span.setting-choice data-fields {
            select name="value" aria-label={ "Value of " (one.name) } {
                @for choice in &one.choices { option value=(choice) selected[*choice == one.value] { (choice) } }
            }
            (post_button("Change", ACTIONS, &body, "small"))
        }
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
        vec![html! { code { (one.name) } }, value(one), badge(tone, &one.origin)]
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
            choices: Vec::new(),
        };
        let chosen = SettingView {
            name: "strictness".into(),
            value: "development".into(),
            origin: "built in".into(),
            choices: vec!["sketch".into(), "development".into()],
        };
        let changed = ChangedView {
            name: "strictness".into(),
            before: None,
            after: "development".into(),
            file: "/home/x/config.toml".into(),
        };
        let fact = DoctorView {
            name: "sandbox".into(),
            state: "missing".into(),
            detail: "no Landlock".into(),
            hint: Some("newer kernel".into()),
        };
        let view = SettingsView {
            settings: vec![setting, chosen],
            changed: Some(changed),
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
            "Value of strictness",
            "<option value=\"development\" selected",
            "before it was not set",
            "undoSetting",
            "no gateway runs",
        ] {
            assert!(drawn.contains(words), "{words}: {drawn}");
        }
        let broken = SettingsView { fault: Some("line 3".into()), ..SettingsView::default() };
        assert!(settings_screen(&broken).into_string().contains("The settings cannot be read"));
    }
}
