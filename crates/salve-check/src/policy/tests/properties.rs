//! What holds for every line.
//!
//! In: lines made by chance, from pieces and from the case file. Out: nothing but passed tests.

use super::judge;
use crate::policy::options::{Hazard, Meaning, Style, Table, read_words};
use proptest::prelude::*;
use serde_json::Value;

fn case_lines() -> Vec<String> {
    include_str!("../../../tests/data/commands.jsonl")
        .lines()
        .filter_map(|case| {
            let case: Value = serde_json::from_str(case).ok()?;
            Some(case["command"].as_str()?.to_owned())
        })
        .collect()
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(case_lines()),
        prop::sample::select(
            "git status -- --output=x 'a b' \"$x\" | && ; > < 2>&1 *.rs .. / ~ -rf @x :! é \\ \u{202e} find -exec -o"
                .split(' ')
                .map(str::to_owned)
                .collect::<Vec<_>>()
        ),
        ".{0,12}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_text_has_an_answer_and_an_allowed_one_has_a_plan(
        pieces in prop::collection::vec(piece(), 0..6),
        glue in prop::sample::select(vec![" ", "", ";", "|", "\t"]),
    ) {
        let line = pieces.join(glue);
        let verdict = judge(&line);
        prop_assert_eq!(&verdict, &judge(&line));
        prop_assert!(!verdict.why.is_empty());
        prop_assert!(!verdict.allow || verdict.plan.is_some());
        prop_assert!(!verdict.allow || (verdict.segment.is_none() && verdict.smallest.is_none()));
    }

    #[test]
    fn another_command_never_makes_an_asked_line_allowed(
        first in prop::sample::select(case_lines()),
        second in prop::sample::select(case_lines()),
        joint in prop::sample::select(vec![";", " && ", " || "]),
    ) {
        let (one, two) = (judge(&first), judge(&second));
        prop_assume!(!first.ends_with([';', '\\', '\'', '"']) && !first.contains(['#', '\n']));
        // A blank second line adds no command to the first.
        prop_assume!(!second.trim().is_empty());
        let joined = judge(&format!("{first}{joint}{second}"));
        prop_assert!(!joined.allow || (one.allow && two.allow), "{} + {}", first, second);
        if joined.allow {
            prop_assert_eq!(joined.risk, one.risk.max(two.risk));
        }
    }

    #[test]
    fn a_flag_that_asks_is_found_wherever_it_stands(
        before in prop::collection::vec(prop::sample::select(vec!["-a", "--all", "x", "-n5"]), 0..5),
        bad in prop::sample::select(vec!["-f", "-af", "-fa", "--follow", "--fol", "--follow=x"]),
        after in prop::collection::vec(prop::sample::select(vec!["-a", "x", "--all"]), 0..5),
    ) {
        static TABLE: Table = Table::new(&[
            (Meaning::Switch, "-a --all"),
            (Meaning::Text, "-n --lines"),
            (Meaning::Ask(Hazard::NeverEnds), "-f --follow"),
        ]);
        let mut words = vec!["program".to_owned()];
        words.extend(before.iter().chain([&bad]).chain(&after).map(|word| (*word).to_owned()));
        let found = read_words(&TABLE, Style::GNU, &words, 1, 0);
        prop_assert!(found.is_err(), "{:?}", words);
        words.retain(|word| *word != bad);
        prop_assert!(read_words(&TABLE, Style::GNU, &words, 1, 0).is_ok(), "{:?}", words);
    }
}

#[test]
fn a_long_line_is_answered_within_the_bounds() {
    for line in [
        "ls ".to_owned() + &"-a ".repeat(2000),
        "git log ".to_owned() + &"--oneline ".repeat(1600),
        ["ls"; 64].join(" | "),
        "cat ".to_owned() + &"src/*.rs ".repeat(1500),
        "find . ".to_owned() + &"-name x -o ".repeat(600) + "-name y",
        "echo ".to_owned() + &"a".repeat(16_000),
    ] {
        let started = std::time::Instant::now();
        let verdict = judge(&line);
        assert!(started.elapsed().as_secs() < 5, "{} took too long", &line[..20]);
        assert!(verdict.allow, "{}…: {}", &line[..20], verdict.why);
    }
}

#[test]
fn no_flag_stands_twice_in_a_table() {
    for table in crate::policy::family::tables() {
        let mut seen = std::collections::HashSet::new();
        for flag in table.rows().iter().flat_map(|row| row.1.split_ascii_whitespace()) {
            assert!(seen.insert(flag), "{flag} stands twice");
        }
    }
}
