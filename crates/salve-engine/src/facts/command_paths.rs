//! What the command policy asks about paths, answered by the open workspace.
//!
//! In: a [`Root`] and paths as a command writes them. Out: fine or ask, symlinks followed; the
//! matches of a pattern; the text of a small file. Never lists a folder outside of the workspace.

mod secrets;

pub(crate) use secrets::is_secret as is_secret_name;

use rustix::fs::{AtFlags, Dir, Mode, OFlags, openat, statat};
use salve_check::{
    GlobMatches, ListFolder, ListingBudget, PathConcern, PathFacts, PathJudgement, PathKind,
    PathUse, expand_pattern,
};
use salve_tree::{AdmitOptions, PathRule, PathVerdict, Root, TreePath, ViewError};
use std::borrow::Cow;
use std::io::Read as _;

/// The most names of a folder that a pattern is compared with.
const MAX_NAMES: usize = 50_000;
/// The most names that a tree is searched through for secrets.
const MAX_SEARCHED: usize = 4_096;
/// The largest text file that is read.
const MAX_TEXT: u64 = 1 << 20;
/// A name that stands for any file of a folder, to ask about the folder.
const ANY_FILE: &str = "any-file";

/// The paths of one workspace.
#[derive(Debug)]
pub struct CommandPaths<'a> {
    root: &'a Root,
    /// The folder that commands start in, relative to the root, without symbolic links.
    here: &'a str,
}

impl<'a> CommandPaths<'a> {
    /// Answers about the paths of commands that start in the root of this workspace.
    pub fn new(root: &'a Root) -> Self {
        Self::from_here(root, "")
    }

    /// Answers about the paths of commands that start in a folder of this workspace, given relative to
    /// its root and without symbolic links.
    pub fn from_here(root: &'a Root, here: &'a str) -> Self {
        Self { root, here }
    }

    fn admit(&self, path: &str, allow_protected: bool) -> Result<TreePath, ViewError> {
        let options = AdmitOptions { allow_protected, ..AdmitOptions::default() };
        self.root.admit_with(&self.seen_from_root(path), &options)
    }

    // A path as a command writes it, seen from the root. The folder's names are real, so that going up
    // from them is what it is to the system. A path that its first letter decides stays as it is.
    fn seen_from_root<'p>(&self, path: &'p str) -> Cow<'p, str> {
        if self.here.is_empty() || path.is_empty() || path.starts_with(['/', '~']) {
            return Cow::Borrowed(path);
        }
        Cow::Owned(format!("{}/{path}", self.here))
    }

    // The resolver admits files; a folder is admitted when any file in it would be.
    fn admit_either(&self, path: &str, allow_protected: bool) -> Result<TreePath, ViewError> {
        let plain = trimmed(path);
        match self.admit(plain, allow_protected) {
            Err(ViewError::Refused { rule, .. }) if names_folder(rule) => {
                self.admit(&format!("{plain}/{ANY_FILE}"), allow_protected)
            }
            other => other,
        }
    }

    fn judge_write(&self, path: &str) -> PathJudgement {
        judgement(&PathVerdict::of(&self.admit_either(path, false)))
    }

    fn judge_read(&self, path: &str) -> PathJudgement {
        let cautious = PathVerdict::of(&self.admit_either(path, false));
        if cautious.rule == PathRule::ProtectedSecret {
            return judgement(&cautious);
        }
        let admission = self.admit_either(path, true);
        let real = admission.as_ref().map(TreePath::as_str);
        if secrets::is_secret(path) || real.is_ok_and(secrets::is_secret) {
            let why = "the file holds secrets by its name".to_owned();
            return PathJudgement::Ask { concern: PathConcern::Secret, rule: "secret", why };
        }
        let verdict = PathVerdict::of(&admission);
        if verdict.allow || is_fine_for_reading(verdict.rule) {
            return PathJudgement::Fine;
        }
        judgement(&verdict)
    }
}

fn judgement(verdict: &PathVerdict) -> PathJudgement {
    if verdict.allow {
        return PathJudgement::Fine;
    }
    let (concern, rule) = (concern(verdict.rule), verdict.rule.name());
    PathJudgement::Ask { concern, rule, why: verdict.why.clone() }
}

fn concern(rule: PathRule) -> PathConcern {
    match rule {
        PathRule::ProtectedSecret | PathRule::OwnState => PathConcern::Secret,
        PathRule::SymlinkOut
        | PathRule::OutsideWorkspace
        | PathRule::AbsolutePath
        | PathRule::HomeDirectory
        | PathRule::Repository
        | PathRule::NotARegularFile => PathConcern::Outside,
        PathRule::ProtectedRepositoryFile
        | PathRule::ProtectedEditorSettings
        | PathRule::ProtectedToolchainSettings
        | PathRule::ProtectedHook
        | PathRule::ProtectedCi
        | PathRule::ProtectedAgentInstructions
        | PathRule::ProtectedShellStartup
        | PathRule::ProtectedInstalled => PathConcern::Protected,
        _ => PathConcern::Form,
    }
}

const fn names_folder(rule: PathRule) -> bool {
    matches!(rule, PathRule::Directory | PathRule::WorkspaceItself)
}

// Rules about writing a file that do not matter to one who reads it.
const fn is_fine_for_reading(rule: PathRule) -> bool {
    matches!(
        rule,
        PathRule::HardLink
            | PathRule::ReadOnlyFile
            | PathRule::FileTooLarge
            | PathRule::DirectoryNotWritable
            | PathRule::NotADirectory
            | PathRule::CaseTwin
            | PathRule::LookAlikeName
            | PathRule::MixedScripts
            | PathRule::NotPortable
            | PathRule::TrailingSpace
            | PathRule::TrailingDot
            | PathRule::DeviceName
            | PathRule::NameTooLong
    )
}

