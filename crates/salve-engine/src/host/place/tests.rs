//! Layouts of folders, and the workspace that each place in them belongs to.

use super::*;
use std::os::unix::fs::PermissionsExt as _;

/// One layout: files and folders (with a `/` at the end), where the command starts, and the root
/// with the reason that it must give. `0777:` before a folder opens it to everybody.
struct Case {
    about: &'static str,
    layout: &'static [&'static str],
    start: &'static str,
    root: &'static str,
    why: RootReason,
}

fn case(
    about: &'static str,
    layout: &'static [&'static str],
    start: &'static str,
    root: &'static str,
    why: RootReason,
) -> Case {
    Case { about, layout, start, root, why }
}

fn cases() -> Vec<Case> {
    use RootReason::{Alone, Package, Packages, Repository, State};
    vec![
        case("the root of a repository", &["p/.git/HEAD"], "p", "p", Repository),
        case("deep in a repository", &["p/.git/HEAD", "p/a/b/"], "p/a/b", "p", Repository),
        case(
            "a nested repository is its own",
            &["p/.git/HEAD", "p/sub/.git/HEAD", "p/sub/src/"],
            "p/sub/src",
            "p/sub",
            Repository,
        ),
        case(
            "a worktree or a submodule is its own",
            &["p/.git/HEAD", "p/sub/.git=gitdir: ../.git/modules/sub", "p/sub/src/"],
            "p/sub/src",
            "p/sub",
            Repository,
        ),
        case(
            "an empty folder .git is no repository",
            &["p/.git/HEAD", "p/a/.git/", "p/a/x/"],
            "p/a/x",
            "p",
            Repository,
        ),
        case(
            "a file .git ends the search, as git ends there with an error",
            &["p/.git/HEAD", "p/b/.git="],
            "p/b",
            "p/b",
            Repository,
        ),
        case(
            "a repository wins over the workspace around it",
            &["p/Cargo.toml=[workspace]", "p/a/.git/HEAD", "p/a/src/"],
            "p/a/src",
            "p/a",
            Repository,
        ),
        case(
            "a repository wins over a nearer .salve and a nearer workspace",
            &["p/.git/HEAD", "p/a/.salve/", "p/a/package.json={\"workspaces\": []}", "p/a/b/"],
            "p/a/b",
            "p",
            Repository,
        ),
        case(
            "the outermost Cargo workspace",
            &["p/Cargo.toml=[workspace]", "p/crates/a/Cargo.toml=[workspace]", "p/crates/a/src/"],
            "p/crates/a/src",
            "p",
            Packages("Cargo.toml"),
        ),
        case(
            "npm workspaces",
            &["p/package.json={\"workspaces\": [\"x/*\"]}", "p/x/a/package.json={}"],
            "p/x/a",
            "p",
            Packages("package.json"),
        ),
        case(
            "pnpm workspaces",
            &["p/pnpm-workspace.yaml=packages: []", "p/x/package.json={}"],
            "p/x",
            "p",
            Packages("pnpm-workspace.yaml"),
        ),
        case(
            "uv workspaces",
            &["p/pyproject.toml=[tool.uv.workspace]\nmembers = ['x']", "p/x/pyproject.toml="],
            "p/x",
            "p",
            Packages("pyproject.toml"),
        ),
        case("a Go workspace", &["p/go.work=", "p/x/go.mod="], "p/x", "p", Packages("go.work")),
        case(
            "a workspace wins over a nearer .salve",
            &["p/Cargo.toml=[workspace]", "p/a/.salve/"],
            "p/a",
            "p",
            Packages("Cargo.toml"),
        ),
        case("the nearest .salve", &["p/.salve/", "p/a/.salve/", "p/a/b/"], "p/a/b", "p/a", State),
        case(
            ".salve wins over a nearer package",
            &["p/.salve/", "p/a/package.json={}"],
            "p/a",
            "p",
            State,
        ),
        case("a file .salve is none", &["p/.salve=x", "p/a/"], "p/a", "p/a", Alone),
        case(
            "the nearest package",
            &["p/package.json={}", "p/a/Cargo.toml=[package]", "p/a/src/"],
            "p/a/src",
            "p/a",
            Package("Cargo.toml"),
        ),
        case("nothing says more", &["p/a/"], "p/a", "p/a", Alone),
        case(
            "a manifest that cannot be read",
            &["p/Cargo.toml=[", "p/a/"],
            "p/a",
            "p",
            Package("Cargo.toml"),
        ),
        case(
            "a repository in the home is not the home's projects'",
            &["home/.git/HEAD", "home/.salve/", "home/notes/x/"],
            "home/notes/x",
            "home/notes/x",
            Alone,
        ),
        case(
            "a repository in the home is passed over for the workspace below",
            &["home/.git/HEAD", "home/w/Cargo.toml=[workspace]", "home/w/a/"],
            "home/w/a",
            "home/w",
            Packages("Cargo.toml"),
        ),
        case(
            "nor is what is around the home",
            &[".git/HEAD", "package.json={\"workspaces\": []}", "home/x/"],
            "home/x",
            "home/x",
            Alone,
        ),
        case(
            "a folder that every user may write to is passed over",
            &["0777:s/", "s/.git/HEAD", "s/.salve/", "s/Cargo.toml=[workspace]", "s/mine/src/"],
            "s/mine/src",
            "s/mine/src",
            Alone,
        ),
        case(
            "what is above such a folder still counts",
            &["p/.git/HEAD", "0777:p/s/", "p/s/.git/HEAD", "p/s/mine/"],
            "p/s/mine",
            "p",
            Repository,
        ),
    ]
}

