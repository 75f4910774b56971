//! The document of the API says what is answered.

use super::stage::{Bench, World};
use serde_json::Value;

#[tokio::test(flavor = "multi_thread")]
async fn the_document_is_whole_and_names_every_route() {
    let world = World::new(r#"{"reply": {"text": "x"}}"#).await;
    let bench = Bench::start(&world).await;
    let (status, document) = bench.get("/api/v1/openapi.json").await;
    assert_eq!(status, 200);
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{}", document["openapi"]);
    let mut routes = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            routes.push(format!("{} {path}", method.to_uppercase()));
            let answers = operation["responses"].as_object().unwrap();
            assert!(answers.keys().any(|status| status.starts_with('2')), "{path} {answers:?}");
            let needs_token = operation["security"] != serde_json::json!([{}]);
            assert!(!needs_token || answers.contains_key("401"), "{method} {path}");
            check_parameters(path, operation);
        }
    }
    routes.sort();
    let expected = [
        "GET /api/v1/events",
        "GET /api/v1/openapi.json",
        "GET /api/v1/sessions",
        "GET /api/v1/sessions/{id}",
        "GET /api/v1/sessions/{id}/images/{image}",
        "GET /health",
        "POST /api/v1/actions",
        "POST /api/v1/exchange",
        "POST /api/v1/reports",
        "POST /api/v1/sessions",
        "POST /api/v1/sessions/{id}/actions",
        "POST /api/v1/sessions/{id}/messages",
    ];
    assert_eq!(routes, expected);
    check_references(&document, &document);
    bench.stop().await;
}

// Every name in a path is a parameter, and the other way round.
fn check_parameters(path: &str, operation: &Value) {
    let in_path = path.split('{').skip(1).filter_map(|part| part.split('}').next());
    let in_path: Vec<&str> = in_path.collect();
    let none = Vec::new();
    let said = operation["parameters"].as_array().unwrap_or(&none).iter();
    let said = said.filter(|one| one["in"] == "path").filter_map(|one| one["name"].as_str());
    assert_eq!(said.collect::<Vec<_>>(), in_path, "{path}");
}

// Every reference leads to something.
fn check_references(value: &Value, document: &Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                let pointer = reference.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{reference}");
            }
            fields.values().for_each(|field| check_references(field, document));
        }
        Value::Array(values) => values.iter().for_each(|one| check_references(one, document)),
        _ => {}
    }
}
