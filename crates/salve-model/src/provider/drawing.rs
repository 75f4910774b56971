//! Images asked of a provider: one request, one body of JSON with all of them.
//!
//! In: a prompt and how many images of it. Out: the images, as bytes in Base64 or as addresses where a provider insists
//! on those. Bytes are asked for, because addresses expire. Never fetches an address: whoever does has to judge it first.

use super::Provider;
use super::failing::{message, retry_after};
use crate::http_client::chain;
use crate::model::ModelError;
use crate::reply::{DrawnImage, ModelReply};
use crate::request::{DrawAsk, ModelRequest};
use salve_types::{FinishReason, Usage};
use serde::Deserialize;
use serde_json::json;

/// Where every provider that has the endpoint has it.
const PATH: &str = "/v1/images/generations";
/// The most bytes of an answer: ten images of several million bytes each.
const MOST_BYTES: usize = 64 << 20;

#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    data: Vec<Item>,
    #[serde(default)]
    usage: Option<Counted>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    b64_json: Option<String>,
    #[serde(default)]
    revised_prompt: Option<String>,
}

// Some count tokens for images, too.
#[derive(Deserialize)]
struct Counted {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
}

/// Asks for images.
///
/// # Errors
/// When the provider refuses, is not reached, or answers in no form that can be read.
pub(super) async fn draw(
    client: &reqwest::Client,
    provider: &Provider,
    model: &str,
    request: &ModelRequest,
    ask: DrawAsk,
) -> Result<ModelReply, ModelError> {
    let limit = provider.timeouts.total;
    let answered = tokio::time::timeout(limit, send(client, provider, model, request, ask));
    let body =
        answered.await.map_err(|_| ModelError::TimedOut { limit, partial: Box::default() })??;
    read(&body, model)
}

async fn send(
    client: &reqwest::Client,
    provider: &Provider,
    model: &str,
    request: &ModelRequest,
    ask: DrawAsk,
) -> Result<Vec<u8>, ModelError> {
    let prompt = request.turns.last().map(|turn| turn.text.as_str()).unwrap_or_default();
    let asked = json!({
        "model": model, "prompt": prompt, "n": ask.count.max(1), "response_format": "b64_json",
    });
    let mut call = client.post(provider.at(PATH)).body(asked.to_string());
    call = call.header("content-type", "application/json");
    for (name, value) in provider.call_headers() {
        call = call.header(name, value);
    }
    let mut response = call.send().await.map_err(|error| lost(&error))?;
    let (status, headers) = (response.status(), response.headers().clone());
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| lost(&error))? {
        if body.len() + piece.len() > MOST_BYTES {
            let message = format!("it has more than {MOST_BYTES} bytes");
            return Err(ModelError::Unreadable { message });
        }
        body.extend_from_slice(&piece);
    }
    if !status.is_success() {
        return Err(ModelError::Provider {
            status: status.as_u16(),
            message: message(&String::from_utf8_lossy(&body)),
            retry_after: retry_after(&headers),
        });
    }
    Ok(body)
}

fn lost(error: &reqwest::Error) -> ModelError {
    let message = chain(error);
    match (error.is_builder(), error.is_connect()) {
        (true, _) => ModelError::Unsendable { message },
        (_, true) => ModelError::Unconnected { message },
        _ => ModelError::Unreachable { message },
    }
}

fn read(body: &[u8], model: &str) -> Result<ModelReply, ModelError> {
    let body: Body = serde_json::from_slice(body)
        .map_err(|error| ModelError::Unreadable { message: error.to_string() })?;
    let item = |item: Item| DrawnImage {
        base64: item.b64_json.filter(|text| !text.is_empty()),
        url: item.url.filter(|url| !url.is_empty()),
        revised_prompt: item.revised_prompt.filter(|text| !text.is_empty()),
    };
    let is_there = |image: &DrawnImage| image.base64.is_some() || image.url.is_some();
    let images: Vec<DrawnImage> = body.data.into_iter().map(item).filter(is_there).collect();
    if images.is_empty() {
        return Err(ModelError::Unreadable { message: "it holds no image".to_owned() });
    }
    let usage = body.usage.map(|counted| Usage {
        input_tokens: counted.input_tokens,
        output_tokens: counted.output_tokens,
        ..Usage::default()
    });
    Ok(ModelReply {
        images,
        usage,
        finish: Some(FinishReason::Stop),
        model: Some(model.to_owned()),
        ..ModelReply::default()
    })
}
