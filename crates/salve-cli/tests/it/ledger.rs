//! Keys, calls and statistics: made by commands, read by commands, in the user's data folder.
//!
//! In: a data folder of the test's own, with rows a gateway could have written. Out: what each command
//! prints. Never the user's own ledger.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failure here is a failed test")]

use crate::run::{Ended, folder, salve_in};
use salve_store::{
    AnswerOutcome, AnswerStat, CallOutcome, NewCall, Redact, Reservation, Settled, Spend, Store,
    StoreOptions, StreamRedactor, WorstCase,
};
use salve_types::{Timestamp, Usage};
use std::path::Path;
use std::sync::Arc;

/// Keeps every text as it is.
pub(crate) struct AsItIs;

impl Redact for AsItIs {
    fn redact(&self, text: &str) -> String {
        text.to_owned()
    }

    fn stream(&self) -> Box<dyn StreamRedactor> {
        Box::new(AsItIs)
    }
}

impl StreamRedactor for AsItIs {
    fn push(&mut self, piece: &str) -> String {
        piece.to_owned()
    }

    fn finish(&mut self) -> String {
        String::new()
    }
}

fn salve_at(place: &Path, arguments: &[&str]) -> Ended {
    salve_in(arguments, "", place, &[("SALVE_DATA", place.join("data").to_str().unwrap())])
}

/// Writes what a gateway could have written: a healed call, and one whose process died.
fn fill(place: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let clock = Arc::new(|| Timestamp(1_700_000_000_000));
        let options = StoreOptions::new(clock, Arc::new(AsItIs), "gateway");
        let store = Store::open(&place.join("data/salve.db"), options).await.unwrap();
        let new = || NewCall {
            purpose: "first".to_owned(),
            dialect: "chat".to_owned(),
            provider: "upstream".to_owned(),
            model: "model-a".to_owned(),
            worst: WorstCase {
                prompt: Spend { tokens: 10, micro_dollars: 10 },
                answer: Spend { tokens: 100, micro_dollars: 1000 },
            },
            ..NewCall::default()
        };
        let reserve = async || match store.reserve_unkeyed(new()).await.unwrap() {
            Reservation::Fresh(open) => open,
            other => panic!("{other:?}"),
        };
        let mut healed = reserve().await;
        healed.append("{\"a\": 1");
        let settled = Settled {
            outcome: CallOutcome::Healed,
            usage: Some(Usage { input_tokens: 9, output_tokens: 5, ..Usage::default() }),
            micro_dollars: Some(59),
            text: Some("{\"a\": 1}".to_owned()),
            stat: Some(AnswerStat {
                kind: Some("OPEN_JSON".to_owned()),
                model: "model-a".to_owned(),
                language: "json".to_owned(),
                outcome: AnswerOutcome::Healed,
            }),
            ..Settled::default()
        };
        healed.settle(settled).await.unwrap();
        let mut lost = reserve().await;
        lost.append("half");
        lost.save().await.unwrap();
        std::mem::forget(lost);
        store.close().await;
    });
}

#[test]
fn a_key_is_shown_once_listed_and_revoked() {
    let place = folder("ledger_keys");
    assert_eq!(salve_at(&place, &["keys", "list"]).out, "no keys yet\n");
    assert!(!place.join("data").exists(), "looking makes nothing");
    let arguments =
        ["keys", "add", "--name", "ci", "--tokens-per-day", "1000", "--dollars-per-day", "2.5"];
    let added = salve_at(&place, &arguments);
    assert_eq!(added.code, Some(0), "{}", added.err);
    let secret = added.out.trim();
    assert!(secret.starts_with("salve_") && secret.len() == 70, "{secret}");
    let taken = salve_at(&place, &["keys", "add", "--name", "ci"]);
    assert_eq!((taken.code, taken.err.contains("choose another name")), (Some(2), true));

    let listed = salve_at(&place, &["keys", "list"]);
    let expected = ["ci", &secret[..12], "0 of 1000", "$0.0000 of $2.5000", "in force"];
    for word in expected {
        assert!(listed.out.contains(word), "{word}: {}", listed.out);
    }
    assert!(!listed.out.contains(secret));
    let json = salve_at(&place, &["keys", "list", "--format", "json"]).json();
    assert_eq!(json[0]["tokensPerDay"], 1000);
    assert_eq!(json[0]["microDollarsPerDay"], 2_500_000);
    assert_eq!(json[0]["today"]["spent"]["tokens"], 0);
    assert!(!json.to_string().contains(secret));

    assert_eq!(salve_at(&place, &["keys", "revoke", "ci"]).out, "revoked: ci\n");
    assert!(salve_at(&place, &["keys", "list"]).out.contains("revoked"));
    let again = salve_at(&place, &["keys", "revoke", "ci"]);
    assert_eq!((again.code, again.err.contains("salve keys list")), (Some(2), true), "{again:?}");
    for entry in std::fs::read_dir(place.join("data")).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
    }
}

