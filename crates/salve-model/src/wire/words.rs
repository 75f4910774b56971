//! The words of the dialects for why an answer ended and for what was counted.
//!
//! In: a dialect and our value, or its JSON. Out: the other of the two. Never loses a count that a
//! provider gave beyond those we know: numbers are written into the object that is there.

use super::Dialect;
use super::lax::{Lax, lax_object};
use salve_types::{FinishReason, Usage};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Returns the dialect's word for a reason. A broken connection has no word of its own; for the one that
/// reads it, the answer was cut.
pub(super) fn finish_word(dialect: Dialect, reason: &FinishReason) -> &str {
    match (dialect, reason) {
        (Dialect::Messages, FinishReason::Stop) => "end_turn",
        (Dialect::Messages, FinishReason::Length | FinishReason::Disconnect) => "max_tokens",
        (Dialect::Messages, FinishReason::ToolCalls) => "tool_use",
        (Dialect::Messages, FinishReason::ContentFilter) => "refusal",
        (Dialect::Responses, FinishReason::Stop | FinishReason::ToolCalls) => "completed",
        (Dialect::Responses, FinishReason::Length | FinishReason::Disconnect) => {
            "max_output_tokens"
        }
        (Dialect::Chat, FinishReason::Disconnect) => "length",
        (_, reason) => reason.name(),
    }
}

/// Returns the reason of an answer. A refusal has a place of its own beside the text and ends like
/// any other answer; without this it would look like one that has nothing to say.
pub(super) fn unless_refused(reason: FinishReason, refused: bool) -> FinishReason {
    match reason {
        FinishReason::Stop if refused => FinishReason::ContentFilter,
        reason => reason,
    }
}

/// Counts as a provider gives them, perhaps not all at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    input: Option<u64>,
    cache_written: Option<u64>,
    cache_read: Option<u64>,
    output: Option<u64>,
    reasoning: Option<u64>,
    searches: Option<u64>,
}

impl Counts {
    /// Takes over what another one has; later counts replace earlier ones.
    pub(super) fn update(&mut self, later: Self) {
        self.input = later.input.or(self.input);
        self.cache_written = later.cache_written.or(self.cache_written);
        self.cache_read = later.cache_read.or(self.cache_read);
        self.output = later.output.or(self.output);
        self.reasoning = later.reasoning.or(self.reasoning);
        self.searches = later.searches.or(self.searches);
    }

    /// Returns what was counted, if anything was.
    pub(super) fn usage(self, dialect: Dialect) -> Option<Usage> {
        self.input.or(self.output)?;
        let cached = self.cache_read.unwrap_or(0);
        let beside = match dialect {
            // Anthropic counts the prompt without what went into the cache or came from it.
            Dialect::Messages => cached.saturating_add(self.cache_written.unwrap_or(0)),
            Dialect::Chat | Dialect::Responses => 0,
        };
        Some(Usage {
            input_tokens: self.input.unwrap_or(0).saturating_add(beside),
            output_tokens: self.output.unwrap_or(0),
            cached_tokens: cached,
            reasoning_tokens: self.reasoning.unwrap_or(0),
            search_calls: self.searches.unwrap_or(0),
        })
    }
}

/// The usage object of any dialect.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct UsageForm {
    prompt_tokens: Lax<u64>,
    completion_tokens: Lax<u64>,
    input_tokens: Lax<u64>,
    output_tokens: Lax<u64>,
    cache_creation_input_tokens: Lax<u64>,
    cache_read_input_tokens: Lax<u64>,
    prompt_tokens_details: Lax<Details>,
    completion_tokens_details: Lax<Details>,
    input_tokens_details: Lax<Details>,
    output_tokens_details: Lax<Details>,
    server_side_tool_usage_details: Lax<ToolUses>,
}

/// How often a provider used tools of its own; each of these searches in the files of the request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolUses {
    document_search_calls: Lax<u64>,
    file_search_calls: Lax<u64>,
    attachment_search_calls: Lax<u64>,
}

