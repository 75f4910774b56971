//! x
use super::grid::Effort;
use super::point::{Bench, Prepared};
use super::report::Row;
pub(crate) fn rows(_: &[Prepared], _: Effort, _: &Bench) -> anyhow::Result<Vec<Row>> {
    Ok(Vec::new())
}