#[test]
fn bad_names_and_amounts_are_refused() {
    let place = folder("ledger_refused");
    for bad in [
        &["keys", "add", "--name", " "][..],
        &["keys", "add", "--name", "a", "--dollars-per-day", "-1"],
        &["keys", "add", "--name", "a", "--dollars-per-day", "nan"],
        &["keys", "add", "--name", "a", "--requests-per-minute", "0"],
        &["keys", "revoke", "nobody"],
        &["calls", "show", "1"],
        &["stats", "--days", "0"],
        &["stats", "--format", "sarif"],
    ] {
        assert_eq!(salve_at(&place, bad).code, Some(2), "{bad:?}");
    }
    assert!(!place.join("data").exists(), "what is refused makes nothing");
}

#[test]
fn calls_are_listed_with_the_unknown_ones_marked() {
    let place = folder("ledger_calls");
    assert_eq!(salve_at(&place, &["calls", "list"]).out, "no calls\n");
    fill(&place);
    let listed = salve_at(&place, &["calls", "list"]);
    let lines: Vec<&str> = listed.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", listed.out);
    assert!(lines[1].contains("unknown") && lines[2].contains("healed"), "{}", listed.out);
    assert!(listed.err.contains("1 unknown"), "{}", listed.err);
    for command in ["calls", "keys", "jobs"] {
        let (alone, asked) = (salve_at(&place, &[command]), salve_at(&place, &[command, "list"]));
        assert_eq!((alone.code, &alone.out), (Some(0), &asked.out), "{command}: {}", alone.err);
    }
    let unknown = salve_at(&place, &["calls", "list", "--state", "unknown", "--format", "jsonl"]);
    assert_eq!(unknown.lines().len(), 1);
    assert_eq!(unknown.lines()[0]["id"], 2);

    let resolved = salve_at(&place, &["calls", "resolve", "2", "--as", "worst"]);
    assert_eq!(resolved.code, Some(0), "{}", resolved.err);
    let again = salve_at(&place, &["calls", "resolve", "2", "--as", "worst"]);
    assert_eq!((again.code, again.err.contains("settled already")), (Some(2), true));
    let call = salve_at(&place, &["calls", "show", "2", "--format", "json"]).json();
    assert_eq!(
        (call["outcome"].as_str(), call["usage"]["input_tokens"].as_u64()),
        (Some("resolved"), Some(110))
    );
}

#[test]
fn x20_a_call_is_exported_with_its_three_texts() {
    let place = folder("ledger_export");
    fill(&place);
    let call = salve_at(&place, &["calls", "show", "1", "--format", "json"]).json();
    assert_eq!(
        call["texts"],
        serde_json::json!({ "raw": "{\"a\": 1", "partial": null, "result": "{\"a\": 1}" })
    );
    assert_eq!(
        (call["state"].as_str(), call["outcome"].as_str()),
        (Some("settled"), Some("healed"))
    );
    assert_eq!(call["microDollars"], 59);
    let shown = salve_at(&place, &["calls", "show", "1"]).out;
    for words in [
        "outcome",
        "healed",
        "9 in, 5 out",
        "$0.0001",
        "OPEN_JSON",
        "raw (7 bytes)",
        "result (8 bytes)",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let half = salve_at(&place, &["calls", "show", "2", "--format", "json"]).json();
    assert_eq!(
        (half["state"].as_str(), half["texts"]["raw"].as_str()),
        (Some("unknown"), Some("half"))
    );
}

#[test]
fn t38_statistics_count_and_take_marks() {
    let place = folder("ledger_stats");
    assert_eq!(salve_at(&place, &["stats"]).out, "no answer was judged yet\n");
    fill(&place);
    let marked = salve_at(&place, &["calls", "false-alarm", "1"]);
    assert_eq!(marked.code, Some(0), "{}", marked.err);
    let unmarked = salve_at(&place, &["calls", "false-alarm", "2"]);
    assert_eq!((unmarked.code, unmarked.err.contains("not judged to be cut")), (Some(2), true));
    let stats = salve_at(&place, &["stats", "--format", "json"]).json();
    assert_eq!(stats["total"]["healed"], 1);
    assert_eq!(stats["total"]["falseAlarms"], 1);
    assert_eq!(stats["byKind"][0]["name"], "OPEN_JSON");
    assert_eq!(stats["byModel"][0]["healRate"], 1.0);
    let table = salve_at(&place, &["stats"]).out;
    assert!(table.contains("heal rate") && table.contains("100.0 %"), "{table}");
    // What was judged long ago is not of today.
    assert_eq!(salve_at(&place, &["stats", "--days", "1"]).out, "no answer was judged yet\n");
}
