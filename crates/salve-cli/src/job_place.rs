//! Where jobs are: files in the user's data folder, or the database of a fleet.
//!
//! In: `--jobs`, the password from a variable or a file, the user's models. Out: opened jobs, with
//! everything a runner needs. Never takes a password from a command line, and makes no file to look
//! into.

use crate::arguments::PlaceArguments;
use crate::commands::worker::Busy;
use crate::failure::Failure;
use crate::heal_host::WorkerHost;
use crate::settings::Settings;
use crate::{environment, host, output, postgres_url, runtime};
use futures_util::StreamExt;
use salve_engine::host::{Host, HostError};
use salve_engine::jobs::{
    Generation, HEAL_FOLDER, HealHost, JobsPlace, ModelSource, NoModel, OpenJobs as Opened,
    StepParts, WhichModel, all_flows, all_steps,
};
use salve_engine::plan::Orchestrator;
use salve_engine::session::{Conversation, ConversationParts, UploadDesk};
use salve_jobs::{
    EventId, FlowName, JobId, JobRunner, JobSnapshot, Jobs, RunningRunner, Steps, WorkerOptions,
};
use salve_model::{Chosen, ModelSettings, read_key_file};
use salve_store::{CallFilter, CallState, Store};
use salve_types::{Clock, Timestamp};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Jobs that are open.
pub(crate) struct OpenJobs<'a> {
    host: &'a Host,
    opened: &'a Opened,
    /// The jobs.
    pub(crate) jobs: Arc<dyn Jobs>,
    place: &'a Place,
}

struct Place {
    place: JobsPlace,
    /// As it is shown: without a password.
    shown: String,
    /// What is of this machine alone, wherever the jobs are.
    folder: PathBuf,
}

