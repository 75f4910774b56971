//! `salve resume prompt` and `salve resume stitch`: continue a text that was cut.
//!
//! In: the cut text; later what the model sent to continue it. Out: the prompt; the joined text and
//! what was dropped. Never calls a model, and never joins where no join is safe.

use crate::arguments::{Format, PromptArguments, ResumeCommand, StitchArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::settings::Settings;
use crate::{batch, input, output, render};
use salve_engine::pipeline::judge_text;
use salve_text::{
    PromptOptions, Stitch, StitchOptions, StitchOutcome, Template, resume_prompt, stitch,
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
            let options = StitchOptions { language, ..StitchOptions::default() };
            Ok(document(&stitch(&line.partial, &line.continuation, &options)))
        });
    }
    let partial = input::text(arguments.partial.as_deref())?;
    let continuation = input::text(arguments.continuation.as_deref())?;
    let options = StitchOptions { language: arguments.lang, ..StitchOptions::default() };
    let joined = stitch(&partial, &continuation, &options);
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
    fields.insert("verdict".to_owned(), json!(joined.verdict));
    fields
}

fn story(joined: &Stitch) -> String {
    let mut text = match &joined.outcome {
        StitchOutcome::Joined { .. } if joined.verdict.is_valid => {
            "Joined; the result is whole.\n".to_owned()
        }
        StitchOutcome::Joined { .. } => {
            let kind = joined.verdict.kind.map_or("SYNTAX_ERROR", TruncationKind::name);
            format!("Joined; the result is still cut: {kind}\n")
        }
        StitchOutcome::Refused { why, message } => format!("Refused, {}: {message}\n", why.name()),
    };
    for dropped in &joined.dropped {
        let shown = render::shortened(&dropped.text);
        text.push_str(&format!("  dropped {}: {shown}\n", output::word(&dropped.reason)));
    }
    text
}
