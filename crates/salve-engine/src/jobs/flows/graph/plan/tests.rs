//! Plans that cannot be run, and what is said about them.

use super::*;
use serde_json::json;

fn checked(plan: Json) -> String {
    match serde_json::from_value::<GraphPlan>(plan) {
        Err(error) => format!("no plan: {error}"),
        Ok(plan) => plan.check().map_or_else(|error| error.to_string(), |()| "fine".to_owned()),
    }
}

fn node(id: &str, after: &[&str]) -> Json {
    json!({"id": id, "step": "work", "depends_on": after})
}

#[test]
fn a_plan_is_checked_before_it_is_run() {
    let cases = [
        (json!({"nodes": []}), "the plan has 0 nodes; it needs 1 to 500"),
        (json!({"nodes": [node("a", &[])]}), "fine"),
        (
            json!({"nodes": [node("a", &[])], "parallel": 0}),
            "the plan has 0 nodes at once (`parallel`); it needs 1 to 64",
        ),
        (
            json!({"nodes": [node("a", &[]), node("a", &[])]}),
            "there are two nodes `a`: give each its own id",
        ),
        (
            json!({"nodes": [node("a/b", &[])]}),
            "`a/b` cannot name a node: use 1 to 60 letters, digits, `.`, `_` or `-`, once each",
        ),
        (json!({"nodes": [node("a", &["b"])]}), "node `a` waits for `b`, which is not in the plan"),
        (
            json!({"nodes": [node("a", &[])], "edges": [{"from": "a", "to": "x"}]}),
            "node `a` waits for `x`, which is not in the plan",
        ),
        (
            json!({"nodes": [node("a", &["c"]), node("b", &["a"]), node("c", &["b"]), node("d", &["c"]), node("e", &[])]}),
            "these nodes wait for each other: a, b, c",
        ),
        (json!({"nodes": [node("a", &["a"])]}), "these nodes wait for each other: a"),
        (
            json!({"nodes": [node("a", &[]), {"id": "b", "step": "work", "input": {"$from": "a"}}]}),
            "node `b` uses the output of `a` and does not wait for it: add it to `depends_on`",
        ),
        (
            json!({"nodes": [{"id": "b", "step": "work", "input": {"$from": "z"}}]}),
            "node `b` waits for `z`, which is not in the plan",
        ),
        (
            json!({"nodes": [{"id": "b", "step": "work", "input": [{"$from": 1}]}]}),
            "node `b`: `$from` stands with the name of a node and, if only a part is wanted, a JSON \
             pointer in `at`",
        ),
        (
            json!({"nodes": [node("a", &[])], "output": {"$from": "z"}}),
            "node `the output` waits for `z`, which is not in the plan",
        ),
        (
            json!({"nodes": [node("a", &[]), node("b", &["a"]),
                   {"id": "c", "flow": "Generate@1", "depends_on": ["b"], "input": {"$from": "a"}}]}),
            "fine",
        ),
    ];
    for (plan, expected) in cases {
        assert_eq!(checked(plan.clone()), expected, "{plan}");
    }
}

#[test]
fn names_that_nobody_has_are_found_before_the_start() {
    let step = StepName::new("work").unwrap();
    let known = KnownNames { steps: BTreeSet::from([step]), ..KnownNames::default() };
    let plan =
        |node: Json| -> GraphPlan { serde_json::from_value(json!({"nodes": [node]})).unwrap() };
    assert_eq!(plan(node("a", &[])).check_with(&known), Ok(()));
    let error = plan(json!({"id": "a", "step": "sing"})).check_with(&known).unwrap_err();
    assert_eq!(
        error.to_string(),
        "node `a` needs the step `sing`, which is not here; there is work"
    );
    let error = plan(json!({"id": "a", "flow": "Sing@1"})).check_with(&known).unwrap_err();
    assert_eq!(
        error.to_string(),
        "node `a` needs the flow `Sing@1`, which is not here; there is none"
    );
}

#[test]
fn what_is_no_plan_is_refused_by_its_shape() {
    for plan in [
        json!(null),
        json!({"nodes": [{"id": "a"}]}),
        json!({"nodes": [{"id": "a", "step": "a b"}]}),
        json!({"nodes": [node("a", &[])], "paralel": 2}),
        json!({"nodes": [node("a", &[])], "on_fail": "sing"}),
    ] {
        assert!(checked(plan.clone()).starts_with("no plan"), "{plan}");
    }
}

#[test]
fn a_large_plan_is_checked_quickly_and_a_larger_one_not_at_all() {
    let chain = |count: usize| {
        let node = |at: usize| {
            let (id, before) = (format!("n{at}"), format!("n{}", at.saturating_sub(1)));
            let after: &[&str] = if at == 0 { &[] } else { &[&before] };
            node(&id, after)
        };
        json!({"nodes": (0..count).map(node).collect::<Vec<_>>()})
    };
    assert_eq!(checked(chain(500)), "fine");
    assert_eq!(checked(chain(501)), "the plan has 501 nodes; it needs 1 to 500");
}
