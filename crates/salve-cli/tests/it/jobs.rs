//! `salve jobs` and `salve worker`: real processes, a scripted model, and kills.
//!
//! In: a data folder and a model of the test's own. Out: what people and programs see of jobs:
//! results, stories, exit codes, JSON. Never the user's own jobs, and no model but the scripted
//! one.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::run::{Ended, folder, salve_in, write};
use crate::sim::Sim;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const CODE: &str = "fn main() {\n    let words = \"healed\";\n    println!(\"{words}\");\n}\n";
const PATIENCE: Duration = Duration::from_secs(60);

/// A place with jobs and a model of its own.
struct Place {
    folder: PathBuf,
    sim: Sim,
}

impl Place {
    fn new(name: &str, script: &[Value]) -> Self {
        let folder = folder(name);
        let lines: String = script.iter().map(|rule| format!("{rule}\n")).collect();
        write(&folder.join("script.jsonl"), &lines);
        let sim = Sim::start(&folder, &["--script", "script.jsonl"]);
        let settings = format!(
            "[[provider]]\nname = 'sim'\ndialect = 'chat'\nbase_url = '{}/v1'\n\n\
             [roles]\nmodel = 'sim/scripted'\n",
            sim.line
        );
        write(&folder.join("salve/config.toml"), &settings);
        Self { folder, sim }
    }

    fn data(&self) -> String {
        self.folder.join("data").display().to_string()
    }

    fn run(&self, arguments: &[&str], input: &str) -> Ended {
        salve_in(arguments, input, &self.folder, &[("SALVE_DATA", &self.data())])
    }

    fn start(&self, more: &[&str]) -> Ended {
        let arguments = [&["jobs", "start", "--lang", "rust"], more].concat();
        self.run(&arguments, "Write it.")
    }

    fn show(&self, id: &str) -> Value {
        self.run(&["jobs", "show", id, "--format", "json"], "").json()
    }

    /// Starts a command that a test ends itself.
    #[expect(clippy::disallowed_methods, reason = "the test starts the binary it is about")]
    fn spawn(&self, arguments: &[&str], input: &str) -> Running {
        let mut child = Command::new(env!("CARGO_BIN_EXE_salve"))
            .args(arguments)
            .current_dir(&self.folder)
            .env_clear()
            .env("XDG_CONFIG_HOME", &self.folder)
            .env("SALVE_DATA", self.data())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Running(child)
    }

    fn worker(&self) -> Running {
        self.spawn(&["worker", "--lease", "2"], "")
    }

    /// Returns how many calls the model has taken.
    fn calls(&self) -> u64 {
        let address = self.sim.line.trim_start_matches("http://");
        let mut socket = TcpStream::connect(address).unwrap();
        let head = "GET /__sim/calls HTTP/1.1\r\nhost: sim\r\nconnection: close\r\n\r\n";
        socket.write_all(head.as_bytes()).unwrap();
        let mut text = String::new();
        socket.read_to_string(&mut text).unwrap();
        let (begin, end) = (text.find('{').unwrap(), text.rfind('}').unwrap());
        let counted: Value = serde_json::from_str(&text[begin..=end]).unwrap();
        counted["calls"].as_u64().unwrap()
    }

    fn wait_for_calls(&self, wanted: u64) {
        wait("calls", || (self.calls() >= wanted).then_some(()));
    }

    fn wait_for_status(&self, id: &str, wanted: &str) -> Value {
        wait(wanted, || Some(self.show(id)).filter(|job| job["status"] == wanted))
    }
}

fn wait<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < PATIENCE, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// A command that runs; killed if a test fails before it ended it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    fn end(mut self, signal: Signal) -> (Option<i32>, String) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
        let code = self.0.wait().unwrap().code();
        let mut story = String::new();
        self.0.stderr.take().unwrap().read_to_string(&mut story).unwrap();
        (code, story)
    }
}

