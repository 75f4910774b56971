//! One layer of a shadow, and the programs that run in it.
//!
//! In: a shadow and the texts of a candidate. Out: runs in it, what a file is in it, and what the runs
//! wrote. A run that fails by what an overlay cannot do is repeated in a copy, once. Never reads
//! through a link that a program made, and never outlives its folder.

use super::contents::{Deletes, Entry, Found, Texts, entries, find};
use super::copy::{Copied, Shown, copy_copy, copy_workspace, lay_over};
use super::{LaunchShadow, Shadow, ShadowError, system};
use crate::obstacle::{LayerLimit, layer_limit};
use crate::runner::remove_all;
use crate::toolchain::{Ignored, is_tool_folder};
use crate::{Capture, FinishedRun, LaidOver, Layer, RunError, RunEvent, RunPrograms, RunRequest};
use salve_types::protected_entry;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The folder of a layer; removed when dropped.
#[derive(Debug)]
pub(super) struct LayerFolder {
    path: PathBuf,
    /// The layer as a copy, once it is one.
    copied: OnceLock<Copied>,
    /// Two mounts of one layer would not see each other's writes.
    running: Mutex<()>,
}

impl LayerFolder {
    pub(super) fn make(path: PathBuf) -> Result<Self, ShadowError> {
        let folder = Self { path, copied: OnceLock::new(), running: Mutex::new(()) };
        for made in [folder.path.clone(), folder.upper(), folder.work()] {
            std::fs::create_dir(made).map_err(system("make the folder of a layer"))?;
        }
        Ok(folder)
    }

    fn upper(&self) -> PathBuf {
        self.path.join("upper")
    }

    fn work(&self) -> PathBuf {
        self.path.join("work")
    }

    fn copy(&self) -> PathBuf {
        self.path.join("copy")
    }

    /// Returns the layer over others.
    pub(super) fn overlay(&self, lower: &[PathBuf]) -> LaunchShadow {
        LaunchShadow::Overlay { lower: lower.to_vec(), upper: self.upper(), work: self.work() }
    }
}

impl Drop for LayerFolder {
    fn drop(&mut self) {
        // What cannot be removed goes with the shadow.
        let _ = remove_all(&self.path);
    }
}

/// A layer of a shadow.
#[derive(Debug)]
pub struct ShadowLayer<'a> {
    shadow: &'a Shadow,
    /// Of a candidate; that of the baseline is the shadow's.
    own: Option<LayerFolder>,
    texts: Texts,
}

impl<'a> ShadowLayer<'a> {
    pub(super) fn of_baseline(shadow: &'a Shadow) -> Result<Self, ShadowError> {
        let layer = Self { shadow, own: None, texts: Texts::default() };
        if shadow.means.copies.load(Ordering::Relaxed) {
            layer.become_copy()?;
        }
        Ok(layer)
    }

    pub(super) fn of_candidate(
        shadow: &'a Shadow,
        folder: LayerFolder,
        texts: Texts,
    ) -> Result<Self, ShadowError> {
        let layer = Self { shadow, own: Some(folder), texts };
        if shadow.means.copies.load(Ordering::Relaxed) {
            layer.become_copy()?;
            return Ok(layer);
        }
        let below = |path: &Path| layer.place(path);
        layer.texts.write(&layer.folder().upper(), &below, Deletes::Marks)?;
        Ok(layer)
    }

    fn folder(&self) -> &LayerFolder {
        self.own.as_ref().unwrap_or(&self.shadow.baseline)
    }

