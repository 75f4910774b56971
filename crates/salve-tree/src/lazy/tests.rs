//! Lazy files of every kind, resolved or refused for the right reason.

mod real;

use super::*;
use crate::{OmissionLine, ProbeNode, StandsFor};
use proptest::prelude::*;

fn resolve(path: &str, old: &str, lazy: &str) -> Result<String, Unresolved> {
    resolve_lazy(path, old, lazy, &Dots).map(|resolved| resolved.text)
}

/// Takes every comment with dots for kept code, or for removed code where it says so.
struct Dots;

impl SyntaxProbe for Dots {
    fn errors(&self, _path: &str, _text: &str) -> Option<usize> {
        None
    }

    fn nodes(&self, _path: &str, _text: &str) -> Option<Vec<ProbeNode>> {
        None
    }

    fn omissions(&self, _path: &str, text: &str) -> Vec<OmissionLine> {
        let is_comment = |line: &str| ["//", "#", "/*"].iter().any(|sign| line.starts_with(sign));
        let lines = (1..).zip(text.lines().map(str::trim));
        lines
            .filter(|(_, line)| is_comment(line) && line.contains("..."))
            .map(|(line, words)| {
                let removed = words.contains("removed");
                let stands_for = if removed { StandsFor::RemovedCode } else { StandsFor::KeptCode };
                OmissionLine { line, stands_for }
            })
            .collect()
    }
}

const SERVICE: &str = "\
import os

TIMEOUT = 30

class Store:
    def __init__(self):
        self.items = {}

    def get(self, key):
        value = self.items[key]
        return value

    def put(self, key, value):
        self.items[key] = value
";

#[test]
fn a_marker_stands_for_the_lines_between_its_neighbours() {
    let lazy = "\
# ... existing code ...

class Store:
    # ... existing code ...

    def get(self, key):
        # ... existing code ...
        log(value)
        return value

    # ... existing code ...
";
    insta::assert_snapshot!(resolve("a.py", SERVICE, lazy).unwrap(), @r"
    import os

    TIMEOUT = 30

    class Store:
        def __init__(self):
            self.items = {}

        def get(self, key):
            value = self.items[key]
            log(value)
            return value

        def put(self, key, value):
            self.items[key] = value
    ");
}

#[test]
fn what_is_written_out_replaces_what_it_declares() {
    let lazy = "\
# ... existing code ...
TIMEOUT = 60
# ... existing code ...
class Store:
    # ... existing methods ...
    def get(self, key, default=None):
        return self.items.get(key, default)
    # ... existing code ...
";
    insta::assert_snapshot!(resolve("a.py", SERVICE, lazy).unwrap(), @r"
    import os

    TIMEOUT = 60

    class Store:
        def __init__(self):
            self.items = {}

        def get(self, key, default=None):
            return self.items.get(key, default)

        def put(self, key, value):
            self.items[key] = value
    ");
}

#[test]
fn a_method_without_its_class_is_found_where_it_stands() {
    let lazy = "\
# ... existing code ...
    def put(self, key, value):
        check(key)
        self.items[key] = value
# ... existing code ...
";
    let text = resolve("a.py", SERVICE, lazy).unwrap();
    let expected =
        SERVICE.replace("value):\n        self", "value):\n        check(key)\n        self");
    assert_eq!(text, expected);
}

#[test]
fn braces_on_their_own_lines_and_shifted_indentation_are_no_obstacle() {
    let old = "\
int first(void)
{
    a();
    b();
}

int second(void)
{
    a();
    c();
}
";
    let lazy = "\
// ... existing code ...

int second(void)
{
  a();
  // ... existing code ...
  d();
}
";
    let expected = old.replace("    c();\n", "    c();\n    d();\n");
    assert_eq!(resolve("a.c", old, lazy).unwrap(), expected);
}

#[test]
fn a_marker_at_the_margin_belongs_into_the_body_above_it() {
    let old = "def f():\n    a()\n    b()\n\ndef g():\n    c()\n";
    let lazy =
        "def f():\n# ... existing code ...\n    new()\n\ndef g():\n# ... existing code ...\n";
    let expected = "def f():\n    a()\n    b()\n    new()\n\ndef g():\n    c()\n";
    assert_eq!(resolve("a.py", old, lazy).unwrap(), expected);
}

#[test]
fn a_list_gets_its_commas() {
    let old = "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": 2\n  }\n}\n";
    for (lazy, expected) in [
        (
            "{\n  // ... existing code ...\n  \"d\": 4,\n}\n",
            "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": 2\n  },\n  \"d\": 4\n}\n",
        ),
        (
            "{\n  // ... existing code ...\n  \"b\": {\n    // ... existing code ...\n    \"x\": 3\n  }\n}\n",
            "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": 2,\n    \"x\": 3\n  }\n}\n",
        ),
    ] {
        assert_eq!(resolve("a.json", old, lazy).unwrap(), expected);
    }
}

