//! A judgement in the formats of other tools: SARIF and GitHub annotations.
//!
//! In: a judgement. Out: a SARIF 2.1.0 document or workflow commands. Never adds an opinion.

use salve_engine::pipeline::Judgement;
use salve_types::{Position, TruncationKind};
use serde_json::{Value, json};

/// One line of a report: code, words, place.
struct Entry<'a> {
    code: &'static str,
    message: &'a str,
    place: Position,
}

/// Returns the judgement as a SARIF document.
pub(crate) fn sarif(text: &str, name: &str, judgement: &Judgement) -> Value {
    let results: Vec<Value> = entries(text, judgement)
        .iter()
        .map(|entry| {
            json!({
                "ruleId": entry.code,
                "level": "error",
                "message": { "text": entry.message },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": name },
                    "region": { "startLine": entry.place.line, "startColumn": entry.place.column },
                }}],
            })
        })
        .collect();
    json!({
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{
            "tool": { "driver": { "name": "salve", "version": env!("CARGO_PKG_VERSION") } },
            "results": results,
        }],
    })
}

/// Returns the judgement as annotations of GitHub Actions.
pub(crate) fn github(text: &str, name: &str, judgement: &Judgement) -> String {
    entries(text, judgement)
        .iter()
        .map(|entry| {
            format!(
                "::error file={},line={},col={},title={}::{}\n",
                escaped(name).replace(':', "%3A").replace(',', "%2C"),
                entry.place.line,
                entry.place.column,
                entry.code,
                escaped(entry.message),
            )
        })
        .collect()
}

fn entries<'a>(text: &str, judgement: &'a Judgement) -> Vec<Entry<'a>> {
    let verdict = &judgement.verdict;
    let mut entries = Vec::new();
    if !verdict.is_valid {
        entries.push(Entry {
            code: verdict.kind.map_or("SYNTAX_ERROR", TruncationKind::name),
            message: verdict.error_message.as_deref().unwrap_or("the text is cut"),
            place: Position::of(text, text.trim_end().len()),
        });
    }
    entries.extend(judgement.findings.iter().map(|finding| Entry {
        code: finding.code.name(),
        message: &finding.message,
        place: Position::of(text, finding.span.start),
    }));
    entries
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}
