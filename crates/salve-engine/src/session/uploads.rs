//! Files that are given to the provider of a model, which searches in them, in place of their texts in a prompt.
//!
//! In: settings, the files that a turn reads, the uploads that are known. Out: what is sent, re-used, sent again, left
//! out, each with a code; records until when a provider keeps what. What may not be loaded into a prompt is not
//! uploaded either, and what is uploaded is without its secrets. Never two files for one record: a record is there
//! before its file is sent, and is gone on with by whoever comes after a crash.

mod desk;
mod show;
mod turn;

#[cfg(test)]
mod tests;

pub use desk::{CleanUp, UploadDesk, UploadFault, UploadPlace, needs_rehydration};
pub use show::{upload_document, uploaded_section};
pub use turn::{
    AttachedFile, LocalFile, LocalFiles, RefusedUploads, SkipCode, SkippedFile, TurnUploads,
    UploadCode, UploadOutcome, local_file, local_files, take_uploads, wanted_paths,
};

use salve_types::Timestamp;
use serde::{Deserialize, Serialize};

/// The most bytes of a file that is uploaded, unless the settings say otherwise.
pub const MAX_UPLOAD_BYTES: u64 = 10 << 20;
/// How many hours an upload is kept, unless the settings say otherwise.
pub const FILE_TTL_HOURS: i64 = 24;
/// The most files that go with a request.
pub const MOST_UPLOADS: usize = 20;

const HOUR_MS: i64 = 3_600_000;

/// What may be uploaded, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UploadSettings {
    /// Whether files are uploaded at all (`useFilesApi`).
    pub on: bool,
    /// Whether the files that a turn reads are uploaded, and not only those that a person uploaded (`autoUploadFiles`).
    pub auto: bool,
    /// The most bytes of one (`maxUploadSize`).
    pub max_bytes: u64,
    /// Whether they are deleted when their time is over (`cleanupFilesOnSessionEnd`).
    pub cleanup: bool,
    /// How long they are kept (`fileTtlHours`).
    pub ttl: FileTtl,
}

impl Default for UploadSettings {
    fn default() -> Self {
        Self {
            on: false,
            auto: true,
            max_bytes: MAX_UPLOAD_BYTES,
            cleanup: true,
            ttl: FileTtl::Hours(FILE_TTL_HOURS.unsigned_abs()),
        }
    }
}

impl UploadSettings {
    /// Returns how long uploads are kept: for ever where nothing is deleted by itself.
    #[must_use]
    pub const fn effective_ttl(&self) -> FileTtl {
        if self.cleanup { self.ttl } else { FileTtl::Never }
    }
}

/// How long an upload is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileTtl {
    /// Until another session begins.
    Session,
    /// For so many hours.
    Hours(u64),
    /// Until a person deletes it.
    Never,
}

impl FileTtl {
    /// Reads it as the settings write it: 0, a number of hours, or -1.
    pub fn from_hours(hours: i64) -> Option<Self> {
        match hours {
            0 => Some(Self::Session),
            -1 => Some(Self::Never),
            hours => u64::try_from(hours).ok().map(Self::Hours),
        }
    }

    /// Returns it as the settings write it.
    pub fn hours(self) -> i64 {
        match self {
            Self::Session => 0,
            Self::Hours(hours) => i64::try_from(hours).unwrap_or(i64::MAX),
            Self::Never => -1,
        }
    }

    /// Returns when the time of an upload is over that begins now; nothing where no clock ends it.
    pub fn expires_at(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Session | Self::Never => None,
            Self::Hours(_) => {
                Some(Timestamp(now.0.saturating_add(self.hours().saturating_mul(HOUR_MS))))
            }
        }
    }
}
