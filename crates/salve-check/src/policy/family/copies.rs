//! cp and mv: what leaves a place and what arrives at one.
//!
//! In: their words. Out: nothing, or an objection. Never lets a whole folder arrive under a name that
//! tools obey, because its files are not seen here.

use crate::policy::context::{Context, Judged, has_flag, operands};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{Configures, Links, Writes};
use crate::policy::options::Meaning::{Ask, OptionalText, Own, Switch, Text};
use crate::policy::options::{Item, Style, Table};

static CP: Table = Table::new(&[
    (
        Switch,
        "-a --archive --attributes-only -d -f --force -i --interactive -n --no-clobber -P \
         --no-dereference -p --parents -R -r --recursive --remove-destination \
         --strip-trailing-slashes -T --no-target-directory -u -v --verbose -x --one-file-system \
         --help --version",
    ),
    (Text, "--no-preserve --sparse"),
    (OptionalText, "--preserve --reflink --update"),
    (Own, "-t --target-directory"),
    (Ask(Links), "-H -l --link -L --dereference -s --symbolic-link"),
    (Ask(Configures), "-Z --context --copy-contents"),
    (Ask(Writes), "-b --backup -S --suffix"),
]);

static MV: Table = Table::new(&[
    (
        Switch,
        "-f --force -i --interactive -n --no-clobber --strip-trailing-slashes -T \
         --no-target-directory -u -v --verbose --help --version",
    ),
    (OptionalText, "--update"),
    (Own, "-t --target-directory"),
    (Ask(Configures), "-Z --context"),
    (Ask(Writes), "-b --backup -S --suffix --exchange"),
]);

pub(super) fn cp(context: &Context<'_>) -> Judged {
    let items = context.items(&CP, Style::GNU)?;
    let recursive = ["-a", "--archive", "-R", "-r", "--recursive"];
    let whole = if has_flag(&items, &recursive) { Moves::Folders } else { Moves::Files };
    let (sources, target) = ends(&items);
    for source in &sources {
        context.read(source)?;
    }
    arrives(context, &items, &sources, target, whole)
}

pub(super) fn mv(context: &Context<'_>) -> Judged {
    let items = context.items(&MV, Style::GNU)?;
    let (sources, target) = ends(&items);
    for source in &sources {
        context.read(source)?;
        context.write(source)?;
        obeyed_name(source)?;
        if matches!(last_name(source), "" | "." | "..") {
            let why = format!("`{source}` names a folder by its place, not by its name");
            return Err(Objection::never(Rule::Argument, why));
        }
    }
    arrives(context, &items, &sources, target, Moves::Folders)
}

/// Whether whole folders can arrive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moves {
    Files,
    Folders,
}

/// Reads the words of `cp` or `mv`; the flag tells that it moves.
pub(in crate::policy) fn items<'a>(context: &Context<'a>) -> Option<(Vec<Item<'a>>, bool)> {
    let moves = context.program() == "mv";
    let table = if moves { &MV } else { &CP };
    let context = Context { named: 1, ..*context };
    context.items(table, Style::GNU).ok().map(|items| (items, moves))
}

/// Returns the sources and the target: the last operand, unless `-t` names it.
pub(in crate::policy) fn ends<'a>(items: &[Item<'a>]) -> (Vec<&'a str>, Option<Target<'a>>) {
    let mut sources: Vec<&str> = operands(items).map(|(text, _)| text).collect();
    let folder = items.iter().rev().find_map(|item| match item {
        Item::Flag { meaning: Own, value, .. } => *value,
        _ => None,
    });
    match folder {
        Some(folder) => (sources, Some(Target::Folder(folder))),
        None => {
            let target = sources.pop().map(Target::Last);
            (sources, target)
        }
    }
}

