//! Asks a person about every hunk, with single keys as in `git add -p`.
//!
//! In: a verified plan. Out: the part of it that was taken. Never takes what was not answered: the
//! end of the input leaves out the rest.

use crate::change;
use crate::failure::Failure;
use crate::keys::{ENTER, ESCAPE, Keys};
use crate::output;
use salve_tree::{ChangeHunk, PlannedFile, VerifiedEdits};

/// What a person took.
pub(super) enum Choice {
    /// All or a part.
    Taken(VerifiedEdits),
    /// Nothing.
    Left,
}

const HELP: &str = "\
y  take this hunk
n  leave this hunk, as Enter does
a  take this and all later hunks of this file
d  leave this and all later hunks of this file
q  leave this and everything after it
?  this help
";

/// What was answered for more than one hunk.
#[derive(Default)]
struct Standing {
    /// The rest of this file, by path.
    file: Option<(String, bool)>,
    /// Everything else is left.
    stopped: bool,
}

/// Asks about every hunk of a plan.
pub(super) fn choose(verified: VerifiedEdits) -> Result<Choice, Failure> {
    let keys = Keys::open()?;
    let mut standing = Standing::default();
    let mut failure = None;
    let kept = verified.keep(|file, hunk| {
        ask(file, hunk, &keys, &mut standing).unwrap_or_else(|error| {
            failure.get_or_insert(error);
            standing.stopped = true;
            false
        })
    });
    match failure {
        Some(failure) => Err(failure),
        None if kept.files().is_empty() => Ok(Choice::Left),
        None => Ok(Choice::Taken(kept)),
    }
}

fn ask(
    file: &PlannedFile,
    hunk: Option<&ChangeHunk>,
    keys: &Keys,
    standing: &mut Standing,
) -> Result<bool, Failure> {
    if standing.stopped {
        return Ok(false);
    }
    if let Some((path, taken)) = &standing.file
        && path == file.path.as_str()
    {
        return Ok(*taken);
    }
    let shown = match hunk {
        Some(hunk) => format!("{}\n{}", change::visible(file.path.as_str()), change::hunk(hunk)),
        None => change::planned(file),
    };
    output::result(&shown)?;
    loop {
        output::result("Take it? [y,n,a,d,q,?] ")?;
        keys.forget_typed();
        let key = keys.next()?;
        output::result(
            &key.map_or("\n".to_owned(), |key| format!("{}\n", change::visible(&key.to_string()))),
        )?;
        match key {
            Some('y') => return Ok(true),
            Some('n' | ENTER) => return Ok(false),
            Some(key @ ('a' | 'd')) => {
                standing.file = Some((file.path.as_str().to_owned(), key == 'a'));
                return Ok(key == 'a');
            }
            Some('q' | ESCAPE | '\u{3}' | '\u{4}') | None => {
                standing.stopped = true;
                return Ok(false);
            }
            Some(_) => output::result(HELP)?,
        }
    }
}
