//! The names of every environment variable Salve reads.
//!
//! In: nothing. Out: constants and one reader. Never read anywhere else: the rest of Salve receives
//! values.

use salve_types::Timestamp;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// `enforce` or `observe`.
pub(crate) const ENFORCEMENT: &str = "SALVE_ENFORCEMENT";
/// `optional`, `required` or `none`.
pub(crate) const SENTINEL: &str = "SALVE_SENTINEL";
/// The text of the completion marker.
pub(crate) const SENTINEL_MARK: &str = "SALVE_SENTINEL_MARK";
/// How many characters of a cut text a continuation prompt shows.
pub(crate) const TAIL_CHARACTERS: &str = "SALVE_TAIL_CHARACTERS";
/// A file with the template of the continuation prompt.
pub(crate) const RESUME_TEMPLATE: &str = "SALVE_RESUME_TEMPLATE";
/// The folder of what Salve remembers, in place of the usual one.
pub(crate) const DATA: &str = "SALVE_DATA";
/// The database of a fleet's jobs; may hold its password, unlike `--jobs`.
pub(crate) const JOBS: &str = "SALVE_JOBS";
/// The password of that database.
pub(crate) const JOBS_PASSWORD: &str = "SALVE_JOBS_PASSWORD";

/// Returns the value of a variable that is set and not empty.
#[expect(
    clippy::disallowed_methods,
    reason = "salve-cli is the one crate that reads the environment"
)]
pub(crate) fn value(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns every variable that is text, for the runner, which lets only some of them through.
pub(crate) fn all() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Returns the folder of the user's configuration.
pub(crate) fn user_config_folder() -> Option<PathBuf> {
    let base = value("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| value("HOME").map(|home| PathBuf::from(home).join(".config")))?;
    Some(base.join("salve"))
}

/// Returns this moment, for the parts that are passed a clock.
pub(crate) fn now() -> Timestamp {
    Timestamp(i64::try_from(crate::workspace::now()).unwrap_or(i64::MAX))
}

/// Returns the folder of what Salve remembers for the user.
pub(crate) fn user_data_folder() -> Option<PathBuf> {
    if let Some(folder) = value(DATA) {
        return Some(PathBuf::from(folder));
    }
    let base = value("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(|| value("HOME").map(|home| PathBuf::from(home).join(".local/share")))?;
    Some(base.join("salve"))
}

/// Returns the folder the command was started in.
#[expect(clippy::disallowed_methods, reason = "salve-cli is the one crate that asks where it is")]
pub(crate) fn start_folder() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

/// Returns the user's home.
pub(crate) fn home() -> Option<PathBuf> {
    value("HOME").map(PathBuf::from)
}

/// Returns the ids under which the user owns files: this process's, and as root the one that asked
/// `sudo` for it.
pub(crate) fn owners() -> Vec<u32> {
    let own = rustix::process::geteuid();
    let asked = || value("SUDO_UID").and_then(|id| id.parse().ok());
    std::iter::once(own.as_raw()).chain(own.is_root().then(asked).flatten()).collect()
}

/// Returns the name of this machine.
pub(crate) fn host() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    let name: String =
        name.trim().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    Some(name).filter(|name| !name.is_empty())
}
