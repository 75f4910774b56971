//! What is open at marked places of small files.

use super::{OpenAt, What, truth_of};
use crate::corpus::SourceFile;
use salve_types::Language;

// `¦` marks the cut.
fn open_at(language: Language, marked: &str) -> OpenAt {
    let at = marked.find('¦').unwrap();
    let file = SourceFile { language, name: String::new(), text: marked.replace('¦', "") };
    truth_of(&file).unwrap().sweep().at(at).unwrap()
}

#[test]
fn the_innermost_construct_is_found() {
    use What::{Bracket, Comment, DoubleQuote, Element, Heredoc, SingleQuote, Tag, Template};
    let cases: &[(Language, &str, Option<What>)] = &[
        (Language::Rust, "fn f() { g(¦1) }", Some(Bracket)),
        (Language::Rust, "fn f() { g(1) }¦", None),
        (Language::Rust, "const A: &str = r#\"a\"¦b\"#;", Some(DoubleQuote)),
        (Language::Rust, "const A: &str = r#\"a\"¦#;", Some(DoubleQuote)),
        (Language::Rust, "const A: &str = r#\"a\"#¦;", None),
        (Language::Rust, "/* a /* b */ ¦c */ fn f() {}", Some(Comment)),
        (Language::Rust, "fn f() { // no¦te\n}", Some(Bracket)),
        (Language::Rust, "fn f<'a¦>(x: &'a str) {}", None),
        (Language::Rust, "const C: char = '\\¦n';", Some(SingleQuote)),
        (Language::TypeScript, "let a = `x ${b ¦+ 1}`;", Some(Bracket)),
        (Language::TypeScript, "let a = `x ${b + 1}¦`;", Some(Template)),
        (Language::TypeScript, "let a: Array<¦string>;", None),
        (Language::Tsx, "let a = <p id=\"x¦\">b</p>;", Some(DoubleQuote)),
        (Language::Tsx, "let a = <p ¦id=\"x\">b</p>;", Some(Tag)),
        (Language::Tsx, "let a = <p id=\"x\">¦b</p>;", Some(Element)),
        (Language::Tsx, "let a = <p id=\"x\">b</¦p>;", Some(Tag)),
        (Language::Tsx, "let a = <p id={¦x} />;", Some(Bracket)),
        (Language::Python, "x = '''a'¦b'''\n", Some(SingleQuote)),
        (Language::Python, "x = f\"{a¦}\"\n", Some(Bracket)),
        (Language::Go, "package a\n\nvar s = `a¦b`\n", Some(Template)),
        (Language::Cpp, "auto s = R\"x(a)\"¦ b)x\";\n", Some(DoubleQuote)),
        (Language::Java, "class A { String s = \"a¦\"; }\n", Some(DoubleQuote)),
        (Language::Bash, "cat <<E\na ¦b\nE\n", Some(Heredoc)),
        (Language::Html, "<p class='a'>x <!-- ¦y --></p>", Some(Comment)),
        (Language::Html, "<p class='a'>x<br>¦</p>", Some(Element)),
        (Language::Css, "a { b: url(¦c); }", Some(Bracket)),
        (Language::Json, "{\"a\": [1, ¦2]}", Some(Bracket)),
    ];
    for (language, marked, what) in cases {
        let found = open_at(*language, marked).innermost.map(|construct| construct.what);
        assert_eq!(found, *what, "{language:?} {marked}");
    }
}

#[test]
fn a_cut_through_an_opener_is_marked() {
    let cases = [
        (Language::Rust, "fn f() { /¦* a */ }", What::Comment),
        (Language::Java, "class A { /¦/ a\n }", What::Comment),
        (Language::Python, "x = [\"\"¦\"a\"\"\"]\n", What::DoubleQuote),
        (Language::Html, "<p><!¦-- a --></p>", What::Comment),
        (Language::Bash, "cat <<¦E\na\nE\n", What::Heredoc),
    ];
    for (language, marked, what) in cases {
        let split = open_at(language, marked).split.map(|construct| construct.what);
        assert_eq!(split, Some(what), "{marked}");
    }
}

#[test]
fn opaque_leaves_have_no_truth() {
    let text = "#define F(x) do { x\nint a;\n".to_owned();
    let file = SourceFile { language: Language::C, name: String::new(), text };
    let truth = truth_of(&file).unwrap();
    assert!(truth.sweep().at(17).is_none());
    assert!(truth.sweep().at(24).is_some());
}
