//! The page of a person who is not let in yet.
//!
//! In: where the assets are. Out: a page that exchanges the token of its address, or says where to find one. Never
//! anything about the workspace.

use super::icons::icon;
use maud::{DOCTYPE, Markup, html};

/// Draws the page.
pub fn entrance(assets: &str) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" data-theme="system" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Salve" }
                link rel="icon" type="image/svg+xml" href={ (assets) "/icon.svg" };
                link rel="stylesheet" href={ (assets) "/app.css" };
                script src={ (assets) "/theme.js" } {}
                script type="module" src={ (assets) "/enter.js" } {}
            }
            body.entrance {
                main {
                    h1 { (icon("salve")) "Salve" }
                    p #entrance role="status" {
                        "Open the address that `salve serve` printed. It lets one browser in, once; a key press in that \
                         terminal prints a fresh one."
                    }
                }
            }
        }
    }
}
