//! What every face of Salve over HTTP shares.
//!
//! In: connections. Out: requests that passed the checks, and their responses.

pub(crate) mod body;
pub(crate) mod guard;
pub(crate) mod listen;
pub(crate) mod rate;
pub(crate) mod refusal;
pub(crate) mod reply;
pub(crate) mod socket;
pub(crate) mod tls;
