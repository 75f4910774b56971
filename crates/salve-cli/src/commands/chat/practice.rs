//! A conversation without a key: the scripted model and the sample project.
//!
//! In: the name of a folder that does not exist yet. Out: a small project in it, and a simulated provider on this
//! machine that answers by the script. Never writes into a folder that is there, and never asks a real model.

use crate::arguments::FolderArguments;
use crate::failure::Failure;
use crate::job_place::{self, OpenJobs};
use crate::{host, output, workspace};
use salve_engine::host::Place;
use salve_engine::session::{PRACTICE_FILES, PRACTICE_SCRIPT};
use salve_model::ModelSettings;
use salve_model::sim::{Script, SimServer};
use std::io::Write;
use std::net::Ipv4Addr;
use std::path::Path;

/// Makes the sample project in a new folder.
pub(super) fn project(folder: &Path) -> Result<Place, Failure> {
    std::fs::create_dir(folder).map_err(|error| {
        Failure::new(format!("cannot make `{}`: {error}", folder.display()))
            .hint("Name a folder that does not exist yet.")
    })?;
    for (path, text) in PRACTICE_FILES {
        std::fs::File::create_new(folder.join(path))?.write_all(text.as_bytes())?;
    }
    output::story(&format!(
        "A sample project is in `{}`. The model is a script: try `add a discount to price.py`, then `continue`.\n",
        folder.display()
    ));
    let root = folder.canonicalize()?;
    workspace::place(&FolderArguments { directory: Some(root.clone()), root: Some(root) })
}

/// Does something with the scripted model in place of the user's.
pub(super) async fn with_model<T>(
    act: impl AsyncFnOnce(&OpenJobs<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let script = Script::parse(PRACTICE_SCRIPT.trim())
        .map_err(|problem| Failure::new(format!("the script of the practice model: {problem}")))?;
    let sim = SimServer::start(script, (Ipv4Addr::LOCALHOST, 0).into()).await?;
    let settings = format!(
        "[[provider]]\nname = \"practice\"\ndialect = \"chat\"\nbase_url = \"http://127.0.0.1:{}/v1\"\n\n\
         [roles]\nmodel = \"practice/script\"\n",
        sim.addr().port()
    );
    let models: ModelSettings = toml::from_str(&settings)?;
    let done = job_place::in_folder(&host::data_folder()?, "chat", models, act).await;
    sim.stop().await;
    done
}
