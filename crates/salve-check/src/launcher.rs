//! The process between Salve and the program: enters the sandbox, executes the plan, reports.
//!
//! In: one [`Launch`] on standard input, which is a socket to the runner. Out: the programs of the
//! plan started without a shell, and one [`LauncherReport`] on the same socket. Never outlives the runner,
//! and never leaves a process behind.
//!
//! There are two stages, both of them the same executable, so that no `fork` is needed. The outer
//! one enters the namespaces and starts the inner one, which is the first process of its PID
//! namespace. The inner one applies the layers that act on a process, then executes the plan. The
//! runner sends the same launch twice, once for each stage. Where there are no namespaces, the outer
//! stage is the keeper of the inner one: it stays outside of the walls and ends what is left.

mod control;
mod execute;
mod family;
mod keeper;
mod lookup;
mod ports;
mod protocol;
mod streams;
mod terminal;
mod watch;

pub(crate) use control::{KILL, TERMINATE};
pub(crate) use protocol::{read_frame_with, write_frame, write_frame_with};

use crate::{Limits, Plan, RunLimit, sandbox};
use control::Control;
use family::Family;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::fmt;
use std::fs::OpenOptions;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode};

/// Everything the launcher is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// What to execute.
    pub plan: Plan,
    /// The folder that programs may write to; absolute, symlinks resolved.
    pub workspace: PathBuf,
    /// Where the programs start; inside the workspace.
    pub cwd: PathBuf,
    /// All variables of the programs.
    pub environment: Vec<(String, String)>,
    /// Whether the programs get the machine's network.
    pub network: bool,
    /// Ports of the machine's loopback that are also ports of theirs.
    #[serde(default)]
    pub ports: Vec<u16>,
    /// The terminal that the programs get, when the caller has one.
    #[serde(default)]
    pub terminal: Option<LaunchTerminal>,
    /// What they may use up.
    pub limits: Limits,
    /// Paths of the workspace that stay as they are: `.git`, `.salve`. They need not exist.
    pub protected: Vec<PathBuf>,
    /// Files and folders of the workspace that exist and stay as they are, at any depth: what tools
    /// outside of the sandbox execute or obey.
    pub kept: Vec<PathBuf>,
    /// Folders beside the workspace that may be written: the temporary home.
    pub writable: Vec<PathBuf>,
    /// Folders that are readable and whose writes are forgotten: toolchain homes and caches.
    pub layered: Vec<PathBuf>,
    /// Caches with a private layer that is kept; a launch with the network adds to it.
    pub caches: Vec<KeptCache>,
    /// Folders and files that programs see empty, but for what the other lists name: the user's home,
    /// and credentials inside of toolchain homes.
    pub hidden: Vec<PathBuf>,
    /// Layers to apply; a launch that cannot have one of them does not happen.
    pub layers: Vec<Layer>,
    /// Whether redirections must stay inside the workspace, symlinks followed.
    pub redirects_beneath: bool,
    /// What the programs find in the place of the workspace; the workspace itself when absent.
    #[serde(default)]
    pub shadow: Option<LaunchShadow>,
}

/// Something in the place of the workspace, so that nothing that programs write reaches it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LaunchShadow {
    /// Layers over the workspace.
    Overlay {
        /// Layers that are read, from the top; the workspace lies below them.
        lower: Vec<PathBuf>,
        /// Where writes go.
        upper: PathBuf,
        /// An empty folder beside it, for the kernel.
        work: PathBuf,
    },
    /// A copy of the workspace.
    Copy {
        /// Where it is.
        folder: PathBuf,
        /// Folders of the workspace that were not copied and are shown read-only, relative to it.
        shown: Vec<PathBuf>,
    },
}

/// The shape of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchTerminal {
    /// Lines.
    pub rows: u16,
    /// Columns.
    pub columns: u16,
    /// Whether standard error goes there too.
    pub errors: bool,
}

/// A toolchain's cache with what runs with the network have added to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptCache {
    /// Where programs find it.
    pub path: PathBuf,
    /// The folder that holds what was added.
    pub kept: PathBuf,
}

impl Launch {
    /// Returns whether this launch keeps its guarantees by rules alone, without any namespace.
    pub(crate) fn goes_by_rules(&self) -> bool {
        let has = |layer: &Layer| self.layers.contains(layer);
        Layer::OF_RULES.iter().all(has) && !Layer::OF_NAMESPACES.iter().any(has)
    }

