//! `salve gateway`, as data.
//!
//! In: arguments. Out: one value, checked by clap. Never acts on it.

use super::mode::modes;
use clap::{Args, ValueEnum};
use salve_types::Mode;
use std::net::IpAddr;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct GatewayArguments {
    /// The provider to ask, such as https://api.openai.com/v1 or http://127.0.0.1:11434.
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,
    /// The port to listen on; 0 takes a free one. [default: 8790]
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// The address to listen on. [default: 127.0.0.1]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<IpAddr>,
    /// What is done to replies, unless a request says otherwise. [default: enforce]
    #[arg(long, value_parser = modes(&HEAL), value_name = "MODE")]
    pub(crate) heal: Option<Mode>,
    /// The variable that holds the provider's key; clients then show a key of `salve keys add`.
    #[arg(long, value_name = "NAME", conflicts_with = "upstream_key_file")]
    pub(crate) upstream_key_env: Option<String>,
    /// A file of mode 0600 that holds the provider's key.
    #[arg(long, value_name = "FILE")]
    pub(crate) upstream_key_file: Option<PathBuf>,
    /// A name requests may be addressed to, besides those of this machine; may be repeated.
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// An origin whose pages may send requests from a browser; may be repeated.
    #[arg(long = "allow-origin", value_name = "ORIGIN")]
    pub(crate) origins: Vec<String>,
    /// The certificate chain to show, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The certificate's private key, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Allows plain HTTP on an address that other machines can reach.
    #[arg(long)]
    pub(crate) insecure_bind: bool,
    /// The output limit counted, and sent, for a budgeted key whose request has none.
    #[arg(long, value_name = "TOKENS")]
    pub(crate) max_output: Option<u64>,
    /// How far code, JSON and tool calls may go on past the client's own output limit, as a multiple of
    /// it; 1 keeps to it. [default: 4]
    #[arg(long, value_name = "FACTOR")]
    pub(crate) continue_factor: Option<f64>,
    /// How long open replies may go on after the gateway is told to stop.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) drain_seconds: Option<u64>,
    /// How the log is written.
    #[arg(long, value_enum, default_value_t = LogFormat::Human)]
    pub(crate) log_format: LogFormat,
    /// Also logs replies that were whole as they came.
    #[arg(long)]
    pub(crate) verbose: bool,
}

/// What is done to replies.
const HEAL: [(Mode, &str); 3] = [
    (Mode::Off, "Nothing, and they are not looked at"),
    (Mode::Observe, "Nothing, but what would have been done is reported"),
    (Mode::Enforce, "They are healed"),
];

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Human,
    /// One JSON object per line.
    Json,
}
