//! The steps of a turn that has images made: what is asked for, and what came.
//!
//! In: where the turn is. Out: the calls, each with its share of the budget; then the turn with its images. Never a call
//! of its own: each is a child, `Image@1`, and paid once.

use super::steps::{TurnSteps, lost, unreadable};
use super::{At, Drawing, DrawnCall, Here};
use crate::heal::RepairError;
use crate::jobs::{ImageInput, StoredImage};
use crate::session::machine::{DrawWish, TurnStep};
use crate::session::{
    DrawEnd, ImageWish, KeptImage, TurnInput, calls_of, image_wish, needs_project, take_drawn,
};
use salve_jobs::{DoubtPolicy, JobId, StepError};
use salve_store::TurnRecord;
use salve_types::Spend;
use std::fmt::Write as _;

/// Says whether a turn is one for images. One that shows images, or whose caller wants a shape, is answered in words.
pub(super) fn wish_of(input: &TurnInput, turn: &TurnRecord) -> DrawWish {
    if input.help.draw.is_none() || input.help.output.is_some() || !turn.images.is_empty() {
        return DrawWish::No;
    }
    match image_wish(&turn.text) {
        ImageWish::No => DrawWish::No,
        ImageWish::Unsure(_) => DrawWish::Unsure,
        ImageWish::Sure(1) if !needs_project(&turn.text) => DrawWish::Direct,
        ImageWish::Sure(_) => DrawWish::Prompted,
    }
}

impl TurnSteps {
    pub(super) async fn draw(&self, job: &JobId, at: At) -> Result<Vec<ImageInput>, StepError> {
        let input = at.input.clone();
        let calls = self.blocking(job, at, move |here| {
            let (_, Some(saved)) = here.state()? else { return Err(lost()) };
            if saved.machine.next() != TurnStep::Draw {
                return Err(RepairError::Io("the turn has no images made now".to_owned()));
            }
            Ok((calls_of(&saved), saved.machine.left()))
        });
        let (calls, budget) = calls.await?;
        let help = input.help.draw.ok_or_else(|| StepError::fatal("no model makes images"))?;
        let (mut asked, mut beside) = (Vec::new(), Spend::default());
        for (prompt, count) in calls {
            asked.push(ImageInput {
                prompt: self.put(&prompt).await?,
                count,
                model: help.model.clone(),
                budget,
                beside,
                // Going on with a turn is the user's word.
                doubt: DoubtPolicy::Retry,
                session: Some(input.session.to_string()),
                place: None,
            });
            let cost = help.micro_dollars.unwrap_or(0).saturating_mul(u64::from(count));
            beside = beside.plus(Spend { tokens: 0, micro_dollars: cost });
        }
        Ok(asked)
    }

    pub(super) async fn drawn(&self, job: &JobId, drawing: Drawing) -> Result<Here, StepError> {
        let Drawing { at, asked, ended } = drawing;
        let mut ends = Vec::new();
        for (input, call) in asked.into_iter().zip(ended) {
            ends.push(self.end_of(input, call).await?);
        }
        let raw = self.put(&in_words(&ends)).await?;
        let (now, fresh) = (self.now(), self.fresh(&at).await?);
        let done = self.blocking(job, at, move |here| {
            here.step(fresh, |here, step, saved| {
                take_drawn(saved, ends, raw, &format!("{}:{step}", here.job), now)
            })
        });
        self.kept(done.await?).await
    }

    async fn end_of(&self, input: ImageInput, call: DrawnCall) -> Result<DrawEnd, StepError> {
        let prompt = self.store.text(&input.prompt).await.map_err(|error| unreadable(&error))?;
        let end = DrawEnd {
            prompt: prompt.unwrap_or_default(),
            count: input.count,
            ..DrawEnd::default()
        };
        let output = match call {
            DrawnCall::Failed { message, over_budget } => {
                return Ok(DrawEnd { why: Some(message), over_budget, ..end });
            }
            DrawnCall::Ended(output) => output,
        };
        let mut images = Vec::new();
        for StoredImage { content, media_type, revised } in output.images {
            let revised_prompt = match revised {
                Some(id) => self.store.text(&id).await.map_err(|error| unreadable(&error))?,
                None => None,
            };
            images.push(KeptImage { content, media_type, revised_prompt });
        }
        Ok(DrawEnd { images, spent: output.spent, model: output.model, why: output.why, ..end })
    }
}

// What later turns are told of them.
fn in_words(ends: &[DrawEnd]) -> String {
    let mut words = String::from("Images were made for this request:");
    for (number, end) in ends.iter().enumerate() {
        let failed = if end.images.is_empty() { " (could not be made)" } else { "" };
        let _ = write!(words, "\n{}. {}{failed}", number + 1, end.prompt);
    }
    words
}
