//! Redaction: what is taken out, what stays, and that cutting a text into pieces changes nothing.
//!
//! Tokens are put together here from a prefix and a body, so that no file of this repository holds
//! one that a forge's scanner would report.

use proptest::prelude::*;
use salve_text::{ExactSecret, ExtraPrefix, RedactOptions, Redactor, is_secret_name, read_env_file};
use serde_json::{Value, json};

const BODY: &str = "a8Fk2Lq9Zx7Wc4Vb6Nm1Qe3Rt5Yu0Io8Pa2Sd4Fg6Hj8Kl0Zx9Cv7Bn5Mq3We1Rt2Yu4Io6Pa8Sd0Fg1Hj3";
const HEX: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

fn redact(text: &str) -> String {
    let redacted = Redactor::default().redact(text);
    assert_sound(&Redactor::default(), text);
    redacted.text
}

// What holds for every text: pieces change nothing, twice is once, spans are places.
fn assert_sound(redactor: &Redactor, text: &str) {
    let whole = redactor.redact(text);
    for size in [1, 2, 3, 5, 7, 16, 61, 400] {
        let mut stream = redactor.stream();
        let mut joined = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let at = (size.min(rest.len())..=rest.len()).find(|&at| rest.is_char_boundary(at)).unwrap();
            let (piece, after) = rest.split_at(at);
            joined.push_str(&stream.push(piece));
            rest = after;
        }
        joined.push_str(&stream.finish());
        assert_eq!(joined, whole.text, "pieces of {size} bytes change the text");
    }
    let again = redactor.redact(&whole.text);
    assert_eq!(again.text, whole.text, "redacting twice changes the text");
    assert_eq!(again.found, [], "a redacted text still has secrets");
    let mut at = 0;
    for found in &whole.found {
        assert!(found.span.start >= at && text.get(found.span.range()).is_some_and(|hit| !hit.is_empty()));
        at = found.span.end;
    }
}

fn body(length: usize) -> &'static str {
    &BODY[..length]
}

#[test]
fn x24_tokens_with_a_prefix_are_replaced_by_their_kind() {
    let cases: &[(&str, &str, usize, &str)] = &[
        ("ghp_", BODY, 36, "github-token"),
        ("github_pat_", BODY, 82, "github-token"),
        ("sk-ant-api03-", BODY, 80, "anthropic-key"),
        ("sk-proj-", BODY, 60, "openai-key"),
        ("sk-", BODY, 48, "openai-key"),
        ("sk-or-v1-", HEX, 64, "openrouter-key"),
        ("xai-", BODY, 80, "xai-key"),
        ("glpat-", BODY, 20, "gitlab-token"),
        ("xoxb-", BODY, 40, "slack-token"),
        ("sk_live_", BODY, 24, "stripe-key"),
        ("npm_", BODY, 36, "npm-token"),
        ("hf_", BODY, 34, "huggingface-token"),
        ("AIza", BODY, 35, "google-api-key"),
        ("dop_v1_", HEX, 64, "digitalocean-token"),
        ("salve_", HEX, 64, "salve-key"),
        ("salve_", BODY, 44, "salve-key"),
    ];
    for (prefix, source, length, kind) in cases {
        let token = format!("{prefix}{}", &source[..*length]);
        for (before, after) in [("", ""), ("key is ", " ok"), ("\"", "\""), ("a\\n", "\\nb"), ("=", "\n"), ("%20", "&")] {
            let text = format!("{before}{token}{after}");
            assert_eq!(redact(&text), format!("{before}[redacted:{kind}]{after}"), "{text}");
        }
        // In the middle of a word it is something else.
        let word = format!("x{token}");
        assert_eq!(redact(&word), word);
    }
}

#[test]
fn x24_names_headers_and_addresses_give_their_values_away() {
    let long = body(32);
    let cases: Vec<(String, String)> = vec![
        (format!("password = \"{}\"", "Tr0ub4dor&3"), "password = \"[redacted:password]\"".into()),
        (format!("API_KEY={long}\n"), "API_KEY=[redacted:key]\n".into()),
        (format!("{{\"client_secret\": \"{long}\"}}"), "{\"client_secret\": \"[redacted:key]\"}".into()),
        (format!("{{\\\"token\\\": \\\"{long}\\\"}}"), "{\\\"token\\\": \\\"[redacted:key]\\\"}".into()),
        (format!("token: {long}"), "token: [redacted:key]".into()),
        (format!("?access_token={long}&x=1"), "?access_token=[redacted:key]&x=1".into()),
        (format!("--token {long} run"), "--token [redacted:key] run".into()),
        (format!("Authorization: Bearer {long}"), "Authorization: Bearer [redacted:authorization]".into()),
        ("Authorization: Basic dXNlcjpodW50ZXIy".into(), "Authorization: Basic [redacted:authorization]".into()),
        (format!("-H 'x-api-key: {long}'"), "-H 'x-api-key: [redacted:key]'".into()),
        ("postgres://app:Hunter2pw@db.local/x".into(), "postgres://app:[redacted:url-password]@db.local/x".into()),
        (format!("heroku_key = '{}'", "01234567-89ab-4cde-8f01-23456789abcd"), "heroku_key = '[redacted:key]'".into()),
        (format!("token = ghp_{}", body(36)), "token = [redacted:github-token]".into()),
        ("Server=x;Password=Hx7!kd92;".into(), "Server=x;Password=[redacted:password];".into()),
    ];
    for (text, wanted) in cases {
        assert_eq!(redact(&text), wanted);
    }
}

#[test]
fn x24_placeholders_and_code_stay() {
    for text in [
        "password = \"changeme\"",
        "password = \"<your-password>\"",
        "api_key = \"xxxxxxxxxxxxxxxxxxxxxxxx\"",
        "api_key = \"${API_KEY}\"",
        "API_KEY=$API_KEY",
        "token = os.environ[\"TOKEN\"]",
        "token = self.get_token(user)",
        "secret = config.client_secret",
        "token: TokenKind::Identifier2",
        "if (token == null) { return }",
        "Authorization: Bearer YOUR_TOKEN",
        "Authorization: Bearer ${token}",
        "Authorization: Bearer <token>",
        "sk-loading-indicator-container",
        "https://user:password@example.com/",
        "http://localhost:8080/@scope/x",
        "AKIAIOSFODNN7EXAMPLE",
        "-----BEGIN RSA PRIVATE KEY-----\" is the heading of a key",
        "const PEM: &str = \"-----BEGIN PRIVATE KEY-----\";\nconst END: &str = \"-----END PRIVATE KEY-----\";",
        "[redacted:key] stays",
    ] {
        assert_eq!(redact(text), text);
    }
}
