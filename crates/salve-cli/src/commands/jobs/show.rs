//! `salve jobs show`: one job with its children, steps, texts and what is wrong.
//!
//! In: a job. Out: a page or JSON; with `--result` or `--partial` that text alone, byte for byte. Never
//! shows a partial text as a result.

use super::list::{age, drawn_calls};
use super::progress::{Progress, named};
use super::{find, history};
use crate::arguments::{Format, JobsShowArguments, PlaceArguments};
use crate::change::visible;
use crate::commands::gateway_keys::dollars;
use crate::failure::{CommandResult, Ending, Failure};
use crate::job_place::{self, OpenJobs};
use crate::table::{Align, table};
use crate::{environment, output};
use salve_engine::jobs::{Generation, JobStatus};
use salve_jobs::{EventId, InDoubtStep, JobFilter, JobSnapshot, JobState, JobTree, Json};
use salve_types::Timestamp;
use serde::Serialize;

/// Everything there is to say about a job.
#[derive(Debug, Serialize)]
pub(super) struct Document {
    status: JobStatus,
    waits_for: Option<String>,
    #[serde(flatten)]
    tree: JobTree,
    steps: Vec<StepRow>,
    texts: Texts,
    generation: Option<Generation>,
    in_doubt: Vec<InDoubtStep>,
    last_event: EventId,
}

#[derive(Debug, Serialize)]
struct StepRow {
    step: String,
    attempt: u32,
    outcome: &'static str,
    error: Option<String>,
    began: Timestamp,
    milliseconds: i64,
}

/// The ids of a job's texts, and how large they are.
#[derive(Debug, Default, Serialize)]
struct Texts {
    result: Option<TextRow>,
    partial: Option<TextRow>,
    replies: Vec<String>,
}

#[derive(Debug, Serialize)]
struct TextRow {
    id: String,
    bytes: Option<usize>,
}

/// Runs `salve jobs show`.
pub(super) fn run(
    place: &PlaceArguments,
    options: &JobsShowArguments,
    format: Format,
) -> CommandResult {
    let shown = job_place::look(place, async |open| {
        let job = find(open, &options.id).await?;
        if options.result || options.partial {
            return text_alone(open, &job, options.result).await;
        }
        let document = document(open, &job).await?;
        match format {
            Format::Human => output::result(&page(&document))?,
            _ => output::value(format, &document)?,
        }
        Ok(Ending::Clean)
    })?;
    shown.ok_or_else(|| Failure::new(format!("there is no job `{}`", options.id)))
}

async fn text_alone(open: &OpenJobs<'_>, job: &JobSnapshot, result: bool) -> CommandResult {
    let text = if result { open.result(job).await? } else { open.partial(job).await? };
    let (what, status) = (if result { "result" } else { "partial text" }, JobStatus::of(job));
    match text {
        Some(text) => {
            output::content(&text)?;
            Ok(Ending::Clean)
        }
        None => {
            output::story(&format!("job {} is {status} and has no {what}\n", job.id));
            Ok(Ending::Findings)
        }
    }
}

/// Gathers everything there is to say about a job.
pub(super) async fn document(open: &OpenJobs<'_>, job: &JobSnapshot) -> Result<Document, Failure> {
    let events = history(&*open.jobs, &job.id).await?;
    let mut progress = Progress::default();
    for event in &events {
        progress.take(event);
    }
    let within = JobFilter { within: Some(job.id.clone()), ..JobFilter::default() };
    let generation = open.generation(job).await?;
    Ok(Document {
        status: JobStatus::of(job),
        waits_for: progress.waiting_on(environment::now()).filter(|_| !job.state.is_terminal()),
        tree: open.jobs.tree(&job.id).await?,
        steps: steps(&progress),
        texts: texts(job, generation.as_ref()),
        generation,
        in_doubt: open.jobs.in_doubt(within).await?,
        last_event: events.last().map_or(EventId(0), |event| event.id),
    })
}

fn steps(progress: &Progress) -> Vec<StepRow> {
    let now = environment::now();
    let row = |line: &super::progress::Line| {
        let (until, outcome, error) = match &line.ended {
            None => (now, "running", None),
            Some((at, None)) => (*at, "done", None),
            Some((at, Some(error))) => (*at, "failed", Some(error.clone())),
        };
        StepRow {
            step: line.name.clone(),
            attempt: line.attempt,
            outcome,
            error,
            began: line.began,
            milliseconds: (until.0 - line.began.0).max(0),
        }
    };
    progress.lines.iter().map(row).collect()
}

