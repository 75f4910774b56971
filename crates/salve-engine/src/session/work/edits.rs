//! The edits of an answer: written, held, or refused.
//!
//! In: the text of a whole answer, and the hashes of the files as the model saw them. Out: one change set, or
//! why there is none. A change that was written just before a crash is found again in the history. Never a part
//! of the edits, unless a person chose it.

use super::{TurnWork, io};
use crate::facts::GrammarProbe;
use crate::heal::RepairError;
use crate::host::OpenWorkspace;
use crate::pipeline::{ApplyEnding, ApplyOptions, PipelineOptions, Review, apply_reply_but};
use crate::session::review::{Chosen, HeldHunk, HunkChoice, held_hunks, take_chosen};
use salve_text::EditOptions;
use salve_tree::{
    AdmitOptions, ApplyOutcome, ChangeMeta, ChangeSet, Cost, History, Origin, Refusal, RefusalCode,
    TreeError, VerifyOptions, WorkspaceOptions,
};
use salve_types::RawReply;
use std::collections::{BTreeMap, BTreeSet};

/// What became of the edits of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum EditsOutcome {
    /// They are written.
    Applied(Box<ChangeSet>),
    /// There was nothing to write.
    Nothing,
    /// They fit, and wait.
    Held(Vec<HeldHunk>),
    /// A person wants none of them.
    Left,
    /// They do not fit; nothing was written.
    Refused(Box<RefusedEdits>),
}

/// What is done with edits that fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing<'a> {
    /// All of them are written.
    All,
    /// A person chose these.
    Chosen(&'a HunkChoice),
    /// They wait for a person.
    Hold,
}

/// Why edits do not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedEdits {
    /// The kind of reason.
    pub code: RefusalCode,
    /// The reason in its short form.
    pub message: String,
    /// The reason in full.
    pub detail: String,
    /// The reason in words for the model.
    pub for_model: String,
    /// The files that were refused.
    pub files: Vec<String>,
    /// Whether another answer, with the files as they are now, could fit.
    pub answerable: bool,
}

/// What edits are written as.
#[derive(Debug, Clone, Copy)]
pub struct EditsAbout<'a> {
    /// Which answer of the turn they are from, and how many parts of it were written before.
    pub number: (u32, u32),
    /// What they are about.
    pub label: &'a str,
    /// What they cost.
    pub micro_dollars: u64,
    /// The time.
    pub now: u64,
    /// The files that a person decided about before, or decides about later.
    pub left_out: &'a BTreeSet<String>,
}

impl TurnWork {
    /// Writes the edits of an answer where they may be written.
    ///
    /// # Errors
    /// When the workspace cannot be read or written.
    pub fn apply(
        &self,
        text: &str,
        bases: &BTreeMap<String, String>,
        write: Writing<'_>,
        about: &EditsAbout<'_>,
    ) -> Result<EditsOutcome, RepairError> {
        let holder = format!("salve chat {}", self.job);
        let options = WorkspaceOptions { holder, ..WorkspaceOptions::default() };
        let workspace = OpenWorkspace::open(self.root(), options).map_err(|error| io(&error))?;
        let EditsAbout { number, label, micro_dollars, now, left_out } = *about;
        let own = match number {
            (number, 0) => format!("turn {} {number}: ", self.job),
            (number, part) => format!("turn {} {number}.{part}: ", self.job),
        };
        if let Some(change) = self.written_before(&workspace, &own)? {
            return Ok(EditsOutcome::Applied(Box::new(change)));
        }
        let cost = Cost { micro_dollars, ..Cost::default() };
        let options = ApplyOptions {
            edits: EditOptions::default(),
            pipeline: PipelineOptions::default(),
            admit: AdmitOptions::default(),
            verify: VerifyOptions {
                bases: Some(bases),
                probe: &GrammarProbe,
                ..VerifyOptions::default()
            },
            meta: ChangeMeta {
                now,
                origin: Origin::Chat,
                session: Some(self.input.session.to_string()),
                cost: (micro_dollars > 0).then_some(cost),
                label: Some(format!("{own}{label}")),
                ..ChangeMeta::default()
            },
        };
        let raw = RawReply::from_text(text);
        let is_meant = |path: &str| !left_out.contains(path);
        let applied = apply_reply_but(&raw, &workspace, &options, is_meant, |verified| {
            Ok::<_, TreeError>(match write {
                Writing::All => Review::Apply(verified),
                Writing::Hold => Review::Hold(verified),
                Writing::Chosen(choice) => match take_chosen(verified, choice) {
                    Chosen::Some(taken) => Review::Chosen(taken),
                    Chosen::None => Review::Drop,
                    // It was made about other lines: what there is now is shown.
                    Chosen::Unknown(verified) => Review::Hold(verified),
                },
            })
        });
        Ok(match applied.map_err(|error| io(&error))?.ending {
            ApplyEnding::Refused(refusal) => refused(&refusal),
            ApplyEnding::Held(verified, _) => EditsOutcome::Held(held_hunks(&verified)),
            ApplyEnding::Dropped => EditsOutcome::Left,
            ApplyEnding::Done(outcome, _) => match outcome {
                ApplyOutcome::Applied(change) => {
                    EditsOutcome::Applied(Box::new(change.change().clone()))
                }
                ApplyOutcome::NothingToDo => EditsOutcome::Nothing,
                ApplyOutcome::Conflict(conflict) => EditsOutcome::Refused(Box::new(RefusedEdits {
                    code: RefusalCode::Conflict,
                    message: RefusalCode::Conflict.label().to_owned(),
                    for_model: conflict.why.clone(),
                    detail: conflict.why,
                    files: vec![conflict.path],
                    answerable: true,
                })),
            },
        })
    }

    // A process may have died between writing and saying so.
    fn written_before(
        &self,
        workspace: &OpenWorkspace,
        own: &str,
    ) -> Result<Option<ChangeSet>, RepairError> {
        let history = History::load(&workspace.tree).map_err(|error| io(&error))?;
        let is_own = |change: &&ChangeSet| {
            change.applied && change.label.as_deref().is_some_and(|label| label.starts_with(own))
        };
        Ok(history.changes().iter().rev().find(is_own).cloned())
    }
}

fn refused(refusal: &Refusal) -> EditsOutcome {
    if refusal.code == RefusalCode::NoEdits {
        return EditsOutcome::Nothing;
    }
    let files = refusal.report.files.iter().filter(|file| file.outcome.is_refused());
    EditsOutcome::Refused(Box::new(RefusedEdits {
        code: refusal.code,
        message: refusal.message.clone(),
        detail: refusal.detail.clone(),
        for_model: refusal.message_for_model(),
        files: files.map(|file| file.path.clone()).collect(),
        answerable: is_answerable(refusal.code),
    }))
}

// What a rule of the workspace refuses, another answer does not change.
const fn is_answerable(code: RefusalCode) -> bool {
    !matches!(code, RefusalCode::Path | RefusalCode::Unreadable | RefusalCode::Truncated)
}
