//! Texts with one token lost, doubled or wrong, and what their tools say of them.

use crate::heal::fixers::testing::{Files, proposals, said_of};
use salve_types::ErrorClass;

#[test]
fn a_lost_token_is_found_again() {
    for (tool, path, broken, message, place, whole) in [
        (
            "rustc",
            "a.rs",
            "fn f() {\n    let x = 1\n    let y = 2;\n}\n",
            "expected one of `.`, `;`, `?`, `else`, or an operator, found keyword `let`",
            (3, 5),
            "fn f() {\n    let x = 1;\n    let y = 2;\n}\n",
        ),
        (
            "rustc",
            "a.rs",
            "fn f() {\n    if true {\n        g();\n}\n\nfn g() {}\n",
            "this file contains an unclosed delimiter",
            (6, 10),
            "fn f() {\n    if true {\n        g();\n    }\n}\n\nfn g() {}\n",
        ),
        (
            "python",
            "a.py",
            "def f(a)\n    return a\n",
            "expected ':'",
            (1, 9),
            "def f(a):\n    return a\n",
        ),
        (
            "python",
            "a.py",
            "x = [1, 2\ny = 3\n",
            "'[' was never closed",
            (1, 5),
            "x = [1, 2]\ny = 3\n",
        ),
        (
            "python",
            "a.py",
            "def f(x):\n    retrun x\n",
            "invalid syntax",
            (2, 12),
            "def f(x):\n    return x\n",
        ),
        (
            "tsc",
            "a.ts",
            "if (x {\n  f(1, 2);\n}\n",
            "')' expected.",
            (1, 7),
            "if (x) {\n  f(1, 2);\n}\n",
        ),
        (
            "node",
            "a.js",
            "const x = { a: 1 b: 2 };\n",
            "Unexpected identifier 'b'",
            (1, 18),
            "const x = { a: 1, b: 2 };\n",
        ),
        (
            "gcc",
            "a.c",
            "int main() {\n    int x = 5\n    return x;\n}\n",
            "expected ‘,’ or ‘;’ before ‘return’",
            (3, 5),
            "int main() {\n    int x = 5;\n    return x;\n}\n",
        ),
        (
            "gcc",
            "a.c",
            "int main() {\n    puts(\"abc);\n    return 0;\n}\n",
            "missing terminating \" character",
            (2, 10),
            "int main() {\n    puts(\"abc\");\n    return 0;\n}\n",
        ),
        (
            "gcc",
            "a.c",
            "int main() {\n    int a[3];;\n    for (int i = 0; i < 3; i++) ) {\n    }\n}\n",
            "expected expression before ‘)’ token",
            (3, 33),
            "int main() {\n    int a[3];;\n    for (int i = 0; i < 3; i++)  {\n    }\n}\n",
        ),
    ] {
        let files = Files::new(&[(path, broken)]);
        let diagnostic = said_of(ErrorClass::Syntax, tool, message, path, place);
        let made = proposals(&[diagnostic], &files, path);
        let at = made.iter().position(|text| text == whole);
        assert!(at.is_some_and(|at| at < 3), "{tool}: {message}: {at:?} in {made:#?}");
    }
}

#[test]
fn nothing_is_proposed_that_the_grammar_does_not_like_better() {
    let files = Files::new(&[("a.rs", "fn f() { let x = ; }\n")]);
    let message = "expected expression, found `;`";
    let diagnostic = said_of(ErrorClass::Syntax, "rustc", message, "a.rs", (1, 18));
    for text in proposals(&[diagnostic], &files, "a.rs") {
        let report = salve_syntax::check_syntax(&text, salve_types::Language::Rust).unwrap();
        assert!(report.errors + report.missing <= 1, "{text}");
    }
}
