//! What a prompt holds, and that it keeps to its tokens.

use super::*;
use crate::heal::testing::Files;
use salve_model::TierLadder;
use salve_types::{ErrorClass, Position, Severity, SourceSpan};

fn at(path: &str, line: u32, primary: bool) -> SourceSpan {
    SourceSpan {
        path: path.to_owned(),
        start: Some(Position { line, column: 1 }),
        end: None,
        bytes: None,
        primary,
        label: None,
        line_text: None,
    }
}

fn error(path: &str, line: u32) -> Diagnostic {
    let mut made = Diagnostic::new("rustc", Severity::Error, ErrorClass::Type, "mismatched types");
    made.spans.push(at(path, line, true));
    made
}

fn long_file() -> String {
    (0..400).map(|n| format!("fn f{n}() -> u8 {{\n    let x = {n};\n    x\n}}\n\n")).collect()
}

fn prompt(attempt: u32, failed: &[FailedAttempt]) -> HealPrompt {
    let files = Files::of([("src/a.rs", long_file()), ("b.py", "x = 1\n".to_owned())]);
    let diagnostics = [error("src/a.rs", 1000), error("b.py", 1)];
    let context = Context {
        diagnostics: &diagnostics,
        sources: &files,
        command: "cargo check",
        touched: &[],
        failed,
        advice: &[],
    };
    heal_prompt(&context, &TierLadder::default().attempt(attempt).unwrap())
}

#[test]
fn h39_the_prompt_holds_the_error_and_the_item_around_it() {
    let made = prompt(1, &[]);
    assert!(made.prompt.contains("mismatched types"), "{}", made.prompt);
    assert!(made.prompt.contains("fn f199()"), "{}", made.prompt);
    assert!(!made.prompt.contains("fn f0()"), "{}", made.prompt);
    assert!(made.prompt.contains("The whole of b.py"), "{}", made.prompt);
    assert_eq!(made.target.as_deref(), Some("src/a.rs"));
}

#[test]
fn h23_prompt_and_answer_together_stay_within_the_attempts_tokens() {
    for number in 1..=5 {
        let attempt = TierLadder::default().attempt(number).unwrap();
        let made = prompt(number, &[]);
        let used = tokens(&made.system, &made.prompt) + u64::from(made.answer_tokens);
        assert!(used <= u64::from(attempt.tokens), "attempt {number}: {used}");
        assert!(made.answer_tokens >= attempt.tokens / 3, "attempt {number}: {made:?}");
    }
}

#[test]
fn h12_what_failed_before_is_listed_as_not_to_be_tried() {
    let failed = [FailedAttempt {
        description: "rename the variable".to_owned(),
        why: "two new errors".to_owned(),
    }];
    let made = prompt(3, &failed);
    assert!(made.prompt.contains("Do not try these again"), "{}", made.prompt);
    assert!(made.prompt.contains("- rename the variable: two new errors"), "{}", made.prompt);
    assert!(made.system.contains("context-aware"), "{}", made.system);
}
