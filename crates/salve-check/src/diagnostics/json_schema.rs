//! What validators of JSON Schema say.
//!
//! In: the standard's own output (`flag` aside), the errors of ajv, or those of check-jsonschema.
//! Out: one diagnostic for each error, with the keyword as code and the place in the document as a
//! note of kind `at`, as a JSON pointer.

use super::json::{self, items, list, some_text, text};
use super::places::{Columns, Places};
use super::{classify, concise};
use salve_types::{Diagnostic, DiagnosticNote, Severity};
use serde_json::Value;

pub(super) fn parse(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    // ajv names the file in a line of its own: `data.json invalid`.
    let named = |line: &str| line.strip_suffix(" invalid").map(str::to_owned);
    let file = stderr.lines().chain(stdout.lines()).find_map(named);
    for stream in [stdout, stderr] {
        for document in json::documents(stream, 3) {
            let mut errors = Vec::new();
            collect(&document, &mut errors);
            found
                .extend(errors.into_iter().map(|error| diagnostic(error, file.as_deref(), places)));
        }
    }
    found
}

// Errors may be nested in `errors` or `details` of a unit that is itself an error; only the units
// that say something are taken. A queue, since documents may be deep.
fn collect<'a>(document: &'a Value, errors: &mut Vec<&'a Value>) {
    let mut waiting = std::collections::VecDeque::from([document]);
    while let Some(value) = waiting.pop_front() {
        let said = ["error", "message"].iter().any(|key| some_text(value, key).is_some());
        if said {
            errors.push(value);
        } else if let Some(Value::Object(by_keyword)) = value.get("errors")
            && by_keyword.values().any(Value::is_string)
        {
            errors.push(value);
        }
        for key in ["errors", "details", "parse_errors"] {
            waiting.extend(list(value, key));
        }
        waiting.extend(items(value));
    }
}

fn diagnostic(error: &Value, file: Option<&str>, places: &Places<'_>) -> Diagnostic {
    let schema_path = ["keywordLocation", "schemaPath", "evaluationPath"]
        .iter()
        .find_map(|key| some_text(error, key))
        .unwrap_or_default();
    // In the newest form of the standard a unit has a message for each keyword.
    let by_keyword = error.get("errors").and_then(Value::as_object);
    let first = by_keyword.and_then(|errors| {
        errors.iter().find_map(|(keyword, words)| Some((keyword.as_str(), words.as_str()?)))
    });
    let keyword = some_text(error, "keyword")
        .or(first.map(|(keyword, _)| keyword))
        .or_else(|| schema_path.rsplit('/').next())
        .filter(|keyword| !keyword.is_empty());
    let words = some_text(error, "message")
        .or_else(|| some_text(error, "error"))
        .or(first.map(|(_, words)| words))
        .unwrap_or_default();
    let class = classify("json-schema", keyword, words);
    let mut diagnostic = Diagnostic::new("json-schema", Severity::Error, class, words);
    diagnostic.code = keyword.map(str::to_owned);
    let path = ["filename", "file"].iter().find_map(|key| some_text(error, key)).or(file);
    diagnostic.spans.extend(path.map(|path| places.point(path, None, Columns::Characters)));
    let pointer = ["instanceLocation", "instancePath", "path"]
        .iter()
        .find_map(|key| error.get(key).and_then(Value::as_str));
    let pointer = pointer.map(|pointer| pointer.trim_start_matches('#'));
    diagnostic.notes.extend(pointer.map(|pointer| DiagnosticNote {
        kind: "at".into(),
        message: if pointer.is_empty() { "/".to_owned() } else { pointer.to_owned() },
        spans: Vec::new(),
    }));
    diagnostic.raw = match text(error, "instancePath") {
        "" => concise(&diagnostic),
        pointer => format!("{pointer} {words}"),
    };
    diagnostic
}
