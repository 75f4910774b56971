//! Other programs that read broken JSON, each in a process of its own.
//!
//! In: a text. Out: the value the peer reads, or nothing. Crates run in this program as a child,
//! packages of Python and Node in their interpreters; a peer that hangs or dies is started again.
//! Never in this process: a peer that loops forever would take the measurement with it.

use super::score::Answer;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use xtask::{Flags, tools};

/// How long a peer may think about one text.
const PATIENCE: Duration = Duration::from_secs(10);

const PYTHON: &str = "import sys, json, json_repair
for line in sys.stdin:
    try:
        answer = {'value': json.dumps(json_repair.loads(json.loads(line)))}
    except BaseException as error:
        answer = {'error': str(error)}
    print(json.dumps(answer), flush=True)
";
const NODE: &str = "const { jsonrepair } = require(process.argv[1]);
require('readline').createInterface({ input: process.stdin }).on('line', line => {
    let answer;
    try { answer = { value: jsonrepair(JSON.parse(line)) }; } catch (error) { answer = { error: String(error) }; }
    console.log(JSON.stringify(answer));
});
";
/// The peers that are crates.
const CRATES: &[&str] = &["jsonrepair-rs", "llm_json", "jiter"];

/// A peer and how it is started.
pub(super) struct Peer {
    pub name: &'static str,
    start: Box<dyn Fn() -> Result<Command>>,
    running: Option<Running>,
}

struct Running {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// Every peer that can be had; what cannot is named, with the reason.
pub(super) fn all() -> (Vec<Peer>, Vec<String>) {
    let (mut peers, mut missing) = (Vec::new(), Vec::new());
    let mut add = |name: &'static str, start: Box<dyn Fn() -> Result<Command>>| {
        let mut peer = Peer { name, start, running: None };
        match peer.ask("{\"a\": 1}") {
            Ok(answer) if answer.value == Some(json!({ "a": 1 })) => peers.push(peer),
            Ok(_) => missing.push(format!("{name}: does not answer")),
            Err(error) => missing.push(format!("{name}: {error:#}")),
        }
    };
    add(
        "json_repair",
        Box::new(|| {
            let mut command = Command::new(tools::json_repair_python()?);
            command.args(["-c", PYTHON]);
            Ok(command)
        }),
    );
    add(
        "jsonrepair",
        Box::new(|| {
            let mut command = Command::new("node");
            command.args(["-e", NODE]).arg(tools::jsonrepair_package()?);
            Ok(command)
        }),
    );
    for name in CRATES {
        add(
            name,
            Box::new(|| {
                let mut command =
                    Command::new(std::env::current_exe().context("this program has no path")?);
                command.args(["mutate-peer", name]);
                Ok(command)
            }),
        );
    }
    (peers, missing)
}

impl Peer {
    /// Returns what the peer reads; an error only when it cannot be started.
    pub(super) fn ask(&mut self, text: &str) -> Result<Answer> {
        if self.running.is_none() {
            self.running = Some(Running::start((self.start)()?)?);
        }
        let answer = self.running.as_mut().and_then(|running| running.ask(text));
        if answer.is_none() {
            self.running = None;
        }
        let value = answer.as_ref().and_then(|answer| answer["value"].as_str());
        Ok(Answer {
            value: value.and_then(|value| serde_json::from_str(value).ok()),
            ..Answer::default()
        })
    }
}

impl Running {
    fn start(mut command: Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("could not be started")?;
        let input = child.stdin.take().context("no input")?;
        let output = child.stdout.take().context("no output")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, input, lines })
    }

    fn ask(&mut self, text: &str) -> Option<Value> {
        writeln!(self.input, "{}", json!(text)).ok()?;
        self.input.flush().ok()?;
        let line = self.lines.recv_timeout(PATIENCE).ok()?;
        serde_json::from_str(&line).ok()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Answers every line of standard input with what one crate reads from it.
pub(crate) fn run_child(flags: &mut Flags) -> Result<()> {
    let name = flags.rest().into_iter().next().unwrap_or_default();
    for line in std::io::stdin().lines() {
        let text: String = serde_json::from_str(&line?)?;
        let value = match name.as_str() {
            "jsonrepair-rs" => jsonrepair_rs::jsonrepair(&text).ok(),
            "llm_json" => llm_json::repair_json(
                &text,
                &llm_json::RepairOptions { ensure_ascii: false, ..Default::default() },
            )
            .ok(),
            "jiter" => by_jiter(&text).map(|value| value.to_string()),
            _ => bail!("no such peer: {name}"),
        };
        println!("{}", json!({ "value": value }));
    }
    Ok(())
}

fn by_jiter(text: &str) -> Option<Value> {
    let value = jiter::JsonValue::parse_with_config(
        text.as_bytes(),
        false,
        jiter::PartialMode::TrailingStrings,
    );
    value.ok().map(|value| converted(&value))
}

fn converted(value: &jiter::JsonValue<'_>) -> Value {
    use jiter::JsonValue as Theirs;
    match value {
        Theirs::Null => Value::Null,
        Theirs::Bool(value) => json!(value),
        Theirs::Int(value) => json!(value),
        Theirs::BigInt(value) => serde_json::from_str(&value.to_string()).unwrap_or(Value::Null),
        Theirs::Float(value) => json!(value),
        Theirs::Str(value) => json!(value),
        Theirs::Array(items) => items.iter().map(converted).collect(),
        Theirs::Object(members) => {
            members.iter().map(|(key, value)| (key.to_string(), converted(value))).collect()
        }
    }
}
