//! Jobs and their texts: registered once, reported once, stopped with their parents.

use crate::place::Place;
use crate::support::*;
use salve_store::{
    JobRegistration, JobReport, JobRowFilter, JobRowPage, NewEvent, NewJobRow, Retention, Store,
    StoreOptions,
};
use serde_json::json;
use std::time::Duration;

fn job(id: &str) -> NewJobRow {
    NewJobRow {
        id: id.to_owned(),
        flow: "Generate@1".to_owned(),
        input_hash: "hash".to_owned(),
        needs: json!({ "toolchain": null }),
    }
}

fn report(id: &str, from: (u64, u64), to: (u64, u64), stages: &[&str]) -> JobReport {
    let event = |stage: &&str| NewEvent {
        kind: "job.stage".to_owned(),
        subject: String::new(),
        body: json!({ "name": stage }),
    };
    JobReport {
        id: id.to_owned(),
        from,
        to,
        events: stages.iter().map(event).collect(),
        ended: None,
    }
}

async fn ids(store: &Store, filter: JobRowFilter, page: JobRowPage) -> Vec<String> {
    let jobs = store.jobs(&filter, &page).await.expect("listed");
    jobs.into_iter().map(|job| job.id).collect()
}

async fn a_job_is_registered_once(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let register = async |new: NewJobRow| store.register_job(new).await.expect("an answer");
    assert_eq!(register(job("a")).await, JobRegistration::New);
    assert_eq!(register(job("a")).await, JobRegistration::Same);
    let other_input = NewJobRow { input_hash: "other".to_owned(), ..job("a") };
    assert_eq!(register(other_input).await, JobRegistration::Conflict);
    let other_flow = NewJobRow { flow: "Generate@2".to_owned(), ..job("a") };
    assert_eq!(register(other_flow).await, JobRegistration::Conflict);
    // At once, in one transaction: one is new.
    let both = tokio::join!(store.register_job(job("b")), store.register_job(job("b")));
    assert_eq!(
        (both.0.expect("new"), both.1.expect("same")),
        (JobRegistration::New, JobRegistration::Same)
    );

    let row = store.job("a").await.expect("read").expect("there");
    assert_eq!((row.flow.as_str(), row.input_hash.as_str()), ("Generate@1", "hash"));
    assert_eq!((row.needs, row.created_at.0), (json!({ "toolchain": null }), START));
    assert_eq!(
        (row.reported, row.ended, row.ended_at, row.cancel_reason),
        ((0, 0), None, None, None)
    );
    assert_eq!(store.job("c").await.expect("read"), None);
}

