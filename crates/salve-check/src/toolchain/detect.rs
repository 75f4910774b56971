//! Which toolchains apply to a folder, and where in it.
//!
//! In: the specs and the files of the folder. Out: for each that applies the folder it runs in, its
//! files, and the file that says so. Never starts anything; reads only files that a marker names.

use super::name_pattern::{file_name, folder_of, name_matches};
use super::survey::Survey;
use super::{Marker, ToolchainSpec, WorkUnit};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

/// A toolchain that applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detected {
    /// Which.
    pub target_id: String,
    /// Where it runs, relative to the checked folder, with `/`; empty at the top.
    pub folder: String,
    /// The files it is given, relative to `folder`; empty when it finds them itself.
    pub files: Vec<String>,
    /// The file that says that it applies, relative to the checked folder.
    pub because: String,
}

/// The most folders one toolchain runs in.
const MOST_FOLDERS: usize = 32;
/// How many files are opened for one marker, and how much of each is read.
const MOST_OPENED: usize = 500;
const MOST_READ: u64 = 256 << 10;

/// Tells which specs apply, in the order they run.
pub(super) fn detect(specs: &[ToolchainSpec], root: &Path, survey: &Survey) -> Vec<Detected> {
    let mut found = Vec::new();
    for spec in specs.iter().filter(|spec| spec.instead_of.is_none()) {
        found.extend(where_it_applies(spec, root, survey));
    }
    let ids: BTreeSet<String> = found.iter().map(|one| one.target_id.clone()).collect();
    let spec_of = |id: &str| specs.iter().find(|spec| spec.target_id == id);
    found.retain(|one| {
        spec_of(&one.target_id)
            .is_some_and(|spec| !spec.applies.unless.iter().any(|other| ids.contains(other)))
    });
    found.sort_by_key(|one| spec_of(&one.target_id).map(|spec| spec.phase));
    found
}

/// Tells where one spec applies, whatever the others do.
pub(crate) fn where_it_applies(
    spec: &ToolchainSpec,
    root: &Path,
    survey: &Survey,
) -> Vec<Detected> {
    let applies = &spec.applies;
    let held_off = |name: &str| applies.not_beside.iter().any(|beside| name_matches(beside, name));
    if survey.at_top().any(held_off) {
        return Vec::new();
    }
    let called_for = |name: &str| applies.beside.iter().any(|beside| name_matches(beside, name));
    if !applies.beside.is_empty() && !survey.at_top().any(called_for) {
        return Vec::new();
    }
    let places = if applies.markers.is_empty() {
        let first = survey.files.iter().find(|path| is_its_file(spec, path));
        first.map(|path| (String::new(), path.clone())).into_iter().collect()
    } else {
        marked_folders(spec, root, survey)
    };
    let places = places.into_iter().filter(|(folder, _)| survey.concerns(folder));
    let detected = places.take(MOST_FOLDERS).map(|(folder, because)| Detected {
        target_id: spec.target_id.clone(),
        files: its_files(spec, &folder, survey),
        folder,
        because,
    });
    detected.filter(|one| spec.unit == WorkUnit::Folder || !one.files.is_empty()).collect()
}

/// Returns the files below `folder` that a spec is given, relative to it.
pub(crate) fn its_files(spec: &ToolchainSpec, folder: &str, survey: &Survey) -> Vec<String> {
    if spec.unit == WorkUnit::Folder {
        return Vec::new();
    }
    let covered = survey.files.iter().filter(|path| survey.covers(path));
    let below = covered.filter_map(|path| relative_to(folder, path));
    below.filter(|path| is_its_file(spec, path)).map(str::to_owned).collect()
}

/// Returns the folders below `folder` that hold C headers, relative to it.
pub(crate) fn header_folders(folder: &str, survey: &Survey) -> Vec<String> {
    let below = survey.files.iter().filter_map(|path| relative_to(folder, path));
    let folders: BTreeSet<&str> =
        below.filter(|path| path.ends_with(".h")).map(folder_of).collect();
    folders.into_iter().take(MOST_FOLDERS).map(str::to_owned).collect()
}

fn relative_to<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    if folder.is_empty() {
        return Some(path);
    }
    path.strip_prefix(folder)?.strip_prefix('/')
}

fn is_its_file(spec: &ToolchainSpec, path: &str) -> bool {
    spec.applies.files.iter().any(|pattern| name_matches(pattern, file_name(path)))
}

// The folders a spec runs in, each with the file that says so, outermost first.
fn marked_folders(spec: &ToolchainSpec, root: &Path, survey: &Survey) -> Vec<(String, String)> {
    let mut folders = BTreeMap::new();
    // A marker that lies where the tool runs says more than one that only shows its use.
    for at_top in [false, true] {
        for marker in spec.applies.markers.iter().filter(|marker| marker.at_top == at_top) {
            for path in marking_files(marker, root, survey) {
                let folder = if at_top { "" } else { folder_of(path) };
                folders.entry(folder.to_owned()).or_insert_with(|| path.clone());
            }
        }
        if !folders.is_empty() {
            break;
        }
    }
    let mut kept: Vec<(String, String)> = Vec::new();
    // The map is sorted, so that a folder comes before what is below it.
    for (folder, because) in folders {
        let inside = |outer: &(String, String)| relative_to(&outer.0, &folder).is_some();
        if spec.applies.nested || !kept.iter().any(inside) {
            kept.push((folder, because));
        }
    }
    kept
}

fn marking_files<'a>(marker: &Marker, root: &Path, survey: &'a Survey) -> Vec<&'a String> {
    let named = survey.files.iter().filter(|path| name_matches(&marker.file, file_name(path)));
    if marker.contains.is_empty() && marker.declares.is_empty() {
        return named.collect();
    }
    named
        .take(MOST_OPENED)
        .filter(|path| {
            let bytes = read(&root.join(path));
            bytes.is_some_and(|bytes| holds_one_of(&bytes, marker) && declares(&bytes, marker))
        })
        .collect()
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(MOST_READ).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn holds_one_of(bytes: &[u8], marker: &Marker) -> bool {
    let holds = |text: &String| memchr::memmem::find(bytes, text.as_bytes()).is_some();
    // What begins a line may also begin the file.
    let begins = |text: &String| {
        text.strip_prefix('\n').is_some_and(|text| bytes.starts_with(text.as_bytes()))
    };
    marker.contains.is_empty() || marker.contains.iter().any(|text| holds(text) || begins(text))
}

fn declares(bytes: &[u8], marker: &Marker) -> bool {
    let text = String::from_utf8_lossy(bytes);
    marker.declares.is_empty() || marker.declares.iter().any(|declared| declared.is_in(&text))
}
