//! `cargo xtask tidy`: what the compiler does not check about the repository.
//!
//! In: the files and cargo's metadata. Out: sizes and shares as a table, and every problem with its
//! place. Never changes a file.

mod arrows;
mod doubles;
mod locked;
mod seeds;
mod sentences;
mod sizes;
mod sources;

use anyhow::bail;
use xtask::{Flags, Outcome, workspace};

/// Runs all checks.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    flags.finish()?;
    check()?;
    Ok(())
}

/// Runs all checks and fails if one found a problem.
pub(crate) fn check() -> anyhow::Result<Outcome> {
    let files = workspace::text_files()?;
    let metadata = workspace::metadata()?;
    let mut problems = Vec::new();
    sizes::print(&files);
    problems.extend(sizes::too_many_packages()?);
    problems.extend(arrows::wrong_arrows(&metadata));
    problems.extend(doubles::too_many(&files));
    problems.extend(locked::problems(&files));
    problems.extend(sources::problems(&files));
    problems.extend(sentences::problems(&files));
    problems.extend(seeds::problems(&files)?);
    for problem in &problems {
        println!("tidy: {problem}");
    }
    if !problems.is_empty() {
        bail!("{} problems", problems.len());
    }
    Ok(Outcome::Passed(format!("{} files", files.len())))
}
