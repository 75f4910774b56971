//! The documents against the shapes they promise.

use super::*;
use salve_types::{BugBy, BugKind, FileOpBy, FileOpKind, LoadedBy};
use std::collections::BTreeMap;

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn op(turn: u32, op: FileOpKind, md5: &str, size: u64) -> FileOperation {
    FileOperation {
        path: "src/utils.py".to_owned(),
        op,
        hash_before: None,
        hash_after: Some("b3".to_owned()),
        md5: Some(md5.to_owned()),
        size,
        by: FileOpBy::Ai,
        at: Timestamp(1_703_123_456_789),
        turn,
    }
}

fn change(id: &str, session: &str) -> ExportedChange {
    let change = json!({
        "id": id,
        "number": 1,
        "sessionId": session,
        "timestamp": 1_766_649_600_000_u64,
        "files": [{
            "filePath": "src/file.ts",
            "fileName": "file.ts",
            "old": null,
            "new": null,
            "isNewFile": false,
            "binary": false,
            "stats": {"added": 10, "removed": 3, "modified": 2},
        }],
        "totalStats": {"added": 10, "removed": 3, "modified": 2},
        "applied": true,
        "origin": "chat",
        "parent": null,
        "holder": "test",
    });
    ExportedChange {
        change: serde_json::from_value(change).expect("a change set"),
        contents: vec![ExportedFile {
            file_path: "src/file.ts".to_owned(),
            old_content: Some(b"// original content...".to_vec()),
            new_content: Some(vec![0xff]),
        }],
    }
}

#[test]
fn c023_c024_c263_the_session_has_its_keys() {
    let ops = [op(1, FileOpKind::Read, "abc123", 2500)];
    let registry = FileRegistry::fold(&ops, &BTreeMap::new());
    let pairs = [
        PairExport {
            request: "review it".to_owned(),
            status: TurnStatus::Cancelled,
            text: Some("{}".to_owned()),
            structured: Some(json!({"summary": "s"})),
            tokens_in: 6704,
            tokens_out: 287,
            ..PairExport::default()
        },
        PairExport::default(),
    ];
    let bugs = [BugReport {
        kind: BugKind::Json,
        by: BugBy::Script,
        description: "d".to_owned(),
        turn: 2,
        at: Timestamp(0),
    }];
    let session = SessionExport {
        id: "abc-123",
        parent: None,
        title: "Review",
        audit: true,
        updated_at: Timestamp(0),
        root: "/srv/project/",
        pairs: &pairs,
        todos: &[],
        bugs: &bugs,
        file_operations: &ops,
        registry: &registry,
        changes: &[],
        position: None,
        uploads: &[],
    };
    let document = session_document(&session);
    let expected = [
        "id",
        "docType",
        "title",
        "pairs",
        "todos",
        "bugs",
        "changeHistory",
        "pairFileHistory",
        "uploadedFiles",
        "fileRegistry",
        "auditGenerating",
        "updatedAt",
    ];
    assert_eq!(keys(&document), expected);
    assert_eq!(document["docType"], "chat");
    assert_eq!(document["auditGenerating"], true);
    assert_eq!(document["pairs"][0]["request"]["status"], "cancelled");
    assert_eq!(document["pairs"][0]["response"]["structured"]["summary"], "s");
    assert_eq!(document["pairs"][0]["response"]["usage"]["tokensOut"], 287);
    assert_eq!(document["pairs"][1]["response"], Value::Null);
    assert_eq!(
        document["bugs"][0],
        json!({"type": "JSON", "by": "script", "description": "d", "pairIndex": 1, "timestamp": "1970-01-01T00:00:00.000Z"})
    );
    let child = session_document(&SessionExport { parent: Some("parent-uuid"), ..session });
    assert_eq!(child["parentSessionId"], "parent-uuid");
}

