//! What a command of a line does to the tree, as far as the commands after it need to know.
//!
//! In: paths from the root of the workspace. Out: questions about them. Never looks at a file.

use crate::PathKind;

/// One thing that a command does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::policy) enum Effect {
    /// It makes a folder, and those above it.
    Folder(String),
    /// It writes a file.
    File { path: String, content: Content },
    /// It makes a folder or a link whose inside is not known.
    Tree { path: String, kind: PathKind },
    /// It moves away a folder or a link: what is here next is another one.
    Gone(String),
    /// It fetches and installs packages that it names.
    Installed { by: String },
    /// It may change any file.
    Everything { by: String },
}

/// Where the content of a file comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::policy) enum Content {
    /// From a file of the workspace, or there is none.
    Known,
    /// From the output of a command.
    Written,
    /// From the network.
    Fetched,
}

impl Effect {
    /// Tells whether a folder is at a path after it.
    pub(super) fn makes_folder(&self, path: &str) -> bool {
        match self {
            Self::Folder(made) => is_at_or_below(made, path),
            Self::Tree { path: made, kind: PathKind::Folder } => is_at_or_below(made, path),
            _ => false,
        }
    }

    /// Returns what it leaves at a path, if it is about that path.
    pub(super) fn kind_of(&self, path: &str) -> Option<PathKind> {
        match self {
            Self::Folder(made) if is_at_or_below(made, path) => Some(PathKind::Folder),
            Self::File { path: made, .. } if made == path => Some(PathKind::File),
            Self::Tree { path: made, kind } if made == path => Some(*kind),
            Self::Tree { path: made, .. } if is_at_or_below(path, made) => Some(PathKind::Other),
            _ => None,
        }
    }

    /// Returns its path where it hides what another path leads to.
    pub(super) fn hides(&self, path: &str) -> Option<&String> {
        match self {
            Self::Tree { path: made, kind: PathKind::Folder } => {
                (made != path && is_at_or_below(path, made)).then_some(made)
            }
            Self::Tree { path: made, .. } | Self::Gone(made) => {
                is_at_or_below(path, made).then_some(made)
            }
            _ => None,
        }
    }

    /// Returns what it comes to when its path, or a folder above it, is copied.
    pub(super) fn carried(&self, source: &str, target: &str) -> Option<Self> {
        let Self::File { path, content } = self else { return None };
        if *content == Content::Known || !is_at_or_below(path, source) {
            return None;
        }
        let rest = path.get(source.len()..).unwrap_or_default();
        Some(Self::File { path: format!("{target}{rest}"), content: *content })
    }
}

fn is_at_or_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
