//! The five scenes of the demo.
//!
//! In: replies as models send them. Out: each played through the public functions of the stages.
//! Never compares with a stored answer: a scene is healed when the stages prove it.

use super::stage::{Shown, Stage};
use salve_engine::pipeline::{PipelineOptions, Received, Resumed, judge_text, receive, resume};
use salve_text::{CleanOptions, ParseOptions, PromptOptions, clean, parse_json, resume_prompt};
use salve_types::{Language, RawReply, TruncationKind, Verdict};

/// One failure and how it is healed.
pub(crate) struct Scene {
    pub(crate) title: &'static str,
    pub(crate) play: fn() -> Shown,
}

/// Lists the scenes in the order they are shown.
pub(crate) fn all() -> [Scene; 5] {
    [
        Scene { title: "TSX cut inside an attribute", play: cut_attribute },
        Scene { title: "JSON cut inside a string", play: cut_json },
        Scene { title: "A chatty fence with fences inside", play: nested_fence },
        Scene { title: "Apostrophes that are no strings", play: apostrophes },
        Scene { title: "A continuation that repeats itself", play: repeating_continuation },
    ]
}

const CARD: &str = "\
export function Card({ title }: { title: string }) {
  return (
    <section className=\"rounded-xl bg-gradient-to-r from-zinc-9";

const CARD_REST: &str = "\
Continuing from where I left off:
```tsx
    <section className=\"rounded-xl bg-gradient-to-r from-zinc-900 to-black\">
      <h2>{title}</h2>
    </section>
  );
}
```
";

fn cut_attribute() -> Shown {
    let mut stage = Stage::default();
    stage.received(CARD);
    let received = receive_as(CARD, Language::Tsx);
    let Received::Cut(cut) = received else {
        stage.says("inspect", "not recognised as cut");
        return stage.end(false);
    };
    stage.says("inspect", &in_words(cut.verdict()));
    if let Ok(prompt) = resume_prompt(cut.text(), cut.verdict(), &PromptOptions::default()) {
        let first = prompt.lines().find(|line| line.contains("FIRST")).unwrap_or_default();
        stage.says(
            "resume",
            &format!("prompt of {} lines; {}", prompt.lines().count(), first.trim()),
        );
    }
    finish_join(stage, resume(&cut, CARD_REST, &PipelineOptions::default()), CARD_REST)
}

const TOOL_CALL: &str = "\
{\"path\": \"src/app.ts\", \"overwrite\": true, \"content\": \"export const port = 80";

fn cut_json() -> Shown {
    let mut stage = Stage::default();
    stage.received(TOOL_CALL);
    let parsed = parse_json(TOOL_CALL, &ParseOptions::default());
    stage.says("elsewhere", "the quote and the brace are added and half a file is written");
    for repair in &parsed.repairs() {
        stage.says("parse", &format!("{} at byte {}", repair.code.name(), repair.span.start));
    }
    stage.says("marked", &format!("incomplete: {}", parsed.incomplete_paths().join(", ")));
    stage.result(&format!("{:#}", parsed.value()));
    stage.says("so", "`path` may be used; `content` may be shown, never written");
    let marked = parsed.incomplete_paths().iter().any(|path| path.contains("content"));
    stage.end(!parsed.complete && marked)
}

const README_REPLY: &str = "\
Of course! Here is the README you asked for:

```markdown
# Pump

Install it:

```bash
cargo install pump
```

Then run `pump --help`.
```

Let me know if you want badges too!
";

fn nested_fence() -> Shown {
    let mut stage = Stage::default();
    stage.received(README_REPLY);
    let options = CleanOptions { language: Some(Language::Markdown), ..CleanOptions::default() };
    let reply = clean(&RawReply::from_text(README_REPLY), &options);
    for aside in reply.aside() {
        let place = reply.aside_text(aside).trim().lines().next().unwrap_or_default();
        stage.says("clean", &format!("set aside {}: {place}", aside.reason.name()));
    }
    stage.result(reply.text());
    let intact =
        reply.text().starts_with("# Pump") && reply.text().trim_end().ends_with("--help`.");
    stage.end(intact && reply.text().contains("```bash\n"))
}

const APOSTROPHES: &[(Language, &str)] = &[
    (Language::JavaScript, "let n = 1; // don't touch\n"),
    (Language::Html, "<p>It's fine</p>\n"),
    (Language::Rust, "fn f<'a>(x: &'a str) -> &'a str { x }\n"),
    (Language::TypeScript, "const t = /[\"']/.test(s) && a < b;\n"),
];

fn apostrophes() -> Shown {
    let mut stage = Stage::default();
    let mut right = true;
    for &(language, text) in APOSTROPHES {
        stage.received(text);
        let verdict = verdict_of(text, language);
        let naive = if odd_quotes(text) { "CUT" } else { "whole" };
        let ours = if verdict.is_valid { "whole" } else { "CUT" };
        stage.says("inspect", &format!("{ours}  (counting quotes says: {naive})"));
        right &= verdict.is_valid;
    }
    stage.end(right)
}

const TOTAL: &str = "\
def total(prices, tax):
    net = sum(prices)
    return net * (1 + ta";

const TOTAL_REST: &str = "    net = sum(prices)
    return net * (1 + tax)


print(total([1, 2], 0.2))
";

fn repeating_continuation() -> Shown {
    let mut stage = Stage::default();
    stage.received(TOTAL);
    let Received::Cut(cut) = receive_as(TOTAL, Language::Python) else {
        stage.says("inspect", "not recognised as cut");
        return stage.end(false);
    };
    stage.says("inspect", &in_words(cut.verdict()));
    finish_join(stage, resume(&cut, TOTAL_REST, &PipelineOptions::default()), TOTAL_REST)
}

fn finish_join(mut stage: Stage, resumed: Resumed, continuation: &str) -> Shown {
    stage.continued(continuation);
    match resumed {
        Resumed::Refused(_) => {
            stage.says("stitch", "refused");
            stage.end(false)
        }
        Resumed::Joined { received, stitch } => {
            for dropped in &stitch.dropped {
                let shown = crate::render::shortened(dropped.text.trim());
                stage.says(
                    "stitch",
                    &format!("dropped {}: {shown}", crate::output::word(&dropped.reason)),
                );
            }
            let verdict = received.verdict();
            stage.says("inspect", &in_words(verdict));
            stage.result(received.text());
            let whole = matches!(*received, Received::Whole(_));
            stage.end(whole)
        }
    }
}

fn receive_as(text: &str, language: Language) -> Received {
    let raw = RawReply { language: Some(language), ..RawReply::from_text(text) };
    receive(&raw, &PipelineOptions::default())
}

fn verdict_of(text: &str, language: Language) -> Verdict {
    let raw = RawReply { language: Some(language), ..RawReply::from_text(text) };
    judge_text(&raw, &PipelineOptions::default()).verdict
}

fn in_words(verdict: &Verdict) -> String {
    match verdict.kind {
        None => "whole".to_owned(),
        Some(kind) => cut_in_words(kind, verdict),
    }
}

fn cut_in_words(kind: TruncationKind, verdict: &Verdict) -> String {
    let line = verdict.truncation_line.unwrap_or(1);
    let opened =
        verdict.opened_at_line.map_or_else(String::new, |line| format!(", opened at line {line}"));
    let closing = crate::render::shortened(&verdict.closing);
    format!("{} at line {line}{opened}; would be closed by {closing}", kind.name())
}

// What naive checkers do: a text with an odd number of quotes is taken for cut.
fn odd_quotes(text: &str) -> bool {
    ['"', '\''].iter().any(|&quote| text.matches(quote).count() % 2 == 1)
}
