//! Guards: what fits and still is held back until a person allows it.
//!
//! In: a file before and after. Out: nothing, or the guard that objects. Never: an objection to
//! what was already so before the edit.

use super::{Allow, RefusalCode};
use crate::{StandsFor, SyntaxProbe};
use std::collections::HashMap;

/// Files of so few lines may shrink as they like.
const SMALL_FILE: usize = 50;

/// A text change of one file, as a guard sees it.
#[derive(Debug)]
pub(super) struct Guarded<'a> {
    pub(super) path: &'a str,
    /// `None`: the file is new.
    pub(super) before: Option<&'a str>,
    pub(super) after: &'a str,
    /// The edit gives the whole file.
    pub(super) whole: bool,
}

/// Returns the first guard that objects.
pub(super) fn object(
    file: &Guarded<'_>,
    probe: &dyn SyntaxProbe,
    allow: Allow,
) -> Option<(RefusalCode, String)> {
    let omission = || (!allow.omissions).then(|| omission(file, probe)).flatten();
    let shrink = || (!allow.shrink).then(|| shrink(file)).flatten();
    let syntax = || (!allow.syntax).then(|| syntax(file, probe)).flatten();
    omission().or_else(shrink).or_else(syntax)
}

/// Finds a comment that stands for code and was not there before.
fn omission(file: &Guarded<'_>, probe: &dyn SyntaxProbe) -> Option<(RefusalCode, String)> {
    let after = omitted_lines(file.path, file.after, probe);
    if after.is_empty() {
        return None;
    }
    let mut before: HashMap<&str, usize> = HashMap::new();
    for (_, line) in omitted_lines(file.path, file.before.unwrap_or_default(), probe) {
        *before.entry(line).or_default() += 1;
    }
    let (number, line) = after.into_iter().find(|(_, line)| match before.get_mut(line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    })?;
    let line: String = line.chars().take(80).collect();
    let detail = format!(
        "line {number} of the new content, `{line}`, stands for code that was left out; \
         write the code"
    );
    Some((RefusalCode::Omission, detail))
}

fn omitted_lines<'a>(path: &str, text: &'a str, probe: &dyn SyntaxProbe) -> Vec<(usize, &'a str)> {
    let omissions = probe.omissions(path, text);
    let sure = omissions.iter().filter(|omission| omission.stands_for == StandsFor::KeptCode);
    let mut sure = sure.map(|omission| omission.line).peekable();
    let numbered = (1..).zip(text.lines().map(str::trim));
    numbered.filter(|(number, _)| sure.next_if_eq(number).is_some()).collect()
}

/// Holds back a whole file that would lose more than half of its lines.
fn shrink(file: &Guarded<'_>) -> Option<(RefusalCode, String)> {
    let before = file.before.filter(|_| file.whole)?.lines().count();
    let after = file.after.lines().count();
    (before > SMALL_FILE && after * 2 < before).then(|| {
        let detail = format!(
            "the whole-file write leaves {after} of {before} lines; send the whole file, or an \
             edit of the place that changes"
        );
        (RefusalCode::Shrink, detail)
    })
}

/// Holds back a change after which the grammar sees more errors.
fn syntax(file: &Guarded<'_>, probe: &dyn SyntaxProbe) -> Option<(RefusalCode, String)> {
    let after = probe.errors(file.path, file.after).filter(|errors| *errors > 0)?;
    let before = probe.errors(file.path, file.before?)?;
    (after > before).then(|| {
        let detail = format!("the syntax errors would rise from {before} to {after}");
        (RefusalCode::SyntaxErrors, detail)
    })
}
