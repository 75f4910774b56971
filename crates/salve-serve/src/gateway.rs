//! The gateway: a client's request goes to the one upstream, and its reply comes back healed.
//!
//! In: requests in the three dialects. Out: replies that are proven whole, or that say what is
//! missing. Never passes on a tool call it had to guess.

pub mod heal;
