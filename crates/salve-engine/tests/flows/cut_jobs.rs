//! Random cuts over many answers, on the engine.
//!
//! In: answers in several languages, and a model that cuts them, lies about it, fails and mostly goes
//! on perfectly. Out: no job is completed with an answer that is not whole, and no part of an answer
//! is lost. 150 answers, or as many as `SALVE_CUT_JOBS` says.

use crate::bench::{Answer, Bench, Told, input, refused, said};
use FinishReason::{Length, Stop};
use salve_engine::answer::{AnswerVerdict, Wanted, judge};
use salve_engine::jobs::{CONTINUE_SIGNAL, GenerateInput, Generation, JobStatus};
use salve_jobs::{Happened, JobId, JobState, Json};
use salve_model::{ModelError, ModelReply, ModelRequest, Speaker};
use salve_types::{FinishReason, Language};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Numbers that look random and are the same each time.
#[derive(Clone)]
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).expect("it fits") % limit.max(1)
    }
}

#[derive(Clone)]
struct Case {
    whole: String,
    language: Option<Language>,
    // Whether the model ever says something that is not in the answer.
    honest: bool,
    dice: Dice,
    heard: Vec<String>,
}

fn code(dice: &mut Dice) -> (String, Option<Language>) {
    let count = 2 + dice.below(5);
    let kind = dice.below(4);
    let part = |at: usize, dice: &mut Dice| {
        let number = dice.below(9000) + 1000;
        match kind {
            0 => format!(
                "fn part_{at}() -> u32 {{\n    let text = \"number {number}\";\n    text.len() as u32 + {number}\n}}\n"
            ),
            1 => format!(
                "function part{at}(value) {{\n  const text = `number ${{value}}`;\n  return [text, {number}];\n}}\n"
            ),
            2 => format!(
                "  \"part_{at}\": {{\"text\": \"number {number}\", \"list\": [{number}, null, true]}}"
            ),
            _ => format!(
                "## Part {at}\n\nHere is number {number}.\n\n```rust\nfn part_{at}() {{\n    call({number});\n}}\n```\n"
            ),
        }
    };
    let parts: Vec<String> = (0..count).map(|at| part(at, dice)).collect();
    match kind {
        0 => (parts.join("\n"), Some(Language::Rust)),
        1 => (parts.join("\n"), Some(Language::JavaScript)),
        2 => (format!("{{\n{}\n}}", parts.join(",\n")), Some(Language::Json)),
        _ => (format!("{}\nThat is all.\n", parts.join("\n")), None),
    }
}

impl Case {
    fn new(number: usize) -> Self {
        let mut dice = Dice::new(number as u64 + 1);
        let (whole, language) = code(&mut dice);
        Self { whole, language, honest: dice.below(3) > 0, dice, heard: Vec::new() }
    }

    fn input(&self) -> GenerateInput {
        let json = self.language == Some(Language::Json);
        let language = self.language.filter(|_| !json).map(|language| language.name().to_owned());
        GenerateInput { language, json, ..input() }
    }

    fn wanted(&self) -> Wanted {
        let json = self.language == Some(Language::Json);
        Wanted { language: self.language.filter(|_| !json), json, ..Wanted::default() }
    }

    fn answer(&mut self, request: &ModelRequest) -> Answer {
        let spoken = request.turns.iter().rfind(|turn| turn.speaker == Speaker::Assistant);
        let said_before = spoken.map_or("", |turn| turn.text.as_str());
        let Some(rest) = self.whole.strip_prefix(said_before).map(str::to_owned) else {
            return self.hear(&self.whole.clone(), Stop);
        };
        match self.dice.below(12) {
            0 => return refused(503),
            1 => return Err(ModelError::Unreachable { message: "it broke".into() }),
            2 if !self.honest => {
                return self.hear("I am sorry, I cannot go on with this right now", Stop);
            }
            3 if !self.honest => return self.hear("", Stop),
            _ => {}
        }
        if self.dice.below(5) > 1 && !said_before.is_empty() {
            return self.hear(&rest, Stop);
        }
        let mut end = 1 + self.dice.below(rest.len().max(2) - 1);
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let lies = !self.honest && self.dice.below(2) == 0;
        let finish = if lies || end >= rest.len() { Stop } else { Length };
        self.hear(&rest[..end], finish)
    }

