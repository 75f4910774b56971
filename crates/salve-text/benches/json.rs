//! How fast the tolerant reader is, against crates that do part of its work.
//!
//! In: data from a seeded generator. Out: one table, each line with the figure asked for and PASS or
//! BELOW. All times are medians of several rounds in one run, so that only their ratios matter.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use salve_text::{JsonParser, ParseMode, ParseOptions, parse_json};
use serde_json::Value;
use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

const MEGABYTE: usize = 1 << 20;
const ROUNDS: usize = 9;

fn main() {
    println!("peers: jiter 0.18 (default features), jsonrepair-rs 0.2 (default features)");
    println!("{:<44} {:>12} {:>12} {:>8}  verdict", "what", "ours", "peer/limit", "ratio");
    valid();
    broken();
    streaming();
    hostile();
}

fn report(what: &str, ours: Duration, limit: Duration) {
    let ratio = limit.as_secs_f64() / ours.as_secs_f64().max(1e-9);
    let verdict = if ratio >= 1.0 { "PASS" } else { "BELOW" };
    println!("{what:<44} {ours:>12.2?} {limit:>12.2?} {ratio:>7.2}x  {verdict}");
}

fn check(what: &str, good: bool) {
    println!("{what:<44} {:>12} {:>12} {:>8}  {}", "", "", "", if good { "PASS" } else { "BELOW" });
}

// (a) Valid JSON into our tree, against jiter into its value.
fn valid() {
    for (name, text) in [("dense", document(5 * MEGABYTE, 7)), ("pretty", pretty(5 * MEGABYTE, 8))]
    {
        let options = ParseOptions::default();
        let (ours, peer) = duel(
            || drop(black_box(parse_json(&text, &options))),
            || drop(black_box(jiter::JsonValue::parse(text.as_bytes(), false))),
        );
        report(&format!("valid 5 MB {name} vs jiter JsonValue"), ours, peer);
        let parsed = parse_json(&text, &options);
        let value = parsed.tree.root().map(|root| parsed.tree.to_value(root));
        let lossless = value == serde_json::from_str::<Value>(&text).ok();
        check("  same value as serde_json, no repairs", lossless && parsed.repairs().is_empty());
    }
}

// (b) Broken JSON into our tree, against jsonrepair-rs into text.
fn broken() {
    let text = damaged(5 * MEGABYTE, 9);
    let options = ParseOptions { mode: ParseMode::Text, ..ParseOptions::default() };
    let (ours, peer) = duel(
        || drop(black_box(parse_json(&text, &options))),
        || drop(black_box(jsonrepair_rs::jsonrepair(&text))),
    );
    report("broken 5 MB vs jsonrepair-rs to text", ours, peer);
    let parsed = parse_json(&text, &options);
    let strict = salve_text::replay(&text, &parsed.repairs());
    let value = parsed.tree.root().map(|root| parsed.tree.to_value(root));
    let replayed = serde_json::from_str::<Value>(&strict).ok();
    let theirs = jsonrepair_rs::jsonrepair(&text).ok();
    let theirs = theirs.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    check("  replay of the repairs gives the tree", value.is_some() && value == replayed);
    check("  same value as jsonrepair-rs", value == theirs);
}

// (c) 200 KB in pieces of four bytes, with a snapshot after each.
fn streaming() {
    let text = document(200 * 1024, 11);
    let twice = document(400 * 1024, 11);
    let (once, double) = duel(|| stream(&text), || stream(&twice));
    report("200 KB by 4 bytes, snapshot each", once, Duration::from_millis(100));
    report("  twice the input, at most 2.2x the work", double, once.mul_f64(2.2));
    check("  1000 snapshots equal the parse of the prefix", snapshots_agree(&text));
    let broken = damaged(200 * 1024, 12);
    let long = format!("{{\"text\": \"{}", "lorem ipsum, \\\"dolor\\\" sit\\n ".repeat(7000));
    report(
        "200 KB broken by 4 bytes, snapshot each",
        median(|| stream(&broken)),
        Duration::from_millis(100),
    );
    report("200 KB one string by 4 bytes", median(|| stream(&long)), Duration::from_millis(100));
}

fn stream(text: &str) {
    let mut parser = JsonParser::new(&ParseOptions::default());
    let mut start = 0;
    while start < text.len() {
        let end = boundary(text, start + 4);
        parser.push(&text[start..end]);
        black_box(parser.snapshot().root());
        start = end;
    }
    drop(black_box(parser.finish()));
}

fn snapshots_agree(text: &str) -> bool {
    let step = (text.len() / 1000).max(1);
    let options = ParseOptions::default();
    let mut parser = JsonParser::new(&options);
    let (mut start, mut agree) = (0, true);
    while start < text.len() {
        let end = boundary(text, start + step);
        parser.push(&text[start..end]);
        let tree = parser.snapshot();
        let seen = tree.root().map(|root| tree.to_value(root));
        let prefix = parse_json(&text[..end], &options);
        agree &= seen == prefix.tree.root().map(|root| prefix.tree.to_value(root));
        start = end;
    }
    agree
}

