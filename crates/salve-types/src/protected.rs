//! What is executed or obeyed later, or holds secrets, by name: the one table.
//!
//! In: the names of a path, in plain lower-case spelling. Out: the entry that protects it. The path
//! rules refuse edits by it, the sandbox keeps runs away by it. Never looks at what exists.

mod check;
mod table;

pub use check::CheckRole;

use table::{DIRECTORIES, ENDINGS, FILES, GIT_NAMES, PAIRS, SPELLINGS, STARTS, STEMS};

/// Why a name is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProtectedReason {
    /// git fetches or executes by it.
    Repository,
    /// An editor executes it.
    Editor,
    /// A tool executes or fetches code by it.
    Toolchain,
    /// It is a hook.
    Hook,
    /// The build server executes it.
    Ci,
    /// It instructs agents, or starts servers for them.
    Agent,
    /// Shells execute it.
    Shell,
    /// It holds secrets.
    Secret,
    /// A package manager or an interpreter wrote it and executes it: commands in an environment,
    /// compiled code.
    Installed,
}

/// How an entry names what it protects. All names are in lower case, and count at any depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProtectedForm {
    /// A folder of this name and everything below it.
    Folder(&'static str),
    /// Two names in a row; the second one is a file, or a folder with everything below it.
    Pair(&'static str, &'static str),
    /// The same, where the first name ends so.
    PairEnding(&'static str, &'static str),
    /// A file of this name.
    File(&'static str),
    /// A file of this name with one of the endings by which settings are written (`.yml`, `.json`, …).
    Stem(&'static str),
    /// A file whose name begins so.
    Start(&'static str),
    /// A file whose name ends so.
    Ending(&'static str),
}

/// One entry of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProtectedEntry {
    /// What it names.
    pub form: ProtectedForm,
    /// The reason that was given.
    pub reason: ProtectedReason,
    /// Whom it binds.
    pub binds: Binds,
}

/// Whom an entry binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Binds {
    /// Edits and what a run writes.
    EditsAndRuns,
    /// Edits only: package managers, interpreters and tests write such files by themselves.
    Edits,
}

/// Folders that a package manager or a build fills by itself: below them the table binds edits and
/// no run.
pub const DEPENDENCY_FOLDERS: &[&str] = &[
    "node_modules",
    ".venv",
    "venv",
    "vendor",
    "target",
    "site-packages",
    ".tox",
    ".nox",
    ".yarn",
    "bower_components",
    ".gradle",
    "__pypackages__",
    "pods",
    "elm-stuff",
    "_build",
    "deps",
];

/// Endings after `.env.` of files that hold no secret.
const ENV_TEMPLATES: &[&str] = &["example", "sample", "template", "dist", "defaults", "schema"];

/// Lists every entry, for those who have to name what they keep away.
pub fn protected_entries() -> impl Iterator<Item = ProtectedEntry> {
    let folders = DIRECTORIES.iter().map(|(name, reason)| (ProtectedForm::Folder(name), *reason));
    let pairs =
        PAIRS.iter().map(|(above, name, reason)| (ProtectedForm::Pair(above, name), *reason));
    let git = GIT_NAMES
        .iter()
        .map(|name| (ProtectedForm::PairEnding(".git", name), ProtectedReason::Repository));
    let files = FILES.iter().map(|(name, reason)| (ProtectedForm::File(name), *reason));
    let stems = STEMS.iter().map(|(stem, reason)| (ProtectedForm::Stem(stem), *reason));
    let starts = STARTS.iter().map(|(start, reason)| (ProtectedForm::Start(start), *reason));
    let endings = ENDINGS.iter().map(|(ending, reason)| (ProtectedForm::Ending(ending), *reason));
    let environment = [(ProtectedForm::Start(".env."), ProtectedReason::Secret)];
    (folders
        .chain(pairs)
        .chain(git)
        .chain(files)
        .chain(stems)
        .chain(starts)
        .chain(endings)
        .chain(environment))
    .map(|(form, reason)| ProtectedEntry { form, reason, binds: binds(form, reason) })
}

/// Finds the entry that protects a path, given its names from the root of the workspace. The last
/// name counts as a file and as a folder, so that `.vscode` is protected before it exists.
pub fn protected_entry<S: AsRef<str>>(names: &[S]) -> Option<ProtectedEntry> {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let file = *names.last()?;
    protected_entries().find(|entry| match entry.form {
        ProtectedForm::Folder(folder) => names.contains(&folder),
        ProtectedForm::Pair(above, below) => {
            names.windows(2).any(|pair| pair[0] == above && pair[1] == below)
        }
        ProtectedForm::PairEnding(above, below) => {
            names.windows(2).any(|pair| pair[0].ends_with(above) && pair[1] == below)
        }
        ProtectedForm::File(name) => file == name,
        ProtectedForm::Stem(stem) => is_spelled(file, stem),
        ProtectedForm::Start(".env.") => file
            .strip_prefix(".env.")
            .is_some_and(|kind| !ENV_TEMPLATES.iter().any(|template| kind.ends_with(template))),
        ProtectedForm::Start(start) => file.starts_with(start),
        ProtectedForm::Ending(ending) => file.ends_with(ending),
    })
}

fn is_spelled(file: &str, stem: &str) -> bool {
    file.strip_prefix(stem).is_some_and(|ending| SPELLINGS.contains(&ending))
}

// What holds secrets is written by tests all day (certificates), and what is installed by those who
// install it.
fn binds(form: ProtectedForm, reason: ProtectedReason) -> Binds {
    let own = matches!(form, ProtectedForm::Folder(".yarn" | ".bundle" | ".direnv"))
        || matches!(form, ProtectedForm::File(".pnp.cjs" | ".pnp.loader.mjs"));
    match reason {
        ProtectedReason::Secret | ProtectedReason::Installed => Binds::Edits,
        _ if own => Binds::Edits,
        _ => Binds::EditsAndRuns,
    }
}

impl ProtectedReason {
    /// Returns the reason in words that continue "the file …".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Repository => "tells git what to fetch or to execute",
            Self::Editor => "makes an editor execute commands",
            Self::Toolchain => "makes a tool execute or fetch code",
            Self::Hook => "is a hook, which is executed",
            Self::Ci => "is executed by the build server",
            Self::Agent => "instructs agents, or starts servers for them",
            Self::Shell => "is executed by shells",
            Self::Secret => "holds secrets by its name",
            Self::Installed => "is executed as an installed command or as compiled code",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str) -> Option<ProtectedEntry> {
        protected_entry(&path.split('/').collect::<Vec<_>>())
    }

    #[test]
    fn a_folder_is_protected_by_its_own_name_and_below() {
        for path in [".vscode", ".vscode/tasks.json", "a/.idea", "a/.idea/b/c", ".github/workflows"]
        {
            assert!(entry(path).is_some(), "{path}");
        }
        for path in ["vscode", ".github", "a/.vscodes/x", ".cargo", ".config", "readme"] {
            assert_eq!(entry(path), None, "{path}");
        }
    }

    #[test]
    fn every_spelling_that_a_tool_reads_is_protected() {
        let twins = ".woodpecker.yaml buildspec.yaml appveyor.yaml cloudbuild.yml lefthook.toml \
            lefthook.json lefthook-local.yml .lintstagedrc.json .lintstagedrc.js .pnpmfile.mjs \
            .config/mise/config.toml .lvimrc .theia/tasks.json .run/x.run.xml .gitpod.yml \
            .venv/bin/x venv/bin/activate node_modules/.bin/x a/node_modules/.bin/x \
            __pycache__/x.pyc x.pyc rust-toolchain.toml pnpm-workspace.yaml .tool-versions \
            tools/bazel .autoenv.zsh skill.md .claude-plugin/x crush.json .amp/x bare.git/hooks/x \
            bare.git/config .drone.yaml .travis.yaml azure-pipelines.yaml mise.local.toml \
            screwdriver.yml wercker.yaml codefresh.yaml pnpmfile.js .codesandbox/tasks.json .replit \
            .helix/languages.toml .readthedocs.yaml .readthedocs.yml bunfig.toml .ghci .rprofile .irbrc \
            .pryrc uv.toml nuget.config .ycm_extra_conf.py devfile.yaml .devfile.yml netlify.toml \
            circle.yml circle.yaml .nvmrc .sdkmanrc .clangd .stackblitzrc vercel.json renovate.json5 \
            jenkinsfile.release .mcp.json mcp.json opencode.jsonc .yarnrc.yaml pnpm-workspace.yml";
        for path in twins.split_ascii_whitespace() {
            assert!(entry(path).is_some(), "{path}");
        }
        for path in "my.git/readme makefile build.rs package.json conftest.py jest.config.js bin/x \
            .env.example circle.json netlify.ts mcp.rs build.yml src/main.rs node_modules/x/index.js docs/skills.md"
            .split_ascii_whitespace()
        {
            assert_eq!(entry(path), None, "{path}");
        }
    }

    #[test]
    fn what_a_package_manager_writes_binds_no_run() {
        for path in
            [".yarn/cache/x", "node_modules/.bin/x", ".venv/bin/x", "__pycache__/x.pyc", "x.pem"]
        {
            assert_eq!(entry(path).map(|entry| entry.binds), Some(Binds::Edits), "{path}");
        }
        for path in [".vscode/x", ".husky/x", ".github/workflows/x", "agents.md", ".envrc"] {
            assert_eq!(entry(path).map(|entry| entry.binds), Some(Binds::EditsAndRuns), "{path}");
        }
    }

    #[test]
    fn the_table_is_in_plain_spelling_and_has_nothing_twice() {
        let mut seen = std::collections::HashSet::new();
        for entry in protected_entries() {
            assert!(seen.insert(entry.form), "{:?} is there twice", entry.form);
            let text = format!("{:?}", entry.form);
            let names = text.split_once('(').map_or("", |(_, names)| names);
            assert_eq!(names, names.to_lowercase());
        }
    }
}
