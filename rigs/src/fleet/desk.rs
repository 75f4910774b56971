//! Three machines and what they share: a database, a model, a network that can be cut.
//!
//! In: the built `salve`. Out: workers on machines of their own where this machine allows
//! namespaces, else behind forwarders that can be cut. Never a worker, a server or a namespace left
//! behind.

use super::forwarder::Forwarder;
use super::guard::Guard;
use super::network::Network;
use super::postgres::Postgres;
use anyhow::{Context, bail};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use xtask::process;

const DATABASE: &str = "salve";

/// Everything that is on the desk. The order is the order in which it is taken away.
pub(crate) struct Desk {
    sim: Guard,
    sim_address: SocketAddr,
    ways: Vec<Way>,
    /// The database.
    pub(crate) postgres: Postgres,
    network: Option<Network>,
    /// Why there are no namespaces, if there are none.
    pub(crate) without_namespaces: Option<String>,
    folder: TempDir,
    salve: PathBuf,
}

/// How one machine reaches the rest.
struct Way {
    database: String,
    model: Forwarder,
    // Only where there are no namespaces: what is cut in place of a link.
    to_database: Option<Forwarder>,
}

impl Desk {
    /// Sets everything up; the model plays this script.
    pub(crate) fn new(salve: &Path, machines: u8, script: &str) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("salve-fleet-").tempdir()?;
        let (network, without_namespaces) = match Network::new(machines) {
            Ok(network) => (Some(network), None),
            Err(error) => (None, Some(format!("{error:#}"))),
        };
        let bridge = network.as_ref().map(|network| IpAddr::V4(network.address));
        let postgres = Postgres::start(bridge.as_slice())?;
        let path = folder.path().join("script.jsonl");
        std::fs::write(&path, script)?;
        let (sim, sim_address) = sim(salve, &path)?;
        let ways = (0..machines)
            .map(|_| Way::new(bridge, &postgres, sim_address))
            .collect::<anyhow::Result<Vec<_>>>()?;
        let salve = salve.to_owned();
        let desk =
            Self { sim, sim_address, ways, postgres, network, without_namespaces, folder, salve };
        for machine in 0..desk.ways.len() {
            desk.furnish(machine)?;
        }
        Ok(desk)
    }

    /// Starts a worker on a machine.
    pub(crate) fn worker(&self, machine: usize, more: &[&str]) -> anyhow::Result<Guard> {
        let mut command = match &self.network {
            Some(network) => network.machines[machine].command(&self.salve),
            None => Command::new(&self.salve),
        };
        self.settle(&mut command, machine);
        command.args(["worker", "--jobs", &self.ways[machine].database]).args(more);
        let log = self.folder.path().join(format!("worker-{machine}.log"));
        let log = std::fs::File::options().create(true).append(true).open(log)?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        Guard::start(&mut command)
    }

    /// Returns what a machine's workers said.
    pub(crate) fn said(&self, machine: usize) -> String {
        let log = self.folder.path().join(format!("worker-{machine}.log"));
        std::fs::read_to_string(log).unwrap_or_default()
    }

    /// Returns a command of the caller that submits and looks, on this machine itself.
    pub(crate) fn salve(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.salve);
        self.settle(&mut command, 0);
        let url = self.postgres.url(IpAddr::V4(Ipv4Addr::LOCALHOST), DATABASE);
        command.args(arguments).args(["--jobs", &url]).stdin(Stdio::null());
        command
    }

    /// Submits a job, and returns its name.
    pub(crate) fn submit(&self, id: &str, prompt: &str, more: &[&str]) -> anyhow::Result<()> {
        let mut command = self.salve(&["jobs", "start", "--detach", "--id", id]);
        command.args(more).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.spawn().context("could not submit a job")?;
        let mut input = child.stdin.take().context("no standard input")?;
        input.write_all(prompt.as_bytes())?;
        drop(input);
        let status = child.wait()?;
        anyhow::ensure!(status.success(), "submitting {id} ended with {status}");
        Ok(())
    }

    /// Runs a command whose output is JSON.
    pub(crate) fn json(&self, arguments: &[&str]) -> anyhow::Result<Value> {
        let mut command = self.salve(arguments);
        let text = process::output(command.args(["--format", "json"]))?;
        Ok(serde_json::from_str(&text)?)
    }

    /// Takes a machine off the network, or puts it back.
    pub(crate) fn set_cut(&self, machine: usize, cut: bool) -> anyhow::Result<()> {
        if let Some(network) = &self.network {
            let machine = &network.machines[machine];
            return if cut { machine.cut() } else { machine.join() };
        }
        let way = &self.ways[machine];
        way.model.set_cut(cut);
        if let Some(database) = &way.to_database {
            database.set_cut(cut);
        }
        Ok(())
    }

    /// Returns what the model counted.
    pub(crate) fn paid(&self) -> anyhow::Result<Value> {
        let mut stream = TcpStream::connect(self.sim_address)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        stream.write_all(b"GET /__sim/calls HTTP/1.1\r\nhost: sim\r\nconnection: close\r\n\r\n")?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply)?;
        let body = reply.split_once("\r\n\r\n").context("the model does not count")?.1;
        let (begin, end) = (body.find('{'), body.rfind('}'));
        let (Some(begin), Some(end)) = (begin, end) else { bail!("the model does not count") };
        Ok(serde_json::from_str(&body[begin..=end])?)
    }

    /// Returns whether the model is still there.
    pub(crate) fn model_is_there(&mut self) -> bool {
        !self.sim.has_ended()
    }

    fn settle(&self, command: &mut Command, machine: usize) {
        let home = self.home(machine);
        command
            .current_dir(&home)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("XDG_CONFIG_HOME", &home)
            .env("SALVE_DATA", home.join("data"))
            .env("SALVE_JOBS_PASSWORD", &self.postgres.password);
    }

    fn home(&self, machine: usize) -> PathBuf {
        self.folder.path().join(format!("machine-{machine}"))
    }

    fn furnish(&self, machine: usize) -> anyhow::Result<()> {
        let home = self.home(machine);
        std::fs::create_dir_all(home.join("salve"))?;
        let model = self.ways[machine].model.address;
        let settings = format!(
            "[[provider]]\nname = 'sim'\ndialect = 'chat'\nbase_url = 'http://{model}/v1'\n\n\
             [roles]\nmodel = 'sim/scripted'\n"
        );
        Ok(std::fs::write(home.join("salve/config.toml"), settings)?)
    }
}

