//! The tools of JavaScript projects, as installed: package managers, compilers, linters, test runners.
//!
//! In: their words. Out: nothing, or an objection. Never fetches a tool to run it: these get no network.

use super::super::Starts::{self, Code, Installer, Nothing};
use super::super::{node as rules, tsc};
use super::Operands::{self, Files, Foreign, None, Own, Text, Whole};
use super::Program;
use crate::RiskClass::{self, Build, Network, Read};
use crate::policy::context::{Context, Judged, has_flag, operands, own_values};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{Configures, Executes, NeverEnds, Reads, Writes};
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

const VERSION: Rows = &[(Switch, "-v --version -h --help")];

#[rustfmt::skip]
const ESLINT: Rows = &[
    (Switch, "--quiet --cache --no-inline-config --report-unused-disable-directives --debug --color --no-color -v --version -h --help --exit-on-fatal-error --no-error-on-unmatched-pattern --no-warn-ignored --pass-on-no-patterns --stats --no-ignore"),
    (Meaning::Text, "--ext --max-warnings --env --global --cache-strategy --concurrency"), (Pattern, "--ignore-pattern --rule"),
    (Meaning::Read, "-c --config --ignore-path"), (Meaning::Write, "-o --output-file --cache-location --cache-file"),
    (Ask(Executes), "--rulesdir --plugin --parser --resolve-plugins-relative-to -f --format --flag"), (Ask(Writes), "--fix --fix-dry-run --fix-type --init --suppress-all"), (Ask(Reads), "--stdin --stdin-filename"),
];
#[rustfmt::skip]
const PRETTIER: Rows = &[
    (Switch, "-c --check -l --list-different --no-config --no-editorconfig -u --ignore-unknown --no-color --color --version --help --no-error-on-unmatched-pattern --single-quote --no-semi --with-node-modules --cache"),
    (Meaning::Text, "--log-level --tab-width --print-width --parser --end-of-line --trailing-comma --prose-wrap"), (Meaning::Read, "--config --ignore-path"),
    (Ask(Executes), "--plugin --plugin-search-dir"), (Ask(Writes), "-w --write --cache-location"), (Ask(Reads), "--stdin-filepath --find-config-path"),
];
#[rustfmt::skip]
const JEST: Rows = &[
    (Switch, "--ci --coverage --collectCoverage --verbose --silent --runInBand -i --bail -b --no-cache --passWithNoTests --detectOpenHandles --forceExit --onlyChanged --onlyFailures -f --json --listTests --colors --color --no-color --no-coverage --updateSnapshot -u --expand -e --errorOnDeprecated --watchAll=false --watch=false --findRelatedTests --version --help --noStackTrace --logHeapUsage"),
    (Pattern, "-t --testNamePattern --testPathPattern --testPathPatterns --testPathIgnorePatterns"), (Meaning::Text, "--maxWorkers -w --testTimeout --shard --selectProjects --maxConcurrency --seed"), (OptionalText, "--changedSince"),
    (Meaning::Read, "-c --config --rootDir --roots"), (Meaning::Write, "--outputFile --coverageDirectory --cacheDirectory"),
    (Ask(Executes), "--globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --transform --preset --runner --testRunner --testEnvironment --env --resolver --reporters --filter --haste"), (Ask(NeverEnds), "--watch --watchAll"),
];
#[rustfmt::skip]
const VITEST: Rows = &[
    (Switch, "--run --coverage --coverage.enabled --silent --no-color --passWithNoTests --typecheck --globals -u --update --hideSkippedTests --no-isolate --allowOnly --no-watch --watch=false --no-file-parallelism --no-coverage"),
    (Meaning::Own, "--reporter --pool --environment"), (Meaning::Text, "--mode --testTimeout --hookTimeout --retry --maxWorkers --minWorkers --project --shard --bail --logHeapUsage"), (Pattern, "-t --testNamePattern --exclude"), (OptionalText, "--changed"),
    (Meaning::Read, "-c --config -r --root --dir"), (Meaning::Write, "--outputFile"), (Ask(NeverEnds), "-w --watch --ui --open --inspect --inspect-brk"), (Ask(Executes), "--globalSetup --execArgv"),
];
#[rustfmt::skip]
const MOCHA: Rows = &[
    (Switch, "--bail -b --recursive --exit --parallel -p --forbid-only --forbid-pending --color --no-color --full-trace --check-leaks --dry-run --version"),
    (Pattern, "-g --grep -f --fgrep"), (Meaning::Own, "-R --reporter -u --ui"), (Meaning::Text, "-t --timeout -s --slow -j --jobs --retries"), (Meaning::Read, "--config --spec --ignore"),
    (Ask(Executes), "-r --require --import --loader -n --node-option"), (Ask(NeverEnds), "-w --watch --inspect --inspect-brk"),
];

