//! A fix is a repair, not another program.
//!
//! In: the changed files, and what the errors point at and name. Out: a refusal when a change is in an
//! item of which no error speaks, rewrites much of a file, or leaves fewer definitions. Imports at the
//! top are free. Where a test fails, what is wrong is seldom where it shows: a few items are free then.

use super::file::{Change, ChangedFile, Text};
use super::items::{Item, ItemKind, item_at};
use super::reports::{Reports, words};
use super::{GateRefusal, GateRule, refusal};
use salve_tree::{ShownAs, change_hunks};
use salve_types::{ErrorClass, Language};
use std::collections::BTreeSet;

/// A change of no more lines is small, however short the file.
const SMALL: usize = 10;
/// This many items that no error speaks of may be changed for a failing test.
const FREE_ITEMS: usize = 3;

pub(super) fn judge(files: &[ChangedFile], reports: &Reports) -> Result<(), GateRefusal> {
    for file in files {
        size(file)?;
    }
    definitions(files, reports)?;
    let mut strangers = Vec::new();
    for file in files {
        strangers.extend(strangers_of(file, reports));
    }
    let free = if reports.is_behaviour() { FREE_ITEMS } else { 0 };
    let items: BTreeSet<_> = strangers.iter().map(|one| (&one.path, &one.what)).collect();
    if items.len() <= free {
        return Ok(());
    }
    strangers.into_iter().next().map_or(Ok(()), Err)
}

// Indentation is not counted: moving a block to its place is no rewriting.
fn size(file: &ChangedFile) -> Result<(), GateRefusal> {
    let Some((before, after)) = file.both() else { return Ok(()) };
    let trimmed = |text: &str| {
        text.lines().flat_map(|line| [line.trim(), "\n"]).collect::<String>().into_bytes()
    };
    let hunks = change_hunks(&trimmed(&before.text), &trimmed(&after.text));
    let count = |wanted: ShownAs| {
        let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.filter(|(shown, _)| *shown == wanted).count()
    };
    let changed = count(ShownAs::Removed).max(count(ShownAs::Added));
    let lines = before.text.lines().count();
    if changed > SMALL && changed * 10 > lines * 3 {
        let what = format!("changes {changed} lines of {lines}: that is another program");
        return Err(refusal(GateRule::TooMuch, &file.path, None, what));
    }
    Ok(())
}

// Moved to another file, it is still there.
fn definitions(files: &[ChangedFile], reports: &Reports) -> Result<(), GateRefusal> {
    let named = |text: Option<&Text>| -> BTreeSet<String> {
        text.map(|text| text.items.iter().filter_map(|item| full_name(text, item)).collect())
            .unwrap_or_default()
    };
    let mut before = BTreeSet::new();
    let mut after = BTreeSet::new();
    for file in files {
        before.extend(named(file.before.as_ref()));
        after.extend(named(file.after.as_ref()));
    }
    if after.len() >= before.len() {
        return Ok(());
    }
    for file in files {
        let Some(text) = &file.before else { continue };
        // In a text that is broken, what looks like an item may be a part of one. Where it is gone, its name is
        // there once less.
        let is_broken = text.tree.as_ref().is_none_or(salve_syntax::NodeTree::has_error);
        let left = file.after.as_ref().map_or("", |after| &after.code);
        let count = |code: &str, name: &str| words(code).filter(|word| *word == name).count();
        let is_left = |item: &Item| {
            item.names.iter().all(|name| {
                let left = count(left, name);
                left > 0 && left >= count(&text.code, name)
            })
        };
        let lost = text.items.iter().find(|item| {
            full_name(text, item).is_some_and(|name| !after.contains(&name))
                && !(is_broken && is_left(item))
                && !is_unused_value(text, item, reports)
        });
        if let Some(item) = lost {
            let what = format!("removes the definition of `{}`", item.names.join("` `"));
            return Err(refusal(GateRule::LostDefinition, &file.path, None, what));
        }
    }
    Ok(())
}

// A value of which a tool says that it is never read is removed, as a person would.
fn is_unused_value(text: &Text, item: &Item, reports: &Reports) -> bool {
    let kind = text.tree.as_ref().map_or("", |tree| tree.kind(&tree.nodes()[item.node]));
    const VALUES: [&str; 4] =
        ["lexical_declaration", "variable_declaration", "const_item", "static_item"];
    VALUES.contains(&kind) && item.names.iter().all(|name| reports.is_unused(name))
}

fn full_name(text: &Text, item: &Item) -> Option<String> {
    let kind = text.tree.as_ref().map_or("", |tree| tree.kind(&tree.nodes()[item.node]));
    let is_value = matches!(kind, "declaration" | "field_declaration" | "public_field_definition");
    if !matches!(item.kind, ItemKind::Definition | ItemKind::Container) || is_value {
        return None;
    }
    let mut name = item.names.join(" ");
    let mut parent = item.parent;
    while let Some(above) = parent.and_then(|at| text.items.get(at)) {
        name = format!("{}.{name}", above.names.join(" "));
        parent = above.parent;
    }
    (!item.names.is_empty()).then_some(name)
}

