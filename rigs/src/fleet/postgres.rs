//! A private Postgres: Debian's programs, a folder and a port of its own, gone with the value.
//!
//! In: the addresses it listens on. Out: a running server with a password and a certificate, and
//! the URL of it. Never the machine's own databases: nothing outside its folder is read or written.

use super::guard::{Guard, find_program};
use crate::gateway::free_port;
use anyhow::{Context, bail};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use xtask::process;

const USER: &str = "salve";
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that runs.
pub(crate) struct Postgres {
    server: Option<Guard>,
    folder: TempDir,
    binaries: PathBuf,
    // Postgres refuses to run as root.
    owner: Option<Owner>,
    listen: Vec<IpAddr>,
    /// The port it listens on.
    pub(crate) port: u16,
    /// The password of its one user.
    pub(crate) password: String,
}

#[derive(Debug, Clone, Copy)]
struct Owner {
    user: u32,
    group: u32,
}

impl Postgres {
    /// Makes a server and starts it. Loopback is always listened on; anything else only with TLS.
    pub(crate) fn start(beside_loopback: &[IpAddr]) -> anyhow::Result<Self> {
        let binaries = binaries()?;
        let owner = owner()?;
        let folder = tempfile::Builder::new().prefix("salve-pg-").tempdir()?;
        if let Some(owner) = owner {
            chown(folder.path(), Some(owner.user), Some(owner.group))?;
        }
        let mut listen = vec![IpAddr::V4(Ipv4Addr::LOCALHOST)];
        listen.extend_from_slice(beside_loopback);
        let password: String = std::iter::repeat_with(fastrand::alphanumeric).take(24).collect();
        let port = free_port()?;
        let mut made = Self { server: None, folder, binaries, owner, listen, port, password };
        made.initialise()?;
        made.certify()?;
        made.run()?;
        made.create_database(USER)?;
        Ok(made)
    }

    /// Returns the URL of a database as seen on an address, without the password.
    pub(crate) fn url(&self, host: IpAddr, database: &str) -> String {
        self.url_at(SocketAddr::new(host, self.port), database)
    }

    /// The same where something passes connections on.
    pub(crate) fn url_at(&self, address: SocketAddr, database: &str) -> String {
        format!("postgres://{USER}@{address}/{database}")
    }

    /// Returns the URL of the first database on loopback, with the password, for tests.
    pub(crate) fn url_for_tests(&self) -> String {
        format!("postgres://{USER}:{}@127.0.0.1:{}/{USER}", self.password, self.port)
    }

    /// Returns the certificate that a client is to trust.
    pub(crate) fn certificate(&self) -> PathBuf {
        self.folder.path().join("server.crt")
    }

    /// Makes a database.
    pub(crate) fn create_database(&self, name: &str) -> anyhow::Result<()> {
        self.sql("postgres", &format!("CREATE DATABASE \"{name}\""))?;
        Ok(())
    }

    /// Asks something, and returns the rows as text.
    pub(crate) fn sql(&self, database: &str, question: &str) -> anyhow::Result<String> {
        let mut command = self.program("psql");
        command.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--host"]);
        command.arg(self.folder.path()).args(["--port", &self.port.to_string()]);
        command.args(["--username", USER, "--dbname", database, "--command", question]);
        process::output(&mut command)
    }

    /// Ends it as a crash would, leaves it down for a while, and starts it again.
    pub(crate) fn crash_and_restart(&mut self, down: Duration) -> anyhow::Result<()> {
        if let Some(mut server) = self.server.take() {
            // SIGQUIT is what `pg_ctl -m immediate` sends.
            server.signal(rustix::process::Signal::QUIT)?;
            server.wait_at_most(PATIENCE)?;
        }
        std::thread::sleep(down);
        self.run()
    }

    fn initialise(&self) -> anyhow::Result<()> {
        let folder = self.folder.path();
        let password_file = folder.join("password");
        self.write(&password_file, &self.password)?;
        let mut command = self.program("initdb");
        command.args(["--username", USER, "--encoding", "UTF8", "--locale", "C"]);
        command.args(["--auth-local", "trust", "--auth-host", "scram-sha-256", "--pwfile"]);
        command.arg(&password_file).arg("--pgdata").arg(folder.join("data"));
        process::run(command.stdout(Stdio::null()))?;
        let rules = "local all all trust\n\
                     host all all 127.0.0.1/32 scram-sha-256\n\
                     hostssl all all all scram-sha-256\n";
        self.write(&folder.join("data/pg_hba.conf"), rules)
    }

