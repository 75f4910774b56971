//! What every store of jobs must do: one suite, run in memory, on SQLite and on Postgres.
//!
//! In: scripted flows and steps that write down what they pay for. Out: one test per promise and
//! store. Workers are processes of this very program and every kill is a real one. Times are printed,
//! and judged only when `SALVE_JUDGE_TIMES` is set: an ordinary machine may be busy.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failure here is a failed test, and times are for people to read"
)]

mod act;
mod dump;
mod engine;
mod flows;
mod judge;
mod paid_log;
mod power;
mod provider;
mod proxy;
mod suite;
mod worker;
mod world;

/// Makes a test of each of these functions on one store.
macro_rules! on {
    ($store:expr; $($name:ident),* $(,)?) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                if let Some(world) = crate::world::World::new($store, stringify!($name)).await {
                    crate::suite::$name(world).await;
                }
            }
        )*
    };
}

mod memory {
    use crate::world::Store;

    on! { Store::Memory;
        j01_one_id_is_one_job,
        j10_retries_are_counted_and_wait,
        j12_cancel_reaches_a_job_wherever_it_stands,
        j13_signals_are_kept_and_count_once,
        j14_a_timer_fires_once,
        j15_watching_has_no_gap_and_no_repeat,
        j18_purge_leaves_live_jobs_alone,
        j19_what_is_too_large_is_refused_before_it_starts,
        j22_a_scenario_has_one_sequence_of_events,
    }
}

mod sqlite {
    use crate::world::Store;

    on! { Store::Sqlite;
        j01_one_id_is_one_job,
        j02_a_peer_goes_on_after_a_kill_inside_any_step,
        j03_a_kill_between_steps_repeats_nothing,
        j04_a_kill_in_a_fan_out_keeps_what_has_ended,
        j05_a_call_in_doubt_is_listed_and_decided_by_policy,
        j06_a_kill_behind_the_settlement_pays_nothing_again,
        j08_a_zombie_is_late,
        j09_every_step_is_paid_once_under_fire,
        j10_retries_are_counted_and_wait,
        j11_a_step_that_kills_its_workers_is_stuck_alone,
        j12_cancel_reaches_a_job_wherever_it_stands,
        j13_signals_are_kept_and_count_once,
        j14_a_timer_fires_once,
        j15_watching_has_no_gap_and_no_repeat,
        j16_an_old_history_goes_on_and_a_changed_flow_is_refused,
        j17_two_versions_work_side_by_side,
        j18_purge_leaves_live_jobs_alone,
        j19_what_is_too_large_is_refused_before_it_starts,
        j20_many_small_jobs_are_quick_and_small,
        j22_a_scenario_has_one_sequence_of_events,
    }
}

mod postgres {
    use crate::world::Store;

    on! { Store::Postgres;
        j01_one_id_is_one_job,
        j02_a_peer_goes_on_after_a_kill_inside_any_step,
        j03_a_kill_between_steps_repeats_nothing,
        j04_a_kill_in_a_fan_out_keeps_what_has_ended,
        j05_a_call_in_doubt_is_listed_and_decided_by_policy,
        j06_a_kill_behind_the_settlement_pays_nothing_again,
        j07_a_database_that_is_away_costs_nothing_twice,
        j08_a_zombie_is_late,
        j09_every_step_is_paid_once_under_fire,
        j10_retries_are_counted_and_wait,
        j11_a_step_that_kills_its_workers_is_stuck_alone,
        j12_cancel_reaches_a_job_wherever_it_stands,
        j13_signals_are_kept_and_count_once,
        j14_a_timer_fires_once,
        j15_watching_has_no_gap_and_no_repeat,
        j16_an_old_history_goes_on_and_a_changed_flow_is_refused,
        j17_two_versions_work_side_by_side,
        j18_purge_leaves_live_jobs_alone,
        j19_what_is_too_large_is_refused_before_it_starts,
        j20_many_small_jobs_are_quick_and_small,
        j22_a_scenario_has_one_sequence_of_events,
    }
}

/// Not a test of its own: the tests above start this program again as a worker.
#[test]
fn a_worker_when_started_as_one() {
    if let Some(config) = judge::worker_config() {
        worker::run(config);
    }
}
