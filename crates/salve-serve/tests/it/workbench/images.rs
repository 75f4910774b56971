//! Images over the API: made, looked at, chosen, made again, saved and taken back.

use super::stage::{Bench, World, is_over};
use reqwest::Method;
use serde_json::{Value, json};

// Four prompts by the model for words; the third cannot be drawn until it is asked for otherwise.
fn script() -> String {
    let prompts = json!(["a gear", "a bolt", "a cursed idol", "a robot"]).to_string();
    [
        json!({ "when": { "draws": true, "contains": "cursed" }, "reply": { "status": 400, "body": { "error": { "message": "not this one" } } } }),
        json!({ "when": { "draws": true, "contains": "cat" }, "reply": { "text": "A detailed cat" } }),
        json!({ "when": { "draws": true }, "reply": {} }),
        json!({ "when": { "contains": "What the project says" }, "reply": { "text": prompts } }),
        json!({ "when": { "contains": "The request:" }, "reply": { "text": prompts } }),
        json!({ "reply": { "text": json!({ "summary": "In words." }).to_string() } }),
    ]
    .map(|rule| rule.to_string())
    .join("\n")
}

async fn drawn(bench: &Bench, text: &str) -> (String, Vec<Value>, Value) {
    let session = bench.session().await;
    bench.say(&session, text).await;
    let events = bench.events_until(&format!("after=0&session={session}"), is_over).await;
    let (_, shown) = bench.get(&format!("/api/v1/sessions/{session}")).await;
    (session, events, shown["turns"][0].clone())
}

fn images(turn: &Value) -> Vec<Value> {
    turn["result"]["generatedImages"].as_array().cloned().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn c242_three_of_four_images_are_there_and_the_fourth_is_tried_again_in_its_place() {
    let world = World::new(&script()).await;
    let bench = Bench::start(&world).await;
    let text = "Create 4 icon ideas for my mobile app logo based on the README of the project";
    let (session, events, turn) = drawn(&bench, text).await;
    let made = images(&turn);
    assert_eq!(made.len(), 4, "{turn}");
    let states: Vec<&str> = made.iter().filter_map(|image| image["state"].as_str()).collect();
    assert_eq!(states, ["made", "made", "failed", "made"], "{turn}");
    assert_eq!(made[2]["originalPrompt"], "a cursed idol");
    assert!(made[2]["why"].as_str().unwrap().contains("not this one"), "{}", made[2]);
    assert_eq!(world.sim.calls().images, 3, "C-234: a call for each");
    assert_eq!(turn["micro_dollars"], 210_000, "C-240");
    let started = events.iter().find(|event| event["name"] == "imagesStarted").unwrap();
    assert_eq!(started["payload"]["text"], "🎨 Generating 4 images (about $0.28)...", "C-233");
    assert_eq!(events.last().unwrap()["payload"]["ending"]["needs_attention"], "images_missing");

    let page = bench.request(Method::GET, &format!("/chat/{session}")).send().await.unwrap();
    let page = page.text().await.unwrap();
    assert!(page.contains("🎨 Generated Images (3)") && page.contains("Retry image 3"), "{page}");

    let id = made[2]["id"].as_str().unwrap();
    let again = json!({ "type": "regenerate", "image": id, "prompt": "a friendly idol", "refinement": "darker" });
    let (status, done) = bench.act(&session, &again).await;
    assert_eq!((status, &done["detail"]["image"]["state"]), (200, &json!("made")), "{done}");
    let (_, shown) = bench.get(&format!("/api/v1/sessions/{session}")).await;
    let now = images(&shown["turns"][0]);
    assert_eq!(now[2]["originalPrompt"], "a friendly idol, darker", "C-237");
    assert_eq!((&now[2]["id"], &now[1]), (&made[2]["id"], &made[1]), "in place, the others stay");
    assert_eq!(shown["turns"][0]["micro_dollars"], 280_000);
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c238_images_are_served_chosen_saved_and_never_overwritten() {
    let world = World::new(&script()).await;
    let bench = Bench::start(&world).await;
    let (session, _, turn) = drawn(&bench, "draw a cat").await;
    let made = images(&turn);
    assert_eq!((made.len(), &made[0]["revisedPrompt"]), (1, &json!("A detailed cat")), "{turn}");
    let id = made[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/sessions/{session}/images/{id}");
    let served = bench.request(Method::GET, &path).send().await.unwrap();
    let header = |name: &str| served.headers().get(name).unwrap().to_str().unwrap().to_owned();
    assert_eq!(
        (header("content-type"), header("x-content-type-options")),
        ("image/png".into(), "nosniff".into())
    );
    let bytes = served.bytes().await.unwrap();
    let stranger = bench.client.get(bench.url(&path)).send().await.unwrap();
    assert_eq!(stranger.status(), 401, "only who is let in sees it");
    let (status, _) = bench.get(&format!("/api/v1/sessions/{session}/images/img-0-none")).await;
    assert_eq!(status, 404);

    let select = json!({ "type": "selectImages", "turn": 1, "images": [id] });
    assert_eq!(bench.act(&session, &select).await.0, 200);
    let (_, shown) = bench.get(&format!("/api/v1/sessions/{session}")).await;
    assert_eq!(images(&shown["turns"][0])[0]["selected"], true, "C-239");

    for (number, expected) in [(1, "art/image-001.png"), (2, "art/image-002.png")] {
        let save = json!({ "type": "saveImages", "images": [id], "folder": "art" });
        let (status, saved) = bench.act(&session, &save).await;
        assert_eq!(
            (status, &saved["detail"]["files"]),
            (200, &json!([expected])),
            "{number}: {saved}"
        );
        assert_eq!(std::fs::read(world.root.join(expected)).unwrap(), bytes);
    }
    for folder in ["../out", ".git"] {
        let save = json!({ "type": "saveImages", "images": [id], "folder": folder });
        let (status, refused) = bench.act(&session, &save).await;
        assert_eq!((status, &refused["error"]["code"]), (409, &json!("not_saved")), "{refused}");
    }
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c232_a_person_is_asked_where_it_is_not_plain_and_words_are_the_other_answer() {
    let world = World::new(&script()).await;
    let bench = Bench::start(&world).await;
    let (session, events, _) = drawn(&bench, "draw a diagram of the architecture").await;
    let held = events.last().unwrap();
    assert_eq!(
        held["payload"]["waits"],
        json!({ "images": { "count": 1, "micro_dollars": 70_000 } }),
        "{held}"
    );
    assert_eq!(world.sim.calls().calls, 0, "nothing is paid before the answer");
    let (_, shown) = bench.get(&format!("/api/v1/sessions/{session}")).await;
    let approval = shown["waiting"]["approval"].as_str().unwrap();
    let words = json!({ "type": "runCommand", "approval": approval, "choice": "skip" });
    assert_eq!(bench.act(&session, &words).await.0, 200);
    let after = held["id"].as_u64().unwrap();
    let events = bench.events_until(&format!("after={after}"), is_over).await;
    assert_eq!(events.last().unwrap()["payload"]["structured"]["summary"], "In words.");
    assert_eq!(world.sim.calls().images, 0);
    bench.stop().await;
}
