//! Which ports of this machine a run may reach.
//!
//! In: the flags and the user's own setting. Out: the ports, or why one of them is refused. Never asks a
//! workspace, a rule or an approval.

use crate::arguments::RunArguments;
use crate::commands::gateway::PORT;
use crate::failure::Failure;
use crate::settings::Settings;
use salve_engine::host::{OwnPort, PortError, run_ports};

/// Returns the ports that the person named.
pub(super) fn named(options: &RunArguments, settings: &Settings) -> Result<Vec<u16>, Failure> {
    let gateway = settings.gateway.port.unwrap_or(PORT);
    let own = [PORT, gateway].map(|port| OwnPort { port, what: "the gateway" });
    let setting = &settings.allow_ports.value;
    run_ports(&options.ports, setting, &own).map_err(|error| {
        let by_setting = match &error {
            PortError::Own { port, .. } => !options.ports.contains(port),
            _ => options.ports.is_empty(),
        };
        let origin = &settings.allow_ports.origin;
        let failure = Failure::from(error);
        if by_setting {
            failure.hint(format!("`allow_ports` is set in: {origin}"))
        } else {
            failure
        }
    })
}
