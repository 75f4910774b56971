//! Healing from end to end: canned upstreams on one side, a strict client on the other.
//!
//! In: answers, where they are cut and how they end. Out: what the client gets, compared with what it
//! should get. Never a network and never a model.

mod canned;
mod client;
mod fake;
mod garbled;
mod harness;
mod healthy;
mod hostile;
mod living;
mod marking;
mod matrix;
