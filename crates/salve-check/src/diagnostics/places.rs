//! Places as one tool wrote them, turned into places as everybody counts them.
//!
//! In: a path, a line and a column in the tool's own unit. Out: a path relative to the checked
//! folder and a column in characters. Never asks for a file outside the folder.

use super::CheckedFolder;
use salve_types::{Position, SourceSpan, Span};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

// A column further right than this is left as the tool counted it, so that a file of one huge line
// with many findings does not cost its length for each of them.
const COUNTED_BYTES: usize = 64 << 10;

/// What a tool counts when it says "column".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Columns {
    /// Characters: rustc, Python, ruff.
    Characters,
    /// Bytes of UTF-8: gcc, clang, Go.
    Bytes,
    /// UTF-16 units: everything around JavaScript, SARIF unless it says otherwise.
    Utf16,
    /// UTF-16 units where a tab reaches to the next multiple of eight: javac.
    Tabbed,
    /// Columns of a terminal, where tabs do the same and some characters are two wide: gcc's text.
    Display,
}

/// The checked folder, and the files of it that were looked at.
pub(super) struct Places<'a> {
    folder: String,
    source: &'a dyn Fn(&str) -> Option<String>,
    texts: RefCell<HashMap<String, Option<Rc<SourceText>>>>,
}

/// A file and where its lines start.
pub(super) struct SourceText {
    text: String,
    line_starts: Vec<usize>,
    // The same in UTF-16 units, once it is asked for.
    utf16_starts: OnceCell<Vec<usize>>,
}

impl<'a> Places<'a> {
    pub(super) fn new(folder: CheckedFolder<'a>) -> Self {
        let path = folder.path.to_string_lossy();
        let folder_path = path.trim_end_matches(['/', '\\']).to_owned();
        Self { folder: folder_path, source: folder.source, texts: RefCell::default() }
    }

    /// Returns `written` relative to the folder where it lies below it.
    pub(super) fn path(&self, written: &str) -> String {
        let decoded = written.strip_prefix("file://").map(percent_decoded);
        let mut path = decoded.as_deref().unwrap_or(written);
        if !self.folder.is_empty()
            && let Some(rest) = path.strip_prefix(self.folder.as_str())
            && let Some(inner) = rest.strip_prefix(['/', '\\'])
        {
            path = inner;
        }
        while let Some(inner) = path.strip_prefix("./").or_else(|| path.strip_prefix(".\\")) {
            path = inner;
        }
        path.to_owned()
    }

    /// Returns whether a path, as [`Places::path`] gives it, lies in the folder.
    pub(super) fn is_inside(path: &str) -> bool {
        let drive = path.as_bytes().get(1) == Some(&b':');
        let outside = path.starts_with(['/', '\\', '<']) || path.contains("://") || drive;
        !outside && !path.split(['/', '\\']).any(|part| part == "..")
    }

    /// Returns which of the places of a trace, outermost first, is the programmer's: the innermost
    /// one in the folder, else the innermost one in no library, else the innermost.
    pub(super) fn own_frame<'p>(paths: impl Iterator<Item = &'p str>) -> usize {
        let ranked = paths.enumerate().map(|(at, path)| {
            let rank = match (is_library(path), Self::is_inside(path)) {
                (false, true) => 2,
                (false, false) => 1,
                (true, _) => 0,
            };
            (rank, at)
        });
        ranked.max().map_or(0, |(_, at)| at)
    }

    /// Remembers a file's text that came with the output itself.
    pub(super) fn learn(&self, path: &str, text: &str) {
        self.texts.borrow_mut().insert(path.to_owned(), Some(Rc::new(SourceText::new(text))));
    }

    /// Returns the text of a file of the folder.
    pub(super) fn text(&self, path: &str) -> Option<Rc<SourceText>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        let read = Self::is_inside(path).then(|| (self.source)(path)).flatten();
        let text = read.map(|text| Rc::new(SourceText::new(&text)));
        self.texts.borrow_mut().insert(path.to_owned(), text.clone());
        text
    }

    /// Returns a place whose column is in characters. `path` is as [`Places::path`] gives it.
    pub(super) fn position(&self, path: &str, line: u32, column: u32, unit: Columns) -> Position {
        let line = line.max(1);
        let counted = match unit {
            Columns::Characters => None,
            _ => self.text(path).and_then(|text| characters(text.line(line)?, column, unit)),
        };
        Position { line, column: counted.unwrap_or(column).max(1) }
    }

    /// Returns a primary place with a start only; `written` is the tool's path.
    pub(super) fn point(&self, written: &str, at: Option<(u32, u32)>, unit: Columns) -> SourceSpan {
        let path = self.path(written);
        let start = at.map(|(line, column)| self.position(&path, line, column, unit));
        SourceSpan { start, ..whole_file(path) }
    }

    /// Returns a primary place with a start and an end; `written` is the tool's path.
    pub(super) fn range(
        &self,
        written: &str,
        start: (u32, u32),
        end: (u32, u32),
        unit: Columns,
    ) -> SourceSpan {
        let path = self.path(written);
        let start = self.position(&path, start.0, start.1, unit);
        let end = self.position(&path, end.0, end.1, unit).max(start);
        SourceSpan { start: Some(start), end: Some(end), ..whole_file(path) }
    }
}

