//! git status, diff, log and branch: looking at a repository, and making a branch.
//!
//! In: their words. Out: nothing, or an objection. Never lets git write a file, start a helper, or
//! look at a repository whose settings start programs.

use crate::policy::context::{Context, Judged, has_flag, own_values};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{Configures, Deletes, Executes, Reads, Writes};
use crate::policy::options::Meaning::{Ask, OptionalOwn, OptionalText, Own, Pattern, Switch, Text};
use crate::policy::options::{Item, Style, Table};

const DIFF_SWITCHES: &str = "-p -u --patch -s --no-patch --raw --patch-with-raw --patch-with-stat \
    --indent-heuristic --no-indent-heuristic --minimal --patience --histogram --numstat --shortstat \
    --summary --no-compact-summary --compact-summary -z --name-only --name-status --no-color --no-color-moved \
    --no-color-moved-ws --no-renames --rename-empty --no-rename-empty --check --full-index --binary \
    --find-copies-harder -D --irreversible-delete --pickaxe-all --pickaxe-regex -R \
    --no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w \
    --ignore-all-space --ignore-blank-lines -W --function-context --no-function-context --exit-code \
    --quiet --no-ext-diff --no-textconv --no-prefix --default-prefix --ita-invisible-in-index \
    --ita-visible-in-index --cumulative -t --no-abbrev --no-stat --no-minimal";
const DIFF_TEXTS: &str = "--diff-algorithm --diff-filter --word-diff-regex --inter-hunk-context \
    --src-prefix --dst-prefix --line-prefix --ws-error-highlight --color-moved-ws --anchored \
    --output-indicator-new --output-indicator-old --output-indicator-context --stat-width \
    --stat-name-width --stat-count --stat-graph-width -l";
const DIFF_PATTERNS: &str = "-S -G -I --ignore-matching-lines --skip-to --rotate-to --find-object";
const DIFF_OPTIONALS: &str = "--stat --dirstat -X --dirstat-by-file --color --color-moved \
    --word-diff --color-words --abbrev -B --break-rewrites -M --find-renames -C --find-copies \
    --relative --ignore-submodules -U --unified";

static STATUS: Table = Table::new(&[
    (
        Switch,
        "-s --short -b --branch --show-stash --long -v --verbose -z --null --no-column --ahead-behind \
         --no-ahead-behind --renames --no-renames",
    ),
    (
        OptionalText,
        "--porcelain -u --untracked-files --ignore-submodules --ignored --column -M --find-renames",
    ),
    (Ask(Reads), "--pathspec-from-file --pathspec-file-nul"),
]);

static DIFF: Table = Table::new(&[
    (Switch, DIFF_SWITCHES),
    (Switch, "--cached --staged --merge-base -1 -2 -3 -0 --base --ours --theirs -c --cc -q"),
    (Text, DIFF_TEXTS),
    (Pattern, DIFF_PATTERNS),
    (OptionalText, DIFF_OPTIONALS),
    (Ask(Writes), "--output -o"),
    (Ask(Executes), "--ext-diff --textconv --submodule"),
    (Ask(Reads), "--no-index -O"),
]);

static LOG: Table = Table::new(&[
    (Switch, DIFF_SWITCHES),
    (Text, DIFF_TEXTS),
    (Pattern, DIFF_PATTERNS),
    (OptionalText, DIFF_OPTIONALS),
    (
        Switch,
        "--oneline --graph --no-graph --all --no-decorate --merges --no-merges --first-parent \
         --exclude-first-parent-only --reverse --abbrev-commit --no-abbrev-commit --follow \
         --full-diff --topo-order --date-order --author-date-order --left-right --left-only \
         --right-only --cherry-pick --cherry-mark --cherry --boundary --simplify-by-decoration \
         --simplify-merges --full-history --dense --sparse --show-pulls -g --walk-reflogs --do-walk \
         --parents --children --relative-date --source --no-notes --mailmap --use-mailmap \
         --no-mailmap --no-use-mailmap --log-size -c --cc -m -r --combined-all-paths --not --bisect \
         --reflog --all-match --invert-grep -i --regexp-ignore-case --basic-regexp -E \
         --extended-regexp -F --fixed-strings -P --perl-regexp --remove-empty --in-commit-order \
         --no-expand-tabs --clear-decorations --no-show-signature --no-diff-merges --dd \
         --show-linear-break --ignore-missing --no-max-parents --no-min-parents -q",
    ),
    (
        Text,
        "-n --max-count --skip --date --encoding --decorate-refs \
         --decorate-refs-exclude --diff-merges --exclude --exclude-hidden --glob --min-age --max-age",
    ),
    (
        Pattern,
        "--since --after --until --before --since-as-filter --author --committer --grep \
         --grep-reflog",
    ),
    (
        OptionalText,
        "--decorate --branches --tags --remotes --no-walk --notes --show-notes --expand-tabs \
         --ancestry-path --min-parents --max-parents",
    ),
    (Own, "-L"),
    (OptionalOwn, "--pretty --format"),
    (Ask(Writes), "--output --remerge-diff"),
    (Ask(Executes), "--ext-diff --textconv --submodule --show-signature"),
    (Ask(Reads), "--stdin --no-index -O"),
]);

