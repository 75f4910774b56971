//! The steps of the flow: one paid call, and its image in the place of another.
//!
//! In: a prompt by its id. Out: images whose bytes are in the store before the call counts as answered. A provider's own
//! address is fetched at once, and only from a public place, because it expires. Never two calls for one key, and never
//! bytes that are no image.

use super::super::generate::fits_budget;
use super::{ImageInput, ImageOutput, ImagePlace, StoredImage};
use crate::answer::may_go_well_later;
use crate::jobs::ModelSource;
use crate::session::{
    EventName, GeneratedImage, ImageState, PinnedConnections, SystemNames, UrlLimits, fetch_bytes,
};
use salve_jobs::{
    BadName, CallResult, Json, PaidCall, StepCall, StepCtx, StepError, StepName, Steps, paid_once,
};
use salve_model::{
    BytesByTwo, Capabilities, Chosen, DrawAsk, DrawnImage, ImageType, Model, ModelReply,
    ModelRequest, Turn, worst_case,
};
use salve_store::{NewSessionEvent, SessionWrite, Store, StoreError, TurnUpdate};
use salve_types::{Clock, Spend, Usage};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) const MAKE: &str = "image.make";
pub(super) const PLACE: &str = "image.place";

/// The most bytes of an image that is kept.
const MOST_BYTES: usize = 16 << 20;
/// How long a provider's own address may take.
const FETCH_TIME: Duration = Duration::from_secs(60);
/// How long a store may be away before an image that was paid for is given up.
const LONGEST_OUTAGE: Duration = Duration::from_secs(300);

/// An image that is made again, and what came of it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Placing {
    pub(super) place: ImagePlace,
    pub(super) prompt: String,
    pub(super) made: Option<ImageOutput>,
    pub(super) why: Option<String>,
}

/// The steps of `Image`, and what they need.
#[derive(Clone)]
pub struct ImageSteps {
    store: Store,
    models: Arc<dyn ModelSource>,
    clock: Arc<dyn Clock>,
}

impl ImageSteps {
    /// Makes the steps.
    pub fn new(store: Store, models: Arc<dyn ModelSource>, clock: Arc<dyn Clock>) -> Self {
        Self { store, models, clock }
    }

    /// Adds them to others.
    ///
    /// # Errors
    /// Never, as long as the names above are good ones.
    pub fn add_to(&self, steps: Steps) -> Result<Steps, BadName> {
        let (make, place) = (self.clone(), self.clone());
        let steps = steps.with(StepName::new(MAKE)?, move |context, input| {
            let steps = make.clone();
            async move { written(&steps.make(&*context, read(input)?).await?) }
        });
        Ok(steps.with(StepName::new(PLACE)?, move |context, input| {
            let steps = place.clone();
            async move {
                steps.place(context.job().as_str(), read(input)?).await?;
                Ok(Json::Null)
            }
        }))
    }

    async fn make(
        &self,
        context: &dyn StepCtx,
        input: ImageInput,
    ) -> Result<ImageOutput, StepError> {
        let chosen = self.models.choose(&input.model).map_err(|no| StepError::fatal(no.0))?;
        if !chosen.capability.image {
            return Err(StepError::fatal(format!(
                "`{}` makes no images. Models that do: {}. Name one as `image` in `[roles]`",
                chosen.name,
                Capabilities::built_in().drawing().join(", ")
            )));
        }
        let prompt = self.store.text(&input.prompt).await.map_err(|error| away(&error))?;
        let prompt = prompt.ok_or_else(|| StepError::fatal("the prompt is lost"))?;
        let request = ModelRequest {
            model: chosen.name.clone(),
            turns: vec![Turn::user(prompt)],
            draw: Some(DrawAsk { count: input.count.max(1) }),
            ..ModelRequest::default()
        };
        let worst = worst_case(&request, chosen.capability.price.as_ref(), &BytesByTwo);
        fits_budget(input.budget, input.beside, worst.total())?;
        let call = StepCall {
            purpose: "image".to_owned(),
            provider: chosen.provider.clone(),
            model: chosen.name.clone(),
            session: input.session.clone(),
            worst,
        };
        let made = paid_once(context, &call, input.doubt, |paid| self.call(chosen, request, paid));
        let result = made.await?;
        let mut output: ImageOutput = serde_json::from_value(result.note).unwrap_or_default();
        let most = worst.total();
        let own = Spend {
            tokens: result.usage.map_or(most.tokens, Usage::total),
            micro_dollars: result.micro_dollars.unwrap_or(most.micro_dollars),
        };
        // Calls that were begun by processes that died may have been paid.
        let lost = u32::try_from(output.spent.tokens).unwrap_or_default();
        output.spent = (0..lost).fold(own, |sum, _| sum.plus(most));
        Ok(output)
    }

