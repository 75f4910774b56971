//! Which crate may see which.
//!
//! In: cargo's metadata. Out: every dependency that points the wrong way. Never excuses a
//! dev-dependency: a test that needs a sibling belongs to the crate above both.

use serde_json::Value;

/// The layers from the bottom up; a crate sees only crates of lower layers.
const LAYERS: &[&[&str]] = &[
    &["salve-types"],
    &[
        "salve-text",
        "salve-syntax",
        "salve-tree",
        "salve-check",
        "salve-model",
        "salve-store",
        "salve-jobs",
    ],
    &["salve-engine"],
    &["salve-serve", "salve"],
    &["salve-cli"],
    // Tools around the product; nothing may depend on them but each other.
    &["salve-fuzz"],
    &["xtask"],
    &["xtask-launch"],
];

/// Lists the dependencies between workspace crates that do not point down.
pub(super) fn wrong_arrows(metadata: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    for package in list(&metadata["packages"]) {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(layer) = layer_of(name) else {
            problems.push(format!("crate {name} has no place among the layers of arrows.rs"));
            continue;
        };
        for dependency in list(&package["dependencies"]) {
            let other = dependency["name"].as_str().unwrap_or_default();
            let Some(below) = layer_of(other) else { continue };
            if below >= layer {
                let kind = dependency["kind"].as_str().unwrap_or("normal");
                problems.push(format!("{name} may not depend on {other} (kind {kind})"));
            }
        }
    }
    problems
}

fn layer_of(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn problems_of(name: &str, dependency: &str, kind: Option<&str>) -> Vec<String> {
        let dependencies = json!([{ "name": dependency, "kind": kind }]);
        wrong_arrows(&json!({ "packages": [{ "name": name, "dependencies": dependencies }] }))
    }

    #[test]
    fn arrows_point_down_only() {
        let none: Vec<String> = Vec::new();
        assert_eq!(problems_of("salve-text", "salve-types", None), none);
        assert_eq!(problems_of("salve-cli", "salve", None), none);
        assert_eq!(problems_of("salve-text", "memchr", Some("dev")), none);
        assert_eq!(
            problems_of("salve-text", "salve-syntax", Some("dev")),
            ["salve-text may not depend on salve-syntax (kind dev)"]
        );
        assert_eq!(
            problems_of("salve-types", "salve-text", None),
            ["salve-types may not depend on salve-text (kind normal)"]
        );
        assert_eq!(
            problems_of("salve-utils", "memchr", None),
            ["crate salve-utils has no place among the layers of arrows.rs"]
        );
    }
}
