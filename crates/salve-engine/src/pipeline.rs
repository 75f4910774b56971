//! The pipeline, top to bottom: the table of contents of Salve.
//!
//! In: a reply as received. Out: a whole text, ready to be parsed, or a cut that can be resumed; or
//! its edits, verified and applied. Never decides anything itself: each step is a stage's function.
//!
//! | stage | function | crate |
//! |---|---|---|
//! | clean | `salve_text::clean`, through `receive` beside this file | salve-text |
//! | inspect | `salve_text::inspect`, then the grammar's second opinion, in `receive` | salve-text,
//! salve-syntax |
//! | resume | `salve_text::resume_prompt`, then `salve_text::stitch_with`, the grammar through `join_texts` | salve-text |
//! | parse | `salve_text::parse`; edits: `read_edits` beside this file | salve-text |
//! | verify | `salve_tree::verify`, in `apply_reply` beside this file, the grammars through `GrammarProbe` | salve-tree |
//! | apply | `salve_tree::apply`, in `apply_reply` | salve-tree |
//! | roll back | `salve_tree::recover` at every start; `salve_tree::undo` | salve-tree |

mod apply;
mod edits;
#[cfg(test)]
mod join_tests;
mod judgement;
mod planned_copy;
mod receive;

pub use apply::{
    Applied, ApplyEnding, ApplyOptions, Review, apply_edits, apply_reply, apply_reply_but,
};
pub use edits::{read_edits, read_edits_of};
pub use judgement::{Judgement, judge_text};
pub use planned_copy::{CopyError, CopyLimits, copy_with_plan};
pub use receive::{PipelineOptions, Received, receive};
pub(crate) use receive::{content_of, inspected};

use salve_syntax::grammar_opinion;
use salve_text::{Cut, Stitch, StitchOptions, StitchOutcome, stitch_with};
use salve_types::RawReply;

/// The outcome of a continuation.
#[must_use]
#[derive(Debug)]
pub enum Resumed {
    /// The parts were joined; the joined text was received anew.
    Joined {
        /// Whole, or cut again.
        received: Box<Received>,
        /// What the stitcher did.
        stitch: Stitch,
    },
    /// No join is safe.
    Refused(Stitch),
}

/// Joins a cut and its continuation, and receives the result anew.
pub fn resume(cut: &Cut, continuation: &str, options: &PipelineOptions) -> Resumed {
    let language = Some(cut.verdict().language);
    let stitching = StitchOptions { language, ..StitchOptions::default() };
    let joined = join_texts(cut.text(), continuation, &stitching);
    match &joined.outcome {
        StitchOutcome::Refused { .. } => Resumed::Refused(joined),
        StitchOutcome::Joined { text } => {
            let raw = RawReply { language, ..RawReply::from_text(text.clone()) };
            Resumed::Joined { received: Box::new(receive(&raw, options)), stitch: joined }
        }
    }
}

/// Joins two texts; the grammar of their language decides between joins that are about as likely, and
/// what it does not accept is not called whole.
pub fn join_texts(partial: &str, continuation: &str, options: &StitchOptions) -> Stitch {
    stitch_with(partial, continuation, options, &grammar_opinion)
}
