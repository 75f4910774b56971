//! Salve over the wire: `http` is what every face shares, `gateway` is the first face.
//!
//! In: requests of agents and their libraries. Out: replies that are whole, or that say what is
//! missing. Never invents an end, never passes on a tool call it had to guess.

pub mod gateway;
pub mod http;
