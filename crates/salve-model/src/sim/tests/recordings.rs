//! What was recorded once comes back for ever, and nothing else does.

use super::client::{ask, loopback, question, send, start};
use crate::model::{Model, ModelError};
use crate::request::{ModelRequest, Turn};
use crate::sim::{RecordedModel, Recorder, Relay, Script, ScriptedModel, SimServer, Tape};
use crate::wire::Dialect;
use serde_json::json;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

fn asked(text: &str) -> ModelRequest {
    ModelRequest { model: "m".to_owned(), turns: vec![Turn::user(text)], ..ModelRequest::default() }
}

#[tokio::test]
async fn a_recorded_model_repeats_replies_pieces_and_refusals() {
    let script = "{\"when\":{\"contains\":\"no\"},\"reply\":{\"status\":429,\"retry_after\":2,\"body\":\"slow down\"}}\n\
        {\"times\":1,\"reply\":{\"thinking\":\"t\",\"text\":\"first answer\",\"chunk\":5}}\n\
        {\"reply\":{\"text\":\"second\",\"tool_calls\":[{\"name\":\"a\",\"id\":\"1\"}]}}";
    let recorder = Recorder::new(ScriptedModel::new(Script::parse(script).unwrap()), Vec::new());
    let mut heard = String::new();
    let first = recorder.call(&asked("go"), &mut heard).await.unwrap();
    let second = recorder.call(&asked("go"), &mut ()).await.unwrap();
    recorder.call(&asked("no"), &mut ()).await.unwrap_err();
    let written = recorder.finish().unwrap();

    let model = RecordedModel::parse(std::str::from_utf8(&written).unwrap()).unwrap();
    let mut replayed = String::new();
    assert_eq!(model.call(&asked("go"), &mut replayed).await.unwrap(), first);
    assert_eq!(replayed, heard);
    for _ in 0..2 {
        assert_eq!(
            model.call(&asked("go"), &mut ()).await.unwrap(),
            second,
            "the last is repeated"
        );
    }
    let refused = model.call(&asked("no"), &mut ()).await.unwrap_err();
    assert!(matches!(refused, ModelError::Provider { status: 429, retry_after: Some(_), .. }));

    let unknown = model.call(&asked("gone"), &mut ()).await.unwrap_err().to_string();
    insta::assert_snapshot!(unknown, @r#"this request was not recorded; the nearest is number 1, which differs in `turns[0].text` (asked "gone", recorded "go")"#);
    let empty = RecordedModel::parse("\n").unwrap();
    let unknown = empty.call(&asked("x"), &mut ()).await.unwrap_err().to_string();
    assert!(unknown.contains("the recording is empty"));
    let broken = RecordedModel::parse("\n{\"key\":1}").unwrap_err();
    assert_eq!(broken.line, 2);
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn recorded_http_is_replayed_byte_for_byte_and_holds_no_key() {
    let script = [
        json!({ "when": { "contains": "break" }, "reply": { "text": "a text that breaks", "disconnect_at": 700 } }),
        json!({ "when": { "contains": "bytes" }, "reply": { "garbage": { "hex": "00ff80" } } }),
        json!({ "reply": { "text": "hällo \"you\"", "chunk": 2, "headers": { "set-cookie": "sk-planted-cookie", "x-ratelimit-remaining-tokens": "7" } } }),
    ];
    let script: Vec<String> = script.iter().map(ToString::to_string).collect();
    let provider = start(&script.join("\n")).await;
    let file = Shared::default();
    let relay = Relay::new(&format!("{}/v1/", provider.url()), Box::new(file.clone())).unwrap();
    let recording = SimServer::default().record(relay, loopback()).await.unwrap();

    let mut live = Vec::new();
    let asked: Vec<_> = Dialect::ALL
        .into_iter()
        .flat_map(|dialect| {
            ["break it", "bytes", "hello"].map(|text| (dialect, question(dialect, text, true)))
        })
        .collect();
    let key = "authorization: Bearer sk-planted-key\r\nx-api-key: sk-planted-key\r\n";
    for (dialect, body) in &asked {
        let path = format!("{}?key=sk-planted-key", dialect.path());
        live.push(send(&recording, "POST", &path, &body.to_string(), key).await);
    }
    assert_eq!(provider.requests()[0].headers["authorization"], "Bearer sk-planted-key");
    recording.stop().await;

    let written = String::from_utf8(file.0.lock().unwrap().clone()).unwrap();
    assert_eq!(written.lines().count(), asked.len());
    assert!(!written.contains("planted"), "{written}");
    let replay =
        SimServer::default().replay(Tape::parse(&written).unwrap(), loopback()).await.unwrap();
    for ((dialect, body), live) in asked.iter().zip(&live) {
        let again = ask(&replay, *dialect, body).await;
        assert_eq!((again.status, again.is_whole), (live.status, live.is_whole), "{body}");
        assert_eq!(again.body, live.body);
        assert_eq!(again.header("content-type"), live.header("content-type"));
        assert_eq!(
            again.header("x-ratelimit-remaining-tokens"),
            live.header("x-ratelimit-remaining-tokens")
        );
    }
    let unknown =
        ask(&replay, Dialect::Messages, &question(Dialect::Messages, "hullo", true)).await;
    assert_eq!(unknown.status, 404);
    let message = unknown.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("body.messages[0].content"), "{message}");
    assert_eq!(replay.calls().unmatched, 1);
}

#[tokio::test]
async fn a_provider_that_is_not_there_is_a_clear_answer() {
    assert!(Relay::new("ftp://x", Box::new(io::sink())).is_err());
    assert!(Relay::new("nonsense", Box::new(io::sink())).is_err());
    let gone = start(r#"{"reply":{}}"#).await;
    let relay = Relay::new(&gone.url(), Box::new(io::sink())).unwrap();
    gone.stop().await;
    let recording = SimServer::default().record(relay, loopback()).await.unwrap();
    let answer = ask(&recording, Dialect::Chat, &question(Dialect::Chat, "go", false)).await;
    assert_eq!(answer.status, 502);
}

#[test]
fn a_broken_recording_names_its_line() {
    let error = Tape::parse("\n\n{\"method\":\"POST\"}").unwrap_err();
    assert_eq!(error.line, 3);
    let odd = json!({ "method": "POST", "path": "/", "request": { "hex": "abc" }, "status": 200, "headers": [], "pieces": [] });
    assert!(Tape::parse(&odd.to_string()).unwrap_err().message.contains("hex"));
}
