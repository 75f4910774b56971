//! Commands that succeed in the sandbox and leave nothing behind.
//!
//! In: a plan, where its programs start, the workspace and the user's virtual environment. Out: the
//! first command that installs to a place whose writes are forgotten, and what to do instead. Never
//! says so of an installation into the workspace.

use crate::{Plan, PlannedCommand};
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// An installation that would be thrown away.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct ForgottenInstall {
    /// The command, such as `pip install`.
    pub command: String,
    /// What to do instead.
    pub instead: &'static str,
}

/// Where a plan would run.
#[derive(Debug, Clone, Copy)]
pub struct InstallPlace<'a> {
    /// The root of the workspace, symbolic links resolved.
    pub workspace: &'a Path,
    /// The folder that the programs start in.
    pub cwd: &'a Path,
    /// The user's virtual environment.
    pub environment: Option<&'a Path>,
}

impl fmt::Display for ForgottenInstall {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "`{}` writes outside the workspace, where nothing a run writes is kept: {}",
            self.command, self.instead
        )
    }
}

/// Returns the first command of a plan whose installation would be thrown away.
#[must_use]
pub fn forgotten_install(plan: &Plan, place: InstallPlace<'_>) -> Option<ForgottenInstall> {
    plan.commands().find_map(|command| forgotten(command, place))
}

const VENV: &str = "make a virtual environment in the workspace (`python3 -m venv .venv`) and use its \
                    `.venv/bin/pip`";
const OWN_TERMINAL: &str = "run it in a terminal of your own";
const LOCAL_NPM: &str =
    "install it into the project (without `-g`), or run it in a terminal of your own";

fn forgotten(command: &PlannedCommand, place: InstallPlace<'_>) -> Option<ForgottenInstall> {
    let words: Vec<&str> = command.argv.iter().map(String::as_str).collect();
    let (program, rest) = words.split_first()?;
    let name = Path::new(program).file_name()?.to_str()?;
    let said =
        |command: &str, instead| Some(ForgottenInstall { command: command.to_owned(), instead });
    let of_workspace = || is_in_workspace(program, place);
    match (name, rest) {
        _ if shows_only(rest) => None,
        (name, ["-m", "pip", arguments @ ..]) if is_python(name) => {
            (is_pip_install(arguments) && !of_workspace()).then_some(())?;
            said("pip install", VENV)
        }
        (name, arguments) if is_pip(name) => {
            (is_pip_install(arguments) && !of_workspace()).then_some(())?;
            said("pip install", VENV)
        }
        ("pipx", ["install" | "inject" | "upgrade", ..]) => said("pipx install", OWN_TERMINAL),
        ("uv", ["tool", "install", ..]) => said("uv tool install", OWN_TERMINAL),
        ("uv", ["pip", "install", arguments @ ..]) if arguments.contains(&"--system") => {
            said("uv pip install --system", VENV)
        }
        ("npm" | "pnpm" | "bun", ["install" | "i" | "add" | "link", arguments @ ..])
            if has_global(arguments) =>
        {
            said("npm install -g", LOCAL_NPM)
        }
        ("yarn", ["global", "add", ..]) => said("yarn global add", LOCAL_NPM),
        ("cargo", ["install", arguments @ ..]) if !names_place(arguments, "--root") => {
            said("cargo install", OWN_TERMINAL)
        }
        ("go", ["install", ..]) => said("go install", OWN_TERMINAL),
        ("gem", ["install", arguments @ ..])
            if !names_place(arguments, "--install-dir") && !names_place(arguments, "-i") =>
        {
            said("gem install", OWN_TERMINAL)
        }
        (
            "rustup",
            ["install" | "update", ..]
            | ["toolchain" | "component" | "target", "add" | "install", ..],
        ) => said("rustup", OWN_TERMINAL),
        _ => None,
    }
}

fn is_python(name: &str) -> bool {
    versioned(name, "python") || versioned(name, "pypy")
}

fn is_pip(name: &str) -> bool {
    versioned(name, "pip")
}

// `python`, `python3`, `python3.12`.
fn versioned(name: &str, plain: &str) -> bool {
    name.strip_prefix(plain)
        .is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

fn is_pip_install(arguments: &[&str]) -> bool {
    let first = arguments.iter().find(|word| !word.starts_with('-'));
    let elsewhere = ["--target", "-t", "--prefix", "--root", "--python", "--dry-run"];
    first == Some(&"install") && !elsewhere.iter().any(|option| names_place(arguments, option))
}

fn names_place(arguments: &[&str], option: &str) -> bool {
    arguments.iter().any(|word| {
        word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    })
}

fn has_global(arguments: &[&str]) -> bool {
    arguments.iter().any(|word| matches!(*word, "-g" | "--global" | "--location=global"))
}

fn shows_only(arguments: &[&str]) -> bool {
    arguments.iter().any(|word| matches!(*word, "-h" | "--help" | "--version"))
}

// A program of an environment inside the workspace installs into it; a plain name does when the
// environment in force is one.
fn is_in_workspace(program: &str, place: InstallPlace<'_>) -> bool {
    if program.contains('/') {
        // Not resolved: the python of an environment is a link to the system's.
        return plain(&place.cwd.join(program)).starts_with(place.workspace);
    }
    place.environment.is_some_and(|folder| plain(folder).starts_with(place.workspace))
}

fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for step in path.components() {
        match step {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            step => plain.push(step),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str, environment: Option<&str>) -> Option<String> {
        let place = InstallPlace {
            workspace: Path::new("/w"),
            cwd: Path::new("/w/sub"),
            environment: environment.map(Path::new),
        };
        forgotten_install(&Plan::of_argv(line.split(' ')), place).map(|found| found.command)
    }

    #[test]
    fn what_is_thrown_away_is_known_before() {
        for line in [
            "pip install six",
            "pip3 install -r requirements.txt",
            "pip3.12 -q install six",
            "python -m pip install six",
            "python3 -m pip install --upgrade pip",
            "/usr/bin/pip install six",
            "../../venv/bin/pip install six",
            "pipx install black",
            "uv tool install ruff",
            "uv pip install --system six",
            "npm install -g typescript",
            "npm i --global x",
            "yarn global add x",
            "cargo install ripgrep",
            "go install example.com/x@latest",
            "gem install rake",
            "rustup component add clippy",
        ] {
            assert!(of(line, None).is_some(), "{line}");
        }
        assert!(of("pip install six", Some("/home/u/venv")).is_some());
    }

    #[test]
    fn what_stays_is_let_through() {
        for line in [
            "pip --version",
            "pip list",
            "pip install --help",
            "pip install --dry-run six",
            "pip install --target ./lib six",
            "pip download six",
            "python -m pytest",
            ".venv/bin/pip install six",
            "../.venv/bin/python -m pip install six",
            "npm install",
            "npm install left-pad",
            "npm ci",
            "uv pip install six",
            "uv sync",
            "cargo install --root ./tools ripgrep",
            "cargo build",
            "go build ./...",
            "pipenv install",
        ] {
            assert_eq!(of(line, None), None, "{line}");
        }
        for line in ["pip install six", "python -m pip install six"] {
            assert_eq!(of(line, Some("/w/.venv")), None, "{line}");
        }
    }
}
