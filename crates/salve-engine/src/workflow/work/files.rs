//! Files of a flow: written through the transaction, judged, taken back.
//!
//! In: the newest output of a payload, the target. Out: one change set, or why there is none. What is written was
//! extracted here, inspected, and verified against the file that the model saw. Never a cut text, never chat, and
//! never a file that another process changed meanwhile.

use super::{FlowWork, Given, Performed, Target, ended, io, schema_of, without_approval};
use crate::answer::note_text;
use crate::facts::GrammarProbe;
use crate::heal::RepairError;
use crate::host::OpenWorkspace;
use crate::pipeline::{ApplyEnding, ApplyOptions, PipelineOptions, Review, apply_edits, inspected};
use crate::segments::fault_in;
use crate::workflow::trace::Removed;
use salve_text::{
    CleanReply, EditOptions, InspectOptions, SchemaCarrier, SchemaName, SentinelRule,
    clean_preamble, extract_code_block,
};
use salve_tree::{
    AdmitOptions, ApplyOutcome, ChangeMeta, ChangeSet, History, OnChanged, Origin, RefusalCode,
    RewindOutcome, TreeError, VerifyOptions, WorkspaceOptions, undo_many,
};
use salve_types::{
    EditEnd, EditFormat, EditSet, FileChange, FileEdit, Language, Segment, SegmentKind, Signal,
    Span,
};
use std::collections::BTreeMap;

impl FlowWork {
    pub(super) fn open(&self) -> Result<OpenWorkspace, RepairError> {
        let holder = format!("salve flow {}", self.job);
        let options = WorkspaceOptions { holder, ..WorkspaceOptions::default() };
        OpenWorkspace::open(self.root(), options).map_err(|error| io(&error))
    }

    pub(super) fn write_code(&self, given: Given<'_>) -> Result<Performed, RepairError> {
        self.write(given, |content, path| extract_code_block(content, Language::from_path(path)))
    }

    pub(super) fn write_document(&self, given: Given<'_>) -> Result<Performed, RepairError> {
        // A document inside a JSON answer is its `code`.
        self.write(given, |content, _| match content.trim_start().starts_with('{') {
            true => clean_preamble(extract_code_block(content, Some(Language::Markdown)).text()),
            false => clean_preamble(content),
        })
    }

    fn write(
        &self,
        given: Given<'_>,
        extract: impl FnOnce(&str, &str) -> CleanReply,
    ) -> Result<Performed, RepairError> {
        let failed = |signal, words: String| {
            without_approval(ended(given, signal, SegmentKind::ValidationError, words))
        };
        let Some(output) = newest_output(given.payload) else {
            return Ok(failed(Signal::FailDefault, "there is no output to write".to_owned()));
        };
        let target = match self.target(given.request) {
            Ok(target) => target,
            Err(why) => return Ok(failed(Signal::FailDefault, why)),
        };
        let cleaned = extract(&output.content, &target.path);
        let text = with_line_end(cleaned.text());
        let inspect = InspectOptions {
            path: Some(target.path.clone()),
            sentinel: SentinelRule::None,
            ..InspectOptions::default()
        };
        let verdict = inspected(&text, &inspect);
        let mut performed = if text.trim().is_empty() || !verdict.is_valid {
            let why = verdict.error_message.unwrap_or_else(|| "the output is empty".to_owned());
            let words = format!("`{}` was not written, its content is cut: {why}", target.path);
            failed(Signal::Truncated, words)
        } else {
            self.written(given, &target, text)?
        };
        performed.done.removed = Removed::of(&cleaned);
        performed.done.stages = ["execute", "clean", "inspect", "verify"].map(str::to_owned).into();
        Ok(performed)
    }

    fn written(
        &self,
        given: Given<'_>,
        target: &Target,
        text: String,
    ) -> Result<Performed, RepairError> {
        Ok(match self.apply(given, target, text)? {
            Written::Change(change) => {
                let words = serde_json::json!({ "path": target.path, "change": change });
                let kind = SegmentKind::FileWritten;
                let mut done = ended(given, Signal::Success, kind, words.to_string());
                done.change = change;
                without_approval(done)
            }
            Written::Held => {
                let path = &target.path;
                let words = format!("`{path}` was not written: the settings let a person decide");
                let done = ended(given, Signal::Breaker, SegmentKind::ValidationError, words);
                Performed { done, needs_approval: true }
            }
            Written::Refused(signal, words) => {
                without_approval(ended(given, signal, SegmentKind::ValidationError, words))
            }
        })
    }

