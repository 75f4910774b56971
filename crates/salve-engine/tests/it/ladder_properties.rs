//! The ladder under askers that are perfect, and under askers that are not.
//!
//! In: random answers, random cuts, random habits. Out: a perfect asker heals byte for byte;
//! whatever an asker does, nothing is called whole that it did not write, and no cap and no budget
//! is passed.

use crate::asking::{
    Asker, Perfect, call, complete, complete_sent, text, wants_person, wants_tools,
};
use FinishReason::{Length, Stop, ToolCalls};
use proptest::prelude::*;
use salve_engine::answer::{
    AlreadySent, AnswerVerdict, AskError, Caps, Completed, Completion, StreamJudge, Wanted, judge,
};
use salve_model::{FollowUp, ModelReply, Purpose};
use salve_types::{FinishReason, Usage};

fn words() -> impl Strategy<Value = String> {
    prop::collection::vec("[a-zA-Zäß日]{1,9}", 1..40).prop_map(|words| words.join(" ") + ".\n")
}

fn code() -> impl Strategy<Value = String> {
    prop::collection::vec(("[a-z]{3,8}", "[a-z]{3,8}", 0_u32..999), 1..8).prop_map(|functions| {
        let one = |(name, value, number): (String, String, u32)| {
            format!("fn {name}_{number}() {{\n    let {value} = \"{value} {number}\";\n}}\n")
        };
        functions.into_iter().map(one).collect::<Vec<_>>().join("\n")
    })
}

fn chat() -> impl Strategy<Value = String> {
    (words(), code(), words())
        .prop_map(|(before, code, after)| format!("{before}\n```rust\n{code}```\n\n{after}"))
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i32>().prop_map(Into::into),
        "[ -~äß日\n\t]{0,30}".prop_map(Into::into),
    ];
    let tree = leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::hash_map("[a-z]{1,8}", inner, 0..5)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    });
    prop::collection::hash_map("[a-z]{1,8}", tree, 1..5)
        .prop_map(|map| serde_json::Value::Object(map.into_iter().collect()))
}

fn cut(text: &str, at: prop::sample::Index) -> &str {
    let mut end = 1 + at.index(text.len().saturating_sub(1).max(1));
    while !text.is_char_boundary(end) {
        end += 1;
    }
    &text[..end]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_perfect_asker_heals_chat_byte_for_byte(whole in chat(), at: prop::sample::Index, thirds: bool) {
        let piece = if thirds { whole.len() / 3 + 1 } else { whole.len() };
        let mut asker = Perfect { whole: text(&whole, Stop), piece, asked: Vec::new() };
        let completed = complete(text(cut(&whole, at), Length), &Wanted::default(), &mut asker);
        prop_assert_eq!(&completed.state, &Completion::Whole);
        prop_assert_eq!(completed.reply.text.trim_end(), whole.trim_end());
    }

    #[test]
    fn a_perfect_asker_heals_json_byte_for_byte(
        value in json(), pretty: bool, at: prop::sample::Index, lying: bool,
    ) {
        let whole = if pretty { format!("{value:#}") } else { value.to_string() };
        let mut asker = Perfect { whole: text(&whole, Stop), piece: whole.len() / 2 + 1, asked: Vec::new() };
        let finish = if lying { Stop } else { Length };
        let wanted = Wanted { json: true, ..Wanted::default() };
        let completed = complete(text(cut(&whole, at), finish), &wanted, &mut asker);
        prop_assert_eq!(&completed.state, &Completion::Whole);
        prop_assert_eq!(&completed.reply.text, &whole);
    }

    #[test]
    fn a_perfect_asker_heals_arguments_byte_for_byte(
        path in "[a-z/.]{1,20}", content in chat(), at: prop::sample::Index, lying: bool,
    ) {
        let arguments = serde_json::json!({"path": path, "content": content}).to_string();
        let whole = call("write_file", &arguments, ToolCalls);
        let mut asker = Perfect { whole: whole.clone(), piece: arguments.len() / 2 + 1, asked: Vec::new() };
        let finish = if lying { ToolCalls } else { Length };
        let first = call("write_file", cut(&arguments, at), finish);
        let completed = complete(first, &wants_tools(), &mut asker);
        prop_assert_eq!(&completed.state, &Completion::Whole);
        prop_assert_eq!(&completed.reply.tool_calls, &whole.tool_calls);
    }

    #[test]
    fn t11_the_verdict_is_the_same_at_any_chunking(
        whole in chat(), at: prop::sample::Index, sizes in prop::collection::vec(1_usize..90, 1..9),
        copies in 1_usize..60, finish in prop_oneof![Just(Stop), Just(Length)],
    ) {
        let whole = whole.repeat(copies);
        let reply = text(cut(&whole, at), finish);
        let mut stream = StreamJudge::new(&Wanted::default());
        let mut rest = reply.text.as_str();
        for size in sizes.iter().cycle() {
            let mut end = (*size).min(rest.len());
            while !rest.is_char_boundary(end) {
                end += 1;
            }
            stream.push_text(&rest[..end]);
            rest = &rest[end..];
            if rest.is_empty() {
                break;
            }
        }
        prop_assert!(stream.state_bytes() <= 256 * 1024);
        prop_assert_eq!(stream.finish(&reply, &Wanted::default()), judge(&reply, &Wanted::default()));
    }
}

