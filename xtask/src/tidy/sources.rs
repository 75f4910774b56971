//! What may stand in which file.
//!
//! In: the repository's files. Out: every file without a header, every forbidden name, call and
//! word, with its line. Never looks into lock files or the words of a test's own input.

use xtask::workspace::SourceFile;

/// Lists everything that is where it may not.
pub(super) fn problems(files: &[SourceFile]) -> Vec<String> {
    let mut problems = Vec::new();
    for file in files {
        problems.extend(bad_name(&file.path));
        problems.extend(forbidden_words(file));
        // A program that a test gives to a compiler is that test's input.
        let is_input = file.path.contains("/tests/data/") || file.path.starts_with("scenarios/");
        if file.path.ends_with(".rs") && !is_input {
            problems.extend(missing_header(file));
            problems.extend(forbidden_calls(file));
            problems.extend(open_ends(file));
        }
    }
    let changelog = files.iter().find(|file| file.path == "CHANGELOG.md");
    if !changelog.is_some_and(|file| file.text.contains("## [Unreleased]")) {
        problems.push("CHANGELOG.md has no section `## [Unreleased]`".to_owned());
    }
    problems
}

const BAD_STEMS: &[&str] =
    &["util", "utils", "helper", "helpers", "common", "manager", "misc", "mod"];

fn bad_name(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.ends_with(".pending-snap") || name.ends_with(".snap.new") {
        return Some(format!("{path}: a snapshot that nobody reviewed"));
    }
    let stem = name.strip_suffix(".rs")?;
    BAD_STEMS.contains(&stem).then(|| format!("{path}: the name says nothing about the content"))
}

fn missing_header(file: &SourceFile) -> Option<String> {
    (!file.text.starts_with("//!")).then(|| format!("{}: does not open with `//!`", file.path))
}

/// A call, the places it may be made from, and why.
struct Owned {
    call: &'static str,
    owners: &'static [&'static str],
    why: &'static str,
}

const CLI: &str = "crates/salve-cli/";
const TREE: &str = "crates/salve-tree/";
const CHECK: &str = "crates/salve-check/";
// These two make and remove folders of their own: temporary homes, and what stands in for a path.
const RUNNER: &str = "crates/salve-check/src/runner/";
const SANDBOX: &str = "crates/salve-check/src/sandbox/";
const BACKUPS: &str = "crates/salve-store/src/backup.rs";
// What a heal keeps between two steps, and what it leaves for people in `.salve`.
const HEAL_STATE: &str = "crates/salve-engine/src/heal/state.rs";
const HEAL_FILES: &str = "crates/salve-engine/src/heal/journal_files.rs";
// The results of sub-tasks until they are merged, in the user's data folder.
const PLAN_RESULTS: &str = "crates/salve-engine/src/plan/work/folder.rs";
// It moves the old database of jobs out of the way, once.
const IMPORT: &str = "crates/salve-store/src/tables/engine/import.rs";

// It makes a copy of the tree with a change in it, which is checked and thrown away.
const CHECKED_COPY: &str = "crates/salve-engine/src/pipeline/planned_copy.rs";

// It moves what a run has made and must not have out of the tree.
const ASIDE: &str = "crates/salve-check/src/runner/protected_files.rs";

#[rustfmt::skip]
const OWNED: &[Owned] = &[
    Owned { call: "fs::write(", owners: &[TREE, CLI], why: "only salve-tree writes project files" },
    Owned { call: "File::create(", owners: &[TREE, CLI, HEAL_STATE, HEAL_FILES, PLAN_RESULTS], why: "only salve-tree writes project files" },
    Owned { call: "fs::remove_", owners: &[TREE, CLI, RUNNER, SANDBOX, BACKUPS, CHECKED_COPY, HEAL_STATE], why: "only salve-tree removes project files" },
    Owned { call: "fs::rename(", owners: &[TREE, CLI, IMPORT, ASIDE, PLAN_RESULTS], why: "only salve-tree moves project files" },
    Owned { call: "Command::new(", owners: &[CHECK], why: "only salve-check starts processes" },
    Owned { call: "env::var", owners: &[CLI], why: "only salve-cli reads the environment" },
    Owned { call: "env::current_dir(", owners: &[CLI], why: "only salve-cli asks where it is" },
    Owned { call: "SystemTime::now(", owners: &[CLI], why: "time is a value that is passed in" },
    Owned { call: "println!(", owners: &[CLI], why: "a library never prints" },
    Owned { call: "print!(", owners: &[CLI], why: "a library never prints" },
    Owned { call: "dbg!(", owners: &[], why: "left from debugging" },
];

fn forbidden_calls(file: &SourceFile) -> Vec<String> {
    let in_product = file.path.starts_with("crates/") && file.path.contains("/src/");
    if !in_product || file.path.ends_with("/tests.rs") {
        return Vec::new();
    }
    let mut problems = Vec::new();
    for (number, line) in code_lines(without_tests(&file.text)) {
        for owned in OWNED {
            let is_owner = owned.owners.iter().any(|owner| file.path.starts_with(owner));
            if !is_owner && calls(line, owned.call) {
                problems.push(format!("{}:{number}: {}: {}", file.path, owned.call, owned.why));
            }
        }
    }
    problems
}

