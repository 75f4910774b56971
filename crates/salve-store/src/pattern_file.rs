//! `healing-patterns.json`: patterns as other programs read and write them.
//!
//! In: patterns, or the text of such a file from anywhere. Out: the text, or patterns that may be imported.
//! Never takes a file on trust: what is too big, too deep or points out of the workspace is refused by name,
//! and a command comes in as words, so that no file makes one runnable.

mod moment;
#[cfg(test)]
mod tests;

use crate::{FixKind, FixResult, ImportedFix, ImportedPattern, KeptFix, PatternKey, PatternRecord};
use moment::moment;
use salve_types::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashSet;

/// The name of the file.
pub const PATTERN_FILE: &str = "healing-patterns.json";
/// A file is at most this big.
const MOST_BYTES: usize = 32 << 20;
/// And has at most this many patterns,
const MOST_PATTERNS: usize = 200_000;
/// each with at most this many fixes,
const MOST_FIXES: usize = 1000;
/// in words of at most this many bytes,
const MOST_WORDS: usize = 16 << 10;
/// and a document of at most this many.
const MOST_BODY: usize = 256 << 10;
/// Values are at most this deep inside each other.
const DEEPEST: usize = 64;

/// Why a file of patterns is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternFileError {
    /// It is too big.
    #[error("it has {found} bytes, and may have {MOST_BYTES}")]
    TooBig {
        /// How big it is.
        found: usize,
    },
    /// Its values are too deep inside each other.
    #[error("its values are more than {DEEPEST} deep inside each other")]
    TooDeep,
    /// It is not of this form.
    #[error("it is not of the form {{\"patterns\": […]}}: {0}")]
    Form(String),
    /// A pattern cannot be taken.
    #[error("pattern {number} ({signature}): {problem}")]
    Pattern {
        /// Which one, counted from one.
        number: usize,
        /// Its signature.
        signature: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// The file: the documented fields, and beside them what a program needs to apply a fix.
#[derive(Debug, Serialize, Deserialize)]
struct File {
    patterns: Vec<FilePattern>,
}

#[derive(Debug, Serialize, Deserialize)]
struct FilePattern {
    error_signature: String,
    #[serde(default)]
    error_type: String,
    #[serde(default)]
    normalized_error: String,
    #[serde(default)]
    fixes_attempted: Vec<FileFix>,
    #[serde(default)]
    successful_fix: Option<String>,
    first_seen: String,
    last_seen: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shape: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    class: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct FileFix {
    description: String,
    result: FixResult,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<FixKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<Value>,
}

/// Writes patterns as a file: the documented fields, and with `full` also what makes their fixes applicable.
/// Fixes that people took out of use are left out.
pub fn pattern_file(patterns: &[PatternRecord], full: bool) -> String {
    let patterns = patterns.iter().map(|pattern| file_pattern(pattern, full)).collect();
    // It has nothing that JSON has not.
    let mut text = serde_json::to_string_pretty(&File { patterns }).unwrap_or_default();
    text.push('\n');
    text
}

fn file_pattern(pattern: &PatternRecord, full: bool) -> FilePattern {
    let kept = |text: &str| (full && !text.is_empty()).then(|| text.to_owned());
    // In the order in which they were tried.
    let fixes = pattern.fixes.iter().rev().filter(|fix| !fix.disabled).map(|fix| {
        let body: Option<Value> = kept(&fix.body).and_then(|body| serde_json::from_str(&body).ok());
        // What also runs something is a command to the reader.
        let runs = body.as_ref().and_then(runs).is_some();
        FileFix {
            description: fix.description.clone(),
            result: if fix.demoted { FixResult::Failed } else { fix.result },
            kind: full.then_some(if runs { FixKind::Command } else { fix.kind }),
            fix: kept(&fix.fix),
            body,
        }
    });
    FilePattern {
        error_signature: pattern.error_signature.clone(),
        error_type: pattern.error_type.clone(),
        normalized_error: pattern.normalized_error.clone(),
        fixes_attempted: fixes.collect(),
        successful_fix: pattern.successful_fix().map(|fix| fix.description.clone()),
        first_seen: pattern.first_seen.to_string(),
        last_seen: pattern.last_seen.to_string(),
        shape: kept(&pattern.shape),
        class: kept(&pattern.class),
    }
}

/// Reads a file of patterns, from any program. Its times may lack a zone and count as UTC then. The workspace
/// and the scope are for the caller to say.
///
/// # Errors
/// When it is refused; nothing of it is to be imported then.
pub fn read_pattern_file(text: &str) -> Result<Vec<ImportedPattern>, PatternFileError> {
    if text.len() > MOST_BYTES {
        return Err(PatternFileError::TooBig { found: text.len() });
    }
    if depth(text) > DEEPEST {
        return Err(PatternFileError::TooDeep);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let file: File =
        serde_json::from_str(text).map_err(|error| PatternFileError::Form(error.to_string()))?;
    if file.patterns.len() > MOST_PATTERNS {
        let problem =
            format!("it has {} patterns, and may have {MOST_PATTERNS}", file.patterns.len());
        return Err(PatternFileError::Form(problem));
    }
    let read = |(at, pattern): (usize, FilePattern)| {
        let signature: String = pattern.error_signature.chars().take(40).collect();
        imported(pattern).map_err(|problem| PatternFileError::Pattern {
            number: at + 1,
            signature: signature.escape_debug().to_string(),
            problem,
        })
    };
    file.patterns.into_iter().enumerate().map(read).collect()
}

fn imported(pattern: FilePattern) -> Result<ImportedPattern, String> {
    let signature = &pattern.error_signature;
    let plain = |c: char| c.is_ascii_graphic();
    if signature.is_empty() || signature.len() > 128 || !signature.chars().all(plain) {
        return Err("its error_signature is not one: 1 to 128 letters, digits and signs".to_owned());
    }
    for words in [&pattern.error_type, &pattern.normalized_error] {
        short(words)?;
    }
    if pattern.fixes_attempted.len() > MOST_FIXES {
        let found = pattern.fixes_attempted.len();
        return Err(format!("it has {found} fixes, and may have {MOST_FIXES}"));
    }
    let (first, last) =
        (time("first_seen", &pattern.first_seen)?, time("last_seen", &pattern.last_seen)?);
    let mut fixes = pattern.fixes_attempted;
    if let Some(successful) = pattern.successful_fix {
        // Some programs name it only here.
        if !fixes.iter().any(|fix| fix.description == successful) {
            let result = FixResult::Success;
            fixes.push(FileFix {
                description: successful,
                result,
                kind: None,
                fix: None,
                body: None,
            });
        }
    }
    Ok(ImportedPattern {
        key: PatternKey {
            exact: pattern.error_signature,
            shape: pattern.shape.unwrap_or_default(),
            class: pattern.class.unwrap_or_default(),
        },
        error_type: pattern.error_type,
        error: pattern.normalized_error,
        first_seen: first.min(last),
        last_seen: last,
        fixes: last_word(fixes.into_iter().map(fix).collect::<Result<_, _>>()?),
        ..ImportedPattern::default()
    })
}

/// A fix that was tried twice has the result of the second time.
fn last_word(mut fixes: Vec<ImportedFix>) -> Vec<ImportedFix> {
    let mut seen = HashSet::new();
    fixes.reverse();
    fixes.retain(|one| seen.insert(one.fix.fix.clone()));
    fixes.reverse();
    fixes
}

fn fix(fix: FileFix) -> Result<ImportedFix, String> {
    short(&fix.description)?;
    let body = fix.body.map(|body| body.to_string()).unwrap_or_default();
    if body.len() > MOST_BODY {
        return Err(format!(
            "the body of a fix has {} bytes, and may have {MOST_BODY}",
            body.len()
        ));
    }
    if let Ok(value) = serde_json::from_str::<Value>(&body) {
        inside(&value)?;
        if let (Some(FixKind::Patch), Some(name)) = (fix.kind, runs(&value)) {
            return Err(format!("`{name}`: a patch from a file runs no command"));
        }
    }
    // What a file says is to be run is kept as words.
    let applicable = fix.kind == Some(FixKind::Patch) && !body.is_empty();
    // What is not kept does not tell it from others either, so that it comes in once.
    let body = if applicable { body } else { String::new() };
    let hash = blake3::hash(format!("{}\n{body}", fix.description).as_bytes());
    Ok(ImportedFix {
        fix: KeptFix {
            fix: fix.fix.filter(|_| applicable).unwrap_or_else(|| hash.to_hex().to_string()),
            kind: if applicable { FixKind::Patch } else { FixKind::Hint },
            description: fix.description,
            body,
            source: "import".to_owned(),
            made_by: "import".to_owned(),
        },
        success: fix.result == FixResult::Success,
    })
}

fn short(words: &str) -> Result<(), String> {
    match words.len() {
        0..=MOST_WORDS => Ok(()),
        found => Err(format!("words of {found} bytes, and there may be {MOST_WORDS}")),
    }
}

fn time(name: &str, text: &str) -> Result<Timestamp, String> {
    moment(text).ok_or_else(|| {
        let shown: String = text.chars().take(40).collect();
        format!("its {name} `{}` is no time such as 2026-01-31T12:00:00Z", shown.escape_debug())
    })
}

/// Every path in a document is one inside of a workspace.
fn inside(value: &Value) -> Result<(), String> {
    match value {
        Value::Array(values) => values.iter().try_for_each(inside),
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| match value {
            Value::String(path) if matches!(name.as_str(), "path" | "folder" | "file") => {
                if stays_inside(path) {
                    return Ok(());
                }
                let shown: String = path.chars().take(80).collect();
                Err(format!("`{}` is not a path inside of the workspace", shown.escape_debug()))
            }
            other => inside(other),
        }),
        _ => Ok(()),
    }
}

/// Returns the name of what a document wants to be run, if there is something.
fn runs(value: &Value) -> Option<&str> {
    let empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(values) => values.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    match value {
        Value::Array(values) => values.iter().find_map(runs),
        Value::Object(fields) => fields.iter().find_map(|(name, value)| match name.as_str() {
            "command" | "commands" | "argv" | "run" | "exec" | "shell" if !empty(value) => {
                Some(name.as_str())
            }
            _ => runs(value),
        }),
        _ => None,
    }
}

fn stays_inside(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    let odd = path.chars().any(|c| c == '\\' || c.is_control());
    !drive && !odd && !path.starts_with(['/', '~']) && path.split('/').all(|part| part != "..")
}

/// Returns how deep the values of a text are inside each other, were it JSON.
fn depth(text: &str) -> usize {
    let (mut now, mut deepest, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                now += 1;
                deepest = deepest.max(now);
            }
            b']' | b'}' if !quoted => now = now.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
