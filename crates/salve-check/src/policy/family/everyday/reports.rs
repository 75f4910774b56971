//! Commands that report: on packages, object files, coverage, the toolchain and settings of git.
//!
//! In: their words. Out: nothing, or an objection. Never lets one install, change a setting, take a
//! package from a file or an address, or read what the line does not name.

use super::super::Starts::{self, Code, Git, Installer, Nothing};
use super::super::python as rules;
use super::Operands::{self, Files, None, Own, Text, Whole};
use super::Program;
use crate::RiskClass::{self, Build, Network, Read, Write};
use crate::policy::context::{Context, Judged, operands};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{self, Configures, Executes, NeverEnds, Reads};
use crate::policy::options::Meaning::{self, Ask, Switch};
use crate::policy::options::{Item, Style, Table};

type Rows = &'static [(Meaning, &'static str)];

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
const JS: Rows = &[
    (Switch, "--json --long -l --parseable -p --prod -P --dev -D -r --recursive -a --all"), (Meaning::Text, "--depth"), (Ask(Hazard::Network), "--registry"),
];
#[rustfmt::skip]
const PIP: Rows = &[
    (Switch, "-o --outdated -u --uptodate -l --local --user --not-required --pre -f --files -q --quiet -v --verbose --all --exclude-editable --disable-pip-version-check --no-color"), (Meaning::Text, "--format --exclude"), (Ask(Reads), "--path --python -i --index-url --extra-index-url --find-links"),
];
const UV: Rows = &[
    (Switch, "--frozen --locked --offline --check --no-dev --all-groups -q --quiet -v --verbose"),
    (Meaning::Text, "--depth --prune --package --group"),
];
const POETRY: Rows = &[
    (
        Switch,
        "-t --tree -l --latest -o --outdated -a --all -q --quiet -v --verbose --lock --strict",
    ),
    (Meaning::Text, "--with --without --only"),
];
#[rustfmt::skip]
const COVERAGE: Rows = &[
    (Switch, "-m --show-missing -i --ignore-errors --skip-covered --skip-empty -q --quiet"), (Meaning::Text, "--fail-under --precision --sort --format"), (Meaning::Read, "--data-file"), (Meaning::Write, "-d --directory"), (Ask(Configures), "--rcfile"),
];

#[rustfmt::skip]
pub(super) static PROGRAMS: [Program; 52] = [
    program("git check-ignore", Read, Git, Text, &[(Switch, "-v --verbose -q --quiet -n --non-matching --no-index -z"), (Ask(Reads), "--stdin")]),
    program("git config", Read, Git, Own(setting), &[(Switch, "--get --get-all --local --global --system --show-origin --show-scope -z")]),
    program("npm view", Network, Nothing, Own(packages), JS), program("npm info", Network, Nothing, Own(packages), JS),
    program("npm explain", Read, Nothing, Own(packages), JS), program("npm why", Read, Nothing, Own(packages), JS),
    program("npm pkg get", Read, Nothing, Text, &[]), program("npm pack --dry-run", Build, Code, None, &[(Switch, "--json")]),
    program("pnpm list", Read, Nothing, Own(packages), JS), program("pnpm ls", Read, Nothing, Own(packages), JS), program("pnpm why", Read, Nothing, Own(packages), JS),
    program("yarn why", Read, Nothing, Own(packages), JS), program("yarn list", Read, Nothing, Own(packages), JS),
    program("yarn", Network, Installer, Own(bare), &[(Switch, "--frozen-lockfile --immutable --offline --prefer-offline")]),
    // The modules of pip are looked for in the current folder first.
    program("python -m pip list", Read, Code, Text, PIP), program("python -m pip show", Read, Code, Text, PIP), program("python -m pip freeze", Read, Code, None, PIP), program("python -m pip check", Read, Code, None, PIP),
    program("python3 -m pip list", Read, Code, Text, PIP), program("python3 -m pip show", Read, Code, Text, PIP), program("python3 -m pip freeze", Read, Code, None, PIP),
    program("pip3 list", Read, Nothing, Text, PIP), program("pip3 show", Read, Nothing, Text, PIP), program("pip3 freeze", Read, Nothing, None, PIP), program("pip index versions", Network, Nothing, Own(packages), PIP),
    program("uv pip freeze", Read, Nothing, None, PIP), program("uv pip show", Read, Nothing, Text, PIP), program("uv pip check", Read, Nothing, None, PIP),
    program("uv tree", Network, Installer, None, UV), program("uv lock --check", Network, Installer, None, UV),
    program("poetry show", Read, Nothing, Text, POETRY), program("poetry check", Read, Nothing, None, POETRY),
    program("coverage report", Read, Code, Text, COVERAGE), program("coverage html", Write, Code, Text, COVERAGE), program("coverage run", Build, Code, Whole(coverage_run), &[]),
    program("cargo fetch", Network, Installer, None, &[(Switch, "--locked -q --quiet -v --verbose"), (Meaning::Text, "--target")]),
    program("cargo search", Network, Nothing, Text, &[(Meaning::Text, "--limit"), (Ask(Hazard::Network), "--registry --index")]),
    program("cargo update --dry-run", Network, Installer, None, &[(Switch, "-w --workspace -v --verbose -q --quiet"), (Meaning::Text, "-p --package --precise")]),
    program("rustup show", Read, Nothing, Text, &[(Switch, "-v --verbose")]),
    program("go mod why", Read, Code, Text, &[(Switch, "-m -vendor")]),
    program("go doc", Read, Code, Text, &[(Switch, "-all -src -short -u -c -cmd"), (Ask(NeverEnds), "-http")]),
    program("go tool cover", Read, Code, Whole(cover), &[]),
    program("clang-tidy", Build, Nothing, Own(sources), &[(Switch, "--quiet"), (Meaning::Read, "-p"), (Ask(Executes), "--load"), (Ask(Configures), "--config --config-file")]),
    program("nm", Read, Nothing, Files, &[(Switch, "-A -a -C -D -g -n -p -r -S -u --demangle --defined-only --undefined-only --dynamic --extern-only --numeric-sort --size-sort"), (Ask(Executes), "--plugin")]),
    program("objdump", Read, Nothing, Files, &[(Switch, "-a -C -d -D -f -h -p -r -R -s -t -T -w -x --demangle --disassemble --no-show-raw-insn"), (Meaning::Text, "-j --section -M"), (Ask(Reads), "-S --source -l --line-numbers --dwarf --prefix")]),
    program("readelf", Read, Nothing, Files, &[(Switch, "-a -A -d -e -g -h -I -l -n -r -s -S -t -u -V -W --wide --all --file-header --headers --segments --sections --symbols --dynamic --notes --relocs")]),
    program("size", Read, Nothing, Files, &[(Switch, "-A -B -d -o -t -x")]),
    program("free", Read, Nothing, None, &[(Switch, "-b -k -m -g -h -t -w --human --mega --giga --total")]),
    program("printenv", Read, Nothing, Own(variables), &[]),
    program("java -version", Read, Nothing, None, &[]),
    program("clang-format --dry-run", Read, Nothing, Files, &[(Switch, "-n --dry-run -Werror --Werror --verbose")]), program("clang-format -n", Read, Nothing, Files, &[(Switch, "--dry-run -Werror --Werror --verbose")]),
];

