//! A strict client: reads what the gateway sends as the providers' own libraries do, and complains
//! about everything they would stumble over.
//!
//! In: the bytes a client received. Out: the answers, or what is illegal about them. Never uses the
//! code under test.

use salve_model::wire::Dialect;
use serde_json::Value;

/// One answer as a client assembled it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Got {
    pub(super) text: String,
    pub(super) thinking: String,
    pub(super) calls: Vec<(String, String)>,
    pub(super) finish: Option<String>,
}

/// Everything a client received.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Received {
    pub(super) answers: Vec<Got>,
    pub(super) usage: Option<(u64, u64)>,
    pub(super) error: Option<Value>,
    pub(super) report: Option<Value>,
    pub(super) ended: bool,
    pub(super) pings: usize,
}

impl Received {
    fn answer(&mut self, index: usize) -> &mut Got {
        while self.answers.len() <= index {
            self.answers.push(Got::default());
        }
        &mut self.answers[index]
    }
}

struct Event {
    name: Option<String>,
    data: String,
}

/// Reads a stream to its end.
pub(super) fn read_stream(dialect: Dialect, bytes: &[u8]) -> Result<Received, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    if !text.is_empty() && !text.ends_with("\n\n") {
        return Err(format!("the stream ends inside a frame: {:?}", &text[text.len() - 1..]));
    }
    let mut received = Received::default();
    let mut events = Vec::new();
    for frame in text.split("\n\n").filter(|frame| !frame.is_empty()) {
        let mut event = Event { name: None, data: String::new() };
        for line in frame.lines() {
            if let Some(report) = line.strip_prefix(": salve ") {
                let report = serde_json::from_str(report).map_err(|error| error.to_string())?;
                if received.report.replace(report).is_some() {
                    return Err("two reports".to_owned());
                }
                if received.ended {
                    return Err("the report came after the end".to_owned());
                }
            } else if line == ": ping" {
                received.pings += 1;
            } else if let Some(name) = line.strip_prefix("event: ") {
                event.name = Some(name.to_owned());
            } else if let Some(data) = line.strip_prefix("data: ") {
                event.data.push_str(data);
            } else if !line.starts_with(':') {
                return Err(format!("no line of a stream: {line:?}"));
            }
        }
        if !event.data.is_empty() {
            events.push(event);
            // Reports are asked to stand before the end, so ends are looked for on the way.
            let last = &events[events.len() - 1];
            received.ended |= last.data == "[DONE]"
                || matches!(
                    last.name.as_deref(),
                    Some("message_stop" | "response.completed" | "response.incomplete")
                );
        }
    }
    match dialect {
        Dialect::Chat => chat(&events, &mut received)?,
        Dialect::Messages => messages(&events, &mut received)?,
        Dialect::Responses => responses(&events, &mut received)?,
    }
    Ok(received)
}

