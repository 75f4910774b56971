//! A small world around a workspace: everything an attempt could want to reach.
//!
//! In: a user. Out: a workspace with a repository, and outside of it files, a home with secrets, a
//! toolchain, a process, servers and shared memory of the same user. Never touches anything real.

use crate::cage;
use salve_check::{Launch, Layer, Limits, Plan, RunClass};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub(crate) struct World {
    pub(crate) user: u32,
    folder: tempfile::TempDir,
    victim: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    abstract_socket: UnixListener,
    service: UnixListener,
    letters: UnixDatagram,
    name: String,
    files: BTreeMap<PathBuf, String>,
}

/// Everything of the user's that lives outside, as one process: its memory, its environment, its
/// shared memory, its open file.
const VICTIM: &str = r#"
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
key = int(sys.argv[1])
segment = libc.shmget(key, 4096, 0o1600)
print("ready", ctypes.addressof(ctypes.create_string_buffer(b"memory-secret")), flush=True)
time.sleep(300)
libc.shmctl(segment, 0, None)
"#;

impl World {
    /// Makes a world below a folder that the view has its own of.
    pub(crate) fn new(user: u32) -> Self {
        Self::new_in("/tmp", user)
    }

    /// Makes a world below a folder.
    pub(crate) fn new_in(parent: &str, user: u32) -> Self {
        let folder = tempfile::Builder::new().prefix("salve-world-").tempdir_in(parent).unwrap();
        let name = folder.path().file_name().unwrap().to_str().unwrap().to_owned();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let root = folder.path();
        for (path, text) in [
            ("ws/.git/config", "[core]\n"),
            ("ws/.git/hooks/sample", "sample\n"),
            ("ws/.git/objects/x", "x\n"),
            ("ws/.salve/CONTROL.md", "PAUSE\n"),
            ("ws/.salve/runs.jsonl", "{}\n"),
            ("ws/src/main.c", "int main(void) { return 0; }\n"),
            ("bare/src/main.c", "int main(void) { return 0; }\n"),
            ("outside/secret.txt", "outside-secret\n"),
            ("outside/target.txt", "target\n"),
            ("outside/emptied.txt", "full\n"),
            ("outside/deleted.txt", "there\n"),
            ("home/.ssh/id_ed25519", "home-secret\n"),
            ("home/.bashrc", "# mine\n"),
            ("private/.keep", ""),
            ("toolchain/lib.txt", "library\n"),
            ("toolchain/credentials.toml", "toolchain-secret\n"),
        ] {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
        }
        let service = UnixListener::bind(root.join("outside/service.sock")).unwrap();
        service.set_nonblocking(true).unwrap();
        let letters = UnixDatagram::bind(root.join("outside/letters.sock")).unwrap();
        letters.set_nonblocking(true).unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        tcp.set_nonblocking(true).unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        udp.set_nonblocking(true).unwrap();
        let address = SocketAddr::from_abstract_name(name.as_bytes()).unwrap();
        let abstract_socket = UnixListener::bind_addr(&address).unwrap();
        abstract_socket.set_nonblocking(true).unwrap();
        std::fs::write(Path::new("/dev/shm").join(&name), "shared-secret").unwrap();
        give(root, user);
        give(&Path::new("/dev/shm").join(&name), user);
        std::fs::set_permissions(root, PermissionsExt::from_mode(0o755)).unwrap();
        let victim = start_victim(user, key(&name));
        let mut world = Self {
            user,
            victim,
            tcp,
            udp,
            abstract_socket,
            service,
            letters,
            name,
            files: BTreeMap::new(),
            folder,
        };
        world.files = world.look();
        world
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    /// Gives something of this world to its user.
    pub(crate) fn give(&self, below: &str) {
        give(&self.path(below), self.user);
    }

    /// What attempts are given about the world.
    pub(crate) fn environment(&self, workspace: &Path) -> Vec<(String, String)> {
        let path = |below: &str| self.path(below).display().to_string();
        [
            ("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin".to_owned()),
            ("HOME", "/tmp/home-of-the-run".to_owned()),
            ("WS", workspace.display().to_string()),
            ("OUT", path("outside")),
            ("REAL_HOME", path("home")),
            ("TOOLCHAIN", path("toolchain")),
            ("TOOLS", path("tools")),
            ("VICTIM", self.victim.id().to_string()),
            ("PORT", self.tcp.local_addr().unwrap().port().to_string()),
            ("UDP", self.udp.local_addr().unwrap().port().to_string()),
            ("WORLD", self.name.clone()),
            ("KEY", key(&self.name).to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }

    /// A launch in this world with every layer.
    pub(crate) fn launch(&self, workspace: &Path, plan: Plan) -> Launch {
        Launch {
            plan,
            workspace: workspace.to_owned(),
            cwd: workspace.to_owned(),
            environment: self.environment(workspace),
            network: false,
            ports: Vec::new(),
            terminal: None,
            limits: Limits::of(RunClass::Toolchain),
            protected: [".git", ".salve"].map(|name| workspace.join(name)).to_vec(),
            kept: Vec::new(),
            caches: Vec::new(),
            writable: vec![PathBuf::from("/tmp/home-of-the-run")],
            layered: vec![self.path("toolchain")],
            hidden: vec![self.path("home"), self.path("toolchain/credentials.toml")],
            layers: Layer::ALL.to_vec(),
            redirects_beneath: true,
            shadow: None,
        }
    }

    /// A launch in this world without a namespace. There is no `/tmp` of its own, so its private
    /// folder must exist.
    pub(crate) fn launch_by_rules(&self, workspace: &Path, plan: Plan) -> Launch {
        let mut launch = self.launch(workspace, plan);
        let private = self.path("private");
        for name in ["HOME", "TMPDIR"] {
            launch.environment.retain(|(other, _)| other != name);
            launch.environment.push((name.to_owned(), private.display().to_string()));
        }
        launch.writable = vec![private];
        launch.layers = Layer::OF_RULES.to_vec();
        launch
    }

    /// Everything that has happened to the world since it was made or asked last.
    pub(crate) fn events(&mut self) -> Vec<String> {
        let mut events = Vec::new();
        let now = self.look();
        for (path, state) in &self.files {
            match now.get(path) {
                None => events.push(format!("{} is gone", path.display())),
                Some(other) if other != state => {
                    events.push(format!("{} changed: {state} -> {other}", path.display()));
                }
                Some(_) => {}
            }
        }
        let new = now.keys().filter(|path| !self.files.contains_key(*path));
        events.extend(new.map(|path| format!("{} appeared", path.display())));
        self.files = now;
        if self.victim.try_wait().unwrap().is_some() {
            events.push("the process outside has ended".to_owned());
        }
        if self.tcp.accept().is_ok() {
            events.push("somebody connected by TCP".to_owned());
        }
        if self.udp.recv(&mut [0; 16]).is_ok() {
            events.push("somebody sent a datagram".to_owned());
        }
        if self.abstract_socket.accept().is_ok() {
            events.push("somebody connected to the abstract socket".to_owned());
        }
        if self.service.accept().is_ok() {
            events.push("somebody connected to the service".to_owned());
        }
        if self.letters.recv(&mut [0; 16]).is_ok() {
            events.push("a run wrote to the service".to_owned());
        }
        events.extend(self.survivors().into_iter().map(|pid| format!("process {pid} lives on")));
        events
    }

    /// Processes that still speak of this world; the attempts mark their daemons with its name.
    pub(crate) fn survivors(&self) -> Vec<u32> {
        let mark = format!("daemon-of-{}", self.name);
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
            .filter(|pid| {
                let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                String::from_utf8_lossy(&line).contains(&mark)
            })
            .collect()
    }

    /// Every file but those the workspaces may change, and those of the machine an attempt names.
    fn look(&self) -> BTreeMap<PathBuf, String> {
        let mut files = BTreeMap::new();
        for folder in ["outside", "home", "toolchain", "ws/.git", "ws/.salve"] {
            describe(&self.path(folder), &mut files);
        }
        for entry in std::fs::read_dir(self.folder.path()).unwrap().flatten() {
            files.insert(entry.path(), "there".to_owned());
        }
        for name in [".git", ".salve"] {
            describe(&self.path("bare").join(name), &mut files);
        }
        let shared = Path::new("/dev/shm").join(&self.name);
        for path in [
            Path::new("/tmp").join(format!("escaped-{}", self.name)),
            Path::new("/etc").join(format!("escaped-{}", self.name)),
            Path::new("/usr/bin").join(format!("escaped-{}", self.name)),
            Path::new("/").join(format!("escaped-{}", self.name)),
            shared,
        ] {
            describe(&path, &mut files);
        }
        files
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        for pid in self.survivors() {
            let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        let _ = std::fs::remove_file(Path::new("/dev/shm").join(&self.name));
        let _ = std::fs::remove_file(Path::new("/tmp").join(format!("escaped-{}", self.name)));
        let mut remove = Command::new("ipcrm");
        remove.args(["-M", &key(&self.name).to_string()]);
        let _ = remove.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

fn key(name: &str) -> u32 {
    name.bytes().fold(7_u32, |key, byte| key.wrapping_mul(31).wrapping_add(byte.into())) >> 2
}

fn start_victim(user: u32, key: u32) -> Child {
    let mut command = Command::new("python3");
    command.args(["-I", "-c", VICTIM, &key.to_string()]).env_clear();
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("VICTIM_SECRET", "victim-secret");
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    cage::act_as(&mut command, user);
    let mut victim = command.spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(victim.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    assert!(ready.starts_with("ready"), "the process outside did not start");
    victim
}

fn give(path: &Path, user: u32) {
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::lchown(path, Some(user), Some(user)).unwrap();
        chown(path, Some(user), Some(user)).unwrap();
    }
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap().flatten() {
            give(&entry.path(), user);
        }
    }
}

/// Notes mode, size and content of everything at and below a path. Times of access do not count.
fn describe(path: &Path, files: &mut BTreeMap<PathBuf, String>) {
    let Ok(found) = path.symlink_metadata() else { return };
    let mut state = format!("{:o} {}:{}", found.mode(), found.uid(), found.gid());
    if found.is_file() {
        let text = std::fs::read(path).unwrap_or_default();
        state += &format!(" {} {:?}", found.mtime_nsec(), String::from_utf8_lossy(&text));
    }
    files.insert(path.to_owned(), state);
    if found.is_dir() {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            describe(&entry.path(), files);
        }
    }
}