#[test]
fn c118_c119_c160_change_sets_and_their_position() {
    let changes = [change("cs-1", "parent"), change("cs-2", "child")];
    let history = change_history("child", &changes, Some("cs-2"));
    assert_eq!(history["position"], 1);
    let first = &history["history"][0];
    assert_eq!(first["sessionId"], "child", "inherited sets are the child's");
    assert_eq!(first["parentChangeSetId"], "cs-1");
    assert_eq!(history["history"][1].get("parentChangeSetId"), None);
    assert_eq!(first["timestamp"], "2025-12-25T08:00:00.000Z");
    assert_eq!(first["totalStats"], json!({"added": 10, "removed": 3, "modified": 2}));
    let file = &first["files"][0];
    assert_eq!(
        keys(file),
        ["filePath", "fileName", "oldContent", "newContent", "stats", "isNewFile"]
    );
    assert_eq!(file["oldContent"], "// original content...");
    assert_eq!(file["newContent"], json!({"hex": "ff"}), "what is no text is not lost");
    assert_eq!(change_history("child", &changes, None)["position"], -1);
}

#[test]
fn c095_one_list_for_each_turn() {
    let ops = [op(1, FileOpKind::Read, "abc123", 2500), op(3, FileOpKind::Update, "def456", 2800)];
    let history = pair_file_history(&ops, 4);
    assert_eq!(history.as_array().map(Vec::len), Some(4));
    assert_eq!(history[1], json!([]));
    let first = &history[0][0];
    assert_eq!(first["file"], "src/utils.py");
    assert_eq!(first["md5"], "abc123");
    assert_eq!(first["op"], "read");
    assert_eq!(first["dt"], 1_703_123_456_789_i64);
    assert_eq!(first["size"], 2500);
    assert_eq!(history[2][0]["hashAfter"], "b3");
    assert_eq!(pair_file_history(&[op(u32::MAX, FileOpKind::Read, "a", 1)], 1)[0], json!([]));
}

#[test]
fn c245_the_registry_has_its_fields() {
    let ops = [op(3, FileOpKind::Read, "abc123", 10), op(4, FileOpKind::Update, "def456", 20)];
    let loaded = BTreeMap::from([("src/utils.py".to_owned(), LoadedBy::AiAdhoc)]);
    let document = file_registry(&FileRegistry::fold(&ops, &loaded), "/srv/project");
    assert_eq!(
        document,
        json!({"src/utils.py": {
            "path": "src/utils.py",
            "absolutePath": "/srv/project/src/utils.py",
            "md5": "def456",
            "hash": "b3",
            "lastSeenTurn": 2,
            "sizeBytes": 20,
            "language": "python",
            "loadedBy": "ai-adhoc",
            "lastModifiedTurn": 3,
        }})
    );
}

#[test]
fn c256_the_audit_has_its_fields() {
    let pairs = [AuditPair {
        turn: 1,
        user_message: "continue".to_owned(),
        full_generation: "{\"summary\":\"Applying the second change...\"}".to_owned(),
        system_prompt: "é".repeat(900),
        finish_reason: "stop".to_owned(),
        tokens_in: 6785,
        tokens_out: 296,
        ..AuditPair::default()
    }];
    let document = audit_document(&AuditExport {
        session: "abc-123",
        project: "project-uuid",
        created_at: Timestamp(0),
        updated_at: Timestamp(1),
        pairs: &pairs,
    });
    assert_eq!(
        keys(&document),
        ["id", "docType", "sessionId", "projectId", "createdAt", "updatedAt", "pairs"]
    );
    assert_eq!(
        (&document["id"], &document["docType"]),
        (&json!("debug:abc-123"), &json!("chatAudit"))
    );
    let pair = &document["pairs"][0];
    assert_eq!(
        keys(pair),
        [
            "pairIndex",
            "timestamp",
            "userMessage",
            "fullGeneration",
            "systemPromptPreview",
            "systemPromptHash",
            "model",
            "finishReason",
            "tokensIn",
            "tokensOut",
        ]
    );
    assert_eq!(pair["systemPromptPreview"].as_str().map(|text| text.chars().count()), Some(500));
}
