//! Asks a person about every hunk, with single keys as in `git add -p`.
//!
//! In: a verified plan. Out: the part of it that was taken. Never takes what was not answered: the
//! end of the input leaves out the rest.

use crate::change;
use crate::failure::Failure;
use crate::output;
use salve_tree::{ChangeHunk, PlannedFile, VerifiedEdits};
use std::io::{IsTerminal, Read};

/// What a person took.
pub(super) enum Choice {
    /// All or a part.
    Taken(VerifiedEdits),
    /// Nothing.
    Left,
}

const HELP: &str = "\
y  take this hunk
n  leave this hunk
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
        let key = keys.next()?;
        output::result(
            &key.map_or("\n".to_owned(), |key| format!("{}\n", change::visible(&key.to_string()))),
        )?;
        match key {
            Some('y') => return Ok(true),
            Some('n') => return Ok(false),
            Some(key @ ('a' | 'd')) => {
                standing.file = Some((file.path.as_str().to_owned(), key == 'a'));
                return Ok(key == 'a');
            }
            Some('q' | '\u{3}' | '\u{4}') | None => {
                standing.stopped = true;
                return Ok(false);
            }
            Some(_) => output::result(HELP)?,
        }
    }
}

/// Where the answers come from: the terminal, also when the reply came by standard input.
struct Keys {
    terminal: std::fs::File,
    before: Option<rustix::termios::Termios>,
}

impl Keys {
    fn open() -> Result<Self, Failure> {
        let terminal = std::fs::File::open("/dev/tty").map_err(|error| {
            Failure::new(format!("`--interactive` needs a terminal: {error}"))
                .hint("`--dry-run` shows the change, `--partial` takes the files that fit")
        })?;
        let before = if terminal.is_terminal() {
            let before = rustix::termios::tcgetattr(&terminal).map_err(std::io::Error::from)?;
            let mut single = before.clone();
            single
                .local_modes
                .remove(rustix::termios::LocalModes::ICANON | rustix::termios::LocalModes::ECHO);
            rustix::termios::tcsetattr(&terminal, rustix::termios::OptionalActions::Now, &single)
                .map_err(std::io::Error::from)?;
            Some(before)
        } else {
            None
        };
        Ok(Self { terminal, before })
    }

    fn next(&self) -> Result<Option<char>, Failure> {
        let mut byte = [0];
        loop {
            let count = (&self.terminal).read(&mut byte)?;
            match byte[0] {
                _ if count == 0 => return Ok(None),
                b'\n' | b'\r' => {}
                key => return Ok(Some(char::from(key))),
            }
        }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let now = rustix::termios::OptionalActions::Now;
            let _ = rustix::termios::tcsetattr(&self.terminal, now, before);
        }
    }
}
