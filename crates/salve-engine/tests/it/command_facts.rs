//! What the command policy hears about paths, on a real disk with symlinks.
//!
//! In: a workspace made for the test. Out: one table per question.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use salve_check::{GlobMatches, PathFacts, PathJudgement, PathUse};
use salve_engine::facts::CommandPaths;
use salve_tree::Root;
use std::os::unix::fs::symlink;

fn workspace() -> (tempfile::TempDir, Root) {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("ws");
    for path in ["src", ".vscode", ".cargo", "certs"] {
        std::fs::create_dir_all(folder.join(path)).unwrap();
    }
    for path in ["src/a.rs", "src/b.rs", ".vscode/settings.json", "-rf", "certs/public.crt"] {
        std::fs::File::create(folder.join(path)).unwrap();
    }
    symlink("/etc/passwd", folder.join("out")).unwrap();
    symlink("/etc", folder.join("etc")).unwrap();
    symlink("src", folder.join("inner")).unwrap();
    symlink(".env", folder.join("harmless.txt")).unwrap();
    let root = Root::open(&folder).unwrap();
    (top, root)
}

fn is_fine(root: &Root, path: &str, usage: PathUse) -> bool {
    CommandPaths::new(root).judge(path, usage) == PathJudgement::Fine
}

#[test]
fn reading_stays_inside_and_away_from_secrets() {
    let (_top, root) = workspace();
    let absolute = root.path().join("src/a.rs").display().to_string();
    let fine = [
        ".",
        "./",
        "src",
        "src/",
        "src/a.rs",
        "./src/a.rs",
        "missing.txt",
        "missing/dir/x",
        "inner/a.rs",
        "src/..",
        "src/../src/b.rs",
        ".vscode/settings.json",
        "README.md",
        "certs/public.crt",
        "*.rs",
        ".env.example",
        &absolute,
    ];
    for path in fine {
        assert!(is_fine(&root, path, PathUse::Read), "{path}");
    }
    let asks = [
        "..",
        "../x",
        "/",
        "/etc",
        "/etc/passwd",
        "out",
        "etc",
        "etc/passwd",
        "etc/",
        "src/../..",
        "sub/../../x",
        "~/.ssh/id_rsa",
        ".env",
        "config/.env.production",
        "certs/server.key",
        ".npmrc",
        ".git/config",
        ".git",
        ".salve/token",
        ".git-credentials",
        "harmless.txt",
        "id_rsa",
        "/dev/stdin",
        "/dev/zero",
        "//etc/passwd",
        "",
        "credentials.json",
        "terraform.tfstate",
    ];
    for path in asks {
        assert!(!is_fine(&root, path, PathUse::Read), "{path}");
    }
}

#[test]
fn writing_stays_inside_and_away_from_what_is_obeyed() {
    let (_top, root) = workspace();
    let fine =
        [".", "src", "src/", "src/a.rs", "new.txt", "new/deep/x.txt", "inner/new.rs", "dist/"];
    for path in fine {
        assert!(is_fine(&root, path, PathUse::Write), "{path}");
    }
    let asks = [
        "..",
        "../x",
        "/tmp/x",
        "/dev/null",
        "out",
        "etc/x",
        ".git",
        ".git/hooks/pre-commit",
        ".vscode",
        ".vscode/",
        ".vscode/new.json",
        ".cargo/config.toml",
        ".env",
        ".salve/state.db",
        ".github/workflows/ci.yml",
        ".gitattributes",
        "a/../../x",
    ];
    for path in asks {
        assert!(!is_fine(&root, path, PathUse::Write), "{path}");
    }
}

