//! JSON documents held to the schemas beside them.
//!
//! In: JSON files of a folder. Out: what does not hold, with the line of the value that is wrong.
//! `x.json` is held to `x.schema.json` in the same folder, and any document to the file that its
//! `$schema` names by a relative path. Never fetches a schema and never leaves the folder.

mod place;

use crate::RunPrograms;
use place::offset_of;
use salve_types::{Diagnostic, ErrorClass, Position, Severity, SourceSpan};
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

const TOOL: &str = "json-schema";
/// A document above this size is not read.
const MOST_BYTES: u64 = 8 << 20;
/// The most errors that are reported for one document.
const MOST_ERRORS: usize = 100;

/// Checks the documents among these files, which are relative to the folder.
pub(super) fn check_files(
    folder: &Path,
    files: &[String],
    runner: &dyn RunPrograms,
) -> Vec<Diagnostic> {
    let folder = Documents { folder, runner };
    files.iter().flat_map(|file| check_file(folder, file)).collect()
}

/// A folder as programs find it.
#[derive(Clone, Copy)]
struct Documents<'a> {
    folder: &'a Path,
    runner: &'a dyn RunPrograms,
}

impl Documents<'_> {
    fn place_of(self, file: &str) -> Option<PathBuf> {
        self.runner.locate(&self.folder.join(file))
    }

    fn read(self, file: &str) -> Option<String> {
        read(&self.place_of(file)?)
    }
}

fn check_file(folder: Documents<'_>, file: &str) -> Vec<Diagnostic> {
    let Some(text) = folder.read(file) else {
        return Vec::new();
    };
    let beside = file.strip_suffix(".json").map(|stem| format!("{stem}.schema.json"));
    let beside = beside.filter(|path| folder.place_of(path).is_some_and(|place| place.is_file()));
    let document: Value = match serde_json::from_str(&text) {
        Ok(document) => document,
        // Whether it means to be strict JSON is known only of what has a schema beside it.
        Err(error) if beside.is_some() || file.ends_with(".schema.json") => {
            return vec![unreadable(file, &text, &error)];
        }
        Err(_) => return Vec::new(),
    };
    if file.ends_with(".schema.json") {
        return validator(&document).err().map(|why| bad_schema(file, &why)).into_iter().collect();
    }
    match beside.or_else(|| named_schema(file, &document)) {
        Some(schema) => hold_to(folder, file, &text, &document, &schema),
        None => Vec::new(),
    }
}

fn hold_to(
    folder: Documents<'_>,
    file: &str,
    text: &str,
    document: &Value,
    schema_path: &str,
) -> Vec<Diagnostic> {
    let Some(schema_text) = folder.read(schema_path) else {
        let message = format!("the schema `{schema_path}` cannot be read");
        return vec![at(file, text, 0, ErrorClass::Import, "$schema", &message)];
    };
    // A schema that is broken is reported where it lies, and holds nothing.
    let Ok(schema) = serde_json::from_str::<Value>(&schema_text) else {
        return Vec::new();
    };
    let validator = match validator(&schema) {
        Ok(validator) => validator,
        Err(why) if schema_path.ends_with(".schema.json") => {
            let _reported_with_the_schema = why;
            return Vec::new();
        }
        Err(why) => return vec![bad_schema(schema_path, &why)],
    };
    let errors = validator.iter_errors(document).take(MOST_ERRORS);
    errors
        .map(|error| {
            let offset = offset_of(text, error.instance_path().as_str());
            let keyword = error.kind().keyword().to_owned();
            at(file, text, offset, ErrorClass::Type, &keyword, &error.to_string())
        })
        .collect()
}

fn validator(schema: &Value) -> Result<jsonschema::Validator, String> {
    jsonschema::options().build(schema).map_err(|error| error.to_string())
}

// Only a relative path that stays below the folder; an address names a dialect, not a file.
fn named_schema(file: &str, document: &Value) -> Option<String> {
    let named = document.get("$schema")?.as_str()?;
    if named.contains("://") || named.starts_with('/') || named.is_empty() {
        return None;
    }
    let mut path = PathBuf::from(file);
    path.pop();
    for part in Path::new(named).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            _ => return None,
        }
    }
    path.to_str().map(str::to_owned)
}

fn read(path: &Path) -> Option<String> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    let small = meta.is_file() && meta.len() <= MOST_BYTES;
    small.then(|| std::fs::read_to_string(path).ok()).flatten()
}

fn unreadable(file: &str, text: &str, error: &serde_json::Error) -> Diagnostic {
    let line_start: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let offset = line_start + error.column().saturating_sub(1);
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    at(file, text, offset, ErrorClass::Syntax, "json", message)
}

fn bad_schema(file: &str, why: &str) -> Diagnostic {
    let message = format!("this is not a valid schema: {why}");
    at(file, "", 0, ErrorClass::Build, "schema", &message)
}

fn at(
    file: &str,
    text: &str,
    offset: usize,
    class: ErrorClass,
    code: &str,
    message: &str,
) -> Diagnostic {
    let start = Position::of(text, offset);
    let line = usize::try_from(start.line).unwrap_or(usize::MAX);
    let line_text = text.lines().nth(line - 1).map(str::to_owned);
    let mut diagnostic = Diagnostic::new(TOOL, Severity::Error, class, message);
    diagnostic.code = Some(code.to_owned());
    diagnostic.raw = format!("{file}:{}:{}: {message}", start.line, start.column);
    diagnostic.spans.push(SourceSpan {
        path: file.to_owned(),
        start: Some(start),
        end: None,
        bytes: None,
        primary: true,
        label: None,
        line_text,
    });
    diagnostic
}
