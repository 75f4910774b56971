//! Commands as fixes in `salve heal`: a package that is missing, added by a package manager of the test's own.
//!
//! In: a small project. Out: the tree, what is proposed where nothing may run, what undo leaves.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::heal::{salve_with, variables};
use crate::run::{Ended, folder, write};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const MANIFEST: &str = "{\n  \"name\": \"shop\",\n  \"version\": \"1.0.0\"\n}\n";
const CODE: &str = "const pad = require('left-pad');\nconsole.log(pad('x', 3));\n";

// Installs what it is told from nowhere, and writes down that it did.
const NPM: &str = r#"#!/usr/bin/env python3
import json, os, sys
if sys.argv[1:2] != ["install"]:
    sys.exit("npm: unknown command")
name = sys.argv[2]
os.makedirs(f"node_modules/{name}", exist_ok=True)
with open(f"node_modules/{name}/index.js", "w") as out:
    out.write("module.exports = (text, size) => text.padStart(size);\n")
with open("package.json") as manifest:
    manifest = json.load(manifest)
manifest["dependencies"] = {name: "^1.0.0"}
with open("package.json", "w") as out:
    out.write(json.dumps(manifest, indent=2) + "\n")
with open("package-lock.json", "w") as out:
    out.write(json.dumps({"name": manifest["name"], "packages": {name: "1.0.0"}}, indent=2) + "\n")
"#;

struct Project {
    place: PathBuf,
    settings: PathBuf,
}

impl Project {
    fn new(name: &str) -> Self {
        let (place, settings) = (folder(name), folder(&format!("{name}-user")));
        write(&place.join("package.json"), MANIFEST);
        write(&place.join("main.js"), CODE);
        let npm = settings.join("bin/npm");
        write(&npm, NPM);
        std::fs::set_permissions(&npm, std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { place, settings }
    }

    fn salve(&self, arguments: &[&str]) -> Ended {
        let mut variables = variables(&self.settings);
        for (name, value) in &mut variables {
            if *name == "PATH" {
                *value = format!("{}:{value}", self.settings.join("bin").display());
            }
        }
        salve_with(arguments, "", &self.place, &variables)
    }

    fn heal(&self, options: &[&str]) -> (Option<i32>, Value) {
        let all =
            [&["--format", "json", "heal", "--no-model"], options, &["--", "node", "main.js"]];
        let ended = self.salve(&all.concat());
        (ended.code, ended.json())
    }

    fn text(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.place.join(path)).ok()
    }
}

#[test]
fn a_command_that_nobody_allowed_is_named_and_not_run() {
    let project = Project::new("heal-command-unasked");
    let (code, report) = project.heal(&[]);
    assert_eq!(code, Some(1), "{report:#}");
    assert_eq!(report["could_run"], serde_json::json!(["npm install left-pad"]), "{report:#}");
    assert_eq!(project.text("package.json").as_deref(), Some(MANIFEST));
    assert!(!project.place.join("node_modules").exists());
}

#[test]
fn an_allowed_command_changes_the_manifest_and_undo_says_what_remains() {
    for (name, allowed) in [("heal-command-flag", false), ("heal-command-rule", true)] {
        let project = Project::new(name);
        if allowed {
            let rule =
                "[[rule]]\nprefix = ['npm', 'install']\ndecision = 'allow'\nrisk = 'write'\n";
            write(&project.settings.join("salve/rules.toml"), rule);
            write(&project.settings.join("salve/config.toml"), "auto_apply_cli = true\n");
        }
        let (code, report) = project.heal(if allowed { &[] } else { &["--commands"] });
        assert_eq!(code, Some(0), "{name}: {report:#}");
        assert_eq!(report["files"], serde_json::json!(["package-lock.json", "package.json"]));
        assert_eq!(report["installed"], serde_json::json!(["npm install left-pad"]));
        assert!(report["warnings"].is_null(), "{report:#}");
        let manifest = project.text("package.json").unwrap();
        assert!(manifest.contains("\"left-pad\": \"^1.0.0\""), "{manifest}");
        assert!(project.text("node_modules/left-pad/index.js").is_some());
        let undone = project.salve(&["undo"]);
        assert!(
            undone.out.contains("What `npm install left-pad` installed remains."),
            "{undone:?}"
        );
        assert_eq!(project.text("package.json").as_deref(), Some(MANIFEST));
        assert_eq!(project.text("package-lock.json"), None);
        assert!(project.text("node_modules/left-pad/index.js").is_some());
    }
}

#[test]
fn a_manager_that_changes_what_is_checked_is_refused() {
    let project = Project::new("heal-command-scripts");
    let evil = NPM.replace("manifest[\"dependencies\"]", "manifest[\"scripts\"]");
    write(&project.settings.join("bin/npm"), &evil);
    let (code, report) = project.heal(&["--commands"]);
    assert_eq!(code, Some(1), "{report:#}");
    assert!(report["story"].to_string().contains("refused: changes `scripts`"), "{report:#}");
    assert_eq!(project.text("package.json").as_deref(), Some(MANIFEST));
    let is_there = |path: &str| Path::new(&project.place).join(path).exists();
    assert!(!is_there("node_modules") && !is_there("package-lock.json"));
}
