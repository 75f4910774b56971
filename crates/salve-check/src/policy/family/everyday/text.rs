//! Programs that show, count, sort and compare text, and that say something about the machine.
//!
//! In: their words. Out: nothing, or an objection. Never lets one write a file.

use super::super::Starts::Nothing;
use super::super::search::{self, whole_tree};
use super::Operands::{Files, None, OneFile, Own, Text, Whole};
use super::{Operands, Program};
use crate::RiskClass::Read;
use crate::policy::context::{Context, Judged, has_flag, operands, own_values};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{Configures, Deletes, Executes, Links, Reads, Writes};
use crate::policy::options::Meaning::{self, Ask, OptionalText, Pattern, Switch};
use crate::policy::options::{Item, Style, Table};

const fn shows(
    words: &'static str,
    operands: Operands,
    rows: &'static [(Meaning, &'static str)],
) -> Program {
    let table = Table::new(rows);
    Program { words, risk: Read, starts: Nothing, style: Style::GNU_NUMBERS, operands, table }
}

const SUMS: &[(Meaning, &str)] =
    &[(Switch, "-b --binary -t --text -z --zero --tag"), (Ask(Reads), "-c --check")];
const SAYS: &[(Meaning, &str)] =
    &[(Switch, "-a -s -n -r -m -p -u -h -d -f -i -g --all --version --help")];

