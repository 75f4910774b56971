//! A change as a patch that `git apply` reads.
//!
//! In: the files as they shall be, and the folder as it is. Out: a file with a unified diff. Never
//! touches the folder.

use crate::failure::Failure;
use salve_engine::heal::Patch;
use salve_tree::{ShownAs, change_hunks};
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Writes a patch.
pub(super) fn write(file: &Path, patch: &Patch, root: &Path) -> Result<(), Failure> {
    let text = unified(patch, root);
    File::create(file)
        .and_then(|mut open| open.write_all(&text))
        .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", file.display())))
}

/// Returns the unified diff of a patch.
pub(super) fn unified(patch: &Patch, root: &Path) -> Vec<u8> {
    let mut text = Vec::new();
    for (path, after) in &patch.files {
        let before = std::fs::read(root.join(path)).ok();
        let name = |there: bool, side: char| match there {
            true => format!("{side}/{path}"),
            false => "/dev/null".to_owned(),
        };
        let heading = format!(
            "diff --git a/{path} b/{path}\n--- {}\n+++ {}\n",
            name(before.is_some(), 'a'),
            name(after.is_some(), 'b')
        );
        text.extend(heading.into_bytes());
        let after = after.as_deref().unwrap_or_default();
        for hunk in change_hunks(&before.unwrap_or_default(), after.as_bytes()) {
            let (old, new) =
                ((hunk.old_first_line, hunk.old_lines), (hunk.new_first_line, hunk.new_lines));
            text.extend(format!("@@ -{},{} +{},{} @@\n", old.0, old.1, new.0, new.1).into_bytes());
            for (kind, line) in &hunk.lines {
                text.push(match kind {
                    ShownAs::Context => b' ',
                    ShownAs::Removed => b'-',
                    ShownAs::Added => b'+',
                });
                text.extend_from_slice(line);
                if !line.ends_with(b"\n") {
                    text.extend_from_slice(b"\n\\ No newline at end of file\n");
                }
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_has_the_lines_of_both_sides_and_the_missing_newline() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = File::create(folder.path().join("a.txt")).unwrap();
        file.write_all(b"one\ntwo\nthree").unwrap();
        let patch =
            Patch { files: [("a.txt".to_owned(), Some("one\n2\nthree".to_owned()))].into() };
        let text = String::from_utf8(unified(&patch, folder.path())).unwrap();
        insta::assert_snapshot!(text, @r"
        diff --git a/a.txt b/a.txt
        --- a/a.txt
        +++ b/a.txt
        @@ -1,3 +1,3 @@
         one
        -two
        +2
         three
        \ No newline at end of file
        ");
    }
}