fn make(top: &Path, layout: &[&str]) {
    let mut open = Vec::new();
    for entry in layout {
        let (entry, mode) = match entry.strip_prefix("0777:") {
            Some(entry) => (entry, true),
            None => (*entry, false),
        };
        let (path, content) = entry.split_once('=').unwrap_or((entry, ""));
        let path = top.join(path);
        if entry.ends_with('/') {
            std::fs::create_dir_all(&path).unwrap();
        } else {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            write(&path, content);
        }
        open.extend(mode.then_some(path));
    }
    for path in open {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
    }
}

#[expect(clippy::disallowed_methods, reason = "a test's own scratch folder")]
fn write(path: &Path, content: &str) {
    std::fs::write(path, content).unwrap();
}

fn search(top: &Path, start: &str) -> PlaceSearch {
    PlaceSearch {
        start: top.join(start),
        named: None,
        home: Some(top.join("home")),
        owners: vec![top.metadata().unwrap().uid()],
    }
}

#[test]
fn every_place_has_the_workspace_that_git_would_find() {
    for Case { about, layout, start, root, why } in cases() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        make(&top, layout);
        let place = Place::find(&search(&top, start)).unwrap();
        let here = start.strip_prefix(root).unwrap().trim_start_matches('/');
        assert_eq!(
            (place.root, place.here.as_str(), place.why),
            (top.join(root), here, why),
            "{about}"
        );
    }
}

#[test]
fn what_may_not_be_a_workspace_is_refused_unless_named() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    make(&top, &["home/.git/HEAD", "0777:s/", "s/.git/HEAD", "home/x/", "p/.git/HEAD"]);
    let refused = |search: &PlaceSearch| match Place::find(search) {
        Err(PlaceError::Unfit { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    for (start, why) in
        [("home", Unfit::Home), ("", Unfit::AroundHome), ("s", Unfit::WorldWritable)]
    {
        let mut search = search(&top, start);
        assert_eq!(refused(&search), why, "{start}");
        search.named = Some(top.join(start));
        let place = Place::find(&search).unwrap();
        assert_eq!(
            (place.root, place.why),
            (search.named.unwrap().canonicalize().unwrap(), RootReason::Named)
        );
    }
    assert_eq!(refused(&PlaceSearch { start: "/".into(), ..search(&top, "") }), Unfit::Machine);
    let another = PlaceSearch { owners: vec![u32::MAX - 1], ..search(&top, "p") };
    let owner = std::os::unix::fs::MetadataExt::uid(&top.metadata().unwrap());
    assert_eq!(refused(&another), Unfit::OtherOwner { owner });
}

#[test]
fn what_was_passed_over_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    make(&top, &["home/.git/HEAD", "home/.salve/", "home/x/"]);
    let place = Place::find(&search(&top, "home/x")).unwrap();
    assert_eq!(place.passed_over, [(top.join("home"), Unfit::Home)]);
}

#[test]
fn a_named_root_keeps_the_folder_when_it_is_inside() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    make(&top, &["p/.git/HEAD", "p/a/b/", "q/"]);
    for (named, start, here) in [("p/a", "p/a/b", "b"), ("p", "p", ""), ("q", "p/a", "")] {
        let search = PlaceSearch { named: Some(top.join(named)), ..search(&top, start) };
        let place = Place::find(&search).unwrap();
        assert_eq!((place.root.clone(), place.here.as_str()), (top.join(named), here));
        assert_eq!(place.folder(), place.root.join(here));
    }
    let gone = PlaceSearch { start: top.join("none"), ..search(&top, "") };
    assert!(matches!(Place::find(&gone), Err(PlaceError::Folder { .. })));
}

#[test]
fn leftovers_are_those_no_command_uses() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path();
    make(
        top,
        &[
            ".git/HEAD",
            ".salve/history/",
            "src/.salve/",
            "crates/a/src/.salve/",
            "nested/.git/HEAD",
            "nested/.salve/",
            "node_modules/x/.salve/",
        ],
    );
    assert_eq!(leftover_states(top), ["crates/a/src/.salve", "src/.salve"]);
}
