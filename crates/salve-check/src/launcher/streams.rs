//! The three streams of a program: pipes and redirections, opened without a shell.
//!
//! In: redirections in the order written. Out: three open files. Never follows a redirection out of
//! the workspace when the launch forbids it, not even through a symlink.

use super::Launch;
use crate::{PlannedRedirect, RedirectTarget};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsFd, OwnedFd};
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
    let inside = inside(path, launch).ok_or_else(|| Error::from(ErrorKind::PermissionDenied))?;
    let workspace = rustix::fs::openat(
        CWD,
        &launch.workspace,
        OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    Ok(rustix::fs::openat2(workspace, inside, flags, mode, beneath)?)
}

/// Returns the path as seen from the workspace.
fn inside(path: &str, launch: &Launch) -> Option<PathBuf> {
    let path = if Path::new(path).is_absolute() {
        PathBuf::from(path)
    } else {
        let here = rustix::process::getcwd(Vec::new()).ok()?;
        PathBuf::from(here.into_string().ok()?).join(path)
    };
    path.strip_prefix(&launch.workspace).ok().map(Path::to_path_buf)
}
