//! What every face of Salve over HTTP shares.
//!
//! In: connections, and a face that answers requests. Out: requests that passed the checks of length,
//! host and origin go to the face; everything is bounded in bytes and in time, and ends in order.
//! Never knows what a face is about.

pub(crate) mod body;
pub(crate) mod coding;
mod config;
pub(crate) mod guard;
mod listen;
pub(crate) mod rate;
pub(crate) mod refusal;
mod socket;
pub(crate) mod sse;
mod tls;

pub use config::{RequestLimits, RequestTimeouts, ServerConfig};
pub(crate) use listen::{ConnectionEvent, Face, Server};
pub use listen::{Drained, ListenError, ServerHandle};
pub use tls::{TlsError, TlsIdentity};
