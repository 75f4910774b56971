//! `salve resume prompt` and `salve resume stitch`: continue a text that was cut.
//!
//! In: the cut text; later what the model sent to continue it. Out: the prompt; the joined text and
//! what was dropped. Never calls a model, and never joins where no join is safe.

use crate::arguments::{Format, PromptArguments, ResumeCommand, StitchArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::settings::Settings;
use crate::{batch, input, output, render};
use salve_engine::pipeline::{join_texts, judge_text};
use salve_text::{
    FinalBreak, PromptOptions, Stitch, StitchOptions, StitchOutcome, Template, resume_prompt,
};
use salve_types::{FinishReason, Language, RawReply, TruncationKind};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
struct Line {
    partial: String,
    continuation: String,
    lang: Option<String>,
}

/// Runs `salve resume …`.
pub(crate) fn run(command: &ResumeCommand, format: Format) -> CommandResult {
    match command {
        ResumeCommand::Prompt(arguments) => prompt(arguments, format),
        ResumeCommand::Stitch(arguments) => join(arguments, format),
    }
}

fn prompt(arguments: &PromptArguments, format: Format) -> CommandResult {
    let settings = Settings::load()?;
    let raw = RawReply {
        text: input::text(arguments.file.as_deref())?,
        finish_reason: arguments.finish_reason.as_deref().map(FinishReason::from_name),
        language: arguments.lang,
        path: arguments.file.as_ref().map(|file| file.display().to_string()),
    };
    let options = super::inspect::pipeline_options(&settings);
    let judgement = judge_text(&raw, &options);
    let template_file = arguments.template.clone().or(settings.resume_template.value);
    let template = match template_file {
        None => Template::default(),
        Some(path) => Template::Custom(input::text(Some(&path))?),
    };
    let prompt_options = PromptOptions {
        template,
        tail_characters: arguments.tail.unwrap_or(settings.tail_characters.value),
        finish_reason: raw.finish_reason.clone(),
        ..PromptOptions::default()
    };
    if judgement.verdict.is_valid {
        output::story("note: nothing proves this text cut; the prompt asks for its end anyway.\n");
    }
    let prompt =
        resume_prompt(&raw.text, &judgement.verdict, &prompt_options).map_err(|error| {
            Failure::new(error).hint("The README lists the placeholders a template may use.")
        })?;
    let kind = judgement.verdict.kind.map(TruncationKind::name);
    let document = json!({ "prompt": prompt, "kind": kind, "closing": judgement.verdict.closing });
    match format {
        Format::Human => output::content(&format!("{}\n", prompt.trim_end()))?,
        _ => output::value(format, &document)?,
    }
    Ok(Ending::Clean)
}

fn join(arguments: &StitchArguments, format: Format) -> CommandResult {
    if arguments.batch {
        return batch::run(|line: Line| {
            let language = line.lang.as_deref().and_then(Language::from_name).or(arguments.lang);
            Ok(document(&join_texts(&line.partial, &line.continuation, &options(language))))
        });
    }
    let partial = input::text(arguments.partial.as_deref())?;
    let continuation = input::text(arguments.continuation.as_deref())?;
    let joined = join_texts(&partial, &continuation, &options(arguments.lang));
    match format {
        Format::Human => {
            if let StitchOutcome::Joined { text } = &joined.outcome {
                output::content(text)?;
            }
            output::story(&story(&joined));
        }
        _ => output::value(format, &document(&joined))?,
    }
    let whole = matches!(joined.outcome, StitchOutcome::Joined { .. }) && joined.verdict.is_valid;
    Ok(if whole { Ending::Clean } else { Ending::Findings })
}

// What wrote the cut text to a file may have ended it with a line break of its own.
fn options(language: Option<Language>) -> StitchOptions {
    StitchOptions { language, final_break: FinalBreak::Unknown, ..StitchOptions::default() }
}

fn document(joined: &Stitch) -> Map<String, Value> {
    let (ok, text, why) = match &joined.outcome {
        StitchOutcome::Joined { text } => (true, json!(text), Value::Null),
        StitchOutcome::Refused { why, message } => {
            (false, Value::Null, json!(format!("{}: {message}", why.name())))
        }
    };
    let mut fields = Map::new();
    fields.insert("ok".to_owned(), json!(ok));
    fields.insert("text".to_owned(), text);
    fields.insert("dropped".to_owned(), json!(joined.dropped));
    if !ok {
        fields.insert("why".to_owned(), why);
    }
    if !joined.taken_off.is_empty() {
        fields.insert("taken_off".to_owned(), json!(joined.taken_off));
    }
    fields.insert("verdict".to_owned(), json!(joined.verdict));
    fields
}

fn story(joined: &Stitch) -> String {
    let mut text = match &joined.outcome {
        StitchOutcome::Joined { .. } if joined.verdict.is_valid => {
            "Joined; the result is whole.\n".to_owned()
        }
        StitchOutcome::Joined { .. } => {
            let verdict = &joined.verdict;
            match (verdict.kind, &verdict.error_message) {
                (Some(kind), _) => format!("Joined; the result is still cut: {}\n", kind.name()),
                (None, Some(why)) => format!("Joined; the result is not proven whole: {why}.\n"),
                (None, None) => "Joined; the result is still cut: SYNTAX_ERROR\n".to_owned(),
            }
        }
        StitchOutcome::Refused { why, message } => format!("Refused, {}: {message}\n", why.name()),
    };
    if !joined.taken_off.is_empty() {
        text.push_str("  taken off the partial text: the line break after the cut\n");
    }
    for dropped in &joined.dropped {
        let shown = render::shortened(&dropped.text);
        text.push_str(&format!("  dropped {}: {shown}\n", output::word(&dropped.reason)));
    }
    text
}
