//! Trees, plans, and what is loaded of them.

#![expect(clippy::disallowed_methods, reason = "a test's own scratch folder")]

use super::*;
use crate::session::plan::plan_by_mentions;
use proptest::prelude::*;
use std::fs;

fn tree(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

fn files(patterns: &[&str]) -> Vec<PlanAction> {
    patterns.iter().map(|pattern| PlanAction::File { pattern: (*pattern).to_owned() }).collect()
}

fn paths(loaded: &Loaded) -> Vec<&str> {
    loaded.files.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn c006_c103_a_named_file_is_found_read_and_hashed() {
    let folder = tree(&[
        ("src/mail/email.py", b"def send(): pass\n"),
        ("src/mail/email_test.py", b"def test(): pass\n"),
        ("src/other.py", b""),
    ]);
    let root = Root::open(folder.path()).unwrap();
    let names = workspace_names(&root).unwrap();
    let plan = plan_by_mentions("please review email.py", &names);
    let loaded = load_from(&root, &names, &plan.actions, &LoadLimits::default());
    assert_eq!(paths(&loaded), ["src/mail/email.py", "src/mail/email_test.py"]);
    let first = &loaded.files[0];
    assert_eq!(first.hash, salve_tree::ContentHash::of(b"def send(): pass\n").hex());
    assert_eq!(first.md5, "8d34a6ae7c8987d253676d35b17f62df");
    assert_eq!((first.size, first.language, first.cut), (17, Language::Python, false));
    assert!(loaded.failures.is_empty() && loaded.omitted.is_empty());
}

#[test]
fn c006_c007_a_search_without_a_result_says_why() {
    let folder = tree(&[
        (".gitignore", b"private/\n*.log\n"),
        (".env", b"KEY=1"),
        ("src/a.rs", b"fn a() {}\n"),
        ("certs/server.key", b"key"),
        ("private/notes.md", b"x"),
        ("app/[slug]/page.tsx", b"export {}\n"),
        ("logo.png", b"\x89PNG\r\n\x1a\n\0\0"),
    ]);
    std::os::unix::fs::symlink("/etc/hosts", folder.path().join("hosts.txt")).unwrap();
    let secret = SearchCode::LeftOut(OmitCode::Secret);
    for (pattern, wanted) in [
        ("src/a.rs", None),
        ("./src/a.rs", None),
        ("src\\a.rs", None),
        ("src", None),
        ("src/", None),
        ("**/*.rs", None),
        ("app/[slug]/page.tsx", None),
        ("**/payment*.py", Some(SearchCode::NoMatch)),
        ("src/none.rs", Some(SearchCode::NoMatch)),
        ("private/notes.md", Some(SearchCode::Ignored)),
        ("../x", Some(SearchCode::Outside)),
        ("src/../../x", Some(SearchCode::Outside)),
        ("/etc/passwd", Some(SearchCode::Outside)),
        ("~/x", Some(SearchCode::Outside)),
        ("C:/x", Some(SearchCode::Outside)),
        ("hosts.txt", Some(SearchCode::Outside)),
        (".git/config", Some(SearchCode::Outside)),
        (".env", Some(secret)),
        ("**/.env*", Some(secret)),
        ("**/id_rsa", Some(secret)),
        ("certs/*.key", Some(secret)),
        ("certs", Some(secret)),
        (".salve/history", Some(secret)),
        ("logo.png", Some(SearchCode::LeftOut(OmitCode::Binary))),
        ("a{b", Some(SearchCode::BadPattern)),
        ("a[b", Some(SearchCode::BadPattern)),
        ("", Some(SearchCode::BadPattern)),
        (".", Some(SearchCode::BadPattern)),
        ("a\nb", Some(SearchCode::BadPattern)),
    ] {
        let loaded = load(folder.path(), &files(&[pattern]), &LoadLimits::default()).unwrap();
        let code = loaded.failures.first().map(|failure| failure.code);
        assert_eq!(code, wanted, "{pattern}: {:?}", paths(&loaded));
        assert_eq!(loaded.files.is_empty(), wanted.is_some(), "{pattern}");
    }
    let absolute = folder.path().canonicalize().unwrap().join("src/a.rs");
    let loaded =
        load(folder.path(), &files(&[absolute.to_str().unwrap()]), &LoadLimits::default()).unwrap();
    assert_eq!(paths(&loaded), ["src/a.rs"]);
    let url = [PlanAction::Url { url: "https://example.com/".to_owned() }];
    let loaded = load(folder.path(), &url, &LoadLimits::default()).unwrap();
    assert_eq!(loaded.failures[0].code, SearchCode::UrlsOff);
}

#[test]
fn c006_limits_hold_and_what_they_leave_out_is_named() {
    let long = "a line of text\n".repeat(100);
    let folder = tree(&[
        ("a.txt", long.as_bytes()),
        ("b.txt", long.as_bytes()),
        ("c.txt", b"short\n"),
        ("d.txt", b"short\n"),
        ("e.txt", &[b'x'; 5000]),
        ("one/line.txt", "é".repeat(300).as_bytes()),
    ]);
    let limits = LoadLimits { files: 3, bytes_per_file: 100, bytes_total: 190, largest: 2000 };
    let loaded = load(folder.path(), &files(&["*.txt"]), &limits).unwrap();
    assert_eq!(paths(&loaded), ["a.txt", "b.txt", "c.txt"]);
    assert_eq!(loaded.files[0].text, "a line of text\n".repeat(6));
    assert!(loaded.files[0].cut && !loaded.files[2].cut);
    assert_eq!((loaded.files[0].size, loaded.files[0].text.len()), (1500, 90));
    let left: Vec<_> = loaded.omitted.iter().map(|one| (one.path.as_str(), one.code)).collect();
    assert_eq!(left, [("d.txt", OmitCode::FileLimit), ("e.txt", OmitCode::FileLimit)]);
    let limits = LoadLimits { bytes_total: 100, ..limits };
    let loaded = load(folder.path(), &files(&["[bace].txt"]), &limits).unwrap();
    let left: Vec<_> = loaded.omitted.iter().map(|one| (one.path.as_str(), one.code)).collect();
    assert_eq!(paths(&loaded), ["a.txt", "c.txt"]);
    assert_eq!(left, [("b.txt", OmitCode::ByteLimit), ("e.txt", OmitCode::TooLarge)]);
    let limits = LoadLimits { bytes_per_file: 101, ..LoadLimits::default() };
    let loaded = load(folder.path(), &files(&["one/line.txt"]), &limits).unwrap();
    assert_eq!(loaded.files[0].text, "é".repeat(50));
}

#[test]
fn a_broad_pattern_leaves_room_for_a_narrow_one() {
    let many: Vec<String> = (0..30).map(|n| format!("lib/m{n:02}.rs")).collect();
    let mut all: Vec<(&str, &[u8])> = many.iter().map(|path| (path.as_str(), &b"\n"[..])).collect();
    all.push(("src/wanted.rs", b"fn w() {}\n"));
    let folder = tree(&all);
    let limits = LoadLimits { files: 4, ..LoadLimits::default() };
    let loaded = load(folder.path(), &files(&["lib/**", "src/wanted.rs"]), &limits).unwrap();
    assert_eq!(paths(&loaded), ["lib/m00.rs", "src/wanted.rs", "lib/m01.rs", "lib/m02.rs"]);
    assert_eq!((loaded.omitted.len(), loaded.omitted_more), (27, 0));
}

#[test]
fn read_only_and_linked_files_are_read_and_links_out_are_not() {
    let folder = tree(&[("a.rs", b"fn a() {}\n"), ("b.rs", b"fn b() {}\n")]);
    let at = |name: &str| folder.path().join(name);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.rs"), b"fn secret() {}\n").unwrap();
    std::os::unix::fs::symlink(outside.path(), at("out")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.rs"), at("s.rs")).unwrap();
    fs::hard_link(at("a.rs"), at("c.rs")).unwrap();
    let mut read_only = fs::metadata(at("b.rs")).unwrap().permissions();
    read_only.set_readonly(true);
    fs::set_permissions(at("b.rs"), read_only).unwrap();
    let loaded = load(folder.path(), &files(&["**/*.rs"]), &LoadLimits::default()).unwrap();
    assert_eq!(paths(&loaded), ["a.rs", "b.rs", "c.rs"]);
    // A link that is put in the place of a listed file after the listing.
    let root = Root::open(folder.path()).unwrap();
    let names = workspace_names(&root).unwrap();
    fs::remove_file(at("a.rs")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.rs"), at("a.rs")).unwrap();
    let loaded = load_from(&root, &names, &files(&["a.rs"]), &LoadLimits::default());
    assert_eq!(loaded.failures[0].code, SearchCode::LeftOut(OmitCode::Outside));
    assert!(loaded.files.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn whatever_the_plan_limits_hold_and_nothing_comes_from_outside(
        names in prop::collection::vec("[a-c.]{1,3}(/[a-c]{1,2}\\.(rs|py|pem|env)){0,1}", 1..12),
        patterns in prop::collection::vec("(\\.\\./|/|\\./|\\*\\*/)?[a-c*?.{},\\[\\]]{0,6}(/[a-c*.]{1,5})?", 1..5),
        most in 0_usize..4,
    ) {
        let folder = tempfile::tempdir().unwrap();
        for name in names.iter().filter(|name| !name.split('/').any(|step| step.trim_matches('.').is_empty())) {
            let path = folder.path().join(name);
            let _ = fs::create_dir_all(path.parent().unwrap());
            let _ = fs::write(path, name);
        }
        let actions: Vec<PlanAction> =
            patterns.into_iter().map(|pattern| PlanAction::File { pattern }).collect();
        let limits = LoadLimits { files: most, bytes_per_file: 4, bytes_total: 9, largest: 100 };
        let loaded = load(folder.path(), &actions, &limits).unwrap();
        prop_assert_eq!(&loaded, &load(folder.path(), &actions, &limits).unwrap());
        prop_assert!(loaded.files.len() <= most);
        prop_assert!(loaded.files.iter().map(|file| file.text.len()).sum::<usize>() <= 9);
        for file in &loaded.files {
            prop_assert!(file.text.len() <= 4);
            prop_assert!(!file.path.starts_with('/') && !file.path.split('/').any(|step| step == ".."), "{}", file.path);
            prop_assert!(!file.path.ends_with(".pem") && !file.path.ends_with(".env"), "{}", file.path);
            let bytes = fs::read(folder.path().join(&file.path)).unwrap();
            prop_assert_eq!(&file.hash, &salve_tree::ContentHash::of(&bytes).hex());
        }
    }
}
