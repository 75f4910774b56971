//! Salve over the wire: `http` is what every face shares, `gateway` and `workbench` are the faces.
//!
//! In: requests of agents, of their libraries and of people's browsers. Out: replies that are whole, or that say
//! what is missing; pages. Never invents an end, never passes on a tool call it had to guess.

pub mod gateway;
pub mod http;
pub mod workbench;
