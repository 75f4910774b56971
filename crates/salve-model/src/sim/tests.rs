//! Simulated providers over real HTTP.

mod client;
mod dialects;
