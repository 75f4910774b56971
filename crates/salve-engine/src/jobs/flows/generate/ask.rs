//! The paid step: one call to a model.
//!
//! In: what is wanted and the replies so far. Out: one more reply, its text in the store before
//! anything has read it. What a worker that died had received is taken as a reply that broke off,
//! and goes on from there. Never a call beyond the job's budget, never two for one key.

use super::chunks::Chunks;
use super::input::{GenerateInput, Piece, is_zero};
use super::steps::GenerateSteps;
use crate::answer::{LadderAction, followed_up, may_go_well_later};
use salve_jobs::{CallResult, Json, PaidCall, StepCall, StepCtx, StepError, paid_once};
use salve_model::{
    AnyModel, BytesByTwo, Chosen, Model, ModelError, ModelReply, ModelRequest, Price, Purpose,
    Turn, Watch, worst_case,
};
use salve_types::{BudgetUnit, FinishReason, Spend, SpendLimit, Usage};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// How long a store may be away before an answer that was paid for is given up.
const LONGEST_OUTAGE: Duration = Duration::from_secs(300);

/// What the step is given.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Asking {
    pub(super) input: GenerateInput,
    pub(super) pieces: Vec<Piece>,
    /// What the job took so far.
    pub(super) spent: Spend,
}

/// What of a reply is kept in the ledger beside its text.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Note {
    finish: Option<FinishReason>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    lost: bool,
    model: Option<String>,
    thought: bool,
    interrupted: bool,
    // How often the call was begun before, by workers that died.
    #[serde(skip_serializing_if = "is_zero")]
    lost_calls: u32,
    // How often the provider searched in files; the ledger has no column for it.
    searches: u64,
}

impl GenerateSteps {
    /// Asks once.
    pub(super) async fn ask(
        &self,
        context: &dyn StepCtx,
        asking: Asking,
    ) -> Result<Piece, StepError> {
        let Asking { input, pieces, spent } = asking;
        let chosen = match input.images.is_empty() {
            true => self.models.choose(&input.model),
            false => self.models.choose_seeing(&input.model),
        };
        let chosen = chosen.map_err(|no| StepError::fatal(no.0))?;
        let ladder = self.ladder(&input, &pieces).await?;
        let first = self.first_request(&input, &chosen).await?;
        let (purpose, request) = match ladder.map(|ladder| ladder.next()) {
            None => (Purpose::First, first),
            Some(LadderAction::Ask(next)) => (next.purpose, followed_up(&first, &next)),
            Some(LadderAction::Done(_)) => return Err(StepError::fatal("nothing is left to ask")),
        };
        let worst = worst_case(&request, chosen.capability.price.as_ref(), &BytesByTwo);
        fits_budget(input.budget, spent, worst.total())?;
        let call = StepCall {
            purpose: word(purpose).to_owned(),
            provider: chosen.provider.clone(),
            model: chosen.name.clone(),
            session: input.session.clone(),
            worst,
        };
        let (model, price) = (chosen.model.clone(), chosen.capability.price);
        let shown = input.shown_in.as_ref();
        let shown = shown.map(|place| Chunks::new(&self.store, place, context.job()));
        let make = |paid| call_model(model, request, price, paid, shown);
        let result = paid_once(context, &call, input.doubt, make).await?;
        let note: Note = serde_json::from_value(result.note).unwrap_or_default();
        let most = worst.total();
        let own = Spend {
            tokens: result.usage.map_or(most.tokens, Usage::total),
            micro_dollars: result.micro_dollars.unwrap_or(most.micro_dollars),
        };
        Ok(Piece {
            text: self.keep_paid(context, &result.text).await?,
            purpose,
            finish: note.finish,
            lost: note.lost,
            usage: result
                .usage
                .filter(|_| !note.interrupted)
                .map(|usage| Usage { search_calls: note.searches, ..usage }),
            model: note.model,
            thought: note.thought,
            interrupted: note.interrupted,
            lost_calls: note.lost_calls,
            spent: (0..note.lost_calls).fold(own, |sum, _| sum.plus(most)),
        })
    }

    // Another attempt would pay again, so a store that is away is waited for.
    async fn keep_paid(&self, context: &dyn StepCtx, text: &str) -> Result<String, StepError> {
        let (begun, cancelled) = (Instant::now(), context.cancelled());
        let mut pause = Duration::from_millis(50);
        loop {
            match self.keep(text).await {
                Err(_) if begun.elapsed() < LONGEST_OUTAGE && !cancelled.is_cancelled() => {
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(Duration::from_secs(1));
                }
                kept => return kept,
            }
        }
    }

