//! What happens in time: pings, clients that go away, meters, state that stays small.

use super::canned::{Canned, Ending};
use super::fake::{Answer, Fake, Request};
use super::harness::{Ask, Setup, nobody, runtime};
use crate::gateway::heal::session::Session;
use crate::gateway::heal::{
    CallEnd, CallMeter, HealVerdict, StreamItem, Upstream, UpstreamBody, heal_stream, wanted_of,
};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream;
use salve_model::Purpose;
use salve_model::wire::Dialect;
use salve_types::FinishReason;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const OPEN_CODE: &str = "Here:\n\n```rust\nfn main() {\n    let list = vec![1, 2,";

fn hangs(_: &Request, _: usize) -> Answer {
    Answer::Hangs
}

#[test]
fn pings_are_sent_while_a_reply_is_healed() {
    for dialect in Dialect::ALL {
        runtime().block_on(async {
            let mut setup = Setup::new(dialect, Ask::Text, true, hangs);
            setup.policy.ping = Duration::from_millis(5);
            let first = Canned::text(OPEN_CODE).ending(Ending::Length).stream(dialect);
            let body = stream::iter([Ok(first)]).boxed();
            let mut items = Box::pin(heal_stream(setup.exchange(), body, None));
            let mut all = Vec::new();
            for _ in 0..4 {
                let Some(StreamItem::Bytes(bytes)) = items.next().await else { panic!("over") };
                all.push(bytes);
            }
            let ping = match dialect {
                Dialect::Messages => "event: ping\ndata: {\"type\": \"ping\"}\n\n",
                _ => ": ping\n\n",
            };
            assert_eq!(all[1..], [ping; 3]);
        });
    }
}

#[test]
fn pings_are_sent_while_arguments_are_held() {
    runtime().block_on(async {
        let mut setup = Setup::new(Dialect::Chat, Ask::Tools, true, nobody);
        setup.policy.ping = Duration::from_millis(5);
        let first = Canned::call("write", "{\"path").ending(Ending::Disconnect);
        let body = stream::iter([Ok(first.stream(Dialect::Chat))]).chain(stream::pending());
        let mut items = Box::pin(heal_stream(setup.exchange(), body.boxed(), None));
        for number in 0..4 {
            let Some(StreamItem::Bytes(bytes)) = items.next().await else { panic!("over") };
            assert_eq!(&*bytes == b": ping\n\n", number > 0);
        }
    });
}

// Counts the bodies that are not dropped yet.
async fn first_body(
    fake: &Fake,
) -> futures_util::stream::BoxStream<'static, std::io::Result<Bytes>> {
    let reply = fake.send("{}".into(), Purpose::First, true).await.unwrap();
    match reply.body {
        UpstreamBody::Stream(body) => body,
        UpstreamBody::Whole(_) => panic!("a stream was asked for"),
    }
}

#[test]
fn a_client_that_goes_away_ends_the_first_call() {
    runtime().block_on(async {
        let exchange = Setup::new(Dialect::Chat, Ask::Text, true, hangs).exchange();
        let upstream = Arc::clone(&exchange.upstream);
        let body = first_body(&upstream).await;
        let mut items = Box::pin(heal_stream(exchange, body, None));
        let waited = tokio::time::timeout(Duration::from_millis(5), items.next()).await;
        assert!(waited.is_err(), "the upstream hangs");
        assert_eq!(upstream.open.load(Ordering::SeqCst), 1);
        drop(items);
        assert_eq!(upstream.open.load(Ordering::SeqCst), 0);
    });
}

#[test]
fn a_client_that_goes_away_ends_the_call_that_heals() {
    runtime().block_on(async {
        let exchange = Setup::new(Dialect::Chat, Ask::Text, true, hangs).exchange();
        let upstream = Arc::clone(&exchange.upstream);
        let first = Canned::text(OPEN_CODE).ending(Ending::Length).stream(Dialect::Chat);
        let mut items = Box::pin(heal_stream(exchange, stream::iter([Ok(first)]).boxed(), None));
        assert!(items.next().await.is_some());
        let waited = tokio::time::timeout(Duration::from_millis(50), items.next()).await;
        assert!(waited.is_err(), "the upstream hangs");
        assert_eq!(upstream.open.load(Ordering::SeqCst), 1, "the continuation is under way");
        drop(items);
        assert_eq!(upstream.open.load(Ordering::SeqCst), 0);
        assert_eq!(*upstream.settled.lock().unwrap(), [], "a call given up is not settled");
    });
}

struct Slip(Arc<Mutex<Vec<CallEnd>>>);

impl CallMeter for Slip {
    fn settle(self: Box<Self>, end: CallEnd) {
        self.0.lock().unwrap().push(end);
    }
}