    fn hear(&mut self, text: &str, finish: FinishReason) -> Answer {
        self.heard.push(text.to_owned());
        said(text, finish)
    }
}

fn count() -> usize {
    #[expect(clippy::disallowed_methods, reason = "how long a test runs is for its caller to say")]
    let said = std::env::var("SALVE_CUT_JOBS").ok();
    said.and_then(|count| count.parse().ok()).unwrap_or(150)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t33_no_job_is_completed_with_an_invalid_verdict_and_no_partial_is_lost() {
    let cases: Vec<Case> = (0..count()).map(Case::new).collect();
    let shared: HashMap<String, Mutex<Case>> = cases
        .iter()
        .enumerate()
        .map(|(at, case)| (format!("answer {at}"), Mutex::new(case.clone())))
        .collect();
    let shared = Arc::new(shared);
    let model = Arc::clone(&shared);
    let model =
        Told::new(move |request, _| model[&request.turns[0].text].lock().unwrap().answer(request));
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::new(folder.path(), model).await;
    let mut ids = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        ids.push(bench.generate(&format!("cut-{at}"), &format!("answer {at}"), case.input()).await);
    }
    let mut ends: HashMap<JobStatus, usize> = HashMap::new();
    for (at, id) in ids.iter().enumerate() {
        let ended = [JobStatus::Completed, JobStatus::NeedsAttention, JobStatus::Failed];
        let job = bench.until_one_of(id, &ended).await;
        *ends.entry(job.status).or_default() += 1;
        let case = shared[&format!("answer {at}")].lock().unwrap().clone();
        check(&bench, id, &case, &job).await;
    }
    println!("{} answers: {ends:?}", cases.len());
    assert!(ends[&JobStatus::Completed] > cases.len() / 2, "{ends:?}");
    bench.stop().await;
}

async fn check(bench: &Bench, id: &JobId, case: &Case, job: &Generation) {
    match job.status {
        JobStatus::Completed => {
            let text = job.code_result.clone().expect("a completed job has a result");
            assert_eq!((&job.partial_output, &job.facts.validation_error), (&None, &None));
            let reply =
                ModelReply { text: text.clone(), finish: Some(Stop), ..ModelReply::default() };
            let verdict = judge(&reply, &case.wanted());
            assert!(matches!(verdict, AnswerVerdict::Whole(_)), "{id}: {text}");
            if case.honest {
                assert_eq!(text.trim_end(), case.whole.trim_end(), "{id}");
            }
        }
        JobStatus::NeedsAttention => {
            assert_eq!(job.code_result, None);
            assert!(job.facts.validation_error.is_some(), "{id}: {job:?}");
            let partial = job.partial_output.clone().expect("what arrived is kept");
            if case.honest {
                assert!(case.whole.starts_with(partial.trim_end()), "{id}: {partial}");
                assert!(partial.len() >= case.heard[0].trim_end().len(), "{id}: {partial}");
            }
            bench.tell(id, CONTINUE_SIGNAL, Json::Null).await;
            let done = bench.until(id, JobStatus::CompletedPartial).await;
            assert_eq!((done.code_result, done.partial_output), (None, Some(partial)));
        }
        _ => assert!(case.heard.is_empty(), "{id} had something to lose: {job:?}"),
    }
    all_replies_are_there(bench, id, case).await;
}

// Every text that arrived can be read, word for word.
async fn all_replies_are_there(bench: &Bench, id: &JobId, case: &Case) {
    let JobState::Done { output } = bench.job(id).await.state else { return };
    let mut texts = Vec::new();
    for reply in output["replies"].as_array().expect("a list of texts") {
        texts.push(bench.text(reply).await);
    }
    assert_eq!(texts, case.heard, "{id}");
    let events = bench.events(id).await;
    let said = |event: &&salve_jobs::JobEvent| matches!(event.what, Happened::Stage { .. });
    assert!(events.iter().filter(said).count() >= 3);
}