    async fn first_request(
        &self,
        input: &GenerateInput,
        chosen: &Chosen,
    ) -> Result<ModelRequest, StepError> {
        let system = match &input.system {
            Some(system) => Some(self.text(system).await?),
            None => None,
        };
        let most = chosen.max_output_tokens();
        let mut turns = Vec::new();
        for said in &input.history {
            let text = self.text(&said.text).await?;
            turns.push(if said.by_model { Turn::assistant(text) } else { Turn::user(text) });
        }
        let mut images = Vec::new();
        for id in &input.images {
            images.push(self.image(id).await?);
        }
        let files = input.files.clone();
        turns.push(Turn { images, files, ..Turn::user(self.text(&input.prompt).await?) });
        Ok(ModelRequest {
            model: chosen.name.clone(),
            system,
            turns,
            max_output_tokens: input.max_tokens.map_or(most, |wanted| wanted.min(most)),
            ..ModelRequest::default()
        })
    }
}

async fn call_model(
    model: AnyModel,
    request: ModelRequest,
    price: Option<Price>,
    paid: PaidCall,
    mut shown: Option<Chunks>,
) -> Result<CallResult, StepError> {
    let lost_calls = paid.epoch().saturating_sub(1);
    // What had arrived for a process that is gone was paid for: it is a reply that broke off.
    if !paid.partial().trim().is_empty() {
        let text = paid.partial().to_owned();
        let finish = Some(FinishReason::Disconnect);
        let note = Note { finish, interrupted: true, lost_calls, ..Note::default() };
        // No call is made: what it took is counted with the one that was lost.
        return Ok(CallResult {
            answered: true,
            text,
            usage: Some(Usage::default()),
            micro_dollars: Some(0),
            note: as_json(&note),
        });
    }
    let (sender, mut arrived) = mpsc::unbounded_channel();
    let asked = async move { model.call(&request, &mut Pieces(sender)).await };
    let kept = async {
        let mut pieces = Vec::new();
        while arrived.recv_many(&mut pieces, 64).await > 0 {
            let text = pieces.concat();
            paid.append(&text).await;
            if let Some(shown) = &mut shown {
                shown.arrived(&text).await;
            }
            pieces.clear();
        }
        if let Some(shown) = &mut shown {
            shown.ended().await;
        }
    };
    let (asked, ()) = tokio::join!(asked, kept);
    Ok(match asked {
        Ok(reply) => answered(reply, price, lost_calls),
        Err(ModelError::TimedOut { partial, .. }) if !partial.text.is_empty() => {
            let cut = ModelReply { finish: Some(FinishReason::Disconnect), ..*partial };
            answered(cut, price, lost_calls)
        }
        Err(error) => unanswered(&error),
    })
}

// Shows what arrives to the process that keeps it; that one may be slower than the model.
struct Pieces(mpsc::UnboundedSender<String>);

impl Watch for Pieces {
    fn arrived(&mut self, text: &str) {
        // No one listens any more when the call was given up; then nothing is kept.
        let _ = self.0.send(text.to_owned());
    }
}

fn answered(reply: ModelReply, price: Option<Price>, lost_calls: u32) -> CallResult {
    // An answer that broke off has only the first of its counts, if any.
    let broke_off = reply.finish == Some(FinishReason::Disconnect);
    let usage = reply.usage.filter(|usage| !broke_off && usage.total() > 0);
    let note = Note {
        finish: reply.finish,
        lost: reply.lost,
        model: reply.model,
        thought: !reply.thinking.is_empty(),
        interrupted: false,
        lost_calls,
        searches: usage.map_or(0, |usage| usage.search_calls),
    };
    CallResult {
        answered: true,
        text: reply.text,
        usage,
        micro_dollars: usage.zip(price).map(|(usage, price)| price.cost(usage).0),
        note: as_json(&note),
    }
}

// Kept in the ledger like an answer, so that the same attempt ends the same way each time.
fn unanswered(error: &ModelError) -> CallResult {
    let message = error.to_string();
    let why = if may_go_well_later(error) {
        StepError::Retryable { message, after: error.retry_after() }
    } else {
        StepError::Fatal { message }
    };
    let free = error.is_refusal();
    CallResult {
        usage: free.then(Usage::default),
        micro_dollars: free.then_some(0),
        ..CallResult::failed(&why)
    }
}

fn as_json(note: &Note) -> Json {
    serde_json::to_value(note).unwrap_or_default()
}

/// Says whether a call fits what is left.
///
/// # Errors
/// When it does not.
pub(in crate::jobs::flows) fn fits_budget(
    budget: SpendLimit,
    spent: Spend,
    worst: Spend,
) -> Result<(), StepError> {
    let Some(passed) = budget.passed_by(spent, worst) else { return Ok(()) };
    let what = match passed.unit {
        BudgetUnit::Tokens => "tokens",
        BudgetUnit::MicroDollars => "millionths of a dollar",
    };
    let message = format!(
        "budget: the job has {} {what} left and this call may take {}; start one with more, or \
         accept what there is",
        passed.left, passed.needed
    );
    Err(StepError::OverBudget { message })
}

const fn word(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::First => "first",
        Purpose::Resume => "resume",
        Purpose::Rework => "rework",
        _ => "retry",
    }
}