    /// Returns whether ports must be given to it; one with the machine's network has them all.
    pub(crate) fn wants_ports(&self) -> bool {
        !self.network && !self.ports.is_empty()
    }
}

/// One layer of the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Layer {
    /// Its own users: root inside is nobody outside.
    UserNamespace,
    /// Its own processes, which end together.
    PidNamespace,
    /// Its own view of the files.
    MountNamespace,
    /// Its own `/proc`, which shows its own processes.
    ProcFileSystem,
    /// Toolchain homes whose writes are forgotten.
    PrivateLayers,
    /// No network but its own loopback; not applied to a launch that needs the network.
    NetworkNamespace,
    /// Its own shared memory, queues and host name.
    IpcNamespace,
    /// Files again, by the kernel's own rules.
    Landlock,
    /// No capabilities, and no way to gain any.
    Privileges,
    /// Only the system calls that tools need.
    Seccomp,
    /// Limits of memory, time, processes and files.
    Rlimits,
}

impl Layer {
    /// Lists every layer.
    pub const ALL: &[Self] = &[
        Self::UserNamespace,
        Self::PidNamespace,
        Self::MountNamespace,
        Self::ProcFileSystem,
        Self::PrivateLayers,
        Self::NetworkNamespace,
        Self::IpcNamespace,
        Self::Landlock,
        Self::Privileges,
        Self::Seccomp,
        Self::Rlimits,
    ];

    /// The layers that need namespaces, which many machines refuse to ordinary users.
    pub const OF_NAMESPACES: &[Self] = &[
        Self::UserNamespace,
        Self::PidNamespace,
        Self::MountNamespace,
        Self::ProcFileSystem,
        Self::NetworkNamespace,
        Self::IpcNamespace,
    ];

    /// The layers that need none: together they are the second way to keep every guarantee.
    pub const OF_RULES: &[Self] = &[Self::Landlock, Self::Privileges, Self::Seccomp, Self::Rlimits];

    /// Returns the name as written on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UserNamespace => "user-namespace",
            Self::PidNamespace => "pid-namespace",
            Self::MountNamespace => "mount-namespace",
            Self::ProcFileSystem => "proc-file-system",
            Self::PrivateLayers => "private-layers",
            Self::NetworkNamespace => "network-namespace",
            Self::IpcNamespace => "ipc-namespace",
            Self::Landlock => "landlock",
            Self::Privileges => "privileges",
            Self::Seccomp => "seccomp",
            Self::Rlimits => "rlimits",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// What the launcher answers: one report, and before it the ports and the terminal that were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "report", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LauncherReport {
    /// The plan was executed, or ended on the runner's word.
    Executed {
        /// How the pipeline that ran last ended.
        last: ProgramEnding,
        /// Processes that outlived their command and had to be ended.
        orphans: u32,
        /// The limit that ended it, if one did.
        exceeded: Option<RunLimit>,
    },
    /// A listener on a port inside; it is sent along, and the runner serves what connects to it.
    Listening {
        /// The port.
        port: u16,
    },
    /// The programs have a terminal; its other end is sent along.
    Terminal,
    /// The one program of the plan does not exist; nothing was started.
    NoSuchProgram {
        /// Its name.
        program: String,
    },
    /// A layer could not be had; nothing was started.
    LayerFailed {
        /// The layer.
        layer: Layer,
        /// What the system said.
        why: String,
    },
    /// Something else went wrong before anything was started.
    Failed {
        /// What was tried.
        action: String,
        /// What the system said.
        why: String,
    },
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProgramEnding {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl ProgramEnding {
    /// Returns whether `&&` goes on after it.
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }
}

/// Why a layer could not be had.
#[derive(Debug, thiserror::Error)]
#[error("{layer}: {why}")]
pub struct LayerError {
    /// The layer.
    pub layer: Layer,
    /// What was tried and what the system said.
    pub why: String,
}

/// Which of its two processes the launcher is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LauncherStage {
    /// Enters the namespaces and starts the inner stage.
    Outer,
    /// Applies what acts on a process, executes the plan and reports.
    Inner,
}

