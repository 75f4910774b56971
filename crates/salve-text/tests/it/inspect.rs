//! The inspector's contract, row by row: kinds, messages, sentinel rules, closing text.

use salve_text::{
    CleanOptions, InspectOptions, Inspection, SentinelRule, clean, inspect, inspect_text,
};
use salve_types::{ErrorType, FinishReason, Language, RawReply, TruncationKind as Kind, Verdict};

fn verdict(language: Language, text: &str) -> Verdict {
    inspect_text(text, &InspectOptions { language: Some(language), ..InspectOptions::default() })
}

fn with(language: Language, text: &str, change: impl FnOnce(&mut InspectOptions)) -> Verdict {
    let mut options = InspectOptions { language: Some(language), ..InspectOptions::default() };
    change(&mut options);
    inspect_text(text, &options)
}

fn has(verdict: &Verdict, code: &str) -> bool {
    verdict.evidence.iter().any(|evidence| evidence.code == code)
}

#[track_caller]
fn assert_cut(language: Language, text: &str, kind: Kind, closing: &str) {
    let verdict = verdict(language, text);
    assert_eq!(verdict.kind, Some(kind), "{text:?} {verdict:#?}");
    assert_eq!(verdict.closing, closing, "{text:?}");
    assert!(!verdict.is_valid);
    if !verdict.open.is_empty() && !text.ends_with('\n') {
        let closed = format!("{text}{closing}");
        let again = self::verdict(language, &closed);
        assert!(again.open.is_empty(), "{closed:?} {again:#?}");
    }
}

#[test]
fn t12_open_double_quote() {
    use Language as L;
    let kind = Kind::OpenDoubleQuote;
    assert_cut(L::JavaScript, "const a = \"abc", kind, "\"");
    assert_cut(L::Tsx, "const a = <div className=\"bg-", kind, "\"></div>");
    assert_cut(L::Tsx, "f({a: <p id=\"x", kind, "\"></p>})");
    assert_cut(L::Rust, "fn f() { g(r##\"a\"#b", kind, "\"##)}");
    assert_cut(L::Rust, "const A: &str = \"a\\", kind, "\\\"");
    assert_cut(L::Python, "def f():\n    \"\"\"Say \"hi", kind, "\"\"\"");
    assert_cut(L::Python, "x = \"\"\"a\"\"", kind, "\"");
    assert_cut(L::Cpp, "auto s = R\"x(a)y", kind, ")x\"");
    assert_cut(L::CSharp, "var s = @\"a\"\"b", kind, "\"");
    assert_cut(L::Swift, "let s = #\"a\"b", kind, "\"#");
    assert_cut(L::Json, "{\"a\": [\"b", kind, "\"]}");
    assert_cut(L::C, "#include \"a", kind, "\"");
    assert_cut(L::Bash, "echo \"a $(b", Kind::UnbalancedBraces, ")\"");
}

#[test]
fn t13_open_single_quote() {
    let kind = Kind::OpenSingleQuote;
    assert_cut(Language::JavaScript, "x = 'abc", kind, "'");
    assert_cut(Language::Python, "x = ('abc", kind, "')");
    assert_cut(Language::Rust, "fn f() { g('\\", kind, "\\')}");
    assert_cut(Language::Rust, "fn f() { g(b'", kind, " ')}");
    assert_cut(Language::Rust, "fn f() { match c { a => 1, '-", kind, "'}}");
    assert_cut(Language::Bash, "echo 'a", kind, "'");
    assert_cut(Language::Sql, "SELECT 'it''s", kind, "'");
    assert_cut(Language::Yaml, "a: 'it''s", kind, "'");
}