#[rustfmt::skip]
pub(super) static PROGRAMS: [Program; 54] = [
    shows("wc", Files, &[(Switch, "-c --bytes -m --chars -l --lines -L --max-line-length -w --words"), (Ask(Reads), "--files0-from")]),
    shows("sort", Files, &[
        (Switch, "-b -d -f -g -h -i -M -n -R -r -V -c -C -m -s -u -z --ignore-case --numeric-sort --human-numeric-sort --reverse --unique --stable --version-sort --check"),
        (Meaning::Text, "-k --key -t --field-separator -S --buffer-size --parallel --sort"),
        (Ask(Executes), "--compress-program"), (Ask(Writes), "-o --output -T --temporary-directory"), (Ask(Reads), "--files0-from --random-source")]),
    shows("uniq", OneFile, &[(Switch, "-c --count -d --repeated -D -u --unique -i --ignore-case -z"), (Meaning::Text, "-f --skip-fields -s --skip-chars -w --check-chars")]),
    shows("cut", Files, &[(Switch, "-s --only-delimited -z --complement -n"), (Meaning::Text, "-b --bytes -c --characters -f --fields -d --delimiter --output-delimiter")]),
    shows("tr", Text, &[(Switch, "-c -C --complement -d --delete -s --squeeze-repeats -t --truncate-set1")]),
    shows("nl", Files, &[(Meaning::Text, "-b -d -f -h -i -l -n -s -v -w"), (Switch, "-p")]),
    shows("tac", Files, &[(Switch, "-b -r"), (Meaning::Text, "-s")]),
    shows("rev", Files, &[(Switch, "-0")]),
    shows("comm", Files, &[(Switch, "-1 -2 -3 --check-order --nocheck-order --total -z"), (Meaning::Text, "--output-delimiter")]),
    shows("paste", Files, &[(Switch, "-s -z"), (Meaning::Text, "-d")]),
    shows("join", Files, &[(Switch, "-i -z --header"), (Meaning::Text, "-a -e -j -o -t -v -1 -2")]),
    shows("fold", Files, &[(Switch, "-b -s"), (Meaning::Text, "-w --width")]),
    shows("fmt", Files, &[(Switch, "-c -s -t -u"), (Meaning::Text, "-w -p -g")]),
    shows("expand", Files, &[(Switch, "-i"), (Meaning::Text, "-t")]),
    shows("column", Files, &[(Switch, "-t --table -x -J -e -n"), (Meaning::Text, "-s --separator -c -o --output-separator -N -R -H -l")]),
    shows("cmp", Files, &[(Switch, "-b -l -s --silent --quiet --print-bytes --verbose"), (Meaning::Text, "-i -n --bytes")]),
    shows("diff", Own(diff), &[
        (Switch, "-u -c -n -y -q --brief -s --report-identical-files -r --recursive -N --new-file -i --ignore-case -E -Z -b -w --ignore-all-space -B --ignore-blank-lines -a --text -p --show-c-function -t -l -d --minimal -H --side-by-side --suppress-common-lines --no-dereference --ignore-space-change"),
        (Meaning::Text, "-U -C -W --width --label -L --tabsize -F"), (Pattern, "-I -x --exclude"), (OptionalText, "--color --unified --context"),
        (Ask(Reads), "--from-file --to-file -X --exclude-from -S")]),
    shows("md5sum", Files, SUMS), shows("sha1sum", Files, SUMS), shows("sha256sum", Files, SUMS), shows("sha512sum", Files, SUMS),
    shows("b2sum", Files, SUMS), shows("cksum", Files, SUMS),
    shows("basename", Text, &[(Switch, "-a -z --multiple --zero"), (Meaning::Text, "-s --suffix")]),
    shows("dirname", Text, &[(Switch, "-z --zero")]),
    shows("realpath", Files, &[(Switch, "-e -m -L -P -q -s -z --no-symlinks --canonicalize-missing --canonicalize-existing"), (Meaning::Read, "--relative-to --relative-base")]),
    shows("readlink", Files, &[(Switch, "-f -e -m -n -q -v -z")]),
    shows("stat", Files, &[(Switch, "-f -t --terse"), (Meaning::Text, "-c --format --printf"), (Ask(Links), "-L --dereference")]),
    shows("file", Files, &[(Switch, "-b --brief -i --mime --mime-type --mime-encoding -k -r -N -h"), (Ask(Configures), "-m --magic-file -C --compile -f --files-from -z -Z -s -L -S -P -e")]),
    shows("du", Files, &[
        (Switch, "-a --all -b --bytes -c --total -h --human-readable -s --summarize -x -k -m -S --apparent-size --si -0 --inodes"),
        (Meaning::Text, "-d --max-depth -t --threshold -B --block-size"), (Pattern, "--exclude"), (OptionalText, "--time"),
        (Ask(Links), "-L -D -H --dereference --dereference-args"), (Ask(Reads), "--files0-from -X --exclude-from")]),
    shows("df", Files, &[(Switch, "-a -h -H -i -k -l -P -T --human-readable --total"), (Meaning::Text, "-B -t -x --type --exclude-type")]),
    shows("tree", Files, &[
        (Switch, "-a -d -f -h -s -p -u -g -D -F -C -n -i -r -t -v -c -U -S -A -N -q -J -X -Q --dirsfirst --filesfirst --noreport --du --gitignore --prune --si --inodes --device --matchdirs --ignore-case --version"),
        (Meaning::Text, "-L --filelimit --charset --timefmt -H -T --sort"), (Pattern, "-I"), (Meaning::Own, "-P"),
        (Ask(Writes), "-o"), (Ask(Links), "-l"), (Ask(Reads), "--fromfile --fromtabfile --gitfile --infofile --info")]),
    shows("xxd", OneFile, &[(Switch, "-a -b -C -d -e -E -i -p -ps -u -R"), (Meaning::Text, "-c -g -l -n -o -s"), (Ask(Writes), "-r")]),
    shows("od", Files, &[(Switch, "-a -b -c -d -f -i -l -o -s -x -v"), (Meaning::Text, "-A -t -N -j -w -S")]),
    shows("hexdump", Files, &[(Switch, "-b -c -C -d -o -x -v"), (Meaning::Text, "-n -s -e"), (Ask(Reads), "-f")]),
    shows("strings", Files, &[(Switch, "-a -f -o -w --all"), (Meaning::Text, "-n -t -e -s --bytes")]),
    shows("seq", Text, &[(Switch, "-w --equal-width"), (Meaning::Text, "-f -s --format --separator")]),
    shows("which", Text, &[(Switch, "-a --all")]),
    shows("date", Own(date), &[(Switch, "-u --utc -R --rfc-email --debug"), (Pattern, "-d --date"), (OptionalText, "-I --iso-8601"), (Meaning::Text, "--rfc-3339"), (Meaning::Read, "-r --reference"), (Ask(Configures), "-s --set"), (Ask(Reads), "-f --file")]),
    shows("sleep", Own(sleep), &[]),
    shows("true", Text, &[]), shows("false", Text, &[]),
    shows("whoami", None, SAYS), shows("uname", None, SAYS), shows("nproc", None, SAYS), shows("uptime", None, SAYS),
    shows("hostname", None, &[(Switch, "-s --short -f --fqdn -d --domain -i --ip-address -I --all-ip-addresses")]),
    shows("ps", Own(ps), &[(Switch, "-e -A -a -f -l -j -H -w --forest"), (Meaning::Text, "-p --pid --ppid -C --sort")]),
    shows("printf", Text, &[]),
    shows("test", Text, &[(Meaning::Read, "-e -f -d -s -r -w -x -L -h"), (Meaning::Text, "-n -z"), (Switch, "-a -o -eq -ne -lt -le -gt -ge")]),
    shows("tar", Whole(tar), &[]),
    shows("unzip -l", OneFile, &[(Switch, "-v -q")]),
    shows("rg", Own(rg), &[
        (Switch, "-n --line-number -N --no-line-number -i --ignore-case -S --smart-case -s --case-sensitive -w --word-regexp -x --line-regexp -v --invert-match -c --count --count-matches -l --files-with-matches --files-without-match -o --only-matching -F --fixed-strings -P --pcre2 -U --multiline --multiline-dotall -H --with-filename -I --no-filename -p --pretty -q --quiet -a --text --files --json --stats --no-heading --heading --trim --column --vimgrep --no-messages -b --byte-offset -0 --null --crlf --type-list --passthru --block-buffered --line-buffered --no-config --one-file-system --sort-files -V --version"),
        (Meaning::Text, "-A --after-context -B --before-context -C --context -m --max-count -d --max-depth --maxdepth -t --type -T --type-not -M --max-columns -j --threads --color --colors -E --encoding --sort --sortr --max-filesize --context-separator --dfa-size-limit --regex-size-limit"),
        (Pattern, "-e --regexp -r --replace"), (Meaning::Own, "-g --glob --iglob"), (Meaning::Read, "-f --file"),
        (Ask(Executes), "--pre --pre-glob --hostname-bin -z --search-zip"), (Ask(Links), "-L --follow"),
        (Ask(Reads), "-. --hidden -u --unrestricted --no-ignore --no-ignore-dot --no-ignore-vcs --no-ignore-global --no-ignore-parent --no-ignore-files --no-ignore-exclude --ignore-file")]),
    shows("fd", Own(fd), &[
        (Switch, "-g --glob -i --ignore-case -s --case-sensitive -F --fixed-strings -a --absolute-path -l --list-details -0 --print0 -p --full-path -1 -q --quiet --regex -V --version"),
        (Meaning::Own, "-e --extension"), (Meaning::Text, "-t --type -d --max-depth --min-depth --exact-depth -c --color -j --threads -S --size --changed-within --changed-before --max-results"),
        (Pattern, "-E --exclude"), (Ask(Executes), "-x --exec -X --exec-batch"), (Ask(Links), "-L --follow"),
        (Ask(Reads), "-H --hidden -I --no-ignore -u --unrestricted --ignore-file --search-path --base-directory -C"), (Ask(Deletes), "--prune")]),
];

