//! The files: verify edits against them, apply them as one transaction, undo them.
//!
//! In: an [`salve_types::EditSet`] and a tree. Out: [`VerifiedEdits`], then an applied change with
//! its inverse recorded first. Never: a write outside the journal, a write of what was not
//! verified, a touch of the user's git, a process, the environment, a print.

mod apply;
mod blobs;
mod change_hunks;
mod checkpoint;
mod content;
mod disk;
mod hash;
mod history;
mod journal;
mod lazy;
mod lease;
mod matching;
mod new_files;
mod path;
mod plan;
mod probe;
mod recover;
mod splice;
mod terminators;
#[cfg(test)]
mod testing;
mod undo;
mod verify;
mod view;
mod workspace;

pub use apply::{AppliedChange, ApplyOutcome, Conflict, Foreign, apply, record_unapplied};
pub use change_hunks::{ChangeHunk, ShownAs, change_hunks, single_changes};
pub use checkpoint::{
    Checkpoint, ListedCheckpoint, RestoreOutcome, RestoreRequest, Restored, create_checkpoint,
    list_checkpoints, restore_checkpoint, validate_checkpoint,
};
pub use content::{FileText, Unreadable};
pub use disk::{At, Disk, RealDisk, RenameHow, Seen};
pub use hash::{ContentHash, md5_label};
pub use history::{
    Bases, ChangeMeta, ChangeSet, ChangedFile, Cost, ExportedChange, ExportedFile, GcReport,
    History, HistorySize, LogDamage, Motion, Move, NotApplied, Origin, Record, Stats,
};
pub use journal::{Manifest, ManifestFile, Version};
pub use lease::{PathLease, lease};
pub use matching::{
    HunkOutcome, HunkRefusal, HunkRefusalReason, MatchCandidate, MatchOptions, Matched, Rung,
    match_hunks,
};
pub use new_files::{NewFileRefusal, new_files};
pub use path::{AdmitOptions, MAX_FILE_BYTES, PathRule, PathVerdict, Root};
pub use plan::{FileContent, FileState, FileView, PlannedFile, TreePath, VerifiedEdits, ViewError};
pub use probe::{NoProbe, OmissionLine, ProbeNode, StandsFor, SyntaxProbe};
pub use recover::{DamagedJournal, Recovery, recover};
pub use undo::{
    ChangedSince, Moved, OnChanged, RewindOutcome, ThreeWay, redo, rewind, undo, undo_file,
    undo_many,
};
pub use verify::{
    Allow, BaseSource, FileOutcome, FileReport, Operation, Refusal, RefusalCode, Report,
    SideOfConflict, Verification, VerifyOptions, merge_texts, verify,
};
pub use view::{DiskView, MemoryView};
pub use workspace::{FileSync, TreeError, Workspace, WorkspaceOptions};