    /// Reads a file as programs find it in this layer; nothing when it is not there, or is no file.
    ///
    /// # Errors
    ///
    /// Fails when the file is there and cannot be read.
    pub fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        let Some(place) = plain(path).and_then(|path| self.place(path)) else { return Ok(None) };
        // The workspace's own links count as long as they stay in it.
        let Ok(real) = place.canonicalize() else { return Ok(None) };
        let workspace = self.shadow.workspace();
        let is_ours = place.starts_with(self.shadow.private.path()) || real.starts_with(workspace);
        if !is_ours || !real.is_file() {
            return Ok(None);
        }
        std::fs::read(real).map(Some)
    }

    /// Lists the files that runs in this layer wrote, made or removed, relative to the workspace:
    /// without what git ignores, what tools keep for themselves, and what is protected from runs.
    ///
    /// # Errors
    ///
    /// Fails when the layer cannot be read.
    pub fn written(&self) -> Result<Vec<String>, ShadowError> {
        let ignored = Ignored::new(self.shadow.workspace());
        let mut written: BTreeSet<String> = BTreeSet::new();
        for Entry { path, is_there } in self.own_entries() {
            let Some(name) = path.to_str() else { continue };
            if is_protected(&path) || ignored.holds(name) || self.is_as_given(&path, is_there) {
                continue;
            }
            written.insert(name.to_owned());
        }
        Ok(written.into_iter().collect())
    }

    /// Returns whether runs in this layer wrote what git ignores or tools keep for themselves, such as
    /// installed packages.
    pub fn wrote_ignored(&self) -> bool {
        let ignored = Ignored::new(self.shadow.workspace());
        self.entries_but(|_| false).iter().any(|Entry { path, is_there }| {
            let is_kept = path.iter().any(is_tool_folder);
            *is_there && (is_kept || path.to_str().is_some_and(|name| ignored.holds(name)))
        })
    }

    /// What this layer has beside what it stands on, without folders of tools.
    fn own_entries(&self) -> Vec<Entry> {
        self.entries_but(|path: &Path| path.file_name().is_some_and(is_tool_folder))
    }

    fn entries_but(&self, passed_over: impl Fn(&Path) -> bool) -> Vec<Entry> {
        let Some(copied) = self.folder().copied.get() else {
            let all = entries(&self.folder().upper(), passed_over).into_iter();
            return all.flat_map(|entry| self.with_files_below(entry)).collect();
        };
        let is_shown = |path: &Path| copied.shown.iter().any(|shown| path.starts_with(shown));
        let copy = self.folder().copy();
        let mut all = entries(&copy, passed_over);
        all.retain(|entry| !is_same(&copy.join(&entry.path), self.below_copy(&entry.path)));
        let below = self.below_copy(Path::new(""));
        let removed = below.into_iter().flat_map(|below| files_in(&below, Path::new("")));
        let removed = removed.filter(|path| copy.join(path).symlink_metadata().is_err());
        all.extend(removed.map(|path| Entry { path, is_there: false }));
        all.retain(|entry| !is_shown(&entry.path));
        all
    }

    /// A folder that is taken away is all of its files.
    fn with_files_below(&self, entry: Entry) -> Vec<Entry> {
        let below = [self.shadow.baseline.upper(), self.shadow.workspace().to_owned()];
        let is_folder = |root: &PathBuf| {
            let found = root.join(&entry.path).symlink_metadata();
            found.is_ok_and(|found| found.is_dir())
        };
        if entry.is_there || !below.iter().any(is_folder) {
            return vec![entry];
        }
        let files: BTreeSet<PathBuf> =
            below.iter().flat_map(|root| files_in(root, &entry.path)).collect();
        let gone = files.into_iter().filter(|path| self.place(path).is_none());
        gone.map(|path| Entry { path, is_there: false }).collect()
    }

    /// Where a file of a copy was copied from.
    fn below_copy(&self, path: &Path) -> Option<PathBuf> {
        let baseline = &self.shadow.baseline;
        let stands_on_copy = self.own.is_some() && baseline.copied.get().is_some();
        let below = match stands_on_copy {
            true => baseline.copy().join(path),
            false => self.shadow.workspace().join(path),
        };
        below.symlink_metadata().is_ok().then_some(below)
    }

    fn is_as_given(&self, path: &Path, is_there: bool) -> bool {
        match self.texts.files.get(path) {
            Some(None) => !is_there,
            Some(Some(text)) => {
                let place = self.place(path);
                place.and_then(|place| std::fs::read(place).ok()).as_deref()
                    == Some(text.as_bytes())
            }
            None => false,
        }
    }

    /// Where the file lies that programs find at a path relative to the workspace.
    fn place(&self, path: &Path) -> Option<PathBuf> {
        let in_tree = || {
            let path = self.shadow.workspace().join(path);
            path.symlink_metadata().is_ok().then_some(path)
        };
        if let Some(copied) = self.folder().copied.get() {
            if copied.shown.iter().any(|shown| path.starts_with(shown)) {
                return in_tree();
            }
            return match find(&self.folder().copy(), path) {
                Found::Here(place) => Some(place),
                Found::Gone | Found::Below => None,
            };
        }
        let stands_on = self.own.as_ref().map(|_| self.shadow.baseline.upper());
        for layer in std::iter::once(self.folder().upper()).chain(stands_on) {
            match find(&layer, path) {
                Found::Here(place) => return Some(place),
                Found::Gone => return None,
                Found::Below => {}
            }
        }
        in_tree()
    }

    fn launch_shadow(&self) -> LaunchShadow {
        let folder = self.folder();
        if let Some(copied) = folder.copied.get() {
            return LaunchShadow::Copy { folder: folder.copy(), shown: copied.shown.clone() };
        }
        let lower: Vec<PathBuf> =
            self.own.as_ref().map(|_| self.shadow.baseline.upper()).into_iter().collect();
        folder.overlay(&lower)
    }

    /// Makes a copy of what the layer is, and the layer that copy.
    fn become_copy(&self) -> Result<(), ShadowError> {
        let (folder, baseline) = (self.folder(), &self.shadow.baseline);
        if folder.copied.get().is_some() {
            return Ok(());
        }
        let copy = folder.copy();
        let stands_on = baseline.copied.get().filter(|_| self.own.is_some());
        let copied = if let Some(copied) = stands_on {
            copy_copy(&baseline.copy(), &copy)?;
            Copied { shown: copied.shown.clone(), is_reflink: copied.is_reflink }
        } else {
            let is_means = self.shadow.means.copies.load(Ordering::Relaxed);
            let shown = match (is_means, self.shadow.runner.has_own_view()) {
                (false, _) => Shown::Copied,
                (true, true) => Shown::Mounted,
                (true, false) => Shown::Linked,
            };
            let copied = copy_workspace(self.shadow.workspace(), &copy, shown)?;
            if self.own.is_some() {
                lay_over(&baseline.upper(), &copy)?;
            }
            copied
        };
        lay_over(&folder.upper(), &copy)?;
        self.shadow.means.reflinks.store(copied.is_reflink, Ordering::Relaxed);
        let _ = folder.copied.set(copied);
        if self.shadow.means.copies.load(Ordering::Relaxed) {
            let below = |path: &Path| self.below_copy(path);
            self.texts.write(&copy, &below, Deletes::Removes)?;
        }
        Ok(())
    }

    fn run_once(&self, request: &RunRequest) -> Result<FinishedRun, RunError> {
        let shadow = self.launch_shadow();
        let mut finished = self.shadow.runner.run_in(request, Some(&shadow), &mut |_, _| {})?;
        let own_view = Layer::MountNamespace.name();
        if finished.record.missing_layers.iter().any(|name| name == own_view) {
            for (name, stream) in [("out", &mut finished.stdout), ("err", &mut finished.stderr)] {
                self.speak_of_workspace(name, stream);
            }
        }
        Ok(finished)
    }

    /// A run by rules happens at the copy's own path, which is nothing that a reader should see.
    fn speak_of_workspace(&self, name: &str, stream: &mut Capture) {
        let copy = self.folder().copy();
        let (copy, workspace) = (copy.as_os_str(), self.shadow.workspace().as_os_str());
        let (copy, workspace) = (copy.as_encoded_bytes(), workspace.as_encoded_bytes());
        for bytes in [&mut stream.head, &mut stream.tail, &mut stream.notable] {
            *bytes = replaced(bytes, copy, workspace);
        }
        let Some(all) = stream.file.take().and_then(|file| std::fs::read(file).ok()) else {
            return;
        };
        let path = self.folder().path.join(name);
        let _ = rustix::fs::unlink(&path);
        let Ok(mut file) = std::fs::File::create_new(&path) else { return };
        if file.write_all(&replaced(&all, copy, workspace)).is_ok() {
            stream.file = Some(path);
        }
    }

    /// Runs again where an overlay stood in the way; the first run is the answer if that fails too.
    fn repeat_on_copy(
        &self,
        request: &RunRequest,
        first: FinishedRun,
        because: LayerLimit,
    ) -> Result<FinishedRun, RunError> {
        if self.become_copy().is_err() {
            return Ok(first);
        }
        if self.own.is_none() {
            // What stopped the baseline would stop every candidate.
            self.shadow.means.copies.store(true, Ordering::Relaxed);
        }
        let mut second = self.run_once(request)?;
        second.events.push(RunEvent::RepeatedOnCopy { because });
        Ok(second)
    }

    fn relative<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        let roots = [self.shadow.workspace(), &self.shadow.named];
        roots.into_iter().find_map(|root| path.strip_prefix(root).ok())
    }
}

