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
    assert_eq!(reasons(&stitched), [DropReason::RestartedBlock]);
    let lines = &partial[partial.find("    sum\n").unwrap()..];
    let stitched = joins(Language::Rust, partial, &format!("{lines}{rest}"), RUST);
    assert_eq!(reasons(&stitched), [DropReason::RepeatedLines]);
    let python = "def f(x):\n    if x:\n        return compute(x";
    let again = "    if x:\n        return compute(x, 1)\n    return 0\n";
    let expected = format!("{python}, 1)\n    return 0\n");
    let stitched = joins(Language::Python, python, again, &expected);
    assert_eq!(reasons(&stitched), [DropReason::RestartedBlock]);
}

#[test]
fn t27_half_a_line_again_with_its_indentation() {
    let partial = "def f():\n    return [1,\n            2";
    let expected = "def f():\n    return [1,\n            2]\n";
    for reply in ["```python\n            2]\n```\n", "            2]\n"] {
        let stitched = joins(Language::Python, partial, reply, expected);
        assert!(reasons(&stitched).contains(&DropReason::RepeatedHalfLine));
    }
}

// A sign that starts a line is started again, or goes on: how other lines start decides.
#[test]
fn t27_a_sign_at_the_start_of_a_line() {
    let partial = "#include <a.h>\n#include <b.h>\n#";
    let rest = "include <c.h>\n\nint main(void) {\n    return 0;\n}\n";
    let expected = format!("{partial}{rest}");
    let _ = joins(Language::C, partial, rest, &expected);
    let _ = joins(Language::C, partial, &format!("#{rest}"), &expected);
    let partial = "import { a } from './a';\n\n/";
    let rest = "**\n * Adds.\n */\nexport const add = (x: number) => a(x);\n";
    let _ = joins(Language::TypeScript, partial, &format!("/{rest}"), &format!("{partial}{rest}"));
}

#[test]
fn t27_lines_that_were_repeated_in_place_were_not_moved() {
    let (partial, rest) = cut(RUST, "        sum += wei");
    // The first lines show that nothing was moved, so the odd line after them is meant.
    let odd = rest.replace("    scaled + 1", "            scaled + 1");
    let reply = format!("    for item in items {{\n        sum += wei{odd}");
    let stitched = joins(Language::Rust, partial, &reply, &format!("{partial}{odd}"));
    assert_eq!(stitched.reindented, None);
}

#[test]
fn t27_moved_lines_behind_a_complete_line_are_moved_back_or_refused() {
    for (language, partial, rest) in [
        (
            Language::C,
            "int a(void)\n{\n    return 0;\n}\n\nint main(void)\n",
            "{\n    int x = a();\n    return x;\n}\n",
        ),
        (
            Language::Java,
            "class A {\n    int a() {\n        return 1;\n    }\n\n    /**\n     * B.\n     */\n",
            "    int b() {\n        return 2;\n    }\n}\n",
        ),
    ] {
        let moved: String = rest.lines().map(|line| format!("    {line}\n")).collect();
        if let StitchOutcome::Joined { text } = run(language, partial, &moved).outcome {
            assert_eq!(text, format!("{partial}{rest}"));
        }
        let _ = joins(language, partial, rest, &format!("{partial}{rest}"));
    }
}

#[test]
fn t27_the_step_of_the_continuation_counts() {
    let partial = "export interface A\n    extends B, C {}\n\nexport enum Thre";
    let rest = "ad {\n  High = 1,\n}\n\nexport class D {\n  a() {\n    return {\n      b: 1,\n";
    let _ = joins(Language::TypeScript, partial, rest, &format!("{partial}{rest}"));
}

#[test]
fn t27_a_line_of_the_text_that_reads_like_talk_is_kept() {
    let partial = "def clear():\n    with lock:\n        pass\n\n\ndef f():\n    x = 1\n ";
    let rest = "   with lock:\n        x = 2\n    return x\n";
    let reply = format!("Here is the continuation:\n{rest}");
    let _ = joins(Language::Python, partial, &reply, &format!("{partial}{rest}"));
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
        ("I'm sorry, but I can't continue this response.", RefusalReason::Talk),
        ("It looks like the message was cut off. What should I do?", RefusalReason::Talk),
        (other, RefusalReason::Unrelated),
        (&changed, RefusalReason::RestartedFromBeginning),
    ] {
        refuses(Language::Rust, partial, reply, why);
    }
}