// A call that is spelled out in a string is data, as in the tables that tell languages apart.
fn calls(line: &str, call: &str) -> bool {
    line.match_indices(call).any(|(at, _)| line[..at].matches('"').count().is_multiple_of(2))
}

// Tests stand last in a file, so everything before their module is the product.
fn without_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod ").next().unwrap_or(text)
}

fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

// Written in two halves, so that this file does not hold what it looks for.
const WORDS: &[(&str, &str)] = &[
    (concat!("/ro", "ot/"), "a path of somebody's machine"),
    (concat!("/wo", "rk/"), "a path of somebody's machine"),
    (concat!("crat", "es.io"), "a registry host"),
    (concat!("npm", "js.org"), "a registry host"),
    (concat!("python", "hosted.org"), "a registry host"),
];

fn forbidden_words(file: &SourceFile) -> Vec<String> {
    if file.path.ends_with(".lock") {
        return Vec::new();
    }
    let mut problems = Vec::new();
    for (word, what) in WORDS {
        for (at, _) in file.text.match_indices(word) {
            // `some/where` is a relative path; only a path from the root of a machine counts.
            let before = file.text[..at].chars().next_back();
            let is_inner = word.starts_with('/')
                && before
                    .is_some_and(|before| before.is_alphanumeric() || "._-~*}>".contains(before));
            if !is_inner {
                let line = file.text[..at].matches('\n').count() + 1;
                problems.push(format!("{}:{line}: holds {what}", file.path));
            }
        }
    }
    problems
}

const OPEN_ENDS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX:")];

// Only comments count: a test about omission markers must be able to spell them.
fn open_ends(file: &SourceFile) -> Vec<String> {
    let mut problems = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        let Some((code, comment)) = line.split_once("//") else { continue };
        let is_comment = !code.contains(['"', '\'', '`', '#']);
        if is_comment && OPEN_ENDS.iter().any(|word| starts_note(comment, word)) {
            problems.push(format!("{}:{}: an open end in a comment", file.path, at + 1));
        }
    }
    problems
}

fn starts_note(comment: &str, word: &str) -> bool {
    comment.trim_start_matches(['/', '!', ' ']).starts_with(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems_in(path: &str, text: &str) -> Vec<String> {
        let changelog =
            SourceFile { path: "CHANGELOG.md".to_owned(), text: "## [Unreleased]\n".to_owned() };
        problems(&[changelog, SourceFile { path: path.to_owned(), text: text.to_owned() }])
    }

    #[test]
    fn a_rust_file_needs_its_header_and_a_telling_name() {
        assert_eq!(problems_in("crates/a/src/fence.rs", "//! Fences.\n"), Vec::<String>::new());
        assert_eq!(problems_in("crates/a/src/fence.rs", "fn f() {}\n").len(), 1);
        assert_eq!(problems_in("crates/a/src/utils.rs", "//! Things.\n").len(), 1);
        assert_eq!(problems_in("crates/a/src/.fence.rs.pending-snap", "{}").len(), 1);
    }

    #[test]
    fn a_call_is_free_only_to_its_owner_and_in_tests() {
        let text = "//! A.\nfn f() { std::fs::write(a, b); }\n";
        assert_eq!(
            problems_in("crates/salve-text/src/a.rs", text),
            ["crates/salve-text/src/a.rs:2: fs::write(: only salve-tree writes project files"]
        );
        assert_eq!(problems_in("crates/salve-tree/src/a.rs", text), Vec::<String>::new());
        assert_eq!(problems_in("crates/salve-text/tests/it/a.rs", text), Vec::<String>::new());
        let table = "//! A.\nconst WORDS: &[&str] = &[\"a\", \"println!(\"];\n";
        assert_eq!(problems_in("crates/salve-text/src/a.rs", table), Vec::<String>::new());
        let text = "//! A.\n// No println!( here.\n#[cfg(test)]\nmod tests { println!(1) }\n";
        assert_eq!(problems_in("crates/salve-text/src/a.rs", text), Vec::<String>::new());
    }

    #[test]
    fn machine_paths_and_open_ends_are_found() {
        let path = format!("see {}there\n", WORDS[0].0);
        assert_eq!(problems_in("README.md", &path).len(), 1);
        assert_eq!(problems_in("README.md", &format!("a{path}").replace("see ", "")).len(), 0);
        assert_eq!(problems_in("Cargo.lock", &path).len(), 0);
        let note = format!("//! A.\nlet a = 1; // {}: more\n", OPEN_ENDS[0]);
        assert_eq!(problems_in("crates/a/src/a.rs", &note).len(), 1);
        let input = format!("//! A.\nlet a = \"// {}: more\";\n", OPEN_ENDS[0]);
        assert_eq!(problems_in("crates/a/src/a.rs", &input).len(), 0);
    }
}
