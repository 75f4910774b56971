//! The three streams of a program: pipes and redirections, opened without a shell.
//!
//! In: redirections in the order written. Out: three open files. Never follows a redirection out of
//! the workspace when the launch forbids it, not even through a symlink.

use super::Launch;
use crate::{PlannedRedirect, RedirectTarget};
use rustix::fs::{CWD, Mode, OFlags};
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// The streams a program is started with.
#[derive(Debug)]
pub(super) struct Streams {
    descriptors: [OwnedFd; 3],
}

impl Streams {
    /// Starts from a pipe or nothing to read, a pipe or our own output to write.
    pub(super) fn new(input: Option<OwnedFd>, output: Option<OwnedFd>) -> Result<Self> {
        let input = match input {
            Some(pipe) => pipe,
            None => File::open("/dev/null")?.into(),
        };
        let output = match output {
            Some(pipe) => pipe,
            None => std::io::stdout().as_fd().try_clone_to_owned()?,
        };
        Ok(Self { descriptors: [input, output, std::io::stderr().as_fd().try_clone_to_owned()?] })
    }

    /// Redirects in the order written. An error names the target.
    pub(super) fn redirect(
        &mut self,
        redirects: &[PlannedRedirect],
        launch: &Launch,
    ) -> std::result::Result<(), (String, Error)> {
        for redirect in redirects {
            let target = match &redirect.target {
                RedirectTarget::Read(path) => open(path, OFlags::RDONLY, launch),
                RedirectTarget::Write(path) => open(path, WRITE | OFlags::TRUNC, launch),
                RedirectTarget::Append(path) => open(path, WRITE | OFlags::APPEND, launch),
                RedirectTarget::Same(other) => self.descriptor(*other).and_then(OwnedFd::try_clone),
            };
            let target = target.map_err(|error| (named(&redirect.target), error))?;
            match self.descriptors.get_mut(usize::from(redirect.descriptor)) {
                Some(slot) => *slot = target,
                None => {
                    return Err((redirect.descriptor.to_string(), ErrorKind::InvalidInput.into()));
                }
            }
        }
        Ok(())
    }

    /// Writes a message where the program would have written its own.
    pub(super) fn complain(&self, message: &str) {
        let [_, _, errors] = &self.descriptors;
        let _ = rustix::io::write(errors, message.as_bytes());
    }

    /// Returns standard error once more, for when the streams have been given away.
    pub(super) fn spare_errors(&self) -> Option<OwnedFd> {
        let [_, _, errors] = &self.descriptors;
        errors.try_clone().ok()
    }

    /// Returns standard input, output and error.
    pub(super) fn into_descriptors(self) -> [OwnedFd; 3] {
        self.descriptors
    }

    fn descriptor(&self, number: u8) -> Result<&OwnedFd> {
        self.descriptors
            .get(usize::from(number))
            .ok_or_else(|| Error::from_raw_os_error(rustix::io::Errno::BADF.raw_os_error()))
    }
}

const WRITE: OFlags = OFlags::WRONLY.union(OFlags::CREATE);

fn named(target: &RedirectTarget) -> String {
    match target {
        RedirectTarget::Read(path) | RedirectTarget::Write(path) | RedirectTarget::Append(path) => {
            path.clone()
        }
        RedirectTarget::Same(number) => number.to_string(),
    }
}

fn open(path: &str, flags: OFlags, launch: &Launch) -> Result<OwnedFd> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOCTTY;
    let mode = Mode::from_raw_mode(0o666);
    if path == "/dev/null" {
        // Nothing is created or emptied there, whatever the redirection says.
        return Ok(rustix::fs::open(path, flags - OFlags::CREATE - OFlags::TRUNC, mode)?);
    }
    if !launch.redirects_beneath {
        return Ok(rustix::fs::open(path, flags, mode)?);
    }
    open_beneath(Path::new(path), flags, mode, &launch.workspace)
}

/// Opens a file whose real place, links followed, is inside a folder.
///
/// The place is asked of what was opened and not of the name, which may lead elsewhere a moment
/// later. `openat2` would do the same, but is forbidden in here: a filter cannot see its modes.
fn open_beneath(path: &Path, flags: OFlags, mode: Mode, folder: &Path) -> Result<OwnedFd> {
    let placed = |name: &Path, kind: OFlags| -> Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::CLOEXEC | kind;
        let opened = rustix::fs::openat(CWD, name, flags, Mode::empty())?;
        let place = std::fs::read_link(by_number(&opened))?;
        let inside = place.starts_with(folder);
        if inside { Ok(opened) } else { Err(ErrorKind::PermissionDenied.into()) }
    };
    match placed(path, OFlags::empty()) {
        Ok(file) => Ok(rustix::fs::open(by_number(&file), flags - OFlags::CREATE, mode)?),
        Err(error) if error.kind() == ErrorKind::NotFound && flags.contains(OFlags::CREATE) => {
            let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let parent = placed(parent.unwrap_or(Path::new(".")), OFlags::DIRECTORY)?;
            // A link that leads nowhere would be followed to where it leads.
            Ok(rustix::fs::openat(parent, name, flags | OFlags::NOFOLLOW, mode)?)
        }
        Err(error) => Err(error),
    }
}

fn by_number(file: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test's own files")]
    fn only_what_really_lies_inside_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (inside, outside) = (root.join("inside"), root.join("outside"));
        std::fs::create_dir_all(inside.join("deep")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("file"), "kept").unwrap();
        std::os::unix::fs::symlink("deep/file", inside.join("near")).unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("far")).unwrap();
        std::os::unix::fs::symlink(outside.join("new"), inside.join("nowhere")).unwrap();
        let open = |name: &str| {
            let flags = WRITE | OFlags::TRUNC | OFlags::CLOEXEC;
            open_beneath(&inside.join(name), flags, Mode::from_raw_mode(0o666), &inside).is_ok()
        };
        for (name, opened) in [
            ("deep/file", true),
            ("near", true),
            ("new", true),
            ("deep/../again", true),
            ("far/file", false),
            ("far/new", false),
            ("nowhere", false),
            ("../outside/file", false),
            ("..", false),
            ("missing/file", false),
        ] {
            assert_eq!(open(name), opened, "{name}");
        }
        assert_eq!(std::fs::read(outside.join("file")).unwrap(), b"kept");
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    }
}
