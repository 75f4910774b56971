//! What editors, hooks, build servers and agents obey: kept while a run lasts, moved aside when new.

use crate::workplace::Workplace;
use salve_check::{FinishedRun, Layer, Plan, ProtectedFileUse, RunEvent, RunPrograms};
use std::path::Path;

const WAYS: [&[Layer]; 2] = [&[], Layer::OF_NAMESPACES];

#[expect(clippy::disallowed_methods, reason = "the test's own files")]
fn place(without: &[Layer]) -> Workplace {
    let place = Workplace::without(without);
    for path in [".vscode/settings.json", "sub/AGENTS.md", "real/hooks.json", "src/main.py"] {
        let path = place.work().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "mine").unwrap();
    }
    std::fs::create_dir_all(place.work().join("node_modules/.bin")).unwrap();
    std::os::unix::fs::symlink("real", place.work().join(".husky")).unwrap();
    place
}

fn run(place: &Workplace, script: &str, protected: ProtectedFileUse) -> FinishedRun {
    let mut request = place.request(Plan::of_argv(["sh", "-c", script]));
    request.protected = protected;
    place.runner.run(&request).unwrap()
}

fn read(place: &Workplace, path: &str) -> String {
    std::fs::read_to_string(place.work().join(path)).unwrap_or_default()
}

#[test]
fn c064_protected_files_that_exist_stay_as_they_are() {
    let script = "for f in .vscode/settings.json sub/AGENTS.md .husky/hooks.json; do
        echo evil > $f; echo evil > n && mv n $f; rm -f $f; done
        echo evil > .vscode/tasks.json; mv .vscode gone; rm -rf .vscode; echo fine > src/main.py";
    for without in WAYS {
        let place = place(without);
        run(&place, script, ProtectedFileUse::Kept);
        for path in [".vscode/settings.json", "sub/AGENTS.md", "real/hooks.json"] {
            assert_eq!(read(&place, path), "mine", "{path} without {without:?}");
        }
        assert!(!place.work().join(".vscode/tasks.json").exists());
        assert_eq!(read(&place, "src/main.py"), "fine\n");
    }
}

#[test]
fn c064_protected_files_that_a_run_makes_are_moved_aside_and_reported() {
    let script = "mkdir -p src/.idea .github/workflows 2>/dev/null; echo evil > src/.idea/x.xml
        echo evil > src/.envrc; echo evil > .github/workflows/x.yml
        echo fine > node_modules/.bin/tool; mkdir -p node_modules/x/.vscode; echo fine > src/new.py";
    for without in WAYS {
        let place = place(without);
        let run = run(&place, script, ProtectedFileUse::Kept);
        let Some(RunEvent::MovedAside { paths, folder }) = run.events.first() else {
            panic!("nothing was moved: {:?}", run.events);
        };
        for path in ["src/.idea", "src/.envrc"] {
            assert!(paths.contains(&Path::new(path).to_owned()), "{paths:?}");
            assert!(!place.work().join(path).exists());
            assert!(place.work().join(folder).join(path).exists());
        }
        assert!(!place.work().join(".github/workflows/x.yml").exists());
        assert_eq!(read(&place, "src/new.py"), "fine\n");
        assert_eq!(read(&place, "node_modules/.bin/tool"), "fine\n");
        assert!(place.work().join("node_modules/x/.vscode").is_dir());
    }
}

#[test]
fn c064_a_person_can_let_a_run_write_protected_files() {
    let place = place(&[]);
    let script = "echo new > .vscode/settings.json; echo new > .envrc";
    let run = run(&place, script, ProtectedFileUse::Allowed);
    assert!(run.events.is_empty(), "{:?}", run.events);
    assert_eq!(read(&place, ".vscode/settings.json"), "new\n");
    assert_eq!(read(&place, ".envrc"), "new\n");
}
