//! A thread swaps a directory for a symlink out of the workspace while paths are resolved.

use super::Sandbox;
use crate::Root;
use rustix::fs::{CWD, RenameFlags, fstat, renameat_with};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const ROUNDS: usize = 5_000;

/// Exchanges two names until told to stop.
fn swap(one: &Path, other: &Path, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
    }
}

#[test]
fn c016_a_directory_swapped_for_a_symlink_never_leads_out() {
    let sandbox = Sandbox::new();
    sandbox.put("d/x", "inside");
    let outside = sandbox.top.path().join("out");
    fs::create_dir(&outside).unwrap();
    sandbox.put("../out/x", "outside");
    let directory = sandbox.workspace.join("d");
    for (name, target) in [("one", outside.as_path()), ("two", Path::new("../out"))] {
        let link = sandbox.workspace.join(name);
        symlink(target, &link).unwrap();
        let stop = AtomicBool::new(false);
        let (escapes, fooled) = std::thread::scope(|threads| {
            threads.spawn(|| swap(&directory, &link, &stop));
            let counts = count_escapes(&sandbox.root(), &sandbox.workspace, &outside);
            stop.store(true, Ordering::Relaxed);
            counts
        });
        assert_eq!(escapes, 0);
        assert!(fooled > 0, "the swap never happened in time, so the test shows nothing");
        if directory.symlink_metadata().unwrap().is_symlink() {
            renameat_with(CWD, &directory, CWD, &link, RenameFlags::EXCHANGE).unwrap();
        }
    }
}

/// Counts how often the root led outside, and how often a plain path did in the same rounds.
fn count_escapes(root: &Root, workspace: &Path, outside: &Path) -> (usize, usize) {
    let outside_inode = fs::metadata(outside).unwrap().ino();
    let (mut escapes, mut fooled) = (0, 0);
    for _ in 0..ROUNDS {
        if let Ok(path) = root.admit("d/x") {
            let read = root.read(&path).ok().flatten();
            escapes += usize::from(read.is_some_and(|file| file.bytes == b"outside"));
            let parent = root.open_parent(&path).ok();
            let inode = parent.map(|(directory, _)| fstat(directory).unwrap().st_ino);
            escapes += usize::from(inode == Some(outside_inode));
        }
        fooled += usize::from(fs::read(workspace.join("d/x")).is_ok_and(|text| text == b"outside"));
    }
    (escapes, fooled)
}
