//! npm, yarn and pnpm: packages of the registry by name, and the project's own scripts.
//!
//! In: their words. Out: nothing, or an objection. Never lets one fetch from another place, change
//! its settings, or run a script that is meant to go on for ever.

use crate::policy::context::{Context, Judged, operands, own_values};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{
    Configures, Executes, ForeignProject, Network, NeverEnds, Writes,
};
use crate::policy::options::Meaning::{Ask, OptionalText, Own, Pattern, Switch, Text};
use crate::policy::options::{Item, Style, Table};

static NPM: Table = Table::new(&[
    (
        Switch,
        "-D --save-dev -P --save-prod -O --save-optional -E --save-exact -S --save --no-save -B \
         --save-bundle --save-peer --ignore-scripts --no-audit --audit=false --no-fund --fund=false \
         --prefer-offline --offline --prefer-online --legacy-peer-deps --strict-peer-deps -s --silent \
         -q --quiet --verbose -d -dd -ddd --no-progress --progress=false --production \
         --production=false --package-lock-only --no-package-lock --dry-run --json -l --long --no-optional \
         --color --no-color --color=always --color=false --foreground-scripts --prefer-dedupe --no-bin-links \
         --workspaces -ws --include-workspace-root --if-present --engine-strict --no-update-notifier \
         --no-ignore-scripts -h --help -v --version --audit --fund --progress --package-lock",
    ),
    (Text, "--omit --include --only --loglevel --install-strategy --audit-level --depth"),
    (Own, "-w --workspace"),
    (
        Ask(Writes),
        "-g --global --location --force -f --global-style --install-links --no-strict-ssl",
    ),
    (Ask(Writes), "--cache --logs-dir --tmp --diagnostics-dir --save-prefix --tag"),
    (
        Ask(Network),
        "--registry --proxy --https-proxy --noproxy --strict-ssl --ca --cafile --cert --key",
    ),
    (Ask(Configures), "--userconfig --globalconfig --config --init-module --scope --otp"),
    (Ask(ForeignProject), "-C --prefix --local-prefix"),
    (
        Ask(Executes),
        "--script-shell --shell --node-options --git --editor --viewer --scripts-prepend-node-path --node-gyp",
    ),
    (Ask(Executes), "-c --call --package --script --browser --python"),
    (Ask(NeverEnds), "--watch"),
]);

/// Reads the words of `npm install`.
pub(super) fn npm_words<'a>(context: &Context<'a>) -> Judged<Vec<Item<'a>>> {
    context.items(&NPM, Style::EXACT)
}

/// Reads the words of `yarn add`.
pub(super) fn yarn_words<'a>(context: &Context<'a>) -> Judged<Vec<Item<'a>>> {
    context.items(&YARN, Style::EXACT)
}

/// Reads the words of `pnpm install`.
pub(super) fn pnpm_words<'a>(context: &Context<'a>) -> Judged<Vec<Item<'a>>> {
    context.items(&PNPM, Style::EXACT)
}

pub(super) fn npm_install(context: &Context<'_>) -> Judged {
    let items = context.items(&NPM, Style::EXACT)?;
    own_folders(context, &items)?;
    packages(context, &items)
}

pub(super) fn npm_run(context: &Context<'_>) -> Judged {
    let (own, foreign) = split_at_dashes(context);
    let items = own.items(&NPM, Style::EXACT)?;
    own_folders(context, &items)?;
    let mut words = operands(&items);
    if let Some((script, at)) = words.next() {
        endless_script(context, script, at)?;
    }
    words.try_for_each(|(word, _)| script_word(context, word))?;
    script_words(context, foreign)
}

pub(super) fn npm_test(context: &Context<'_>) -> Judged {
    let (own, foreign) = split_at_dashes(context);
    let items = own.items(&NPM, Style::EXACT)?;
    own_folders(context, &items)?;
    operands(&items).try_for_each(|(word, _)| script_word(context, word))?;
    script_words(context, foreign)
}

// What is before `--` is npm's, what is after it the script's.
fn split_at_dashes<'a>(context: &Context<'a>) -> (Context<'a>, &'a [String]) {
    let dashes = context.words.iter().position(|word| word == "--");
    let end = dashes.unwrap_or(context.words.len());
    let own = Context { words: &context.words[..end], ..*context };
    (own, context.words.get(end + 1..).unwrap_or_default())
}

fn own_folders(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    own_values(items).try_for_each(|(_, value, _)| context.foreign_word(value.unwrap_or_default()))
}

/// Scripts that are meant to go on until a person ends them.
const ENDLESS: &[&str] =
    &["dev", "watch", "serve", "start", "preview", "storybook", "develop", "server"];

