//! What an overlay cannot do, from the words of the tools that asked for it.
//!
//! In: a run that has ended. Out: what probably stopped it, if it failed. Never certain: the run is
//! repeated in a copy, and that one's answer counts.

use super::text_of;
use crate::{FinishedRun, RunEnding};
use serde::{Deserialize, Serialize};

/// Something that works in a folder and not in layers over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LayerLimit {
    /// To rename a folder of a layer below.
    RenamedFolder,
    /// To write to a file of an owner or a group that has no number in the run.
    ForeignOwner,
}

const WORDS: &[(LayerLimit, &[&str])] = &[
    (LayerLimit::RenamedFolder, &["cross-device link", "exdev", "os error 18)", "[errno 18]"]),
    (
        LayerLimit::ForeignOwner,
        &["value too large for defined data type", "eoverflow", "os error 75)", "[errno 75]"],
    ),
];

/// Returns what of an overlay a failed run speaks of.
pub(crate) fn layer_limit(run: &FinishedRun) -> Option<LayerLimit> {
    if run.record.ending == (RunEnding::Exited { code: 0 }) {
        return None;
    }
    let text = [text_of(&run.stderr), text_of(&run.stdout)].concat().to_lowercase();
    let said = |words: &[&str]| words.iter().any(|word| text.contains(word));
    WORDS.iter().find(|(_, words)| said(words)).map(|(limit, _)| *limit)
}
