//! What a client asked for, read from its own request.
//!
//! In: the JSON body of a request in one of the dialects. Out: the parts the gateway acts on. Never
//! the request itself: that is passed on as it came.

use super::lax::count;
use super::{Dialect, WireError};
use crate::request::{SchemaAsk, ToolSpec};
use serde_json::{Map, Value};

/// The parts of a client's request that matter to healing.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// How it is spelt.
    pub dialect: Dialect,
    /// The model's name as the client wrote it; empty when it wrote none.
    pub model: String,
    /// Whether the reply is to be streamed.
    pub stream: bool,
    /// The client's own output limit.
    pub max_output_tokens: Option<u64>,
    /// How many answers are wanted (`n`).
    pub choices: u32,
    /// Texts that end an answer on purpose.
    pub stop: Vec<String>,
    /// Whether probabilities of tokens are wanted; they cannot be made up for a stitched text.
    pub logprobs: bool,
    /// Whether a stream is to end with the usage.
    pub include_usage: bool,
    /// The tools that may be called. Parameters are null where the request does not give them.
    pub tools: Vec<ToolSpec>,
    /// The schema the text must fit.
    pub schema: Option<SchemaAsk>,
    /// Whether the text must be JSON, of any shape or of the schema's.
    pub json: bool,
    /// The reply this one goes on from, kept by the provider (Responses only).
    pub previous_response_id: Option<String>,
    /// Whether the provider is to keep the reply, if the client said so.
    pub store: Option<bool>,
    /// Whether the reply is to be made in the background and fetched later (Responses only).
    pub background: bool,
    /// Whether the model is asked to think before it answers.
    pub thinking: bool,
}

impl Asked {
    /// Asks for one plain answer.
    pub fn new(dialect: Dialect, model: impl Into<String>) -> Self {
        Self {
            dialect,
            model: model.into(),
            stream: false,
            max_output_tokens: None,
            choices: 1,
            stop: Vec::new(),
            logprobs: false,
            include_usage: false,
            tools: Vec::new(),
            schema: None,
            json: false,
            previous_response_id: None,
            store: None,
            background: false,
            thinking: false,
        }
    }
}

/// The most answers that a request may ask for; providers allow no more.
pub(super) const MOST_CHOICES: usize = 128;

/// Reads a request. A field of the wrong type counts as absent: judging it is the provider's part.
///
/// # Errors
/// When the body is not a JSON object.
pub fn read_request(dialect: Dialect, body: &Value) -> Result<Asked, WireError> {
    let Some(body) = body.as_object() else {
        let message = "the body of the request is not a JSON object".to_owned();
        return Err(WireError { message });
    };
    let mut asked = Asked {
        stream: flag(body, "stream"),
        store: body.get("store").and_then(Value::as_bool),
        ..Asked::new(dialect, text(body, "model").unwrap_or_default())
    };
    match dialect {
        Dialect::Chat => read_chat(&mut asked, body),
        Dialect::Responses => read_responses(&mut asked, body),
        Dialect::Messages => read_messages(&mut asked, body),
    }
    Ok(asked)
}

fn read_chat(asked: &mut Asked, body: &Map<String, Value>) {
    asked.max_output_tokens =
        number(body, "max_completion_tokens").or_else(|| number(body, "max_tokens"));
    let choices = number(body, "n").unwrap_or(1).clamp(1, MOST_CHOICES as u64);
    asked.choices = u32::try_from(choices).unwrap_or(1);
    asked.stop = texts(body.get("stop"));
    asked.logprobs = flag(body, "logprobs");
    asked.include_usage =
        object(body, "stream_options").is_some_and(|options| flag(options, "include_usage"));
    asked.thinking = body.contains_key("reasoning_effort") || body.contains_key("reasoning");
    let functions = items(body, "tools").filter_map(|tool| tool.get("function"));
    let functions = functions.chain(items(body, "functions"));
    asked.tools = functions.filter_map(|function| tool(function, "parameters")).collect();
    let Some(format) = object(body, "response_format") else { return };
    read_format(asked, format, object(format, "json_schema"));
}

