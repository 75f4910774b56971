//! A plan of a graph: whatever is in it, it is checked without a fault, and twice alike.
//!
//! In: a text that may be a plan. Out: a panic when the check fails on its own, or when a plan that
//! was written out again is judged otherwise.

use crate::input;
use salve_engine::jobs::GraphPlan;

pub(super) fn check(bytes: &[u8]) {
    let text = input::text(bytes);
    let Ok(plan) = serde_json::from_str::<GraphPlan>(&text) else { return };
    let said = plan.check();
    let again = serde_json::to_value(&plan).expect("a plan can be written");
    let again: GraphPlan = serde_json::from_value(again).expect("and read again");
    assert_eq!(again, plan, "a plan changed on its way");
    assert_eq!(again.check(), said, "a plan is judged otherwise");
}