fn json_of(event: &Event) -> Result<Value, String> {
    serde_json::from_str(&event.data).map_err(|error| format!("{error} in {:?}", event.data))
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn chat(events: &[Event], received: &mut Received) -> Result<(), String> {
    let mut id = None;
    let mut done = false;
    for event in events {
        if done {
            return Err("something after [DONE]".to_owned());
        }
        if event.data == "[DONE]" {
            done = true;
            continue;
        }
        let value = json_of(event)?;
        if !value["error"].is_null() {
            received.error = Some(value["error"].clone());
            continue;
        }
        if *id.get_or_insert_with(|| value["id"].clone()) != value["id"] {
            return Err(format!("the id changed to {}", value["id"]));
        }
        if value["object"] != "chat.completion.chunk" {
            return Err("no chunk".to_owned());
        }
        if let (Some(input), Some(output)) =
            (value["usage"]["prompt_tokens"].as_u64(), value["usage"]["completion_tokens"].as_u64())
        {
            received.usage = Some((input, output));
        }
        for choice in value["choices"].as_array().ok_or("no choices")? {
            chat_choice(choice, received)?;
        }
    }
    Ok(())
}

fn chat_choice(choice: &Value, received: &mut Received) -> Result<(), String> {
    let index = choice["index"].as_u64().ok_or("no index")? as usize;
    let got = received.answer(index);
    if got.finish.is_some() {
        return Err(format!("choice {index} goes on after its finish: {choice}"));
    }
    let delta = &choice["delta"];
    got.text.push_str(text_of(&delta["content"]));
    got.thinking.push_str(text_of(&delta["reasoning_content"]));
    for call in delta["tool_calls"].as_array().unwrap_or(&Vec::new()) {
        let at = call["index"].as_u64().ok_or("no index of a call")? as usize;
        if at == got.calls.len() {
            if text_of(&call["id"]).is_empty() {
                return Err("a call without an id".to_owned());
            }
            got.calls.push((text_of(&call["function"]["name"]).to_owned(), String::new()));
        }
        let call_got = got.calls.get_mut(at).ok_or("a call out of order")?;
        call_got.1.push_str(text_of(&call["function"]["arguments"]));
    }
    if let Some(reason) = choice["finish_reason"].as_str() {
        got.finish = Some(reason.to_owned());
    }
    Ok(())
}

fn check_name(event: &Event, value: &Value) -> Result<(), String> {
    if event.name.as_deref() == value["type"].as_str() {
        return Ok(());
    }
    Err(format!("event {:?} holds {}", event.name, value["type"]))
}

fn messages(events: &[Event], received: &mut Received) -> Result<(), String> {
    let mut open: Option<(u64, String)> = None;
    let mut next = 0;
    let mut stopped = false;
    let mut input = 0;
    for event in events {
        let value = json_of(event)?;
        check_name(event, &value)?;
        let kind = text_of(&value["type"]);
        if stopped {
            return Err(format!("{kind} after message_stop"));
        }
        match kind {
            "message_start" => {
                received.answer(0);
                input = value["message"]["usage"]["input_tokens"].as_u64().unwrap_or(0);
            }
            "ping" => received.pings += 1,
            "content_block_start" => {
                if open.is_some() || value["index"] != next || received.answers[0].finish.is_some()
                {
                    return Err(format!("block {} opened out of order", value["index"]));
                }
                next += 1;
                let block = &value["content_block"];
                if block["type"] == "tool_use" {
                    let name = text_of(&block["name"]).to_owned();
                    received.answers[0].calls.push((name, String::new()));
                }
                open = Some((next - 1, text_of(&block["type"]).to_owned()));
            }
            "content_block_delta" => {
                let (index, block) = open.as_ref().ok_or("a delta outside a block")?;
                if value["index"] != *index {
                    return Err("a delta of another block".to_owned());
                }
                messages_delta(&value["delta"], block, &mut received.answers[0])?;
            }
            "content_block_stop" => {
                if open.take().is_none_or(|(index, _)| value["index"] != index) {
                    return Err("a block closed that is not open".to_owned());
                }
            }
            "message_delta" => {
                if open.is_some() {
                    return Err("the message ends inside a block".to_owned());
                }
                received.answers[0].finish =
                    value["delta"]["stop_reason"].as_str().map(str::to_owned);
                if let Some(told) = value["usage"]["input_tokens"].as_u64() {
                    input = told;
                }
                let output = value["usage"]["output_tokens"].as_u64().ok_or("no usage")?;
                received.usage = Some((input, output));
            }
            "message_stop" => stopped = true,
            "error" => received.error = Some(value["error"].clone()),
            other => return Err(format!("unknown event {other}")),
        }
    }
    Ok(())
}

fn messages_delta(delta: &Value, block: &str, got: &mut Got) -> Result<(), String> {
    match (text_of(&delta["type"]), block) {
        ("text_delta", "text") => got.text.push_str(text_of(&delta["text"])),
        ("thinking_delta", "thinking") => got.thinking.push_str(text_of(&delta["thinking"])),
        ("signature_delta", "thinking") => {}
        ("input_json_delta", "tool_use") => {
            let call = got.calls.last_mut().ok_or("no call")?;
            call.1.push_str(text_of(&delta["partial_json"]));
        }
        (delta, block) => return Err(format!("{delta} in a block of {block}")),
    }
    Ok(())
}

#[derive(Default)]
struct Items {
    open: Option<(u64, String)>,
    next: u64,
    part_open: bool,
    seen: Vec<Value>,
    // What the deltas of the open item said so far.
    said: String,
}

fn responses(events: &[Event], received: &mut Received) -> Result<(), String> {
    let mut items = Items::default();
    let mut sequence = None;
    let mut over = false;
    for event in events {
        let value = json_of(event)?;
        check_name(event, &value)?;
        let number = value["sequence_number"].as_u64().ok_or("no sequence_number")?;
        if sequence.is_some_and(|last| number != last + 1) {
            return Err(format!("sequence_number {number} after {sequence:?}"));
        }
        sequence = Some(number);
        if over {
            return Err("something after the end".to_owned());
        }
        match text_of(&value["type"]) {
            "response.created" => {
                received.answer(0);
            }
            "response.in_progress" => {}
            "response.completed" | "response.incomplete" => {
                over = true;
                responses_end(&value, &items, received)?;
            }
            "error" | "response.failed" => {
                received.error = Some(if value["response"]["error"].is_null() {
                    value.clone()
                } else {
                    value["response"]["error"].clone()
                });
            }
            kind => responses_event(kind, &value, &mut items, received)?,
        }
    }
    Ok(())
}

fn responses_event(
    kind: &str,
    value: &Value,
    items: &mut Items,
    received: &mut Received,
) -> Result<(), String> {
    let got = &mut received.answers[0];
    if kind == "response.output_item.added" {
        if items.open.is_some() || value["output_index"] != items.next {
            return Err("an item added out of order".to_owned());
        }
        items.open = Some((items.next, text_of(&value["item"]["id"]).to_owned()));
        items.next += 1;
        items.said.clear();
        if value["item"]["type"] == "function_call" {
            got.calls.push((text_of(&value["item"]["name"]).to_owned(), String::new()));
        }
        return Ok(());
    }
    let (index, id) = items.open.clone().ok_or(format!("{kind} outside an item"))?;
    if value["output_index"] != index {
        return Err(format!("{kind} of another item"));
    }
    if kind != "response.output_item.done" && value["item_id"] != id {
        return Err(format!("{kind} of item {} inside {id}", value["item_id"]));
    }
    match kind {
        "response.content_part.added" => items.part_open = true,
        "response.output_text.delta" => {
            if !items.part_open {
                return Err("text outside a part".to_owned());
            }
            got.text.push_str(text_of(&value["delta"]));
            items.said.push_str(text_of(&value["delta"]));
        }
        "response.output_text.done" if value["text"] != items.said.as_str() => {
            return Err(format!("{} is not what was said: {:?}", value["text"], items.said));
        }
        "response.content_part.done" => {
            items.part_open = false;
            if value["part"]["text"] != items.said.as_str() {
                return Err("the part is not what was said".to_owned());
            }
        }
        "response.function_call_arguments.delta" => {
            got.calls.last_mut().ok_or("no call")?.1.push_str(text_of(&value["delta"]));
        }
        "response.function_call_arguments.done"
            if value["arguments"] != got.calls.last().ok_or("no call")?.1.as_str() =>
        {
            return Err("the arguments are not what was said".to_owned());
        }
        "response.reasoning_summary_text.delta" => {
            got.thinking.push_str(text_of(&value["delta"]));
        }
        "response.output_item.done" => {
            if items.part_open {
                return Err("an item closed with an open part".to_owned());
            }
            items.open = None;
            items.seen.push(value["item"].clone());
        }
        _ => {}
    }
    Ok(())
}

fn responses_end(value: &Value, items: &Items, received: &mut Received) -> Result<(), String> {
    if items.open.is_some() {
        return Err("the response ends inside an item".to_owned());
    }
    let response = &value["response"];
    if response["output"].as_array() != Some(&items.seen) {
        return Err(format!("output {} is not {:?}", response["output"], items.seen));
    }
    received.answers[0].finish = Some(responses_finish(response));
    received.usage = responses_usage(response);
    Ok(())
}

fn responses_finish(response: &Value) -> String {
    match response["status"].as_str() {
        Some("incomplete") => text_of(&response["incomplete_details"]["reason"]).to_owned(),
        status => status.unwrap_or_default().to_owned(),
    }
}

fn responses_usage(response: &Value) -> Option<(u64, u64)> {
    let usage = &response["usage"];
    Some((usage["input_tokens"].as_u64()?, usage["output_tokens"].as_u64()?))
}

/// Reads a body that was not streamed.
pub(super) fn read_whole(dialect: Dialect, bytes: &[u8]) -> Result<Received, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let mut received = Received { ended: true, ..Received::default() };
    if !value["error"].is_null() {
        received.error = Some(value["error"].clone());
        return Ok(received);
    }
    match dialect {
        Dialect::Chat => {
            let usage = &value["usage"];
            received.usage =
                usage["prompt_tokens"].as_u64().zip(usage["completion_tokens"].as_u64());
            for choice in value["choices"].as_array().ok_or("no choices")? {
                let message = &choice["message"];
                let call = |call: &Value| {
                    let function = &call["function"];
                    (
                        text_of(&function["name"]).to_owned(),
                        text_of(&function["arguments"]).to_owned(),
                    )
                };
                received.answers.push(Got {
                    text: text_of(&message["content"]).to_owned(),
                    thinking: text_of(&message["reasoning_content"]).to_owned(),
                    calls: message["tool_calls"]
                        .as_array()
                        .map_or(Vec::new(), |calls| calls.iter().map(call).collect()),
                    finish: choice["finish_reason"].as_str().map(str::to_owned),
                });
            }
        }
        Dialect::Messages => {
            let usage = &value["usage"];
            received.usage = usage["input_tokens"].as_u64().zip(usage["output_tokens"].as_u64());
            let got = received.answer(0);
            got.finish = value["stop_reason"].as_str().map(str::to_owned);
            for block in value["content"].as_array().ok_or("no content")? {
                match block["type"].as_str() {
                    Some("text") => got.text.push_str(text_of(&block["text"])),
                    Some("thinking") => got.thinking.push_str(text_of(&block["thinking"])),
                    Some("tool_use") => got
                        .calls
                        .push((text_of(&block["name"]).to_owned(), block["input"].to_string())),
                    other => return Err(format!("unknown block {other:?}")),
                }
            }
        }
        Dialect::Responses => {
            received.usage = responses_usage(&value);
            let got = received.answer(0);
            got.finish = Some(responses_finish(&value));
            for item in value["output"].as_array().ok_or("no output")? {
                match item["type"].as_str() {
                    Some("message") => got.text.push_str(text_of(&item["content"][0]["text"])),
                    Some("reasoning") => {
                        got.thinking.push_str(text_of(&item["summary"][0]["text"]));
                    }
                    Some("function_call") => got.calls.push((
                        text_of(&item["name"]).to_owned(),
                        text_of(&item["arguments"]).to_owned(),
                    )),
                    other => return Err(format!("unknown item {other:?}")),
                }
            }
        }
    }
    Ok(received)
}
