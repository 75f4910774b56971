//! Languages that show in the shape of the text rather than in single words.
//!
//! In: the head of a text. Out: scores for CSS, SQL, YAML, TOML and Markdown, and the languages that
//! the first bytes decide (JSON, HTML, PHP). Never looks twice at a line.

use super::rules::Scores;
use super::telling_lines;
use crate::markdown::{Fence, Lead};
use salve_types::Language;

/// Tells the languages that the first bytes decide.
pub(super) fn by_opening(text: &str) -> Option<Language> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let first = text.lines().next().unwrap_or_default().to_ascii_lowercase();
    if first.starts_with("<?php") {
        return Some(Language::Php);
    }
    if ["<!doctype", "<?xml", "<html"].iter().any(|opener| first.starts_with(opener)) {
        return Some(Language::Html);
    }
    opens_json(text).then_some(Language::Json)
}

// `{` must be followed by a quoted key (or close at once), `[` by a value; a TOML table, a shell
// test and a block of code are not.
fn opens_json(text: &str) -> bool {
    let bare = text.trim_start_matches(|it: char| it == '[' || it.is_whitespace());
    let is_array = text.starts_with('[');
    if let Some(object) = bare.strip_prefix('{') {
        let inside = object.trim_start();
        let Some(key) = inside.strip_prefix('"') else {
            return inside.starts_with('}') && inside[1..].trim().is_empty();
        };
        return key.split_once('"').is_none_or(|(_, after)| {
            let after = after.trim_start();
            after.is_empty() || after.starts_with(':')
        });
    }
    is_array
        && (bare.starts_with(['"', ']', '-'])
            || bare.starts_with(|it: char| it.is_ascii_digit())
            || ["true", "false", "null"].iter().any(|word| bare.starts_with(word)))
}

/// Adds what the shape of the lines says.
pub(super) fn score(text: &str, scores: &mut Scores) {
    let mut seen = Seen::default();
    for (raw, line) in telling_lines(text) {
        if Fence::read(line, Lead::Blanks).is_some() {
            seen.markdown += 4;
        } else {
            seen.line(raw, line);
        }
    }
    seen.settle(scores);
}

#[derive(Default)]
struct Seen {
    lines: u32,
    css: u32,
    sql: u32,
    markdown: u32,
    // Lines that are `key: value`, `key = value`, `[table]`.
    yaml_pairs: u32,
    yaml_marks: u32,
    toml_pairs: u32,
    toml_tables: u32,
    starts_yaml: bool,
    starts_toml: bool,
}

impl Seen {
    fn line(&mut self, raw: &str, line: &str) {
        self.markdown += markdown_weight(line);
        if line.starts_with('#') && !line.starts_with("#!") && !line.ends_with('{') {
            return;
        }
        self.lines += 1;
        if self.lines == 1 {
            // A data language begins with data.
            self.starts_yaml =
                is_yaml_pair(line) || line.starts_with("---") || line.starts_with("- ");
            self.starts_toml = is_toml_pair(line) || is_toml_table(line);
        }
        self.css += css_weight(line);
        self.sql += sql_weight(line);
        if line == "---" || line.starts_with("%YAML") {
            self.yaml_marks += 3;
        } else if is_yaml_pair(line) || (line.starts_with("- ") && raw.starts_with(' ')) {
            self.yaml_pairs += 1;
        }
        if is_toml_table(line) {
            self.toml_tables += 1;
        } else if is_toml_pair(line) {
            self.toml_pairs += 1;
        }
    }

    fn settle(&self, scores: &mut Scores) {
        scores.add(Language::Css, self.css.min(60));
        scores.add(Language::Sql, self.sql.min(60));
        scores.add(Language::Markdown, self.markdown.min(30));
        // Pairs prove a data language only when the text is made of them.
        let most = |pairs: u32| pairs * 10 >= self.lines * 6;
        if self.starts_yaml
            && most(self.yaml_pairs)
            && (self.yaml_pairs >= 2 || self.yaml_marks > 0)
        {
            scores.add(Language::Yaml, (self.yaml_pairs * 2 + self.yaml_marks).min(24));
        }
        let toml = self.toml_pairs + self.toml_tables;
        if self.starts_toml && most(toml) && (self.toml_tables > 0 || self.toml_pairs >= 3) {
            scores.add(Language::Toml, (self.toml_tables * 4 + self.toml_pairs * 2).min(24));
        }
    }
}

const PROPERTIES: &[&str] = &[
    "align-items",
    "animation",
    "background",
    "background-color",
    "border",
    "border-radius",
    "bottom",
    "box-shadow",
    "box-sizing",
    "color",
    "content",
    "cursor",
    "display",
    "flex",
    "flex-direction",
    "float",
    "font",
    "font-family",
    "font-size",
    "font-weight",
    "gap",
    "grid-template-columns",
    "height",
    "justify-content",
    "left",
    "letter-spacing",
    "line-height",
    "list-style",
    "margin",
    "margin-bottom",
    "margin-left",
    "margin-right",
    "margin-top",
    "max-width",
    "min-height",
    "min-width",
    "opacity",
    "outline",
    "overflow",
    "padding",
    "padding-bottom",
    "padding-left",
    "padding-right",
    "padding-top",
    "position",
    "right",
    "text-align",
    "text-decoration",
    "top",
    "transform",
    "transition",
    "vertical-align",
    "visibility",
    "white-space",
    "width",
    "z-index",
];