/// A whole answer that is cut twice and goes on when asked to.
fn healing(delay: u64) -> Value {
    json!({ "reply": { "continues": true, "text": CODE, "cuts": [20, 45], "delay_ms": delay } })
}

/// An answer that is cut, also when it is asked to go on.
fn hopeless(times: u64) -> Value {
    let half = "fn main() {\n    let words = \"hea";
    json!({ "times": times, "reply": { "text": half, "finish": "length" } })
}

#[test]
fn a_cut_answer_is_healed_to_a_result_on_standard_output() {
    let place = Place::new("jobs_healed", &[healing(0)]);
    let ended = place.start(&["--id", "first"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), CODE), "{}", ended.err);
    for words in ["started Generate@1", "needs_continuation: Auto-healing code...", "validating"] {
        assert!(ended.err.contains(words), "{words}: {}", ended.err);
    }
    assert!(!ended.err.contains('\u{1b}'), "a moving picture on a pipe: {}", ended.err);
    assert_eq!(place.calls(), 3);

    // The same name is the same job: nothing is asked again.
    let again = place.start(&["--id", "first"]);
    assert_eq!((again.code, again.out.as_str()), (Some(0), CODE), "{}", again.err);
    assert!(again.err.contains("was started before"), "{}", again.err);
    assert_eq!(place.calls(), 3);
    let other = place.run(&["jobs", "start", "--id", "first"], "Write something else.");
    assert_eq!(other.code, Some(2), "{}", other.err);
    assert!(other.err.contains("another flow or input"), "{}", other.err);
}

