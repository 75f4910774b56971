//! Which folders of the machine stand in the view, and as what.
//!
//! In: a launch, before the root is changed. Out: a list of places, parents before children. Never
//! mounts anything.
//!
//! It is a list of what is shown, not of what is hidden: the system's folders, the workspace, what
//! the launch names, and the programs' own folders. Other projects, homes and data are not there.

use crate::launcher::Launch;
use std::io;
use std::path::{Path, PathBuf};

/// The folders of the system that hold programs, libraries and their settings.
pub(in crate::sandbox::linux) const SYSTEM_FOLDERS: &[&str] = &[
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu",
    "/snap",
];

/// Files of the kernel that tell about the machine beyond the run.
pub(in crate::sandbox::linux) const SECRETS: &[&str] = &[
    "/proc/kcore",
    "/proc/keys",
    "/proc/key-users",
    "/proc/kallsyms",
    "/proc/sched_debug",
    "/proc/sysrq-trigger",
    "/proc/timer_list",
];

/// Files that only root can read, and which a run of root would show.
pub(in crate::sandbox::linux) const SECRETS_OF_ROOT: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/security/opasswd",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/krb5.keytab",
    "/etc/wireguard",
    "/etc/NetworkManager/system-connections",
    "/etc/kubernetes",
    "/etc/rancher",
];

/// One folder or file in the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::sandbox::linux) struct Place {
    /// Where it is, with links resolved, inside as outside.
    pub(in crate::sandbox::linux) path: PathBuf,
    /// The name it was asked for with, when links led from there.
    pub(in crate::sandbox::linux) also_known_as: Option<PathBuf>,
    /// What it becomes.
    pub(in crate::sandbox::linux) kind: Kind,
}

/// What a place becomes in the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sandbox::linux) enum Kind {
    /// Shown.
    ReadOnly,
    /// Shown, and writes are real.
    Writable,
    /// Shown, and writes are forgotten.
    Layered,
    /// An empty folder in memory.
    Private,
    /// Covered, if something around it is shown.
    Hidden,
    /// Shown anyway; only the name that leads there is missing.
    Named,
}

/// Lists the places of a launch, parents before children.
pub(in crate::sandbox::linux) fn plan(launch: &Launch) -> io::Result<Vec<Place>> {
    if launch.workspace.parent().is_none() {
        return Err(io::Error::other("the root of the machine cannot be a workspace"));
    }
    let mut places = vec![place(launch.workspace.clone(), Kind::Writable)];
    for path in &launch.writable {
        let kind = if path.exists() { Kind::Writable } else { Kind::Private };
        add(&mut places, path, kind);
    }
    for path in launch.hidden.iter().filter(|path| path.exists()) {
        add(&mut places, path, Kind::Hidden);
    }
    // An environment inside the workspace belongs to it, and writes there are meant. A workspace
    // that holds a whole home is another matter.
    let around_home = launch.hidden.iter().any(|hidden| hidden.starts_with(&launch.workspace));
    let belongs = |path: &Path| path.starts_with(&launch.workspace) && !around_home;
    for path in launch.layered.iter().filter(|path| path.exists() && !belongs(path)) {
        add(&mut places, path, Kind::Layered);
    }
    let git = worktree_folders(&launch.workspace);
    let resolver = launch.network.then(|| PathBuf::from("/etc/resolv.conf"));
    for path in program_folders(launch).into_iter().chain(git).chain(resolver) {
        if path.exists() {
            add(&mut places, &path, Kind::ReadOnly);
        }
    }
    places.sort_by_key(|place| place.path.components().count());
    Ok(places)
}

fn place(path: PathBuf, kind: Kind) -> Place {
    Place { path, also_known_as: None, kind }
}

/// Adds a place, unless the view shows it anyway.
fn add(places: &mut Vec<Place>, name: &Path, kind: Kind) {
    let path = name.canonicalize().unwrap_or_else(|_| name.to_owned());
    let mounted = || places.iter().filter(|place| place.kind != Kind::Named);
    let same = mounted().any(|place| place.path == path);
    // The closest place above decides what a path is without one of its own.
    let above = mounted().filter(|place| path.starts_with(&place.path));
    let above = above.max_by_key(|place| place.path.components().count()).map(|place| place.kind);
    let of_system = SYSTEM_FOLDERS.iter().any(|folder| path.starts_with(folder));
    let shown = match (kind, above) {
        (Kind::ReadOnly, Some(Kind::Hidden)) => false,
        (Kind::ReadOnly, above) => above.is_some() || of_system,
        (Kind::Layered, above) => above == Some(Kind::Layered),
        _ => false,
    };
    let also_known_as = (path != name && kind != Kind::Hidden).then(|| name.to_owned());
    let kind = if same || shown { Kind::Named } else { kind };
    if path.parent().is_some() && (kind != Kind::Named || also_known_as.is_some()) {
        places.push(Place { path, also_known_as, kind });
    }
}

