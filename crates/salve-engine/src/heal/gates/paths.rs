//! Files that a repair may not write.
//!
//! In: a changed file. Out: a refusal when it is a test, a snapshot, settings of the check, a lock file,
//! or protected anyway. A test that does not compile may be repaired; a lock file may be written by its
//! own package manager.

use super::file::{ChangedFile, Text};
use super::items::{Item, ItemKind};
use super::reports::{Reports, words};
use super::{GateRefusal, GateRule, manifest, refusal};
use crate::heal::fixers::slips;
use salve_types::{CheckRole, protected_entry};
use std::collections::BTreeSet;

pub(super) fn judge(
    file: &ChangedFile,
    reports: &Reports,
    by_command: bool,
) -> Result<(), GateRefusal> {
    let no = |rule, what: &str| Err(refusal(rule, &file.path, None, what));
    let lower = file.path.to_lowercase();
    let names: Vec<&str> = lower.split('/').collect();
    if let Some(entry) = protected_entry(&names) {
        let what = format!("changes a file that {}", entry.reason.words());
        return no(GateRule::ProtectedFile, &what);
    }
    if file.after.is_none() {
        return no(GateRule::DeletedFile, "deletes the file");
    }
    let is_new = file.before.is_none();
    let is_broken = reports.places(&file.path).any(super::reports::Place::is_static);
    match CheckRole::of(&names) {
        Some(CheckRole::Snapshot) => no(GateRule::Snapshot, "changes what a test compares with"),
        Some(CheckRole::Settings) => {
            no(GateRule::CheckSettings, "changes what is checked, and how,")
        }
        Some(CheckRole::Lock) if !by_command => {
            no(GateRule::LockFile, "changes by hand what a package manager writes")
        }
        Some(CheckRole::Manifest) => manifest::judge(file),
        Some(CheckRole::Test | CheckRole::Loaded) if is_new => {
            no(GateRule::LoadedFile, "makes a file that is loaded by itself when tests run")
        }
        Some(CheckRole::Loaded) if !is_broken => {
            no(GateRule::CheckSettings, "changes code that runs before the check")
        }
        Some(CheckRole::Test) if !is_broken => {
            no(GateRule::TestFile, "changes a test that says what is right")
        }
        Some(_) => Ok(()),
        None => inner_tests(file, reports),
    }
}

/// Refuses a test file in which something of the project is spelt another way.
pub(super) fn judge_names(file: &ChangedFile) -> Result<(), GateRefusal> {
    let lower = file.path.to_lowercase();
    let names: Vec<&str> = lower.split('/').collect();
    if CheckRole::of(&names) != Some(CheckRole::Test) {
        return Ok(());
    }
    match renamed_use(file) {
        Some((name, other)) => {
            let what = format!("has a test use `{other}`, which it calls `{name}`,");
            Err(refusal(GateRule::TestFile, &file.path, None, what))
        }
        None => Ok(()),
    }
}

// A name that the change spells another way, which the file nowhere does: it may be the definition that is
// misspelt, and the test is what says how it is called.
fn renamed_use(file: &ChangedFile) -> Option<(String, String)> {
    let (before, after) = file.both()?;
    let known: BTreeSet<&str> = words(&before.code).collect();
    for change in &file.changes {
        let lines = |text: &Text, first: u32, count: u32| -> BTreeSet<String> {
            let lines = (first..first + count).map(|line| text.line(line));
            // Where a name is from may well change.
            let imports = |line: &&str| {
                words(line)
                    .next()
                    .is_some_and(|word| matches!(word, "import" | "from" | "use" | "include"))
            };
            lines.filter(|line| !imports(line)).flat_map(words).map(str::to_owned).collect()
        };
        let old = lines(before, change.at, change.removed);
        let new = lines(after, change.new_at, change.added);
        for other in new.difference(&old).filter(|word| !known.contains(word.as_str())) {
            if let Some(name) = old.difference(&new).find(|name| slips(name, other).is_some()) {
                return Some((name.clone(), other.clone()));
            }
        }
    }
    None
}

// Tests that are in the file they test.
fn inner_tests(file: &ChangedFile, reports: &Reports) -> Result<(), GateRefusal> {
    let Some(before) = &file.before else { return Ok(()) };
    for item in before.items.iter().filter(|item| is_test(before, item)) {
        let changed = file.changes.iter().find(|change| {
            let last = change.at + change.removed.max(1) - 1;
            // What comes just before or after the item is not in it.
            let inside = change.removed > 0 || change.at > item.first;
            inside && change.at <= item.last && item.first <= last
        });
        let Some(change) = changed else { continue };
        let mut places = reports.places(&file.path);
        let is_broken = places
            .any(|place| place.is_static() && place.first <= item.last && item.first <= place.last);
        if !is_broken {
            let what = "changes a test that says what is right";
            return Err(refusal(GateRule::TestFile, &file.path, Some(change.new_at), what));
        }
    }
    Ok(())
}

/// Returns whether an item is a test, or holds tests.
pub(super) fn is_test(text: &Text, item: &Item) -> bool {
    if !matches!(item.kind, ItemKind::Definition | ItemKind::Container) {
        return false;
    }
    let head = (item.first..=item.last)
        .map(|line| text.line(line).trim())
        .take_while(|line| line.starts_with(['#', '@', '/', '*']) || line.is_empty());
    let is_marked = |line: &str| {
        (line.starts_with("#[") || line.starts_with('@'))
            && words(line).any(|word| matches!(word, "test" | "rstest" | "Test"))
            && !line.contains("not(test)")
    };
    let is_named = |name: &String| name.starts_with("test_") || name.starts_with("Test");
    head.into_iter().any(is_marked)
        || (text.code.contains("def test_") && item.names.iter().any(is_named))
}