impl ToolUses {
    fn searches(&self) -> u64 {
        let Self { document_search_calls, file_search_calls, attachment_search_calls } = self;
        let counts = [document_search_calls, file_search_calls, attachment_search_calls];
        counts.iter().filter_map(|count| count.0).fold(0, u64::saturating_add)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Details {
    cached_tokens: Lax<u64>,
    reasoning_tokens: Lax<u64>,
    thinking_tokens: Lax<u64>,
}
lax_object!(UsageForm, Details, ToolUses);

impl UsageForm {
    /// Returns the counts it holds for a dialect.
    pub(super) fn counts(self, dialect: Dialect) -> Counts {
        let input_details = self.prompt_tokens_details.0.or(self.input_tokens_details.0);
        let output_details = self.completion_tokens_details.0.or(self.output_tokens_details.0);
        let read = input_details.and_then(|details| details.cached_tokens.0);
        let reasoning = output_details
            .and_then(|details| details.reasoning_tokens.0.or(details.thinking_tokens.0));
        let searches = self.server_side_tool_usage_details.0.map(|uses| uses.searches());
        match dialect {
            Dialect::Chat => Counts {
                input: self.prompt_tokens.0,
                output: self.completion_tokens.0,
                cache_read: read,
                cache_written: None,
                reasoning,
                searches,
            },
            Dialect::Responses => Counts {
                input: self.input_tokens.0,
                output: self.output_tokens.0,
                cache_read: read,
                cache_written: None,
                reasoning,
                searches,
            },
            Dialect::Messages => Counts {
                input: self.input_tokens.0,
                output: self.output_tokens.0,
                cache_read: self.cache_read_input_tokens.0,
                cache_written: self.cache_creation_input_tokens.0,
                reasoning,
                searches,
            },
        }
    }
}

/// Reads a usage object.
pub(super) fn read_usage(dialect: Dialect, usage: &Value) -> Option<Usage> {
    let form = Lax::<UsageForm>::deserialize(usage).ok()?.0?;
    form.counts(dialect).usage(dialect)
}

/// Writes counts into a usage object; fields that are not ours stay as they are.
pub(super) fn write_usage(dialect: Dialect, place: &mut Value, usage: Usage) {
    if read_usage(dialect, place) == Some(usage) {
        return;
    }
    if !place.is_object() {
        *place = Value::Object(Map::new());
    }
    let Some(object) = place.as_object_mut() else { return };
    if usage.search_calls > 0 {
        let searched = json!({ "document_search_calls": usage.search_calls });
        object.insert("server_side_tool_usage_details".to_owned(), searched);
    }
    let (input, output) = match dialect {
        Dialect::Chat => ("prompt_tokens", "completion_tokens"),
        Dialect::Responses | Dialect::Messages => ("input_tokens", "output_tokens"),
    };
    match dialect {
        Dialect::Chat | Dialect::Responses => {
            object.insert(input.to_owned(), json!(usage.input_tokens));
            object.insert(output.to_owned(), json!(usage.output_tokens));
            object.insert("total_tokens".to_owned(), json!(usage.total()));
            let always = dialect == Dialect::Responses;
            let name = format!("{input}_details");
            write_detail(object, &name, "cached_tokens", usage.cached_tokens, always);
            let name = format!("{output}_details");
            write_detail(object, &name, "reasoning_tokens", usage.reasoning_tokens, always);
        }
        Dialect::Messages => {
            let written = object.get("cache_creation_input_tokens").and_then(Value::as_u64);
            let beside = usage.input_tokens.saturating_sub(usage.cached_tokens);
            let written = written.map(|written| written.min(beside));
            if let Some(written) = written {
                object.insert("cache_creation_input_tokens".to_owned(), json!(written));
            }
            object.insert(input.to_owned(), json!(beside - written.unwrap_or(0)));
            if usage.cached_tokens > 0 || object.contains_key("cache_read_input_tokens") {
                object.insert("cache_read_input_tokens".to_owned(), json!(usage.cached_tokens));
            }
            object.insert(output.to_owned(), json!(usage.output_tokens));
            let name = "output_tokens_details";
            write_detail(object, name, "thinking_tokens", usage.reasoning_tokens, false);
        }
    }
}

fn write_detail(object: &mut Map<String, Value>, name: &str, key: &str, count: u64, always: bool) {
    let there = object.get(name).is_some_and(Value::is_object);
    if !there && !always && count == 0 {
        return;
    }
    if !there {
        object.insert(name.to_owned(), json!({}));
    }
    if let Some(details) = object.get_mut(name).and_then(Value::as_object_mut) {
        if key == "cached_tokens" && always && !details.contains_key("cache_write_tokens") && !there
        {
            details.insert("cache_write_tokens".to_owned(), json!(0));
        }
        details.insert(key.to_owned(), json!(count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USAGE: Usage = Usage {
        input_tokens: 100,
        output_tokens: 20,
        cached_tokens: 40,
        reasoning_tokens: 5,
        search_calls: 0,
    };

    #[test]
    fn counts_are_written_where_they_were_and_read_back() {
        let cases = [
            (Dialect::Chat, json!({"prompt_tokens": 1, "completion_tokens": 2, "cost": 0.5})),
            (Dialect::Chat, json!(null)),
            (Dialect::Responses, json!({"input_tokens": 1, "x": {}})),
            (Dialect::Responses, json!("odd")),
            (
                Dialect::Messages,
                json!({"input_tokens": 3, "cache_creation_input_tokens": 30, "service_tier": "a"}),
            ),
            (Dialect::Messages, json!({"input_tokens": 3, "cache_creation_input_tokens": 900})),
            (Dialect::Messages, json!({})),
        ];
        for (dialect, mut place) in cases {
            let before = place.clone();
            write_usage(dialect, &mut place, USAGE);
            assert_eq!(read_usage(dialect, &place), Some(USAGE), "{place}");
            for key in ["cost", "x", "service_tier"] {
                assert_eq!(place.get(key), before.get(key));
            }
        }
    }

    #[test]
    fn odd_counts_are_none() {
        for odd in [json!(null), json!([]), json!({}), json!({"prompt_tokens": "5"}), json!(7)] {
            for dialect in Dialect::ALL {
                assert_eq!(read_usage(dialect, &odd), None, "{odd}");
            }
        }
    }
}
