//! `salve apply`: the edits of a reply, in any format, into files.
//!
//! In: a reply and a workspace. Out: per file and hunk where it landed and by what evidence, or why
//! nothing was written. Never writes by itself: it verifies, asks where the flags or the settings say
//! so, and hands the plan to the transaction.

mod checked;
mod clipboard;
mod in_memory;
mod interactive;
mod report;

use crate::arguments::{ApplyArguments, Format, Guard};
use crate::failure::{CommandResult, Ending, Failure};
use crate::settings::Settings;
use crate::workspace::{self, dollars, meta};
use crate::{input, output};
use report::End;
use salve_check::{Attendance, NextStep, next_step_of_edits};
use salve_engine::facts::GrammarProbe;
use salve_engine::host::OpenWorkspace;
use salve_engine::pipeline::{Applied, ApplyEnding, ApplyOptions, Review, apply_reply};
use salve_text::{EditOptions, reply_summary};
use salve_tree::{
    AdmitOptions, Allow, ApplyOutcome, ChangeMeta, History, MatchOptions, Origin, RefusalCode,
    VerifiedEdits, VerifyOptions,
};
use salve_types::{FinishReason, RawReply};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;

/// Runs `salve apply`.
pub(crate) fn run(arguments: &ApplyArguments, format: Format) -> CommandResult {
    if arguments.batch {
        return in_memory::run(arguments);
    }
    let text = reply_text(arguments)?;
    let raw = RawReply {
        finish_reason: arguments.finish_reason.as_deref().map(FinishReason::from_name),
        ..RawReply::from_text(text)
    };
    let opened = workspace::open(&arguments.tree)?;
    let place = workspace::place(&arguments.tree.place)?;
    let (root, folder) = (place.root.clone(), place.folder());
    let settings = Settings::load_for(Some(&folder))?;
    if !arguments.dry_run {
        heed_pause(&root)?;
    }
    let bases: BTreeMap<String, String> = arguments.base.iter().cloned().collect();
    let options = ApplyOptions {
        edits: EditOptions {
            format: arguments.edit_format.0,
            target: arguments.target.clone(),
            hints: arguments.hint.clone(),
            files: Vec::new(),
        },
        pipeline: super::inspect::pipeline_options(&settings),
        admit: admit_options(arguments),
        verify: VerifyOptions {
            target: arguments.target.as_deref(),
            bases: (!bases.is_empty()).then_some(&bases),
            ..verify_options(arguments, Told::of(arguments.as_seen, &arguments.hint))
        },
        meta: ChangeMeta {
            cost: arguments.cost.and_then(dollars),
            label: arguments.label.clone().or_else(|| reply_summary(&raw.text)),
            ..meta(Origin::Chat)
        },
    };
    let step = next_step(arguments, &settings);
    let held = (step == Some(NextStep::Skip)).then(|| settings.holds_edits());
    let mut tried = None;
    let applied = apply_reply(&raw, &opened, &options, |verified| {
        let reviewed = review(step, verified)?;
        let (Review::Apply(edits) | Review::Chosen(edits)) = &reviewed else {
            return Ok::<_, Failure>(reviewed);
        };
        if !arguments.check {
            return Ok(reviewed);
        }
        let outcome = tried.insert(checked::try_out(&root, edits, arguments.yes)?);
        Ok(match (outcome, reviewed) {
            (checked::Tried::Green, reviewed) => reviewed,
            (_, Review::Apply(edits) | Review::Chosen(edits)) => Review::Hold(edits),
            (_, other) => other,
        })
    })?;
    match tried {
        Some(checked::Tried::NotRun) => return Ok(Ending::NeedsApproval),
        Some(checked::Tried::Red(words)) => return show_red(&applied, &words, format),
        Some(checked::Tried::Green) | None => {}
    }
    if matches!(applied.ending, ApplyEnding::Done(..)) {
        keep_the_cap(&opened);
    }
    show(&applied, held.as_deref(), format)
}

fn reply_text(arguments: &ApplyArguments) -> Result<String, Failure> {
    let text = match arguments.paste {
        true => clipboard::text()?,
        false => input::text(arguments.reply.as_deref().or(arguments.edits.as_deref()))?,
    };
    if text.trim().is_empty() {
        let from = if arguments.paste { "the clipboard" } else { "the input" };
        return Err(Failure::new(format!("{from} is empty: there is no edit to apply"))
            .hint("`salve apply reply.md` reads a file, `--paste` the clipboard."));
    }
    Ok(text)
}

