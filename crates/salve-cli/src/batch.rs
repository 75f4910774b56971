//! The batch form of a command: JSON lines in, one JSON line out for each, in order.
//!
//! In: lines on standard input. Out: answers that echo `id`. Never stops at a line: one that is not
//! an object, or that trips a bug, is answered with `error`.

use crate::failure::{CommandResult, Ending, Failure};
use crate::output;
use salve_text::{ParseMode, ParseOptions, parse_json};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Answers every line of standard input with `answer`, which gives something that is written as an
/// object. It is written as it is made: built first, it would be many times the size of the line.
pub(crate) fn run<T: DeserializeOwned, A: Serialize>(
    answer: impl Fn(T) -> Result<A, String>,
) -> CommandResult {
    // A bug is answered on its own line; its backtrace does not belong between the answers.
    std::panic::set_hook(Box::new(|_| {}));
    let mut input = std::io::stdin().lock();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&line);
        if text.trim().is_empty() {
            continue;
        }
        let answered = serde_json::to_writer(&mut out, &answer_line(&text, &answer));
        let ended = answered.map_err(std::io::Error::from).and_then(|()| out.write_all(b"\n"));
        // An answer is worth most while the asker waits for it.
        output::written(ended.and_then(|()| out.flush()))?;
    }
    Ok(Ending::Clean)
}

// One line of the output.
#[derive(Serialize)]
struct Answer<A> {
    id: Value,
    #[serde(flatten)]
    body: Body<A>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Body<A> {
    Given(A),
    Failed { error: String },
}

fn answer_line<T: DeserializeOwned, A: Serialize>(
    text: &str,
    answer: &impl Fn(T) -> Result<A, String>,
) -> Answer<A> {
    let value = read_line(text);
    let id = value.get("id").cloned().unwrap_or(Value::Null);
    let given = match serde_json::from_value::<T>(value) {
        Ok(request) => catch_unwind(AssertUnwindSafe(|| answer(request)))
            .unwrap_or_else(|_| Err("a bug in salve; please report this line".to_owned())),
        Err(error) => Err(format!("cannot use this line: {error}")),
    };
    let body = given.map_or_else(|error| Body::Failed { error }, Body::Given);
    Answer { id, body }
}

// A line that strict JSON refuses, such as one with half a surrogate pair, still has a meaning.
fn read_line(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| {
        let options = ParseOptions { mode: ParseMode::Text, ..ParseOptions::default() };
        parse_json(text, &options).value()
    })
}

/// Turns a value that serialises to an object into the object.
pub(crate) fn object(value: &impl Serialize) -> Result<Map<String, Value>, String> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err("the answer is not an object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Turns a failure into the plain words of an answer.
pub(crate) fn failure_text(failure: &Failure) -> String {
    anstream::adapter::strip_str(&failure.render()).to_string().trim().to_owned()
}
