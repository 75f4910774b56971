//! Which crate may see which.
//!
//! In: cargo's metadata. Out: every dependency that points the wrong way. Never excuses a
//! dev-dependency: a test that needs a sibling belongs to the crate above both.

use serde_json::Value;

/// The product's layers from the bottom up; a crate sees only crates of lower layers.
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
];

/// The crates around the product, and what each may see besides packages from the registry.
const AROUND: &[(&str, Sees)] = &[
    ("salve-fuzz", Sees::Product),
    ("xtask", Sees::Nothing),
    ("xtask-launch", Sees::Nothing),
    ("rigs", Sees::Everything),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sees {
    Nothing,
    Product,
    Everything,
}

/// Where a crate of the workspace belongs.
#[derive(Debug, Clone, Copy)]
enum Place {
    Layer(usize),
    Around(Sees),
}

/// Lists the dependencies between workspace crates that point the wrong way.
pub(super) fn wrong_arrows(metadata: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    for package in list(&metadata["packages"]) {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(place) = place_of(name) else {
            problems.push(format!("crate {name} has no place in arrows.rs"));
            continue;
        };
        for dependency in list(&package["dependencies"]) {
            let other = dependency["name"].as_str().unwrap_or_default();
            let Some(below) = place_of(other) else { continue };
            if !may_see(place, below) {
                let kind = dependency["kind"].as_str().unwrap_or("normal");
                problems.push(format!("{name} may not depend on {other} (kind {kind})"));
            }
        }
    }
    problems
}

fn place_of(name: &str) -> Option<Place> {
    let around = AROUND.iter().find(|(around, _)| *around == name);
    let layer = || LAYERS.iter().position(|layer| layer.contains(&name));
    around.map(|(_, sees)| Place::Around(*sees)).or_else(|| layer().map(Place::Layer))
}

// Nothing depends on the rigs: of what is around the product they see everything but themselves.
fn may_see(place: Place, other: Place) -> bool {
    match (place, other) {
        (Place::Layer(layer), Place::Layer(below)) => below < layer,
        (Place::Layer(_), Place::Around(_)) => false,
        (Place::Around(sees), Place::Layer(_)) => sees != Sees::Nothing,
        (Place::Around(sees), Place::Around(other)) => {
            sees == Sees::Everything && other != Sees::Everything
        }
    }
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
            ["crate salve-utils has no place in arrows.rs"]
        );
    }

    #[test]
    fn the_rigs_see_everything_and_nothing_sees_them() {
        let none: Vec<String> = Vec::new();
        assert_eq!(problems_of("rigs", "salve-tree", None), none);
        assert_eq!(problems_of("rigs", "salve-cli", None), none);
        assert_eq!(problems_of("rigs", "xtask", None), none);
        assert_eq!(problems_of("salve-fuzz", "salve-text", None), none);
        for (name, other) in [
            ("xtask", "rigs"),
            ("xtask", "salve-types"),
            ("xtask-launch", "xtask"),
            ("salve-cli", "rigs"),
            ("salve-types", "xtask"),
            ("salve-fuzz", "rigs"),
        ] {
            let problem = format!("{name} may not depend on {other} (kind normal)");
            assert_eq!(problems_of(name, other, None), [problem]);
        }
    }
}