#[test]
fn jobs_are_listed_and_shown_as_json() {
    let place = Place::new("jobs_json", &[healing(0)]);
    assert_eq!(place.run(&["jobs", "list"], "").out, "no jobs\n");
    assert!(!place.folder.join("data").exists(), "looking makes nothing");
    place.start(&["--id", "first"]);
    let waiting = place.start(&["--id", "second", "--detach"]);
    assert_eq!((waiting.code, waiting.out.as_str()), (Some(0), "second\n"), "{}", waiting.err);

    let list = place.run(&["jobs", "list", "--format", "json"], "").json();
    let rows: Vec<String> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let word = |key: &str| row[key].as_str().unwrap_or("-").to_owned();
            format!("{} {} {} {}", word("id"), word("flow"), word("status"), word("waits_for"))
        })
        .collect();
    assert_eq!(rows, ["second Generate@1 pending a worker", "first Generate@1 completed -"]);
    let open = place.run(&["jobs", "list", "--open", "--format", "jsonl"], "").lines();
    assert_eq!((open.len(), &open[0]["id"]), (1, &json!("second")));
    let pending = place.run(&["jobs", "list", "--status", "pending"], "").out;
    assert!(pending.contains("second") && !pending.contains("first"), "{pending}");

    let shown = place.show("first");
    assert_eq!(shown["status"], "completed");
    assert_eq!(shown["texts"]["result"]["bytes"], CODE.len());
    assert_eq!(shown["texts"]["partial"], Value::Null);
    assert_eq!(shown["texts"]["replies"].as_array().unwrap().len(), 3);
    assert_eq!(shown["generation"]["continuations"], 2);
    assert_eq!(shown["in_doubt"], json!([]));
    let steps: Vec<&str> = shown["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["step"].as_str().unwrap())
        .collect();
    let asked_and_judged = ["generate.ask", "generate.judge"].repeat(3);
    assert_eq!(steps, asked_and_judged);
    let page = place.run(&["jobs", "show", "first"], "").out;
    for words in ["completed", "2 continuations", "generate.judge", "result"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let text = place.run(&["jobs", "show", "first", "--result"], "");
    assert_eq!((text.code, text.out.as_str()), (Some(0), CODE));
    assert_eq!(place.run(&["jobs", "show", "first", "--partial"], "").code, Some(1));
}

#[test]
fn events_are_watched_as_lines_and_from_behind_one_of_them() {
    let place = Place::new("jobs_watched", &[healing(0)]);
    place.start(&["--id", "first"]);
    let watched = place.run(&["jobs", "watch", "first", "--format", "jsonl"], "");
    assert_eq!(watched.code, Some(0), "{}", watched.err);
    let events = watched.lines();
    let ids: Vec<i64> = events.iter().map(|event| event["id"].as_i64().unwrap()).collect();
    assert!(ids.is_sorted_by(|left, right| left < right), "{ids:?}");
    assert_eq!(events[0]["what"], "started");
    assert_eq!(events.last().unwrap()["what"], "ended");
    let after = ids[4].to_string();
    let rest = place.run(&["jobs", "watch", "first", "--after", &after, "--format", "jsonl"], "");
    assert_eq!(rest.lines(), &events[5..]);
}

#[test]
fn what_needs_attention_is_retried_by_hand() {
    let place = Place::new("jobs_retried", &[hopeless(2), healing(0)]);
    let ended = place.start(&["--id", "first"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""), "{}", ended.err);
    assert!(ended.err.contains("salve jobs retry first"), "{}", ended.err);
    let job = place.show("first");
    assert_eq!(job["status"], "needs_attention", "{job}");
    assert_eq!(job["generation"]["validation_error"]["type"], "TRUNCATION_DETECTED");
    let partial = place.run(&["jobs", "show", "first", "--partial"], "");
    assert!(partial.out.starts_with("fn main() {"), "{partial:?}");
    assert_eq!(place.run(&["jobs", "show", "first", "--result"], "").code, Some(1));

    let retried = place.run(&["jobs", "retry", "first"], "");
    assert_eq!((retried.code, retried.out.as_str()), (Some(0), CODE), "{}", retried.err);
    let again = place.run(&["jobs", "retry", "first"], "");
    assert_eq!(again.code, Some(2), "{}", again.err);
    assert!(again.err.contains("does not need attention"), "{}", again.err);
}

#[test]
fn a_partial_answer_can_be_accepted_and_is_never_a_result() {
    let place = Place::new("jobs_partial", &[hopeless(9)]);
    assert_eq!(place.start(&["--id", "first"]).code, Some(1));
    let accepted = place.run(&["jobs", "retry", "first", "--accept-partial"], "");
    assert_eq!((accepted.code, accepted.out.as_str()), (Some(0), ""), "{}", accepted.err);
    assert_eq!(place.show("first")["status"], "completed_partial");
    assert_eq!(place.run(&["jobs", "show", "first", "--result"], "").code, Some(1));
    assert_eq!(place.run(&["jobs", "show", "first", "--partial"], "").code, Some(0));
    // For the caller that looks later it is not whole.
    assert_eq!(place.run(&["jobs", "watch", "first"], "").code, Some(1));
}

#[test]
fn a_job_is_cancelled_while_its_model_is_asked() {
    let place = Place::new("jobs_cancelled", &[healing(30_000)]);
    place.start(&["--id", "first", "--detach"]);
    let worker = place.worker();
    place.wait_for_calls(1);
    let begin = Instant::now();
    let cancelled = place.run(&["jobs", "cancel", "first", "--reason", "changed my mind"], "");
    assert_eq!(cancelled.code, Some(0), "{}", cancelled.err);
    let job = place.wait_for_status("first", "cancelled");
    assert!(begin.elapsed() < Duration::from_secs(20), "the call was waited for");
    assert!(job.to_string().contains("changed my mind"), "{job}");
    assert_eq!(place.run(&["jobs", "cancel", "first"], "").code, Some(0), "twice is once");
    let (code, story) = worker.end(Signal::TERM);
    assert_eq!(code, Some(0), "{story}");
}

#[test]
fn a_waiting_job_is_cancelled_without_a_worker() {
    let place = Place::new("jobs_cancelled_waiting", &[hopeless(2), healing(0)]);
    // One that was never begun, and one that waits for a person.
    place.start(&["--id", "queued", "--detach"]);
    assert_eq!(place.start(&["--id", "waiting"]).code, Some(1));
    for id in ["queued", "waiting"] {
        let cancelled = place.run(&["jobs", "cancel", id], "");
        assert_eq!(cancelled.out, format!("job {id} is cancelled\n"), "{}", cancelled.err);
        assert_eq!(place.show(id)["status"], "cancelled", "{id}");
    }
    assert_eq!(place.calls(), 2, "what is cancelled asks nothing");
}

#[test]
fn a_start_does_its_own_job_and_leaves_the_others_to_a_worker() {
    let rules = ["slow", "quick"].map(|word| {
        let delay = if word == "slow" { 30_000 } else { 0 };
        json!({ "when": { "contains": word },
                "reply": { "continues": true, "text": CODE, "cuts": [20], "delay_ms": delay } })
    });
    let place = Place::new("jobs_own", &rules);
    let start = ["jobs", "start", "--lang", "rust", "--id"];
    place.run(&[&start[..], &["other", "--detach"]].concat(), "Write a slow one.");
    let begin = Instant::now();
    let own = place.run(&[&start[..], &["own"]].concat(), "Write a quick one.");
    assert_eq!((own.code, own.out.as_str()), (Some(0), CODE), "{}", own.err);
    assert!(begin.elapsed() < Duration::from_secs(20), "the other job was waited for");
    assert_eq!(place.show("other")["status"], "pending");
    assert_eq!(place.calls(), 2);
}

#[test]
fn a_worker_says_which_jobs_it_takes() {
    let place = Place::new("jobs_worker_says", &[healing(0)]);
    place.start(&["--id", "first", "--detach"]);
    let worker = place.worker();
    place.wait_for_status("first", "completed");
    let (code, story) = worker.end(Signal::TERM);
    assert_eq!(code, Some(0), "{story}");
    for words in ["step begins", "step ended", "job=first", "step=\"generate.ask\""] {
        assert!(story.contains(words), "{words}: {story}");
    }
}

#[test]
fn a_killed_worker_s_job_is_finished_by_another() {
    let place = Place::new("jobs_worker_killed", &[healing(1_500)]);
    place.start(&["--id", "first", "--detach", "--in-doubt", "retry"]);
    let first = place.worker();
    place.wait_for_calls(2);
    first.kill();
    let second = place.worker();
    place.wait_for_status("first", "completed");
    let text = place.run(&["jobs", "show", "first", "--result"], "");
    assert_eq!(text.out, CODE);
    // Three parts, and at most the one again that was open at the kill.
    assert!((3..=4).contains(&place.calls()), "{} calls", place.calls());
    assert_eq!(second.end(Signal::TERM).0, Some(0));
}

#[test]
fn a_killed_start_leaves_a_job_that_a_worker_finishes() {
    let place = Place::new("jobs_start_killed", &[healing(1_500)]);
    let arguments = ["jobs", "start", "--id", "first", "--lang", "rust", "--in-doubt", "retry"];
    let start = place.spawn(&arguments, "Write it.");
    place.wait_for_calls(1);
    start.kill();
    let worker = place.worker();
    place.wait_for_status("first", "completed");
    assert!((3..=4).contains(&place.calls()), "{} calls", place.calls());
    assert_eq!(worker.end(Signal::TERM).0, Some(0));
}

#[test]
fn a_call_in_doubt_waits_for_a_person() {
    let place = Place::new("jobs_in_doubt", &[healing(1_500)]);
    place.start(&["--id", "first", "--detach", "--in-doubt", "ask"]);
    let first = place.worker();
    place.wait_for_calls(1);
    first.kill();
    let second = place.worker();
    let job = place.wait_for_status("first", "needs_attention");
    let list = place.run(&["jobs", "list", "--in-doubt", "--format", "json"], "").json();
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
    let key = list[0]["key"].as_str().unwrap().to_owned();
    assert!(job["waits_for"].as_str().unwrap().contains(&key), "{job}");
    let marked = place.run(&["jobs", "list"], "");
    assert!(marked.out.contains("needs_attention (!)"), "{}", marked.out);
    assert!(marked.err.contains("1 paid call was started"), "{}", marked.err);
    assert_eq!(place.calls(), 1, "nobody asked again");
    let attached = place.start(&["--id", "first", "--in-doubt", "ask"]);
    assert_eq!(attached.code, Some(4), "{}", attached.err);

    let nonsense = place.run(&["jobs", "resolve", "nonsense", "retry"], "");
    assert_eq!(nonsense.code, Some(2), "{}", nonsense.err);
    write(&place.folder.join("answer.rs"), CODE);
    let used = place.run(&["jobs", "resolve", &key, "use", "answer.rs", "--detach"], "");
    assert_eq!(used.code, Some(0), "{}", used.err);
    place.wait_for_status("first", "completed");
    assert_eq!(place.calls(), 1, "the answer was there");
    assert_eq!(place.run(&["jobs", "list", "--in-doubt"], "").out, "no paid call is in doubt\n");
    assert_eq!(second.end(Signal::TERM).0, Some(0));
}

#[test]
fn a_worker_that_is_told_to_stop_finishes_and_says_what_it_waits_for() {
    let place = Place::new("jobs_drained", &[healing(2_000)]);
    place.start(&["--id", "first", "--detach"]);
    let worker = place.worker();
    place.wait_for_calls(1);
    let (code, story) = worker.end(Signal::TERM);
    assert_eq!(code, Some(0), "{story}");
    assert!(story.contains("waiting for generate.ask of first"), "{story}");
    // The call that was made was not thrown away.
    let second = place.worker();
    place.wait_for_status("first", "completed");
    assert_eq!(place.calls(), 3);
    drop(second);
}

#[test]
fn ended_jobs_are_forgotten_and_open_ones_kept() {
    let place = Place::new("jobs_purged", &[healing(0)]);
    place.start(&["--id", "first"]);
    place.start(&["--id", "second", "--detach"]);
    assert_eq!(place.run(&["jobs", "purge"], "").out, "deleted 0 jobs\n");
    let gone = place.run(&["jobs", "purge", "--older-than", "0"], "");
    assert_eq!(gone.out, "deleted 1 job\n", "{}", gone.err);
    let left = place.run(&["jobs", "list"], "").out;
    assert!(left.contains("second") && !left.contains("first"), "{left}");
}

#[test]
fn bad_usage_says_what_to_do_and_makes_nothing() {
    let place = folder("jobs_refused");
    let run = |arguments: &[&str], input: &str| {
        let data = place.join("data").display().to_string();
        salve_in(arguments, input, &place, &[("SALVE_DATA", &data)])
    };
    let secret = "postgres://u:hunter2@127.0.0.1/jobs";
    for (arguments, words) in [
        (&["jobs", "start", "--flow", "Nothing"][..], "Generate@1"),
        (&["jobs", "start", "--id", "a b"], "job"),
        (&["jobs", "start"], "the prompt is empty"),
        (&["jobs", "start", "--role", "king"], "fast"),
        (&["jobs", "start", "--schema", "nothing"], "JSON Schema"),
        (&["jobs", "show", "nobody"], "there is no job `nobody`"),
        (&["jobs", "list", "--status", "sad"], "needs_attention"),
        (&["jobs", "list", "--jobs", secret], "SALVE_JOBS_PASSWORD"),
        (&["jobs", "list", "--jobs", "mysql://h/d"], "postgres://USER@HOST/DATABASE"),
        (&["jobs", "list", "--format", "sarif"], "human, json, jsonl"),
        (&["worker", "--root", "nothing"], "NAME=PATH"),
        (&["jobs", "resolve", "k", "use"], "FILE"),
    ] {
        let ended = run(arguments, "");
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains(words), "{arguments:?}: {}", ended.err);
        assert!(!ended.err.contains("hunter2"), "{}", ended.err);
    }
    assert!(!Path::new(&place.join("data")).exists(), "what is refused makes nothing");
}
