//! What is learned from one fix, and where it is used again.

use super::super::testing::{by_level, fixed_c, made};
use super::*;
use crate::knowledge::{HoleSource, apply_rule};

const SEMICOLON: &str = "expected ';' before 'return'";
const UNDECLARED: &str = "'k' undeclared (first use in this function)";

fn semicolon() -> FixExample {
    fixed_c(
        SEMICOLON,
        (2, 8),
        "int f() {\n  x = 1\n  return x; }\n",
        "int f() {\n  x = 1;\n  return x; }\n",
    )
}

#[test]
fn a_fix_is_used_again_where_less_and_less_is_the_same() {
    let made = |text: &str, place| by_level(&semicolon(), SEMICOLON, place, text);
    let some = |text: &str| Some(text.to_owned());
    // The same line: every level.
    let fixed = some("{\n  x = 1;\n  return x; }\n");
    assert_eq!(
        made("{\n  x = 1\n  return x; }\n", (2, 8)),
        [fixed.clone(), fixed.clone(), fixed.clone(), fixed]
    );
    // Other names and numbers: not the one that has them as they are.
    let fixed = some("{\n  total = 22;\n  return x; }\n");
    assert_eq!(
        made("{\n  total = 22\n  return x; }\n", (2, 13)),
        [None, fixed.clone(), fixed.clone(), fixed]
    );
    // Another statement: only those without its context.
    let fixed = some("{\n  g(a);\n  return x; }\n");
    assert_eq!(made("{\n  g(a)\n  return x; }\n", (2, 7)), [None, None, fixed.clone(), fixed]);
    // Another language, another tool, another file: nobody.
    let rule = &learn(&semicolon())[0];
    let diagnostic = &semicolon().diagnostics[0];
    let text = &semicolon().before;
    assert_eq!(apply_rule(rule, diagnostic, "a.c", text).len(), 1);
    assert!(apply_rule(rule, diagnostic, "b.c", text).is_empty());
    assert!(apply_rule(rule, diagnostic, "a.rs", text).is_empty());
    let mut other = diagnostic.clone();
    other.tool = "clang".to_owned();
    assert!(apply_rule(rule, &other, "a.c", text).is_empty());
}

#[test]
fn what_the_tool_expects_is_learned_for_whatever_it_expects() {
    let wide = learn(&semicolon()).into_iter().filter(|rule| rule.key.class.starts_with('~'));
    let message = "expected ')' before 'g'";
    let text = "{\n  if (a == 1\n  g(a);\n}\n";
    let made: Vec<String> = wide.filter_map(|rule| made(&rule, message, (2, 13), text)).collect();
    assert!(made.contains(&"{\n  if (a == 1)\n  g(a);\n}\n".to_owned()), "{made:?}");
}

#[test]
fn a_name_in_the_message_makes_one_example_general() {
    let before = "int main() {\n  int a, b;\n  a = 1;\n  for (k = 0; k < a; k++) b = k;\n}\n";
    let after = "int main() {\n  int a, b, k;\n  a = 1;\n  for (k = 0; k < a; k++) b = k;\n}\n";
    let example = fixed_c(UNDECLARED, (4, 8), before, after);
    let rules = learn(&example);
    let binds = |rule: &FixRule| match &rule.body {
        RuleBody::Token(body) => body.holes.iter().any(|hole| hole.from == HoleSource::Message(0)),
        _ => false,
    };
    assert!(rules.iter().any(binds), "{rules:?}");
    let elsewhere = "void g(void) {\n  int x;\n  scanf(\"%d\", &x);\n  f();\n  total = x;\n}\n";
    let message = "'total' undeclared (first use in this function)";
    let made = by_level(&example, message, (5, 3), elsewhere);
    let fixed = elsewhere.replace("int x;", "int x, total;");
    assert!(made.contains(&Some(fixed)), "{made:?}");
}

