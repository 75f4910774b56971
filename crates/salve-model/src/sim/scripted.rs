//! The scripted model, without HTTP.
//!
//! In: a script. Out: a `Model` that plays it. Never waits for a timeout of its own: a script that
//! hangs, hangs, and the caller has the clock.

use super::answer::{self, Piece};
use super::calls::{Calls, Counter, RuleCalls};
use super::heard::Heard;
use super::play::{Act, Disconnect, Player, Speech};
use super::script::Script;
use crate::model::{Model, ModelError, Watch};
use crate::reply::ModelReply;
use crate::request::ModelRequest;
use salve_types::FinishReason;
use serde_json::Value;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A model that says what its script says.
#[derive(Debug)]
pub struct ScriptedModel {
    player: Player,
    counter: Counter,
    asked: Mutex<Vec<ModelRequest>>,
}

// Tests look at a handful of requests; a load test must not fill the memory with them.
const MOST_KEPT: usize = 1000;

impl ScriptedModel {
    /// Makes a model that plays a script.
    pub fn new(script: Script) -> Self {
        Self { player: Player::new(script), counter: Counter::default(), asked: Mutex::default() }
    }

    /// Returns what was counted so far.
    pub fn calls(&self) -> Calls {
        let rules: Vec<RuleCalls> = self.player.counts();
        let unmatched = self.player.unmatched.load(Ordering::Relaxed);
        Calls { rules, unmatched, ..self.counter.counts() }
    }

    /// Returns the first thousand requests, oldest first.
    pub fn asked(&self) -> Vec<ModelRequest> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn remember(&self, request: &ModelRequest) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() < MOST_KEPT {
            asked.push(request.clone());
        }
    }
}

impl Model for ScriptedModel {
    async fn call(
        &self,
        request: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> Result<ModelReply, ModelError> {
        self.counter.calls.fetch_add(1, Ordering::SeqCst);
        self.remember(request);
        let heard = Heard::from_request(request);
        let Some(performance) = self.player.play(&heard) else {
            return Err(ModelError::Unsendable { message: self.player.reason(&heard) });
        };
        sleep(performance.delay.first).await;
        match performance.act {
            Act::Refuse { status, body, retry_after } => Err(ModelError::Provider {
                status,
                message: body.map_or_else(|| "the script says so".to_owned(), words),
                retry_after: retry_after.map(Duration::from_secs),
            }),
            Act::Speak(speech) => {
                self.counter.pay(speech.paid);
                speak(speech, performance.delay.between, watch).await
            }
        }
    }
}

async fn speak(
    mut speech: Speech,
    between: u64,
    watch: &mut dyn Watch,
) -> Result<ModelReply, ModelError> {
    let faults = std::mem::take(&mut speech.faults);
    let mut reply = speech.replies.swap_remove(0);
    if let Some(disconnect) = faults.disconnect {
        reply = broken(reply, disconnect)?;
    }
    for (at, piece) in speech.chunk.pieces(&reply.text).into_iter().enumerate() {
        match faults.hang {
            Some((millis, frame)) if frame == at => sleep(millis).await,
            _ if at > 0 => sleep(between).await,
            _ => {}
        }
        watch.arrived(piece);
    }
    if let Some((millis, _)) = faults.hang.filter(|_| reply.text.is_empty()) {
        sleep(millis).await;
    }
    if let Some(garbage) = faults.garbage {
        let message = format!("garbage: {:?}", String::from_utf8_lossy(&garbage.bytes));
        return Err(ModelError::Unreadable { message });
    }
    Ok(reply)
}

// Without a wire, a byte of the body is a byte of what is said.
fn broken(reply: ModelReply, disconnect: Disconnect) -> Result<ModelReply, ModelError> {
    let mut piece = Piece { reply, is_cut: true };
    if let Disconnect::Byte(byte) = disconnect {
        answer::limit(&mut piece, byte);
    }
    if answer::bytes(&piece.reply) == 0 {
        let message = "the connection broke, as the script says".to_owned();
        return Err(ModelError::Unreachable { message });
    }
    Ok(ModelReply { finish: Some(FinishReason::Disconnect), usage: None, ..piece.reply })
}

async fn sleep(millis: u64) {
    if millis > 0 {
        tokio::time::sleep(Duration::from_millis(millis)).await;
    }
}

fn words(body: Value) -> String {
    match body {
        Value::String(text) => text,
        body => body.to_string(),
    }
}
