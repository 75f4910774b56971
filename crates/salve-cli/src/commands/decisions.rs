//! `salve decisions`: what was decided, why, and what people say to it.
//!
//! In: the store. Out: a list, one decision with its changes, the manifest; pins and replacements where asked,
//! each also a line in the workspace's `decisions.log`. Never deletes one.

use crate::arguments::{
    DecisionsArguments, DecisionsCommand, DecisionsListArguments, FolderArguments, Format,
    PlaceArguments, ScopeChoice, WordArguments,
};
use crate::change::visible;
use crate::commands::history::ago;
use crate::commands::knowledge::{files, look, root, who};
use crate::failure::{CommandResult, Ending, Failure};
use crate::output;
use crate::table::{Align, table};
use crate::workspace::now;
use salve_engine::heal::HealFiles;
use salve_store::{
    ChangedDecision, DecisionFilter, DecisionRecord, DecisionScope, DecisionType, NewChoice, Store,
};
use serde_json::{Value, json};
use std::path::Path;

/// How many changes of a decision are shown.
const CHANGES: u32 = 100;

/// Runs `salve decisions`.
pub(crate) fn run(arguments: &DecisionsArguments, format: Format) -> CommandResult {
    let store = &arguments.store;
    match &arguments.command {
        DecisionsCommand::List(options) => list(store, &arguments.place, options, format),
        DecisionsCommand::Show { id } => show(store, id, format),
        DecisionsCommand::Pin { id, word } => changed(store, word, format, async |store, by| {
            Ok(store.pin_decision(id, by, &word.reason).await?)
        }),
        DecisionsCommand::Unpin { id, word } => changed(store, word, format, async |store, by| {
            Ok(store.unpin_decision(id, by, &word.reason).await?)
        }),
        DecisionsCommand::Supersede { id, choice, word } => {
            changed(store, word, format, async |store, by| {
                let (by, reason) = (by.to_owned(), word.reason.clone());
                let new = NewChoice { choice: choice.clone(), by, reason };
                let id = store.supersede_decision(id, new).await?;
                store.decision(&id).await?.ok_or_else(|| unknown(&id))
            })
        }
        DecisionsCommand::Export { file, here } => {
            export(store, &arguments.place, file.as_deref(), *here)
        }
    }
}

fn unknown(id: &str) -> Failure {
    Failure::new(format!("there is no decision {}", visible(id)))
        .hint("`salve decisions list` shows those there are.")
}

fn list(
    store: &PlaceArguments,
    place: &FolderArguments,
    options: &DecisionsListArguments,
    format: Format,
) -> CommandResult {
    let filter = DecisionFilter {
        workspace: options.here.then(|| root(place)).transpose()?,
        scope: options.scope.map(|scope| match scope {
            ScopeChoice::Build => DecisionScope::Build,
            ScopeChoice::Runtime => DecisionScope::Runtime,
        }),
        decision_type: options.decision_type.as_deref().map(type_named).transpose()?,
        pinned: options.pinned.then_some(true),
        held: options.held,
    };
    let found = look(store, async |store| Ok(store.decisions(&filter, options.limit).await?))?;
    let decisions = found.unwrap_or_default();
    match format {
        Format::Human if decisions.is_empty() => output::result("no decisions\n")?,
        Format::Human => output::result(&drawn(&decisions))?,
        _ => {
            let decisions: Vec<Value> = decisions.iter().map(value).collect();
            output::values(format, &decisions)?;
        }
    }
    Ok(Ending::Clean)
}

fn type_named(name: &str) -> Result<DecisionType, Failure> {
    DecisionType::from_name(name).ok_or_else(|| {
        let all: Vec<&str> = DecisionType::ALL.into_iter().map(DecisionType::name).collect();
        Failure::new(format!("there is no type of decision `{}`", visible(name)))
            .hint(format!("Types: {}.", all.join(", ")))
    })
}

/// Returns a decision for programs, its times as people read them.
fn value(decision: &DecisionRecord) -> Value {
    let mut value = json!(decision);
    if let Some(fields) = value.as_object_mut() {
        fields.insert("timestamp".to_owned(), json!(decision.timestamp.to_string()));
        let pinned_at = decision.pinned_at.map(|at| at.to_string());
        fields.insert("pinned_at".to_owned(), json!(pinned_at));
    }
    value
}

