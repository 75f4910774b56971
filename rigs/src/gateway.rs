//! The gateway from outside: real processes on loopback, driven over HTTP.
//!
//! In: the built `salve` program. Out: its servers, started and ended with the value that holds
//! them, and what a client sees of them. Never inside the product: nothing here calls its code.

mod agent;
mod answers;
mod client;
mod clients;
mod garble;
mod limiter;
mod load;
mod matrix;
mod reading;
mod real_model;
pub(crate) mod servers;
mod speed;

pub(crate) use clients::{environment, run as clients, short as clients_short};
pub(crate) use garble::{run as garble, short as garble_short};
pub(crate) use load::{run as load, short as load_short};
pub(crate) use matrix::{run as matrix, short as matrix_short};
pub(crate) use real_model::{check as real_model, run as real_model_alone};
pub(crate) use servers::free_port;
pub(crate) use speed::run as speed;

use reading::Dialect;
use serde_json::{Value, json};

/// Returns a runtime like the one the gateway has: two threads.
fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?)
}

/// Returns a request for an answer of a kind, in a dialect.
fn request(dialect: Dialect, kind: &str, model: &str, stream: bool) -> Value {
    let asked = "Write what we spoke about.";
    let (tool, shape) = (answers::tool_schema(), answers::json_schema());
    let mut body = json!({ "model": model, "stream": stream });
    match dialect {
        Dialect::Chat => {
            body["messages"] = json!([{ "role": "user", "content": asked }]);
            if stream {
                body["stream_options"] = json!({ "include_usage": true });
            }
            let function = json!({ "name": "write_file", "parameters": tool });
            let schema = json!({ "name": "report", "strict": true, "schema": shape });
            match kind {
                "tool" => body["tools"] = json!([{ "type": "function", "function": function }]),
                "json" => {
                    body["response_format"] =
                        json!({ "type": "json_schema", "json_schema": schema });
                }
                _ => {}
            }
        }
        Dialect::Responses => {
            body["input"] = json!(asked);
            let function = json!({ "type": "function", "name": "write_file", "parameters": tool });
            let format = json!({ "type": "json_schema", "name": "report", "schema": shape });
            match kind {
                "tool" => body["tools"] = json!([function]),
                "json" => body["text"] = json!({ "format": format }),
                _ => {}
            }
        }
        Dialect::Messages => {
            body["messages"] = json!([{ "role": "user", "content": asked }]);
            body["max_tokens"] = json!(4096);
            let format = json!({ "type": "json_schema", "schema": shape });
            match kind {
                "tool" => {
                    body["tools"] = json!([{ "name": "write_file", "input_schema": tool }]);
                }
                "json" => body["output_config"] = json!({ "format": format }),
                _ => {}
            }
        }
    }
    body
}
