//! `salve apply`: the edits of a reply, in any format, into files.
//!
//! In: a reply and a workspace. Out: per file and hunk where it landed and by what evidence, or why
//! nothing was written. Never writes by itself: it verifies, asks where asked to, and hands the
//! plan to the transaction.

mod in_memory;
mod interactive;
mod report;

use crate::arguments::{ApplyArguments, Format, Guard};
use crate::failure::{CommandResult, Ending};
use crate::settings::Settings;
use crate::workspace::{Opened, dollars, meta};
use crate::{input, output};
use salve_engine::{GrammarProbe, read_edits};
use salve_text::EditOptions;
use salve_tree::{
    AdmitOptions, Allow, ApplyOutcome, ChangeMeta, History, MatchOptions, Origin, RefusalCode,
    Verification, VerifiedEdits, VerifyOptions, apply, verify,
};
use salve_types::{EditSet, FinishReason, RawReply};
use std::collections::BTreeMap;

/// Runs `salve apply`.
pub(crate) fn run(arguments: &ApplyArguments, format: Format) -> CommandResult {
    if arguments.batch {
        return in_memory::run(arguments);
    }
    let raw = RawReply {
        finish_reason: arguments.finish_reason.as_deref().map(FinishReason::from_name),
        ..RawReply::from_text(input::text(arguments.edits.as_deref())?)
    };
    let edits = read(arguments, &raw)?;
    let opened = Opened::at(&arguments.tree)?;
    let bases: BTreeMap<String, String> = arguments.base.iter().cloned().collect();
    let history = opened.workspace.bases()?;
    let options = VerifyOptions {
        target: arguments.target.as_deref(),
        bases: (!bases.is_empty()).then_some(&bases),
        history: Some(&history),
        ..verify_options(arguments)
    };
    let view = opened.view(admit_options(arguments));
    match verify(&edits, &view, &options) {
        Verification::Refused(refusal) => {
            match format {
                Format::Human => output::result(&report::refusal(&edits, &refusal))?,
                _ => report::document(&edits, &refusal.report, Some(&refusal), None, format)?,
            }
            Ok(if is_held_back(refusal.code) { Ending::NeedsApproval } else { Ending::Findings })
        }
        Verification::Verified { edits: verified, report: told } => {
            let verified = if arguments.interactive {
                match interactive::choose(verified)? {
                    interactive::Choice::Taken(verified) => verified,
                    interactive::Choice::Left => {
                        output::story("Nothing was changed.\n");
                        return Ok(Ending::Clean);
                    }
                }
            } else {
                verified
            };
            let refused = told.files.iter().any(|file| file.outcome.is_refused());
            let ending = if arguments.dry_run {
                show_plan(&edits, &verified, &told, format)?
            } else {
                write(arguments, &opened, &edits, verified, &told, format)?
            };
            Ok(if refused && ending == Ending::Clean { Ending::Findings } else { ending })
        }
    }
}

fn read(arguments: &ApplyArguments, raw: &RawReply) -> Result<EditSet, crate::failure::Failure> {
    let settings = Settings::load()?;
    let pipeline = super::inspect::pipeline_options(&settings);
    let options = EditOptions {
        format: arguments.edit_format.0,
        target: arguments.target.clone(),
        hints: arguments.hint.clone(),
    };
    Ok(read_edits(raw, &options, &pipeline))
}

fn write(
    arguments: &ApplyArguments,
    opened: &Opened,
    edits: &EditSet,
    verified: VerifiedEdits,
    told: &salve_tree::Report,
    format: Format,
) -> CommandResult {
    let meta = ChangeMeta {
        cost: arguments.cost.and_then(dollars),
        label: arguments.label.clone(),
        ..meta(Origin::Chat)
    };
    let outcome = apply(&opened.workspace, verified, &meta)?;
    keep_the_cap(opened);
    match format {
        Format::Human => output::result(&report::applied(edits, told, &outcome))?,
        _ => report::document(edits, told, None, Some(&outcome), format)?,
    }
    Ok(match outcome {
        ApplyOutcome::Conflict(_) => Ending::RolledBack,
        _ => Ending::Clean,
    })
}

// The history never outgrows its cap by more than one change. That it cannot be cut down now takes
// nothing from the change, which is applied; it is said, and the next change tries again.
fn keep_the_cap(opened: &Opened) {
    let size = History::size(&opened.workspace);
    if !size.as_ref().is_ok_and(|size| size.bytes <= size.cap) {
        let told = match size.and_then(|_| History::gc(&opened.workspace)) {
            Ok(report) => format!("{} old contents were forgotten", report.forgotten),
            Err(error) => format!("it could not be cut down: {error}"),
        };
        output::story(&format!("The history is above its cap: {told}.\n"));
    }
}

fn show_plan(
    edits: &EditSet,
    verified: &VerifiedEdits,
    told: &salve_tree::Report,
    format: Format,
) -> CommandResult {
    if format == Format::Human {
        let mut text = report::planned(edits, told);
        text.push_str(&crate::change::plan(verified));
        output::result(&text)?;
    } else {
        report::document(edits, told, None, None, format)?;
    }
    Ok(Ending::Clean)
}

/// What the flags say to the verifier.
fn verify_options<'a>(arguments: &ApplyArguments) -> VerifyOptions<'a> {
    let allows = |guard| arguments.allow.contains(&guard);
    VerifyOptions {
        probe: &GrammarProbe,
        // Edits of a batch come with the files they were written for.
        matching: MatchOptions {
            scored: arguments.scored,
            base_known: arguments.batch,
            ..MatchOptions::default()
        },
        partial: arguments.partial,
        allow: Allow {
            omissions: allows(Guard::Omissions),
            shrink: allows(Guard::Shrink),
            syntax: allows(Guard::Syntax),
        },
        ..VerifyOptions::default()
    }
}

fn admit_options(arguments: &ApplyArguments) -> AdmitOptions {
    AdmitOptions {
        allow_protected: arguments.allow.contains(&Guard::Protected),
        any_characters: arguments.batch,
    }
}

// What a person may allow is not refused for good.
fn is_held_back(code: RefusalCode) -> bool {
    matches!(code, RefusalCode::Omission | RefusalCode::Shrink | RefusalCode::SyntaxErrors)
}