#[test]
fn t27_a_question_to_the_user_is_refused_in_strings_and_comments_too() {
    for (language, partial) in [
        (Language::JavaScript, "// The id.\nvar pkgRE = /^[a-z0-9_\\/]"),
        (Language::Bash, "#!/bin/sh\n\n# This software is di"),
        (Language::Python, "x = 1\n\n### Encoding"),
    ] {
        for reply in [
            "Sorry about that! Which part should I continue?",
            "The response seems to have been interrupted. Would you like me to start over?",
            "Shall I go on with the next function?",
        ] {
            refuses(language, partial, reply, RefusalReason::Talk);
        }
    }
}

#[test]
fn t27_an_announced_fence_is_a_wrapper_inside_a_comment_too() {
    let partial =
        "/**\n * Shows (\n *     <Filter {...props}>\n *         <TextInput label=\"Search\" ";
    let reply = "Continuation:\n\n```tsx\n *     <Filter {...props}>\n *         <TextInput label=\"Search\" source=\"q\" />\n *     </Filter>\n */\nexport const a = 1;\n```";
    let rest = "source=\"q\" />\n *     </Filter>\n */\nexport const a = 1;\n";
    let stitched = joins(Language::Tsx, partial, reply, &format!("{partial}{rest}"));
    assert!(reasons(&stitched).contains(&DropReason::Fence));
}

#[test]
fn t27_the_start_of_another_file_is_refused_wherever_the_cut_is() {
    let licence = "/*\n * Copyright 2024 Somebody. All rights reserved.\n * Licensed under the X License.\n */\nexport const answer = 42;\n";
    let json = "{\n  \"name\": \"thing\",\n  \"version\": \"1.0.0\",\n  \"private\": false,\n  \"scripts\": {\n    \"test\": \"run\"\n  }\n}\n";
    let script = "#!/usr/bin/env node\n\nconst fs = require('fs');\nconsole.log(fs);\n";
    let header = "/*\n * Copyright 2020 Other. All rights reserved.\n * Unless requi";
    let records = "{\"Action\":\"run\",\"Test\":\"A\"}\n{\"Action\":\"output";
    let style = "/* A theme. */\n\n.cm .active { background: red; }\n.cm .line { color: blue; }\n";
    for (language, partial, reply) in [
        (Language::TypeScript, header, licence),
        (Language::JavaScript, header, script),
        (Language::Json, records, json),
        (Language::Json, "{\"Action\":\"run\",\"Test\":\"A\"}\n", style),
        (Language::C, "#include <a.h>\n\nint x = 1;\n#inc", licence),
    ] {
        refuses(language, partial, reply, RefusalReason::Unrelated);
    }
    let options = "build_opts=\"-DA=0 \\\n            -DB=0 \\\n";
    let commands = "echo \"tests\"\n./make -s1 > tmp\n./adapt tmp\ndiff -s tmp tmp2\n";
    refuses(Language::Bash, options, commands, RefusalReason::Unrelated);
    let page = "<html>\n<body>\n  <!-- Page Headi";
    refuses(Language::Html, page, &format!("```css\n{style}```\n"), RefusalReason::Unrelated);
}

