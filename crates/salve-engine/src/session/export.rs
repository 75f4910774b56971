//! A session as documents, in the shapes that other tools know.
//!
//! In: what the store, the history and the registry know of a session. Out: JSON. Contents and texts are
//! given as they are kept, without their secrets. Turns count from 1, the pairs of the documents from 0.
//! Never a field called `md5` that holds another hash.

use super::bug::bug_label;
use super::registry::{FileRegistry, RegistryEntry};
use super::uploads::upload_document;
use salve_store::UploadRecord;
use salve_tree::{ExportedChange, ExportedFile};
use salve_types::{BugReport, FileOperation, Timestamp, TodoItem, TurnStatus};
use serde_json::{Map, Value, json};

/// A session to be exported.
#[derive(Debug, Clone, Copy)]
pub struct SessionExport<'a> {
    /// Its id.
    pub id: &'a str,
    /// The session it goes on from.
    pub parent: Option<&'a str>,
    /// What it is called.
    pub title: &'a str,
    /// Whether its generations are kept.
    pub audit: bool,
    /// When something last changed.
    pub updated_at: Timestamp,
    /// The folder of the workspace.
    pub root: &'a str,
    /// The exchanges, oldest first.
    pub pairs: &'a [PairExport],
    /// The tasks.
    pub todos: &'a [TodoItem],
    /// The faults.
    pub bugs: &'a [BugReport],
    /// What was done to files, oldest first.
    pub file_operations: &'a [FileOperation],
    /// What that folds into.
    pub registry: &'a FileRegistry,
    /// Its change sets, oldest first, those of the sessions before it included.
    pub changes: &'a [ExportedChange],
    /// The change set the tree is at.
    pub position: Option<&'a str>,
    /// What providers keep or kept of its files, oldest first.
    pub uploads: &'a [UploadRecord],
}

/// One exchange.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PairExport {
    /// What was asked.
    pub request: String,
    /// Pictures that came with it, by name.
    pub images: Vec<String>,
    /// When.
    pub asked_at: Timestamp,
    /// How far it is.
    pub status: TurnStatus,
    /// What came, byte for byte but for secrets.
    pub text: Option<String>,
    /// What was read in it.
    pub structured: Option<Value>,
    /// The model that answered.
    pub model: Option<String>,
    /// Why it stopped.
    pub finish_reason: Option<String>,
    /// Tokens that were sent.
    pub tokens_in: u64,
    /// Tokens that came.
    pub tokens_out: u64,
    /// What it cost, in millionths of a dollar.
    pub micro_dollars: u64,
}

/// Returns the document of a session.
#[must_use]
pub fn session_document(session: &SessionExport<'_>) -> Value {
    let todo = |item: &TodoItem| {
        json!({
            "id": item.id,
            "text": item.text,
            "completed": item.completed,
            "completedBy": item.completed_by,
            "claimed": item.claimed,
            "originTurn": item.origin_turn,
        })
    };
    let mut document = json!({
        "id": session.id,
        "docType": "chat",
        "title": session.title,
        "pairs": session.pairs.iter().enumerate().map(pair).collect::<Vec<Value>>(),
        "todos": session.todos.iter().map(todo).collect::<Vec<Value>>(),
        "bugs": session.bugs.iter().map(bug).collect::<Vec<Value>>(),
        "changeHistory": change_history(session.id, session.changes, session.position),
        "pairFileHistory": pair_file_history(session.file_operations, session.pairs.len()),
        "uploadedFiles": session.uploads.iter().map(upload_document).collect::<Vec<Value>>(),
        "fileRegistry": file_registry(session.registry, session.root),
        "auditGenerating": session.audit,
        "updatedAt": session.updated_at.to_string(),
    });
    if let (Some(parent), Some(fields)) = (session.parent, document.as_object_mut()) {
        fields.insert("parentSessionId".to_owned(), json!(parent));
    }
    document
}

fn pair((at, pair): (usize, &PairExport)) -> Value {
    let response = pair.text.as_ref().map(|text| {
        json!({
            "text": text,
            "structured": pair.structured,
            "usage": {
                "tokensIn": pair.tokens_in,
                "tokensOut": pair.tokens_out,
                "costMicroDollars": pair.micro_dollars,
            },
            "model": pair.model,
            "finishReason": pair.finish_reason,
            "status": pair.status.name(),
        })
    });
    json!({
        "pairIndex": at,
        "request": {
            "text": pair.request,
            "images": pair.images,
            "timestamp": pair.asked_at.to_string(),
            "status": pair.status.name(),
        },
        "response": response,
    })
}

fn bug(bug: &BugReport) -> Value {
    json!({
        "type": bug_label(bug.kind),
        "by": bug.by.name(),
        "description": bug.description,
        "pairIndex": pair_index(bug.turn),
        "timestamp": bug.at.to_string(),
    })
}

/// Returns the change history: the change sets as those of this session, and the place of the tree among
/// them, from 0; -1 before the first.
#[must_use]
pub fn change_history(session: &str, changes: &[ExportedChange], position: Option<&str>) -> Value {
    let place = position.and_then(|id| changes.iter().position(|it| it.change.id == id));
    let place = place.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1);
    let history: Vec<Value> = changes.iter().map(|change| change_set(session, change)).collect();
    json!({ "history": history, "position": place })
}