fn endless_script(context: &Context<'_>, script: &str, at: usize) -> Judged {
    let endless =
        script.split(':').any(|part| ENDLESS.contains(&part.to_ascii_lowercase().as_str()));
    if endless {
        let why = format!("the script `{}` goes on until a person ends it", script.escape_debug());
        context.unless_listed(Rule::Argument, at + 1, why)?;
    }
    Ok(())
}

/// Words that a test runner or bundler takes as "do not end".
const ENDLESS_FLAGS: &[&str] = &[
    "--watch",
    "-w",
    "--watchall",
    "--ui",
    "--serve",
    "--open",
    "--inspect",
    "--inspect-brk",
    "--interactive",
];

/// Words by which node, a test runner or a bundler takes code, or options of node.
const CODE_FLAGS: &[&str] = &[
    "--import",
    "--require",
    "-r",
    "--loader",
    "--experimental-loader",
    "--eval",
    "-e",
    "--print",
    "-p",
    "-pe",
    "--node-options",
    "--nodeoptions",
    "--env-file",
    "--env-file-if-exists",
    "--preload",
];

/// What some package managers hand on to a shell without taking away its meaning.
const SHELL_LETTERS: &[char] = &['$', '`', '"', '\\', ';', '&', '|', '<', '>', '(', ')', '\n', '!'];

fn shell_safe(word: &str) -> Judged {
    if word.contains(SHELL_LETTERS) {
        let word = word.escape_debug();
        let why = format!("`{word}` is handed on to a shell, which may read it in its own way");
        return Err(Objection::never(Rule::Argument, why));
    }
    Ok(())
}

fn script_words(context: &Context<'_>, words: &[String]) -> Judged {
    for word in words {
        shell_safe(word)?;
        let lower = word.to_ascii_lowercase();
        let (flag, value) = lower.split_once('=').unwrap_or((&lower, ""));
        if CODE_FLAGS.contains(&flag) || flag.ends_with("execargv") {
            let why = format!("`{}` loads code into the script", word.escape_debug());
            return Err(Objection::never(Rule::Flag, why));
        }
        if ENDLESS_FLAGS.contains(&flag) && !matches!(value, "false" | "0") {
            let why = format!("`{}` makes the script go on without an end", word.escape_debug());
            return Err(Objection::never(Rule::Flag, why));
        }
    }
    context.foreign_words(words)
}

fn script_word(context: &Context<'_>, word: &str) -> Judged {
    shell_safe(word)?;
    context.foreign_word(word)
}

fn packages(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    for (text, at) in operands(items) {
        if !is_registry_package(text) {
            let why = format!("`{}` is no plain name of a package", text.escape_debug());
            context.unless_listed(Rule::Argument, at + 1, why)?;
        }
    }
    Ok(())
}

// `lodash`, `@types/node`, `react@18.2.0`, `typescript@^5`, `eslint@latest`.
fn is_registry_package(text: &str) -> bool {
    let (scope, rest) = match text.strip_prefix('@') {
        Some(scoped) => match scoped.split_once('/') {
            Some((scope, rest)) => (Some(scope), rest),
            None => return false,
        },
        None => (None, text),
    };
    let (name, version) = match rest.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (rest, None),
    };
    let is_name = |name: &str| {
        name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-~".contains(&byte))
    };
    let is_version = |version: &str| {
        !version.is_empty()
            && version
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"._-+^~<>=*| ".contains(&byte))
    };
    scope.is_none_or(is_name)
        && is_name(name)
        && version.is_none_or(is_version)
        && !super::is_archive(rest)
}

static YARN: Table = Table::new(&[
    (
        Switch,
        "-s --silent --verbose --json --frozen-lockfile --immutable --immutable-cache --check-cache \
         --offline --prefer-offline --ignore-scripts --ignore-optional --ignore-engines \
         --ignore-platform --production --prod --production=true --production=false --non-interactive \
         --no-progress --check-files --pure-lockfile --no-lockfile --no-bin-links --inline-builds \
         --skip-integrity-check --update-checksums -D --dev -P --peer -O --optional -E --exact -T \
         --tilde -W --ignore-workspace-root-check --no-default-rc --audit --flat --no-emoji --emoji \
         -h --help -v --version --refresh-lockfile --caret --cached --prefer-dev",
    ),
    (Text, "--network-timeout --network-concurrency --mode"),
    (Ask(ForeignProject), "--cwd --modules-folder --link-folder --global-folder --top-level"),
    (Ask(Writes), "-g --global --cache-folder --preferred-cache-folder --prefix --mutex --force"),
    (Ask(Network), "--registry --proxy --https-proxy --no-strict-ssl"),
    (
        Ask(Configures),
        "--use-yarnrc --no-node-version-check --disable-pnp --enable-pnp --pnp --otp",
    ),
    (Ask(Executes), "--scripts-prepend-node-path --node-version"),
    (Ask(NeverEnds), "-i --interactive"),
]);

