//! The steps of the flow: ask and judge.
//!
//! In: ids of texts. Out: ids of texts and small facts. Texts are read from the store and written to
//! it here, and nowhere else in the flow. Never keeps a text that is not whole as a result.

use super::ask::Asking;
use super::input::{GenerateInput, Piece, ValidationError};
use super::models::ModelSource;
use crate::answer::{
    AlreadySent, AnswerVerdict, Caps, Completion, FaultKind, Ladder, LadderAction, PassedBecause,
    Wanted, judge,
};
use crate::statistics::{MALFORMED, inspections};
use salve_jobs::{BadName, Json, StepError, StepName, Steps};
use salve_model::{ImagePart, ModelReply, Purpose};
use salve_store::{Store, StoreError};
use salve_text::{CompiledSchema, context_tail};
use salve_types::{Language, Verdict};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The paid step.
pub(super) const ASK: &str = "generate.ask";
/// The step that judges what came.
pub(super) const JUDGE: &str = "generate.judge";
/// How much of an answer is shown where it ends.
const TAIL: usize = 400;
/// How many continuations beyond the cap a job gets for workers that died while it was answered.
const MOST_INTERRUPTED: u32 = 10;

/// The steps of `Generate`, and what they need.
#[derive(Clone)]
pub struct GenerateSteps {
    pub(super) store: Store,
    pub(super) models: Arc<dyn ModelSource>,
}

/// What the judge is given.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Judging {
    pub(super) input: GenerateInput,
    pub(super) pieces: Vec<Piece>,
}

/// What the judge says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Judged {
    pub(super) next: Next,
    pub(super) continuations: u32,
    pub(super) reworks: u32,
    /// The text of the answer as far as it came, when it is not whole.
    pub(super) partial: Option<String>,
    pub(super) error: Option<ValidationError>,
}

/// What follows.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Next {
    /// The answer is whole; this is its text.
    Whole(String),
    /// It is cut, and the rest can be asked for.
    Continue,
    /// It is wrong, and can be asked for again.
    Rework,
    /// Nothing more is done without a person.
    Stop(String),
}

impl GenerateSteps {
    /// Makes the steps.
    pub fn new(store: Store, models: Arc<dyn ModelSource>) -> Self {
        Self { store, models }
    }

    /// Adds them to others.
    ///
    /// # Errors
    /// Never, as long as the names above are good ones.
    pub fn add_to(&self, steps: Steps) -> Result<Steps, BadName> {
        let (asker, judge) = (self.clone(), self.clone());
        let steps = steps.with(StepName::new(ASK)?, move |context, input| {
            let steps = asker.clone();
            async move {
                let asking: Asking = read(input)?;
                written(&steps.ask(&*context, asking).await?)
            }
        });
        Ok(steps.with(StepName::new(JUDGE)?, move |_, input| {
            let steps = judge.clone();
            async move { written(&steps.judge(read(input)?).await?) }
        }))
    }

    async fn judge(&self, judging: Judging) -> Result<Judged, StepError> {
        let Judging { input, pieces } = judging;
        let ladder = self.ladder(&input, &pieces).await?;
        let ladder = ladder.ok_or_else(|| StepError::fatal("there is nothing to judge"))?;
        let (continuations, reworks) =
            (ladder.count(Purpose::Resume), ladder.count(Purpose::Rework));
        let step = ladder.next();
        if let LadderAction::Done(completed) = &step {
            let model = pieces.last().and_then(|piece| piece.model.as_deref()).unwrap_or("unknown");
            for line in inspections(completed, model) {
                self.store.count_answer(line);
            }
        }
        let text = self.keep(&ladder.answer().text).await?;
        let verdict = judge(ladder.answer(), &wanted(&input)?);
        let next = next_of(&step, &verdict, &text);
        if let Next::Whole(_) = next {
            return Ok(Judged { next, continuations, reworks, partial: None, error: None });
        }
        let error = validation_error(&verdict, ladder.answer());
        Ok(Judged { next, continuations, reworks, partial: Some(text), error: Some(error) })
    }

    /// Takes the ladder to where the replies so far lead; `None` when there are none. It is
    /// deterministic, so that every step of a job finds it in the same place.
    pub(super) async fn ladder(
        &self,
        input: &GenerateInput,
        pieces: &[Piece],
    ) -> Result<Option<Ladder>, StepError> {
        // What cannot be asked for is refused before anything is paid.
        let wanted = wanted(input)?;
        let Some((first, rest)) = pieces.split_first() else { return Ok(None) };
        let first = self.reply(first).await?;
        let mut ladder = Ladder::new(first, wanted, caps(input, pieces), AlreadySent::default());
        for piece in rest {
            ladder.take(Ok(self.reply(piece).await?));
        }
        Ok(Some(ladder))
    }

    async fn reply(&self, piece: &Piece) -> Result<ModelReply, StepError> {
        Ok(ModelReply {
            text: self.text(&piece.text).await?,
            // That there was some is all that counts.
            thinking: if piece.thought { "…".to_owned() } else { String::new() },
            finish: piece.finish.clone(),
            lost: piece.lost,
            usage: piece.usage,
            model: piece.model.clone(),
            ..ModelReply::default()
        })
    }

