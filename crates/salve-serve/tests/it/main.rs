//! Integration tests of the gateway, over real HTTP on loopback.

mod abuse;
mod healing;
mod keys;
mod limits;
mod passing;
mod repeating;
mod stage;
mod tls;
