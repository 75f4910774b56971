//! What a layer holds, seen from outside of it.
//!
//! In: the folder of a layer, as the kernel or a copy left it. Out: where the file lies that programs
//! find at a path, and which files a layer adds, changes or takes away; and the texts of a candidate
//! written into it. Never follows a link that a program may have made.

use super::{ShadowError, system};
use rustix::fs::{CWD, FileType, Mode};
use std::collections::BTreeMap;
use std::fs::{File, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// How many entries of a layer are looked at.
const MOST_ENTRIES: usize = 400_000;

/// What one layer says of a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It is here.
    Here(PathBuf),
    /// It is taken away, or something else is in its place.
    Gone,
    /// Nothing: what is below counts.
    Below,
}

/// Looks for a path in one layer.
pub(super) fn find(layer: &Path, relative: &Path) -> Found {
    let mut here = layer.to_owned();
    let mut hides_below = false;
    let last = relative.components().count();
    for (number, part) in relative.components().enumerate() {
        here.push(part);
        let found = match here.symlink_metadata() {
            Ok(found) => found,
            Err(_) if hides_below => return Found::Gone,
            Err(_) => return Found::Below,
        };
        let is_last = number + 1 == last;
        // What a link of a program leads to is not looked at from outside.
        if is_whiteout(&found) || found.is_symlink() || !(found.is_dir() || is_last) {
            return Found::Gone;
        }
        hides_below |= found.is_dir() && is_opaque(&here);
    }
    Found::Here(here)
}

/// The kernel's mark for something that was deleted.
fn is_whiteout(found: &Metadata) -> bool {
    found.file_type().is_char_device() && found.rdev() == 0
}

/// The kernel's mark for a folder that was deleted and made again.
fn is_opaque(folder: &Path) -> bool {
    let mut value = [0; 4];
    let read = rustix::fs::lgetxattr(folder, "user.overlay.opaque", &mut value);
    matches!(read, Ok(length) if value.get(..length) == Some(b"y"))
}

/// Something that a layer has, relative to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) path: PathBuf,
    /// Whether it is there; if not, it and everything below it is taken away.
    pub(super) is_there: bool,
}

/// Lists the files of a layer and what it takes away, without the folders that are passed over.
pub(super) fn entries(layer: &Path, is_passed_over: impl Fn(&Path) -> bool) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut open = vec![PathBuf::new()];
    let mut left = MOST_ENTRIES;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(layer.join(&folder)).into_iter().flatten().flatten() {
            let path = folder.join(entry.file_name());
            let Ok(found) = entry.metadata() else { continue };
            if left == 0 {
                return entries;
            }
            left -= 1;
            if !found.is_dir() {
                entries.push(Entry { path, is_there: !is_whiteout(&found) });
            } else if !is_passed_over(&path) {
                if is_opaque(&entry.path()) {
                    entries.push(Entry { path: path.clone(), is_there: false });
                }
                open.push(path);
            }
        }
    }
    entries
}

/// The texts of a candidate, by paths that lead nowhere else.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub(super) files: BTreeMap<PathBuf, Option<String>>,
}

impl Texts {
    /// Takes texts by their paths relative to a workspace.
    pub(super) fn of(
        workspace: &Path,
        files: &BTreeMap<String, Option<String>>,
    ) -> Result<Self, ShadowError> {
        let resolved = files.iter().map(|(path, text)| {
            let place = resolve(workspace, path).ok_or_else(|| ShadowError::BadPath(path.clone()));
            Ok((place?, text.clone()))
        });
        Ok(Self { files: resolved.collect::<Result<_, ShadowError>>()? })
    }

    /// Writes them into a layer that nothing has run in. `below` tells where the file lies that a text
    /// replaces; `deletes` how a file is taken away.
    pub(super) fn write(
        &self,
        layer: &Path,
        below: &dyn Fn(&Path) -> Option<PathBuf>,
        deletes: Deletes,
    ) -> Result<(), ShadowError> {
        for (path, text) in &self.files {
            let done = match text {
                Some(text) => write_text(layer, path, text, below),
                None => delete(layer, path, below, deletes),
            };
            done.map_err(system(format!("write `{}` of a candidate", path.display())))?;
        }
        Ok(())
    }
}

