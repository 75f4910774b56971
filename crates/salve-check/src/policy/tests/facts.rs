//! Facts from names alone, and a repository without hazards.
//!
//! In: paths. Out: judgements that a table can state. Never looks at a disk.

use crate::{
    GlobMatches, ListingBudget, PathConcern, PathFacts, PathJudgement, PathKind, PathUse,
    RepoFacts, RepoHazard,
};

/// A workspace of which only names are known: `src`, `dist` and `tests` are folders.
pub(super) struct NamesOnly;

const SECRET_ENDINGS: &[&str] =
    &[".pem", ".key", ".env", ".npmrc", ".netrc", "id_rsa", ".git-credentials"];
const PROTECTED: &[&str] = &[
    ".vscode",
    ".husky",
    ".idea",
    ".claude",
    ".envrc",
    ".gitattributes",
    ".gitmodules",
    ".env",
    ".bashrc",
    ".npmrc",
    ".mcp.json",
    "CLAUDE.md",
    ".githooks",
];

impl PathFacts for NamesOnly {
    fn judge(&self, path: &str, usage: PathUse) -> PathJudgement {
        let ask =
            |concern, rule| PathJudgement::Ask { concern, rule, why: "of the table".to_owned() };
        if path.starts_with(['/', '~']) {
            return ask(PathConcern::Outside, "absolute_path");
        }
        let mut names: Vec<&str> = Vec::new();
        for step in path.split('/').filter(|step| !step.is_empty() && *step != ".") {
            match step {
                ".." if names.pop().is_none() => {
                    return ask(PathConcern::Outside, "outside_workspace");
                }
                ".." => {}
                name => names.push(name),
            }
        }
        let file = names.last().copied().unwrap_or_default();
        if names.contains(&".git") || names.contains(&".salve") {
            return ask(PathConcern::Outside, "repository");
        }
        let secret =
            SECRET_ENDINGS.iter().any(|ending| file.ends_with(ending)) || file.starts_with(".env.");
        match usage {
            PathUse::Read if secret => ask(PathConcern::Secret, "secret"),
            PathUse::Write if secret || names.iter().any(|name| PROTECTED.contains(name)) => {
                ask(PathConcern::Protected, "protected")
            }
            PathUse::Write
                if path.contains(".github/workflows") || path.ends_with(".cargo/config.toml") =>
            {
                ask(PathConcern::Protected, "protected")
            }
            _ => PathJudgement::Fine,
        }
    }

    fn kind(&self, path: &str) -> PathKind {
        if self.is_folder(path) { PathKind::Folder } else { PathKind::File }
    }

    fn real(&self, path: &str) -> String {
        let mut names: Vec<&str> = Vec::new();
        for step in path.split('/').filter(|step| !step.is_empty() && *step != ".") {
            match step {
                ".." => drop(names.pop()),
                name => names.push(name),
            }
        }
        names.join("/")
    }

    fn picks_secrets(&self, pattern: &str) -> bool {
        let name = pattern.trim_start_matches(['*', '/']);
        SECRET_ENDINGS.contains(&name)
    }

    fn expand(&self, pattern: &str, _budget: &mut ListingBudget) -> GlobMatches {
        GlobMatches::Names(match pattern {
            "*" => vec!["README.md".to_owned(), "src".to_owned()],
            "src/*.rs" => vec!["src/lib.rs".to_owned(), "src/main.rs".to_owned()],
            "secret/*" => vec!["secret/server.key".to_owned()],
            "flags/*" => return GlobMatches::Unknown("not listed".to_owned()),
            "d*" => vec!["-delete".to_owned(), "docs".to_owned()],
            _ => Vec::new(),
        })
    }

    fn is_folder(&self, path: &str) -> bool {
        let path = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
        matches!(path, "." | "" | "src" | "dist" | "tests" | "docs" | ".cargo" | "templates")
    }
}

/// A repository with nothing special in it.
pub(super) struct PlainRepository;

impl RepoFacts for PlainRepository {
    fn hazards(&self) -> Vec<RepoHazard> {
        Vec::new()
    }
}

/// A repository that starts a program.
pub(super) struct HostileRepository;

impl RepoFacts for HostileRepository {
    fn hazards(&self) -> Vec<RepoHazard> {
        let origin = ".git/config".to_owned();
        vec![RepoHazard { setting: "core.fsmonitor".to_owned(), origin }]
    }
}
