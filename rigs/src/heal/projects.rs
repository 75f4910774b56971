//! The real projects that faults are planted in.
//!
//! In: the registries' own clients, once. Out: each package as a folder with its own tests and what its
//! check needs, below the build folder. Never committed, and never changed in what the authors wrote: only
//! benchmarks are left out and the files that make a project of a vendored library are added.

use crate::corpus::fetch;
use anyhow::{Context, Result};
use salve_types::Language;
use std::path::{Path, PathBuf};

/// Which registry has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Crate,
    Sdist,
    Npm,
}

/// A package and how a project is made of it.
struct Recipe {
    name: &'static str,
    version: &'static str,
    origin: Origin,
    language: Language,
    /// The part of the package that is the project.
    below: &'static str,
    /// What is left out.
    without: &'static [&'static str],
    /// What is added.
    with: &'static [(&'static str, &'static str)],
}

/// A project as it was fetched; nothing is ever changed in its folder.
#[derive(Debug, Clone)]
pub(crate) struct Project {
    pub(crate) name: String,
    pub(crate) language: Language,
    pub(crate) folder: PathBuf,
    /// Folders that come first on the search path.
    pub(crate) programs: Vec<PathBuf>,
    /// What runs its tests.
    pub(crate) tests: &'static [&'static str],
}

const fn rust(name: &'static str, version: &'static str) -> Recipe {
    let with = &[(".gitignore", "target\n")];
    Recipe {
        name,
        version,
        origin: Origin::Crate,
        language: Language::Rust,
        below: "",
        without: &[".cargo-checksum.json", "Cargo.toml.orig", "Cargo.lock", "benches", ".github"],
        with,
    }
}

const fn python(name: &'static str, version: &'static str) -> Recipe {
    let with = &[(".gitignore", "__pycache__\n*.pyc\n")];
    Recipe {
        name,
        version,
        origin: Origin::Sdist,
        language: Language::Python,
        below: "",
        without: &[".github"],
        with,
    }
}

const SCRIPT_FILES: &[(&str, &str)] = &[
    (".gitignore", "node_modules\n"),
    (
        "tsconfig.json",
        "{\n  \"compilerOptions\": {\n    \"target\": \"es2022\",\n    \"module\": \"esnext\",\n    \
         \"moduleResolution\": \"bundler\",\n    \"strict\": true,\n    \"noEmit\": true,\n    \
         \"esModuleInterop\": true,\n    \"skipLibCheck\": true\n  },\n  \"include\": [\"src\"]\n}\n",
    ),
];

const fn script(name: &'static str, version: &'static str) -> Recipe {
    Recipe {
        name,
        version,
        origin: Origin::Npm,
        language: Language::TypeScript,
        below: "package",
        without: &["lib", "lib-esm"],
        with: SCRIPT_FILES,
    }
}

const PARSER_MAKEFILE: &str = "CFLAGS = -O0 -Wall -Wextra\n\n.PHONY: test clean\n\n\
test: build/suite\n\t./build/suite\n\n\
build/suite: build/http_parser.o build/test.o\n\t$(CC) -o $@ $^\n\n\
build/%.o: %.c http_parser.h\n\t@mkdir -p build\n\t$(CC) $(CFLAGS) -c -o $@ $<\n\n\
clean:\n\trm -rf build\n";

const RECIPES: &[Recipe] = &[
    rust("strsim", "0.11.1"),
    rust("heck", "0.5.0"),
    rust("shlex", "2.0.1"),
    rust("lexopt", "0.3.2"),
    rust("percent-encoding", "2.3.2"),
    rust("roman", "0.2.2"),
    rust("version-compare", "0.2.1"),
    python("toolz", "1.2.0"),
    python("xmltodict", "1.0.4"),
    python("unidiff", "1.0.1"),
    python("simpleeval", "1.0.8"),
    python("munch", "4.0.0"),
    python("python-slugify", "9.1.3"),
    script("ml-random", "2.0.0"),
    script("ml-xsadd", "3.0.1"),
    script("ml-regression-base", "3.0.0"),
    Recipe {
        name: "httptools",
        version: "0.9.0",
        origin: Origin::Sdist,
        language: Language::C,
        below: "vendor/http-parser",
        without: &["bench.c", "contrib"],
        with: &[(".gitignore", "build\n"), ("Makefile", PARSER_MAKEFILE)],
    },
    Recipe {
        name: "wcwidth",
        version: "0.9.4",
        origin: Origin::Sdist,
        language: Language::C,
        below: "libwcwidth",
        without: &["CMakeLists.txt", "cmake", "examples"],
        with: &[(".gitignore", "build\n")],
    },
];

