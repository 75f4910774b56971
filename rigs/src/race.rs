//! The race for the way out: `cargo xtask race`.
//!
//! In: a workspace in which a thread keeps swapping a directory for a symlink out of it. Out: how
//! often resolving and opening, and whole applies, reached the outside (never), and how often a
//! plain open did in the same rounds (often, or the race was none). Never: a file outside of its
//! own temporary folder.

use anyhow::{Context as _, ensure};
use rustix::fs::{CWD, RenameFlags, fstat, renameat_with};
use salve_tree::{
    AdmitOptions, ApplyOutcome, ChangeMeta, DiskView, FileSync, Origin, Root, Verification,
    VerifyOptions, Workspace, WorkspaceOptions, apply, verify,
};
use salve_types::{EditEnd, EditFormat, EditSet, FileChange, FileEdit, Span};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use xtask::Flags;

/// A workspace with a directory `d`, a symlink `link` to a folder beside the workspace.
struct Arena {
    _folder: tempfile::TempDir,
    workspace: PathBuf,
    outside: PathBuf,
}

/// The outcome of the rounds.
#[derive(Debug, Default)]
struct Tally {
    rounds: usize,
    inside: usize,
    refused: usize,
    escapes: usize,
    /// How often a plain path led outside in the same rounds.
    fooled: usize,
}

pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let rounds = flags.value("--rounds")?.unwrap_or(100_000);
    let applies = flags.value("--applies")?.unwrap_or(2_000);
    flags.finish()?;
    println!(
        "{:<18} {:>8} {:>8} {:>8} {:>8} {:>12}",
        "race", "rounds", "inside", "refused", "escapes", "plain open"
    );
    let opened = race(rounds, Duration::ZERO, open_round)?;
    print_row("resolve and open", &opened);
    let applied = race(applies, Duration::from_micros(2_000), apply_round)?;
    print_row("whole apply", &applied);
    for tally in [&opened, &applied] {
        ensure!(tally.escapes == 0, "{} rounds reached the outside", tally.escapes);
        ensure!(tally.fooled > 0, "the swap never happened in time, so the race shows nothing");
        ensure!(tally.inside > 0, "no round got through, so the race shows nothing");
    }
    Ok(())
}

fn print_row(name: &str, tally: &Tally) {
    let Tally { rounds, inside, refused, escapes, fooled } = tally;
    println!("{name:<18} {rounds:>8} {inside:>8} {refused:>8} {escapes:>8} {fooled:>12}");
}

type Round = fn(&Arena, usize, &mut Tally) -> anyhow::Result<()>;

/// Runs rounds while another thread swaps, with pauses of many lengths up to the longest, so that
/// swaps fall everywhere into a round.
fn race(rounds: usize, longest_pause: Duration, round: Round) -> anyhow::Result<Tally> {
    let arena = Arena::new()?;
    let stop = AtomicBool::new(false);
    let tally = std::thread::scope(|threads| {
        let (one, other) = (arena.workspace.join("d"), arena.workspace.join("link"));
        let stop = &stop;
        threads.spawn(move || {
            for turn in 0_u32.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let pause = longest_pause * (turn.wrapping_mul(2_654_435_761) >> 24) / 256;
                if !pause.is_zero() {
                    std::thread::sleep(pause);
                }
                // An apply may hold a name for a moment; the next turn swaps again.
                let _ = renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE);
            }
        });
        let mut tally = Tally { rounds, ..Tally::default() };
        let result = (0..rounds).try_for_each(|number| {
            round(&arena, number, &mut tally)?;
            let plain = fs::read(arena.workspace.join("d/x"));
            tally.fooled += usize::from(plain.is_ok_and(|text| text == b"outside"));
            anyhow::Ok(())
        });
        stop.store(true, Ordering::Relaxed);
        result.map(|()| tally)
    })?;
    arena.come_to_rest()?;
    Ok(tally)
}

