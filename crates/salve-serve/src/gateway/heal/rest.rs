//! What the client of a stream gets once the stream is over and judged.
//!
//! In: what waits, and the answers after the ladder. Out: the frames as they came when nothing had to
//! change, otherwise the rest of each answer in the words of the dialect; before the end, the report
//! as a comment. Never sends a call that could not be proven.

use super::climb::{Climbed, ClimbedAnswer, PassedAs};
use super::hold::Hold;
use super::report::HealReport;
use super::session::StreamEnd;
use bytes::{Bytes, BytesMut};
use salve_engine::answer::{AlreadySent, Completion};
use salve_model::wire::{Delta, Dialect, StreamTail};
use salve_types::FinishReason;

/// Lets everything go that waits, with the report before the last frame.
pub(super) fn pass_on(hold: &mut Hold, tail: &mut StreamTail, report: &HealReport) -> Bytes {
    let mut out = BytesMut::new();
    let is_end = |delta: &Delta| matches!(delta, Delta::End);
    hold.let_go_until(is_end, &mut |frame, deltas| {
        out.extend_from_slice(&tail.forward(frame, deltas));
    });
    out.extend_from_slice(report.comment().as_bytes());
    hold.let_go_until(|_| false, &mut |frame, deltas| {
        out.extend_from_slice(&tail.forward(frame, deltas));
    });
    out.freeze()
}

/// Writes the rest of every answer, and the end.
pub(super) fn write(
    dialect: Dialect,
    hold: &mut Hold,
    tail: &mut StreamTail,
    climbed: &Climbed,
    end: &StreamEnd,
) -> Bytes {
    let mut out = BytesMut::new();
    // Frames that are proven need not be written anew because the reason after them is wrong. Items
    // of Responses carry the reason themselves.
    if dialect != Dialect::Responses && climbed.answers.iter().all(only_its_finish_is_wrong) {
        let ends = |delta: &Delta| {
            matches!(delta, Delta::Finish { .. } | Delta::End | Delta::Error { .. })
        };
        hold.let_go_until(ends, &mut |frame, deltas| {
            out.extend_from_slice(&tail.forward(frame, deltas));
        });
    }
    for (choice, answer) in climbed.answers.iter().enumerate() {
        write_answer(&mut out, tail, choice, hold.sent(choice), answer);
    }
    if let Some(usage) = climbed.report.usage {
        out.extend_from_slice(&tail.usage(usage));
    }
    out.extend_from_slice(climbed.report.comment().as_bytes());
    let last = match climbed.withheld() {
        Some((why, _)) => match end {
            StreamEnd::Broken(said) => tail.error(&format!("{why}; the stream broke: {said}")),
            StreamEnd::Ended | StreamEnd::Closed => tail.error(why),
        },
        None => tail.end(),
    };
    out.extend_from_slice(&last);
    out.freeze()
}

fn only_its_finish_is_wrong(answer: &ClimbedAnswer) -> bool {
    answer.passed == PassedAs::Itself
        || answer.partial.is_none()
            && answer.completed.steps.is_empty()
            && answer.completed.wrong_finish.is_some()
            && answer.completed.raw.is_empty()
            && answer.completed.reply.tool_calls.iter().all(|call| call.arguments != "{}")
}

fn write_answer(
    out: &mut BytesMut,
    tail: &mut StreamTail,
    choice: usize,
    sent: AlreadySent,
    answer: &ClimbedAnswer,
) {
    let reply = &answer.completed.reply;
    if matches!(answer.passed, PassedAs::Withheld { .. }) {
        return;
    }
    // The ladder keeps what was sent as the start of the text; `get` guards against what was not foreseen.
    out.extend_from_slice(&tail.text(choice, reply.text.get(sent.text..).unwrap_or_default()));
    for call in reply.tool_calls.iter().skip(sent.tool_calls) {
        out.extend_from_slice(&tail.tool_call(choice, call));
    }
    out.extend_from_slice(&tail.finish(choice, &finish_of(answer)));
}

/// Returns the reason an answer is passed on with: what is not whole says so.
pub(super) fn finish_of(answer: &ClimbedAnswer) -> FinishReason {
    let reply = &answer.completed.reply;
    match (&answer.completed.state, &reply.finish) {
        (Completion::Incomplete { .. }, _) => FinishReason::Length,
        (_, Some(FinishReason::Disconnect) | None) if reply.tool_calls.is_empty() => {
            FinishReason::Stop
        }
        (_, Some(FinishReason::Disconnect) | None) => FinishReason::ToolCalls,
        (_, Some(reason)) => reason.clone(),
    }
}
