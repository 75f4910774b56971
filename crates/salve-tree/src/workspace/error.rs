//! Why something could not be done to a workspace.
//!
//! In: the failures of the system and of our own state. Out: one error per thing a caller might do
//! differently. Never: an outcome such as a conflict; those are answers, not errors.

use crate::ContentHash;
use std::io;

/// Why something could not be done to a workspace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// The system refused. Nothing of the change is left in the tree.
    #[error("cannot work on {what}")]
    Io {
        /// The file or folder.
        what: String,
        /// The system's words.
        #[source]
        source: io::Error,
    },
    /// Another process is writing.
    #[error("the workspace is being written by {holder}; try again when it is done")]
    Locked {
        /// Who, in its own words.
        holder: String,
    },
    /// Another process has leased a path.
    #[error("{path} is held by {holder} until {until} (ms since 1970); wait or ask it to let go")]
    Leased {
        /// The path.
        path: String,
        /// Who, in its own words.
        holder: String,
        /// Until when, in milliseconds since 1970.
        until: u64,
    },
    /// A kept content is gone.
    #[error("the content {} is no longer kept; it cannot be restored", hash.hex())]
    BlobMissing {
        /// Its hash.
        hash: ContentHash,
    },
    /// A kept content is damaged.
    #[error("the kept content {} is damaged; it cannot be restored", hash.hex())]
    BlobDamaged {
        /// Its hash.
        hash: ContentHash,
    },
    /// The journal of an interrupted transaction cannot be read.
    #[error(
        "the journal .salve/journal/{name} is damaged ({why}); nothing was touched: move it away once the files are as you want them"
    )]
    JournalDamaged {
        /// The file's name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// A transaction failed, and so did its undoing. The journal is kept; the next start tries
    /// again.
    #[error("the change failed and could not be taken back yet ({why}); run `salve recover`")]
    NotUndone {
        /// The system's words.
        why: String,
        /// Why the change failed at all.
        #[source]
        source: Box<TreeError>,
    },
    /// There is no such change set, checkpoint or position.
    #[error("there is no {what}; `salve history` lists what there is")]
    Unknown {
        /// What was asked for.
        what: String,
    },
    /// A plan names one path twice or a path that Salve must not write.
    #[error("the plan cannot be applied: {why}")]
    BadPlan {
        /// What is wrong with it.
        why: String,
    },
}

impl TreeError {
    pub(crate) fn io(what: impl Into<String>, source: io::Error) -> Self {
        Self::Io { what: what.into(), source }
    }
}