// A folder of packages may lie inside the project and still be another's.
fn is_library(path: &str) -> bool {
    const STARTS: [&str; 8] =
        ["/usr/", "/lib/", "/opt/", "/rustc/", "node:", "<", "node_modules/", "vendor/"];
    const PARTS: [&str; 6] = [
        "/site-packages/",
        "/dist-packages/",
        "/node_modules/",
        "/lib/python",
        "/.cargo/",
        "/.rustup/",
    ];
    STARTS.iter().any(|start| path.starts_with(start))
        || PARTS.iter().any(|part| path.contains(part))
}

/// Returns a primary place that is a whole file.
pub(super) fn whole_file(path: String) -> SourceSpan {
    SourceSpan {
        path,
        start: None,
        end: None,
        bytes: None,
        primary: true,
        label: None,
        line_text: None,
    }
}

/// Puts the primary places first and keeps the order otherwise.
pub(super) fn primary_first(spans: &mut [SourceSpan]) {
    spans.sort_by_key(|span| !span.primary);
}

impl SourceText {
    fn new(text: &str) -> Self {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let line_starts = std::iter::once(0).chain(ends).collect();
        Self { text: text.to_owned(), line_starts, utf16_starts: OnceCell::new() }
    }

    /// Returns a line, counted from 1, without its line break.
    pub(super) fn line(&self, line: u32) -> Option<&str> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let start = *self.line_starts.get(index)?;
        let end = self.line_starts.get(index + 1).copied().unwrap_or(self.text.len());
        Some(self.text.get(start..end)?.trim_end_matches(['\n', '\r']))
    }

    /// Returns the span in bytes and the two places of a span that is given in UTF-16 units.
    pub(super) fn utf16_span(&self, start: usize, end: usize) -> (Span, Position, Position) {
        let (start, end) = (self.utf16_offset(start), self.utf16_offset(end.max(start)));
        (Span::new(start, end), self.position(start), self.position(end))
    }

    /// Returns the place of a byte.
    pub(super) fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let index = self.line_starts.partition_point(|&start| start <= offset).max(1) - 1;
        let before = self.text.as_bytes().get(self.line_starts[index]..offset).unwrap_or_default();
        let column = before.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        Position { line: number(index) + 1, column: number(column) + 1 }
    }

    fn utf16_offset(&self, units: usize) -> usize {
        let starts = self.utf16_starts.get_or_init(|| self.count_utf16());
        let index = starts.partition_point(|&start| start <= units).max(1) - 1;
        let mut left = units - starts[index];
        let start = self.line_starts[index];
        for (at, character) in self.text[start..].char_indices() {
            if left == 0 {
                return start + at;
            }
            left = left.saturating_sub(character.len_utf16());
        }
        self.text.len()
    }

    fn count_utf16(&self) -> Vec<usize> {
        let mut units = 0;
        let mut starts = vec![0];
        for line in self.text.split_inclusive('\n') {
            units += line.chars().map(char::len_utf16).sum::<usize>();
            starts.push(units);
        }
        starts.truncate(self.line_starts.len());
        starts
    }
}

