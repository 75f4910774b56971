//! What learning a rule and looking through ten thousand of them costs.
//!
//! In: fixes and programs made here. Out: one table: learning from one fix, and the proposals of 10,000
//! rules of one language for one diagnostic, each with the figure asked for and PASS or BELOW. Medians.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use salve_engine::heal::Sources;
use salve_engine::knowledge::{FixExample, FixRule, Piece, RuleBody, RuleIndex, RuleRecord, learn};
use salve_types::{Diagnostic, ErrorClass, Position, Severity, SourceSpan};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const ROUNDS: usize = 21;
const RULES: usize = 10_000;
const LEARNING: Duration = Duration::from_millis(100);
const MATCHING: Duration = Duration::from_millis(10);

struct OneFile(String);

impl Sources for OneFile {
    fn read(&self, path: &str) -> Option<String> {
        (path == "main.c").then(|| self.0.clone())
    }

    fn list(&self) -> Vec<String> {
        vec!["main.c".to_owned()]
    }
}

fn main() {
    println!("{:<52} {:>14} {:>14}  verdict", "what", "measured", "limit");
    let long = example(7, 400);
    report("learning from one fix in 1,200 lines", LEARNING, || {
        assert!(!learn(&long).is_empty(), "a rule");
    });
    let index = RuleIndex::new(rules());
    let asked = example(3, 20);
    let sources = OneFile(asked.before.clone());
    report("10,000 rules of one language, one diagnostic", MATCHING, || {
        let fixes = index.candidates(&asked.diagnostics, &sources, &|_| (0, 0));
        assert!(!fixes.is_empty(), "a proposal");
    });
}

fn report(what: &str, limit: Duration, mut work: impl FnMut()) {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    let median = times[ROUNDS / 2];
    let verdict = if median <= limit { "PASS" } else { "BELOW" };
    println!("{what:<52} {median:>14.2?} {limit:>14.2?}  {verdict}");
}

// The rules of one fix with another token before the edit in each: all are compared, few fit.
fn rules() -> Vec<RuleRecord> {
    let learned = learn(&example(3, 1));
    let mut found: BTreeMap<String, FixRule> = BTreeMap::new();
    for number in 0..RULES {
        for rule in &learned {
            let mut body = rule.body.clone();
            if let RuleBody::Token(body) = &mut body
                && number > 0
            {
                body.left.insert(0, Piece::Exact(format!("v{number}")));
            }
            let rule = FixRule::new(rule.key.clone(), rule.language, rule.level, body);
            found.insert(rule.id.clone(), rule);
        }
        if found.len() >= RULES {
            break;
        }
    }
    found.into_values().take(RULES).map(RuleRecord::new).collect()
}

// A lost token in a line of its own shape, among other lines.
fn example(number: usize, lines: usize) -> FixExample {
    let marks = ["+", "-", "*", "/", "%", "<", ">", "==", "&&", "||", "&", "|", "^"];
    let mark = |digit: usize| {
        marks[number / marks.len().pow(u32::try_from(digit).unwrap_or(0)) % marks.len()]
    };
    let line = format!("  total = a {} b {} 1 {} c", mark(0), mark(1), mark(2));
    let other = "int f(int a, int b) {\n  return a + b;\n}\n".repeat(lines);
    let text = |end: &str| format!("{other}int main() {{\n{line}{end}\n  return 0;\n}}\n");
    let at = u32::try_from(3 * lines + 2).unwrap_or(1);
    let column = u32::try_from(line.len() + 1).unwrap_or(1);
    let mut said =
        Diagnostic::new("gcc", Severity::Error, ErrorClass::Syntax, "expected ';' before 'return'");
    said.spans.push(SourceSpan {
        path: "main.c".to_owned(),
        start: Some(Position { line: at, column }),
        end: None,
        bytes: None,
        primary: true,
        label: None,
        line_text: None,
    });
    FixExample {
        language: None,
        path: "main.c".to_owned(),
        before: text(""),
        after: text(";"),
        diagnostics: vec![said],
    }
}
