//! `salve knowledge check`: whether an error was met before, and what was tried on it.
//!
//! In: what a tool printed, or a signature. Out: `{tried_before, results[]}`, fixes that work before those that
//! failed, each with where it is from. Never tries one.

use super::{look, root};
use crate::arguments::{FolderArguments, Format, KnowledgeCheckArguments, PlaceArguments};
use crate::change::visible;
use crate::failure::{CommandResult, Ending, Failure};
use crate::{input, output};
use salve_check::sign_text;
use salve_store::{KnownFix, PatternKey};
use serde_json::{Value, json};

/// Runs `salve knowledge check`.
pub(super) fn run(
    store: &PlaceArguments,
    place: &FolderArguments,
    options: &KnowledgeCheckArguments,
    format: Format,
) -> CommandResult {
    let keys = keys(options)?;
    let workspace = root(place)?;
    let mut results: Vec<KnownFix> = Vec::new();
    let found = look(store, async |store| {
        let (mut successful, mut failed) = (Vec::new(), Vec::new());
        for key in &keys {
            let known = store.known_fixes(key, &workspace, options.limit).await?;
            successful.extend(known.successful);
            failed.extend(known.failed);
        }
        Ok((successful, failed))
    })?;
    let (successful, failed) = found.unwrap_or_default();
    // Two errors of one text may know the same fix.
    for one in successful.into_iter().chain(failed) {
        if !results.iter().any(|other| other.fix == one.fix && other.works == one.works) {
            results.push(one);
        }
    }
    match format {
        Format::Human => output::result(&drawn(&results))?,
        _ => {
            let results: Vec<Value> = results.iter().map(value).collect();
            output::value(
                format,
                &json!({ "tried_before": !results.is_empty(), "results": results }),
            )?;
        }
    }
    Ok(Ending::Clean)
}

fn keys(options: &KnowledgeCheckArguments) -> Result<Vec<PatternKey>, Failure> {
    if let Some(signature) = &options.signature {
        return Ok(vec![PatternKey { exact: signature.clone(), ..PatternKey::default() }]);
    }
    let text = input::text(options.file.as_deref())?;
    let signed = sign_text(options.tool.as_deref(), &text).primary;
    if signed.is_empty() {
        return Err(Failure::new("the text holds no error").hint(
            "Give what the tool printed, as in `cargo build 2>&1 | salve knowledge check`.",
        ));
    }
    let key = |signature: &salve_check::Signature| PatternKey {
        exact: signature.exact.wire(),
        shape: signature.shape.wire(),
        class: signature.class.wire(),
    };
    Ok(signed.iter().map(|one| key(&one.signature)).collect())
}

fn value(fix: &KnownFix) -> Value {
    let mut value = json!(fix);
    if let Some(fields) = value.as_object_mut() {
        let kind = if fix.works { "successful_workaround" } else { "failed_approach" };
        fields.insert("memory".to_owned(), json!(kind));
        fields.insert("result".to_owned(), json!(if fix.works { "success" } else { "failed" }));
        if let Ok(body) = serde_json::from_str::<Value>(&fix.body) {
            fields.insert("body".to_owned(), body);
        }
    }
    value
}

fn drawn(results: &[KnownFix]) -> String {
    if results.is_empty() {
        return "not met before\n".to_owned();
    }
    let line = |fix: &KnownFix| {
        let word = if fix.works { "works" } else { "failed" };
        let by = output::word(&fix.found_by);
        let from = match (&fix.from, &fix.author) {
            (Some(from), Some(author)) => format!(", from {from} of {author}"),
            (Some(from), None) => format!(", from {from}"),
            (None, _) => String::new(),
        };
        let text = format!("{word}: {} (by its {by} signature{from})", fix.description);
        format!("{}\n", visible(&text))
    };
    results.iter().map(line).collect()
}
