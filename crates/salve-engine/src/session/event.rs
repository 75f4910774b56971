//! What happens in a turn, by the names that the documents give it.
//!
//! In: facts of a step. Out: a name and a payload for the session's one log, which feeds the terminal, the
//! browser and the audit alike. Never a text that was not asked for: a payload holds what a reader shows.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The names of events, as they are on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum EventName {
    /// A request was saved; its answer is awaited.
    NewMessagePair,
    /// It is found out which files are meant.
    Planning,
    /// The files are looked for.
    Searching,
    /// They were read.
    FilesLoaded,
    /// Files were given to the provider, or it is said why not.
    FilesUploaded,
    /// A part of the answer arrived.
    UpdateResponseChunk,
    /// The request is answered.
    RequestComplete,
    /// Edits were written.
    EditsApplied,
    /// Edits wait for a person.
    EditsHeld,
    /// A person decided about a part of the edits that wait.
    ReviewChanged,
    /// Edits were refused; nothing was written.
    EditsBlocked,
    /// Only parts of the answer could be read.
    RecoveryBanner,
    /// The check of the result has ended.
    CheckFinished,
    /// A heal has ended.
    HealFinished,
    /// The model proposes a command.
    CommandSuggested,
    /// A command ran, or was not allowed to.
    CommandFinished,
    /// How far a row of commands is.
    CliProgress,
    /// The list of tasks changed.
    TodosUpdated,
    /// The context is nearly full, and a fresh session is offered.
    HandoffOffered,
    /// A person chose what becomes of a session whose context is nearly full.
    HandoffDecided,
    /// A person says something for the next request.
    GuidanceGiven,
    /// A person holds the steps that are sent by themselves.
    StepsPaused,
    /// Images are being made.
    ImagesStarted,
    /// They are made, or some of them.
    ImagesGenerated,
    /// One was made again, or could not be.
    ImageRegenerated,
    /// A person chose some of them.
    ImagesSelected,
    /// Some were saved in the workspace.
    ImagesSaved,
    /// There is no answer.
    TurnFailed,
    /// The turn was given up by a person.
    TurnCancelled,
    /// Something that went wrong was written down.
    BugFiled,
}

impl EventName {
    /// Lists every name.
    pub const ALL: &[Self] = &[
        Self::NewMessagePair,
        Self::Planning,
        Self::Searching,
        Self::FilesLoaded,
        Self::FilesUploaded,
        Self::UpdateResponseChunk,
        Self::RequestComplete,
        Self::EditsApplied,
        Self::EditsHeld,
        Self::ReviewChanged,
        Self::EditsBlocked,
        Self::RecoveryBanner,
        Self::CheckFinished,
        Self::HealFinished,
        Self::CommandSuggested,
        Self::CommandFinished,
        Self::CliProgress,
        Self::TodosUpdated,
        Self::HandoffOffered,
        Self::HandoffDecided,
        Self::GuidanceGiven,
        Self::StepsPaused,
        Self::ImagesStarted,
        Self::ImagesGenerated,
        Self::ImageRegenerated,
        Self::ImagesSelected,
        Self::ImagesSaved,
        Self::TurnFailed,
        Self::TurnCancelled,
        Self::BugFiled,
    ];

    /// Returns the name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NewMessagePair => "newMessagePair",
            Self::Planning => "planning",
            Self::Searching => "searching",
            Self::FilesLoaded => "filesLoaded",
            Self::FilesUploaded => "filesUploaded",
            Self::UpdateResponseChunk => "updateResponseChunk",
            Self::RequestComplete => "requestComplete",
            Self::EditsApplied => "editsApplied",
            Self::EditsHeld => "editsHeld",
            Self::ReviewChanged => "reviewChanged",
            Self::EditsBlocked => "editsBlocked",
            Self::RecoveryBanner => "recoveryBanner",
            Self::CheckFinished => "checkFinished",
            Self::HealFinished => "healFinished",
            Self::CommandSuggested => "commandSuggested",
            Self::CommandFinished => "commandFinished",
            Self::CliProgress => "cliProgress",
            Self::TodosUpdated => "todosUpdated",
            Self::HandoffOffered => "handoffOffered",
            Self::HandoffDecided => "handoffDecided",
            Self::GuidanceGiven => "guidanceGiven",
            Self::StepsPaused => "stepsPaused",
            Self::ImagesStarted => "imagesStarted",
            Self::ImagesGenerated => "imagesGenerated",
            Self::ImageRegenerated => "imageRegenerated",
            Self::ImagesSelected => "imagesSelected",
            Self::ImagesSaved => "imagesSaved",
            Self::TurnFailed => "turnFailed",
            Self::TurnCancelled => "turnCancelled",
            Self::BugFiled => "bugFiled",
        }
    }

    /// Returns the event of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.name() == name)
    }
}

/// Who found out which files are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PlannedBy {
    /// The words of the request.
    Mentions,
    /// A model, beside the words.
    Model,
}

/// One event before it is on the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnEvent {
    /// What happened.
    pub name: EventName,
    /// The facts.
    pub payload: Value,
}

impl TurnEvent {
    /// Makes an event.
    pub const fn new(name: EventName, payload: Value) -> Self {
        Self { name, payload }
    }

    /// Says that it is found out which files are meant (C-009).
    pub fn planning() -> Self {
        Self::new(EventName::Planning, json!({ "text": "🧠 Planning..." }))
    }

    /// Says that files are looked for (C-009).
    pub fn searching(patterns: &[String], by: PlannedBy) -> Self {
        let payload = json!({ "text": "🔍 Searching...", "patterns": patterns, "plannedBy": by });
        Self::new(EventName::Searching, payload)
    }

    /// Says which files were read, and what was not found (C-009).
    pub fn files_loaded(files: &[String], failed: &[String]) -> Self {
        let text = format!("✅ Loaded {} files", files.len());
        let payload = json!({ "text": text, "files": files, "failed": failed });
        Self::new(EventName::FilesLoaded, payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn c028_names_are_those_of_the_documents_and_the_same_on_the_wire() {
        let names: BTreeSet<&str> = EventName::ALL.iter().map(|event| event.name()).collect();
        assert_eq!(names.len(), EventName::ALL.len());
        for event in EventName::ALL {
            assert_eq!(serde_json::to_value(event).unwrap(), event.name());
            assert_eq!(EventName::from_name(event.name()), Some(*event));
        }
        assert_eq!(EventName::from_name("unknown"), None);
    }

    #[test]
    fn c009_progress_is_told_in_the_words_of_the_documents() {
        let loaded = TurnEvent::files_loaded(&["a.py".to_owned(), "b.py".to_owned()], &[]);
        let told = [TurnEvent::planning(), TurnEvent::searching(&[], PlannedBy::Mentions), loaded]
            .map(|event| event.payload["text"].as_str().unwrap_or_default().to_owned());
        assert_eq!(told, ["🧠 Planning...", "🔍 Searching...", "✅ Loaded 2 files"]);
    }
}
