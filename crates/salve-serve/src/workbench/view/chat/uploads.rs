//! What of a turn's files the provider keeps, and until when.
//!
//! In: the uploads of a turn. Out: a line that opens into a list: each file with its state and its end, each file
//! that stayed here with its reason. Never an id as the only name of a file.

use super::data::{UploadView, UploadsView};
use crate::workbench::view::parts::{Tone, badge, moment};
use maud::{Markup, html};

/// Draws the uploads of a turn.
pub(super) fn upload_list(turn: u32, uploads: &UploadsView) -> Markup {
    html! {
        details.uploads id={ "t" (turn) "-uploads" } {
            summary.dim { (uploads.words) }
            @if let Some(refused) = &uploads.refused { p.note { (refused) } }
            ul aria-label="Uploaded files" {
                @for file in &uploads.files { li { (upload(file)) } }
                @for (path, why) in &uploads.skipped {
                    li { code { (path) } " " (badge(Tone::Wait, "Not uploaded")) " " span.dim { (why) } }
                }
            }
        }
    }
}

fn upload(file: &UploadView) -> Markup {
    html! {
        code title=(file.id) { (file.path) } " "
        (badge(if file.reused { Tone::Plain } else { Tone::Good }, &file.state)) " "
        span.dim {
            @match file.expires_at {
                Some(end) => { "kept until " (moment(end)) }
                None => "kept until it is deleted",
            }
        }
    }
}
