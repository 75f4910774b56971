//! Names to choose from while a person writes: files and symbols of the workspace.
//!
//! In: what was written after an `@`. Out: a short list, the best first. Never a file that git ignores, and nothing that
//! was not asked for.

use super::super::answer::{Answer, Fault, json_response};
use super::super::state::WorkbenchState;
use axum::extract::{Query, State};
use axum::response::Response;
use http::StatusCode;
use salve_engine::session::{MapLimits, map_index, workspace_names};
use salve_tree::Root;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// How many names are offered.
const MOST: usize = 12;

/// Larger workspaces offer files alone: reading all symbols takes longer than a person types.
const INDEXED: usize = 2_000;

/// What was written.
#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    q: String,
}

/// A name to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Name {
    /// What is put into the input.
    value: String,
    /// What it is.
    kind: String,
}

/// Answers `GET /complete`.
pub(super) async fn complete(
    State(state): State<Arc<WorkbenchState>>,
    Query(asked): Query<Asked>,
) -> Answer<Response> {
    let root = state.root().to_owned();
    let found = tokio::task::spawn_blocking(move || names(&root, &asked.q));
    let found = found.await.map_err(|error| Fault::broken(&error))?;
    Ok(json_response(StatusCode::OK, &found))
}

fn names(root: &Path, query: &str) -> Vec<Name> {
    let Some(names) = Root::open(root).ok().and_then(|root| {
        let names = workspace_names(&root).ok()?;
        Some((names, root))
    }) else {
        return Vec::new();
    };
    let (names, root) = names;
    let file = |path: &String| Name { value: path.clone(), kind: "file".to_owned() };
    let mut found = best(names.paths().iter().map(file), query);
    // A word that fits few files may be a name of the code.
    if found.len() < MOST / 2 && query.chars().count() > 1 && names.paths().len() <= INDEXED {
        let words = [query.to_owned()];
        let index = map_index(&root, &names, &words, &MapLimits::default(), None);
        let symbol = |(name, path): (&str, &str)| Name {
            value: name.to_owned(),
            kind: format!("symbol in {path}"),
        };
        found.extend(best(index.definitions().map(symbol), query));
    }
    found.truncate(MOST);
    found
}

// The name first, then the folders; what begins with the words before what holds them.
fn best(names: impl Iterator<Item = Name>, query: &str) -> Vec<Name> {
    let query = query.to_lowercase();
    let mut ranked: Vec<(u8, usize, Name)> = names
        .filter_map(|name| {
            let value = name.value.to_lowercase();
            let last = value.rsplit('/').next().unwrap_or(&value);
            let rank = match () {
                () if last.starts_with(&query) => 0,
                () if value.starts_with(&query) => 1,
                () if last.contains(&query) => 2,
                () if value.contains(&query) => 3,
                () => return None,
            };
            Some((rank, name.value.len(), name))
        })
        .collect();
    ranked.sort_by(|left, right| {
        (left.0, left.1, &left.2.value).cmp(&(right.0, right.1, &right.2.value))
    });
    ranked.dedup_by(|left, right| left.2 == right.2);
    ranked.into_iter().map(|(_, _, name)| name).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_in_the_order_that_people_expect() {
        let name = |value: &str| Name { value: value.to_owned(), kind: "file".into() };
        let all = ["src/unlimited.py", "limits/a.py", "src/limit.py", "limit.py", "notes.py"];
        let found = best(all.iter().map(|value| name(value)), "Lim");
        let found: Vec<&str> = found.iter().map(|name| name.value.as_str()).collect();
        assert_eq!(found, ["limit.py", "src/limit.py", "limits/a.py", "src/unlimited.py"]);
    }
}