impl RunPrograms for ShadowLayer<'_> {
    fn run(&self, request: &RunRequest) -> Result<FinishedRun, RunError> {
        let lock = &self.shadow.runs;
        let (_reads, _writes);
        match self.own {
            Some(_) => _reads = lock.read().unwrap_or_else(PoisonError::into_inner),
            None => _writes = lock.write().unwrap_or_else(PoisonError::into_inner),
        }
        let _alone = self.folder().running.lock().unwrap_or_else(PoisonError::into_inner);
        let first = self.run_once(request)?;
        match layer_limit(&first) {
            Some(because) if self.folder().copied.get().is_none() => {
                self.repeat_on_copy(request, first, because)
            }
            _ => Ok(first),
        }
    }

    fn locate(&self, path: &Path) -> Option<PathBuf> {
        match self.relative(path) {
            Some(relative) => self.place(relative),
            None => path.symlink_metadata().is_ok().then(|| path.to_owned()),
        }
    }

    fn laid_over(&self, folder: &Path) -> Vec<LaidOver> {
        let Some(folder) = self.relative(folder) else { return Vec::new() };
        let passed_over = |path: &Path| path.file_name().is_some_and(is_tool_folder);
        let mut laid = Vec::new();
        if self.folder().copied.get().is_none() {
            if self.own.is_some() {
                laid.extend(entries(&self.shadow.baseline.upper(), passed_over));
            }
            laid.extend(entries(&self.folder().upper(), passed_over));
        } else {
            let given = self.texts.files.iter();
            laid.extend(
                given.map(|(path, text)| Entry { path: path.clone(), is_there: text.is_some() }),
            );
        }
        let ignored = Ignored::new(self.shadow.workspace());
        laid.retain(|entry| entry.path.to_str().is_some_and(|path| !ignored.holds(path)));
        let below = laid.into_iter().filter_map(|entry| {
            let path = entry.path.strip_prefix(folder).ok()?.to_str()?.to_owned();
            Some(LaidOver { path, is_there: entry.is_there })
        });
        below.collect()
    }
}

