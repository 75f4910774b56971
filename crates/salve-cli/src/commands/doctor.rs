//! `salve doctor`: what this installation has, and what it lacks.
//!
//! In: the settings, the workspace, the grammars, one small check of every stage, the sandbox and the toolchains of
//! this machine, the providers and their keys. Out: a table, and exit code 1 when a check fails; what is merely missing fails
//! nothing and says what to do. Never changes anything, never shows a variable's value.

mod machine;
mod models;
mod place;

use crate::arguments::Format;
use crate::failure::{CommandResult, Ending};
use crate::settings::Settings;
use crate::{output, wrap};
use salve_engine::pipeline::{PipelineOptions, judge_text};
use salve_syntax::{check_syntax, grammars, has_grammar};
use salve_text::{ParseOptions, parse_json};
use salve_types::{Language, RawReply};
use serde::Serialize;
use serde_json::{Value, json};

/// One line of the doctor's table.
struct Check {
    name: String,
    state: State,
    detail: String,
}

/// The state of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    Missing,
    Fail,
}

impl Check {
    fn new(name: &str, good: bool, detail: impl Into<String>) -> Self {
        let state = if good { State::Ok } else { State::Fail };
        Self { name: name.to_owned(), state, detail: detail.into() }
    }
}

/// Runs `salve doctor`.
pub(crate) fn run(format: Format) -> CommandResult {
    let checks = checks();
    match format {
        Format::Human => output::result(&table(&checks))?,
        _ => output::values(format, &documents(&checks))?,
    }
    let good = checks.iter().all(|check| check.state != State::Fail);
    Ok(if good { Ending::Clean } else { Ending::Findings })
}

/// Returns what is found: name, state (`ok`, `missing`, `fail`) and words.
pub(crate) fn facts() -> Vec<(String, String, String)> {
    let fact = |check: Check| (check.name, output::word(&check.state), check.detail);
    checks().into_iter().map(fact).collect()
}

fn checks() -> Vec<Check> {
    let mut checks = vec![
        version(),
        settings(),
        grammar_check(),
        second_opinion(),
        inspect_check(),
        parse_check(),
    ];
    checks.extend(place::rows());
    checks.extend(machine::rows());
    checks.extend(models::rows());
    checks
}

fn version() -> Check {
    let detail = format!("{} on {}", env!("CARGO_PKG_VERSION"), std::env::consts::OS);
    Check::new("salve", true, detail)
}

fn settings() -> Check {
    match Settings::load() {
        Ok(settings) => {
            let changed = settings.rows().iter().filter(|row| row.2 != "built in").count();
            let changed = output::counted(changed, "setting");
            let detail = format!("{changed} changed; `salve config show --origin`");
            Check::new("settings", true, detail)
        }
        Err(failure) => {
            let detail = crate::batch::failure_text(&failure);
            Check::new("settings", false, detail)
        }
    }
}

// A grammar that cannot be loaded is a broken build; each must at least accept the empty text.
fn grammar_check() -> Check {
    let broken: Vec<&str> = grammars()
        .iter()
        .filter(|grammar| {
            !check_syntax("", grammar.language).is_some_and(|report| report.is_clean())
        })
        .map(|grammar| grammar.language.name())
        .collect();
    let names: Vec<&str> = grammars().iter().map(|grammar| grammar.language.name()).collect();
    let detail = if broken.is_empty() {
        format!("{} loaded: {}", names.len(), names.join(", "))
    } else {
        format!("not working: {}", broken.join(", "))
    };
    Check::new("grammars", broken.is_empty(), detail)
}

fn second_opinion() -> Check {
    let without: Vec<&str> =
        Language::all().filter(|&language| !has_grammar(language)).map(Language::name).collect();
    let detail = format!("lexical machine only for: {}", without.join(", "));
    Check::new("one opinion", true, detail)
}

fn inspect_check() -> Check {
    let judge = |text: &str| {
        let raw = RawReply { language: Some(Language::Rust), ..RawReply::from_text(text) };
        judge_text(&raw, &PipelineOptions::default()).verdict.is_valid
    };
    let good = judge("fn f<'a>(x: &'a str) -> &'a str { x }\n") && !judge("fn f() { \"");
    let detail = if good { "a whole and a cut text are told apart" } else { "misjudges a sample" };
    Check::new("inspect", good, detail)
}

fn parse_check() -> Check {
    let parsed = parse_json("Sure: {'a': [1, 2,", &ParseOptions::default());
    let good = parsed.value() == json!({ "a": [1, 2] }) && !parsed.complete;
    let detail =
        if good { "a cut object is read and marked incomplete" } else { "misreads a sample" };
    Check::new("parse", good, detail)
}

fn table(checks: &[Check]) -> String {
    let width = checks.iter().map(|check| check.name.chars().count()).max().unwrap_or(0);
    let columns = wrap::width_of_result();
    let colour = |colour: anstyle::AnsiColor| colour.on_default().bold();
    checks
        .iter()
        .map(|check| {
            let (style, word) = match check.state {
                State::Ok => (colour(anstyle::AnsiColor::Green), "ok     "),
                State::Missing => (colour(anstyle::AnsiColor::Yellow), "missing"),
                State::Fail => (colour(anstyle::AnsiColor::Red), "fail   "),
            };
            let line = format!("{style}{word}{style:#}  {:width$}  {}\n", check.name, check.detail);
            wrap::wrap(&line, columns, width + 11)
        })
        .collect()
}

fn documents(checks: &[Check]) -> Vec<Value> {
    checks
        .iter()
        .map(|check| {
            let ok = check.state == State::Ok;
            json!({ "name": check.name, "ok": ok, "state": check.state, "detail": check.detail })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_counts_the_grammars_that_are_there() {
        const WORDS: [&str; 8] = [
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ];
        let readme = include_str!("../../../../README.md");
        let word = WORDS[grammars().len() - 12];
        assert!(readme.contains(&format!("For {word} of them a tree-sitter")), "{word}");
    }
}
