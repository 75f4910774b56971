//! Redaction: what is taken out, what stays, and that cutting a text into pieces changes nothing.
//!
//! Tokens are put together here from a prefix and a body, so that no file of this repository holds
//! one that a forge's scanner would report.

use proptest::prelude::*;
use salve_text::{
    ExactSecret, ExtraPrefix, RedactOptions, Redactor, is_secret_name, read_env_file,
};
use serde_json::{Value, json};

const BODY: &str =
    "a8Fk2Lq9Zx7Wc4Vb6Nm1Qe3Rt5Yu0Io8Pa2Sd4Fg6Hj8Kl0Zx9Cv7Bn5Mq3We1Rt2Yu4Io6Pa8Sd0Fg1Hj3";
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
            let at = (size.min(rest.len())..=rest.len())
                .find(|&at| rest.is_char_boundary(at))
                .unwrap_or(rest.len());
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
        assert!(
            found.span.start >= at
                && text.get(found.span.range()).is_some_and(|hit| !hit.is_empty())
        );
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
        for (before, after) in [
            ("", ""),
            ("key is ", " ok"),
            ("\"", "\""),
            ("a\\n", "\\nb"),
            ("=", "\n"),
            ("%20", "&"),
        ] {
            let text = format!("{before}{token}{after}");
            assert_eq!(redact(&text), format!("{before}[redacted:{kind}]{after}"), "{text}");
        }
        // In the middle of a word it is something else, if a key at all.
        let word = format!("x{token}");
        let out = redact(&word);
        assert!(out == word || out.ends_with("[redacted:key]"), "{out}");
    }
}

