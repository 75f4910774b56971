//! The grammar's opinion on good, broken, cut and hostile texts.

use super::{LISTED, ProblemKind, check_syntax};
use crate::{MAX_BYTES, Unread, grammars};
use proptest::prelude::*;
use salve_types::{FindingCode, Language, Position};

const CLEAN: &[(Language, &str)] = &[
    (Language::Rust, "fn f<'a>(x: &'a str) -> &'a str { x }\n"),
    (Language::TypeScript, "type A<T> = { b: T };\nlet x = <any>1;\n"),
    (Language::Tsx, "const a = <p className=\"x\">It's</p>;\n"),
    (Language::JavaScript, "const r = /[/]/g; // don't\n"),
    (Language::Jsx, "const a = <b c={1} />;\n"),
    (Language::Python, "def f(x):\n    return f\"{x!r}\"\n"),
    (Language::Go, "package a\n\nfunc f() string { return `\\` }\n"),
    (Language::C, "int main(void) { return 'a'; }\n"),
    (Language::Cpp, "auto s = R\"x(a)\" b)x\";\n"),
    (Language::Java, "class A { String s = \"a\"; }\n"),
    (Language::Json, "{\"a\": [1, null, \"b\"]}\n"),
    (Language::Bash, "if true; then echo \"$(ls)\"; fi\n"),
    (Language::Html, "<!DOCTYPE html><p>It's</p>\n"),
    (Language::Css, "a { color: red; }\n"),
];

#[test]
fn whole_texts_are_clean() {
    for (language, text) in CLEAN {
        let report = check_syntax(text, *language).unwrap();
        assert!(report.is_clean(), "{language:?}: {:?}", report.problems);
        assert!(report.first().is_none() && report.findings().is_empty());
        assert!(!report.broken_at_end);
    }
}

#[test]
fn no_grammar_means_no_opinion() {
    assert_eq!(check_syntax("anything", Language::Text), None);
    assert_eq!(check_syntax("# a", Language::Markdown), None);
}

fn shown(text: &str, language: Language) -> String {
    let report = check_syntax(text, language).unwrap();
    let mut lines = vec![format!(
        "errors {} missing {} at end {}",
        report.errors, report.missing, report.broken_at_end
    )];
    lines.extend(report.problems.iter().map(|problem| {
        let Position { line, column } = problem.position;
        format!("{line}:{column} {:?} {}", problem.kind, problem.message)
    }));
    lines.join("\n")
}

#[test]
fn problems_are_named_with_their_place() {
    let shown: Vec<String> = [
        ("int main() { return 0 }\n", Language::C),
        ("{\"a\": }", Language::Json),
        ("fn f() {\n    let x = ;\n}\n", Language::Rust),
        ("const é = ;\nconst b = 1;\n", Language::JavaScript),
        ("def f(:\n    pass\n", Language::Python),
        ("class A { int x }\n", Language::Java),
        ("a { color: red; }}\n", Language::Css),
        ("package a\n\nfunc f( {}\n", Language::Go),
        ("{\"a\" 1}", Language::Json),
    ]
    .iter()
    .map(|(text, language)| shown(text, *language))
    .collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    errors 0 missing 1 at end false
    1:22 Missing missing `;` in return statement
    errors 0 missing 1 at end false
    1:6 Missing missing `number` in pair
    errors 1 missing 0 at end false
    2:11 Unexpected unexpected `=`
    errors 1 missing 0 at end false
    1:9 Unexpected unexpected `=`
    errors 0 missing 1 at end false
    1:7 Missing missing `)` in parameters
    errors 0 missing 1 at end false
    1:16 Missing missing `;` in field declaration
    errors 1 missing 0 at end false
    1:18 Unexpected unexpected `}`
    errors 0 missing 1 at end false
    3:8 Missing missing `)` in parameter list
    errors 1 missing 0 at end false
    1:2 Unexpected unexpected `"a" 1`
    "#);
}

