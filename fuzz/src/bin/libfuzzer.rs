//! The long form: one target under libFuzzer.
//!
//! In: libFuzzer's own arguments, and the target's name in `SALVE_FUZZ_TARGET`. Out: libFuzzer's
//! report. Never built without the feature `libfuzzer`: it needs coverage instrumentation, which
//! `cargo xtask fuzz` switches on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use salve_fuzz::{TARGETS, Target};
use std::sync::LazyLock;

#[expect(clippy::disallowed_methods, reason = "libFuzzer owns the arguments of this binary")]
static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("SALVE_FUZZ_TARGET").unwrap_or_default();
    let target = TARGETS.iter().find(|target| target.name == name);
    target.expect("SALVE_FUZZ_TARGET must name a target")
});

fuzz_target!(|bytes: &[u8]| (TARGET.check)(bytes));
