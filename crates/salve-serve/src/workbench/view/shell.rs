//! The frame around every screen: navigation, theme, toasts, the palette and the sheet of keys.
//!
//! In: which screen, its body, and where the assets are. Out: a whole page. Never an inline script or style.

use super::icons::icon;
use maud::{DOCTYPE, Markup, html};

/// The screens, in the order of the navigation.
pub const SCREENS: &[(&str, &str)] = &[
    ("Home", "/"),
    ("Chat", "/chat"),
    ("History", "/history"),
    ("Files", "/files"),
    ("Heal", "/heal"),
    ("Knowledge", "/knowledge"),
    ("Jobs", "/jobs"),
    ("Audit", "/audit"),
    ("Settings", "/settings"),
];

/// Further screens. The main navigation is what other programs rely on, so these have one of their own.
pub const MORE_SCREENS: &[(&str, &str)] = &[("Plans", "/plans")];

/// What the frame needs to know.
#[derive(Debug, Clone, Default)]
pub struct Shell {
    /// The name of the screen, as the navigation has it.
    pub screen: String,
    /// The title of the page, where it is another.
    pub title: Option<String>,
    /// The folder of the assets, content-hashed, without a slash at its end.
    pub assets: String,
    /// The session that the page follows.
    pub session: Option<String>,
    /// The last event that the page shows.
    pub after: u64,
    /// The workspace, as people know it.
    pub workspace: String,
    /// Whether the answers are those of the practice model.
    pub practice: bool,
}

/// Draws a page.
pub fn page(shell: &Shell, body: &Markup) -> Markup {
    let title = shell.title.as_deref().unwrap_or(&shell.screen);
    let asset = |name: &str| format!("{}/{name}", shell.assets);
    html! {
        (DOCTYPE)
        html lang="en" data-theme="system" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Salve" }
                link rel="icon" type="image/svg+xml" href=(asset("icon.svg"));
                link rel="stylesheet" href=(asset("app.css"));
                script src=(asset("theme.js")) {}
                script type="module" src=(asset("app.js")) {}
            }
            body data-screen=(shell.screen) data-session=[shell.session.as_deref()] data-after=(shell.after) {
                a.skip href="#main" { "Skip to content" }
                div.app {
                    (side(shell))
                    main id="main" tabindex="-1" { (body) }
                }
                div #toasts.toasts role="status" aria-live="polite" {}
                p #spoken.unseen aria-live="polite" {}
                (palette())
                (keys())
            }
        }
    }
}

fn side(shell: &Shell) -> Markup {
    html! {
        header.side {
            a.brand href="/" aria-label="Salve" { (icon("salve")) span { "Salve" } }
            (links("Main", SCREENS, &shell.screen))
            (links("More", MORE_SCREENS, &shell.screen))
            div.side-foot {
                @if shell.practice { span.badge.info title="Answers come from a script, not from a model" { "Practice model" } }
                @if !shell.workspace.is_empty() { span.workspace title=(shell.workspace) { bdi { (folder_name(&shell.workspace)) } } }
                div.side-tools {
                    button.quiet type="button" data-do="theme" { "Theme: system" }
                    button.quiet type="button" data-do="palette" aria-keyshortcuts="Control+K" { "Commands" kbd { "Ctrl K" } }
                    button.quiet type="button" data-do="keys" aria-keyshortcuts="?" { "Keys" kbd { "?" } }
                }
            }
        }
    }
}

fn links(label: &str, screens: &[(&str, &str)], here: &str) -> Markup {
    html! {
        nav aria-label=(label) {
            ul {
                @for (name, href) in screens {
                    li {
                        a href=(href) aria-current=[(*name == here).then_some("page")] {
                            (icon(name)) span { (name) }
                        }
                    }
                }
            }
        }
    }
}

// Filled by the page: its commands are the links and buttons of the page itself.
fn palette() -> Markup {
    html! {
        dialog #palette.palette aria-label="Commands" {
            input #palette-input type="text" role="combobox" aria-label="Search commands" aria-expanded="true"
                aria-controls="palette-list" aria-autocomplete="list" autocomplete="off" spellcheck="false"
                placeholder="Search commands";
            ul #palette-list role="listbox" aria-label="Commands" {}
            p.dim #palette-none hidden { "No command has these words." }
        }
    }
}

/// The keys of the page: what is pressed, and what it does.
pub const KEYS: &[(&str, &[(&str, &str)])] = &[
    (
        "Everywhere",
        &[
            ("?", "Show this sheet"),
            ("Ctrl K", "Search commands"),
            ("g h", "Go to Home"),
            ("g c", "Go to Chat"),
            ("g y", "Go to History"),
            ("g f", "Go to Files"),
            ("Esc", "Close what is open"),
        ],
    ),
    (
        "Writing",
        &[
            ("/", "Go to the message"),
            ("Enter", "Send"),
            ("Shift Enter", "New line"),
            ("@", "Name a file or a symbol"),
            ("↑", "The last message, in an empty input"),
        ],
    ),
    (
        "Reviewing",
        &[
            ("j / k", "Next or previous hunk"),
            ("y / n", "Keep or reject the hunk"),
            ("A / R", "Apply or reject the file"),
            ("s", "Inline or side by side"),
            ("t", "Go to the TODOs"),
        ],
    ),
];

fn keys() -> Markup {
    html! {
        dialog #keys.sheet aria-labelledby="keys-title" {
            header { h2 #keys-title { "Keys" } (close_button()) }
            div.columns {
                @for (title, keys) in KEYS {
                    section {
                        h3 { (title) }
                        dl { @for (key, what) in *keys { div { dt { kbd { (key) } } dd { (what) } } } }
                    }
                }
            }
        }
    }
}

/// The button that closes the dialog it is in.
pub fn close_button() -> Markup {
    html! { button.quiet.close type="button" data-do="close" aria-label="Close" { "✕" } }
}

// The last name of a path is what a person calls a project; the rest is in the title.
fn folder_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat() -> String {
        let shell = Shell {
            screen: "Chat".into(),
            assets: "/assets/0123".into(),
            session: Some("s1".into()),
            after: 7,
            ..Shell::default()
        };
        page(&shell, &html! { h1 { "Chat" } }).into_string()
    }

    #[test]
    fn a_page_has_its_landmarks_and_links() {
        let drawn = chat();
        assert!(drawn.contains("<nav aria-label=\"Main\">") && drawn.contains("<main id=\"main\""));
        for (name, href) in SCREENS.iter().chain(MORE_SCREENS) {
            assert!(drawn.contains(&format!("<a href=\"{href}\"")), "{name}");
            assert!(drawn.contains(&format!("<span>{name}</span>")), "{name}");
        }
        assert_eq!(drawn.matches("aria-current=\"page\"").count(), 1);
    }

    #[test]
    fn nothing_is_inline() {
        let drawn = chat();
        assert!(!drawn.contains("style=") && !drawn.contains(" on") || !drawn.contains("onclick"));
        for script in drawn.split("<script").skip(1) {
            assert!(script.contains("src=\"/assets/0123/") && script.contains("></script>"));
        }
    }
}