fn strangers_of(file: &ChangedFile, reports: &Reports) -> Vec<GateRefusal> {
    let Some(after) = &file.after else { return Vec::new() };
    let Some(before) = &file.before else {
        let stem = file.path.rsplit('/').next().and_then(|name| name.split('.').next());
        let named = stem.is_some_and(|stem| reports.name(stem))
            || file.path.split('/').any(|part| reports.name(part));
        let what = "makes a file that no error asks for";
        return if named { Vec::new() } else { vec![stranger(file, None, what.to_owned())] };
    };
    // Where the text is not of its language, the error can be anywhere in it.
    if reports.places(&file.path).any(|place| place.class == ErrorClass::Syntax) {
        return Vec::new();
    }
    let is_code = before.tree.is_some() && !is_data(file.language);
    let changes = file.changes.iter();
    changes
        .filter_map(|change| {
            if is_code {
                code_stranger(file, (before, after), change, reports)
            } else {
                data_stranger(file, (before, after), change, reports)
            }
        })
        .collect()
}

const fn is_data(language: Language) -> bool {
    matches!(
        language,
        Language::Json
            | Language::Toml
            | Language::Yaml
            | Language::Markdown
            | Language::Text
            | Language::Html
            | Language::Css
            | Language::Sql
    )
}

fn data_stranger(
    file: &ChangedFile,
    (before, after): (&Text, &Text),
    change: &Change,
    reports: &Reports,
) -> Option<GateRefusal> {
    let last = change.at + change.removed.max(1) - 1;
    let named = |text: &Text, first: u32, count: u32| {
        (first..first + count).any(|line| words(text.line(line)).any(|word| reports.name(word)))
    };
    let known = reports.points_at(&file.path, change.at, last)
        || named(before, change.at, change.removed)
        || named(after, change.new_at, change.added);
    let what = "changes lines of which no error speaks".to_owned();
    (!known).then(|| stranger(file, Some(change.new_at), what))
}

fn code_stranger(
    file: &ChangedFile,
    (before, after): (&Text, &Text),
    change: &Change,
    reports: &Reports,
) -> Option<GateRefusal> {
    let is_blank = |text: &Text, line: u32| text.line(line).trim().is_empty();
    let mut removed =
        (change.at..change.at + change.removed).filter(|line| !is_blank(before, *line));
    let mut added =
        (change.new_at..change.new_at + change.added).filter(|line| !is_blank(after, *line));
    // A definition that gets the name that the errors speak of is spoken of.
    let renamed = item_at(&after.items, change.new_at).is_some_and(|at| {
        let is_new = |name: &String| !before.items.iter().any(|old| old.names.contains(name));
        after.items[at].names.iter().any(|name| reports.name(name) && is_new(name))
    });
    let mine = |at: usize| renamed || is_spoken_of(&before.items, at, file, reports);
    if change.removed > 0 {
        let line = removed.find(|line| match item_at(&before.items, *line) {
            Some(at) => !mine(at),
            None => !reports.points_at(&file.path, *line, *line),
        })?;
        return Some(stranger(file, Some(change.new_at), describe(&before.items, line)));
    }
    // Something comes between two lines: into the item that holds both, or beside items.
    let (above, below) = (change.at.saturating_sub(1), change.at);
    let holds = |item: &Item| item.first <= above && below <= item.last;
    let within = before.items.iter().rposition(holds);
    let line = added.find(|line| {
        let new = item_at(&after.items, *line).map(|at| &after.items[at]);
        match (within, new) {
            (_, Some(item)) if item.kind == ItemKind::Import => false,
            (Some(at), _) if mine(at) => false,
            // A new member or item, for an error of this file or of its name.
            (_, Some(item)) if is_new(item, &before.items) => {
                !item.names.iter().any(|name| reports.name(name))
                    && reports.places(&file.path).next().is_none()
            }
            (None, _) => !is_near_top_level_error(&before.items, file, reports),
            (Some(_), _) => true,
        }
    })?;
    Some(stranger(file, Some(line), describe(&after.items, line)))
}

fn is_new(item: &Item, before: &[Item]) -> bool {
    matches!(item.kind, ItemKind::Definition | ItemKind::Container)
        && !before.iter().any(|old| old.names == item.names && old.kind == item.kind)
}

// Errors of statements at the top are repaired by statements at the top.
fn is_near_top_level_error(items: &[Item], file: &ChangedFile, reports: &Reports) -> bool {
    reports.places(&file.path).any(|place| {
        item_at(items, place.first).is_none_or(|at| items[at].kind == ItemKind::Statement)
    })
}

fn is_spoken_of(items: &[Item], at: usize, file: &ChangedFile, reports: &Reports) -> bool {
    let item = &items[at];
    if item.kind == ItemKind::Import || reports.points_at(&file.path, item.first, item.last) {
        return true;
    }
    let mut named = Some(at);
    while let Some(one) = named {
        if items[one].names.iter().any(|name| reports.name(name)) {
            return true;
        }
        named = items[one].parent;
    }
    false
}

fn describe(items: &[Item], line: u32) -> String {
    let names = item_at(items, line).map(|at| items[at].names.join(" ")).unwrap_or_default();
    if names.is_empty() {
        return "changes code of which no error speaks".to_owned();
    }
    format!("changes `{names}`, of which no error speaks")
}

fn stranger(file: &ChangedFile, line: Option<u32>, what: String) -> GateRefusal {
    refusal(GateRule::OtherItem, &file.path, line, what)
}
