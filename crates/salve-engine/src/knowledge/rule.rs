//! What a rule is.
//!
//! In: what was learned, or what a person wrote. Out: plain data that is stored, shown and applied. A rule
//! names neither a file nor a command: it edits the file that a diagnostic is about, and nothing else.

use salve_types::{Diagnostic, Language};
use serde::{Deserialize, Serialize};

/// One accepted fix of one file, as it is learned from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixExample {
    /// The language of the file; told from the path where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// The file, relative to the workspace.
    pub path: String,
    /// Its text while the check failed.
    pub before: String,
    /// Its text when the check passed.
    pub after: String,
    /// What the check said of `before`; the first is the one that was fixed.
    pub diagnostics: Vec<Diagnostic>,
}

impl FixExample {
    /// Returns the language of the file.
    pub fn language(&self) -> Language {
        self.language.or_else(|| Language::from_path(&self.path)).unwrap_or_default()
    }
}

/// Which diagnostics a rule answers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RuleKey {
    /// The tool that speaks.
    pub tool: String,
    /// The tool's own code, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// One of the classes of [`rule_classes`](super::rule_classes): the signature of the message's
    /// template, that of the template without what it quotes, or nothing for any message of the tool.
    pub class: String,
}

/// A rule learned from fixes that held, or written by a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixRule {
    /// Made of the key, the language and the body: the same rule learned twice is one rule.
    pub id: String,
    /// Which diagnostics it answers.
    pub key: RuleKey,
    /// The only language it may act on. Taken from the fixed file, never from what a model says.
    pub language: Language,
    /// From 0, this very text, to 3, the edit wherever the tool points.
    pub level: u8,
    /// What it does.
    pub body: RuleBody,
    /// Higher is tried first among rules of one key that a person has ordered.
    #[serde(default)]
    pub priority: i32,
    /// What it does, in a sentence.
    pub description: String,
}

impl FixRule {
    /// Makes a rule; its id follows from what it is.
    pub fn new(key: RuleKey, language: Language, level: u8, body: RuleBody) -> Self {
        let description = body.describe();
        let id = String::new();
        let mut rule = Self { id, key, language, level, body, priority: 0, description };
        rule.id = rule.content_id();
        rule
    }

    /// Returns the id that follows from the key, the language and the body.
    pub fn content_id(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let code = self.key.code.as_deref().unwrap_or_default();
        for part in [&self.key.tool, code, &self.key.class, self.language.name()] {
            hasher.update(part.as_bytes());
            hasher.update(&[0]);
        }
        // The body is plain data without maps: its JSON is the same each time.
        hasher.update(&serde_json::to_vec(&self.body).unwrap_or_default());
        hasher.finalize().to_hex().chars().take(16).collect()
    }
}

/// How a rule finds its place and what it writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RuleBody {
    /// By the tokens around a place: works on files that no grammar accepts.
    Token(TokenRule),
    /// By the syntax tree.
    Structure(StructureRule),
    /// By a pattern and a template with named slots, as people write them.
    Template(TemplateRule),
}

impl RuleBody {
    /// Says in a sentence what it does.
    pub fn describe(&self) -> String {
        let joined =
            |pieces: &[Piece]| pieces.iter().map(Piece::to_string).collect::<Vec<_>>().join(" ");
        match self {
            Self::Token(rule) => {
                let written: Vec<Piece> =
                    rule.insert.iter().map(|insertion| insertion.piece.clone()).collect();
                let context = match (rule.left.last(), rule.right.first()) {
                    (Some(left), Some(right)) => format!(" between `{left}` and `{right}`"),
                    (Some(left), None) => format!(" after `{left}`"),
                    (None, Some(right)) => format!(" before `{right}`"),
                    (None, None) => String::new(),
                };
                match (rule.remove.is_empty(), written.is_empty()) {
                    (true, _) => format!("insert `{}`{context}", joined(&written)),
                    (false, true) => format!("delete `{}`{context}", joined(&rule.remove)),
                    (false, false) => format!(
                        "write `{}` instead of `{}`{context}",
                        joined(&written),
                        joined(&rule.remove)
                    ),
                }
            }
            Self::Structure(rule) => format!("rewrite `{}` as `{}`", rule.pattern, rule.rewrite),
            Self::Template(rule) => format!("rewrite `{}` as `{}`", rule.pattern, rule.template),
        }
    }
}

/// An edit of tokens between tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRule {
    /// Where it looks, from the diagnostic's place.
    pub anchor: Anchor,
    /// The token that the diagnostic points at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Piece>,
    /// The first token of the line it edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Piece>,
    /// The tokens before the edit, in reading order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Piece>,
    /// The tokens it takes away.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<Piece>,
    /// The tokens it writes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub insert: Vec<Insertion>,
    /// The tokens after the edit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub right: Vec<Piece>,
    /// What its holes stand for, in the order of their letters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holes: Vec<Hole>,
    /// Whether what it writes belongs to the token after it, and not to the one before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub before_next: bool,
    /// Whether a blank follows what is written before the next token.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spaced_after: bool,
    /// Names it writes as they are: they must occur in the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
}

