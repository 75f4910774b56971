//! Envelopes as models write them, and what is read from them.

use crate::edits::sketch::sketch;
use crate::edits::{EditOptions, parse_edits};

fn drawn(input: &str) -> String {
    sketch(&parse_edits(input, &EditOptions::default()))
}

#[track_caller]
fn check(body: &str, expected: &str) {
    let input = format!("*** Begin Patch\n{body}*** End Patch\n");
    assert_eq!(drawn(&input), format!("apply_patch\n{expected}"), "\n{input}");
}

#[test]
fn c042_files_are_added_updated_deleted_and_moved() {
    check(
        "*** Add File: new/a.txt\n+one\n+\n+two\n*** Delete File: b.txt\n\
         *** Update File: c.txt\n*** Move to: d/c.txt\n@@ fn main\n k\n-x\n+y\n\
         *** Update File: e.txt\n*** Move to: f.txt\n",
        "new/a.txt: write \"one\\n\\ntwo\\n\"\nb.txt: delete\nc.txt: patch 1 to d/c.txt\n\
         @@ [fn main]\n=k\n-x\n+y\ne.txt: keep to f.txt\ncomplete\n",
    );
}

#[test]
fn chunks_carry_anchors_hints_and_the_end_of_the_file() {
    check(
        "*** Update File: a\n-first\n+1st\n@@\n k\n\n-x\n+y\n\n@@ class A\n@@ def f(self):\n-p\n+q\n\
         @@ -40,2 +40,2 @@ fn late()\n-r\n+s\n*** End of File\n",
        "a: patch 4\n@@\n-first\n+1st\n@@\n=k\n=\n-x\n+y\n@@ [class A] [def f(self):]\n-p\n+q\n\
         @@ 40 [fn late()] at end\n-r\n+s\ncomplete\n",
    );
}

#[test]
fn lines_without_a_place_go_to_the_end() {
    check("*** Update File: a\n@@\n+x\n", "a: patch 1\n@@ at end\n+x\ncomplete\n");
    check("*** Update File: a\n@@ fn f\n+x\n", "a: patch 1\n@@ [fn f]\n+x\ncomplete\n");
}

#[test]
fn markers_may_be_padded_and_wrapped() {
    let expected = "apply_patch\na: patch 1\n@@\n-x\n+y\ncomplete\n";
    for input in [
        " *** Begin Patch \n  *** Update File: a \n@@\n-x\n+y\n *** End Patch\n",
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\nEOF\n",
        "Sure:\n```\n*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\n```\nDone",
        "1. do\n   ```\n   *** Begin Patch\n   *** Update File: a\n   @@\n   -x\n   +y\n   *** End Patch\n   ```\n",
        "*** Begin Patch\r\n*** Update File: a\r\n@@\r\n-x\r\n+y\r\n*** End Patch\r\n",
        "*** Begin Patch\n\n*** Update File: a\n\n@@\n-x\n+y\n\n*** End Patch",
    ] {
        assert_eq!(drawn(input), expected, "\n{input}");
    }
    let set = drawn("*** Begin Patch\n*** Environment ID: e1\n*** Delete File: a\n*** End Patch\n");
    assert_eq!(set, "apply_patch\na: delete\ncomplete\nLOOSE_MARKER\n");
}

#[test]
fn a_padded_marker_inside_a_chunk_is_a_line_of_the_file() {
    check(
        "*** Update File: doc.md\n@@\n *** Add File: x\n-old\n+new\n",
        "doc.md: patch 1\n@@\n=*** Add File: x\n-old\n+new\ncomplete\n",
    );
    let twice =
        drawn("*** Begin Patch\n*** Update File: d\n@@\n-x\n *** End Patch\n+y\n*** End Patch\n");
    assert!(twice.contains("malformed at") && twice.contains("twice"), "{twice}");
}

#[test]
fn what_cannot_be_read_is_named_by_its_line() {
    for (body, why) in [
        ("", "line 2: the patch changes no file"),
        ("*** Update File: a\n", "line 2: the update of `a` is empty"),
        ("*** Frob File: a\n", "line 2: `*** Frob File: a` is no file header"),
        ("hello\n", "line 2: `hello` is no file header"),
        ("*** Update File: a\n@@\n", "line 2: a hunk has no lines"),
        ("*** Update File: a\n@@\n*** End of File\n", "line 4: the hunk above has no lines"),
        ("*** Update File: a\n@@\n-x\n+y\nz\n", "line 6: every line of a change begins"),
        ("*** Update File: a\n@@\n-x\n*** End of File\n-z\n", "line 6: a chunk begins with `@@`"),
        ("*** Add File: a\n+x\ny\n", "line 4: every line of a new file begins with `+`"),
        ("*** Update File:\n@@\n-x\n", "line 2: the file header names no file"),
        ("*** Delete File: a\n+x\n", "line 3: `+x` is no file header"),
        ("*** Update File: a\n@@\n-x\n*** Move to: b\n", "line 5: `*** Move to: b` is no file"),
    ] {
        let drawn = drawn(&format!("*** Begin Patch\n{body}*** End Patch\n"));
        assert!(drawn.contains("malformed at ") && drawn.contains(why), "{body}\n{drawn}");
    }
    for whole in [
        "*** Update File: a\n@@\n-x\n+y\n*** End Patch\n",
        "*** Update File: a\n@@\n-x\n+y\n",
        "Here:\n\n```\n*** Update File: a\n@@\n-x\n+y\n```\nDone.\n",
    ] {
        let expected = "apply_patch\na: patch 1\n@@\n-x\n+y\ncomplete\nLOOSE_MARKER\n";
        assert_eq!(drawn(whole), expected, "{whole}");
    }
    for cut in ["*** Update File: a\n@@\n-x\n+y", "```\n*** Update File: a\n@@\n-x\n+y\n"] {
        assert!(drawn(cut).contains("truncated"), "{cut}");
    }
}

#[test]
fn without_its_end_an_envelope_is_truncated_wherever_it_stops() {
    let whole =
        "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n@@ f\n k\n-x\n+y\n*** End Patch";
    for cut in "*** Begin Patch".len()..whole.len() {
        let drawn = drawn(&whole[..cut]);
        assert!(drawn.contains("truncated at 0: "), "{cut}\n{drawn}");
    }
    assert!(drawn(whole).contains("\ncomplete\n"));
}

#[test]
fn c191_a_chunk_without_effect_is_left_out() {
    check("*** Update File: a\n@@\n-x\n+x\n", "a: patch 0\ncomplete\nNO_EFFECT\n");
}

#[test]
fn updates_of_one_file_are_one_and_a_replaced_file_is_written() {
    check(
        "*** Update File: a\n@@\n-x\n+y\n*** Update File: a\n@@\n-p\n+q\n\
         *** Delete File: b\n*** Add File: b\n+new\n",
        "a: patch 2\n@@\n-x\n+y\n@@\n-p\n+q\nb: write \"new\\n\"\ncomplete\n",
    );
}
