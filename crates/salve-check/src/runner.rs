//! The runner: the one place where Salve starts a foreign program.
//!
//! In: a request that was let through, and values about the machine. Out: the run, recorded, or the
//! reason why nothing was run. Never runs while the control file says PAUSE, never without the
//! layers of the sandbox unless a person said so, and never leaves a process behind.

mod caches;
mod collect;
mod control_file;
mod environment;
mod escapes;
mod forms;
mod input;
mod key_command;
mod log;
mod notable;
mod outcome;
mod own;
mod own_command;
mod protected_files;
mod relay;
mod scratch;
mod session;
mod shadowed;
mod state;
mod store;
mod terminal;
mod visible;

pub use caches::{CacheFolder, WorkspaceCache, clear_caches, list_caches};
pub use control_file::{is_paused, set_paused};
pub use input::caller_gives_input;
pub use key_command::{KeyCommandError, run_key_command};
pub use log::RunLog;
pub use own::run_own_executable;
pub use own_command::{OwnCommandError, run_own_command};

use crate::{
    FinishedRun, Gate, Guarantee, GuaranteeReport, Launch, LaunchShadow, Layer, LayerError,
    LayerReport, Limits, Plan, ProtectedFileUse, RiskClass, RunClass, RunError, RunEvent, RunInput,
    RunPrograms, RunRecord, RunRequest, StartedBy,
};
use caches::{CacheUse, HeldCaches};
use collect::Collector;
use control_file::CONTROL;
use environment::Surroundings;
use outcome::{Refusal, add_to_hash, ending, needs_every_guarantee, system};
use protected_files::{MovedFiles, ProtectedFiles};
use salve_types::Timestamp;
use scratch::Scratch;
pub(crate) use scratch::remove_all;
use session::Finished;
use shadowed::is_the_shadow;
use state::{STATE, StateFolder};
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use store::{OutputFiles, Store};

/// How many processes commands may leave behind before the runner pauses itself.
const BREAKER: u32 = 3;
/// How many names are tried for a run before something else is wrong.
const NAMES_TRIED: u32 = 1000;

/// What a runner is made from.
#[derive(Debug, Clone)]
pub struct RunnerOptions {
    /// How the launcher is started.
    pub launcher: Launcher,
    /// The folder that programs may write to.
    pub workspace: PathBuf,
    /// The user's variables; only those on the runner's list reach a program.
    pub inherited: BTreeMap<String, String>,
    /// Where temporary homes are made, such as `/tmp`.
    pub temporary: PathBuf,
    /// Returns this moment.
    pub clock: fn() -> Timestamp,
    /// What is kept of runs.
    pub keep: Keep,
    /// Layers of the sandbox that count as missing even if the machine has them.
    pub without: Vec<Layer>,
    /// Where caches of toolchains are kept for the workspace; without it they are forgotten.
    pub caches: Option<CacheFolder>,
}

/// The executable that becomes the launcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    /// Its path.
    pub program: PathBuf,
    /// The arguments that make it the outer stage.
    pub arguments: Vec<String>,
}

/// What is kept of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Records and outputs, in `.salve` of the workspace.
    InWorkspace {
        /// How large all outputs together may be.
        output_bytes: u64,
    },
    /// Nothing: for questions to programs in a folder that is not ours to write to.
    Nothing,
}

impl Keep {
    /// Keeps records, and 256 MiB of outputs.
    pub const RECORDS: Self = Self::InWorkspace { output_bytes: 256 << 20 };
}

/// A stream of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutputStream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
    /// Both, written to the run's own terminal, and filtered so that they may go to the caller's.
    Terminal,
}

impl OutputStream {
    const BOTH: [Self; 2] = [Self::Out, Self::Err];
}

/// Starts programs in one workspace.
#[derive(Debug)]
pub struct Runner {
    launcher: Launcher,
    workspace: PathBuf,
    surroundings: Surroundings,
    temporary: PathBuf,
    clock: fn() -> Timestamp,
    keep: Keep,
    without: Vec<Layer>,
    caches: Option<CacheFolder>,
    /// Layers that are known to be missing; the others are taken to be there until one fails.
    missing: Mutex<Vec<Layer>>,
    orphans: AtomicU32,
    runs: AtomicU32,
}

