//! Repositories, their indexes, and the cache between two of them.

#![expect(clippy::disallowed_methods, reason = "a test's own scratch folder")]

use super::*;
use crate::session::load::workspace_names;
use crate::session::repository_map;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

struct Repository {
    folder: tempfile::TempDir,
    cache: tempfile::TempDir,
}

impl Repository {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let made =
            Self { folder: tempfile::tempdir().unwrap(), cache: tempfile::tempdir().unwrap() };
        files.iter().for_each(|(path, bytes)| made.write(path, bytes));
        made
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn file(&self) -> std::path::PathBuf {
        self.cache.path().join("maps/one.map")
    }

    fn index(&self, mentions: &[&str], limits: &MapLimits, cached: bool) -> MapIndex {
        let root = Root::open(self.folder.path()).unwrap();
        let names = workspace_names(&root).unwrap();
        let words: Vec<String> = mentions.iter().map(|word| (*word).to_owned()).collect();
        let file = self.file();
        map_index(&root, &names, &words, limits, cached.then_some(&*file))
    }

    fn map(&self, mentions: &[&str], cached: bool) -> String {
        let index = self.index(mentions, &MapLimits::default(), cached);
        let words: Vec<String> = mentions.iter().map(|word| (*word).to_owned()).collect();
        repository_map(&index, &words, 2_000)
    }
}

#[test]
fn a_warm_index_gives_the_map_of_a_cold_one() {
    let repository = Repository::new(&[
        ("src/a.rs", b"pub fn alpha() {}\n"),
        ("src/b.rs", b"pub fn beta() { alpha() }\n"),
        ("web/c.ts", b"export class Gamma {}\n"),
    ]);
    for mentions in [&[][..], &["beta"], &["Gamma", "alpha"]] {
        let cold = repository.map(mentions, false);
        assert_eq!(repository.map(mentions, true), cold);
        assert_eq!(repository.map(mentions, true), cold, "warm");
    }
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&repository.file()), 0o600);
    assert_eq!(mode(repository.file().parent().unwrap()), 0o700);
    assert!(!repository.file().with_extension("map.part").exists());
    // A change, a new file and a lost one are seen.
    repository.write("src/a.rs", b"pub fn alpha_two() {}\n");
    repository.write("src/d.rs", b"pub fn delta() {}\n");
    fs::remove_file(repository.folder.path().join("web/c.ts")).unwrap();
    let map = repository.map(&[], true);
    assert_eq!(map, repository.map(&[], false));
    assert!(map.contains("alpha_two") && map.contains("delta") && !map.contains("Gamma"), "{map}");
}

#[test]
fn a_damaged_cache_is_no_cache() {
    let repository = Repository::new(&[("a.py", b"def f(): pass\n")]);
    let map = repository.map(&[], true);
    for damage in [&b""[..], b"SALVMAP1", b"something else"] {
        fs::write(repository.file(), damage).unwrap();
        assert_eq!(repository.map(&[], true), map);
    }
    fs::write(repository.file().with_extension("map.part"), b"left over").unwrap();
    repository.write("b.py", b"def g(): pass\n");
    assert!(repository.map(&[], true).contains("def g()"));
}

#[test]
fn hostile_files_are_passed_over() {
    let deep = "(".repeat(50_000);
    let minified = format!("function f(){{return 1}};{}", "var a=1;".repeat(20_000));
    let repository = Repository::new(&[
        ("good.py", b"def good(): pass\n"),
        ("deep.py", deep.as_bytes()),
        ("minified.js", minified.as_bytes()),
        ("binary.py", b"def hidden(): pass\n\0\0"),
        ("huge.py", "def huge(): pass\n".repeat(20_000).as_bytes()),
        ("latin.py", b"def latin(): pass # \xe9\n"),
        ("a\x1b[2J\n.py", b"def odd(): pass\n"),
        ("empty.py", b""),
        (".aws/key.py", b"def secret(): pass\n"),
        ("notes.md", b"# def no\n"),
    ]);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("out.py"), b"def outside(): pass\n").unwrap();
    std::os::unix::fs::symlink(
        outside.path().join("out.py"),
        repository.folder.path().join("link.py"),
    )
    .unwrap();
    std::os::unix::fs::symlink(outside.path(), repository.folder.path().join("out")).unwrap();
    let map = repository.map(&["hidden", "huge", "outside", "secret", "odd"], true);
    assert!(map.contains("def good()"), "{map}");
    for word in ["hidden", "def huge", "outside", "secret", "def no", "link.py"] {
        assert!(!map.contains(word), "{word}: {map}");
    }
    assert!(map.chars().all(|letter| letter == '\n' || !letter.is_control()), "{map:?}");
}

#[test]
fn no_more_is_parsed_than_the_limits_let_in() {
    let text = "pub fn one() {}\npub fn two() {}\n";
    let files: Vec<(String, &[u8])> =
        (0..40).map(|at| (format!("m{at:02}.rs"), text.as_bytes())).collect();
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let repository = Repository::new(&files);
    let limits = MapLimits { parsed_bytes: 5 * text.len() as u64, ..MapLimits::default() };
    let index = repository.index(&["m07.rs"], &limits, false);
    let parsed = index.files.iter().filter(|file| file.symbols.is_some()).count();
    assert_eq!((index.files.len(), parsed, index.chosen.len()), (40, 5, 5));
    assert_eq!(index.files[index.chosen[0]].path, "m07.rs");
    let limits = MapLimits { files: 3, ..limits };
    assert_eq!(repository.index(&[], &limits, false).len(), 3);
    let limits = MapLimits { bytes: 0, files: 9, ..limits };
    assert!(repository.index(&[], &limits, false).chosen.is_empty());
}