fn read_responses(asked: &mut Asked, body: &Map<String, Value>) {
    asked.max_output_tokens = number(body, "max_output_tokens");
    asked.include_usage = true;
    asked.previous_response_id = text(body, "previous_response_id").map(str::to_owned);
    asked.background = flag(body, "background");
    asked.thinking = body.contains_key("reasoning");
    let wants = |include: &Value| include == "message.output_text.logprobs";
    asked.logprobs = number(body, "top_logprobs").is_some() || items(body, "include").any(wants);
    let is_function = |tool: &&Value| tool.get("type").is_none_or(|kind| kind == "function");
    let nested = items(body, "tools").filter_map(|tool| tool.get("tools")?.as_array()).flatten();
    let functions = items(body, "tools").chain(nested).filter(is_function);
    asked.tools = functions.filter_map(|function| tool(function, "parameters")).collect();
    let format = object(body, "text").and_then(|text| object(text, "format"));
    let Some(format) = format else { return };
    read_format(asked, format, Some(format));
}

fn read_messages(asked: &mut Asked, body: &Map<String, Value>) {
    asked.max_output_tokens = number(body, "max_tokens");
    asked.include_usage = true;
    asked.stop = texts(body.get("stop_sequences"));
    let kind = object(body, "thinking").and_then(|thinking| text(thinking, "type"));
    asked.thinking = kind.is_some_and(|kind| kind != "disabled");
    asked.tools = items(body, "tools").filter_map(|value| tool(value, "input_schema")).collect();
    let format = object(body, "output_config").and_then(|config| object(config, "format"));
    let Some(format) = format.or_else(|| object(body, "output_format")) else { return };
    read_format(asked, format, Some(format));
}

// `format` tells the kind, `named` holds the name and the schema.
fn read_format(asked: &mut Asked, format: &Map<String, Value>, named: Option<&Map<String, Value>>) {
    match text(format, "type") {
        Some("json_object") => asked.json = true,
        Some("json_schema") => {
            asked.json = true;
            asked.schema = named.and_then(|named| {
                Some(SchemaAsk {
                    name: text(named, "name").unwrap_or_default().to_owned(),
                    strict: flag(named, "strict") || asked.dialect == Dialect::Messages,
                    schema: named.get("schema").filter(|schema| !schema.is_null())?.clone(),
                })
            });
        }
        _ => {}
    }
}

fn tool(value: &Value, parameters: &str) -> Option<ToolSpec> {
    let value = value.as_object()?;
    Some(ToolSpec {
        name: text(value, "name")?.to_owned(),
        description: text(value, "description").unwrap_or_default().to_owned(),
        parameters: value.get(parameters).cloned().unwrap_or_default(),
    })
}

fn object<'a>(body: &'a Map<String, Value>, key: &str) -> Option<&'a Map<String, Value>> {
    body.get(key)?.as_object()
}

fn text<'a>(body: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    body.get(key)?.as_str()
}

fn number(body: &Map<String, Value>, key: &str) -> Option<u64> {
    count(body.get(key)?)
}

fn flag(body: &Map<String, Value>, key: &str) -> bool {
    body.get(key).and_then(Value::as_bool).unwrap_or(false)
}

fn items<'a>(body: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    body.get(key).and_then(Value::as_array).into_iter().flatten()
}

