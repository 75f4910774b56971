//! Old histories, changed flows, and two versions at once.

use crate::act::Act;
use crate::dump;
use crate::flows::{Generation, Script, script_flow};
use crate::judge;
use crate::world::{Store, World};
use salve_jobs::{JobError, JobId, JobState, StartOptions, Started};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A job that had done a step, slept, and waited to be told something when its history was kept.
fn kept_script() -> Script {
    Script {
        acts: vec![Act::paying("old", 10), Act::plain("older")],
        sleep_ms: 10,
        last: vec![Act::plain("new")],
        ..waits_in_the_middle()
    }
}

fn waits_in_the_middle() -> Script {
    let child = Act { wait_ms: 60_000, ..Act::plain("asks") };
    Script { children: vec![child], ..Script::default() }
}

/// Returns the histories that were kept, the newest last.
fn fixtures(store: Store) -> Vec<PathBuf> {
    let names: &[&str] = match store {
        Store::Postgres => &["history-0.1-postgres.sql"],
        // The first one is of the database that was only for jobs.
        _ => &["history-0.1-sqlite.sql", "history-0.2-sqlite.sql"],
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jobs/fixtures");
    names.iter().map(|name| folder.join(name)).collect()
}

pub(crate) async fn j16_an_old_history_goes_on_and_a_changed_flow_is_refused(mut world: World) {
    let files = fixtures(world.store);
    if judge::writes_fixtures() {
        let mut worker = world.worker().await;
        let id = world.start("kept", &kept_script()).await;
        world.log.wait_for("begin", "asks", 1).await;
        assert_eq!(world.look(&id).await.state, JobState::Running);
        worker.kill();
        let rows = dump::rows(&world).await;
        dump::write(files.last().unwrap(), &rows);
    }
    for file in files {
        goes_on_or_is_refused(world.store, &file).await;
    }
}

async fn goes_on_or_is_refused(store: Store, file: &Path) {
    for generation in [Generation::New, Generation::Changed] {
        let test = "j16_an_old_history";
        let mut world = dump::world(store, test, file).await;
        // The index is new; the engine knows the job.
        let id = JobId::new("kept").unwrap();
        let input = serde_json::to_value(kept_script()).unwrap();
        let flow = script_flow(1);
        let started = world.jobs.start(&flow, id.clone(), input, StartOptions::default()).await;
        assert_eq!(started.unwrap(), Started::New);
        let mut config = world.config();
        config.generation = generation;
        let _worker = world.start_worker(config).await;
        if generation == Generation::Changed {
            let JobState::Failed { error } = world.ended(&id).await else { panic!("it went on") };
            let JobError::FlowChanged { flow, .. } = &error else { panic!("{error:?}") };
            assert_eq!(flow, "Script@1");
            assert!(error.to_string().contains("give the changed flow a new version"), "{error}");
            continue;
        }
        // Its child's step was under way when the history was kept; it is done again, and no other.
        world.log.wait_for("begin", "asks", 1).await;
        let child = id.child("asks").unwrap();
        // The index is new and learns of the child from its parent's history, a moment later.
        for _ in 0..1000 {
            if world.jobs.state(&child).await.unwrap().is_some() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        world.jobs.cancel(&child, "enough").await.unwrap();
        let JobState::Failed { error } = world.ended(&id).await else {
            panic!("a child was cancelled")
        };
        assert!(error.to_string().contains("enough"), "{error}");
        for tag in ["old", "older"] {
            assert_eq!(world.log.count("begin", tag), 0, "{tag} was done in the old history");
        }
        let events = world.events(&id).await;
        assert!(events.len() > 8, "the old events are told as well: {events:#?}");
    }
}

pub(crate) async fn j17_two_versions_work_side_by_side(mut world: World) {
    let _old = world.worker().await;
    let mut config = world.config();
    config.generation = Generation::New;
    let new = world.start_worker(config).await;
    let mut jobs = Vec::new();
    for n in 0..6_u32 {
        let id = JobId::new(&format!("job-{n}")).unwrap();
        let version = 1 + n % 2;
        let acts = vec![Act::paying(&format!("{n}a"), 20), Act::paying(&format!("{n}b"), 20)];
        let input = serde_json::to_value(Script { acts, ..Script::default() }).unwrap();
        let flow = script_flow(version);
        let started = world.jobs.start(&flow, id.clone(), input, StartOptions::default()).await;
        assert_eq!(started.unwrap(), Started::New);
        jobs.push((id, version));
    }
    for (id, version) in &jobs {
        world.done(id).await;
        let stage = world.look(id).await.stage.unwrap();
        assert_eq!(stage.detail, json!({ "version": version }), "{id}");
    }
    for n in 0..6 {
        for step in ["a", "b"] {
            assert_eq!(world.log.count("paid", &format!("{n}{step}")), 1);
        }
    }
    drop(new);
}
