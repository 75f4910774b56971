//! The files of a workspace as a fixer sees them.
//!
//! In: a path relative to the workspace, with `/`. Out: its text as it is in the state that is being
//! healed: the user's tree with the accepted part of a fix on top. Never writes.

/// Reads source files. The driver of a heal implements it over its shadow, a test over a map.
pub trait Sources {
    /// Returns the text of a file; nothing when it is absent, too large or no text.
    fn read(&self, path: &str) -> Option<String>;

    /// Lists the files that the project's version control does not ignore, relative to the workspace,
    /// sorted. May stop at a limit in a very large workspace.
    fn list(&self) -> Vec<String>;
}
