//! What a person decides about the workspace: breakers, rules, calls in doubt, jobs, plans, faults, audits, settings.
//!
//! In: an action by its name. Out: what became of it. Never touches a file of the workspace itself, and never decides
//! about what another workspace has.

use super::super::answer::{Answer, Fault, Refusals, json_response};
use super::super::state::WorkbenchState;
use super::actions::Done;
use super::input::Told;
use super::plans;
use axum::extract::State;
use http::StatusCode;
use salve_engine::session::filed_by_user;
use salve_jobs::{CallKey, Decision, JobId};
use salve_store::{RuleState, SessionUpdate};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use utoipa::ToSchema;

/// What is to be done.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum WorkspaceAction {
    /// Forgets how often an error was not healed, or all of them.
    ResetBreaker {
        /// The error; all of the workspace where none is named.
        #[serde(default)]
        signature: Option<String>,
    },
    /// Says that a rule may be used where only pinned ones may.
    PinRule {
        /// The rule.
        rule: String,
        /// Why.
        reason: String,
    },
    /// Takes that back.
    UnpinRule {
        /// The rule.
        rule: String,
    },
    /// Takes a rule out of use.
    DisableRule {
        /// The rule.
        rule: String,
    },
    /// Puts a rule into use again.
    EnableRule {
        /// The rule.
        rule: String,
    },
    /// Takes what is known of an error out of use, or puts it into use again.
    SetPattern {
        /// The error.
        signature: String,
        /// Whether it is out of use.
        disabled: bool,
    },
    /// Decides about a call whose end is not known.
    ResolveCall {
        /// By what it is known.
        key: String,
        /// What is done about it.
        decision: CallDecision,
    },
    /// Stops a job.
    CancelJob {
        /// The job.
        job: String,
    },
    /// Reports a fault of a turn.
    ReportBug {
        /// The session.
        session: String,
        /// The turn.
        turn: u32,
        /// What happened.
        text: String,
    },
    /// Changes a setting in the user's own file.
    ChangeSetting {
        /// Its name.
        name: String,
        /// The value.
        value: String,
    },
    /// Takes the last change of a setting back.
    UndoSetting,
    /// Splits a request into parts; a model is asked, and nothing runs yet.
    MakePlan {
        /// What is asked for.
        request: String,
        /// How finely: `fine`, `medium`, `coarse`, or `auto`, which decides by what is known.
        #[serde(default = "plans::usual")]
        granularity: String,
    },
    /// Changes a plan that has not begun: its parts as a JSON list, in their order.
    EditPlan {
        /// The plan.
        plan: String,
        /// The parts.
        document: String,
    },
    /// Starts a plan, or goes on with it.
    StartPlan {
        /// The plan.
        plan: String,
        /// `a` (each part as soon as it can), `b` (one after the other) or `c` (all at once).
        strategy: plans::Strategy,
    },
    /// Keeps every prompt and answer of a session from now on, or no more.
    SetAudit {
        /// The session.
        session: String,
        /// Whether they are kept.
        on: bool,
    },
}

/// What is done about a call in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum CallDecision {
    /// It is made again; it may be paid twice.
    Retry,
    /// It is not; what asked for it fails.
    Fail,
}

/// Does what a person decided about the workspace.
#[utoipa::path(
    post, path = "/api/v1/actions", tag = "workspace", request_body = WorkspaceAction,
    responses((status = 200, description = "It is done.", body = Done), Refusals),
)]
pub(super) async fn act(
    State(state): State<Arc<WorkbenchState>>,
    Told(action): Told<WorkspaceAction>,
) -> Answer {
    let done = perform(&state, action).await?;
    Ok(json_response(StatusCode::OK, &done))
}

