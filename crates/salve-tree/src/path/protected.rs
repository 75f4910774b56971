//! Files that are executed or obeyed later, or that hold secrets: a reply may not change them
//! without a person's word.
//!
//! In: the names of a path. Out: why it is protected, if it is. Never: a look at what exists.

use super::PathRule;
use super::names::plain_spelling;
use std::fmt;

/// Why a file is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    Repository,
    Editor,
    Toolchain,
    Hook,
    Ci,
    Agent,
    Shell,
    Secret,
}

use Reason::{Agent, Ci, Editor, Hook, Repository, Secret, Shell, Toolchain};

/// Directories all of whose files are protected, at any depth.
#[rustfmt::skip]
const DIRECTORIES: &[(&str, Reason)] = &[
    (".vscode", Editor), (".idea", Editor), (".vs", Editor), (".fleet", Editor), (".zed", Editor),
    (".devcontainer", Editor),
    (".mvn", Toolchain), (".yarn", Toolchain), (".bundle", Toolchain), (".direnv", Toolchain),
    (".husky", Hook), (".githooks", Hook), (".git-hooks", Hook), (".lefthook", Hook),
    (".circleci", Ci), (".buildkite", Ci), (".woodpecker", Ci), (".teamcity", Ci), (".tekton", Ci),
    (".gitlab", Ci), (".gitea", Ci), (".forgejo", Ci), (".semaphore", Ci),
    (".claude", Agent), (".cursor", Agent), (".codex", Agent), (".gemini", Agent), (".roo", Agent),
    (".windsurf", Agent), (".kiro", Agent), (".continue", Agent), (".clinerules", Agent),
    (".junie", Agent), (".augment", Agent), (".amazonq", Agent), (".opencode", Agent),
    (".qwen", Agent), (".goose", Agent), (".trae", Agent), (".openhands", Agent),
    (".agents", Agent), (".crush", Agent), (".aider", Agent),
    (".ssh", Secret), (".gnupg", Secret), (".aws", Secret), (".kube", Secret), (".azure", Secret),
    (".docker", Secret), (".gcloud", Secret),
];

/// Two names in a row of which the second is a directory or a file.
#[rustfmt::skip]
const PAIRS: &[(&str, &str, Reason)] = &[
    (".cargo", "config", Toolchain), (".cargo", "config.toml", Toolchain),
    (".cargo", "credentials", Secret), (".cargo", "credentials.toml", Secret),
    (".config", "nextest.toml", Toolchain), ("gradle", "wrapper", Toolchain),
    (".github", "workflows", Ci), (".github", "actions", Ci),
    (".github", "copilot-instructions.md", Agent), (".github", "instructions", Agent),
    (".github", "prompts", Agent), (".github", "chatmodes", Agent), (".github", "agents", Agent),
    (".github", "copilot", Agent), (".github", "hooks", Hook),
];

/// Files, at any depth.
#[rustfmt::skip]
const FILES: &[(&str, Reason)] = &[
    (".gitmodules", Repository), (".gitattributes", Repository), (".gitconfig", Repository),
    (".lfsconfig", Repository), (".hgrc", Repository), (".hgsub", Repository),
    (".devcontainer.json", Editor), (".exrc", Editor), (".vimrc", Editor), (".nvimrc", Editor),
    (".nvim.lua", Editor), (".vim.lua", Editor), (".dir-locals.el", Editor),
    (".dir-locals-2.el", Editor), (".gdbinit", Editor), (".lldbinit", Editor),
    (".npmrc", Toolchain), (".yarnrc", Toolchain), (".yarnrc.yml", Toolchain), (".pnp.cjs", Toolchain),
    (".pnpmfile.cjs", Toolchain), (".bazelrc", Toolchain), (".bazeliskrc", Toolchain),
    (".pypirc", Secret), ("sitecustomize.py", Toolchain), ("usercustomize.py", Toolchain),
    ("gradlew", Toolchain), ("gradlew.bat", Toolchain), ("mvnw", Toolchain), ("mvnw.cmd", Toolchain),
    (".envrc", Shell), (".mise.toml", Shell), ("mise.toml", Shell),
    (".pre-commit-config.yaml", Hook), (".pre-commit-config.yml", Hook), ("lefthook.yml", Hook),
    (".lefthook.yml", Hook), ("lefthook.yaml", Hook), (".huskyrc", Hook), (".overcommit.yml", Hook),
    (".lintstagedrc", Hook), (".gitlab-ci.yml", Ci), (".gitlab-ci.yaml", Ci), (".travis.yml", Ci),
    ("azure-pipelines.yml", Ci), ("bitbucket-pipelines.yml", Ci), ("jenkinsfile", Ci),
    (".drone.yml", Ci), ("appveyor.yml", Ci), (".appveyor.yml", Ci), (".cirrus.yml", Ci),
    ("buildspec.yml", Ci), ("cloudbuild.yaml", Ci), (".woodpecker.yml", Ci),
    (".mcp.json", Agent), ("mcp.json", Agent), ("agents.md", Agent), ("agents.override.md", Agent),
    ("agent.md", Agent), ("claude.md", Agent), ("claude.local.md", Agent), ("gemini.md", Agent),
    ("qwen.md", Agent), ("crush.md", Agent), ("warp.md", Agent), ("codex.md", Agent),
    ("copilot-instructions.md", Agent), ("opencode.json", Agent), ("opencode.jsonc", Agent),
    (".cursorrules", Agent), (".cursorignore", Agent), (".windsurfrules", Agent),
    (".clinerules", Agent), (".roorules", Agent), (".roomodes", Agent), (".goosehints", Agent),
    (".rules", Agent), (".aider.conf.yml", Agent), (".aiderignore", Agent), (".clineignore", Agent),
    (".rooignore", Agent), (".claude.json", Agent), ("gemini-extension.json", Agent),
    (".bashrc", Shell), (".bash_profile", Shell), (".bash_login", Shell), (".bash_logout", Shell),
    (".profile", Shell), (".zshrc", Shell), (".zshenv", Shell), (".zprofile", Shell),
    (".zlogin", Shell), (".kshrc", Shell), (".cshrc", Shell), (".inputrc", Shell),
    (".env", Secret), (".netrc", Secret), ("_netrc", Secret), (".git-credentials", Secret),
    (".pgpass", Secret), (".my.cnf", Secret), (".htpasswd", Secret), (".dockercfg", Secret),
    (".s3cfg", Secret), (".boto", Secret), (".vault-token", Secret), (".terraformrc", Secret),
    ("id_rsa", Secret), ("id_dsa", Secret), ("id_ecdsa", Secret), ("id_ed25519", Secret),
    ("id_ecdsa_sk", Secret), ("id_ed25519_sk", Secret),
    ("authorized_keys", Secret), ("known_hosts", Secret),
];