impl Runner {
    /// Makes a runner for a workspace.
    ///
    /// # Errors
    ///
    /// Fails when the workspace or the folder for temporary files is not there.
    pub fn new(options: RunnerOptions) -> Result<Self, RunError> {
        let resolve = |path: &Path| {
            path.canonicalize().map_err(system(format!("find the folder `{}`", path.display())))
        };
        Ok(Self {
            workspace: resolve(&options.workspace)?,
            temporary: resolve(&options.temporary)?,
            surroundings: Surroundings::of(&options.inherited, Path::exists),
            launcher: options.launcher,
            clock: options.clock,
            keep: options.keep,
            missing: Mutex::new(options.without.clone()),
            without: options.without,
            caches: options.caches,
            orphans: AtomicU32::new(0),
            runs: AtomicU32::new(0),
        })
    }

    /// Finds out which layers of the sandbox this machine has, by launching nothing with them.
    ///
    /// # Errors
    ///
    /// Fails when the launcher itself cannot be used.
    pub fn layers(&self) -> Result<Vec<LayerReport>, RunError> {
        let mut failure = None;
        let reports = crate::sandbox::layers(|layers| match self.attempt(layers) {
            Ok(()) => Ok(()),
            Err(Refusal::Layer(layer, why)) => Err(LayerError { layer, why }),
            Err(Refusal::Other(error)) => {
                failure = Some(error);
                Ok(())
            }
        });
        failure.map_or(Ok(reports), Err)
    }

    /// Finds out which guarantees hold on this machine, and by what.
    ///
    /// # Errors
    ///
    /// As [`Runner::layers`].
    pub fn guarantees(&self) -> Result<Vec<GuaranteeReport>, RunError> {
        Ok(crate::sandbox::guarantees(&self.layers()?))
    }

    /// Runs to the end, showing the output as it comes.
    ///
    /// # Errors
    ///
    /// As [`RunPrograms::run`].
    pub fn run_watched(
        &self,
        request: &RunRequest,
        watch: &mut dyn FnMut(OutputStream, &[u8]),
    ) -> Result<FinishedRun, RunError> {
        self.run_in(request, None, watch)
    }

    /// Runs to the end in a shadow of the workspace, if one is given. The record is the workspace's.
    pub(crate) fn run_in(
        &self,
        request: &RunRequest,
        shadow: Option<&LaunchShadow>,
        watch: &mut dyn FnMut(OutputStream, &[u8]),
    ) -> Result<FinishedRun, RunError> {
        self.check_control_file()?;
        let state = self.state()?;
        let started_at = self.seconds();
        let kept = match request.protected {
            // What is written in a shadow goes with it.
            ProtectedFileUse::Kept if state.is_some() && shadow.is_none() => {
                ProtectedFiles::find(&self.workspace, started_at)
            }
            _ => ProtectedFiles::default(),
        };
        loop {
            let missing = self.known_missing();
            let open = crate::sandbox::not_held_without(&missing);
            if !open.is_empty() && needs_every_guarantee(request) {
                let missing = missing.iter().map(|layer| layer.name().to_owned()).collect();
                return Err(RunError::MissingLayers { missing, open });
            }
            let names = || self.names(started_at);
            let files = state.as_ref().map(|(_, store)| store.create(names())).transpose();
            let files = files.map_err(system("make a file for the output"))?;
            let scratch = self.scratch(started_at)?;
            let mut launch = self.launch(request, &scratch, &missing, shadow)?;
            if let Some(shadow) = shadow {
                self.add_shadow(&mut launch, shadow, request)?;
            }
            if launch.wants_ports() && !launch.layers.contains(&Layer::NetworkNamespace) {
                if let (Some((_, store)), Some(files)) = (&state, &files) {
                    store.forget(&files.id);
                }
                return Err(RunError::NoPorts);
            }
            launch.kept = kept.paths(&self.workspace);
            let caches = self.add_caches(&mut launch);
            let state = state.as_ref();
            let is_in_shadow = shadow.is_some();
            let run =
                Run { request, started_at, open: &open, files, state, kept: &kept, is_in_shadow };
            match self.execute(&launch, run, watch) {
                // Nothing was started. A caller that may run without the layer does, knowingly.
                Err(Refusal::Layer(layer, _))
                    if !missing.contains(&layer) && !is_the_shadow(&launch, layer) =>
                {
                    self.learn(layer);
                }
                Err(Refusal::Layer(layer, why)) => {
                    let missing = vec![format!("{layer} ({why})")];
                    return Err(RunError::MissingLayers { missing, open });
                }
                Err(Refusal::Other(error)) => return Err(error),
                Ok(mut finished) => {
                    let added = launch.network;
                    finished.events.extend(caches.busy.then_some(RunEvent::CachesBusy { added }));
                    return Ok(finished);
                }
            }
        }
    }

