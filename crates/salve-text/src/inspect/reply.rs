//! From a cleaned reply to a whole one or a cut: the types that carry the order of the stages.
//!
//! In: a `CleanReply`. Out: a `WholeReply`, which may be parsed, or a `Cut`, which may be resumed.
//! Never lets anybody outside make either: what was not inspected cannot pass for whole.

use super::{InspectOptions, verdict, weights};
use crate::clean::CleanReply;
use salve_types::{Evidence, EvidenceSource, Verdict};

/// What the inspector made of a cleaned reply.
#[must_use]
#[derive(Debug, Clone)]
pub enum Inspection {
    /// Nothing proves the text incomplete.
    Whole(WholeReply),
    /// The text is cut.
    Cut(Cut),
}

/// A reply whose content nothing proves incomplete.
#[derive(Debug, Clone)]
pub struct WholeReply {
    reply: CleanReply,
    verdict: Verdict,
}

/// A reply whose content is cut. It may be resumed or shown, never written.
#[derive(Debug, Clone)]
pub struct Cut {
    reply: CleanReply,
    verdict: Verdict,
}

/// Judges the content of a cleaned reply.
pub fn inspect(reply: CleanReply, options: &InspectOptions) -> Inspection {
    let mut options = options.clone();
    options.language = options.language.or(reply.language());
    options.path = options.path.or_else(|| reply.path().map(str::to_owned));
    options.finish_reason = options.finish_reason.or_else(|| reply.finish_reason().cloned());
    let seen = if reply.sentinel_seen() { verdict::Seen::Removed } else { verdict::Seen::Unknown };
    let mut verdict = super::judge(reply.text(), &options, seen);
    note_cleaner(&reply, &mut verdict);
    sort(reply, verdict)
}

// An unclosed fence is a weak sign by itself: many models forget the last fence of a whole answer.
// Unclosed thinking is a strong one: the answer never began.
fn note_cleaner(reply: &CleanReply, verdict: &mut Verdict) {
    let mut note = |code: &str, message: &str, weight: f64| {
        verdict.evidence.push(Evidence {
            source: EvidenceSource::Clean,
            code: code.to_owned(),
            message: message.to_owned(),
            cut: true,
            weight,
            span: None,
        });
    };
    if reply.unclosed_fence() {
        note("unclosed_fence", "The reply ends inside a fence.", weights::UNCLOSED_WRAPPER);
    }
    if reply.unclosed_wrapper() {
        note(
            "unclosed_wrapper",
            "The reply ends inside the tags around its content.",
            weights::UNCLOSED_WRAPPER,
        );
    }
    if reply.unclosed_thinking() {
        note(
            "unclosed_thinking",
            "The reply ends inside its thinking; no answer began.",
            weights::IN_THINKING,
        );
        verdict::fail_in_thinking(verdict, reply.raw());
    }
}

fn sort(reply: CleanReply, verdict: Verdict) -> Inspection {
    if verdict.is_valid {
        Inspection::Whole(WholeReply { reply, verdict })
    } else {
        Inspection::Cut(Cut { reply, verdict })
    }
}

impl WholeReply {
    /// Returns the content.
    pub fn text(&self) -> &str {
        self.reply.text()
    }

    /// Returns the cleaned reply the content is from.
    pub fn reply(&self) -> &CleanReply {
        &self.reply
    }

    /// Returns the verdict with its evidence.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// Takes a second opinion into account: it may find the text cut, never make a cut whole.
    pub fn reconsider(self, verdict: Verdict) -> Inspection {
        sort(self.reply, verdict)
    }
}

impl Cut {
    /// Returns the content as far as it came.
    pub fn text(&self) -> &str {
        self.reply.text()
    }

    /// Returns the cleaned reply the content is from.
    pub fn reply(&self) -> &CleanReply {
        &self.reply
    }

    /// Returns the verdict: where and how it was cut.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clean::{CleanOptions, clean};
    use salve_types::{FinishReason, Language, RawReply, TruncationKind};

    fn received(text: &str, reason: Option<FinishReason>) -> Inspection {
        let raw = RawReply { finish_reason: reason, ..RawReply::from_text(text) };
        inspect(clean(&raw, &CleanOptions::default()), &InspectOptions::default())
    }

    #[test]
    fn t32_the_sentinel_proves_the_text_whole_and_is_not_part_of_it() {
        let text = "```rust\nfn main() {}\n// --- VIBECODER_COMPLETE ---\n```\n";
        let Inspection::Whole(whole) = received(text, Some(FinishReason::Length)) else {
            panic!("the sentinel was not believed");
        };
        assert_eq!(whole.text(), "fn main() {}\n");
        assert_eq!(whole.verdict().language, Language::Rust);
        assert!(whole.verdict().confidence > 0.9);
    }

    #[test]
    fn t17_length_without_proof_is_a_general_cut() {
        let Inspection::Cut(cut) =
            received("```rust\nfn main() {}\n```", Some(FinishReason::Length))
        else {
            panic!("length was ignored");
        };
        assert_eq!(cut.verdict().kind, Some(TruncationKind::GeneralTruncation));
    }

    #[test]
    fn a_reply_that_ends_while_thinking_is_a_cut() {
        let Inspection::Cut(cut) = received("<think>\nFirst I will look at", None) else {
            panic!("nothing was answered");
        };
        assert_eq!(cut.verdict().kind, Some(TruncationKind::GeneralTruncation));
    }
}