// What the tests of the packages need beside the language itself.
const PYTHON_TOOLS: &[&str] = &["pytest==9.2.0", "text-unidecode==1.3"];
const NODE_TOOLS: &[&str] = &[
    "typescript@5.6.3",
    "vitest@2.1.3",
    "ml-xsadd@3.0.1",
    "cheminfo-types@1.7.2",
    "is-any-array@2.0.1",
];

/// Fetches one project.
pub(crate) fn fetch(root: &Path, name: &str) -> Result<Project> {
    let recipe = RECIPES.iter().find(|recipe| recipe.name == name);
    project(root, recipe.with_context(|| format!("there is no project {name}"))?)
}

/// Fetches every project that can be had, and says of the others why not.
pub(crate) fn fetch_all(root: &Path) -> (Vec<Project>, Vec<String>) {
    let mut projects = Vec::new();
    let mut notes = Vec::new();
    for recipe in RECIPES {
        match project(root, recipe) {
            Ok(project) => projects.push(project),
            Err(error) => notes.push(format!("skipped: {}: {error:#}", recipe.name)),
        }
    }
    // The languages in turn, so that a run whose time ends early has seen all of them.
    projects.sort_by_key(|project| {
        let same = |other: &&Recipe| other.language == project.language;
        RECIPES.iter().filter(same).position(|recipe| recipe.name == project.name)
    });
    (projects, notes)
}

fn tests_of(language: Language) -> &'static [&'static str] {
    match language {
        Language::Rust => &["cargo", "test", "--offline", "--quiet"],
        Language::Python => &["pytest", "-q", "-x", "-p", "no:cacheprovider", "--color=no"],
        Language::TypeScript => &["npm", "test", "--silent"],
        _ => &["make", "test"],
    }
}

fn project(root: &Path, recipe: &Recipe) -> Result<Project> {
    let folder = root.join("projects").join(format!("{}-{}", recipe.name, recipe.version));
    let modules = match recipe.language {
        Language::TypeScript => Some(node_tools(root)?),
        _ => None,
    };
    let programs = match recipe.language {
        Language::Python => vec![python_tools(root)?.join("bin")],
        _ => Vec::new(),
    };
    fetch::once(&folder, |staging| {
        let package = download(staging, recipe)?;
        let own = package.join(recipe.below);
        for name in recipe.without {
            remove(&own.join(name))?;
        }
        for (name, text) in recipe.with {
            fetch::write(&own.join(name), text)?;
        }
        if recipe.origin == Origin::Crate {
            let manifest = own.join("Cargo.toml");
            fetch::write(&manifest, &without_benches(&std::fs::read_to_string(&manifest)?))?;
        }
        if let Some(modules) = &modules {
            with_test_script(&own.join("package.json"))?;
            copy(&modules.join("node_modules"), &own.join("node_modules"))?;
        }
        copy(&own, &staging.join("project"))
    })?;
    Ok(Project {
        name: recipe.name.to_owned(),
        language: recipe.language,
        folder: folder.join("project"),
        programs,
        tests: tests_of(recipe.language),
    })
}