    /// Reads a text.
    pub(super) async fn text(&self, id: &str) -> Result<String, StepError> {
        let found = self.store.text(id).await.map_err(|error| unreadable(&error))?;
        found.ok_or_else(|| {
            StepError::fatal(format!("there is no text {id}: it was never kept, or is too old"))
        })
    }

    /// Reads an image.
    pub(super) async fn image(&self, id: &str) -> Result<ImagePart, StepError> {
        let found = self.store.image(id).await.map_err(|error| unreadable(&error))?;
        let bytes = found.ok_or_else(|| StepError::fatal(format!("there is no image {id}")))?;
        ImagePart::new(&bytes).map_err(|error| StepError::fatal(format!("image {id}: {error}")))
    }

    /// Keeps a text.
    pub(super) async fn keep(&self, text: &str) -> Result<String, StepError> {
        self.store.put_text(text).await.map_err(|error| unreadable(&error))
    }
}

fn read<T: for<'de> Deserialize<'de>>(input: Json) -> Result<T, StepError> {
    serde_json::from_value(input)
        .map_err(|error| StepError::fatal(format!("the step cannot read its input: {error}")))
}

fn written<T: Serialize>(output: &T) -> Result<Json, StepError> {
    serde_json::to_value(output).map_err(|error| StepError::fatal(error.to_string()))
}

fn unreadable(error: &StoreError) -> StepError {
    StepError::retryable(format!("the texts of the job cannot be reached: {error}"))
}

fn wanted(input: &GenerateInput) -> Result<Wanted, StepError> {
    let language = match &input.language {
        None => None,
        Some(name) => Some(Language::from_name(name).ok_or_else(|| {
            StepError::fatal(format!(
                "there is no language `{name}`; leave it out to have it found"
            ))
        })?),
    };
    let schema = input.schema.clone().map(CompiledSchema::new).transpose();
    let schema = schema.map_err(|error| StepError::fatal(format!("the schema: {error}")))?;
    Ok(Wanted {
        language,
        schema: schema.map(Arc::new),
        json: input.json,
        edits: input.edits,
        ..Wanted::default()
    })
}

// What the flow does next.
fn next_of(step: &LadderAction, verdict: &AnswerVerdict, text: &str) -> Next {
    let completed = match step {
        LadderAction::Ask(_) if matches!(verdict, AnswerVerdict::Malformed(_)) => {
            return Next::Rework;
        }
        LadderAction::Ask(_) => return Next::Continue,
        LadderAction::Done(completed) => completed,
    };
    match &completed.state {
        // A model that has nothing to add settles a doubt for a reader, not for a result: what is
        // called completed must also read as whole.
        Completion::Whole if matches!(verdict, AnswerVerdict::Whole(_)) => {
            Next::Whole(text.to_owned())
        }
        Completion::Whole => Next::Stop(
            "unproven: the model has nothing to add, and the answer does not read as whole"
                .to_owned(),
        ),
        Completion::Incomplete { code, why } => Next::Stop(format!("{}: {why}", code.name())),
        Completion::Passed(PassedBecause::Refused) => {
            Next::Stop("refused: a filter or a refusal ended the answer".to_owned())
        }
        Completion::Passed(_) => Next::Stop("the answer ends at a limit".to_owned()),
    }
}

// A worker that died in the middle of an answer costs no continuation.
fn caps(input: &GenerateInput, pieces: &[Piece]) -> Caps {
    let interrupted = pieces.iter().filter(|piece| piece.interrupted).count();
    let interrupted = u32::try_from(interrupted).unwrap_or(u32::MAX).min(MOST_INTERRUPTED);
    Caps {
        resumes: input.caps.resumes.saturating_add(interrupted),
        reworks: input.caps.reworks,
        retries: input.caps.retries,
        ..Caps::default()
    }
}

fn validation_error(verdict: &AnswerVerdict, reply: &ModelReply) -> ValidationError {
    let error = |code: &str, message: &str| ValidationError {
        code: code.to_owned(),
        message: message.to_owned(),
        line: None,
        kind: None,
        tail: context_tail(&reply.text, TAIL).to_owned(),
    };
    match verdict {
        AnswerVerdict::Cut(cut) => {
            let Verdict { error_type, error_message, truncation_line, kind, .. } = &cut.verdict;
            let code = error_type.map_or("TRUNCATION_DETECTED", |code| code.name());
            let message = error_message.as_deref().unwrap_or("the answer is cut");
            let lines = u32::try_from(reply.text.trim_end().lines().count()).unwrap_or(u32::MAX);
            ValidationError {
                line: Some(truncation_line.unwrap_or(lines)),
                kind: Some(kind.map_or("GENERAL_TRUNCATION", |kind| kind.name()).to_owned()),
                ..error(code, message)
            }
        }
        AnswerVerdict::Malformed(fault) => ValidationError {
            // A schema names a path instead.
            line: match fault.kind {
                FaultKind::NotJson { line } => Some(line),
                _ => None,
            },
            kind: Some(MALFORMED.to_owned()),
            ..error("VALIDATION_FAIL", &fault.line())
        },
        AnswerVerdict::ThinkingOnly => {
            error("THINKING_ONLY", "reasoning took the whole output, and no answer began")
        }
        AnswerVerdict::Refused => error("REFUSED", "a filter or a refusal ended the answer"),
        _ => error("UNPROVEN", "nothing proves that the answer is whole"),
    }
}
