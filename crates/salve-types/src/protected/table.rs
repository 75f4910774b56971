//! The names themselves.
//!
//! In: nothing. Out: tables of names with the reason of each. Never decides anything.

use super::ProtectedReason::{
    self as Reason, Agent, Ci, Editor, Hook, Installed, Repository, Secret, Shell, Toolchain,
};

/// Directories all of whose files are protected, at any depth.
#[rustfmt::skip]
pub(super) const DIRECTORIES: &[(&str, Reason)] = &[
    (".vscode", Editor), (".idea", Editor), (".vs", Editor), (".fleet", Editor), (".zed", Editor),
    (".devcontainer", Editor), (".theia", Editor), (".run", Editor), (".idx", Editor),
    (".settings", Editor), (".nova", Editor), (".emacs.d", Editor), (".helix", Editor),
    (".codesandbox", Editor), (".stackblitz", Editor), (".lapce", Editor),
    (".mvn", Toolchain), (".yarn", Toolchain), (".bundle", Toolchain), (".direnv", Toolchain),
    ("salve.rules", Toolchain), (".mise", Shell), (".moon", Toolchain), (".proto", Toolchain), (".trunk", Toolchain),
    (".husky", Hook), (".githooks", Hook), (".git-hooks", Hook), (".lefthook", Hook),
    (".lefthook-local", Hook), (".git_hooks", Hook), (".overcommit", Hook),
    (".circleci", Ci), (".buildkite", Ci), (".woodpecker", Ci), (".teamcity", Ci), (".tekton", Ci),
    (".gitlab", Ci), (".gitea", Ci), (".forgejo", Ci), (".semaphore", Ci), (".builds", Ci),
    (".azure-pipelines", Ci), (".azuredevops", Ci), (".harness", Ci), (".screwdriver", Ci),
    (".claude", Agent), (".cursor", Agent), (".codex", Agent), (".gemini", Agent), (".roo", Agent),
    (".windsurf", Agent), (".kiro", Agent), (".continue", Agent), (".clinerules", Agent),
    (".junie", Agent), (".augment", Agent), (".amazonq", Agent), (".opencode", Agent),
    (".qwen", Agent), (".goose", Agent), (".trae", Agent), (".openhands", Agent),
    (".agents", Agent), (".crush", Agent), (".aider", Agent), (".claude-plugin", Agent),
    (".amp", Agent), (".cline", Agent), (".kilocode", Agent), (".factory", Agent), (".cody", Agent),
    (".sourcegraph", Agent), (".zencoder", Agent), (".aiassistant", Agent), (".serena", Agent),
    (".rovodev", Agent), (".agent", Agent), (".mcp", Agent), (".roorules", Agent),
    (".ssh", Secret), (".gnupg", Secret), (".aws", Secret), (".kube", Secret), (".azure", Secret),
    (".docker", Secret), (".gcloud", Secret),
    ("__pycache__", Installed),
];

/// Two names in a row of which the second is a directory or a file.
#[rustfmt::skip]
pub(super) const PAIRS: &[(&str, &str, Reason)] = &[
    (".cargo", "config", Toolchain), (".cargo", "config.toml", Toolchain),
    (".cargo", "credentials", Secret), (".cargo", "credentials.toml", Secret),
    (".config", "nextest.toml", Toolchain), ("gradle", "wrapper", Toolchain),
    (".config", "mise", Shell), (".config", "mise.toml", Shell), (".config", "direnv", Shell),
    ("tools", "bazel", Toolchain), ("tools", "bazel.rc", Toolchain),
    (".github", "workflows", Ci), (".github", "actions", Ci), (".github", "dependabot.yml", Ci),
    (".github", "dependabot.yaml", Ci),
    (".github", "copilot-instructions.md", Agent), (".github", "instructions", Agent),
    (".github", "prompts", Agent), (".github", "chatmodes", Agent), (".github", "agents", Agent),
    (".github", "copilot", Agent), (".github", "skills", Agent), (".github", "hooks", Hook),
    ("node_modules", ".bin", Installed),
    (".venv", "bin", Installed), (".venv", "scripts", Installed), (".venv", "pyvenv.cfg", Installed),
    ("venv", "bin", Installed), ("venv", "scripts", Installed), ("venv", "pyvenv.cfg", Installed),
    ("env", "bin", Installed), ("env", "pyvenv.cfg", Installed), (".virtualenv", "bin", Installed),
    ("virtualenv", "bin", Installed), ("vendor", "bin", Installed),
];