/// How a file is taken away in a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deletes {
    /// By the kernel's mark, which hides what is below.
    Marks,
    /// For real: the layer is a copy.
    Removes,
}

/// Follows the workspace's own links, as far as they stay in it.
fn resolve(workspace: &Path, path: &str) -> Option<PathBuf> {
    let relative = Path::new(path);
    let plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
    let first = relative.components().next()?.as_os_str().to_ascii_lowercase();
    if !plain || first == ".git" || first == ".salve" || path.ends_with('/') {
        return None;
    }
    let whole = workspace.join(relative);
    let there = whole.ancestors().find(|above| above.symlink_metadata().is_ok())?;
    let rest = whole.strip_prefix(there).ok()?;
    let resolved = there.canonicalize().ok()?.join(rest);
    let inside = resolved.strip_prefix(workspace).ok()?.to_owned();
    let is_folder = rest.as_os_str().is_empty() && resolved.is_dir();
    (!inside.as_os_str().is_empty() && !is_folder && !inside.starts_with(".git")).then_some(inside)
}

fn write_text(
    layer: &Path,
    path: &Path,
    text: &str,
    below: &dyn Fn(&Path) -> Option<PathBuf>,
) -> io::Result<()> {
    let folders = make_folders(layer, path, below)?;
    let replaced = below(path).and_then(|real| real.metadata().ok()).filter(Metadata::is_file);
    let target = layer.join(path);
    remove(&target)?;
    let mut file = File::create_new(&target)?;
    file.write_all(text.as_bytes())?;
    if let Some(replaced) = &replaced {
        file.set_permissions(Permissions::from_mode(replaced.mode() & 0o777))?;
        outdate(&file, replaced)?;
    }
    drop(file);
    // A folder that only got a layer is not one that changed.
    if replaced.is_some() { keep_times(folders) } else { Ok(()) }
}

/// Python tells by whole seconds and the size whether its compiled form is of this text.
fn outdate(file: &File, replaced: &Metadata) -> io::Result<()> {
    let now = file.metadata()?;
    if now.mtime() == replaced.mtime() {
        file.set_modified(replaced.modified()? + Duration::from_secs(1))?;
    }
    Ok(())
}

fn delete(
    layer: &Path,
    path: &Path,
    below: &dyn Fn(&Path) -> Option<PathBuf>,
    deletes: Deletes,
) -> io::Result<()> {
    if below(path).is_none() {
        return Ok(());
    }
    if deletes == Deletes::Removes {
        return remove(&layer.join(path));
    }
    make_folders(layer, path, below)?;
    let mode = Mode::RUSR | Mode::WUSR;
    let (target, device) = (layer.join(path), rustix::fs::makedev(0, 0));
    Ok(rustix::fs::mknodat(CWD, &target, FileType::CharacterDevice, mode, device)?)
}

/// Makes the folders above a path like those that they cover, and returns them with their times.
fn make_folders(
    layer: &Path,
    path: &Path,
    below: &dyn Fn(&Path) -> Option<PathBuf>,
) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let mut made = Vec::new();
    let above: Vec<&Path> =
        path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()).collect();
    for folder in above.into_iter().rev() {
        let target = layer.join(folder);
        let covered = below(folder).and_then(|real| real.metadata().ok());
        match std::fs::create_dir(&target) {
            Ok(()) => {
                if let Some(covered) = &covered {
                    let mode = covered.mode() & 0o777 | 0o700;
                    std::fs::set_permissions(&target, Permissions::from_mode(mode))?;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        made.extend(covered.map(|covered| (target, covered)));
    }
    Ok(made)
}

fn keep_times(folders: Vec<(PathBuf, Metadata)>) -> io::Result<()> {
    for (folder, covered) in folders.into_iter().rev() {
        File::open(folder)?.set_modified(covered.modified()?)?;
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    match rustix::fs::unlink(path) {
        Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
