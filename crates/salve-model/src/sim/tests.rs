//! Simulated providers over real HTTP, and the models of the library.

mod client;
mod continued;
mod dialects;
mod faults;
mod readers;
mod recordings;
