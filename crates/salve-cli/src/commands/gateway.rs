//! `salve gateway`: heals the replies of one provider on their way to any agent.
//!
//! In: the provider's address, from a flag or the user's own settings. Out: the line to paste for
//! each agent, then a log, until it is told to stop. Never takes an upstream from a workspace.

use crate::arguments::{Format, GatewayArguments};
use crate::environment;
use crate::failure::{CommandResult, Ending, Failure};
use crate::gateway_settings::GatewaySettings;
use crate::model_settings::Models;
use crate::settings::Settings;
use crate::{host, log, model_keys, output, runtime};
use salve_model::Capabilities;
use salve_serve::gateway::{Gateway, GatewayConfig, Secret, StartError};
use salve_serve::http::{ServerHandle, TlsIdentity};
use serde_json::json;
use std::io::{ErrorKind, IsTerminal};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Where it listens unless it is told otherwise.
pub(crate) const PORT: u16 = 8790;

/// Runs `salve gateway`.
pub(crate) fn run(arguments: &GatewayArguments, format: Format) -> CommandResult {
    let Settings { gateway, models, .. } = Settings::load()?;
    let settings = by_name(flags(arguments).or(gateway), &models)?;
    let mut config = config(arguments, settings)?;
    config.capabilities = Capabilities::built_in().with(models.settings.model);
    log::start(arguments.log_format, arguments.verbose);
    runtime::run(serve(config, format))?
}

async fn serve(mut config: GatewayConfig, format: Format) -> CommandResult {
    let host = host::local("gateway")?;
    config.store = Some(host.store().await?.clone());
    let secured = config.server.tls.is_some();
    let upstream = config.upstream.clone();
    let gateway = Gateway::start(config).await.map_err(not_started)?;
    announce(&gateway, secured, &upstream, format)?;
    runtime::interrupted().await?;
    output::story("Finishing open replies; no new ones are taken.\n");
    let drained = gateway.stop().await;
    host.close(host::DELIVERY).await;
    if drained.cut > 0 {
        output::story(&format!("{} replies did not end in time and were cut.\n", drained.cut));
        return Ok(Ending::LimitReached);
    }
    Ok(Ending::Clean)
}

fn not_started(error: StartError) -> Failure {
    let failure = Failure::from(error);
    match failure.io_kind() {
        Some(ErrorKind::AddrInUse) => {
            failure.hint("Another program listens there; `--port NUMBER` takes another port.")
        }
        _ => failure.hint("`salve gateway --help` lists what can be set."),
    }
}

fn flags(arguments: &GatewayArguments) -> GatewaySettings {
    GatewaySettings {
        upstream: arguments.upstream.clone(),
        port: arguments.port,
        listen: arguments.listen,
        heal: arguments.heal,
        upstream_key_env: arguments.upstream_key_env.clone(),
        upstream_key_file: arguments.upstream_key_file.clone(),
        upstream_key: None,
        hosts: arguments.hosts.clone(),
        origins: arguments.origins.clone(),
        max_output: arguments.max_output,
        continue_factor: arguments.continue_factor,
        drain_seconds: arguments.drain_seconds,
    }
}

fn config(
    arguments: &GatewayArguments,
    settings: GatewaySettings,
) -> Result<GatewayConfig, Failure> {
    let mut config = of_settings(settings)?;
    config.server.insecure_bind = arguments.insecure_bind;
    if let (Some(certificates), Some(key)) = (&arguments.tls_cert, &arguments.tls_key) {
        config.server.tls =
            Some(TlsIdentity { certificates: read(certificates)?, key: read(key)? });
    }
    Ok(config)
}

/// Makes the configuration that settings ask for.
pub(super) fn of_settings(settings: GatewaySettings) -> Result<GatewayConfig, Failure> {
    let upstream = settings.upstream.clone().ok_or_else(|| {
        Failure::new("the gateway has no upstream")
            .hint("Give one: `salve gateway --upstream https://api.openai.com/v1`.")
            .hint("Or set `upstream` under `[gateway]` in your own config.toml.")
    })?;
    let mut config = GatewayConfig::new(upstream, Arc::new(environment::now));
    let address = settings.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    config.server.listen = SocketAddr::new(address, settings.port.unwrap_or(PORT));
    config.upstream_key = upstream_key(&settings)?;
    config.server.hosts = settings.hosts;
    config.server.origins = settings.origins;
    config.mode = settings.heal.unwrap_or_default();
    config.max_output = settings.max_output.unwrap_or(config.max_output);
    if let Some(factor) = settings.continue_factor {
        if !(1.0..=1000.0).contains(&factor) {
            return Err(Failure::new(format!(
                "continue_factor must be from 1 to 1000, not {factor}"
            )));
        }
        config.policy.caps.continue_factor = factor;
    }
    if let Some(seconds) = settings.drain_seconds {
        config.server.drain = Duration::from_secs(seconds);
    }
    Ok(config)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path)
        .map_err(|error| Failure::new(format!("cannot read `{}`: {error}", path.display())))
}