fn refused(word: &str, why: &str) -> Judged {
    Err(Objection::never(Rule::Argument, format!("`{}` {why}", word.escape_debug())))
}

// `name`, `name@1`, `@scope/name`: what has another stroke is a file or a repository.
fn packages(_: &Context<'_>, items: &[Item<'_>]) -> Judged {
    let named = |word: &str| {
        let plain = |part: &str| {
            part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.@^~<>=".contains(&byte))
        };
        match word.strip_prefix('@').and_then(|scoped| scoped.split_once('/')) {
            Some((scope, name)) => plain(scope) && plain(name),
            Option::None => plain(word) && !word.starts_with('.'),
        }
    };
    match operands(items).find(|(word, _)| !named(word)) {
        Option::None => Ok(()),
        Some((word, _)) => refused(word, "is more than the name of a package"),
    }
}

/// Sections of git's settings that hold no credentials.
const SECTIONS: &[&str] = &["user", "core", "branch", "init", "pull", "push", "merge", "rebase"];

// One name asks for its value; a second word would set it.
fn setting(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    let words: Vec<&str> = operands(items).map(|(word, _)| word).collect();
    match words.as_slice() {
        [name]
            if name.split_once('.').is_some_and(|(section, _)| {
                SECTIONS.contains(&section.to_ascii_lowercase().as_str())
            }) =>
        {
            Ok(())
        }
        _ => {
            let why = "settings of git would be changed or listed".to_owned();
            context.unless_listed(Rule::NotListed, context.words.len(), why)
        }
    }
}

fn bare(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    match operands(items).next() {
        Option::None => Ok(()),
        Some((word, at)) => {
            let why = format!("`yarn {}` is not on the list", word.escape_debug());
            context.unless_listed(Rule::NotListed, at + 1, why)
        }
    }
}

/// Variables that hold no secret.
const HARMLESS: &[&str] = &["PATH", "HOME", "USER", "SHELL", "LANG", "PWD", "TERM", "CI", "TMPDIR"];

fn variables(_: &Context<'_>, items: &[Item<'_>]) -> Judged {
    let mut words = operands(items).map(|(word, _)| word).peekable();
    if words.peek().is_none() {
        return Err(Objection::never(Rule::Argument, "the whole environment would be shown"));
    }
    match words.find(|word| !HARMLESS.contains(word)) {
        Option::None => Ok(()),
        Some(word) => refused(word, "is a variable that may hold a secret"),
    }
}

// Its own switches, then what `python` takes: `-m pytest`, or a script.
fn coverage_run(context: &Context<'_>, start: usize) -> Judged {
    let own = ["--branch", "-p", "--parallel-mode", "-a", "--append"];
    let skipped =
        context.words.iter().skip(start).take_while(|word| own.contains(&word.as_str())).count();
    match context.words.get(start + skipped) {
        Some(word) if word == "-m" || !word.starts_with('-') => {
            rules::python(&Context { named: start + skipped, ..*context })
        }
        _ => Err(Objection::never(Rule::Argument, "the flags are not in the table of `coverage`")),
    }
}

// `-func=FILE` prints; every other form writes or opens a page.
fn cover(context: &Context<'_>, start: usize) -> Judged {
    let words = context.words.get(start..).unwrap_or_default();
    match words.iter().map(|word| word.strip_prefix("-func=")).collect::<Option<Vec<_>>>() {
        Some(files) if files.len() == 1 => files.iter().try_for_each(|file| context.read(file)),
        _ => Err(Objection::never(Rule::Argument, "only `-func=FILE` just prints")),
    }
}

// What follows `--` is handed on to the compiler, which can load code.
fn sources(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    items.iter().try_for_each(|item| match item {
        Item::Operand { text, after_dashes: true, .. } => {
            refused(text, "is handed on to the compiler")
        }
        Item::Operand { text, .. } => context.read(text),
        Item::Flag { .. } => Ok(()),
    })
}