async fn perform(state: &WorkbenchState, action: WorkspaceAction) -> Answer<Done> {
    let store = state.store();
    let root = state.root().display().to_string();
    match action {
        WorkspaceAction::ResetBreaker { signature } => {
            let count = store.reset_unhealed(&root, signature.as_deref()).await?;
            Ok(counted(count))
        }
        WorkspaceAction::PinRule { rule, reason } => {
            let reason = said(&reason, "say why: the reason is kept with the pin")?;
            known_rule(store.pin_rule(&rule, "workbench", reason).await?)
        }
        WorkspaceAction::UnpinRule { rule } => known_rule(store.unpin_rule(&rule).await?),
        WorkspaceAction::DisableRule { rule } => {
            known_rule(store.set_rule_state(&rule, RuleState::Disabled).await?)
        }
        WorkspaceAction::EnableRule { rule } => {
            known_rule(store.set_rule_state(&rule, RuleState::Active).await?)
        }
        WorkspaceAction::SetPattern { signature, disabled } => {
            Ok(counted(store.disable_pattern(Some(&root), &signature, disabled).await?))
        }
        WorkspaceAction::ResolveCall { key, decision } => resolve(state, &key, decision).await,
        WorkspaceAction::CancelJob { job } => cancel(state, &job).await,
        WorkspaceAction::ReportBug { session, turn, text } => {
            report_bug(state, &session, turn, &text).await
        }
        WorkspaceAction::ChangeSetting { name, value } => {
            let changed = state.config.host.change_setting(&name, &value);
            changed.map_err(|fault| Fault::invalid(fault.to_string()))?;
            Ok(Done::of("done", None))
        }
        WorkspaceAction::UndoSetting => match state.config.host.undo_setting() {
            Ok(true) => Ok(Done::of("done", None)),
            Ok(false) => Ok(Done::of("nothing_to_do", None)),
            Err(fault) => Err(Fault::conflict("changed_since", fault.to_string())),
        },
        WorkspaceAction::MakePlan { request, granularity } => {
            plans::make(state, said(&request, "say what is to be done")?, &granularity).await
        }
        WorkspaceAction::EditPlan { plan, document } => plans::edit(state, &plan, &document).await,
        WorkspaceAction::StartPlan { plan, strategy } => plans::start(state, &plan, strategy).await,
        WorkspaceAction::SetAudit { session, on } => {
            let session = state.session(&session).await?;
            let update = SessionUpdate { audit: Some(on), ..SessionUpdate::default() };
            store.update_session(&session.id, update).await?;
            Ok(Done::of("done", None))
        }
    }
}

async fn resolve(state: &WorkbenchState, key: &str, decision: CallDecision) -> Answer<Done> {
    let key = CallKey::new(key);
    if key.job().is_none() {
        return Err(Fault::missing("no_such_call", "there is no such call of a job"));
    }
    let decision = match decision {
        CallDecision::Retry => Decision::Retry,
        CallDecision::Fail => Decision::Fail,
    };
    state.conversation().jobs().resolve(&key, decision).await?;
    Ok(Done::of("done", None))
}

async fn cancel(state: &WorkbenchState, job: &str) -> Answer<Done> {
    let missing = || Fault::missing("no_such_job", "there is no such job");
    let id = JobId::new(job).map_err(|_| missing())?;
    let jobs = state.conversation().jobs();
    let found = jobs.state(&id).await?.ok_or_else(missing)?;
    if found.state.is_terminal() {
        return Ok(Done::of("nothing_to_do", None));
    }
    jobs.cancel(&id, "a person stopped it in the workbench").await?;
    Ok(Done::of("done", None))
}

async fn report_bug(state: &WorkbenchState, session: &str, turn: u32, text: &str) -> Answer<Done> {
    let session = state.session(session).await?;
    let text = said(text, "say what happened")?;
    if turn > session.turns {
        return Err(Fault::missing("no_such_turn", "the session has no such turn"));
    }
    // Every report is one of its own.
    let key = format!("bug/{}", uuid::Uuid::new_v4());
    let write = filed_by_user(&session.id, turn, text, state.config.host.now(), key);
    state.store().write_session(write).await?;
    Ok(Done::of("done", Some(turn)))
}

fn said<'a>(text: &'a str, next: &str) -> Answer<&'a str> {
    const MOST: usize = 8 * 1024;
    match text.trim() {
        "" => Err(Fault::invalid(next)),
        text if text.len() > MOST => {
            Err(Fault::invalid(format!("a text has at most {MOST} bytes")))
        }
        text => Ok(text),
    }
}

fn known_rule(is_known: bool) -> Answer<Done> {
    if is_known {
        return Ok(Done::of("done", None));
    }
    Err(Fault::missing("no_such_rule", "there is no such rule"))
}

fn counted(count: u64) -> Done {
    let detail: Value = json!({ "count": count });
    Done { outcome: if count > 0 { "done" } else { "nothing_to_do" }, turn: None, detail }
}
