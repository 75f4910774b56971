//! Joins as people would make them, joins nobody should make, and promises about every input.

use super::*;
use proptest::prelude::*;

fn run(language: Language, partial: &str, continuation: &str) -> Stitch {
    let options = StitchOptions { language: Some(language), ..StitchOptions::default() };
    stitch(partial, continuation, &options)
}

#[track_caller]
fn joins(language: Language, partial: &str, continuation: &str, expected: &str) -> Stitch {
    let stitched = run(language, partial, continuation);
    match &stitched.outcome {
        StitchOutcome::Joined { text } => assert_eq!(text, expected),
        StitchOutcome::Refused { why, .. } => panic!("refused: {}", why.name()),
    }
    stitched
}

#[track_caller]
fn refuses(language: Language, partial: &str, continuation: &str, expected: RefusalReason) {
    match run(language, partial, continuation).outcome {
        StitchOutcome::Refused { why, message } => {
            assert_eq!(why, expected);
            assert!(!message.is_empty());
        }
        StitchOutcome::Joined { text } => panic!("joined: {text}"),
    }
}

const RUST: &str = "use std::fmt;\n\nfn total(items: &[u32]) -> u32 {\n    let mut sum = 0;\n    for item in items {\n        sum += weight(*item);\n    }\n    sum\n}\n\nfn weight(item: u32) -> u32 {\n    let scaled = item * 2;\n    scaled + 1\n}\n";

// The partial up to the first `until`, and the rest.
fn cut(text: &'static str, until: &str) -> (&'static str, &'static str) {
    text.split_at(text.find(until).unwrap() + until.len())
}

fn reasons(stitched: &Stitch) -> Vec<DropReason> {
    stitched.dropped.iter().map(|dropped| dropped.reason).collect()
}

#[test]
fn t25_a_cut_class_name_that_is_closed_first_parses() {
    let partial = "export function Card() {\n  return (\n    <div className=\"from-zinc-9";
    let rest = "00\">\n      <b>hi</b>\n    </div>\n  );\n}\n";
    let stitched = joins(Language::Tsx, partial, rest, &format!("{partial}{rest}"));
    assert!(stitched.verdict.is_valid, "{:?}", stitched.verdict);
    let again = format!("    <div className=\"from-zinc-9{rest}");
    let stitched = joins(Language::Tsx, partial, &again, &format!("{partial}{rest}"));
    assert_eq!(reasons(&stitched), [DropReason::RepeatedHalfLine]);
    assert!(stitched.verdict.is_valid);
}

#[test]
fn t27_the_last_lines_again_are_dropped() {
    let (partial, rest) = cut(RUST, "        sum += wei");
    let (mut start, mut echoes) = (partial.len(), Vec::new());
    for _ in 0..3 {
        start = partial[..start - 1].rfind('\n').unwrap() + 1;
        echoes.push(&partial[start..]);
    }
    for echo in echoes {
        let stitched = joins(Language::Rust, partial, &format!("{echo}{rest}"), RUST);
        assert_eq!(stitched.dropped[0].text, echo);
        let lost = echo.trim_start();
        let _ = joins(Language::Rust, partial, &format!("{lost}{rest}"), RUST);
    }
}

#[test]
fn t27_fences_preambles_and_sentinels_are_dropped() {
    let (partial, rest) = cut(RUST, "let mut su");
    for reply in [
        format!("```rust\n{rest}```\n"),
        format!("```\n{rest}```"),
        format!("Sure, continuing:\n\n```rust\n{rest}```\n\nLet me know if you need more!\n"),
        format!("Here is the rest of the code:\n\n{rest}"),
        format!("[HEALER_MODE: AUTO_RESUME]\n{rest}"),
        format!("{rest}```\n"),
        format!("{rest}// --- VIBECODER_COMPLETE ---\n"),
        format!("```rust\n    let mut su{rest}// --- VIBECODER_COMPLETE ---\n```\n"),
    ] {
        let stitched = joins(Language::Rust, partial, &reply, RUST);
        let kept: usize = stitched.dropped.iter().map(|dropped| dropped.span.len()).sum();
        assert_eq!(kept + rest.len(), reply.len(), "{reply}");
        for dropped in &stitched.dropped {
            assert_eq!(dropped.text, &reply[dropped.span.range()]);
        }
    }
}

#[test]
fn t27_prefill_echo_and_restarted_block_are_dropped() {
    let (partial, rest) = cut(RUST, "let scaled = it");
    let stitched = joins(Language::Rust, partial, RUST, RUST);
    assert_eq!(reasons(&stitched), [DropReason::PrefillEcho]);
    let block = &partial[partial.find("fn weight").unwrap()..];
    let stitched = joins(Language::Rust, partial, &format!("{block}{rest}"), RUST);
    assert_eq!(reasons(&stitched), [DropReason::RepeatedLines]);
}

