//! The view of the files: what programs see, and what of it they can change.
//!
//! In: a launch. Out: a mount namespace of its own, with a new root in which the system is read-only,
//! the workspace writable but for its protected paths, toolchain homes writable into a layer that is
//! forgotten, and everything else absent: homes, other projects, sockets of services, devices.
//! Never changes anything outside: what must be created is created in memory.
//!
//! The new root is one file system in memory. The old one hangs below it while the view is built,
//! so the workspace may lie anywhere, also below `/tmp` or a home. At the end the old root is taken
//! away and one pass over the table of mounts makes everything read-only that is not listed.

mod foreign;
pub(super) mod places;
mod scaffold;
mod shadow;

use super::{HARMLESS_DEVICES, mount_table, namespaces, refused, resources};
use crate::launcher::{KeptCache, Launch, Layer, LayerError};
use places::{Kind, Place};
use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags};
use scaffold::Scaffold;
use std::ffi::CString;
use std::io;
use std::path::{Path, PathBuf};

/// Where the old root hangs while the view is built.
const OUTSIDE: &str = "/.outside";
/// Where the writes of private layers go.
const LAYERS: &str = "/.layers";

/// Builds the view and returns the folders in it that are writable.
pub(super) fn build(launch: &Launch) -> Result<Vec<PathBuf>, LayerError> {
    let mounting = |error: io::Error| refused(Layer::MountNamespace, &error);
    let places = places::plan(launch).map_err(mounting)?;
    let kept = places::kept(launch);
    namespaces::enter_mount_namespace().map_err(mounting)?;
    change_root(launch).map_err(mounting)?;
    let mut view = View {
        launch,
        scaffold: Scaffold::new().map_err(mounting)?,
        writable: vec![PathBuf::from("/tmp")],
        fixed: Vec::new(),
    };
    view.furnish().map_err(mounting)?;
    for (number, place) in places.iter().enumerate() {
        view.put(place, number)?;
    }
    for (cache, number) in launch.caches.iter().zip(places.len()..) {
        view.cache(cache, number).map_err(mounting)?;
    }
    view.devices().map_err(mounting)?;
    view.processes()?;
    view.protect().map_err(mounting)?;
    view.keep(kept).map_err(mounting)?;
    view.mask_secrets().map_err(mounting)?;
    view.close().map_err(mounting)?;
    Ok(view.writable)
}

struct View<'a> {
    launch: &'a Launch,
    scaffold: Scaffold,
    /// Folders that stay writable.
    writable: Vec<PathBuf>,
    /// Paths below them that do not, such as what is shown below `/tmp`.
    fixed: Vec<PathBuf>,
}

/// Makes a file system in memory the root, with the old root below it.
fn change_root(launch: &Launch) -> io::Result<()> {
    rustix::mount::mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    // Whatever this covers is uncovered again when the root has changed.
    let base = Path::new(if Path::new("/tmp").is_dir() { "/tmp" } else { "/usr" });
    let options = format!("mode=0755,size={},nr_inodes=1m", launch.limits.memory_bytes / 2);
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    rustix::mount::mount("salve", base, "tmpfs", flags, CString::new(options)?.as_c_str())?;
    let old = base.join(OUTSIDE.trim_start_matches('/'));
    std::fs::create_dir(&old)?;
    rustix::process::pivot_root(base, &old)?;
    Ok(rustix::process::chdir("/")?)
}

/// Where a path of the machine is while the view is built.
fn outside(path: &Path) -> PathBuf {
    Path::new(OUTSIDE).join(path.strip_prefix("/").unwrap_or(path))
}

