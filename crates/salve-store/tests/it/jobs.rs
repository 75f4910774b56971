//! Jobs and their texts: registered once, reported once, stopped with their parents.

use crate::place::Place;
use crate::support::*;
use salve_store::{
    JobFilter, JobId, JobReport, JobState, NewEvent, NewJob, Page, Registered, Retention, Store,
    StoreOptions,
};
use salve_types::{FlowName, Needs};
use serde_json::json;
use std::time::Duration;

fn id(name: &str) -> JobId {
    JobId::new(name).expect("a name")
}

fn flow(name: &str, version: u32) -> FlowName {
    FlowName::new(name, version).expect("a name")
}

fn job(name: &str) -> NewJob {
    NewJob {
        id: id(name),
        flow: flow("Generate", 1),
        input_hash: "hash".to_owned(),
        needs: Needs { toolchain: Some("rust".to_owned()), root: None },
    }
}

fn done() -> Option<JobState> {
    Some(JobState::Done { output: json!(7) })
}

fn report(job: &str, from: (u64, u64), to: (u64, u64), stages: &[&str]) -> JobReport {
    let event = |stage: &&str| NewEvent {
        kind: "job.stage".to_owned(),
        subject: String::new(),
        body: json!({ "name": stage }),
    };
    JobReport { id: id(job), from, to, events: stages.iter().map(event).collect(), ended: None }
}

async fn ids(store: &Store, filter: JobFilter, page: Page) -> Vec<String> {
    let jobs = store.jobs(&filter, &page).await.expect("listed");
    jobs.into_iter().map(|job| job.id.to_string()).collect()
}

async fn a_job_is_registered_once(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let register = async |new: NewJob| store.register_job(new).await.expect("an answer");
    assert_eq!(register(job("a")).await, Registered::New);
    assert_eq!(register(job("a")).await, Registered::Same);
    let other_input = NewJob { input_hash: "other".to_owned(), ..job("a") };
    assert_eq!(register(other_input).await, Registered::Conflict);
    let other_flow = NewJob { flow: flow("Generate", 2), ..job("a") };
    assert_eq!(register(other_flow).await, Registered::Conflict);
    // At once, in one transaction: one is new.
    let both = tokio::join!(store.register_job(job("b")), store.register_job(job("b")));
    assert_eq!((both.0.expect("new"), both.1.expect("same")), (Registered::New, Registered::Same));

    let row = store.job(&id("a")).await.expect("read").expect("there");
    let NewJob { flow, input_hash, needs, .. } = job("a");
    assert_eq!((row.flow, row.input_hash, row.needs), (flow, input_hash, needs));
    assert_eq!(row.created_at.0, START);
    assert_eq!(
        (row.reported, row.ended, row.ended_at, row.cancel_reason),
        ((0, 0), None, None, None)
    );
    assert_eq!(store.job(&id("c")).await.expect("read"), None);
}

async fn a_report_is_written_by_one_only(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let told = async |report: JobReport| store.report_job(report).await.expect("an answer");
    assert!(!told(report("a", (0, 0), (1, 1), &["early"])).await, "there is no such job");
    assert_eq!(store.register_job(job("a")).await.expect("new"), Registered::New);
    assert_eq!(store.register_job(job("b")).await.expect("new"), Registered::New);
    // Both at once from the same position: one is written.
    let both = tokio::join!(
        store.report_job(report("a", (0, 0), (1, 3), &["one", "two"])),
        store.report_job(report("a", (0, 0), (1, 4), &["one", "two", "three"])),
    );
    assert!(both.0.expect("written") && !both.1.expect("too late"));
    assert!(told(report("b", (0, 0), (1, 1), &["of b"])).await);
    assert!(!told(report("a", (0, 0), (1, 3), &["one", "two"])).await, "a second time");
    assert!(told(report("a", (1, 3), (1, 5), &["three"])).await);
    let ended = done();
    assert!(
        told(JobReport { ended: ended.clone(), ..report("a", (1, 5), (1, 6), &["end"]) }).await
    );

    let events = store.job_events(&id("a"), 0, 10).await.expect("read");
    let stages: Vec<&str> = events.iter().filter_map(|event| event.body["name"].as_str()).collect();
    assert_eq!(stages, ["one", "two", "three", "end"]);
    assert!(events.iter().all(|event| event.subject == "a" && event.kind == "job.stage"));
    let second = events[1].id;
    assert_eq!(store.job_events(&id("a"), second, 1).await.expect("read"), events[2..3]);
    let row = store.job(&id("a")).await.expect("read").expect("there");
    assert_eq!(
        (row.reported, row.ended, row.ended_at.map(|at| at.0)),
        ((1, 6), ended, Some(START))
    );
    // All events of all jobs are one sequence without a gap.
    let all = store.events_after(0, 100).await.expect("read");
    assert!(all.iter().zip(1..).all(|(event, id)| event.id == id) && all.len() == 5);
}