#[test]
fn t27_moved_lines_are_moved_back() {
    let (partial, rest) = cut(RUST, "        sum += weight(*it");
    let moved: String = rest
        .split_inclusive('\n')
        .enumerate()
        .map(|(at, line)| {
            if at == 0 || line.trim().is_empty() { line.to_owned() } else { format!("    {line}") }
        })
        .collect();
    let stitched = joins(Language::Rust, partial, &moved, RUST);
    assert_eq!(stitched.reindented.map(|moved| moved.columns), Some(4));
    let python = "class A:\n    def f(self):\n        a = 1\n        b = ";
    let _ = joins(
        Language::Python,
        python,
        "2\n            return a + b\n\n        def g(self):\n            return 0\n",
        &format!("{python}2\n        return a + b\n\n    def g(self):\n        return 0\n"),
    );
}

#[test]
fn t27_a_line_break_that_is_missing_or_too_many() {
    let partial = "fn a() {\n    let x = 1;";
    let stitched = joins(
        Language::Rust,
        partial,
        "    let y = 2;\n}\n",
        "fn a() {\n    let x = 1;\n    let y = 2;\n}\n",
    );
    assert_eq!(stitched.inserted, "\n");
    let partial = "fn compute() {}\nfn b() {\n    compu";
    let _ = joins(
        Language::Rust,
        partial,
        "\nte();\n}\n",
        "fn compute() {}\nfn b() {\n    compute();\n}\n",
    );
    // Nothing is put inside a string or a word without evidence.
    let _ = joins(Language::Rust, "let s = \"ab", "cd\";\n", "let s = \"abcd\";\n");
}

#[test]
fn t27_meant_repetition_is_kept_or_refused() {
    let kept = [
        (Language::Rust, "fn a() {\n    if b {\n        c();\n    }\n", "}\n\nfn d() {}\n"),
        (
            Language::Rust,
            "fn a() {\n    if b {\n        while c {\n            d();\n        }\n",
            "    }\n}\n",
        ),
        (Language::JavaScript, "f(() => {\n  g(() => {\n    h();\n  });\n", "});\n"),
    ];
    for (language, partial, rest) in kept {
        let _ = joins(language, partial, rest, &format!("{partial}{rest}"));
    }
    let unclear = [
        (
            Language::Rust,
            "fn a(x: &mut Vec<u8>) {\n    x.push(1);\n",
            "    x.push(1);\n    x.push(1);\n}\n",
        ),
        (Language::Markdown, "| a | b |\n|---|---|\n| 0 | 0 |\n", "| 0 | 0 |\n| 1 | 1 |\n"),
        (Language::JavaScript, "const m = [\n  0, 0, 0,\n", "  0, 0, 0,\n  0, 0, 1,\n];\n"),
    ];
    for (language, partial, rest) in unclear {
        match run(language, partial, rest).outcome {
            StitchOutcome::Joined { text } => assert_eq!(text, format!("{partial}{rest}")),
            StitchOutcome::Refused { why, .. } => {
                assert_eq!(why, RefusalReason::AmbiguousRepetition);
            }
        }
    }
}

#[test]
fn t27_what_does_not_belong_is_refused() {
    let (partial, _) = cut(RUST, "let scaled = it");
    let other =
        "#!/usr/bin/env python3\nimport sys\n\n\ndef main():\n    print(sys.argv)\n\n\nmain()\n";
    let changed = RUST.replace("sum = 0", "result = 0");
    for (reply, why) in [
        ("", RefusalReason::Empty),
        ("```rust\n```\n", RefusalReason::Empty),
        ("    let scaled = it", RefusalReason::OnlyEcho),
        ("I'm sorry, but I can't continue this response.", RefusalReason::Unrelated),
        ("It looks like the message was cut off. What should I do?", RefusalReason::Unrelated),
        (other, RefusalReason::Unrelated),
        (&changed, RefusalReason::RestartedFromBeginning),
    ] {
        refuses(Language::Rust, partial, reply, why);
    }
}

#[test]
fn t27_the_result_is_inspected_again() {
    let (partial, rest) = cut(RUST, "let scaled = it");
    assert!(joins(Language::Rust, partial, rest, RUST).verdict.is_valid);
    let half = &rest[..rest.len() - 4];
    let stitched = run(Language::Rust, partial, half);
    assert!(!stitched.verdict.is_valid);
    let refused = run(Language::Rust, partial, "");
    assert!(!refused.verdict.is_valid, "after a refusal the verdict is on the partial text");
}

#[test]
fn t27_hostile_repeats_stay_bounded() {
    for piece in ["a\n", "}\n", "\"", "    ", "```\n", "x;\n  x;\n", "é\u{301}\n", "/*"] {
        let text = piece.repeat(20_000);
        let _ = run(Language::Rust, &text, &text);
        let _ = run(Language::Python, &text, &text[..piece.len()]);
    }
}

proptest! {
    #[test]
    fn t27_the_partial_is_always_the_start_and_every_drop_is_real(
        partial in "[ab(){}\"\n é`#/]{0,60}",
        continuation in "[ab(){}\"\n é`#/]{0,60}",
    ) {
        for language in [Language::Rust, Language::Python, Language::Markdown, Language::Tsx] {
            let stitched = run(language, &partial, &continuation);
            for dropped in &stitched.dropped {
                prop_assert_eq!(&continuation[dropped.span.range()], &dropped.text);
            }
            if let StitchOutcome::Joined { text } = stitched.outcome {
                prop_assert!(text.starts_with(&partial));
            }
        }
    }
}
