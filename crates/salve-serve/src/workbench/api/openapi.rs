//! The document of the API, written from the handlers.
//!
//! In: nothing. Out: OpenAPI 3.1. Never anything that is not answered as it says.

use super::super::answer::{Answer, ErrorBody, ErrorDetail, json_response};
use http::StatusCode;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Salve workbench",
        description = "Conversations about one workspace, on this machine. Programs send `Authorization: Bearer` with \
                       the API token of the server; see docs/workbench.md.",
    ),
    paths(
        super::sessions::begin,
        super::sessions::list,
        super::sessions::show,
        super::sessions::say,
        super::actions::act,
        super::images::bytes,
        super::workspace::act,
        super::events::follow,
        super::reports::report,
        super::exchange,
        super::health,
        document,
    ),
    components(schemas(ErrorBody, ErrorDetail)),
    modifiers(&ByToken),
    security(("token" = [])),
)]
struct Document;

/// Says how programs show who they are.
struct ByToken;

impl Modify for ByToken {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        if let Some(components) = &mut document.components {
            components.add_security_scheme("token", SecurityScheme::Http(scheme));
        }
    }
}

/// Returns this document.
#[utoipa::path(
    get, path = "/api/v1/openapi.json", tag = "access",
    responses(
        (status = 200, description = "This document.", body = serde_json::Value),
        super::super::answer::Refusals,
    ),
)]
pub(super) async fn document() -> Answer {
    Ok(json_response(StatusCode::OK, &Document::openapi()))
}
