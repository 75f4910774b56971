//! Input made to hurt: deep, wide, odd. It must be read to the end, on a small stack.

use super::super::{JsonParser, ParseMode, ParseOptions, RepairCode, parse_json};
use super::{parse, value};

const SIZE: usize = 100_000;

fn storms() -> Vec<String> {
    let pieces = [
        "[",
        "{",
        "(",
        "]",
        "}",
        ")",
        "\"",
        "'",
        "`",
        "\\",
        "\"\\",
        "{\"a\":",
        "[\"a\":",
        "f(",
        "f(x=",
        "[}",
        "{]",
        "\"a, ",
        "\", \"",
        "\"+\"",
        "[1,]}",
        "{} ",
        "/*",
        "//",
        "``` ",
        "...",
        "1_",
        "-",
        "\\u",
        "\\ud83d",
        "\u{0}",
        "😀",
        "“",
        "\u{a0}",
        "\"a\" b\" ",
        "a, b ",
        "\"x\" y ",
        ",",
        ":",
        "\"k\": \"v\"}, ",
        "null",
        "\n",
    ];
    let mut storms: Vec<String> = pieces.iter().map(|piece| piece.repeat(SIZE / 8)).collect();
    storms.extend(pieces.iter().map(|piece| format!("{{\"a\": \"{}", piece.repeat(SIZE / 8))));
    storms.extend(pieces.iter().map(|piece| format!("[{}", piece.repeat(SIZE / 8))));
    storms
}

// The stack of a test thread is small already; a tenth of it shows that nothing recurses.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(128 * 1024).spawn(work);
    thread.expect("a thread starts").join().expect("the work ends");
}

#[test]
fn storms_are_read_to_the_end() {
    on_a_small_stack(|| {
        for text in storms() {
            for mode in [ParseMode::Llm, ParseMode::Text] {
                let parsed = parse(&text, mode);
                drop((parsed.repairs(), parsed.incomplete_paths()));
            }
        }
    });
}

#[test]
fn storms_come_out_the_same_in_pieces() {
    for text in storms() {
        let text: String = text.chars().take(3000).collect();
        for mode in [ParseMode::Llm, ParseMode::Text] {
            let options = ParseOptions { mode, max_depth: 64 };
            let mut parser = JsonParser::new(&options);
            for character in text.chars() {
                parser.push(character.encode_utf8(&mut [0; 4]));
            }
            let (pieces, whole) = (parser.finish(), parse_json(&text, &options));
            assert_eq!(pieces.repairs(), whole.repairs(), "{mode:?} {text:.40}");
            assert_eq!(value(&pieces), value(&whole), "{mode:?} {text:.40}");
        }
    }
}

#[test]
fn what_is_nested_too_deep_becomes_null_and_is_reported() {
    let options = ParseOptions { max_depth: 3, ..ParseOptions::default() };
    let parsed = parse_json(r#"[[[[1, "]"], 2], 3], {"a": [5]}]"#, &options);
    let want = serde_json::json!([[[null, 2], 3], {"a": [5]}]);
    assert_eq!(value(&parsed), Some(want));
    assert!(!parsed.complete);
    assert_eq!(parsed.incomplete_paths(), ["$[0][0][0]"]);
    assert_eq!(parsed.repairs()[0].code.name(), "DEPTH_LIMIT");
}

#[test]
fn the_default_depth_is_read_whole() {
    let text = format!("{}{}", "[".repeat(512), "]".repeat(512));
    let parsed = parse(&text, ParseMode::Llm);
    assert!(parsed.complete);
    assert!(parsed.repairs().is_empty());
    let deeper = parse(&format!("[{text}]"), ParseMode::Llm);
    assert!(!deeper.complete);
}

#[test]
fn what_is_beyond_the_limit_is_not_read_and_said_so() {
    let mut parser = JsonParser::new(&ParseOptions::default());
    parser.limit = 7;
    parser.push("[1, 22");
    parser.push("2, 3");
    parser.push("]");
    let parsed = parser.finish();
    assert_eq!(parsed.value(), serde_json::json!([1, 222]));
    assert!(!parsed.complete);
    assert_eq!(parsed.repairs().last().map(|repair| repair.code), Some(RepairCode::InputLimit));
}