pub(super) fn yarn_install(context: &Context<'_>) -> Judged {
    let items = context.items(&YARN, Style::EXACT)?;
    no_words(context, &items)
}

pub(super) fn yarn_add(context: &Context<'_>) -> Judged {
    packages(context, &context.items(&YARN, Style::EXACT)?)
}

fn no_words(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    match operands(items).next() {
        None => Ok(()),
        Some((word, _)) => {
            let word = word.escape_debug();
            let why = format!("`{}` takes no word here, such as `{word}`", context.program());
            Err(Objection::never(Rule::Argument, why))
        }
    }
}

/// What runners and bundlers take and what no package manager reads for itself.
static SCRIPT: Table = Table::new(&[
    (
        Switch,
        "--silent -s --coverage --ci --verbose --no-cache --bail --runinband --runInBand -i -u \
         --updateSnapshot --update --passWithNoTests --watch=false --watchAll=false --watch-all=false \
         --no-watch --run --colors --color --no-color --no-coverage --detectOpenHandles --forceExit \
         --onlyChanged -o --onlyFailures -f --expand --json --listTests --fix --quiet --prod \
         --production --sourcemap --minify --no-sourcemap --debug --if-present --parallel --exit \
         --no-fail --stats -r --recursive --workspace-root",
    ),
    (Pattern, "-t --testNamePattern --grep --testPathPattern --testPathIgnorePatterns"),
    (
        Text,
        "--mode --reporter --reporters --maxWorkers --max-workers --testTimeout --timeout --shard \
         --env --maxConcurrency --retry --retries --project --logLevel --log-level --configuration \
         --ext --max-warnings --filter -F",
    ),
    (OptionalText, "--changed"),
    (Ask(NeverEnds), "--watch -w --watchAll --ui --serve --open --inspect --inspect-brk"),
    (Ask(ForeignProject), "--cwd --dir -C --prefix --rootDir --root"),
]);

pub(super) fn yarn_script(context: &Context<'_>) -> Judged {
    script(context, context.named)
}

pub(super) fn pnpm_run(context: &Context<'_>) -> Judged {
    let flags = context.words.iter().skip(context.named).take_while(|word| word.starts_with('-'));
    let at = context.named + flags.count();
    if let Some(name) = context.words.get(at) {
        endless_script(context, name, at)?;
    }
    script(context, context.named)
}

pub(super) fn script(context: &Context<'_>, start: usize) -> Judged {
    let (own, foreign) = split_at_dashes(context);
    let items = own.items_from(start, &SCRIPT, Style::EXACT)?;
    for item in &items {
        match item {
            Item::Operand { text, .. } => script_word(context, text)?,
            Item::Flag { value: Some(value), .. } => script_word(context, value)?,
            Item::Flag { .. } => {}
        }
    }
    script_words(context, foreign)
}

static PNPM: Table = Table::new(&[
    (
        Switch,
        "--frozen-lockfile --no-frozen-lockfile --offline --prefer-offline --ignore-scripts -P \
         --prod -D --dev --no-optional --lockfile-only --fix-lockfile -r --recursive -s --silent \
         --save-dev --save-prod --save-optional -O -E --save-exact --save-peer --ignore-workspace \
         --no-lockfile --strict-peer-dependencies --no-strict-peer-dependencies --no-color --color \
         --aggregate-output --merge-git-branch-lockfiles --no-verify-store-integrity -h --help -v --version \
         --workspace-root --no-prefer-frozen-lockfile --prefer-frozen-lockfile",
    ),
    (Text, "--reporter --loglevel --network-concurrency --child-concurrency"),
    (Own, "-F --filter"),
    (Ask(ForeignProject), "-C --dir --prefix -w --lockfile-dir --workspace-dir --modules-dir"),
    (
        Ask(Writes),
        "-g --global --global-dir --store-dir --virtual-store-dir --cache-dir --state-dir --force -f",
    ),
    (Ask(Writes), "--shamefully-hoist --side-effects-cache --use-store-server --global-bin-dir"),
    (Ask(Network), "--registry --proxy --https-proxy --strict-ssl --ca --cert --key"),
    (
        Ask(Configures),
        "--config --userconfig --pnpmfile --ignore-pnpmfile --global-pnpmfile --hook",
    ),
    (
        Ask(Executes),
        "--script-shell --shell-emulator --node-options --use-node-version --allow-build",
    ),
]);

pub(super) fn pnpm_install(context: &Context<'_>) -> Judged {
    let items = context.items(&PNPM, Style::EXACT)?;
    own_folders(context, &items)?;
    packages(context, &items)
}

#[cfg(test)]
pub(super) const TABLES: &[&Table] = &[&NPM, &YARN, &SCRIPT, &PNPM];