fn css_weight(line: &str) -> u32 {
    if [
        "@media",
        "@font-face",
        "@keyframes",
        "@-webkit-keyframes",
        "@import url",
        "@import '",
        "@import \"",
        "@charset",
        "@include",
        "@mixin",
        "@tailwind",
        "@layer",
        ":root",
    ]
    .iter()
    .any(|word| line.starts_with(word))
    {
        return 6;
    }
    // A whole rule on one line: `.a span { color: red; }`.
    if let Some((_, declarations)) = line.split_once('{')
        && let Some((name, _)) = declarations.split_once(':')
        && (PROPERTIES.contains(&name.trim()) || name.trim().starts_with("--"))
        && !line.ends_with(',')
    {
        return 5;
    }
    // A comma ends an entry of an object in a script, never a declaration.
    if let Some((name, value)) = line.split_once(':')
        && !name.contains(' ')
        && !line.ends_with(',')
    {
        let is_known = PROPERTIES.contains(&name) || name.starts_with("-webkit-");
        let is_ended = value.ends_with(';') || value.trim_start().is_empty();
        return match (is_known, name.starts_with("--")) {
            (true, _) if is_ended || (value.starts_with(' ') && !value.contains('\'')) => 3,
            (_, true) => 4,
            _ => 0,
        };
    }
    let is_selector = line.ends_with('{') && !line.contains(['(', '=', ';']);
    u32::from(is_selector && line.starts_with(['.', '#', '*', '&'])) * 4
}

fn sql_weight(line: &str) -> u32 {
    const STRONG: &[&str] = &[
        "create table ",
        "insert into ",
        "delete from ",
        "alter table ",
        "drop table ",
        "create index ",
        "create view ",
        "create or replace ",
        "left join ",
        "inner join ",
        "group by ",
        "order by ",
        "create unique index ",
    ];
    const WEAK: &[&str] =
        &["select ", "from ", "where ", "join ", "values ", "and ", "having ", "limit "];
    let head: String = line.chars().take(24).collect::<String>().to_ascii_lowercase();
    if STRONG.iter().any(|word| head.starts_with(word)) {
        return 5;
    }
    let lower = line.to_ascii_lowercase();
    if head.starts_with("select ") && lower.contains(" from ") {
        // Prose may say "select … from"; a query is rarely a sentence.
        return if line.ends_with('.') { 1 } else { 5 };
    }
    if head.starts_with("update ") && lower.contains(" set ") {
        return 5;
    }
    let is_shouted = line.chars().take(4).all(|it| it.is_ascii_uppercase());
    let is_weak = head == "select" || WEAK.iter().any(|word| head.starts_with(word));
    if is_weak { if is_shouted { 3 } else { 1 } } else { 0 }
}

fn markdown_weight(line: &str) -> u32 {
    let hashes = line.bytes().take_while(|&byte| byte == b'#').count();
    if (1..=6).contains(&hashes) && line[hashes..].starts_with(' ') {
        return if hashes > 1 { 3 } else { 1 };
    }
    let is_item = line.starts_with("- ") || line.starts_with("* ") || line.starts_with("> ");
    let has_link = line.contains("](") && line.contains(')');
    let has_strong =
        line.matches("**").count() >= 2 && !line.starts_with('/') && !line.starts_with('*');
    let is_rule = line.starts_with('|') && line.contains("---");
    u32::from(is_item)
        + u32::from(has_link) * 3
        + u32::from(has_strong) * 2
        + u32::from(is_rule) * 5
}

fn is_yaml_pair(line: &str) -> bool {
    let line = line.strip_prefix("- ").unwrap_or(line);
    let Some((key, value)) = line.split_once(':') else { return false };
    let is_key = !key.is_empty()
        && key.chars().all(|it| {
            it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | '/' | '"' | '\'' | '$')
        });
    is_key && (value.is_empty() || value.starts_with(' ')) && !line.ends_with([';', ',', '{', '('])
}

fn is_toml_table(line: &str) -> bool {
    let inside = line.trim_start_matches('[').trim_end_matches(']');
    line.starts_with('[')
        && line.ends_with(']')
        && !inside.is_empty()
        && inside.starts_with(|it: char| it.is_alphabetic() || it == '"' || it == '_')
        && inside.chars().all(|it| {
            it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | '"' | '\'' | ' ' | ':' | '/')
        })
}

fn is_toml_pair(line: &str) -> bool {
    let Some((key, value)) = line.split_once('=') else { return false };
    let (key, value) = (key.trim_end(), value.trim_start());
    !key.is_empty()
        && key.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | '"'))
        && !line.ends_with(';')
        && (value.starts_with(['"', '\'', '[', '{', '-'])
            || value.starts_with(|it: char| it.is_ascii_digit())
            || value.starts_with("true")
            || value.starts_with("false"))
}