    fn seconds(&self) -> u64 {
        u64::try_from((self.clock)().0 / 1000).unwrap_or(0)
    }

    /// Launches nothing with these layers.
    fn attempt(&self, layers: &[Layer]) -> Result<(), Refusal> {
        if let Some(layer) = layers.iter().find(|layer| self.without.contains(layer)) {
            return Err(Refusal::Layer(*layer, "switched off".to_owned()));
        }
        let scratch = self.scratch(self.seconds())?;
        let request = self.question();
        let mut launch = self.launch(&request, &scratch, &[], None)?;
        launch.layers = layers.to_vec();
        // A question leaves no trace in the workspace, not even for a moment.
        launch.protected.clear();
        let finished = self.session(&launch, Default::default(), None, &mut |_, _| {})?;
        ending(&finished).map(drop)
    }

    /// A request to execute nothing.
    fn question(&self) -> RunRequest {
        RunRequest {
            plan: Plan { pipelines: Vec::new() },
            cwd: self.workspace.clone(),
            class: RunClass::Probe,
            risk: RiskClass::Read,
            gate: Gate::Approved,
            by: StartedBy::Salve,
            limits: Limits::of(RunClass::Probe),
            environment: Vec::new(),
            input: RunInput::Nothing,
            protected: crate::ProtectedFileUse::default(),
            ports: Vec::new(),
        }
    }

    fn known_missing(&self) -> Vec<Layer> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn learn(&self, layer: Layer) {
        let mut missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        missing.push(layer);
        missing.sort_unstable();
        missing.dedup();
    }

    fn scratch(&self, started_at: u64) -> Result<Scratch, RunError> {
        static SWEPT: Once = Once::new();
        SWEPT.call_once(|| {
            let _ = scratch::remove_leftovers(&self.temporary, started_at);
        });
        Scratch::create(&self.temporary, self.names(started_at))
            .map_err(system("make a temporary home"))
    }

    fn session(
        &self,
        launch: &Launch,
        collectors: [Collector; 2],
        input: Option<OwnedFd>,
        watch: &mut dyn FnMut(OutputStream, &[u8]),
    ) -> Result<Finished, RunError> {
        let finished = session::run(&self.launcher, launch, collectors, input, watch);
        // A launcher that was killed could not do it.
        if launch.shadow.is_none() {
            crate::sandbox::remove_placeholders(&self.workspace, &launch.protected);
        }
        finished.map_err(system("run the launcher"))
    }

    fn check_control_file(&self) -> Result<(), RunError> {
        let read = || match StateFolder::find(&self.workspace)? {
            Some(state) => control_file::is_workspace_paused(&state),
            None => Ok(false),
        };
        match read() {
            Ok(false) => Ok(()),
            Ok(true) => Err(RunError::Paused),
            Err(error) => Err(system(format!("read `{STATE}/{CONTROL}`"))(error)),
        }
    }

    fn state(&self) -> Result<Option<(StateFolder, Store)>, RunError> {
        let Keep::InWorkspace { output_bytes } = self.keep else { return Ok(None) };
        let open = || {
            let state = StateFolder::open(&self.workspace)?;
            let store = Store::open(&state, output_bytes)?;
            Ok((state, store))
        };
        open().map(Some).map_err(system(format!("open `{STATE}` in the workspace")))
    }

    /// Names for a run: by its time, this process and a number; further ones should they be taken.
    fn names(&self, started_at: u64) -> impl Iterator<Item = String> + use<> {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        (0..NAMES_TRIED).map(move |again| match again {
            0 => format!("{started_at:x}-{process:x}-{number:x}"),
            _ => format!("{started_at:x}-{process:x}-{number:x}-{again:x}"),
        })
    }