#[test]
fn t14_open_template_literal_over_many_lines_and_holes() {
    let lines = "line\n".repeat(20);
    let kind = Kind::OpenTemplateLiteral;
    let text = format!("const a = `{lines}");
    let found = verdict(Language::JavaScript, &text);
    assert_eq!((found.kind, found.opened_at_line), (Some(kind), Some(1)));
    assert_cut(Language::JavaScript, "f(`a ${b(`c ${d}`)} e", kind, "`)");
    assert_cut(Language::TypeScript, "`a ${b + {c: 1", Kind::UnbalancedBraces, "}}`");
    assert_cut(Language::Go, "var a = `raw", kind, "`");
}

#[test]
fn t15_t06_open_tag() {
    assert_cut(Language::Tsx, "const a = <Button onClick={go}", Kind::OpenJsxTag, "></Button>");
    assert_cut(Language::Tsx, "x = <div><br /></di", Kind::OpenJsxTag, "v>");
    assert_cut(Language::Html, "<p>a</p><img src=x", Kind::OpenJsxTag, ">");
    let text = "<div className=\"a\"\n// --- VIBECODER_COMPLETE ---";
    let found = with(Language::Tsx, &format!("x = {text}"), |_| {});
    assert_eq!(found.kind, Some(Kind::OpenJsxTag));
    assert_eq!(found.error_type, Some(ErrorType::SyntaxError));
}

#[test]
fn t16_t07_unbalanced_brackets() {
    assert_cut(Language::Rust, "fn main() { let x = (1", Kind::UnbalancedBraces, ")}");
    assert_cut(Language::JavaScript, "function f(){ if(x){", Kind::UnbalancedBraces, "}}");
    assert_cut(Language::Rust, "fn f() { // {[(", Kind::UnbalancedBraces, "\n}");
    assert_cut(Language::Python, "f(a, [b", Kind::UnbalancedBraces, "])");
    assert_cut(Language::Css, "a { color: red", Kind::UnbalancedBraces, "}");
    let found =
        verdict(Language::JavaScript, "function f(){ if(x){\n// --- VIBECODER_COMPLETE ---");
    assert_eq!(found.error_type, Some(ErrorType::SyntaxError));
    assert!(!verdict(Language::Rust, "fn f() { (] }").is_valid, "crossing brackets");
}

#[test]
fn t18_additive_kinds_and_one_kind_only() {
    assert_cut(Language::C, "int f() { /* a *", Kind::OpenComment, "/}");
    assert_cut(Language::Rust, "/* a /* b */", Kind::OpenComment, "*/");
    assert_cut(Language::Kotlin, "/* a /* b */", Kind::OpenComment, "*/");
    assert_cut(Language::Html, "<p>a</p><!-- b -", Kind::OpenComment, "->");
    assert_cut(Language::Json, "{\"a\": [1, {", Kind::OpenJson, "}]}");
    assert_cut(Language::Json, "{\"a\":", Kind::OpenJson, "}");
    assert_cut(Language::JavaScript, "x = /a[/", Kind::OpenRegex, "]/");
    assert_cut(Language::Bash, "cat <<EOF\na\n", Kind::OpenHeredoc, "EOF\n");
    assert_cut(Language::Bash, "cat <<-'EOF'\na", Kind::OpenHeredoc, "\nEOF\n");
    assert_cut(Language::Ruby, "x = <<~SQL\n  a", Kind::OpenHeredoc, "\nSQL\n");
    assert_cut(Language::Php, "<?php $x = <<<EOT\na", Kind::OpenHeredoc, "\nEOT\n");
    assert_cut(Language::Sql, "DO $body$ BEGIN", Kind::OpenHeredoc, "$body$");
    assert_cut(Language::Html, "<ul><li>a</li>", Kind::OpenElement, "</ul>");
    assert_cut(Language::Tsx, "x = <A.B>text", Kind::OpenElement, "</A.B>");
    assert_cut(Language::Markdown, "# a\n````md\n```\n", Kind::OpenFence, "````");
    // Half a fence, of which a line can consist for no other reason.
    assert_cut(Language::Markdown, "Here:\n\n`", Kind::OpenFence, "``\n```");
    assert_cut(Language::Markdown, "Here:\n\n``", Kind::OpenFence, "`\n```");
    assert_cut(Language::Markdown, "- So:\n  ``", Kind::OpenFence, "`\n```");
    assert_cut(Language::Markdown, "```\na\n``", Kind::OpenFence, "\n```");
    assert_cut(Language::Python, "def f():\n", Kind::OpenBlock, "    pass");
    assert_cut(Language::Python, "class A:", Kind::OpenBlock, " pass");
    assert_cut(Language::Bash, "if a; then b", Kind::OpenBlock, "\nfi");
    assert_cut(Language::Bash, "case $x in a) b;;", Kind::OpenBlock, "\nesac");
    assert_cut(Language::Ruby, "def f\n  a.each do |b|", Kind::OpenBlock, "\nend\nend");
    assert_cut(Language::Sql, "CREATE PROCEDURE p() BEGIN SELECT 1;", Kind::OpenBlock, "\nEND");
    assert_cut(Language::C, "#ifdef A\nint a;", Kind::OpenBlock, "\n#endif\n");
    let found = verdict(Language::JavaScript, "function f() { return g({a: \"b");
    assert_eq!(found.kind, Some(Kind::OpenDoubleQuote));
    assert_eq!(found.open.len(), 4);
    assert_eq!((found.open[0].line, found.open[0].column), (1, 14));
}

