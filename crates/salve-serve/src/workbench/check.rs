//! Asks a workbench for one turn, as any program would.
//!
//! In: the address and the API token. Out: how the turn ended. Never takes longer than a minute, and never looks inside:
//! everything goes over HTTP.

use serde::Serialize;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;

/// How long the turn may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A turn that was asked for over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedTurn {
    /// The session.
    pub session: String,
    /// Which turn of it.
    pub turn: u64,
    /// How it ended.
    pub status: String,
    /// What was answered.
    pub summary: Option<String>,
}

/// Why a workbench did not answer a turn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TurnCheckError {
    /// It could not be asked.
    #[error("the workbench cannot be asked")]
    Asked(#[from] reqwest::Error),
    /// It answered something else than is promised.
    #[error("the workbench answered `{0}` with {1}")]
    Refused(String, u16),
    /// The events ended before the turn did.
    #[error("the events ended before the turn did")]
    Ended,
    /// It took too long.
    #[error("the turn took longer than {} seconds", PATIENCE.as_secs())]
    Late,
}

/// Begins a session, says something and waits for the answer.
///
/// # Errors
/// When the workbench does not do as it promises, or takes too long.
pub async fn check_turn(
    addr: SocketAddr,
    token: &str,
    text: &str,
) -> Result<CheckedTurn, TurnCheckError> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let caller = ApiCaller { client, base: format!("http://{addr}"), token: token.to_owned() };
    let asked = tokio::time::timeout(PATIENCE, caller.turn(text)).await;
    asked.unwrap_or(Err(TurnCheckError::Late))
}

struct ApiCaller {
    client: reqwest::Client,
    base: String,
    token: String,
}

impl ApiCaller {
    async fn turn(&self, text: &str) -> Result<CheckedTurn, TurnCheckError> {
        let begun = self.post("/api/v1/sessions", &json!({})).await?;
        let session = begun["id"].as_str().unwrap_or_default().to_owned();
        let path = format!("/api/v1/sessions/{session}/messages");
        let message = json!({ "type": "sendMessage", "text": text, "images": [] });
        let turn = self.post(&path, &message).await?["turn"].as_u64().unwrap_or_default();
        let path = format!("/api/v1/events?after=0&session={session}");
        let mut events = self.get(&path).await?;
        let mut arrived = String::new();
        while let Some(piece) = events.chunk().await? {
            arrived.push_str(&String::from_utf8_lossy(&piece));
            while let Some((event, rest)) = arrived.split_once("\n\n") {
                let ended = ending(event);
                arrived = rest.to_owned();
                if let Some((status, summary)) = ended {
                    return Ok(CheckedTurn { session, turn, status, summary });
                }
            }
        }
        Err(TurnCheckError::Ended)
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value, TurnCheckError> {
        let request = self.client.post(format!("{}{path}", self.base)).bearer_auth(&self.token);
        let request = request.header("content-type", "application/json").body(body.to_string());
        let answer = good(path, request.send().await?)?;
        Ok(serde_json::from_slice(&answer.bytes().await?).unwrap_or_default())
    }

    async fn get(&self, path: &str) -> Result<reqwest::Response, TurnCheckError> {
        let request = self.client.get(format!("{}{path}", self.base)).bearer_auth(&self.token);
        good(path, request.send().await?)
    }
}

fn good(path: &str, answer: reqwest::Response) -> Result<reqwest::Response, TurnCheckError> {
    if answer.status().is_success() {
        return Ok(answer);
    }
    Err(TurnCheckError::Refused(path.to_owned(), answer.status().as_u16()))
}

// How a turn ended, where an event says so.
fn ending(event: &str) -> Option<(String, Option<String>)> {
    let data = event.lines().find_map(|line| line.strip_prefix("data: "))?;
    let event: Value = serde_json::from_str(data).ok()?;
    let ends = ["requestComplete", "turnFailed", "turnCancelled"];
    let name = event["name"].as_str()?;
    if !ends.contains(&name) {
        return None;
    }
    let payload = &event["payload"];
    let status = payload["status"].as_str().unwrap_or(name).to_owned();
    Some((status, payload["structured"]["summary"].as_str().map(str::to_owned)))
}