    async fn call(
        &self,
        chosen: Chosen,
        request: ModelRequest,
        paid: PaidCall,
    ) -> Result<CallResult, StepError> {
        let lost = paid.epoch().saturating_sub(1);
        let reply = match chosen.model.call(&request, &mut ()).await {
            Ok(reply) => reply,
            Err(error) => {
                let message = error.to_string();
                let why = match may_go_well_later(&error) {
                    true => StepError::Retryable { message, after: error.retry_after() },
                    false => StepError::Fatal { message },
                };
                let free = error.is_refusal();
                return Ok(CallResult {
                    usage: free.then(Usage::default),
                    micro_dollars: free.then_some(0),
                    ..CallResult::failed(&why)
                });
            }
        };
        let usage = reply.usage.unwrap_or_default();
        let count = u64::try_from(reply.images.len()).unwrap_or(u64::MAX);
        let price = chosen.capability.price;
        let money = price.map(|price| price.cost(usage).saturating_add(price.of_images(count)).0);
        let mut output = self.keep_all(reply).await?;
        output.model = Some(chosen.name);
        // How often the call was begun before, until it is known what one takes.
        output.spent = Spend { tokens: u64::from(lost), micro_dollars: 0 };
        let note = serde_json::to_value(&output).unwrap_or_default();
        let micro_dollars = Some(money.unwrap_or(0));
        Ok(CallResult {
            answered: true,
            text: String::new(),
            usage: Some(usage),
            micro_dollars,
            note,
        })
    }

    // One that cannot be had loses no other.
    async fn keep_all(&self, reply: ModelReply) -> Result<ImageOutput, StepError> {
        let mut output = ImageOutput::default();
        for image in reply.images {
            match bytes_of(&image).await {
                Ok((bytes, kind)) => {
                    let content = patiently(|| self.store.put_image(bytes.clone())).await?;
                    let revised = match image.revised_prompt {
                        Some(text) => Some(patiently(|| self.store.put_text(&text)).await?),
                        None => None,
                    };
                    let media_type = kind.media_type().to_owned();
                    output.images.push(StoredImage { content, media_type, revised });
                }
                Err(why) => output.why = Some(why),
            }
        }
        Ok(output)
    }

    async fn place(&self, job: &str, placing: Placing) -> Result<(), StepError> {
        let Placing { place, prompt, made, why } = placing;
        let prompt = self.store.text(&prompt).await.map_err(|error| away(&error))?;
        let now = u64::try_from(self.clock.now().0).unwrap_or(0);
        let made = made.unwrap_or_default();
        let spent = made.spent.micro_dollars;
        let mut change = json!({ "id": place.image, "why": why.or(made.why) });
        let mut held = Vec::new();
        if let Some(image) = made.images.first() {
            let revised = match &image.revised {
                Some(id) => self.store.text(id).await.map_err(|error| away(&error))?,
                None => None,
            };
            let new = GeneratedImage {
                id: place.image.clone(),
                original_prompt: prompt.unwrap_or_default(),
                revised_prompt: revised,
                url: Some(GeneratedImage::stored_at(&image.content)),
                timestamp: now,
                selected: false,
                state: ImageState::Made,
                content: Some(image.content.clone()),
                media_type: Some(image.media_type.clone()),
                micro_dollars: spent,
                why: None,
            };
            held.push(image.content.clone());
            change = serde_json::to_value(new).unwrap_or_default();
        }
        let write = SessionWrite {
            events: vec![NewSessionEvent {
                turn: Some(place.turn),
                name: EventName::ImageRegenerated.name().to_owned(),
                payload: json!({ "image": change, "made": !held.is_empty() }),
            }],
            turn: Some(TurnUpdate {
                index: place.turn,
                micro_dollars: spent,
                images: vec![change],
                held,
                ..TurnUpdate::default()
            }),
            ..SessionWrite::new(place.session, format!("{job}:place"))
        };
        self.store.write_session(write).await.map_err(|error| away(&error))?;
        Ok(())
    }
}

