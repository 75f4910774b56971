//! Whatever a tool prints, every parser ends, in time that grows with the text, and without a panic.

use super::{CASES, streams};
use proptest::prelude::*;
use salve_check::{CheckedFolder, OutputParser, parse_output};
use salve_types::Diagnostic;
use std::path::Path;
use std::time::{Duration, Instant};

fn read_all(stdout: &str, stderr: &str) {
    OutputParser::ALL.iter().for_each(|&parser| read_by(parser, stdout, stderr));
}

fn read_by(parser: OutputParser, stdout: &str, stderr: &str) {
    let folder =
        CheckedFolder { path: Path::new("/project"), source: &|_| Some("é😀\tx\n".repeat(3)) };
    check(&parse_output(parser, stdout, stderr, folder));
}

fn check(found: &[Diagnostic]) {
    for one in found {
        let edits = one.suggestions.iter().flat_map(|suggestion| &suggestion.edits);
        let spans = one.spans.iter().chain(one.notes.iter().flat_map(|note| &note.spans));
        for span in spans.chain(edits.map(|edit| &edit.span)) {
            let start = span.start.into_iter().chain(span.end);
            start.for_each(|place| assert!(place.line > 0 && place.column > 0, "{span:?}"));
            let ordered = span.start.zip(span.end).is_none_or(|(start, end)| start <= end);
            assert!(ordered, "{span:?}");
            assert!(span.bytes.is_none_or(|bytes| bytes.start <= bytes.end), "{span:?}");
        }
    }
}

// Each is repeated to a quarter of a megabyte and read by every parser of this table (the readers of
// text for people have a table of their own). The bound is far above what a linear parser needs and
// below what a quadratic one does.
#[test]
fn adversarial_repeats_are_read_in_linear_time() {
    let units = [
        "[",
        "{",
        "[{",
        "{\"a\":",
        "{\n",
        "[\n",
        "\"",
        "\\",
        "\u{0}",
        "\u{FFFD}",
        "é’😀",
        " ",
        "\t",
        "\n",
        ":",
        "(",
        "error: x\n",
        "error[E0308]: x\n --> a.rs:1:1\n",
        "warning: x\n",
        "thread 'a' panicked at a.rs:1:1:\n",
        "---- a stdout ----\n",
        "test a ... FAILED\n",
        "---- a stdout ----\nthread 'a' panicked at src/a.rs:1:1:\nm\n",
        "failures:\n",
        "a.ts(1,1): error TS1: x\n  because\n",
        "error TS",
        "  because\n",
        "  File \"a.py\", line 1\n",
        "  File \"a.py\", line 1, in f\n    x\n    ^\n",
        "    ^\n",
        "Traceback (most recent call last):\n",
        "ValueError: x\n",
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: x\n\nDuring handling of the above exception, another exception occurred:\n\n",
        "____ a ____\nE   x\n",
        "____ a ____\n",
        "E   x\n",
        "a.py:1: in f\n    x\n",
        "=====\n",
        "FAILED a.py::t - x\n",
        "ERROR a.py\n",
        "======================\nFAIL: t (a.b)\n----------------------\n",
        "Error: x\n",
        "/project/a.js:1\nx\n^\n\nSyntaxError: x\n    at f (/project/a.js:1:1)\n",
        "    at f (a.js:1:1)\n",
        "a.go:1:1: x\n\ty\n",
        "\tx\n",
        "a.c:1:1: error: x\nsource\n  ^\n",
        "a.c:1:1: note: x\n",
        "fix-it:\"a.c\":{1:1-1:2}:\"x\"\n",
        "In file included from a.c:1:\n",
        "a.c:(.text+0x1): undefined reference to `x'\n",
        "A.java:1: error: x\ny\n^\n",
        "^\n",
        "A.java:1:1: compiler.err.x: (a, (b, <c\n",
        "a.sh: line 1: x\n",
        "a.sh: line 1: `x'\n",
        "[{\"kind\": \"error\", \"message\": \"x\", \"locations\": [{\"caret\": {\"file\": \"a.c\", \"line\": 1, \"byte-column\": 3}}]}]\n",
        "{\"reason\":\"compiler-message\",\"message\":{\"level\":\"error\",\"message\":\"x\",\"spans\":[]}}\n",
        "{\"Time\":\"\",\"Action\":\"output\",\"Package\":\"a/b\",\"Test\":\"T/x\",\"Output\":\"    a_test.go:1: x\\n\"}\n{\"Action\":\"fail\",\"Package\":\"a/b\",\"Test\":\"T/x\"}\n",
        "{\"runs\":[{\"results\":[{\"message\":{\"text\":\"x\"}}]}]}\n",
    ];
    for unit in units {
        let text = unit.repeat((256 << 10) / unit.len());
        let start = Instant::now();
        for &parser in OutputParser::ALL.iter().filter(|one| **one != OutputParser::Console) {
            read_by(parser, &text, "");
            read_by(parser, "", &text);
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{unit:?}: {:?}", start.elapsed());
    }
}

#[test]
fn deep_nesting_and_huge_lines_are_read() {
    let deep = format!("[{}1{}]", "[".repeat(100_000), "]".repeat(100_000));
    let objects = format!("{}1{}", "{\"children\":[".repeat(50_000), "]}".repeat(50_000));
    let line = format!("a.c:1:1: error: {}\n", "x".repeat(4 << 20));
    let string = format!("[{{\"message\": \"{}\"}}]", "é".repeat(1 << 20));
    for text in [deep, objects, line, string] {
        read_all(&text, "");
    }
}

// Numbers that do not fit, fields of the wrong type, places before the first.
#[test]
fn odd_values_are_read() {
    let values = ["0", "-1", "1e400", "99999999999999999999", "null", "true", "\"é\"", "[]", "{}"];
    for &(name, _) in CASES {
        let (stdout, stderr) = streams(name);
        for value in values {
            let replaced = |text: &str| {
                let mut parts = text.split(':');
                let mut odd = parts.next().unwrap_or_default().to_owned();
                for part in parts {
                    let number = part.trim_start().bytes().take_while(u8::is_ascii_digit).count();
                    let blank = part.len() - part.trim_start().len();
                    let rest = if number > 0 { &part[blank + number..] } else { part };
                    odd.push(':');
                    odd.push_str(if number > 0 { value } else { "" });
                    odd.push_str(rest);
                }
                odd
            };
            read_all(&replaced(&stdout), &replaced(&stderr));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    // Real outputs with pieces taken out, doubled and swapped.
    #[test]
    fn spliced_outputs_are_read(
        first in 0..CASES.len(),
        second in 0..CASES.len(),
        cuts in prop::collection::vec((0_usize..20_000, 0_usize..400), 1..6),
        junk in "\\PC{0,20}|[\\x00-\\x1f]{0,20}",
    ) {
        let (out, err) = streams(CASES[first].0);
        let (other, _) = streams(CASES[second].0);
        let mut text = out + &err;
        for (at, length) in cuts {
            let characters: Vec<char> = text.chars().collect();
            let at = at.min(characters.len());
            let end = (at + length).min(characters.len());
            let middle: String = other.chars().skip(at).take(length).collect();
            let head: String = characters[..at].iter().collect();
            let tail: String = characters[end..].iter().collect();
            text = format!("{head}{junk}{middle}{tail}");
        }
        read_all(&text, &other);
    }

    #[test]
    fn any_text_is_read(text in "(?s).{0,400}") {
        read_all(&text, &text);
    }
}
