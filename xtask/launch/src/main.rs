//! Builds `xtask` with the whole workspace selected, then becomes it.
//!
//! In: the arguments of `cargo xtask`. Out: what xtask gives. Never has a dependency: `cargo run`
//! selects one package, whose dependencies would be built with other features than those that the
//! tests use, and so every one of them twice.

#![expect(clippy::disallowed_methods, clippy::print_stderr, reason = "a program for developers")]

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo).args(["build", "--workspace", "--bin", "xtask"]).status();
    match built {
        Ok(status) if status.success() => {}
        Ok(_) => return ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cargo could not be started: {error}");
            return ExitCode::FAILURE;
        }
    }
    // Both programs are in the same folder, wherever cargo was told to build.
    let xtask = std::env::current_exe().map(|own| own.with_file_name("xtask"));
    let error = match xtask {
        Ok(xtask) => Command::new(xtask)
            .args(std::env::args_os().skip(1))
            .env("CARGO_MANIFEST_DIR", manifest_folder())
            .exec(),
        Err(error) => error,
    };
    eprintln!("xtask could not be started: {error}");
    ExitCode::FAILURE
}

// The folder of xtask's own manifest, which is where it finds the repository.
fn manifest_folder() -> PathBuf {
    let own = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    own.parent().map_or_else(|| own.clone(), Path::to_path_buf)
}
