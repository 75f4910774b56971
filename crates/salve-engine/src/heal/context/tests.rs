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
fn h39_the_prompt_holds_what_the_messages_name_and_what_not_to_try() {
    let shelf = "class Shelf:\n    def __init__(self):\n        self.books = []\n\n    def largest(self, size):\n        \
                 return min(self.books)\n\n\ndef other():\n    return 1\n";
    let filler: String =
        (0..300).map(|n| format!("def test_{n}():\n    assert {n} == {n}\n\n\n")).collect();
    let test = "def test_shelf():\n    shelf = Shelf()\n    assert shelf.largest(2) == 3\n";
    let tests = format!("{filler}{test}\n\n{filler}");
    let files = Files::of([
        ("shelf.py", shelf.to_owned()),
        ("test_shelf.py", tests),
        ("big.py", format!("largest = 1\n{filler}")),
    ]);
    let mut failed = Diagnostic::new("pytest", Severity::Error, ErrorClass::Test, "assert 1 == 3");
    let mut place = at("test_shelf.py", 1203, true);
    place.line_text = Some("    assert shelf.largest(2) == 3".to_owned());
    failed.spans.push(place);
    let touched = ["shelf.py".to_owned()];
    let tried = [FailedAttempt {
        description: "a change of shelf.py".to_owned(),
        why: "as many errors remain\nand more".to_owned(),
    }];
    let advice = ["reviewer: look at min".to_owned(), "x".repeat(9000)];
    let diagnostics = [failed];
    let context = Context {
        diagnostics: &diagnostics,
        sources: &files,
        command: "pytest",
        touched: &touched,
        failed: &tried,
        advice: &advice,
    };
    let attempt = TierLadder::default().attempt(1).unwrap();
    let made = heal_prompt(&context, &attempt);
    // What is around the failing test is in another test.
    let after = made.prompt.find("\nWhere `").unwrap_or_default();
    insta::assert_snapshot!(&made.prompt[after..], @r"
    Where `largest` is defined, in shelf.py from its line 5:
    ```python
        def largest(self, size):
            return min(self.books)
    ```

    Files changed so far in this repair: shelf.py

    Do not try these again; they did not hold:
    - a change of shelf.py: as many errors remain

    Another agent says:
    reviewer: look at min
    ");
    let used = tokens(&made.system, &made.prompt) + u64::from(made.answer_tokens);
    assert!(used <= u64::from(attempt.tokens), "{used}");
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