/// Where things arrive.
#[derive(Clone, Copy)]
pub(in crate::policy) enum Target<'a> {
    Folder(&'a str),
    Last(&'a str),
}

/// Returns the path where things arrive, and whether they do so as entries of a folder.
pub(in crate::policy) fn target_folder<'a>(
    context: &Context<'_>,
    items: &[Item<'_>],
    sources: &[&str],
    target: Target<'a>,
) -> (&'a str, bool) {
    match target {
        Target::Folder(path) => (path, true),
        Target::Last(path) => {
            let named = !has_flag(items, &["-T", "--no-target-directory"]);
            let as_folder =
                path.ends_with('/') || sources.len() > 1 || context.paths.is_folder(path);
            (path, named && as_folder)
        }
    }
}

fn arrives(
    context: &Context<'_>,
    items: &[Item<'_>],
    sources: &[&str],
    target: Option<Target<'_>>,
    moves: Moves,
) -> Judged {
    let Some(target) = target else { return Ok(()) };
    let (path, is_folder) = target_folder(context, items, sources, target);
    // More than one `-t` is an error of the program; each is judged anyway.
    for item in items {
        if let Item::Flag { meaning: Own, value: Some(value), .. } = item {
            context.write(value)?;
        }
    }
    context.write(path)?;
    // A hidden folder that the line itself makes is one that some tool will look for.
    if (moves == Moves::Folders && !is_folder) || (is_folder && context.paths.is_new_folder(path)) {
        obeyed_name(path)?;
    }
    let parents = has_flag(items, &["--parents"]);
    for source in sources {
        let last = last_name(source);
        let name = if parents { *source } else { last };
        let is_everything = last.is_empty() || matches!(last, "." | "..");
        let is_contained = is_below_root(path) && is_below_root(source);
        if last == ".." || (is_everything && (moves == Moves::Files || !is_contained)) {
            let why =
                format!("`{source}` stands for everything in a folder, which is not seen here");
            return Err(Objection::never(Rule::Argument, why));
        }
        if is_everything {
            unseen_contents(context, path)?;
        }
        // A pattern that matched nothing is no name of a file, and the program will say so.
        if is_folder && !name.contains(['*', '?', '[']) {
            context.write(&format!("{}/{name}", path.trim_end_matches('/')))?;
            if moves == Moves::Folders && !is_everything {
                obeyed_name(name)?;
            }
        }
    }
    if moves == Moves::Folders && !is_folder && context.paths.is_folder(path) {
        let why = format!("the contents of `{path}` would be replaced unseen");
        return Err(Objection::never(Rule::Argument, why));
    }
    Ok(())
}

/// Names that tools obey in some folder or other; where that is, the facts know.
const OBEYED: &[&str] = &["config.toml", "workflows/x.yml", "wrapper/x", "nextest.toml", "hooks/x"];

// What arrives one by one is not seen, so the place must be one where nothing is obeyed.
fn unseen_contents(context: &Context<'_>, folder: &str) -> Judged {
    folder.split('/').try_for_each(obeyed_name)?;
    OBEYED.iter().try_for_each(|name| context.write(&format!("{folder}/{name}")))
}

// A folder like `.cargo` or `.github` holds files that tools obey, whatever its other files are.
fn obeyed_name(path: &str) -> Judged {
    let name = last_name(path);
    let hidden = name.starts_with('.') && !matches!(name, "." | "..");
    if hidden || name.eq_ignore_ascii_case("gradle") {
        let why = format!("`{name}` may be a folder that tools obey; its files are not seen here");
        return Err(Objection::never(Rule::Outside, why));
    }
    Ok(())
}

// Tools obey what lies at the top of a workspace; a folder below it may hold anything.
fn is_below_root(path: &str) -> bool {
    let mut steps = path.split('/').filter(|step| !step.is_empty() && *step != ".").peekable();
    !path.starts_with('/') && steps.peek().is_some() && steps.all(|step| step != "..")
}

fn last_name(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

#[cfg(test)]
pub(super) const TABLES: &[&Table] = &[&CP, &MV];
