//! How each action is done.
//!
//! In: a session and an action. Out: what became of it. Never touches the workspace while a turn works on it.

use super::super::answer::{Answer, Fault};
use super::super::state::WorkbenchState;
use super::actions::{Action, Done, RunChoice, stale};
use super::images;
use salve_engine::heal::HealLock;
use salve_engine::host::OpenWorkspace;
use salve_engine::session::{
    ChatAnswer, EarlyRun, HandoffChoice, HandoffDone, HunkChoice, ReviewStep, RewindDone,
    RewindRequest, RunningTurn, TurnDecision, TurnResume, WaitingTurn, Waits, decide_handoff,
    guide, rewind_session, undo_rewind,
};
use salve_store::{SessionRecord, TurnRecord};
use salve_tree::{ChangeMeta, OnChanged, Origin, RewindOutcome, WorkspaceOptions};
use salve_types::TurnStatus;
use serde_json::json;
use std::time::Duration;

/// How long another process that is writing is waited for.
const WAIT: Duration = Duration::from_secs(10);

/// How long a turn that is about to end is waited for, and how often it is looked whether it has.
const PART: Duration = Duration::from_secs(10);
const LOCKED: Duration = Duration::from_secs(5);
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Does an action.
pub(super) async fn perform(
    state: &WorkbenchState,
    session: &SessionRecord,
    action: Action,
) -> Answer<Done> {
    match action {
        Action::Apply { approval, files, .. } if !files.is_empty() => {
            let (turn, _) = edits(state, session, &approval).await?;
            decide(state, &turn, TurnDecision::Hunks(HunkChoice { files }), approval).await
        }
        Action::Apply { approval, path, .. } => {
            let step = ReviewStep { path, hunk: None, keep: Some(true) };
            review(state, session, approval, step).await
        }
        Action::Reject { approval, path } => {
            let step = ReviewStep { path, hunk: None, keep: Some(false) };
            review(state, session, approval, step).await
        }
        Action::Reopen { approval, path } => {
            let step = ReviewStep { path: Some(path), hunk: None, keep: None };
            review(state, session, approval, step).await
        }
        Action::KeepHunk { approval, path, hunk } => {
            let step = ReviewStep { path: Some(path), hunk: Some(hunk), keep: Some(true) };
            review(state, session, approval, step).await
        }
        Action::RejectHunk { approval, path, hunk } => {
            let step = ReviewStep { path: Some(path), hunk: Some(hunk), keep: Some(false) };
            review(state, session, approval, step).await
        }
        Action::RunAll { approval } => {
            let (turn, waiting) = waiting(state, session, &approval).await?;
            if matches!(waiting.what, Waits::Edits { .. }) {
                return Err(stale());
            }
            decide(state, &turn, TurnDecision::Yes, approval).await
        }
        Action::Guide { text } => {
            if text.trim().is_empty() {
                return Err(Fault::invalid("there is nothing to heed"));
            }
            let key = uuid::Uuid::now_v7().to_string();
            guide(state.store(), &session.id, &text, &key).await?;
            Ok(Done::of("done", None))
        }
        Action::SelectImages { turn, images } => {
            images::select(state, session, turn, &images).await
        }
        Action::SaveImages { images, folder } => {
            images::save(state, session, &images, &folder).await
        }
        Action::Regenerate { image, prompt, refinement } => {
            images::regenerate(state, session, image, &prompt, &refinement).await
        }
        Action::Handoff { choice } => handed(state, session, choice.into()).await,
        Action::Extend => handed(state, session, HandoffChoice::Extend).await,
        Action::CancelHandoff => handed(state, session, HandoffChoice::Cancel).await,
        Action::RunCommand { approval, choice, number: Some(number) } => {
            early(state, session, approval, number, choice).await
        }
        Action::RunCommand { approval, choice, number: None } => {
            let (turn, waiting) = waiting(state, session, &approval).await?;
            let decision = match (&waiting.what, choice) {
                (Waits::Edits { .. }, _) => return Err(stale()),
                (_, RunChoice::Skip) => TurnDecision::No,
                // Of several, those on the list run; each of the others is asked about by itself.
                (_, RunChoice::Once) => TurnDecision::Yes,
                (Waits::Command { command, .. }, RunChoice::Add) => {
                    let allowed = state.config.host.allow(command);
                    allowed.map_err(|fault| Fault::conflict("not_allowed", fault.to_string()))?;
                    TurnDecision::Yes
                }
                (Waits::Commands { .. } | Waits::Images { .. }, RunChoice::Add) => {
                    let why = "several commands wait; run them, and each that is not on the list is asked about";
                    return Err(Fault::conflict("not_allowed", why));
                }
            };
            decide(state, &turn, decision, approval).await
        }
        Action::Pause => {
            state.pause(true)?;
            Ok(Done::of("done", None))
        }
        Action::Resume => resume(state, session).await,
        Action::Retry => retry(state, session).await,
        Action::Continue => accept(state, session).await,
        Action::Cancel => cancel(state, session).await,
        Action::Rewind { turn, scope, on_changed } => {
            let request =
                RewindRequest { turn, scope: scope.into(), on_changed: on_changed.into() };
            moved(state, session, Move::Back(request)).await
        }
        Action::UndoRewind { on_changed } => {
            moved(state, session, Move::Forward(on_changed.into())).await
        }
    }
}

