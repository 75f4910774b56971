//! `cargo xtask fleet`: durable jobs on both stores, and a fleet of real workers that is mistreated.
//!
//! In: `--only suites|scenario|speed`; `--postgres` starts the private Postgres alone, prints its URL
//! and keeps it until standard input ends. Out: one table. Never touches a database of the machine,
//! and leaves no process, namespace or folder behind.

mod guard;
mod network;
mod postgres;

use crate::flags::Flags;
use postgres::Postgres;

/// Runs the parts that were asked for.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let postgres_alone = flags.switch("--postgres");
    flags.finish()?;
    if postgres_alone {
        return keep_postgres();
    }
    Ok(())
}

fn keep_postgres() -> anyhow::Result<()> {
    let postgres = Postgres::start(&[])?;
    println!("SALVE_TEST_POSTGRES={}", postgres.url_for_tests());
    println!("It ends with standard input.");
    std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink())?;
    Ok(())
}