#[test]
fn x24_names_headers_and_addresses_give_their_values_away() {
    let long = body(32);
    let cases: Vec<(String, String)> = vec![
        (format!("password = \"{}\"", "Tr0ub4dor&3"), "password = \"[redacted:password]\"".into()),
        (format!("API_KEY={long}\n"), "API_KEY=[redacted:key]\n".into()),
        (
            format!("{{\"client_secret\": \"{long}\"}}"),
            "{\"client_secret\": \"[redacted:key]\"}".into(),
        ),
        (
            format!("{{\\\"token\\\": \\\"{long}\\\"}}"),
            "{\\\"token\\\": \\\"[redacted:key]\\\"}".into(),
        ),
        (format!("token: {long}"), "token: [redacted:key]".into()),
        (format!("?access_token={long}&x=1"), "?access_token=[redacted:key]&x=1".into()),
        (format!("--token {long} run"), "--token [redacted:key] run".into()),
        (
            format!("Authorization: Bearer {long}"),
            "Authorization: Bearer [redacted:authorization]".into(),
        ),
        (
            "Authorization: Basic dXNlcjpodW50ZXIy".into(),
            "Authorization: Basic [redacted:authorization]".into(),
        ),
        (format!("-H 'x-api-key: {long}'"), "-H 'x-api-key: [redacted:key]'".into()),
        (
            "postgres://app:Hunter2pw@db.local/x".into(),
            "postgres://app:[redacted:url-password]@db.local/x".into(),
        ),
        (
            format!("heroku_key = '{}'", "7f3a91c4-89ab-4cde-8f01-5b2e6d7a90cd"),
            "heroku_key = '[redacted:key]'".into(),
        ),
        (
            "//registry/:_authToken=aaaaaaaa-1111-4bcd-9111-222222222ef0".into(),
            "//registry/:_authToken=[redacted:key]".into(),
        ),
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

// Made once from CredSweeper's rules by `cargo xtask redact`, in pieces so that no scanner reports it.
#[test]
fn x24_a_sample_of_an_independent_list_is_caught() {
    let sample = include_str!("../data/redact/credsweeper.jsonl");
    let redactor = Redactor::default();
    let (mut caught, mut count) = (0, 0);
    let mut missed = Vec::new();
    for line in sample.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let text: String =
            line["parts"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let place = |index: usize| {
            line["value"][index].as_u64().and_then(|at| usize::try_from(at).ok()).unwrap()
        };
        let secret = &text[place(0)..place(1)];
        let half: Vec<char> = secret.chars().skip(secret.chars().count() / 2).collect();
        let out = redactor.redact(&format!("- {text}\n")).text;
        count += 1;
        if half.windows(8).any(|part| out.contains(&part.iter().collect::<String>())) {
            missed.push(line["kind"].to_string());
        } else {
            caught += 1;
        }
        assert_sound(&redactor, &text);
    }
    assert!(count >= 200, "the sample has {count} secrets");
    assert!(caught * 100 >= count * 99, "{caught} of {count} caught, missed {missed:?}");
}

const KEY_LINE: &str = "MIIEowIBAAKCAQEAyK8c2Vd9w1Qe7Zt5Xa3Lp0Rm6Nb4Hs8Jf2Gk1Du9Ci7Yo5";

fn pem(lines: &[&str], joint: &str) -> String {
    let dashes = "-".repeat(5);
    let mut all = vec![format!("{dashes}BEGIN RSA PRIVATE KEY{dashes}")];
    all.extend(lines.iter().map(ToString::to_string));
    all.push(format!("{dashes}END RSA PRIVATE KEY{dashes}"));
    all.join(joint)
}

#[test]
fn x24_private_keys_go_line_by_line() {
    let lines = [KEY_LINE, KEY_LINE, "Zm9vYmFy=="];
    let headers = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0A1B", "", KEY_LINE, KEY_LINE];
    let cases = [
        (format!("a\n{}\nb", pem(&lines, "\n")), "a\n[redacted:private-key]\nb"),
        (format!("a\n{}\nb", pem(&headers, "\r\n")), "a\n[redacted:private-key]\nb"),
        (
            format!("{{\"k\":\"{}\\n\"}}", pem(&lines, "\\n")),
            "{\"k\":\"[redacted:private-key]\\n\"}",
        ),
        // Without its end it is a key all the same.
        (format!("{}\nZm9v", &pem(&lines, "\n")[..150]), "[redacted:private-key]"),
    ];
    for (text, wanted) in cases {
        assert_eq!(redact(&text), wanted);
    }
    // In a program every line is a text of its own; quotes and signs stay.
    let program = format!("\"{}\"", pem(&[KEY_LINE, KEY_LINE], "\\n\" +\n  \""));
    let hidden = redact(&program);
    assert!(!hidden.contains(&KEY_LINE[..12]) && !hidden.contains(&KEY_LINE[40..]), "{hidden}");
    assert_eq!(hidden.matches('"').count(), program.matches('"').count());
}

#[test]
fn x24_a_stream_gives_a_long_key_away_as_it_comes() {
    let key = pem(&[KEY_LINE; 400], "\n");
    let mut stream = Redactor::default().stream();
    let mut most = 0;
    let mut out = String::new();
    for piece in key.as_bytes().chunks(50) {
        out.push_str(&stream.push(std::str::from_utf8(piece).unwrap()));
        most = most.max(stream.held());
    }
    out.push_str(&stream.finish());
    assert_eq!(out, "[redacted:private-key]");
    assert!(most < 2048, "{most} bytes were kept back");
}

#[test]
fn x24_json_stays_json_with_the_same_shape() {
    let token = format!("gh{}{}", "p_", body(36));
    let value = json!({
        "text": format!("first\n{token}\nlast\t{token}"),
        "password": "Tr0ub4dor&3x",
        "nested": { "text": format!("{{\"token\": \"{}\"}}", body(32)) },
        "escapes": format!("\u{1b}[31m{token}\u{1b}[0m \\n{token} \u{e9}{token}"),
        "key": pem(&[KEY_LINE, KEY_LINE], "\n"),
        "url": "https://app:s3cr3tPW99@db.example.org/x",
        "number": 3,
    });
    for text in [
        value.to_string(),
        serde_json::to_string_pretty(&value).unwrap(),
        Value::String(value.to_string()).to_string(),
    ] {
        let hidden = redact(&text);
        let read: Value =
            serde_json::from_str(&hidden).unwrap_or_else(|error| panic!("{error}: {hidden}"));
        assert_eq!(
            read.as_object().map(serde_json::Map::len),
            serde_json::from_str::<Value>(&text).unwrap().as_object().map(serde_json::Map::len)
        );
        assert!(
            !hidden.contains(body(20))
                && !hidden.contains("s3cr3tPW99")
                && !hidden.contains(&KEY_LINE[..20]),
            "{hidden}"
        );
    }
}

#[test]
fn x24_exact_values_go_wherever_they_stand() {
    let options = RedactOptions {
        exact: vec![
            ExactSecret { name: "DB_PASSWORD".into(), value: "correct horse\n\"battery\"".into() },
            ExactSecret { name: "short".into(), value: "abc".into() },
            ExactSecret { name: "word".into(), value: "production".into() },
        ],
        extra: vec![ExtraPrefix { name: "ours".into(), prefix: "acme_".into(), at_least: 8 }],
    };
    let redactor = Redactor::new(&options);
    let cases = [
        ("x correct horse\n\"battery\" y", "x [redacted:db-password] y"),
        ("\"correct horse\\n\\\"battery\\\"\"", "\"[redacted:db-password]\""),
        ("?p=correct%20horse%0A%22battery%22&q", "?p=[redacted:db-password]&q"),
        ("abc in production", "abc in production"),
        ("id acme_12345678 and acme_1", "id [redacted:ours] and acme_1"),
    ];
    for (text, wanted) in cases {
        assert_eq!(redactor.redact(text).text, wanted);
        assert_sound(&redactor, text);
    }
    let text = "a correct horse\n\"battery\" b acme_12345678";
    let places: Vec<&str> =
        redactor.redact(text).found.iter().map(|found| &text[found.span.range()]).collect();
    assert_eq!(places, ["correct horse\n\"battery\"", "acme_12345678"]);
}

#[test]
fn x24_env_files_give_their_secret_values() {
    let text = "# comment\nexport API_KEY='one two'\nPORT=8080\nDB_PASSWORD=\"a\\nb # c\" # note\n\
                SECRET_NOTE=bare value # note\nPEM_TOKEN=\"line 1\nline 2\"\nEMPTY_SECRET=\nBAD SECRET=x\nLAST_TOKEN=z";
    let read: Vec<(String, String)> =
        read_env_file(text).into_iter().map(|secret| (secret.name, secret.value)).collect();
    let wanted = [
        ("api_key", "one two"),
        ("db_password", "a\nb # c"),
        ("secret_note", "bare value"),
        ("pem_token", "line 1\nline 2"),
        ("last_token", "z"),
    ];
    assert_eq!(read, wanted.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert!(is_secret_name("GITHUB_TOKEN") && !is_secret_name("PWD") && !is_secret_name("PATH"));
}

#[test]
fn x24_forty_kinds_and_more_are_known() {
    assert!(Redactor::kinds().len() >= 100, "{}", Redactor::kinds().len());
}

#[test]
fn x24_hostile_texts_stay_bounded_and_alike() {
    let redactor = Redactor::default();
    let long = "eyJ".repeat(2000);
    for text in [
        "-----BEGIN ".repeat(300),
        "-----BEGIN PRIVATE KEY-----".repeat(100),
        "password=".repeat(400),
        "sk-sk-sk_".repeat(300),
        "[redacted:".repeat(200),
        "[redacted:a]".repeat(200),
        format!("token = \"{}", "\\".repeat(3000)),
        "\u{0}\u{feff}é".repeat(500),
        "://a:".repeat(400),
        format!("-{long}-{long}"),
        format!("[redacted:{}]", "a".repeat(500)),
    ] {
        assert_sound(&redactor, &text);
        let mut stream = redactor.stream();
        for character in text.chars() {
            let _ = stream.push(character.encode_utf8(&mut [0; 4]));
            assert!(stream.held() < 4096, "{} bytes are kept back", stream.held());
        }
    }
}

fn pieces_of_secrets() -> impl Strategy<Value = String> {
    let words: Vec<String> = [
        "password",
        "token",
        " = ",
        ": ",
        "\"",
        "'",
        "\\\"",
        "\\n",
        "\n",
        "://",
        "a:",
        "@",
        "h",
        "gh",
        "p_",
        "sk-",
        "eyJ",
        ".",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "[redacted:",
        "key]",
        "[",
        "]",
        "AKIA",
        "xoxb-",
        "Bearer ",
        "é",
        "authorization",
        "%20",
        "\u{1b}[1m",
        "--",
        "Zx9Cv7Bn5Mq",
        "Horse99!",
        "MII",
        "8Q~",
        ":AA",
        "-us1",
        "=",
        "&",
        "\\",
        "1234567890",
    ]
    .iter()
    .map(ToString::to_string)
    .chain([
        body(20).to_owned(),
        body(36).to_owned(),
        HEX[..32].to_owned(),
        KEY_LINE.to_owned(),
        UPPER.to_owned(),
    ])
    .collect();
    proptest::collection::vec(proptest::sample::select(words), 0..24)
        .prop_map(|words| words.concat())
}

const UPPER: &str = "Q7Z5X3L0R6N4H8J2";

proptest! {
    #[test]
    fn x24_pieces_and_repetition_change_nothing(text in pieces_of_secrets()) {
        assert_sound(&Redactor::default(), &text);
        let exact = ["Horse99!", "8Q~", "]gh", "Bearer "].map(|value| ExactSecret { name: "own".into(), value: value.repeat(2) });
        let exact = exact.into_iter().chain([ExactSecret { name: "own".into(), value: "Horse99!".into() }]).collect();
        assert_sound(&Redactor::new(&RedactOptions { exact, ..RedactOptions::default() }), &text);
    }
}
