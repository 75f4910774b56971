//! Rules of the cleaner, one test per promise.

use insta::assert_snapshot;
use proptest::prelude::*;
use salve_text::{
    AsideReason, CleanOptions, CleanReply, Cleaner, clean, clean_preamble, extract_code_block,
};
use salve_types::{FinishReason, Language, RawReply};

/// Checks what holds for every reply: the asides are in order, apart, inside the raw text, and
/// putting what they become in their places gives the content.
pub(crate) fn assert_sound(reply: &CleanReply) {
    let raw = reply.raw();
    let mut rebuilt = String::new();
    let mut at = 0;
    for aside in reply.aside() {
        assert!(aside.span.start >= at && aside.span.end <= raw.len(), "{aside:?}");
        assert!(!aside.span.is_empty(), "{aside:?}");
        rebuilt.push_str(&raw[at..aside.span.start]);
        rebuilt.extend(aside.becomes);
        at = aside.span.end;
    }
    rebuilt.push_str(&raw[at..]);
    assert_eq!(rebuilt, reply.text());
    for block in reply.blocks() {
        assert!(raw.get(block.span.range()).is_some(), "{block:?}");
    }
}

fn cleaned(text: &str, language: Option<Language>) -> CleanReply {
    let options = CleanOptions { language, ..CleanOptions::default() };
    let reply = clean(&RawReply::from_text(text), &options);
    assert_sound(&reply);
    reply
}

