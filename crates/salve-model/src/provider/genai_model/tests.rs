//! Models over HTTP, against a simulated provider on this machine.

use super::*;
use crate::http_client::{HttpClientOptions, http_client};
use crate::image::ImagePart;
use crate::key::Secret;
use crate::provider::ProviderTimeouts;
use crate::request::{SchemaAsk, ToolSpec, Turn};
use crate::sim::{Script, SimHandle, SimServer};
use crate::wire::Dialect;
use salve_types::FinishReason;
use serde_json::{Value, json};
use std::net::Ipv4Addr;
use std::time::Duration;

async fn sim(script: &str) -> SimHandle {
    let addr = (Ipv4Addr::LOCALHOST, 0).into();
    SimServer::start(Script::parse(script).unwrap(), addr).await.unwrap()
}

fn provider(dialect: Dialect, url: &str) -> Provider {
    Provider::new("sim", dialect, url, Some(Secret::new("sk-planted").unwrap()))
}

fn model(provider: Provider) -> GenaiModel {
    let client = http_client(&HttpClientOptions::default()).unwrap();
    GenaiModel::new(provider, client, Arc::new(Capabilities::built_in())).unwrap()
}

fn request() -> ModelRequest {
    ModelRequest {
        model: "m".to_owned(),
        turns: vec![Turn::user("hello")],
        max_output_tokens: 100,
        ..ModelRequest::default()
    }
}

fn body(sim: &SimHandle) -> Value {
    serde_json::from_slice(&sim.requests().last().unwrap().body).unwrap()
}

/// Collects the pieces one by one.
#[derive(Default)]
struct Pieces(Vec<String>);

impl Watch for Pieces {
    fn arrived(&mut self, text: &str) {
        self.0.push(text.to_owned());
    }
}

