//! The file from which programs of the same user read the API token.
//!
//! In: a workbench that runs. Out: `serve/PORT.json` in the user's data folder, mode 0600, gone when the command ends.
//! Never follows a link, and never leaves an older file of that port in place.

use crate::failure::Failure;
use salve_serve::workbench::Workbench;
use serde_json::json;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const FOLDER: &str = "serve";

/// The file of one server.
pub(super) struct TokenFile(PathBuf);

impl TokenFile {
    /// Writes it.
    pub(super) fn write(data: &Path, workbench: &Workbench) -> Result<Self, Failure> {
        let folder = data.join(FOLDER);
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let file = Self(folder.join(format!("{}.json", workbench.addr().port())));
        // A server of this port that was killed has left it.
        file.remove();
        let text = json!({
            "url": format!("http://{}", workbench.addr()),
            "token": workbench.api_token(),
            "pid": std::process::id(),
        });
        let mut options = std::fs::OpenOptions::new();
        let mut open = options.write(true).create_new(true).mode(0o600).open(&file.0)?;
        open.write_all(format!("{text}\n").as_bytes())?;
        Ok(file)
    }

    /// Returns where it is.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Removes it.
    #[expect(
        clippy::disallowed_methods,
        reason = "it is a file of this command's own, not of a project"
    )]
    pub(super) fn remove(&self) {
        // One that cannot be removed names a token that lets nobody in any more.
        let _ = std::fs::remove_file(&self.0);
    }
}