    fn launch(
        &self,
        request: &RunRequest,
        scratch: &Scratch,
        missing: &[Layer],
        shadow: Option<&LaunchShadow>,
    ) -> Result<Launch, RunError> {
        let cwd = self.folder_to_start_in(request, shadow)?;
        if !cwd.starts_with(&self.workspace) {
            let outside = std::io::Error::other("it is outside the workspace");
            return Err(system(format!("run in `{}`", cwd.display()))(outside));
        }
        let network = request.risk == RiskClass::Network;
        let mut layers = crate::sandbox::layers_without(missing);
        layers.retain(|layer| !network || *layer != Layer::NetworkNamespace);
        let home = self.surroundings.home.iter().cloned();
        Ok(Launch {
            plan: request.plan.clone(),
            workspace: self.workspace.clone(),
            cwd,
            environment: self.surroundings.variables(
                &scratch.home,
                &scratch.temporary,
                &request.environment,
            ),
            network,
            ports: request.ports.clone(),
            // Without own processes the terminal's signals would mean the launcher too.
            terminal: (request.input == RunInput::Terminal
                && layers.contains(&Layer::PidNamespace))
            .then(terminal::shape)
            .flatten(),
            limits: request.limits.clone(),
            protected: [".git", STATE].map(|name| self.workspace.join(name)).to_vec(),
            kept: Vec::new(),
            caches: Vec::new(),
            writable: vec![scratch.folder().to_path_buf()],
            layered: self.surroundings.toolchain_homes.clone(),
            hidden: home.chain(self.surroundings.secrets.iter().cloned()).collect(),
            layers,
            redirects_beneath: matches!(request.gate, Gate::Policy { .. }),
            shadow: None,
        })
    }

    /// Gives a launch the caches of the workspace, and returns what holds them for it.
    fn add_caches(&self, launch: &mut Launch) -> HeldCaches {
        // A layer needs mounts; rules alone show the user's own caches, read-only.
        if !launch.layers.contains(&Layer::PrivateLayers) {
            return HeldCaches::default();
        }
        let places = &self.surroundings.caches;
        let paths: Vec<_> =
            places.iter().map(|place| (place.name.to_owned(), place.path.clone())).collect();
        // What is done in a folder that nothing is kept of, such as a copy, adds nothing.
        let usage = match launch.network && self.keep != Keep::Nothing {
            true => CacheUse::Adds,
            false => CacheUse::Reads,
        };
        let held = HeldCaches::take(self.caches.as_ref(), &paths, usage);
        for cache in &held.caches {
            let place = places.iter().find(|place| place.path == cache.path);
            let variable = place.and_then(|place| place.variable.clone());
            let given = |name: &str| launch.environment.iter().any(|(other, _)| other == name);
            let variable = variable.filter(|(name, _)| !given(name));
            launch.environment.extend(variable);
        }
        launch.caches = held.caches.clone();
        held
    }

