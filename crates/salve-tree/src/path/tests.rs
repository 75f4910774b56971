//! Every path of the table, with its set-up on a real file system, and what the table cannot say.

mod race;

use super::*;
use crate::{FileView as _, MemoryView};
use rustix::fs::{self as sys, Mode, OFlags};
use serde_json::Value;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

/// A workspace with one source file, in a directory of its own.
struct Sandbox {
    top: tempfile::TempDir,
    workspace: PathBuf,
}

impl Sandbox {
    fn new() -> Self {
        let top = tempfile::tempdir().unwrap();
        let workspace = top.path().join("ws");
        let sandbox = Self { top, workspace };
        sandbox.put("src/main.rs", "fn main() {}\n");
        sandbox
    }

    fn put(&self, path: &str, text: &str) {
        let at = self.at(path);
        let mut file = File::create(at).unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    }

    fn at(&self, path: &str) -> PathBuf {
        let at = self.workspace.join(path);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        at
    }

    /// Does one step of a set-up; `false` when this system cannot.
    fn set_up(&self, step: &str) -> bool {
        let (verb, rest) = step.split_once(' ').unwrap();
        let name = rest.split(" -> ").next().unwrap();
        let name = [" = ", " mode ", " size "]
            .iter()
            .fold(name, |name, mark| name.split(mark).next().unwrap());
        let at = self.at(name);
        let mode = rest.split_once(" mode ").map(|(_, mode)| &mode[..4]);
        match verb {
            "dir" => fs::create_dir_all(&at).unwrap(),
            "file" => {
                self.put(name, "x");
                if rest.contains(" size 100M") {
                    File::options().write(true).open(&at).unwrap().set_len(100 << 20).unwrap();
                }
            }
            "symlink" => symlink(rest.split_once(" -> ").unwrap().1, &at).unwrap(),
            "hardlink" => {
                let outside = self.top.path().join("outside");
                File::create(&outside).unwrap();
                fs::hard_link(outside, &at).unwrap();
            }
            "fifo" => {
                let mode = Mode::from_raw_mode(0o600);
                sys::mknodat(sys::CWD, &at, sys::FileType::Fifo, mode, 0).unwrap();
            }
            "socket" => drop(UnixListener::bind(&at).unwrap()),
            "chardev" => {
                let device = sys::makedev(1, 3);
                let mode = Mode::from_raw_mode(0o666);
                return sys::mknodat(sys::CWD, &at, sys::FileType::CharacterDevice, mode, device)
                    .is_ok();
            }
            _ => panic!("no such step: {step}"),
        }
        if let Some(mode) = mode {
            let bits = u32::from_str_radix(mode, 8).unwrap();
            fs::set_permissions(&at, fs::Permissions::from_mode(bits)).unwrap();
        }
        true
    }

    fn root(&self) -> Root {
        Root::open(&self.workspace).unwrap()
    }

    fn rule(&self, path: &str) -> &'static str {
        self.root().judge(path, &AdmitOptions::default()).rule.name()
    }
}