fn change_set(session: &str, exported: &ExportedChange) -> Value {
    let change = &exported.change;
    let contents = |path: &str| exported.contents.iter().find(|it| it.file_path == path);
    let file = |file: &salve_tree::ChangedFile| {
        let contents = contents(&file.file_path).map(content_of).unwrap_or_default();
        json!({
            "filePath": file.file_path,
            "fileName": file.file_name,
            "oldContent": contents.get("oldContent"),
            "newContent": contents.get("newContent"),
            "stats": file.stats,
            "isNewFile": file.is_new_file,
        })
    };
    let at = Timestamp(i64::try_from(change.timestamp).unwrap_or(i64::MAX));
    let mut set = json!({
        "id": change.id,
        "sessionId": session,
        "timestamp": at.to_string(),
        "files": change.files.iter().map(file).collect::<Vec<Value>>(),
        "totalStats": change.total_stats,
        "applied": change.applied,
        "cost": change.cost,
    });
    // One that an earlier session made is inherited: it is the same change under this session's name.
    if change.session_id.as_deref().is_some_and(|made_by| made_by != session)
        && let Some(fields) = set.as_object_mut()
    {
        fields.insert("parentChangeSetId".to_owned(), json!(change.id));
    }
    set
}

// Text, or the digits of what is no text: as the history itself writes it.
fn content_of(file: &ExportedFile) -> Value {
    serde_json::to_value(file).unwrap_or_default()
}

/// Returns what was done to files, one list for each turn.
#[must_use]
pub fn pair_file_history(ops: &[FileOperation], pairs: usize) -> Value {
    let last = ops.iter().map(|op| pair_index(op.turn) + 1).max().unwrap_or_default();
    let mut turns: Vec<Vec<Value>> = vec![Vec::new(); pairs.max(last.min(pairs + MOST_AHEAD))];
    for op in ops {
        if let Some(turn) = turns.get_mut(pair_index(op.turn)) {
            turn.push(json!({
                "file": op.path,
                "md5": op.md5,
                "op": op.op.name(),
                "dt": op.at.0,
                "size": op.size,
                "by": op.by.name(),
                "hashBefore": op.hash_before,
                "hashAfter": op.hash_after,
            }));
        }
    }
    json!(turns)
}

/// How many turns after the last known one an operation may name; a damaged number makes no long list.
const MOST_AHEAD: usize = 1000;

/// Returns the pair that a turn is in the documents.
fn pair_index(turn: u32) -> usize {
    usize::try_from(turn.saturating_sub(1)).unwrap_or(usize::MAX)
}

/// Returns the registry, a map by path. `root` is the folder of the workspace.
#[must_use]
pub fn file_registry(registry: &FileRegistry, root: &str) -> Value {
    let entry = |entry: &RegistryEntry| {
        let mut fields = json!({
            "path": entry.path,
            "absolutePath": format!("{}/{}", root.trim_end_matches('/'), entry.path),
            "md5": entry.md5,
            "hash": entry.hash,
            "lastSeenTurn": pair_index(entry.last_seen_turn),
            "sizeBytes": entry.size,
            "language": entry.language.map_or("text", salve_types::Language::name),
            "loadedBy": entry.loaded_by.name(),
        });
        if let (Some(turn), Some(fields)) = (entry.last_modified_turn, fields.as_object_mut()) {
            fields.insert("lastModifiedTurn".to_owned(), json!(pair_index(turn)));
        }
        (entry.path.clone(), fields)
    };
    Value::Object(registry.entries().map(entry).collect::<Map<String, Value>>())
}

/// The audit of a session to be exported.
#[derive(Debug, Clone, Copy)]
pub struct AuditExport<'a> {
    /// The session.
    pub session: &'a str,
    /// The project.
    pub project: &'a str,
    /// When the first generation was kept.
    pub created_at: Timestamp,
    /// When the last one was.
    pub updated_at: Timestamp,
    /// The generations, oldest first.
    pub pairs: &'a [AuditPair],
}

/// One generation that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditPair {
    /// The turn.
    pub turn: u32,
    /// When.
    pub at: Timestamp,
    /// What was asked.
    pub user_message: String,
    /// What came, all of it.
    pub full_generation: String,
    /// What the model was told, all of it.
    pub system_prompt: String,
    /// The hash of the same.
    pub system_prompt_hash: String,
    /// The model.
    pub model: String,
    /// Why it stopped.
    pub finish_reason: String,
    /// Tokens that were sent.
    pub tokens_in: u64,
    /// Tokens that came.
    pub tokens_out: u64,
}

/// How much of a system prompt the preview shows, in characters.
const PREVIEW: usize = 500;

/// Returns the name of the document in which the generations of a session are kept.
#[must_use]
pub fn audit_name(session: &str) -> String {
    format!("debug:{session}")
}

/// Returns the document of an audit.
#[must_use]
pub fn audit_document(audit: &AuditExport<'_>) -> Value {
    let pair = |pair: &AuditPair| {
        json!({
            "pairIndex": pair_index(pair.turn),
            "timestamp": pair.at.to_string(),
            "userMessage": pair.user_message,
            "fullGeneration": pair.full_generation,
            "systemPromptPreview": pair.system_prompt.chars().take(PREVIEW).collect::<String>(),
            "systemPromptHash": pair.system_prompt_hash,
            "model": pair.model,
            "finishReason": pair.finish_reason,
            "tokensIn": pair.tokens_in,
            "tokensOut": pair.tokens_out,
        })
    };
    json!({
        "id": audit_name(audit.session),
        "docType": "chatAudit",
        "sessionId": audit.session,
        "projectId": audit.project,
        "createdAt": audit.created_at.to_string(),
        "updatedAt": audit.updated_at.to_string(),
        "pairs": audit.pairs.iter().map(pair).collect::<Vec<Value>>(),
    })
}

#[cfg(test)]
mod tests;
