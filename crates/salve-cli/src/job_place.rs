//! Where jobs are: files in the user's data folder, or the database of a fleet.
//!
//! In: `--jobs`, the password from a variable or a file, the user's models. Out: opened jobs, with
//! everything a runner needs. Never takes a password from a command line, and makes no file to look
//! into.

use crate::arguments::PlaceArguments;
use crate::batch::failure_text;
use crate::commands::worker::Busy;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::{environment, ledger, model_keys, output, postgres_url, runtime};
use salve_engine::{
    GenerateSteps, Generation, JobsPlace, OpenJobs as Opened, all_flows, open_jobs,
};
use salve_jobs::{
    FlowName, Flows, JobRunner, JobSnapshot, Jobs, RunningRunner, Steps, WorkerOptions,
};
use salve_model::{
    Budget, BudgetLevel, BudgetLimits, Consumption, HttpClientOptions, Lineup, LineupParts,
    RetryPolicy, http_client, read_key_file,
};
use salve_store::{Budgets, SpendLimit};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long results may take from the spool to the ledger before the command ends without them.
const DELIVERY: Duration = Duration::from_secs(5);

/// Whoever was not heard of for so long is gone, and its call in doubt. The same for everybody who
/// looks, whatever their leases: nobody takes a call from a living worker.
const SILENCE: Duration = Duration::from_secs(10);

/// Jobs that are open.
pub(crate) struct OpenJobs {
    opened: Opened,
    /// The jobs.
    pub(crate) jobs: Arc<dyn Jobs>,
    place: Place,
    worker: String,
}

struct Place {
    place: JobsPlace,
    /// As it is shown: without a password.
    shown: String,
}

impl Place {
    fn of(arguments: &PlaceArguments) -> Result<Self, Failure> {
        let folder = data_folder()?;
        let flag = arguments.url.as_deref();
        let Some(url) = flag.map(str::to_owned).or_else(|| environment::value(environment::JOBS))
        else {
            let shown = folder.display().to_string();
            return Ok(Self { place: JobsPlace::Folder(folder), shown });
        };
        let password = match &arguments.password_file {
            Some(path) => Some(read_key_file(path)?.expose().to_owned()),
            None => environment::value(environment::JOBS_PASSWORD),
        };
        let address = postgres_url::complete(&url, password.as_deref(), flag.is_some())?;
        if !cfg!(feature = "fleet") {
            return Err(Failure::new("this build keeps jobs on one machine only")
                .hint("For Postgres: `cargo install --path crates/salve-cli --features fleet`."));
        }
        let shown = postgres_url::shown(&address);
        Ok(Self { place: JobsPlace::Postgres { address, folder }, shown })
    }

    fn is_local(&self) -> bool {
        matches!(self.place, JobsPlace::Folder(_))
    }
}

fn data_folder() -> Result<PathBuf, Failure> {
    let file = ledger::path()?;
    Ok(file.parent().map_or_else(PathBuf::new, PathBuf::from))
}

/// Opens the jobs, does something with them, and closes them.
pub(crate) fn with<T>(
    arguments: &PlaceArguments,
    name: &str,
    act: impl AsyncFnOnce(&OpenJobs) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let place = Place::of(arguments)?;
    runtime::run(async {
        let open = OpenJobs::new(place, name).await?;
        let done = act(&open).await;
        open.close().await;
        done
    })?
}

/// The same for a command that only looks: where no job was ever started, it makes no database, and
/// returns nothing.
pub(crate) fn look<T>(
    arguments: &PlaceArguments,
    act: impl AsyncFnOnce(&OpenJobs) -> Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    let place = Place::of(arguments)?;
    if place.is_local() && !data_folder()?.join("jobs.db").exists() {
        return Ok(None);
    }
    with(arguments, "jobs", act).map(Some)
}

/// Returns the names of the flows there are.
pub(crate) fn flow_names() -> Result<Vec<FlowName>, Failure> {
    Ok(all_flows()?.iter().map(|(name, _)| name.clone()).collect())
}

impl OpenJobs {
    async fn new(place: Place, name: &str) -> Result<Self, Failure> {
        let worker = match environment::host() {
            Some(host) => format!("{name}@{host}"),
            None => name.to_owned(),
        };
        let mut options = ledger::options(&worker);
        let worker = options.worker.clone();
        options.silence = SILENCE;
        // What a day and a session may take is held in the ledger, so that a whole fleet keeps to it.
        let limits = Settings::load()?.models.settings.budget;
        options.budgets = Budgets { day: limit(limits.day), session: limit(limits.session) };
        let opened = open_jobs(&place.place, options).await.map_err(|error| {
            let failure = Failure::from(error);
            match place.is_local() {
                true => failure,
                false => failure.hint(
                    "The password is in SALVE_JOBS_PASSWORD or --jobs-password-file, the \
                     certificate's authority in `?sslrootcert=FILE` of the address.",
                ),
            }
        })?;
        let jobs = Arc::clone(&opened.jobs) as Arc<dyn Jobs>;
        Ok(Self { opened, jobs, place, worker })
    }

