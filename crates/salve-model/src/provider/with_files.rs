//! The turns of a request that holds files, in the words of each dialect.
//!
//! In: a request. Out: the field of the body with all its turns; the `genai` crate knows no files by their ids, so
//! that this is put over what it writes. Never a file itself: only the id its provider gave it.

use crate::request::{ModelRequest, Speaker, Turn};
use crate::wire::Dialect;
use serde_json::{Value, json};

/// Tells whether a request holds files.
pub(super) fn holds_files(request: &ModelRequest) -> bool {
    request.turns.iter().any(|turn| !turn.files.is_empty())
}

/// Returns the name and the value of the field with the turns.
pub(super) fn turns(dialect: Dialect, request: &ModelRequest) -> (&'static str, Value) {
    let said = request.turns.iter().map(|turn| message(dialect, turn));
    match dialect {
        Dialect::Chat => {
            let system = request.system.iter();
            let system = system.map(|text| json!({ "role": "system", "content": text }));
            ("messages", system.chain(said).collect())
        }
        Dialect::Messages => ("messages", said.collect()),
        Dialect::Responses => ("input", said.collect()),
    }
}

fn message(dialect: Dialect, turn: &Turn) -> Value {
    let role = match turn.speaker {
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
    };
    let content = match turn.speaker {
        Speaker::User => user_parts(dialect, turn),
        Speaker::Assistant if dialect == Dialect::Responses => {
            json!([{ "type": "output_text", "text": turn.text }])
        }
        Speaker::Assistant => json!(turn.text),
    };
    json!({ "role": role, "content": content })
}

// Providers advise to show before they are told what to look for.
fn user_parts(dialect: Dialect, turn: &Turn) -> Value {
    if turn.images.is_empty() && turn.files.is_empty() {
        return json!(turn.text);
    }
    let images = turn.images.iter().map(|image| match dialect {
        Dialect::Chat => json!({ "type": "image_url", "image_url": { "url": image.data_url() } }),
        Dialect::Responses => json!({ "type": "input_image", "image_url": image.data_url() }),
        Dialect::Messages => json!({
            "type": "image",
            "source": {
                "type": "base64", "media_type": image.kind.media_type(), "data": image.base64,
            },
        }),
    });
    let files = turn.files.iter().map(|file| match dialect {
        Dialect::Chat => json!({ "type": "file", "file": { "file_id": file.id } }),
        Dialect::Responses => json!({ "type": "input_file", "file_id": file.id }),
        Dialect::Messages => json!({
            "type": "document", "source": { "type": "file", "file_id": file.id },
        }),
    });
    let kind = if dialect == Dialect::Responses { "input_text" } else { "text" };
    let text = std::iter::once(json!({ "type": kind, "text": turn.text }));
    images.chain(files).chain(text).collect()
}
