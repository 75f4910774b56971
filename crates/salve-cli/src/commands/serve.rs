//! `salve serve`: the workbench, its API and the gateway, in one process on this machine.
//!
//! In: a folder; without a model of yours, the practice model and its sample project. Out: the address on the first
//! line of standard output, then it serves until it is told to stop. A key press prints a fresh address. Never
//! listens for other machines, and never shows a token anywhere but in that address and in a file of yours alone.

mod browser;
mod gateway;
mod host;
mod key_press;
mod token_file;

use crate::arguments::{Format, LogFormat, PlaceArguments, ServeArguments};
use crate::commands::chat::practice;
use crate::failure::{CommandResult, Ending, Failure};
use crate::heal_host::CommandHost;
use crate::job_place::{self, OpenJobs};
use crate::settings::Settings;
use crate::{host as user, log, output, run_environment, runtime, workspace};
use host::ServeHost;
use key_press::KeyPresses;
use salve_engine::host::Place;
use salve_serve::http::ServerConfig;
use salve_serve::workbench::{Workbench, WorkbenchConfig, WorkbenchLabel, check_turn};
use serde_json::json;
use std::io::IsTerminal;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use token_file::TokenFile;

/// How long requests that are being answered may go on when it is told to stop.
const DRAIN: Duration = Duration::from_secs(5);
/// Where the sample project is, in the user's data folder.
const PRACTICE: &str = "practice";

/// Where is served, and by whom turns are answered.
struct Serving {
    place: Place,
    /// The address of the practice model, where that answers.
    practice: Option<String>,
}

/// Runs `salve serve`.
pub(crate) fn run(arguments: &ServeArguments, format: Format) -> CommandResult {
    let log_format = if format == Format::Human { LogFormat::Human } else { LogFormat::Json };
    log::start(log_format, false);
    if arguments.check {
        return checked(format);
    }
    let configured = !Settings::load()?.models.settings.provider.is_empty();
    let named = arguments.place.directory.is_some() || arguments.place.root.is_some();
    if configured || named {
        let place = workspace::place(&arguments.place)?;
        let serving = Serving { place, practice: None };
        return job_place::with(&PlaceArguments::default(), "serve", async |open| {
            serve(open, arguments, &serving, format).await
        });
    }
    let data = user::data_folder()?;
    let place = practice::kept_project(&data.join(PRACTICE))?;
    runtime::run(practice::with_model(&data, "serve", async |open: &OpenJobs<'_>, model: &str| {
        let serving = Serving { place, practice: Some(model.to_owned()) };
        serve(open, arguments, &serving, format).await
    }))?
}

// One turn of the practice model, in folders that are gone afterwards.
fn checked(format: Format) -> CommandResult {
    let folder = user::private_folder("serve-check-")?;
    let place = practice::kept_project(&folder.path().join(PRACTICE))?;
    let data = folder.path().join("data");
    runtime::run(practice::with_model(&data, "serve", async |open: &OpenJobs<'_>, model: &str| {
        let serving = Serving { place, practice: Some(model.to_owned()) };
        let workbench = started(open, &serving, 0, None).await?;
        let token = workbench.api_token().to_owned();
        let answered = check_turn(workbench.addr(), &token, "what can you do?").await;
        workbench.stop().await;
        let answered = answered?;
        match format {
            Format::Human => output::result(&format!(
                "The workbench answers: turn {} is {}.\n",
                answered.turn, answered.status
            ))?,
            _ => output::value(format, &answered)?,
        }
        let good = answered.status == "completed";
        Ok(if good { Ending::Clean } else { Ending::Findings })
    }))?
}

async fn serve(
    open: &OpenJobs<'_>,
    arguments: &ServeArguments,
    serving: &Serving,
    format: Format,
) -> CommandResult {
    let gateway = gateway::start(open, serving.practice.as_deref()).await?;
    let at = gateway.as_ref().map(|gateway| format!("http://{}", gateway.addr));
    let port = arguments.port.unwrap_or(0);
    let workbench = started(open, serving, port, at.clone()).await?;
    let file = TokenFile::write(&user::data_folder()?, &workbench)?;
    let url = workbench.fresh_address();
    announce(&url, serving, at.as_deref(), &file, format)?;
    let presses = KeyPresses::watch();
    if !arguments.no_open && format == Format::Human {
        browser::open(&url);
    }
    until_stopped(&workbench, presses).await?;
    output::story("Stopping; a turn that runs is handed back, and goes on at the next start.\n");
    workbench.stop().await;
    if let Some(gateway) = gateway {
        let _ = gateway.stop().await;
    }
    file.remove();
    Ok(Ending::Clean)
}

async fn started(
    open: &OpenJobs<'_>,
    serving: &Serving,
    port: u16,
    gateway: Option<String>,
) -> Result<Workbench, Failure> {
    let settings = Settings::load_for(Some(&serving.place.folder()))?;
    let environment = run_environment::chosen(&settings, &[])?.values;
    let server = ServerConfig {
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        drain: DRAIN,
        ..ServerConfig::default()
    };
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let practice = serving.practice.is_some();
    let config = WorkbenchConfig {
        server,
        conversation: open.conversation(Arc::new(CommandHost { environment }))?,
        place: serving.place.clone(),
        host: Arc::new(ServeHost {
            place: serving.place.clone(),
            practice,
            changed: Default::default(),
        }),
        label: WorkbenchLabel { practice, gateway, version },
    };
    Workbench::start(config).await.map_err(|error| {
        let failure = Failure::from(error);
        match failure.io_kind() {
            Some(std::io::ErrorKind::AddrInUse) => {
                failure.hint("Another program listens there; without --port a free one is taken.")
            }
            _ => failure,
        }
    })
}

fn announce(
    url: &str,
    serving: &Serving,
    gateway: Option<&str>,
    file: &TokenFile,
    format: Format,
) -> Result<(), Failure> {
    if format != Format::Human {
        let token_file = file.path().display().to_string();
        let workspace = serving.place.root.display().to_string();
        return output::json_line(&json!({
            "url": url, "pid": std::process::id(), "tokenFile": token_file, "gateway": gateway,
            "workspace": workspace, "practice": serving.practice.is_some(),
        }));
    }
    output::result(&format!("Salve is at {url}\n"))?;
    let mut told = format!("The workspace is {}.\n", serving.place.root.display());
    if serving.practice.is_some() {
        told.push_str(
            "No model is configured: a script answers, in a sample project. docs/models.md says how to add one.\n",
        );
    }
    if let Some(gateway) = gateway {
        told.push_str(&format!("The gateway is at {gateway}\n"));
    }
    told.push_str(&format!("Programs find the API token in {}\n", file.path().display()));
    if std::io::stdin().is_terminal() {
        told.push_str("Any key prints a fresh address; Ctrl-C ends.\n");
    }
    output::story(&told);
    Ok(())
}

// Each key that a person presses gives a fresh address: the one before it lets nobody in any more.
async fn until_stopped(workbench: &Workbench, mut presses: KeyPresses) -> Result<(), Failure> {
    let interrupted = runtime::interrupted();
    tokio::pin!(interrupted);
    loop {
        tokio::select! {
            ended = &mut interrupted => return ended,
            () = presses.next() => {
                output::result(&format!("Salve is at {}\n", workbench.fresh_address()))?;
            }
        }
    }
}
