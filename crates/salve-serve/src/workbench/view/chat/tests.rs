//! The chat as it is drawn: roles, names and what a model wrote as text.
//!
//! In: plain data. Out: assertions on the markup. Never a server.

use super::*;
use crate::workbench::view::diff::hunks_between;
use salve_engine::session::{SuggestedStep, read_answer};
use salve_types::{TodoItem, TurnStatus};

const BAD: &str = "<img src=x onerror=alert(1)>\"'&";

fn todo(text: &str, completed: bool) -> TodoItem {
    TodoItem {
        id: text.to_owned(),
        text: text.to_owned(),
        completed,
        completed_by: None,
        claimed: false,
        origin_turn: 1,
    }
}

fn file(path: &str, state: FileState) -> FileView {
    let hunks = hunks_between("a\nb\nc\n", "a\nB\nc\n").into_iter();
    FileView {
        path: path.to_owned(),
        state,
        added: 1,
        removed: 1,
        hunks: hunks.map(|hunk| HunkView { hunk, id: "1".into(), decision: None }).collect(),
        approval: Some("h".into()),
        ..FileView::default()
    }
}

fn turn() -> TurnView {
    let answer = r#"{"summary": "Raises the limit.", "sections": [{"heading": "Why", "content": "Because."}]}"#;
    TurnView {
        number: 3,
        request: "raise the limit".into(),
        status: TurnStatus::Waiting,
        progress: vec!["✅ Loaded 1 files".into()],
        loaded: vec!["limit.py".into()],
        answer: Some(read_answer(answer, true)),
        files: vec![file("limit.py", FileState::Waiting), file("notes.py", FileState::Applied)],
        commands: vec![
            CommandView { command: "ls".into(), ..CommandView::default() },
            CommandView { number: 1, command: "pwd".into(), ..CommandView::default() },
        ],
        done: vec![DoneLine { good: Some(true), words: "Read 1 file".into(), details: Vec::new() }],
        steps: vec![SuggestedStep {
            html: "Go on".into(),
            input_text: "go on".into(),
            legacy: false,
        }],
        tokens: 38_016,
        can_rewind: true,
        ..TurnView::default()
    }
}

#[track_caller]
fn has(drawn: &Markup, parts: &[&str]) {
    for part in parts {
        assert!(drawn.0.contains(part), "{part} is not in {}", drawn.0);
    }
}

#[test]
fn c018_a_turn_shows_every_documented_element() {
    let drawn = turn_article(&turn());
    has(
        &drawn,
        &[
            "<article class=\"turn\" id=\"t3\"",
            "raise the limit",
            "✅ Loaded 1 files",
            "<p>Raises the limit.</p>",
            "<h3 class=\"block section\" id=\"t3-b1\">",
            "role=\"group\" aria-label=\"limit.py\"",
            ">Apply</button>",
            ">Reject</button>",
            ">Keep hunk</button>",
            ">Reject hunk</button>",
            "Run</button>",
            ">Run 2 cmds</button>",
            "What was done",
            "data-fill=\"go on\">Go on</button>",
            "⏳ Pending",
            "✓ 1 applied",
            "38,016 tokens",
            ">Rewind</button>",
        ],
    );
    assert_eq!(
        drawn.0.matches(">Apply</button>").count(),
        1,
        "an applied file is not applied again"
    );
}

#[test]
fn c019_what_is_over_has_no_button_that_fits_no_more() {
    let done = TurnView {
        status: TurnStatus::Completed,
        files: vec![file("limit.py", FileState::Applied)],
        commands: Vec::new(),
        ..turn()
    };
    let drawn = turn_article(&done);
    has(&drawn, &["✓ Done", "✓ Applied"]);
    for gone in [">Apply<", "Keep hunk", "Run</button>", ">Retry<"] {
        assert!(!drawn.0.contains(gone), "{gone}");
    }
}

#[test]
fn c185_c186_the_banner_has_its_words_and_buttons() {
    let words = "⚠️ AI response had errors - Recovery succeeded!\nRecovered: 8 todo(s).\nThe content below may be incomplete.";
    let banner = Banner { recovered: Some(words.into()), blocked: None, can_continue: true };
    let drawn = turn_article(&TurnView { banner: Some(banner), ..turn() });
    has(
        &drawn,
        &[
            "role=\"alert\"",
            "Recovery succeeded!",
            "Recovered: 8 todo(s).",
            "Retry</button>",
            "Continue</button>",
        ],
    );
    let failed = TurnView { status: TurnStatus::Failed, answer: None, ..turn() };
    let drawn = turn_article(&failed);
    has(&drawn, &["✗ Failed", ">Retry</button>"]);
    assert!(!drawn.0.contains("Continue</button>") && !drawn.0.contains("role=\"alert\""));
}

