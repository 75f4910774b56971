//! Sentences as the tools of this day write them.

use super::*;
use salve_types::{ErrorClass, Severity};

fn hints(tool: &str, message: &str) -> String {
    let mut diagnostic = Diagnostic::new(tool, Severity::Error, ErrorClass::Syntax, message);
    add(&mut diagnostic);
    serde_json::to_string(&diagnostic.hints).unwrap().replace('"', "'")
}

#[test]
fn the_words_of_tools_become_hints() {
    let name = |name: &str, kind: &str| {
        format!("{{'hint':'unknown_name','name':'{name}','kind':'{kind}'}}")
    };
    let member = |owner: &str, name: &str| {
        format!("{{'hint':'unknown_member','owner':'{owner}','name':'{name}'}}")
    };
    let similar = |name: &str| format!("{{'hint':'similar_name','name':'{name}'}}");
    let module = |name: &str| format!("{{'hint':'unknown_module','name':'{name}'}}");
    let unused = |name: &str| format!("{{'hint':'unused_name','name':'{name}'}}");
    let not_exported = |module: &str, name: &str| {
        format!("{{'hint':'not_exported','module':'{module}','name':'{name}'}}")
    };
    let found = |token: &str| format!("{{'hint':'unexpected_token','token':'{token}'}}");
    let open = |token: &str| format!("{{'hint':'unclosed','token':'{token}'}}");
    for (tool, message, wanted) in [
        ("rustc", "cannot find value `coutn` in this scope", vec![name("coutn", "value")]),
        (
            "rustc",
            "cannot find function `hepler` in module `inner`",
            vec![name("hepler", "function")],
        ),
        ("rustc", "cannot find macro `printn` in this scope", vec![name("printn", "macro")]),
        ("rustc", "no field `sze` on type `Thing`", vec![member("Thing", "sze")]),
        (
            "rustc",
            "no method named `gro` found for struct `Thing` in the current scope",
            vec![member("Thing", "gro")],
        ),
        ("rustc", "struct `Thing` has no field named `siz`", vec![name("siz", "argument")]),
        ("rustc", "unused variable: `p`", vec![unused("p")]),
        (
            "rustc",
            "expected one of `.`, `;`, or an operator, found keyword `let`",
            vec!["{'hint':'expected_token','tokens':['.',';']}".to_owned(), found("let")],
        ),
        ("rustc", "unexpected closing delimiter: `}`", vec![found("}")]),
        (
            "tsc",
            "Cannot find name 'cnsole'. Did you mean 'console'?",
            vec![name("cnsole", "any"), similar("console")],
        ),
        ("tsc", "Property 'lgo' does not exist on type 'Console'.", vec![member("Console", "lgo")]),
        (
            "tsc",
            "'\"./b\"' has no exported member named 'Foo'. Did you mean 'Fooo'?",
            vec![similar("Fooo"), not_exported("./b", "Foo")],
        ),
        ("tsc", "')' expected.", vec!["{'hint':'expected_token','tokens':[')']}".to_owned()]),
        (
            "tsc",
            "Cannot find module './nope' or its corresponding type declarations.",
            vec![module("./nope")],
        ),
        (
            "tsc",
            "Relative import paths need explicit file extensions in ECMAScript imports when \
             '--moduleResolution' is 'node16' or 'nodenext'. Did you mean './a.js'?",
            vec![similar("./a.js"), module("./a")],
        ),
        ("node", "a.foo is not a function", vec![member("a", "foo")]),
        ("node", "coutn is not defined", vec![name("coutn", "any")]),
        ("node", "Unexpected token '{'", vec![found("{")]),
        (
            "python",
            "name 'cuont' is not defined. Did you mean: 'count'?",
            vec![name("cuont", "any"), similar("count")],
        ),
        (
            "pytest",
            "cannot import name 'pth' from 'os' (/usr/lib/os.py)",
            vec![not_exported("os", "pth")],
        ),
        ("python", "No module named 'os.pathx'; 'os' is not a package", vec![module("os.pathx")]),
        ("python", "'[' was never closed", vec![open("[")]),
        (
            "python",
            "closing parenthesis ']' does not match opening parenthesis '('",
            vec![found("]"), open("(")],
        ),
        (
            "python",
            "expected an indented block after function definition on line 1",
            vec!["{'hint':'wrong_indentation','kind':'expected_block'}".to_owned()],
        ),
        (
            "gcc",
            "‘cuont’ undeclared (first use in this function); did you mean ‘count’?",
            vec![name("cuont", "value"), similar("count")],
        ),
        (
            "gcc",
            "expected ‘,’ or ‘;’ before ‘int’",
            vec!["{'hint':'expected_token','tokens':[',',';']}".to_owned(), found("int")],
        ),
        ("gcc", "expected expression before ‘}’ token", vec![found("}")]),
        ("ld", "undefined reference to `stac_kclear'", vec![name("stac_kclear", "function")]),
        ("ld", "undefined symbol: stac_kclear", vec![name("stac_kclear", "function")]),
        ("gcc", "nope.h: No such file or directory", vec![module("nope.h")]),
        ("gcc", "missing terminating \" character", vec![open("\\'")]),
        ("clang", "no member named 'y' in 'struct P'", vec![member("struct P", "y")]),
        ("go", "undefined: fmt.Printn", vec![member("fmt", "Printn")]),
        ("go", "imported and not used: \"os\"", vec![unused("os")]),
        ("javac", "cannot find symbol: variable cuont", vec![name("cuont", "value")]),
        ("eslint", "It's nothing of this kind.", vec![]),
    ] {
        assert_eq!(hints(tool, message), format!("[{}]", wanted.join(",")), "{tool}: {message}");
    }
}

#[test]
fn what_is_expected_of_a_type_is_no_token() {
    let message = "expected `String`, found `&str`";
    let mut diagnostic = Diagnostic::new("rustc", Severity::Error, ErrorClass::Type, message);
    add(&mut diagnostic);
    assert_eq!(diagnostic.hints, []);
}

#[test]
fn a_text_of_noise_is_read_and_gives_little() {
    for tool in ["rustc", "tsc", "python", "gcc", "go"] {
        for message in ["", "`", "'", "expected , found ", &"'`".repeat(10_000), "{}{}{}", "‘"] {
            let mut diagnostic = Diagnostic::new(tool, Severity::Error, ErrorClass::Type, message);
            add(&mut diagnostic);
            assert!(diagnostic.hints.len() <= KEPT, "{tool}: {message}");
        }
    }
}

#[test]
fn the_end_of_a_text_may_be_inside_a_character() {
    for words in ["FAILED (failures={})$", "{} x$"] {
        for text in ["FAILED (failures=2)ﬗ𐡗", "é", "", "aﬗx"] {
            assert_eq!(captured(text, words), None, "{words} {text}");
        }
    }
    assert_eq!(captured("FAILED (failures=2)", "FAILED (failures={})$"), Some(vec!["2"]));
}
