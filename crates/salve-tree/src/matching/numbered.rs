//! Changes by line number.
//!
//! In: a line operation and a file. Out: the change, when the lines exist and say what the
//! operation expects. Never: a look for another place; a number is a claim, not a search.

use super::{HunkRefusal, HunkRefusalReason, refusal};
use crate::FileText;
use crate::splice::Change;
use salve_types::{LineOperation, LineOperationKind};
use std::ops::Range;

/// Makes the change of an operation, or says why its lines are not those it means.
pub(crate) fn change(text: &FileText, operation: &LineOperation) -> Result<Change, HunkRefusal> {
    let lines = lines(text, operation)?;
    if let Some(expected) = &operation.expected {
        check(text, &lines, expected, operation.kind)?;
    }
    let new = match operation.kind {
        LineOperationKind::Delete => vec![],
        // The reader took the last line break away; another one is a blank line.
        _ => lines_of(&operation.text).map(str::to_owned).collect(),
    };
    Ok(Change::Lines { first: lines.start, removed: lines.len(), new, final_newline: None })
}

fn lines(text: &FileText, operation: &LineOperation) -> Result<Range<usize>, HunkRefusal> {
    let count = text.line_count();
    let (start, end) = (operation.start as usize, operation.end as usize);
    let insert = operation.kind == LineOperationKind::Insert;
    let last = if insert { count + 1 } else { count };
    if start == 0 || start > last || (!insert && (end < start || end > count)) {
        let range = if insert { format!("1 to {last}") } else { format!("1 to {count}") };
        let message = format!(
            "lines {start} to {end} are not in the file, which has {count} lines; give lines from {range}"
        );
        return Err(refusal::refusal(text, HunkRefusalReason::OutOfRange, message, &[]));
    }
    Ok(if insert { start - 1..start - 1 } else { start - 1..end })
}

fn check(
    text: &FileText,
    lines: &Range<usize>,
    expected: &str,
    kind: LineOperationKind,
) -> Result<(), HunkRefusal> {
    let expected: Vec<&str> = split(expected).collect();
    let compared = match kind {
        LineOperationKind::Insert => lines.start..lines.start + expected.len(),
        _ => lines.clone(),
    };
    // Text that ends with a blank line may be sent without it: its last line break ends the line
    // before.
    let counted = compared.len() == expected.len()
        || (compared.len() == expected.len() + 1
            && text.line(compared.end.saturating_sub(1)).trim().is_empty());
    let stands = counted
        && compared.end <= text.line_count()
        && compared
            .clone()
            .zip(&expected)
            .all(|(line, expected)| text.line(line).trim_end() == expected.trim_end());
    if stands {
        return Ok(());
    }
    let message = format!(
        "line {} does not say what the operation expects; read the file again and send the \
         operation with its present lines",
        compared.start + 1
    );
    let shown = compared.start..compared.end.min(text.line_count()).max(compared.start);
    Err(refusal::refusal(text, HunkRefusalReason::ExpectedDiffers, message, &[(shown, 0.0)]))
}

// A text of lines, with or without a final terminator.
fn split(text: &str) -> impl Iterator<Item = &str> {
    lines_of(text.strip_suffix('\n').unwrap_or(text))
}

fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line))
}
