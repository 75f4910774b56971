//! cargo and go: building, running and testing the project in the workspace.
//!
//! In: their words. Out: nothing, or an objection. Never lets one take a wrapper, a linker, an
//! overlay or another project from the command line.

use crate::policy::context::{Context, Judged, operands, own_values};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{Configures, Executes, ForeignProject, NeverEnds, Writes};
use crate::policy::options::Meaning::{Ask, OptionalText, Own, Pattern, Read, Switch, Text, Write};
use crate::policy::options::{Item, Meaning, Style, Table};

static CARGO: Table = Table::new(&[
    (
        Switch,
        "-r --release --all --workspace --lib --bin --bins --example --examples --test --tests \
         --bench --benches --all-targets --all-features --no-default-features --locked --offline \
         --frozen --keep-going --no-run --no-fail-fast --doc -v --verbose -vv -q --quiet \
         --ignore-rust-version --future-incompat-report -h --help --no-deps --document-private-items",
    ),
    (Text, "--exclude -F --features -j --jobs --profile --message-format --color"),
    (OptionalText, "--timings"),
    (Own, "-p --package --target"),
    (Read, "--manifest-path"),
    (Write, "--target-dir"),
    (Ask(Configures), "--config -Z --lockfile-path --compile-time-deps"),
    (Ask(ForeignProject), "-C"),
    (Ask(Writes), "--out-dir --artifact-dir --build-plan --unit-graph --export-dir"),
]);

pub(super) fn cargo_build(context: &Context<'_>) -> Judged {
    // The names after `--bin` and its like are read as words; none of them is a path.
    cargo_words(context, &cargo_items(context)?)
}

pub(super) fn cargo_test(context: &Context<'_>) -> Judged {
    cargo_words(context, &cargo_items(context)?)
}

pub(super) fn cargo_run(context: &Context<'_>) -> Judged {
    cargo_words(context, &cargo_items(context)?)
}

fn cargo_items<'a>(context: &Context<'a>) -> Judged<Vec<Item<'a>>> {
    let items = context.items(&CARGO, Style::EXACT)?;
    for (name, value, at) in own_values(&items) {
        let value = value.unwrap_or_default();
        let foreign = value.contains(['/', ':', '\\']) || value.ends_with(".json");
        if foreign {
            let why = format!("`{name} {}` names something outside", value.escape_debug());
            context.unless_listed(Rule::Argument, at + 1, why)?;
        }
    }
    Ok(items)
}

fn cargo_words(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    operands(items).try_for_each(|(word, _)| context.foreign_word(word))
}

/// Go's flags take one dash or two, and values with `=` or as the next word.
static GO: Table = Table::new(&[
    (Switch, "a n v x race msan asan cover trimpath linkshared modcacherw work json"),
    (Switch, "c i benchmem failfast short fullpath artifacts"),
    (
        Text,
        "p tags mod count timeout parallel cpu benchtime covermode coverpkg shuffle vet buildvcs \
         blockprofilerate memprofilerate mutexprofilefraction buildmode",
    ),
    (Pattern, "run bench list skip"),
    (
        Write,
        "o coverprofile cpuprofile memprofile blockprofile mutexprofile trace outputdir test.gocoverdir",
    ),
    (Read, "pgo"),
    (Own, "ldflags gcflags"),
    (Ask(Executes), "exec toolexec asmflags gccgoflags compiler vettool"),
    (Ask(Configures), "modfile overlay pkgdir installsuffix"),
    (Ask(ForeignProject), "C"),
    (Ask(NeverEnds), "fuzz fuzztime fuzzminimizetime testlogfile debug-trace debug-actiongraph"),
]);

pub(super) fn go_build(context: &Context<'_>) -> Judged {
    git_is_asked(context)?;
    let rest = go_flags(context, context.named)?;
    packages(context, context.words.get(rest..).unwrap_or_default())
}

pub(super) fn go_run(context: &Context<'_>) -> Judged {
    git_is_asked(context)?;
    let rest = go_flags(context, context.named)?;
    let words = context.words.get(rest..).unwrap_or_default();
    let Some(first) = words.first() else { return Ok(()) };
    let files = words.iter().take_while(|word| word.ends_with(".go")).count();
    let (packages_, foreign) = words.split_at(files.max(1));
    if files == 0 && !is_local(first) {
        let why = format!("`{}` is not code of the workspace", first.escape_debug());
        context.unless_listed(Rule::Argument, rest + 1, why)?;
        return context.foreign_words(words);
    }
    packages(context, packages_)?;
    context.foreign_words(foreign)
}

