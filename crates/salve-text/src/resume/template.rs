//! Templates of the resume prompt: two built in, any number brought by the user.
//!
//! In: a template and the values of its placeholders. Out: the filled text, or the name of the
//! placeholder that no one knows. Never looks for placeholders inside the values: the tail of a cut
//! text may hold `{ERROR_TYPE}` and stays as it is.

use salve_types::Position;
use std::fmt;

/// The text into which the facts of a cut are put.
///
/// A placeholder is a name in capitals between braces, such as `{LINE_NUMBER}`; other braces are
/// text. `{{LINE_NUMBER}}` writes the name itself. A line that holds nothing but placeholders which
/// are empty this time is left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Template {
    /// `[HEALER_MODE: AUTO_RESUME]`: the place, the kind, the closer, the tail, four instructions.
    #[default]
    AutoResume,
    /// `[CONTINUATION_MODE]`: the shorter form, with the cut described as a context list.
    Continuation,
    /// A template of the user.
    Custom(String),
}

/// Why a template cannot be filled.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateError {
    /// The template asks for a value that does not exist.
    UnknownPlaceholder {
        /// The name between the braces.
        name: String,
        /// Where it is in the template.
        position: Position,
        /// The names that exist.
        known: Vec<&'static str>,
    },
}

impl fmt::Display for TemplateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownPlaceholder { name, position, known } => write!(
                out,
                "unknown placeholder `{{{name}}}` at line {} column {} of the template; known: {}",
                position.line,
                position.column,
                known.join(", ")
            ),
        }
    }
}

impl std::error::Error for TemplateError {}

impl Template {
    /// Returns the text of the template, with its placeholders.
    pub fn text(&self) -> &str {
        match self {
            Self::AutoResume => AUTO_RESUME,
            Self::Continuation => CONTINUATION,
            Self::Custom(text) => text,
        }
    }
}

/// Fills `template` with `values`, pairs of a name and what stands for it.
pub(crate) fn fill(
    template: &str,
    values: &[(&'static str, String)],
) -> Result<String, TemplateError> {
    let mut out = String::with_capacity(template.len() + 512);
    let mut offset = 0;
    for line in template.split_inclusive('\n') {
        let filled =
            fill_line(line, values).map_err(|unknown| TemplateError::UnknownPlaceholder {
                name: unknown.name.to_owned(),
                position: Position::of(template, offset + unknown.offset),
                known: values.iter().map(|(name, _)| *name).collect(),
            })?;
        // A line whose only content was placeholders without a value is no line at all.
        let vanished = filled.trim().is_empty() && !line.trim().is_empty();
        if !vanished {
            out.push_str(&filled);
        }
        offset += line.len();
    }
    Ok(out)
}

struct Unknown<'a> {
    name: &'a str,
    offset: usize,
}

fn fill_line<'a>(line: &'a str, values: &[(&'static str, String)]) -> Result<String, Unknown<'a>> {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let offset = line.len() - rest.len();
        if let Some((name, after)) =
            rest.strip_prefix("{{").and_then(|inner| name_before(inner, "}}"))
        {
            out.push('{');
            out.push_str(name);
            out.push('}');
            rest = after;
        } else if let Some((name, after)) = name_before(&rest[1..], "}") {
            let value = values.iter().find(|(known, _)| *known == name);
            out.push_str(&value.ok_or(Unknown { name, offset })?.1);
            rest = after;
        } else {
            out.push('{');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    Ok(out)
}

// `NAME` in front of `close`, and what follows; braces around anything else are plain text.
fn name_before<'a>(text: &'a str, close: &str) -> Option<(&'a str, &'a str)> {
    let (name, after) = text.split_once(close)?;
    let is_name = name.starts_with(|first: char| first.is_ascii_uppercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    is_name.then_some((name, after))
}

const AUTO_RESUME: &str = "\
[HEALER_MODE: AUTO_RESUME]
Your previous response was CUT OFF mid-generation.
{CAUSE}
Your previous generation was TRUNCATED at approximately line {LINE_NUMBER}.
ERROR TYPE: {ERROR_TYPE}
{OPEN_LINE}
{SAFETY}

LAST {TAIL_LENGTH} CHARACTERS:
{FENCE}{LANGUAGE}
{CONTEXT_TAIL}
{FENCE}
{CUT_POINT}

INSTRUCTIONS:
1. Continue EXACTLY from the cutoff point
2. Do NOT repeat any code
3. Complete the remaining logic
4. {ENDING}
";

const CONTINUATION: &str = "\
[CONTINUATION_MODE]
Your previous response was CUT OFF mid-generation.
{CAUSE}

TRUNCATION CONTEXT:
- Line: {LINE_NUMBER}
- Error type: {ERROR_TYPE}
- Needed to close what is open: {CLOSER}
- Last {TAIL_LENGTH} characters:
{FENCE}{LANGUAGE}
{CONTEXT_TAIL}
{FENCE}
{CUT_POINT}

CRITICAL INSTRUCTIONS:
{FIRST_CHARACTERS}
1. Continue EXACTLY from the cutoff point
2. Do NOT repeat any code
3. Then continue the logic naturally until it is complete
4. {ENDING}
";

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Vec<(&'static str, String)> {
        vec![("A", "one".into()), ("B_2", String::new()), ("TAIL", "{A} {X}".into())]
    }

    #[test]
    fn t20_placeholders_are_filled_once_and_other_braces_stay() {
        let check = |template, expected: &str| {
            assert_eq!(fill(template, &values()).as_deref(), Ok(expected), "{template}");
        };
        check("{A}-{A}", "one-one");
        check("{TAIL}", "{A} {X}");
        check("fn f() { {A} } {a} {}", "fn f() { one } {a} {}");
        check("{{A}} {{X}}", "{A} {X}");
        check("x\n{B_2}\ny\n\nz", "x\ny\n\nz");
        check("open { brace {", "open { brace {");
        check("{A", "{A");
    }

    #[test]
    fn t20_an_unknown_placeholder_is_named_with_its_place() {
        let error = fill("first\n  {WRONG} x", &values()).unwrap_err();
        insta::assert_snapshot!(error, @"unknown placeholder `{WRONG}` at line 2 column 3 of the template; known: A, B_2, TAIL");
    }
}