/// What git obeys in a folder that is a repository by its ending, such as `bare.git`.
pub(super) const GIT_NAMES: &[&str] = &[
    "hooks",
    "config",
    "config.worktree",
    "info",
    "head",
    "objects",
    "refs",
    "packed-refs",
    "commondir",
    "gitdir",
    "modules",
    "worktrees",
    "index",
];

/// Files, at any depth.
#[rustfmt::skip]
pub(super) const FILES: &[(&str, Reason)] = &[
    (".gitmodules", Repository), (".gitattributes", Repository), (".gitconfig", Repository),
    (".lfsconfig", Repository), (".hgrc", Repository), (".hgsub", Repository),
    (".devcontainer.json", Editor), (".exrc", Editor), (".vimrc", Editor), (".nvimrc", Editor),
    (".nvim.lua", Editor), (".vim.lua", Editor), (".dir-locals.el", Editor),
    (".dir-locals-2.el", Editor), (".gdbinit", Editor), (".lldbinit", Editor), (".lvimrc", Editor),
    (".project", Editor), (".pdbrc", Editor), (".pdbrc.py", Editor), (".ideavimrc", Editor),
    (".npmrc", Toolchain), (".yarnrc", Toolchain), (".pnp.cjs", Toolchain),
    (".pnp.loader.mjs", Toolchain),
    (".bazelrc", Toolchain), (".bazeliskrc", Toolchain), (".bazelversion", Toolchain),
    ("rust-toolchain", Toolchain), ("rust-toolchain.toml", Toolchain),
    (".node-version", Toolchain), (".ruby-version", Toolchain), (".java-version", Toolchain),
    (".nvmrc", Toolchain), (".sdkmanrc", Toolchain), ("uv.toml", Toolchain),
    ("poetry.toml", Toolchain), ("bunfig.toml", Toolchain), ("nuget.config", Toolchain),
    (".buckconfig", Toolchain), (".ghci", Toolchain), (".rprofile", Toolchain),
    (".irbrc", Toolchain), (".pryrc", Toolchain), (".ocamlinit", Toolchain),
    (".sbtrc", Toolchain), (".clangd", Editor), (".ycm_extra_conf.py", Editor),
    (".replit", Editor), ("replit.nix", Editor), (".stackblitzrc", Editor),
    (".python-version", Toolchain), (".jvmopts", Toolchain), (".sbtopts", Toolchain),
    (".pypirc", Secret), ("sitecustomize.py", Toolchain), ("usercustomize.py", Toolchain),
    ("gradlew", Toolchain), ("gradlew.bat", Toolchain), ("mvnw", Toolchain), ("mvnw.cmd", Toolchain),
    (".envrc", Shell), (".mise.toml", Shell), ("mise.toml", Shell), (".tool-versions", Shell),
    (".rtx.toml", Shell), (".shadowenv", Shell),
    (".huskyrc", Hook), (".lintstagedrc", Hook), (".simple-git-hooks.json", Hook),
    ("jenkinsfile", Ci), (".drone.star", Ci), (".drone.jsonnet", Ci), (".cirrus.star", Ci),
    ("circle.yml", Ci), ("circle.yaml", Ci), ("netlify.toml", Ci), ("vercel.json", Ci),
    ("agents.md", Agent), ("agents.override.md", Agent),
    ("agent.md", Agent), ("claude.md", Agent), ("claude.local.md", Agent), ("gemini.md", Agent),
    ("qwen.md", Agent), ("crush.md", Agent), ("warp.md", Agent), ("codex.md", Agent),
    ("copilot-instructions.md", Agent),
    (".cursorrules", Agent), (".cursorignore", Agent), (".windsurfrules", Agent),
    (".clinerules", Agent), (".roorules", Agent), (".roomodes", Agent), (".goosehints", Agent),
    (".rules", Agent), (".aiderignore", Agent), (".clineignore", Agent),
    (".rooignore", Agent), (".claude.json", Agent), ("gemini-extension.json", Agent),
    ("skill.md", Agent), ("crush.json", Agent), (".crush.json", Agent), (".amprc", Agent),
    (".cursorindexingignore", Agent), (".geminiignore", Agent), (".kilocodemodes", Agent),
    (".bashrc", Shell), (".bash_profile", Shell), (".bash_login", Shell), (".bash_logout", Shell),
    (".bash_aliases", Shell), (".profile", Shell), (".zshrc", Shell), (".zshenv", Shell),
    (".zprofile", Shell), (".zlogin", Shell), (".zlogout", Shell), (".kshrc", Shell),
    (".cshrc", Shell), (".tcshrc", Shell), (".inputrc", Shell), ("config.fish", Shell),
    (".env", Secret), (".netrc", Secret), ("_netrc", Secret), (".git-credentials", Secret),
    (".pgpass", Secret), (".my.cnf", Secret), (".htpasswd", Secret), (".dockercfg", Secret),
    (".s3cfg", Secret), (".boto", Secret), (".vault-token", Secret), (".terraformrc", Secret),
    ("id_rsa", Secret), ("id_dsa", Secret), ("id_ecdsa", Secret), ("id_ed25519", Secret),
    ("id_ecdsa_sk", Secret), ("id_ed25519_sk", Secret),
    ("authorized_keys", Secret), ("known_hosts", Secret),
];