#[test]
fn every_call_is_settled_with_what_it_took() {
    runtime().block_on(async {
        let rest = Canned { include_usage: true, ..Canned::text(" 3];\n}\n```\n") };
        let told = rest.tokens();
        let rule = move |_: &Request, _: usize| Answer::Reply(rest.clone());
        let exchange = Setup::new(Dialect::Chat, Ask::Text, true, rule).exchange();
        let upstream = Arc::clone(&exchange.upstream);
        let mut first = Canned::text(OPEN_CODE).ending(Ending::Length);
        first.include_usage = true;
        let body = stream::iter([Ok(first.stream(Dialect::Chat))]).boxed();
        let settled = Arc::new(Mutex::new(Vec::new()));
        let slip = Box::new(Slip(Arc::clone(&settled)));
        let items: Vec<StreamItem> = heal_stream(exchange, body, Some(slip)).collect().await;
        assert!(matches!(items.last(), Some(StreamItem::Report(_))));
        let ends = settled.lock().unwrap().clone();
        assert_eq!(ends.len(), 1);
        assert_eq!(ends[0].finish, Some(FinishReason::Length));
        assert_eq!(ends[0].usage.map(|usage| usage.output_tokens), Some(first.tokens().1));
        let more = upstream.settled.lock().unwrap().clone();
        assert_eq!(more.len(), 1);
        assert_eq!(more[0].usage.map(|usage| usage.output_tokens), Some(told.1));
    });
}

#[test]
fn text_flows_with_the_chunk_it_came_in_and_is_not_copied() {
    let exchange = Setup::new(Dialect::Chat, Ask::Text, true, nobody).exchange();
    let wanted = wanted_of(&exchange.asked, &exchange.schemas);
    let mut session = Session::new(&exchange.asked, wanted, &exchange.policy);
    let frames = Canned::text("Some text that flows.").frames(Dialect::Chat);
    for chunk in frames[1..4].chunks(2) {
        let chunk = Bytes::from(chunk.concat());
        let sent = session.feed(&chunk);
        assert_eq!(sent, chunk);
        assert_eq!(sent.as_ptr(), chunk.as_ptr());
    }
}

// The state beside the text stays small, and the last chunk of a long text takes no longer than an
// early one would if each were as large as all before it: a generous bound that quadratic work breaks.
#[test]
fn a_megabyte_of_free_text_keeps_a_small_state_and_flows_chunk_by_chunk() {
    let exchange = Setup::new(Dialect::Chat, Ask::Text, true, nobody).exchange();
    let wanted = wanted_of(&exchange.asked, &exchange.schemas);
    let mut session = Session::new(&exchange.asked, wanted, &exchange.policy);
    let line =
        "```rust\nfn main() { println!(\"{}\", vec![1, 2, 3].len()); }\n```\n\nAnd on it goes.\n";
    let text = line.repeat((1 << 20) / line.len());
    let begun = Instant::now();
    let canned = Canned { piece: 256, ..Canned::text(&text) };
    let frames = canned.frames(Dialect::Chat);
    for frame in &frames[..frames.len() - 2] {
        let chunk = Bytes::from(frame.clone());
        assert_eq!(session.feed(&chunk), chunk);
        assert!(session.state_bytes() < 256 << 10, "{} bytes", session.state_bytes());
    }
    assert!(begun.elapsed() < Duration::from_secs(60));
}

// An upstream that never ends must not take more memory than its limit, nor be asked again.
#[test]
fn an_endless_stream_is_given_up_marked_and_not_asked_for_again() {
    let limit = 1 << 20;
    let endless = "the same words again and again, ".repeat(limit / 8);
    for dialect in Dialect::ALL {
        let kinds = [
            (Ask::Text, Canned::text(&endless)),
            (Ask::Tools, Canned::call("write", &format!("{{\"path\": \"{endless}"))),
        ];
        for (ask, canned) in kinds {
            let mut setup = Setup::new(dialect, ask, true, nobody);
            setup.policy.most_bytes = limit;
            let bytes = Canned { piece: 4096, ..canned }.stream(dialect);
            let exchange = Setup::new(dialect, ask, true, nobody).exchange();
            let wanted = wanted_of(&exchange.asked, &exchange.schemas);
            let mut session = Session::new(&exchange.asked, wanted, &setup.policy);
            let mut taken = 0;
            for at in (0..bytes.len()).step_by(8192) {
                if session.is_over() {
                    break;
                }
                session.feed(&bytes.slice(at..bytes.len().min(at + 8192)));
                taken = at;
                assert!(session.held_bytes() < limit + limit / 4, "{}", session.held_bytes());
            }
            assert!(session.is_over() && taken < bytes.len() / 2, "{dialect:?} {ask:?}: {taken}");
            let outcome = setup.run_bytes(&bytes, 8192);
            assert_eq!(outcome.report.verdict, HealVerdict::Incomplete, "{dialect:?} {ask:?}");
            let calls = outcome.received.answers.iter().map(|answer| answer.calls.len());
            assert_eq!(calls.sum::<usize>(), 0, "{dialect:?} {ask:?}");
        }
    }
}