    // A certificate of a day, for the addresses it listens on, so that clients can insist on it.
    fn certify(&self) -> anyhow::Result<()> {
        let folder = self.folder.path();
        let names: Vec<String> =
            self.listen.iter().map(|address| format!("IP:{address}")).collect();
        let mut command = Command::new("openssl");
        command.args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]);
        command.args(["-subj", "/CN=salve-fleet", "-addext"]);
        command.arg(format!("subjectAltName={}", names.join(",")));
        command.arg("-keyout").arg(folder.join("server.key"));
        command.arg("-out").arg(self.certificate()).stderr(Stdio::null());
        process::run(&mut command).context("openssl makes the server's certificate")?;
        for name in ["server.key", "server.crt"] {
            self.give_away(&folder.join(name), 0o600)?;
        }
        // The clients are other users, and read it.
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))?;
        self.give_away(&self.certificate(), 0o644)
    }

    fn run(&mut self) -> anyhow::Result<()> {
        let folder = self.folder.path();
        let addresses: Vec<String> = self.listen.iter().map(ToString::to_string).collect();
        let mut command = self.program("postgres");
        command.arg("-D").arg(folder.join("data")).args(["-p", &self.port.to_string(), "-k"]);
        command.arg(folder);
        let certificate = format!("ssl_cert_file={}", self.certificate().display());
        let key = format!("ssl_key_file={}", folder.join("server.key").display());
        let listen = format!("listen_addresses={}", addresses.join(","));
        for setting in [&listen, "ssl=on", &certificate, &key, "max_connections=200"] {
            command.args(["-c", setting]);
        }
        let log = std::fs::File::options().create(true).append(true).open(folder.join("log"))?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        self.server = Some(Guard::start(&mut command)?);
        self.wait_until_it_answers()
    }

    fn wait_until_it_answers(&mut self) -> anyhow::Result<()> {
        let begin = Instant::now();
        let address = (Ipv4Addr::LOCALHOST, self.port).into();
        loop {
            let open = TcpStream::connect_timeout(&address, Duration::from_millis(200)).is_ok();
            let mut ready = self.program("pg_isready");
            ready.arg("--host").arg(self.folder.path()).args(["--port", &self.port.to_string()]);
            if open && process::answers(&mut ready) {
                return Ok(());
            }
            let ended = self.server.as_mut().is_none_or(Guard::has_ended);
            if ended || begin.elapsed() > PATIENCE {
                let log = std::fs::read_to_string(self.folder.path().join("log"));
                bail!("Postgres did not come up: {}", log.unwrap_or_default());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.binaries.join(name));
        // The caller that starts this may stand in a folder that the owner cannot enter.
        command.current_dir("/").env("LC_ALL", "C");
        if let Some(owner) = self.owner {
            command.uid(owner.user).gid(owner.group);
        }
        command
    }

    fn write(&self, path: &Path, text: &str) -> anyhow::Result<()> {
        std::fs::write(path, text)
            .with_context(|| format!("could not write {}", path.display()))?;
        self.give_away(path, 0o600)
    }

    fn give_away(&self, path: &Path, mode: u32) -> anyhow::Result<()> {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?;
        if let Some(owner) = self.owner {
            chown(path, Some(owner.user), Some(owner.group))?;
        }
        Ok(())
    }
}

/// Returns the folder of Debian's programs, the newest version there is; installs them if need be.
fn binaries() -> anyhow::Result<PathBuf> {
    if let Some(found) = newest() {
        return Ok(found);
    }
    if !rustix::process::geteuid().is_root() || find_program("apt-get").is_none() {
        bail!("Postgres is not installed: `apt-get install postgresql`, as root, brings it");
    }
    println!("Postgres is not installed; apt-get brings it.");
    let mut update = Command::new("apt-get");
    process::run(update.args(["-qq", "update"]))?;
    let mut install = Command::new("apt-get");
    // The package would start a server for the whole machine, which was not asked for.
    install.args(["-qq", "-y", "--no-install-recommends", "install", "postgresql"]);
    install.env("DEBIAN_FRONTEND", "noninteractive").env("RUNLEVEL", "1");
    process::run(&mut install)?;
    newest().context("the package postgresql is there, its programs are not")
}

fn newest() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.filter_map(|entry| Some(entry.ok()?.path())).max_by_key(number)?;
    let binaries = newest.join("bin");
    binaries.join("initdb").exists().then_some(binaries)
}

// The package's own user, else the one that owns nothing.
fn owner() -> anyhow::Result<Option<Owner>> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let users = std::fs::read_to_string("/etc/passwd").context("could not read the users")?;
    let of = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some(Owner { user: fields.next()?.parse().ok()?, group: fields.next()?.parse().ok()? })
    };
    let found = of("postgres").or_else(|| of("nobody"));
    Ok(Some(found.context("there is no unprivileged user to run Postgres as")?))
}
