//! `salve calls`, as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on them.

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct CallsArguments {
    #[command(subcommand)]
    pub(crate) command: CallsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CallsCommand {
    /// Lists calls to models, newest first. Those of which nobody knows how they ended are marked.
    List(CallsListArguments),
    /// Shows a call and its texts, without secrets.
    Show {
        /// Its number.
        id: i64,
    },
    /// Decides about a call of which nobody knows how it ended.
    Resolve {
        /// Its number.
        id: i64,
        /// What it counts as.
        #[arg(long = "as", value_enum)]
        decision: ResolveAs,
    },
    /// Says that the answer of a call was not cut, though it was taken for cut.
    FalseAlarm {
        /// Its number.
        id: i64,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CallsListArguments {
    /// In this state only.
    #[arg(long, value_enum)]
    pub(crate) state: Option<StateChoice>,
    /// Of this model only.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Of the gateway key with this name only.
    #[arg(long, value_name = "NAME")]
    pub(crate) key: Option<String>,
    /// Of this session only.
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Older than this call.
    #[arg(long, value_name = "ID")]
    pub(crate) before: Option<i64>,
    /// At most so many.
    #[arg(long, default_value_t = 30)]
    pub(crate) limit: u32,
}

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StateChoice {
    /// Somebody is at it.
    Open,
    /// Whoever made it is gone, and how it ended is not known.
    Unknown,
    /// It has ended.
    Settled,
}

/// What a call counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResolveAs {
    /// It never reached the provider: its budget goes back.
    NeverMade,
    /// It took the most it could.
    Worst,
}