/// Resolves, opens, reads.
fn open_round(arena: &Arena, _number: usize, tally: &mut Tally) -> anyhow::Result<()> {
    let root = Root::open(&arena.workspace)?;
    let outside = fs::metadata(&arena.outside)?.ino();
    let Ok(path) = root.admit("d/x") else {
        tally.refused += 1;
        return Ok(());
    };
    match root.read(&path) {
        Ok(Some(file)) if file.bytes == b"outside" => tally.escapes += 1,
        Ok(_) => tally.inside += 1,
        Err(_) => tally.refused += 1,
    }
    if let Ok((directory, _)) = root.open_parent(&path) {
        tally.escapes += usize::from(fstat(directory)?.st_ino == outside);
    }
    Ok(())
}

/// Verifies and applies a change of an existing and of a new file.
fn apply_round(arena: &Arena, number: usize, tally: &mut Tally) -> anyhow::Result<()> {
    let options = WorkspaceOptions { durability: FileSync::None, ..WorkspaceOptions::default() };
    // Opening brings an interrupted round to rest, which the swap can disturb as well.
    let Ok((workspace, _)) = Workspace::open(&arena.workspace, options) else {
        tally.refused += 1;
        tally.escapes += usize::from(!arena.outside_is_untouched()?);
        return Ok(());
    };
    let root = Root::open(&arena.workspace)?;
    let view = DiskView::new(&root, AdmitOptions::default());
    let edits = edits(number);
    let outcome = match verify(&edits, &view, &VerifyOptions::default()) {
        Verification::Verified { edits, .. } => apply(&workspace, edits, &meta(number)).ok(),
        Verification::Refused(_) => None,
    };
    match outcome {
        Some(ApplyOutcome::Applied(_)) => tally.inside += 1,
        _ => tally.refused += 1,
    }
    tally.escapes += usize::from(!arena.outside_is_untouched()?);
    Ok(())
}

fn edits(number: usize) -> EditSet {
    let write = |path: String| FileEdit {
        path: Some(path),
        change: FileChange::Write(format!("round {number}\n")),
        rename_to: None,
        mode: None,
        span: Span { start: 0, end: 0 },
    };
    EditSet {
        format: EditFormat::WholeFile,
        files: vec![write("d/x".into()), write(format!("d/new{number}"))],
        end: EditEnd::Complete,
        notes: Vec::new(),
        hashes: None,
    }
}

fn meta(number: usize) -> ChangeMeta {
    ChangeMeta { now: number as u64 + 1, origin: Origin::User, ..ChangeMeta::default() }
}

impl Arena {
    fn new() -> anyhow::Result<Self> {
        let memory = Path::new("/dev/shm");
        let folder =
            if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let folder = folder.context("no temporary folder")?;
        let (workspace, outside) = (folder.path().join("ws"), folder.path().join("outside"));
        fs::create_dir_all(workspace.join("d"))?;
        fs::create_dir(&outside)?;
        fs::write(workspace.join("d/x"), "inside")?;
        fs::write(outside.join("x"), "outside")?;
        symlink("../outside", workspace.join("link"))?;
        Ok(Self { _folder: folder, workspace, outside })
    }

    /// Opens the workspace once more when no process swaps, so that what was interrupted is recovered.
    fn come_to_rest(&self) -> anyhow::Result<()> {
        let (directory, link) = (self.workspace.join("d"), self.workspace.join("link"));
        if directory.symlink_metadata()?.is_symlink() {
            renameat_with(CWD, &directory, CWD, &link, RenameFlags::EXCHANGE)?;
        }
        let opened = Workspace::open(&self.workspace, WorkspaceOptions::default());
        let _recovery = opened.context("the workspace does not come to rest")?;
        ensure!(self.outside_is_untouched()?, "recovery reached the outside");
        Ok(())
    }

    fn outside_is_untouched(&self) -> anyhow::Result<bool> {
        let alone = fs::read_dir(&self.outside)?.count() == 1;
        Ok(alone && fs::read(self.outside.join("x")).is_ok_and(|text| text == b"outside"))
    }
}
