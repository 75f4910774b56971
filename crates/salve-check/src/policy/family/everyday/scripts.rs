//! Programs with a little language of their own: sed, awk, jq.
//!
//! In: their words. Out: nothing, or an objection. Never lets a script run a command, write a file,
//! read one that is not named in the line, or show the environment.

use super::super::Starts::Nothing;
use super::Operands::Own;
use super::Program;
use crate::RiskClass::Read;
use crate::policy::context::{Context, Judged, operands};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{Executes, Reads, Writes};
use crate::policy::options::Meaning::{Ask, Pattern, Switch, Text};
use crate::policy::options::{Item, Style, Table};

pub(super) static PROGRAMS: [Program; 3] = [
    Program {
        words: "sed",
        risk: Read,
        starts: Nothing,
        style: Style::GNU,
        operands: Own(sed),
        table: Table::new(&[
            (
                Switch,
                "-n --quiet --silent -E -r --regexp-extended -s --separate -u --unbuffered -z",
            ),
            (Switch, "--null-data --posix --sandbox --help --version"),
            (Pattern, "-e --expression"),
            (Text, "-l --line-length"),
            (Ask(Writes), "-i --in-place"),
            (Ask(Executes), "-f --file"),
        ]),
    },
    Program {
        words: "awk",
        risk: Read,
        starts: Nothing,
        style: Style::LEADING,
        operands: Own(awk),
        table: Table::new(&[
            (Text, "-F --field-separator -v --assign"),
            (Ask(Executes), "-f --file -i --include -l --load -E --exec"),
        ]),
    },
    Program {
        words: "jq",
        risk: Read,
        starts: Nothing,
        style: Style::EXACT,
        operands: Own(jq),
        table: Table::new(&[
            (
                Switch,
                "-r --raw-output -c --compact-output -s --slurp -n --null-input -e --exit-status",
            ),
            (
                Switch,
                "-S --sort-keys -M --monochrome-output -C --color-output -a --ascii-output -j",
            ),
            (
                Switch,
                "--join-output --tab --seq --stream -R --raw-input --unbuffered -V --version -h",
            ),
            (Text, "--indent"),
            (
                Ask(Reads),
                "--slurpfile --rawfile --argfile -f --from-file -L --arg --argjson --args",
            ),
        ]),
    },
];

fn refused(what: &str) -> Judged {
    Err(Objection::never(Rule::Argument, format!("the script {what}")))
}

fn sed(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    let scripts: Vec<&str> = items
        .iter()
        .filter_map(|item| match item {
            Item::Flag { name: "-e" | "--expression", value, .. } => *value,
            _ => None,
        })
        .collect();
    let mut words = operands(items).map(|(word, _)| word);
    let first = if scripts.is_empty() { words.next() } else { None };
    for script in scripts.into_iter().chain(first) {
        if !only_edits(script) {
            return refused("runs, reads or writes more than the text that goes through it");
        }
    }
    words.try_for_each(|word| context.read(word))
}

// Whether a script of sed has only commands that print, delete and replace.
fn only_edits(script: &str) -> bool {
    let mut rest = script.trim_start();
    while let Some(letter) = rest.chars().next() {
        let after = &rest[letter.len_utf8()..];
        rest = match letter {
            ';' | '{' | '}' | '!' | ',' | '~' | '+' | '$' | '\t' | ' ' => after,
            letter if letter.is_ascii_digit() => after,
            'p' | 'd' | 'P' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | '=' | 'l' | 'q'
            | 'Q' => after,
            '/' => match delimited(after, '/') {
                Some(after) => after.trim_start_matches('I'),
                None => return false,
            },
            's' => {
                let Some(mark) = after.chars().next().filter(char::is_ascii_punctuation) else {
                    return false;
                };
                let Some(after) =
                    delimited(&after[1..], mark).and_then(|rest| delimited(rest, mark))
                else {
                    return false;
                };
                after
                    .trim_start_matches(|flag: char| flag.is_ascii_digit() || "gpIi".contains(flag))
            }
            _ => return false,
        };
    }
    true
}

// What comes after the next mark that has no backslash before it.
fn delimited(text: &str, mark: char) -> Option<&str> {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' {
            letters.next()?;
        } else if letter == mark {
            return text.get(at + letter.len_utf8()..);
        }
    }
    None
}

/// What makes awk do more than compute and print.
const AWK_MORE: &[&str] = &[
    "system",
    "getline",
    "|",
    ">",
    "ENVIRON",
    "ARGV",
    "ARGC",
    "PROCINFO",
    "SYMTAB",
    "FUNCTAB",
    "@",
    "close",
    "fflush",
    "FILENAME=",
];

fn awk(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    let Some(Item::Operand { text: program, at, .. }) =
        items.iter().find(|item| matches!(item, Item::Operand { .. }))
    else {
        return refused("is missing");
    };
    // Only what prints can send its output elsewhere; otherwise `>` compares.
    let prints = program.contains("print");
    if AWK_MORE.iter().any(|more| program.contains(more) && (prints || *more != ">")) {
        return refused("may run, read or write more than the text that goes through it");
    }
    let files = context.words.get(at + 1..).unwrap_or_default();
    context.foreign_words(files)?;
    files.iter().filter(|word| !word.contains('=')).try_for_each(|word| context.read(word))
}

fn jq(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    let mut words = operands(items).map(|(word, _)| word);
    let filter = words.next().unwrap_or_default();
    let names =
        filter.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$');
    let more = [
        "env",
        "$ENV",
        "input_filename",
        "include",
        "import",
        "$__prog_args",
        "get_search_list",
        "modulemeta",
    ];
    if names.into_iter().any(|name| more.contains(&name)) {
        return refused("shows the environment or loads other scripts");
    }
    words.try_for_each(|word| context.read(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_of_sed_only_edits() {
        for script in [
            "1,20p",
            "40,80p",
            "/fn main/,/^}/p",
            "s/a/b/g",
            "$p",
            "5q",
            "s|a|b|2p",
            "/x/d;/y/d",
            "1~2p",
            "/a\\/b/Ip",
            "10!d",
        ] {
            assert!(only_edits(script), "{script}");
        }
        for script in [
            "s/a/b/e",
            "1e id",
            "w x",
            "s/a/b/w x",
            "r /etc/passwd",
            "1,5w out",
            "s/a/b",
            "e",
            "R x",
            "W x",
            "/x/e",
            "{p;e id}",
            "a\\",
            "s/a/b/;e",
            "F",
            "y/a/b/",
        ] {
            assert!(!only_edits(script), "{script}");
        }
    }
}