#[test]
fn t17_a_type_is_cut_however_much_stands_before_it() {
    // No semicolon and no brace: nothing but the words says where statements start.
    let before = "export type A = B | C<D>\n".repeat(400);
    let head = "export type X<\n  T extends Array<any>,\n> = T extends []\n  ? []\n  : ";
    for rest in ["T extends [infer H]\n    ? Foo<\n        [...Tails],\n        ", "Foo<\n  H,\n"] {
        let cut = format!("{before}{head}{rest}");
        assert_cut(Language::TypeScript, &cut, Kind::GeneralTruncation, "");
    }
    assert!(verdict(Language::TypeScript, &format!("{before}{head}Foo<H>\n")).is_valid);
}

#[test]
fn t18_half_a_token_does_not_spoil_the_closers() {
    use Language as L;
    let cases = [
        (L::Html, "<p><!", Kind::OpenComment, "----></p>"),
        (L::Html, "<p><!-", Kind::OpenComment, "---></p>"),
        (L::Html, "<p><!--", Kind::OpenComment, "--></p>"),
        (L::Html, "<p><!-- a -", Kind::OpenComment, "-></p>"),
        (L::Rust, "fn f() { /* a /", Kind::OpenComment, " */}"),
        (L::Rust, "fn f() { /* a /*/", Kind::OpenComment, " */*/}"),
        (L::Rust, "fn f() { /* a *", Kind::OpenComment, "/}"),
        (L::Rust, "fn f() { g(r#\"", Kind::OpenDoubleQuote, "\"#)}"),
        (L::Rust, "fn f() { g(r#\"a\"", Kind::OpenDoubleQuote, "#)}"),
        (L::Rust, "fn f<'a>(x: &'", Kind::UnbalancedBraces, "_)"),
        (L::Rust, "fn f() { g('", Kind::OpenSingleQuote, " ')}"),
        (L::Swift, "f(#\"", Kind::OpenDoubleQuote, "\"#)"),
        (L::CSharp, "class A { string r = \"\"\"", Kind::OpenDoubleQuote, " \"\"\"}"),
        (L::CSharp, "class A { string r = \"\"\"a\"", Kind::OpenDoubleQuote, "\"\"}"),
        (L::JavaScript, "f(x = /", Kind::OpenRegex, "(?:)/)"),
        (L::JavaScript, "f(/a\\", Kind::OpenRegex, "\\/)"),
        (L::JavaScript, "function f() {\n  a();\n  /", Kind::UnbalancedBraces, "/\n}"),
        (L::JavaScript, "f(\"a\\", Kind::OpenDoubleQuote, "\\\")"),
        (L::Tsx, "x = <div className=", Kind::OpenJsxTag, "\"\"></div>"),
        (L::Bash, "cat <<'EO", Kind::OpenHeredoc, "'\nEO\n"),
        (L::Bash, "cat <<A <<B", Kind::OpenHeredoc, "\nA\nB\n"),
        (L::Bash, "echo ${x//\\", Kind::UnbalancedBraces, "\\}"),
        (L::Ruby, "def", Kind::OpenBlock, " _\nend"),
        (L::Ruby, "def ", Kind::OpenBlock, "_\nend"),
    ];
    for (language, text, kind, closing) in cases {
        assert_cut(language, text, kind, closing);
    }
}

