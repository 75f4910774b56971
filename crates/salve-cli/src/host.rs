//! The host as the command line makes it, and the store as its commands open it.
//!
//! In: the environment, the user's data folder, the settings. Out: a [`Host`]; this executable is its
//! own launcher. Never in a workspace: what Salve remembers is the user's.

use crate::arguments::FolderArguments;
use crate::failure::Failure;
use crate::{batch, environment, model_keys, runtime, workspace};
use salve_check::{Launcher, LauncherStage, launcher_main};
use salve_engine::facts::TextRedactor;
use salve_engine::host::{Host, HostConfig, MachineConfig};
use salve_engine::jobs::JobsPlace;
use salve_model::ModelSettings;
use salve_store::{KEY_PREFIX, Store};
use salve_text::{ExactSecret, ExtraPrefix, RedactOptions, is_secret_name, read_env_file};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// The first argument that makes this executable the launcher.
const LAUNCH: &str = "__launch";
/// The second argument of the inner stage.
const INNER: &str = "inner";
/// How long results may take from the spool to the ledger before the command ends without them.
pub(crate) const DELIVERY: Duration = Duration::from_secs(5);
/// Files whose values are secrets by custom.
const ENV_FILES: &[&str] =
    &[".env", ".env.local", ".env.development", ".env.production", ".env.test"];

/// Runs as the launcher when this process was started as one.
pub(crate) fn as_launcher() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != LAUNCH {
        return None;
    }
    let inner = arguments.next().is_some_and(|argument| argument == INNER);
    let stage = if inner { LauncherStage::Inner } else { LauncherStage::Outer };
    Some(launcher_main(stage, &[LAUNCH, INNER]))
}

/// The folder of what runs with the network have fetched, in the user's data folder.
pub(crate) const CACHES: &str = "caches";

/// Returns what this machine gives to every part.
pub(crate) fn machine() -> Result<MachineConfig, Failure> {
    Ok(MachineConfig {
        clock: environment::now,
        launcher: Launcher { program: own_executable()?, arguments: vec![LAUNCH.to_owned()] },
        variables: environment::all(),
        temporary: std::env::temp_dir(),
        caches: environment::user_data_folder().map(|folder| folder.join(CACHES)),
    })
}

/// Makes a host whose store and jobs are at this place.
pub(crate) fn at(place: JobsPlace, name: &str, models: ModelSettings) -> Result<Host, Failure> {
    let fetch = |source: &_| {
        model_keys::fetch(source).map_err(|failure| batch::failure_text(&failure).into())
    };
    Ok(Host::new(HostConfig {
        machine: machine()?,
        worker: format!("{name}-{}", std::process::id()),
        place,
        secrets: secrets(),
        models,
        keys: Arc::new(fetch),
    }))
}

/// Takes out of a text what must not be kept, and not be told to others.
pub(crate) fn redactor() -> TextRedactor {
    TextRedactor::new(&secrets())
}

/// Makes a host in the user's data folder, for commands that ask no model.
pub(crate) fn local(name: &str) -> Result<Host, Failure> {
    at(JobsPlace::Folder(data_folder()?), name, ModelSettings::default())
}

/// Opens the store, does something with it, and closes it.
pub(crate) fn with_store<T>(
    name: &str,
    act: impl AsyncFnOnce(&Store) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let host = local(name)?;
    runtime::run(async {
        let done = act(host.store().await?).await;
        host.close(DELIVERY).await;
        done
    })?
}

/// The same for a command that only reads: where nothing was kept yet, it makes no database and
/// returns `None`.
pub(crate) fn read_store<T>(
    name: &str,
    act: impl AsyncFnOnce(&Store) -> Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    if !JobsPlace::Folder(data_folder()?).exists() {
        return Ok(None);
    }
    with_store(name, act).map(Some)
}

/// Makes a folder for what lasts as long as a command: where Salve remembers, as far as that is there, so
/// that a build does not fill the machine's memory; else among the temporary ones.
pub(crate) fn private_folder(prefix: &str) -> Result<TempDir, Failure> {
    let mut named = tempfile::Builder::new();
    named.prefix(prefix);
    let data = environment::user_data_folder().filter(|folder| folder.is_dir());
    Ok(match data.and_then(|folder| named.tempdir_in(folder).ok()) {
        Some(folder) => folder,
        None => named.tempdir()?,
    })
}

/// Returns the folder of what Salve remembers.
pub(crate) fn data_folder() -> Result<PathBuf, Failure> {
    environment::user_data_folder().ok_or_else(|| {
        Failure::new("there is no folder for your data")
            .hint(format!("Set {}, XDG_DATA_HOME or HOME.", environment::DATA))
    })
}

// The link leads to this executable even when its file was replaced meanwhile.
fn own_executable() -> Result<PathBuf, Failure> {
    if cfg!(target_os = "linux") {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    Ok(std::env::current_exe()?)
}

// What is taken out of everything that is kept, beside what the shape of a key gives away: the values
// of variables that promise a secret, those of the `.env` files of the folder this was started in and of
// the workspace's root, and the gateway's own keys.
fn secrets() -> RedactOptions {
    let secret = |(name, value): (String, String)| {
        is_secret_name(&name).then(|| ExactSecret { name: name.to_ascii_lowercase(), value })
    };
    let own = ExtraPrefix {
        name: "salve_gateway_key".to_owned(),
        prefix: KEY_PREFIX.to_owned(),
        at_least: 40,
    };
    let mut exact: Vec<ExactSecret> = environment::all().into_iter().filter_map(secret).collect();
    exact.extend(folders_here().iter().flat_map(|folder| secrets_in(folder)));
    RedactOptions { exact, extra: vec![own] }
}

// The folder this was started in, and the root of the workspace around it.
fn folders_here() -> Vec<PathBuf> {
    let start = environment::start_folder();
    let root = workspace::place(&FolderArguments::default()).ok().map(|place| place.root);
    let mut folders: Vec<PathBuf> = start.into_iter().chain(root).collect();
    folders.dedup();
    folders
}

// A file that is not there, or cannot be read by us, gives nothing away to us either.
fn secrets_in(folder: &Path) -> Vec<ExactSecret> {
    let texts = ENV_FILES.iter().filter_map(|name| std::fs::read_to_string(folder.join(name)).ok());
    texts.flat_map(|text| read_env_file(&text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use salve_engine::facts::TextRedactor;
    use salve_store::Redact;

    #[test]
    fn x24_values_of_env_files_are_taken_out() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".env");
        let mut open = std::fs::File::create(file).unwrap();
        std::io::Write::write_all(&mut open, b"DB_PASSWORD=correct-horse-battery\n").unwrap();
        let exact = secrets_in(folder.path());
        let redactor = TextRedactor::new(&RedactOptions { exact, extra: Vec::new() });
        let kept = redactor.redact("it is correct-horse-battery, they say");
        assert!(!kept.contains("horse"), "{kept}");
    }
}
