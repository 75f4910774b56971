//! Joins of small texts, cut at every seventh byte, with and without line breaks after the cut.

use super::join_texts;
use salve_text::{FinalBreak, Stitch, StitchOptions, StitchOutcome};
use salve_types::Language;

const TEXTS: &[(Language, &str)] = &[
    (
        Language::Python,
        "import os\n\n\ndef total(items):\n    \"\"\"Adds the\n    weights.\"\"\"\n    weight = 0\n    for item in items:\n        weight += len(item) * 2\n    return weight\n\n\nprint(total(os.listdir(\".\")))\n",
    ),
    (
        Language::Rust,
        "use std::fmt;\n\n// The weight of\n// one item.\nfn weight(item: &str) -> usize {\n    let scaled = item.len().wrapping_mul(2);\n    format!(\"{scaled} units\").len()\n}\n",
    ),
    (
        Language::TypeScript,
        "export function label(parts: string[]): string {\n  const joined = parts.join(', ');\n  return `${parts.length} of ${joined}`;\n}\n",
    ),
    (
        Language::Go,
        "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfor i := 0; i < 3; i++ {\n\t\tfmt.Println(\"row\", i)\n\t}\n}\n",
    ),
    (
        Language::C,
        "#include <stdio.h>\n\n/* Prints\n * a row. */\nint main(void) {\n  int rows = 3;\n  printf(\"%d rows\\n\", rows);\n  return 0;\n}\n",
    ),
    (
        Language::Json,
        "{\n  \"name\": \"salve\",\n  \"tags\": [\"one\", \"two\"],\n  \"size\": 12\n}\n",
    ),
];

fn join(language: Language, partial: &str, continuation: &str) -> Stitch {
    let final_break = FinalBreak::Unknown;
    let options =
        StitchOptions { language: Some(language), final_break, ..StitchOptions::default() };
    join_texts(partial, continuation, &options)
}

#[test]
fn a_wrong_join_is_never_called_whole() {
    let (mut joins, mut whole) = (0, 0);
    for (language, text) in TEXTS {
        for at in (20..text.len() - 8).step_by(7) {
            let line = text[..at].trim_end().rfind('\n').map_or(0, |at| at + 1);
            for added in ["", "\n", "\n\n"] {
                for start in [at, line, line + (at - line) / 2] {
                    let partial = format!("{}{added}", &text[..at]);
                    let stitched = join(*language, &partial, &text[start..]);
                    joins += 1;
                    let StitchOutcome::Joined { text: joined } = &stitched.outcome else {
                        continue;
                    };
                    let is_whole = stitched.verdict.is_valid;
                    whole += usize::from(is_whole && joined == text);
                    assert!(
                        joined == text || !is_whole,
                        "{partial:?} and {:?} became {joined:?}",
                        &text[start..]
                    );
                }
            }
        }
    }
    // A stitcher that doubts everything would be safe and of no use.
    assert!(whole * 10 > joins * 6, "{whole} of {joins}");
}

#[test]
fn a_line_break_after_the_cut_is_taken_off() {
    for (language, partial, continuation, right) in [
        (
            Language::Python,
            "def f(a):\n    x = a + 1\n    y = x *\n",
            "    y = x * 2\n    return y\n",
            "def f(a):\n    x = a + 1\n    y = x * 2\n    return y\n",
        ),
        (
            Language::Rust,
            "fn f(a: u8) -> u8 {\n    let y = a.wrapping_ad\n",
            "    let y = a.wrapping_add(1);\n    y\n}\n",
            "fn f(a: u8) -> u8 {\n    let y = a.wrapping_add(1);\n    y\n}\n",
        ),
        (
            Language::TypeScript,
            "function f(parts: string[]) {\n  return `${parts\n",
            "  return `${parts.length} parts`;\n}\n",
            "function f(parts: string[]) {\n  return `${parts.length} parts`;\n}\n",
        ),
    ] {
        let stitched = join(language, partial, continuation);
        assert_eq!(stitched.outcome, StitchOutcome::Joined { text: right.to_owned() });
        assert_eq!(stitched.taken_off, "\n");
        assert!(stitched.verdict.is_valid, "{:?}", stitched.verdict);
    }
}

#[test]
fn what_no_grammar_accepts_is_not_whole() {
    let stitched = join(Language::Python, "def f(a):\n    y = a *\n", "    return y\n");
    assert!(!stitched.verdict.is_valid, "{stitched:?}");
}

#[test]
fn rows_that_come_again_are_no_reason_to_call_a_doubled_list_whole() {
    let start = "package main\n\nvar answers = []string{\n\t\"Most likely\",\n\t\"Better not tell you now\",\n\t\"Concentrate and ask again\",\n\t\"Don't count on it\",";
    let rest = "\n\t\"My reply is no\",\n\t\"My sources say no\",\n}\n";
    for added in ["\n", "\r\n"] {
        let again = format!("\t\"Concentrate and ask again\",\n\t\"Don't count on it\",{rest}");
        let stitched = join(Language::Go, &format!("{start}{added}"), &again);
        let StitchOutcome::Joined { text } = &stitched.outcome else { continue };
        assert!(*text == format!("{start}{rest}") || !stitched.verdict.is_valid, "{text}");
    }
}