#[test]
fn t27_what_closes_the_open_brackets_belongs() {
    let partial = "{\n  \"alpha\": {\n    \"one\": \"first\",\n    \"two\": ";
    let rest = "\"zzz\"\n  },\n  \"qqq\": [\n    \"xx yy\",\n    \"vv ww\"\n  ]\n}\n";
    let _ = joins(Language::Json, partial, rest, &format!("{partial}{rest}"));
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

fn of_files(language: Language, partial: &str, continuation: &str) -> Stitch {
    let final_break = FinalBreak::Unknown;
    let options =
        StitchOptions { language: Some(language), final_break, ..StitchOptions::default() };
    stitch_with(partial, continuation, &options, &|_, _| GrammarOpinion::Accepts)
}

#[test]
fn a_name_that_ends_like_another_is_no_certain_echo() {
    let two = "A_PATH=$tmp/out/lib:$A_PATH\nDYA_PATH=$tmp/out/lib:$DYA_PATH";
    let rest = "\nexport A_PATH\nexport DYA_PATH\n\nrun\n";
    let partial = format!("#!/bin/sh\ntmp=/tmp\n{two}\n");
    let stitched = of_files(Language::Bash, &partial, &format!("{two}{rest}"));
    if let StitchOutcome::Joined { text } = &stitched.outcome {
        let right = *text == format!("{}{rest}", partial.trim_end());
        assert!(right || !stitched.verdict.is_valid, "{text}");
    }
}

#[test]
fn how_many_empty_lines_a_comment_has_is_not_certain() {
    let start = "/**\n * Says what is allowed.\n *\n * @see Permissions\n *";
    let rest = "\n *\n * @author Someone\n * @since 1.2\n */\n\npublic class A {\n}\n";
    for added in ["", "\n", "\n\n"] {
        let stitched = of_files(Language::Java, &format!("{start}{added}"), &format!(" *{rest}"));
        if let StitchOutcome::Joined { text } = &stitched.outcome {
            let right = *text == format!("{start}{rest}");
            assert!(right || !stitched.verdict.is_valid, "{added:?} {text}");
        }
    }
}

#[test]
fn a_line_break_that_starts_a_continuation_is_not_lost() {
    for (language, partial, rest) in [
        (
            Language::Java,
            "/*\n * Street 5, USA.\n *",
            "\n * Please write to us\n * or call.\n */\nclass A {}\n",
        ),
        (
            Language::Python,
            "\"\"\"Notes.\n\n  The rules of this application",
            "\n  defined code to be executed if\n  it is there.\n\"\"\"\nx = 1\n",
        ),
    ] {
        for added in ["", "\n", "\n\n"] {
            let stitched = of_files(language, &format!("{partial}{added}"), rest);
            let StitchOutcome::Joined { text } = &stitched.outcome else { panic!("{rest}") };
            let right = format!("{partial}{rest}");
            assert!(*text == right || !stitched.verdict.is_valid, "{added:?} {text}");
        }
    }
}

// Lines that a text says twice it may say three times: where nothing tells whether the continuation says
// them again or for the first time, the join is refused or doubted.
#[test]
fn lines_that_come_in_rounds_are_no_certain_echo() {
    let list = "{\n    \"name\": \"admin\",\n    \"keywords\": [\n        \"css\",\n        \"html\",\n        \"theme\",";
    let rest = "\n        \"template\",\n        \"app\"\n    ],\n    \"license\": \"MIT\"\n}\n";
    let round = "        first[(u8) c     ]++;\n        second[(u8)(c>>8) ]++;\n        c = cached; cached = read(ip); ip += 4;\n";
    let head = "int count(void) {\n    while (ip < end) {\n";
    let (begun, ended) = round.split_at(round.find("ond[").unwrap());
    let tail = "    }\n    return 0;\n}\n";
    let rounds = |count: usize| format!("{head}{}{tail}", round.repeat(count));
    let mut cases = vec![(
        Language::Json,
        format!("{list}\n"),
        format!("        \"html\",\n        \"theme\",{rest}"),
        format!("{list}{rest}"),
    )];
    for before in 1..4 {
        for again in ["", "sec", "        sec", begun] {
            let partial = format!("{head}{}{begun}", round.repeat(before));
            let rest = format!("{again}{ended}{}{tail}", round.repeat(2));
            cases.push((Language::C, partial, rest, rounds(before + 3)));
        }
    }
    for (language, partial, continuation, right) in cases {
        let stitched = of_files(language, &partial, &continuation);
        if let StitchOutcome::Joined { text } = &stitched.outcome {
            assert!(*text == right || !stitched.verdict.is_valid, "{continuation}\n---\n{text}");
        }
    }
}

// What follows a cut by chance looks like its end again, or like a line of its own.
#[test]
fn what_is_alike_by_chance_is_no_certain_join() {
    let list = "/**\n * Kinds:\n  | $ZodUUID\n  | $ZodEmail\n  | $ZodCUID\n";
    let path = "import { A } from \"../common\";\nimport { OverlaysProvider } from \"../../context/overlays";
    let typed = "export const f = ({\n  result,\n  throwOnError,\n}: {\n  result: Result<A>\n  throwOnError";
    let row = "int a[] = {\n   24, 25, 26,  0,\n    0,  0,  0, 35,";
    let attribute = "#[cfg(target_arch = \"loongarch64\")]";
    let cases = [
        (
            Language::TypeScript,
            list.to_owned(),
            "\r\n",
            "",
            "  | $ZodCUID2\n  | $ZodULID\n  | $ZodXID\n */\nlet a = 1;\n",
        ),
        (
            Language::JavaScript,
            path.to_owned(),
            "\n",
            "",
            "/overlaysProvider\";\nlet overlaysProvider = 1;\nlet contextMenuState;\n",
        ),
        (
            Language::TypeScript,
            typed.to_owned(),
            "\n",
            "",
            ": ThrowOnError<B, A>\n  query: C\n}) => {\n  return result\n}\n",
        ),
        (Language::C, row.to_owned(), "\n", "", "  0,  0,\n    0,  0, 36, 37,\n    0, 38\n};\n"),
        (
            Language::Rust,
            attribute.to_owned(),
            "\n",
            attribute,
            "\r\nuse core::arch::{a, b};\r\n\r\nfn f() {}\r\n",
        ),
    ];
    for (language, partial, added, again, rest) in cases {
        let right = format!("{partial}{rest}");
        let stitched = of_files(language, &format!("{partial}{added}"), &format!("{again}{rest}"));
        if let StitchOutcome::Joined { text } = &stitched.outcome {
            assert!(*text == right || !stitched.verdict.is_valid, "{text}");
        }
    }
}

#[test]
fn what_may_come_twice_in_a_row_is_no_certain_echo() {
    for (language, text, until) in [
        (
            Language::Css,
            ".a .line::selection, .a .line > span::selection, .a .line > span > span::selection { top: 0 }\n\
             .a .line::-moz-selection, .a .line > span::-moz-selection, .a .line > span > span::-moz-selection \
             { top: 0 }\n",
            "-moz-selection, .a .line > span",
        ),
        (
            Language::Go,
            "package a\n\nvar names = []string{\"one half\", \"two\", \"one half\", \"one half\", \"x\"}\n",
            "\"two\", \"one half\"",
        ),
        (
            Language::C,
            "int rows[] = { 100, 100, 250, 1000, 2100, 2100, 2100, 2100, 2500 };\n",
            "1000, 2100, 2100",
        ),
    ] {
        let (partial, rest) = cut(text, until);
        let stitched = of_files(language, &format!("{partial}\n\n"), rest);
        let is_right =
            matches!(&stitched.outcome, StitchOutcome::Joined { text: it } if it == text);
        assert!(is_right || !stitched.verdict.is_valid, "{stitched:?}");
    }
}

#[test]
fn a_foreign_break_and_half_an_indentation_are_no_certain_seam() {
    let python = "import os\n\n\ndef name():\n    import pwd\n    return pwd.getpwuid(os.getuid())[0]\n\n# Bind it.\nx = 1\n";
    let (partial, rest) = cut(python, "return pwd.getpw");
    let stitched = of_files(Language::Python, &format!("{partial}\r\n"), rest);
    let is_right = matches!(&stitched.outcome, StitchOutcome::Joined { text } if text == python);
    assert!(is_right || !stitched.verdict.is_valid, "{stitched:?}");

    let theme = "const theme = {\n    success: {\n        color: dark\n            ? alpha(green, 0.7)\n            : alpha(green, 0.5),\n        hover: {\n            color: dark\n                ? green\n                : red,\n        },\n    },\n};\n";
    let (partial, _) = cut(theme, "0.5),\n       ");
    for start in ["a(green, 0.5)", ": alpha(green, 0.5)", "   : alpha(green, 0.5)", "     hover: {"]
    {
        let rest = &theme[theme.find(start).unwrap()..];
        let stitched = of_files(Language::TypeScript, partial, rest);
        let is_right = matches!(&stitched.outcome, StitchOutcome::Joined { text } if text == theme);
        assert!(is_right || !stitched.verdict.is_valid, "{start}: {stitched:?}");
    }
}

#[test]
fn blanks_before_a_break_and_rows_that_begin_alike_are_no_certain_seam() {
    let script = "case $x in\nx--top=* )\n    TOP=`echo $x | sed 's/^--top=//'`\n    ;;\nesac\n";
    let (partial, rest) = cut(script, "=* )\n    ");
    for added in ["\n", "\n\n", "\r\n"] {
        let stitched = of_files(Language::Bash, &format!("{partial}{added}"), rest);
        let is_right =
            matches!(&stitched.outcome, StitchOutcome::Joined { text } if text == script);
        assert!(is_right || !stitched.verdict.is_valid, "{stitched:?}");
    }

    let table = "int f() {\n    if (!first_table\n        || !first_table->sane (first_v)\n        \
                 || !second_table\n        || !second_table->sane (second_v))\n      return -1;\n    \
                 return 0;\n}\n";
    // Where the cut is right after a break, that break reads as one that an editor added.
    for until in ["|| !second_table", "|| !second_table\n ", "|| !second_table\n     "] {
        let (partial, rest) = cut(table, until);
        let stitched = of_files(Language::Cpp, partial, rest);
        let is_right = matches!(&stitched.outcome, StitchOutcome::Joined { text } if text == table);
        assert!(is_right || !stitched.verdict.is_valid, "{stitched:?}");
    }

    let list = "{\n  \"keywords\": [\n    \"react-native-component\",\n    \"react-component\",\n    \
                \"react-native\",\n    \"ios\"\n  ]\n}\n";
    let (partial, rest) = cut(list, "-component\",\n    \"react-");
    for added in ["", "\n", "\n\n"] {
        let stitched = of_files(Language::Json, &format!("{partial}{added}"), rest);
        let is_right = matches!(&stitched.outcome, StitchOutcome::Joined { text } if text == list);
        assert!(is_right || !stitched.verdict.is_valid, "{stitched:?}");
    }
}
