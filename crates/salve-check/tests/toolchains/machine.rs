//! The real machine: the sandboxed runner, and the programs `cargo xtask tools` installed.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the test tells the runner about the machine; a failure here is a failed test"
)]

use salve_check::{Keep, Launcher, Runner, RunnerOptions};
use salve_types::Timestamp;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Makes a runner for a folder, with the tools for tests before everything else.
pub(crate) fn runner(workspace: &Path) -> Runner {
    Runner::new(options(workspace)).unwrap()
}

/// What such a runner is made from.
pub(crate) fn options(workspace: &Path) -> RunnerOptions {
    let mut inherited: BTreeMap<String, String> = std::env::vars().collect();
    let path = inherited.get("PATH").cloned().unwrap_or_default();
    let tools = tools().into_iter().filter(|folder| folder.is_dir());
    let tools: Vec<String> = tools.map(|folder| folder.to_str().unwrap().to_owned()).collect();
    inherited.insert("PATH".to_owned(), format!("{}:{path}", tools.join(":")));
    RunnerOptions {
        launcher: Launcher {
            program: PathBuf::from(env!("CARGO_BIN_EXE_salve-launcher")),
            arguments: Vec::new(),
        },
        workspace: workspace.to_owned(),
        inherited,
        temporary: std::env::temp_dir(),
        clock: now,
        keep: Keep::RECORDS,
        without: Vec::new(),
        caches: None,
    }
}

/// The user's home, which the runner shows a part of.
pub(crate) fn home() -> PathBuf {
    std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default()
}

/// Where `cargo xtask tools` puts what a machine lacks.
fn tools() -> [PathBuf; 2] {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    ["npm/bin", "python/bin"].map(|folder| target.join("tools").join(folder))
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