// A person who stopped the loop stopped what it writes, too.
fn heed_pause(folder: &Path) -> Result<(), Failure> {
    let control = folder.join(".salve/CONTROL.md");
    let paused = match std::fs::symlink_metadata(&control) {
        Ok(found) if found.is_file() => salve_check::is_paused(&std::fs::read_to_string(&control)?),
        _ => false,
    };
    if paused {
        let paused = Failure::new("paused by `.salve/CONTROL.md`; nothing was applied").held_back();
        return Err(paused.hint(
            "Remove the word PAUSE there, or write RESUME, to go on; `--dry-run` shows the edit.",
        ));
    }
    Ok(())
}

// `--interactive` asks and `--dry-run` shows, whatever the settings say.
fn next_step(arguments: &ApplyArguments, settings: &Settings) -> Option<NextStep> {
    let attendance = match arguments.yes {
        _ if arguments.dry_run => return None,
        _ if arguments.interactive => return Some(NextStep::RunButton),
        true => Attendance::Agreed,
        false if std::io::stdin().is_terminal() => Attendance::Interactive,
        false => Attendance::Unattended,
    };
    Some(next_step_of_edits(settings.auto_apply(), attendance))
}

// What is done with edits that fit: shown only, chosen from hunk by hunk, or written.
fn review(step: Option<NextStep>, verified: VerifiedEdits) -> Result<Review, Failure> {
    Ok(match step {
        Some(NextStep::Run) => Review::Apply(verified),
        None | Some(NextStep::Skip) => Review::Hold(verified),
        Some(NextStep::RunButton | NextStep::Prompt(_)) => match interactive::choose(verified)? {
            interactive::Choice::Taken(chosen) => Review::Chosen(chosen),
            interactive::Choice::Left => Review::Drop,
        },
    })
}

// The check's words are for people; a program gets the reason as a code.
fn show_red(applied: &Applied, words: &str, format: Format) -> CommandResult {
    const WHY: &str = "the check of the result is red";
    if format == Format::Human {
        output::result(words)?;
        output::result(&format!("not applied: {WHY}; nothing was changed\n"))?;
    } else if let ApplyEnding::Held(_, report) = &applied.ending {
        report::document(&applied.edits, report, End::Held(WHY), format)?;
    }
    Ok(Ending::Findings)
}

fn show(applied: &Applied, held: Option<&str>, format: Format) -> CommandResult {
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
                false => report::document(edits, &refusal.report, End::Refused(refusal), format)?,
            }
            let held = is_held_back(refusal.code);
            return Ok(if held { Ending::NeedsApproval } else { Ending::Findings });
        }
        ApplyEnding::Held(verified, report) => {
            let end = held.map_or(End::Planned, End::Held);
            if human {
                let planned = report::planned(edits, report, end);
                output::result(&(planned + &crate::change::plan(verified)))?;
            } else {
                report::document(edits, report, end, format)?;
            }
            (report, if held.is_some() { Ending::NeedsApproval } else { Ending::Clean })
        }
        ApplyEnding::Done(outcome, report) => {
            match human {
                true => output::result(&report::applied(edits, report, outcome))?,
                false => report::document(edits, report, End::Of(outcome), format)?,
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

/// What a caller says about the files, at the command line and in a batch alike.
#[derive(Clone, Copy)]
struct Told {
    /// They are as the model saw them.
    as_seen: bool,
    /// The lines where hunks begin.
    numbers: bool,
}

impl Told {
    // Who names lines of a file has it as it is.
    const fn of(as_seen: bool, hints: &[u32]) -> Self {
        Self { as_seen: as_seen || !hints.is_empty(), numbers: !hints.is_empty() }
    }
}

/// What the flags say to the verifier.
fn verify_options<'a>(arguments: &ApplyArguments, told: Told) -> VerifyOptions<'a> {
    let allows = |guard| arguments.allow.contains(&guard);
    VerifyOptions {
        probe: &GrammarProbe,
        matching: MatchOptions {
            scored: arguments.scored,
            base_known: told.as_seen,
            numbers_given: told.numbers,
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
