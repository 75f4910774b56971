//! A store, jobs and a runner in this process, and a model that says what the walk put into its mouth.
//!
//! In: the program that starts sandboxes, a folder for data, a folder that is worked on. Out: turns that run to
//! their end or to where they wait, as every face runs them. Never a model beyond this process.

use anyhow::{Context, Result, anyhow, bail};
use futures_util::StreamExt;
use salve_check::Launcher;
use salve_engine::facts::TextRedactor;
use salve_engine::heal::{HealParts, RepairError};
use salve_engine::host::{ConfigText, MachineConfig, WorkspaceConfig, WorkspaceHost};
use salve_engine::jobs::{
    GenerateSteps, HealHost, HealSteps, JobStatus, JobsPlace, ModelSource, NoModel, OpenJobs,
    RESUME_SIGNAL, TURN_FLOW, TurnSteps, WhichModel, all_flows, open_jobs,
};
use salve_engine::session::{TurnInput, TurnReport, TurnResume};
use salve_jobs::{
    EventId, FlowName, Happened, JobId, JobRunner, JobState, Jobs, RunningRunner, StartOptions,
    Steps, WorkerOptions,
};
use salve_model::{
    AnyModel, Capability, Chosen, Model, ModelError, ModelReply, ModelRequest, Watch,
};
use salve_store::{Store, StoreOptions};
use salve_text::RedactOptions;
use salve_types::{Clock, FinishReason, Timestamp, Usage};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const PATIENCE: Duration = Duration::from_secs(120);

/// A check that is red while a text holds the word; it applies where the mark is.
pub(super) const MARK: &str = "walk.mark";
pub(super) const BROKEN: &str = "BROKEN";
const TOOLCHAIN: &str = "[[toolchain]]\ntarget_id = 'walk'\ndisplay_name = 'walk'\nbinary_name = 'sh'\n\
    version_args = []\ncompile_command = 'sh'\ncompile_args = ['-c', '! grep -qs BROKEN *.txt']\n\
    install_hint = 'sh'\nmarkers = ['walk.mark']\n";

/// What the model does when it is asked.
#[derive(Debug, Clone)]
pub(super) enum Says {
    /// Answers.
    Text(String),
    /// Answers with this, and is cut off there.
    Cut(String),
    /// Answers, after somebody wrote a file meanwhile.
    Late { text: String, file: PathBuf, content: String },
    /// Does not answer.
    Refuses,
}

/// The model.
#[derive(Default)]
pub(super) struct Mouth {
    says: Mutex<VecDeque<Says>>,
}

impl Mouth {
    /// Says what comes next; what was not said is forgotten.
    pub(super) fn set(&self, says: impl IntoIterator<Item = Says>) {
        *self.says.lock().unwrap_or_else(PoisonError::into_inner) = says.into_iter().collect();
    }
}