#[rustfmt::skip]
pub(super) static PROGRAMS: [Program; 41] = [
    program("npm ci", Network, Installer, Whole(npm_install), &[]),
    program("npm ls", Read, Nothing, Text, &[(Switch, "-a --all --json --long -l --parseable -p --production --link -h --help"), (Meaning::Text, "--depth --omit --include")]),
    program("npm outdated", Network, Nothing, Text, &[(Switch, "-a --all --json --long -l --parseable -p")]),
    program("npm audit", Network, Nothing, None, &[(Switch, "--json --production"), (Meaning::Text, "--audit-level --omit")]),
    program("npm --version", Read, Nothing, None, VERSION), program("npm -v", Read, Nothing, None, VERSION),
    program("yarn --version", Read, Nothing, None, VERSION), program("pnpm --version", Read, Nothing, None, VERSION),
    tool("yarn lint", Whole(script), &[]), tool("yarn typecheck", Whole(script), &[]), tool("yarn format", Whole(script), &[]), tool("yarn check", Whole(script), &[]),
    tool("yarn run build", Whole(script), &[]), tool("yarn run test", Whole(script), &[]), tool("yarn run lint", Whole(script), &[]), tool("pnpm -r test", Whole(script), &[]), tool("pnpm -r build", Whole(script), &[]),
    tool("pnpm test", Whole(script), &[]), tool("pnpm build", Whole(script), &[]), tool("pnpm lint", Whole(script), &[]), tool("pnpm typecheck", Whole(script), &[]),
    tool("npx tsc", Whole(typescript), &[]), tool("npx eslint", Files, ESLINT), tool("npx prettier --check", Files, PRETTIER), tool("npx prettier -c", Files, PRETTIER),
    tool("npx jest", Foreign, JEST), tool("npx vitest run", Own(runner), VITEST), tool("npx mocha", Own(runner), MOCHA),
    tool("eslint", Files, ESLINT), tool("prettier --check", Files, PRETTIER), tool("prettier -c", Files, PRETTIER), tool("jest", Foreign, JEST), tool("vitest run", Own(runner), VITEST), tool("mocha", Own(runner), MOCHA),
    tool("node_modules/.bin/tsc", Whole(typescript), &[]), tool("node_modules/.bin/eslint", Files, ESLINT), tool("node_modules/.bin/jest", Foreign, JEST), tool("node_modules/.bin/vitest run", Own(runner), VITEST), tool("node_modules/.bin/prettier --check", Files, PRETTIER), tool("node_modules/.bin/mocha", Own(runner), MOCHA),
    Program {
        words: "node", risk: Build, starts: Code, style: Style::LEADING, operands: Own(node),
        table: Table::new(&[
            (Switch, "--test --check -c --version -v --help -h --no-warnings --trace-warnings --trace-deprecation --enable-source-maps --experimental-strip-types --test-only --experimental-test-coverage --test-force-exit"),
            (Meaning::Own, "--test-reporter"), (Meaning::Text, "--test-concurrency --test-timeout --max-old-space-size --stack-trace-limit"), (Pattern, "--test-name-pattern --test-skip-pattern"),
            (Ask(Executes), "-e --eval -p --print -r --require --import --loader --experimental-loader -i --interactive"), (Ask(NeverEnds), "--watch --watch-path --inspect --inspect-brk --inspect-wait"),
            (Ask(Reads), "--env-file --env-file-if-exists"), (Ask(Configures), "--openssl-config --icu-data-dir --build-snapshot")]),
    },
];

fn npm_install(context: &Context<'_>, start: usize) -> Judged {
    let own = Context { named: start, ..*context };
    if context.words.iter().skip(start).any(|word| !word.starts_with('-')) {
        return Err(Objection::never(Rule::Argument, "`npm ci` takes no packages"));
    }
    rules::npm_install(&own)
}

fn script(context: &Context<'_>, start: usize) -> Judged {
    rules::script(context, start)
}

fn typescript(context: &Context<'_>, start: usize) -> Judged {
    tsc::tsc(&Context { named: start, ..*context })
}

// What reports or prepares is loaded by its name: a path, or a package, is code.
fn built_in(items: &[Item<'_>]) -> Judged {
    let plain =
        |value: &str| value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    match own_values(items).find(|(_, value, _)| !value.is_some_and(plain)) {
        Option::None => Ok(()),
        Some((flag, _, _)) => {
            let why = format!("the value of `{flag}` is loaded as code");
            Err(Objection::never(Rule::Argument, why))
        }
    }
}

fn runner(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    built_in(items)?;
    operands(items).try_for_each(|(word, _)| context.foreign_word(word))
}

fn node(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    built_in(items)?;
    let script = items.iter().find_map(|item| match item {
        Item::Operand { text, at, .. } => Some((*text, *at)),
        Item::Flag { .. } => Option::None,
    });
    match script {
        Some(("-", _)) => {
            Err(Objection::never(Rule::Argument, "`node -` reads code from its input"))
        }
        Some((script, at)) => {
            context.read(script)?;
            context.foreign_words(context.words.get(at + 1..).unwrap_or_default())
        }
        Option::None if has_flag(items, &["--test", "--version", "-v", "--help", "-h"]) => Ok(()),
        Option::None => Err(Objection::never(
            Rule::Argument,
            "`node` without a script reads code from its input",
        )),
    }
}