#[test]
fn a_cut_is_told_from_a_mistake_inside() {
    let cut = [
        (Language::Rust, "fn f() { g(1, "),
        (Language::Rust, "pub struct Point"),
        (Language::TypeScript, "import { a } fro"),
        (Language::Python, "x = [1, 2"),
        (Language::Java, "import java.util"),
        (Language::C, "static int coun // and so on\n"),
        (Language::Css, "a { color: red; }\n.card"),
        (Language::Json, "{\"a\": [1"),
    ];
    for (language, text) in cut {
        let report = check_syntax(text, language).unwrap();
        assert!(report.broken_at_end, "{language:?}: {text}: {:?}", report.problems);
    }
    let mistaken = [
        (Language::C, "int a = ;\nint f(void) { return 1; }\nint g(void) { return 2; }\n"),
        (Language::Rust, "fn f() { let x = ; }\nfn g() {}\nfn h() {}\n// the end\n"),
    ];
    for (language, text) in mistaken {
        let report = check_syntax(text, language).unwrap();
        assert!(!report.is_clean() && !report.broken_at_end, "{language:?}: {:?}", report.problems);
    }
}

#[test]
fn findings_carry_the_codes() {
    let missing = check_syntax("int main() { return 0 }\n", Language::C).unwrap().findings();
    assert_eq!(missing[0].code, FindingCode::SyntaxMissing);
    let unexpected = check_syntax("fn f() { ) }\n", Language::Rust).unwrap().findings();
    assert_eq!(unexpected[0].code, FindingCode::SyntaxError);
}

#[test]
fn hostile_texts_end_and_lists_stay_short() {
    let noise: String =
        (0..4_000).map(|at| ["(", "\"", "<", "{", "'", "`", "\\", "\n"][at * 7 % 8]).collect();
    let texts = [
        "[".repeat(20_000),
        "{\"a\":".repeat(4_000),
        "<div>".repeat(2_000),
        "(".repeat(20_000),
        "a<".repeat(5_000),
        "/*".repeat(10_000),
        "`${".repeat(4_000),
        "\u{0}\u{feff}é€😀".repeat(1_000),
        "if x:\n".repeat(2_000),
        // Deep to the left; a recursive walk to a parent overflows the stack here.
        "<<A\n".repeat(5_000),
        noise,
    ];
    for grammar in grammars() {
        for text in &texts {
            let report = check_syntax(text, grammar.language).unwrap();
            assert!(report.problems.len() <= LISTED);
            assert!(report.problems.iter().all(|it| text.get(it.span.range()).is_some()));
        }
    }
}

#[test]
fn a_text_beyond_the_limit_is_left_unread() {
    let text = " ".repeat(MAX_BYTES + 1);
    let report = check_syntax(&text, Language::Json).unwrap();
    assert_eq!(report.unread, Some(Unread::TooLong));
    assert!(!report.is_clean());
}

#[test]
fn bash_with_characters_beyond_its_table_does_not_crash() {
    for text in ["{1\u{10ffff}", "{12..3\u{1f600}}", "echo {1..\u{e000}", "echo \"é\" # ü\n"] {
        assert!(check_syntax(text, Language::Bash).is_some());
    }
    assert!(check_syntax("echo \"é\" # ü\n", Language::Bash).unwrap().is_clean());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_gets_an_answer(text in "\\PC{0,200}", cut in 0_usize..60) {
        for grammar in grammars() {
            let report = check_syntax(&text, grammar.language).unwrap();
            prop_assert_eq!(report.is_clean(), report.problems.is_empty());
        }
        for (language, clean) in CLEAN {
            let end = (0..=cut.min(clean.len())).rev().find(|&at| clean.is_char_boundary(at)).unwrap();
            let report = check_syntax(&clean[..end], *language).unwrap();
            let missing = report.problems.iter().filter(|it| it.kind == ProblemKind::Missing);
            prop_assert_eq!(missing.count(), report.missing);
        }
    }
}