// A job that has ended names its texts in its output, all others in their last stage.
fn texts(job: &JobSnapshot, generation: Option<&Generation>) -> Texts {
    let Some(generation) = generation else { return Texts::default() };
    let said = match &job.state {
        JobState::Done { output } => output.clone(),
        _ => job.stage.as_ref().map_or(Json::Null, |stage| stage.detail.clone()),
    };
    let row = |name: &str, text: Option<&String>| {
        let id = said[name].as_str()?.to_owned();
        Some(TextRow { id, bytes: text.map(String::len) })
    };
    let replies = said["replies"].as_array().into_iter().flatten();
    Texts {
        result: row("code_result", generation.code_result.as_ref()),
        partial: row("partial_output", generation.partial_output.as_ref()),
        replies: replies.filter_map(|id| Some(id.as_str()?.to_owned())).collect(),
    }
}

fn page(document: &Document) -> String {
    let job = &document.tree.job;
    let mut lines: Vec<(&str, String)> = vec![
        ("job", job.id.to_string()),
        ("flow", job.flow.to_string()),
        ("status", document.status.to_string()),
        ("started", format!("{} ({})", age(job.created_at), job.created_at)),
    ];
    let mut add = |name: &'static str, value: Option<String>| {
        lines.extend(value.map(|value| (name, value)));
    };
    add("waits for", document.waits_for.clone());
    add("because", because(job, document.generation.as_ref()));
    if let Some(generation) = &document.generation {
        let facts = &generation.facts;
        add(
            "took",
            Some(format!(
                "{} calls in round {}: {} continuations, {} reworks; {} tokens, {}",
                facts.calls,
                facts.round,
                facts.continuations,
                facts.reworks,
                facts.tokens,
                dollars(facts.micro_dollars)
            )),
        );
        add("lost", lost(facts.lost_calls));
        add("wrong", facts.validation_error.as_ref().map(wrong));
    }
    let text = |row: &TextRow| match row.bytes {
        Some(bytes) => format!("text {} ({bytes} bytes)", row.id),
        None => format!("text {}", row.id),
    };
    add("partial", document.texts.partial.as_ref().map(text));
    add("result", document.texts.result.as_ref().map(text));
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut page: String =
        lines.iter().map(|(name, value)| format!("{name:<width$}  {}\n", visible(value))).collect();
    if !document.steps.is_empty() {
        page.push_str(&format!("\n{}", drawn_steps(&document.steps)));
    }
    if !document.tree.children.is_empty() {
        page.push('\n');
        children(&document.tree.children, 0, &mut page);
    }
    if !document.in_doubt.is_empty() {
        page.push_str(&format!("\nin doubt\n{}", drawn_calls(&document.in_doubt)));
    }
    page
}

fn because(job: &JobSnapshot, generation: Option<&Generation>) -> Option<String> {
    match &job.state {
        JobState::Failed { error } => Some(error.to_string()),
        JobState::Cancelled { reason } => Some(reason.clone()),
        JobState::Stuck { step, attempts } => {
            Some(format!("step {step} killed its worker {attempts} times"))
        }
        _ => generation.and_then(|generation| generation.facts.why.clone()),
    }
}

fn lost(calls: u32) -> Option<String> {
    let words = super::progress::lost_words(calls)?;
    Some(format!("{words}; `salve calls` shows them as unknown"))
}

fn wrong(error: &salve_engine::jobs::ValidationError) -> String {
    let kind = error.kind.as_deref().map_or(String::new(), |kind| format!(" {kind}"));
    let line = error.line.map_or(String::new(), |line| format!(" in line {line}"));
    format!("{}{kind}{line}: {}", error.code, error.message)
}

fn drawn_steps(steps: &[StepRow]) -> String {
    let columns = [
        ("step", Align::Left),
        ("outcome", Align::Left),
        ("took", Align::Right),
        ("", Align::Left),
    ];
    let cells: Vec<Vec<String>> = steps
        .iter()
        .map(|step| {
            vec![
                named(&step.step, step.attempt),
                step.outcome.to_owned(),
                format!("{}.{} s", step.milliseconds / 1000, step.milliseconds % 1000 / 100),
                step.error.clone().unwrap_or_default(),
            ]
        })
        .collect();
    table(&columns, &cells)
}

fn children(trees: &[JobTree], depth: usize, page: &mut String) {
    for tree in trees {
        let (gap, status) = ("  ".repeat(depth), JobStatus::of(&tree.job));
        page.push_str(&format!("{gap}└ {}  {status}\n", visible(tree.job.id.as_str())));
        children(&tree.children, depth + 1, page);
    }
}
