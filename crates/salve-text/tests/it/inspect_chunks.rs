//! The same text gives the same verdict however it arrives, and nothing hostile hurts.

use proptest::prelude::*;
use salve_text::{InspectOptions, Inspector, inspect_text};
use salve_types::{Language, TruncationKind, Verdict};

fn options(language: Option<Language>) -> InspectOptions {
    InspectOptions { language, ..InspectOptions::default() }
}

fn in_pieces(text: &str, sizes: &[usize], options: &InspectOptions) -> Verdict {
    let mut inspector = Inspector::new(options);
    let mut rest = text;
    let mut sizes = sizes.iter().cycle();
    while !rest.is_empty() {
        let size = (*sizes.next().unwrap_or(&1)).clamp(1, rest.len());
        let at = (size..=rest.len()).find(|&at| rest.is_char_boundary(at)).unwrap_or(rest.len());
        inspector.push(&rest[..at]);
        rest = &rest[at..];
    }
    assert!(inspector.state_bytes() <= 64 * 1024, "{}", inspector.state_bytes());
    inspector.finish()
}

// Pieces of many languages, so that random joins reach odd states.
fn snippet() -> impl Strategy<Value = String> {
    const PARTS: &[&str] = &[
        "\"",
        "'",
        "`",
        "\"\"\"",
        "${",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "<div>",
        "</div>",
        "<a b=",
        "/>",
        "<",
        ">",
        "/*",
        "*/",
        "//",
        "#",
        "\n",
        "\\",
        "\\\n",
        " ",
        "x",
        "é",
        "😀",
        "r#\"",
        "b'",
        "<<EOF\n",
        "EOF\n",
        "<<~A",
        "$$",
        "$(",
        "`",
        "if ",
        "then ",
        "fi\n",
        "case x in a) ",
        "esac",
        "do ",
        "end\n",
        "def f():\n",
        "try:\n",
        "    ",
        "except:\n",
        "#if A\n",
        "#else\n",
        "#endif\n",
        "#define A (\n",
        "--",
        "|\n",
        "a: ",
        "```\n",
        "~~~~\n",
        "<!--",
        "-->",
        "=begin\n",
        "=end\n",
        "%w[",
        "import a from ",
        "fn ",
        "return /",
        "R\"x(",
        ")x\"",
        "u8'",
        "\r\n",
        "{{",
        "BEGIN ",
        "END ",
        "@\"",
        "$\"",
        "?>",
        "<?php ",
        "url(",
        "// --- VIBECODER_COMPLETE ---\n",
    ];
    let noise = prop_oneof![
        6 => proptest::sample::select(PARTS).prop_map(str::to_owned),
        1 => ".{0,6}",
        1 => (0..300usize, proptest::sample::select(&[" ", "a", "(", "\n", "é"][..]))
            .prop_map(|(count, part)| part.repeat(count)),
    ];
    proptest::collection::vec(noise, 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn t11_any_chunking_gives_the_same_verdict(
        text in snippet(),
        sizes in proptest::collection::vec(1..40usize, 1..5),
        padding in prop_oneof![Just(0usize), 3000..20_000usize],
    ) {
        // Padding moves the interesting part over the seams of the reader's blocks.
        let text = format!("{}{text}", "a \n".repeat(padding / 3));
        for language in Language::all().map(Some).chain([None]) {
            let options = options(language);
            prop_assert_eq!(in_pieces(&text, &sizes, &options), inspect_text(&text, &options));
        }
    }

    #[test]
    fn t18_places_exist_and_closing_is_the_join_of_the_closers(text in snippet()) {
        for language in Language::all() {
            let verdict = inspect_text(&text, &options(Some(language)));
            prop_assert!(verdict.open.iter().all(|open| text.is_char_boundary(open.offset)));
            prop_assert!(verdict.open.iter().all(|open| open.line >= 1 && open.column >= 1));
            prop_assert_eq!(verdict.is_valid, verdict.kind.is_none());
            let closers: String = verdict.open.iter().rev().map(|open| open.closer.as_str()).collect();
            // Line breaks between two of them, as around a directive, are layout.
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert!(verdict.open.is_empty() || bare(&verdict.closing).ends_with(&bare(&closers)));
        }
    }
}

#[test]
fn t11_deep_nesting_is_counted_within_the_memory() {
    let text = "[".repeat(1 << 20);
    let verdict = in_pieces(&text, &[4093], &options(Some(Language::Json)));
    assert_eq!(verdict.kind, Some(TruncationKind::OpenJson));
    assert_eq!(verdict.closing.len(), 1 << 20);
    let whole = format!("{text}{}", "]".repeat(1 << 20));
    assert!(inspect_text(&whole, &options(Some(Language::Json))).is_valid);
}

#[test]
fn t11_more_than_can_be_kept_is_said() {
    let text = "([{".repeat(300_000);
    let verdict = in_pieces(&text, &[4093], &options(Some(Language::Rust)));
    assert!(!verdict.is_valid);
    assert!(verdict.evidence.iter().any(|evidence| evidence.code == "depth_limit"));
}

#[test]
fn t11_hostile_repeats_end() {
    let repeats = [
        "`${",
        "<a ",
        "<a>",
        "\"",
        "'",
        "/*",
        "#if A\n",
        "try:\n",
        "<<A ",
        "{\n#if A\n",
        "$(",
        "\\",
        "a<",
        "/",
        "%w[",
        "```\n",
        "é",
        "\n",
        "'a",
        "<!--",
        "R\"(",
    ];
    for repeat in repeats {
        let text = repeat.repeat(20_000);
        for language in Language::all() {
            let options = options(Some(language));
            let verdict = in_pieces(&text, &[1021], &options);
            assert_eq!(verdict.language, language);
        }
    }
}
