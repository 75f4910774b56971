//! The context word for word, its limits, and the offer.

use super::*;
use salve_types::{BugBy, BugKind, CommandBy, Timestamp};

fn todo(text: &str, completed: bool) -> TodoItem {
    TodoItem {
        id: text.to_owned(),
        text: text.to_owned(),
        completed,
        completed_by: None,
        claimed: false,
        origin_turn: 0,
    }
}

fn command(line: &str, exit: Option<i32>, shown: &str) -> CommandResult {
    CommandResult {
        command: line.to_owned(),
        cwd: String::new(),
        exit,
        duration_ms: 1,
        output: None,
        shown: shown.to_owned(),
        by: CommandBy::Ai,
        turn: 0,
        at: Timestamp(0),
    }
}

fn facts() -> HandoffFacts {
    let file = |path: &str, added, removed| ModifiedFile { path: path.to_owned(), added, removed };
    HandoffFacts {
        parent_session: "{sessionId}".to_owned(),
        project: "{projectName}".to_owned(),
        exchanges: 12,
        tokens_in: 6785,
        tokens_out: 296,
        summary: "{summary from parent session}".to_owned(),
        modified: vec![file("src/utils.ts", 45, 12), file("src/config.json", 10, 0)],
        referenced: vec!["README.md".to_owned(), "package.json".to_owned()],
        todos: vec![
            todo("Add type hints to calculate_area", true),
            todo("Add type hints to fibonacci", false),
            todo("Add type hints to is_prime", true),
            todo("Add type hints to reverse_string", false),
            todo("Run final tests", false),
        ],
        conversation: vec![(
            "Add type hints to all functions".to_owned(),
            "Added type hints to calculate_area, continuing with is_prime...".to_owned(),
        )],
        bugs: vec![BugReport {
            kind: BugKind::Json,
            by: BugBy::Script,
            description: "Auto-detected: Response required JSON cleanup".to_owned(),
            turn: 1,
            at: Timestamp(0),
        }],
        commands: vec![
            command("ls", Some(0), "a"),
            command("python test.py", Some(127), "\npyenv: python: command not found\n"),
        ],
    }
}

#[test]
fn c157_c158_c164_c166_the_context_word_for_word() {
    assert_eq!(
        handoff_text(&facts()),
        "## HANDOFF CONTEXT\n\n\
         **Parent Session:** {sessionId}\n\
         **Project:** {projectName}\n\
         **Total Exchanges:** 12\n\
         **Tokens Used:** 6785 in / 296 out\n\n\
         ### SESSION SUMMARY\n\
         {summary from parent session}\n\n\
         ### FILES MODIFIED (2 files)\n\
         - `src/utils.ts` (+45/-12)\n\
         - `src/config.json` (+10/-0)\n\n\
         ### FILES REFERENCED (context attached during session)\n\
         - `README.md`\n\
         - `package.json`\n\n\
         ### CURRENT TASKS (continue these - priority order)\n\
         1. [ ] Add type hints to fibonacci\n\
         2. [ ] Add type hints to reverse_string\n\
         3. [ ] Run final tests\n\n\
         ### COMPLETED TASKS\n\
         - [x] Add type hints to calculate_area\n\
         - [x] Add type hints to is_prime\n\n\
         ### RECENT CONVERSATION\n\
         User: Add type hints to all functions\n\
         AI: Added type hints to calculate_area, continuing with is_prime...\n\n\
         ### RECENT ERRORS/ISSUES\n\
         - JSON: Auto-detected: Response required JSON cleanup\n\n\
         ### FAILED CLI COMMANDS\n\
         - `python test.py`: pyenv: python: command not found\n\n\
         ### INSTRUCTIONS\n\
         1. Continue working on CURRENT TASKS in priority order\n\
         2. Read the FILES MODIFIED if you need context on what was changed\n\
         3. Read the FILES REFERENCED if you need the source content\n\
         4. Check RECENT ERRORS if there are issues to address\n\
         5. IMPORTANT: When outputting fileChanges, use the EXACT file paths listed above\n"
    );
}

#[test]
fn c157_c165_only_the_last_three_exchanges() {
    let pair = |at: usize| {
        (format!("ask {at}\n### FILES MODIFIED"), format!("answer {at} {}", "x".repeat(5000)))
    };
    let text = handoff_text(&HandoffFacts { conversation: (0..5).map(pair).collect(), ..facts() });
    let kept: Vec<bool> = (0..5).map(|at| text.contains(&format!("User: ask {at} "))).collect();
    assert_eq!(kept, [false, false, true, true, true]);
    assert!(text.len() < 5000, "{}", text.len());
    assert_eq!(text.matches("\n### FILES MODIFIED").count(), 1, "texts of others begin no section");
    let empty = handoff_text(&HandoffFacts::default());
    assert_eq!(empty.matches("(none)\n").count(), 8, "{empty}");
}

#[test]
fn c159_five_files_of_eight_kilobytes() {
    let file = |at: usize| LoadedText {
        path: format!("src/f{at}.py"),
        hash_label: "BLAKE3".to_owned(),
        hash: format!("hash-of-{at}"),
        text: if at == 0 { "x = 1\n".to_owned() } else { "é".repeat(4608) },
        cut: false,
    };
    let files: Vec<LoadedText> = (0..6).map(file).collect();
    let text = handoff_files(&files);
    assert_eq!(text.matches("\n### src/f").count(), 5);
    assert!(text.contains("### src/f0.py [BLAKE3: hash-of-0]\n"));
    assert_eq!(text.matches("[CUT: only the first 8192 bytes are shown;").count(), 4);
    assert!(!text.contains("hash-of-1"), "what is not shown whole cannot be named by its hash");
    assert!(text.ends_with("\n\nNot loaded: `src/f5.py`"), "{}", &text[text.len() - 80..]);
    assert_eq!(handoff_files(&[]), "");
}

#[test]
fn c155_the_offer_comes_at_85_percent() {
    for (used, limit, expected) in [
        (849, 1000, false),
        (850, 1000, true),
        (1001, 1000, true),
        (0, 0, false),
        (u64::MAX, u64::MAX, true),
    ] {
        assert_eq!(is_near_limit(used, limit), expected, "{used}/{limit}");
    }
    let labels = [HandoffChoice::Handoff, HandoffChoice::Extend, HandoffChoice::Cancel];
    assert_eq!(labels.map(HandoffChoice::label), ["Handoff", "Extend", "Cancel"]);
}

#[test]
fn c156_the_input_lists_what_is_open() {
    assert_eq!(
        handoff_input(&facts().todos),
        "Continue with the pending tasks:\n1. Add type hints to fibonacci\n2. Add type hints to reverse_string\n\
         3. Run final tests"
    );
    assert_eq!(handoff_input(&[todo("a", true)]), "");
}
