//! git's commands that only look.
//!
//! In: their words. Out: nothing, or an objection. Never lets one change a ref, enter another
//! repository, start a helper, or show a secret file.

use super::super::Starts::{Git, Nothing};
use super::super::git as rules;
use super::super::search::whole_tree::Search;
use super::Operands::{None, Own, Text, Whole};
use super::{Operands, Program};
use crate::RiskClass::Read;
use crate::policy::context::{Context, Judged, has_flag, operands, own_values};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{Executes, Reads};
use crate::policy::options::Meaning::{self, Ask, OptionalOwn, OptionalText, Pattern, Switch};
use crate::policy::options::{Item, Style, Table};

const fn looks(
    words: &'static str,
    operands: Operands,
    rows: &'static [(Meaning, &'static str)],
) -> Program {
    let style = Style { abbreviates: false, ..Style::GNU_NUMBERS };
    Program { words, risk: Read, starts: Git, style, operands, table: Table::new(rows) }
}

#[rustfmt::skip]
pub(super) static PROGRAMS: [Program; 19] = [
    Program { words: "git --version", risk: Read, starts: Nothing, style: Style::EXACT, operands: None, table: Table::new(&[]) },
    looks("git show", Whole(rules::show), &[]),
    looks("git stash list", Whole(rules::show), &[]), looks("git stash show", Whole(rules::show), &[]),
    looks("git cat-file -p", Own(files), &[]), looks("git cat-file -t", Own(files), &[]),
    looks("git ls-tree", Own(files), &[(Switch, "-r -t -d -l --long -z --name-only --name-status --full-name --full-tree"), (OptionalText, "--abbrev")]),
    looks("git reflog", Whole(reflog), &[]),
    looks("git blame", Own(files), &[
        (Switch, "-b -c -l -s -t -e -w -p -f -n --root --show-stats --porcelain --line-porcelain --incremental --minimal --show-name --show-number --show-email --score-debug --no-progress"),
        (OptionalText, "-C -M --abbrev"), (Meaning::Text, "--since --date --ignore-rev"), (OptionalOwn, "-L"),
        (Ask(Reads), "--contents --ignore-revs-file -S --reverse")]),
    looks("git ls-files", Own(files), &[
        (Switch, "-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u --unmerged -k --killed -t -v -f -z --exclude-standard --deduplicate --full-name --error-unmatch --directory --no-empty-directory --eol --debug"),
        (OptionalText, "--abbrev"), (Pattern, "-x --exclude"), (Meaning::Text, "--with-tree --format"),
        (Ask(Reads), "-X --exclude-from --exclude-per-directory --recurse-submodules")]),
    looks("git grep", Own(grep), &[
        (Switch, "-n --line-number -i --ignore-case -l --files-with-matches --name-only -L --files-without-match -c --count -w --word-regexp -v --invert-match -E --extended-regexp -F --fixed-strings -G --basic-regexp -P --perl-regexp -h -H -q --quiet -a --text -I -p --show-function -W --function-context --cached --untracked --no-color --heading --break -o --only-matching --and --or --not --all-match --full-name --column -z --null"),
        (Meaning::Text, "-A --after-context -B --before-context -C --context -m --max-count --max-depth --threads"), (Pattern, "-e"), (OptionalText, "--color"),
        (Ask(Executes), "-O --open-files-in-pager --textconv"), (Ask(Reads), "--no-index --no-exclude-standard -f --recurse-submodules")]),
    looks("git rev-parse", Text, &[
        (Switch, "--verify -q --quiet --show-toplevel --show-prefix --show-cdup --is-inside-work-tree --is-inside-git-dir --is-bare-repository --git-dir --absolute-git-dir --git-common-dir --all --branches --tags --remotes --symbolic --symbolic-full-name --show-superproject-working-tree --is-shallow-repository"),
        (OptionalText, "--short --abbrev-ref --show-object-format")]),
    looks("git remote", Own(remote), &[(Switch, "-v --verbose")]),
    looks("git tag", Own(tag), &[
        (Switch, "-l --list -i --ignore-case --no-column --omit-empty --contains --no-contains --merged --no-merged"),
        (OptionalText, "-n --column --color"), (Meaning::Text, "--points-at"), (OptionalOwn, "--sort --format")]),
    looks("git describe", Text, &[
        (Switch, "--tags --all --always --long --contains --exact-match --first-parent --debug"), (OptionalText, "--dirty --abbrev"), (Pattern, "--match --exclude"), (Meaning::Text, "--candidates")]),
    looks("git shortlog", Own(revisions), &[
        (Switch, "-n --numbered -s --summary -e --email -c --committer --no-merges --merges --all"), (Pattern, "--since --until --author --after --before"), (Meaning::Text, "--group"), (OptionalOwn, "--format")]),
    looks("git worktree list", None, &[(Switch, "--porcelain -v --verbose -z")]),
    looks("git merge-base", Text, &[(Switch, "-a --all --is-ancestor --octopus --independent --fork-point")]),
    looks("git rev-list", Own(revisions), &[
        (Switch, "--count --all --no-merges --merges --first-parent --left-right --reverse --oneline"), (Meaning::Text, "-n --max-count --skip"), (Pattern, "--since --until --author --grep")]),
];

fn asks_for_signatures(items: &[Item<'_>]) -> Judged {
    own_values(items)
        .filter(|(name, _, _)| matches!(*name, "--sort" | "--format"))
        .try_for_each(|(_, value, _)| rules::format(value.unwrap_or_default()))
}

fn revisions(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    asks_for_signatures(items)?;
    files(context, items)
}

fn files(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    for item in items {
        if let Item::Operand { text, after_dashes, .. } = item {
            rules::revision_or_path(context, text, *after_dashes)?;
        }
    }
    Ok(())
}

fn grep(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    let pattern_is_a_flag = has_flag(items, &["-e"]);
    let skipped = usize::from(!pattern_is_a_flag);
    let rest = items.iter().filter(|item| matches!(item, Item::Operand { .. })).skip(skipped);
    rest.clone().try_for_each(|item| files(context, std::slice::from_ref(item)))?;
    // A word before `--` may be a commit, which is the whole tree again.
    let folders: Vec<&str> = rest
        .map(|item| match item {
            Item::Operand { text, after_dashes: true, .. } => *text,
            _ => ".",
        })
        .collect();
    Search::of_grep(items, pattern_is_a_flag).shows_no_secret(context, &folders)
}

fn remote(_: &Context<'_>, items: &[Item<'_>]) -> Judged {
    let words: Vec<&str> = operands(items).map(|(word, _)| word).collect();
    match words.as_slice() {
        [] | ["get-url", _] => Ok(()),
        _ => Err(Objection::never(Rule::Argument, "the remotes would be changed or asked")),
    }
}

fn tag(_: &Context<'_>, items: &[Item<'_>]) -> Judged {
    asks_for_signatures(items)?;
    let lists =
        ["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"];
    if operands(items).next().is_some() && !has_flag(items, &lists) {
        return Err(Objection::never(Rule::Argument, "a tag would be made; `-l` lists"));
    }
    Ok(())
}

fn reflog(context: &Context<'_>, start: usize) -> Judged {
    let changes = ["expire", "delete", "exists", "drop", "write"];
    if context.words.get(start).is_some_and(|word| changes.contains(&word.as_str())) {
        return Err(Objection::never(Rule::Argument, "the log of references would be changed"));
    }
    rules::show(context, start)
}
