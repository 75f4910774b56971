//! Where the program under test is.
//!
//! In: nothing but the place of this program. Out: the `salve` that was built with it. Never builds it:
//! `cargo xtask` does so before it starts a rig.

use anyhow::Context;
use std::path::PathBuf;

/// Returns the `salve` that lies beside this program.
pub(crate) fn salve() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe().context("this program has no path")?;
    let salve = own.with_file_name(format!("salve{}", std::env::consts::EXE_SUFFIX));
    anyhow::ensure!(salve.is_file(), "there is no {}; `cargo xtask` builds it", salve.display());
    Ok(salve)
}
