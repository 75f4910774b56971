//! Judging the tool calls of an answer.
//!
//! In: the calls as they came, and the tools that may be called. Out: a verdict on all of them. Never
//! takes arguments for whole that are not strict JSON and do not fit.

use super::judge::{json_verdict, proof, says_ended, whole};
use super::strict::{self, Strict};
use super::verdict::{AnswerCut, AnswerVerdict, Fault, FaultKind, Part};
use super::{Wanted, WantedTool};
use salve_model::{ModelReply, ToolCall};
use salve_types::FinishReason;
use serde_json::{Map, Value};

/// What one call is.
#[derive(Debug)]
pub(super) enum CallLook {
    /// Its arguments are whole and fit.
    Whole,
    /// Its arguments are absent, and the tool needs none.
    WithoutArguments,
    /// Its arguments are the beginning of JSON.
    Cut,
    /// Its arguments are wrong, or the tool does not exist.
    Wrong(Box<Fault>),
}

/// Judges the calls; the first that is not whole decides.
pub(super) fn judge(reply: &ModelReply, wanted: &Wanted) -> AnswerVerdict {
    let ended = says_ended(reply.finish.as_ref());
    let last = reply.tool_calls.len() - 1;
    let mut without_arguments = Vec::new();
    for (index, call) in reply.tool_calls.iter().enumerate() {
        match look(call, index, wanted, ended || index < last) {
            CallLook::Whole if wanted.closed_calls && !ended && index == last => {
                let fault = unfinished(call, index, "an end that the provider put there");
                return AnswerVerdict::Malformed(Box::new(fault));
            }
            CallLook::Whole => {}
            CallLook::WithoutArguments => without_arguments.push(index),
            CallLook::Wrong(fault) => return AnswerVerdict::Malformed(fault),
            CallLook::Cut if index < last => {
                return AnswerVerdict::Malformed(Box::new(unfinished(
                    call,
                    index,
                    "the next call",
                )));
            }
            CallLook::Cut => return cut(call, index, reply.finish.as_ref()),
        }
    }
    let evidence = proof("arguments_closed", "The arguments of every call have their end and fit");
    let mut answer = whole(reply, vec![evidence]);
    answer.without_arguments = without_arguments;
    AnswerVerdict::Whole(answer)
}

/// Looks at one call; `ended` says that nothing speaks against its end.
pub(super) fn look(call: &ToolCall, index: usize, wanted: &Wanted, ended: bool) -> CallLook {
    let part = Part::Tool(index);
    let tool = wanted.tools.iter().find(|tool| tool.name == call.name);
    let arguments = call.arguments.trim();
    if tool.is_none() && !wanted.tools.is_empty() {
        let half_named = wanted.tools.iter().any(|tool| tool.name.starts_with(&call.name));
        if !ended && arguments.is_empty() && half_named {
            return CallLook::Cut;
        }
        return CallLook::Wrong(Box::new(unknown(call, index, &wanted.tools)));
    }
    let schema = tool.and_then(|tool| tool.schema.as_deref());
    if arguments.is_empty() {
        let nothing = Value::Object(Map::new());
        return match strict::misfit(&nothing, schema, part) {
            _ if !ended => CallLook::Cut,
            None => CallLook::WithoutArguments,
            Some(fault) => CallLook::Wrong(Box::new(fault)),
        };
    }
    match strict::read(arguments, part) {
        Strict::Beginning => CallLook::Cut,
        Strict::Wrong(fault) => CallLook::Wrong(fault),
        Strict::Whole(Value::Object(map)) => {
            match strict::misfit(&Value::Object(map), schema, part) {
                None => CallLook::Whole,
                Some(fault) => CallLook::Wrong(Box::new(fault)),
            }
        }
        Strict::Whole(_) => CallLook::Wrong(Box::new(Fault {
            kind: FaultKind::Misfit,
            part,
            path: "$".to_owned(),
            expected: "an object".to_owned(),
            got: shown(arguments),
            message: format!("the arguments of `{}` are not an object", call.name),
        })),
    }
}

fn cut(call: &ToolCall, index: usize, finish: Option<&FinishReason>) -> AnswerVerdict {
    AnswerVerdict::Cut(Box::new(AnswerCut {
        part: Part::Tool(index),
        clean: None,
        verdict: json_verdict(&call.arguments, finish),
        structured: true,
        proven: true,
    }))
}

fn unfinished(call: &ToolCall, index: usize, got: &str) -> Fault {
    Fault {
        kind: FaultKind::Unfinished,
        part: Part::Tool(index),
        path: "$".to_owned(),
        expected: "the rest of the arguments".to_owned(),
        got: got.to_owned(),
        message: format!("the arguments of `{}` have no end", call.name),
    }
}

fn unknown(call: &ToolCall, index: usize, tools: &[WantedTool]) -> Fault {
    const SHOWN: usize = 32;
    let names: Vec<&str> = tools.iter().take(SHOWN).map(|tool| tool.name.as_str()).collect();
    Fault {
        kind: FaultKind::UnknownTool,
        part: Part::Tool(index),
        path: "the name of the tool".to_owned(),
        expected: format!("one of {}", names.join(", ")),
        got: shown(&call.name),
        message: "there is no such tool".to_owned(),
    }
}

fn shown(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut words: String = text.chars().take(SHOWN).collect();
    if words.len() < text.len() {
        words.push('…');
    }
    if words.is_empty() { "nothing".to_owned() } else { format!("`{words}`") }
}
