//! The variables a program gets, and the folders they point to.
//!
//! In: the user's own variables, as values. Out: a short list by name, a home of its own, and git
//! told to start nothing. Never lets a variable through that is not on the list: tokens have no name
//! that could be known in advance.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Variables that go through as they are.
const KEPT: &[&str] = &[
    "PATH",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_ADDRESS",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
    "TZ",
    "RUSTUP_TOOLCHAIN",
    "GOROOT",
    "JAVA_HOME",
    "NODE_PATH",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "SDKROOT",
    "SOURCE_DATE_EPOCH",
];

/// Where programs are looked for when the user has no PATH.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Homes and caches of toolchains: the variable that names each, and where it is without one.
const TOOLCHAIN_HOMES: &[(&str, &str)] = &[
    ("CARGO_HOME", ".cargo"),
    ("RUSTUP_HOME", ".rustup"),
    ("GOPATH", "go"),
    ("GOCACHE", ".cache/go-build"),
    ("GOMODCACHE", "go/pkg/mod"),
    ("npm_config_cache", ".npm"),
    ("PIP_CACHE_DIR", ".cache/pip"),
    ("UV_CACHE_DIR", ".cache/uv"),
    ("PYENV_ROOT", ".pyenv"),
    ("NVM_DIR", ".nvm"),
    ("DENO_DIR", ".cache/deno"),
    // Maven finds it by the user's home and not by the variable.
    ("M2_REPO", ".m2/repository"),
    ("GRADLE_USER_HOME", ".gradle"),
];

/// Folders that are caches and nothing else: a name, the variable and the home of the table above, and
/// the folder in it.
const CACHES: &[(&str, &str, &str, &str)] = &[
    ("cargo-registry", "CARGO_HOME", ".cargo", "registry"),
    ("cargo-git", "CARGO_HOME", ".cargo", "git"),
    ("go-build", "GOCACHE", ".cache/go-build", ""),
    ("go-modules", "GOMODCACHE", "go/pkg/mod", ""),
    ("npm", "npm_config_cache", ".npm", ""),
    ("pip", "PIP_CACHE_DIR", ".cache/pip", ""),
    ("uv", "UV_CACHE_DIR", ".cache/uv", ""),
    ("deno", "DENO_DIR", ".cache/deno", ""),
];

/// A cache that can be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CachePlace {
    /// The name of its layer.
    pub(super) name: &'static str,
    /// Where programs find it.
    pub(super) path: PathBuf,
    /// The variable that leads there, where the user has no such folder yet.
    pub(super) variable: Option<(String, String)>,
}

/// Files inside those homes that hold what a program must not read.
const SECRETS: &[&str] =
    &[".cargo/credentials.toml", ".cargo/credentials", ".gradle/gradle.properties"];

/// Settings of git that would start a program or leave one behind, and what they are set to.
/// `diff.external` is not among them: git cannot be told to forget it but by its arguments, so that
/// the policy asks when a repository sets it.
const GIT: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.editor", "true"),
    ("core.sshCommand", "false"),
    ("core.alternateRefsCommand", "true"),
    ("credential.helper", ""),
    ("log.showSignature", "false"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("protocol.ext.allow", "never"),
    ("submodule.recurse", "false"),
    ("safe.bareRepository", "explicit"),
];

/// The user's variables, and what follows from them.
#[derive(Debug, Clone)]
pub(super) struct Surroundings {
    variables: Vec<(String, String)>,
    /// The user's home, which programs do not see.
    pub(super) home: Option<PathBuf>,
    /// Toolchain homes and caches that exist.
    pub(super) toolchain_homes: Vec<PathBuf>,
    /// Files in them that programs do not see.
    pub(super) secrets: Vec<PathBuf>,
    /// Caches in them, and those that the user could have.
    pub(super) caches: Vec<CachePlace>,
}