fn explain(reply: &CleanReply) -> String {
    let lines = reply.aside().iter().map(|aside| {
        let becomes = aside.becomes.map(|c| format!(" -> {c:?}")).unwrap_or_default();
        format!("{} {:?}{becomes}", aside.reason.name(), reply.aside_text(aside))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn o33_everything_set_aside_is_listed_with_its_reason() {
    let reply = cleaned(
        "\u{feff}<think>hm</think>\nSure!\n\n**src/a.rs**\n```rust\nfn main() {}\n// --- VIBECODER_COMPLETE ---\n```\nLet me know!\n<|im_end|>",
        None,
    );
    assert_eq!(reply.text(), "fn main() {}\n");
    assert_eq!(reply.language(), Some(Language::Rust));
    assert_eq!(reply.path(), Some("src/a.rs"));
    assert!(reply.sentinel_seen());
    assert_snapshot!(explain(&reply), @r#"
    invisible "\u{feff}"
    thinking "<think>hm</think>\n"
    chat_before "Sure!\n\n"
    path_label "**src/a.rs**"
    chat_before "\n"
    fence "```rust\n"
    sentinel "// --- VIBECODER_COMPLETE ---\n"
    fence "```\n"
    chat_after "Let me know!\n"
    special_token "<|im_end|>"
    "#);
}

#[test]
fn o07_the_reply_carries_what_the_provider_said() {
    let raw = RawReply {
        text: "x = 1\n".to_owned(),
        finish_reason: Some(FinishReason::Length),
        language: Some(Language::Python),
        path: Some("a.py".to_owned()),
    };
    let reply = clean(&raw, &CleanOptions::default());
    assert_eq!(reply.finish_reason(), Some(&FinishReason::Length));
    assert_eq!((reply.language(), reply.path()), (Some(Language::Python), Some("a.py")));
}

#[test]
fn o09_fenced_json_with_a_preamble_is_json() {
    let reply = cleaned("Here is the data:\n```json\n{\"a\": [1, 2]}\n```\n", Some(Language::Json));
    let value: serde_json::Value = serde_json::from_str(reply.text()).unwrap();
    assert_eq!(value, serde_json::json!({"a": [1, 2]}));
}

#[test]
fn o27_extract_code_block_gives_the_code_alone() {
    let cases: &[(&str, Option<Language>, &str)] = &[
        ("Sure! ```ts\nconst a = 1;\n``` Hope it helps", None, "const a = 1;\n"),
        ("Sure! ```ts const a = 1; ``` Hope it helps", None, "const a = 1;"),
        ("a\n```js\n1;\n```\nb\n```py\nx = 2\n```\n", Some(Language::Python), "x = 2\n"),
        ("# Title\n\ntext\n```js\n1;\n```\n", None, "1;\n"),
        ("~~~\nplain\n~~~\n", None, "plain\n"),
        ("{\"code\": \"a();\\nb();\\n\", \"explanation\": \"e\"}", None, "a();\nb();\n"),
        ("no fence at all = 1;\n", None, "no fence at all = 1;\n"),
        ("Here is the code:\n\nlet x = 1;\n", None, "let x = 1;\n"),
    ];
    for (content, language, wanted) in cases {
        let reply = extract_code_block(content, *language);
        assert_sound(&reply);
        assert_eq!(reply.text(), *wanted, "{content:?}");
    }
}

#[test]
fn o27_an_unclosed_fence_is_a_cut() {
    let reply = extract_code_block("Sure!\n```ts\nconst a = {\n", None);
    assert_eq!(reply.text(), "const a = {\n");
    assert!(reply.unclosed_fence());
}

#[test]
fn o27_a_carrier_that_was_cut_gives_what_is_there() {
    let reply = extract_code_block("{\"code\": \"a();\\nb(\\", None);
    assert_sound(&reply);
    assert_eq!(reply.text(), "a();\nb(");
    assert!(reply.unclosed_wrapper());
}

#[test]
fn o28_clean_preamble_begins_at_the_first_heading_or_front_matter() {
    let cases = [
        ("Of course, here is the documentation...\n## A\ntext\n", "## A\ntext\n"),
        ("Of course!\n\n# Title\n\n## A\n", "# Title\n\n## A\n"),
        ("Sure.\n---\ntitle: x\n---\n# T\n", "---\ntitle: x\n---\n# T\n"),
        ("Okay so this is it\n\nTitle\n=====\ntext\n", "Title\n=====\ntext\n"),
        ("```sh\n# not a heading\n```\n", "```sh\n# not a heading\n```\n"),
        ("# Already clean\n\ntext\n", "# Already clean\n\ntext\n"),
    ];
    for (content, wanted) in cases {
        let reply = clean_preamble(content);
        assert_sound(&reply);
        assert_eq!(reply.text(), wanted, "{content:?}");
    }
}

#[test]
fn o28_without_a_mark_only_known_sentences_go_and_never_all() {
    let cases = [
        ("Sure! Here is the text:\n\nPlain words only.\n", "Plain words only.\n"),
        ("Plain words only.\n", "Plain words only.\n"),
        ("Of course!\n", "Of course!\n"),
        ("Of course, here is the documentation...\n", "Of course, here is the documentation...\n"),
    ];
    for (content, wanted) in cases {
        assert_eq!(clean_preamble(content).text(), wanted, "{content:?}");
    }
}

#[test]
fn o29_front_matter_survives_cleaning() {
    let text = "---\ntitle: Hello\n---\n\nBody.\n";
    assert_eq!(cleaned(text, Some(Language::Markdown)).text(), text);
    assert_eq!(cleaned(text, None).text(), text);
}

#[test]
fn o31_a_reply_that_is_all_code_is_not_touched() {
    let texts = [
        "fn main() {\n    println!(\"```\");\n}\n",
        "/// ```\n/// run();\n/// ```\nfn run() {}\n",
        "const md = `\n```js\nx\n```\n`;\nmodule.exports = md;\n",
        "  leading space\n\n\n",
        "<div>\n  <code>x</code>\n</div>\n",
        "a: 1\nb: 2\n",
        "1: one\n2: two\n3: three\n",
        "print(\"a\\nb\\nc\")",
        "text.split(/\\n\\n/)",
        "let s = '</think>';\n",
        "",
        "\n",
    ];
    for text in texts {
        let reply = cleaned(text, None);
        assert_eq!(reply.text(), text);
        assert_eq!(reply.aside(), []);
    }
}

#[test]
fn o32_talk_after_the_content_goes_too() {
    let reply = cleaned("fn a() {}\n\nLet me know if this works for you!\n", None);
    assert_eq!(reply.text(), "fn a() {}\n");
    assert_eq!(reply.aside()[0].reason, AsideReason::ChatAfter);
}

#[test]
fn o32_sentences_in_an_open_docstring_are_not_talk() {
    for text in [
        "\"\"\"Locals.\n\nNote that this module is slow.",
        "/* Allocates.\n\nNote that objects are not cleared",
    ] {
        for language in [None, Some(Language::Python), Some(Language::C)] {
            assert_eq!(cleaned(text, language).text(), text);
        }
    }
}

#[test]
fn t32_the_sentinel_is_not_part_of_the_content() {
    let reply = cleaned("x = 1\n# --- VIBECODER_COMPLETE ---\n", Some(Language::Python));
    assert_eq!(reply.text(), "x = 1\n");
    assert!(reply.sentinel_seen());
}

#[test]
fn t40_the_sentinel_suits_each_language_and_mark() {
    for (line, language) in [
        ("<!-- ALL DONE -->", Language::Html),
        ("/* ALL DONE */", Language::Css),
        ("-- ALL DONE", Language::Sql),
        ("# ALL DONE", Language::Bash),
        ("// ALL DONE", Language::Go),
    ] {
        let options = CleanOptions {
            language: Some(language),
            sentinel_mark: "ALL DONE".to_owned(),
            ..CleanOptions::default()
        };
        let mut cleaner = Cleaner::new(&options);
        cleaner.push("body\n");
        cleaner.push(line);
        let reply = cleaner.finish();
        assert_eq!((reply.text(), reply.sentinel_seen()), ("body\n", true), "{line}");
    }
}

#[test]
fn all_blocks_are_reported_with_language_path_and_place() {
    let text = "Two:\n\n`src/a.ts`:\n```ts\nlet a;\n```\n\n```js title=\"b.js\"\nlet bb;\n```\n\n```src/c.py\nc = 1\n";
    let reply = cleaned(text, Some(Language::JavaScript));
    let seen: Vec<_> = reply
        .blocks()
        .iter()
        .map(|block| {
            let content = &text[block.span.range()];
            (block.language, block.path.as_deref(), content, block.closed, block.chosen)
        })
        .collect();
    assert_eq!(
        seen,
        [
            (Some(Language::TypeScript), Some("src/a.ts"), "let a;\n", true, false),
            (Some(Language::JavaScript), Some("b.js"), "let bb;\n", true, true),
            (Some(Language::Python), Some("src/c.py"), "c = 1\n", false, false),
        ]
    );
}

#[test]
fn path_labels_are_read_in_their_usual_places() {
    for (before, inside) in [
        ("**src/a.ts**\n```ts\n", ""),
        ("File: src/a.ts\n```ts\n", ""),
        ("### src/a.ts\n\n```ts\n", ""),
        ("### 1. `src/a.ts`\n\n```ts\n", ""),
        ("`src/a.ts`:\n```ts\n", ""),
        ("src/a.ts (new file)\n```\n", ""),
        ("```ts title=\"src/a.ts\"\n", ""),
        ("```ts:src/a.ts\n", ""),
        ("```src/a.ts\n", ""),
        ("```12:14:src/a.ts\n", ""),
        ("```ts\n", "// src/a.ts\n"),
        ("```ts\n", "// File: src/a.ts\n"),
    ] {
        let reply = cleaned(&format!("{before}{inside}let a = 1;\n```\n"), None);
        assert_eq!(reply.path(), Some("src/a.ts"), "{before:?}");
        assert_eq!(reply.text(), format!("{inside}let a = 1;\n"), "{before:?}");
    }
}

// Pieces of which replies are made, mixed without sense.
fn fragment() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("```"),
        Just("```ts\n"),
        Just("```\n"),
        Just("````markdown\n"),
        Just("````\n"),
        Just("~~~\n"),
        Just("\n"),
        Just("\r\n"),
        Just("\r"),
        Just("Sure! Here is the code:\n"),
        Just("Let me know if it works.\n"),
        Just("# Title\n"),
        Just("## Solution\n"),
        Just("---\n"),
        Just("title: x\n"),
        Just("let x = 1;\n"),
        Just("fn main() {\n    x();\n}\n"),
        Just("<think>"),
        Just("</think>\n"),
        Just("<answer>\n"),
        Just("</answer>"),
        Just("<tool_call>\n"),
        Just("</tool_call>\n"),
        Just("<file path=\"a.ts\">\n"),
        Just("</file>\n"),
        Just("<![CDATA["),
        Just("]]>"),
        Just("{\"code\": \"a;\\nb;\\n\"}"),
        Just("\"a\\nb\\u00e9\""),
        Just("\\n"),
        Just("\\"),
        Just("\""),
        Just("{"),
        Just("}"),
        Just("1 | a\n2 |   b\n3 | c\n"),
        Just("<|im_end|>"),
        Just("<s>"),
        Just("</s>"),
        Just("\u{feff}"),
        Just("é漢🦀"),
        Just("// --- VIBECODER_COMPLETE ---\n"),
        Just("**src/a.ts**\n"),
        Just("    "),
        Just("<|channel|>analysis<|message|>"),
        Just("<|channel|>final<|message|>"),
        Just("<|end|>"),
        Just("This function adds numbers.\n"),
        Just("Some words here.\n"),
        Just("<invoke name=\"w\"><parameter name=\"content\">"),
        Just("</parameter></invoke>"),
    ]
    .prop_map(str::to_owned)
}

fn reply_text() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::collection::vec(fragment(), 0..14).prop_map(|parts| parts.concat()),
        prop::collection::vec(fragment(), 0..14).prop_map(|parts| parts.join("\n")),
        "\\PC{0,60}",
        "[`~\n\\\\\"<>{}a-c|:0-9# ]{0,80}",
    ]
}

fn wanted() -> impl Strategy<Value = Option<Language>> {
    prop_oneof![
        Just(None),
        Just(Some(Language::Rust)),
        Just(Some(Language::Markdown)),
        Just(Some(Language::Json)),
        Just(Some(Language::Html)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn o30_cleaning_twice_is_cleaning_once(text in reply_text(), language in wanted()) {
        let once = cleaned(&text, language);
        let twice = cleaned(once.text(), language);
        prop_assert_eq!(twice.text(), once.text());
    }

    #[test]
    fn o33_asides_and_content_rebuild_the_raw_text(text in reply_text(), language in wanted()) {
        let _ = cleaned(&text, language);
        for reply in [extract_code_block(&text, language), clean_preamble(&text)] {
            assert_sound(&reply);
        }
    }

    #[test]
    fn x07_any_chunking_is_the_same(text in reply_text(), size in 1usize..9) {
        let whole = cleaned(&text, None);
        let mut cleaner = Cleaner::new(&CleanOptions::default());
        let characters: Vec<char> = text.chars().collect();
        for piece in characters.chunks(size) {
            cleaner.push(&piece.iter().collect::<String>());
        }
        prop_assert_eq!(cleaner.finish(), whole);
    }
}
