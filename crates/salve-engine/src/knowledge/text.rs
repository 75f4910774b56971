//! Rules as text that people read, review and commit.
//!
//! In: a rule and its examples, or a file as a person left it. Out: TOML and back, exactly. A file that
//! says more than a rule may say (a command, a path to write, another target than its examples), or more
//! than a rule can be, is refused by name; nothing of it is used.

use super::replay::replay;
use super::rule::{FixExample, FixRule, HOLES, Piece, RuleBody, RuleKey, TokenRule};
use super::tokens::Tokens;
use salve_types::Language;
use serde::{Deserialize, Serialize};

const FORMAT: &str = "salve-rule/1";
// The largest file, the most examples of one, and the longest list and text of a body.
const LARGEST: usize = 512 << 10;
const EXAMPLES: usize = 16;
const PIECES: usize = 128;
const PATTERN: usize = 4_000;

/// Why a text is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleFileError {
    /// It is longer than a rule can be.
    #[error("the file is larger than {LARGEST} bytes")]
    TooLarge,
    /// It is no TOML, or not of the form of a rule.
    #[error("not a rule: {0}")]
    Unreadable(String),
    /// It names a command.
    #[error("`{0}`: a rule runs no command")]
    Command(String),
    /// It names a file.
    #[error("`{0}`: a rule edits the diagnosed file and no other")]
    Path(String),
    /// It is of a form that this version does not know.
    #[error("`{0}` is not a form of rules that this version reads")]
    Format(String),
    /// Its target is not the language of its examples.
    #[error("the rule is for {target}, its example for {example}")]
    OtherTarget {
        /// The language the rule names.
        target: &'static str,
        /// The language of the example.
        example: &'static str,
    },
    /// A list or text in it is longer than a rule can use, or it changes nothing.
    #[error("`{0}` is out of bounds")]
    OutOfBounds(&'static str),
    /// Its id is not that of its content.
    #[error("the id `{found}` is not that of the content, `{wanted}`")]
    OtherId {
        /// The id in the file.
        found: String,
        /// The id that the content has.
        wanted: String,
    },
    /// It does not make the fix of one of its own examples.
    #[error("example {0} does not hold")]
    Example(usize),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    format: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default)]
    description: String,
    target: Language,
    tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(default)]
    class: String,
    #[serde(default)]
    level: u8,
    #[serde(default)]
    priority: i32,
    rule: RuleBody,
    #[serde(default, rename = "example", skip_serializing_if = "Vec::is_empty")]
    examples: Vec<FixExample>,
}

/// Writes a rule and its examples.
pub fn rule_text(rule: &FixRule, examples: &[FixExample]) -> String {
    let file = RuleFile {
        format: FORMAT.to_owned(),
        id: Some(rule.id.clone()),
        description: rule.description.clone(),
        target: rule.language,
        tool: rule.key.tool.clone(),
        code: rule.key.code.clone(),
        class: rule.key.class.clone(),
        level: rule.level,
        priority: rule.priority,
        rule: rule.body.clone(),
        examples: examples.iter().take(EXAMPLES).cloned().collect(),
    };
    toml::to_string(&file).unwrap_or_default()
}

/// Reads a rule and its examples.
///
/// # Errors
/// When the text is no rule, says what a rule may not say, or does not hold for one of its examples.
pub fn read_rule(text: &str) -> Result<(FixRule, Vec<FixExample>), RuleFileError> {
    if text.len() > LARGEST {
        return Err(RuleFileError::TooLarge);
    }
    let unreadable = |error: &toml::de::Error| {
        RuleFileError::Unreadable(error.message().chars().take(200).collect())
    };
    let table: toml::Table = text.parse().map_err(|error| unreadable(&error))?;
    refuse_what_acts(&table)?;
    let file: RuleFile =
        toml::Value::Table(table).try_into().map_err(|error| unreadable(&error))?;
    if file.format != FORMAT {
        return Err(RuleFileError::Format(file.format));
    }
    if file.examples.len() > EXAMPLES {
        return Err(RuleFileError::OutOfBounds("example"));
    }
    let key = RuleKey { tool: file.tool, code: file.code, class: file.class };
    let mut rule = FixRule::new(key, file.target, file.level.min(3), file.rule);
    rule.priority = file.priority;
    if !file.description.is_empty() {
        rule.description = file.description;
    }
    bounded(&rule)?;
    if let Some(found) = file.id.filter(|id| *id != rule.id) {
        return Err(RuleFileError::OtherId { found, wanted: rule.id });
    }
    hold(&rule, &file.examples)?;
    Ok((rule, file.examples))
}

