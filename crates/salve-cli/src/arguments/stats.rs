//! `salve stats`, as data.
//!
//! In: arguments. Out: one value, checked by clap. Never acts on it.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct StatsArguments {
    /// Counts only the last N days (UTC), today included.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub(crate) days: Option<u32>,
}