pub(super) fn go_test(context: &Context<'_>) -> Judged {
    git_is_asked(context)?;
    // Packages and flags may be mixed, up to `-args`.
    let mut at = context.named;
    while at < context.words.len() {
        at = go_flags(context, at)?;
        let Some(word) = context.words.get(at) else { break };
        if matches!(word.as_str(), "-args" | "--args") {
            return context.foreign_words(&context.words[at + 1..]);
        }
        packages(context, std::slice::from_ref(word))?;
        at += 1;
    }
    Ok(())
}

// To note the version in what it builds, go runs `git status` by itself.
fn git_is_asked(context: &Context<'_>) -> Judged {
    super::git::repository(context)
}

// Reads flags up to the first word that is none, and returns where that is.
fn go_flags(context: &Context<'_>, start: usize) -> Judged<usize> {
    let mut at = start;
    while let Some(word) = context.words.get(at) {
        let Some(flag) = word.strip_prefix('-').filter(|_| word != "-") else { return Ok(at) };
        let flag = flag.strip_prefix('-').unwrap_or(flag);
        if flag == "args" {
            return Ok(at);
        }
        let (name, attached) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (flag, None),
        };
        let name = name.strip_prefix("test.").unwrap_or(name);
        let Some((_, meaning)) = GO.find(name) else {
            let why = format!("`{}` is not in the table of `go`", word.escape_debug());
            context.unless_listed(Rule::UnknownFlag, at + 1, why)?;
            at += 1;
            continue;
        };
        at += 1;
        let value = match (meaning, attached) {
            (Ask(hazard), _) => {
                context.hazard(word, hazard, at - 1)?;
                continue;
            }
            (Switch, value) => value,
            (_, Some(value)) => Some(value),
            (_, None) => {
                at += 1;
                context.words.get(at - 1).map(String::as_str)
            }
        };
        go_value(context, name, meaning, value)?;
    }
    Ok(at)
}

fn go_value(context: &Context<'_>, name: &str, meaning: Meaning, value: Option<&str>) -> Judged {
    match (meaning, value) {
        (Switch, None | Some("true" | "false" | "0" | "1")) => Ok(()),
        (Switch, Some(_)) | (_, None) => {
            Err(Objection::never(Rule::Argument, format!("`-{name}` has an odd value")))
        }
        (Write, Some(value)) => context.output(value),
        (Read, Some("auto" | "off")) => Ok(()),
        (Read, Some(value)) => context.read(value),
        (Own, Some(value)) => tool_flags(name, value),
        (Text, Some(value)) if value.starts_with('-') => {
            Err(Objection::never(Rule::Argument, format!("`-{name}` has an odd value")))
        }
        _ => Ok(()),
    }
}

/// Flags of the compiler and the linker that only shape what is built.
const TOOL_FLAGS: &[&str] = &["-s", "-w", "-N", "-l", "-m", "-m=2", "-S", "-e", "-B=0"];

// `-ldflags='-s -w -X main.version=1'`, `-gcflags='all=-N -l'`.
fn tool_flags(name: &str, value: &str) -> Judged {
    let flags = match value.split_once('=') {
        Some((pattern, flags)) if !pattern.starts_with('-') => flags,
        _ => value,
    };
    let mut words = flags.split_ascii_whitespace();
    while let Some(word) = words.next() {
        let sets_text = |text: &str| text.contains('=') && !text.contains(['\'', '"', '@']);
        let known = match word {
            "-X" => words.next().is_some_and(sets_text),
            _ => TOOL_FLAGS.contains(&word) || word.strip_prefix("-X=").is_some_and(sets_text),
        };
        if !known {
            let why =
                format!("`-{name}`: `{}` is not one of the harmless flags", word.escape_debug());
            return Err(Objection::never(Rule::Argument, why));
        }
    }
    Ok(())
}

fn is_local(package: &str) -> bool {
    matches!(package, "." | "..")
        || package.starts_with("./")
        || package.starts_with("../")
        || package.starts_with('/')
}

fn packages(context: &Context<'_>, words: &[String]) -> Judged {
    for word in words {
        if word.starts_with('-') || word.contains('@') {
            let why = format!("`{}` is no package of this module", word.escape_debug());
            return Err(Objection::never(Rule::Argument, why));
        }
        if is_local(word) || word.ends_with(".go") {
            let folder = word.trim_end_matches("...");
            context.read(if folder.is_empty() { "." } else { folder })?;
        } else {
            context.foreign_word(word)?;
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) const TABLES: &[&Table] = &[&CARGO, &GO];