async fn a_report_wakes_whoever_waits(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    assert_eq!(store.register_job(job("a")).await.expect("new"), Registered::New);
    let mut subscription = store.subscribe(0);
    let waiting = tokio::spawn(async move { subscription.next().await });
    let news = store.clone();
    let news = tokio::spawn(async move { news.wait_for_events(Duration::from_secs(30)).await });
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(store.report_job(report("a", (0, 0), (1, 1), &["one"])).await.expect("written"));
    let event = tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("woken");
    assert_eq!(event.expect("no panic").expect("readable").expect("open").subject, "a");
    tokio::time::timeout(Duration::from_secs(20), news).await.expect("woken").expect("no panic");
}

async fn jobs_are_listed_newest_first_and_filtered(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    for name in ["a", "a/1", "a/1/x", "ab", "b", "a/2"] {
        let flow = if name == "b" { flow("Graph", 1) } else { flow("Generate", 3) };
        let new = NewJob { flow, ..job(name) };
        assert_eq!(store.register_job(new).await.expect("new"), Registered::New);
    }
    let end = JobReport { ended: done(), ..report("a/1", (0, 0), (1, 1), &[]) };
    assert!(store.report_job(end).await.expect("written"));
    let all = JobFilter::default;
    let page = Page::default;
    assert_eq!(ids(&store, all(), page()).await, ["a/2", "b", "ab", "a/1/x", "a/1", "a"]);
    let second = Page { after: Some(id("b")), limit: 2 };
    assert_eq!(ids(&store, all(), second).await, ["ab", "a/1/x"]);
    let within = |name: &str| JobFilter { within: Some(id(name)), ..all() };
    assert_eq!(ids(&store, within("a"), page()).await, ["a/2", "a/1/x", "a/1", "a"]);
    assert_eq!(ids(&store, within("a/1"), page()).await, ["a/1/x", "a/1"]);
    let flow = |flow: &str| JobFilter { flow: Some(flow.to_owned()), ..all() };
    assert_eq!(ids(&store, flow("Graph"), page()).await, ["b"]);
    assert_eq!(ids(&store, flow("Gra"), page()).await, [""; 0]);
    assert_eq!(ids(&store, flow("Graph@1"), page()).await, ["b"]);
    let ended = JobFilter { ended: Some(true), ..all() };
    assert_eq!(ids(&store, ended, page()).await, ["a/1"]);
    let roots = JobFilter { roots_only: true, ended: Some(false), ..all() };
    assert_eq!(ids(&store, roots, page()).await, ["b", "ab", "a"]);
}

async fn a_job_stops_with_its_parents_and_for_the_first_reason(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    for name in ["a", "a/1", "a/1/x", "ab", "b"] {
        assert_eq!(store.register_job(job(name)).await.expect("new"), Registered::New);
    }
    let end = JobReport { ended: done(), ..report("b", (0, 0), (1, 1), &[]) };
    assert!(store.report_job(end).await.expect("written"));
    let cancel =
        async |name: &str, why: &str| store.request_cancel(&id(name), why).await.expect("answer");
    assert!(!cancel("b", "too late").await && !cancel("none", "unknown").await);
    assert!(cancel("a", "first").await && cancel("a", "second").await);
    let asked = ["a/1/x", "ab", "b", "a/unknown", "a"].map(id);
    let stopped = store.cancel_requested(&asked).await.expect("read");
    let named = |name: &str, why: &str| (id(name), why.to_owned());
    assert_eq!(
        stopped,
        [named("a/1/x", "first"), named("a/unknown", "first"), named("a", "first")]
    );
    assert!(cancel("a/1", "nearer").await);
    let stopped = store.cancel_requested(&[id("a/1/x")]).await.expect("read");
    assert_eq!(stopped, [named("a/1/x", "nearer")]);
    assert_eq!(store.cancel_requested(&[]).await.expect("read"), []);
}

