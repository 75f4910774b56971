//! The images of a session: their bytes, and what a person does with them.
//!
//! In: their ids. Out: bytes with the type that they have, and nothing else; files of the workspace; a new image in the
//! place of an old one. Never a type that a browser would run, and never a file that is overwritten.

use super::super::answer::{Answer, Fault, Refusals};
use super::super::state::WorkbenchState;
use super::actions::Done;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::Response;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use salve_engine::session::{
    ConversationError, GeneratedImage, ImageState, RedrawOrder, combined_prompt,
};
use salve_model::ImageType;
use salve_store::SessionRecord;
use serde_json::json;
use std::sync::Arc;

/// The most letters of a prompt.
const MOST_PROMPT: usize = 4_000;

/// Returns the bytes of an image.
#[utoipa::path(
    get, path = "/api/v1/sessions/{id}/images/{image}", tag = "sessions",
    params(
        ("id" = String, Path, description = "The session."),
        ("image" = String, Path, description = "The image."),
    ),
    responses(
        (status = 200, description = "The bytes: PNG, JPEG, GIF or WebP.", content_type = "image/png", body = Vec<u8>),
        Refusals,
    ),
)]
pub(super) async fn bytes(
    State(state): State<Arc<WorkbenchState>>,
    Path((id, image)): Path<(String, String)>,
) -> Answer {
    let session = state.session(&id).await?;
    let (_, image) = state.conversation().image(&session.id, &image).await.map_err(fault)?;
    let bytes = state.conversation().image_bytes(&image).await.map_err(fault)?;
    let kind = ImageType::of(&bytes);
    let kind = kind.ok_or_else(|| Fault::missing("no_such_image", "there is no such image"))?;
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind.media_type()));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("inline"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600"));
    Ok(response)
}

/// Notes which images a person chose.
pub(super) async fn select(
    state: &WorkbenchState,
    session: &SessionRecord,
    turn: u32,
    images: &[String],
) -> Answer<Done> {
    state.conversation().select_images(&session.id, turn, images).await.map_err(fault)?;
    Ok(Done::of("done", Some(turn)))
}

/// Saves images in the workspace.
pub(super) async fn save(
    state: &WorkbenchState,
    session: &SessionRecord,
    images: &[String],
    folder: &str,
) -> Answer<Done> {
    let all = state.conversation().images(&session.id).await.map_err(fault)?;
    let is_meant =
        |image: &GeneratedImage| images.contains(&image.id) && image.state == ImageState::Made;
    let chosen: Vec<(u32, GeneratedImage)> =
        all.into_iter().filter(|(_, image)| is_meant(image)).collect();
    if chosen.is_empty() {
        return Err(Fault::invalid("choose an image first"));
    }
    let saved = state.conversation().save_images(&session.id, state.root(), folder, &chosen).await;
    let saved = saved.map_err(fault)?;
    let turn = chosen.first().map(|(turn, _)| *turn);
    let detail = json!({ "change": saved.change, "files": saved.files });
    Ok(Done { outcome: "done", turn, detail })
}

/// Makes an image again.
pub(super) async fn regenerate(
    state: &WorkbenchState,
    session: &SessionRecord,
    image: String,
    prompt: &str,
    refinement: &str,
) -> Answer<Done> {
    let prompt = combined_prompt(prompt, refinement);
    if prompt.is_empty() || prompt.chars().count() > MOST_PROMPT {
        let why = format!("a prompt has from 1 to {MOST_PROMPT} letters");
        return Err(Fault::invalid(why));
    }
    let turn = state.config.host.turn();
    let turn = turn.map_err(|fault| Fault::conflict("settings", fault.to_string()))?;
    let help = turn.help.draw.ok_or_else(|| {
        Fault::conflict("no_model", "no model here makes images; name one as `image` in `[roles]`")
    })?;
    let order = RedrawOrder {
        session: session.id.clone(),
        image,
        prompt,
        model: help.model,
        budget: turn.options.budget,
    };
    let image = state.conversation().redraw(order).await.map_err(fault)?;
    Ok(Done { outcome: "done", turn: None, detail: json!({ "image": image }) })
}

fn fault(error: ConversationError) -> Fault {
    match error {
        ConversationError::NoSuchImage(_) => {
            Fault::missing("no_such_image", "the session has no such image")
        }
        ConversationError::Save(error) => Fault::conflict("not_saved", error.to_string()),
        ConversationError::Workspace(error) => Fault::conflict("busy", error.to_string()),
        ConversationError::Failed(error) => Fault::conflict("not_made", error.to_string()),
        error => error.into(),
    }
}
