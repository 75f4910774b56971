//! Judging one answer, from the bytes first.
//!
//! In: a reply as it came, and what was wanted. Out: a verdict. The finish reason is evidence in both
//! directions and never decides against the bytes. Never changes the reply, never asks anyone.

use super::tools;
use super::verdict::{AnswerCut, AnswerVerdict, Fault, FaultKind, Part, WholeAnswer, WrongFinish};
use super::{Wanted, strict};
use crate::pipeline::{PipelineOptions, content_of, receive};
use salve_model::ModelReply;
use salve_text::{
    EditOptions, FreeText, InspectOptions, SentinelRule, inspect_free_text, inspect_text,
    parse_edits,
};
use salve_types::{
    EditEnd, EditFormat, Evidence, EvidenceSource, FinishReason, Language, RawReply, Verdict,
};

/// Judges an answer.
pub fn judge(reply: &ModelReply, wanted: &Wanted) -> AnswerVerdict {
    judge_with(reply, wanted, || look(reply, wanted))
}

/// What an answer that is no JSON was found to be.
pub(super) struct Look {
    pub(super) text: FreeText,
    /// The content alone, where it is not the whole text.
    pub(super) clean: Option<String>,
}

impl From<FreeText> for Look {
    fn from(text: FreeText) -> Self {
        Self { text, clean: None }
    }
}

/// Looks at free text; content of a known language passes all stages, because it is the answer.
pub(super) fn look(reply: &ModelReply, wanted: &Wanted) -> Look {
    let finish = reply.finish.as_ref();
    let Some(language) = wanted.language else {
        return inspect_free_text(&reply.text, finish).into();
    };
    let raw = RawReply {
        finish_reason: finish.cloned(),
        language: Some(language),
        ..RawReply::from_text(&reply.text)
    };
    let received = receive(&raw, &PipelineOptions::default());
    let verdict = received.verdict().clone();
    Look {
        clean: (received.text() != reply.text).then(|| received.text().to_owned()),
        text: FreeText {
            structured: !matches!(language, Language::Markdown | Language::Text),
            doubtful: says_ended(finish) && verdict.open.is_empty(),
            verdict,
        },
    }
}

/// As [`judge`], with the look at free text left to the caller, who may have had it already.
pub(super) fn judge_with(
    reply: &ModelReply,
    wanted: &Wanted,
    look: impl FnOnce() -> Look,
) -> AnswerVerdict {
    if reply.finish == Some(FinishReason::ContentFilter) {
        return AnswerVerdict::Refused;
    }
    // Whatever is wrong with calls that came, others may have been lost after them.
    if lost_calls(reply) {
        return AnswerVerdict::Cut(Box::new(unread(reply)));
    }
    match judge_bytes(reply, wanted, look) {
        // A JSON value that was wanted has its end in itself; whatever else looks whole may have
        // gone on in the frame that could not be read.
        AnswerVerdict::Whole(_) if reply.lost && !wanted.is_json() => {
            AnswerVerdict::Cut(Box::new(unread(reply)))
        }
        verdict => verdict,
    }
}

/// Returns whether an answer ended at a frame that could not be read, and made calls before it: which
/// calls and words were to follow is not known, however whole the last one looks.
pub(super) const fn lost_calls(reply: &ModelReply) -> bool {
    reply.lost && !reply.tool_calls.is_empty()
}

fn unread(reply: &ModelReply) -> AnswerCut {
    let last_call = reply.tool_calls.len().checked_sub(1);
    AnswerCut {
        part: last_call.map_or(Part::Text, Part::Tool),
        clean: None,
        verdict: inspect_free_text(&reply.text, reply.finish.as_ref()).verdict,
        // Calls do not end like a text: what is to be confirmed is only the text.
        structured: last_call.is_some(),
        proven: last_call.is_some(),
    }
}

fn judge_bytes(reply: &ModelReply, wanted: &Wanted, look: impl FnOnce() -> Look) -> AnswerVerdict {
    if !reply.tool_calls.is_empty() {
        return tools::judge(reply, wanted);
    }
    if reply.text.trim().is_empty() {
        return judge_nothing(reply, wanted);
    }
    if wanted.is_json() {
        return judge_json(reply, wanted);
    }
    if wanted.edits && says_ended(reply.finish.as_ref()) && are_whole_edits(&reply.text) {
        let evidence = proof("EDITS_CLOSED", "every edit that was opened is closed");
        return AnswerVerdict::Whole(whole(reply, vec![evidence]));
    }
    judge_free_text(reply, wanted, look())
}

// A whole file has no marker at its end, and is judged as code.
fn are_whole_edits(text: &str) -> bool {
    let edits = parse_edits(text, &EditOptions::default());
    let marked = !matches!(
        edits.format,
        EditFormat::WholeFile | EditFormat::LazyFile | EditFormat::OriginalChanged
    );
    marked && edits.end == EditEnd::Complete && !edits.files.is_empty()
}

/// Returns whether the provider says that the answer ended, or at least not that it did not.
pub(super) fn says_ended(finish: Option<&FinishReason>) -> bool {
    !finish.is_some_and(FinishReason::is_cut)
}