impl Model for Mouth {
    async fn call(
        &self,
        _: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> Result<ModelReply, ModelError> {
        let said = self.says.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let (text, finish) = match said {
            None => ("There is nothing more to do.".to_owned(), FinishReason::Stop),
            Some(Says::Text(text)) => (text, FinishReason::Stop),
            Some(Says::Cut(text)) => (text, FinishReason::Length),
            Some(Says::Late { text, file, content }) => {
                // What cannot be written is told by the next look at the tree.
                let _ = std::fs::write(file, content);
                (text, FinishReason::Stop)
            }
            Some(Says::Refuses) => {
                let message = "not today".to_owned();
                return Err(ModelError::Provider { status: 401, message, retry_after: None });
            }
        };
        watch.arrived(&text);
        let usage = Usage { input_tokens: 10, output_tokens: 10, ..Usage::default() };
        Ok(ModelReply { text, finish: Some(finish), usage: Some(usage), ..ModelReply::default() })
    }
}

struct OneModel(AnyModel);

impl ModelSource for OneModel {
    fn choose(&self, _: &WhichModel) -> Result<Chosen, NoModel> {
        Ok(Chosen {
            model: self.0.clone(),
            name: "walk".into(),
            provider: "nobody".into(),
            capability: Capability::default(),
        })
    }
}

/// Opens workspaces with the check of the walks.
pub(super) struct Hosts {
    machine: MachineConfig,
}

impl Hosts {
    /// Makes it, with the program that starts sandboxes.
    pub(super) fn new(salve: &Path, temporary: &Path) -> Self {
        let launcher =
            Launcher { program: salve.to_owned(), arguments: vec!["__launch".to_owned()] };
        let variables: BTreeMap<String, String> =
            std::env::vars().filter(|(name, _)| name == "PATH").collect();
        let temporary = temporary.to_owned();
        Self { machine: MachineConfig { clock: now, launcher, variables, temporary, caches: None } }
    }
}

impl HealHost for Hosts {
    fn open(&self, root: &Path) -> Result<HealParts, RepairError> {
        let text = TOOLCHAIN.to_owned();
        let config = WorkspaceConfig {
            folder: root.to_owned(),
            toolchains: vec![ConfigText { path: "walk.toml".into(), level: (), text }],
            ..WorkspaceConfig::default()
        };
        let workspace = WorkspaceHost::new(&self.machine, config)
            .map_err(|error| RepairError::Io(error.to_string()))?;
        Ok(HealParts {
            workspace,
            environment: Vec::new(),
            lock: None,
            agents: Vec::new(),
            redact: Arc::new(TextRedactor::new(&RedactOptions::default())),
            rules: Vec::new(),
            knowledge: Default::default(),
        })
    }
}

/// The open parts.
pub(super) struct Desk {
    open: OpenJobs,
    runner: Box<dyn RunningRunner>,
}

/// Where a turn is.
pub(super) struct Stopped {
    pub(super) report: TurnReport,
    /// Whether it can be gone on with.
    pub(super) waits: bool,
    after: EventId,
}

impl Desk {
    /// Opens what is kept in a folder.
    pub(super) async fn open(data: &Path, mouth: Arc<Mouth>, hosts: Arc<Hosts>) -> Result<Self> {
        let clock: Arc<dyn Clock> = Arc::new(now as fn() -> Timestamp);
        let redactor = Arc::new(TextRedactor::new(&RedactOptions::default()));
        let options = StoreOptions::new(Arc::clone(&clock), redactor, "walk");
        let open = open_jobs(&JobsPlace::Folder(data.to_owned()), options).await?;
        let store = open.store.clone();
        let models = Arc::new(OneModel(AnyModel::new(mouth)));
        let steps = GenerateSteps::new(store.clone(), models).add_to(Steps::default())?;
        let turns = TurnSteps::new(
            store.clone(),
            Arc::clone(&hosts) as Arc<dyn HealHost>,
            Arc::clone(&clock),
            data.join("turns"),
        );
        let steps = turns.add_to(steps)?;
        let steps = HealSteps::new(store, hosts, clock, data.join("heal")).add_to(steps)?;
        let options = WorkerOptions { worker: "walk".to_owned(), ..WorkerOptions::default() };
        let runner = open.jobs.run(all_flows()?, steps, options).await?;
        Ok(Self { open, runner })
    }

    /// Returns what is remembered.
    pub(super) fn store(&self) -> &Store {
        &self.open.store
    }

    /// Closes it.
    pub(super) async fn close(self) {
        self.runner.drain(Duration::from_secs(10)).await;
        self.open.close(Duration::from_secs(5)).await;
    }

    /// Runs a turn until it is over or waits.
    pub(super) async fn turn(&self, input: &TurnInput) -> Result<Stopped> {
        let id = job_of(input)?;
        let flow = FlowName::try_from(TURN_FLOW.to_owned())?;
        let value = serde_json::to_value(input)?;
        let _new = self.open.jobs.start(&flow, id.clone(), value, StartOptions::default()).await?;
        self.until(&id, EventId(0)).await
    }

    /// Tells a turn that waits what a person says, and runs it on.
    pub(super) async fn tell(
        &self,
        input: &TurnInput,
        stopped: &Stopped,
        told: TurnResume,
    ) -> Result<Stopped> {
        let id = job_of(input)?;
        let signal = format!("{RESUME_SIGNAL}-{}", stopped.after.0);
        let told = serde_json::to_value(told)?;
        self.open.jobs.signal(&id, RESUME_SIGNAL, &signal, told).await?;
        self.until(&id, stopped.after).await
    }

    async fn until(&self, id: &JobId, after: EventId) -> Result<Stopped> {
        let ended = tokio::time::timeout(PATIENCE, self.follow(id, after)).await;
        ended.with_context(|| format!("{id} did not end"))?
    }

    async fn follow(&self, id: &JobId, mut after: EventId) -> Result<Stopped> {
        let mut events = self.open.jobs.watch(id, after);
        while let Some(event) = events.next().await.transpose()? {
            after = event.id;
            let Happened::Stage { stage } = event.what else { continue };
            if stage.name == JobStatus::Paused.name() {
                let report = serde_json::from_value(stage.detail)?;
                return Ok(Stopped { report, waits: true, after });
            }
        }
        let job = self.open.jobs.state(id).await?.ok_or_else(|| anyhow!("{id} is gone"))?;
        match job.state {
            JobState::Done { output } => {
                Ok(Stopped { report: serde_json::from_value(output)?, waits: false, after })
            }
            other => bail!("{id} is {other:?}"),
        }
    }
}

fn job_of(input: &TurnInput) -> Result<JobId> {
    Ok(JobId::new(&format!("turn-{}-{}-{}", input.session, input.turn, input.attempt))?)
}

pub(super) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
