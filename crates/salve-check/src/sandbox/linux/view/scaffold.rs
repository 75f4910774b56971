//! Makes what the view is mounted on: folders, links, covers and masks, all of them in memory.
//!
//! In: paths of the view. Out: something to mount on. Never creates anything in a folder of the
//! machine that is already mounted into the view: every creation first asks where its parent lies.

use super::LAYERS;
use rustix::fs::Mode;
use std::ffi::CString;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

const MASKS: &str = "/.masks";

/// The file system in memory that is the root of the view.
#[derive(Debug)]
pub(super) struct Scaffold {
    device: u64,
    covers: AtomicUsize,
}

impl Scaffold {
    /// Looks at the new root and prepares what masks are made of.
    pub(super) fn new() -> io::Result<Self> {
        let scaffold =
            Self { device: Path::new("/").metadata()?.dev(), covers: AtomicUsize::new(0) };
        scaffold.folders(&Path::new(MASKS).join("folder"))?;
        OpenOptions::new().write(true).create_new(true).open(Path::new(MASKS).join("file"))?;
        Ok(scaffold)
    }

    /// Makes a folder and those above it, as far as they are missing.
    pub(super) fn folders(&self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        if let Some(parent) = path.parent() {
            self.folders(parent)?;
            self.check_is_ours(parent)?;
        }
        std::fs::create_dir(path)
    }

    /// Makes whatever something like `source` can be mounted on.
    pub(super) fn mount_point(&self, source: &Path, target: &Path) -> io::Result<()> {
        if source.is_dir() {
            return self.folders(target);
        }
        if target.symlink_metadata().is_ok() {
            return Ok(());
        }
        if let Some(parent) = target.parent() {
            self.folders(parent)?;
            self.check_is_ours(parent)?;
        }
        OpenOptions::new().write(true).create_new(true).open(target).map(drop)
    }

    /// Makes a folder for everybody, which stays writable when the root does not.
    pub(super) fn temporary_folder(&self, path: &str) -> io::Result<()> {
        self.own_mount(Path::new(path), Mode::from_raw_mode(0o1777))
    }

    /// Makes an empty folder for this user alone, which stays writable.
    pub(super) fn private_folder(&self, path: &Path) -> io::Result<()> {
        self.own_mount(path, Mode::from_raw_mode(0o700))
    }

    fn own_mount(&self, path: &Path, mode: Mode) -> io::Result<()> {
        self.folders(path)?;
        self.check_is_ours(path)?;
        rustix::fs::chmod(path, mode)?;
        Ok(rustix::mount::mount_bind(path, path)?)
    }

    /// Makes a link, unless something of that name is in the view.
    pub(super) fn link(&self, name: &Path, target: &Path) -> io::Result<()> {
        if name.symlink_metadata().is_ok() {
            return Ok(());
        }
        if let Some(parent) = name.parent() {
            self.folders(parent)?;
            self.check_is_ours(parent)?;
        }
        std::os::unix::fs::symlink(target, name)
    }

    /// Covers what is at a path, if anything: a folder with an empty one, in which others can be
    /// made.
    pub(super) fn cover(&self, path: &Path) -> io::Result<()> {
        match path.symlink_metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return self.mask(path),
            Err(_) => return Ok(()),
        }
        let number = self.covers.fetch_add(1, Ordering::Relaxed);
        let cover = Path::new(MASKS).join(number.to_string());
        self.folders(&cover)?;
        Ok(rustix::mount::mount_bind(&cover, path)?)
    }

    /// Covers a file or folder with an empty one.
    pub(super) fn mask(&self, path: &Path) -> io::Result<()> {
        let mask = Path::new(MASKS).join(if path.is_dir() { "folder" } else { "file" });
        Ok(rustix::mount::mount_bind(&mask, path)?)
    }

    /// Makes the folders of a private layer and returns the options to mount it with.
    pub(super) fn layer_options(&self, lower: &Path, number: usize) -> io::Result<CString> {
        let (upper, work) = self.layer(number)?;
        overlay_options(&[lower], &upper, &work)
    }

    /// Makes the folders of a private layer: for what is written, and for the kernel's own use.
    pub(super) fn layer(&self, number: usize) -> io::Result<(PathBuf, PathBuf)> {
        let upper = Self::upper(number);
        let work = Path::new(LAYERS).join(number.to_string()).join("work");
        self.folders(&upper)?;
        self.folders(&work)?;
        Ok((upper, work))
    }

    /// Makes a folder with nothing in it.
    pub(super) fn empty_folder(&self) -> io::Result<PathBuf> {
        let empty = Path::new(LAYERS).join("empty");
        self.folders(&empty)?;
        Ok(empty)
    }

    /// Where the writes of a private layer go.
    pub(super) fn upper(number: usize) -> PathBuf {
        Path::new(LAYERS).join(number.to_string()).join("upper")
    }

    fn check_is_ours(&self, folder: &Path) -> io::Result<()> {
        if folder.metadata()?.dev() == self.device {
            return Ok(());
        }
        let why = format!("nothing may be created in `{}`, which is shown", folder.display());
        Err(io::Error::other(why))
    }
}

/// Writes the options of an overlay, whose lower folders are named from the top.
pub(super) fn overlay_options(lower: &[&Path], upper: &Path, work: &Path) -> io::Result<CString> {
    let mut options = b"userxattr".to_vec();
    for (number, folder) in lower.iter().enumerate() {
        options.extend_from_slice(if number == 0 { b",lowerdir=" } else { b":" });
        options.extend(escaped(folder));
    }
    for (name, folder) in [(",upperdir=", upper), (",workdir=", work)] {
        options.extend_from_slice(name.as_bytes());
        options.extend(escaped(folder));
    }
    Ok(CString::new(options)?)
}

fn escaped(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for byte in folder.as_os_str().as_bytes() {
        if b",:\\".contains(byte) {
            bytes.push(b'\\');
        }
        bytes.push(*byte);
    }
    bytes
}
