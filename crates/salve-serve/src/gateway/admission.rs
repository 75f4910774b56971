//! Who may ask, and with which key the upstream is asked.
//!
//! In: the headers of a request. Out: the gateway key it came with, and headers that carry the right
//! key on. A key of the gateway never reaches the upstream; the upstream's key never reaches a client.

use super::Shared;
use super::headers::{SALVE_KEY, X_API_KEY, shown_key};
use super::refusal::UNREACHABLE;
use crate::http::refusal::{Reason, Refusal};
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use salve_store::{GatewayKey, KEY_PREFIX};
use std::sync::Arc;
use std::time::Instant;

/// Lets a request in and puts the upstream's key in the place of the gateway's, where Salve holds it.
pub(crate) async fn admit(
    shared: &Shared,
    headers: &mut HeaderMap,
) -> Result<Option<Arc<GatewayKey>>, Refusal> {
    let shown = shown_key(headers).map(|(name, key)| (name, key.to_owned()));
    let key = match (&shown, shared.config.demands_key()) {
        (Some((name, key)), true) => Some((name.clone(), find(shared, key).await?)),
        (None, true) => {
            return Err(Refusal::new(
                Reason::NO_KEY,
                "this gateway requires a key; create one with `salve keys add` and send it as the API key",
            ));
        }
        // A client's own key goes on to the upstream; one of the gateway has its own header.
        (Some((name, key)), false) if *name == SALVE_KEY || key.starts_with(KEY_PREFIX) => {
            Some((name.clone(), find(shared, key).await?))
        }
        (_, false) => None,
    };
    let Some((name, key)) = key else { return Ok(None) };
    if let Some(per_minute) = key.requests_per_minute {
        shared.rates.take(key.id, per_minute, Instant::now()).map_err(|wait| {
            let message = format!("this key may make {per_minute} requests a minute");
            Refusal::new(Reason::RATE_LIMITED, message).retry_after(wait)
        })?;
    }
    replace(shared, headers, &name)?;
    Ok(Some(key))
}

async fn find(shared: &Shared, key: &str) -> Result<Arc<GatewayKey>, Refusal> {
    let found = match &shared.config.store {
        // Only what looks like a key is worth a look into the database.
        Some(store) if key.starts_with(KEY_PREFIX) => store.look_up_key(key).await,
        Some(store) => store.find_key(key),
        None => None,
    };
    found.ok_or_else(|| {
        Refusal::new(
            Reason::WRONG_KEY,
            "this is not a key of the gateway, or it was revoked; `salve keys list` shows the valid ones",
        )
    })
}

fn replace(shared: &Shared, headers: &mut HeaderMap, shown: &HeaderName) -> Result<(), Refusal> {
    headers.remove(SALVE_KEY);
    let Some(key) = &shared.config.upstream_key else {
        if *shown == SALVE_KEY {
            return Ok(());
        }
        return Err(Refusal::new(
            Reason::WRONG_KEY,
            "the gateway holds no key of the upstream: send your own as the API key, and the \
             gateway's in `x-salve-key`",
        ));
    };
    // The upstream's key goes where the client had its own, because both speak the same dialect.
    let anthropic = *shown == X_API_KEY || headers.contains_key("anthropic-version");
    headers.remove(AUTHORIZATION);
    headers.remove(X_API_KEY);
    let (name, text) = if anthropic {
        (X_API_KEY, key.expose().to_owned())
    } else {
        (AUTHORIZATION, format!("Bearer {}", key.expose()))
    };
    let mut value = HeaderValue::from_str(&text)
        .map_err(|_| Refusal::new(UNREACHABLE, "the upstream's key is not one word"))?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(())
}