#[tokio::test]
async fn every_dialect_streams_text_and_tells_finish_and_usage() {
    for (cut, finish) in [("", FinishReason::Stop), (r#","cut_at":9"#, FinishReason::Length)] {
        let sim =
            sim(&format!(r#"{{"reply":{{"text":"one two three four","chunk":4{cut}}}}}"#)).await;
        for dialect in Dialect::ALL {
            let model = model(provider(dialect, &sim.url()));
            let mut pieces = Pieces::default();
            let reply = model.call(&request(), &mut pieces).await.unwrap();
            let whole = if cut.is_empty() { "one two three four" } else { "one two t" };
            assert_eq!(reply.text, whole, "{dialect:?}");
            assert_eq!(pieces.0.concat(), whole);
            assert!(pieces.0.len() > 1, "it was seen as it came: {:?}", pieces.0);
            assert_eq!(reply.finish, Some(finish.clone()), "{dialect:?}");
            let usage = reply.usage.unwrap();
            assert!(usage.input_tokens > 0 && usage.output_tokens > 0, "{dialect:?} {usage:?}");
            assert_eq!(reply.model.as_deref(), Some("m"), "{dialect:?}");
        }
    }
}

#[tokio::test]
async fn tools_are_offered_and_their_calls_come_back_as_they_were_written() {
    let arguments = r#"{ "path" :"a.rs",  "n":1.50}"#;
    let reply = json!({ "reply": { "chunk": 5, "tool_calls": [
        { "name": "web_search", "arguments": arguments },
        { "name": "read", "arguments": "{\"half\": \"of i" },
    ]}});
    let sim = sim(&reply.to_string()).await;
    for dialect in Dialect::ALL {
        let tool = ToolSpec {
            name: "web_search".to_owned(),
            description: "Reads".to_owned(),
            parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
        };
        let asked = ModelRequest { tools: vec![tool], ..request() };
        let reply = model(provider(dialect, &sim.url())).call(&asked, &mut ()).await.unwrap();
        let calls: Vec<(&str, &str)> = reply
            .tool_calls
            .iter()
            .map(|call| (call.name.as_str(), call.arguments.as_str()))
            .collect();
        assert_eq!(
            calls,
            [("web_search", arguments), ("read", "{\"half\": \"of i")],
            "{dialect:?}"
        );
        assert_eq!(reply.finish, Some(FinishReason::ToolCalls), "{dialect:?}");
        let sent = crate::wire::read_request(dialect, &body(&sim)).unwrap();
        assert_eq!(sent.tools, asked.tools, "{dialect:?}: a tool of one's own stays one");
    }
}

#[tokio::test]
async fn images_are_shown_in_the_words_of_every_dialect() {
    let sim = sim(concat!(
        r#"{"when":{"images":2,"contains":"what is this?"},"reply":{"text":"two pictures"}}"#,
        "\n",
        r#"{"reply":{"text":"nothing"}}"#
    ))
    .await;
    for dialect in Dialect::ALL {
        let images = [&b"GIF89a"[..], b"\xff\xd8\xff\xe0"].map(|one| ImagePart::new(one).unwrap());
        let turn = Turn { images: images.to_vec(), ..Turn::user("what is this?") };
        let asked = ModelRequest { turns: vec![turn], ..request() };
        let reply = model(provider(dialect, &sim.url())).call(&asked, &mut ()).await.unwrap();
        assert_eq!(reply.text, "two pictures", "{dialect:?}");
        let sent = body(&sim).to_string();
        assert!(sent.contains("R0lGODlh") && sent.contains("image/jpeg"), "{dialect:?}: {sent}");
    }
}

#[tokio::test]
async fn c146_the_schema_is_sent_word_for_word() {
    let sim = sim(r#"{"reply":{"text":"{}"}}"#).await;
    let schema =
        json!({ "type": "object", "properties": { "a": { "type": "string", "minLength": 1 } } });
    let ask = SchemaAsk { name: "grok_response".to_owned(), strict: true, schema: schema.clone() };
    let asked = |model: &str| ModelRequest {
        model: model.to_owned(),
        schema: Some(ask.clone()),
        ..request()
    };
    let chat = model(provider(Dialect::Chat, &sim.url()));
    chat.call(&asked("grok-4"), &mut ()).await.unwrap();
    let format = json!({
        "type": "json_schema",
        "json_schema": { "name": "grok_response", "strict": true, "schema": schema },
    });
    assert_eq!(body(&sim)["response_format"], format);
    for dialect in Dialect::ALL {
        model(provider(dialect, &sim.url())).call(&asked("grok-4"), &mut ()).await.unwrap();
        let sent = crate::wire::read_request(dialect, &body(&sim)).unwrap().schema.unwrap();
        assert_eq!(sent.schema, schema, "{dialect:?}");
    }
    chat.call(&asked("grok-2"), &mut ()).await.unwrap();
    assert_eq!(body(&sim).get("response_format"), None, "it cannot be told, so it is not");
}

#[tokio::test]
async fn c192_the_limit_is_always_sent_and_names_stay_as_they_are() {
    let sim = sim(r#"{"reply":{"text":"x"}}"#).await;
    for dialect in Dialect::ALL {
        let model = model(provider(dialect, &sim.url()));
        for name in ["qwen3-max", "x-ai/grok-4", "vendor::model-high", "claude-x-low"] {
            let asked = ModelRequest {
                model: name.to_owned(),
                max_output_tokens: 16_384,
                stop: vec!["END".to_owned()],
                temperature: Some(0.5),
                system: Some("be brief".to_owned()),
                ..request()
            };
            model.call(&asked, &mut ()).await.unwrap();
            let body = body(&sim);
            assert_eq!(body["model"], name, "{dialect:?}");
            for guessed in ["reasoning_effort", "reasoning", "thinking"] {
                assert_eq!(body.get(guessed), None, "{dialect:?} {name}: {body}");
            }
            let sent = crate::wire::read_request(dialect, &body).unwrap();
            assert_eq!(sent.max_output_tokens, Some(16_384), "{dialect:?}");
            assert!(sent.stream);
            assert!(body.to_string().contains("be brief"));
        }
    }
    let asked = ModelRequest { model: "sonnet".to_owned(), ..request() };
    model(provider(Dialect::Messages, &sim.url())).call(&asked, &mut ()).await.unwrap();
    assert_eq!(body(&sim)["model"], "claude-sonnet-5");
}

#[tokio::test]
async fn a_break_in_the_middle_is_a_reply_with_what_had_arrived() {
    let text = "word ".repeat(100);
    let reply = json!({ "reply": { "text": text, "chunk": 10, "disconnect_at": 4000 } });
    let sim = sim(&reply.to_string()).await;
    for dialect in Dialect::ALL {
        let mut seen = String::new();
        let reply = model(provider(dialect, &sim.url())).call(&request(), &mut seen).await.unwrap();
        assert_eq!(reply.finish, Some(FinishReason::Disconnect), "{dialect:?}");
        assert!(!reply.text.is_empty() && reply.text.len() < text.len(), "{dialect:?}");
        assert!(text.starts_with(&reply.text));
        assert_eq!(seen, reply.text, "{dialect:?}");
    }
}

#[tokio::test]
async fn a_provider_that_never_says_why_it_ended_was_disconnected() {
    let sim = sim(r#"{"reply":{"text":"one two","finish":null,"usage":null}}"#).await;
    for dialect in [Dialect::Chat, Dialect::Messages] {
        let reply = model(provider(dialect, &sim.url())).call(&request(), &mut ()).await.unwrap();
        assert_eq!(reply.text, "one two", "{dialect:?}");
        assert_eq!(reply.finish, Some(FinishReason::Disconnect), "{dialect:?}");
    }
}

#[tokio::test]
async fn r16_refusals_keep_status_words_and_waiting_time() {
    for (status, wait) in [(429, Some(7)), (500, None), (401, None), (529, Some(1))] {
        let retry = wait.map_or(String::new(), |wait| format!(r#","retry_after":{wait}"#));
        let sim = sim(&format!(r#"{{"reply":{{"status":{status}{retry}}}}}"#)).await;
        for dialect in Dialect::ALL {
            let error =
                model(provider(dialect, &sim.url())).call(&request(), &mut ()).await.unwrap_err();
            let ModelError::Provider { status: told, retry_after, message } = &error else {
                panic!("{error:?}")
            };
            assert_eq!(*told, status, "{dialect:?}");
            assert_eq!(*retry_after, wait.map(Duration::from_secs), "{dialect:?}");
            assert!(!message.is_empty() && !message.starts_with('{'), "{message}");
            assert_eq!(error.is_transient(), status != 401);
        }
    }
}

#[tokio::test]
async fn c192_silence_and_slowness_are_noticed_and_what_came_is_kept() {
    let moment = Duration::from_millis(150);
    let long = Duration::from_secs(30);
    let cases = [
        (r#""hang_ms":20000,"hang_at":6"#, ProviderTimeouts { total: long, idle: moment }),
        (r#""delay_ms":40"#, ProviderTimeouts { total: moment, idle: long }),
    ];
    for (fault, timeouts) in cases {
        let sim =
            sim(&format!(r#"{{"reply":{{"text":"{}","chunk":4,{fault}}}}}"#, "text ".repeat(40)))
                .await;
        for dialect in Dialect::ALL {
            let provider = Provider { timeouts, ..provider(dialect, &sim.url()) };
            let mut seen = String::new();
            let error = model(provider).call(&request(), &mut seen).await.unwrap_err();
            let ModelError::TimedOut { limit, partial } = error else { panic!("{error:?}") };
            assert_eq!(limit, moment, "{dialect:?} {fault}");
            assert_eq!(partial.text, seen, "{dialect:?} {fault}");
            assert_eq!(partial.finish, Some(FinishReason::Disconnect));
        }
    }
}

#[tokio::test]
async fn nobody_there_means_nothing_was_sent() {
    let closed = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}", closed.local_addr().unwrap());
    drop(closed);
    for dialect in Dialect::ALL {
        let error = model(provider(dialect, &url)).call(&request(), &mut ()).await.unwrap_err();
        assert!(matches!(error, ModelError::Unconnected { .. }), "{error:?}");
        assert!(!format!("{error} {error:?}").contains("planted"));
    }
    for odd in ["", "api.x.ai/v1", "ftp://h/v1", "file:///etc"] {
        let client = http_client(&HttpClientOptions::default()).unwrap();
        let capabilities = Arc::new(Capabilities::built_in());
        let made = GenaiModel::new(provider(Dialect::Chat, odd), client, capabilities);
        assert!(matches!(made.map(drop), Err(ModelError::Unsendable { .. })), "{odd}");
    }
}

#[tokio::test]
async fn a_break_before_anything_arrived_is_no_reply() {
    let sim = sim(r#"{"reply":{"text":"never seen","disconnect_at":0}}"#).await;
    for dialect in Dialect::ALL {
        let error =
            model(provider(dialect, &sim.url())).call(&request(), &mut ()).await.unwrap_err();
        assert!(matches!(error, ModelError::Unreachable { .. }), "{dialect:?}: {error:?}");
        assert!(error.is_transient() && !error.is_refusal());
    }
}

#[tokio::test]
async fn the_key_goes_where_the_dialect_wants_it_and_nowhere_else() {
    let sim = sim(r#"{"reply":{"text":"x"}}"#).await;
    for dialect in Dialect::ALL {
        let open = Provider { key: None, ..provider(dialect, &sim.url()) };
        model(open).call(&request(), &mut ()).await.unwrap();
        let headers = sim.requests().pop().unwrap().headers;
        assert!(headers.get("authorization").is_none() && headers.get("x-api-key").is_none());

        let mut keyed = provider(dialect, &sim.url());
        keyed.headers.push(("x-title".to_owned(), "salve".to_owned()));
        model(keyed).call(&request(), &mut ()).await.unwrap();
        let headers = sim.requests().pop().unwrap().headers;
        let (name, value) = match dialect {
            Dialect::Messages => ("x-api-key", "sk-planted"),
            Dialect::Chat | Dialect::Responses => ("authorization", "Bearer sk-planted"),
        };
        assert_eq!(headers[name], value);
        assert_eq!(headers["x-title"], "salve");
        assert_eq!(headers.contains_key("anthropic-version"), dialect == Dialect::Messages);
    }
}

#[tokio::test]
async fn a_frame_that_cannot_be_read_ends_the_reply_before_it() {
    let reply = json!({ "reply": {
        "text": "one two three four five six seven", "chunk": 4, "garbage": { "frame": 6, "text": "data: {nonsense\n\n" },
    }});
    let sim = sim(&reply.to_string()).await;
    for dialect in Dialect::ALL {
        let reply = model(provider(dialect, &sim.url())).call(&request(), &mut ()).await.unwrap();
        assert_eq!(
            (reply.finish, reply.lost),
            (Some(FinishReason::Disconnect), true),
            "{dialect:?}"
        );
        assert!("one two three four five six seven".starts_with(&reply.text), "{}", reply.text);
    }
}

#[tokio::test]
async fn c231_images_are_asked_for_as_bytes_and_told_with_their_prompts() {
    let script = r#"{"when":{"draws":true,"contains":"cat"},"reply":{"text":"A fluffy cat"}}
{"when":{"draws":true,"contains":"far"},"reply":{"image_url":"https://images.example/1.png"}}
{"when":{"draws":true},"reply":{"status":400,"body":{"error":{"message":"not this one"}}}}"#;
    let sim = sim(script).await;
    let model = model(provider(Dialect::Chat, &format!("{}/v1", sim.url())));
    let ask = |text: &str, name: &str| ModelRequest {
        model: name.to_owned(),
        turns: vec![Turn::user(text)],
        draw: Some(crate::request::DrawAsk { count: 2 }),
        ..ModelRequest::default()
    };
    let reply = model.call(&ask("a cat", "grok-2-image"), &mut ()).await.unwrap();
    assert_eq!(reply.images.len(), 2);
    assert_eq!(reply.images[0].revised_prompt.as_deref(), Some("A fluffy cat"));
    assert!(reply.images[0].base64.is_some() && reply.images[0] != reply.images[1]);
    let asked = json!({
        "model": "grok-2-image", "prompt": "a cat", "n": 2, "response_format": "b64_json",
    });
    assert_eq!(body(&sim), asked);
    let seen = sim.requests();
    let key = seen.last().unwrap().headers.get("authorization").unwrap().to_str().unwrap();
    assert_eq!(
        (key, seen.last().unwrap().path.as_str()),
        ("Bearer sk-planted", "/v1/images/generations")
    );
    let far = model.call(&ask("far away", "grok-2-image"), &mut ()).await.unwrap();
    assert_eq!(far.images[0].url.as_deref(), Some("https://images.example/1.png"));
    let refused = model.call(&ask("a dog", "grok-2-image"), &mut ()).await.unwrap_err();
    assert!(
        matches!(&refused, ModelError::Provider { status: 400, message, .. } if message == "not this one")
    );
    // A model that makes no images is never asked for one.
    let before = sim.calls().calls;
    let unable = model.call(&ask("a cat", "grok-4"), &mut ()).await.unwrap_err();
    assert!(
        matches!(&unable, ModelError::Unsendable { message } if message.contains("grok-2-image"))
    );
    assert_eq!(sim.calls().calls, before);
}

#[tokio::test]
async fn c130_files_go_along_by_their_ids_in_every_dialect() {
    let sim = sim(r#"{"when":{"files":1},"reply":{"text":"found","usage":{"input_tokens":9,"output_tokens":2,"search_calls":3}}}"#).await;
    for dialect in Dialect::ALL {
        let provider = Provider { files: true, ..provider(dialect, &sim.url()) };
        let client = http_client(&HttpClientOptions::default()).unwrap();
        let place = crate::files::ProviderFiles::of(&provider, client).unwrap();
        let id = place.upload("a.rs", b"fn a() {}").await.unwrap().id;
        let files = vec![crate::files::FilePart { id: id.clone(), bytes: 9 }];
        let asked = Turn { files, ..Turn::user("what is in a.rs?") };
        let turns = vec![Turn::user("hello"), Turn::assistant("yes?"), asked];
        let request = ModelRequest { turns, system: Some("be brief".to_owned()), ..request() };
        let reply = model(provider).call(&request, &mut ()).await.unwrap();
        assert_eq!(reply.text, "found");
        let searches = if dialect == Dialect::Messages { 0 } else { 3 };
        assert_eq!(reply.usage.unwrap().search_calls, searches, "{dialect:?}");
        let sent = body(&sim);
        let (turns, first) = match dialect {
            Dialect::Chat => (&sent["messages"], 1),
            Dialect::Messages => (&sent["messages"], 0),
            Dialect::Responses => (&sent["input"], 0),
        };
        assert_eq!(turns[first], json!({ "role": "user", "content": "hello" }), "{dialect:?}");
        let part = match dialect {
            Dialect::Chat => json!({ "type": "file", "file": { "file_id": id } }),
            Dialect::Responses => json!({ "type": "input_file", "file_id": id }),
            Dialect::Messages => {
                json!({ "type": "document", "source": { "type": "file", "file_id": id } })
            }
        };
        assert_eq!(turns[first + 2]["content"][0], part);
        assert!(sent.to_string().contains("be brief"), "{sent}");
    }
}

#[tokio::test]
async fn c130_an_id_that_the_provider_does_not_know_is_refused() {
    let sim = sim(r#"{"reply":{"text":"x"}}"#).await;
    let files = vec![crate::files::FilePart { id: "file-none".to_owned(), bytes: 1 }];
    let turns = vec![Turn { files, ..Turn::user("hello") }];
    let request = ModelRequest { turns, ..request() };
    let error = model(provider(Dialect::Chat, &sim.url())).call(&request, &mut ()).await;
    assert!(matches!(error, Err(ModelError::Provider { status: 400, .. })), "{error:?}");
}
