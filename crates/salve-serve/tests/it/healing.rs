//! Replies that were cut reach the client whole, over real HTTP, in every dialect.

use super::stage::{FakeUpstream, client, config, gateway, text, until};
use bytes::Bytes;
use http::HeaderMap;
use salve_model::ModelReply;
use salve_model::sim::{Script, SimHandle, SimServer};
use salve_model::wire::{Dialect, SseSplitter, StreamReader, read_reply};
use salve_serve::gateway::GatewayConfig;
use salve_serve::http::ServerHandle;
use salve_types::{FinishReason, Timestamp};
use serde_json::{Value, json};
use std::io::Read;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

const CODE: &str = "Here it is:\n\n```rust\nfn main() {\n    let words = vec![\"one\", \"two\"];\n    for word in &words {\n        println!(\"{word}\");\n    }\n}\n```\n";

async fn before(reply: Value) -> (SimHandle, ServerHandle) {
    let script = Script::parse(&json!({ "reply": reply }).to_string()).unwrap();
    let sim = SimServer::start(script, SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let config = GatewayConfig::new(sim.url(), Arc::new(|| Timestamp(1_700_000_000_000)));
    let gateway = gateway(config).await;
    (sim, gateway)
}

fn question(dialect: Dialect, stream: bool, tools: bool) -> Value {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}, "required": ["path", "content"]});
    let mut body = match dialect {
        Dialect::Responses => json!({"model": "m", "input": "Write it."}),
        _ => {
            json!({"model": "m", "max_tokens": 4000, "messages": [{"role": "user", "content": "Write it."}]})
        }
    };
    body["stream"] = stream.into();
    if tools {
        body["tools"] = match dialect {
            Dialect::Chat => {
                json!([{"type": "function", "function": {"name": "write_file", "parameters": schema}}])
            }
            Dialect::Responses => {
                json!([{"type": "function", "name": "write_file", "parameters": schema}])
            }
            Dialect::Messages => json!([{"name": "write_file", "input_schema": schema}]),
        };
    }
    body
}

struct Got {
    reply: ModelReply,
    report: Value,
    headers: HeaderMap,
    raw: String,
}

async fn ask(addr: SocketAddr, dialect: Dialect, body: &Value, heal: &str) -> Got {
    let response = client()
        .post(format!("http://{addr}{}", dialect.path()))
        .header("content-type", "application/json")
        .header("authorization", "Bearer sk-own")
        .header("x-salve-heal", heal)
        .body(body.to_string())
        .send()
        .await
        .unwrap();
    let headers = response.headers().clone();
    let bytes = response.bytes().await.unwrap();
    let raw = String::from_utf8(bytes.to_vec()).unwrap();
    if body["stream"] != json!(true) {
        let reply =
            serde_json::from_str(&raw).ok().and_then(|body| read_reply(dialect, &body).ok());
        let reply = reply.and_then(|replies| replies.into_iter().next()).unwrap_or_default();
        let report = json!({"verdict": headers.get("x-salve-verdict").and_then(|value| value.to_str().ok())});
        return Got { reply, report, headers, raw };
    }
    let mut splitter = SseSplitter::default();
    let mut reader = StreamReader::new(dialect);
    splitter.push(bytes);
    while let Ok(Some(frame)) = splitter.next_frame() {
        reader.read(&frame);
    }
    let comment = raw.lines().find_map(|line| line.strip_prefix(": salve "));
    let report = comment.map_or(Value::Null, |comment| serde_json::from_str(comment).unwrap());
    let reply = reader.into_replies().into_iter().next().unwrap_or_default();
    Got { reply, report, headers, raw }
}

