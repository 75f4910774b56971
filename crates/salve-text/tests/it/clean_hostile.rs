//! Hostile input: large, deep and repetitive replies come back accounted for.

use super::clean::assert_sound;
use salve_text::{CleanOptions, CleanReply, clean, clean_preamble, extract_code_block};
use salve_types::{Language, RawReply};

fn check(text: &str) -> CleanReply {
    for language in [Some(Language::Rust), Some(Language::Markdown), Some(Language::Json)] {
        let options = CleanOptions { language, ..CleanOptions::default() };
        assert_sound(&clean(&RawReply::from_text(text), &options));
    }
    assert_sound(&extract_code_block(text, None));
    assert_sound(&clean_preamble(text));
    let reply = clean(&RawReply::from_text(text), &CleanOptions::default());
    assert_sound(&reply);
    reply
}

#[test]
fn repeated_pieces_of_a_megabyte() {
    let million = 1 << 20;
    for piece in [
        "`",
        "```\n",
        "```ts\n",
        "```ts\nx\n```\n",
        "~~~\n",
        "<think>",
        "<think>\n",
        "</think>",
        "<answer>\n",
        "<tool_call>\n",
        "</s>",
        "<s>",
        "<",
        "<file path=\"a\">\n</file>\n",
        "\"",
        "\\",
        "\\n",
        "\\\"",
        "{\"code\":",
        "{",
        "[",
        "---\n",
        "# a\n",
        "a\n=\n",
        "Sure!\n",
        "Sure!\n\n",
        "Let me know\n\n",
        "1 | a\n",
        "x",
        " ",
        "\n",
        "\r",
        "\r\n",
        "\u{feff}",
        "漢",
        "<|im_end|>",
        "<|channel|>analysis<|message|>a<|end|>",
        "// --- VIBECODER_COMPLETE ---\n",
        "<invoke name=\"a\"><parameter name=\"content\">",
        "---\na: b\n",
        "```\nx = 1;\n",
        "**a.ts**\n```\n",
    ] {
        let text = piece.repeat(million / piece.len() / 4);
        let reply = check(&text);
        assert_eq!(reply.raw().len(), text.len());
    }
}

#[test]
fn a_line_of_a_megabyte() {
    let line = "word ".repeat(200_000);
    assert_eq!(check(&line).text(), line);
    let code = format!("let x = \"{}\";\n", "y".repeat(1 << 20));
    assert_eq!(check(&code).text(), code);
    let fenced = format!("Sure!\n```js\n{code}```\n");
    assert_eq!(check(&fenced).text(), code);
}

#[test]
fn nested_thinking_ten_thousand_deep() {
    let text = format!("{}hm{}\nanswer\n", "<think>".repeat(10_000), "</think>".repeat(10_000));
    assert_eq!(check(&text).text(), "answer\n");
    let cut = "<think>\n".repeat(10_000);
    let reply = check(&cut);
    assert!(reply.unclosed_thinking());
    assert_eq!(reply.text(), "");
}

#[test]
fn a_hundred_thousand_fence_openers() {
    let text = "```rust\n".repeat(100_000);
    let reply = check(&text);
    // Every layer would have to be peeled off one by one; it cannot be said where the content begins.
    assert_eq!(reply.text(), text);
}

#[test]
fn ladders_of_longer_and_longer_fences() {
    let mut text = String::new();
    for len in 3..900 {
        text.push_str(&"`".repeat(len));
        text.push_str("md\n");
    }
    let _ = check(&text);
    let reversed: String = text.lines().rev().map(|line| format!("{line}\n")).collect();
    let _ = check(&reversed);
}

#[test]
fn carriage_returns_of_every_kind() {
    let text = "Sure!\r\n\r\n```js\r\na();\r\n```\r\n";
    assert_eq!(check(text).text(), "a();\r\n");
    let lone = "Sure!\r```js\ra();\r```\r";
    assert_eq!(check(lone).raw(), lone);
}
