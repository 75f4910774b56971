//! Jobs over the store: where the engine of jobs and what Salve remembers meet.
//!
//! In: a store. Out: the book and the ledger that jobs need, and everything put together for one
//! machine or for a fleet. Never decides anything: it translates.

mod book;
mod engine;
mod ledger;
mod open;
mod process;

pub use book::StoreBook;
pub use engine::StoreEngine;
pub use ledger::StoreLedger;
pub use open::{JobsPlace, OpenJobs, OpenJobsError, open_jobs, open_jobs_in};

use salve_jobs::{JobsError, LedgerError};
use salve_store::StoreError;

fn jobs_error(doing: &'static str) -> impl FnOnce(StoreError) -> JobsError {
    move |error| JobsError::database(doing, error)
}

// What the store could not do now it may be able to do later, unless it says that it never will.
fn ledger_error(error: StoreError) -> LedgerError {
    match error {
        StoreError::NoSuchCall(_)
        | StoreError::AlreadySettled(_)
        | StoreError::NotCut(_)
        | StoreError::NoSuchKey(_) => LedgerError::Refused(error.to_string()),
        _ => LedgerError::Unreachable(error.into()),
    }
}
