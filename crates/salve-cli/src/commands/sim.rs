//! `salve sim`: a simulated provider on this machine, for tests of everything that talks to models.
//!
//! In: a script, a recording, or a provider to record. Out: the address on standard output, the story
//! on standard error, until it is interrupted. Never listens where another machine could reach it.

use crate::arguments::{Format, SimArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::{output, runtime};
use salve_model::sim::{Calls, Relay, Script, SimHandle, SimServer, Tape};
use serde_json::json;
use std::fs::OpenOptions;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

/// Runs `salve sim`.
pub(crate) fn run(arguments: &SimArguments, format: Format) -> CommandResult {
    let source = Source::open(arguments)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
    runtime::run(async {
        let sim = source.start(address).await?;
        announce(&sim, format)?;
        runtime::interrupted().await?;
        output::story(&summary(&sim.calls()));
        sim.stop().await;
        Ok(Ending::Clean)
    })?
}

/// Where the answers come from, read and checked before anything listens.
enum Source {
    Script(Script),
    Tape(Tape),
    Relay(Relay),
}

impl Source {
    fn open(arguments: &SimArguments) -> Result<Self, Failure> {
        match (&arguments.script, &arguments.replay, &arguments.record, &arguments.upstream) {
            (Some(path), ..) => {
                let script = Script::parse(&read(path)?).map_err(|problem| {
                    Failure::new(format!("`{}`: {problem}", path.display()))
                        .hint("`docs/sim.md` lists the fields of a rule.")
                })?;
                output::story(&format!("Playing {} rules.\n", script.rules.len()));
                Ok(Self::Script(script))
            }
            (None, Some(path), ..) => {
                let tape = Tape::parse(&read(path)?);
                let named = |problem| Failure::new(format!("`{}`: {problem}", path.display()));
                Ok(Self::Tape(tape.map_err(named)?))
            }
            (None, None, Some(path), Some(upstream)) => {
                let file = OpenOptions::new().create(true).append(true).open(path);
                let file = file.map_err(|problem| {
                    Failure::new(format!("cannot write `{}`: {problem}", path.display()))
                })?;
                let relay = Relay::new(upstream, Box::new(file)).map_err(Failure::new)?;
                output::story(&format!(
                    "Recording {upstream} into `{}`; keys are not written.\n",
                    path.display()
                ));
                Ok(Self::Relay(relay))
            }
            _ => Err(Failure::new("nothing to answer with")
                .hint("Give one of --script FILE, --replay FILE, --record FILE --upstream URL.")),
        }
    }

    async fn start(self, address: SocketAddr) -> Result<SimHandle, Failure> {
        let server = SimServer::default();
        Ok(match self {
            Self::Script(script) => server.play(script, address).await?,
            Self::Tape(tape) => server.replay(tape, address).await?,
            Self::Relay(relay) => server.record(relay, address).await?,
        })
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|problem| Failure::new(format!("cannot read `{}`: {problem}", path.display())))
}

// The address alone is the result, so that a script can read one line and go on.
fn announce(sim: &SimHandle, format: Format) -> Result<(), Failure> {
    match format {
        Format::Human => output::result(&format!("{}\n", sim.url()))?,
        _ => output::json_line(&json!({ "url": sim.url(), "port": sim.addr().port() }))?,
    }
    output::story(&format!(
        "Point a client at it with OPENAI_BASE_URL={0}/v1 or ANTHROPIC_BASE_URL={0}\n\
         Counts: {0}/__sim/calls. Ends with Ctrl-C.\n",
        sim.url()
    ));
    Ok(())
}

fn summary(calls: &Calls) -> String {
    let mut text = format!(
        "{} calls, {} without an answer, {} aborted; {} tokens in and {} out.\n",
        calls.calls,
        calls.unmatched,
        calls.aborted,
        calls.paid.input_tokens,
        calls.paid.output_tokens
    );
    for rule in calls.rules.iter().filter(|rule| rule.answered == 0) {
        text.push_str(&format!("The rule in line {} was never used.\n", rule.line));
    }
    text
}