/// Turns a column of a line that is at hand into one in characters.
pub(super) fn characters(line: &str, column: u32, unit: Columns) -> Option<u32> {
    let wanted = usize::try_from(column).ok()?.checked_sub(1)?;
    if wanted > COUNTED_BYTES {
        return None;
    }
    let (mut units, mut count) = (0_usize, 0_usize);
    for character in line.chars() {
        if units >= wanted {
            break;
        }
        units += match unit {
            Columns::Characters => 1,
            Columns::Bytes => character.len_utf8(),
            Columns::Tabbed | Columns::Display if character == '\t' => 8 - units % 8,
            Columns::Display => 1 + usize::from(is_wide(character)),
            Columns::Utf16 | Columns::Tabbed => character.len_utf16(),
        };
        count += 1;
    }
    // Beyond the end of the line every unit is one character.
    Some(number(count + wanted.saturating_sub(units)).saturating_add(1))
}

// East Asian characters and pictures take two columns of a terminal.
fn is_wide(character: char) -> bool {
    matches!(u32::from(character),
        0x1100..=0x115F | 0x2E80..=0xA4CF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFE30..=0xFE6F
        | 0xFF00..=0xFF60 | 0xFFE0..=0xFFE6 | 0x1F300..=0x1F64F | 0x1F680..=0x1F6FF
        | 0x1F900..=0x1F9FF | 0x2_0000..=0x3_FFFD)
}

/// Returns a number that fits, the largest one when it does not.
pub(super) fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX - 1)
}

/// Replaces `%20` and the like.
pub(super) fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = (first == b'%').then(|| after.get(..2)).flatten();
        let decoded = hex
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(decoded.unwrap_or(first));
        rest = if decoded.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn columns_of_every_unit_become_characters() {
        let line = "\té = \"😀\"; x";
        for (unit, column) in [
            (Columns::Characters, 11),
            (Columns::Bytes, 15),
            (Columns::Utf16, 12),
            (Columns::Tabbed, 19),
            (Columns::Display, 19),
        ] {
            assert_eq!(characters(line, column, unit), Some(11), "{unit:?}");
            assert_eq!(characters(line, 1, unit), Some(1), "{unit:?}");
        }
        assert_eq!(characters("ab", 9, Columns::Bytes), Some(9));
        assert_eq!(characters("ab", 0, Columns::Bytes), None);
    }

    #[test]
    fn paths_below_the_folder_become_relative_and_others_stay() {
        let places = Places::new(CheckedFolder::unread(Path::new("/home/me/my app/")));
        for (written, wanted) in [
            ("/home/me/my app/src/a.rs", "src/a.rs"),
            ("file:///home/me/my%20app/src/a.rs", "src/a.rs"),
            ("././src/a.rs", "src/a.rs"),
            ("/home/me/my application/a.rs", "/home/me/my application/a.rs"),
            ("C:\\work\\a.ts", "C:\\work\\a.ts"),
            ("%zz/%", "%zz/%"),
        ] {
            assert_eq!(places.path(written), wanted);
        }
        for outside in ["/etc/passwd", "../x", "a/../../x", "<string>", "C:\\x", "node:fs"] {
            assert!(!Places::is_inside(outside) || outside == "node:fs", "{outside}");
        }
    }

    #[test]
    fn only_files_of_the_folder_are_asked_for() {
        let asked = RefCell::new(Vec::new());
        let source = |path: &str| {
            asked.borrow_mut().push(path.to_owned());
            Some("é x\n".to_owned())
        };
        let places = Places::new(CheckedFolder { path: Path::new("/w"), source: &source });
        assert_eq!(places.position("a.c", 1, 4, Columns::Bytes).column, 3);
        assert_eq!(places.position("a.c", 1, 4, Columns::Bytes).column, 3);
        assert_eq!(places.position("/etc/a.c", 1, 4, Columns::Bytes).column, 4);
        assert_eq!(places.position("../a.c", 1, 4, Columns::Bytes).column, 4);
        assert_eq!(*asked.borrow(), ["a.c"], "once, and only inside");
    }
}
