//! From a reply to the files: parse, verify, review, apply.
//!
//! In: a reply, a workspace, and a review that says what is done with a plan. Out: what was refused, held
//! back or written. Never writes what was not verified and reviewed, and never a part of it.

use super::{PipelineOptions, read_edits_of};
use crate::host::OpenWorkspace;
use salve_text::EditOptions;
use salve_tree::{
    AdmitOptions, ApplyOutcome, ChangeMeta, FileView, Refusal, Report, TreeError, Verification,
    VerifiedEdits, VerifyOptions, apply, verify,
};
use salve_types::{EditSet, RawReply};

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
    review: impl FnMut(VerifiedEdits) -> Result<Review, E>,
) -> Result<Applied, E> {
    apply_reply_but(raw, workspace, options, |_| true, review)
}

/// Takes a reply to the files that are meant; what it has about others is left as if it were not there.
///
/// # Errors
/// When the workspace cannot be read or written, or the review fails.
pub fn apply_reply_but<E: From<TreeError>>(
    raw: &RawReply,
    workspace: &OpenWorkspace,
    options: &ApplyOptions<'_>,
    is_meant: impl Fn(&str) -> bool,
    review: impl FnMut(VerifiedEdits) -> Result<Review, E>,
) -> Result<Applied, E> {
    let view = workspace.view(options.admit);
    let mut edits = read_edits_of(raw, &view, &options.edits, &options.pipeline);
    edits.files.retain(|file| {
        let path = file.path.as_deref().and_then(|written| view.admit(written).ok());
        path.is_none_or(|path| is_meant(path.as_str()))
    });
    apply_edits(edits, workspace, options, review)
}

/// Takes edits that were read already to the files, in the same way.
///
/// # Errors
/// When the workspace cannot be read or written, or the review fails.
pub fn apply_edits<E: From<TreeError>>(
    edits: EditSet,
    workspace: &OpenWorkspace,
    options: &ApplyOptions<'_>,
    mut review: impl FnMut(VerifiedEdits) -> Result<Review, E>,
) -> Result<Applied, E> {
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

// Nothing where another process changed a file in between and the plan is to be made again.
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