impl Surroundings {
    /// Reads what is needed from the user's variables. `exists` looks at the file system.
    pub(super) fn of(inherited: &BTreeMap<String, String>, exists: impl Fn(&Path) -> bool) -> Self {
        let home = inherited.get("HOME").map(PathBuf::from).filter(|home| is_real_home(home));
        let mut variables: Vec<(String, String)> = inherited
            .iter()
            .filter(|(name, value)| KEPT.contains(&name.as_str()) && !value.contains('\0'))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if !inherited.contains_key("PATH") {
            variables.push(("PATH".to_owned(), DEFAULT_PATH.to_owned()));
        }
        let mut homes = Vec::new();
        let mut secrets = Vec::new();
        for (name, below_home) in TOOLCHAIN_HOMES {
            let named = inherited.get(*name).map(PathBuf::from);
            let folder = named.or_else(|| home.as_ref().map(|home| home.join(below_home)));
            let Some(folder) = folder.filter(|folder| folder.is_absolute() && exists(folder))
            else {
                continue;
            };
            if let Some(text) = folder.to_str() {
                variables.push(((*name).to_owned(), text.to_owned()));
            }
            let inside = SECRETS.iter().filter_map(|secret| {
                secret.strip_prefix(below_home)?.strip_prefix('/').map(|file| folder.join(file))
            });
            secrets.extend(inside.filter(|file| exists(file)));
            homes.push(folder);
        }
        if let (Some(home), Some(path)) = (&home, inherited.get("PATH")) {
            homes.extend(programs_below(home, path).filter(|folder| exists(folder)));
        }
        for name in ["VIRTUAL_ENV", "CONDA_PREFIX", "JAVA_HOME", "GOROOT", "NODE_PATH"] {
            homes.extend(
                inherited.get(name).map(PathBuf::from).filter(|p| p.is_absolute() && exists(p)),
            );
        }
        homes.sort();
        homes.dedup();
        let caches = CACHES.iter().filter_map(|(name, variable, below_home, folder)| {
            let named = inherited.get(*variable).map(PathBuf::from);
            let base = named.or_else(|| home.as_ref().map(|home| home.join(below_home)))?;
            let (text, there) = (base.to_str()?.to_owned(), exists(&base));
            // A home that holds more than a cache is not made up.
            let usable = base.is_absolute() && (there || folder.is_empty());
            let path = if folder.is_empty() { base } else { base.join(folder) };
            let variable = (!there).then(|| ((*variable).to_owned(), text));
            usable.then_some(CachePlace { name, path, variable })
        });
        let caches = caches.collect();
        Self { variables, home, toolchain_homes: homes, secrets, caches }
    }

    /// Returns the variables of one run. What the request adds comes last and wins.
    pub(super) fn variables(
        &self,
        home: &Path,
        temporary: &Path,
        added: &[(String, String)],
    ) -> Vec<(String, String)> {
        let mut all = self.variables.clone();
        let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        all.push(own("HOME", &home.to_string_lossy()));
        all.push(own("TMPDIR", &temporary.to_string_lossy()));
        all.push(own("TERM", "dumb"));
        all.push(own("GIT_PAGER", "cat"));
        all.push(own("PAGER", "cat"));
        all.push(own("GIT_TERMINAL_PROMPT", "0"));
        all.push(own("GIT_OPTIONAL_LOCKS", "0"));
        all.push(own("GIT_CONFIG_COUNT", &GIT.len().to_string()));
        for (index, (key, value)) in GIT.iter().enumerate() {
            all.push(own(&format!("GIT_CONFIG_KEY_{index}"), key));
            all.push(own(&format!("GIT_CONFIG_VALUE_{index}"), value));
        }
        for (name, value) in added {
            all.retain(|(other, _)| other != name);
            all.push((name.clone(), value.clone()));
        }
        all
    }
}

/// Hiding `/` or a folder of the system would hide every program.
fn is_real_home(home: &Path) -> bool {
    const SYSTEM: [&str; 8] =
        ["/", "/usr", "/etc", "/bin", "/lib", "/nonexistent", "/home", "/var"];
    home.is_absolute() && !SYSTEM.iter().any(|system| home == Path::new(system))
}

