//! Attempts to get out of the sandbox, as root and as nobody, by namespaces and by rules: none may
//! succeed.
//!
//! Each attempt is a small program with something that must not have happened. Most of them are
//! first made outside the sandbox, in a world of their own, where they must succeed: an attempt that
//! cannot succeed anywhere proves nothing.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a failure here is a failed test, and what is attacked must be started and made first"
)]
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod attempts;
mod cage;
mod escapes;
mod layers;
mod limits;
mod rules;
mod view;
mod world;
