//! Programs that look for something: grep and find.
//!
//! In: their words. Out: nothing, or an objection. Never lets `find` do anything but look.

pub(super) mod whole_tree;

use crate::policy::context::{Context, Judged, has_flag, operands, own_values};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{Deletes, Executes, Links, Reads, Writes};
use crate::policy::options::Meaning::{Ask, OptionalText, Own, Pattern, Read, Switch, Text};
use crate::policy::options::{Meaning, Style, Table};

static GREP: Table = Table::new(&[
    (
        Switch,
        "-E --extended-regexp -F --fixed-strings -G --basic-regexp -P --perl-regexp -i \
         --ignore-case --no-ignore-case -y -v --invert-match -w --word-regexp -x --line-regexp -c \
         --count -L --files-without-match -l --files-with-matches -o --only-matching -q --quiet \
         --silent -s --no-messages -b --byte-offset -H --with-filename -h --no-filename -n \
         --line-number -T --initial-tab -u -Z --null -a --text -I -r --recursive \
         --line-buffered -U --binary -z --null-data --no-group-separator -V --version --help",
    ),
    (Pattern, "-e --regexp"),
    (Text, "-m --max-count --label -A --after-context -B --before-context -C --context"),
    (Text, "--binary-files --group-separator"),
    (Own, "--include --exclude --exclude-dir"),
    (OptionalText, "--color --colour"),
    (Read, "-f --file"),
    (Ask(Links), "-R --dereference-recursive"),
    (Ask(Reads), "-d --directories -D --devices --exclude-from"),
]);

pub(super) fn grep(context: &Context<'_>) -> Judged {
    let items = context.items(&GREP, Style::GNU_NUMBERS)?;
    for (name, value, _) in own_values(&items) {
        if name == "--include" {
            context.no_secret_pattern(value.unwrap_or_default())?;
        }
    }
    let excluded = |wanted: &'static str| {
        own_values(&items).filter(move |(name, _, _)| *name == wanted).filter_map(|one| one.1)
    };
    whole_tree::leaves_out_the_ordinary(excluded("--exclude"), whole_tree::FILES)?;
    whole_tree::leaves_out_the_ordinary(excluded("--exclude-dir"), whole_tree::FOLDERS)?;
    let pattern_is_a_flag = has_flag(&items, &["-e", "--regexp", "-f", "--file"]);
    let files: Vec<&str> =
        operands(&items).map(|(text, _)| text).skip(usize::from(!pattern_is_a_flag)).collect();
    let searches_folders = has_flag(&items, &["-r", "--recursive"]);
    if files.is_empty() && !searches_folders && !super::asks_for_help(&items) {
        context.needs_input()?;
    }
    if searches_folders {
        let search = whole_tree::Search::of_grep(&items, pattern_is_a_flag);
        search.shows_no_secret(context, &files)?;
    }
    files.iter().try_for_each(|text| context.read(text))
}

/// What a word of `find` does. `find` has its own way with words: one dash, no abbreviations, no
/// bundles, and its tests may stand in any order.
static FIND: Table = Table::new(&[
    (
        Switch,
        "-P -a -and -o -or -not ! ( ) , -true -false -empty -executable -readable -writable \
         -nouser -nogroup -daystart -depth -d -mount -xdev -noleaf -ignore_readdir_race \
         -noignore_readdir_race -warn -nowarn -print -print0 -ls -prune -quit -help --help \
         -version --version -O0 -O1 -O2 -O3",
    ),
    (Own, "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname"),
    (
        Pattern,
        "-regextype -type -xtype -size -perm -user -group -uid -gid -mtime -atime -ctime -mmin -amin -cmin \
         -links -inum -maxdepth -mindepth -fstype -used -printf",
    ),
    (Read, "-newer -anewer -cnewer -samefile"),
    (Ask(Executes), "-exec -execdir -ok -okdir"),
    (Ask(Deletes), "-delete"),
    (Ask(Writes), "-fprint -fprint0 -fprintf -fls"),
    (Ask(Reads), "-files0-from -D"),
    (Ask(Links), "-L -H -follow"),
]);

pub(super) fn find(context: &Context<'_>) -> Judged {
    let mut words = context.words.iter().map(String::as_str).enumerate().skip(context.named);
    let mut in_expression = false;
    while let Some((at, word)) = words.next() {
        let is_expression = word.starts_with('-') || matches!(word, "!" | "(" | ")" | ",");
        if !is_expression && !in_expression {
            context.read(word)?;
            continue;
        }
        in_expression |= !matches!(word, "-P" | "-O0" | "-O1" | "-O2" | "-O3");
        let meaning = FIND.find(word).map(|(_, meaning)| meaning).or_else(|| newer(word));
        let Some(meaning) = meaning else {
            let why = format!("`{}` is not in the table of `find`", word.escape_debug());
            context.unless_listed(Rule::UnknownFlag, at + 1, why)?;
            continue;
        };
        match meaning {
            Ask(hazard) => context.hazard(word, hazard, at)?,
            Pattern | Read | Own => {
                let Some((_, value)) = words.next() else {
                    let why = format!("`{word}` lacks its value");
                    return Err(Objection::never(Rule::Argument, why));
                };
                match meaning {
                    Read => context.read(value)?,
                    Own if word.ends_with("regex") => {
                        as_patterns(value)
                            .iter()
                            .try_for_each(|one| context.no_secret_pattern(one))?;
                    }
                    Own => context.no_secret_pattern(value)?,
                    _ => {}
                }
            }
            _ => {}
        }
    }
    Ok(())
}

// What a regular expression picks out, roughly, as patterns: one for each alternative.
pub(super) fn as_patterns(expression: &str) -> Vec<String> {
    let plain = expression.replace(['^', '$', '(', ')'], "");
    let alternatives = plain.split('|').map(|one| {
        let one = one.trim_end_matches('\\').replace(".*", "*").replace(".+", "*");
        one.replace("\\.", "[.]").replace('\\', "")
    });
    alternatives.collect()
}

// `-newermt`, `-neweram`, …: the last letter says whether a time or a file follows.
fn newer(word: &str) -> Option<Meaning> {
    let kinds = word.strip_prefix("-newer")?.as_bytes();
    match kinds {
        [b'a' | b'B' | b'c' | b'm', b't'] => Some(Pattern),
        [b'a' | b'B' | b'c' | b'm', b'a' | b'B' | b'c' | b'm'] => Some(Read),
        _ => None,
    }
}

#[cfg(test)]
pub(super) const TABLES: &[&Table] = &[&GREP, &FIND];