impl Way {
    fn new(bridge: Option<IpAddr>, postgres: &Postgres, sim: SocketAddr) -> anyhow::Result<Self> {
        let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let model = Forwarder::start(bridge.unwrap_or(loopback), sim)?;
        let certificate = postgres.certificate();
        let query = format!("sslmode=verify-full&sslrootcert={}", certificate.display());
        let Some(bridge) = bridge else {
            let target = SocketAddr::new(loopback, postgres.port);
            let way = Forwarder::start(loopback, target)?;
            let database = postgres.url_at(way.address, DATABASE);
            let database = format!("{database}?{query}");
            return Ok(Self { database, model, to_database: Some(way) });
        };
        // Another machine's certificate is demanded without saying so; its authority is not known.
        let database = postgres.url(bridge, DATABASE);
        let database = format!("{database}?sslrootcert={}", certificate.display());
        Ok(Self { database, model, to_database: None })
    }
}

// The address alone is its standard output.
fn sim(salve: &Path, script: &Path) -> anyhow::Result<(Guard, SocketAddr)> {
    let mut command = Command::new(salve);
    command.arg("sim").arg("--script").arg(script);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut sim = Guard::start(&mut command)?;
    let mut line = String::new();
    BufReader::new(sim.take_output()?).read_line(&mut line)?;
    let address = line.trim().strip_prefix("http://").and_then(|text| text.parse().ok());
    Ok((sim, address.with_context(|| format!("the model did not come up: {line}"))?))
}