// What waits, where it is what was shown.
async fn waiting(
    state: &WorkbenchState,
    session: &SessionRecord,
    approval: &str,
) -> Answer<(TurnRecord, WaitingTurn)> {
    let turn = state.last_turn(&session.id).await?;
    let waiting = state.waiting(&turn).await?;
    let waiting = waiting.filter(|waiting| waiting.approval == approval).ok_or_else(stale)?;
    Ok((turn, waiting))
}

// The edits that wait. While a part of them is being written, the others are about to wait again.
async fn edits(
    state: &WorkbenchState,
    session: &SessionRecord,
    approval: &str,
) -> Answer<(TurnRecord, WaitingTurn)> {
    let until = tokio::time::Instant::now() + PART;
    loop {
        let status = state.last_turn(&session.id).await?.status;
        let works = matches!(status, TurnStatus::Pending | TurnStatus::Running);
        match waiting(state, session, approval).await {
            Ok(found) if matches!(found.1.what, Waits::Edits { .. }) => return Ok(found),
            Err(_) if works && tokio::time::Instant::now() < until => {
                tokio::time::sleep(BETWEEN_LOOKS).await;
            }
            Ok(_) => return Err(stale()),
            Err(fault) => return Err(fault),
        }
    }
}

// A command of the answer, while its edits wait on.
async fn early(
    state: &WorkbenchState,
    session: &SessionRecord,
    approval: String,
    number: u32,
    choice: RunChoice,
) -> Answer<Done> {
    let (turn, _) = edits(state, session, &approval).await?;
    let answer: ChatAnswer = turn
        .result
        .clone()
        .and_then(|result| serde_json::from_value(result).ok())
        .unwrap_or_default();
    let place = usize::try_from(number).unwrap_or(usize::MAX);
    let Some(command) = answer.actionable_commands().get(place) else {
        return Err(Fault::missing("no_such_command", "the answer has no such command"));
    };
    if choice == RunChoice::Add {
        let allowed = state.config.host.allow(&command.command);
        allowed.map_err(|fault| Fault::conflict("not_allowed", fault.to_string()))?;
    }
    let run = EarlyRun { number, agreed: choice != RunChoice::Skip };
    decide(state, &turn, TurnDecision::Run(run), approval).await
}

// Notes a decision about a part of the edits; a file of which something is kept is written at once, and the turn goes on
// when every file has a decision.
async fn review(
    state: &WorkbenchState,
    session: &SessionRecord,
    approval: String,
    step: ReviewStep,
) -> Answer<Done> {
    let (turn, waiting) = edits(state, session, &approval).await?;
    let (held, mut draft) = state.conversation().review(&turn, &waiting).await?;
    if held.is_empty() && step.path.is_none() {
        // Edits whose hunks were not listed are decided about as a whole.
        let whole = if step.keep == Some(false) { TurnDecision::No } else { TurnDecision::Yes };
        return decide(state, &turn, whole, approval).await;
    }
    let is_known = match (&step.path, &step.hunk) {
        (Some(path), Some(hunk)) => held.get(path).is_some_and(|ids| ids.contains(hunk)),
        (Some(path), None) => held.contains_key(path),
        (None, _) => true,
    };
    if !is_known {
        return Err(Fault::missing("no_such_hunk", "no such file or hunk waits"));
    }
    state.conversation().note_review(&turn, &waiting, &step).await?;
    draft.take(&step, &held);
    match draft.decision(&held) {
        Some(decision) => decide(state, &turn, decision, approval).await,
        None => {
            Ok(Done { outcome: "done", turn: Some(turn.index), detail: json!({ "review": draft }) })
        }
    }
}

async fn handed(
    state: &WorkbenchState,
    session: &SessionRecord,
    choice: HandoffChoice,
) -> Answer<Done> {
    let done = decide_handoff(state.store(), &session.id, choice).await?;
    let detail = match &done {
        HandoffDone::Handoff { child, input } => json!({ "session": child.id, "input": input }),
        HandoffDone::Extend { session } | HandoffDone::Cancel { session } => {
            json!({ "session": session.id })
        }
    };
    Ok(Done { outcome: "done", turn: None, detail })
}

