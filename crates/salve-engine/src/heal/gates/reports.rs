//! What the diagnostics point at and name.
//!
//! In: diagnostics, and the files they speak of. Out: lines of files, and names. Never weighs one
//! diagnostic against another.

use crate::heal::Sources;
use salve_types::{Diagnostic, ErrorClass, Hint, Language, Severity, SourceSpan};
use std::collections::{BTreeMap, BTreeSet};

/// What the diagnostics point at and name.
pub(super) struct Reports {
    /// Places by file: the lines, and of which kind of error.
    places: BTreeMap<String, Vec<Place>>,
    /// Those files that are in the workspace by the very name.
    known: BTreeSet<String>,
    /// Names in messages, and in the lines that are pointed at.
    names: BTreeSet<String>,
    codes: BTreeSet<String>,
    /// Names that a tool calls unused.
    unused: BTreeSet<String>,
    behaviour: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) class: ErrorClass,
}

impl Place {
    /// Returns whether the file does not compile or pass a linter there, against a test that fails.
    pub(super) const fn is_static(self) -> bool {
        !matches!(self.class, ErrorClass::Test | ErrorClass::Runtime)
    }
}

impl Reports {
    pub(super) fn new(diagnostics: &[Diagnostic], sources: &dyn Sources) -> Self {
        let mut reports = Self {
            places: BTreeMap::new(),
            known: BTreeSet::new(),
            names: BTreeSet::new(),
            codes: BTreeSet::new(),
            unused: BTreeSet::new(),
            behaviour: false,
        };
        for diagnostic in diagnostics.iter().filter(|one| one.severity != Severity::Note) {
            reports.add(diagnostic);
        }
        // What says nowhere in code what is wrong is about how it behaves: a program that a build file
        // started and that failed.
        let in_code = |path: &str| {
            Language::from_path(path).is_some_and(|language| language != Language::Text)
        };
        let mut places = reports.places.iter().filter(|(path, _)| in_code(path));
        reports.behaviour |= !places.any(|(_, places)| places.iter().any(|one| one.is_static()));
        reports.known =
            reports.places.keys().filter(|path| sources.read(path).is_some()).cloned().collect();
        reports.add_pointed_names(sources);
        reports
    }

    fn add(&mut self, diagnostic: &Diagnostic) {
        let class = diagnostic.class;
        self.behaviour |= matches!(class, ErrorClass::Test | ErrorClass::Runtime);
        self.codes.extend(diagnostic.code.clone());
        self.unused.extend(diagnostic.hints.iter().filter_map(|hint| match hint {
            Hint::UnusedName { name } => Some(name.clone()),
            _ => None,
        }));
        self.add_names(&diagnostic.message);
        let notes = diagnostic.notes.iter();
        for note in notes.clone() {
            self.add_names(&note.message);
        }
        for suggestion in &diagnostic.suggestions {
            self.add_names(&suggestion.message);
        }
        let suggested = diagnostic.suggestions.iter().flat_map(|one| &one.edits);
        let spans = (diagnostic.spans.iter())
            .chain(notes.flat_map(|note| &note.spans))
            .chain(suggested.map(|edit| &edit.span));
        for span in spans {
            self.add_place(span, class);
        }
    }

    fn add_place(&mut self, span: &SourceSpan, class: ErrorClass) {
        if let Some(label) = &span.label {
            self.add_names(label);
        }
        let first = span.start.map_or(0, |start| start.line);
        let last = span.end.map_or(first, |end| end.line).max(first);
        let path = span.path.replace('\\', "/");
        self.places.entry(path).or_default().push(Place { first, last, class });
    }

    fn add_names(&mut self, text: &str) {
        self.names.extend(words(text).map(str::to_owned));
    }

    // What is called or read where the error is may be what is wrong.
    fn add_pointed_names(&mut self, sources: &dyn Sources) {
        let mut found = BTreeSet::new();
        for (path, places) in &self.places {
            let Some(text) = sources.read(path) else { continue };
            let lines: Vec<&str> = text.lines().collect();
            for place in places.iter().filter(|place| place.first > 0) {
                let first = usize::try_from(place.first).unwrap_or(usize::MAX) - 1;
                let last = usize::try_from(place.last).unwrap_or(usize::MAX).min(first + 20);
                for line in lines.get(first..last.min(lines.len())).unwrap_or_default() {
                    found.extend(words(line).map(str::to_owned));
                }
            }
        }
        self.names.extend(found);
    }

    /// Returns whether a name is spoken of.
    pub(super) fn name(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Returns whether a tool says that a name is not used.
    pub(super) fn is_unused(&self, name: &str) -> bool {
        self.unused.contains(name)
    }

    /// Returns whether a tool used this code.
    pub(super) fn code(&self, code: &str) -> bool {
        self.codes.contains(code)
    }

    /// Returns whether a test or a run failed: what is wrong may be far from where it shows.
    pub(super) const fn is_behaviour(&self) -> bool {
        self.behaviour
    }

    /// Lists the places in a file.
    pub(super) fn places(&self, path: &str) -> impl Iterator<Item = Place> {
        let of_file = self.places.iter().filter(move |(named, _)| {
            *named == path || (!self.known.contains(*named) && is_same(named, path))
        });
        of_file.flat_map(|(_, places)| places.iter().copied())
    }

    /// Returns whether a line of a file is pointed at.
    pub(super) fn points_at(&self, path: &str, first: u32, last: u32) -> bool {
        self.places(path).any(|place| place.first <= last && first <= place.last)
    }
}

// A tool may name a file from its own folder, or from the root.
fn is_same(named: &str, path: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    if named.starts_with('/') {
        return ends(named, path);
    }
    let named = named.trim_start_matches("./");
    !named.is_empty() && ends(path, named)
}

/// Lists the words of a text that can be names.
pub(in crate::heal) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$')
        .filter(|word| word.len() > 1 && !word.starts_with(|first: char| first.is_ascii_digit()))
}
