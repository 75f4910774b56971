//! Plans from the page: made, edited, started.

use super::stage::{Bench, World};
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn c216_a_plan_is_made_edited_and_started_from_the_page() {
    let tasks = json!({ "tasks": [
        { "id": "1", "instruction": "Count on.", "contextFiles": ["notes.txt"], "dependsOn": [] },
        { "id": "2", "instruction": "Not needed.", "contextFiles": [], "dependsOn": ["1"] },
    ]});
    let part =
        "notes.txt\n<<<<<<< SEARCH\nthree\n=======\nfour\n>>>>>>> REPLACE\n\nSummary: counts on.\n";
    let script = [
        json!({ "when": { "contains": "Your part (1):" }, "reply": { "text": part } }),
        json!({ "reply": { "text": tasks.to_string() } }),
    ];
    let world = World::new(&script.map(|rule| rule.to_string()).join("\n")).await;
    let bench = Bench::start(&world).await;
    let act = async |action: Value| bench.post("/api/v1/actions", &action).await;
    let make =
        json!({ "type": "makePlan", "request": "count on in notes.txt", "granularity": "coarse" });
    let (status, made) = act(make).await;
    assert_eq!(status, 200, "{made}");
    let plan = made["detail"]["plan"].as_str().unwrap().to_owned();
    let page = async || {
        let page = bench.request(Method::GET, &format!("/plans?plan={plan}"));
        page.send().await.unwrap().text().await.unwrap()
    };
    let drawn = page().await;
    assert!(
        drawn.contains(">Start A<") && drawn.contains(">Start C<") && drawn.contains(">Edit Plan<"),
        "{drawn}"
    );

    let wrong = json!({ "type": "editPlan", "plan": plan, "document": "[{\"id\": 1}]" });
    assert_eq!(act(wrong).await.0, 422);
    let one = json!([{ "id": "1", "instruction": "Count on.", "contextFiles": ["notes.txt"], "dependsOn": [] }]);
    let edit = json!({ "type": "editPlan", "plan": plan, "document": one.to_string() });
    let (status, edited) = act(edit).await;
    assert_eq!(status, 200, "{edited}");
    assert!(!page().await.contains("Not needed."));

    let start = json!({ "type": "startPlan", "plan": plan, "strategy": "b" });
    let (status, started) = act(start).await;
    assert_eq!((status, &started["outcome"]), (200, &json!("queued")), "{started}");
    // It works on the files now, so that no other may.
    let (status, busy) = act(json!({ "type": "startPlan", "plan": plan, "strategy": "a" })).await;
    assert_eq!((status, &busy["error"]["code"]), (409, &json!("busy")), "{busy}");
    let mut drawn = page().await;
    for _ in 0..200 {
        if drawn.contains("🔄 Running 1 sub-task...") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        drawn = page().await;
    }
    assert!(
        drawn.contains("🔄 Running 1 sub-task...") && drawn.contains("1. Count on."),
        "{drawn}"
    );
    let (status, begun) =
        act(json!({ "type": "editPlan", "plan": plan, "document": one.to_string() })).await;
    assert_eq!((status, &begun["error"]["code"]), (409, &json!("has_begun")), "{begun}");
    let other = json!({ "type": "startPlan", "plan": "none", "strategy": "a" });
    assert_eq!(act(other).await.0, 404);
    bench.stop().await;
}
