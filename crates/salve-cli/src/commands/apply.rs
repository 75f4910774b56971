//! `salve apply`: the edits of a reply, in any format, into files.
//!
//! In: a reply and a workspace. Out: per file and hunk where it landed and by what evidence, or why
//! nothing was written. Never writes by itself: it verifies, asks where asked to, and hands the
//! plan to the transaction.

mod in_memory;
mod interactive;
mod report;

use crate::arguments::{ApplyArguments, Format, Guard};
use crate::failure::{CommandResult, Ending, Failure};
use crate::settings::Settings;
use crate::workspace::{self, dollars, meta};
use crate::{input, output};
use salve_engine::host::OpenWorkspace;
use salve_engine::{Applied, ApplyEnding, ApplyOptions, GrammarProbe, Review, apply_reply};
use salve_text::EditOptions;
use salve_tree::{
    AdmitOptions, Allow, ApplyOutcome, ChangeMeta, History, MatchOptions, Origin, RefusalCode,
    VerifiedEdits, VerifyOptions,
};
use salve_types::{FinishReason, RawReply};
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
    let opened = workspace::open(&arguments.tree)?;
    let bases: BTreeMap<String, String> = arguments.base.iter().cloned().collect();
    let options = ApplyOptions {
        edits: EditOptions {
            format: arguments.edit_format.0,
            target: arguments.target.clone(),
            hints: arguments.hint.clone(),
        },
        pipeline: super::inspect::pipeline_options(&Settings::load()?),
        admit: admit_options(arguments),
        verify: VerifyOptions {
            target: arguments.target.as_deref(),
            bases: (!bases.is_empty()).then_some(&bases),
            ..verify_options(arguments)
        },
        meta: ChangeMeta {
            cost: arguments.cost.and_then(dollars),
            label: arguments.label.clone(),
            ..meta(Origin::Chat)
        },
    };
    let applied = apply_reply(&raw, &opened, &options, |verified| review(arguments, verified))?;
    if matches!(applied.ending, ApplyEnding::Done(..)) {
        keep_the_cap(&opened);
    }
    show(&applied, format)
}

// What is done with edits that fit: shown only, chosen from hunk by hunk, or written.
fn review(arguments: &ApplyArguments, verified: VerifiedEdits) -> Result<Review, Failure> {
    if arguments.interactive {
        return Ok(match interactive::choose(verified)? {
            interactive::Choice::Taken(chosen) if arguments.dry_run => Review::Hold(chosen),
            interactive::Choice::Taken(chosen) => Review::Apply(chosen),
            interactive::Choice::Left => Review::Drop,
        });
    }
    Ok(if arguments.dry_run { Review::Hold(verified) } else { Review::Apply(verified) })
}

fn show(applied: &Applied, format: Format) -> CommandResult {
    let edits = &applied.edits;
    let human = format == Format::Human;
    let (report, ending) = match &applied.ending {
        ApplyEnding::Dropped => {
            output::story("Nothing was changed.\n");
            return Ok(Ending::Clean);
        }
        ApplyEnding::Refused(refusal) => {
            match human {
                true => output::result(&report::refusal(edits, refusal))?,
                false => report::document(edits, &refusal.report, Some(refusal), None, format)?,
            }
            let held = is_held_back(refusal.code);
            return Ok(if held { Ending::NeedsApproval } else { Ending::Findings });
        }
        ApplyEnding::Held(verified, report) => {
            if human {
                let planned = report::planned(edits, report);
                output::result(&(planned + &crate::change::plan(verified)))?;
            } else {
                report::document(edits, report, None, None, format)?;
            }
            (report, Ending::Clean)
        }
        ApplyEnding::Done(outcome, report) => {
            match human {
                true => output::result(&report::applied(edits, report, outcome))?,
                false => report::document(edits, report, None, Some(outcome), format)?,
            }
            let rolled_back = matches!(outcome, ApplyOutcome::Conflict(_));
            (report, if rolled_back { Ending::RolledBack } else { Ending::Clean })
        }
    };
    let refused = report.files.iter().any(|file| file.outcome.is_refused());
    Ok(if refused && ending == Ending::Clean { Ending::Findings } else { ending })
}

// The history never outgrows its cap by more than one change. That it cannot be cut down now takes
// nothing from the change, which is applied; it is said, and the next change tries again.
fn keep_the_cap(opened: &OpenWorkspace) {
    let size = History::size(&opened.tree);
    if !size.as_ref().is_ok_and(|size| size.bytes <= size.cap) {
        let told = match size.and_then(|_| History::gc(&opened.tree)) {
            Ok(report) => format!("{} old contents were forgotten", report.forgotten),
            Err(error) => format!("it could not be cut down: {error}"),
        };
        output::story(&format!("The history is above its cap: {told}.\n"));
    }
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
