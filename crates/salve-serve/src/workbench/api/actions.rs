//! What a person decides: one action, done.
//!
//! In: an action by its name; an approval names what it approves by hash. Out: what became of it. Never runs or applies
//! anything but what was shown: where that changed, or was decided already, the action is refused.

use super::super::answer::{Answer, Fault, Refusals, json_response};
use super::super::state::WorkbenchState;
use super::act;
use super::input::Told;
use axum::extract::{Path, State};
use http::StatusCode;
use salve_engine::session::{FileChoice, HandoffChoice, RewindScope};
use salve_tree::OnChanged;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// What is to be done.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum Action {
    /// Writes the edits that wait, or those of one file, but for hunks that were rejected; the others wait on. With
    /// `files` the decision is whole, and what it leaves out is left.
    Apply {
        /// What waits, as it was shown.
        approval: String,
        /// One file; else all that have no decision yet.
        #[serde(default)]
        path: Option<String>,
        /// By path what is taken: `keep`, `reject` or `{"hunks": [ids]}`.
        #[serde(default)]
        #[schema(value_type = Object)]
        files: BTreeMap<String, FileChoice>,
    },
    /// Opens a file again that was rejected, or of which hunks were decided about, while it waits.
    Reopen {
        /// What waits, as it was shown.
        approval: String,
        /// The file.
        path: String,
    },
    /// Leaves the edits that wait, or those of one file.
    Reject {
        /// What waits, as it was shown.
        approval: String,
        /// One file; else all that have no decision yet.
        #[serde(default)]
        path: Option<String>,
    },
    /// Takes one hunk of the edits that wait.
    KeepHunk {
        /// What waits, as it was shown.
        approval: String,
        /// The file.
        path: String,
        /// The hunk.
        hunk: String,
    },
    /// Leaves one hunk of the edits that wait.
    RejectHunk {
        /// What waits, as it was shown.
        approval: String,
        /// The file.
        path: String,
        /// The hunk.
        hunk: String,
    },
    /// Decides about the command that waits.
    RunCommand {
        /// What waits, as it was shown.
        approval: String,
        /// What is done with it.
        choice: RunChoice,
        /// The place of a command in the answer, from 0, while the changes before it wait; they wait on.
        #[serde(default)]
        number: Option<u32>,
    },
    /// Runs the commands that wait, one after another; each that is not on the list is asked about.
    RunAll {
        /// What waits, as it was shown.
        approval: String,
    },
    /// Chooses images of a turn; the others are chosen no more.
    SelectImages {
        /// The turn.
        turn: u32,
        /// Their ids.
        images: Vec<String>,
    },
    /// Saves images in a folder of the workspace, as one change; nothing is overwritten.
    SaveImages {
        /// Their ids.
        images: Vec<String>,
        /// The folder, from the root of the workspace.
        folder: String,
    },
    /// Makes an image again, in its place, and answers when it is there.
    Regenerate {
        /// Its id.
        image: String,
        /// What it is to show.
        prompt: String,
        /// What is added to that.
        #[serde(default)]
        refinement: String,
    },
    /// Says something that the next request is to heed.
    Guide {
        /// The words.
        text: String,
    },
    /// Decides about a context that is nearly full: by default a fresh session takes over.
    Handoff {
        /// What is done about it.
        #[serde(default)]
        choice: Handing,
    },
    /// Goes on in this session with a larger context.
    Extend,
    /// Goes on in this session as it is.
    CancelHandoff,
    /// Stops the work on the workspace at the next step.
    Pause,
    /// Lets the work on the workspace go on, and the turn that stopped.
    Resume,
    /// Tries the last turn again.
    Retry,
    /// Accepts what was recovered of a broken answer.
    Continue,
    /// Stops the turn.
    Cancel,
    /// Goes back to before a turn.
    Rewind {
        /// The turn.
        turn: u32,
        /// What goes back.
        #[serde(default)]
        scope: Scope,
        /// What becomes of files that were changed since.
        #[serde(default, rename = "onChanged")]
        on_changed: Changed,
    },
    /// Takes the last rewind back.
    UndoRewind {
        /// What becomes of files that were changed since.
        #[serde(default, rename = "onChanged")]
        on_changed: Changed,
    },
}

/// What is done about a context that is nearly full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum Handing {
    /// A fresh session takes over.
    #[default]
    Handoff,
    /// This one goes on with a larger context.
    Extend,
    /// This one goes on as it is.
    Cancel,
}

impl From<Handing> for HandoffChoice {
    fn from(handing: Handing) -> Self {
        match handing {
            Handing::Handoff => Self::Handoff,
            Handing::Extend => Self::Extend,
            Handing::Cancel => Self::Cancel,
        }
    }
}

/// What is done with a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum RunChoice {
    /// It runs this once.
    Once,
    /// It is put on the user's list for this workspace, and runs.
    Add,
    /// It does not run.
    Skip,
}

/// What goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum Scope {
    /// The files.
    Files,
    /// The turns.
    Conversation,
    /// Both.
    #[default]
    Both,
}

impl From<Scope> for RewindScope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Files => Self::Files,
            Scope::Conversation => Self::Conversation,
            Scope::Both => Self::Both,
        }
    }
}

/// What becomes of files that were changed since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum Changed {
    /// Nothing is moved.
    #[default]
    Refuse,
    /// Both are kept where they touch other lines.
    Merge,
    /// They are overwritten; what was there is kept in the history.
    Force,
}

impl From<Changed> for OnChanged {
    fn from(changed: Changed) -> Self {
        match changed {
            Changed::Refuse => Self::Refuse,
            Changed::Merge => Self::Merge,
            Changed::Force => Self::Force,
        }
    }
}

/// What became of an action.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Done {
    /// In one word: `queued`, `done`, `nothing_to_do`.
    pub(super) outcome: &'static str,
    /// The turn it is about.
    pub(super) turn: Option<u32>,
    /// What else is known.
    pub(super) detail: Value,
}

impl Done {
    pub(super) const fn of(outcome: &'static str, turn: Option<u32>) -> Self {
        Self { outcome, turn, detail: Value::Null }
    }
}

/// Does what a person decided.
#[utoipa::path(
    post, path = "/api/v1/sessions/{id}/actions", tag = "sessions", request_body = Action,
    params(("id" = String, Path, description = "The session.")),
    responses((status = 200, description = "It is done, or will be.", body = Done), Refusals),
)]
pub(super) async fn act(
    State(state): State<Arc<WorkbenchState>>,
    Path(id): Path<String>,
    Told(action): Told<Action>,
) -> Answer {
    let session = state.session(&id).await?;
    let done = act::perform(&state, &session, action).await?;
    Ok(json_response(StatusCode::OK, &done))
}

/// Refuses an approval of something that does not wait any more.
pub(super) fn stale() -> Fault {
    Fault::conflict(
        "stale_approval",
        "what waits is not what was shown, or nothing waits; look again and decide about that",
    )
}