static BRANCH: Table = Table::new(&[
    (
        Switch,
        "-a --all -r --remotes -v -vv --verbose --show-current -l --list --no-column --no-color \
         --no-abbrev -i --ignore-case -q --quiet --omit-empty --contains --no-contains --with \
         --without --merged --no-merged",
    ),
    (Text, "--points-at"),
    (Own, "--format --sort"),
    (OptionalText, "--column --color --abbrev"),
    (Ask(Deletes), "-d --delete -D -m --move -M -c --copy -C -f --force"),
    (Ask(Configures), "-u --set-upstream-to --unset-upstream -t --track --no-track"),
    (Ask(Configures), "--create-reflog --recurse-submodules --set-upstream"),
    (Ask(Executes), "--edit-description"),
]);

pub(super) fn status(context: &Context<'_>) -> Judged {
    looks(context, &STATUS)
}

pub(super) fn diff(context: &Context<'_>) -> Judged {
    looks(context, &DIFF)
}

pub(super) fn log(context: &Context<'_>) -> Judged {
    looks(context, &LOG)
}

/// Judges what shows commits: `git show`, `git stash list`.
pub(super) fn show(context: &Context<'_>, start: usize) -> Judged {
    looks(&Context { named: start, ..*context }, &LOG)
}

fn looks(context: &Context<'_>, table: &Table) -> Judged {
    let items = context.items(table, Style { abbreviates: false, ..Style::GNU_NUMBERS })?;
    for (name, value, _) in own_values(&items) {
        let value = value.unwrap_or_default();
        match name {
            // `-L 1,5:file` and `-L :function:file`.
            "-L" => context.read(value.rsplit(':').next().unwrap_or_default())?,
            _ => format(value)?,
        }
    }
    for item in &items {
        if let Item::Operand { text, after_dashes, .. } = item {
            revision_or_path(context, text, *after_dashes)?;
        }
    }
    repository(context)
}

// Asking for a signature, to show it or to sort by it, starts the program that checks it.
pub(super) fn format(value: &str) -> Judged {
    if value.contains("%G") || value.contains("signature") {
        let why = "the format or the order checks signatures, which starts another program";
        return Err(Objection::never(Rule::Argument, why));
    }
    Ok(())
}

// `HEAD~1`, `main..topic`, `HEAD:src/a.rs`, `src/a.rs`, `:!vendor`.
pub(super) fn revision_or_path(context: &Context<'_>, text: &str, after_dashes: bool) -> Judged {
    if let Some(excluded) = text.strip_prefix(":!").or_else(|| text.strip_prefix(":^")) {
        return if excluded.starts_with('(') { magic(text) } else { Ok(()) };
    }
    if text.starts_with(':') {
        return magic(text);
    }
    let path = match text.split_once(':') {
        Some((_, path)) if !after_dashes => path,
        _ => text,
    };
    // A range is no path, though its dots look like steps upwards.
    let is_range =
        !after_dashes && path.contains("..") && !path.split('/').any(|step| step == "..");
    let is_above = !after_dashes && (path == "@" || path.is_empty());
    if is_range || is_above {
        return Ok(());
    }
    if path.contains(['*', '?', '[']) {
        context.no_secret_pattern(path)?;
    }
    context.read(path)
}

fn magic(text: &str) -> Judged {
    let why = format!("`{}` is a pattern that only git can read", text.escape_debug());
    Err(Objection::never(Rule::Argument, why))
}

pub(super) fn branch(context: &Context<'_>) -> Judged {
    let items = context.items(&BRANCH, Style::EXACT)?;
    for (_, value, _) in own_values(&items) {
        format(value.unwrap_or_default())?;
    }
    repository(context)
}

/// Tells whether a `git branch` makes a branch instead of listing.
pub(super) fn makes_a_branch(context: &Context<'_>) -> bool {
    let lists = [
        "-l",
        "--list",
        "--show-current",
        "-a",
        "--all",
        "-r",
        "--remotes",
        "--contains",
        "--no-contains",
        "--with",
        "--without",
        "--merged",
        "--no-merged",
        "--points-at",
    ];
    let Ok(items) = context.items(&BRANCH, Style::EXACT) else { return true };
    let names = items.iter().any(|item| matches!(item, Item::Operand { .. }));
    names && !has_flag(&items, &lists)
}

/// Asks where the repository starts programs.
pub(super) fn repository(context: &Context<'_>) -> Judged {
    match context.repository.hazards().first() {
        None => Ok(()),
        Some(hazard) => {
            let why = format!(
                "`{}` in {} makes git start a program",
                hazard.setting.escape_debug(),
                hazard.origin.escape_debug()
            );
            Err(Objection::never(Rule::Repository, why))
        }
    }
}

#[cfg(test)]
pub(super) const TABLES: &[&Table] = &[&STATUS, &DIFF, &LOG, &BRANCH];
