//! Which toolchains apply to a folder, and where in it.
//!
//! In: the specs and the files of the folder. Out: for each that applies the folder it runs in, its
//! files, and the file that says so. Never starts anything; reads only files that a marker names.

use super::name_pattern::{file_name, folder_of, name_matches};
use super::neighbours::{Neighbours, upwards};
use super::survey::{Survey, is_in};
use super::{Marker, Phase, Reach, ToolchainSpec, WorkUnit};
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
/// Folders of tests, which belong to the folder they are in.
const TEST_FOLDERS: &[&str] = &["test", "tests"];

/// Where a spec applies, before it is asked what the others do.
struct Place {
    folder: String,
    because: String,
    /// The folders whose files say so; others need not do the same there.
    serves: BTreeSet<String>,
}

/// Tells which specs apply, in the order they run.
pub(super) fn detect(specs: &[ToolchainSpec], root: &Path, survey: &Survey) -> Vec<Detected> {
    let specs: Vec<&ToolchainSpec> =
        specs.iter().filter(|spec| spec.instead_of.is_none()).collect();
    let places: BTreeMap<&str, Vec<Place>> =
        specs.iter().map(|spec| (spec.target_id.as_str(), places(spec, root, survey))).collect();
    let mut found: Vec<(Phase, Detected)> = Vec::new();
    for spec in specs {
        let others = spec.applies.unless.iter().filter_map(|id| places.get(id.as_str())).flatten();
        let served: BTreeSet<&str> =
            others.flat_map(|place| &place.serves).map(String::as_str).collect();
        let is_served = |folder: &str| upwards(folder).any(|above| served.contains(above));
        let own = places.get(spec.target_id.as_str()).into_iter().flatten();
        let own = own.filter(|place| !is_needless(spec, place, survey, is_served));
        let mut detected: Vec<Detected> =
            own.take(MOST_FOLDERS).map(|place| detected(spec, place, survey)).collect();
        if !has_markers(spec) {
            detected.iter_mut().for_each(|one| one.files.retain(|f| !is_served(folder_of(f))));
        }
        detected.retain(|one| spec.unit == WorkUnit::Folder || !one.files.is_empty());
        found.extend(detected.into_iter().map(|one| (spec.phase, one)));
    }
    found.sort_by_key(|(phase, _)| *phase);
    found.into_iter().map(|(_, one)| one).collect()
}

/// Tells where one spec applies, whatever the others do.
pub(crate) fn where_it_applies(
    spec: &ToolchainSpec,
    root: &Path,
    survey: &Survey,
) -> Vec<Detected> {
    let places = places(spec, root, survey);
    let found = places.iter().take(MOST_FOLDERS).map(|place| detected(spec, place, survey));
    found.filter(|one| spec.unit == WorkUnit::Folder || !one.files.is_empty()).collect()
}

fn has_markers(spec: &ToolchainSpec) -> bool {
    !spec.applies.markers.is_empty()
}

// Others do the same for the folder, or for all of it that is to be checked. What is given files is
// asked about each of them instead.
fn is_needless(
    spec: &ToolchainSpec,
    place: &Place,
    survey: &Survey,
    is_served: impl Fn(&str) -> bool,
) -> bool {
    if !has_markers(spec) {
        return false;
    }
    let mut asked_for = survey.scope.iter().filter(|path| is_in(path, &place.folder)).peekable();
    is_served(&place.folder)
        || (asked_for.peek().is_some() && asked_for.all(|path| is_served(path)))
}

fn detected(spec: &ToolchainSpec, place: &Place, survey: &Survey) -> Detected {
    Detected {
        target_id: spec.target_id.clone(),
        folder: place.folder.clone(),
        files: its_files(spec, &place.folder, survey),
        because: place.because.clone(),
    }
}

fn places(spec: &ToolchainSpec, root: &Path, survey: &Survey) -> Vec<Place> {
    let neighbours = Neighbours::of(&spec.applies, survey);
    let places = match has_markers(spec) {
        true => marked_places(spec, root, survey, &neighbours),
        false => {
            let admitted = |path: &&String| neighbours.admit(folder_of(path));
            let first = survey.files.iter().filter(|path| is_its_file(spec, path)).find(admitted);
            let place = first.map(|path| Place {
                folder: String::new(),
                because: path.clone(),
                serves: BTreeSet::from([String::new()]),
            });
            place.into_iter().collect()
        }
    };
    places.into_iter().filter(|place| survey.concerns(&place.folder)).collect()
}

