//! `salve clean`: the content of a reply alone.
//!
//! In: a reply. Out: its content on standard output; with `--explain`, what was set aside on
//! standard error. Never drops a byte without a reason that can be listed.

use crate::arguments::{CleanArguments, Format};
use crate::failure::{CommandResult, Ending};
use crate::settings::Settings;
use crate::{batch, input, output, render};
use salve_text::{CleanOptions, CleanReply, clean};
use salve_types::{Language, Position, RawReply};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
struct Line {
    text: String,
    lang: Option<String>,
    path: Option<String>,
}

/// Runs `salve clean`.
pub(crate) fn run(arguments: &CleanArguments, format: Format) -> CommandResult {
    let settings = Settings::load()?;
    let base = CleanOptions {
        language: arguments.lang,
        path: arguments.path.clone(),
        sentinel_mark: settings.sentinel_mark.value,
        ..CleanOptions::default()
    };
    if arguments.batch {
        return batch::run(|line: Line| {
            let options = CleanOptions {
                language: line.lang.as_deref().and_then(Language::from_name).or(base.language),
                path: line.path.or_else(|| base.path.clone()),
                ..base.clone()
            };
            Ok(document(&clean(&RawReply::from_text(line.text), &options)))
        });
    }
    let text = input::text(arguments.file.as_deref())?;
    let reply = clean(&RawReply::from_text(text), &base);
    match format {
        Format::Human => output::content(reply.text())?,
        _ => output::value(format, &document(&reply))?,
    }
    if arguments.explain {
        output::story(&story(&reply));
    }
    if reply.unclosed_fence() {
        output::story("note: the reply ends inside a fence; the content may be cut.\n");
    }
    Ok(Ending::Clean)
}

fn document(reply: &CleanReply) -> Map<String, Value> {
    let asides: Vec<Value> = reply
        .aside()
        .iter()
        .map(|aside| {
            json!({
                "span": aside.span,
                "reason": aside.reason.name(),
                "text": reply.aside_text(aside),
            })
        })
        .collect();
    let blocks: Vec<Value> = reply
        .blocks()
        .iter()
        .map(|block| {
            json!({
                "language": block.language,
                "path": block.path,
                "info": block.info,
                "span": block.span,
                "closed": block.closed,
                "chosen": block.chosen,
            })
        })
        .collect();
    let fields = [
        ("text", json!(reply.text())),
        ("language", json!(reply.language())),
        ("path", json!(reply.path())),
        ("unclosed_fence", json!(reply.unclosed_fence())),
        ("unclosed_thinking", json!(reply.unclosed_thinking())),
        ("sentinel_seen", json!(reply.sentinel_seen())),
        ("aside", json!(asides)),
        ("blocks", json!(blocks)),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn story(reply: &CleanReply) -> String {
    if reply.aside().is_empty() {
        return "Nothing was set aside.\n".to_owned();
    }
    let width = reply.aside().iter().map(|aside| aside.reason.name().len()).max().unwrap_or(0);
    let dim = anstyle::Style::new().dimmed();
    let mut text = format!("Set aside: {}.\n", output::counted(reply.aside().len(), "part"));
    for aside in reply.aside() {
        let place = Position::of(reply.raw(), aside.span.start);
        text.push_str(&format!(
            "  {:width$}  {dim}line {:<4} {:>6} bytes{dim:#}  {}\n",
            aside.reason.name(),
            place.line,
            aside.span.len(),
            render::shortened(reply.aside_text(aside).trim()),
        ));
    }
    text
}
