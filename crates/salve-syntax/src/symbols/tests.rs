//! Definitions of each language, by name and kind.

use super::*;

fn listed(text: &str, language: Language) -> String {
    let found = file_symbols(text, language).unwrap();
    let one = |symbol: &Symbol| {
        let within =
            symbol.parent.map_or(String::new(), |at| format!(" in {}", found.symbols[at].name));
        let public = if symbol.is_exported { "+" } else { "" };
        format!("{public}{} {:?}{within}", symbol.name, symbol.kind)
    };
    found.symbols.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn every_language_tells_its_definitions() {
    for (language, text, wanted) in [
        (
            Language::Rust,
            "use std::{fs, io::Read as R};\npub mod m { pub struct S<T> { pub a: u8 } }\nimpl S { fn g(&self, p: u8) { let (x, Some(y)) = p; } }\nconst C: u8 = 1;\nenum E { V(u8) }\nmacro_rules! mm { () => {} }",
            "fs Import, R Import, +m Module, +S Type in m, T Type in S, +a Member in S, g Method, p Variable in g, x Variable in g, y Variable in g, C Constant, E Type, V Member in E, mm Macro",
        ),
        (
            Language::Python,
            "import os.path\nfrom a import b as c, d\nclass A(B):\n    def f(self, n, *rest, k=1):\n        self.size = n\n        for i, j in n:\n            x = y = 2\n",
            "+os Import, +path Import, +c Import, +d Import, +A Type, +f Method in A, +self Variable in f, +n Variable in f, +rest Variable in f, +k Variable in f, +size Variable in f, +i Variable in f, +j Variable in f, +x Variable in f, +y Variable in f",
        ),
        (
            Language::TypeScript,
            "import D, { a as b, c } from 'm';\nexport function f(x: T, { y, z: w }: U) { const [q] = x; }\nexport class K { p = 1; m() {} }\ninterface I { s: string }\nenum E { One, Two = 2 }\nexport const v = { key: 1 };",
            "D Import, a Import, b Import, c Import, +f Function, x Variable in f, y Variable in f, w Variable in f, q Variable in f, +K Type, p Member in K, m Method in K, I Type, s Member in I, E Type, One Member in E, Two Member in E, +v Variable, key Member",
        ),
        (
            Language::C,
            "#define MAX 3\nstruct P { int x, *y; };\ntypedef struct P T;\nstatic int f(int a, char *b[]) { int i = a, j[MAX]; return i; }\nint g(void);",
            "+MAX Macro, +P Type, +x Member in P, +y Member in P, +P Type, +T Type, f Function, +a Variable in f, +b Variable in f, +i Variable in f, +j Variable in f, +g Function",
        ),
        (
            Language::Bash,
            "greet() { local who=$1; echo \"$who\"; }\nfunction leave { exit 0; }\nLIMIT=3\n",
            "+greet Function, +who Variable in greet, +leave Function, +LIMIT Variable",
        ),
    ] {
        assert_eq!(listed(text, language), wanted, "{}", language.name());
    }
}

// What a map shows of languages whose grammars are built only when they are asked for.
#[test]
fn grammars_that_are_asked_for_tell_their_definitions_too() {
    for (language, text, wanted) in [
        (
            Language::CSharp,
            "namespace N { public class A { int P { get; } void F(int a) {} } enum E { X } }",
            "+N Module, +A Type in N, +P Member in A, +F Method in A, +a Variable in F, +E Type in N, +X Constant in E",
        ),
        (
            Language::Kotlin,
            "class A { fun f() {} }\nobject O\nfun g() {}\n",
            "+A Type, +f Method in A, +O Type, +g Function",
        ),
        (
            Language::Php,
            "<?php interface I {} trait T {} class A { function f() {} }\nfunction g() {}\n",
            "+I Type, +T Type, +A Type, +f Method in A, +g Function",
        ),
        (
            Language::Ruby,
            "module M\n  class A\n    def f; end\n    def self.g; end\n  end\nend\n",
            "+M Module, +A Type in M, +f Method in A, +g Method in A",
        ),
        (
            Language::Swift,
            "protocol P { func q() }\nclass A { func f() {} }\nfunc g() {}\n",
            "+P Type, +q Method in P, +A Type, +f Method in A, +g Function",
        ),
    ] {
        if has_symbols(language) {
            assert_eq!(listed(text, language), wanted, "{}", language.name());
        }
    }
    assert!(!has_symbols(Language::Json) && !has_symbols(Language::Markdown));
    assert!(has_symbols(Language::Python) && has_symbols(Language::Bash));
}

#[test]
fn names_in_scope_are_the_innermost_first() {
    let text = "const TOP: u8 = 1;\nfn f(a: u8) { let b = a; }\nfn g(c: u8) { let d = c; }\n";
    let found = file_symbols(text, Language::Rust).unwrap();
    let at = text.find("let d").unwrap();
    let names: Vec<&str> = found.in_scope(at).iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names, ["c", "d", "TOP", "f", "g"]);
    assert_eq!(found.enclosing(at).unwrap().name, "g");
    assert_eq!(found.enclosing(0), None);
}

#[test]
fn a_text_with_errors_still_has_names() {
    let found = file_symbols("fn f( { let count = 1; }\nfn whole() {}\n", Language::Rust).unwrap();
    assert!(found.words.contains("count"));
    assert!(found.symbols.iter().any(|symbol| symbol.name == "whole"));
}