fn download(staging: &Path, recipe: &Recipe) -> Result<PathBuf> {
    let Recipe { name, version, .. } = recipe;
    match recipe.origin {
        Origin::Crate => {
            let manifest = format!(
                "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\
                 [lib]\npath = \"lib.rs\"\n[workspace]\n[dependencies]\n{name} = \"={version}\"\n"
            );
            fetch::write(&staging.join("Cargo.toml"), &manifest)?;
            fetch::write(&staging.join("lib.rs"), "")?;
            fetch::run(staging, "cargo", &["vendor", "--quiet", "--versioned-dirs", "vendor"])?;
            Ok(staging.join("vendor").join(format!("{name}-{version}")))
        }
        Origin::Sdist => {
            let wanted = format!("{name}=={version}");
            let download =
                ["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"];
            let arguments: Vec<&str> =
                download.into_iter().chain(["-d", ".", wanted.as_str()]).collect();
            fetch::run(staging, "python3", &arguments)?;
            unpack(staging)
        }
        Origin::Npm => {
            fetch::run(staging, "npm", &["pack", "--silent", &format!("{name}@{version}")])?;
            unpack(staging)?;
            Ok(staging.to_owned())
        }
    }
}

// Unpacks the one archive there is, and returns the folder that it held.
fn unpack(staging: &Path) -> Result<PathBuf> {
    let archive = entries(staging)?
        .into_iter()
        .find(|path| path.extension().is_some_and(|kind| kind == "gz" || kind == "tgz"))
        .context("the client left no archive")?;
    let archive = archive.display().to_string();
    fetch::run(staging, "tar", &["xzf", &archive, "--no-same-owner"])?;
    entries(staging)?.into_iter().find(|path| path.is_dir()).context("the archive held no folder")
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}

// Benchmarks need a compiler that is not the stable one; a folder above must not become the workspace.
fn without_benches(manifest: &str) -> String {
    let mut kept = String::new();
    let mut bench = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            bench = line.trim() == "[[bench]]";
        }
        if !bench {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept + "\n[workspace]\n"
}

fn with_test_script(path: &Path) -> Result<()> {
    let mut package: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let scripts = serde_json::json!({ "test": "vitest run" });
    if let Some(fields) = package.as_object_mut() {
        fields.insert("scripts".to_owned(), scripts);
    }
    fetch::write(path, &(serde_json::to_string_pretty(&package)? + "\n"))
}

fn python_tools(root: &Path) -> Result<PathBuf> {
    let folder = root.join("python");
    // A virtual environment knows its own path, so it is made where it stays.
    let done = folder.join("complete");
    if !done.exists() {
        fetch::run(Path::new("."), "python3", &["-m", "venv", &folder.display().to_string()])?;
        let python = folder.join("bin").join("python").display().to_string();
        let install: Vec<&str> =
            ["-m", "pip", "install", "--quiet"].iter().chain(PYTHON_TOOLS).copied().collect();
        fetch::run(&folder, &python, &install)?;
        fetch::write(&done, "")?;
    }
    Ok(folder)
}

fn node_tools(root: &Path) -> Result<PathBuf> {
    fetch::once(&root.join("node"), |staging| {
        fetch::write(&staging.join("package.json"), "{ \"private\": true }\n")?;
        let install: Vec<&str> = ["install", "--silent", "--no-audit", "--no-fund"]
            .iter()
            .chain(NODE_TOOLS)
            .copied()
            .collect();
        fetch::run(staging, "npm", &install).map(|_| ())
    })
}

fn remove(path: &Path) -> Result<()> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => Ok(std::fs::remove_dir_all(path)?),
        Ok(_) => Ok(std::fs::remove_file(path)?),
        Err(_) => Ok(()),
    }
}

/// Copies a folder with its links and times.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    let (from, to) = (from.display().to_string(), to.display().to_string());
    fetch::run(Path::new("."), "cp", &["-a", &from, &to]).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_benchmarks_leave_a_manifest() {
        let manifest =
            "[package]\nname = \"a\"\n[[bench]]\nname = \"b\"\n\n[[test]]\nname = \"c\"\n";
        let expected = "[package]\nname = \"a\"\n[[test]]\nname = \"c\"\n\n[workspace]\n";
        assert_eq!(without_benches(manifest), expected);
    }

    #[test]
    fn there_are_twelve_projects_in_four_languages() {
        let languages: std::collections::BTreeSet<Language> =
            RECIPES.iter().map(|recipe| recipe.language).collect();
        assert!(RECIPES.len() >= 12 && languages.len() == 4);
    }
}
