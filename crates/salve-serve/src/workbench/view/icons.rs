//! Pictures of the navigation, drawn here so that nothing is loaded.
//!
//! In: the name of a screen. Out: an SVG of lines in the colour of the text, hidden from readers. Never the only
//! name of a thing: a word is beside each.

use maud::{Markup, html};

/// Draws the picture of a screen or an action.
pub fn icon(name: &str) -> Markup {
    html! {
        svg.icon viewBox="0 0 24 24" aria-hidden="true" focusable="false" {
            @for path in paths(name) { path d=(path) {} }
        }
    }
}

fn paths(name: &str) -> &'static [&'static str] {
    match name {
        "Home" => &["M4 11l8-7 8 7", "M6 10v10h12V10", "M10 20v-6h4v6"],
        "Chat" => &["M4 5h16v11H9l-5 4z", "M8 9h8", "M8 12h5"],
        "History" => &["M4 12a8 8 0 1 0 3-6.2", "M4 4v4h4", "M12 8v4l3 2"],
        "Files" => &["M6 3h8l4 4v14H6z", "M14 3v4h4", "M9 12h6", "M9 16h6"],
        "Heal" => &[
            "M12 20s-7-4.4-7-10a4 4 0 0 1 7-2.6A4 4 0 0 1 19 10c0 5.6-7 10-7 10z",
            "M12 9v5",
            "M9.5 11.5h5",
        ],
        "Knowledge" => &["M5 4h10a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3z", "M5 17a3 3 0 0 1 3-3h10"],
        "Plans" => &["M4 5h6v5H4z", "M14 14h6v5h-6z", "M7 10v6.5h7"],
        "Jobs" => &["M4 6h16", "M4 12h10", "M4 18h7", "M17 12l3 3-3 3"],
        "Audit" => &["M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14z", "M16.5 16.5L21 21", "M8 11h6"],
        "Settings" => &["M4 7h10", "M18 7h2", "M4 17h4", "M12 17h8", "M16 5v4", "M10 15v4"],
        "salve" => &["M12 3v18", "M3 12h18", "M5.5 5.5l13 13"],
        "send" => &["M4 12l16-8-6 16-3-7z"],
        "rewind" => &["M11 6l-7 6 7 6z", "M20 6l-7 6 7 6z"],
        _ => &["M5 12h14"],
    }
}
