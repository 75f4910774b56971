//! Rules as text: shown, written into a folder, taken over from one.
//!
//! In: rules of the store, or files as people wrote them. Out: TOML with examples that hold, or rules that are
//! kept. Never half a folder: a file that is refused is named, and nothing is taken over.

use super::files::write;
use super::{look, root};
use crate::arguments::{FolderArguments, Format, KnowledgeExportArguments, PlaceArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::{input, job_place, output};
use salve_engine::knowledge::{FixExample, FixRule, read_rule, rule_text};
use salve_store::{
    KnowledgeScope, NewExample, NewRule, RuleFilter, RuleState, Store, StoreError, StoredRule,
};
use serde_json::json;
use std::path::{Path, PathBuf};

/// This many examples go with a rule.
const EXAMPLES: usize = 2;
/// At most this many files are taken over at once.
const MOST: usize = 10_000;

/// Returns whether a path names rules.
pub(super) fn is_rules(file: &Path) -> bool {
    file.is_dir() || file.extension().is_some_and(|extension| extension == "toml")
}

/// Returns a rule as text, with examples that hold; nothing where its body is not one that this version
/// knows.
pub(super) async fn text(store: &Store, rule: &StoredRule) -> Result<Option<String>, StoreError> {
    let Ok(read) = serde_json::from_str::<FixRule>(&rule.body) else { return Ok(None) };
    let stored = store.examples(&rule.language, &rule.class, 32).await?;
    let mut examples: Vec<FixExample> = Vec::new();
    for example in stored {
        let Ok(example) = serde_json::from_str::<FixExample>(&example.body) else { continue };
        // Other rules were learned from the same class of errors.
        if read_rule(&rule_text(&read, std::slice::from_ref(&example))).is_ok() {
            examples.push(example);
        }
        if examples.len() == EXAMPLES {
            break;
        }
    }
    Ok(Some(rule_text(&read, &examples)))
}

/// Writes the rules that are in use into a folder.
pub(super) fn export(
    store: &PlaceArguments,
    place: &FolderArguments,
    options: &KnowledgeExportArguments,
) -> CommandResult {
    let folder = options.file.clone().unwrap_or_else(|| PathBuf::from("."));
    let workspace = if options.all { None } else { Some(root(place)?) };
    let filter = RuleFilter { workspace, state: Some(RuleState::Active), ..RuleFilter::default() };
    let texts = look(store, async |store| {
        let mut texts = Vec::new();
        for rule in store.rules(&filter, u32::MAX).await? {
            match text(store, &rule).await? {
                Some(text) => texts.push((rule.id, text)),
                None => output::story(&format!("rule {} cannot be read; left out\n", rule.id)),
            }
        }
        Ok(texts)
    })?;
    let texts = texts.unwrap_or_default();
    std::fs::create_dir_all(&folder)?;
    for (id, text) in &texts {
        // An id is what its content makes it; one that is not cannot name a file.
        if id.chars().all(|c| c.is_ascii_alphanumeric()) {
            write(&folder.join(format!("{id}.toml")), text)?;
        }
    }
    let count = output::counted(texts.len(), "rule");
    output::story(&format!("{count} written to {}\n", folder.display()));
    Ok(Ending::Clean)
}

/// Takes over a rule, or those of a folder.
pub(super) fn import(
    store: &PlaceArguments,
    place: &FolderArguments,
    from: &Path,
    scope: KnowledgeScope,
    format: Format,
) -> CommandResult {
    let mut rules = Vec::new();
    for file in files(from)? {
        let read = read_rule(&input::text(Some(&file))?).map_err(|error| {
            let error = anyhow::Error::from(error);
            Failure::from(error.context(format!("`{}` is refused", file.display())))
                .hint("Nothing was taken over.")
        })?;
        rules.push(read);
    }
    let workspace = root(place)?;
    let count = rules.len();
    let new = job_place::with(store, "knowledge", async |open| {
        let mut new = 0_usize;
        for (rule, examples) in rules {
            new += usize::from(keep(open.store(), &rule, &examples, &workspace, scope).await?);
        }
        Ok(new)
    })?;
    match format {
        Format::Human => output::result(&format!(
            "{}, {new} new; each is checked before its fix is used\n",
            output::counted(count, "rule")
        ))?,
        _ => output::value(format, &json!({ "rules": count, "new_rules": new }))?,
    }
    Ok(Ending::Clean)
}

fn files(from: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !from.is_dir() {
        return Ok(vec![from.to_owned()]);
    }
    let entries: Result<Vec<_>, _> = std::fs::read_dir(from)?.take(MOST + 1).collect();
    let mut files: Vec<PathBuf> = entries?.into_iter().map(|entry| entry.path()).collect();
    if files.len() > MOST {
        return Err(Failure::new(format!("`{}` has more than {MOST} files", from.display()))
            .hint("Take its files over one by one, or in smaller folders."));
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    Ok(files)
}

async fn keep(
    store: &Store,
    rule: &FixRule,
    examples: &[FixExample],
    workspace: &str,
    scope: KnowledgeScope,
) -> Result<bool, Failure> {
    let new = NewRule {
        id: rule.id.clone(),
        class: rule.key.class.clone(),
        tool: rule.key.tool.clone(),
        code: rule.key.code.clone(),
        language: rule.language.name().to_owned(),
        level: rule.level,
        priority: i64::from(rule.priority),
        body: serde_json::to_string(rule)?,
        // What a file claims is not verified here yet.
        replays: 0,
        wins: 0,
        origin: "import".to_owned(),
        workspace: workspace.to_owned(),
        scope,
    };
    for example in examples {
        let example = NewExample {
            class: rule.key.class.clone(),
            language: rule.language.name().to_owned(),
            body: serde_json::to_string(example)?,
            origin: "import".to_owned(),
            workspace: workspace.to_owned(),
            scope,
        };
        store.add_example(example).await?;
    }
    Ok(store.add_rule(new).await?)
}
