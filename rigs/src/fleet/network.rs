//! Machines on one desk: network namespaces that meet on a bridge.
//!
//! In: how many. Out: one namespace each, with an address and a link that can be cut, or why this
//! machine does not allow it. Never left behind: they go with the value, and what an earlier run that
//! was killed left is removed first.

use anyhow::Context;
use std::net::Ipv4Addr;
use std::process::Command;
use xtask::process;

const PREFIX: &str = "salve";

/// Namespaces on a bridge.
pub(crate) struct Network {
    bridge: String,
    /// The address of this side of the bridge.
    pub(crate) address: Ipv4Addr,
    /// The machines.
    pub(crate) machines: Vec<Machine>,
}

/// One namespace.
pub(crate) struct Machine {
    name: String,
    link: String,
}

impl Network {
    /// Makes a bridge and this many machines on it.
    pub(crate) fn new(count: u8) -> anyhow::Result<Self> {
        remove_what_is_left();
        let process = std::process::id();
        // One of the networks that are not routed; which one is by chance, so that two runs fit.
        let third = fastrand::u8(..);
        let bridge = format!("{PREFIX}b{process}");
        let address = Ipv4Addr::new(10, 213, third, 1);
        ip(&["link", "add", &bridge, "type", "bridge"])?;
        let mut network = Self { bridge: bridge.clone(), address, machines: Vec::new() };
        ip(&["address", "add", &format!("{address}/24"), "dev", &bridge])?;
        ip(&["link", "set", &bridge, "up"])?;
        for number in 1..=count {
            let name = format!("{PREFIX}-{process}-{number}");
            let link = format!("{PREFIX}{number}v{process}");
            ip(&["netns", "add", &name])?;
            network.machines.push(Machine { name: name.clone(), link: link.clone() });
            ip(&["link", "add", &link, "type", "veth", "peer", "name", "eth0", "netns", &name])?;
            ip(&["link", "set", &link, "master", &bridge, "up"])?;
            let own = Ipv4Addr::new(10, 213, third, 1 + number);
            ip(&["-n", &name, "address", "add", &format!("{own}/24"), "dev", "eth0"])?;
            ip(&["-n", &name, "link", "set", "eth0", "up"])?;
            ip(&["-n", &name, "link", "set", "lo", "up"])?;
        }
        Ok(network)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for machine in &self.machines {
            let _ = ip(&["netns", "delete", &machine.name]);
        }
        let _ = ip(&["link", "delete", &self.bridge]);
    }
}

impl Machine {
    /// Returns a command that runs a program on this machine.
    pub(crate) fn command(&self, program: &std::path::Path) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name]).arg(program);
        command
    }

    /// Takes the machine off the network: nothing is refused, nothing arrives.
    pub(crate) fn cut(&self) -> anyhow::Result<()> {
        ip(&["link", "set", &self.link, "down"])
    }

    /// Puts it back.
    pub(crate) fn join(&self) -> anyhow::Result<()> {
        ip(&["link", "set", &self.link, "up"])
    }
}

fn ip(arguments: &[&str]) -> anyhow::Result<()> {
    let output = Command::new("ip").args(arguments).output().context("there is no program `ip`")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        anyhow::bail!("`ip {}`: {}", arguments.join(" "), said.trim());
    }
    Ok(())
}

// Names carry the process that made them; one that is gone cannot remove its own.
fn remove_what_is_left() {
    let gone = |process: &str| {
        process.parse::<u32>().is_ok() && !std::path::Path::new("/proc").join(process).exists()
    };
    let namespaces = process::output(Command::new("ip").args(["netns", "list"]));
    for line in namespaces.unwrap_or_default().lines() {
        let name = line.split_whitespace().next().unwrap_or_default();
        let owner = name.strip_prefix(&format!("{PREFIX}-")).and_then(|rest| rest.split_once('-'));
        if owner.is_some_and(|(process, _)| gone(process)) {
            let _ = ip(&["netns", "delete", name]);
        }
    }
    let links = process::output(Command::new("ip").args(["-brief", "link"]));
    for line in links.unwrap_or_default().lines() {
        let name = line.split_whitespace().next().unwrap_or_default();
        if name.strip_prefix(&format!("{PREFIX}b")).is_some_and(gone) {
            let _ = ip(&["link", "delete", name]);
        }
    }
}
