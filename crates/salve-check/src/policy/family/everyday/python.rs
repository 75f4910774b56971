//! The tools of Python projects: test runners, checkers, what is installed.
//!
//! In: their words. Out: nothing, or an objection. Never loads a plugin or a configuration from
//! elsewhere, and never changes a file but for a virtual environment.

use super::super::Starts::{self, Code, Installer, Nothing};
use super::super::python as rules;
use super::Operands::{self, Files, None, OneFile, Own, Text, Whole};
use super::Program;
use crate::RiskClass::{self, Build, Network, Read, Write};
use crate::policy::context::{Context, Judged, operands};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{Configures, Deletes, Executes, NeverEnds, Reads, Writes};
use crate::policy::options::Meaning::{self, Ask, OptionalText, Pattern, Switch};
use crate::policy::options::{Item, Style, Table};

type Rows = &'static [(Meaning, &'static str)];

const fn tool(words: &'static str, operands: Operands, rows: Rows) -> Program {
    program(words, Build, Code, operands, rows)
}

const fn program(
    words: &'static str,
    risk: RiskClass,
    starts: Starts,
    operands: Operands,
    rows: Rows,
) -> Program {
    Program { words, risk, starts, style: Style::EXACT, operands, table: Table::new(rows) }
}

#[rustfmt::skip]
const RUFF: Rows = &[
    (Switch, "--check --no-cache --diff --show-fixes --statistics --preview --no-preview -q --quiet -v --verbose -s --silent --no-fix --exit-zero --exit-non-zero-on-fix --isolated --show-files --show-settings -n --force-exclude --respect-gitignore -V --version -h --help"),
    (Meaning::Text, "--select --ignore --extend-select --extend-ignore --output-format --target-version --line-length --per-file-ignores --color"), (Pattern, "--exclude --extend-exclude"), (Meaning::Read, "--config"),
    (Ask(Writes), "--fix --unsafe-fixes --fix-only --add-noqa -o --output-file --cache-dir"), (Ask(NeverEnds), "-w --watch"), (Ask(Reads), "--stdin-filename"),
];
#[rustfmt::skip]
const MYPY: Rows = &[
    (Switch, "--strict --ignore-missing-imports --no-error-summary --pretty --show-error-codes --hide-error-codes --show-column-numbers --show-error-context --no-incremental --namespace-packages --explicit-package-bases --check-untyped-defs --disallow-untyped-defs --disallow-any-generics --warn-unused-ignores --warn-return-any --warn-unreachable --no-color-output -v --verbose -V --version -h --help --no-site-packages --scripts-are-modules --no-implicit-optional --strict-equality"),
    (Meaning::Text, "--python-version --platform --follow-imports --disable-error-code --enable-error-code --output"), (Pattern, "--exclude"), (Meaning::Read, "--config-file"), (Meaning::Write, "--cache-dir --junit-xml"),
    (Ask(Executes), "--python-executable --install-types --non-interactive -c -m -p --custom-typing-module --custom-typeshed-dir --shadow-file"), (Ask(Writes), "--html-report --xml-report --txt-report --any-exprs-report --linecount-report --lineprecision-report --cobertura-xml-report --xslt-html-report --xslt-txt-report"),
];
#[rustfmt::skip]
const BLACK: Rows = &[
    (Switch, "-q --quiet -v --verbose --check --diff --color --no-color --fast --safe -S --skip-string-normalization -C --preview --version --help -h"),
    (Meaning::Text, "-l --line-length -t --target-version -W --workers"), (Pattern, "--include --exclude --extend-exclude --force-exclude"), (Meaning::Read, "--config"), (Ask(Executes), "-c --code"), (Ask(Reads), "--stdin-filename"),
];
#[rustfmt::skip]
const ISORT: Rows = &[
    (Switch, "-c --check --check-only --diff -q --quiet -v --verbose --color --version --help --gitignore"),
    (Meaning::Text, "--profile -l --line-length -p --project -m --multi-line"), (Pattern, "--skip --skip-glob"), (Meaning::Read, "--settings-path --settings-file --sp --src"), (Ask(Executes), "--formatter"),
];
#[rustfmt::skip]
const FLAKE8: Rows = &[
    (Switch, "-q --quiet -v --verbose --count --statistics --show-source --version --benchmark --exit-zero --isolated --disable-noqa --help"),
    (Meaning::Text, "--max-line-length --select --ignore --extend-ignore --extend-select --format --max-complexity --per-file-ignores -j --jobs --max-doc-length --color"), (Pattern, "--exclude --extend-exclude --filename"), (Meaning::Read, "--config --append-config"), (Meaning::Write, "--output-file"), (Ask(Executes), "--enable-extensions --require-plugins"),
];
#[rustfmt::skip]
const PYLINT: Rows = &[
    (Switch, "-E --errors-only -v --verbose --version --help -h --recursive=y --exit-zero"), (Meaning::Text, "--disable -d --enable -e -j --jobs --reports -r --score -s --msg-template --fail-under --fail-on --recursive --max-line-length"),
    (Pattern, "--ignore --ignore-patterns --ignore-paths"), (Meaning::Read, "--rcfile"), (Ask(Executes), "--load-plugins --init-hook -f --output-format --extension-pkg-allow-list"), (Ask(Writes), "--output"),
];
#[rustfmt::skip]
const PYRIGHT: Rows = &[
    (Switch, "--outputjson --stats --verbose --warnings --version --skipunannotated --dependencies -h --help"), (Meaning::Text, "--level --pythonversion --pythonplatform --threads"), (Meaning::Read, "-p --project"),
    (Ask(Executes), "--pythonpath -v --venvpath -t --typeshedpath"), (Ask(NeverEnds), "-w --watch"), (Ask(Writes), "--createstub --verifytypes"),
];
#[rustfmt::skip]
const PIP_LOOKS: Rows = &[
    (Switch, "-o --outdated -u --uptodate -l --local --user --not-required --pre -f --files -q --quiet -v --verbose --all --exclude-editable -e --editable --disable-pip-version-check --no-color -h --help"), (Meaning::Text, "--format --exclude"), (Ask(Reads), "--path --python -i --index-url --extra-index-url --find-links"),
];
#[rustfmt::skip]
const INSTALLS: Rows = &[
    (Switch, "--frozen --locked --all-extras --no-dev --dev --all-packages --all-groups --no-install-project --offline --quiet -q -v --verbose --no-root --sync --no-interaction -n --only-dev --exact --inexact"), (Meaning::Text, "--extra -E --extras --group --with --without --only --no-group --package"),
];