async fn bytes_of(image: &DrawnImage) -> Result<(Vec<u8>, ImageType), String> {
    let bytes = match (image.bytes(), &image.url) {
        (Some(bytes), _) => bytes.map_err(|error| format!("the image cannot be read: {error}"))?,
        (None, Some(url)) => {
            let limits = UrlLimits { bytes: MOST_BYTES, time: FETCH_TIME, ..UrlLimits::default() };
            let fetched = fetch_bytes(url, &limits, &SystemNames, &PinnedConnections).await;
            let (bytes, cut) = fetched
                .map_err(|code| format!("the provider's address was not fetched: {code:?}"))?;
            if cut {
                return Err(format!("the image has more than {MOST_BYTES} bytes"));
            }
            bytes
        }
        (None, None) => return Err("the provider sent no image".to_owned()),
    };
    if bytes.len() > MOST_BYTES {
        return Err(format!("the image has more than {MOST_BYTES} bytes"));
    }
    let kind = ImageType::of(&bytes)
        .ok_or_else(|| "the provider sent something that is no image".to_owned())?;
    Ok((bytes, kind))
}

// Another attempt would pay again, so a store that is away is waited for.
async fn patiently<Done>(put: impl Fn() -> Done) -> Result<String, StepError>
where
    Done: Future<Output = Result<String, StoreError>>,
{
    let (begun, mut pause) = (Instant::now(), Duration::from_millis(50));
    loop {
        match put().await {
            Err(_) if begun.elapsed() < LONGEST_OUTAGE => {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(1));
            }
            kept => return kept.map_err(|error| away(&error)),
        }
    }
}

fn away(error: &StoreError) -> StepError {
    StepError::retryable(format!("the store cannot be reached: {error}"))
}

fn read<T: for<'de> Deserialize<'de>>(input: Json) -> Result<T, StepError> {
    serde_json::from_value(input)
        .map_err(|error| StepError::fatal(format!("the step cannot read its input: {error}")))
}

fn written<T: Serialize>(output: &T) -> Result<Json, StepError> {
    serde_json::to_value(output).map_err(|error| StepError::fatal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn c231_an_address_that_is_not_public_is_never_fetched() {
        for url in
            ["http://127.0.0.1:9/a.png", "http://169.254.169.254/latest", "file:///etc/passwd"]
        {
            let image = DrawnImage { url: Some(url.to_owned()), ..DrawnImage::default() };
            let refused = bytes_of(&image).await.unwrap_err();
            assert!(refused.contains("was not fetched"), "{refused}");
        }
    }

    #[tokio::test]
    async fn c231_bytes_that_are_no_image_are_refused() {
        let image =
            |text: &str| DrawnImage { base64: Some(text.to_owned()), ..DrawnImage::default() };
        // A page of HTML, and no Base64 at all.
        for wrong in ["PGh0bWw+", "!!!"] {
            assert!(bytes_of(&image(wrong)).await.is_err(), "{wrong}");
        }
        let (_, kind) = bytes_of(&image("/9j/4GpwZWc=")).await.unwrap();
        assert_eq!(kind, ImageType::Jpeg);
    }
}
