//! `salve sessions audit`: every prompt and answer of a session.
//!
//! In: a session. Out: its audit, newest first, or how to have one. Never a secret: none was kept.

use super::{dated, find, looked};
use crate::arguments::{FolderArguments, Format, PlaceArguments, SessionsAuditArguments};
use crate::change::visible;
use crate::failure::{CommandResult, Ending, Failure};
use crate::output;
use salve_store::{AuditEntry, SessionRecord, SessionUpdate, Store};
use serde_json::{Value, json};

/// An entry with its texts.
pub(super) struct Read {
    pub(super) entry: AuditEntry,
    pub(super) generation: String,
    pub(super) prompt: String,
}

/// Runs `salve sessions audit`.
pub(super) fn run(
    store: &PlaceArguments,
    place: &FolderArguments,
    options: &SessionsAuditArguments,
    format: Format,
) -> CommandResult {
    let (session, entries) = looked(store, async |store| {
        let mut session = find(store, place, Some(&options.id)).await?;
        if options.on || options.off {
            let update = SessionUpdate { audit: Some(options.on), ..SessionUpdate::default() };
            session = store.update_session(&session.id, update).await?;
        }
        let entries = read(store, &session).await?;
        Ok((session, entries))
    })?;
    match format {
        Format::Human if options.on => {
            output::result(&format!("Future generations will be saved to debug:{}\n", session.id))?;
        }
        Format::Human if options.off => {
            output::result("No more generations are saved; those that were stay.\n")?;
        }
        Format::Human if entries.is_empty() => output::result(&without(&session))?,
        Format::Human => output::result(&drawn(&session, &entries))?,
        _ => {
            let entries: Vec<Value> = entries.iter().map(value).collect();
            output::values(format, &entries)?;
        }
    }
    Ok(Ending::Clean)
}

/// Reads the audit of a session, oldest first.
pub(super) async fn read(store: &Store, session: &SessionRecord) -> Result<Vec<Read>, Failure> {
    let mut read = Vec::new();
    for entry in store.audit_entries(&session.id).await? {
        let generation = store.text(&entry.full_generation).await?.unwrap_or_default();
        let prompt = store.text(&entry.system_prompt).await?.unwrap_or_default();
        read.push(Read { entry, generation, prompt });
    }
    Ok(read)
}

fn value(read: &Read) -> Value {
    let mut value = json!(read.entry);
    if let Some(fields) = value.as_object_mut() {
        fields.insert("full_generation".to_owned(), json!(read.generation));
        fields.insert("full_generation_hash".to_owned(), json!(read.entry.full_generation));
        fields.insert("system_prompt".to_owned(), json!(read.prompt));
        fields.insert("system_prompt_hash".to_owned(), json!(read.entry.system_prompt));
    }
    dated(value)
}

fn without(session: &SessionRecord) -> String {
    let id = &session.id;
    let state = if session.audit {
        "It is on; there was no generation since.\n".to_owned()
    } else {
        format!(
            "To enable audit generation:\n1. End the conversation that uses the session, if one runs\n2. Run \
             `salve sessions audit {id} --on`\n3. Go on with `salve chat --session {id}`\n"
        )
    };
    format!(
        "🔍 Generation Audit\n\n❌ No audit document found.\n\n{state}\nFuture generations will be saved to \
         debug:{id}\n"
    )
}

fn drawn(session: &SessionRecord, entries: &[Read]) -> String {
    let created = session.created_at.to_string();
    let mut text = format!(
        "🔍 Generation Audit\nFull AI generations captured for debugging.\nDocument: debug:{}\nEntries: {} | \
         Created: {}\n",
        session.id,
        entries.len(),
        created.split('T').next().unwrap_or_default(),
    );
    if session.audit_trimmed > 0 {
        text.push_str(&format!("Trimmed, oldest first: {}\n", session.audit_trimmed));
    }
    for read in entries.iter().rev() {
        let entry = &read.entry;
        let reason = entry.finish_reason.as_deref().unwrap_or("no reason given");
        let line = format!(
            "Pair #{} (turn {}) | {} | {reason}",
            entry.turn.saturating_sub(1),
            entry.turn,
            entry.model
        );
        text.push_str(&format!("\n{}\n", visible(&line)));
        text.push_str(&format!("{} in / {} out\n", entry.tokens_in, entry.tokens_out));
        for (name, said) in [
            ("User Message", &entry.user_message),
            ("System Prompt", &read.prompt),
            ("Full AI Generation", &read.generation),
        ] {
            text.push_str(&format!("{name}\n"));
            for line in said.lines() {
                text.push_str(&format!("  {}\n", visible(line)));
            }
        }
    }
    text
}
