//! Models that solve a case with a known probability, played by `salve sim`.
//!
//! In: a fault, its truth, a seed. Out: a script in which each call of each tier is the truth or one of
//! the things small models send instead, and the settings that name the tiers. Never decided while the
//! heal runs: the n-th answer of a tier is in the script before it is asked.

mod answers;

use super::case::Bench;
use super::plant::Fault;
use crate::corpus::Random;
use crate::gateway::servers::{self, Server};
use answers::Answers;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A tier: the name of its model, how often it is right in a hundred, and its price.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tier {
    pub(crate) name: &'static str,
    pub(crate) right: usize,
    pub(crate) price: u32,
}

/// The tiers as they are asked.
pub(crate) const TIERS: [Tier; 3] = [
    Tier { name: "fast", right: 30, price: 1 },
    Tier { name: "medium", right: 60, price: 3 },
    Tier { name: "deep", right: 90, price: 15 },
];

/// A model is never asked this often in one heal, requests for the rest of a cut answer included.
const CALLS: usize = 16;

/// A provider that plays the tiers for one case.
pub(crate) struct Played {
    server: Server,
    folder: tempfile::TempDir,
}

/// What was asked of it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked {
    pub(crate) calls: u64,
    /// Tokens that a provider would have billed, prompts and answers.
    pub(crate) tokens: u64,
    /// Tokens times the price of the tier.
    pub(crate) weighted: u64,
    /// Calls of each tier.
    pub(crate) by_tier: [u64; 3],
}

/// Starts the tiers for a fault.
pub(crate) fn play(bench: &Bench, salve: &Path, fault: &Fault, random: &Random) -> Result<Played> {
    play_script(salve, &script_for(bench, fault, random)?)
}

fn play_script(salve: &Path, text: &str) -> Result<Played> {
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("script.jsonl");
    std::fs::write(&script, text)?;
    let server = servers::sim(salve, &script)?;
    let settings = folder.path().join("salve");
    std::fs::create_dir(&settings)?;
    std::fs::write(settings.join("config.toml"), settings_for(server.address.port()))?;
    Ok(Played { server, folder })
}

/// Starts tiers that are right each time, as often as they are asked.
pub(crate) fn play_right(bench: &Bench, salve: &Path, fault: &Fault) -> Result<Played> {
    let answers = Answers::new(bench, fault)?;
    let reply = json!({ "text": answers.right_place() });
    play_script(salve, &format!("{}\n", json!({ "when": {}, "reply": reply })))
}

impl Played {
    /// Returns the folder of the settings that name these tiers.
    pub(crate) fn settings(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// Returns what was asked so far.
    pub(crate) fn asked(&self) -> Result<Asked> {
        let mut stream = TcpStream::connect(self.server.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        stream.write_all(b"GET /__sim/calls HTTP/1.0\r\nhost: localhost\r\n\r\n")?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        let (_, body) = text.split_once("\r\n\r\n").context("an answer has a body")?;
        Ok(asked(&serde_json::from_str(body.trim())?))
    }
}

// The rules are in the order of the tiers, `CALLS` of each.
fn asked(counts: &Value) -> Asked {
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let mut asked = Asked { calls: number(&counts["calls"]), ..Asked::default() };
    let paid = &counts["paid"];
    asked.tokens = match paid.as_object() {
        Some(parts) => parts.values().map(number).sum(),
        None => number(paid),
    };
    let rules = counts["rules"].as_array().map(Vec::as_slice).unwrap_or_default();
    for (tier, rules) in rules.chunks(CALLS).enumerate() {
        if let Some(slot) = asked.by_tier.get_mut(tier) {
            *slot = rules.iter().map(|rule| number(&rule["answered"])).sum();
        }
    }
    let all: u64 = asked.by_tier.iter().sum::<u64>().max(1);
    let prices = asked.by_tier.iter().zip(TIERS);
    let priced: u64 = prices.map(|(calls, tier)| calls * u64::from(tier.price)).sum();
    asked.weighted = asked.tokens * priced / all;
    asked
}

fn settings_for(port: u16) -> String {
    let mut text = format!(
        "[[provider]]\nname = \"sim\"\ndialect = \"chat\"\n\
         base_url = \"http://127.0.0.1:{port}/v1\"\nkey = {{ environment = \"SIM_KEY\" }}\n\n[roles]\n"
    );
    for tier in TIERS {
        text.push_str(&format!("{0} = \"sim/{0}\"\n", tier.name));
    }
    for tier in TIERS {
        text.push_str(&format!(
            "\n[[model]]\nnames = [\"{}\"]\ncontext = 131072\noutput = 16384\n\
             price = {{ input = \"{1}\", output = \"{1}\" }}\n",
            tier.name, tier.price
        ));
    }
    text
}

fn script_for(bench: &Bench, fault: &Fault, random: &Random) -> Result<String> {
    let answers = Answers::new(bench, fault)?;
    let mut script = String::new();
    for tier in TIERS {
        let mut random = random.for_name(tier.name);
        for _ in 0..CALLS {
            let reply = match random.below(100) < tier.right {
                true => json!({ "text": answers.right(&mut random) }),
                false => answers.wrong(&mut random),
            };
            let rule = json!({ "when": { "model": tier.name }, "times": 1, "reply": reply });
            script.push_str(&format!("{rule}\n"));
        }
    }
    Ok(script)
}