#[test]
fn c043_tasks_have_their_count() {
    let list = todo_list(&[todo("One", true), todo("Two", false), todo("Three", false)]);
    has(&list, &["1/3", "aria-label=\"TODOs\"", "<li class=\"todo done\">"]);
    assert_eq!(list.0.matches("<li").count(), 3);
    assert!(!todo_list(&[]).0.contains("0/0"));
}

#[test]
fn c071_the_panel_has_its_counts() {
    let panel: PanelView = serde_json::from_value(serde_json::json!({
        "succeeded": 3, "failed": 1, "done": 4, "total": 8, "percent": 50,
        "rows": [{ "mark": "✗", "command": "curl x", "preview": "404" }], "next": ["python app.py"],
    }))
    .unwrap();
    let drawn = cli_panel(Some(&panel));
    has(
        &drawn,
        &["CLI Execution", "✓ 3", "✗ 1", "4/8", "(50%)", "404", "Next: ", "cli-panel failed"],
    );
}

#[test]
fn c055_c155_questions_are_dialogs() {
    let question =
        CommandQuestion { command: "git push".into(), can_add: true, ..CommandQuestion::default() };
    let handoff = HandoffView { percent: 85, open_todos: 2 };
    let drawn = questions(&[question], Some(&handoff));
    has(
        &drawn,
        &[
            "<dialog",
            "git push",
            "Run Once",
            "Add &amp; Run",
            "Skip",
            "Handoff",
            "Extend",
            "Cancel",
        ],
    );
}

#[test]
fn nothing_that_anybody_wrote_is_html() {
    let bad = || BAD.to_owned();
    let answer = serde_json::json!({
        "summary": BAD, "sections": [{ "heading": BAD, "content": BAD }], "nextSteps": [],
    });
    let view = ChatView {
        head: SessionHead {
            title: bad(),
            id: bad(),
            others: vec![(bad(), bad())],
            parent: Some(bad()),
            prefilled: bad(),
            ..SessionHead::default()
        },
        folded: vec![FoldedTurn { number: 1, request: bad(), status: TurnStatus::Failed }],
        turns: vec![
            TurnView {
                request: bad(),
                loaded: vec![bad()],
                not_found: vec![bad()],
                answer: Some(read_answer(&answer.to_string(), true)),
                banner: Some(Banner {
                    recovered: Some(bad()),
                    blocked: Some(bad()),
                    can_continue: true,
                }),
                files: vec![FileView {
                    note: Some(bad()),
                    new_path: Some(bad()),
                    ..file(BAD, FileState::Waiting)
                }],
                commands: vec![CommandView {
                    command: bad(),
                    description: Some(bad()),
                    cwd: Some(bad()),
                    state: CommandState::Failed,
                    why: Some(bad()),
                    output: bad(),
                    ..CommandView::default()
                }],
                done: vec![DoneLine { good: None, words: bad(), details: vec![bad()] }],
                steps: vec![SuggestedStep { html: bad(), input_text: bad(), legacy: false }],
                why: Some(bad()),
                model: Some(bad()),
                ..turn()
            },
            TurnView {
                answer: None,
                arrived: Some(format!("{{\"summary\": \"{}", BAD.replace('"', ""))),
                status: TurnStatus::Running,
                progress: vec![bad()],
                ..turn()
            },
        ],
        todos: vec![todo(BAD, false)],
        panel: Some(PanelView {
            rows: vec![PanelRowView { mark: bad(), command: bad(), preview: bad() }],
            next: vec![bad()],
            paused: Some(bad()),
            ..PanelView::default()
        }),
        questions: vec![CommandQuestion {
            command: bad(),
            why: bad(),
            cwd: Some(bad()),
            approval: bad(),
            ..CommandQuestion::default()
        }],
        handoff: None,
        suggestions: vec![bad()],
    };
    let drawn = chat_screen(&view).into_string();
    assert!(!drawn.contains("<img"), "{drawn}");
    assert!(!drawn.contains("style=\"") && !drawn.contains("<script"), "{drawn}");
    assert!(drawn.contains("&lt;img src=x onerror=alert(1)&gt;"));
}

#[test]
fn what_arrives_is_drawn_as_the_stream_draws_it() {
    let text = "{\"summary\": \"One.\\n\\nTwo is op";
    let live = TurnView {
        answer: None,
        arrived: Some(text.into()),
        status: TurnStatus::Running,
        ..turn()
    };
    let drawn = body_region(&live);
    has(
        &drawn,
        &[
            "id=\"t3-b0\" data-summary=\"\"><p>One.</p>",
            "<p class=\"open\" id=\"t3-b1-text\">Two is op</p>",
        ],
    );
}