fn fd(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    for (_, ending, _) in own_values(items) {
        let ending = ending.unwrap_or_default().trim_start_matches('.');
        context.no_secret_pattern(&format!("*.{ending}"))?;
    }
    let mut words = operands(items);
    if let Some((pattern, _)) = words.next() {
        context.no_secret_pattern(pattern)?;
        for pattern in search::as_patterns(pattern) {
            context.no_secret_pattern(&pattern)?;
            context.no_secret_pattern(&format!("*{pattern}"))?;
            context.no_secret_pattern(&format!("*{pattern}*"))?;
        }
    }
    words.try_for_each(|(folder, _)| context.read(folder))
}

fn rg(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    let excluded = own_values(items).filter_map(|(_, value, _)| value?.strip_prefix('!'));
    whole_tree::leaves_out_the_ordinary(excluded, whole_tree::FILES)?;
    let given = has_flag(items, &["-e", "--regexp", "-f", "--file", "--files"]);
    let folders: Vec<&str> =
        operands(items).map(|(word, _)| word).skip(usize::from(!given)).collect();
    folders.iter().try_for_each(|word| context.read(word))?;
    whole_tree::Search::of_rg(items, given).shows_no_secret(context, &folders)
}

// The letters without a dash are flags, too; `e` among them would show the environment.
fn ps(_: &Context<'_>, items: &[Item<'_>]) -> Judged {
    let plain = |word: &str| word.bytes().all(|byte| b"auxwfl".contains(&byte));
    match operands(items).all(|(word, _)| plain(word)) {
        true => Ok(()),
        false => Err(Objection::never(Rule::Argument, "`ps` may show more than processes")),
    }
}

// Only the list of what is in an archive: `tar tzf FILE`.
fn tar(context: &Context<'_>, start: usize) -> Judged {
    let asked = |why: &str| Err(Objection::never(Rule::Argument, format!("`tar` {why}")));
    let words: Vec<&str> = context.words.iter().map(String::as_str).skip(start).collect();
    let &[letters, archive] = words.as_slice() else {
        return asked("is told more than which archive to list");
    };
    let letters = letters.strip_prefix('-').unwrap_or(letters);
    let lists = letters.contains('t') && letters.ends_with('f');
    if !lists || !letters.bytes().all(|byte| b"tvzjJf".contains(&byte)) {
        return asked("does more than list an archive");
    }
    // A name with a colon is on another machine.
    if archive.starts_with('-') || archive.contains(':') {
        return asked("would read its archive from elsewhere");
    }
    context.read(archive)
}

// What differs in two folders is shown, and what is in one of them only.
fn diff(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    let recursive = has_flag(items, &["-r", "--recursive"]);
    let brief = has_flag(items, &["-q", "--brief"]);
    for (path, _) in operands(items) {
        context.read(path)?;
        if recursive && !brief && context.paths.is_folder(path) && context.paths.holds_secrets(path)
        {
            let why =
                format!("`{}` holds files with secrets, which would be shown", path.escape_debug());
            return Err(Objection::never(Rule::Secret, why));
        }
    }
    Ok(())
}

fn date(_: &Context<'_>, items: &[Item<'_>]) -> Judged {
    match operands(items).find(|(word, _)| !word.starts_with('+')) {
        Option::None => Ok(()),
        Some(_) => Err(Objection::never(Rule::Argument, "`date` would set the clock")),
    }
}

/// The longest that a line may sleep, in seconds.
const LONGEST: f64 = 300.0;

fn sleep(_: &Context<'_>, items: &[Item<'_>]) -> Judged {
    let short = |word: &str| word.parse::<f64>().is_ok_and(|seconds| seconds <= LONGEST);
    match operands(items).all(|(word, _)| short(word)) {
        true => Ok(()),
        false => {
            Err(Objection::never(Rule::Argument, "it would sleep for longer than five minutes"))
        }
    }
}
