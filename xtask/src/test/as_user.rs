//! The suites that depend on who runs them, once more as an ordinary user.
//!
//! In: test executables that are already built. Out: the same tests run by a user without
//! privileges, when root runs this. Never builds anything, and never leaves a mount behind: they are
//! made in a namespace of their own.

use anyhow::Context;
use serde_json::Value;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::{Outcome, process, workspace};

/// A number that nothing on the machine belongs to.
const USER: &str = "1001";

/// Packages and the names of their test targets; no name means all of them.
const SUITES: &[(&str, &[&str])] =
    &[("salve-check", &["sandbox", "toolchains"]), ("salve-tree", &[])];

/// Makes root's toolchains and the folder for temporary files usable, gives away root, runs a test.
///
/// What is in a home that the user may not enter is shown to it by a home that holds nothing else.
const SCRIPT: &str = r#"
set -e
place=$1 repository=$2 target=$3 rustup=$4 cargo=$5 user=$6 folder=$7; shift 7
mkdir -p "$place/rustup" "$place/cargo" "$place/home/.cache"
if [ -d "$HOME/.cache/go-build" ] && [ ! -d "$place/home/.cache/go-build" ]; then
    cp -r "$HOME/.cache/go-build" "$place/home/.cache/"
fi
chown -R "$user:$user" "$place/home"
mount --bind "$rustup" "$place/rustup"
mount --bind "$cargo" "$place/cargo"
as_user() { setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs "$@"; }
python=$(readlink -f "$target/tools/python/bin/python3" || true)
number=0 hidden=
for shown in "$repository" "$target" "${python%/bin/*}"; do
    if [ -z "$shown" ] || as_user test -x "$shown"; then continue; fi
    number=$((number + 1))
    mkdir -p "$place/$number"
    mount --bind "$shown" "$place/$number"
    hidden="$hidden $number:$shown"
done
for shown in $hidden; do
    top="/$(echo "${shown#*:}" | cut -d / -f 2)"
    as_user test -x "$top" || mount -t tmpfs -o mode=0755 none "$top"
    mkdir -p "${shown#*:}"
    mount --bind "$place/${shown%%:*}" "${shown#*:}"
done
mount -t tmpfs -o mode=1777 none "$target/tmp"
cd "$folder"
export HOME="$place/home" RUSTUP_HOME="$place/rustup" CARGO_HOME="$place/cargo"
export INSTA_UPDATE=no INSTA_WORKSPACE_ROOT="$repository"
export PATH="$place/cargo/bin:$PATH" CARGO_MANIFEST_DIR="$folder"
as_user "$@"
"#;

/// Runs the suites.
pub(super) fn tests() -> anyhow::Result<Outcome> {
    if std::fs::metadata("/proc/self").context("could not tell who runs this")?.uid() != 0 {
        return Ok(Outcome::Skipped("the tests above ran as an ordinary user".to_owned()));
    }
    let place = std::env::temp_dir().join(format!("salve-as-user-{}", std::process::id()));
    std::fs::create_dir(&place).with_context(|| format!("could not make {}", place.display()))?;
    let suites = suites()?;
    let mut failed = Vec::new();
    for suite in &suites {
        println!("{} as user {USER}", suite.name);
        if let Err(error) = process::run(&mut command(&place, suite)?) {
            failed.push(format!("{}: {error:#}", suite.name));
        }
    }
    // Nothing is mounted here: that was in namespaces of their own.
    let _ = std::fs::remove_dir_all(&place);
    anyhow::ensure!(failed.is_empty(), "as user {USER}: {}", failed.join(", "));
    Ok(Outcome::Passed(format!("{} suites as user {USER}", suites.len())))
}

struct Suite {
    name: String,
    folder: PathBuf,
    executable: PathBuf,
}

/// Asks cargo for the executables of the step before, which it does not build again.
fn suites() -> anyhow::Result<Vec<Suite>> {
    let arguments = ["test", "--workspace", "--no-run", "--message-format", "json"];
    let text = process::output(&mut process::cargo(&arguments))?;
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    Ok(messages.filter_map(|message| suite(&message)).collect())
}

fn suite(message: &Value) -> Option<Suite> {
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let (package, target) = (folder.file_name()?.to_str()?, message["target"]["name"].as_str()?);
    let (_, targets) = SUITES.iter().find(|(name, _)| *name == package)?;
    let wanted = targets.is_empty() || targets.contains(&target);
    let executable =
        message["executable"].as_str().filter(|_| message["profile"]["test"] == true)?;
    wanted.then(|| Suite {
        name: format!("{package} {target}"),
        folder: folder.to_owned(),
        executable: PathBuf::from(executable),
    })
}

fn command(place: &Path, suite: &Suite) -> anyhow::Result<Command> {
    let home = |name: &str, below: &str| {
        let named = std::env::var_os(name).map(PathBuf::from);
        named.unwrap_or_else(|| PathBuf::from("/root").join(below))
    };
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "sh", "-c", SCRIPT, "sh"]);
    command.arg(place).arg(workspace::root()).arg(workspace::target_dir()?);
    command.arg(home("RUSTUP_HOME", ".rustup")).arg(home("CARGO_HOME", ".cargo")).arg(USER);
    command.arg(&suite.folder).arg(&suite.executable);
    Ok(command)
}