    fn apply(
        &self,
        given: Given<'_>,
        target: &Target,
        text: String,
    ) -> Result<Written, RepairError> {
        let workspace = self.open()?;
        let own = format!("flow {} {}: ", self.job, given.number);
        if let Some(change) = written_before(&workspace, &own)? {
            return Ok(Written::Change(Some(change.id)));
        }
        let base = given.base.map(|base| (target.path.clone(), base.to_owned()));
        let bases: BTreeMap<String, String> = base.into_iter().collect();
        let options = ApplyOptions {
            edits: EditOptions::default(),
            pipeline: PipelineOptions::default(),
            admit: AdmitOptions::default(),
            verify: VerifyOptions {
                bases: (!bases.is_empty()).then_some(&bases),
                probe: &GrammarProbe,
                ..VerifyOptions::default()
            },
            meta: ChangeMeta {
                now: given.now,
                origin: Origin::Chat,
                label: Some(format!("{own}{}", target.path)),
                ..ChangeMeta::default()
            },
        };
        let apply = self.input.apply;
        let edits = whole_file(&target.path, text);
        let applied = apply_edits(edits, &workspace, &options, |verified| {
            Ok::<_, TreeError>(match apply {
                true => Review::Apply(verified),
                false => Review::Hold(verified),
            })
        });
        Ok(match applied.map_err(|error| io(&error))?.ending {
            ApplyEnding::Refused(refusal) => {
                Written::Refused(signal_of(refusal.code), refusal.message_for_model())
            }
            ApplyEnding::Held(..) => Written::Held,
            ApplyEnding::Dropped => Written::Change(None),
            ApplyEnding::Done(ApplyOutcome::Applied(change), _) => {
                Written::Change(Some(change.change().id.clone()))
            }
            ApplyEnding::Done(ApplyOutcome::NothingToDo, _) => Written::Change(None),
            ApplyEnding::Done(ApplyOutcome::Conflict(conflict), _) => {
                Written::Refused(Signal::HashMismatch, conflict.why)
            }
        })
    }

    pub(super) fn judge_preamble(&self, given: Given<'_>) -> Result<Performed, RepairError> {
        let judged = |signal, words: String| {
            let kind = match signal {
                Signal::Success => SegmentKind::CheckReport,
                _ => SegmentKind::ValidationError,
            };
            let mut done = ended(given, signal, kind, words);
            done.stages.push("validate".to_owned());
            without_approval(done)
        };
        let target = match self.target(given.request) {
            Ok(target) => target,
            Err(why) => return Ok(judged(Signal::FailDefault, why)),
        };
        let Some(text) = &target.text else {
            let words = format!("`{}` does not exist, so it has no front matter", target.path);
            return Ok(judged(Signal::ValidationFail, words));
        };
        let schema = match schema_of(&self.input.manifest, given.block)? {
            Some((schema, _)) => schema,
            None => SchemaName::Preamble.compile().map_err(|error| io(&error))?,
        };
        Ok(match fault_in(text, &schema, SchemaCarrier::FrontMatter) {
            Some(fault) => judged(Signal::ValidationFail, note_text(&fault)),
            None => judged(Signal::Success, format!("the front matter of `{}` fits", target.path)),
        })
    }

    /// Takes back the changes of a flow that did not succeed. Returns those that were taken back, and why others
    /// were not.
    ///
    /// # Errors
    /// When the workspace cannot be read or written.
    pub fn take_back(
        &self,
        changes: &[String],
        now: u64,
    ) -> Result<(Vec<String>, Option<String>), RepairError> {
        if changes.is_empty() {
            return Ok((Vec::new(), None));
        }
        let workspace = self.open()?;
        let history = History::load(&workspace.tree).map_err(|error| io(&error))?;
        let (mut own, mut at) = (0, history.position());
        while let Some(change) =
            at.filter(|change| own < changes.len() && changes.contains(&change.id))
        {
            own += 1;
            at = change.parent.as_deref().and_then(|parent| history.get(parent));
        }
        let left = || {
            Some("files were changed since; `salve undo` takes back what the flow wrote".to_owned())
        };
        if own == 0 {
            // A process that died may have taken them back already.
            let (there, gone): (Vec<String>, Vec<String>) =
                changes.iter().cloned().partition(|id| history.is_in_effect(id));
            return Ok((gone, if there.is_empty() { None } else { left() }));
        }
        let meta = ChangeMeta { now, origin: Origin::Chat, ..ChangeMeta::default() };
        let moved = undo_many(&workspace.tree, own, OnChanged::Refuse, &meta);
        Ok(match moved.map_err(|error| io(&error))? {
            RewindOutcome::Moved(moved) => {
                let why = if moved.taken_back.len() < changes.len() { left() } else { None };
                (moved.taken_back, why)
            }
            _ => (Vec::new(), left()),
        })
    }
}

enum Written {
    Change(Option<String>),
    Held,
    Refused(Signal, String),
}

const fn signal_of(code: RefusalCode) -> Signal {
    match code {
        RefusalCode::HashMismatch | RefusalCode::Conflict | RefusalCode::NoHashProvided => {
            Signal::HashMismatch
        }
        RefusalCode::Truncated | RefusalCode::Omission => Signal::Truncated,
        _ => Signal::FailDefault,
    }
}

fn newest_output(payload: &[Segment]) -> Option<&Segment> {
    payload.iter().rev().find(|segment| segment.kind == SegmentKind::CodeOutput)
}

fn with_line_end(text: &str) -> String {
    let text = text.trim_end_matches(['\n', '\r']);
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

fn whole_file(path: &str, text: String) -> EditSet {
    let span = Span::new(0, text.len());
    EditSet {
        format: EditFormat::WholeFile,
        files: vec![FileEdit {
            path: Some(path.to_owned()),
            change: FileChange::Write(text),
            rename_to: None,
            mode: None,
            span,
        }],
        end: EditEnd::Complete,
        notes: Vec::new(),
        hashes: None,
    }
}

// A process may have died between writing and saying so.
fn written_before(workspace: &OpenWorkspace, own: &str) -> Result<Option<ChangeSet>, RepairError> {
    let history = History::load(&workspace.tree).map_err(|error| io(&error))?;
    let is_own = |change: &&ChangeSet| {
        change.applied && change.label.as_deref().is_some_and(|label| label.starts_with(own))
    };
    Ok(history.changes().iter().rev().find(is_own).cloned())
}
