//! Healing of a reply that came in one piece.
//!
//! In: its bytes. Out: the same bytes when nothing had to change, a patched reply, or an error of the
//! dialect. Never passes on a tool call or a bound text that could not be proven.
//!
//! Probabilities of tokens (`logprobs`) cannot be made up for a text that was continued or written
//! again: an answer whose text changed has none.

use super::asker::end_of;
use super::climb::{Climbed, ClimbedAnswer, PassedAs, climb, observed};
use super::report::HealReport;
use super::salvage::salvage;
use super::session::ArrivedAnswer;
use super::upstream::{CallEnd, CallMeter, tell};
use super::{Exchange, Upstream, rest, wanted_of};
use bytes::Bytes;
use http::StatusCode;
use salve_engine::answer::{AlreadySent, judge};
use salve_model::ModelReply;
use salve_model::wire::{Dialect, patch_reply, read_reply};
use salve_types::{FinishReason, Mode};
use serde_json::{Value, json};

/// What the client gets.
#[derive(Debug)]
#[must_use]
pub struct WholeOutcome {
    /// The status: 200, or 502 when the reply cannot be passed on.
    pub status: StatusCode,
    /// The JSON body; the upstream's own bytes when nothing changed.
    pub body: Bytes,
    /// What was done.
    pub report: HealReport,
}

/// Heals the body of a successful reply.
pub async fn heal_whole<U: Upstream>(
    exchange: &Exchange<U>,
    body: Bytes,
    meter: Option<Box<dyn CallMeter>>,
) -> WholeOutcome {
    let dialect = exchange.asked.dialect;
    let wanted = wanted_of(&exchange.asked, &exchange.schemas);
    let envelope = serde_json::from_slice::<Value>(&body).ok();
    let replies = envelope.as_ref().and_then(|envelope| read_reply(dialect, envelope).ok());
    // Some upstreams tell an error with the status of a success.
    let error = envelope.as_ref().is_some_and(|body| !body["error"].is_null());
    let tells_error = error && replies.is_none();
    if envelope.is_some() && replies.is_none() && !tells_error {
        return unknown(body, meter);
    }
    // A body that cannot be read is a connection that broke, perhaps in the middle of the answer.
    let (envelope, replies) = match replies {
        Some(replies) => (envelope, replies),
        None => match salvage(&exchange.asked, &body) {
            Some((envelope, replies)) => (Some(envelope), replies),
            None => (None, vec![broken()]),
        },
    };
    if let Some(mut meter) = meter {
        for reply in &replies {
            tell(&mut *meter, reply, 0);
        }
        meter.settle(replies.first().map_or_else(CallEnd::default, end_of));
    }
    let judged = |reply: ModelReply| ArrivedAnswer {
        verdict: judge(&reply, &wanted),
        reply,
        sent: AlreadySent::default(),
    };
    let arrived: Vec<ArrivedAnswer> = replies.into_iter().map(judged).collect();
    if exchange.policy.mode != Mode::Enforce {
        let report = observed(&arrived);
        return WholeOutcome { status: StatusCode::OK, body, report };
    }
    let climbed = climb(exchange, wanted, arrived).await;
    if climbed.is_untouched() || tells_error && climbed.withheld().is_some() {
        return WholeOutcome { status: StatusCode::OK, body, report: climbed.report };
    }
    patched(dialect, envelope, climbed)
}

// JSON that is no reply of the dialect: there is nothing to judge, and it is the client's.
fn unknown(body: Bytes, meter: Option<Box<dyn CallMeter>>) -> WholeOutcome {
    if let Some(meter) = meter {
        meter.settle(CallEnd::default());
    }
    let why = Some("the body is not a reply of this dialect and passes unchanged".to_owned());
    let report = HealReport { why, ..observed(&[]) };
    WholeOutcome { status: StatusCode::OK, body, report }
}

fn broken() -> ModelReply {
    ModelReply { finish: Some(FinishReason::Disconnect), ..ModelReply::default() }
}

fn patched(dialect: Dialect, envelope: Option<Value>, mut climbed: Climbed) -> WholeOutcome {
    if let Some((why, answer)) = climbed.withheld() {
        let body = error_body(dialect, why, answer, &climbed.report);
        return refused(&body, climbed.report);
    }
    let Some(mut envelope) = envelope.or_else(|| climbed.envelope.take()) else {
        let why = "the upstream's reply cannot be read";
        let body = json!({"error": error_of(dialect, why)});
        return refused(&body, climbed.report);
    };
    let replies: Vec<ModelReply> = climbed.answers.iter().map(passed_reply).collect();
    patch_reply(dialect, &mut envelope, &replies);
    for (choice, answer) in climbed.answers.iter().enumerate() {
        if answer.passed != PassedAs::Itself && !answer.completed.steps.is_empty() {
            drop_logprobs(dialect, &mut envelope, choice);
        }
    }
    WholeOutcome {
        status: StatusCode::OK,
        body: Bytes::from(envelope.to_string()),
        report: climbed.report,
    }
}

fn passed_reply(answer: &ClimbedAnswer) -> ModelReply {
    ModelReply { finish: Some(rest::finish_of(answer)), ..answer.completed.reply.clone() }
}

fn refused(body: &Value, report: HealReport) -> WholeOutcome {
    let body = Bytes::from(body.to_string());
    WholeOutcome { status: StatusCode::BAD_GATEWAY, body, report }
}

/// The error of the dialect, with what had arrived apart from everything a client would act on.
fn error_body(dialect: Dialect, why: &str, answer: &ClimbedAnswer, report: &HealReport) -> Value {
    let first = answer.partial.clone().unwrap_or_default();
    let salve = json!({
        "verdict": "incomplete",
        "why": why,
        "partial": first.text,
        "partial_calls": first.tool_calls.iter().map(|call| json!({
            "name": call.name, "arguments_text": call.arguments,
        })).collect::<Vec<_>>(),
        "tried": {
            "resumes": report.resumes, "reworks": report.reworks, "retries": report.retries,
        },
        "usage": report.usage,
    });
    let mut body = match dialect {
        Dialect::Messages => json!({"type": "error", "error": error_of(dialect, why)}),
        _ => json!({"error": error_of(dialect, why)}),
    };
    body["salve"] = salve;
    body
}

fn error_of(dialect: Dialect, why: &str) -> Value {
    match dialect {
        Dialect::Messages => json!({"type": "api_error", "message": why, "code": CODE}),
        _ => json!({"message": why, "type": "upstream_error", "param": null, "code": CODE}),
    }
}

const CODE: &str = "salve_incomplete";

fn drop_logprobs(dialect: Dialect, body: &mut Value, choice: usize) {
    match dialect {
        Dialect::Chat => {
            if let Some(logprobs) = body.pointer_mut(&format!("/choices/{choice}/logprobs")) {
                *logprobs = Value::Null;
            }
        }
        Dialect::Responses => {
            let items = body.get_mut("output").and_then(Value::as_array_mut);
            let parts = items
                .into_iter()
                .flatten()
                .filter_map(|item| item.get_mut("content").and_then(Value::as_array_mut));
            for logprobs in parts.flatten().filter_map(|part| part.get_mut("logprobs")) {
                *logprobs = json!([]);
            }
        }
        Dialect::Messages => {}
    }
}
