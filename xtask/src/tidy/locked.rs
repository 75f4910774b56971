//! Which versions are allowed together.
//!
//! In: Cargo.lock and the workspace's manifest. Out: a problem for a second SQLite, for a larger set of
//! Unicode tables than is needed, and for an engine that is not pinned. Never checks what cargo itself
//! does.

use xtask::workspace::SourceFile;

/// Histories of jobs are replayed by the engine's code, so not even a patch comes unasked.
const PINNED: &[&str] = &["duroxide", "duroxide-pg"];

/// Lists what does not fit.
pub(super) fn problems(files: &[SourceFile]) -> Vec<String> {
    let text = |path: &str| files.iter().find(|file| file.path == path).map(|file| &*file.text);
    let mut problems = Vec::new();
    match text("Cargo.lock") {
        Some(lock) => problems.extend(wrong_in_lock(lock)),
        None => problems.push("there is no Cargo.lock".to_owned()),
    }
    match text("Cargo.toml").map(str::parse::<toml::Table>) {
        Some(Ok(manifest)) => problems.extend(wrong_pins(&manifest)),
        _ => problems.push("the workspace's Cargo.toml cannot be read".to_owned()),
    }
    problems
}

// Only one SQLite can be linked, and rusqlite would bring another.
fn wrong_in_lock(lock: &str) -> Vec<String> {
    let count = |name: &str| {
        let line = format!("name = \"{name}\"");
        lock.lines().filter(|found| *found == line).count()
    };
    let mut problems = Vec::new();
    match count("libsqlite3-sys") {
        1 => {}
        other => problems.push(format!("Cargo.lock has {other} of libsqlite3-sys, not one")),
    }
    if count("rusqlite") > 0 {
        problems.push("Cargo.lock has rusqlite: the store and the engine use sqlx".to_owned());
    }
    // Names of hosts are the only use of it here, and the tables of `unicode-normalization`, which is
    // built anyway, serve them in 18 packages less. A plain `cargo update` takes the newer line.
    if count("icu_normalizer") > 0 {
        problems.push(
            "Cargo.lock has icu_normalizer: run `cargo update -p idna_adapter --precise 1.1.0`"
                .to_owned(),
        );
    }
    problems
}

fn wrong_pins(manifest: &toml::Table) -> Vec<String> {
    let dependencies = &manifest["workspace"]["dependencies"];
    let version = |name: &str| {
        let said = dependencies.get(name)?;
        said.get("version").unwrap_or(said).as_str().map(str::to_owned)
    };
    let wrong = |name: &&&str| !version(name).is_some_and(|version| version.starts_with('='));
    PINNED
        .iter()
        .filter(wrong)
        .map(|name| format!("{name} is not pinned by `=` in the workspace's Cargo.toml"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(lock: &str, manifest: &str) -> Vec<String> {
        let file = |path: &str, text: &str| SourceFile { path: path.into(), text: text.into() };
        problems(&[file("Cargo.lock", lock), file("Cargo.toml", manifest)])
    }

    #[test]
    fn one_sqlite_small_tables_and_a_pinned_engine() {
        let lock = "name = \"libsqlite3-sys\"\nname = \"sqlx\"\n";
        let pins = "[workspace.dependencies]\nduroxide = { version = \"=0.1.32\" }\n\
                    duroxide-pg = \"=0.1.38\"\n";
        assert_eq!(found(lock, pins), Vec::<String>::new());
        let two = format!(
            "{lock}name = \"libsqlite3-sys\"\nname = \"rusqlite\"\nname = \"icu_normalizer\"\n"
        );
        let loose = "[workspace.dependencies]\nduroxide = \"0.1.32\"\n";
        assert_eq!(
            found(&two, loose),
            [
                "Cargo.lock has 2 of libsqlite3-sys, not one",
                "Cargo.lock has rusqlite: the store and the engine use sqlx",
                "Cargo.lock has icu_normalizer: run `cargo update -p idna_adapter --precise 1.1.0`",
                "duroxide is not pinned by `=` in the workspace's Cargo.toml",
                "duroxide-pg is not pinned by `=` in the workspace's Cargo.toml",
            ]
        );
    }
}
