//! The runner with real processes: what it executes, what it keeps, what it survives.

mod bash;
mod endings;
mod hostile;
mod records;
mod workplace;
