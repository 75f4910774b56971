//! Which pieces of a page an event replaces.
//!
//! In: events of a session. Out: the swaps, by target. Never a whole answer again.

use super::*;
use salve_engine::session::read_answer;
use salve_types::{SessionId, Timestamp, TurnStatus};
use serde_json::{Value, json};

fn event(id: u64, name: &str, payload: Value) -> SessionEvent {
    SessionEvent {
        id,
        session: SessionId("s".into()),
        turn: Some(1),
        name: name.into(),
        at: Timestamp(0),
        payload,
    }
}

fn chunk(id: u64, reply: &str, text: &str) -> SessionEvent {
    event(id, "updateResponseChunk", json!({ "reply": reply, "text": text }))
}

fn view(turn: TurnView) -> ChatView {
    ChatView { turns: vec![TurnView { number: 1, ..turn }], ..ChatView::default() }
}

/// What the body of the turn is on a page that made these swaps.
#[derive(Default)]
struct Page(Vec<(String, String)>);

impl Page {
    fn take(&mut self, swaps: &[Swap]) {
        for swap in swaps {
            let at = self.0.iter().position(|(id, _)| *id == swap.target);
            match swap.op {
                SwapOp::Append if swap.target == "t1-body" => {
                    let id = swap.html.split("id=\"").nth(1).unwrap().split('"').next().unwrap();
                    self.0.push((id.to_owned(), swap.html.clone()));
                }
                SwapOp::Replace if swap.target == "t1-body" => self.0.clear(),
                SwapOp::Replace => {
                    if let Some(at) = at {
                        self.0[at].1 = swap.html.clone();
                    }
                }
                SwapOp::Remove => {
                    if let Some(at) = at {
                        self.0.remove(at);
                    }
                }
                SwapOp::Text => {
                    let id = swap.target.trim_end_matches("-text");
                    let block = self.0.iter_mut().find(|(one, _)| one == id).unwrap();
                    let mark = format!("id=\"{}\">", swap.target);
                    let text = maud::html! { (swap.html) }.into_string();
                    let end = block.1.find(&mark).unwrap() + mark.len();
                    let end = end + block.1[end..].find("</").unwrap();
                    block.1.insert_str(end, &text);
                }
                _ => {}
            }
        }
    }

    fn html(&self) -> String {
        let blocks: String = self.0.iter().map(|(_, html)| html.as_str()).collect();
        format!("<div class=\"body\" id=\"t1-body\">{blocks}</div>")
    }
}

const ANSWER: &str = "{\"summary\": \"A summary.\\n\\nOf **two** parts.\", \"sections\": [{\"heading\": \"Code\", \"content\": \"Look:\\n\\n```python\\nx = 1\\n```\\n\\nEnd.\"}], \"fileChanges\": [{\"path\": \"a.py\", \"content\": \"x = 1\\n\"}]}";

#[test]
fn c020_a_page_that_followed_is_the_page_drawn_anew() {
    for size in [1, 2, 3, 7, 50, 1_000] {
        let (mut stream, mut page) = (PageStream::new([1]), Page::default());
        let mut arrived = String::new();
        let letters: Vec<char> = ANSWER.chars().collect();
        for (at, piece) in letters.chunks(size).enumerate() {
            let piece: String = piece.iter().collect();
            arrived.push_str(&piece);
            page.take(&stream.chunk(&chunk(at as u64, "r", &piece)));
            let turn = TurnView {
                number: 1,
                arrived: Some(arrived.clone()),
                status: TurnStatus::Running,
                ..TurnView::default()
            };
            assert_eq!(
                page.html(),
                super::super::chat::body_region(&turn).into_string(),
                "{size} {at}"
            );
        }
        let done = TurnView {
            number: 1,
            answer: Some(read_answer(ANSWER, true)),
            status: TurnStatus::Completed,
            ..TurnView::default()
        };
        let swaps =
            stream.update(&[event(9_999, "requestComplete", json!({}))], &view(done.clone()));
        page.take(&swaps);
        assert_eq!(page.html(), super::super::chat::body_region(&done).into_string(), "{size}");
        let is_block =
            |id: &str| id.strip_prefix("t1-b").is_some_and(|rest| rest.parse::<u32>().is_ok());
        let redrawn =
            swaps.iter().filter(|swap| swap.op == SwapOp::Replace && is_block(&swap.target));
        let redrawn: Vec<&str> = redrawn.map(|swap| swap.target.as_str()).collect();
        assert!(redrawn.is_empty(), "blocks that were drawn again: {redrawn:?}");
    }
}

#[test]
fn a_page_that_comes_again_goes_on_where_it_was() {
    let mut first = PageStream::new([1]);
    first.chunk(&chunk(1, "r", "{\"summary\": \"Half"));
    let swaps = first.chunk(&chunk(2, "r", " a thought"));
    let mut again = PageStream::new([1]);
    again.catch_up(&chunk(1, "r", "{\"summary\": \"Half"));
    assert_eq!(again.chunk(&chunk(2, "r", " a thought")), swaps);
    assert_eq!(swaps, [Swap::new(SwapOp::Text, "t1-b0-text", " a thought")]);
}

#[test]
fn another_attempt_takes_the_place_of_the_one_before() {
    let (mut stream, mut page) = (PageStream::new([1]), Page::default());
    page.take(&stream.chunk(&chunk(1, "one", "{\"summary\": \"First.\\n\\nMore")));
    page.take(&stream.chunk(&chunk(2, "two", "{\"summary\": \"Second")));
    assert!(page.html().contains("Second") && !page.html().contains("First"), "{}", page.html());
}

#[test]
fn only_what_changed_is_sent() {
    let mut stream = PageStream::new([]);
    let turn =
        TurnView { request: "ask".into(), status: TurnStatus::Running, ..TurnView::default() };
    let swaps = stream.update(&[event(1, "newMessagePair", json!({}))], &view(turn.clone()));
    assert!(
        swaps.iter().any(|swap| swap.op == SwapOp::Append && swap.target == "log"),
        "{swaps:?}"
    );
    let again = stream.update(&[event(2, "planning", json!({}))], &view(turn.clone()));
    assert_eq!(again, []);
    let more = TurnView { progress: vec!["🧠 Planning...".into()], ..turn };
    let swaps = stream.update(&[event(3, "planning", json!({}))], &view(more));
    let targets: Vec<&str> = swaps.iter().map(|swap| swap.target.as_str()).collect();
    assert_eq!(targets, ["t1-progress"]);
}

#[test]
fn t35_a_toast_is_passed_on() {
    let mut stream = PageStream::new([1]);
    let healing = event(1, "healing", json!({ "toast": "Auto-healing code..." }));
    let swaps = stream.update(&[healing], &ChatView::default());
    assert!(swaps.contains(&Swap::new(SwapOp::Toast, "toasts", "Auto-healing code...")));
}