impl View<'_> {
    /// The system's own folders, and what every program expects to find.
    fn furnish(&self) -> io::Result<()> {
        self.scaffold.temporary_folder("/tmp")?;
        for folder in places::SYSTEM_FOLDERS {
            let (target, source) = (Path::new(folder), outside(Path::new(folder)));
            match source.symlink_metadata() {
                Ok(found) if found.is_symlink() => {
                    std::os::unix::fs::symlink(std::fs::read_link(&source)?, target)?;
                }
                Ok(found) if found.is_dir() => self.bind(&source, target)?,
                _ => {}
            }
        }
        for folder in ["/run", "/var", "/home"] {
            self.scaffold.folders(Path::new(folder))?;
        }
        std::os::unix::fs::symlink("/tmp", "/var/tmp")?;
        std::os::unix::fs::symlink("/run", "/var/run")?;
        let processors = Path::new("/sys/devices/system/cpu");
        if outside(processors).is_dir() {
            self.bind(&outside(processors), processors)?;
        }
        Ok(())
    }

    /// Puts one place of the launch where it belongs.
    fn put(&mut self, place: &Place, number: usize) -> Result<(), LayerError> {
        let mounting = |error: io::Error| refused(Layer::MountNamespace, &error);
        if let Some(name) = &place.also_known_as {
            self.scaffold.link(name, &place.path).map_err(mounting)?;
        }
        match place.kind {
            Kind::Named => {}
            Kind::ReadOnly => self.show(&place.path).map_err(mounting)?,
            Kind::Writable if self.is_shadowed(&place.path) => self.shadow()?,
            Kind::Writable => {
                self.bind(&outside(&place.path), &place.path).map_err(mounting)?;
                self.writable.push(place.path.clone());
            }
            Kind::Private => {
                self.scaffold.private_folder(&place.path).map_err(mounting)?;
                self.writable.push(place.path.clone());
            }
            Kind::Hidden => {
                self.scaffold.cover(&place.path).map_err(mounting)?;
                self.fixed.push(place.path.clone());
            }
            Kind::Layered => self.layer(&place.path, number)?,
        }
        Ok(())
    }

    /// Shows a folder whose writes go into memory; read-only if it cannot lie below such a layer.
    fn layer(&mut self, path: &Path, number: usize) -> Result<(), LayerError> {
        let mounting = |error: io::Error| refused(Layer::MountNamespace, &error);
        if !self.launch.layers.contains(&Layer::PrivateLayers) {
            return self.show(path).map_err(mounting);
        }
        let options = self.scaffold.layer_options(&outside(path), number).map_err(mounting)?;
        foreign::copy_up(&outside(path), &Scaffold::upper(number)).map_err(mounting)?;
        self.scaffold.folders(path).map_err(mounting)?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        match rustix::mount::mount("salve", path, "overlay", flags, options.as_c_str()) {
            Ok(()) => self.writable.push(path.to_owned()),
            // The file system that holds it cannot be a lower layer, which is no wall missing.
            Err(rustix::io::Errno::INVAL) => self.show(path).map_err(mounting)?,
            Err(error) => return Err(refused(Layer::PrivateLayers, &error.into())),
        }
        Ok(())
    }

    /// Shows a cache with what earlier runs with the network have added to it. This one adds to it
    /// for good when it has the network, and into memory when not.
    fn cache(&mut self, cache: &KeptCache, number: usize) -> io::Result<()> {
        let below = match outside(&cache.path) {
            there if there.is_dir() => there,
            _ => self.scaffold.empty_folder()?,
        };
        if foreign::is_any(&below) {
            return Ok(());
        }
        let kept = outside(&cache.kept);
        let (added, work) = (kept.join("upper"), kept.join("work"));
        let options = if self.launch.network {
            scaffold::overlay_options(&[below.as_path()], &added, &work)?
        } else {
            let (upper, work) = self.scaffold.layer(number)?;
            scaffold::overlay_options(&[added.as_path(), below.as_path()], &upper, &work)?
        };
        // Below a home that is a layer already, this is a folder of that layer.
        if std::fs::create_dir_all(&cache.path).is_err() {
            return Ok(());
        }
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        // Some file systems cannot be a layer; then it is as if nothing had been kept.
        let mounted =
            rustix::mount::mount("salve", &cache.path, "overlay", flags, options.as_c_str());
        if mounted.is_ok() {
            self.writable.push(cache.path.clone());
        }
        Ok(())
    }

    fn show(&mut self, path: &Path) -> io::Result<()> {
        self.fixed.push(path.to_owned());
        self.bind(&outside(path), path)
    }

    fn bind(&self, source: &Path, target: &Path) -> io::Result<()> {
        self.scaffold.mount_point(source, target)?;
        Ok(rustix::mount::mount_bind_recursive(source, target)?)
    }

    /// The devices that are no way out, and terminals of its own. `/dev/tty` is the terminal of who
    /// opens it, and the launcher has left that of the user.
    fn devices(&self) -> io::Result<()> {
        let terminals = Path::new("/dev/pts");
        self.scaffold.folders(terminals)?;
        let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
        let options = c"newinstance,ptmxmode=0666,mode=0600";
        rustix::mount::mount("devpts", terminals, "devpts", flags, options)?;
        let own = Path::new("/dev/tty");
        if outside(own).exists() {
            self.bind(&outside(own), own)?;
        }
        for name in HARMLESS_DEVICES {
            let device = Path::new("/dev").join(name);
            self.bind(&outside(&device), &device)?;
        }
        for (name, target) in [
            ("fd", "/proc/self/fd"),
            ("stdin", "/proc/self/fd/0"),
            ("stdout", "/proc/self/fd/1"),
            ("stderr", "/proc/self/fd/2"),
            ("shm", "/tmp"),
            ("ptmx", "pts/ptmx"),
        ] {
            std::os::unix::fs::symlink(target, Path::new("/dev").join(name))?;
        }
        Ok(())
    }

    /// The processes of this PID namespace, and how many there may be.
    fn processes(&self) -> Result<(), LayerError> {
        let wanted = |layer: &Layer| self.launch.layers.contains(layer);
        let mounting = |error: io::Error| refused(Layer::ProcFileSystem, &error);
        let proc = Path::new("/proc");
        if !wanted(&Layer::ProcFileSystem) {
            return self.bind(&outside(proc), proc).map_err(mounting);
        }
        self.scaffold.folders(proc).map_err(mounting)?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        rustix::mount::mount("proc", proc, "proc", flags, None)
            .map_err(|error| mounting(error.into()))?;
        if wanted(&Layer::Rlimits) && wanted(&Layer::PidNamespace) {
            resources::limit_processes(proc, self.launch.limits.processes)?;
        }
        Ok(())
    }

    /// Mounts the protected paths over themselves, to become read-only with the rest.
    fn protect(&mut self) -> io::Result<()> {
        let workspace = &self.launch.workspace;
        for path in places::protected(self.launch) {
            let Ok(found) = path.symlink_metadata() else { continue };
            if self.launch.shadow.is_some() {
                self.show_below_shadow(&path)?;
                continue;
            }
            if found.is_symlink() {
                let why = format!("`{}` is a link, which cannot be protected", path.display());
                return Err(io::Error::other(why));
            }
            // A folder that something is mounted on cannot be renamed, one above it can.
            let above = path.ancestors().skip(1).take_while(|above| above != workspace);
            let above: Vec<_> = above.filter(|above| above.starts_with(workspace)).collect();
            for folder in above.into_iter().rev() {
                rustix::mount::mount_bind_recursive(folder, folder)?;
            }
            rustix::mount::mount_bind_recursive(&path, &path)?;
            self.fixed.push(path);
        }
        Ok(())
    }

    /// Makes the protected set read-only where it is. The folders above stay as they are: a mount would
    /// keep files from being moved out of them, and a folder that was moved is noticed after the run.
    fn keep(&mut self, kept: Vec<PathBuf>) -> io::Result<()> {
        for path in kept.into_iter().filter(|path| path.symlink_metadata().is_ok()) {
            rustix::mount::mount_bind_recursive(&path, &path)?;
            self.fixed.push(path);
        }
        Ok(())
    }

    /// Covers files that the user may read but a program has no business with.
    fn mask_secrets(&self) -> io::Result<()> {
        // Others than root cannot read those of the system, and need no mount for them.
        let of_root =
            if rustix::process::getuid().is_root() { places::SECRETS_OF_ROOT } else { &[] };
        let of_system = places::SECRETS.iter().chain(of_root).map(PathBuf::from);
        for path in of_system {
            if path.symlink_metadata().is_ok() {
                self.scaffold.mask(&path)?;
            }
        }
        Ok(())
    }

    /// Takes the old root away and makes everything read-only that is not listed as writable.
    fn close(&self) -> io::Result<()> {
        rustix::mount::unmount(OUTSIDE, UnmountFlags::DETACH)?;
        std::fs::remove_dir(OUTSIDE)?;
        for mount in mount_table::read(Path::new("/proc"))? {
            let mut flags = MountFlags::NOSUID;
            if !mount.path.starts_with("/dev") {
                flags |= MountFlags::NODEV;
            }
            if !self.is_writable(&mount.path) {
                flags |= MountFlags::RDONLY;
            }
            mount_table::add_flags(&mount, flags).map_err(|error| {
                io::Error::other(format!("change `{}`: {error}", mount.path.display()))
            })?;
        }
        Ok(())
    }

    fn is_writable(&self, path: &Path) -> bool {
        let depth = |list: &[PathBuf]| {
            let above = list.iter().filter(|folder| path.starts_with(folder));
            above.map(|folder| folder.as_os_str().len()).max()
        };
        match (depth(&self.writable), depth(&self.fixed)) {
            (Some(writable), Some(fixed)) => writable > fixed,
            (writable, _) => writable.is_some(),
        }
    }
}
