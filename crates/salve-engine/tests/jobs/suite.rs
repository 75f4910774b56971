//! The promises, one function each, whatever the store.
//!
//! In: a world. Out: nothing, or a failed test that says which promise was broken.

mod doubt;
mod fire;
mod kills;
mod starting;
mod telling;
mod trying;
mod versions;
mod watching;

pub(crate) use doubt::j05_a_call_in_doubt_is_listed_and_decided_by_policy;
pub(crate) use fire::j09_every_step_is_paid_once_under_fire;
pub(crate) use kills::{
    j02_a_peer_goes_on_after_a_kill_inside_any_step, j03_a_kill_between_steps_repeats_nothing,
    j04_a_kill_in_a_fan_out_keeps_what_has_ended,
    j06_a_kill_behind_the_settlement_pays_nothing_again,
    j07_a_database_that_is_away_costs_nothing_twice, j08_a_zombie_is_late,
};
pub(crate) use starting::{
    j01_one_id_is_one_job, j18_purge_leaves_live_jobs_alone,
    j19_what_is_too_large_is_refused_before_it_starts, j20_many_small_jobs_are_quick_and_small,
};
pub(crate) use telling::{
    j12_cancel_reaches_a_job_wherever_it_stands, j13_signals_are_kept_and_count_once,
    j14_a_timer_fires_once,
};
pub(crate) use trying::{
    j10_retries_are_counted_and_wait, j11_a_step_that_kills_its_workers_is_stuck_alone,
};
pub(crate) use versions::{
    j16_an_old_history_goes_on_and_a_changed_flow_is_refused, j17_two_versions_work_side_by_side,
};
pub(crate) use watching::{
    j15_watching_has_no_gap_and_no_repeat, j22_a_scenario_has_one_sequence_of_events,
};