#[tokio::test]
async fn cut_code_is_continued_in_every_dialect_streamed_and_not() {
    for finish in ["length", "stop"] {
        let reply = json!({"text": CODE, "continues": true, "cuts": [60, 110], "finish": finish});
        let (_sim, gateway) = before(reply).await;
        for dialect in Dialect::ALL {
            for stream in [false, true] {
                let body = question(dialect, stream, false);
                let got = ask(gateway.addr, dialect, &body, "enforce").await;
                assert_eq!(
                    got.reply.text.trim_end(),
                    CODE.trim_end(),
                    "{dialect:?} {stream} {}",
                    got.raw
                );
                assert_eq!(got.reply.finish, Some(FinishReason::Stop), "{dialect:?} {stream}");
                assert_eq!(got.report["verdict"], "healed", "{dialect:?} {stream}");
            }
        }
    }
}

#[tokio::test]
async fn cut_arguments_are_continued_and_never_closed() {
    let arguments = json!({"path": "src/main.rs", "content": "fn main() { println!(\"hello\"); }"});
    let reply = json!({"tool_calls": [{"name": "write_file", "arguments": arguments}], "continues": true, "cuts": [35], "finish": "tool_calls"});
    let (_sim, gateway) = before(reply).await;
    for dialect in Dialect::ALL {
        for stream in [false, true] {
            let body = question(dialect, stream, true);
            let got = ask(gateway.addr, dialect, &body, "enforce").await;
            let call = got
                .reply
                .tool_calls
                .first()
                .unwrap_or_else(|| panic!("{dialect:?} {stream}: {}", got.raw));
            let passed: Value = serde_json::from_str(&call.arguments).unwrap();
            assert_eq!(passed, arguments, "{dialect:?} {stream}");
            assert_eq!(got.report["verdict"], "healed", "{dialect:?} {stream}");
        }
    }
}

#[tokio::test]
async fn t11_the_verdict_at_the_end_of_a_stream_is_that_of_the_whole() {
    let texts = [
        (CODE, None),
        (CODE, Some(40)),
        (CODE, Some(90)),
        ("A short answer.", None),
        ("{\"a\": [1, 2, 3]}", Some(9)),
    ];
    for (text, cut) in texts {
        for chunk in [1, 7, 1000] {
            let reply = json!({"text": text, "cut_at": cut, "finish": "stop", "chunk": chunk});
            let (_sim, gateway) = before(reply).await;
            for dialect in Dialect::ALL {
                let whole =
                    ask(gateway.addr, dialect, &question(dialect, false, false), "enforce").await;
                let streamed =
                    ask(gateway.addr, dialect, &question(dialect, true, false), "enforce").await;
                assert_eq!(
                    whole.report["verdict"], streamed.report["verdict"],
                    "{dialect:?} {cut:?} {chunk}"
                );
                assert!(whole.report["verdict"].is_string());
            }
        }
    }
}

#[tokio::test]
async fn c259_a_length_that_was_said_is_told_even_of_valid_json() {
    let reply = json!({"text": "{\"valid\": true}", "finish": "length"});
    let (_sim, gateway) = before(reply).await;
    let mut body = question(Dialect::Chat, true, false);
    body["response_format"] = json!({"type": "json_object"});
    let got = ask(gateway.addr, Dialect::Chat, &body, "observe").await;
    assert_eq!(got.report["verdict"], "observed");
    assert!(got.report["why"].is_string(), "{}", got.report);
}

#[tokio::test]
async fn observed_bytes_are_those_of_the_upstream() {
    let reply = json!({"text": CODE, "cut_at": 60});
    let (sim, gateway) = before(reply).await;
    for dialect in Dialect::ALL {
        let body = question(dialect, true, false);
        let direct = ask(sim.addr(), dialect, &body, "off").await;
        let observed = ask(gateway.addr, dialect, &body, "observe").await;
        let off = ask(gateway.addr, dialect, &body, "off").await;
        assert_eq!(observed.reply.text, direct.reply.text);
        assert_eq!(observed.reply.finish, direct.reply.finish);
        assert_eq!(off.headers["x-salve-verdict"], "off");
        assert!(!off.raw.contains(": salve"));
    }
}

