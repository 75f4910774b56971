//! Makes the next request after a reply that was cut or wrong.
//!
//! In: the client's own request and what is to be asked on top of it. Out: a request the same
//! provider takes. Never drops a field it does not know, and never asks for more than one answer.

mod turns;

use super::Dialect;
use crate::request::{FollowUp, Purpose};
use serde_json::{Map, Value, json};
use turns::{add_turns, trim_last_answer};

/// Makes the body of the next request. `stream` says how the reply is to come.
pub fn follow_up(dialect: Dialect, original: &Value, follow_up: &FollowUp, stream: bool) -> Value {
    let mut body = original.as_object().cloned().unwrap_or_default();
    body.insert("stream".to_owned(), json!(stream));
    if follow_up.purpose == Purpose::Retry {
        // The same seed would give the same answer.
        body.shift_remove("seed");
    }
    match dialect {
        Dialect::Chat => follow_chat(&mut body, follow_up, stream),
        Dialect::Responses => follow_responses(&mut body, follow_up, stream),
        Dialect::Messages => follow_messages(&mut body, follow_up),
    }
    Value::Object(body)
}

fn follow_chat(body: &mut Map<String, Value>, follow_up: &FollowUp, stream: bool) {
    remove(body, &["n", "logprobs", "top_logprobs", "stream_options"]);
    if stream {
        body.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
    if body.contains_key("store") {
        body.insert("store".to_owned(), json!(false));
    }
    if !follow_up.keep_tools {
        remove(body, &["tools", "tool_choice", "parallel_tool_calls", "functions"]);
        remove(body, &["function_call", "response_format"]);
    }
    if let Some(limit) = follow_up.max_output_tokens {
        let used = ["max_completion_tokens", "max_tokens"];
        let used: Vec<&str> = used.into_iter().filter(|key| body.contains_key(*key)).collect();
        let unused = if refuses_max_tokens(body) { "max_completion_tokens" } else { "max_tokens" };
        for key in if used.is_empty() { vec![unused] } else { used } {
            body.insert(key.to_owned(), json!(limit));
        }
    }
    with_list(body, "messages", |messages| add_turns(messages, &follow_up.turns));
}

// OpenAI's reasoning models know only the newer name of the limit; other servers know the older.
fn refuses_max_tokens(body: &Map<String, Value>) -> bool {
    let model = body.get("model").and_then(Value::as_str).unwrap_or_default();
    let model = model.rsplit('/').next().unwrap_or_default();
    ["o1", "o3", "o4", "gpt-5", "gpt-6"].iter().any(|family| model.starts_with(family))
}

fn follow_responses(body: &mut Map<String, Value>, follow_up: &FollowUp, stream: bool) {
    remove(body, &["top_logprobs", "background"]);
    if !stream {
        remove(body, &["stream_options"]);
    }
    if let Some(include) = body.get_mut("include").and_then(Value::as_array_mut) {
        include.retain(|name| name != "message.output_text.logprobs");
    }
    body.insert("store".to_owned(), json!(false));
    if !follow_up.keep_tools {
        remove(body, &["tools", "tool_choice", "parallel_tool_calls", "max_tool_calls"]);
        if let Some(text) = body.get_mut("text").and_then(Value::as_object_mut) {
            text.shift_remove("format");
        }
    }
    if let Some(limit) = follow_up.max_output_tokens {
        body.insert("max_output_tokens".to_owned(), json!(limit));
    }
    if let Some(Value::String(text)) = body.get("input") {
        let input = json!([{"role": "user", "content": text}]);
        body.insert("input".to_owned(), input);
    }
    with_list(body, "input", |input| add_turns(input, &follow_up.turns));
}

fn follow_messages(body: &mut Map<String, Value>, follow_up: &FollowUp) {
    if !follow_up.keep_tools {
        remove(body, &["output_format"]);
        if let Some(config) = body.get_mut("output_config").and_then(Value::as_object_mut) {
            config.shift_remove("format");
        }
        if body.get("messages").is_some_and(mentions_tools) {
            // A conversation that has calls in it is refused without the tools.
            body.insert("tool_choice".to_owned(), json!({"type": "none"}));
        } else {
            remove(body, &["tools", "tool_choice"]);
        }
    }
    if let Some(limit) = follow_up.max_output_tokens {
        body.insert("max_tokens".to_owned(), json!(limit));
    }
    let prefilled = with_list(body, "messages", |messages| {
        add_turns(messages, &follow_up.turns);
        trim_last_answer(messages)
    });
    fit_thinking(body, prefilled);
}

fn mentions_tools(messages: &Value) -> bool {
    let messages = messages.as_array().into_iter().flatten();
    let blocks = messages.filter_map(|message| message.get("content")?.as_array()).flatten();
    let mut kinds = blocks.filter_map(|block| block.get("type")?.as_str());
    kinds.any(|kind| matches!(kind, "tool_use" | "tool_result"))
}

// The least that a model may be asked to think.
const LEAST_THINKING: u64 = 1024;

// Thinking is refused when the answer is already begun, and when it would not fit the limit.
fn fit_thinking(body: &mut Map<String, Value>, prefilled: bool) {
    let Some(thinking) = body.get("thinking") else { return };
    let budget = thinking.get("budget_tokens").and_then(Value::as_u64);
    let limit = body.get("max_tokens").and_then(Value::as_u64);
    let enabled = thinking.get("type").and_then(Value::as_str) != Some("disabled");
    let fits = match (budget, limit) {
        (Some(budget), Some(limit)) => budget < limit,
        _ => true,
    };
    if !enabled || (fits && !prefilled) {
        return;
    }
    // Half of the limit is left for the answer itself.
    let smaller = limit.map(|limit| limit / 2).filter(|half| *half >= LEAST_THINKING);
    match smaller {
        Some(half) if !prefilled => {
            if let Some(thinking) = body.get_mut("thinking").and_then(Value::as_object_mut) {
                thinking.insert("budget_tokens".to_owned(), json!(half));
            }
        }
        _ => remove(body, &["thinking"]),
    }
}

// Lets `act` work on a list of the body, which is made if there is none.
fn with_list<R>(
    body: &mut Map<String, Value>,
    key: &str,
    act: impl FnOnce(&mut Vec<Value>) -> R,
) -> R {
    let mut items = match body.get_mut(key).map(Value::take) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    };
    let result = act(&mut items);
    body.insert(key.to_owned(), Value::Array(items));
    result
}

fn remove(body: &mut Map<String, Value>, keys: &[&str]) {
    for key in keys {
        body.shift_remove(*key);
    }
}

#[cfg(test)]
mod tests;