#[test]
fn a_misspelt_name_becomes_the_nearest_of_the_file() {
    let example = fixed_c(
        "'cuont' undeclared (first use in this function)",
        (3, 3),
        "{\n  int count;\n  cuont = 1;\n}\n",
        "{\n  int count;\n  count = 1;\n}\n",
    );
    let made = by_level(
        &example,
        "'lenght' undeclared (first use in this function)",
        (4, 3),
        "{\n  int length;\n  int other;\n  lenght = 2;\n}\n",
    );
    let fixed = "{\n  int length;\n  int other;\n  length = 2;\n}\n".to_owned();
    assert!(made[1..].contains(&Some(fixed)), "{made:?}");
}

#[test]
fn what_nothing_binds_is_used_only_where_its_name_is_known() {
    let example = fixed_c(
        "assignment to expression with array type",
        (3, 6),
        "{\n  char str[9]; int pos;\n  str=getchar();\n}\n",
        "{\n  char str[9]; int pos;\n  str[pos]=getchar();\n}\n",
    );
    let message = "assignment to expression with array type";
    let known = "{\n  char a[3]; int pos;\n  a=getchar();\n}\n";
    let unknown = "{\n  char a[3]; int at;\n  a=getchar();\n}\n";
    let made = |text| by_level(&example, message, (3, 4), text);
    assert!(made(known).contains(&Some(known.replace("a=", "a[pos]="))), "{:?}", made(known));
    assert_eq!(made(unknown), [None, None, None, None]);
}

#[test]
fn texts_too_different_or_not_different_teach_nothing() {
    let large = format!("int f() {{ {} }}\n", "g(1); ".repeat(40));
    for (before, after) in
        [("int a;\n", "int a;\n"), ("int a;\n", large.as_str()), ("int a;\n", "int  a ;\n")]
    {
        assert_eq!(learn(&fixed_c("wrong", (1, 1), before, after)), [], "{after}");
    }
    let mut nowhere = semicolon();
    nowhere.diagnostics[0].spans.clear();
    assert_eq!(learn(&nowhere), []);
    nowhere.diagnostics.clear();
    assert_eq!(learn(&nowhere), []);
}

#[test]
fn deletions_and_new_lines_are_written_cleanly() {
    let doubled = fixed_c(
        "expected expression before ')' token",
        (2, 7),
        "{\n  f(a,);\n}\n",
        "{\n  f(a);\n}\n",
    );
    let made_of = |example: &FixExample, message, place, text: &str| {
        by_level(example, message, place, text).into_iter().flatten().next()
    };
    let text = "{\n  gg(b, c,);\n}\n";
    let made = made_of(&doubled, "expected expression before ')' token", (2, 11), text);
    assert_eq!(made.as_deref(), Some("{\n  gg(b, c);\n}\n"));
    let line = fixed_c(
        "expected declaration or statement at end of input",
        (3, 9),
        "{\n  {\n    a();\n",
        "{\n  {\n    a();\n    }\n",
    );
    let made =
        made_of(&line, "expected declaration or statement at end of input", (2, 6), "{\n\tb();\n");
    assert_eq!(made.as_deref(), Some("{\n\tb();\n\t}\n"));
}

#[test]
fn a_token_that_would_run_into_its_neighbour_is_not_learned() {
    // An open quote in a line of its own, and the same before a text.
    let example = FixExample {
        path: "a.py".to_owned(),
        ..fixed_c("expected 'a' here", (1, 4), "\"s\"", "\" \n \"s\"")
    };
    for rule in learn(&example) {
        let edits = apply_rule(&rule, &example.diagnostics[0], &example.path, &example.before);
        let texts: Vec<String> =
            edits.iter().filter_map(|edit| edit.applied(&example.before)).collect();
        let after = Tokens::of(&example.after, example.language()).expect("tokens");
        assert!(texts.iter().any(|text| after.is_same(text)), "{rule:?} makes {texts:?}");
    }
}
