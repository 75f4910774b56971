//! Where the real files come from.
//!
//! In: the folder of the corpus. Out: one folder per source, fetched once by the ordinary client of
//! its registry (npm, cargo, apt) or found on the machine. Never fails the run for an absent source:
//! each one that could not be had is named in a note.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// One place with files.
pub(crate) struct Source {
    pub name: String,
    pub folder: PathBuf,
}

// Packages that ship the sources people wrote, not only what a bundler made of them.
const NPM: &[&str] = &[
    // TypeScript and TSX.
    "rxjs@7.8.2",
    "zod@4.6.7",
    "@tanstack/react-query@5.107.1",
    "@tanstack/react-router@1.170.46",
    "react-native-paper@5.15.3",
    "@react-navigation/elements@2.9.44",
    "@react-navigation/stack@7.11.2",
    "@react-spectrum/s2@1.7.1",
    "@blueprintjs/core@6.20.0",
    "ra-ui-materialui@5.15.4",
    // JavaScript.
    "three@0.187.0",
    "express@5.3.0",
    "jquery@4.0.0",
    "codemirror@5.65.21",
    "preact@11.2.0",
    "bootstrap@5.3.8",
    "@babel/core@7.29.13",
    // HTML and CSS.
    "admin-lte@3.2.0",
    "html5-boilerplate@9.0.1",
    "startbootstrap-sb-admin-2@4.1.4",
    "startbootstrap-agency@7.0.12",
    "startbootstrap-clean-blog@6.0.9",
    "startbootstrap-creative@7.0.7",
    "animate.css@4.1.1",
    // JSON.
    "mdn-data@2.37.2",
];

// Rust, and the C and C++ that `-sys` crates carry.
const CRATES: &[(&str, &str)] = &[
    ("tokio", "=1.54.1"),
    ("regex-automata", "=0.4.18"),
    ("clap_builder", "=4.6.7"),
    ("syn", "=2.0.119"),
    ("rayon", "=1.12.0"),
    ("hashbrown", "=0.17.1"),
    ("hyper", "=1.12.0"),
    ("nom", "=8.0.0"),
    ("criterion", "=0.8.2"),
    ("cxx", "=1.0.205"),
    ("libgit2-sys", "=0.18.8"),
    ("curl-sys", "=0.4.91"),
    ("zstd-sys", "=2.1.2"),
    ("harfbuzz-sys", "=0.8.0"),
    ("librocksdb-sys", "=6.20.3"),
    ("snappy_src", "=0.2.7"),
];

// Debian keeps one version per release, so these are pinned by the release of the machine.
const DEBIAN: &[&str] = &["golang-1.19-src", "openjdk-17-source", "bash-completion"];

/// Makes every source available that can be had, and says which could not.
pub(crate) fn fetch_all(root: &Path) -> (Vec<Source>, Vec<String>) {
    let mut sources = Vec::new();
    let mut notes = Vec::new();
    let mut take = |name: String, fetched: Result<PathBuf>| match fetched {
        Ok(folder) => sources.push(Source { name, folder }),
        Err(error) => notes.push(format!("unavailable: {name}: {error:#}")),
    };
    for package in NPM {
        take(format!("npm/{package}"), fetch_npm(&root.join("npm"), package));
    }
    for package in DEBIAN {
        take(format!("debian/{package}"), fetch_debian(&root.join("debian"), package));
    }
    take("crates".to_owned(), fetch_crates(&root.join("crates")));
    take("python".to_owned(), find_python());
    (sources, notes)
}

fn fetch_npm(root: &Path, package: &str) -> Result<PathBuf> {
    let folder = root.join(package.replace('/', "+"));
    once(&folder, |staging| {
        let archive = run(staging, "npm", &["pack", "--silent", package])?;
        let archive = archive.lines().last().context("npm named no archive")?.trim().to_owned();
        run(staging, "tar", &["xzf", &archive, "--no-same-owner"])?;
        Ok(())
    })
}

fn fetch_debian(root: &Path, package: &str) -> Result<PathBuf> {
    once(&root.join(package), |staging| {
        run(staging, "apt-get", &["download", package])?;
        let archive = std::fs::read_dir(staging)?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .find(|name| name.ends_with(".deb"))
            .context("apt-get left no package")?;
        run(staging, "dpkg-deb", &["-x", &archive, "."])?;
        let classes = staging.join("usr/lib/jvm/openjdk-17/lib/src.zip");
        if classes.exists() {
            let classes = classes.display().to_string();
            run(staging, "unzip", &["-q", &classes, "java.base/java/*", "java.net.http/*"])?;
        }
        Ok(())
    })
}

fn fetch_crates(root: &Path) -> Result<PathBuf> {
    let folder = once(root, |staging| {
        let mut manifest = String::from(
            "[package]\nname = \"corpus\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\
             [lib]\npath = \"lib.rs\"\n[workspace]\n[dependencies]\n",
        );
        for (name, version) in CRATES {
            manifest.push_str(&format!("{name} = \"{version}\"\n"));
        }
        write(&staging.join("Cargo.toml"), &manifest)?;
        write(&staging.join("lib.rs"), "")?;
        run(staging, "cargo", &["vendor", "--quiet", "--versioned-dirs", "vendor"])?;
        Ok(())
    })?;
    Ok(folder.join("vendor"))
}

/// Returns the library of the machine's Python, if there is one.
pub(crate) fn python() -> Option<Source> {
    find_python().ok().map(|folder| Source { name: "python".to_owned(), folder })
}

fn find_python() -> Result<PathBuf> {
    let asked = "import sysconfig; print(sysconfig.get_path('stdlib'))";
    let folder = PathBuf::from(run(Path::new("."), "python3", &["-c", asked])?.trim());
    if !folder.is_dir() {
        bail!("python3 names no folder for its library");
    }
    Ok(folder)
}

/// Fills a folder that is not there yet.
///
/// Work happens beside the final folder, so that an interrupted download is not taken for a finished
/// one.
pub(crate) fn once(folder: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    if !folder.is_dir() {
        let staging = folder.with_extension("part");
        if staging.exists() {
            std::fs::remove_dir_all(&staging)?;
        }
        std::fs::create_dir_all(&staging)?;
        fill(&staging)?;
        rename(&staging, folder)?;
    }
    Ok(folder.to_owned())
}

#[expect(clippy::disallowed_methods, reason = "the corpus is scratch below target, not a project")]
fn rename(from: &Path, to: &Path) -> Result<()> {
    Ok(std::fs::rename(from, to)?)
}

/// Writes a file of the corpus.
#[expect(clippy::disallowed_methods, reason = "the corpus is scratch below target, not a project")]
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    Ok(std::fs::write(path, text)?)
}

/// Runs the client of a registry and returns what it printed.
#[expect(clippy::disallowed_methods, reason = "a rig runs the registries' own clients")]
pub(crate) fn run(folder: &Path, program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .with_context(|| format!("starting `{program}`"))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        let last = words.lines().last().unwrap_or_default().to_owned();
        bail!("`{program} {}` ended with {}: {last}", arguments.join(" "), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
