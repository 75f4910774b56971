//! What every index must do, told by the one in memory.

use super::*;
use crate::{FlowName, JobState, Needs};

fn index() -> MemoryJobIndex {
    MemoryJobIndex::new(Arc::new(|| Timestamp(7)))
}

fn job(id: &str, hash: &str) -> NewJob {
    NewJob {
        id: JobId::new(id).unwrap(),
        flow: FlowName::new("F", 1).unwrap(),
        input_hash: hash.to_owned(),
        needs: Needs::default(),
    }
}

fn report(id: &str, from: u64, to: u64, happened: Vec<Happened>) -> JobUpdate {
    JobUpdate { id: JobId::new(id).unwrap(), from: (0, from), to: (0, to), happened }
}

#[tokio::test]
async fn a_name_is_taken_once() {
    let index = index();
    assert_eq!(index.register(job("a", "x")).await.unwrap(), Registered::New);
    assert_eq!(index.register(job("a", "x")).await.unwrap(), Registered::Same);
    assert_eq!(index.register(job("a", "y")).await.unwrap(), Registered::Conflict);
}

#[tokio::test]
async fn a_report_counts_once_and_nothing_follows_the_end() {
    let index = index();
    let _ = index.register(job("a", "x")).await.unwrap();
    let woke = report("a", 0, 2, vec![Happened::Woke, Happened::Restarted]);
    assert!(index.report(woke.clone()).await.unwrap());
    assert!(!index.report(woke).await.unwrap(), "another process had written it");
    let ended = Happened::Ended { state: JobState::Done { output: 1.into() } };
    assert!(index.report(report("a", 2, 3, vec![ended])).await.unwrap());
    assert!(!index.report(report("a", 3, 4, vec![Happened::Woke])).await.unwrap());
    let id = JobId::new("a").unwrap();
    let all = index.events(&id, EventId(0), 10).await.unwrap();
    assert_eq!(all.iter().map(|event| event.id.0).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(index.events(&id, EventId(2), 10).await.unwrap(), all[2..]);
    assert_eq!(index.events(&id, EventId(0), 1).await.unwrap(), all[..1]);
    let row = index.find(&id).await.unwrap().unwrap();
    assert_eq!(row.ended_at, Some(Timestamp(7)));
    assert!(!index.request_cancel(&id, "late").await.unwrap());
}

#[tokio::test]
async fn a_cancel_reaches_the_children_and_the_first_reason_stays() {
    let index = index();
    for id in ["a", "a/b", "ab"] {
        let _ = index.register(job(id, "x")).await.unwrap();
    }
    let ids: Vec<_> = ["a", "a/b", "ab"].map(|id| JobId::new(id).unwrap()).into();
    assert!(index.request_cancel(&ids[0], "enough").await.unwrap());
    assert!(index.request_cancel(&ids[0], "again").await.unwrap());
    let told = index.cancel_requested(&ids).await.unwrap();
    let enough = || "enough".to_owned();
    assert_eq!(told, [(ids[0].clone(), enough()), (ids[1].clone(), enough())]);
}

#[tokio::test]
async fn lists_are_newest_first_in_pages() {
    let index = index();
    for id in ["a", "a/b", "c"] {
        let _ = index.register(job(id, "x")).await.unwrap();
    }
    let names = async |filter: JobFilter, page: Page| -> Vec<String> {
        let rows = index.list(&filter, &page).await.unwrap();
        rows.into_iter().map(|row| row.id.into()).collect()
    };
    let all = Page::default();
    assert_eq!(names(JobFilter::default(), all.clone()).await, ["c", "a/b", "a"]);
    let roots = JobFilter { roots_only: true, ..JobFilter::default() };
    assert_eq!(names(roots, all.clone()).await, ["c", "a"]);
    let within = JobFilter { within: JobId::new("a").ok(), ..JobFilter::default() };
    assert_eq!(names(within, all).await, ["a/b", "a"]);
    let second = Page { after: JobId::new("c").ok(), limit: 1 };
    assert_eq!(names(JobFilter::default(), second).await, ["a/b"]);
}
