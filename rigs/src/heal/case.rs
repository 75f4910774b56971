//! One project in a working folder, and one fault after the other in it.
//!
//! In: a project and the product. Out: faults that its own check turns red at, and what a heal made of
//! each. Never two faults at once: after each case the folder is what it was.

use super::folder::{self, Files};
use super::plant::{self, Class, Fault};
use super::programs::{self, Ended, Verdict};
use super::projects::{self, Project};
use super::rename::{Renaming, names_near};
use super::tokens::Source;
use crate::corpus::Random;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A project that is green, in a folder where it can be broken.
pub(crate) struct Bench {
    pub(crate) project: Project,
    pub(crate) folder: PathBuf,
    /// Its files as they are meant to be.
    pub(crate) truth: Files,
    salve: PathBuf,
    private: tempfile::TempDir,
}

/// A fault that turned the check red.
#[derive(Debug, Clone)]
pub(crate) struct Planted {
    pub(crate) fault: Fault,
    pub(crate) verdict: Verdict,
}

/// What the loop may use.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sources<'a> {
    /// No model.
    Free,
    /// Everything, with the models of a configuration folder.
    All(&'a Path),
    /// The models alone.
    Models(&'a Path),
}

/// What a heal did.
#[derive(Debug, Clone)]
pub(crate) struct Healed {
    /// It said so, the tree changed, and the project's own tools agree.
    pub(crate) green: bool,
    /// The tree is the truth but for white space.
    pub(crate) equal: bool,
    /// The tree changed and the project's own tools are red.
    pub(crate) red: bool,
    /// A test, or what defines the check, changed; or something was silenced.
    pub(crate) weakened: bool,
    /// Undo gave the very bytes back; nothing where the tree did not change.
    pub(crate) undone: Option<bool>,
    pub(crate) outcome: String,
    pub(crate) report: Value,
    pub(crate) took: Duration,
    /// What it said when something went wrong.
    pub(crate) words: String,
}

/// The same fault met again without a model, where models had healed it.
#[derive(Debug, Clone)]
pub(crate) struct Again {
    /// Some lines further down.
    pub(crate) moved: Healed,
    pub(crate) renamed: Renamed,
}

/// The same fault among other names.
#[derive(Debug, Clone)]
pub(crate) enum Renamed {
    /// It is not in the sample.
    NotTried,
    /// No name of its file can be another one.
    NoName,
    Healed(Box<Healed>),
}

/// How far down a fault is that is met again.
const LOWER: usize = 7;
const HEAL_PATIENCE: Duration = Duration::from_secs(240);

impl Bench {
    /// Copies a project, and fails unless it is green plainly and by the product.
    pub(crate) fn open(
        project: &Project,
        salve: &Path,
        private: tempfile::TempDir,
    ) -> Result<Self> {
        let folder = private.path().join("work").join(&project.name);
        std::fs::create_dir_all(folder.parent().context("a folder has a parent")?)?;
        projects::copy(&project.folder, &folder)?;
        let truth = folder::read(&folder)?;
        let (project, salve) = (project.clone(), salve.to_owned());
        let bench = Self { project, folder, truth, salve, private };
        let verdict = bench.plain()?;
        ensure!(verdict == Verdict::Green, "its own tools say {verdict:?}");
        // A first build may write a lock file, which is then part of the project.
        let truth = folder::read(&bench.folder)?;
        let bench = Self { truth, ..bench };
        bench.commit()?;
        let check = bench.salve(&["check", "--format", "json", "--yes"], None)?;
        let words = check.told.lines().last().unwrap_or_default().to_owned();
        ensure!(check.code == Some(0), "`salve check` ended with {:?}: {words}", check.code);
        Ok(bench)
    }

    fn commit(&self) -> Result<()> {
        for arguments in [
            &["init", "--quiet"][..],
            &["add", "--all"][..],
            &["-c", "user.name=A", "-c", "user.email=a@localhost", "commit", "-qm", "green"][..],
        ] {
            let mut git = programs::command(Path::new("git"), &self.folder, &[]);
            let ended = programs::run(git.args(arguments), Duration::from_secs(60))?;
            ensure!(ended.code == Some(0), "git {}: {}", arguments.join(" "), ended.told);
        }
        Ok(())
    }

    /// Asks the project's own tools.
    pub(crate) fn plain(&self) -> Result<Verdict> {
        programs::plain_check(&self.project, &self.folder, &self.private.path().join("plain"))
    }

    /// Prepares the product on the folder, with data and settings of its own.
    pub(crate) fn command(
        &self,
        arguments: &[&str],
        settings: Option<&Path>,
    ) -> std::process::Command {
        let mut command = programs::command(&self.salve, &self.folder, &self.project.programs);
        let none = self.private.path().join("settings");
        command.args(arguments).env("SALVE_DATA", self.data());
        command.env("XDG_CONFIG_HOME", settings.unwrap_or(&none)).env("SIM_KEY", "sk-not-a-key");
        command
    }

    fn data(&self) -> PathBuf {
        self.private.path().join("data")
    }

    pub(crate) fn salve(&self, arguments: &[&str], settings: Option<&Path>) -> Result<Ended> {
        programs::run(&mut self.command(arguments, settings), HEAL_PATIENCE)
    }

    /// Puts everything back: the files, and what the product remembers.
    pub(crate) fn reset(&self) -> Result<()> {
        folder::restore(&self.folder, &self.truth)?;
        let data = self.data();
        if data.exists() {
            std::fs::remove_dir_all(&data).with_context(|| data.display().to_string())?;
        }
        Ok(())
    }

    /// Reads the sources that faults may be planted in.
    pub(crate) fn sources(&self) -> Vec<Source> {
        let mut sources = Vec::new();
        for (path, bytes) in &self.truth {
            let Ok(text) = std::str::from_utf8(bytes) else { continue };
            let own = salve_types::Language::from_path(path) == Some(self.project.language);
            // Tables that a program wrote are no place for a person's mistake.
            if own && !is_protected(path) && text.lines().count() < 3_000 {
                sources.push(Source::read(self.project.language, path, text));
            }
        }
        sources
    }

    /// Returns the files with the fault in them.
    pub(crate) fn with(&self, fault: &Fault) -> Result<Files> {
        let mut files = self.truth.clone();
        let text = files.get(&fault.path).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let planted = text.and_then(|text| fault.plant(text)).context("the place is gone")?;
        files.insert(fault.path.clone(), planted.into_bytes());
        Ok(files)
    }

    /// Plants up to `count` faults of a class, one after the other, and keeps those that turn the check red.
    pub(crate) fn faults(
        &self,
        class: Class,
        count: usize,
        random: &Random,
    ) -> Result<Vec<Planted>> {
        let mut kept = Vec::new();
        // Many places are not seen by any test; the search for one that is ends.
        for fault in plant::places(&self.sources(), class, random).into_iter().take(count * 4) {
            if kept.len() == count {
                break;
            }
            folder::restore(&self.folder, &self.with(&fault)?)?;
            let verdict = self.plain()?;
            if matches!(verdict, Verdict::Compile | Verdict::Tests) {
                kept.push(Planted { fault, verdict });
            }
        }
        self.reset()?;
        Ok(kept)
    }

    /// Breaks the folder, heals it, judges what came of it, undoes it, and puts everything back.
    pub(crate) fn heal(&self, fault: &Fault, sources: Sources<'_>) -> Result<Healed> {
        self.reset()?;
        let healed = self.heal_planted(&self.with(fault)?, sources)?;
        self.reset()?;
        Ok(healed)
    }

    /// The same with models, and where that helped the same fault twice more without a model: some lines
    /// further down, and among other names where that is wanted. What is remembered of the first heal is all
    /// that is new at each of them.
    pub(crate) fn heal_again(
        &self,
        fault: &Fault,
        settings: &Path,
        renames: bool,
    ) -> Result<(Healed, Option<Again>)> {
        self.reset()?;
        let first = self.heal_planted(&self.with(fault)?, Sources::All(settings))?;
        let mut again = None;
        if first.green {
            let kept = self.private.path().join("kept");
            projects::copy(&self.data(), &kept)?;
            let moved = self.heal_planted(&self.lower(fault)?, Sources::Free)?;
            let renamed = match renames {
                false => Renamed::NotTried,
                true => match self.renamed(fault)? {
                    None => Renamed::NoName,
                    Some(files) => {
                        self.remember(&kept)?;
                        Renamed::Healed(Box::new(self.heal_planted(&files, Sources::Free)?))
                    }
                },
            };
            std::fs::remove_dir_all(&kept)?;
            again = Some(Again { moved, renamed });
        }
        self.reset()?;
        Ok((first, again))
    }

    /// Heals a fault with models where the product remembers elsewhere; returns whether it was healed.
    pub(crate) fn teach(&self, fault: &Fault, settings: &Path, memory: &Path) -> Result<bool> {
        self.reset()?;
        folder::restore(&self.folder, &self.with(fault)?)?;
        let mut heal = self.command(&["heal", "--format", "json", "--yes"], Some(settings));
        let ended = programs::run(heal.env("SALVE_DATA", memory), HEAL_PATIENCE)?;
        self.reset()?;
        Ok(ended.code == Some(0))
    }

    /// Heals a fault without a model by what is remembered elsewhere; nothing is added to that.
    pub(crate) fn heal_taught(&self, fault: &Fault, memory: &Path) -> Result<Healed> {
        self.remember(memory)?;
        let healed = self.heal_planted(&self.with(fault)?, Sources::Free)?;
        self.reset()?;
        Ok(healed)
    }

    // Puts everything back, with a memory that was kept.
    fn remember(&self, memory: &Path) -> Result<()> {
        self.reset()?;
        projects::copy(memory, &self.data())
    }

    // The files with the fault in them and other names around it, where the project is green with those:
    // as many of the nearest as can be had.
    fn renamed(&self, fault: &Fault) -> Result<Option<Files>> {
        let names = names_near(&self.truth, self.project.language, fault);
        let bytes = self.truth.get(&fault.path).context("the place is gone")?;
        let text = std::str::from_utf8(bytes)?;
        for range in [0..8, 0..4, 0..2, 0..1, 1..2] {
            let end = range.end.min(names.len());
            let chosen = names.get(range.start..end).filter(|chosen| !chosen.is_empty());
            let Some(renaming) = chosen.and_then(|chosen| Renaming::of(chosen, text)) else {
                continue;
            };
            let mut files = self.truth.clone();
            files.insert(fault.path.clone(), renaming.text(text).into_bytes());
            folder::restore(&self.folder, &files)?;
            if self.plain()? == Verdict::Green {
                let planted = renaming.planted(fault, text).context("the place is gone")?;
                files.insert(fault.path.clone(), planted.into_bytes());
                return Ok(Some(files));
            }
        }
        Ok(None)
    }

    // The files with the fault in them, its file begun by lines of comment.
    fn lower(&self, fault: &Fault) -> Result<Files> {
        let mut files = self.with(fault)?;
        let sign = if self.project.language == salve_types::Language::Python { "#" } else { "//" };
        let mut text = format!("{sign} moved\n").repeat(LOWER).into_bytes();
        let broken = files.get(&fault.path).context("the place is gone")?;
        text.extend_from_slice(broken);
        files.insert(fault.path.clone(), text);
        Ok(files)
    }

    fn heal_planted(&self, planted: &Files, sources: Sources<'_>) -> Result<Healed> {
        folder::restore(&self.folder, planted)?;
        let (arguments, settings): (&[&str], _) = match sources {
            Sources::Free => (&["heal", "--no-model", "--format", "json", "--yes"], None),
            Sources::All(settings) => (&["heal", "--format", "json", "--yes"], Some(settings)),
            Sources::Models(settings) => {
                (&["heal", "--sources", "model", "--format", "json", "--yes"], Some(settings))
            }
        };
        let ended = self.salve(arguments, settings)?;
        self.judge(planted, &ended, settings)
    }

    fn judge(&self, planted: &Files, ended: &Ended, settings: Option<&Path>) -> Result<Healed> {
        let after = folder::read(&self.folder)?;
        let changed = &after != planted;
        let report: Value = serde_json::from_str(&ended.printed).unwrap_or_default();
        let green = changed && self.plain()? == Verdict::Green;
        let undone = changed.then(|| -> Result<bool> {
            let undo = self.salve(&["undo"], settings)?;
            Ok(undo.code == Some(0) && &folder::read(&self.folder)? == planted)
        });
        let words = if ended.hung { "it did not end".to_owned() } else { ended.told.clone() };
        Ok(Healed {
            green: green && ended.code == Some(0),
            equal: folder::same_but_for_space(&after, &self.truth),
            red: changed && !green,
            weakened: is_weakened(planted, &after),
            undone: undone.transpose()?,
            outcome: match report.get("outcome").and_then(Value::as_str) {
                Some(outcome) => outcome.to_owned(),
                None => format!("exit {:?}", ended.code),
            },
            report,
            took: ended.took,
            words,
        })
    }
}

/// Returns whether a file is a test or says how the project is checked.
fn is_protected(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let (name, folders) = parts.split_last().unwrap_or((&"", &[]));
    let of_tests = |part: &&str| {
        matches!(*part, "tests" | "test" | "__tests__" | "examples" | "docs" | "benches" | "tables")
    };
    let stem = name.split('.').next().unwrap_or_default();
    let is_test = stem.starts_with("test") || stem.ends_with("_test") || name.contains(".test.");
    let defines = matches!(
        *name,
        "Makefile"
            | "Cargo.toml"
            | "Cargo.lock"
            | "package.json"
            | "tsconfig.json"
            | "setup.py"
            | "setup.cfg"
            | "pyproject.toml"
            | "tox.ini"
            | "conftest.py"
            | "build.rs"
            | "noxfile.py"
    );
    folders.iter().any(of_tests) || is_test || defines
}

const SILENCERS: &[&str] = &[
    "#[allow",
    "#![allow",
    "#[ignore",
    "noqa",
    "type: ignore",
    "@ts-ignore",
    "@ts-expect-error",
    "as any",
    "eslint-disable",
    "#pragma GCC diagnostic",
    "pytest.skip",
    "unimplemented!",
    "todo!(",
];

fn is_weakened(before: &Files, after: &Files) -> bool {
    folder::differences(before, after).iter().any(|path| {
        let count = |files: &Files| {
            let text = files.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            let text = text.unwrap_or_default();
            SILENCERS.iter().map(|word| text.matches(word).count()).sum::<usize>()
        };
        is_protected(path) || count(after) > count(before)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_what_defines_the_check_are_protected() {
        let protected = [
            "tests/it.rs",
            "src/__tests__/a.ts",
            "test_a.py",
            "a_test.py",
            "Makefile",
            "Cargo.toml",
            "src/a.test.ts",
            "test.c",
            "toolz/tests/x.py",
        ];
        assert!(protected.iter().all(|path| is_protected(path)));
        let open = ["src/lib.rs", "a.py", "src/latest.rs", "src/contest/a.c"];
        assert!(!open.iter().any(|path| is_protected(path)));
    }

    #[test]
    fn silencing_is_weakening() {
        let files = |text: &str| Files::from([("a.rs".to_owned(), text.as_bytes().to_vec())]);
        assert!(is_weakened(&files("fn a() {}"), &files("#[allow(x)] fn a() {}")));
        assert!(!is_weakened(&files("#[allow(x)] fn a() {}"), &files("#[allow(x)] fn b() {}")));
    }
}