// An upstream without a scheme is the name of a provider: its address is taken, and its key where
// the user said where that is kept. A provider everybody knows keeps to the clients' own keys.
pub(super) fn by_name(
    mut settings: GatewaySettings,
    models: &Models,
) -> Result<GatewaySettings, Failure> {
    let Some(name) = settings.upstream.clone().filter(|name| !name.contains("://")) else {
        return Ok(settings);
    };
    let known = models.provider(&name).ok_or_else(|| {
        Failure::new(format!("`{name}` is neither an address nor a provider"))
            .hint("Give an address, like https://api.openai.com/v1.")
            .hint("Or add a `[[provider]]` of that name to your own config.toml.")
    })?;
    settings.upstream = Some(known.provider(None)?.base_url);
    let said = settings.upstream_key_env.is_some() || settings.upstream_key_file.is_some();
    if let Some(source) = known.key.as_ref().filter(|_| !said) {
        settings.upstream_key = Some(model_keys::fetch(source)?);
    }
    Ok(settings)
}

fn upstream_key(settings: &GatewaySettings) -> Result<Option<Secret>, Failure> {
    if settings.upstream_key.is_some() {
        return Ok(settings.upstream_key.clone());
    }
    if let Some(path) = &settings.upstream_key_file {
        return Ok(Some(salve_model::read_key_file(path)?));
    }
    let Some(name) = &settings.upstream_key_env else { return Ok(None) };
    let text = environment::value(name).ok_or_else(|| {
        Failure::new(format!("the variable {name} is not set")).hint(
            "It must hold the provider's key; without it the clients' own keys are passed on.",
        )
    })?;
    Ok(Some(Secret::new(text)?))
}

fn announce(
    gateway: &ServerHandle,
    secured: bool,
    upstream: &str,
    format: Format,
) -> Result<(), Failure> {
    let scheme = if secured { "https" } else { "http" };
    let url = format!("{scheme}://{}", gateway.addr);
    match format {
        // A program that reads this wants the address and no more; people read the rest in the log.
        Format::Human if !std::io::stdout().is_terminal() => {
            output::story_as_drawn(&welcome(&url, upstream));
            output::result(&format!("{url}\n"))
        }
        Format::Human => output::as_drawn(&welcome(&url, upstream)),
        _ => output::value(format, &json!({ "url": url, "upstream": upstream })),
    }
}

fn welcome(url: &str, upstream: &str) -> String {
    let bold = anstyle::Style::new().bold();
    let dim = anstyle::Style::new().dimmed();
    let mut text = format!("Healing {upstream} at {bold}{url}{bold:#}\n\nPaste one line:\n");
    let agents = agents(url);
    let widest = agents.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, line) in agents {
        text.push_str(&format!("  {dim}{name:<widest$}{dim:#}  {line}\n"));
    }
    text.push_str("\nCtrl-C ends it, after open replies are finished.\n");
    text
}

/// Returns each known agent with the line that makes it use the gateway.
pub(crate) fn agents(url: &str) -> Vec<(&'static str, String)> {
    vec![
        ("Claude Code", format!("export ANTHROPIC_BASE_URL={url}")),
        ("codex", format!("codex -c openai_base_url={url}/v1")),
        ("aider", format!("export OPENAI_API_BASE={url}/v1")),
        ("goose", format!("export OPENAI_HOST={url} ANTHROPIC_HOST={url}")),
        (
            "opencode",
            format!(
                "export OPENCODE_CONFIG_CONTENT='{{\"provider\":{{\"openai\":{{\"options\":\
                 {{\"baseURL\":\"{url}/v1\"}}}}}}}}'"
            ),
        ),
        ("cline", format!("# API provider: OpenAI Compatible, base URL: {url}/v1")),
        ("continue", format!("apiBase: {url}/v1   # under the model in config.yaml")),
        ("openai SDK", format!("export OPENAI_BASE_URL={url}/v1")),
        ("anthropic SDK", format!("export ANTHROPIC_BASE_URL={url}")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_agent_has_its_line() {
        let names = [
            "Claude Code",
            "codex",
            "aider",
            "goose",
            "opencode",
            "cline",
            "continue",
            "openai SDK",
            "anthropic SDK",
        ];
        let agents = agents("http://127.0.0.1:8790");
        assert_eq!(agents.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names);
        for (name, line) in &agents {
            assert!(line.contains("http://127.0.0.1:8790"), "{name}: {line}");
            assert_eq!(line.lines().count(), 1, "{name}: one line to paste");
        }
        let text =
            anstream::adapter::strip_str(&welcome("http://127.0.0.1:8790", "up")).to_string();
        let columns: Vec<usize> = agents
            .iter()
            .filter_map(|(_, line)| {
                text.lines().find_map(|shown| {
                    shown.ends_with(line.as_str()).then(|| shown.len() - line.len())
                })
            })
            .collect();
        assert_eq!(columns, vec![columns[0]; names.len()], "aligned");
    }
}
