//! Toolchains: the registry, detection, the one run per check, and the real programs.
//!
//! In: fake programs that count, and folders of data in `data`. Out: one test per promise. The real
//! programs run in the real sandbox; one that is not installed is named on standard error.

mod archive;
mod counting;
mod detection;
mod machine;
mod promises;
mod real;
mod shadowed;
