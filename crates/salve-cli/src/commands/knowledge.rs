//! `salve knowledge`: what was learned, for people to look into and decide about.
//!
//! In: the store. Out: lists, one rule or error in full, files, figures; pins and states where asked. Never
//! applies a fix: `salve heal` does, and checks it.

mod draw;
pub(super) mod files;
mod learn;
mod lookup;
mod rule_files;
mod stats;

use crate::arguments::{
    FolderArguments, Format, KnowledgeArguments, KnowledgeCommand, KnowledgeKind,
    KnowledgeListArguments, PlaceArguments, RuleStateChoice,
};
use crate::failure::{CommandResult, Ending, Failure};
use crate::{environment, job_place, output, workspace};
use salve_store::{
    KnowledgeScope, PatternFilter, PatternRecord, RuleFilter, RuleState, Store, StoredRule,
};
use serde_json::{Value, json};

/// Runs `salve knowledge`.
pub(crate) fn run(arguments: &KnowledgeArguments, format: Format) -> CommandResult {
    let store = &arguments.store;
    match &arguments.command {
        KnowledgeCommand::List(options) => list(store, &arguments.place, options, format),
        KnowledgeCommand::Show { id } => show(store, id, format),
        KnowledgeCommand::Pin { id, reason, by } => {
            let by = who(by.as_deref());
            rule_changed(store, id, format, async |store| {
                Ok(store.pin_rule(id, &by, reason).await?)
            })
        }
        KnowledgeCommand::Unpin { id } => {
            rule_changed(store, id, format, async |store| Ok(store.unpin_rule(id).await?))
        }
        KnowledgeCommand::Disable { id } => used(store, id, false, format),
        KnowledgeCommand::Enable { id } => used(store, id, true, format),
        KnowledgeCommand::Export(options) if options.rules => {
            rule_files::export(store, &arguments.place, options)
        }
        KnowledgeCommand::Export(options) => files::export(store, &arguments.place, options),
        KnowledgeCommand::Import { file, shared } => {
            let scope = if *shared { KnowledgeScope::Shared } else { KnowledgeScope::Private };
            if rule_files::is_rules(file) {
                return rule_files::import(store, &arguments.place, file, scope, format);
            }
            files::import(store, &arguments.place, file, scope, format)
        }
        KnowledgeCommand::Stats { days, here } => {
            let workspace = here.then(|| root(&arguments.place)).transpose()?;
            stats::run(store, workspace.as_deref(), *days, format)
        }
        KnowledgeCommand::Learn { pairs, yes } => {
            learn::run(store, &arguments.place, pairs, *yes, format)
        }
        KnowledgeCommand::Check(options) => lookup::run(store, &arguments.place, options, format),
    }
}

/// Returns the workspace as heals name it.
pub(super) fn root(place: &FolderArguments) -> Result<String, Failure> {
    Ok(workspace::place(place)?.root.display().to_string())
}

/// Returns who acts.
pub(super) fn who(named: Option<&str>) -> String {
    let user = || environment::value("USER").or_else(|| environment::value("LOGNAME"));
    named.map(str::to_owned).or_else(user).unwrap_or_else(|| "unknown".to_owned())
}

/// Looks into the store; nothing where nothing was ever kept.
pub(super) fn look<T>(
    place: &PlaceArguments,
    act: impl AsyncFnOnce(&Store) -> Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    job_place::look(place, async |open| act(open.store()).await)
}

fn list(
    store: &PlaceArguments,
    place: &FolderArguments,
    options: &KnowledgeListArguments,
    format: Format,
) -> CommandResult {
    let workspace = options.here.then(|| root(place)).transpose()?;
    let rules = RuleFilter {
        workspace: workspace.clone(),
        language: options.lang.clone(),
        state: options.state.map(|state| match state {
            RuleStateChoice::Active => RuleState::Active,
            RuleStateChoice::Quarantined => RuleState::Quarantined,
            RuleStateChoice::Disabled => RuleState::Disabled,
        }),
        pinned: options.pinned.then_some(true),
    };
    let patterns = PatternFilter { workspace, ..PatternFilter::default() };
    // What only a rule can be leaves no error.
    let of_rules = rules.state.is_some() || rules.pinned.is_some() || rules.language.is_some();
    let only = options.only.or_else(|| of_rules.then_some(KnowledgeKind::Rules));
    let found = look(store, async |store| {
        let wanted = |kind| only.is_none_or(|only| only == kind);
        let mut found = (Vec::new(), Vec::new());
        if wanted(KnowledgeKind::Rules) {
            found.0 = store.rules(&rules, options.limit).await?;
        }
        if wanted(KnowledgeKind::Patterns) {
            found.1 = store.patterns(&patterns, options.limit).await?;
        }
        Ok(found)
    })?;
    let (rules, patterns) = found.unwrap_or_default();
    match format {
        Format::Human if rules.is_empty() && patterns.is_empty() => {
            output::result("nothing was learned yet\n")?;
            output::story("`salve heal` learns from every fix that a check accepts.\n");
        }
        Format::Human => output::result(&draw::lists(&rules, &patterns))?,
        Format::Json => {
            let rules: Vec<Value> = rules.iter().map(draw::rule_value).collect();
            output::json(&json!({ "rules": rules, "patterns": patterns }))?;
        }
        Format::Jsonl => {
            for rule in &rules {
                output::json_line(&json!({ "rule": draw::rule_value(rule) }))?;
            }
            for pattern in &patterns {
                output::json_line(&json!({ "pattern": pattern }))?;
            }
        }
    }
    Ok(Ending::Clean)
}

