//! `salve keys`: makes, lists and revokes the keys the gateway hands out.
//!
//! In: names and limits. Out: a key once, when it is made; then what is known about it. Never shows a
//! key again: it is kept nowhere.

use crate::arguments::{Format, KeysArguments, KeysCommand};
use crate::change::visible;
use crate::commands::history::ago;
use crate::failure::{CommandResult, Ending, Failure};
use crate::table::{Align, table};
use crate::workspace::now;
use crate::{host, output};
use salve_store::{GatewayKey, MadeKey, NewKey, SpendLimit, Spending, Store};
use serde_json::{Value, json};

/// Runs `salve keys`.
pub(crate) fn run(arguments: &KeysArguments, format: Format) -> CommandResult {
    match arguments.command.as_ref().unwrap_or(&KeysCommand::List) {
        KeysCommand::Add { name, tokens_per_day, dollars_per_day, requests_per_minute } => {
            let new = NewKey {
                name: named(name)?,
                per_day: SpendLimit { tokens: *tokens_per_day, micro_dollars: *dollars_per_day },
                requests_per_minute: *requests_per_minute,
            };
            add(new, format)
        }
        KeysCommand::List => list(format),
        KeysCommand::Revoke { name } => revoke(name, format),
    }
}

fn named(name: &str) -> Result<String, Failure> {
    let name = name.trim();
    if name.is_empty() || name.len() > 100 || name.chars().any(char::is_control) {
        return Err(Failure::new("a key needs a name of 1 to 100 characters on one line")
            .hint("For example: `salve keys add --name laptop`."));
    }
    Ok(name.to_owned())
}

fn add(new: NewKey, format: Format) -> CommandResult {
    let MadeKey { key, secret } =
        host::with_store("keys", async move |store| Ok(store.add_key(new).await?))?;
    match format {
        // The key alone, so that a script can take it.
        Format::Human => {
            output::result(&format!("{secret}\n"))?;
            output::story(&format!(
                "Made the key {}. It is shown this once and kept nowhere.\n",
                visible(&key.name)
            ));
        }
        _ => output::value(format, &json!({ "key": key, "secret": secret }))?,
    }
    Ok(Ending::Clean)
}

fn list(format: Format) -> CommandResult {
    let keys = host::read_store("keys", spendings)?.unwrap_or_default();
    match format {
        Format::Human if keys.is_empty() => {
            output::result("no keys yet\n")?;
            output::story("`salve keys add --name NAME` makes one.\n");
        }
        Format::Human => output::result(&drawn(&keys))?,
        _ => {
            let documents: Result<Vec<Value>, Failure> =
                keys.iter().map(|(key, spending)| document(key, spending)).collect();
            output::values(format, &documents?)?;
        }
    }
    Ok(Ending::Clean)
}

async fn spendings(store: &Store) -> Result<Vec<(GatewayKey, Spending)>, Failure> {
    let mut keys = Vec::new();
    for key in store.list_keys().await? {
        let spending = store.key_spending(key.id).await?;
        keys.push((key, spending));
    }
    Ok(keys)
}

fn document(key: &GatewayKey, spending: &Spending) -> Result<Value, Failure> {
    let mut document = serde_json::to_value(key)?;
    if let Some(fields) = document.as_object_mut() {
        fields.insert("today".to_owned(), serde_json::to_value(spending)?);
    }
    Ok(document)
}

fn drawn(keys: &[(GatewayKey, Spending)]) -> String {
    let columns = [
        ("name", Align::Left),
        ("key", Align::Left),
        ("tokens today", Align::Right),
        ("dollars today", Align::Right),
        ("requests/min", Align::Right),
        ("made", Align::Right),
        ("state", Align::Left),
    ];
    let rows: Vec<Vec<String>> = keys
        .iter()
        .map(|(key, spending)| {
            let taken = spending.spent.plus(spending.held);
            let made = u64::try_from(key.created_at.0).unwrap_or_default();
            vec![
                key.name.clone(),
                format!("{}…", key.prefix),
                of(taken.tokens.to_string(), key.tokens_per_day.map(|most| most.to_string())),
                of(dollars(taken.micro_dollars), key.micro_dollars_per_day.map(dollars)),
                key.requests_per_minute.map_or("-".to_owned(), |count| count.to_string()),
                ago(now().saturating_sub(made)),
                if key.revoked_at.is_some() { "revoked" } else { "in force" }.to_owned(),
            ]
        })
        .collect();
    table(&columns, &rows)
}

fn of(taken: String, limit: Option<String>) -> String {
    match limit {
        Some(limit) => format!("{taken} of {limit}"),
        None => taken,
    }
}

/// Writes millionths of a dollar as dollars.
pub(super) fn dollars(micro: u64) -> String {
    format!("${:.4}", micro as f64 / 1e6)
}

fn revoke(name: &str, format: Format) -> CommandResult {
    let name = name.to_owned();
    let revoked = host::read_store("keys", async move |store| {
        store.revoke_key(&name).await.map_err(|error| {
            Failure::from(error)
                .hint("`salve keys list` shows the keys and whether they are valid.")
        })
    })?;
    let Some(key) = revoked else {
        return Err(Failure::new("there are no keys yet"));
    };
    match format {
        Format::Human => output::result(&format!("revoked: {}\n", visible(&key.name)))?,
        _ => output::value(format, &key)?,
    }
    Ok(Ending::Clean)
}
