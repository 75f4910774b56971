//! python: a script of the workspace, or a module that only checks.
//!
//! In: its words. Out: nothing, or an objection. Never lets it run code from the command line, from
//! standard input, or from a module that is not on the short list.

use crate::policy::context::{Context, Judged, own_values};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{Configures, Executes, NeverEnds, Reads, Uploads, Writes};
use crate::policy::options::Meaning::{Ask, OptionalText, Own, Pattern, Read, Switch, Text, Write};
use crate::policy::options::{Item, Style, Table};

static PYTHON: Table = Table::new(&[
    (Switch, "-b -B -d -E -h -I -O -P -q -R -s -S -u -v -V --version --help"),
    (Text, "--check-hash-based-pycs"),
    (Own, "-m -X -W"),
    (Ask(Executes), "-c"),
    (Ask(NeverEnds), "-i"),
    (Ask(Configures), "-x -J --help-all --help-env --help-xoptions"),
]);

/// Settings of `-X` that only change what is printed or checked.
const SETTINGS: &[&str] = &[
    "dev",
    "utf8",
    "utf8=0",
    "utf8=1",
    "faulthandler",
    "importtime",
    "tracemalloc",
    "warn_default_encoding",
];

pub(super) fn python(context: &Context<'_>) -> Judged {
    let end = interpreter_words(context);
    let head = Context { words: context.words.get(..end).unwrap_or_default(), ..*context };
    let items = head.items(&PYTHON, Style::LEADING)?;
    for (name, value, at) in own_values(&items) {
        let value = value.unwrap_or_default();
        if name == "-m" {
            return module(context, value, at + 1);
        }
        if name == "-W" {
            // The category is imported when it has a dot.
            if value.split(':').nth(2).is_some_and(|category| category.contains('.')) {
                let why = format!("`-W {}` loads a module", value.escape_debug());
                context.unless_listed(Rule::Flag, at + 1, why)?;
            }
            continue;
        }
        if !SETTINGS.contains(&value) {
            let why = format!("`-X {}` changes how python works", value.escape_debug());
            context.unless_listed(Rule::Flag, at + 1, why)?;
        }
    }
    let asks = ["-h", "--help", "-V", "--version"];
    if crate::policy::context::has_flag(&items, &asks) {
        return Ok(());
    }
    let script = items.iter().find_map(|item| match item {
        Item::Operand { text, at, .. } => Some((*text, *at)),
        Item::Flag { .. } => None,
    });
    match script {
        None | Some(("-", _)) => {
            let why = format!("`{}` without a script reads code from its input", context.program());
            Err(Objection::never(Rule::Argument, why))
        }
        Some((script, at)) => {
            context.read(script)?;
            context.foreign_words(context.words.get(at + 1..).unwrap_or_default())
        }
    }
}

// Everything after `-m name` or a script belongs to that one, dashes or not.
fn interpreter_words(context: &Context<'_>) -> usize {
    let mut at = context.named;
    while let Some(word) = context.words.get(at) {
        let takes_next = |letter: char| word.ends_with(letter) && !word.starts_with("--");
        let glued = word.starts_with('-') && !word.starts_with("--") && word.contains('m');
        if word == "-" || !word.starts_with('-') {
            return at + 1;
        }
        if glued {
            return if takes_next('m') { at + 2 } else { at + 1 };
        }
        let has_value = takes_next('W') || takes_next('X') || word == "--check-hash-based-pycs";
        at += if has_value { 2 } else { 1 };
    }
    context.words.len()
}

fn module(context: &Context<'_>, name: &str, start: usize) -> Judged {
    match name {
        "pytest" => pytest(context, start),
        "unittest" => unittest(context, start),
        "py_compile" | "compileall" => {
            let items = context.items_from(start, &COMPILE, Style::EXACT)?;
            if crate::policy::context::operands(&items).any(|(text, _)| text == "-") {
                context.needs_input()?;
            }
            context.read_operands(&items)
        }
        _ => {
            let name = name.escape_debug();
            let why = format!(
                "the module `{name}` is not on the list: pytest, unittest, py_compile, compileall"
            );
            context.unless_listed(Rule::Argument, start, why)?;
            context.foreign_words(context.words.get(start..).unwrap_or_default())
        }
    }
}

