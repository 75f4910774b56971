//! Lazy whole files: "... existing code ..." put back from the old file.
//!
//! In: the old text and a new text in which comments stand for lines that stay. Out: the new text
//! in full, or the reason why a comment cannot be resolved. Never: a line lost that a comment
//! stands for, a place chosen where two would do.
//!
//! Both texts are read as outlines: lines with the deeper lines below them. Going down from the
//! top, lines of the new outline are paired with lines of the old one in order; what is
//! between two pairs is kept where a comment says so, and replaced where none does. The pairing is
//! done twice, once leaning to the front and once to the back: if the results differ, the text
//! does not say where it belongs.

mod align;
mod keys;
mod markers;
mod outline;
mod reread;
mod rivals;
mod unchanged;
mod weave;

use crate::SyntaxProbe;
use align::Lean;
use outline::Outline;

/// A lazy text with everything back in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResolvedText {
    pub(crate) text: String,
    pub(crate) notes: Vec<String>,
}

/// Why a lazy text cannot be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unresolved {
    #[error(
        "the text is nested too deeply or too large to be put together; send an edit of the place that changes"
    )]
    TooLarge,
    #[error("`{line}` could belong to more than one place; repeat the line before or after it")]
    Ambiguous { line: String },
    #[error(
        "nothing says where `{line}` belongs between the omissions around it; repeat the line before or after it"
    )]
    Unplaced { line: String },
    #[error(
        "`{line}` is beside an omission that keeps `{kept}`: it may be that line, changed, or a new one; repeat the lines around it"
    )]
    MayBeChanged { line: String, kept: String },
    #[error("`{line}` is new, so the omission below it stands for nothing; write that code")]
    OmissionInNew { line: String },
    #[error(
        "`{line}` has other parts than in the file, so its omissions cannot be told apart; write it in full"
    )]
    ShapeDiffers { line: String },
    #[error(
        "lines {first}-{last} of the file, from `{line}`, would be lost without an omission that stands for them; add one, or delete them in an edit of their own"
    )]
    Lost { first: usize, last: usize, line: String },
    #[error(
        "the result would not have `{line}` as it is here, with only what the omissions stand for around it; repeat the lines before and after it"
    )]
    NotAsMeant { line: String },
    #[error(
        "the result would have {after} syntax errors instead of {before}; write the place that changes in full"
    )]
    Broken { before: usize, after: usize },
}

/// Puts the lines of the old text back for which a lazy text has comments.
pub(crate) fn resolve_lazy(
    path: &str,
    old: &str,
    lazy: &str,
    probe: &dyn SyntaxProbe,
) -> Result<ResolvedText, Unresolved> {
    let markers = markers::find(path, old, lazy, probe);
    let template = Outline::read(lazy, &markers)?;
    let present = Outline::read(old, &[])?;
    let early = weave::weave(path, &template, &present, Lean::Early)?;
    let late = weave::weave(path, &template, &present, Lean::Late)?;
    if early.lines != late.lines {
        return Err(ambiguous(&early.lines, &late.lines));
    }
    // A change is found where none may be meant: the lines repeat, and both readings fit.
    let old_lines: Vec<&str> = old.lines().collect();
    if early.lines != old_lines && unchanged::may_be_unchanged(old, lazy, &markers) {
        return Err(ambiguous(&early.lines, &old_lines));
    }
    reread::check(&old_lines, &lazy.lines().collect::<Vec<_>>(), &markers, &early.lines)?;
    let mut text = early.lines.join("\n");
    if old.is_empty() || old.ends_with('\n') {
        text.push('\n');
    }
    check_syntax(path, (old, lazy), &text, probe)?;
    let kept = early.kept_lines;
    let notes = vec![format!("{} omission(s) stand for {kept} line(s) of the file", markers.len())];
    Ok(ResolvedText { text, notes })
}

fn ambiguous(one: &[impl AsRef<str>], other: &[impl AsRef<str>]) -> Unresolved {
    let mut pairs = one.iter().map(AsRef::as_ref).zip(other.iter().map(AsRef::as_ref));
    let line = pairs.find(|(one, other)| one != other).map(|(line, _)| shown(line));
    Unresolved::Ambiguous { line: line.unwrap_or_default() }
}

/// Refuses a result with errors that neither the old text nor the lazy one has. Errors that the
/// lazy text brings along are a matter of the guard on syntax.
fn check_syntax(
    path: &str,
    (old, lazy): (&str, &str),
    new: &str,
    probe: &dyn SyntaxProbe,
) -> Result<(), Unresolved> {
    let before = probe.errors(path, old).zip(probe.errors(path, lazy));
    match before.zip(probe.errors(path, new)) {
        Some(((old, lazy), after)) if after > old.max(lazy) => {
            Err(Unresolved::Broken { before: old, after })
        }
        _ => Ok(()),
    }
}

/// Tells whether a whole text has comments that stand for lines of the old file.
pub(crate) fn is_lazy(path: &str, old: &str, text: &str, probe: &dyn SyntaxProbe) -> bool {
    !markers::find(path, old, text, probe).is_empty()
}

/// Shortens a line for a message.
fn shown(line: &str) -> String {
    line.trim().chars().take(80).collect()
}

#[cfg(test)]
mod tests;
