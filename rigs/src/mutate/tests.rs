//! The generator against itself: truths are readable, sound styles are sound, nothing is missed.

use super::document::{KINDS, document};
use super::fault::{FAULTS, break_with};
use super::json::draw;
use super::score::{Answer, judge};
use super::style::{STYLES, write};
use super::token::{build, text};
use crate::corpus::Random;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Styles that are JSON as it is.
const SOUND: &[&str] = &[
    "compact",
    "pretty",
    "four spaces",
    "tabs",
    "crlf",
    "spaced",
    "ascii escapes",
    "leading commas",
];

#[test]
fn a_stand_in_that_knows_the_truth_is_always_right() {
    for number in 0..600 {
        let Some(drawn) = draw(number, 11) else { continue };
        for truth in &drawn.case.truths {
            let answer = Answer { value: Some(truth.clone()), complete: true, inferred: false };
            let tally = judge(&drawn.case, &answer);
            assert_eq!((tally.right, tally.lost, tally.invented), (1, 0, 0), "{}", drawn.case.text);
        }
    }
}

#[test]
fn what_is_written_means_the_value() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let (_, value) = document(&mut random);
        for (style, _) in STYLES {
            let Some(written) = write(&value, style, &mut random) else { continue };
            assert_eq!(build(&written.tokens, written.trailing).as_ref(), Some(&value), "{style}");
            if SOUND.contains(style) {
                let read: Value = serde_json::from_str(&text(&written.tokens)).expect("sound JSON");
                assert_eq!(read, value, "{style}");
            }
        }
    }
}

#[test]
fn every_fault_and_style_comes_up_and_breaks_something() {
    let mut seen = BTreeSet::new();
    for number in 0..4_100 {
        let Some(drawn) = draw(number, 3) else { continue };
        seen.insert(drawn.fault);
        seen.insert(drawn.style);
        seen.insert(drawn.kind);
        if SOUND.contains(&drawn.style) && !matches!(drawn.fault, "none" | "two faults") {
            let read = serde_json::from_str::<Value>(&drawn.case.text).ok();
            assert!(
                read.is_none_or(|read| drawn.case.truths.contains(&read)),
                "{}",
                drawn.case.text
            );
        }
    }
    let all = FAULTS
        .iter()
        .map(|fault| fault.name)
        .chain(STYLES.iter().map(|style| style.0))
        .chain(KINDS.iter().map(|kind| kind.0));
    let missing: Vec<&str> = all.filter(|name| !seen.contains(name)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn what_is_lost_and_what_is_invented() {
    let mut random = Random::new(1);
    let value = json!({ "a": "x", "b": [1, 1, null], "c": "F: Send + 'static" });
    let written = write(&value, "compact", &mut random).expect("written");
    let case = break_with(written, &FAULTS[0], &mut random).expect("a case");
    let told = |value: Value| {
        let tally = judge(&case, &Answer { value: Some(value), ..Answer::default() });
        (tally.right, tally.lost, tally.gone, tally.invented)
    };
    assert_eq!(told(value.clone()), (1, 0, 0, 0));
    assert_eq!(told(json!({ "a": "x", "b": [1, null], "c": "F: Send + 'static" })), (0, 1, 0, 0));
    assert_eq!(told(json!({ "a": "x", "b": [1, 1, null], "c": "F: Sendstatic" })), (0, 1, 1, 1));
    assert_eq!(
        told(json!({ "a": "x\",\"b\":[1,1,null]", "c": "F: Send + 'static" })),
        (0, 4, 0, 0)
    );
    assert_eq!(told(json!([])), (0, 5, 5, 0));
}
