//! Asks a person about one hunk after the other, with single keys as in `git add -p`.
//!
//! In: the path of a hunk and how it looks. Out: whether it is taken. The same keys in `salve apply` and in a
//! conversation. Never takes what was not answered: the end of the input leaves out the rest.

use crate::change;
use crate::failure::Failure;
use crate::keys::{ENTER, ESCAPE, Keys};
use crate::output;

const HELP: &str = "\
y  take this hunk
n  leave this hunk, as Enter does
a  take this and all later hunks of this file
d  leave this and all later hunks of this file
q  leave this and everything after it
?  this help
";

/// A review while it goes on.
pub(crate) struct ReviewKeys {
    keys: Keys,
    /// The answer for the rest of this file, by path.
    file: Option<(String, bool)>,
    /// Everything else is left.
    stopped: bool,
}

impl ReviewKeys {
    /// Begins a review at the terminal.
    pub(crate) const fn new(keys: Keys) -> Self {
        Self { keys, file: None, stopped: false }
    }

    /// Leaves everything that comes.
    pub(crate) const fn stop(&mut self) {
        self.stopped = true;
    }

    /// Asks about a hunk, unless an answer before was for it too.
    pub(crate) fn takes(
        &mut self,
        path: &str,
        drawn: impl FnOnce() -> String,
    ) -> Result<bool, Failure> {
        if self.stopped {
            return Ok(false);
        }
        if let Some((of, taken)) = &self.file
            && of == path
        {
            return Ok(*taken);
        }
        output::result(&drawn())?;
        loop {
            output::result("Take it? [y,n,a,d,q,?] ")?;
            self.keys.forget_typed();
            let key = self.keys.next()?;
            output::result(&key.map_or("\n".to_owned(), |key| {
                format!("{}\n", change::visible(&key.to_string()))
            }))?;
            match key {
                Some('y') => return Ok(true),
                Some('n' | ENTER) => return Ok(false),
                Some(key @ ('a' | 'd')) => {
                    self.file = Some((path.to_owned(), key == 'a'));
                    return Ok(key == 'a');
                }
                Some('q' | ESCAPE | '\u{3}' | '\u{4}') | None => {
                    self.stopped = true;
                    return Ok(false);
                }
                Some(_) => output::result(HELP)?,
            }
        }
    }
}
