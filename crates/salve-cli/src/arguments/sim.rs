//! `salve sim`, as data.
//!
//! In: arguments. Out: one value, checked by clap. Never acts on them.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("source").required(true).args(["script", "replay", "record"])))]
pub(crate) struct SimArguments {
    /// Plays this script: one rule of JSON a line, see `docs/sim.md`.
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// Answers from this recording, byte for byte.
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Passes requests on to `--upstream` and records them, without keys, at the end of this file.
    #[arg(long, value_name = "FILE", requires = "upstream")]
    pub(crate) record: Option<PathBuf>,
    /// The provider that is recorded, without the path of an endpoint.
    #[arg(long, value_name = "URL", requires = "record")]
    pub(crate) upstream: Option<String>,
    /// The port on 127.0.0.1; 0 takes any that is free.
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
}
