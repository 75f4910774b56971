//! Rule files: read back exactly, and hostile ones refused by name.

use super::super::testing::fixed_c;
use super::*;
use crate::knowledge::learn;

fn example() -> FixExample {
    fixed_c(
        "expected ';' before 'return'",
        (2, 8),
        "int f() {\n  x = 1\n  return x; }\n",
        "int f() {\n  x = 1;\n  return x; }\n",
    )
}

fn text() -> String {
    rule_text(&learn(&example())[1], &[example()])
}

#[test]
fn every_rule_reads_back_as_it_is() {
    let rules = learn(&example());
    assert!(rules.len() > 4);
    for rule in rules {
        let text = rule_text(&rule, &[example()]);
        assert_eq!(read_rule(&text), Ok((rule, vec![example()])), "{text}");
    }
}

#[test]
fn a_rule_file_is_readable() {
    let rule = &learn(&example())[1];
    insta::assert_snapshot!(rule_text(rule, &[]), @r#"
    format = "salve-rule/1"
    id = "b468352a7b833f12"
    description = "insert `;` between `<number>` and `<end>`"
    target = "c"
    tool = "gcc"
    class = "1c1bade43566c833"
    level = 1
    priority = 0

    [rule.token]
    at = "return"
    head = "<name>"
    left = ["=", "<number>"]
    right = ["<end>"]

    [rule.token.anchor.line]
    delta = 0
    offset = 0

    [[rule.token.insert]]
    piece = ";"
    "#);
}

#[test]
fn r53_a_template_without_slots_is_written_as_it_is() {
    let text = "format = 'salve-rule/1'\ntarget = 'c'\ntool = 'gcc'\n\
        [rule.template]\nnode_kind = 'compound_statement'\ntemplate = '{ return 0; }'\n";
    let (rule, _) = read_rule(text).expect("a rule");
    let made = super::super::testing::made(&rule, "wrong", (1, 12), "int f() { a(; }\n");
    assert_eq!(made.as_deref(), Some("int f() { return 0; }\n"));
}

#[test]
fn r46_r53_a_rule_has_target_pattern_template_and_priority() {
    let text = "format = 'salve-rule/1'\ntarget = 'c'\ntool = 'gcc'\npriority = 5\n\
        [rule.template]\npattern = 'strcmp({{ a }}, {{ b }}) = 0'\ntemplate = 'strcmp({{ a }}, {{ b }}) == 0'\n";
    let (rule, _) = read_rule(text).expect("a rule");
    assert_eq!((rule.priority, rule.key.class.as_str()), (5, ""));
    let made = super::super::testing::made(
        &rule,
        "lvalue required as left operand of assignment",
        (1, 20),
        "if (strcmp(f(x, y), \"b\") = 0) {}\n",
    );
    assert_eq!(made.as_deref(), Some("if (strcmp(f(x, y), \"b\") == 0) {}\n"));
}

#[test]
fn r55_hostile_files_are_refused_by_name() {
    let with = |line: &str| format!("{line}\n{}", text());
    let within = |line: &str| text().replace("[rule.token]\n", &format!("[rule.token]\n{line}\n"));
    let named = |error: &RuleFileError| match error {
        RuleFileError::Command(name) => format!("command {name}"),
        RuleFileError::Path(name) => format!("path {name}"),
        RuleFileError::OutOfBounds(name) => format!("bounds {name}"),
        RuleFileError::OtherTarget { target, example } => format!("target {target} {example}"),
        RuleFileError::Format(_) => "format".to_owned(),
        RuleFileError::Example(_) => "example".to_owned(),
        RuleFileError::OtherId { .. } => "id".to_owned(),
        RuleFileError::TooLarge => "large".to_owned(),
        RuleFileError::Unreadable(_) => "unreadable".to_owned(),
    };
    let without_id = |text: String| {
        text.lines().filter(|line| !line.starts_with("id =")).collect::<Vec<_>>().join("\n")
    };
    let huge = "x".repeat(LARGEST + 1);
    let deep = format!("a = {}1{}\n", "[".repeat(5_000), "]".repeat(5_000));
    let many = format!("left = [{}]", "\";\",".repeat(PIECES + 1));
    let cases = [
        (with("command = \"rm -rf .\""), "command command"),
        (with("argv = [\"sh\"]"), "command argv"),
        (within("run = \"sh\""), "command run"),
        (with("path = \"../../etc/passwd\""), "path path"),
        (within("file = \"b.c\""), "path file"),
        (with("surprise = 1"), "unreadable"),
        (text().replace("salve-rule/1", "salve-rule/9"), "format"),
        (text().replace("target = \"c\"", "target = \"rust\""), "id"),
        (without_id(text().replace("target = \"c\"", "target = \"rust\"")), "target rust c"),
        (without_id(text().replace("x = 1;", "x = 2;")), "example"),
        (without_id(text().replace("piece = \";\"", "piece = \"; evil();\"")), "bounds insert"),
        (huge, "large"),
        (deep, "unreadable"),
        (within(&many).replacen("left = [\"", "older = [\"", 1), "unreadable"),
        ("".to_owned(), "unreadable"),
        ("\u{0}\u{feff}[".to_owned(), "unreadable"),
    ];
    for (text, wanted) in cases {
        let error = read_rule(&text).expect_err(wanted);
        assert_eq!(named(&error), wanted, "{error}");
    }
}