impl Place {
    fn of(arguments: &PlaceArguments) -> Result<Self, Failure> {
        let folder = host::data_folder()?;
        let flag = arguments.url.as_deref();
        let Some(url) = flag.map(str::to_owned).or_else(|| environment::value(environment::JOBS))
        else {
            let shown = folder.display().to_string();
            return Ok(Self { place: JobsPlace::Folder(folder.clone()), shown, folder });
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
        Ok(Self { place: JobsPlace::Postgres { address, folder: folder.clone() }, shown, folder })
    }

    fn is_local(&self) -> bool {
        matches!(self.place, JobsPlace::Folder(_))
    }
}

/// Opens the jobs, does something with them, and closes them.
pub(crate) fn with<T>(
    arguments: &PlaceArguments,
    name: &str,
    act: impl AsyncFnOnce(&OpenJobs<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let place = Place::of(arguments)?;
    let name = match environment::host() {
        Some(host) => format!("{name}@{host}"),
        None => name.to_owned(),
    };
    let models = Settings::load()?.models.settings;
    runtime::run(at(place, &name, models, act))?
}

/// The same in a folder of its own and with these models, whatever the user has; in a runtime that is there.
pub(crate) async fn in_folder<T>(
    folder: &Path,
    name: &str,
    models: ModelSettings,
    act: impl AsyncFnOnce(&OpenJobs<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let shown = folder.display().to_string();
    let folder = folder.to_owned();
    let place = Place { place: JobsPlace::Folder(folder.clone()), shown, folder };
    at(place, name, models, act).await
}

async fn at<T>(
    place: Place,
    name: &str,
    models: ModelSettings,
    act: impl AsyncFnOnce(&OpenJobs<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let host = host::at(place.place.clone(), name, models)?;
    let open = OpenJobs::new(&host, &place).await?;
    let done = act(&open).await;
    close(host).await;
    done
}

/// The same for a command that only reads: where no job was ever started, it makes no database, and
/// returns `None`.
pub(crate) fn look<T>(
    arguments: &PlaceArguments,
    act: impl AsyncFnOnce(&OpenJobs<'_>) -> Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    if !Place::of(arguments)?.place.exists() {
        return Ok(None);
    }
    with(arguments, "jobs", act).map(Some)
}

/// Returns the names of the flows there are.
pub(crate) fn flow_names() -> Result<Vec<FlowName>, Failure> {
    Ok(all_flows()?.iter().map(|(name, _)| name.clone()).collect())
}

async fn close(host: Host) {
    let waiting = host.close(host::DELIVERY).await;
    if waiting > 0 {
        output::story(&format!(
            "{waiting} results are safe on this disk and not in the ledger yet; the next command \
             delivers them.\n"
        ));
    }
}

impl<'a> OpenJobs<'a> {
    async fn new(host: &'a Host, place: &'a Place) -> Result<Self, Failure> {
        let opened = host.jobs().await.map_err(|error| {
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
        Ok(Self { host, opened, jobs, place })
    }

    /// Returns whether the jobs are on this machine alone, so that the process that starts one does
    /// it too.
    pub(crate) fn is_local(&self) -> bool {
        self.place.is_local()
    }

    /// Returns what is remembered in the same place.
    pub(crate) fn store(&self) -> &Store {
        &self.opened.store
    }

    /// Returns where they are, to show.
    pub(crate) fn place(&self) -> &str {
        &self.place.shown
    }

    /// Returns where states and layers of heals are kept.
    pub(crate) fn heal_folder(&self) -> PathBuf {
        self.place.folder.join(HEAL_FOLDER)
    }

    /// Returns who this process is, for people and the ledger.
    pub(crate) fn worker(&self) -> String {
        self.host.worker().to_owned()
    }

    /// Begins to take jobs, and reports which steps run. `roots` says where the workspaces with a name are.
    pub(crate) async fn run_watched(
        &self,
        options: WorkerOptions,
        roots: BTreeMap<String, PathBuf>,
        busy: &Busy,
    ) -> Result<Box<dyn RunningRunner>, Failure> {
        let models: Arc<dyn ModelSource> = match self.host.models() {
            Ok(models) => {
                for (provider, why) in &models.without_key {
                    output::story(&format!("warning: the provider {provider} has no key: {why}\n"));
                }
                models.lineup
            }
            // A workspace can be healed without one.
            Err(HostError::NoModels) if !roots.is_empty() => Arc::new(NoModels),
            Err(error) => return Err(no_models(error)),
        };
        self.run_with(models, Arc::new(WorkerHost { roots }), options, busy).await
    }

    /// Begins to take heals, with the models that are configured, if any are.
    pub(crate) async fn run_healing(
        &self,
        host: Arc<dyn HealHost>,
        options: WorkerOptions,
        busy: &Busy,
    ) -> Result<Box<dyn RunningRunner>, Failure> {
        self.run_with(self.models()?, host, options, busy).await
    }

    /// Puts together what conversations need, with the models that are configured, if any are.
    pub(crate) fn conversation(&self, hosts: Arc<dyn HealHost>) -> Result<Conversation, Failure> {
        Ok(Conversation::new(self.parts(hosts)?))
    }

    /// The same for plans of sub-tasks.
    pub(crate) fn orchestrator(&self, hosts: Arc<dyn HealHost>) -> Result<Orchestrator, Failure> {
        Ok(Orchestrator::new(self.parts(hosts)?))
    }

    fn parts(&self, hosts: Arc<dyn HealHost>) -> Result<ConversationParts, Failure> {
        Ok(ConversationParts {
            store: self.opened.store.clone(),
            jobs: Arc::clone(&self.opened.jobs),
            models: self.models()?,
            hosts,
            clock: clock(),
            folder: self.place.folder.clone(),
            worker: self.worker(),
        })
    }

    /// Puts together what works on uploads.
    pub(crate) fn upload_desk(&self) -> Result<UploadDesk, Failure> {
        Ok(UploadDesk::new(self.opened.store.clone(), self.models()?, clock()))
    }

    /// Returns the model that would be asked.
    pub(crate) fn choose(&self, which: &WhichModel) -> Result<Chosen, String> {
        let models = self.models().map_err(|failure| failure.render())?;
        models.choose(which).map_err(|no| no.0)
    }

    fn models(&self) -> Result<Arc<dyn ModelSource>, Failure> {
        match self.host.models() {
            Ok(models) => Ok(models.lineup),
            Err(HostError::NoModels) => Ok(Arc::new(NoModels)),
            Err(error) => Err(error.into()),
        }
    }

    async fn run_with(
        &self,
        models: Arc<dyn ModelSource>,
        host: Arc<dyn HealHost>,
        options: WorkerOptions,
        busy: &Busy,
    ) -> Result<Box<dyn RunningRunner>, Failure> {
        let steps = all_steps(StepParts {
            store: self.opened.store.clone(),
            models,
            hosts: host,
            clock: clock(),
            folder: self.place.folder.clone(),
        })?;
        Ok(self.opened.jobs.run(all_flows()?, busy.watching(&steps), options).await?)
    }

    /// Takes the turns of one job's flow, and none of its steps, until it has ended or this long; returns
    /// whether it has ended.
    pub(crate) async fn settle(&self, id: &JobId, longest: Duration) -> Result<bool, Failure> {
        let options = WorkerOptions {
            worker: self.worker(),
            only: Some(id.clone()),
            ..WorkerOptions::default()
        };
        let runner = self.opened.jobs.run(all_flows()?, Steps::default(), options).await?;
        let mut events = self.jobs.watch(id, EventId(0));
        let ended = async {
            while events.next().await.transpose()?.is_some() {}
            Ok::<_, Failure>(())
        };
        // A job that takes longer is stopped by the worker that has it.
        let in_time = tokio::time::timeout(longest, ended).await;
        runner.drain(longest).await;
        in_time.unwrap_or(Ok(()))?;
        Ok(self.jobs.state(id).await?.is_some_and(|job| job.state.is_terminal()))
    }

    /// Returns how many paid calls were begun by workers that died and were made again since.
    pub(crate) async fn lost_calls(&self) -> Result<u32, Failure> {
        let filter = CallFilter { state: Some(CallState::Unknown), ..CallFilter::default() };
        let lost = self.opened.store.earlier_tries(&filter).await?;
        Ok(u32::try_from(lost.len()).unwrap_or(u32::MAX))
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
        if !salve_engine::jobs::GENERATE_FLOW.starts_with(&format!("{}@", job.flow.name())) {
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

fn clock() -> Arc<dyn Clock> {
    Arc::new(environment::now as fn() -> Timestamp)
}

/// Where no model is configured, none can be asked.
struct NoModels;

impl ModelSource for NoModels {
    fn choose(&self, _: &WhichModel) -> Result<Chosen, NoModel> {
        Err(NoModel(HostError::NoModels.to_string()))
    }
}

fn no_models(error: HostError) -> Failure {
    let none = matches!(error, HostError::NoModels);
    let failure = Failure::from(error);
    if !none {
        return failure;
    }
    failure
        .hint("Add a `[[provider]]` and `[roles]` to your own config.toml; see docs/models.md.")
        .hint("`salve doctor` shows which are configured.")
}