async fn decide(
    state: &WorkbenchState,
    turn: &TurnRecord,
    decision: TurnDecision,
    approval: String,
) -> Answer<Done> {
    let told = TurnResume { decision: Some(decision), attended: true, ..TurnResume::default() };
    state.run(turn, Some(told), Some(approval)).await?;
    Ok(Done::of("queued", Some(turn.index)))
}

async fn resume(state: &WorkbenchState, session: &SessionRecord) -> Answer<Done> {
    state.pause(false)?;
    let turn = state.last_turn(&session.id).await?;
    if turn.status.is_terminal() {
        return Ok(Done::of("nothing_to_do", Some(turn.index)));
    }
    let told = TurnResume { attended: true, ..TurnResume::default() };
    state.run(&turn, Some(told), None).await?;
    Ok(Done::of("queued", Some(turn.index)))
}

async fn retry(state: &WorkbenchState, session: &SessionRecord) -> Answer<Done> {
    let turn = state.last_turn(&session.id).await?;
    if !turn.status.is_terminal() {
        let why = "the turn is not over; cancel it first, or wait";
        return Err(Fault::conflict("turn_is_open", why));
    }
    let turn = state.conversation().again(&turn).await?;
    state.run(&turn, None, None).await?;
    Ok(Done::of("queued", Some(turn.index)))
}

async fn accept(state: &WorkbenchState, session: &SessionRecord) -> Answer<Done> {
    let turn = state.last_turn(&session.id).await?;
    if turn.status != TurnStatus::CompletedPartial {
        return Ok(Done::of("nothing_to_do", Some(turn.index)));
    }
    state.conversation().accept(&turn).await?;
    Ok(Done::of("done", Some(turn.index)))
}

async fn cancel(state: &WorkbenchState, session: &SessionRecord) -> Answer<Done> {
    let turn = state.last_turn(&session.id).await?;
    if turn.status.is_terminal() {
        return Ok(Done::of("nothing_to_do", Some(turn.index)));
    }
    state.conversation().cancel(&turn, "a person stopped it").await?;
    Ok(Done::of("done", Some(turn.index)))
}

enum Move {
    Back(RewindRequest),
    Forward(OnChanged),
}

// A turn that has just told its end may hold the workspace for a moment.
async fn lock(state: &WorkbenchState) -> Answer<HealLock> {
    let until = tokio::time::Instant::now() + LOCKED;
    loop {
        match RunningTurn::lock(state.root()) {
            Ok(lock) => return Ok(lock),
            Err(error) if tokio::time::Instant::now() >= until => {
                return Err(Fault::conflict("busy", error.to_string()));
            }
            Err(_) => tokio::time::sleep(BETWEEN_LOOKS).await,
        }
    }
}

async fn moved(state: &WorkbenchState, session: &SessionRecord, to: Move) -> Answer<Done> {
    let _lock = lock(state).await?;
    let options = WorkspaceOptions { wait: WAIT, ..WorkspaceOptions::default() };
    let opened = OpenWorkspace::open_at(&state.config.place, options);
    let opened = opened.map_err(|error| Fault::conflict("busy", error.to_string()))?;
    let now = u64::try_from(state.config.host.now().0).unwrap_or(0);
    let meta = ChangeMeta { now, origin: Origin::User, ..ChangeMeta::default() };
    let (store, tree) = (state.store(), &opened.tree);
    let done = match to {
        Move::Back(request) => rewind_session(store, session, tree, request, &meta).await?,
        Move::Forward(how) => undo_rewind(store, session, tree, how, &meta).await?,
    };
    match done {
        RewindDone::Moved { rewound, todos, .. } => Ok(Done {
            outcome: "done",
            turn: Some(rewound.turn),
            detail: json!({ "rewind": rewound, "todos": todos }),
        }),
        RewindDone::Nothing => Ok(Done::of("nothing_to_do", None)),
        RewindDone::Files(RewindOutcome::Changed(files)) => {
            let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
            let why = format!("files were changed since; nothing was moved: {}", paths.join(", "));
            Err(Fault::conflict("changed_since", why))
        }
        RewindDone::Files(_) => Err(Fault::conflict(
            "conflict",
            "a file was changed in this very moment; nothing was moved",
        )),
        RewindDone::Others(changes) => {
            let why =
                format!("{} changes are not of the session; nothing was moved", changes.len());
            Err(Fault::conflict("changes_of_others", why))
        }
    }
}
