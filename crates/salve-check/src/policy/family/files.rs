//! Programs that show, make and repeat: ls, cat, head, tail, mkdir, touch, echo, pwd.
//!
//! In: their words. Out: nothing, or an objection. Never lets one follow a file without an end.

use crate::policy::context::{Context, Judged, operands, own_values};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{Configures, Links, NeverEnds, Reads};
use crate::policy::options::Meaning::{Ask, OptionalText, Own, Read, Switch, Text};
use crate::policy::options::{Item, Style, Table};

static LS: Table = Table::new(&[
    (
        Switch,
        "-a --all -A --almost-all --author -b --escape -B --ignore-backups -c -C -d --directory \
         -D --dired -f -F -g -G --no-group --group-directories-first -h --human-readable --si -i \
         --inode -k --kibibytes -l -m -n --numeric-uid-gid -N --literal -o -p \
         --file-type -q --hide-control-chars --show-control-chars -Q --quote-name -r --reverse -R \
         --recursive -s --size -S -t -u -U -v -x -X -1 --zero --full-time --help --version",
    ),
    (Text, "--block-size --hide -I --ignore -T --tabsize -w --width"),
    (Text, "--format --indicator-style --quoting-style --sort --time --time-style"),
    (OptionalText, "--color --classify --hyperlink"),
    (Ask(Links), "-L --dereference -H --dereference-command-line"),
    (Ask(Links), "--dereference-command-line-symlink-to-dir"),
    (Ask(Reads), "-Z --context"),
]);

static CAT: Table = Table::new(&[(
    Switch,
    "-A --show-all -b --number-nonblank -e -E --show-ends -n --number -s --squeeze-blank -t -T \
     --show-tabs -u -v --show-nonprinting --help --version",
)]);

static HEAD: Table = Table::new(&[
    (Switch, "-q --quiet --silent -v --verbose -z --zero-terminated --help --version"),
    (Text, "-c --bytes -n --lines"),
]);

static TAIL: Table = Table::new(&[
    (Switch, "-q --quiet --silent -v --verbose -z --zero-terminated --help --version"),
    (Text, "-c --bytes -n --lines"),
    (Ask(NeverEnds), "-f -F --follow --retry --pid -s --sleep-interval --max-unchanged-stats"),
    (Ask(NeverEnds), "---disable-inotify ---presume-input-pipe"),
]);

static MKDIR: Table = Table::new(&[
    (Switch, "-p --parents -v --verbose --help --version"),
    (Own, "-m --mode"),
    (Ask(Configures), "-Z --context"),
]);

static TOUCH: Table = Table::new(&[
    (Switch, "-a -c --no-create -f -h --no-dereference -m --help --version"),
    (Text, "-d --date -t --time"),
    (Read, "-r --reference"),
]);

static PWD: Table = Table::new(&[(Switch, "-L --logical -P --physical --help --version")]);

pub(super) fn ls(context: &Context<'_>) -> Judged {
    context.read_operands(&context.items(&LS, Style::GNU)?)
}

pub(super) fn cat(context: &Context<'_>) -> Judged {
    shows_files(context, &CAT, Style::GNU)
}

pub(super) fn head(context: &Context<'_>) -> Judged {
    shows_files(context, &HEAD, Style::GNU_NUMBERS)
}

pub(super) fn tail(context: &Context<'_>) -> Judged {
    let items = context.items(&TAIL, Style::GNU_NUMBERS)?;
    // `tail +5f x` is `tail -n +5 -f x` for an old standard.
    if let Some((word, _)) = operands(&items).find(|(word, _)| word.starts_with('+')) {
        let why = format!("`{}` can be the old spelling of flags", word.escape_debug());
        return Err(Objection::never(Rule::Argument, why));
    }
    shows_files(context, &TAIL, Style::GNU_NUMBERS)
}

fn shows_files(context: &Context<'_>, table: &Table, style: Style) -> Judged {
    let items = context.items(table, style)?;
    counts(&items)?;
    let help = super::asks_for_help(&items);
    if !help && operands(&items).all(|(text, _)| text == "-") {
        context.needs_input()?;
    }
    context.read_operands(&items)
}

// `-n 5`, `-n +5`, `-c 1K`: anything else is a bundle that was meant otherwise.
fn counts(items: &[Item<'_>]) -> Judged {
    for item in items {
        if let Item::Flag { name, value: Some(value), .. } = item
            && !value
                .trim_start_matches(['+', '-'])
                .starts_with(|digit: char| digit.is_ascii_digit())
        {
            let why = format!("`{name}` needs a number, not `{}`", value.escape_debug());
            return Err(Objection::never(Rule::Argument, why));
        }
    }
    Ok(())
}

pub(super) fn mkdir(context: &Context<'_>) -> Judged {
    written_operands(context, &MKDIR)
}

pub(super) fn touch(context: &Context<'_>) -> Judged {
    written_operands(context, &TOUCH)
}

fn written_operands(context: &Context<'_>, table: &Table) -> Judged {
    let items = context.items(table, Style::GNU)?;
    for (_, mode, _) in own_values(&items) {
        plain_mode(mode.unwrap_or_default())?;
    }
    operands(&items).try_for_each(|(text, _)| context.write(text))
}

// Bits beyond reading, writing and entering lend the rights of the owner or the group.
fn plain_mode(mode: &str) -> Judged {
    let digits = mode.trim_start_matches('0');
    let special = digits.len() > 3 || mode.contains(['s', 't']);
    if special {
        let why = format!("the mode `{}` sets special bits", mode.escape_debug());
        return Err(Objection::never(Rule::Argument, why));
    }
    Ok(())
}

/// Prints its words, whatever they look like.
pub(super) fn echo(_: &Context<'_>) -> Judged {
    Ok(())
}

pub(super) fn pwd(context: &Context<'_>) -> Judged {
    let items = context.items(&PWD, Style::GNU)?;
    match operands(&items).next() {
        None => Ok(()),
        Some(_) => Err(Objection::never(Rule::Argument, "`pwd` takes no words")),
    }
}

#[cfg(test)]
pub(super) const TABLES: &[&Table] = &[&LS, &CAT, &HEAD, &TAIL, &MKDIR, &TOUCH, &PWD];
