//! What the tests of the workbench need: Node, a chromium, and packages of two registries.
//!
//! In: the machine and its package managers. Out: where each is, installed into `target/tools` where it was missing, or
//! the reason why the tests cannot run here. Never installs into the user's own folders.

use crate::gateway::environment;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::{process, workspace};

const LOCKED: [&str; 2] = ["package.json", "package-lock.json"];
const SCHEMATHESIS: &[&str] = &["schemathesis==4.32.5"];

/// Programs of other people that the tests run.
pub(super) struct Tools {
    /// The browser.
    pub(super) chromium: PathBuf,
    /// A folder with `node_modules`.
    pub(super) packages: PathBuf,
    /// The tester of the API by its document, where it is asked for.
    pub(super) schemathesis: Option<PathBuf>,
}

impl Tools {
    /// Finds what is there and installs what is missing; the inner error is the reason for a skip.
    pub(super) fn find(all: bool) -> anyhow::Result<Result<Self, String>> {
        if !has_node() {
            return Ok(Err("there is no Node with npm, and apt could not install it".to_owned()));
        }
        let Some(chromium) = chromium() else {
            return Ok(Err("there is no chromium, and apt could not install one".to_owned()));
        };
        let packages = match packages() {
            Ok(packages) => packages,
            Err(error) => return Ok(Err(format!("npm could not install Playwright: {error:#}"))),
        };
        let schemathesis = if all { schemathesis() } else { None };
        Ok(Ok(Self { chromium, packages, schemathesis }))
    }
}

fn chromium() -> Option<PathBuf> {
    let found = || {
        let names = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
        names.iter().map(PathBuf::from).find(|path| path.is_file())
    };
    found().or_else(|| apt(&["chromium"]).then(found).flatten())
}

fn has_node() -> bool {
    let answers = || {
        process::answers(Command::new("node").arg("--version"))
            && process::answers(Command::new("npm").arg("--version"))
    };
    answers() || (apt(&["nodejs", "npm"]) && answers())
}

// Asks apt for packages; a machine whose lists are empty or old is asked to read them first.
fn apt(packages: &[&str]) -> bool {
    println!("{} is missing; apt is asked for it", packages.join(" and "));
    let ask = |words: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(["-q", "-o", "Acquire::http::Timeout=20", "-o", "Acquire::Retries=1"]);
        process::run(command.args(words).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    let install = ["install", "-y", "--no-install-recommends"];
    let install: Vec<&str> = install.iter().chain(packages).copied().collect();
    let done = ask(&install).or_else(|_| ask(&["update"]).and_then(|()| ask(&install)));
    if let Err(error) = &done {
        println!("NOT INSTALLED: {error:#}");
    }
    done.is_ok()
}

// The lock file holds the hash of each package, so that what is installed is what was tested.
fn packages() -> anyhow::Result<PathBuf> {
    let from = workspace::root().join("rigs/browser");
    let folder = workspace::target_dir()?.join("tools").join("browser");
    let text = |folder: &Path, name: &str| std::fs::read_to_string(folder.join(name));
    let is_there = folder.join("node_modules/.package-lock.json").is_file()
        && LOCKED.iter().all(|name| text(&folder, name).ok() == text(&from, name).ok());
    if is_there {
        return Ok(folder);
    }
    std::fs::create_dir_all(&folder)?;
    for name in LOCKED {
        std::fs::copy(from.join(name), folder.join(name))
            .with_context(|| format!("could not copy {name}"))?;
    }
    let mut command = Command::new("npm");
    command.args(["ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]);
    process::run(command.current_dir(&folder))?;
    Ok(folder)
}

fn schemathesis() -> Option<PathBuf> {
    match environment("schemathesis", SCHEMATHESIS) {
        Ok(python) => Some(python.with_file_name("schemathesis")),
        Err(error) => {
            println!("schemathesis: NOT INSTALLED, its part fails when it is asked for: {error:#}");
            None
        }
    }
}
