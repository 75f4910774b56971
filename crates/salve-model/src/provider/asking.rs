//! Our request in the words of the `genai` crate.
//!
//! In: a provider and a request. Out: target, messages and options, with everything set that the
//! crate would otherwise look up or guess. Never leaves it a reason to read the environment:
//! address and key go along with every call.

use super::{Provider, with_files};
use crate::request::{ModelRequest, SchemaAsk, Speaker, ToolSpec, Turn};
use crate::wire::Dialect;
use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ContentPart, MessageContent, ReasoningEffort,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{Headers, ModelIden, ServiceTarget};
use serde_json::{Map, Value, json};

/// Returns where and as whom the call is made.
pub(super) fn target(provider: &Provider, model: &str, has_files: bool) -> ServiceTarget {
    let (kind, name) = match provider.dialect {
        // The name decides how the output limit is spelt (`max_completion_tokens`).
        Dialect::Chat => (AdapterKind::OpenAI, model),
        Dialect::Responses => (AdapterKind::OpenAIResp, model),
        // An ending like `-high` would be cut off and taken for a wish; the true name is put into
        // the body below.
        Dialect::Messages => (AdapterKind::Anthropic, "claude"),
    };
    ServiceTarget {
        // Not used: the address below speaks over it, and so does every header.
        endpoint: Endpoint::from_static("http://127.0.0.1/"),
        auth: AuthData::RequestOverride {
            url: provider.endpoint(),
            headers: Headers::from(match has_files {
                true => provider.file_headers(),
                false => provider.call_headers(),
            }),
        },
        model: ModelIden::new(kind, name.to_owned()),
    }
}

/// Returns the conversation.
pub(super) fn messages(request: &ModelRequest) -> ChatRequest {
    let turns = request.turns.iter().map(|turn| match turn.speaker {
        Speaker::User if turn.images.is_empty() => ChatMessage::user(turn.text.clone()),
        Speaker::User => ChatMessage::user(seen(turn)),
        Speaker::Assistant => ChatMessage::assistant(turn.text.clone()),
    });
    let mut asked = ChatRequest::new(turns.collect());
    asked.system.clone_from(&request.system);
    asked
}

// Providers advise to show before they are told what to look for.
fn seen(turn: &Turn) -> MessageContent {
    let images = turn.images.iter().map(|image| {
        let (kind, bytes) = (image.kind.media_type(), image.base64.as_str());
        ContentPart::from_binary_base64(kind, bytes, None)
    });
    let text = std::iter::once(ContentPart::from_text(turn.text.clone()));
    MessageContent::from_parts(images.chain(text).collect::<Vec<ContentPart>>())
}

/// Returns limits, sampling and schema. `structured` says whether the model can be told of a
/// schema; one that cannot is asked without, and its answer is checked against it anyway.
pub(super) fn options(
    provider: &Provider,
    request: &ModelRequest,
    model: &str,
    structured: bool,
) -> ChatOptions {
    let mut options = ChatOptions::default()
        .with_max_tokens(request.max_output_tokens)
        .with_capture_usage(true)
        .with_stream_read_timeout(provider.timeouts.idle)
        .with_extra_body(body(provider.dialect, request, model, structured));
    if let Some(temperature) = request.temperature {
        options = options.with_temperature(temperature);
    }
    // Responses knows no stop texts and refuses a request that has them.
    if provider.dialect != Dialect::Responses && !request.stop.is_empty() {
        options = options.with_stop_sequences(request.stop.clone());
    }
    // A budget of reasoning is written nowhere in these two dialects, but while one is given, an
    // ending of the model's name like `-max` stays part of the name.
    if provider.dialect != Dialect::Messages {
        options = options.with_reasoning_effort(ReasoningEffort::Budget(0));
    }
    options
}

// What is put over the body the crate makes: the name, the schema and the tools as they are.
fn body(dialect: Dialect, request: &ModelRequest, model: &str, structured: bool) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    if let Some(ask) = request.schema.as_ref().filter(|_| structured) {
        let (key, value) = response_format(dialect, ask);
        body.insert(key.to_owned(), value);
    }
    // The crate takes a tool of certain names for the provider's own, no matter who made it.
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|spec| tool(dialect, spec)).collect();
        body.insert("tools".to_owned(), tools);
    }
    if with_files::holds_files(request) {
        let (key, turns) = with_files::turns(dialect, request);
        body.insert(key.to_owned(), turns);
    }
    Value::Object(body)
}

fn tool(dialect: Dialect, spec: &ToolSpec) -> Value {
    let ToolSpec { name, description, parameters } = spec;
    match dialect {
        Dialect::Chat => json!({
            "type": "function",
            "function": { "name": name, "description": description, "parameters": parameters },
        }),
        // What is not said is strict here, and that changes the schema.
        Dialect::Responses => json!({
            "type": "function", "name": name, "description": description,
            "parameters": parameters, "strict": false,
        }),
        Dialect::Messages => json!({
            "name": name, "description": description, "input_schema": parameters,
        }),
    }
}

fn response_format(dialect: Dialect, ask: &SchemaAsk) -> (&'static str, Value) {
    let SchemaAsk { name, strict, schema } = ask;
    match dialect {
        Dialect::Chat => (
            "response_format",
            json!({
                "type": "json_schema",
                "json_schema": { "name": name, "strict": strict, "schema": schema },
            }),
        ),
        Dialect::Responses => (
            "text",
            json!({
                "format": {
                    "type": "json_schema", "name": name, "strict": strict, "schema": schema,
                },
            }),
        ),
        Dialect::Messages => {
            ("output_config", json!({ "format": { "type": "json_schema", "schema": schema } }))
        }
    }
}