// (d) A megabyte of input made to hurt.
fn hostile() {
    let limit = Duration::from_millis(100);
    let repeated = |piece: &str| piece.repeat(MEGABYTE / piece.len());
    let cases = [
        ("[", repeated("[")),
        ("{", repeated("{")),
        ("{\"a\":", repeated("{\"a\":")),
        ("{\"a\": \"x}x}…", format!("{{\"a\": \"{}", repeated("x}"))),
        ("\"", repeated("\"")),
        ("'", repeated("'")),
        ("`", repeated("`")),
        ("\"\\", repeated("\"\\")),
        ("[\"a\" b\" ", format!("[{}", repeated("\"a\" b\" "))),
        ("{\"a\": \"x\" y \"", format!("{{\"a\": {}", repeated("\"x\" y "))),
        ("\", \"", format!("[\"{}", repeated("\", \""))),
        ("(((", repeated("(")),
        ("f(", repeated("f(")),
        ("f(x=", repeated("f(x=")),
        ("[}", repeated("[}")),
        ("[1,]}", repeated("[1,]}")),
        ("{}", repeated("{} ")),
        ("[/**/", format!("[{}", repeated("/**/"))),
        ("1_1", repeated("1_")),
        ("\"a\": ", format!("[{}", repeated("\"a\": "))),
        ("a, b", format!("{{\"a\": {}", repeated("a, b "))),
        ("\"+\"", format!("[\"{}", repeated("\"+\""))),
        ("```", repeated("``` ")),
        ("\"a, ", format!("[{}", repeated("\"a, "))),
        ("spaces", format!("[\"a\"{}", repeated(" "))),
        ("\\u", format!("[\"{}", repeated("\\u"))),
        ("{\"a\":{\":", repeated("{\"a\":{\":")),
        ("\"\"\"", format!("[{}", repeated("\"\"\" "))),
        ("[[1],[2]],", format!("{{\"a\":{}", repeated("[[1],[2]],"))),
    ];
    for (name, text) in &cases {
        for mode in [ParseMode::Llm, ParseMode::Text] {
            let options = ParseOptions { mode, ..ParseOptions::default() };
            let time = best_of_three(|| drop(black_box(parse_json(text, &options))));
            report(&format!("1 MB of {name} ({mode:?})"), time, limit);
        }
    }
}

// ---- Timing.

fn time(work: &mut impl FnMut()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| time(&mut work)).collect();
    times.sort();
    times[ROUNDS / 2]
}

fn best_of_three(mut work: impl FnMut()) -> Duration {
    (0..3).map(|_| time(&mut work)).min().unwrap_or_default()
}

// Both in turn, so that a slow moment of the machine meets both.
fn duel(mut ours: impl FnMut(), mut peer: impl FnMut()) -> (Duration, Duration) {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        first.push(time(&mut ours));
        second.push(time(&mut peer));
    }
    first.sort();
    second.sort();
    (first[ROUNDS / 2], second[ROUNDS / 2])
}

// ---- Data.

fn boundary(text: &str, mut end: usize) -> usize {
    while end < text.len() && !text.is_char_boundary(end) {
        end += 1;
    }
    end.min(text.len())
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

const WORDS: [&str; 12] = [
    "alpha",
    "beta",
    "the quick brown fox",
    "naïve",
    "src/main.rs",
    "line\\nbreak",
    "\\\"quoted\\\"",
    "x",
    "a longer sentence that goes on for a while, with commas",
    "12:30",
    "{not json}",
    "größer",
];

fn record(out: &mut String, random: &mut Random, quote: char, odd: bool) {
    let word = |random: &mut Random| WORDS[random.below(12) as usize];
    let (name, path, note) = (word(random), word(random), word(random));
    let id = random.below(1_000_000);
    let score = random.below(100_000);
    let flag = if random.below(2) == 0 { "true" } else { "false" };
    let q = quote;
    let end = if odd && random.below(3) == 0 { "," } else { "" };
    let comment = if odd && random.below(4) == 0 { " /* note */" } else { "" };
    let _ = write!(
        out,
        "{{{q}id{q}: {id}, {q}name{q}: {q}{name}{q},{comment} {q}path{q}: {q}{path}{q}, {q}ok{q}: {flag}, \
         {q}score{q}: -{score}.25e1, {q}tags{q}: [{q}{note}{q}, null, [1, 2, {id}]{end}]{end}}}"
    );
}

fn document(size: usize, seed: u64) -> String {
    let mut random = Random(seed);
    let mut out = String::from("{\"items\": [");
    while out.len() < size {
        record(&mut out, &mut random, '"', false);
        out.push_str(", ");
    }
    out.push_str("0], \"done\": true}");
    out
}

fn pretty(size: usize, seed: u64) -> String {
    let value: Value = serde_json::from_str(&document(size / 2, seed)).unwrap_or_default();
    serde_json::to_string_pretty(&value).unwrap_or_default()
}

// Single quotes, comments, trailing commas, and no end.
fn damaged(size: usize, seed: u64) -> String {
    let mut random = Random(seed);
    let mut out = String::from("{\"items\": [");
    while out.len() < size {
        let quote = if random.below(2) == 0 { '\'' } else { '"' };
        record(&mut out, &mut random, quote, true);
        out.push_str(",\n");
        if random.below(8) == 0 {
            out.push_str("// a comment\n");
        }
    }
    out.push_str("{\"id\": 1, \"name\": \"cut off he");
    out
}
