//! What a reading is worth.
//!
//! In: a case and a value that a program read from its text. Out: whether it is right, and what was
//! lost or invented. The words are defined in the head of `mutate.rs`. Never asks a parser.

use super::fault::Case;
use serde_json::{Number, Value};
use std::collections::BTreeMap;

/// What a program made of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    /// Nothing where the program refused, died or took too long.
    pub value: Option<Value>,
    /// Whether it said that the value is complete.
    pub complete: bool,
    /// Whether it marked any part of it as filled in.
    pub inferred: bool,
}

/// How a program did on some cases.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    pub cases: usize,
    pub right: usize,
    /// Wrong, but one mark away from the text, as the truth is.
    pub near: usize,
    pub scalars: usize,
    pub lost: usize,
    pub gone: usize,
    pub invented: usize,
    pub wrong_complete: usize,
    pub wrong_sure: usize,
    /// No answer at all.
    pub none: usize,
}

impl Tally {
    pub(super) fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        self.right += other.right;
        self.near += other.near;
        self.scalars += other.scalars;
        self.lost += other.lost;
        self.gone += other.gone;
        self.invented += other.invented;
        self.wrong_complete += other.wrong_complete;
        self.wrong_sure += other.wrong_sure;
        self.none += other.none;
    }

    pub(super) fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.cases.max(1) as f64
    }

    pub(super) fn percent_of_scalars(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.scalars.max(1) as f64
    }
}

/// Judges one answer.
pub(super) fn judge(case: &Case, answer: &Answer) -> Tally {
    let null = Value::Null;
    let found = answer.value.as_ref().unwrap_or(&null);
    let right =
        answer.value.is_some() && case.truths.iter().any(|truth| same(truth, found, &case.same));
    let mut tally = Tally {
        cases: 1,
        right: usize::from(right),
        none: usize::from(answer.value.is_none()),
        ..Tally::default()
    };
    // Of several truths, the one the answer is nearest to.
    let losses = case
        .truths
        .iter()
        .map(|truth| (lost(truth, found, case), gone(truth, found, case), scalars(truth).len()));
    let (lost, gone, all) = losses.min().unwrap_or_default();
    tally.scalars = all;
    tally.invented = invented(case, found).len();
    if !right {
        tally.lost = lost;
        tally.gone = gone;
        tally.near = usize::from(case.near().iter().any(|near| same(near, found, &case.same)));
        tally.wrong_complete = usize::from(answer.complete);
        tally.wrong_sure = usize::from(answer.complete && !answer.inferred);
    }
    tally
}

fn same(truth: &Value, found: &Value, pairs: &[(String, String)]) -> bool {
    match (truth, found) {
        (Value::Number(one), Value::Number(other)) => same_number(one, other),
        (Value::String(one), Value::String(other)) => same_text(one, other, pairs),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| same(one, other, pairs))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| {
                    other.get(key).is_some_and(|found| same(value, found, pairs))
                })
        }
        _ => truth == found,
    }
}

fn same_text(one: &str, other: &str, pairs: &[(String, String)]) -> bool {
    one == other || pairs.iter().any(|(of, same)| of == one && same == other)
}

// Whole numbers digit by digit, all others by their value: peers do not keep how they were written.
fn same_number(one: &Number, other: &Number) -> bool {
    let (first, second) = (one.to_string(), other.to_string());
    let is_whole = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if first == second || (is_whole(&first) && is_whole(&second)) {
        return first == second
            || first.trim_start_matches('-') == "0" && second.trim_start_matches('-') == "0";
    }
    matches!((first.parse::<f64>(), second.parse::<f64>()), (Ok(one), Ok(other)) if one == other)
}

fn scalars(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().flat_map(scalars).collect(),
        Value::Object(map) => map.values().flat_map(scalars).collect(),
        scalar => vec![scalar],
    }
}

