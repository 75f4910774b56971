//! The flow `Image@1`: images of one prompt, paid once, and put into the place of another where one is made again.
//!
//! In: the prompt by its id, how many, who makes them, and the place of the image they replace. Out: the ids of the bytes
//! in the store. A turn has one of these for each call, side by side; an image that is made again is one of its own.
//! Never a text or an image in a history: those are in the store.

mod steps;

pub use steps::ImageSteps;

use super::WhichModel;
use salve_jobs::{DoubtPolicy, FlowCtx, FlowError, Json, Retry, StepError, StepName};
use salve_types::{SessionId, Spend, SpendLimit};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use steps::{MAKE, PLACE, Placing};

/// What is to be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImageInput {
    /// The id of the prompt.
    pub prompt: String,
    /// How many images of it.
    pub count: u32,
    /// Who makes them.
    pub model: WhichModel,
    /// What may be spent.
    #[serde(default)]
    pub budget: SpendLimit,
    /// What others that run beside it may take of that.
    #[serde(default)]
    pub beside: Spend,
    /// What becomes of a call of which it is not known whether it was paid.
    #[serde(default)]
    pub doubt: DoubtPolicy,
    /// The session it is counted for.
    pub session: Option<String>,
    /// The image that it replaces.
    #[serde(default)]
    pub place: Option<ImagePlace>,
}

/// The place of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImagePlace {
    /// The session.
    pub session: SessionId,
    /// Which turn of it.
    pub turn: u32,
    /// Its name.
    pub image: String,
}

/// Images whose bytes are in the store.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ImageOutput {
    /// Each one: the id of its bytes, what they are, and the id of the prompt as the provider rewrote it.
    pub images: Vec<StoredImage>,
    /// What it took.
    pub spent: Spend,
    /// Who made them.
    pub model: Option<String>,
    /// Why there are fewer than asked for.
    pub why: Option<String>,
}

/// An image in the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredImage {
    /// The id of its bytes.
    pub content: String,
    /// What they are.
    pub media_type: String,
    /// The id of the prompt as the provider rewrote it.
    pub revised: Option<String>,
}

/// Makes images. This is the code of the flow: deterministic, and replayed.
///
/// # Errors
/// When none could be made. Where they replace another, that is noted first.
pub(super) async fn run_image(context: Arc<dyn FlowCtx>, input: Json) -> Result<Json, FlowError> {
    let input: ImageInput = serde_json::from_value(input)
        .map_err(|error| FlowError::new(format!("the input is not one of Image: {error}")))?;
    let made: Result<ImageOutput, StepError> =
        step(&*context, MAKE, &input, Retry { attempts: 2, ..Retry::default() }).await;
    if let Some(place) = input.place.clone() {
        let why = made.as_ref().err().map(ToString::to_string);
        let made = made.as_ref().ok().cloned();
        let placing = Placing { place, prompt: input.prompt.clone(), made, why };
        let retry = Retry { attempts: 60, ..Retry::default() };
        let () = step(&*context, PLACE, &placing, retry).await?;
    }
    serde_json::to_value(made?).map_err(|error| FlowError::new(error.to_string()))
}

async fn step<I: Serialize, T: DeserializeOwned>(
    context: &dyn FlowCtx,
    name: &str,
    input: &I,
    retry: Retry,
) -> Result<T, StepError> {
    let fatal = |error: &dyn std::fmt::Display| StepError::fatal(error.to_string());
    let name = StepName::new(name).map_err(|error| fatal(&error))?;
    let input = serde_json::to_value(input).map_err(|error| fatal(&error))?;
    let output = context.step(&name, input, retry).await?;
    serde_json::from_value(output).map_err(|error| fatal(&error))
}
