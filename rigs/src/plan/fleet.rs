//! The same graphs on three stores: a file, a file in memory, and Postgres.
//!
//! In: how many. Out: that every graph ended alike on all of them. Never a database of the machine.

use super::graphs;
use crate::corpus::Random;
use crate::fleet::{Postgres, salve_with_postgres};
use anyhow::{Result, ensure};
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

/// Where files are kept in memory.
const MEMORY: &str = "/dev/shm";

/// Runs the graphs on each.
pub(super) fn run(runs: usize, random: &Random) -> Result<String> {
    let salve = salve_with_postgres(false)?;
    let disk = std::env::temp_dir();
    let (said, on_disk) = graphs::run_in(&salve, runs, random, &disk, &[])?;
    println!("on a file: {said}");
    let (_, in_memory) = graphs::run_in(&salve, runs, random, Path::new(MEMORY), &[])?;
    println!("in memory: the same");
    let postgres = Postgres::start(&[])?;
    let url = postgres.url(IpAddr::V4(Ipv4Addr::LOCALHOST), "salve");
    let variables = [
        ("SALVE_JOBS".to_owned(), url),
        ("SALVE_JOBS_PASSWORD".to_owned(), postgres.password.clone()),
    ];
    let (_, on_postgres) = graphs::run_in(&salve, runs, random, &disk, &variables)?;
    for (number, end) in on_disk.iter().enumerate() {
        for (name, other) in [("in memory", &in_memory), ("on Postgres", &on_postgres)] {
            let other = other.get(number);
            ensure!(other == Some(end), "graph {number} ended {end} on a file, {other:?} {name}");
        }
    }
    Ok(format!("{runs} graphs ended alike on a file, in memory and on Postgres"))
}