#[test]
fn what_cannot_be_told_is_refused_with_the_line_that_lacks_a_place() {
    let twice = "fn a() {\n    log();\n    x();\n    log();\n    y();\n}\n";
    let functions = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";
    for (old, lazy, expected) in [
        (
            twice,
            "fn a() {\n    // ... existing code ...\n    log();\n    new();\n    // ... existing code ...\n}\n",
            "could belong to more than one place",
        ),
        (
            functions,
            "// ... existing code ...\n\nfn c() {\n    three();\n}\n\n// ... existing code ...\n",
            "`fn c() {` belongs between the omissions",
        ),
        (
            functions,
            "// ... existing code ...\nfn c() {\n    // ... existing code ...\n}\n",
            "`fn c() {` is new",
        ),
        (functions, "fn a() {\n    // ... existing code ...\n}\n", "lines 5-7 of the file"),
        (
            "fn a(\n    x: u8,\n) {\n    one();\n}\n",
            "fn a(x: u8) {\n    // ... existing code ...\n}\n",
            "other parts than in the file",
        ),
    ] {
        let refused = resolve("a.rs", old, lazy).unwrap_err().to_string();
        assert!(refused.contains(expected), "{lazy}\n{refused}");
    }
}

#[test]
fn removed_code_is_removed_and_the_rest_stays() {
    let old = "def f():\n    a()\n    b()\n    c()\n    d()\n";
    let lazy = "def f():\n    a()\n    # ... removed code ...\n    d()\n";
    assert_eq!(resolve("a.py", old, lazy).unwrap(), "def f():\n    a()\n    d()\n");
}

/// Takes every call of `once` but the first for an error.
struct OnlyOnce;

impl SyntaxProbe for OnlyOnce {
    fn errors(&self, _path: &str, text: &str) -> Option<usize> {
        Some(text.matches("once();").count().saturating_sub(1))
    }

    fn nodes(&self, _path: &str, _text: &str) -> Option<Vec<ProbeNode>> {
        None
    }

    fn omissions(&self, path: &str, text: &str) -> Vec<OmissionLine> {
        Dots.omissions(path, text)
    }
}

#[test]
fn a_result_that_is_broken_though_both_texts_are_sound_is_refused() {
    let old = "fn a() {\n    if x { once(); }\n    end();\n}\n";
    let lazy = "fn a() {\n    // ... existing code ...\n    once();\n}\n";
    let refused = resolve_lazy("a.rs", old, lazy, &OnlyOnce).unwrap_err();
    assert_eq!(refused, Unresolved::Broken { before: 0, after: 1 });
}

#[test]
fn a_text_without_indentation_is_resolved_by_its_lines() {
    let old = "func f() {\ncheck()\nwork()\nreturn done()\n}\n";
    let lazy = "func f() {\n// ... existing code ...\nif x {\nlog()\n}\nreturn done()\n}\n";
    let expected = "func f() {\ncheck()\nwork()\nif x {\nlog()\n}\nreturn done()\n}\n";
    assert_eq!(resolve("a.go", old, lazy).unwrap(), expected);
}

#[test]
fn hostile_outlines_end_in_a_value() {
    let deep: String = (0..5_000).map(|depth| format!("{}x{depth}\n", " ".repeat(depth))).collect();
    let flat = "same();\n".repeat(5_000);
    let marker = "// ... existing code ...\n";
    for old in [&deep, &flat, "", "\n\n\n", "}\n}\n}\n", "\u{feff}\u{2028}é\n"] {
        for lazy in [&deep, &flat, marker, "", &marker.repeat(2_000), "}\n// ...\n{\n"] {
            let _ = resolve("a.rs", old, lazy);
        }
    }
}

