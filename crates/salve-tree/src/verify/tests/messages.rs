//! The words for the model, and the report as JSON.

use super::*;

#[test]
fn the_message_says_what_failed_and_what_need_not_be_sent_again() {
    let files = [
        ("src/a.rs", "fn one() {\n    go(1);\n}\n\nfn two() {\n    go(1);\n}\n"),
        ("src/b.rs", "fn three() {}\n"),
    ];
    let edits = set(vec![
        replace("src/a.rs", "    go(1);", "    go(2);"),
        replace("src/a.rs", "fn one() {", "pub fn one() {"),
        replace("src/b.rs", "fn three", "pub fn three"),
        replace("src/c.rs", "x", "y"),
    ]);
    let refused = refusal(check(&edits, &files));
    insta::assert_snapshot!(refused.message_for_model());
}

#[test]
fn the_report_serialises() {
    let edits = set(vec![replace("a", "x", "y"), write("../b", "")]);
    let refused = refusal(check(&edits, &[("a", "x\n")]));
    insta::assert_snapshot!(serde_json::to_string_pretty(&refused).unwrap());
}

#[test]
fn the_message_has_at_most_sixty_lines_however_much_failed() {
    let text = "same line\n".repeat(500);
    let names: Vec<String> = (0..50).map(|n| format!("dir/file{n}.txt")).collect();
    let files: Vec<(&str, &str)> =
        names.iter().map(|name| (name.as_str(), text.as_str())).collect();
    let edits = names
        .iter()
        .flat_map(|name| {
            [replace(name, "same line", "other"), replace(name, "\u{1b}[31m none", "x")]
        })
        .collect();
    let message = refusal(check(&set(edits), &files)).message_for_model();
    assert!(message.lines().count() <= 60, "{}", message.lines().count());
    assert!(!message.contains('\u{1b}'));
    assert!(message.lines().all(|line| line.chars().count() <= 161));
}