fn name(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{text}"),
        Value::Number(number) => {
            let text = number.to_string();
            let is_whole = text.bytes().all(|byte| byte.is_ascii_digit());
            if is_whole {
                text
            } else {
                text.parse::<f64>().map_or(text, |value| value.to_string())
            }
        }
        other => other.to_string(),
    }
}

// As a multiset: two equal scalars of which one is found are one lost.
fn lost(truth: &Value, found: &Value, case: &Case) -> usize {
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    for scalar in scalars(found) {
        *left.entry(name(scalar)).or_default() += 1;
    }
    let mut take = |name: &str| match left.get_mut(name) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    };
    let mut is_lost = |scalar: &&Value| {
        let other = |text: &str| {
            case.same
                .iter()
                .filter(|(of, _)| of == text)
                .map(|(_, same)| format!("\"{same}"))
                .collect::<Vec<_>>()
        };
        let others = scalar.as_str().map(other).unwrap_or_default();
        !take(&name(scalar)) && !others.iter().any(|other| take(other))
    };
    scalars(truth).iter().filter(|scalar| is_lost(scalar)).count()
}

// Not even inside another string or a key.
fn gone(truth: &Value, found: &Value, case: &Case) -> usize {
    let mut all = String::new();
    everything(found, &mut all);
    let is_gone = |scalar: &&&Value| {
        let text = match scalar {
            Value::String(text) => text.trim().to_owned(),
            other => name(other),
        };
        !all.contains(&text)
            && !case.same.iter().any(|(of, same)| *of == text && all.contains(same))
    };
    scalars(truth).iter().filter(is_gone).count()
}

fn everything(value: &Value, all: &mut String) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| everything(item, all)),
        Value::Object(map) => {
            for (key, item) in map {
                all.push_str(key);
                all.push('\u{0}');
                everything(item, all);
            }
        }
        Value::String(text) => all.push_str(text),
        other => all.push_str(&name(other)),
    }
    all.push('\u{0}');
}

/// Strings and keys that are in the answer, but in no truth, and not a part of the text either.
pub(super) fn invented(case: &Case, found: &Value) -> Vec<String> {
    let mut known = Vec::new();
    for truth in &case.truths {
        strings(truth, &mut known);
    }
    let mut ours = Vec::new();
    strings(found, &mut ours);
    let decoded = format!("{}\n{}", decoded(&case.text), decoded(&case.seamless));
    let flat = flat(&decoded);
    let is_new = |text: &&&str| {
        let text = **text;
        !known.contains(&text)
            && !known.iter().any(|known| known.contains(text))
            && !case.same.iter().any(|(_, same)| same == text)
            && !case.text.contains(text)
            && !decoded.contains(text)
            && !flat.contains(&self::flat(text))
    };
    ours.iter().filter(is_new).map(|text| (*text).to_owned()).collect()
}

fn strings<'a>(value: &'a Value, all: &mut Vec<&'a str>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| strings(item, all)),
        Value::Object(map) => {
            for (key, item) in map {
                all.push(key);
                strings(item, all);
            }
        }
        Value::String(text) => all.push(text),
        _ => {}
    }
}

// Without the indentation of lines, which a reader of a text block may take away.
fn flat(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.join("\n")
}

// Every escape read as the character it means, wherever it is.
fn decoded(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars();
    let mut halves: Vec<u16> = Vec::new();
    let flush = |halves: &mut Vec<u16>, out: &mut String| {
        out.push_str(&String::from_utf16_lossy(halves));
        halves.clear();
    };
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            flush(&mut halves, &mut out);
            out.push(letter);
            continue;
        }
        let next = letters.next();
        if next == Some('u') {
            let digits: String = letters.clone().take(4).collect();
            if let Ok(half) = u16::from_str_radix(&digits, 16) {
                halves.push(half);
                letters.nth(3);
                continue;
            }
        }
        flush(&mut halves, &mut out);
        match next {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some(other @ ('"' | '\'' | '\\' | '/' | '`')) => out.push(other),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    flush(&mut halves, &mut out);
    out
}
