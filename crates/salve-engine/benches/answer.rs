//! How fast a healthy answer passes the ladder, and how judging grows with the text.
//!
//! In: generated answers: prose, chat with code, JSON with a schema, a tool call, long streams, and
//! hostile ones. Out: one table; each line with a goal ends in PASS or BELOW. Best of several rounds,
//! so that a busy machine disturbs little.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use salve_engine::answer::{
    AlreadySent, Caps, Ladder, LadderAction, StreamJudge, Wanted, WantedTool, judge,
};
use salve_model::{ModelReply, ToolCall};
use salve_text::CompiledSchema;
use salve_types::FinishReason;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: usize = 40;
const CALLS: u32 = 20;
// A healthy answer of a kilobyte may take this long.
const GOAL: Duration = Duration::from_micros(50);
// The end of a stream of a megabyte may take this long.
const END: Duration = Duration::from_micros(500);
const GROWTH: f64 = 2.2;

const PROSE: &str = "The parser reads one line at a time, and what it has read it never reads again. \
    That is why a long file takes no longer per line than a short one. When a line is broken, it \
    is set aside (with its place), and the rest goes on.\n\n";
const QUOTING: &str = "Set `limit = 4;` before the call, then `call({x: 1})` gives <b>four</b> lines; \
    the rest (`{..}`) is left as it was.\n\n";
const CHAT: &str = "Here is the function you asked for:\n\n```rust\nfn add(left: u64, right: u64) -> \
    u64 {\n    left + right\n}\n```\n\nIt adds two numbers; `add(1, 2)` gives 3.\n\n";

fn main() {
    println!("{:<52} {:>12} {:>8}  verdict", "what", "time", "growth");
    for (name, first, wanted) in healthy() {
        let took = best(|| {
            for _ in 0..CALLS {
                black_box(completed(black_box(&first), &wanted));
            }
        }) / CALLS;
        println!("{name:<52} {took:>12.1?} {:>8}  {}", "", verdict(took <= GOAL));
    }
    for (name, piece) in [("prose", PROSE), ("chat with code", CHAT)] {
        ended_stream(name, piece);
    }
    for (name, piece) in HOSTILE {
        let (small, large) =
            (piece.repeat(250_000 / piece.len()), piece.repeat(500_000 / piece.len()));
        let ratio = growth(&small, &large);
        println!("{name:<52} {:>12} {ratio:>7.2}x  {}", "", verdict(ratio <= GROWTH));
    }
}

const HOSTILE: &[(&str, &str)] = &[
    ("hostile: fences without end", "```\n"),
    ("hostile: brackets", "[{("),
    ("hostile: quotes and backslashes", "\\\"'"),
    ("hostile: tags", "<a b='"),
];

fn healthy() -> Vec<(&'static str, ModelReply, Arc<Wanted>)> {
    let stop = |text: String| ModelReply {
        text,
        finish: Some(FinishReason::Stop),
        ..ModelReply::default()
    };
    let record = serde_json::json!({"path": "src/main.rs", "content": PROSE.repeat(3)});
    let schema = serde_json::json!({
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"], "additionalProperties": false
    });
    let schema = CompiledSchema::new(schema).ok().map(Arc::new);
    let tool = WantedTool { name: "write_file".into(), schema: schema.clone() };
    let call =
        ToolCall { id: "1".into(), name: "write_file".into(), arguments: record.to_string() };
    let calls = ModelReply {
        tool_calls: vec![call],
        finish: Some(FinishReason::ToolCalls),
        ..ModelReply::default()
    };
    let any = Wanted::default();
    let all = [
        ("1 kB of prose", stop(PROSE.repeat(4)), any.clone()),
        ("1 kB of prose that quotes code", stop(QUOTING.repeat(7)), any.clone()),
        ("1 kB of chat with code", stop(CHAT.repeat(5)), any.clone()),
        ("1 kB of JSON with a schema", stop(record.to_string()), Wanted { schema, ..any.clone() }),
        ("1 kB of arguments with a schema", calls, Wanted { tools: vec![tool], ..any }),
    ];
    all.map(|(name, reply, wanted)| (name, reply, Arc::new(wanted))).into()
}

// A healthy answer asks for nothing.
fn completed(first: &ModelReply, wanted: &Arc<Wanted>) -> bool {
    let ladder =
        Ladder::new(first.clone(), wanted.clone(), Caps::default(), AlreadySent::default());
    matches!(ladder.next(), LadderAction::Done(completed) if completed.changed)
}

fn ended_stream(name: &str, piece: &str) {
    let wanted = Wanted::default();
    let text = piece.repeat(1_000_000 / piece.len());
    let reply = ModelReply { text, finish: Some(FinishReason::Stop), ..ModelReply::default() };
    let took = (0..ROUNDS)
        .map(|_| {
            let mut stream = StreamJudge::new(&wanted);
            for at in (0..reply.text.len()).step_by(64) {
                stream.push_text(
                    reply.text.get(at..(at + 64).min(reply.text.len())).unwrap_or_default(),
                );
            }
            let begun = Instant::now();
            let _ = black_box(stream.finish(&reply, &wanted));
            begun.elapsed()
        })
        .min()
        .unwrap_or_default();
    let name = format!("the end of a stream of 1 MB: {name}");
    println!("{name:<52} {took:>12.1?} {:>8}  {}", "", verdict(took <= END));
}

fn growth(small: &str, large: &str) -> f64 {
    let reply = |text: &str| ModelReply {
        text: text.to_owned(),
        finish: Some(FinishReason::Stop),
        ..ModelReply::default()
    };
    let wanted = Wanted::default();
    let time = |reply: &ModelReply| best(|| drop(black_box(judge(reply, &wanted))));
    time(&reply(large)).as_secs_f64() / time(&reply(small)).as_secs_f64()
}

fn best(work: impl Fn()) -> Duration {
    let once = |_| {
        let begun = Instant::now();
        work();
        begun.elapsed()
    };
    (0..ROUNDS).map(once).min().unwrap_or_default()
}

fn verdict(reached: bool) -> &'static str {
    if reached { "PASS" } else { "BELOW" }
}
