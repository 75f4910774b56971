//! `salve calls`, as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on them.

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct CallsArguments {
    /// Lists the calls when absent.
    #[command(subcommand)]
    pub(crate) command: Option<CallsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CallsCommand {
    /// Lists calls to models, newest first, and marks those whose outcome is unknown.
    List(CallsListArguments),
    /// Shows a call and its texts, without secrets.
    Show {
        /// Its number.
        id: i64,
    },
    /// Settles a call whose outcome is unknown.
    Resolve {
        /// Its number.
        id: i64,
        /// What it counts as.
        #[arg(long = "as", value_enum)]
        decision: ResolveAs,
    },
    /// Marks the answer of a call as whole, though it was taken for cut.
    FalseAlarm {
        /// Its number.
        id: i64,
    },
}

/// How many are listed unless something else is said.
const MOST_LISTED: u32 = 30;

#[derive(Debug, Args)]
pub(crate) struct CallsListArguments {
    /// Only calls in this state.
    #[arg(long, value_enum)]
    pub(crate) state: Option<StateChoice>,
    /// Only calls to this model.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Only calls made with the gateway key of this name.
    #[arg(long, value_name = "NAME")]
    pub(crate) key: Option<String>,
    /// Only calls of this session.
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Only calls older than this one.
    #[arg(long, value_name = "ID")]
    pub(crate) before: Option<i64>,
    /// At most this many.
    #[arg(long, default_value_t = MOST_LISTED)]
    pub(crate) limit: u32,
}

impl Default for CallsListArguments {
    fn default() -> Self {
        let (model, key, session) = (None, None, None);
        Self { state: None, model, key, session, before: None, limit: MOST_LISTED }
    }
}

/// The state of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StateChoice {
    /// It is being made.
    Open,
    /// The process that made it is gone, and its outcome is unknown.
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
