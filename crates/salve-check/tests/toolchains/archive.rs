//! Folders written in one file.
//!
//! In: text in which a line `-- NAME --` begins a file. Out: the files in order. What is before
//! the first such line is a comment.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test's own scratch folder; a failure here is a failed test"
)]

use std::path::Path;

/// The files of an archive: name and text.
pub(crate) struct Archive {
    pub(crate) files: Vec<(String, String)>,
}

impl Archive {
    pub(crate) fn read(text: &str) -> Self {
        let mut files: Vec<(String, String)> = Vec::new();
        for line in text.split_inclusive('\n') {
            let name =
                line.trim_end().strip_prefix("-- ").and_then(|rest| rest.strip_suffix(" --"));
            match (name, files.last_mut()) {
                (Some(name), _) => files.push((name.to_owned(), String::new())),
                (None, Some((_, text))) => text.push_str(line),
                (None, None) => {}
            }
        }
        Self { files }
    }

    /// Returns the text of a file.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|(other, _)| other == name).map(|(_, text)| text.as_str())
    }

    /// Writes the files of a folder of the archive, and those of `both`.
    pub(crate) fn write(&self, folder: &str, place: &Path) {
        for (name, text) in &self.files {
            let Some((first, rest)) = name.split_once('/') else { continue };
            if first == folder || first == "both" {
                let path = place.join(rest);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
        }
    }
}
