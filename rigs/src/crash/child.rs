//! `rigs crash-child`: the process in which things go wrong.
//!
//! In: a folder, a workload and faults. Out: one line per event on standard output: `opened` with
//! the steps so far, `ack` when an act is done and promised, `refused`, `conflict` or `error` when
//! it is not, and with `--trace` every step at the end. Never a line for something that is not true
//! yet.

use super::fault;
use super::faulty::FaultyDisk;
use super::sabotage::Sabotage;
use super::workload::{self, Act, Change, Workload};
use anyhow::Context;
use salve_tree::{
    AdmitOptions, ApplyOutcome, ChangeMeta, DiskView, OnChanged, RewindOutcome, Root, Verification,
    VerifyOptions, Workspace, WorkspaceOptions, apply, rewind, undo, verify,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use xtask::Flags;

/// The outcome of an act.
enum Said {
    Ack,
    No(String),
}

/// Does what the flags say to a folder.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let folder: PathBuf = flags.value("--folder")?.context("--folder is missing")?;
    let faults: String = flags.value("--faults")?.unwrap_or_default();
    let sabotage: Sabotage = flags.value("--sabotage")?.unwrap_or(Sabotage::None);
    let wait: u64 = flags.value("--wait")?.unwrap_or(10_000);
    let is_traced = flags.switch("--trace");
    let acts = acts(flags)?;
    flags.finish()?;
    let disk = FaultyDisk::new(sabotage.disk(), &folder, fault::read_all(&faults)?);
    let disk = Arc::new(disk);
    let options = WorkspaceOptions {
        disk: Arc::clone(&disk) as Arc<dyn salve_tree::Disk>,
        wait: Duration::from_millis(wait),
        holder: "rigs crash-child".to_owned(),
        ..WorkspaceOptions::default()
    };
    match Workspace::open(&folder, options) {
        Ok((workspace, _)) => {
            println!("opened {}", disk.steps().len());
            perform(&workspace, &acts);
        }
        Err(error) => println!("error {:#}", anyhow::Error::from(error)),
    }
    if is_traced {
        for step in disk.steps() {
            println!("step {} {}", step.call, step.name);
        }
    }
    Ok(())
}

/// `--recover` opens the workspace and does nothing more; `--second` is the second process.
fn acts(flags: &mut Flags) -> anyhow::Result<Vec<Act>> {
    if flags.switch("--recover") {
        return Ok(Vec::new());
    }
    if flags.switch("--second") {
        return Ok(vec![Act::Apply(workload::second_process())]);
    }
    let is_prior = flags.switch("--prior");
    let name: String = flags.value("--workload")?.context("--workload is missing")?;
    let found: &Workload =
        workload::named(&name).with_context(|| format!("no such workload: {name}"))?;
    Ok(if is_prior { (found.prior)() } else { (found.acts)() })
}

fn perform(workspace: &Workspace, acts: &[Act]) {
    for (number, act) in acts.iter().enumerate() {
        match perform_one(workspace, act, number) {
            Ok(Said::Ack) => println!("ack"),
            Ok(Said::No(why)) => return println!("{}", why.replace('\n', " ")),
            Err(error) => return println!("error {error:#}"),
        }
    }
}

/// Does one act and tells whether it was done.
pub(crate) fn is_done(workspace: &Workspace, act: &Act, number: usize) -> anyhow::Result<bool> {
    Ok(matches!(perform_one(workspace, act, number)?, Said::Ack))
}

fn perform_one(workspace: &Workspace, act: &Act, number: usize) -> anyhow::Result<Said> {
    let meta = ChangeMeta { now: 1_000 + number as u64, ..ChangeMeta::default() };
    let moved = match act {
        Act::Apply(changes) => return change(workspace, changes, &meta),
        Act::UserWrites(path, text) => {
            std::fs::write(workspace.path().join(path), text)?;
            return Ok(Said::Ack);
        }
        Act::Undo => undo(workspace, OnChanged::Refuse, &meta)?,
        Act::UndoByForce => undo(workspace, OnChanged::Force, &meta)?,
        Act::RewindToStart => rewind(workspace, None, OnChanged::Refuse, &meta)?,
    };
    Ok(match moved {
        RewindOutcome::Moved(_) => Said::Ack,
        RewindOutcome::Conflict(conflict) => Said::No(format!("conflict {}", conflict.path)),
        other => Said::No(format!("refused {other:?}")),
    })
}

fn change(workspace: &Workspace, changes: &[Change], meta: &ChangeMeta) -> anyhow::Result<Said> {
    let root = Root::open(workspace.path())?;
    let view = DiskView::new(&root, AdmitOptions::default());
    let edits = workload::as_edits(changes);
    let edits = match verify(&edits, &view, &VerifyOptions::default()) {
        Verification::Verified { edits, .. } => edits,
        Verification::Refused(refusal) => {
            return Ok(Said::No(format!("refused {}", refusal.message_for_model())));
        }
    };
    Ok(match apply(workspace, edits, meta)? {
        ApplyOutcome::Applied(_) => Said::Ack,
        ApplyOutcome::Conflict(conflict) => Said::No(format!("conflict {}", conflict.path)),
        ApplyOutcome::NothingToDo => Said::No("refused nothing to do".to_owned()),
    })
}
