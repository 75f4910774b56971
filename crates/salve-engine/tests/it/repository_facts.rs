//! What the command policy hears about a repository: every place and every setting that counts.
//!
//! In: repositories made for the test, as files. Out: the hazards, by name.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use salve_check::RepoFacts;
use salve_engine::facts::RepositoryFacts;

#[expect(clippy::disallowed_methods, reason = "a test's own scratch folder")]
fn hazards(files: &[(&str, &str)], folder: &str) -> Vec<String> {
    let top = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = top.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    std::fs::create_dir_all(top.path().join(folder)).unwrap();
    let facts = RepositoryFacts::of(&top.path().join(folder));
    facts.hazards().into_iter().map(|hazard| hazard.setting).collect()
}

const PLAIN: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\
    [remote \"origin\"]\n\turl = https://example.com/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
    [branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n[user]\n\tname = A \"B\" C\n";

#[test]
fn a_plain_repository_has_no_hazard() {
    assert_eq!(hazards(&[(".git/config", PLAIN)], ""), [""; 0]);
    assert_eq!(hazards(&[(".git/config", PLAIN)], "deep/er"), [""; 0]);
    assert_eq!(hazards(&[(".git", "")], ""), [""; 0]);
    assert_eq!(hazards(&[], ""), [""; 0]);
}

#[test]
fn settings_that_start_programs_are_found() {
    for (text, setting) in [
        ("[core]\nfsmonitor = ./x", "core.fsmonitor"),
        ("[core] fsmonitor = ./x", "core.fsmonitor"),
        ("[CORE]\nFSMonitor = ./x", "core.fsmonitor"),
        ("[core]\n\thooksPath = hooks", "core.hookspath"),
        ("[core]\n\tpager = sh -c id", "core.pager"),
        ("[core]\n\tsshCommand = ./x", "core.sshcommand"),
        ("[core]\n\tworktree = /tmp/x", "core.worktree"),
        ("[filter \"x\"]\n\tclean = ./x", "filter.x.clean"),
        ("[filter.x]\n\tprocess = ./x", "filter.x.process"),
        ("[diff]\n\texternal = ./x", "diff.external"),
        ("[diff \"pdf\"]\n\ttextconv = ./x", "diff.pdf.textconv"),
        ("[diff \"a]b\"]\n\tcommand = ./x", "diff.a]b.command"),
        ("[include]\n\tpath = ../x", "include.path"),
        ("[includeIf \"gitdir:/\"]\n\tpath = ../x", "includeif.gitdir:/.path"),
        ("[alias]\n\tst = !sh", "alias.st"),
        ("[gpg]\n\tprogram = ./x", "gpg.program"),
        ("[credential]\n\thelper = !sh", "credential.helper"),
        ("[protocol \"ext\"]\n\tallow = always", "protocol.ext.allow"),
        ("[remote \"o\"]\n\turl = ext::sh -c id", "remote.o.url"),
        ("[log]\n\tshowSignature = true", "log.showsignature"),
        ("[url \"ext::sh -c id\"]\n\tinsteadOf = x", "url.ext::sh -c id.insteadof"),
        ("[format]\n\tpretty = %GK", "format.pretty"),
        ("[branch]\n\tsort = signature:grade", "branch.sort"),
    ] {
        assert_eq!(hazards(&[(".git/config", text)], ""), [setting], "{text}");
    }
    assert_eq!(
        hazards(&[(".git/config", "[core]\n\tfsmonitor = false\n[alias]\n\tst = status")], ""),
        [""; 0]
    );
}

#[test]
fn every_place_of_settings_is_looked_at() {
    let bad = "[core]\n\tfsmonitor = ./x\n";
    let one = ["core.fsmonitor"];
    assert_eq!(hazards(&[(".git/config.worktree", bad)], ""), one);
    assert_eq!(hazards(&[(".git/modules/a/b/config", bad)], ""), one);
    assert_eq!(hazards(&[(".git", "gitdir: real\n"), ("real/config", bad)], ""), one);
    let linked =
        [(".git", "gitdir: w\n"), ("w/commondir", "../c\n"), ("c/config", bad), ("w/HEAD", "")];
    assert_eq!(hazards(&linked, ""), one);
    let bare = [("HEAD", "ref: x"), ("objects/x", ""), ("refs/x", ""), ("config", bad)];
    assert_eq!(hazards(&bare, ""), one);
    let submodule = (".git/modules/a/config", "[core]\n\tworktree = ../../../a\n");
    assert_eq!(hazards(&[submodule], ""), [""; 0]);
    let attributes = (".git/info/attributes", "*.c filter=x\n*.md diff=markdown\n");
    assert_eq!(hazards(&[attributes], ""), ["attribute filter=x"]);
    assert_eq!(
        hazards(&[(".git/hooks/post-index-change", "")], ""),
        ["the hook post-index-change"]
    );
}

/// An index of version 2 whose entries are submodules.
fn index(paths: &[&str]) -> String {
    let mut text =
        format!("DIRC\0\0\0\u{2}\0\0\0{}", char::from(u8::try_from(paths.len()).unwrap()));
    for path in paths {
        // 160000 in octal has a byte that is no text by itself, so the entry is made of ASCII parts.
        let mut entry = "\0".repeat(26) + "MM" + &"\0".repeat(32);
        entry += &format!("\0{}{path}\0", char::from(u8::try_from(path.len()).unwrap()));
        while !entry.len().is_multiple_of(8) {
            entry.push('\0');
        }
        text += &entry;
    }
    text + &"x".repeat(20)
}

// The same as bytes, with the mode of a submodule in its place.
fn with_index(top: &std::path::Path, folder: &str, paths: &[&str]) {
    let mut bytes = index(paths).into_bytes();
    while let Some(at) = bytes.windows(2).position(|pair| pair == b"MM") {
        bytes[at..at + 2].copy_from_slice(&0o160_000_u16.to_be_bytes());
    }
    let file = top.join(folder).join("index");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::io::Write::write_all(&mut std::fs::File::create(file).unwrap(), &bytes).unwrap();
}

fn put(top: &std::path::Path, path: &str, text: &str) {
    let file = top.join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::io::Write::write_all(&mut std::fs::File::create(file).unwrap(), text.as_bytes()).unwrap();
}

#[test]
fn git_is_followed_into_every_submodule_of_the_index() {
    let bad = "[filter \"z\"]\n\tclean = ./x\n";
    let facts = |files: &[(&str, &str)], links: &[(&str, &[&str])]| {
        let top = tempfile::tempdir().unwrap();
        put(top.path(), ".git/config", PLAIN);
        files.iter().for_each(|(path, text)| put(top.path(), path, text));
        links.iter().for_each(|(folder, paths)| with_index(top.path(), folder, paths));
        let hazards = RepositoryFacts::of(top.path()).hazards();
        hazards.into_iter().map(|hazard| hazard.setting).collect::<Vec<_>>()
    };
    let in_place = [("lib/subm/.git/config", bad)];
    assert_eq!(facts(&in_place, &[]), [""; 0], "a folder that git does not enter");
    assert_eq!(facts(&in_place, &[(".git", &["lib/subm"])]), ["filter.z.clean"]);
    let attributes = [("subm/.git/info/attributes", "* filter=z\n")];
    assert_eq!(facts(&attributes, &[(".git", &["a", "subm"])]), ["attribute filter=z"]);
    let file = [("subm/.git", "gitdir: ../real/.g\n"), ("real/.g/config", bad)];
    assert_eq!(facts(&file, &[(".git", &["subm"])]), ["filter.z.clean"]);
    let shared = [("s/.git", "gitdir: ../w\n"), ("w/commondir", "../c\n"), ("c/config", bad)];
    assert_eq!(facts(&shared, &[(".git", &["s"])]), ["filter.z.clean"]);
    let nested = [("a/.git/config", PLAIN), ("a/b/.git/config", bad)];
    assert_eq!(facts(&nested, &[(".git", &["a"]), ("a/.git", &["b"])]), ["filter.z.clean"]);
    let hook = [("s/.git/hooks/post-index-change", "")];
    assert_eq!(facts(&hook, &[(".git", &["s"])]), ["the hook post-index-change"]);
    assert_eq!(facts(&[("s/.git", "nonsense")], &[(".git", &["s"])]).len(), 1);
    assert_eq!(facts(&[], &[(".git", &["../s"])]), ["a submodule outside of the work tree"]);
    assert_eq!(facts(&[(".git/index", "nonsense")], &[]), ["an unreadable index"]);
    let round = [("s/.git", "gitdir: ../.git\n")];
    assert_eq!(facts(&round, &[(".git", &["s"])]), [""; 0], "a circle ends");
}

#[test]
fn what_cannot_be_read_is_a_hazard() {
    for text in ["[core", "x = y", "[core]\nfsmonitor = \"a", "[a \"b]\nc = d", "[a]\n= d", "\u{0}"]
    {
        assert_eq!(hazards(&[(".git/config", text)], "").len(), 1, "{text:?}");
    }
    assert_eq!(hazards(&[(".git", "something else")], "").len(), 1);
    assert_eq!(hazards(&[(".git/config/x", "")], "").len(), 1);
}

#[test]
fn what_git_takes_for_a_repository_is_taken_for_one() {
    let hostile = "[diff \"x\"]\n\ttextconv = ./x";
    // A folder with a head and a way to the rest, and neither objects nor refs of its own.
    let linked =
        [("g/HEAD", "ref: refs/heads/main"), ("g/commondir", "../c"), ("c/config", hostile)];
    assert_eq!(hazards(&linked, "g"), ["diff.x.textconv"]);
    assert_eq!(hazards(&linked, "g/deeper"), ["diff.x.textconv"]);
    let own = [("g/HEAD", "x"), ("g/commondir", "."), ("g/config", hostile)];
    // Once for the folder, and once for where it leads.
    assert_eq!(hazards(&own, "g"), ["diff.x.textconv"; 2]);
    // An empty `.git` folder hides nothing: git goes on to the one above.
    let above = [(".git/HEAD", "x"), (".git/config", hostile), ("sub/.git/note", "")];
    assert_eq!(hazards(&above, "sub"), ["diff.x.textconv"]);
    assert_eq!(hazards(&above, "sub/deep"), ["diff.x.textconv"]);
    // A whole one does.
    let nested = [
        (".git/config", hostile),
        ("sub/.git/HEAD", "x"),
        ("sub/.git/objects/x", ""),
        ("sub/.git/refs/x", ""),
    ];
    assert_eq!(hazards(&nested, "sub"), [""; 0]);
    let no_head = [("g/commondir", "../c"), ("c/config", hostile)];
    assert_eq!(hazards(&no_head, "g"), [""; 0]);
}
