//! The attempts, as data.
//!
//! In: nothing. Out: tables of small programs. Each prints `ESCAPED` when it has reached what it
//! wanted, as far as it can tell; what it cannot tell, the world around it can.

mod files;
mod kernel;
mod network;
mod processes;

/// One attempt to get out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt {
    pub(crate) name: &'static str,
    pub(crate) program: Program,
    pub(crate) control: Control,
}

/// How an attempt is written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Program {
    /// For `sh`; `escaped` says that it worked.
    Shell(&'static str),
    /// For Python, which can make every system call; `escaped()` says that it worked, `reached`
    /// makes a call and takes every answer but a refusal for success.
    Python(&'static str),
    /// For the C compiler.
    C(&'static str),
}

/// Where the same attempt succeeds without the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Control {
    /// For every user.
    Everybody,
    /// For root.
    Root,
    /// For every user but root, when root made the file that it executes.
    Others,
    /// For every user, when root made the file that it executes.
    Given,
    /// Nowhere that a test may try: it would do harm, or it has no meaning outside.
    Nobody,
}

/// Lists every attempt in a workspace with a repository.
pub(crate) fn all() -> Vec<Attempt> {
    [files::ATTEMPTS, processes::ATTEMPTS, kernel::ATTEMPTS, network::ATTEMPTS].concat()
}

/// Lists the attempts in a workspace without a repository.
pub(crate) fn in_bare_workspace() -> Vec<Attempt> {
    files::IN_BARE_WORKSPACE.to_vec()
}

/// Lists the attempts to write outside, which two layers forbid independently. Landlock knows no
/// right for modes, times and attributes, so those are not among them.
pub(crate) fn writes() -> Vec<Attempt> {
    files::ATTEMPTS.iter().filter(|attempt| attempt.name.starts_with("write-")).copied().collect()
}

pub(crate) const fn shell(name: &'static str, control: Control, text: &'static str) -> Attempt {
    Attempt { name, program: Program::Shell(text), control }
}

pub(crate) const fn python(name: &'static str, control: Control, text: &'static str) -> Attempt {
    Attempt { name, program: Program::Python(text), control }
}

pub(crate) const fn c(name: &'static str, control: Control, text: &'static str) -> Attempt {
    Attempt { name, program: Program::C(text), control }
}