#[test]
fn a_marker_alone_stands_for_the_whole_file() {
    assert_eq!(resolve("a.py", SERVICE, "# ... existing code ...\n").unwrap(), SERVICE);
}

#[test]
fn a_change_is_not_read_into_lines_that_stand_in_the_file_as_they_are() {
    let old = "a();\n    a();\na();\n  b();\n  b();\n    a();\n    a();\n";
    let lazy = "// ... existing code ...\n    a();\n    a();\n";
    match resolve("a.js", old, lazy) {
        Ok(text) => assert_eq!(text, old),
        Err(why) => assert!(matches!(why, Unresolved::Ambiguous { .. }), "{why}"),
    }
}

proptest! {
    /// A run of lines replaced by a marker comes back, or the text is refused; nothing is lost.
    #[test]
    fn a_run_that_is_left_out_comes_back(
        shape in proptest::collection::vec((0..4_usize, 0..6_usize), 1..40),
        cut in (0..40_usize, 0..40_usize),
    ) {
        let lines: Vec<String> =
            shape.iter().map(|(depth, word)| format!("{}word{word}();", "  ".repeat(*depth))).collect();
        let old: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let (from, to) = (cut.0.min(cut.1).min(lines.len()), cut.0.max(cut.1).min(lines.len()));
        let depth = shape.get(from).map_or(0, |(depth, _)| *depth);
        let mut lazy: Vec<String> = lines.clone();
        lazy.splice(from..to, [format!("{}// ... existing code ...", "  ".repeat(depth))]);
        if let Ok(text) = resolve("a.js", &old, &(lazy.join("\n") + "\n")) {
            prop_assert_eq!(text, old, "{}", lazy.join("\n"));
        }
    }
}

/// Texts whose omissions keep a line that is also written, or lose one that is not.
#[test]
fn a_line_is_neither_there_twice_nor_lost_beside_an_omission() {
    let old = "use a;\n\nfn one() {\n    first();\n    second();\n}\n\nfn two() {\n    third();\n    fourth();\n}\n\nfn three() {\n    fifth();\n}\n";
    for lazy in [
        // The brace closes a function that the first omission stands for.
        "    // ... existing code ...\n    third();\n    new();\n}\n// ... existing code ...\n",
        "// ... existing code ...\nfn two() {\n    third();\n    fourth();\n    new();\n// ... existing code ...\n",
    ] {
        match resolve("a.rs", old, lazy) {
            Err(_) => {}
            Ok(text) => {
                let lines = |text: &str, line: &str| text.lines().filter(|it| *it == line).count();
                for line in ["}", "fn one() {", "fn two() {", "fn three() {"] {
                    assert_eq!(lines(&text, line), lines(old, line), "{line} in\n{text}");
                }
            }
        }
    }
}

/// Texts that are resolved only by losing what a marker stands for, or by a line there twice.
#[test]
fn a_line_beside_an_omission_is_the_neighbour_of_what_is_kept() {
    let old = "struct A<'h> {\n    /// One.\n    one: u8,\n    /// Two.\n    two: u8,\n}\n\nstruct B {\n    three: u8,\n}\n\nfn c() {\n    go();\n    stay();\n}\n";
    for lazy in [
        // The header is changed, and the rest of the body is meant by the omission.
        "struct A<'other> {\n    /// One.\n    one: u8,\n    /// Two.\n// ... existing code ...\nfn c() {\n    went();\n    stay();\n}\n",
        // A function goes with what is above it; what is below is not a copy.
        "// ... existing code ...\n    two: u8,\n}\n\nfn c() {\n    go();\n// ... existing code ...\n",
    ] {
        match resolve("a.rs", old, lazy) {
            Err(_) => {}
            Ok(text) => {
                for line in ["    two: u8,", "fn c() {"] {
                    assert_eq!(text.lines().filter(|it| *it == line).count(), 1, "{text}");
                }
            }
        }
    }
}
