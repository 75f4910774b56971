//! Manifests: dependencies may be repaired, what they say of the check may not.
//!
//! In: a manifest before and after. Out: a refusal when a setting of builds or checkers differs. A
//! manifest that cannot be read after the change is refused too.

use super::file::ChangedFile;
use super::{GateRefusal, GateRule, refusal};
use serde_json::Value;

/// Keys of `Cargo.toml` that say how is built and checked.
#[rustfmt::skip]
const CARGO: &[&str] = &[
    "profile", "lints", "workspace.lints", "workspace.metadata", "test", "bench", "package.build",
    "package.autotests", "package.autobenches", "package.metadata", "lib.test", "lib.doctest",
    "lib.harness", "lib.bench", "patch", "replace", "package.edition", "workspace.exclude",
    "workspace.default-members", "package.links",
];

#[rustfmt::skip]
const PACKAGE_JSON: &[&str] = &[
    "scripts", "jest", "mocha", "ava", "tap", "nyc", "c8", "vitest", "eslintConfig", "eslintIgnore",
    "prettier", "babel", "xo", "standard", "lint-staged", "husky", "config", "tsd", "wireit",
    "simple-git-hooks", "gypfile", "overrides", "resolutions",
];

#[rustfmt::skip]
const PYPROJECT: &[&str] = &[
    "tool.pytest", "tool.ruff", "tool.mypy", "tool.pyright", "tool.tox", "tool.coverage",
    "tool.black", "tool.isort", "tool.pylint", "tool.nox", "tool.hatch", "tool.poe", "tool.pdm",
    "tool.flake8", "tool.bandit", "tool.pyre", "tool.taskipy", "tool.ty", "tool.basedpyright",
    "build-system",
];

const COMPOSER: &[&str] = &["scripts", "config"];

/// Sections of `setup.cfg` that say nothing of the check.
const SETUP_CFG: &[&str] = &["metadata", "options", "bdist_wheel", "sdist"];

pub(super) fn judge(file: &ChangedFile) -> Result<(), GateRefusal> {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path).to_lowercase();
    let Some((before, after)) = file.both() else {
        let what = "makes a manifest, which says what is checked,";
        return Err(refusal(GateRule::CheckSettings, &file.path, None, what));
    };
    let (before, after) = (&*before.text, &*after.text);
    let (keys, read): (_, fn(&str) -> Option<Value>) = match &*name {
        "cargo.toml" => (CARGO, from_toml),
        "pyproject.toml" => (PYPROJECT, from_toml),
        "package.json" => (PACKAGE_JSON, from_json),
        "composer.json" => (COMPOSER, from_json),
        "setup.cfg" => {
            let same = settings_of(before) == settings_of(after);
            return same.then_some(()).ok_or_else(|| changed(file, "a setting of the check"));
        }
        _ => return Ok(()),
    };
    let Some(after) = read(after) else {
        let what = "leaves a manifest that cannot be read,";
        return Err(refusal(GateRule::CheckSettings, &file.path, None, what));
    };
    // What could not be read before said nothing.
    let Some(before) = read(before) else { return Ok(()) };
    match keys.iter().find(|key| at(&before, key) != at(&after, key)) {
        Some(key) => Err(changed(file, key)),
        None => Ok(()),
    }
}

fn changed(file: &ChangedFile, key: &str) -> GateRefusal {
    let what = format!("changes `{key}`, which says what is checked and how,");
    refusal(GateRule::CheckSettings, &file.path, None, what)
}

fn from_toml(text: &str) -> Option<Value> {
    toml::from_str::<Value>(text).ok()
}

fn from_json(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

fn at<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    key.split('.').try_fold(value, |value, part| value.get(part))
}

fn settings_of(text: &str) -> Vec<&str> {
    let mut counts = true;
    let mut kept = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let head = section.split('.').next().unwrap_or(section);
            counts = !SETUP_CFG.contains(&head);
        }
        if counts && !line.is_empty() && !line.starts_with(['#', ';']) {
            kept.push(line);
        }
    }
    kept
}