async fn a_report_is_written_by_one_only(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let told = async |report: JobReport| store.report_job(report).await.expect("an answer");
    assert!(!told(report("a", (0, 0), (1, 1), &["early"])).await, "there is no such job");
    assert_eq!(store.register_job(job("a")).await.expect("new"), JobRegistration::New);
    assert_eq!(store.register_job(job("b")).await.expect("new"), JobRegistration::New);
    // Both at once from the same position: one is written.
    let both = tokio::join!(
        store.report_job(report("a", (0, 0), (1, 3), &["one", "two"])),
        store.report_job(report("a", (0, 0), (1, 4), &["one", "two", "three"])),
    );
    assert!(both.0.expect("written") && !both.1.expect("too late"));
    assert!(told(report("b", (0, 0), (1, 1), &["of b"])).await);
    assert!(!told(report("a", (0, 0), (1, 3), &["one", "two"])).await, "a second time");
    assert!(told(report("a", (1, 3), (1, 5), &["three"])).await);
    let ended = Some(json!({ "state": "done", "output": 7 }));
    assert!(
        told(JobReport { ended: ended.clone(), ..report("a", (1, 5), (1, 6), &["end"]) }).await
    );

    let events = store.job_events("a", 0, 10).await.expect("read");
    let stages: Vec<&str> = events.iter().filter_map(|event| event.body["name"].as_str()).collect();
    assert_eq!(stages, ["one", "two", "three", "end"]);
    assert!(events.iter().all(|event| event.subject == "a" && event.kind == "job.stage"));
    let second = events[1].id;
    assert_eq!(store.job_events("a", second, 1).await.expect("read"), events[2..3]);
    let row = store.job("a").await.expect("read").expect("there");
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
    assert_eq!(store.register_job(job("a")).await.expect("new"), JobRegistration::New);
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
    for id in ["a", "a/1", "a/1/x", "ab", "b", "a/2"] {
        let flow = if id == "b" { "Graph@1" } else { "Generate@3" };
        let new = NewJobRow { flow: flow.to_owned(), ..job(id) };
        assert_eq!(store.register_job(new).await.expect("new"), JobRegistration::New);
    }
    let end = JobReport { ended: Some(json!({})), ..report("a/1", (0, 0), (1, 1), &[]) };
    assert!(store.report_job(end).await.expect("written"));
    let all = JobRowFilter::default;
    let page = JobRowPage::default;
    assert_eq!(ids(&store, all(), page()).await, ["a/2", "b", "ab", "a/1/x", "a/1", "a"]);
    let second = JobRowPage { after: Some("b".to_owned()), limit: 2 };
    assert_eq!(ids(&store, all(), second).await, ["ab", "a/1/x"]);
    let within = |id: &str| JobRowFilter { within: Some(id.to_owned()), ..all() };
    assert_eq!(ids(&store, within("a"), page()).await, ["a/2", "a/1/x", "a/1", "a"]);
    assert_eq!(ids(&store, within("a/1"), page()).await, ["a/1/x", "a/1"]);
    let flow = |flow: &str| JobRowFilter { flow: Some(flow.to_owned()), ..all() };
    assert_eq!(ids(&store, flow("Graph"), page()).await, ["b"]);
    assert_eq!(ids(&store, flow("Gra"), page()).await, [""; 0]);
    assert_eq!(ids(&store, flow("Graph@1"), page()).await, ["b"]);
    let ended = JobRowFilter { ended: Some(true), ..all() };
    assert_eq!(ids(&store, ended, page()).await, ["a/1"]);
    let roots = JobRowFilter { roots_only: true, ended: Some(false), ..all() };
    assert_eq!(ids(&store, roots, page()).await, ["b", "ab", "a"]);
}

async fn a_job_stops_with_its_parents_and_for_the_first_reason(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    for id in ["a", "a/1", "a/1/x", "ab", "b"] {
        assert_eq!(store.register_job(job(id)).await.expect("new"), JobRegistration::New);
    }
    let end = JobReport { ended: Some(json!({})), ..report("b", (0, 0), (1, 1), &[]) };
    assert!(store.report_job(end).await.expect("written"));
    let cancel = async |id: &str, why: &str| store.request_cancel(id, why).await.expect("answer");
    assert!(!cancel("b", "too late").await && !cancel("none", "unknown").await);
    assert!(cancel("a", "first").await && cancel("a", "second").await);
    let asked = ["a/1/x", "ab", "b", "a/unknown", "a"];
    let stopped = store.cancel_requested(&asked).await.expect("read");
    let named = |id: &str, why: &str| (id.to_owned(), why.to_owned());
    assert_eq!(
        stopped,
        [named("a/1/x", "first"), named("a/unknown", "first"), named("a", "first")]
    );
    assert!(cancel("a/1", "nearer").await);
    let stopped = store.cancel_requested(&["a/1/x"]).await.expect("read");
    assert_eq!(stopped, [named("a/1/x", "nearer")]);
    assert_eq!(store.cancel_requested(&[]).await.expect("read"), []);
}

async fn jobs_are_forgotten_with_their_events(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    for id in ["a", "b"] {
        assert_eq!(store.register_job(job(id)).await.expect("new"), JobRegistration::New);
        assert!(store.report_job(report(id, (0, 0), (1, 1), &["one"])).await.expect("written"));
    }
    store.forget_jobs(&["a", "none"]).await.expect("forgotten");
    assert_eq!(store.job("a").await.expect("read"), None);
    assert_eq!(store.job_events("a", 0, 9).await.expect("read"), []);
    assert_eq!(store.job_events("b", 0, 9).await.expect("read").len(), 1);
    // Its name is free again, its place in lists and the numbers of its events are not.
    assert_eq!(store.register_job(job("a")).await.expect("new"), JobRegistration::New);
    assert!(store.report_job(report("a", (0, 0), (1, 1), &["one"])).await.expect("written"));
    assert_eq!(store.job_events("a", 0, 9).await.expect("read")[0].id, 3);
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
    a_text_is_kept_under_its_hash_as_long_as_it_is_put
);
