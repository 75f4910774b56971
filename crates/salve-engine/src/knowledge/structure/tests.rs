//! Rules on syntax trees: what one fix of a file that parses teaches.

use super::super::testing::said;
use super::super::{apply_rule, learn as learn_all};
use super::*;

fn fixed(path: &str, diagnostic: Diagnostic, before: &str, after: &str) -> FixExample {
    FixExample {
        language: None,
        path: path.to_owned(),
        before: before.to_owned(),
        after: after.to_owned(),
        diagnostics: vec![diagnostic],
    }
}

fn structures(example: &FixExample) -> Vec<(u8, StructureRule)> {
    let body = |rule: FixRule| match rule.body {
        RuleBody::Structure(body) => Some((rule.level, body)),
        _ => None,
    };
    learn_all(example).into_iter().filter_map(body).collect()
}

#[test]
fn a_call_that_is_rewritten_is_rewritten_with_other_arguments() {
    let message = "no method named `len` found for reference `&Items` in the current scope";
    let before = "fn f(items: &Items) -> usize {\n    items.len() + 1\n}\n";
    let after = "fn f(items: &Items) -> usize {\n    items.iter().count() + 1\n}\n";
    let example = fixed("a.rs", said("rustc", message, "a.rs", (2, 11)), before, after);
    let rules = structures(&example);
    assert!(!rules.is_empty());
    let text = "fn g() {\n    let n = self.parts[0].len();\n}\n";
    let diagnostic = said("rustc", message, "a.rs", (2, 27));
    let made: Vec<String> = learn_all(&example)
        .iter()
        .filter(|rule| matches!(rule.body, RuleBody::Structure(_)))
        .flat_map(|rule| apply_rule(rule, &diagnostic, "a.rs", text))
        .filter_map(|edit| edit.applied(text))
        .collect();
    let wanted = "fn g() {\n    let n = self.parts[0].iter().count();\n}\n";
    assert!(made.iter().any(|text| text == wanted), "{rules:?} {made:?}");
}

#[test]
fn a_hole_is_the_same_node_wherever_it_is_written() {
    let rule = StructureRule {
        kind: "binary_expression".to_owned(),
        pattern: "$A == $A".to_owned(),
        rewrite: "!$A.is_nan()".to_owned(),
        holes: Vec::new(),
    };
    let edits_of = |text: &str| {
        let diagnostic = said("rustc", "equal expressions", "a.rs", (1, 16));
        let case = Case::of(&diagnostic, text, Language::Rust).expect("a place");
        edits(&rule, &case).iter().filter_map(|edit| edit.applied(text)).collect::<Vec<_>>()
    };
    assert_eq!(edits_of("fn f() { g(a.b == a.b) }"), ["fn f() { g(!a.b.is_nan()) }"]);
    assert_eq!(edits_of("fn f() { g(a.b == a.c) }"), [""; 0]);
}

#[test]
fn a_pattern_of_many_holes_ends() {
    let rule = StructureRule {
        kind: "arguments".to_owned(),
        pattern: format!("({}$Z)", "$A + $B * ".repeat(200)),
        rewrite: "()".to_owned(),
        holes: Vec::new(),
    };
    let text = format!("fn f() {{ g({}1) }}", "x + y * ".repeat(400));
    let diagnostic = said("rustc", "wrong", "a.rs", (1, 12));
    let case = Case::of(&diagnostic, &text, Language::Rust).expect("a place");
    assert!(edits(&rule, &case).is_empty());
}

#[test]
fn a_file_that_does_not_parse_teaches_no_structure() {
    let diagnostic = said("gcc", "expected ';' before '}' token", "a.c", (1, 12));
    let example = fixed("a.c", diagnostic, "int f() { a }\n", "int f() { a; }\n");
    assert!(structures(&example).is_empty());
    assert!(!learn_all(&example).is_empty());
}