/// What a bad asker does next.
#[derive(Debug, Clone)]
enum Habit {
    GoesOn(usize),
    Echoes(usize),
    SaysNothing,
    Garbles(String),
    StartsOver,
    Talks,
    Calls(String),
    Fails,
}

fn habits() -> impl Strategy<Value = Vec<Habit>> {
    let one = prop_oneof![
        (1_usize..60).prop_map(Habit::GoesOn),
        (1_usize..60).prop_map(Habit::Echoes),
        Just(Habit::SaysNothing),
        "[ -~\n]{0,60}".prop_map(Habit::Garbles),
        Just(Habit::StartsOver),
        Just(Habit::Talks),
        r#"[{}\[\]":a-z0-9, ]{0,40}"#.prop_map(Habit::Calls),
        Just(Habit::Fails),
    ];
    prop::collection::vec(one, 1..12)
}

/// Follows its habits inside a budget that is reserved before every call.
struct Bad {
    whole: String,
    name: Option<&'static str>,
    habits: Vec<Habit>,
    left: u64,
    spent: u64,
    calls: usize,
    refused: bool,
    written: String,
}

const WORST: u64 = 100;

impl Bad {
    fn reply(&self, habit: &Habit, so_far: &str) -> Result<ModelReply, AskError> {
        let rest = self.whole.strip_prefix(so_far).unwrap_or(&self.whole);
        let head = |text: &str, size: usize| text.chars().take(size).collect::<String>();
        let tail = |text: &str, size: usize| {
            text.chars().skip(text.chars().count().saturating_sub(size)).collect::<String>()
        };
        Ok(match habit {
            Habit::GoesOn(size) => text(&head(rest, *size), Length),
            Habit::Echoes(size) => text(&tail(so_far, *size), Stop),
            Habit::SaysNothing => text("", Stop),
            Habit::Garbles(words) => text(words, Stop),
            Habit::StartsOver => match self.name {
                Some(name) => call(name, &self.whole, ToolCalls),
                None => text(&self.whole, Stop),
            },
            Habit::Talks => text("Sure! Here is the rest of the answer:", Stop),
            Habit::Calls(arguments) => call(self.name.unwrap_or("list"), arguments, ToolCalls),
            Habit::Fails => return Err(AskError::Failed("503".into())),
        })
    }
}

