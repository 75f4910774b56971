//! What went wrong, in our words.
//!
//! In: errors of the `genai` crate and of the connection beneath it. Out: one of ours, with status
//! and waiting time where the provider gave them. Never holds a header that was sent.

use crate::http_client::chain;
use crate::model::ModelError;
use genai::webc::StreamTimeout;
use http::HeaderMap;
use serde_json::Value;
use std::time::Duration;

/// How a stream failed.
pub(super) enum Failure {
    /// The provider refused before it began.
    Refused(ModelError),
    /// The connection never came about.
    Unconnected(String),
    /// The connection broke, or the provider gave up, in the middle.
    Broken(String),
    /// The provider gave up and said why.
    GaveUp(ModelError),
    /// Nothing came for too long.
    Silent,
    /// One event could not be read by the crate; what we make of it is our own matter.
    Garbled,
}

/// Sorts an error of a stream.
pub(super) fn sort(error: genai::Error) -> Failure {
    match error {
        genai::Error::WebStream { error, cause, .. } => match error.downcast::<genai::Error>() {
            Ok(inner) => sort(*inner),
            Err(error) => of_transport(&*error, cause),
        },
        genai::Error::HttpError { status, body, headers, .. } => {
            Failure::Refused(ModelError::Provider {
                status: status.as_u16(),
                message: message(&body),
                retry_after: retry_after(&headers),
            })
        }
        genai::Error::ChatResponse { body, .. } => Failure::GaveUp(gave_up(&body)),
        genai::Error::StreamParse { .. }
        | genai::Error::JsonValueExt(_)
        | genai::Error::SerdeJson(_)
        | genai::Error::InvalidJsonResponseElement { .. } => Failure::Garbled,
        other => Failure::Refused(ModelError::Unsendable { message: other.to_string() }),
    }
}

fn of_transport(error: &(dyn std::error::Error + 'static), cause: String) -> Failure {
    if error.downcast_ref::<StreamTimeout>().is_some() {
        return Failure::Silent;
    }
    match error.downcast_ref::<reqwest::Error>() {
        Some(error) if error.is_builder() => {
            Failure::Refused(ModelError::Unsendable { message: chain(error) })
        }
        Some(error) if error.is_connect() => Failure::Unconnected(chain(error)),
        Some(error) => Failure::Broken(chain(error)),
        None => Failure::Broken(cause),
    }
}

// An event of a stream has no status, so it is read from the words.
fn gave_up(body: &Value) -> ModelError {
    let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
    let word = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
    let number = |key: &str| error.get(key).and_then(Value::as_u64);
    let numbered = ["status", "code"].into_iter().filter_map(number);
    let told = numbered.into_iter().find(|status| (400..600).contains(status));
    let words = format!("{} {}", word("type"), word("code"));
    let by_word = [
        ("rate_limit", 429),
        ("overloaded", 529),
        ("invalid_request", 400),
        ("authentication", 401),
        ("permission", 403),
        ("not_found", 404),
    ];
    let meant = by_word.iter().find(|(part, _)| words.contains(part)).map(|(_, status)| *status);
    ModelError::Provider {
        status: told.and_then(|status| u16::try_from(status).ok()).or(meant).unwrap_or(500),
        message: message(&body.to_string()),
        retry_after: None,
    }
}

// The sentence in an error's body, in the forms providers use; the body itself when there is none.
pub(super) fn message(body: &str) -> String {
    const LONGEST: usize = 1000;
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let places = ["/error/message", "/message", "/error", "/detail"];
    let sentence = places.iter().find_map(|place| value.pointer(place)?.as_str());
    let text = sentence.unwrap_or(body).trim();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

// Seconds or milliseconds. The third form, a date, would need to know what day it is; who sends it
// is waited for as if it had said nothing.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| -> Option<f64> {
        let value: f64 = headers.get(name)?.to_str().ok()?.trim().parse().ok()?;
        (value.is_finite() && value >= 0.0).then_some(value)
    };
    let millis = number("retry-after-ms").map(|millis| millis / 1000.0);
    let seconds = millis.or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn retry_after_is_read_in_seconds_and_milliseconds() {
        let read = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            retry_after(&headers)
        };
        assert_eq!(read("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(read("retry-after", " 1.5 "), Some(Duration::from_millis(1500)));
        assert_eq!(read("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        for odd in ["Wed, 21 Oct 2026 07:28:00 GMT", "-1", "NaN", "inf", "1e999", ""] {
            assert_eq!(read("retry-after", odd), None, "{odd}");
        }
    }

    #[test]
    fn an_error_event_gets_the_status_it_means() {
        let cases = [
            (json!({ "type": "error", "error": { "type": "overloaded_error" } }), 529),
            (json!({ "type": "rate_limit_error", "message": "m" }), 429),
            (json!({ "code": 503, "message": "m" }), 503),
            (json!({ "code": "rate_limit_exceeded" }), 429),
            (json!({ "type": "invalid_request_error" }), 400),
            (json!({ "message": "Error in input stream", "type": "server_error" }), 500),
            (json!(null), 500),
            (json!("boom"), 500),
        ];
        for (body, meant) in cases {
            let ModelError::Provider { status, .. } = gave_up(&body) else { panic!("{body}") };
            assert_eq!(status, meant, "{body}");
        }
    }

    #[test]
    fn the_sentence_of_an_error_is_found_and_bounded() {
        assert_eq!(message(r#"{"error":{"message":"no credit"}}"#), "no credit");
        assert_eq!(message(r#"{"error":"no credit"}"#), "no credit");
        assert_eq!(message("<html>"), "<html>");
        assert_eq!(message(&"é".repeat(5000)).chars().count(), 1001);
    }
}