/// Runs a stage. `inner_arguments` are what the same executable needs to become the inner stage.
pub fn launcher_main(stage: LauncherStage, inner_arguments: &[&str]) -> ExitCode {
    let Ok(socket) = std::io::stdin().as_fd().try_clone_to_owned() else {
        return ExitCode::from(UNHEARD);
    };
    let socket = UnixStream::from(socket);
    let Ok((launch, input)) = read_frame_with::<Launch>(&socket) else {
        return ExitCode::from(UNHEARD);
    };
    if stage == LauncherStage::Outer && launch.goes_by_rules() {
        return ExitCode::from(keeper::keep(&launch, &socket, inner_arguments));
    }
    let report = match stage {
        LauncherStage::Outer => match start_inner(&launch, &socket, inner_arguments) {
            Ok((inner, placeholders)) => {
                drop(socket);
                return outlive(inner, placeholders);
            }
            Err(report) => report,
        },
        LauncherStage::Inner => match inner(launch, &socket, input) {
            Ok(never) => match never {},
            Err(report) => report,
        },
    };
    ExitCode::from(answer(&socket, &report))
}

fn answer(socket: &UnixStream, report: &LauncherReport) -> u8 {
    match write_frame(socket, report) {
        Ok(()) => 0,
        Err(_) => UNHEARD,
    }
}

/// The exit code of a stage that no process speaks with.
const UNHEARD: u8 = 125;

#[expect(
    clippy::disallowed_methods,
    reason = "the launcher is part of the runner: its inner stage"
)]
fn start_inner(
    launch: &Launch,
    socket: &UnixStream,
    inner_arguments: &[&str],
) -> Result<(Child, sandbox::Placeholders), LauncherReport> {
    die_with_parent()?;
    // Away from the user's terminal: what is typed there is for Salve, and `/dev/tty` inside must not
    // lead there.
    let _ = rustix::process::setsid();
    let placeholders = sandbox::enter_namespaces(launch)?;
    ports::offer(launch, socket)?;
    // The link still leads to this executable when the file was replaced meanwhile.
    let inner = Command::new("/proc/self/exe").args(inner_arguments).env_clear().spawn();
    let inner = inner.map_err(|error| failed("start the inner stage of the launcher", &error))?;
    Ok((inner, placeholders))
}

/// Waits for the inner stage. Its streams are its own from now on: the runner sees them end with
/// it, and need not wait until the kernel has taken the namespaces apart.
fn outlive(mut inner: Child, placeholders: sandbox::Placeholders) -> ExitCode {
    if let Ok(nothing) = OpenOptions::new().read(true).write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(&nothing);
        let _ = rustix::stdio::dup2_stdout(&nothing);
        let _ = rustix::stdio::dup2_stderr(&nothing);
    }
    let status = inner.wait();
    drop(placeholders);
    let code = status.ok().and_then(|status| status.code());
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(UNHEARD))
}

/// Executes the plan on a thread of its own while this one listens.
///
/// The first process of a namespace ignores what its own programs send it, but only while its first
/// thread does not hold the signal back, and starting a program holds all signals back for a moment.
/// So programs are never started by the first thread.
fn inner(
    launch: Launch,
    socket: &UnixStream,
    input: Option<OwnedFd>,
) -> Result<Infallible, LauncherReport> {
    let family = Family::of(&launch);
    if family.ends_with_us() {
        die_with_parent()?;
    } else {
        family::adopt_orphans().map_err(|error| failed("adopt orphans", &error))?;
    }
    sandbox::confine(&launch)?;
    // Without a terminal of its own it is as if the caller had none.
    let terminal = launch.terminal.and_then(|shape| terminal::open(shape, socket).ok());
    let input = terminal.or(input);
    rustix::process::chdir(&launch.cwd)
        .map_err(|error| failed(&format!("enter `{}`", launch.cwd.display()), &error.into()))?;
    let control = Control::default();
    watch::start(&launch, &control, family).map_err(|error| failed("watch the limits", &error))?;
    let listening = |error| failed("listen to the runner", &error);
    let (ours, answers) = (control.clone(), socket.try_clone().map_err(listening)?);
    let (start, started) = std::sync::mpsc::channel::<Infallible>();
    let plan = move || {
        // To start a thread holds signals back as well: waits until that is over.
        let _ = started.recv();
        let report = execute::execute(&launch, &ours, family, input);
        std::process::exit(i32::from(answer(&answers, &report)));
    };
    std::thread::Builder::new().name("plan".to_owned()).spawn(plan).map_err(listening)?;
    drop(start);
    control.listen(socket, family)
}

fn die_with_parent() -> Result<(), LauncherReport> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(|error| failed("ask to end with the runner", &error.into()))
}

fn failed(action: &str, error: &std::io::Error) -> LauncherReport {
    LauncherReport::Failed { action: action.to_owned(), why: error.to_string() }
}

impl From<LayerError> for LauncherReport {
    fn from(error: LayerError) -> Self {
        Self::LayerFailed { layer: error.layer, why: error.why }
    }
}
