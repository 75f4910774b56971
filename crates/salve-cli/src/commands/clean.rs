//! `salve clean`: the content of a reply alone.
//!
//! In: a reply. Out: its content on standard output; with `--explain`, what was set aside on
//! standard error. Never drops a byte without a reason that can be listed.

use crate::arguments::{CleanArguments, Format};
use crate::failure::{CommandResult, Ending};
use crate::settings::Settings;
use crate::{batch, input, output, render};
use salve_text::{CleanOptions, CleanReply, clean};
use salve_types::{Language, RawReply};
use serde::Deserialize;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::json;
use std::borrow::Borrow;

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
            Ok(Document(clean(&RawReply::from_text(line.text), &options)))
        });
    }
    let text = input::text(arguments.file.as_deref())?;
    let reply = clean(&RawReply::from_text(text), &base);
    match format {
        Format::Human => output::content(reply.text())?,
        _ => output::value(format, &Document(&reply))?,
    }
    if arguments.explain {
        output::story(&story(&reply));
    }
    if reply.unclosed_fence() {
        output::story("note: the reply ends inside a fence; the content may be cut.\n");
    }
    Ok(Ending::Clean)
}

// Written as it is made: a reply of nothing but fences has a part for every few bytes.
struct Document<R>(R);

impl<R: Borrow<CleanReply>> Serialize for Document<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reply: &CleanReply = self.0.borrow();
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("text", reply.text())?;
        fields.serialize_entry("language", &reply.language())?;
        fields.serialize_entry("path", &reply.path())?;
        fields.serialize_entry("unclosed_fence", &reply.unclosed_fence())?;
        fields.serialize_entry("unclosed_thinking", &reply.unclosed_thinking())?;
        fields.serialize_entry("sentinel_seen", &reply.sentinel_seen())?;
        fields.serialize_entry("aside", &Asides(reply))?;
        fields.serialize_entry("blocks", &Blocks(reply))?;
        fields.end()
    }
}

struct Asides<'a>(&'a CleanReply);

impl Serialize for Asides<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.aside().iter().map(|aside| {
            json!({
                "span": aside.span,
                "reason": aside.reason.name(),
                "text": self.0.aside_text(aside),
            })
        }))
    }
}

struct Blocks<'a>(&'a CleanReply);

impl Serialize for Blocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.blocks().iter().map(|block| {
            json!({
                "language": block.language,
                "path": block.path,
                "info": block.info,
                "span": block.span,
                "closed": block.closed,
                "chosen": block.chosen,
            })
        }))
    }
}

// How many parts a person is shown; `--format json` lists all of them.
const TOLD: usize = 200;

fn story(reply: &CleanReply) -> String {
    if reply.aside().is_empty() {
        return "Nothing was set aside.\n".to_owned();
    }
    let told = &reply.aside()[..reply.aside().len().min(TOLD)];
    let width = told.iter().map(|aside| aside.reason.name().len()).max().unwrap_or(0);
    let dim = anstyle::Style::new().dimmed();
    let mut text = format!("Set aside: {}.\n", output::counted(reply.aside().len(), "part"));
    let (mut line, mut counted) = (1, 0);
    for aside in told {
        let between = reply.raw().get(counted..aside.span.start).unwrap_or_default();
        line += between.bytes().filter(|&byte| byte == b'\n').count();
        counted = counted.max(aside.span.start);
        text.push_str(&format!(
            "  {:width$}  {dim}line {line:<4} {:>6} bytes{dim:#}  {}\n",
            aside.reason.name(),
            aside.span.len(),
            render::shortened(reply.aside_text(aside).trim()),
        ));
    }
    if reply.aside().len() > TOLD {
        text.push_str(&format!("  and {} more\n", reply.aside().len() - TOLD));
    }
    text
}