// One text, or a list of them.
fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(many)) => {
            many.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool_named(name: &str, parameters: Value) -> ToolSpec {
        ToolSpec { name: name.to_owned(), description: "d".to_owned(), parameters }
    }

    fn schema() -> Option<SchemaAsk> {
        Some(SchemaAsk { name: "s".to_owned(), strict: true, schema: json!({"type": "object"}) })
    }

    #[test]
    fn chat_requests() {
        let body = json!({
            "model": "m", "messages": [], "stream": true, "max_tokens": 5, "n": 2, "stop": "END",
            "max_completion_tokens": 7, "logprobs": true, "stream_options": {"include_usage": true},
            "tools": [
                {"type": "function", "function": {"name": "f", "description": "d", "parameters": {}}},
                {"type": "custom", "custom": {"name": "c"}},
            ],
            "functions": [{"name": "g", "description": "d"}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "s", "strict": true, "schema": {"type": "object"}}},
        });
        let expected = Asked {
            stream: true,
            max_output_tokens: Some(7),
            choices: 2,
            stop: vec!["END".to_owned()],
            logprobs: true,
            include_usage: true,
            tools: vec![tool_named("f", json!({})), tool_named("g", Value::Null)],
            schema: schema(),
            json: true,
            ..Asked::new(Dialect::Chat, "m")
        };
        assert_eq!(read_request(Dialect::Chat, &body), Ok(expected));
        let body =
            json!({"model": "m", "response_format": {"type": "json_object"}, "max_tokens": 5.0});
        let expected =
            Asked { json: true, max_output_tokens: Some(5), ..Asked::new(Dialect::Chat, "m") };
        assert_eq!(read_request(Dialect::Chat, &body), Ok(expected));
    }

    #[test]
    fn responses_requests() {
        let body = json!({
            "model": "m", "input": "q", "instructions": "i", "max_output_tokens": 7, "store": false,
            "background": true, "previous_response_id": "r", "reasoning": {"effort": "low"},
            "tools": [
                {"type": "function", "name": "f", "description": "d", "parameters": {"a": 1}},
                {"type": "web_search"},
                {"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "g", "description": "d"}]},
            ],
            "text": {"format": {"type": "json_schema", "name": "s", "strict": true, "schema": {"type": "object"}}},
        });
        let expected = Asked {
            max_output_tokens: Some(7),
            include_usage: true,
            tools: vec![tool_named("f", json!({"a": 1})), tool_named("g", Value::Null)],
            schema: schema(),
            json: true,
            previous_response_id: Some("r".to_owned()),
            store: Some(false),
            background: true,
            thinking: true,
            ..Asked::new(Dialect::Responses, "m")
        };
        assert_eq!(read_request(Dialect::Responses, &body), Ok(expected));
    }

    #[test]
    fn messages_requests() {
        let format = json!({"type": "json_schema", "name": "s", "schema": {"type": "object"}});
        let body = |key: &str, value: Value| {
            let mut body = json!({
                "model": "m", "max_tokens": 7, "stop_sequences": ["a", 5, "b"],
                "thinking": {"type": "enabled", "budget_tokens": 2000},
                "tools": [{"name": "f", "description": "d", "input_schema": {}}, {"type": "bash_20250124", "name": "bash", "description": "d"}],
            });
            body[key] = value;
            body
        };
        let expected = Asked {
            max_output_tokens: Some(7),
            include_usage: true,
            stop: vec!["a".to_owned(), "b".to_owned()],
            tools: vec![tool_named("f", json!({})), tool_named("bash", Value::Null)],
            schema: schema(),
            json: true,
            thinking: true,
            ..Asked::new(Dialect::Messages, "m")
        };
        for body in [
            body("output_format", format.clone()),
            body("output_config", json!({"format": format})),
        ] {
            assert_eq!(read_request(Dialect::Messages, &body).as_ref(), Ok(&expected));
        }
    }

    #[test]
    fn odd_fields_are_absent_and_odd_bodies_are_errors() {
        let odd = json!({
            "model": 5, "stream": "yes", "max_tokens": "7", "max_output_tokens": -1, "n": [], "stop": {},
            "tools": [5, {"function": 7}, {"function": {"name": 5}}, {"name": {}}], "functions": {},
            "response_format": "json", "text": [], "output_config": 1, "stream_options": true,
            "include": 5, "thinking": "on", "store": 1,
        });
        for dialect in Dialect::ALL {
            let include_usage = dialect != Dialect::Chat;
            let expected = Asked { include_usage, ..Asked::new(dialect, "") };
            assert_eq!(read_request(dialect, &odd), Ok(expected));
            for body in [json!(null), json!([]), json!("{}"), json!(5)] {
                assert!(read_request(dialect, &body).is_err());
            }
        }
        let many = json!({"n": 4_000_000_000_u64});
        assert_eq!(read_request(Dialect::Chat, &many).unwrap().choices, 128);
    }
}
