//! Calls that are recorded once and replayed for ever, without HTTP.
//!
//! In: any model and something to write to; later, what was written. Out: JSON lines, one a call;
//! later, a model that answers from them. Never answers a request that was not recorded: the error
//! names the nearest one and where it differs.

use super::compare::{canonical, nearest};
use crate::model::{Model, ModelError, Watch};
use crate::reply::ModelReply;
use crate::request::ModelRequest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// One call as it is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recording {
    key: String,
    request: ModelRequest,
    /// What was shown while it arrived.
    #[serde(default)]
    pieces: Vec<String>,
    outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Reply(ModelReply),
    Refused { status: u16, message: String, retry_after_ms: Option<u64> },
}

/// Passes calls on to a model and writes down what came back.
#[derive(Debug)]
pub struct Recorder<M, W> {
    model: M,
    out: Mutex<Out<W>>,
}

#[derive(Debug)]
struct Out<W> {
    writer: W,
    failed: Option<io::Error>,
}

impl<M: Model, W: Write + Send> Recorder<M, W> {
    /// Records `model` into `writer`.
    pub fn new(model: M, writer: W) -> Self {
        Self { model, out: Mutex::new(Out { writer, failed: None }) }
    }

    /// Ends the recording.
    ///
    /// # Errors
    /// When a line could not be written. The calls themselves were not held up by that.
    pub fn finish(self) -> io::Result<W> {
        let mut out = self.out.into_inner().unwrap_or_else(PoisonError::into_inner);
        out.failed.take().map_or_else(|| out.writer.flush(), Err)?;
        Ok(out.writer)
    }

    fn write(&self, recording: &Recording) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let written =
            serde_json::to_vec(recording).map_err(io::Error::from).and_then(|mut line| {
                line.push(b'\n');
                out.writer.write_all(&line)
            });
        if let Err(problem) = written {
            out.failed.get_or_insert(problem);
        }
    }
}

impl<M: Model, W: Write + Send> Model for Recorder<M, W> {
    async fn call(
        &self,
        request: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> Result<ModelReply, ModelError> {
        let mut both = Both { pieces: Vec::new(), watch };
        let result = self.model.call(request, &mut both).await;
        let outcome = match &result {
            Ok(reply) => Some(Outcome::Reply(reply.clone())),
            Err(ModelError::Provider { status, message, retry_after }) => Some(Outcome::Refused {
                status: *status,
                message: message.clone(),
                retry_after_ms: retry_after
                    .map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            }),
            // What the network did once is nothing to repeat for ever.
            Err(_) => None,
        };
        if let Some(outcome) = outcome {
            let request = request.clone();
            let key = key(&request);
            self.write(&Recording { key, request, pieces: both.pieces, outcome });
        }
        result
    }
}

struct Both<'a> {
    pieces: Vec<String>,
    watch: &'a mut dyn Watch,
}

impl Watch for Both<'_> {
    fn arrived(&mut self, text: &str) {
        self.pieces.push(text.to_owned());
        self.watch.arrived(text);
    }
}

/// A model that answers from a recording.
#[derive(Debug)]
pub struct RecordedModel {
    recordings: Vec<Recording>,
    // The recordings of a request in their order, and how many were replayed.
    by_key: HashMap<String, (Vec<usize>, AtomicUsize)>,
}

/// What is wrong with a recording.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the recording: {message}; record it again")]
pub struct RecordingError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl RecordedModel {
    /// Reads a recording.
    ///
    /// # Errors
    /// When a line is none.
    pub fn parse(text: &str) -> Result<Self, RecordingError> {
        let mut model = Self { recordings: Vec::new(), by_key: HashMap::new() };
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let recording: Recording = serde_json::from_str(line)
                .map_err(|problem| RecordingError { line: at + 1, message: problem.to_string() })?;
            let of_key = model.by_key.entry(key(&recording.request)).or_default();
            of_key.0.push(model.recordings.len());
            model.recordings.push(recording);
        }
        Ok(model)
    }

    // The next recording of a request; the last one is repeated.
    fn find(&self, request: &ModelRequest) -> Option<&Recording> {
        let (places, replayed) = self.by_key.get(&key(request))?;
        let at = replayed.fetch_add(1, Ordering::Relaxed).min(places.len() - 1);
        self.recordings.get(places[at])
    }

    fn unknown(&self, request: &ModelRequest) -> ModelError {
        let asked = serde_json::to_value(request).unwrap_or_default();
        let known: Vec<Value> = self
            .recordings
            .iter()
            .map(|recording| serde_json::to_value(&recording.request).unwrap_or_default())
            .collect();
        ModelError::Unsendable {
            message: format!("this request was not recorded; {}", nearest(&asked, &known)),
        }
    }
}

impl Model for RecordedModel {
    async fn call(
        &self,
        request: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> Result<ModelReply, ModelError> {
        let recording = self.find(request).ok_or_else(|| self.unknown(request))?;
        for piece in &recording.pieces {
            watch.arrived(piece);
        }
        match &recording.outcome {
            Outcome::Reply(reply) => Ok(reply.clone()),
            Outcome::Refused { status, message, retry_after_ms } => Err(ModelError::Provider {
                status: *status,
                message: message.clone(),
                retry_after: retry_after_ms.map(Duration::from_millis),
            }),
        }
    }
}

fn key(request: &ModelRequest) -> String {
    let value = serde_json::to_value(request).unwrap_or_default();
    blake3::hash(canonical(&value).as_bytes()).to_hex().to_string()
}