/// Where a token rule looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Anchor {
    /// In the line `delta` lines after the diagnostic's; of several places there the one nearest to
    /// `offset` tokens after the diagnostic's token.
    Line {
        /// Lines down; negative is up.
        delta: i32,
        /// Tokens to the right; negative is to the left.
        offset: i32,
    },
    /// Exactly there, and nowhere else.
    Token {
        /// Tokens to the right; negative is to the left.
        offset: i32,
    },
    /// The nearest fitting place above the diagnostic.
    Above,
    /// The first fitting place of the file.
    First,
}

/// A token that is written, with the blanks before it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Insertion {
    /// Blanks before the token; a line break stands for one with the indentation of the place.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gap: String,
    /// The token.
    pub piece: Piece,
}

/// One token of a pattern. Written `;` for itself, `$A` for a hole, `<name>` for any token of a kind,
/// `<start>` and `<end>` for the ends of a line; a token that begins with `$` has it twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Piece {
    /// This very token.
    Exact(String),
    /// The hole of this number, from 0.
    Hole(u8),
    /// Any token of a kind.
    Any(WordKind),
    /// The beginning of a line.
    Start,
    /// The end of a line.
    End,
}

/// The most holes of a rule: one for each letter.
pub(super) const HOLES: usize = 26;

impl std::fmt::Display for Piece {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact(token) if token.starts_with('$') => write!(formatter, "${token}"),
            Self::Exact(token) => formatter.write_str(token),
            Self::Hole(number) => {
                write!(formatter, "${}", char::from(b'A' + number.min(&25)))
            }
            Self::Any(kind) => write!(formatter, "<{}>", kind.name()),
            Self::Start => formatter.write_str("<start>"),
            Self::End => formatter.write_str("<end>"),
        }
    }
}

impl From<Piece> for String {
    fn from(piece: Piece) -> Self {
        piece.to_string()
    }
}

impl TryFrom<String> for Piece {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.is_empty() || text.len() > 400 {
            return Err("a token of a rule is empty or too long".to_owned());
        }
        if let Some(rest) = text.strip_prefix('$') {
            if rest.starts_with('$') {
                return Ok(Self::Exact(rest.to_owned()));
            }
            return match rest.as_bytes() {
                [letter @ b'A'..=b'Z'] => Ok(Self::Hole(letter - b'A')),
                _ => Err(format!("`{text}` is no hole: they are $A to $Z")),
            };
        }
        Ok(match text.as_str() {
            "<mark>" => Self::Any(WordKind::Mark),
            "<start>" => Self::Start,
            "<end>" => Self::End,
            "<name>" => Self::Any(WordKind::Name),
            "<number>" => Self::Any(WordKind::Number),
            "<text>" => Self::Any(WordKind::Text),
            _ => Self::Exact(text),
        })
    }
}

/// What kind of token a hole stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordKind {
    /// A name of the program.
    Name,
    /// A number.
    Number,
    /// A string or character, with its quotes.
    Text,
    /// A mark or bracket.
    Mark,
}

impl WordKind {
    /// Returns its name in a rule.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Number => "number",
            Self::Text => "text",
            Self::Mark => "mark",
        }
    }
}

/// What a hole stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hole {
    /// The kind of token.
    pub kind: WordKind,
    /// Where its token is from.
    pub from: HoleSource,
}

/// Where the token of a hole is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoleSource {
    /// The code around the edit.
    Code,
    /// What the message quotes, counted from 0.
    Message(u8),
    /// A name of the file that is spelt nearly like what the message quotes there.
    Near(u8),
}

/// A rewrite of one node of the syntax tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StructureRule {
    /// The grammar's name of the node.
    pub kind: String,
    /// The code of the node; `$A` stands for any node, the same one wherever it is written.
    pub pattern: String,
    /// The code that takes its place.
    pub rewrite: String,
    /// What holes that the pattern does not bind stand for: `$M` from the message, `$N` near it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holes: Vec<NamedHole>,
}

/// A hole of a structure rule that the message binds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedHole {
    /// Its letter.
    pub name: char,
    /// Where its text is from.
    pub from: HoleSource,
}

/// The form of the documents: a pattern and a template with slots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateRule {
    /// The grammar's name of the node it may rewrite; any place near the diagnostic where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_kind: Option<String>,
    /// Code with `{{ slot }}`; empty for the whole node.
    #[serde(default)]
    pub pattern: String,
    /// What is written instead.
    pub template: String,
}