/// Endings of file names.
#[rustfmt::skip]
const ENDINGS: &[(&str, Reason)] = &[
    (".pem", Secret), (".key", Secret), (".p12", Secret), (".pfx", Secret), (".ppk", Secret),
    (".jks", Secret), (".keystore", Secret), (".kdbx", Secret), (".gpg", Secret), (".pkcs12", Secret),
    (".code-workspace", Editor), (".sublime-project", Editor), (".pth", Toolchain),
];

/// Endings after `.env.` of files that hold no secret.
const ENV_TEMPLATES: &[&str] = &["example", "sample", "template", "dist", "defaults", "schema"];

/// Tells why a path is protected.
pub(super) fn reason(directories: &[String], file_name: &str) -> Option<Reason> {
    let directories: Vec<String> =
        directories.iter().map(|directory| plain_spelling(directory)).collect();
    let file = plain_spelling(file_name);
    let by_directory = directories.iter().find_map(|name| find(DIRECTORIES, name));
    let by_pair = || {
        directories
            .iter()
            .zip(directories.iter().skip(1).chain([&file]))
            .find_map(|(above, below)| pair(above, below))
    };
    let by_ending = || ENDINGS.iter().find(|(ending, _)| file.ends_with(ending)).map(|hit| hit.1);
    let by_env = || {
        let environment = file.strip_prefix(".env.")?;
        let template = ENV_TEMPLATES.iter().any(|ending| environment.ends_with(ending));
        (!template).then_some(Secret)
    };
    by_directory.or_else(by_pair).or_else(|| find(FILES, &file)).or_else(by_ending).or_else(by_env)
}

fn find(table: &[(&str, Reason)], name: &str) -> Option<Reason> {
    table.iter().find(|(entry, _)| *entry == name).map(|(_, reason)| *reason)
}

fn pair(above: &str, below: &str) -> Option<Reason> {
    PAIRS.iter().find(|entry| entry.0 == above && entry.1 == below).map(|entry| entry.2)
}

impl Reason {
    /// Returns the rule.
    pub(super) const fn rule(self) -> PathRule {
        match self {
            Self::Repository => PathRule::ProtectedRepositoryFile,
            Self::Editor => PathRule::ProtectedEditorSettings,
            Self::Toolchain => PathRule::ProtectedToolchainSettings,
            Self::Hook => PathRule::ProtectedHook,
            Self::Ci => PathRule::ProtectedCi,
            Self::Agent => PathRule::ProtectedAgentInstructions,
            Self::Shell => PathRule::ProtectedShellStartup,
            Self::Secret => PathRule::ProtectedSecret,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Repository => "the file tells git what to fetch or to execute",
            Self::Editor => "the file makes an editor execute commands",
            Self::Toolchain => "the file makes a tool execute or fetch code",
            Self::Hook => "the file is a hook, which is executed",
            Self::Ci => "the file is executed by the build server",
            Self::Agent => "the file instructs agents, or starts servers for them",
            Self::Shell => "the file is executed by shells",
            Self::Secret => "the file holds secrets by its name",
        })
    }
}