#[test]
fn t10_a_block_without_a_body_is_listed_as_open() {
    // Line, column and offset.
    type Place = (u32, u32, usize);
    let cases: &[(&str, &str, &[Place])] = &[
        ("def f():\n", "    pass", &[(1, 1, 0)]),
        ("x = 1\nclass A:\n    def f(\n        a,\n    ):", " pass", &[(3, 5, 19)]),
        ("def f():\n    # later", "\n    pass", &[(1, 1, 0)]),
        ("def f():  # later\n  ", "  pass", &[(1, 1, 0)]),
        ("if x:\n\tif y:\n\t", "    pass", &[(2, 2, 7)]),
        ("if x:\n      ", "pass", &[(1, 1, 0)]),
        ("try:\n", "    pass\nfinally: pass\n", &[(1, 1, 0)]),
        ("try:\n    f()\n", "finally: pass\n", &[(1, 1, 0)]),
        ("try:\n    if x:\n", "        pass\nfinally: pass\n", &[(1, 1, 0), (2, 5, 9)]),
    ];
    for (text, closing, blocks) in cases {
        let options =
            InspectOptions { language: Some(Language::Python), ..InspectOptions::default() };
        let verdict = inspect_text(text, &options);
        assert_eq!(verdict.kind, Some(Kind::OpenBlock), "{text:?}");
        assert_eq!(verdict.closing, *closing, "{text:?}");
        let places = verdict.open.iter().map(|one| (one.line, one.column, one.offset));
        assert_eq!(places.collect::<Vec<_>>(), *blocks, "{text:?}");
        let closers: String = verdict.open.iter().rev().map(|one| one.closer.as_str()).collect();
        assert_eq!(closers, *closing, "{text:?}");
        assert!(inspect_text(&format!("{text}{closing}"), &options).is_valid, "{text:?}");
    }
}

#[test]
fn t17_general_truncation() {
    let whole = "fn main() {}\n";
    let found =
        with(Language::Rust, whole, |options| options.finish_reason = Some(FinishReason::Length));
    assert_eq!(found.kind, Some(Kind::GeneralTruncation));
    assert_eq!(found.error_type, Some(ErrorType::TruncationDetected));
    for (language, text) in [
        (Language::Rust, "fn main() {}\npub fn"),
        (Language::Rust, "use std::io"),
        (Language::JavaScript, "import { a } from"),
        (Language::TypeScript, "type A = B |"),
        (Language::TypeScript, "const f = (a: number)"),
        (Language::Python, "from os import"),
        (Language::Python, "x = a if b"),
        (Language::Python, "x ="),
        (Language::Go, "package a\n\nfunc b"),
        (Language::Java, "import java.util"),
        (Language::C, "int a;\nstatic int b"),
        (Language::Css, "a {}\n.b"),
        (Language::Sql, "SELECT a FROM"),
        (Language::Toml, "a ="),
        (Language::Bash, "a &&"),
        (Language::Kotlin, "val a ="),
    ] {
        assert_eq!(verdict(language, text).kind, Some(Kind::GeneralTruncation), "{text:?}");
    }
}