impl Asker for Bad {
    fn ask(&mut self, follow_up: &FollowUp) -> Result<ModelReply, AskError> {
        assert!(!self.refused, "asked again after the budget was gone");
        self.calls += 1;
        if self.left < WORST {
            self.refused = true;
            return Err(AskError::OverBudget(format!("{} left, {WORST} needed", self.left)));
        }
        let habit = self.habits[(self.calls - 1) % self.habits.len()].clone();
        let so_far = follow_up.turns.first().map(|turn| turn.text.as_str()).unwrap_or_default();
        let reply = self.reply(&habit, so_far);
        let mut reply = reply?;
        let took = WORST.min(1 + reply.text.len() as u64);
        self.left -= took;
        self.spent += took;
        reply.usage = Some(Usage { output_tokens: took, ..Usage::default() });
        note(&mut self.written, &reply);
        Ok(reply)
    }
}

fn note(written: &mut String, reply: &ModelReply) {
    written.push_str(&reply.text);
    for call in &reply.tool_calls {
        written.push_str(&call.arguments);
    }
}

// Every letter of the answer is in what was written, in that order.
fn is_written(answer: &str, written: &str) -> bool {
    let mut letters = written.chars().filter(|letter| !letter.is_whitespace());
    answer.chars().filter(|it| !it.is_whitespace()).all(|it| letters.any(|other| other == it))
}

fn check(
    completed: &Completed,
    bad: &Bad,
    budget: u64,
    wanted: &Wanted,
) -> Result<(), TestCaseError> {
    let caps = Caps::default();
    prop_assert!(completed.count(Purpose::Resume) <= caps.resumes);
    prop_assert!(completed.count(Purpose::Rework) <= caps.reworks);
    prop_assert!(completed.count(Purpose::Retry) <= caps.retries);
    prop_assert_eq!(bad.calls, completed.steps.len());
    prop_assert!(bad.spent <= budget);
    if completed.state == Completion::Whole {
        prop_assert!(is_written(&completed.reply.text, &bad.written), "{:?}", completed);
        let mut again = completed.reply.clone();
        again.finish.get_or_insert(Stop);
        let settled = matches!(judge(&again, wanted), AnswerVerdict::Whole(_));
        // A text that only looks cut is whole when the model has nothing to add, tools or none.
        let doubted = wanted.schema.is_none() && completed.reply.tool_calls.is_empty();
        prop_assert!(settled || doubted, "{:?}", completed);
    }
    // No call is passed on whose arguments were not written by the model, or that does not fit.
    for call in &completed.reply.tool_calls {
        let value: Result<serde_json::Value, _> = serde_json::from_str(&call.arguments);
        prop_assert!(value.is_ok(), "{:?}", completed);
        let empty = call.arguments == "{}";
        prop_assert!(empty || is_written(&call.arguments, &bad.written), "{:?}", completed);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn o22_x02_no_asker_passes_a_cap_a_budget_or_an_invention(
        whole in chat(), kind in 0_u8..3, at: prop::sample::Index, habits in habits(),
        budget in 0_u64..900, sent: bool, lying: bool,
    ) {
        let finish = if lying { Stop } else { Length };
        let (wanted, whole, name) = match kind {
            0 => (Wanted::default(), whole, None),
            1 => (wants_person(), serde_json::json!({"name": whole, "age": 7}).to_string(), None),
            _ => {
                let arguments = serde_json::json!({"path": "a", "content": whole}).to_string();
                (wants_tools(), arguments, Some("write_file"))
            }
        };
        let first = match name {
            Some(name) => call(name, cut(&whole, at), finish),
            None => text(cut(&whole, at), finish),
        };
        let sent = if sent && kind == 0 { first.text.len() } else { 0 };
        let mut written = String::new();
        note(&mut written, &first);
        let mut bad = Bad {
            whole, name, habits, left: budget, spent: 0, calls: 0, refused: false, written,
        };
        let so_far = first.text.clone();
        let sent = AlreadySent { text: sent, tool_calls: 0 };
        let completed = complete_sent(first, &wanted, &mut bad, sent);
        check(&completed, &bad, budget, &wanted)?;
        prop_assert!(completed.reply.text.starts_with(&so_far[..sent.text]));
    }
}