/// Names that a tool reads with any of [`SPELLINGS`] after them, so that none is forgotten.
#[rustfmt::skip]
pub(super) const STEMS: &[(&str, Reason)] = &[
    (".travis", Ci), ("azure-pipelines", Ci), (".azure-pipelines", Ci), ("bitbucket-pipelines", Ci),
    (".drone", Ci), ("appveyor", Ci), (".appveyor", Ci), (".cirrus", Ci), ("buildspec", Ci),
    ("cloudbuild", Ci), (".woodpecker", Ci), (".build", Ci), ("wercker", Ci), ("screwdriver", Ci),
    ("codefresh", Ci), (".readthedocs", Ci), ("readthedocs", Ci),
    ("renovate", Ci), (".renovaterc", Ci), (".semaphore", Ci), (".scrutinizer", Ci),
    (".pre-commit-hooks", Hook), ("devfile", Editor), (".devfile", Editor), (".tmuxinator", Shell),
    (".yarnrc", Toolchain), ("pnpm-workspace", Toolchain), ("opencode", Agent), (".mcp", Agent),
    ("mcp", Agent),
];

/// The endings by which settings are written.
pub(super) const SPELLINGS: &[&str] = &[".yml", ".yaml", ".json", ".jsonc", ".json5", ".toml"];

/// Beginnings of file names: tools read one name with any of their endings.
#[rustfmt::skip]
pub(super) const STARTS: &[(&str, Reason)] = &[
    (".pre-commit-config.", Hook), ("lefthook.", Hook), (".lefthook.", Hook),
    ("lefthook-local.", Hook), (".lefthook-local.", Hook), (".huskyrc.", Hook),
    (".overcommit.", Hook), (".lintstagedrc.", Hook), (".simple-git-hooks.", Hook),
    (".gitlab-ci.", Ci), (".gitpod.", Editor), (".autoenv", Shell), (".mise.", Shell),
    ("mise.", Shell), (".pnpmfile.", Toolchain), ("pnpmfile.", Toolchain), ("jenkinsfile.", Ci), (".aider.", Agent), (".vimrc.", Editor),
    (".exrc.", Editor), (".nvimrc.", Editor),
];

/// Endings of file names.
#[rustfmt::skip]
pub(super) const ENDINGS: &[(&str, Reason)] = &[
    (".pem", Secret), (".key", Secret), (".p12", Secret), (".pfx", Secret), (".ppk", Secret),
    (".jks", Secret), (".keystore", Secret), (".kdbx", Secret), (".gpg", Secret), (".pkcs12", Secret),
    (".code-workspace", Editor), (".sublime-project", Editor), (".run.xml", Editor),
    (".pth", Toolchain), (".bazelrc", Toolchain), (".pyc", Installed), (".pyo", Installed),
];
