//! The body of a request, as a value.
//!
//! In: bytes that were read already. Out: the value, or an error that says where it does not fit. Never quotes more of
//! the body than the place.

use super::super::answer::Fault;
use super::super::state::WorkbenchState;
use axum::extract::{FromRequest, Request};
use http::StatusCode;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A body that is JSON of this shape. An empty body is an empty object.
pub(super) struct Told<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Arc<WorkbenchState>> for Told<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &Arc<WorkbenchState>) -> Result<Self, Fault> {
        let body = request.into_body().collect().await.map_err(|error| {
            Fault::new(StatusCode::BAD_REQUEST, "bad_request", error.to_string())
        })?;
        let bytes = body.to_bytes();
        let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
        serde_json::from_slice(text).map(Self).map_err(|error| {
            let status = match error.classify() {
                serde_json::error::Category::Data => StatusCode::UNPROCESSABLE_ENTITY,
                _ => StatusCode::BAD_REQUEST,
            };
            Fault::new(status, "invalid_request", format!("the body does not fit: {error}"))
        })
    }
}
