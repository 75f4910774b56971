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
//! | verify | `salve_tree::verify`, the grammars through `GrammarProbe` | salve-tree |
//! | apply | `salve_tree::apply` | salve-tree |
//! | roll back | `salve_tree::recover` at every start; `salve_tree::undo` | salve-tree |

mod edits;
#[cfg(test)]
mod join_tests;
mod judgement;
mod planned_copy;
mod receive;

pub use edits::{read_edits, read_edits_of};
pub use judgement::{Judgement, judge_text};
pub use planned_copy::{CopyError, CopyLimits, copy_with_plan};
pub(crate) use receive::content_of;
pub use receive::{PipelineOptions, Received, receive};

use crate::host::OpenWorkspace;
use salve_syntax::grammar_opinion;
use salve_text::{Cut, EditOptions, Stitch, StitchOptions, StitchOutcome, stitch_with};
use salve_tree::{
    AdmitOptions, ApplyOutcome, ChangeMeta, Refusal, Report, TreeError, Verification,
    VerifiedEdits, VerifyOptions, apply, verify,
};
use salve_types::{EditSet, RawReply};

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

/// What is asked of a reply that holds edits.
pub struct ApplyOptions<'a> {
    /// How its edits are read.
    pub edits: EditOptions,
    /// How its texts are judged.
    pub pipeline: PipelineOptions,
    /// Which paths are admitted.
    pub admit: AdmitOptions,
    /// What the verifier knows and allows; the history is the workspace's own.
    pub verify: VerifyOptions<'a>,
    /// How the change is described in the history.
    pub meta: ChangeMeta,
}

/// What the caller says about a plan before it is applied.
pub enum Review {
    /// These edits are applied. If another process changes a file in between, they are planned and
    /// reviewed again.
    Apply(VerifiedEdits),
    /// These edits are applied as they are: a person chose them.
    Chosen(VerifiedEdits),
    /// Nothing is applied now; these are what would be.
    Hold(VerifiedEdits),
    /// Nothing is applied.
    Drop,
}

/// The outcome of the edits of a reply.
#[must_use]
pub struct Applied {
    /// The edits as they were read.
    pub edits: EditSet,
    /// The outcome of them.
    pub ending: ApplyEnding,
}

/// The outcome of edits.
pub enum ApplyEnding {
    /// They do not fit; nothing was written.
    Refused(Refusal),
    /// They fit, and the review held them back.
    Held(VerifiedEdits, Report),
    /// They fit, and the review wanted none of them.
    Dropped,
    /// They were handed to the transaction, which says how it ended.
    Done(ApplyOutcome, Report),
}

/// How often edits are planned again because another process wrote in between. Each time it was
/// another change that landed, so that ever fewer are left.
const MOST_PLANS: usize = 1_000;

/// Takes a reply to the files: parse, verify, review, apply. All files are written, or none. The plan
/// is made without the lock; where a file changed until the lock was had, it is made again.
///
/// # Errors
/// When the workspace cannot be read or written, or the review fails.
pub fn apply_reply<E: From<TreeError>>(
    raw: &RawReply,
    workspace: &OpenWorkspace,
    options: &ApplyOptions<'_>,
    mut review: impl FnMut(VerifiedEdits) -> Result<Review, E>,
) -> Result<Applied, E> {
    let view = workspace.view(options.admit);
    let edits = read_edits_of(raw, &view, &options.edits, &options.pipeline);
    for _ in 1..MOST_PLANS {
        let ending = plan_and_apply(&edits, workspace, options, &mut review)?;
        if let Some(ending) = ending {
            return Ok(Applied { edits, ending });
        }
    }
    let mut once = |verified: VerifiedEdits| -> Result<Review, E> {
        Ok(match review(verified)? {
            Review::Apply(verified) => Review::Chosen(verified),
            other => other,
        })
    };
    let ending = plan_and_apply(&edits, workspace, options, &mut once)?;
    Ok(Applied { edits, ending: ending.unwrap_or(ApplyEnding::Dropped) })
}

// Nothing where another process changed a file in between and the plan shall be made again.
fn plan_and_apply<E: From<TreeError>>(
    edits: &EditSet,
    workspace: &OpenWorkspace,
    options: &ApplyOptions<'_>,
    review: &mut impl FnMut(VerifiedEdits) -> Result<Review, E>,
) -> Result<Option<ApplyEnding>, E> {
    let history = workspace.tree.bases()?;
    let known = VerifyOptions { history: Some(&history), ..options.verify };
    let (verified, mut report) = match verify(edits, &workspace.view(options.admit), &known) {
        Verification::Refused(refusal) => return Ok(Some(ApplyEnding::Refused(refusal))),
        Verification::Verified { edits, report } => (edits, report),
    };
    let (verified, again) = match review(verified)? {
        Review::Drop => return Ok(Some(ApplyEnding::Dropped)),
        Review::Hold(verified) => return Ok(Some(ApplyEnding::Held(verified, report))),
        Review::Apply(verified) => (verified, true),
        Review::Chosen(verified) => {
            report.note_choice(&verified);
            (verified, false)
        }
    };
    Ok(match apply(&workspace.tree, verified, &options.meta)? {
        ApplyOutcome::Conflict(_) if again => None,
        outcome => Some(ApplyEnding::Done(outcome, report)),
    })
}
