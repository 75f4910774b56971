//! Models for the tests of this crate.
//!
//! In: what is to be answered, call by call. Out: that, and how often it was asked. Never outside
//! tests: the scripted models that others use are `sim`'s.

use crate::model::{Model, ModelError, Watch};
use crate::reply::ModelReply;
use crate::request::ModelRequest;
use salve_types::{FinishReason, Usage};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Answers from a script; after its end it refuses.
pub(crate) struct Scripted {
    script: Mutex<VecDeque<Result<ModelReply, ModelError>>>,
    seen: Mutex<Vec<ModelRequest>>,
    leak: &'static str,
}

impl Scripted {
    pub(crate) fn new(script: Vec<Result<ModelReply, ModelError>>) -> Self {
        Self { script: Mutex::new(script.into()), seen: Mutex::default(), leak: "" }
    }

    /// Shows some text before every answer, also before one that fails.
    pub(crate) fn leaking(mut self, text: &'static str) -> Self {
        self.leak = text;
        self
    }

    pub(crate) fn calls(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    pub(crate) fn seen(&self) -> Vec<ModelRequest> {
        self.seen.lock().unwrap().clone()
    }
}

impl Model for Scripted {
    async fn call(
        &self,
        request: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> Result<ModelReply, ModelError> {
        self.seen.lock().unwrap().push(request.clone());
        watch.arrived(self.leak);
        let next = self.script.lock().unwrap().pop_front();
        let reply = next.unwrap_or_else(|| Err(refused(400)))?;
        watch.arrived(&reply.text);
        Ok(reply)
    }
}

/// Answers after a moment, and knows how many calls there were at once.
#[derive(Default)]
pub(crate) struct Counting {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Counting {
    pub(crate) fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

impl Model for Counting {
    async fn call(&self, _: &ModelRequest, _: &mut dyn Watch) -> Result<ModelReply, ModelError> {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(2)).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        Ok(text("x"))
    }
}

pub(crate) fn text(text: &str) -> ModelReply {
    let usage = Usage { input_tokens: 10, output_tokens: 5, ..Usage::default() };
    ModelReply {
        text: text.to_owned(),
        finish: Some(FinishReason::Stop),
        usage: Some(usage),
        ..ModelReply::default()
    }
}

pub(crate) fn refused(status: u16) -> ModelError {
    ModelError::Provider { status, message: format!("status {status}"), retry_after: None }
}
