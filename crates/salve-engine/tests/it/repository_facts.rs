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

#[test]
fn what_cannot_be_read_is_a_hazard() {
    for text in ["[core", "x = y", "[core]\nfsmonitor = \"a", "[a \"b]\nc = d", "[a]\n= d", "\u{0}"]
    {
        assert_eq!(hazards(&[(".git/config", text)], "").len(), 1, "{text:?}");
    }
    assert_eq!(hazards(&[(".git", "something else")], "").len(), 1);
    assert_eq!(hazards(&[(".git/config/x", "")], "").len(), 1);
}
