//! Exported names that mean two things.
//!
//! In: the sources of the library crates. Out: every type that two crates export, and a problem when
//! there is one. Never counts what a crate passes on from another one,
//! which is one meaning, nor the facade, which only passes on.

use std::collections::{BTreeMap, BTreeSet};
use xtask::workspace::SourceFile;

const FACADE: &str = "salve";

/// Prints the doubles, and complains of them.
pub(super) fn too_many(files: &[SourceFile]) -> Option<String> {
    let doubles = doubles(files);
    println!("exported names with two meanings: {}", doubles.len());
    for (name, crates) in &doubles {
        println!("  {name}: {}", crates.iter().copied().collect::<Vec<_>>().join(", "));
    }
    (!doubles.is_empty()).then(|| {
        format!("{} exported names have two meanings: rename the lesser one", doubles.len())
    })
}

fn doubles(files: &[SourceFile]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut exports: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (krate, file) in files.iter().filter_map(|file| Some((crate_of(&file.path)?.0, file))) {
        if krate != FACADE && is_public(file, files) {
            for name in exported(&file.text) {
                exports.entry(name).or_default().insert(krate);
            }
        }
    }
    exports.retain(|_, crates| crates.len() > 1);
    exports
}

/// Returns the crate of a source file, and its path in it.
fn crate_of(path: &str) -> Option<(&str, &str)> {
    path.strip_prefix("crates/")?.split_once("/src/")
}

// The root of a crate, or a module of it that is public as a whole.
fn is_public(file: &SourceFile, files: &[SourceFile]) -> bool {
    let Some((krate, path)) = crate_of(&file.path) else { return false };
    let Some(module) = path.strip_suffix(".rs") else { return false };
    let root = format!("crates/{krate}/src/lib.rs");
    let public = format!("\npub mod {module};");
    module == "lib" || files.iter().any(|file| file.path == root && file.text.contains(&public))
}

/// Lists the types that a module exports: declared there, or in a private module below.
fn exported(text: &str) -> impl Iterator<Item = &str> {
    let statements = text.split("\npub ").skip(1);
    statements.flat_map(|statement| {
        let names: Vec<&str> = match statement.split_once(' ') {
            Some(("use", rest)) if !rest.starts_with("salve_") => {
                words(rest.split(';').next().unwrap_or_default()).collect()
            }
            Some(("struct" | "enum" | "trait" | "type", rest)) => words(rest).take(1).collect(),
            _ => Vec::new(),
        };
        names.into_iter().filter(|name| is_type(name))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
}

// Constants are in capitals throughout, functions and modules begin small.
fn is_type(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.contains(|letter: char| letter.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_name_that_two_crates_declare_is_a_double() {
        let files = [
            file(
                "crates/a/src/lib.rs",
                "//! A.\n\npub mod open;\nmod shut;\n\npub use shut::{Both, MOST, Mine, both};\n",
            ),
            file("crates/a/src/open.rs", "//! Open.\n\npub struct Open {}\n"),
            file("crates/a/src/shut.rs", "//! Shut.\n\npub struct Hidden;\n"),
            file(
                "crates/b/src/lib.rs",
                "//! B.\n\npub use x::Both;\npub use y::{\n    Open,\n};\n",
            ),
            file("crates/b/src/x.rs", "//! X.\n\npub struct Hidden;\n"),
            file("crates/c/src/lib.rs", "//! C.\n\npub use salve_a::Mine;\npub use z::MOST;\n"),
        ];
        let doubles = doubles(&files);
        assert_eq!(doubles.keys().copied().collect::<Vec<_>>(), ["Both", "Open"]);
    }
}
