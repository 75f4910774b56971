//! Someone who watches a job, goes away in the middle and comes back.
//!
//! In: a job. Out: the events that were seen over all visits. Fails when an event came twice or out
//! of order, or when at the end one is missing that the job's own history has.

use super::desk::Desk;
use super::guard::Guard;
use anyhow::{Context, ensure};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use xtask::process;

/// A watcher of one job.
pub(crate) struct Watcher {
    job: String,
    seen: Vec<Value>,
    visit: Option<(Guard, Receiver<Value>)>,
    /// How often it went away.
    pub(crate) times_it_left: usize,
}

impl Watcher {
    /// Makes one; it has not looked yet.
    pub(crate) fn new(job: String) -> Self {
        Self { job, seen: Vec::new(), visit: None, times_it_left: 0 }
    }

    /// Looks on from the last event it saw, and takes what there is.
    pub(crate) fn go_on(&mut self, desk: &Desk) -> anyhow::Result<()> {
        self.take();
        if self.visit.as_mut().is_some_and(|(guard, _)| guard.has_ended()) {
            self.stop();
        }
        if self.visit.is_none() && !self.has_seen_the_end() {
            self.visit = Some(self.begin(desk)?);
        }
        Ok(())
    }

    /// Goes away, as someone does who closes a terminal.
    pub(crate) fn stop(&mut self) {
        if let Some((guard, events)) = self.visit.take() {
            drop(guard);
            // What was printed before it went away was seen.
            while let Ok(event) = events.recv_timeout(Duration::from_secs(2)) {
                self.seen.push(event);
            }
            self.times_it_left += 1;
        }
    }

    /// Watches to the end.
    pub(crate) fn finish(&mut self, desk: &Desk) -> anyhow::Result<()> {
        for _ in 0..200 {
            self.go_on(desk)?;
            if self.has_seen_the_end() {
                self.visit = None;
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        anyhow::bail!("the end of {} was never seen: {:?}", self.job, self.seen.last())
    }

    /// Compares what was seen with the whole history, and returns how much that was.
    pub(crate) fn check(&self, desk: &Desk) -> anyhow::Result<usize> {
        let ids: Vec<i64> = self.seen.iter().filter_map(|event| event["id"].as_i64()).collect();
        ensure!(ids.is_sorted_by(|left, right| left < right), "{}: {ids:?}", self.job);
        let mut command = desk.salve(&["jobs", "watch", &self.job, "--format", "jsonl"]);
        let text = process::output(&mut command)?;
        let all = text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
        ensure!(all == self.seen, "{}: seen {ids:?}, there is {}", self.job, all.len());
        let once = |what: &str| all.iter().filter(|event| event["what"] == what).count() == 1;
        ensure!(once("started") && once("ended"), "{}: {text}", self.job);
        let mut done: Vec<String> = all
            .iter()
            .filter(|event| event["what"] == "step_done")
            .map(|event| format!("{}/{}", event["position"], event["attempt"]))
            .collect();
        let steps = done.len();
        done.sort();
        done.dedup();
        ensure!(done.len() == steps, "{}: a step was done twice: {text}", self.job);
        Ok(all.len())
    }

    fn begin(&self, desk: &Desk) -> anyhow::Result<(Guard, Receiver<Value>)> {
        let last = self.seen.last().and_then(|event| event["id"].as_i64()).unwrap_or(0);
        let mut command = desk.salve(&["jobs", "watch", &self.job, "--format", "jsonl"]);
        command.args(["--after", &last.to_string()]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut guard = Guard::start(&mut command)?;
        let output = guard.take_output().context("a watcher says nothing")?;
        let (sender, events) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // A line that was cut by its end was not seen.
                let Ok(event) = serde_json::from_str(&line) else { return };
                if sender.send(event).is_err() {
                    return;
                }
            }
        });
        Ok((guard, events))
    }

    fn take(&mut self) {
        if let Some((_, events)) = &self.visit {
            self.seen.extend(events.try_iter());
        }
    }

    fn has_seen_the_end(&self) -> bool {
        self.seen.last().is_some_and(|event| event["what"] == "ended")
    }
}