/// Makes the verdict on a whole answer, with what its finish reason should have been.
pub(super) fn whole(reply: &ModelReply, evidence: Vec<Evidence>) -> WholeAnswer {
    let proven =
        if reply.tool_calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
    // A word that is not known may mean something, and calls may be of a kind that is not read here.
    let stands = match &reply.finish {
        Some(FinishReason::Other(_)) => true,
        Some(FinishReason::ToolCalls) => true,
        said => said.as_ref() == Some(&proven),
    };
    let wrong_finish = (!stands).then(|| WrongFinish { said: reply.finish.clone(), proven });
    WholeAnswer { clean: None, without_arguments: Vec::new(), wrong_finish, evidence }
}

/// Makes an observation about the bytes.
pub(super) fn proof(code: &str, message: &str) -> Evidence {
    Evidence {
        source: EvidenceSource::Parser,
        code: code.to_owned(),
        message: message.to_owned(),
        cut: false,
        weight: 0.98,
        span: None,
    }
}

/// Returns the inspector's verdict on JSON that was cut.
pub(super) fn json_verdict(text: &str, finish: Option<&FinishReason>) -> Verdict {
    let options = InspectOptions {
        language: Some(Language::Json),
        sentinel: SentinelRule::None,
        finish_reason: finish.cloned(),
        ..InspectOptions::default()
    };
    inspect_text(text, &options)
}

// No text and no calls. Reasoning that took the whole limit shows as this even where it is hidden.
fn judge_nothing(reply: &ModelReply, wanted: &Wanted) -> AnswerVerdict {
    match reply.finish {
        Some(FinishReason::Length) => AnswerVerdict::ThinkingOnly,
        None if !reply.thinking.is_empty() => AnswerVerdict::ThinkingOnly,
        Some(FinishReason::Disconnect) => AnswerVerdict::Cut(Box::new(AnswerCut {
            part: Part::Text,
            clean: Some(String::new()),
            verdict: json_verdict("", reply.finish.as_ref()),
            structured: false,
            proven: true,
        })),
        _ if wanted.is_json() => AnswerVerdict::Malformed(Box::new(Fault {
            kind: FaultKind::Empty,
            part: Part::Text,
            path: "$".to_owned(),
            expected: "a JSON value".to_owned(),
            got: "nothing".to_owned(),
            message: "the answer is empty".to_owned(),
        })),
        _ => AnswerVerdict::Whole(whole(reply, Vec::new())),
    }
}

fn judge_json(reply: &ModelReply, wanted: &Wanted) -> AnswerVerdict {
    let text = reply.text.trim();
    let direct = judge_json_text(reply, wanted, text, None);
    if !matches!(&direct, AnswerVerdict::Malformed(fault) if is_no_json(fault)) {
        return direct;
    }
    // Talk or a fence may be around it.
    let cleaned = content_of(&reply.text, Some(Language::Json));
    if cleaned.trim() == text || !cleaned.trim_start().starts_with(['{', '[', '"']) {
        return direct;
    }
    judge_json_text(reply, wanted, cleaned.trim(), Some(&cleaned))
}

fn is_no_json(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::NotJson { .. })
}

fn judge_json_text(
    reply: &ModelReply,
    wanted: &Wanted,
    text: &str,
    cleaned: Option<&str>,
) -> AnswerVerdict {
    let cut = || {
        let verdict = json_verdict(text, reply.finish.as_ref());
        AnswerVerdict::Cut(Box::new(AnswerCut {
            part: Part::Text,
            clean: cleaned.map(|cleaned| cleaned.trim_start().to_owned()),
            verdict,
            structured: true,
            proven: true,
        }))
    };
    match strict::read(text, Part::Text) {
        strict::Strict::Beginning => cut(),
        strict::Strict::Wrong(fault) => AnswerVerdict::Malformed(fault),
        strict::Strict::Whole(value) => {
            if !strict::ends_by_itself(&value) && !says_ended(reply.finish.as_ref()) {
                return cut();
            }
            if let Some(fault) = strict::misfit(&value, wanted.schema.as_deref(), Part::Text) {
                return AnswerVerdict::Malformed(Box::new(fault));
            }
            let evidence = proof("json_closed", "The JSON value has its end and fits");
            let mut answer = whole(reply, vec![evidence]);
            answer.clean = cleaned.map(|_| text.to_owned());
            AnswerVerdict::Whole(answer)
        }
    }
}

fn judge_free_text(reply: &ModelReply, wanted: &Wanted, look: Look) -> AnswerVerdict {
    let Look { text: look, clean } = look;
    // A text that asked to be ended there has ended there, whatever is open.
    let at_stop = wanted.stop.iter().any(|stop| !stop.is_empty() && reply.text.ends_with(stop));
    let stopped = !wanted.stop.is_empty() && reply.finish == Some(FinishReason::Stop);
    if at_stop || stopped || look.verdict.is_valid {
        let mut answer = whole(reply, look.verdict.evidence);
        answer.clean = clean;
        return AnswerVerdict::Whole(answer);
    }
    if !look.structured && at_own_limit(reply, wanted) {
        return AnswerVerdict::AtOwnLimit;
    }
    AnswerVerdict::Cut(Box::new(AnswerCut {
        part: Part::Text,
        clean,
        proven: !look.verdict.open.is_empty() && !look.doubtful,
        structured: look.structured,
        verdict: look.verdict,
    }))
}

// The limit the caller set itself, and not one of the provider's below it.
fn at_own_limit(reply: &ModelReply, wanted: &Wanted) -> bool {
    let Some(limit) = wanted.output_limit else { return false };
    reply.finish == Some(FinishReason::Length)
        && reply.usage.is_none_or(|usage| usage.output_tokens >= limit)
}
