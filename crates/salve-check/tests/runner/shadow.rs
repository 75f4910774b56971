//! The shadow of a workspace: whatever runs in it, the user's tree stays as it is.
//!
//! Each promise is tested three ways: with layers of the kernel, with a copy at the workspace's own
//! path, and with a copy where there are no namespaces; and all of them as nobody.

use crate::workplace::{as_nobody, options};
use salve_check::{
    CheckOptions, CheckVerdict, FinishedRun, Gate, Layer, LayerLimit, Limits, Plan, Registry,
    RiskClass, RunClass, RunEnding, RunEvent, RunInput, RunLog, RunPrograms, RunRequest, Shadow,
    ShadowError, ShadowLayer, ShadowMeans, ShadowOptions, StartedBy, ToolchainError, check,
    check_command,
};
use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use tempfile::TempDir;

const WAYS: [(&[Layer], ShadowMeans); 3] = [
    (&[], ShadowMeans::Overlay),
    (&[Layer::PrivateLayers], ShadowMeans::Copy),
    (Layer::OF_NAMESPACES, ShadowMeans::Copy),
];

/// A workspace with files of every kind, and where layers go.
struct Place {
    folder: TempDir,
}

impl Place {
    #[expect(clippy::disallowed_methods, reason = "the test's own files")]
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        for name in ["temporary", "private", "work/.git", "outside"] {
            std::fs::create_dir_all(place.folder.path().join(name)).unwrap();
        }
        for (path, text) in [
            (".git/HEAD", "ref: refs/heads/main\n"),
            (".gitignore", "ignored/\ntarget/\nnode_modules/\n*.log\n"),
            ("src/main.py", "print( 1 )\n"),
            ("src/other.py", "print(2)\n"),
            ("deep/er/est/file.txt", "deep\n"),
            ("gone.txt", "still here\n"),
            ("read-only.txt", "fixed\n"),
            ("run.sh", "#!/bin/sh\necho run\n"),
            ("ignored/kept.txt", "ignored\n"),
            ("target/old", "old build\n"),
            ("node_modules/lib/index.js", "lib\n"),
        ] {
            place.write(path, text);
        }
        for (path, mode) in [("read-only.txt", 0o444), ("run.sh", 0o755)] {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(place.work().join(path), mode).unwrap();
        }
        std::fs::write(place.folder.path().join("outside/secret.txt"), "secret\n").unwrap();
        symlink("src", place.work().join("source")).unwrap();
        symlink(place.work().join("src/main.py"), place.work().join("absolute")).unwrap();
        symlink("../outside", place.work().join("out")).unwrap();
        place
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work").canonicalize().unwrap()
    }

    #[expect(clippy::disallowed_methods, reason = "the test's own files")]
    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join("work").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn shadow(&self, without: &[Layer]) -> Shadow {
        let runner = options(self.folder.path(), without);
        Shadow::open(ShadowOptions { runner, private: self.private() }).unwrap()
    }

    fn private(&self) -> PathBuf {
        self.folder.path().join("private")
    }

    /// Everything that is known of the tree, but for Salve's own folder.
    fn look(&self) -> BTreeMap<PathBuf, String> {
        let mut seen = BTreeMap::new();
        let mut open = vec![self.work(), self.folder.path().join("outside")];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let found = entry.metadata().unwrap();
                let path = entry.path();
                if entry.file_name() == ".salve" {
                    continue;
                }
                let content = match (found.is_dir(), found.is_symlink()) {
                    (true, _) => String::new(),
                    (_, true) => format!("{:?}", std::fs::read_link(&path).unwrap()),
                    _ => std::fs::read_to_string(&path).unwrap(),
                };
                let stamp = (found.mode(), found.ino(), found.mtime(), found.mtime_nsec());
                seen.insert(path.clone(), format!("{stamp:?} {content}"));
                if found.is_dir() {
                    open.push(path);
                }
            }
        }
        seen
    }
}

fn request(place: &Place, argv: &[&str]) -> RunRequest {
    RunRequest {
        plan: Plan::of_argv(argv.iter().copied()),
        cwd: place.work(),
        class: RunClass::Toolchain,
        risk: RiskClass::Build,
        gate: Gate::Approved,
        by: StartedBy::Salve,
        limits: Limits::of(RunClass::Proposed),
        environment: Vec::new(),
        input: RunInput::Nothing,
        protected: salve_check::ProtectedFileUse::default(),
        ports: Vec::new(),
    }
}

