//! Signatures: what changes them and what does not; the published vectors.

use super::{canonical, sign_text, summary};
use crate::console::parse_console;
use proptest::prelude::*;

const DOCUMENT: &str = include_str!("../../../../docs/signatures.md");

/// One vector of the document.
struct Vector<'a> {
    tool: Option<&'a str>,
    text: String,
    forms: Vec<String>,
    wire: Vec<&'a str>,
}

fn vectors() -> Vec<Vector<'static>> {
    let (_, section) = DOCUMENT.split_once("## Vectors").expect("the document has vectors");
    section.split("\n### ").skip(1).map(vector).collect()
}

fn vector(section: &'static str) -> Vector<'static> {
    let mut vector =
        Vector { tool: None, text: String::new(), forms: Vec::new(), wire: Vec::new() };
    let mut blocks = section.split("```");
    blocks.next();
    while let (Some(block), Some(after)) = (blocks.next(), blocks.next()) {
        let (kind, body) = block.split_once('\n').expect("a block has a kind");
        if let Some(tool) = kind.strip_prefix("text") {
            vector.tool = tool.trim().strip_prefix("tool=");
            vector.text = body.to_owned();
        } else {
            vector.forms.push(body.trim_end_matches('\n').to_owned());
        }
        let row = after.lines().find(|line| line.starts_with("| `"));
        vector.wire.extend(row.into_iter().flat_map(|row| row.split('`').skip(1).step_by(2)));
    }
    vector
}

#[test]
fn h09_the_published_vectors_hold() {
    let vectors = vectors();
    assert!(vectors.len() >= 8, "only {} vectors were found", vectors.len());
    for vector in vectors {
        let signed = sign_text(vector.tool, &vector.text);
        let forms: Vec<String> = signed
            .primary
            .iter()
            .map(|signed| canonical(&signed.diagnostic))
            .map(|forms| [forms.exact, forms.shape, forms.class].join("\n----\n"))
            .map(|forms| forms.trim_end_matches('\n').to_owned())
            .collect();
        assert_eq!(forms, vector.forms, "{}", vector.text);
        let run = signed.run;
        let wire = [run.exact.wire(), run.shape.wire(), run.class.wire()];
        assert_eq!(wire.to_vec(), vector.wire, "{}", vector.text);
        assert!(run.exact.to_string().starts_with(&run.exact.wire()));
        assert_eq!(run.exact.to_string().len(), 64);
    }
}

fn missing_module(name: &str) -> String {
    format!(
        "Traceback (most recent call last):\n  File \"/srv/app/main.py\", line 3, in <module>\n    import {name}\nModuleNotFoundError: No module named '{name}'\n"
    )
}

#[test]
fn h08_distinct_missing_modules_have_distinct_signatures() {
    let foo = sign_text(None, &missing_module("foo")).run;
    let bar = sign_text(None, &missing_module("bar")).run;
    assert_ne!(foo.exact, bar.exact);
    assert_eq!((foo.shape, foo.class), (bar.shape, bar.class));
}

#[test]
fn h07_one_error_at_two_places_and_times_is_one_error() {
    let first = "==4692==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55cc099b41d2 bp 0x7ffff6ffda20 sp 0x7ffff6ffda18\nREAD of size 4 at 0x602000000010 thread T0\n    #0 0x55cc099b41d1 in main /srv/app/prog.c:2\n    #1 0x7f9d36c45249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58\n\nSUMMARY: AddressSanitizer: heap-use-after-free /srv/app/prog.c:2 in main\n";
    let second = "2026-03-16T04:33:57.740Z [pid 9] started\n==17==ERROR: AddressSanitizer: heap-use-after-free on address 0x611000000010 at pc 0x5630d5f491d2 bp 0x7fff190ef8e0 sp 0x7fff190ef8d8\nREAD of size 4 at 0x611000000010 thread T0\n    #0 0x5630d5f491d1 in main /home/dev/My Project/t1.c:97\n    #1 0x7fc8b3445249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58\n\nSUMMARY: AddressSanitizer: heap-use-after-free /home/dev/My Project/t1.c:97 in main\n";
    assert_eq!(sign_text(None, first).run, sign_text(None, second).run);
}

#[test]
fn r26_diagnostics_are_found_whatever_stream_they_came_from() {
    // tsc speaks on one stream while npm fills the other; both are read as one text.
    let both = "npm warn exec The following package was not found\nsrc/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n";
    let found = parse_console(None, both);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code.as_deref(), Some("TS2322"));
}

#[test]
fn consequences_do_not_count_unless_they_are_alone() {
    let cause = "error[E0425]: cannot find value `x` in this scope\n --> src/main.rs:2:5\n  |\n2 |     x;\n  |     ^ not found in this scope\n\n";
    let after = "error: aborting due to 1 previous error\n\nerror: could not compile `a` (bin \"a\") due to 1 previous error\n";
    assert_eq!(sign_text(None, cause).run, sign_text(None, &format!("{cause}{after}")).run);
    assert_eq!(sign_text(None, after).primary.len(), 2);
}

#[test]
fn a_hint_is_not_part_of_the_error() {
    let text = |hint: &str| {
        format!(
            "a.c: In function 'f':\na.c:1:3: error: 'cuont' undeclared (first use in this function){hint}\n    1 |   cuont;\n      |   ^~~~~\n"
        )
    };
    let hinted = sign_text(None, &text("; did you mean 'count'?")).run;
    assert_eq!(sign_text(None, &text("")).run, hinted);
    // The kind of quotes is the locale's.
    let typographic = text("").replace("'cuont'", "‘cuont’").replace("'f'", "‘f’");
    assert_eq!(sign_text(None, &typographic).run, hinted);
}

#[test]
fn hostile_texts_are_signed() {
    let cases = [
        "‘".repeat(50_000),
        "a.c:1:1: error: ‘".to_owned() + &"x ".repeat(50_000),
        "error: x\n".repeat(20_000),
        "Traceback (most recent call last):\n".repeat(20_000),
        "  File \"a\", line 1\n".repeat(20_000),
        "a.c:1:1: error: x\n".repeat(10_000),
        "TypeError: x\n".repeat(20_000),
        "  + Exception Group Traceback (most recent call last):\n".repeat(5_000),
        "panic: x\n".repeat(20_000),
        "==1==ERROR: AddressSanitizer: x on y\n".repeat(5_000),
        "\0\u{feff}\u{1b}[31m\u{202e}é\r\r\n".repeat(1_000),
    ];
    for text in cases {
        assert_eq!(sign_text(None, &text), sign_text(None, &text));
        let _ = summary(&text);
    }
}

proptest! {
    #[test]
    fn a_path_and_a_line_do_not_change_a_signature(
        // Not one where libraries are, such as `/opt`: what is said there is about another's code.
        folder in "/w[a-z]{0,7}(/[a-z0-9_-]{1,8}){0,3}",
        line in 1u32..5000,
    ) {
        let text = |path: &str, line: u32| format!(
            "{path}/a.c: In function 'main':\n{path}/a.c:{line}:5: error: 'x' undeclared\n {line:>4} |     x = 1;\n      |     ^\n"
        );
        prop_assert_eq!(sign_text(None, &text("/w", 3)).run, sign_text(None, &text(&folder, line)).run);
    }

    #[test]
    fn no_text_is_refused(text in "[ -~\n\t‘’é]{0,300}") {
        let signed = sign_text(None, &text);
        prop_assert_eq!(signed.run, sign_text(None, &text).run);
    }
}
