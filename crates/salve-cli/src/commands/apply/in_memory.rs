//! `salve apply --batch`: edits on files that are given with them.
//!
//! In: JSON lines with files and an edit. Out: the files afterwards, or why they stay as they are.
//! Never touches a disk.

use super::{Told, admit_options, verify_options};
use crate::arguments::{ApplyArguments, named_format};
use crate::batch;
use crate::failure::CommandResult;
use crate::settings::Settings;
use salve_engine::pipeline::read_edits_of;
use salve_text::EditOptions;
use salve_tree::{FileReport, MemoryView, RefusalCode, Verification, VerifyOptions, verify};
use salve_types::{EditFormat, EditNote, FinishReason, RawReply};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Line {
    files: BTreeMap<String, String>,
    edit: String,
    format: Option<String>,
    target: Option<String>,
    hint: Option<Hint>,
    finish_reason: Option<String>,
    /// Whether the files are as the model saw them. They come together with the edit, so that they
    /// are, unless the caller says otherwise.
    #[serde(default = "yes")]
    as_seen: bool,
}

const fn yes() -> bool {
    true
}

/// A 1-based line, or one for each hunk.
#[derive(Deserialize)]
#[serde(untagged)]
enum Hint {
    One(u32),
    Several(Vec<u32>),
}

/// The answer to a line. It is written as it is: as a built value, the report on a thousand hunks would
/// take many times the room.
#[derive(Serialize)]
struct Answer {
    ok: bool,
    files: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<RefusalCode>,
    format: EditFormat,
    notes: Vec<EditNote>,
    report: Vec<FileReport>,
}

/// Answers every line of standard input.
pub(super) fn run(arguments: &ApplyArguments) -> CommandResult {
    let pipeline = crate::commands::inspect::pipeline_options(&Settings::load()?);
    batch::run(|line: Line| {
        let options = EditOptions {
            format: line.format.as_deref().and_then(named_format),
            target: line.target.clone().or_else(|| arguments.target.clone()),
            hints: match line.hint {
                Some(Hint::One(line)) => vec![line],
                Some(Hint::Several(lines)) => lines,
                None => Vec::new(),
            },
            files: Vec::new(),
        };
        let reason = line.finish_reason.as_deref().or(arguments.finish_reason.as_deref());
        let raw = RawReply {
            finish_reason: reason.map(FinishReason::from_name),
            ..RawReply::from_text(line.edit)
        };
        let view = MemoryView::new(line.files.clone(), admit_options(arguments));
        let edits = read_edits_of(&raw, &view, &options, &pipeline);
        let told = Told::of(line.as_seen, &options.hints);
        let verify_options =
            VerifyOptions { target: options.target.as_deref(), ..verify_options(arguments, told) };
        let verification = verify(&edits, &view, &verify_options);
        let mut files = line.files;
        let (format, notes) = (edits.format, edits.notes);
        Ok(match verification {
            Verification::Verified { edits: verified, report } => {
                for file in verified.files() {
                    match &file.after {
                        Some(after) => {
                            let text = String::from_utf8_lossy(&after.bytes).into_owned();
                            files.insert(file.path.as_str().to_owned(), text);
                        }
                        None => drop(files.remove(file.path.as_str())),
                    }
                }
                let report = report.files;
                Answer { ok: true, files, error: None, code: None, format, notes, report }
            }
            Verification::Refused(refusal) => {
                let error = Some(refusal.message_for_model());
                let (code, report) = (Some(refusal.code), refusal.report.files);
                Answer { ok: false, files, error, code, format, notes, report }
            }
        })
    })
}