    async fn close(self) {
        let waiting = self.opened.close(DELIVERY).await;
        if waiting > 0 {
            output::story(&format!(
                "{waiting} results are safe on this disk and not in the ledger yet; the next \
                 command delivers them.\n"
            ));
        }
    }

    /// Returns whether the jobs are on this machine alone, so that whoever starts one does it too.
    pub(crate) fn is_local(&self) -> bool {
        self.place.is_local()
    }

    /// Returns where they are, to show.
    pub(crate) fn place(&self) -> &str {
        &self.place.shown
    }

    /// Returns who this process is, for people and the ledger.
    pub(crate) fn worker(&self) -> String {
        self.worker.clone()
    }

    /// Begins to take jobs.
    pub(crate) async fn run(
        &self,
        options: WorkerOptions,
    ) -> Result<Box<dyn RunningRunner>, Failure> {
        self.run_watched(options, &Busy::default()).await
    }

    /// Begins to take jobs, and tells which steps run.
    pub(crate) async fn run_watched(
        &self,
        options: WorkerOptions,
        busy: &Busy,
    ) -> Result<Box<dyn RunningRunner>, Failure> {
        let models = Arc::new(lineup()?);
        let store = self.opened.store.clone();
        let steps = GenerateSteps::new(store, models).add_to(Steps::default())?;
        let flows: Flows = all_flows()?;
        Ok(self.opened.jobs.run(flows, busy.watching(&steps), options).await?)
    }

    /// Keeps a text, and returns its id.
    pub(crate) async fn keep_text(&self, text: &str) -> Result<String, Failure> {
        Ok(self.opened.store.put_text(text).await?)
    }

    /// Returns what a job of the flow that generates has come to; none for another flow.
    pub(crate) async fn generation(
        &self,
        job: &JobSnapshot,
    ) -> Result<Option<Generation>, Failure> {
        if !salve_engine::GENERATE_FLOW.starts_with(&format!("{}@", job.flow.name())) {
            return Ok(None);
        }
        Ok(Some(Generation::of(job, &self.opened.store).await?))
    }

    /// Returns the text of a job's result; the JSON of it where its flow gives no text.
    pub(crate) async fn result(&self, job: &JobSnapshot) -> Result<Option<String>, Failure> {
        if let Some(generation) = self.generation(job).await? {
            return Ok(generation.code_result);
        }
        match &job.state {
            salve_jobs::JobState::Done { output } => {
                Ok(Some(serde_json::to_string_pretty(output)? + "\n"))
            }
            _ => Ok(None),
        }
    }

    /// Returns what there is of an answer that did not become a result.
    pub(crate) async fn partial(&self, job: &JobSnapshot) -> Result<Option<String>, Failure> {
        Ok(self.generation(job).await?.and_then(|generation| generation.partial_output))
    }
}

fn limit(limits: BudgetLimits) -> SpendLimit {
    SpendLimit { tokens: limits.tokens, micro_dollars: limits.money.map(|money| money.0) }
}

// Every attempt of a step has its own key in the ledger, so the model is asked once for each: what is
// tried again inside a call could be paid twice unseen.
fn lineup() -> Result<Lineup, Failure> {
    let Settings { models, .. } = Settings::load()?;
    let settings = models.settings;
    if settings.provider.is_empty() {
        return Err(Failure::new("there is no model to ask")
            .hint("Add a `[[provider]]` and `[roles]` to your own config.toml; see docs/models.md.")
            .hint("`salve doctor` shows which are configured."));
    }
    let mut keys = BTreeMap::new();
    for provider in &settings.provider {
        let Some(source) = provider.key_source() else { continue };
        match model_keys::fetch(&source) {
            Ok(key) => {
                keys.insert(provider.name.clone(), key);
            }
            Err(failure) => output::story(&format!(
                "warning: the provider {} has no key: {}\n",
                provider.name,
                failure_text(&failure)
            )),
        }
    }
    let limits = settings.budget;
    let budget = Budget::new(
        BudgetLevel::Day,
        limits.day,
        Consumption::default(),
        Arc::new(environment::now),
    )
    .narrow(BudgetLevel::Session, limits.session)
    .narrow(BudgetLevel::Run, limits.run);
    Ok(Lineup::new(LineupParts {
        settings: &settings,
        keys,
        client: http_client(&HttpClientOptions::default())?,
        budget,
        retry: RetryPolicy { attempts: 1, ..RetryPolicy::default() },
    })?)
}
