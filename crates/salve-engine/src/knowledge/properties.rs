//! What holds for every rule that is learned.

use super::rule::{FixExample, FixRule};
use super::testing::said;
use super::tokens::Tokens;
use super::{apply_rule, learn, merge, read_rule, replay, rule_text};
use proptest::prelude::*;

fn token() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            ";", ",", "(", ")", "{", "}", "=", "==", "+", "int", "if", "for", "return", "\n", "\n  ", "\"",
            "'", "$", "<", "/*", "#",
        ])
        .prop_map(str::to_owned),
        3 => prop::sample::select(vec!["a", "b", "count", "k", "0", "12", "\"s\"", "'c'", "$A", "é"])
            .prop_map(str::to_owned),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(token(), 0..40).prop_map(|tokens| tokens.join(" "))
}

fn example() -> impl Strategy<Value = FixExample> {
    let edit = (any::<prop::sample::Index>(), 0..3_usize, prop::collection::vec(token(), 0..3));
    let place = (1..4_u32, 1..30_u32);
    let name = prop::sample::select(vec!["a", "k", ";", "cuont", "int x"]);
    let path = prop::sample::select(vec!["a.c", "a.rs", "a.py", "a.ts"]);
    (prop::collection::vec(token(), 1..40), edit, place, name, path).prop_map(
        |(tokens, (at, removed, written), place, name, path)| {
            let at = at.index(tokens.len());
            let mut fixed = tokens.clone();
            fixed.splice(at..(at + removed).min(tokens.len()), written);
            FixExample {
                language: None,
                path: path.to_owned(),
                before: tokens.join(" "),
                after: fixed.join(" "),
                diagnostics: vec![said("gcc", &format!("expected '{name}' here"), path, place)],
            }
        },
    )
}

// Blanks and comments aside.
fn words(text: &str, example: &FixExample) -> Vec<String> {
    let tokens = Tokens::of(text, example.language()).expect("a short text");
    (0..tokens.all.len()).map(|at| tokens.word(at).to_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_learned_rule_makes_its_fix_and_nothing_of_the_fixed_text(example in example()) {
        let diagnostic = &example.diagnostics[0];
        for rule in learn(&example) {
            let edits = apply_rule(&rule, diagnostic, &example.path, &example.before);
            let texts: Vec<String> =
                edits.iter().filter_map(|edit| edit.applied(&example.before)).collect();
            prop_assert_eq!(texts.len(), edits.len());
            prop_assert!(
                texts.iter().any(|text| words(text, &example) == words(&example.after, &example)),
                "{:?} makes {:?}", rule, texts
            );
            prop_assert!(apply_rule(&rule, diagnostic, &example.path, &example.after).is_empty());
            prop_assert!(replay(&rule, &example).fired == 1);
        }
    }

    #[test]
    fn a_rule_reads_back_exactly(example in example()) {
        for rule in learn(&example) {
            let json = serde_json::to_string(&rule).expect("plain data");
            prop_assert_eq!(&serde_json::from_str::<FixRule>(&json).expect("its own JSON"), &rule);
            prop_assert_eq!(rule.content_id(), rule.id.clone());
            let first = replay(&rule, &example).right == 1;
            let examples = if first { vec![example.clone()] } else { Vec::new() };
            prop_assert_eq!(read_rule(&rule_text(&rule, &examples)), Ok((rule, examples)));
        }
    }

    #[test]
    fn a_merged_rule_holds_for_both_examples(one in example(), other in example()) {
        let examples = [one.clone(), other.clone()];
        for rule in learn(&one) {
            for second in learn(&other) {
                if let Some(merged) = merge(&rule, &second, &examples) {
                    prop_assert!(examples.iter().all(|example| replay(&merged, example).right == 1));
                }
            }
        }
    }

    #[test]
    fn a_rule_fits_any_text_or_none(example in example(), text in text(), place in (0..6_u32, 0..60_u32)) {
        let diagnostic = said("gcc", "expected 'k' here", &example.path, place);
        for rule in learn(&example) {
            for edit in apply_rule(&rule, &diagnostic, &example.path, &text) {
                prop_assert!(edit.applied(&text).is_some_and(|made| made != text));
            }
        }
    }
}
