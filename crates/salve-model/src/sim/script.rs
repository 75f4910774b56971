//! The script of a simulated model: what it says, to whom, and how it fails.
//!
//! In: JSON lines, one rule each. Out: rules with every default filled in. Never guesses: a field
//! that is not known, or two that exclude each other, are an error with the number of the line.

mod fields;

pub(super) use fields::from_hex;
pub use fields::{Chatty, Chunk, CutAt, Delay, Finish, Garbage, Nth, Told};

use crate::wire::Dialect;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Everything a simulated model will do. The first rule that applies answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// The rules in their order.
    pub rules: Vec<ScriptRule>,
}

/// When something is answered, how often, and what.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptRule {
    /// Which requests it answers; all when absent.
    #[serde(default)]
    pub when: When,
    /// How many requests it answers at most.
    #[serde(default)]
    pub times: Option<u64>,
    /// The answer.
    pub reply: Reply,
    /// The line of the script, from 1.
    #[serde(skip)]
    pub line: usize,
}

/// Which requests a rule answers. Everything that is given must hold.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct When {
    /// The dialect of the request.
    pub dialect: Option<Dialect>,
    /// The model's name, whole.
    pub model: Option<String>,
    /// Whether a stream is asked for.
    pub stream: Option<bool>,
    /// A text that the last user turn holds. Of a rule that `continues`, any user turn.
    pub contains: Option<String>,
    /// Only the n-th request that fits the rest of this rule, from 1; a number or a list.
    pub nth: Option<Nth>,
    /// How many images the request shows.
    pub images: Option<usize>,
    /// Requests for images, and only those; other rules never answer them.
    pub draws: bool,
    /// How many files go along by their ids.
    pub files: Option<usize>,
    /// Headers and their values, names in any case.
    pub header: BTreeMap<String, String>,
}

/// What is answered, and what goes wrong meanwhile.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// The reasoning before it.
    pub thinking: String,
    /// The tools it asks for.
    pub tool_calls: Vec<ScriptedCall>,
    /// Why it says it ended: honest when absent, never said when null.
    pub finish: Finish,
    /// What it says it took: counted when absent, never said when null.
    pub usage: Told,
    /// Bytes of each piece of a stream; a list gives one size after the other, the last for the rest.
    pub chunk: Chunk,
    /// Milliseconds before the first byte and between pieces.
    pub delay_ms: Delay,
    /// Where the answer is cut.
    pub cut_at: Option<CutAt>,
    /// Follow-ups are answered by the rest of this answer.
    pub continues: bool,
    /// Where the answer and its continuations are cut: each at the first place after its start.
    pub cuts: Vec<CutAt>,
    /// The request's own output limit cuts, at four bytes a token.
    pub limit_tokens: bool,
    /// A continuation first repeats this many bytes of what was already said.
    pub echo: usize,
    /// A continuation is wrapped in talk.
    pub chatty: Option<Chatty>,
    /// The connection breaks at this byte of the body, or at a place of the answer.
    pub disconnect_at: Option<CutAt>,
    /// An HTTP status in place of an answer.
    pub status: Option<u16>,
    /// The body that goes with `status`; the dialect's own form of an error when absent.
    pub body: Option<Value>,
    /// The seconds that `retry-after` names.
    pub retry_after: Option<u64>,
    /// Bytes in place of the body, or of one frame of a stream.
    pub garbage: Option<Garbage>,
    /// Silence of this many milliseconds in the middle of the body.
    pub hang_ms: u64,
    /// The frame before which the silence falls, from 0.
    pub hang_at: usize,
    /// Headers of the response.
    pub headers: BTreeMap<String, String>,
    /// Of a rule that `draws`: each image is told by this address in place of its bytes.
    pub image_url: Option<String>,
    /// Of a rule that `draws`: at most so many images come, whatever was asked for.
    pub most_images: Option<usize>,
    /// The other answers when a request asks for several (`n`); the reply itself is the first. Only
    /// what is said counts here, not how it travels. When fewer are given than asked for, the last
    /// one is repeated.
    pub others: Vec<Reply>,
}

/// A tool the simulated model asks for.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    /// The id of the call; made up when absent.
    #[serde(default)]
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// The arguments: a text as it is sent, or JSON that is written out.
    #[serde(default, deserialize_with = "fields::arguments")]
    pub arguments: String,
}

/// What is wrong with a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the script: {message}")]
pub struct ScriptError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl Script {
    /// Reads a script. Empty lines and lines that begin with `//` or `#` are skipped.
    ///
    /// # Errors
    /// When a line is no rule; the message names the line, the column and the fields that exist.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let mut rules = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim().trim_start_matches('\u{feff}');
            if line.is_empty() || line.starts_with("//") || line.starts_with('#') {
                continue;
            }
            let number = at + 1;
            let error = |message| ScriptError { line: number, message };
            if !line.starts_with('{') {
                return Err(error("a rule is a JSON object".to_owned()));
            }
            let mut rule: ScriptRule =
                serde_json::from_str(line).map_err(|problem| error(in_line(&problem)))?;
            contradiction(&rule.reply).map_or(Ok(()), |message| Err(error(message)))?;
            rule.line = number;
            rules.push(rule);
        }
        Ok(Self { rules })
    }

    /// Makes a script of one rule that answers everything with this text.
    pub fn of_text(text: impl Into<String>) -> Self {
        let reply = Reply { text: text.into(), ..Reply::default() };
        Self { rules: vec![ScriptRule { when: When::default(), times: None, reply, line: 1 }] }
    }
}

// Every line is a document of its own, so serde's "line 1" would mislead.
fn in_line(problem: &serde_json::Error) -> String {
    let text = problem.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    format!("{what} (column {})", problem.column())
}

fn contradiction(reply: &Reply) -> Option<String> {
    let has_answer = !reply.text.is_empty()
        || !reply.thinking.is_empty()
        || !reply.tool_calls.is_empty()
        || reply.cut_at.is_some();
    let for_continuers = reply.echo > 0 || reply.chatty.is_some() || !reply.cuts.is_empty();
    if reply.status.is_some() && has_answer {
        return Some("`status` stands in place of an answer: give one of the two".to_owned());
    }
    if let Some(status) = reply.status.filter(|status| !(200..=599).contains(status)) {
        return Some(format!("`status` must be from 200 to 599, not {status}"));
    }
    if reply.status.is_none() && (reply.body.is_some() || reply.retry_after.is_some()) {
        return Some("`body` and `retry_after` need a `status`".to_owned());
    }
    if for_continuers && !reply.continues {
        return Some("`cuts`, `echo` and `chatty` need `\"continues\": true`".to_owned());
    }
    if reply.cut_at.is_some() && !reply.cuts.is_empty() {
        return Some("`cut_at` and `cuts` say the same: give one of the two".to_owned());
    }
    if reply.hang_at > 0 && reply.hang_ms == 0 {
        return Some("`hang_at` needs `hang_ms`".to_owned());
    }
    for (name, value) in &reply.headers {
        let named = http::HeaderName::try_from(name.as_str()).is_ok();
        if !named || http::HeaderValue::try_from(value.as_str()).is_err() {
            return Some(format!("`headers`: `{name}` is no header that can be sent"));
        }
    }
    reply.others.iter().find_map(contradiction)
}

#[cfg(test)]
mod tests;