/// Where programs are looked for, and what belongs to them: a `bin` folder is of no use without the
/// folder that it is the `bin` of. Homes are the exception: theirs hold everything else, too.
fn program_folders(launch: &Launch) -> Vec<PathBuf> {
    let path = launch.environment.iter().rev().find(|(name, _)| name == "PATH");
    let folders = path.map_or("", |(_, folders)| folders.as_str()).split(':');
    folders
        .map(Path::new)
        .filter(|folder| folder.is_absolute() && folder.parent().is_some())
        .filter(|folder| !launch.hidden.iter().any(|hidden| hidden.starts_with(folder)))
        .map(|folder| match folder.parent() {
            Some(prefix) if is_programs_of_prefix(folder) && !is_shared(prefix, launch) => {
                prefix.to_owned()
            }
            _ => folder.to_owned(),
        })
        .collect()
}

fn is_programs_of_prefix(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    matches!(name, Some("bin" | "sbin" | "shims" | ".bin"))
}

/// Folders that hold the user's data beside programs.
fn is_shared(prefix: &Path, launch: &Launch) -> bool {
    prefix.parent().is_none()
        || prefix.ends_with(".local")
        || prefix.parent() == Some(Path::new("/home"))
        || launch.hidden.iter().any(|hidden| hidden.starts_with(prefix))
        || launch.workspace.starts_with(prefix)
}

/// The repository of a workspace that is one of several worktrees, or a submodule, so that git can be
/// asked.
///
/// The file `.git` is data that anybody may have written, so the folder it names must name the
/// workspace in return.
fn worktree_folders(workspace: &Path) -> Vec<PathBuf> {
    let file = workspace.join(".git");
    let Some(folder) = repository_of(&file) else { return Vec::new() };
    if is_repository_of_submodule(&folder, workspace) {
        return vec![folder];
    }
    let back = read_line(&folder.join("gitdir")).map(PathBuf::from);
    if back.and_then(|back| back.canonicalize().ok()).as_ref() != Some(&file) {
        return Vec::new();
    }
    let shared = read_line(&folder.join("commondir"))
        .and_then(|line| folder.join(line).canonicalize().ok())
        .filter(|shared| folder.starts_with(shared.join("worktrees")));
    shared.into_iter().chain([folder]).collect()
}

/// Everything of the workspace that must stay as it is: what the launch names, and the repositories
/// inside the workspace that files of that name lead to.
pub(in crate::sandbox::linux) fn protected(launch: &Launch) -> Vec<PathBuf> {
    let named = launch.protected.iter().map(|path| launch.workspace.join(path));
    let led_to = named.clone().filter_map(|path| repository_of(&path));
    named.chain(led_to.filter(|to| to.starts_with(&launch.workspace))).collect()
}

/// A submodule's repository says in its settings which folder it is of.
fn is_repository_of_submodule(folder: &Path, workspace: &Path) -> bool {
    const LARGEST: u64 = 64 << 10;
    let file = folder.join("config");
    let small =
        file.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() <= LARGEST);
    let text =
        if small { std::fs::read_to_string(&file).unwrap_or_default() } else { String::new() };
    let names_workspace = |line: &str| {
        let named = line.trim().strip_prefix("worktree")?.trim_start().strip_prefix('=')?;
        let back = folder.join(named.trim()).canonicalize().ok()?;
        (back == workspace).then_some(())
    };
    folder.join("HEAD").is_file() && text.lines().any(|line| names_workspace(line).is_some())
}

/// Everything of the protected set that exists, a link through what it leads to in the workspace.
pub(in crate::sandbox::linux) fn kept(launch: &Launch) -> Vec<PathBuf> {
    let inside = |path: &PathBuf| path.starts_with(&launch.workspace);
    let real = launch.kept.iter().filter_map(|path| path.canonicalize().ok());
    real.filter(inside).collect()
}

/// The folder that a file `.git` leads to.
pub(in crate::sandbox::linux) fn repository_of(file: &Path) -> Option<PathBuf> {
    let line = read_line(file)?;
    file.parent()?.join(line.strip_prefix("gitdir:")?.trim()).canonicalize().ok()
}

fn read_line(path: &Path) -> Option<String> {
    const LONGEST: u64 = 8 << 10;
    let found = path.symlink_metadata().ok()?;
    if !found.is_file() || found.len() > LONGEST {
        return None;
    }
    Some(std::fs::read_to_string(path).ok()?.lines().next()?.trim().to_owned())
}