fn drawn(decisions: &[DecisionRecord]) -> String {
    let columns = [
        ("decision", Align::Left),
        ("when", Align::Right),
        ("type", Align::Left),
        ("scope", Align::Left),
        ("by", Align::Left),
        ("holds", Align::Left),
        ("choice", Align::Left),
    ];
    let rows: Vec<Vec<String>> = decisions
        .iter()
        .map(|one| {
            let made = u64::try_from(one.timestamp.0).unwrap_or_default();
            let holds = match (&one.superseded_by, one.pinned) {
                (Some(_), _) => "no",
                (None, true) => "pinned",
                (None, false) => "yes",
            };
            vec![
                one.id.clone(),
                ago(now().saturating_sub(made)),
                one.decision_type.name().to_owned(),
                one.scope.name().to_owned(),
                one.model_id.clone(),
                holds.to_owned(),
                one.choice.lines().next().unwrap_or_default().chars().take(60).collect(),
            ]
        })
        .collect();
    table(&columns, &rows)
}

fn show(store: &PlaceArguments, id: &str, format: Format) -> CommandResult {
    let found = look(store, async |store| {
        let decision = store.decision(id).await?.ok_or_else(|| unknown(id))?;
        let changes = store.decision_changes(Some(id), CHANGES).await?;
        Ok((decision, changes))
    })?;
    let (decision, changes) = found.ok_or_else(|| unknown(id))?;
    match format {
        Format::Human => output::result(&story(&decision, &changes))?,
        _ => {
            let mut value = value(&decision);
            if let Some(fields) = value.as_object_mut() {
                fields.insert("changes".to_owned(), json!(changes));
            }
            output::value(format, &value)?;
        }
    }
    Ok(Ending::Clean)
}

fn story(one: &DecisionRecord, changes: &[ChangedDecision]) -> String {
    let mut lines: Vec<(&str, String)> = vec![
        ("decision", one.id.clone()),
        ("made", one.timestamp.to_string()),
        ("type", format!("{}, {}", one.decision_type.name(), one.scope.name())),
        ("choice", one.choice.clone()),
        ("by", one.model_id.clone()),
        ("workspace", one.workspace.clone()),
        ("job", one.job.clone()),
    ];
    let mut add = |name: &'static str, value: Option<String>| {
        lines.extend(value.filter(|value| !value.is_empty()).map(|value| (name, value)));
    };
    add("module", Some(one.module.clone()));
    add("target", one.target.clone());
    add("instead of", Some(one.alternatives.join("; ")));
    add("because", one.reasoning.clone());
    add("confidence", one.confidence.map(|sure| format!("{sure:.2}")));
    let pin = one.pinned_at.map(|at| {
        let word = |text: &Option<String>| text.clone().unwrap_or_default();
        format!("{at} by {}: {}", word(&one.pinned_by), word(&one.pin_reason))
    });
    add("pinned", pin);
    add("replaced by", one.superseded_by.clone());
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text: String =
        lines.iter().map(|(name, value)| format!("{name:<width$}  {}\n", visible(value))).collect();
    for change in changes {
        let line =
            format!("{} {} by {}: {}", change.at, change.change.name(), change.by, change.reason);
        text.push_str(&format!("  {}\n", visible(&line)));
    }
    text
}

fn changed(
    store: &PlaceArguments,
    word: &WordArguments,
    format: Format,
    act: impl AsyncFnOnce(&Store, &str) -> Result<DecisionRecord, Failure>,
) -> CommandResult {
    let by = who(word.by.as_deref());
    let decision = look(store, async |store| act(store, &by).await)?.ok_or_else(|| {
        Failure::new("nothing was decided yet")
            .hint("`salve heal` decides, and keeps what it decided.")
    })?;
    let state = if decision.pinned { "pinned" } else { "not pinned" };
    let line = format!("decision {}: {}, {state}", decision.id, decision.choice);
    match format {
        Format::Human => output::result(&format!("{}\n", visible(&line)))?,
        _ => output::value(format, &value(&decision))?,
    }
    let workspace = Path::new(&decision.workspace);
    // One that is on another machine, or gone, has no log here.
    if workspace.is_absolute() && workspace.is_dir() {
        let words = format!("{line}; {by}: {}", word.reason);
        HealFiles::new(workspace, &decision.job).decision(now(), &words)?;
    }
    Ok(Ending::Clean)
}

fn export(
    store: &PlaceArguments,
    place: &FolderArguments,
    file: Option<&Path>,
    here: bool,
) -> CommandResult {
    let filter = DecisionFilter {
        workspace: here.then(|| root(place)).transpose()?,
        ..DecisionFilter::default()
    };
    let found = look(store, async |store| Ok(store.decisions(&filter, u32::MAX).await?))?;
    let decisions: Vec<Value> = found.unwrap_or_default().iter().rev().map(value).collect();
    let text = serde_json::to_string_pretty(&json!({ "decisions": decisions }))? + "\n";
    match file.filter(|file| *file != Path::new("-")) {
        None => output::content(&text)?,
        Some(file) => {
            files::write(file, &text)?;
            let count = output::counted(decisions.len(), "decision");
            output::story(&format!("{count} written to {}\n", file.display()));
        }
    }
    Ok(Ending::Clean)
}
