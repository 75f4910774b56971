//! `salve sessions export`: a session, or its audit, as one document.
//!
//! In: a session, and the history of its workspace. Out: the document in the shape that other tools know. Never a
//! secret: the contents of files pass the redactor here, all else did on its way into the store.

use super::audit::{self, Read};
use super::{find, looked};
use crate::arguments::{FolderArguments, PlaceArguments, SessionDocument, SessionsExportArguments};
use crate::commands::knowledge::files;
use crate::failure::{CommandResult, Ending, Failure};
use crate::{host, output};
use salve_engine::session::{
    AuditExport, AuditPair, FileRegistry, PairExport, SessionExport, audit_document,
    session_document,
};
use salve_model::ImagePart;
use salve_store::{Redact, SessionRecord, Store, TurnRecord};
use salve_tree::{ExportedChange, History};
use salve_types::SessionChange;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Runs `salve sessions export`.
pub(super) fn run(
    store: &PlaceArguments,
    place: &FolderArguments,
    options: &SessionsExportArguments,
) -> CommandResult {
    let document = looked(store, async |store| {
        let session = find(store, place, Some(&options.id)).await?;
        match options.document {
            SessionDocument::Chat => {
                Ok((chat(store, &session).await?, images(store, &session).await?))
            }
            SessionDocument::Audit => {
                let read = audit::read(store, &session).await?;
                Ok((audited(&session, &read), BTreeMap::new()))
            }
        }
    })?;
    let (document, images) = document;
    let document = with_images(redacted(&host::redactor(), document), &images);
    let text = serde_json::to_string_pretty(&document)? + "\n";
    match options.file.as_deref().filter(|file| *file != Path::new("-")) {
        None => output::content(&text)?,
        Some(file) => {
            files::write(file, &text)?;
            output::story(&format!("written to {}\n", file.display()));
        }
    }
    Ok(Ending::Clean)
}

async fn chat(store: &Store, session: &SessionRecord) -> Result<Value, Failure> {
    let id = &session.id;
    let mut pairs = Vec::new();
    for turn in store.turns(id).await? {
        let text = match &turn.raw {
            Some(raw) => store.text(raw).await?,
            None => None,
        };
        pairs.push(pair(turn, text));
    }
    let operations = store.file_operations(id).await?;
    let (changes, position) = changes(session, &store.session_changes(id).await?)?;
    Ok(session_document(&SessionExport {
        id: id.as_str(),
        parent: session.parent.as_ref().map(salve_types::SessionId::as_str),
        title: &session.title,
        audit: session.audit,
        updated_at: session.updated_at,
        root: &session.workspace,
        pairs: &pairs,
        todos: &store.todos(id).await?,
        bugs: &store.bugs(id).await?,
        registry: &FileRegistry::fold(&operations, &BTreeMap::new()),
        file_operations: &operations,
        changes: &changes,
        position: position.as_deref(),
        uploads: &store.uploads(id).await?,
    }))
}

// Each image by its id, as an address that holds all of it.
async fn images(
    store: &Store,
    session: &SessionRecord,
) -> Result<BTreeMap<String, String>, Failure> {
    let mut images = BTreeMap::new();
    let turns = store.turns(&session.id).await?;
    for id in turns.iter().flat_map(kept) {
        let bytes = store.image(&id).await?;
        if let Some(image) = bytes.and_then(|bytes| ImagePart::new(&bytes).ok()) {
            images.insert(id, image.data_url());
        }
    }
    Ok(images)
}

// The images of a request, and those that were made for it.
fn kept(turn: &TurnRecord) -> Vec<String> {
    let made = turn.result.as_ref().and_then(|result| result["generatedImages"].as_array());
    let made = made.into_iter().flatten().filter_map(|image| image["content"].as_str());
    turn.images.iter().map(String::as_str).chain(made).map(str::to_owned).collect()
}

// After the redactor, which would take pieces out of what is no text.
fn with_images(mut document: Value, images: &BTreeMap<String, String>) -> Value {
    let pairs = document.get_mut("pairs").and_then(Value::as_array_mut).into_iter().flatten();
    for pair in pairs {
        let shown = pair.pointer_mut("/request/images").and_then(Value::as_array_mut);
        for image in shown.into_iter().flatten() {
            if let Some(url) = image.as_str().and_then(|id| images.get(id)) {
                *image = Value::String(url.clone());
            }
        }
        let made = pair.pointer_mut("/response/structured/generatedImages");
        for image in made.and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(url) = image["content"].as_str().and_then(|id| images.get(id)) {
                image["url"] = Value::String(url.clone());
            }
        }
    }
    document
}

fn pair(turn: TurnRecord, text: Option<String>) -> PairExport {
    PairExport {
        request: turn.text,
        images: turn.images,
        asked_at: turn.created_at,
        status: turn.status,
        text,
        structured: turn.result,
        model: turn.model,
        finish_reason: turn.finish_reason,
        tokens_in: turn.tokens_in,
        tokens_out: turn.tokens_out,
        micro_dollars: turn.micro_dollars,
    }
}

/// Returns the changes of the session with their contents, and the newest of them that the tree has.
fn changes(
    session: &SessionRecord,
    told: &[SessionChange],
) -> Result<(Vec<ExportedChange>, Option<String>), Failure> {
    if told.is_empty() {
        return Ok((Vec::new(), None));
    }
    if !Path::new(&session.workspace).is_dir() {
        output::story("The workspace of the session is not here: its changes are left out.\n");
        return Ok((Vec::new(), None));
    }
    let opened = super::rewind::open(session)?;
    let history = History::load(&opened.tree)?;
    let mut exported = Vec::new();
    for change in told.iter().filter_map(|change| history.get(&change.change_id)) {
        exported.push(history.export(&opened.tree, &change.id).unwrap_or_else(|error| {
            output::story(&format!(
                "Change #{} has no contents any more: {error}\n",
                change.number
            ));
            ExportedChange { change: change.clone(), contents: Vec::new() }
        }));
    }
    let has = |exported: &&ExportedChange| history.is_in_effect(&exported.change.id);
    let newest = exported.iter().filter(has).max_by_key(|exported| exported.change.number);
    let position = newest.map(|exported| exported.change.id.clone());
    Ok((exported, position))
}

fn audited(session: &SessionRecord, entries: &[Read]) -> Value {
    let pairs: Vec<AuditPair> = entries
        .iter()
        .map(|read| AuditPair {
            turn: read.entry.turn,
            at: read.entry.at,
            user_message: read.entry.user_message.clone(),
            full_generation: read.generation.clone(),
            system_prompt: read.prompt.clone(),
            system_prompt_hash: read.entry.system_prompt.clone(),
            model: read.entry.model.clone(),
            finish_reason: read.entry.finish_reason.clone().unwrap_or_default(),
            tokens_in: read.entry.tokens_in,
            tokens_out: read.entry.tokens_out,
        })
        .collect();
    let at = |pair: Option<&AuditPair>| pair.map_or(session.created_at, |pair| pair.at);
    audit_document(&AuditExport {
        session: session.id.as_str(),
        project: &session.workspace,
        created_at: at(pairs.first()),
        updated_at: at(pairs.last()),
        pairs: &pairs,
    })
}

fn redacted(redactor: &dyn Redact, value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redactor.redact(&text)),
        Value::Array(values) => values.into_iter().map(|value| redacted(redactor, value)).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (redactor.redact(&name), redacted(redactor, value)))
            .collect(),
        other => other,
    }
}