static COMPILE: Table = Table::new(&[
    (Switch, "-q -f -l --quiet -h --help -qq"),
    (Text, "-j -r"),
    (Ask(Writes), "-b -d -s -p --invalidation-mode -e --hardlink-dupes"),
    (Ask(Reads), "-i -x"),
]);

static PYTEST: Table = Table::new(&[
    (
        Switch,
        "-v --verbose -q --quiet -x --exitfirst -s -l --showlocals --no-showlocals --lf \
         --last-failed --ff --failed-first --nf --new-first --sw --stepwise --sw-skip \
         --stepwise-skip --co --collect-only --strict --strict-markers --strict-config --no-header \
         --no-summary --disable-warnings --disable-pytest-warnings --runxfail --markers --fixtures \
         --funcargs --fixtures-per-test --setup-only --setup-show --setup-plan --cache-clear \
         --doctest-modules --doctest-continue-on-failure --doctest-ignore-import-errors \
         --continue-on-collection-errors --no-cov --full-trace --noconftest --keep-duplicates \
         --xfail-tb --no-fold-skipped -h --help -V --version --cov --no-cov-on-fail --cov-branch",
    ),
    (Pattern, "-k -m --deselect"),
    (
        Text,
        "--maxfail --tb --durations --durations-min -r --color --capture --verbosity --show-capture \
         --import-mode -W --pythonwarnings --last-failed-no-failures --lfnf --timeout -n \
         --numprocesses --dist --cov-fail-under --code-highlight --doctest-report --reruns \
         --asyncio-mode --random-order-seed --ignore-glob --junitprefix",
    ),
    (Read, "--rootdir --ignore --confcutdir"),
    (Write, "--junitxml --junit-xml"),
    (OptionalText, "--cache-show"),
    (Own, "--cov-report"),
    (Ask(Executes), "-p --pdb --pdbcls --trace --pyargs --doctest-glob"),
    (Ask(Configures), "-c --config-file -o --override-ini --cov-config --inifile"),
    (Ask(Uploads), "--pastebin"),
    (Ask(Writes), "--basetemp --debug --log-file --result-log --resultlog --html"),
    (Ask(NeverEnds), "-f --looponfail"),
]);

pub(super) fn pytest(context: &Context<'_>, start: usize) -> Judged {
    // `--cov=src` is a report on a folder; it is only looked at.
    let covers = |word: &String| word.starts_with("--cov=");
    let mut words = context.words.to_vec();
    for word in words.iter_mut().skip(start).filter(|word| covers(word)) {
        context.foreign_word(word)?;
        *word = "--cov".to_owned();
    }
    let replaced = Context { words: &words, ..*context };
    let items = replaced.items_from(start, &PYTEST, Style::EXACT)?;
    for (_, value, _) in own_values(&items) {
        if let Some((_, path)) = value.unwrap_or_default().split_once(':') {
            context.output(path)?;
        }
    }
    for (text, _) in crate::policy::context::operands(&items) {
        if text.starts_with('@') {
            let why = format!("`{}` hides arguments in a file", text.escape_debug());
            return Err(Objection::never(Rule::Argument, why));
        }
        context.read(text.split("::").next().unwrap_or_default())?;
    }
    Ok(())
}

static UNITTEST: Table = Table::new(&[
    (Switch, "-v --verbose -q --quiet --locals -f --failfast -c --catch -b --buffer -h --help"),
    (Pattern, "-k -p --pattern"),
    (Text, "--durations"),
    (Read, "-s --start-directory -t --top-level-directory"),
]);

fn unittest(context: &Context<'_>, start: usize) -> Judged {
    let items = context.items_from(start, &UNITTEST, Style::EXACT)?;
    crate::policy::context::operands(&items).try_for_each(|(text, _)| context.read(text))
}

#[cfg(test)]
pub(super) const TABLES: &[&Table] = &[&PYTHON, &COMPILE, &PYTEST, &UNITTEST];
