//! Formatters that rewrite source files in place, and `tee`.
//!
//! In: their words. Out: nothing, or an objection. Never lets one near a file that tools obey, nor
//! take a plugin or a style from elsewhere.

use super::super::Starts::{self, Code, Nothing};
use super::Operands::Own;
use super::Program;
use crate::RiskClass::Write;
use crate::policy::context::{Context, Judged, operands};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{Configures, Executes, Reads};
use crate::policy::options::Meaning::{self, Ask, Pattern, Switch};
use crate::policy::options::{Item, Style, Table};

type Rows = &'static [(Meaning, &'static str)];

const fn formats(words: &'static str, starts: Starts, rows: Rows) -> Program {
    let (style, operands) = (Style::EXACT, Own(rewritten));
    Program { words, risk: Write, starts, style, operands, table: Table::new(rows) }
}

#[rustfmt::skip]
const PRETTIER: Rows = &[
    (Switch, "-l --list-different --no-config --no-editorconfig -u --ignore-unknown --no-color --color --single-quote --no-semi"), (Meaning::Text, "--log-level --tab-width --print-width --end-of-line --trailing-comma --prose-wrap"),
    (Ask(Executes), "--plugin --plugin-search-dir"), (Ask(Configures), "--config --ignore-path --cache-location"), (Ask(Reads), "--stdin-filepath --find-config-path"),
];
#[rustfmt::skip]
const PYTHON: Rows = &[
    (Switch, "-q --quiet -v --verbose --preview --fast --safe -S --skip-string-normalization -C --version --help -h"), (Meaning::Text, "-l --line-length -t --target-version"), (Pattern, "--exclude --extend-exclude"),
    (Ask(Executes), "-c --code"), (Ask(Configures), "--config --cache-dir --include"), (Ask(Reads), "--stdin-filename"),
];
#[rustfmt::skip]
const RUFF_FIXES: Rows = &[
    (Switch, "-q --quiet -v --verbose --show-fixes --statistics --preview --no-cache --exit-zero --isolated"), (Meaning::Text, "--select --ignore --extend-select --extend-ignore --output-format --target-version --line-length"), (Pattern, "--exclude --extend-exclude"),
    (Ask(Configures), "--config --cache-dir --unsafe-fixes --add-noqa -o --output-file"), (Ask(Reads), "--stdin-filename"),
];
#[rustfmt::skip]
const ESLINT_FIXES: Rows = &[
    (Switch, "--quiet --color --no-color --no-error-on-unmatched-pattern"), (Meaning::Text, "--ext --max-warnings"), (Ask(Executes), "--rulesdir --plugin --parser -f --format --resolve-plugins-relative-to"), (Ask(Configures), "-c --config --cache-location -o --output-file --ignore-path"),
];
const GOFMT: Rows = &[(Switch, "-l -s -e -w -d"), (Ask(Configures), "-r -cpuprofile")];

pub(super) static PROGRAMS: [Program; 13] = [
    formats("npx prettier --write", Code, PRETTIER),
    formats("npx prettier -w", Code, PRETTIER),
    formats("prettier --write", Code, PRETTIER),
    formats("ruff format", Nothing, PYTHON),
    formats("uv run ruff format", Nothing, PYTHON),
    formats("black", Code, PYTHON),
    formats("ruff check --fix", Nothing, RUFF_FIXES),
    formats("uv run ruff check --fix", Nothing, RUFF_FIXES),
    formats("eslint --fix", Code, ESLINT_FIXES),
    formats("npx eslint --fix", Code, ESLINT_FIXES),
    formats("gofmt -w", Nothing, GOFMT),
    formats("gofmt -s", Nothing, GOFMT),
    formats("tee", Nothing, &[(Switch, "-a --append -i --ignore-interrupts")]),
];

// The whole tree is what the sandbox protects; a part of it is judged by its name.
fn rewritten(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    operands(items).try_for_each(|(path, _)| {
        if path.contains(['*', '?', '[', '{', '!']) {
            let why = format!("`{}` is expanded by the program itself", path.escape_debug());
            return Err(Objection::never(Rule::Argument, why));
        }
        // Hidden folders hold what tools obey; `.github` alone is no protected file, its inside is.
        if path.split('/').any(|step| step.len() > 2 && step.starts_with('.')) {
            let why = format!("`{}` is hidden, and tools may obey it", path.escape_debug());
            return Err(Objection::never(Rule::Argument, why));
        }
        if path == "." { context.read(path) } else { context.write(path) }
    })
}