#[test]
fn t03_missing_sentinel_when_required() {
    let required = |text: &str| {
        with(Language::Rust, text, |options| options.sentinel = SentinelRule::Required)
    };
    let missing = required("fn main() {}\n");
    assert_eq!(missing.error_type, Some(ErrorType::TruncationDetected));
    assert_eq!(
        missing.error_message.as_deref(),
        Some("AI output missing completion sentinel - likely truncated")
    );
    assert!(required("fn main() {}\n// --- VIBECODER_COMPLETE ---\n").is_valid);
    // The seed's bug: the sentinel quoted early, then a cut.
    let quoted = "const S: &str = \"// --- VIBECODER_COMPLETE ---\";\nfn main() { g(";
    assert_eq!(required(quoted).kind, Some(Kind::UnbalancedBraces));
    let custom = with(Language::Python, "a = 1\n# DONE\n", |options| {
        options.sentinel = SentinelRule::Required;
        options.sentinel_mark = "DONE".to_owned();
    });
    assert!(custom.is_valid);
}

#[test]
fn t04_t05_messages_of_open_strings() {
    let found = verdict(Language::JavaScript, "const a = \"abc\n// --- VIBECODER_COMPLETE ---");
    assert_eq!(
        found.error_message.as_deref(),
        Some("Unterminated double-quote string in last 5 lines")
    );
    assert_eq!(found.error_type, Some(ErrorType::SyntaxError));
    let found = verdict(Language::JavaScript, "f(function () {\n  const a = 'abc");
    assert_eq!(
        found.error_message.as_deref(),
        Some("Unterminated single-quote string in last 5 lines")
    );
    // Parity over five lines missed a string that began earlier.
    let early = format!("x = \"\"\"doc\n{}", "text\n".repeat(9));
    let found = verdict(Language::Python, &early);
    assert_eq!(found.kind, Some(Kind::OpenDoubleQuote));
    assert_eq!(
        found.error_message.as_deref(),
        Some("Unterminated double-quote string from line 1")
    );
}

#[test]
fn t08_all_checks_run_and_the_most_specific_kind_is_named() {
    let found = with(Language::JavaScript, "function f() { g(\"abc", |options| {
        options.sentinel = SentinelRule::Required;
    });
    assert_eq!(found.error_type, Some(ErrorType::TruncationDetected));
    assert_eq!(found.kind, Some(Kind::OpenDoubleQuote));
    for code in ["sentinel_missing", "open_double_quote", "open_paren", "open_brace"] {
        assert!(has(&found, code), "{code} {found:#?}");
    }
}

#[test]
fn t02_t09_t10_the_shape_on_the_wire() {
    let text = format!("\n{}f(\n\n", "a();\n".repeat(11));
    let found = verdict(Language::JavaScript, &text);
    assert_eq!(found.truncation_line, Some(12));
    assert_eq!(found.opened_at_line, Some(13));
    let wire = serde_json::to_value(&found).expect("a verdict is data");
    assert_eq!(wire["isValid"], false);
    assert_eq!(wire["errorType"], "TRUNCATION_DETECTED");
    assert_eq!(wire["kind"], "UNBALANCED_BRACES");
    assert_eq!(wire["truncationLine"], 12);
    let whole = serde_json::to_value(verdict(Language::JavaScript, "a();\n")).expect("data");
    assert_eq!(whole["isValid"], true);
    assert!(whole.get("errorType").is_none() && whole.get("truncationLine").is_none());
}

#[test]
fn t41_a_missing_sentinel_alone_is_a_warning() {
    let found = with(Language::Rust, "fn main() {}\n", |options| {
        options.finish_reason = Some(FinishReason::Stop);
    });
    assert!(found.is_valid && has(&found, "sentinel_missing"));
    let found = with(Language::Rust, "fn main() {}\n", |options| {
        options.sentinel = SentinelRule::None;
    });
    assert!(found.is_valid && !has(&found, "sentinel_missing"));
}