#[tokio::test]
async fn a_broken_connection_is_resumed() {
    let reply = json!({"text": CODE, "continues": true, "disconnect_at": {"text": 60}});
    let (_sim, gateway) = before(reply).await;
    for dialect in Dialect::ALL {
        let got = ask(gateway.addr, dialect, &question(dialect, true, false), "enforce").await;
        assert_eq!(got.reply.text.trim_end(), CODE.trim_end(), "{dialect:?} {}", got.raw);
    }
}

#[tokio::test]
async fn pings_keep_a_silent_stream_awake() {
    let arguments = json!({"path": "a", "content": "b"});
    let reply = json!({"tool_calls": [{"name": "write_file", "arguments": arguments}], "chunk": 4, "hang_ms": 2000, "hang_at": 5});
    let script = Script::parse(&json!({ "reply": reply }).to_string()).unwrap();
    let sim = SimServer::start(script, SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let mut config = GatewayConfig::new(sim.url(), Arc::new(|| Timestamp(0)));
    config.policy.ping = Duration::from_millis(100);
    let gateway = gateway(config).await;
    for (dialect, ping) in [(Dialect::Chat, ": ping"), (Dialect::Messages, "event: ping")] {
        let got = ask(gateway.addr, dialect, &question(dialect, true, true), "enforce").await;
        assert!(got.raw.contains(ping), "{dialect:?}: {}", got.raw);
        assert_eq!(got.reply.tool_calls.len(), 1);
    }
}

#[tokio::test]
async fn packed_requests_are_read_and_packed_replies_healed() {
    let cut = r#"{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"```rust\nfn main() {\n    println!("},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}"#;
    let rest = r#"{"id":"d","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"\"hello\");\n}\n```"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}"#;
    let upstream = FakeUpstream::start(move |_, before| {
        let body = gzip(if before == 0 { cut } else { rest }.as_bytes());
        let mut answer = text(200, body);
        answer.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
        answer
    })
    .await;
    let gateway = gateway(config(&upstream)).await;
    let body = question(Dialect::Chat, false, false).to_string();
    let response = client()
        .post(format!("http://{}/v1/chat/completions", gateway.addr))
        .header("content-type", "application/json")
        .header("content-encoding", "gzip")
        .header("accept-encoding", "gzip, zstd")
        .body(gzip(body.as_bytes()))
        .send()
        .await
        .unwrap();
    assert_eq!(response.headers()["x-salve-verdict"], "healed");
    assert_eq!(upstream.seen.lock().unwrap()[0].headers["accept-encoding"], "gzip");
    assert_eq!(upstream.seen.lock().unwrap()[0].body, gzip(body.as_bytes()));
    // Small enough to go plain; what was packed before is not claimed to be so any more.
    assert!(!response.headers().contains_key("content-encoding"));
    let reply: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
    let text = reply["choices"][0]["message"]["content"].as_str().unwrap();
    assert_eq!(text, "```rust\nfn main() {\n    println!(\"hello\");\n}\n```");
    until("both calls were made", || upstream.calls() == 2).await;
}

/// Packs bytes without making them smaller: a header, one stored block, and the checksum.
fn gzip(bytes: &[u8]) -> Bytes {
    let length = u16::try_from(bytes.len()).unwrap();
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1];
    packed.extend_from_slice(&length.to_le_bytes());
    packed.extend_from_slice(&(!length).to_le_bytes());
    packed.extend_from_slice(bytes);
    let mut sum = !0_u32;
    for byte in bytes.bytes() {
        sum ^= u32::from(byte.unwrap());
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xedb8_8320 & (!(sum & 1)).wrapping_add(1));
        }
    }
    packed.extend_from_slice(&(!sum).to_le_bytes());
    packed.extend_from_slice(&u32::from(length).to_le_bytes());
    packed.into()
}