#[rustfmt::skip]
pub(super) static PROGRAMS: [Program; 60] = [
    tool("pytest", Whole(rules::pytest), &[]), tool("py.test", Whole(rules::pytest), &[]),
    tool(".venv/bin/pytest", Whole(rules::pytest), &[]), tool("venv/bin/pytest", Whole(rules::pytest), &[]),
    tool("uv run pytest", Whole(rules::pytest), &[]), tool("poetry run pytest", Whole(rules::pytest), &[]), tool("pdm run pytest", Whole(rules::pytest), &[]), tool("hatch run pytest", Whole(rules::pytest), &[]),
    tool("uv run python", Whole(interpreter), &[]), tool("poetry run python", Whole(interpreter), &[]), tool(".venv/bin/python", Whole(interpreter), &[]), tool("venv/bin/python", Whole(interpreter), &[]), tool(".venv/bin/python3", Whole(interpreter), &[]),
    tool("ruff check", Files, RUFF), tool("ruff format --check", Files, RUFF), tool("ruff format --diff", Files, RUFF), tool("ruff --version", None, RUFF),
    tool(".venv/bin/ruff check", Files, RUFF), tool("uv run ruff check", Files, RUFF), tool("poetry run ruff check", Files, RUFF), tool("uv run ruff format --check", Files, RUFF),
    tool("mypy", Files, MYPY), tool(".venv/bin/mypy", Files, MYPY), tool("uv run mypy", Files, MYPY), tool("poetry run mypy", Files, MYPY),
    tool("black --check", Files, BLACK), tool("black --diff", Files, BLACK), tool(".venv/bin/black --check", Files, BLACK), tool("poetry run black --check", Files, BLACK),
    tool("isort --check-only", Files, ISORT), tool("isort --check", Files, ISORT), tool("isort --diff", Files, ISORT), tool("isort -c", Files, ISORT),
    tool("flake8", Files, FLAKE8), tool(".venv/bin/flake8", Files, FLAKE8), tool("pylint", Files, PYLINT), tool("pyright", Files, PYRIGHT), tool("npx pyright", Files, PYRIGHT),
    tool("python -m ruff check", Files, RUFF), tool("python -m ruff format --check", Files, RUFF), tool("python -m mypy", Files, MYPY), tool("python -m black --check", Files, BLACK), tool("python -m flake8", Files, FLAKE8), tool("python -m pylint", Files, PYLINT),
    tool("python3 -m ruff check", Files, RUFF), tool("python3 -m mypy", Files, MYPY), tool("python3 -m black --check", Files, BLACK),
    program("python -m json.tool", Read, Code, OneFile, &[(Switch, "--sort-keys --no-ensure-ascii --json-lines --compact --tab --no-indent"), (Meaning::Text, "--indent")]),
    program("python3 -m json.tool", Read, Code, OneFile, &[(Switch, "--sort-keys --no-ensure-ascii --json-lines --compact --tab --no-indent"), (Meaning::Text, "--indent")]),
    program("python -m venv", Write, Code, Own(venv), VENV), program("python3 -m venv", Write, Code, Own(venv), VENV),
    program("pip list", Read, Nothing, Text, PIP_LOOKS), program("pip show", Read, Nothing, Text, PIP_LOOKS), program("pip freeze", Read, Nothing, None, PIP_LOOKS), program("pip --version", Read, Nothing, None, PIP_LOOKS), program("uv pip list", Read, Nothing, None, PIP_LOOKS),
    program("pip check", Read, Nothing, None, PIP_LOOKS),
    program("uv sync", Network, Installer, None, INSTALLS), program("poetry install", Network, Installer, None, INSTALLS),
    program("tox", Build, Code, None, &[(Switch, "-q -v -r --recreate -l --listenvs --notest --version --skip-missing-interpreters"), (Meaning::Text, "-e -m -f"), (OptionalText, "-p --parallel"), (Meaning::Read, "-c --conf"), (Ask(Configures), "-x --override --force-dep --sitepackages --workdir --root"), (Ask(Executes), "--runner --discover")]),
];

const VENV: Rows = &[
    (
        Switch,
        "--system-site-packages --without-pip --upgrade-deps --symlinks --copies --without-scm-ignore-files",
    ),
    (Meaning::Text, "--prompt"),
    (Ask(Deletes), "--clear --upgrade"),
];

fn venv(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    operands(items).try_for_each(|(folder, _)| {
        context.write(folder)?;
        match context.paths.kind(folder) {
            crate::PathKind::Missing | crate::PathKind::Folder => Ok(()),
            _ => Err(Objection::never(Rule::Argument, "the environment's place is taken")),
        }
    })
}

fn interpreter(context: &Context<'_>, start: usize) -> Judged {
    rules::python(&Context { named: start, ..*context })
}