async fn jobs_are_forgotten_with_their_events(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    for name in ["a", "b"] {
        assert_eq!(store.register_job(job(name)).await.expect("new"), Registered::New);
        assert!(store.report_job(report(name, (0, 0), (1, 1), &["one"])).await.expect("written"));
    }
    store.forget_jobs(&["a", "none"].map(id)).await.expect("forgotten");
    assert_eq!(store.job(&id("a")).await.expect("read"), None);
    assert_eq!(store.job_events(&id("a"), 0, 9).await.expect("read"), []);
    assert_eq!(store.job_events(&id("b"), 0, 9).await.expect("read").len(), 1);
    // Its name is free again, its place in lists and the numbers of its events are not.
    assert_eq!(store.register_job(job("a")).await.expect("new"), Registered::New);
    assert!(store.report_job(report("a", (0, 0), (1, 1), &["one"])).await.expect("written"));
    assert_eq!(store.job_events(&id("a"), 0, 9).await.expect("read")[0].id, 3);
}

async fn a_job_named_by_a_secret_is_found_and_listed(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let name = format!("a/{SECRET}/b");
    assert_eq!(store.register_job(job("a")).await.expect("new"), Registered::New);
    assert_eq!(store.register_job(job(&name)).await.expect("new"), Registered::New);
    let found = store.job(&id(&name)).await.expect("read").expect("there").id.to_string();
    assert!(found.starts_with("a/blake3-") && !found.contains(SECRET), "{found}");
    let within = JobFilter { within: Some(id("a")), ..JobFilter::default() };
    assert_eq!(ids(&store, within, Page::default()).await, [found.as_str(), "a"]);
}

async fn a_text_is_kept_under_its_hash_as_long_as_it_is_put(place: Place) {
    let clock = HandClock::new();
    let retention = Retention { text_days: 2, ..Retention::default() };
    let store = place.open(StoreOptions { retention, ..options(clock.clone()) }).await;
    let odd = "nul \0, \u{feff}bom, 漢字, \"quote\\ \n end";
    let id = store.put_text(odd).await.expect("put");
    assert_eq!(store.text(&id).await.expect("read").as_deref(), Some(odd));
    let empty = store.put_text("").await.expect("put");
    assert_eq!(store.text(&empty).await.expect("read").as_deref(), Some(""));
    let both = tokio::join!(store.put_text("twice"), store.put_text("twice"));
    assert_eq!(both.0.expect("put"), both.1.expect("put"));
    assert_eq!(store.text("unknown").await.expect("read"), None);
    // What has a secret is known by what is kept of it.
    let secret = store.put_text(&format!("a {SECRET} b")).await.expect("put");
    let kept = format!("a {REMOVED} b");
    assert_eq!(store.text(&secret).await.expect("read").as_deref(), Some(kept.as_str()));
    assert_eq!(store.put_text(&kept).await.expect("put"), secret);
    for _ in 0..3 {
        clock.next_day();
        assert_eq!(store.put_text(odd).await.expect("put"), id);
    }
    assert_eq!(store.prune().await.expect("pruned").texts, 3);
    assert_eq!(store.text(&id).await.expect("read").as_deref(), Some(odd));
    assert_eq!(store.text(&secret).await.expect("read"), None);
}

crate::place::every_store!(
    a_job_is_registered_once,
    a_report_is_written_by_one_only,
    a_report_wakes_whoever_waits,
    jobs_are_listed_newest_first_and_filtered,
    a_job_stops_with_its_parents_and_for_the_first_reason,
    jobs_are_forgotten_with_their_events,
    a_job_named_by_a_secret_is_found_and_listed,
    a_text_is_kept_under_its_hash_as_long_as_it_is_put
);