/// What an id names.
enum Known {
    Rule(Box<StoredRule>),
    Patterns(Vec<PatternRecord>),
}

/// Finds the rule, or the error in all workspaces, that an id names.
async fn named(store: &Store, id: &str) -> Result<Known, Failure> {
    if let Some(rule) = store.rule(id).await? {
        return Ok(Known::Rule(Box::new(rule)));
    }
    let filter = PatternFilter { signature: Some(id.to_owned()), ..PatternFilter::default() };
    let patterns = store.patterns(&filter, 1000).await?;
    if patterns.is_empty() { Err(unknown(id)) } else { Ok(Known::Patterns(patterns)) }
}

fn unknown(id: &str) -> Failure {
    Failure::new(format!("there is no rule and no error `{}`", crate::change::visible(id)))
        .hint("`salve knowledge list` shows the ids of rules and the signatures of errors.")
}

fn show(store: &PlaceArguments, id: &str, format: Format) -> CommandResult {
    let known = look(store, async |store| {
        let known = named(store, id).await?;
        let text = match &known {
            Known::Rule(rule) => rule_files::text(store, rule).await?,
            Known::Patterns(_) => None,
        };
        Ok((known, text))
    })?;
    let (known, text) = known.ok_or_else(|| unknown(id))?;
    match (&known, format) {
        (Known::Rule(rule), Format::Human) => output::result(&draw::rule(rule, text.as_deref()))?,
        (Known::Rule(rule), _) => output::value(format, &draw::rule_value(rule))?,
        (Known::Patterns(patterns), Format::Human) => {
            let drawn: Vec<String> = patterns.iter().map(draw::pattern).collect();
            output::result(&drawn.join("\n"))?;
        }
        (Known::Patterns(patterns), _) => output::values(format, patterns)?,
    }
    Ok(Ending::Clean)
}

fn rule_changed(
    store: &PlaceArguments,
    id: &str,
    format: Format,
    act: impl AsyncFnOnce(&Store) -> Result<bool, Failure>,
) -> CommandResult {
    let rule = look(store, async |store| {
        // The fixes of an error are verified each time; only a rule is pinned.
        if !act(store).await? {
            return match named(store, id).await? {
                Known::Patterns(_) => Err(Failure::new(format!("`{id}` is an error, not a rule"))
                    .hint("Only rules are pinned: `salve knowledge list --only rules`.")),
                Known::Rule(_) => Err(unknown(id)),
            };
        }
        store.rule(id).await?.ok_or_else(|| unknown(id))
    })?
    .ok_or_else(|| unknown(id))?;
    match format {
        Format::Human => output::result(&draw::rule_line(&rule))?,
        _ => output::value(format, &draw::rule_value(&rule))?,
    }
    if rule.pin.is_some() && rule.state != RuleState::Active {
        output::story(&format!(
            "It is {} all the same; `salve knowledge enable {id}` puts it back into use.\n",
            rule.state.name()
        ));
    }
    Ok(Ending::Clean)
}

fn used(store: &PlaceArguments, id: &str, yes: bool, format: Format) -> CommandResult {
    let state = if yes { RuleState::Active } else { RuleState::Disabled };
    let known = look(store, async |store| {
        if !store.set_rule_state(id, state).await? {
            store.disable_pattern(None, id, !yes).await?;
        }
        named(store, id).await
    })?;
    match known.ok_or_else(|| unknown(id))? {
        Known::Rule(rule) => match format {
            Format::Human => output::result(&draw::rule_line(&rule))?,
            _ => output::value(format, &draw::rule_value(&rule))?,
        },
        Known::Patterns(patterns) => match format {
            Format::Human => {
                let words = if yes { "in use again" } else { "out of use" };
                output::result(&format!("the fixes of {id} are {words}\n"))?;
            }
            _ => output::values(format, &patterns)?,
        },
    }
    Ok(Ending::Clean)
}
