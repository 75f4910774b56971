//! Rules and errors as people see them.
//!
//! In: what the store keeps. Out: tables and stories; foreign text is shown escaped. Never decides anything.

use crate::change::visible;
use crate::commands::history::ago;
use crate::table::{Align, table};
use crate::workspace::now;
use salve_store::{FixRecord, FixResult, PatternRecord, StoredRule};
use salve_types::Timestamp;
use serde_json::{Value, json};

/// How much of an error's words a list shows.
const SHOWN: usize = 60;

/// Writes rules and errors, each under its heading.
pub(super) fn lists(rules: &[StoredRule], patterns: &[PatternRecord]) -> String {
    let mut text = String::new();
    if !rules.is_empty() {
        text.push_str(&rule_table(rules));
    }
    if !rules.is_empty() && !patterns.is_empty() {
        text.push('\n');
    }
    if !patterns.is_empty() {
        text.push_str(&pattern_table(patterns));
    }
    text
}

/// Writes rules as a table.
pub(super) fn rule_table(rules: &[StoredRule]) -> String {
    let columns = [
        ("rule", Align::Left),
        ("language", Align::Left),
        ("error", Align::Left),
        ("level", Align::Right),
        ("state", Align::Left),
        ("pinned", Align::Left),
        ("wins", Align::Right),
        ("losses", Align::Right),
        ("sure", Align::Right),
        ("used", Align::Right),
    ];
    let rows: Vec<Vec<String>> = rules
        .iter()
        .map(|rule| {
            vec![
                rule.id.clone(),
                rule.language.clone(),
                error_of(rule),
                rule.level.to_string(),
                rule.state.name().to_owned(),
                rule.pin.as_ref().map_or("-".to_owned(), |pin| pin.by.clone()),
                rule.wins.to_string(),
                rule.losses.to_string(),
                format!("{:.2}", rule.confidence()),
                rule.last_used.map_or("-".to_owned(), since),
            ]
        })
        .collect();
    table(&columns, &rows)
}

fn error_of(rule: &StoredRule) -> String {
    match &rule.code {
        Some(code) => format!("{} {code}", rule.tool),
        None => rule.tool.clone(),
    }
}

fn pattern_table(patterns: &[PatternRecord]) -> String {
    let columns = [
        ("error", Align::Left),
        ("class", Align::Left),
        ("met", Align::Right),
        ("works", Align::Left),
        ("failed", Align::Right),
        ("seen", Align::Right),
        ("words", Align::Left),
    ];
    let rows: Vec<Vec<String>> = patterns
        .iter()
        .map(|pattern| {
            let failed = pattern.fixes.iter().filter(|fix| fix.result == FixResult::Failed).count();
            vec![
                pattern.error_signature.clone(),
                pattern.error_type.clone(),
                pattern.hits.to_string(),
                if pattern.successful_fix().is_some() { "yes" } else { "no" }.to_owned(),
                failed.to_string(),
                since(pattern.last_seen),
                shortened(&pattern.normalized_error),
            ]
        })
        .collect();
    table(&columns, &rows)
}

fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line.to_owned(),
    }
}

fn since(moment: Timestamp) -> String {
    ago(now().saturating_sub(u64::try_from(moment.0).unwrap_or_default()))
}

/// Returns a rule for programs: what is kept, how sure it is, and its body as a document.
pub(super) fn rule_value(rule: &StoredRule) -> Value {
    let mut value = json!(rule);
    if let Some(fields) = value.as_object_mut() {
        fields.insert("confidence".to_owned(), json!(rule.confidence()));
        if let Ok(body) = serde_json::from_str::<Value>(&rule.body) {
            fields.insert("body".to_owned(), body);
        }
    }
    value
}

/// Writes what was done to a rule, in a line.
pub(super) fn rule_line(rule: &StoredRule) -> String {
    let pinned = match &rule.pin {
        Some(pin) => format!("pinned by {} ({})", visible(&pin.by), visible(&pin.reason)),
        None => "not pinned".to_owned(),
    };
    format!("rule {}: {}, {pinned}\n", visible(&rule.id), rule.state.name())
}

/// Writes a rule in full, with its text where it has one.
pub(super) fn rule(rule: &StoredRule, text_of_rule: Option<&str>) -> String {
    let mut lines = vec![
        ("rule", rule.id.clone()),
        ("state", rule.state.name().to_owned()),
        ("language", rule.language.clone()),
        ("for", error_of(rule)),
        ("class", rule.class.clone()),
        ("level", rule.level.to_string()),
        ("priority", rule.priority.to_string()),
        ("verified", format!("{} wins, {} losses", rule.wins, rule.losses)),
        ("sure", format!("{:.2}", rule.confidence())),
        ("replayed on", format!("{} examples", rule.replays)),
        ("learned", format!("{} in {}", rule.created, rule.workspace)),
        ("from", rule.origin.clone()),
    ];
    if let Some(author) = &rule.author {
        lines.push(("shared by", author.clone()));
    }
    if let Some(pin) = &rule.pin {
        lines.push(("pinned", format!("{} by {}: {}", pin.at, pin.by, pin.reason)));
    }
    if rule.team_wins + rule.team_losses > 0 {
        let others = format!("{} wins, {} losses", rule.team_wins, rule.team_losses);
        lines.push(("of others", others));
    }
    for one in &rule.team_pins {
        lines.push(("pinned by", format!("{} at {}: {}", one.author, one.pin.at, one.pin.reason)));
    }
    let mut text = told(&lines);
    text.push('\n');
    for line in text_of_rule.unwrap_or(&rule.body).lines() {
        text.push_str(&format!("  {}\n", visible(line)));
    }
    text
}

/// Writes an error with all that was tried on it.
pub(super) fn pattern(pattern: &PatternRecord) -> String {
    let mut lines = vec![
        ("error", pattern.error_signature.clone()),
        ("words", pattern.normalized_error.clone()),
        ("class", pattern.error_type.clone()),
        ("workspace", pattern.workspace.clone()),
        ("met", format!("{} heals", pattern.hits)),
        ("first seen", pattern.first_seen.to_string()),
        ("last seen", pattern.last_seen.to_string()),
    ];
    if !pattern.author.is_empty() {
        lines.push(("author", pattern.author.clone()));
    }
    let mut text = told(&lines);
    for fix in &pattern.fixes {
        text.push_str(&format!("  {}\n", visible(&tried(fix))));
    }
    text
}

fn tried(fix: &FixRecord) -> String {
    let word = match (fix.disabled, fix.demoted, fix.result) {
        (true, ..) => "out of use",
        (_, true, _) => "demoted",
        (_, _, FixResult::Success) => "works",
        (_, _, FixResult::Failed) => "failed",
    };
    format!(
        "{word}: {} ({}, by {}; healed {}, failed {})",
        fix.description,
        fix.kind.name(),
        fix.made_by,
        fix.successes,
        fix.failures
    )
}

fn told(lines: &[(&str, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    lines.iter().map(|(name, value)| format!("{name:<width$}  {}\n", visible(value))).collect()
}