/// Returns the files below `folder` that a spec is given, relative to it.
pub(crate) fn its_files(spec: &ToolchainSpec, folder: &str, survey: &Survey) -> Vec<String> {
    if spec.unit == WorkUnit::Folder {
        return Vec::new();
    }
    let neighbours = Neighbours::of(&spec.applies, survey);
    let its_own = |path: &&String| is_its_file(spec, path) && survey.covers(path);
    let files = survey.files.iter().filter(its_own);
    let admitted = files.filter(|path| neighbours.admit(folder_of(path)));
    admitted.filter_map(|path| relative_to(folder, path)).map(str::to_owned).collect()
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

// The folders a spec runs in, outermost first.
fn marked_places(
    spec: &ToolchainSpec,
    root: &Path,
    survey: &Survey,
    neighbours: &Neighbours<'_>,
) -> Vec<Place> {
    let mut places: BTreeMap<String, Place> = BTreeMap::new();
    // A marker that lies where the tool runs says more than one that only shows its use.
    for at_top in [false, true] {
        for marker in spec.applies.markers.iter().filter(|marker| marker.at_top == at_top) {
            for path in marking_files(marker, root, survey) {
                let beside = folder_of(path);
                if !neighbours.admit(beside) {
                    continue;
                }
                let (folder, serves) = match neighbours.project_of(beside).filter(|_| at_top) {
                    Some(project) => (project, project),
                    None if at_top => ("", tested_by(beside)),
                    None => (beside, beside),
                };
                let place = places.entry(folder.to_owned()).or_insert_with(|| Place {
                    folder: folder.to_owned(),
                    because: path.clone(),
                    serves: BTreeSet::new(),
                });
                place.serves.insert(serves.to_owned());
            }
        }
        if !places.is_empty() {
            break;
        }
    }
    let folders: Vec<&str> = places.keys().map(String::as_str).collect();
    let chosen = chosen(spec, &folders, survey);
    places.into_values().filter(|place| chosen.contains(&place.folder)).collect()
}

fn tested_by(folder: &str) -> &str {
    upwards(folder).find(|above| !TEST_FOLDERS.contains(&file_name(above))).unwrap_or_default()
}

// The outermost of the marked folders, or those nearest to what is to be checked.
fn chosen(spec: &ToolchainSpec, folders: &[&str], survey: &Survey) -> BTreeSet<String> {
    let by_scope = spec.applies.nearest && survey.reach == Reach::Nearest;
    if survey.scope.is_empty() || !by_scope {
        return outermost(spec, folders);
    }
    let mut chosen = BTreeSet::new();
    for path in &survey.scope {
        let nearest = upwards(path).find(|above| folders.contains(above));
        let below = folders.iter().copied().filter(|folder| is_in(folder, path));
        let near: BTreeSet<&str> = nearest.into_iter().chain(below).collect();
        chosen.extend(outermost(spec, &Vec::from_iter(near)));
    }
    chosen
}

// The folders are sorted, so that each comes before what is below it.
fn outermost(spec: &ToolchainSpec, folders: &[&str]) -> BTreeSet<String> {
    let mut kept: Vec<&str> = Vec::new();
    for folder in folders {
        if spec.applies.nested || !kept.iter().any(|outer| is_in(folder, outer)) {
            kept.push(folder);
        }
    }
    kept.into_iter().map(str::to_owned).collect()
}

fn marking_files<'a>(marker: &Marker, root: &Path, survey: &'a Survey) -> Vec<&'a String> {
    let named = survey.files.iter().filter(|path| name_matches(&marker.file, file_name(path)));
    if marker.contains.is_empty() && marker.declares.is_empty() {
        return named.collect();
    }
    named
        .take(MOST_OPENED)
        .filter(|path| {
            let bytes = read(&survey.place_of(root, path));
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