/// Folders of the PATH that are below the home, and the libraries beside them.
fn programs_below<'a>(home: &'a Path, path: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
    let below = path.split(':').map(Path::new).filter(move |folder| folder.starts_with(home));
    below
        .flat_map(|folder| [Some(folder.to_path_buf()), folder.parent().map(|up| up.join("lib"))])
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn surroundings() -> Surroundings {
        let inherited = map(&[
            ("PATH", "/home/u/.cargo/bin:/home/u/.local/bin:/usr/bin"),
            ("HOME", "/home/u"),
            ("LC_ALL", "C.UTF-8"),
            ("LC_TOKEN", "secret"),
            ("LC_TIME", "de_DE.UTF-8"),
            ("LC_SECRET_OF_MINE", "secret"),
            ("GOPATH", "/srv/go"),
            ("GITHUB_TOKEN", "secret"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("OPENAI_API_KEY", "secret"),
            ("SSH_AUTH_SOCK", "secret"),
            ("LD_PRELOAD", "/evil.so"),
            ("NODE_OPTIONS", "--require /evil.js"),
            ("RUSTC_WRAPPER", "/evil"),
        ]);
        Surroundings::of(&inherited, |path| !path.ends_with(".nvm"))
    }

    #[test]
    fn c061_only_named_variables_reach_a_program() {
        let variables = surroundings().variables(Path::new("/t/home"), Path::new("/t/tmp"), &[]);
        let value = |name: &str| {
            variables.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
        };
        for (name, expected) in [
            ("HOME", Some("/t/home")),
            ("TMPDIR", Some("/t/tmp")),
            ("TERM", Some("dumb")),
            ("LC_ALL", Some("C.UTF-8")),
            ("LC_TIME", Some("de_DE.UTF-8")),
            ("LC_SECRET_OF_MINE", None),
            ("CARGO_HOME", Some("/home/u/.cargo")),
            ("GOPATH", Some("/srv/go")),
            ("NVM_DIR", None),
            ("GITHUB_TOKEN", None),
            ("LC_TOKEN", None),
            ("LD_PRELOAD", None),
            ("NODE_OPTIONS", None),
            ("RUSTC_WRAPPER", None),
            ("GIT_CONFIG_KEY_0", Some("core.fsmonitor")),
        ] {
            assert_eq!(value(name), expected, "{name}");
        }
        assert!(!variables.iter().any(|(_, value)| value.contains("secret")));
    }

    #[test]
    fn toolchain_homes_are_named_and_their_secrets_too() {
        let surroundings = surroundings();
        for home in ["/home/u/.cargo", "/srv/go", "/home/u/.local/bin", "/home/u/.local/lib"] {
            assert!(surroundings.toolchain_homes.contains(&PathBuf::from(home)), "{home}");
        }
        assert!(surroundings.secrets.contains(&PathBuf::from("/home/u/.cargo/credentials.toml")));
        assert_eq!(surroundings.home, Some(PathBuf::from("/home/u")));
    }

    #[test]
    fn caches_are_folders_of_nothing_else() {
        let caches = surroundings().caches;
        let path =
            |name: &str| caches.iter().find(|cache| cache.name == name).map(|c| c.path.clone());
        assert_eq!(path("cargo-registry"), Some(PathBuf::from("/home/u/.cargo/registry")));
        assert_eq!(path("npm"), Some(PathBuf::from("/home/u/.npm")));
        for cache in &caches {
            assert!(cache.variable.is_none() && !cache.path.ends_with(".cargo"), "{cache:?}");
        }
        let bare = Surroundings::of(&map(&[("HOME", "/home/u")]), |_| false).caches;
        assert!(bare.iter().all(|cache| cache.variable.is_some() && !cache.name.contains("cargo")));
    }

    #[test]
    fn a_request_can_replace_a_variable() {
        let added = [("TERM".to_owned(), "xterm".to_owned())];
        let variables = surroundings().variables(Path::new("/h"), Path::new("/t"), &added);
        let terms: Vec<_> = variables.iter().filter(|(name, _)| name == "TERM").collect();
        assert_eq!(terms, [&added[0]]);
    }

    #[test]
    fn a_folder_of_the_system_is_no_home_to_hide() {
        for home in ["/", "/nonexistent", "", "relative"] {
            assert_eq!(Surroundings::of(&map(&[("HOME", home)]), |_| true).home, None, "{home}");
        }
    }
}