// What would act beyond the diagnosed file is named before anything else is said of the file.
fn refuse_what_acts(table: &toml::Table) -> Result<(), RuleFileError> {
    let tables = std::iter::once(table).chain(
        table.get("rule").and_then(toml::Value::as_table).into_iter().flat_map(|rule| {
            std::iter::once(rule).chain(rule.values().filter_map(toml::Value::as_table))
        }),
    );
    for key in tables.flat_map(toml::Table::keys) {
        match key.as_str() {
            "command" | "commands" | "argv" | "run" | "exec" | "shell" | "program" => {
                return Err(RuleFileError::Command(key.clone()));
            }
            "path" | "paths" | "file" | "files" | "folder" | "write" | "write_to" => {
                return Err(RuleFileError::Path(key.clone()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Refuses a rule that is larger than a rule can be, or whose tokens are more than tokens.
pub(super) fn bounded(rule: &FixRule) -> Result<(), RuleFileError> {
    let short = |name: &'static str, text: &str| {
        if text.len() > PATTERN { Err(RuleFileError::OutOfBounds(name)) } else { Ok(()) }
    };
    short("tool", &rule.key.tool)?;
    short("code", rule.key.code.as_deref().unwrap_or_default())?;
    short("class", &rule.key.class)?;
    short("description", &rule.description)?;
    match &rule.body {
        RuleBody::Token(body) => bounded_tokens(body, rule.language),
        RuleBody::Structure(body) => {
            short("kind", &body.kind)?;
            short("pattern", &body.pattern)?;
            short("rewrite", &body.rewrite)?;
            if body.pattern.trim().is_empty() || body.holes.len() > HOLES {
                return Err(RuleFileError::OutOfBounds("pattern"));
            }
            Ok(())
        }
        RuleBody::Template(body) => {
            short("node_kind", body.node_kind.as_deref().unwrap_or_default())?;
            short("pattern", &body.pattern)?;
            short("template", &body.template)?;
            if body.pattern.trim().is_empty() && body.node_kind.is_none() {
                return Err(RuleFileError::OutOfBounds("pattern"));
            }
            Ok(())
        }
    }
}

fn bounded_tokens(body: &TokenRule, language: Language) -> Result<(), RuleFileError> {
    let lists = [("left", &body.left), ("remove", &body.remove), ("right", &body.right)];
    if let Some((name, _)) = lists.iter().find(|(_, list)| list.len() > PIECES) {
        return Err(RuleFileError::OutOfBounds(name));
    }
    if body.insert.len() > PIECES || (body.insert.is_empty() && body.remove.is_empty()) {
        return Err(RuleFileError::OutOfBounds("insert"));
    }
    // A token, and not a statement that is called one.
    let is_one = |token: &str| {
        let tokens = Tokens::of(token, language);
        tokens.is_some_and(|it| it.all.len() == 1 && it.all[0].span.len() == token.len())
    };
    let is_token = |piece: &Piece| match piece {
        Piece::Exact(token) => token.len() <= 400 && is_one(token),
        Piece::Hole(number) => usize::from(*number) < body.holes.len(),
        Piece::Any(_) | Piece::Start | Piece::End => false,
    };
    let is_blank = |gap: &str| gap.len() <= 8 && gap.chars().all(char::is_whitespace);
    if !body.insert.iter().all(|one| is_token(&one.piece) && is_blank(&one.gap)) {
        return Err(RuleFileError::OutOfBounds("insert"));
    }
    if body.holes.len() > HOLES {
        return Err(RuleFileError::OutOfBounds("holes"));
    }
    if body.needs.len() > PIECES {
        return Err(RuleFileError::OutOfBounds("needs"));
    }
    Ok(())
}

// The examples are the tests of a rule: they are of its target, and it makes their fixes.
fn hold(rule: &FixRule, examples: &[FixExample]) -> Result<(), RuleFileError> {
    for (at, example) in examples.iter().enumerate() {
        let language = example.language();
        if language != rule.language {
            let (target, example) = (rule.language.name(), language.name());
            return Err(RuleFileError::OtherTarget { target, example });
        }
        let replayed = replay(rule, example);
        if replayed.right == 0 {
            return Err(RuleFileError::Example(at + 1));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
