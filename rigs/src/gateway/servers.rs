//! Starting `salve sim`, `salve gateway` and a peer, each as its own process.
//!
//! In: a program and its arguments. Out: a process with an address, ended when the value is dropped.
//! Never waits for ever: a server that does not answer in time is an error with what it printed.

use crate::product;
use anyhow::{Context, bail};
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use xtask::{process, workspace};

/// A server that runs.
pub(crate) struct Server {
    child: Child,
    /// Where it listens.
    pub(crate) address: SocketAddr,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Returns the resident memory in MiB, and the most it ever was.
    pub(crate) fn memory(&self) -> (f64, f64) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
            let kib = line.split_whitespace().nth(1).and_then(|word| word.parse::<f64>().ok());
            kib.unwrap_or_default() / 1024.0
        };
        (field("VmRSS:"), field("VmHWM:"))
    }

    /// Ends it at once, as a power cut would.
    pub(crate) fn kill(mut self) -> anyhow::Result<()> {
        self.child.kill().context("could not kill the server")?;
        self.child.wait().context("could not wait for the server")?;
        Ok(())
    }
}

/// The `salve` program beside this one, or the one that is handed out.
pub(crate) fn salve(release: bool) -> anyhow::Result<PathBuf> {
    if !release {
        return product::salve();
    }
    process::run(&mut process::cargo(&["build", "--profile", "dist", "-p", "salve-cli"]))?;
    Ok(workspace::target_dir()?.join("dist").join("salve"))
}

/// Starts `salve sim` on a script.
pub(crate) fn sim(salve: &Path, script: &Path) -> anyhow::Result<Server> {
    let port = free_port()?;
    let mut command = Command::new(salve);
    command.arg("sim").arg("--script").arg(script).args(["--port", &port.to_string()]);
    start(&mut command, port)
}

/// Starts `salve gateway` before an upstream, with a data folder of its own.
pub(crate) fn gateway(
    salve: &Path,
    upstream: SocketAddr,
    data: &Path,
    more: &[&str],
) -> anyhow::Result<Server> {
    let port = free_port()?;
    start(gateway_command(salve, upstream, data, port).args(more), port)
}

/// Starts a gateway that holds the upstream's key itself, so that it demands one of its own.
pub(crate) fn keyed_gateway(
    salve: &Path,
    upstream: SocketAddr,
    data: &Path,
    port: u16,
) -> anyhow::Result<Server> {
    let mut command = gateway_command(salve, upstream, data, port);
    command.args(["--upstream-key-env", "UPSTREAM_KEY"]).env("UPSTREAM_KEY", "sk-not-a-key");
    start(&mut command, port)
}

fn gateway_command(salve: &Path, upstream: SocketAddr, data: &Path, port: u16) -> Command {
    let mut command = Command::new(salve);
    command
        .args(["gateway", "--upstream", &format!("http://{upstream}"), "--port"])
        .arg(port.to_string())
        .env("SALVE_DATA", data);
    command
}

/// Makes a gateway key with a budget that is never reached, and returns it.
pub(crate) fn new_key(salve: &Path, data: &Path, name: &str) -> anyhow::Result<String> {
    let mut command = Command::new(salve);
    command
        .args(["keys", "add", "--name", name, "--tokens-per-day", "1000000000000"])
        .args(["--format", "json"])
        .env("SALVE_DATA", data);
    let made: serde_json::Value = serde_json::from_str(&process::output(&mut command)?)?;
    made["secret"].as_str().map(str::to_owned).context("no key was made")
}

/// Starts any server that listens on the port it was told.
pub(crate) fn start(command: &mut Command, port: u16) -> anyhow::Result<Server> {
    let child = command
        // Kept open while the server runs: some end when it closes.
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("could not start {}", command.get_program().to_string_lossy()))?;
    let mut server = Server { child, address: SocketAddr::from(([127, 0, 0, 1], port)) };
    let begin = Instant::now();
    loop {
        if TcpStream::connect_timeout(&server.address, Duration::from_millis(200)).is_ok() {
            drain(&mut server.child);
            return Ok(server);
        }
        let ended = server.child.try_wait()?;
        if ended.is_some() || begin.elapsed() > Duration::from_secs(20) {
            let _ = server.child.kill();
            bail!("the server did not come up: {}", said(&mut server.child));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns a port of loopback that was free a moment ago.
pub(crate) fn free_port() -> anyhow::Result<u16> {
    Ok(std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

// A server whose log is not read would stop when the pipe is full.
fn drain(child: &mut Child) {
    if let Some(log) = child.stderr.take() {
        std::thread::spawn(move || {
            let mut log = BufReader::new(log);
            let mut line = Vec::new();
            while log.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                line.clear();
            }
        });
    }
}

fn said(child: &mut Child) -> String {
    let Some(log) = child.stderr.take() else { return String::new() };
    BufReader::new(log).lines().map_while(Result::ok).take(20).collect::<Vec<_>>().join("\n")
}
