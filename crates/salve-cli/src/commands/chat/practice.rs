//! A conversation without a key: the scripted model and the sample project.
//!
//! In: the name of a folder that does not exist yet. Out: a small project in it, and a simulated provider on this
//! machine that answers by the script. Never writes into a folder that is there, and never asks a real model.

use crate::arguments::FolderArguments;
use crate::failure::Failure;
use crate::job_place::{self, OpenJobs};
use crate::{output, workspace};
use salve_engine::host::Place;
use salve_engine::session::{PRACTICE_FILES, PRACTICE_SCRIPT};
use salve_model::ModelSettings;
use salve_model::sim::{Script, SimServer};
use std::io::Write;
use std::net::Ipv4Addr;
use std::path::Path;

/// Finds the sample project in a folder, or makes it there.
pub(crate) fn kept_project(folder: &Path) -> Result<Place, Failure> {
    if !folder.is_dir() {
        std::fs::create_dir_all(folder)?;
        write_files(folder)?;
    }
    place_of(folder)
}

/// Makes the sample project in a new folder.
pub(super) fn project(folder: &Path) -> Result<Place, Failure> {
    std::fs::create_dir(folder).map_err(|error| {
        Failure::new(format!("cannot make `{}`: {error}", folder.display()))
            .hint("Name a folder that does not exist yet.")
    })?;
    write_files(folder)?;
    output::story(&format!(
        "A sample project is in `{}`. The model is a script: try `add a discount to price.py`, then `continue`.\n",
        folder.display()
    ));
    place_of(folder)
}

fn write_files(folder: &Path) -> Result<(), Failure> {
    for (path, text) in PRACTICE_FILES {
        std::fs::File::create_new(folder.join(path))?.write_all(text.as_bytes())?;
    }
    Ok(())
}

fn place_of(folder: &Path) -> Result<Place, Failure> {
    let root = folder.canonicalize()?;
    workspace::place(&FolderArguments { directory: Some(root.clone()), root: Some(root) })
}

/// Does something with the scripted model in place of the user's; it is told where that model is. What is remembered
/// is in a folder.
pub(crate) async fn with_model<T>(
    folder: &Path,
    name: &str,
    act: impl AsyncFnOnce(&OpenJobs<'_>, &str) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let script = Script::parse(PRACTICE_SCRIPT.trim())
        .map_err(|problem| Failure::new(format!("the script of the practice model: {problem}")))?;
    let sim = SimServer::start(script, (Ipv4Addr::LOCALHOST, 0).into()).await?;
    let address = format!("http://127.0.0.1:{}/v1", sim.addr().port());
    let settings = format!(
        "[[provider]]\nname = \"practice\"\ndialect = \"chat\"\nbase_url = \"{address}\"\n\n\
         [roles]\nmodel = \"practice/script\"\n\n[[model]]\nnames = [\"script\"]\nvision = true\n"
    );
    let models: ModelSettings = toml::from_str(&settings)?;
    let act = async |open: &OpenJobs<'_>| act(open, &address).await;
    let done = job_place::in_folder(folder, name, models, act).await;
    sim.stop().await;
    done
}