#[test]
fn patterns_are_expanded_inside_only() {
    let (_top, root) = workspace();
    let paths = CommandPaths::new(&root);
    let names = |pattern| match paths.expand(pattern, &mut salve_check::ListingBudget::default()) {
        GlobMatches::Names(names) => names,
        GlobMatches::Unknown(why) => vec![format!("unknown: {why}")],
    };
    assert_eq!(names("src/*.rs"), ["src/a.rs", "src/b.rs"]);
    assert_eq!(names("inner/*.rs"), ["inner/a.rs", "inner/b.rs"]);
    assert_eq!(names("*/a.rs"), ["inner/a.rs", "src/a.rs"]);
    assert_eq!(names("src/*.toml"), [""; 0]);
    assert!(names("etc/*").iter().all(|name| name.starts_with("unknown")), "{:?}", names("etc/*"));
    assert!(names("/etc/*").iter().all(|name| name.starts_with("unknown")));
    assert!(names("../*").iter().all(|name| name.starts_with("unknown")));
}

#[test]
fn folders_are_told_from_files() {
    let (_top, root) = workspace();
    let paths = CommandPaths::new(&root);
    for (path, folder) in [
        ("src", true),
        ("src/", true),
        (".", true),
        ("inner", true),
        ("src/a.rs", false),
        ("new", false),
        ("etc", false),
        ("..", false),
    ] {
        assert_eq!(PathFacts::is_folder(&paths, path), folder, "{path}");
    }
}

#[test]
fn paths_of_a_command_are_seen_from_its_folder() {
    let (_top, root) = workspace();
    let paths = CommandPaths::from_here(&root, "src");
    let is_fine = |path: &str| paths.judge(path, PathUse::Read) == PathJudgement::Fine;
    let absolute = root.path().join("src/a.rs").display().to_string();
    for path in
        [".", "..", "a.rs", "./a.rs", "../src/b.rs", "../README.md", "../inner/a.rs", &absolute]
    {
        assert!(is_fine(path), "{path}");
    }
    for path in ["../..", "../../x", "../out", "../etc/hosts", "../harmless.txt", "/etc", "~/x"] {
        assert!(!is_fine(path), "{path}");
    }
    assert!(paths.is_folder("..") && paths.is_folder("../certs") && !paths.is_folder("src"));
    let names = |pattern| match paths.expand(pattern, &mut salve_check::ListingBudget::default()) {
        GlobMatches::Names(names) => names,
        GlobMatches::Unknown(why) => vec![why],
    };
    assert_eq!(names("*.rs"), ["a.rs", "b.rs"]);
    assert_eq!(names("../certs/*"), ["../certs/public.crt"]);
}

#[test]
fn a_tree_holds_secrets_at_any_depth_or_it_holds_none() {
    let (_top, root) = workspace();
    let paths = CommandPaths::new(&root);
    for folder in ["src", "src/", "certs", "missing", "src/a.rs"] {
        assert!(!paths.holds_secrets(folder), "{folder}");
    }
    std::fs::create_dir_all(root.path().join("src/deep/er")).unwrap();
    std::fs::File::create(root.path().join("src/deep/er/.env")).unwrap();
    std::fs::create_dir_all(root.path().join("certs/.git")).unwrap();
    for folder in [".", "src", "src/deep", "certs"] {
        assert!(paths.holds_secrets(folder), "{folder}");
    }
    std::fs::create_dir_all(root.path().join("many")).unwrap();
    for number in 0..4_200 {
        std::fs::File::create(root.path().join(format!("many/{number}"))).unwrap();
    }
    assert!(paths.holds_secrets("many"), "what is too much to look at may hold some");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test's own files")]
fn a_small_text_is_read_and_nothing_else() {
    let (_top, root) = workspace();
    let paths = CommandPaths::new(&root);
    std::fs::write(root.path().join("list.txt"), "requests\n").unwrap();
    std::fs::write(root.path().join("bytes.txt"), [0xff, 0xfe, 0x00]).unwrap();
    std::fs::write(root.path().join("large.txt"), vec![b'a'; (1 << 20) + 1]).unwrap();
    assert_eq!(paths.text("list.txt"), Ok(Some("requests\n".to_owned())));
    assert_eq!(paths.text("missing.txt"), Ok(None));
    for path in ["bytes.txt", "large.txt", "out", "/etc/passwd", "src"] {
        assert!(paths.text(path).is_err(), "{path}");
    }
}