fn sh(place: &Place, layer: &ShadowLayer<'_>, script: &str) -> FinishedRun {
    layer.run(&request(place, &["sh", "-c", script])).unwrap()
}

fn said(place: &Place, layer: &ShadowLayer<'_>, script: &str) -> String {
    let run = sh(place, layer, script);
    String::from_utf8([run.stdout.head, run.stderr.head].concat()).unwrap()
}

fn texts(files: &[(&str, Option<&str>)]) -> BTreeMap<String, Option<String>> {
    let owned = files.iter().map(|(path, text)| ((*path).to_owned(), text.map(str::to_owned)));
    owned.collect()
}

fn text(layer: &ShadowLayer<'_>, path: &str) -> Option<String> {
    layer.read(path).unwrap().map(|bytes| String::from_utf8(bytes).unwrap())
}

/// What formatters, build tools and programs that mean harm do to files.
const WRITES: &str = r#"
    sed -i 's/( 1 )/(1)/' src/main.py
    echo evil >> src/other.py; echo evil > absolute; echo evil >> source/other.py
    rm -f gone.txt; mv src/other.py src/moved.py; mv deep/er/est/file.txt deep/file.txt
    rm -rf deep; mkdir -p deep new/folder; echo new > new/folder/file
    chmod 777 read-only.txt run.sh; echo evil > read-only.txt; touch -d @0 .gitignore src
    ln src/main.py hard 2>/dev/null && echo evil >> hard
    ln -s "$PWD" itself; echo evil > itself/run.sh
    echo evil > out/secret.txt; echo evil > ../outside/secret.txt; echo evil > ../work/run.sh
    echo evil > .git/HEAD; mv .git git; rm -rf .git; echo evil > .salve/CONTROL.md
    echo evil > node_modules/lib/index.js; rm -rf node_modules target ignored
    for process in /proc/[0-9]* /proc/self; do
        echo evil > $process/root"$PWD"/run.sh; echo evil > $process/cwd/run.sh
        for file in $process/fd/*; do
            [ "$file" -ef /dev/null ] || [ -p "$file" ] || [ -S "$file" ] || echo evil > $file/run.sh
        done
    done
    exec 3< src; cd /proc/self/fd/3 && echo evil > main.py
    true"#;

#[test]
fn nothing_that_a_program_does_in_a_layer_reaches_the_tree() {
    for (without, means) in WAYS {
        let place = Place::new();
        let before = place.look();
        let shadow = place.shadow(without);
        assert_eq!(shadow.means(), means);
        for layer in [shadow.baseline().unwrap(), shadow.candidate(&texts(&[])).unwrap()] {
            sh(&place, &layer, &format!("({WRITES}) 2>/dev/null"));
            assert_eq!(text(&layer, "new/folder/file").as_deref(), Some("new\n"), "{without:?}");
            assert_eq!(text(&layer, "gone.txt"), None);
        }
        assert_eq!(shadow.tree_changes().unwrap(), [""; 0], "{without:?}");
        drop(shadow);
        let names: Vec<_> = before.keys().collect();
        let after = place.look();
        assert_eq!(after.keys().collect::<Vec<_>>(), names, "{without:?}");
        assert_eq!(after, before, "{without:?}");
        assert_eq!(std::fs::read_dir(place.private()).unwrap().count(), 0, "nothing is left");
    }
}

#[test]
fn programs_find_a_candidates_texts_at_the_workspaces_path() {
    for (without, _) in WAYS {
        let place = Place::new();
        let shadow = place.shadow(without);
        let files = [
            ("src/main.py", Some("print('fixed')\n")),
            ("source/other.py", Some("print('through a link')\n")),
            ("new/module.py", Some("new\n")),
            ("run.sh", Some("#!/bin/sh\necho candidate\n")),
            ("gone.txt", None),
            ("never/was.txt", None),
        ];
        let layer = shadow.candidate(&texts(&files)).unwrap();
        let script = "cat src/main.py src/other.py source/other.py absolute new/module.py; ./run.sh
            ls gone.txt never/was.txt 2>/dev/null; ls src; pwd; cat node_modules/lib/index.js";
        let absolute = match without.contains(&Layer::MountNamespace) {
            // The link leads to the real tree, which is not there.
            true => "cat: absolute: Permission denied\n",
            false => "print('fixed')\n",
        };
        let place_of = place.work().display().to_string();
        let expected = format!(
            "print('fixed')\nprint('through a link')\nprint('through a link')\n{}new\ncandidate\n\
             main.py\nother.py\n{place_of}\nlib\n{}",
            if absolute.starts_with("cat") { "" } else { absolute },
            if absolute.starts_with("cat") { absolute } else { "" },
        );
        assert_eq!(said(&place, &layer, script), expected, "{without:?}");
        assert_eq!(text(&layer, "src/main.py").as_deref(), Some("print('fixed')\n"));
        assert_eq!(text(&layer, "src/other.py").as_deref(), Some("print('through a link')\n"));
        assert_eq!(text(&layer, "deep/er/est/file.txt").as_deref(), Some("deep\n"));
        assert_eq!((text(&layer, "gone.txt"), text(&layer, "src")), (None, None));
        assert_eq!(layer.written().unwrap(), [""; 0], "{without:?}");
    }
}

#[test]
fn candidates_stand_on_the_baseline_and_do_not_see_each_other() {
    for (without, _) in WAYS {
        let place = Place::new();
        let shadow = place.shadow(without);
        let baseline = shadow.baseline().unwrap();
        sh(
            &place,
            &baseline,
            "mkdir -p out2 target; echo built > target/built; rm gone.txt
            rm -r deep; mkdir deep; echo other > deep/other; echo changed > src/other.py",
        );
        drop(baseline);
        let one = shadow.candidate(&texts(&[("a.txt", Some("one"))])).unwrap();
        let two = shadow.candidate(&texts(&[("a.txt", Some("two"))])).unwrap();
        sh(&place, &one, "echo one > target/own; rm target/built; echo lock > Cargo.lock");
        let script = "cat a.txt; echo; cat target/* | sort; ls gone.txt deep; cat src/other.py";
        let both = "ls: cannot access 'gone.txt': No such file or directory\n";
        let old = if shadow.means() == ShadowMeans::Overlay { "old build\n" } else { "" };
        let expected = format!("two\nbuilt\n{old}deep:\nother\nchanged\n{both}");
        assert_eq!(said(&place, &two, script), expected, "{without:?}");
        let expected = format!("one\n{old}one\ndeep:\nother\nchanged\n{both}");
        assert_eq!(said(&place, &one, script), expected, "{without:?}");
        sh(
            &place,
            &one,
            "rm -r src; echo x > debug.log; mkdir .vscode; echo x > .vscode/tasks.json",
        );
        let written = ["Cargo.lock", "src/main.py", "src/other.py"];
        assert_eq!(one.written().unwrap(), written, "{without:?}");
        assert_eq!(two.written().unwrap(), [""; 0], "{without:?}");
        let read = |path: &str| text(&two, path);
        assert_eq!(read("src/other.py").as_deref(), Some("changed\n"));
        assert_eq!(read("deep/other").as_deref(), Some("other\n"));
        assert_eq!((read("gone.txt"), read("deep/er/est/file.txt")), (None, None), "{without:?}");
        drop(one);
        let three = shadow.candidate(&texts(&[])).unwrap();
        assert_eq!(said(&place, &three, "cat a.txt target/own 2>/dev/null"), "", "{without:?}");
    }
}

#[test]
fn a_link_that_a_program_made_is_not_followed_from_outside() {
    for (without, _) in WAYS {
        let place = Place::new();
        let shadow = place.shadow(without);
        let layer = shadow.candidate(&texts(&[])).unwrap();
        sh(&place, &layer, "ln -s /etc/passwd leak; rm -r src; ln -s /etc src; ln -s ../.. up");
        for path in ["leak", "src/passwd", "up/outside/secret.txt", "out/secret.txt", "../x"] {
            assert_eq!(text(&layer, path), None, "{path} without {without:?}");
        }
    }
}

#[test]
fn a_candidates_paths_are_those_of_files_in_the_workspace() {
    let place = Place::new();
    let shadow = place.shadow(&[]);
    for path in ["../x", "/etc/x", "", "src", "src/", "out/secret.txt", ".git/config", ".salve/x"] {
        let refused = shadow.candidate(&texts(&[(path, Some("x"))]));
        assert!(matches!(refused, Err(ShadowError::BadPath(_))), "{path}");
    }
    let runner = options(place.folder.path(), &[]);
    let inside = Shadow::open(ShadowOptions { runner, private: place.work().join("x") });
    assert!(matches!(inside, Err(ShadowError::PrivateInside(_))));
}

#[test]
fn what_the_user_does_meanwhile_is_reported() {
    let place = Place::new();
    let shadow = place.shadow(&[]);
    let layer = shadow.candidate(&texts(&[("src/main.py", Some("x"))])).unwrap();
    sh(&place, &layer, "echo x > src/other.py; echo x > made.txt");
    assert_eq!(shadow.tree_changes().unwrap(), [""; 0]);
    place.write("src/other.py", "print(3)\n");
    place.write("new.py", "new\n");
    for ignored in ["debug.log", "target/x", "node_modules/x"] {
        place.write(ignored, "not the user's");
    }
    rustix::fs::unlink(place.work().join("gone.txt")).unwrap();
    assert_eq!(shadow.tree_changes().unwrap(), ["gone.txt", "new.py", "src/other.py"]);
}

#[test]
fn what_was_only_touched_is_as_it_was() {
    let place = Place::new();
    let shadow = place.shadow(&[]);
    let before = std::fs::read_to_string(place.work().join("src/other.py")).unwrap();
    assert_eq!(shadow.tree_changes().unwrap(), [""; 0]);
    place.write("src/other.py", &before);
    assert_eq!(shadow.tree_changes().unwrap(), [""; 0]);
    // As long as before, and another text.
    place.write("src/other.py", &before.replace(|c: char| c.is_ascii_digit(), "9"));
    assert_eq!(shadow.tree_changes().unwrap(), ["src/other.py"]);
    // What is ignored from now on was there before.
    place.write("src/other.py", &before);
    place.write(".gitignore", "*.py\n");
    let changes = shadow.tree_changes().unwrap();
    assert!(changes.contains(&".gitignore".to_owned()), "{changes:?}");
}

#[test]
fn a_tree_has_the_same_name_until_a_file_of_it_is_written() {
    let place = Place::new();
    let name = || place.shadow(&[]).tree_name().unwrap();
    let before = name();
    assert_eq!(name(), before);
    place.write("target/x", "ignored");
    assert_eq!(name(), before);
    place.write("src/other.py", "print(4)\n");
    let after = name();
    assert_ne!(after, before);
    place.write("new.py", "new\n");
    assert_ne!(name(), after);
}

#[test]
fn a_check_reads_the_files_of_its_layer() {
    for (without, _) in WAYS {
        let place = Place::new();
        place.write("a.schema.json", r#"{"type": "object", "required": ["name"]}"#);
        place.write("a.json", "{}");
        let shadow = place.shadow(without);
        let registry = Registry::built_in();
        let options =
            CheckOptions { targets: vec!["json-schema".to_owned()], ..Default::default() };
        let verdict = |layer: &ShadowLayer<'_>| {
            check(&place.work(), &options, &registry, layer).unwrap().verdict()
        };
        let candidate = |files: &[_]| shadow.candidate(&texts(files)).unwrap();
        assert_eq!(verdict(&shadow.baseline().unwrap()), CheckVerdict::Red);
        let fixed = ("a.json", Some(r#"{"name": 1}"#));
        assert_eq!(verdict(&candidate(&[fixed])), CheckVerdict::Green, "{without:?}");
        assert_eq!(verdict(&candidate(&[("a.schema.json", None)])), CheckVerdict::Green);
        let broken = [fixed, ("b.schema.json", Some("{}")), ("b.json", Some("{"))];
        assert_eq!(verdict(&candidate(&broken)), CheckVerdict::Red, "{without:?}");
    }
}

#[test]
fn the_exit_code_of_a_command_decides_and_its_words_are_read() {
    for (without, _) in WAYS {
        let place = Place::new();
        let shadow = place.shadow(without);
        let layer =
            shadow.candidate(&texts(&[("src/main.py", Some("print(1)\nraise KeyError\n"))]));
        let layer = layer.unwrap();
        let options = CheckOptions::default();
        let command = |words: &[&str], folder: &str| {
            let argv: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            check_command(&argv, &place.work(), folder, &options, &layer)
        };
        let harmless = command(&["sh", "-c", "echo 'a.c:1:2: error: no'"], "").unwrap();
        assert_eq!(harmless.verdict(), CheckVerdict::Green);
        let absolute = format!("{}/src/main.py", place.work().display());
        for (words, folder) in [
            (&["/usr/bin/python3", "main.py"][..], "src"),
            (&["/usr/bin/python3", "src/main.py"], ""),
            (&["sh", "-c", "exec /usr/bin/python3 $PWD/src/main.py"], ""),
        ] {
            let red = command(words, folder).unwrap();
            let spans: Vec<_> = red.diagnostics().iter().filter_map(|one| one.primary()).collect();
            let places: Vec<_> =
                spans.iter().map(|span| (span.path.as_str(), span.start)).collect();
            assert_eq!(red.verdict(), CheckVerdict::Red);
            let line = places.first().and_then(|(_, start)| start.map(|start| start.line));
            assert_eq!((places.len(), line), (1, Some(2)), "{:?}", red.diagnostics());
            assert!(["src/main.py", &absolute].contains(&places[0].0), "{places:?}");
        }
        let missing = command(&["no-such-program"], "");
        assert!(matches!(missing, Err(ToolchainError::Missing { .. })), "{missing:?}");
    }
}

#[test]
fn what_an_overlay_cannot_do_is_done_in_a_copy() {
    let place = Place::new();
    let before = place.look();
    let shadow = place.shadow(&[]);
    let layer = shadow.candidate(&texts(&[("src/main.py", Some("fixed\n"))])).unwrap();
    sh(&place, &layer, "echo first > first.txt");
    let rename = "import os; os.rename('src', 'moved'); print(open('moved/main.py').read()); \
                  os.rename('node_modules', 'target/modules')";
    let run = layer.run(&request(&place, &["/usr/bin/python3", "-c", rename])).unwrap();
    assert_eq!(run.record.ending, RunEnding::Exited { code: 0 }, "{run:?}");
    assert_eq!(run.stdout.head, b"fixed\n\n");
    let because = LayerLimit::RenamedFolder;
    assert!(run.events.contains(&RunEvent::RepeatedOnCopy { because }), "{:?}", run.events);
    assert_eq!(text(&layer, "moved/main.py").as_deref(), Some("fixed\n"));
    assert_eq!(text(&layer, "first.txt").as_deref(), Some("first\n"));
    assert_eq!(text(&layer, "target/modules/lib/index.js").as_deref(), Some("lib\n"));
    assert_eq!(text(&layer, "src/main.py"), None);
    assert_eq!(shadow.means(), ShadowMeans::Overlay, "of the others");
    drop(layer);
    drop(shadow);
    assert_eq!(place.look(), before);
}

#[test]
fn python_does_not_take_the_compiled_form_of_another_text() {
    for (without, _) in WAYS {
        let place = Place::new();
        place.write("module.py", "value = 1\n");
        let shadow = place.shadow(without);
        let import = ["/usr/bin/python3", "-c", "import module; print(module.value)"];
        let value = |layer: &ShadowLayer<'_>| {
            String::from_utf8(layer.run(&request(&place, &import)).unwrap().stdout.head).unwrap()
        };
        assert_eq!(value(&shadow.baseline().unwrap()), "1\n");
        let layer = shadow.candidate(&texts(&[("module.py", Some("value = 2\n"))])).unwrap();
        assert_eq!(value(&layer), "2\n", "{without:?}");
    }
}

#[test]
fn runs_in_a_shadow_are_listed_with_those_of_the_workspace() {
    for (without, _) in WAYS {
        let place = Place::new();
        let shadow = place.shadow(without);
        let layer = shadow.candidate(&texts(&[])).unwrap();
        let run = sh(&place, &layer, "echo kept");
        drop(layer);
        drop(shadow);
        let listed = RunLog::read(&place.work()).unwrap().records;
        assert!(listed.iter().any(|record| record.id == run.record.id), "{without:?}");
        let output = run.record.output_file.unwrap();
        assert_eq!(std::fs::read_to_string(place.work().join(output)).unwrap(), "kept\n");
    }
}

#[test]
fn what_a_killed_process_left_is_removed() {
    let place = Place::new();
    let left = place.private().join("shadow-dead-0");
    std::fs::create_dir_all(left.join("0/upper")).unwrap();
    std::fs::File::create(left.join("lock")).unwrap();
    let held = place.shadow(&[]);
    let layer = held.candidate(&texts(&[("a", Some("a"))])).unwrap();
    let other = place.shadow(&[]);
    assert!(!left.exists());
    assert_eq!(text(&layer, "a").as_deref(), Some("a"), "of a living one nothing is removed");
    drop(other);
}

#[test]
fn everything_holds_as_nobody() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let (passed, said) = as_nobody(&["shadow::", "--skip", "everything_holds_as_nobody"]);
    assert!(passed && said.contains("14 passed"), "{said}");
}