#[test]
fn t40_json_needs_no_sentinel() {
    let found = with(Language::Json, "{\"a\": 1}", |options| {
        options.sentinel = SentinelRule::Required;
    });
    assert!(found.is_valid && has(&found, "root_closed"));
}

#[test]
fn c259_length_on_proven_text_is_evidence_only() {
    let length = |language, text: &str| {
        with(language, text, |options| options.finish_reason = Some(FinishReason::Length))
    };
    let json = length(Language::Json, "{\"a\": [1, 2]}");
    assert!(json.is_valid && has(&json, "finish_reason_length"));
    let marked = length(Language::Python, "a = 1\n# --- VIBECODER_COMPLETE ---\n");
    assert!(marked.is_valid && has(&marked, "finish_reason_length"));
    assert!(!length(Language::Python, "a = 1\n").is_valid);
}

#[test]
fn c106_short_text_is_no_sign_of_a_cut() {
    // Shorter than 200 characters, says "truncated", does not end with a brace: all legitimate.
    assert!(verdict(Language::Python, "note = 'truncated'\n").is_valid);
    assert!(
        verdict(Language::Json, "[{\"path\": \"a\", \"old\": \"x\", \"new\": \"y\"}]").is_valid
    );
}

#[test]
fn t36_t37_the_verdict_does_not_depend_on_enforcement() {
    // The inspector only judges; blocking is the caller's setting.
    let found = verdict(Language::Rust, "fn f() {");
    assert!(!found.is_valid && found.confidence > 0.9);
}

#[test]
fn t01_an_empty_text_is_judged_too() {
    for language in Language::all() {
        let found = verdict(language, "");
        assert_eq!((found.open.len(), found.closing.as_str()), (0, ""), "{language:?}");
    }
}

#[test]
fn t39_every_cut_of_a_nested_file_is_noticed() {
    let source = include_str!("../../src/inspect/stack.rs");
    let code: String = source.lines().filter(|line| !line.starts_with("//!")).fold(
        "mod wrapped {\n".to_owned(),
        |mut text, line| {
            text.push_str(line);
            text.push('\n');
            text
        },
    );
    let whole = format!("{code}}}\n");
    assert!(verdict(Language::Rust, &whole).is_valid);
    for (at, _) in code.char_indices().skip(14).step_by(11) {
        let found = verdict(Language::Rust, &whole[..at]);
        assert!(!found.is_valid, "byte {at}");
    }
}

#[test]
fn c105_a_cut_reply_never_passes_for_whole() {
    let changes = r#"[{"path": "a", "new": "1"}, {"path": "b", "new": "2"}, {"path": "c", "ne"#;
    let reply = clean(&RawReply::from_text(changes), &CleanOptions::default());
    let options = InspectOptions { language: Some(Language::Json), ..InspectOptions::default() };
    let Inspection::Cut(cut) = inspect(reply, &options) else { panic!("taken for whole") };
    assert_eq!(cut.verdict().kind, Some(Kind::OpenDoubleQuote));
    assert_eq!(cut.verdict().closing, "\"}]");
}

#[test]
fn t40_json_that_never_began_is_not_complete() {
    assert_cut(Language::Json, " \n", Kind::GeneralTruncation, "");
    assert_cut(Language::Json, "", Kind::GeneralTruncation, "");
}

#[test]
fn half_a_tag_of_php_and_an_arm_that_may_be_compiled_are_not_whole() {
    assert!(!verdict(Language::Php, "<p>It's</p>\n<?").is_valid);
    for condition in ["0 < DEPTH", "0 != X", "0 || X", "0x10"] {
        let text = format!("int g;\n#if {condition}\nstruct s {{\n#endif\nint h;\n");
        assert!(!verdict(Language::C, &text).is_valid, "{text}");
    }
}