// Without `.` and without the `..` that names alone can resolve.
fn spelled_plainly(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for step in path.split('/').filter(|step| !step.is_empty() && *step != ".") {
        match step {
            ".." if names.last().is_some_and(|name| *name != "..") => {
                let _ = names.pop();
            }
            name => names.push(name),
        }
    }
    let start = if path.starts_with('/') { "/" } else { "" };
    format!("{start}{}", names.join("/"))
}

// `src/` is `src`; `/` stays what it is.
fn trimmed(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" => path,
        plain => plain,
    }
}

impl PathFacts for CommandPaths<'_> {
    fn judge(&self, path: &str, usage: PathUse) -> PathJudgement {
        match usage {
            PathUse::Read => self.judge_read(path),
            PathUse::Write => self.judge_write(path),
        }
    }

    fn expand(&self, pattern: &str, budget: &mut ListingBudget) -> GlobMatches {
        expand_pattern(pattern, self, budget)
    }

    fn kind(&self, path: &str) -> PathKind {
        let path = self.seen_from_root(trimmed(path));
        match std::fs::symlink_metadata(self.root.path().join(path.as_ref())) {
            Ok(status) if status.is_file() => PathKind::File,
            Ok(status) if status.is_dir() => PathKind::Folder,
            Ok(_) => PathKind::Other,
            Err(_) => PathKind::Missing,
        }
    }

    fn real(&self, path: &str) -> String {
        let plain = trimmed(path);
        let folder = |found: TreePath| {
            found.as_str().strip_suffix(ANY_FILE).map(|path| path.trim_end_matches('/').to_owned())
        };
        let found = match self.admit(plain, true) {
            Ok(found) => Some(found.as_str().to_owned()),
            Err(ViewError::Refused { rule, .. }) if names_folder(rule) => {
                self.admit(&format!("{plain}/{ANY_FILE}"), true).ok().and_then(folder)
            }
            Err(_) => None,
        };
        found.unwrap_or_else(|| spelled_plainly(&self.seen_from_root(plain)))
    }

    fn picks_secrets(&self, pattern: &str) -> bool {
        secrets::picks(pattern)
    }

    fn holds_secrets(&self, folder: &str) -> bool {
        let mut open = vec![trimmed(folder).to_owned()];
        let mut left = MAX_SEARCHED;
        while let Some(folder) = open.pop() {
            // A folder that cannot be listed may hold anything; a file is judged by its own name.
            if !PathFacts::is_folder(self, &folder) {
                continue;
            }
            let Ok(names) = self.names(&folder) else { return true };
            if names.len() > left {
                return true;
            }
            left -= names.len();
            for name in names {
                let path = format!("{folder}/{name}");
                if name == ".git" || name == ".salve" || secrets::is_secret(&path) {
                    return true;
                }
                if self.kind(&path) == PathKind::Folder {
                    open.push(path);
                }
            }
        }
        false
    }

    fn text(&self, path: &str) -> Result<Option<String>, String> {
        let path = trimmed(path);
        let inside = self.admit(path, true).map_err(|error| error.to_string())?;
        let (folder, name) = match self.root.open_parent(&inside) {
            Ok(opened) => opened,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match openat(&folder, name, flags, Mode::empty()) {
            Ok(file) => std::fs::File::from(file),
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let status = file.metadata().map_err(|error| error.to_string())?;
        if !status.is_file() || status.len() > MAX_TEXT {
            return Err("it is no small file".to_owned());
        }
        let mut text = String::new();
        file.take(MAX_TEXT).read_to_string(&mut text).map_err(|error| error.to_string())?;
        Ok(Some(text))
    }

    fn is_folder(&self, path: &str) -> bool {
        let admission = self.admit(trimmed(path), true);
        matches!(admission, Err(ViewError::Refused { rule, .. }) if names_folder(rule))
            && self.admit_either(path, true).is_ok()
    }
}

impl ListFolder for CommandPaths<'_> {
    fn names(&self, folder: &str) -> Result<Vec<String>, String> {
        let folder = if folder.is_empty() { "." } else { trimmed(folder) };
        let inside =
            self.admit(&format!("{folder}/{ANY_FILE}"), true).map_err(|error| error.to_string())?;
        let opened = match self.root.open_parent(&inside) {
            Ok((opened, _)) => opened,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error.to_string()),
        };
        let entries = Dir::read_from(&opened).map_err(|error| error.to_string())?;
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| error.to_string())?;
            let name = entry.file_name().to_str().map_err(|_| "a name is not UTF-8".to_owned())?;
            if !matches!(name, "." | "..") {
                names.push(name.to_owned());
            }
            if names.len() > MAX_NAMES {
                return Err(format!("the folder holds more than {MAX_NAMES} names"));
            }
        }
        Ok(names)
    }

    fn exists(&self, path: &str) -> bool {
        let path = trimmed(path);
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        let Ok(inside) = self.admit(&format!("{folder}/{ANY_FILE}"), true) else { return false };
        self.root
            .open_parent(&inside)
            .is_ok_and(|(opened, _)| statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW).is_ok())
    }

    fn is_folder(&self, path: &str) -> bool {
        PathFacts::is_folder(self, path)
    }
}
