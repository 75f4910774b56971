//! The gateway beside the workbench, on a port of its own.
//!
//! In: the user's upstream, or the provider that turns ask; the practice model where there is none. Out: a gateway that
//! runs, or nothing. Never takes the workbench's cookie for a key: the two share no secret.

use crate::commands::gateway::{by_name, of_settings};
use crate::failure::Failure;
use crate::gateway_settings::GatewaySettings;
use crate::job_place::OpenJobs;
use crate::output;
use crate::settings::Settings;
use salve_model::Capabilities;
use salve_serve::gateway::{Gateway, StartError};
use salve_serve::http::ServerHandle;

/// Starts it, where there is something to stand before.
pub(super) async fn start(
    open: &OpenJobs<'_>,
    practice: Option<&str>,
) -> Result<Option<ServerHandle>, Failure> {
    let Settings { gateway, models, .. } = Settings::load()?;
    let own = practice.map(str::to_owned);
    let first = models.settings.provider.first().map(|provider| provider.name.clone());
    let Some(upstream) = own.or_else(|| gateway.upstream.clone()).or(first) else {
        return Ok(None);
    };
    let port = Some(gateway.port.unwrap_or(0));
    let settings = GatewaySettings { upstream: Some(upstream), port, ..gateway };
    let mut config = of_settings(by_name(settings, &models)?)?;
    config.capabilities = Capabilities::built_in().with(models.settings.model);
    config.store = Some(open.store().clone());
    match Gateway::start(config).await {
        Ok(gateway) => Ok(Some(gateway)),
        Err(error @ (StartError::NoKeys | StartError::Listen(_))) => {
            output::story(&format!("The gateway is not started: {error}.\n"));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
