//! Models: what is asked, what comes back, what it may cost, and how providers spell it.
//!
//! In: requests, keys and limits as values. Out: replies as they came, with usage and cost. Never
//! judges a reply, never reads the environment, never makes a call that its budget does not hold.

mod agent_call;
mod any_model;
mod budget;
mod capability;
mod cost;
mod files;
mod http_client;
mod image;
mod key;
mod limit;
mod lineup;
mod model;
mod pinned_get;
mod pool;
mod provider;
mod repair;
mod reply;
mod request;
mod retry;
mod roles;
mod settings;
pub mod sim;
#[cfg(test)]
mod testing;
mod tier;
pub mod wire;

pub use agent_call::{AgentCallError, call_agent, is_agent_address};
pub use any_model::AnyModel;
pub use budget::{
    Budget, BudgetError, BudgetLevel, BudgetLimits, Budgeted, BytesByTwo, Consumption, Hold,
    Measure, SettledHold, TokenCount, worst_case, worst_of_tokens,
};
pub use capability::{Capabilities, Capability, ModelEntry};
pub use cost::{LongPrice, MicroDollars, NotMoney, Price};
pub use files::{FilePart, FilesError, MOST_FILE_BYTES, ProviderFiles, RemoteFile};
pub use http_client::{HttpClientError, HttpClientOptions, http_client};
pub use image::{ImageError, ImagePart, ImageType, MOST_IMAGE_BYTES, MOST_IMAGES};
pub use key::{KeyError, KeySource, Secret, read_key_file};
pub use limit::{CallGate, Limited, Pass};
pub use lineup::{Chosen, Lineup, LineupError, LineupParts};
pub use model::{Model, ModelError, Watch, is_transient_status};
pub use pinned_get::{PinnedAnswer, PinnedGet, PinnedGetError, get_pinned};
pub use pool::{Execution, Pool, PoolMember, WorkOrder};
pub use provider::{GenaiModel, Provider, ProviderTimeouts, WELL_KNOWN, WellKnown, well_known};
pub use repair::{
    CandidateRule, ProviderError, RepairAnswer, RepairNode, RepairRequest, RepairTarget,
};
pub use reply::{DrawnImage, ModelReply, ToolCall};
pub use request::{DrawAsk, FollowUp, ModelRequest, Purpose, SchemaAsk, Speaker, ToolSpec, Turn};
pub use retry::{RetryPolicy, Retrying};
pub use roles::{ModelChoice, Preset, Role, RoleError, RoleSettings, Roles};
pub use settings::{BudgetSettings, ModelSettings, ProviderSettings, UnknownProvider};
pub use tier::{Attempt, DEFAULT_OUTPUT_TOKENS, Strategy, Tier, TierLadder};