/// Lists the files of a folder below a root that git does not ignore, relative to the root.
fn files_in(root: &Path, folder: &Path) -> Vec<PathBuf> {
    let files = super::tree::walk(&root.join(folder)).flatten();
    let files = files.filter(|entry| entry.file_type().is_some_and(|kind| !kind.is_dir()));
    files.filter_map(|entry| Some(entry.path().strip_prefix(root).ok()?.to_owned())).collect()
}

/// Returns a path of the workspace that has no tricks in it.
fn plain(path: &str) -> Option<&Path> {
    let path = Path::new(path);
    path.components().all(|part| matches!(part, Component::Normal(_))).then_some(path)
}

fn is_protected(path: &Path) -> bool {
    let names: Vec<String> =
        path.iter().map(|name| name.to_string_lossy().to_lowercase()).collect();
    let first = names.first().map(String::as_str);
    matches!(first, Some(".git" | ".salve")) || protected_entry(&names).is_some()
}

/// Returns whether a file of a copy is what it was copied from.
fn is_same(copy: &Path, below: Option<PathBuf>) -> bool {
    let Some(below) = below else { return false };
    let both = (copy.symlink_metadata(), below.symlink_metadata());
    let (Ok(here), Ok(there)) = both else { return false };
    if here.is_symlink() || there.is_symlink() {
        return std::fs::read_link(copy).ok() == std::fs::read_link(&below).ok();
    }
    let times = (here.modified().ok(), there.modified().ok());
    here.len() == there.len()
        && (times.0 == times.1 || std::fs::read(copy).ok() == std::fs::read(&below).ok())
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memmem::find(rest, from) {
        text.extend_from_slice(rest.get(..at).unwrap_or_default());
        text.extend_from_slice(to);
        rest = rest.get(at + from.len()..).unwrap_or_default();
    }
    text.extend_from_slice(rest);
    text
}
