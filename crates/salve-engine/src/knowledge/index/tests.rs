//! What rules propose together: the order, the doubles, the same each time.

use super::super::testing::{fixed_c, said};
use super::*;
use crate::heal::testing::Files;

fn lost(line: &str) -> FixExample {
    let text = |end: &str| format!("int f() {{\n  {line}{end}\n  return 0; }}\n");
    let column = u32::try_from(line.len()).expect("a short line") + 3;
    fixed_c("expected ';' before 'return'", (2, column), &text(""), &text(";"))
}

fn asked() -> (Vec<Diagnostic>, Files) {
    let text = "int g() {\n  total = 7\n  return 1; }\n";
    let diagnostic = said("gcc", "expected ';' before 'return'", "a.c", (2, 12));
    (vec![diagnostic], Files::of([("a.c", text)]))
}

fn made(fixes: &[Fix], files: &Files) -> Vec<String> {
    let text = |fix: &Fix| {
        let patch = crate::heal::Patch::default().with(&fix.changes, files).expect("a fix fits");
        patch.files["a.c"].clone().expect("a text")
    };
    fixes.iter().map(text).collect()
}

#[test]
fn r59_the_same_rules_propose_the_same_bytes_each_time() {
    let examples = [lost("x = 1"), lost("f(a)"), lost("a[i] = b"), lost("y = 2")];
    let (diagnostics, files) = asked();
    let propose = || RuleIndex::learned(&examples).candidates(&diagnostics, &files, &|_| (0, 0));
    let first = propose();
    assert_eq!(made(&first, &files)[0], "int g() {\n  total = 7;\n  return 1; }\n");
    assert_eq!(first[0].source, FixSource::Rule);
    assert!(first[0].author.starts_with("rule:"));
    for _ in 0..2 {
        assert_eq!(propose(), first);
    }
    let texts = made(&first, &files);
    let different: std::collections::BTreeSet<&String> = texts.iter().collect();
    assert_eq!(different.len(), texts.len(), "no text is proposed twice");
}

#[test]
fn what_was_right_more_often_comes_first_and_a_pinned_rule_before_all() {
    // Two rules for one error that differ in what they write.
    let mut wrong = lost("x = 1");
    wrong.after = wrong.after.replace("1;", "1,");
    let rules = |example: &FixExample| learn(example).into_iter().filter(|rule| rule.level == 1);
    let (good, bad) = (rules(&lost("x = 1")).next(), rules(&wrong).next());
    let (good, bad) = (good.expect("a rule"), bad.expect("a rule"));
    let (diagnostics, files) = asked();
    let first = |records: Vec<RuleRecord>, wins: &dyn Fn(&str) -> (u32, u32)| {
        RuleIndex::new(records).candidates(&diagnostics, &files, wins)[0].author.clone()
    };
    let both = || vec![RuleRecord::new(bad.clone()), RuleRecord::new(good.clone())];
    let of = |rule: &FixRule| format!("rule:{}", rule.id);
    let won = |id: &str| if id == good.id { (5, 0) } else { (0, 5) };
    assert_eq!(first(both(), &won), of(&good));
    let mut pinned = both();
    pinned[0].pinned = true;
    assert_eq!(first(pinned, &won), of(&bad));
}

#[test]
fn a_rule_of_another_language_or_key_proposes_nothing() {
    let (mut diagnostics, files) = asked();
    let index = RuleIndex::learned(&[lost("x = 1")]);
    let count =
        |diagnostics: &[Diagnostic]| index.candidates(diagnostics, &files, &|_| (0, 0)).len();
    assert!(count(&diagnostics) > 0);
    diagnostics[0].tool = "clang".to_owned();
    assert_eq!(count(&diagnostics), 0);
    diagnostics[0].spans[0].path = "absent.c".to_owned();
    assert_eq!(count(&diagnostics), 0);
    assert_eq!(count(&[]), 0);
}

#[test]
fn fixes_that_differ_in_blanks_are_told_apart_only_where_blanks_matter() {
    let proposed = |path: &str, before: &str, texts: &[&str]| {
        let fix = |text: &&str| Fix {
            source: FixSource::Rule,
            author: "rule:spacing".to_owned(),
            description: String::new(),
            origin: FixOrigin::Derived,
            changes: vec![TextChange {
                path: path.to_owned(),
                span: salve_types::Span::new(0, before.len()),
                replacement: (*text).to_owned(),
            }],
            commands: Vec::new(),
            answers: vec![0],
        };
        let files = Files::of([(path, before)]);
        let weighed =
            |text: &&str| Weighed { fix: fix(text), weight: 0.5, pinned: false, priority: 0 };
        by_weight(texts.iter().map(weighed).collect(), &files).len()
    };
    assert_eq!(proposed("a.js", "f( a)", &["f(a)", "f( a )"]), 2, "blanks are what is fixed");
    assert_eq!(proposed("a.js", "f( a", &["f(a)", "f( a )"]), 1, "the same fix twice");
    assert_eq!(
        proposed("a.py", "if a:\nb", &["if a:\n  b()", "if a:\nb()"]),
        2,
        "blanks have meaning"
    );
}

#[test]
fn r50_the_highest_priority_is_tried_first() {
    let (diagnostics, files) = asked();
    let rule = |template: &str, priority: i32| {
        let text = format!(
            "format = 'salve-rule/1'\ntarget = 'c'\ntool = 'gcc'\npriority = {priority}\n\
             [rule.template]\npattern = 'total = 7'\ntemplate = '{template}'\n"
        );
        RuleRecord::new(crate::knowledge::read_rule(&text).expect("a rule").0)
    };
    for (first, second) in [(1, 5), (5, 1)] {
        let rules = vec![rule("total = 8;", first), rule("total = 9;", second)];
        let fixes = RuleIndex::new(rules).candidates(&diagnostics, &files, &|_| (0, 0));
        let wanted = if first > second { "total = 8;" } else { "total = 9;" };
        assert!(made(&fixes, &files)[0].contains(wanted), "{fixes:?}");
    }
}