    fn execute(
        &self,
        launch: &Launch,
        run: Run<'_>,
        watch: &mut dyn FnMut(OutputStream, &[u8]),
    ) -> Result<FinishedRun, Refusal> {
        let (id, out, err) = match run.files {
            Some(OutputFiles { id, out, err }) => (id, Some(out), Some(err)),
            None => (self.names(run.started_at).next().unwrap_or_default(), None, None),
        };
        let collectors = [Collector::into_file(out), Collector::into_file(err)];
        let forget = || {
            if let Some((_, store)) = run.state {
                store.forget(&id);
            }
        };
        let input = match &run.request.input {
            RunInput::Nothing | RunInput::Terminal => None,
            RunInput::Caller => input::of_caller(),
            RunInput::Bytes(bytes) => input::of_bytes(bytes),
        };
        let finished = self.session(launch, collectors, input, watch).inspect_err(|_| forget())?;
        let (ending, orphans) = ending(&finished).inspect_err(|_| forget())?;
        let (mut stdout, mut hasher) = finished.out.finish();
        let (mut stderr, _) = finished.err.finish();
        if stdout.bytes + stderr.bytes == 0 {
            forget();
            (stdout.file, stderr.file) = (None, None);
        }
        let hashed = add_to_hash(&mut hasher, &stderr);
        let record = RunRecord {
            started_at: run.started_at,
            plan: run.request.plan.clone(),
            cwd: launch.cwd.clone(),
            class: run.request.class,
            risk: run.request.risk,
            gate: run.request.gate.clone(),
            by: run.request.by,
            ending,
            duration_ms: u64::try_from(finished.took.as_millis()).unwrap_or(u64::MAX),
            output_bytes: stdout.bytes + stderr.bytes,
            output_hash: hashed
                .map(|()| hasher.finalize().to_hex().to_string())
                .unwrap_or_default(),
            output_file: stdout.file.as_ref().map(|_| Store::name_in_record(&id)),
            orphans,
            missing_layers: missing_layers(launch),
            missing_guarantees: run.open.iter().map(|one| one.name().to_owned()).collect(),
            ports: run.request.ports.clone(),
            id,
        };
        let mut events = Vec::new();
        if let Some((state, store)) = run.state {
            log::append(state, &record).map_err(system("add to the list of runs"))?;
            store.prune(&record.id).map_err(system("remove old outputs"))?;
            events.extend(self.count_orphans(state, &record)?);
            if run.request.protected == ProtectedFileUse::Kept && !run.is_in_shadow {
                events.extend(self.move_aside(state, run.kept, &record.id)?);
            }
        }
        Ok(FinishedRun { record, stdout, stderr, events })
    }

    /// Moves protected files aside that the run has made.
    fn move_aside(
        &self,
        state: &StateFolder,
        kept: &ProtectedFiles,
        id: &str,
    ) -> Result<Vec<RunEvent>, RunError> {
        let moved = ProtectedFiles::move_new_aside(kept, &self.workspace, state, id);
        let MovedFiles { paths, unseen } =
            moved.map_err(system("move aside what the run has made"))?;
        let folder = format!("{STATE}/{}/{id}", protected_files::ASIDE);
        let moved = (!paths.is_empty()).then_some(RunEvent::MovedAside { paths, folder });
        let unseen = (unseen > 0).then_some(RunEvent::NotLookedAt { folders: unseen });
        Ok(moved.into_iter().chain(unseen).collect())
    }

    /// Trips the breaker when commands have left too many processes behind.
    fn count_orphans(
        &self,
        state: &StateFolder,
        record: &RunRecord,
    ) -> Result<Option<RunEvent>, RunError> {
        let before = self.orphans.fetch_add(record.orphans, Ordering::Relaxed);
        let orphans = before.saturating_add(record.orphans);
        if record.orphans == 0 || orphans < BREAKER {
            return Ok(None);
        }
        self.orphans.store(0, Ordering::Relaxed);
        let reason = format!(
            "Written by Salve: commands left {orphans} processes behind, which were ended (last run: \
             {}). Look at it with `salve runs`; remove this heading, or write RESUME below it, to go \
             on.",
            record.id
        );
        control_file::pause(state, &reason)
            .map_err(system(format!("write PAUSE to `{STATE}/{CONTROL}`")))?;
        Ok(Some(RunEvent::BreakerTripped { orphans, control_file: format!("{STATE}/{CONTROL}") }))
    }
}

impl RunPrograms for Runner {
    fn run(&self, request: &RunRequest) -> Result<FinishedRun, RunError> {
        self.run_watched(request, &mut |_, _| {})
    }
}

/// What a launch goes without, but for the network it was given.
fn missing_layers(launch: &Launch) -> Vec<String> {
    let given = |layer: &Layer| launch.network && *layer == Layer::NetworkNamespace;
    let missing = Layer::ALL.iter().filter(|layer| !launch.layers.contains(layer) && !given(layer));
    missing.map(|layer| layer.name().to_owned()).collect()
}

/// One attempt at a request.
struct Run<'a> {
    request: &'a RunRequest,
    started_at: u64,
    open: &'a [Guarantee],
    kept: &'a ProtectedFiles,
    is_in_shadow: bool,
    files: Option<OutputFiles>,
    state: Option<&'a (StateFolder, Store)>,
}
