//! `salve inspect`: is this text whole, and if not, where and how was it cut?
//!
//! In: a text, and what is known about it. Out: a verdict with all its evidence, drawn for people
//! or as JSON, SARIF or annotations. Never changes the text.

mod report;

use crate::arguments::{FormatChoice, InspectArguments};
use crate::failure::{CommandResult, Ending};
use crate::settings::{Origin, SentinelSetting, Settings, Sourced};
use crate::{batch, input, output, render};
use salve_engine::pipeline::{Judgement, PipelineOptions, judge_text};
use salve_text::InspectOptions;
use salve_types::{Finding, FinishReason, Language, Mode, RawReply, Verdict};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;

#[derive(Deserialize)]
struct Line {
    text: String,
    lang: Option<String>,
    path: Option<String>,
    finish_reason: Option<String>,
}

/// Runs `salve inspect`.
pub(crate) fn run(arguments: &InspectArguments, format: FormatChoice) -> CommandResult {
    let settings = with_flags(Settings::load()?, arguments);
    let options = pipeline_options(&settings);
    if arguments.batch {
        return batch::run(|line: Line| {
            let raw = RawReply {
                text: line.text,
                finish_reason: line.finish_reason.as_deref().map(FinishReason::from_name),
                language: line.lang.as_deref().and_then(Language::from_name).or(arguments.lang),
                path: line.path,
            };
            Ok(Document(judge_text(&raw, &options)))
        });
    }
    let raw = RawReply {
        text: input::text(arguments.file.as_deref())?,
        finish_reason: arguments.finish_reason.as_deref().map(FinishReason::from_name),
        language: arguments.lang,
        path: arguments.path.clone().or_else(|| name_of(arguments)),
    };
    let judgement = judge_text(&raw, &options);
    let name = raw.path.as_deref().unwrap_or("(standard input)");
    match format {
        FormatChoice::Human => {
            let by_default = settings.sentinel.origin == Origin::BuiltIn
                && settings.sentinel_mark.origin == Origin::BuiltIn;
            let shown = if by_default { Sentinel::NotAskedFor } else { Sentinel::AskedFor };
            output::result(&human(&raw.text, name, &judgement, shown))?;
        }
        FormatChoice::Json => output::json(&Document(&judgement))?,
        FormatChoice::Jsonl => output::json_line(&Document(&judgement))?,
        FormatChoice::Sarif => {
            output::json(&report::Sarif { text: &raw.text, name, judgement: &judgement })?;
        }
        FormatChoice::Github => output::content(&report::github(&raw.text, name, &judgement))?,
    }
    let found = !judgement.verdict.is_valid || !judgement.findings.is_empty();
    let enforced = settings.enforcement.value == Mode::Enforce;
    Ok(if found && enforced { Ending::Findings } else { Ending::Clean })
}

/// Builds what the stages need from the settings.
pub(crate) fn pipeline_options(settings: &Settings) -> PipelineOptions {
    let mark = settings.sentinel_mark.value.clone();
    let mut options = PipelineOptions::default();
    options.clean.sentinel_mark.clone_from(&mark);
    options.inspect = InspectOptions {
        sentinel: settings.sentinel.value.into(),
        sentinel_mark: mark,
        ..InspectOptions::default()
    };
    options
}

// `--sentinel none` is the rule, any other `--sentinel` the marker's text.
fn with_flags(mut settings: Settings, arguments: &InspectArguments) -> Settings {
    let rule = match arguments.sentinel.as_deref() {
        Some("none") => Some(SentinelSetting::None),
        Some(mark) => {
            settings.sentinel_mark =
                Sourced { value: mark.to_owned(), origin: Origin::Flag("--sentinel") };
            None
        }
        None => None,
    };
    if let Some(value) = arguments.sentinel_rule.or(rule) {
        settings.sentinel = Sourced { value, origin: Origin::Flag("--sentinel-rule") };
    }
    if let Some(value) = arguments.enforcement {
        settings.enforcement = Sourced { value, origin: Origin::Flag("--enforcement") };
    }
    settings
}

fn name_of(arguments: &InspectArguments) -> Option<String> {
    let file = arguments.file.as_ref().filter(|file| file.as_os_str() != "-")?;
    Some(file.display().to_string())
}

// Written as it is made: a text may have a finding on every line.
struct Document<J>(J);

impl<J: Borrow<Judgement>> Serialize for Document<J> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            #[serde(flatten)]
            verdict: &'a Verdict,
            #[serde(skip_serializing_if = "<[Finding]>::is_empty")]
            findings: &'a [Finding],
        }
        let Judgement { verdict, findings } = self.0.borrow();
        Fields { verdict, findings }.serialize(serializer)
    }
}

// Whether the user said anything about a marker of completion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sentinel {
    AskedFor,
    NotAskedFor,
}

// How many findings are drawn for a person; the other formats list all of them.
const DRAWN: usize = 40;

fn human(text: &str, name: &str, judgement: &Judgement, sentinel: Sentinel) -> String {
    let verdict = &judgement.verdict;
    let mut shown = if verdict.is_valid {
        let green = anstyle::AnsiColor::Green.on_default().bold();
        format!("{green}whole{green:#}  {name}, read as {}\n", verdict.language.name())
    } else {
        render::verdict(text, name, verdict)
    };
    for finding in judgement.findings.iter().take(DRAWN) {
        shown.push_str(&render::finding(text, name, finding));
    }
    let dim = anstyle::Style::new().dimmed();
    if judgement.findings.len() > DRAWN {
        let more = output::counted(judgement.findings.len() - DRAWN, "more finding");
        shown.push_str(&format!("{dim}and {more}{dim:#}\n"));
    }
    for evidence in &verdict.evidence {
        // That a marker is absent which the user never asked for is no news to a person.
        if sentinel == Sentinel::NotAskedFor && evidence.code == "sentinel_missing" {
            continue;
        }
        let side = if evidence.cut { "cut  " } else { "whole" };
        let line =
            format!("  {side} {:.2}  {}: {}", evidence.weight, evidence.code, evidence.message);
        shown.push_str(&format!("{dim}{line}{dim:#}\n"));
    }
    shown
}
