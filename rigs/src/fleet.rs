//! `cargo xtask fleet`: durable jobs on both stores, and a fleet of real workers that is mistreated.
//!
//! In: `--only suites|scenario|knowledge|speed`, `--release` for the released program; `--postgres` starts the
//! private Postgres alone, prints its URL and keeps it until standard input ends. Out: one table.
//! Never touches a database of the machine, and leaves no process, namespace or folder behind.

mod desk;
mod forwarder;
mod guard;
mod knowledge;
mod network;
mod postgres;
mod report;
mod scenario;
mod speed;
mod suites;
mod watcher;

use anyhow::{bail, ensure};
pub(crate) use postgres::Postgres;
use report::Row;
use std::path::PathBuf;
use std::time::Instant;
use xtask::{Flags, process, workspace};

const PARTS: [&str; 4] = ["suites", "scenario", "knowledge", "speed"];

/// Runs the parts that were asked for.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let postgres_alone = flags.switch("--postgres");
    let only: Option<String> = flags.value("--only")?;
    let release = flags.switch("--release");
    flags.finish()?;
    if postgres_alone {
        return keep_postgres();
    }
    if let Some(part) = &only {
        ensure!(PARTS.contains(&&**part), "there is no part {part}; there is {}", PARTS.join(", "));
    }
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for part in PARTS.into_iter().filter(|part| only.as_deref().is_none_or(|only| only == *part)) {
        println!("\n=== {part} ===");
        let begin = Instant::now();
        match run_part(part, release) {
            Ok(more) => rows.extend(more),
            Err(error) => {
                println!("{part}: {error:#}");
                rows.push(Row::new(part, format!("{error:#}"), String::new()).with_goal("", false));
                failed.push(part);
            }
        }
        println!("{part}: {:.0?}", begin.elapsed());
    }
    println!("\n{}", report::table(&rows));
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    let below = rows.iter().filter(|row| row.is_below()).count();
    ensure!(below == 0, "{below} figures are below their goals");
    Ok(())
}

fn run_part(part: &str, release: bool) -> anyhow::Result<Vec<Row>> {
    match part {
        "suites" => suites::run(&Postgres::start(&[])?),
        "scenario" => scenario::run(&salve_with_postgres(release)?),
        "knowledge" => knowledge::run(&salve_with_postgres(release)?),
        _ => speed::run(&salve_with_postgres(release)?, release),
    }
}

/// Builds the fleet's binary: the tests' own features, and Postgres.
pub(crate) fn salve_with_postgres(release: bool) -> anyhow::Result<PathBuf> {
    let mut build = process::cargo(&["build", "--workspace", "--features", "salve-cli/fleet"]);
    build.args(["--bin", "salve"]).args(release.then_some("--profile=dist"));
    process::run(&mut build)?;
    let folder = if release { "dist" } else { "debug" };
    Ok(workspace::target_dir()?.join(folder).join("salve"))
}

fn keep_postgres() -> anyhow::Result<()> {
    let postgres = Postgres::start(&[])?;
    println!("SALVE_TEST_POSTGRES={}", postgres.url_for_tests());
    println!("It ends with standard input.");
    std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink())?;
    Ok(())
}