#[test]
fn c016_every_path_of_the_table_is_judged_as_the_table_says() {
    let mut wrong = Vec::new();
    for line in include_str!("cases.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let sandbox = Sandbox::new();
        let steps: Vec<&str> =
            case["setup"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let workspace = sandbox.workspace.to_str().unwrap().to_owned();
        if !steps.iter().all(|step| sandbox.set_up(&step.replace("{WS}", &workspace))) {
            println!("not run, this user may not make devices: {}", case["id"]);
            continue;
        }
        let spell = |path: &Value| {
            path.as_str().unwrap().replace("{WSNAME}", "ws").replace("{WS}", &workspace)
        };
        let root = sandbox.root();
        let (allow, rule) = match &case["path"] {
            Value::Array(paths) => {
                judge_together(&root, &paths.iter().map(spell).collect::<Vec<_>>())
            }
            path => {
                let verdict = root.judge(&spell(path), &AdmitOptions::default());
                (verdict.allow, verdict.rule.name())
            }
        };
        if Value::Bool(allow) != case["allow"] {
            wrong.push(format!("{} {} {rule}", case["id"], case["path"]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn judge_together(root: &Root, paths: &[String]) -> (bool, &'static str) {
    let admitted: Vec<TreePath> = paths.iter().map(|path| root.admit(path).unwrap()).collect();
    let objections = check_set(&admitted.iter().collect::<Vec<_>>());
    if let Some((_, objection)) = objections.first() {
        return (false, objection.rule.name());
    }
    let distinct: std::collections::BTreeSet<&TreePath> = admitted.iter().collect();
    (distinct.len() == admitted.len(), "same_file_twice")
}

#[test]
fn c016_each_rule_is_named() {
    let sandbox = Sandbox::new();
    for step in [
        "symlink etc -> /etc",
        "symlink round -> round",
        "symlink up -> ..",
        "dir Docs",
        "symlink g -> .gith",
        "file .githubish",
        "symlink hidden -> .git",
        "dir .git",
        "symlink dangling -> made/later.txt",
    ] {
        sandbox.set_up(step);
    }
    for (path, rule) in [
        ("../x", "outside_workspace"),
        ("/etc/passwd", "absolute_path"),
        ("etc/passwd", "symlink_out"),
        ("up/x", "symlink_out"),
        ("round/x", "symlink_loop"),
        ("hidden/config", "repository"),
        ("a/.GiT./config", "repository"),
        (".git::$INDEX_ALLOCATION/config", "repository"),
        (".gіt/config", "repository"),
        ("..\\.git\\config", "repository"),
        (".Salve/x", "own_state"),
        ("src/main.rs/x", "not_a_directory"),
        ("docs/new.md", "case_twin"),
        ("ѕrс/x", "mixed_scripts"),
        ("ｓrc/x", "look_alike_name"),
        ("данные/отчёт.txt", "inside_workspace"),
        ("．．/x", "disguised_separator"),
        ("a∕b", "inside_workspace"),
        ("a／b", "disguised_separator"),
        ("%2e%2e/x", "disguised_separator"),
        ("sub/AGENTS.md", "protected_agent_instructions"),
        ("sub/.cargo/config.toml", "protected_toolchain_settings"),
        (".github/workflows/ci.yml", "protected_ci"),
        ("deploy/server.PEM", "protected_secret"),
        (".env.production", "protected_secret"),
        (".env.example", "inside_workspace"),
        (".github/ISSUE_TEMPLATE.md", "inside_workspace"),
        (".gitignore", "inside_workspace"),
        ("日本語/ファイル.txt", "inside_workspace"),
        ("src/café.rs", "inside_workspace"),
        ("dangling", "inside_workspace"),
        ("a\u{a0}b", "odd_space"),
        ("com1.txt", "device_name"),
        ("Src/x.rs", "case_twin"),
    ] {
        assert_eq!(sandbox.rule(path), rule, "{path:?}");
    }
}

#[test]
fn c016_protected_files_can_be_allowed_but_nothing_else() {
    let sandbox = Sandbox::new();
    let root = sandbox.root();
    let all = AdmitOptions { allow_protected: true, ..AdmitOptions::default() };
    assert!(root.judge(".github/workflows/ci.yml", &all).allow);
    for path in [".git/config", ".salve/x", "../x", "a\u{202e}b"] {
        assert!(!root.judge(path, &all).allow, "{path}");
    }
}

#[test]
fn c016_a_symlink_inside_resolves_to_its_file_and_is_read_there() {
    let sandbox = Sandbox::new();
    sandbox.set_up("file real/x.txt");
    sandbox.set_up("symlink link.txt -> ./real/../real/x.txt");
    let root = sandbox.root();
    let path = root.admit("link.txt").unwrap();
    assert_eq!(path.as_str(), "real/x.txt");
    assert_eq!(root.read(&path).unwrap().unwrap().bytes, b"x");
}

#[test]
fn a_file_that_is_only_read_may_be_read_only_or_linked_but_not_outside() {
    let sandbox = Sandbox::new();
    for step in [
        "file fixed.txt mode 0444",
        "hardlink linked.txt",
        "file .github/workflows/ci.yml",
        "symlink out.txt -> /etc/hosts",
        "symlink up.txt -> ../outside",
        "fifo pipe",
    ] {
        assert!(sandbox.set_up(step), "{step}");
    }
    let root = sandbox.root();
    for path in ["fixed.txt", "linked.txt", ".github/workflows/ci.yml", "src/main.rs"] {
        assert_eq!(root.admit_to_read(path).unwrap().as_str(), path);
        assert_eq!(root.admit(path).is_ok(), path == "src/main.rs", "{path}");
    }
    for path in
        ["out.txt", "up.txt", "pipe", "../x", "/etc/hosts", ".git/config", ".salve/x", "src"]
    {
        assert!(root.admit_to_read(path).is_err(), "{path}");
    }
    assert!(root.open_listed("src/main.rs").is_ok());
    for path in ["out.txt", "up.txt", "pipe", "../outside", "/etc/hosts", "src", "none", ""] {
        assert!(root.open_listed(path).is_err(), "{path}");
    }
}

#[test]
fn c089_one_file_has_one_path_however_it_is_written() {
    let sandbox = Sandbox::new();
    let root = sandbox.root();
    let absolute = format!("{}/src/main.rs", sandbox.workspace.display());
    for written in
        ["src/main.rs", "./src/main.rs", "src//main.rs", "src/../src/./main.rs", &absolute]
    {
        assert_eq!(root.admit(written).unwrap().as_str(), "src/main.rs", "{written}");
    }
    let memory = MemoryView::new([("src/main.rs", "")], AdmitOptions::default());
    for written in ["./src/main.rs", "src/../src//main.rs"] {
        assert_eq!(memory.admit(written).unwrap().as_str(), "src/main.rs", "{written}");
    }
    assert!(memory.admit("src").is_err() && memory.admit("src/main.rs/x").is_err());
    assert!(memory.admit("../x").is_err() && memory.admit("/x").is_err());
}

#[test]
fn a_pipe_or_a_link_put_in_place_after_admission_is_neither_waited_for_nor_followed() {
    let sandbox = Sandbox::new();
    sandbox.set_up("dir d");
    let root = sandbox.root();
    let pipe = root.admit("pipe").unwrap();
    let link = root.admit("link").unwrap();
    let below = root.admit("d/x").unwrap();
    sandbox.set_up("fifo pipe");
    sandbox.set_up("symlink link -> src/main.rs");
    fs::remove_dir(sandbox.workspace.join("d")).unwrap();
    sandbox.set_up("symlink d -> /etc");
    assert!(root.read(&pipe).is_err());
    assert!(root.read(&link).is_err());
    assert!(root.read(&below).is_err());
    assert!(root.open_parent(&below).is_err());
    let open = |path: &str| {
        root::open_stepwise(
            root.directory(),
            path,
            OFlags::RDONLY | OFlags::NOFOLLOW,
            Mode::empty(),
        )
    };
    assert!(open("src/main.rs").is_ok());
    for path in ["link", "d/passwd", "src/../src/main.rs", ""] {
        assert!(open(path).is_err(), "{path}");
    }
}

#[test]
fn a_repository_under_another_name_is_told_by_what_is_in_it() {
    let sandbox = Sandbox::new();
    for file in ["real/.g/HEAD", "real/.g/objects/x", "real/.g/refs/x", "w/HEAD", "w/commondir"] {
        sandbox.put(file, "x");
    }
    sandbox.put("plain/HEAD", "x");
    for path in ["real/.g/hooks/pre-commit", "real/.g/config", "real/.g/new/x", "w/config"] {
        assert_eq!(sandbox.rule(path), "repository", "{path}");
    }
    for path in ["real/x", "plain/x", "plain/HEAD"] {
        assert_eq!(sandbox.rule(path), "inside_workspace", "{path}");
    }
    for path in [".vscode", "a/.husky", "bare.git/hooks/x", ".venv/bin/x", "a/x.pyc", "SKILL.md"] {
        assert!(sandbox.rule(path).starts_with("protected_"), "{path}");
    }
}
