//! A provider's models, over the `genai` crate.
//!
//! In: a provider, a client for HTTP, and what is known of models. Out: a model that streams
//! underneath, so that the caller that watches sees text as it comes and silence is noticed. Never
//! calls twice, never limits itself, never spends: other layers do.

use super::Provider;
use super::asking::{messages, options, target};
use super::drawing::draw;
use super::failing::{Failure, sort};
use super::hearing::{Frames, hear};
use super::with_files::holds_files;
use crate::capability::Capabilities;
use crate::model::{Model, ModelError, Watch};
use crate::reply::ModelReply;
use crate::request::ModelRequest;
use std::sync::Arc;

/// The models of one provider; the request says which of them.
pub struct GenaiModel {
    client: genai::Client,
    /// The same connections, for what the crate does not ask for.
    plain: reqwest::Client,
    provider: Provider,
    capabilities: Arc<Capabilities>,
}

impl GenaiModel {
    /// Makes the models of a provider callable.
    ///
    /// # Errors
    /// When the provider's address is none.
    pub fn new(
        provider: Provider,
        client: reqwest::Client,
        capabilities: Arc<Capabilities>,
    ) -> Result<Self, ModelError> {
        let endpoint = provider.endpoint();
        let url = reqwest::Url::parse(&endpoint).ok();
        if !url.is_some_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host()) {
            let Provider { name, base_url, .. } = &provider;
            let message = format!(
                "the address `{base_url}` of the provider `{name}` is not one; write it like \
                 https://api.x.ai/v1"
            );
            return Err(ModelError::Unsendable { message });
        }
        let plain = client.clone();
        let client = genai::Client::builder()
            .with_reqwest(client)
            .build()
            .map_err(|error| ModelError::Unsendable { message: error.to_string() })?;
        Ok(Self { client, plain, provider, capabilities })
    }

    /// Returns the provider.
    pub const fn provider(&self) -> &Provider {
        &self.provider
    }
}

impl Model for GenaiModel {
    async fn call(
        &self,
        request: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> Result<ModelReply, ModelError> {
        let Self { client, plain, provider, capabilities } = self;
        let model = capabilities.full_name(&request.model);
        let capability = capabilities.of(model);
        if let Some(ask) = request.draw {
            if !capability.image {
                let message = format!(
                    "`{model}` makes no images; models that do: {}. If yours does, say `image = true` in a \
                     `[[model]]` of your own",
                    capabilities.drawing().join(", ")
                );
                return Err(ModelError::Unsendable { message });
            }
            return draw(plain, provider, model, request, ask).await;
        }
        // Of a model without a description it is not known that it cannot.
        let structured = capability.structured_outputs || !capability.known;
        let frames = Arc::new(Frames::default());
        let options = options(provider, request, model, structured)
            .with_raw_frame_sink_arc(Arc::clone(&frames) as _);
        let streamed = client.exec_chat_stream(
            target(provider, model, holds_files(request)),
            messages(request),
            Some(&options),
        );
        let stream = match streamed.await {
            Ok(response) => response.stream,
            Err(error) => {
                let message = error.to_string();
                return Err(match sort(error) {
                    Failure::Refused(error) | Failure::GaveUp(error) => error,
                    _ => ModelError::Unsendable { message },
                });
            }
        };
        let heard = hear(stream, frames, provider.dialect, provider.timeouts, watch).await;
        heard.map(|reply| ModelReply {
            usage: reply.usage.map(|usage| provider.whole_usage(usage)),
            ..reply
        })
    }
}

#[cfg(test)]
mod tests;
