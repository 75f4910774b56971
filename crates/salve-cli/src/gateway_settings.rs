//! The `[gateway]` part of the user's settings.
//!
//! In: a table of a configuration file. Out: the same as values. A workspace's own file has no say
//! here: it could send a person's code and keys to an upstream of its choice.

use salve_model::Secret;
use salve_types::Mode;
use serde::Deserialize;
use std::net::IpAddr;
use std::path::PathBuf;

/// What a gateway is started with when the flags do not say otherwise.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GatewaySettings {
    pub(crate) upstream: Option<String>,
    pub(crate) port: Option<u16>,
    pub(crate) listen: Option<IpAddr>,
    pub(crate) heal: Option<Mode>,
    pub(crate) upstream_key_env: Option<String>,
    pub(crate) upstream_key_file: Option<PathBuf>,
    /// The key of a provider that is named as the upstream; no file can hold it.
    #[serde(skip)]
    pub(crate) upstream_key: Option<Secret>,
    #[serde(default)]
    pub(crate) hosts: Vec<String>,
    #[serde(default)]
    pub(crate) origins: Vec<String>,
    pub(crate) max_output: Option<u64>,
    pub(crate) continue_factor: Option<f64>,
    pub(crate) drain_seconds: Option<u64>,
}

impl GatewaySettings {
    /// Takes what a higher level says over what was said below.
    pub(crate) fn or(self, below: Self) -> Self {
        let list = |high: Vec<String>, low| if high.is_empty() { low } else { high };
        // Where a key is kept is said as a whole: half of it from another level would be a mix-up.
        let keyed = self.upstream_key_env.is_some() || self.upstream_key_file.is_some();
        let (env, file) = if keyed {
            (self.upstream_key_env, self.upstream_key_file)
        } else {
            (below.upstream_key_env, below.upstream_key_file)
        };
        Self {
            upstream: self.upstream.or(below.upstream),
            port: self.port.or(below.port),
            listen: self.listen.or(below.listen),
            heal: self.heal.or(below.heal),
            upstream_key_env: env,
            upstream_key_file: file,
            upstream_key: self.upstream_key.or(below.upstream_key),
            hosts: list(self.hosts, below.hosts),
            origins: list(self.origins, below.origins),
            max_output: self.max_output.or(below.max_output),
            continue_factor: self.continue_factor.or(below.continue_factor),
            drain_seconds: self.drain_seconds.or(below.drain_seconds),
        }
    }
}
