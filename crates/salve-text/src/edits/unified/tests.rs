//! Diffs as models and git write them, and what is read from them.

use crate::edits::sketch::sketch;
use crate::edits::{EditOptions, parse_edits};

#[track_caller]
fn check(input: &str, expected: &str) {
    let set = parse_edits(input, &EditOptions::default());
    assert_eq!(sketch(&set), expected.trim_start_matches('\n'), "\n{input}");
}

#[test]
fn a_plain_diff_is_read_as_written() {
    check(
        "--- a/src/x.rs\n+++ b/src/x.rs\n@@ -3,3 +3,4 @@ fn main() {\n one\n-two\n+2\n+2b\n three\n",
        "
unified_diff
src/x.rs: patch 1
@@ 3 [fn main() {]
=one
-two
+2
+2b
=three
complete
",
    );
}

#[test]
fn wrong_counts_are_reported_and_the_lines_believed() {
    for header in ["@@ -1,9 +1,9 @@", "@@ -1 +1 @@", "@@ -1,0 +1,77 @@", "@@ -1,3 @@"] {
        let set = parse_edits(
            &format!("--- x\n+++ x\n{header}\n a\n-b\n+c\n+d\n e\n"),
            &EditOptions::default(),
        );
        let drawn = sketch(&set);
        assert!(drawn.contains("=a\n-b\n+c\n+d\n=e\ncomplete\nHUNK_COUNT\n"), "{header}\n{drawn}");
    }
}

#[test]
fn headers_of_hunks_come_in_many_shapes() {
    for (header, expected) in [
        ("@@", "@@"),
        ("@@ @@", "@@"),
        ("@@ ... @@", "@@"),
        ("@@ … @@", "@@"),
        ("@@ -7 +7 @@", "@@ 7"),
        ("@@ -7 +7", "@@ 7"),
        ("@@-7 +7@@ impl A", "@@ 7 [impl A]"),
        ("@@ def run(self):", "@@ [def run(self):]"),
        ("@@ class A @@", "@@ [class A]"),
        ("@@ -x,y +1 @@ fn f", "@@ [fn f]"),
        ("@@ -99999999999999 +1 @@", "@@ [-99999999999999 +1]"),
    ] {
        check(
            &format!("--- x\n+++ x\n{header}\n-b\n+c\n"),
            &format!("unified_diff\nx: patch 1\n{expected}\n-b\n+c\ncomplete\n"),
        );
    }
}

#[test]
fn several_files_with_talk_and_fences_between_them() {
    check(
        "First:\n\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n\nThen `--- this`:\n\n\
         1. more\n   ```diff\n   --- a/y\n   +++ b/y\n   @@\n    k\n   -c\n   +d\n   ```\nDone.\n",
        "
unified_diff
x: patch 1
@@ 1
-a
+b
y: patch 1
@@
=k
-c
+d
complete
",
    );
}

#[test]
fn talk_around_a_diff_is_no_part_of_it() {
    check(
        "Fix:\n--- x\n+++ x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\nThis does:\n- less\n+ more\n  indented\n",
        "
unified_diff
x: patch 1
@@ 1
=a
-b
+c
complete
",
    );
    check(
        "--- x\n+++ x\n@@ -1,7 +1,7 @@\n a\n-b\n+c\n\nThis renames b. Hope it helps.",
        "
unified_diff
x: patch 1
@@ 1
=a
-b
+c
truncated at 0: the text ends inside a line of a hunk that promises more lines
HUNK_COUNT
",
    );
}

#[test]
fn empty_lines_and_forgotten_prefixes_are_context() {
    check(
        "--- x\n+++ x\n@@ -1,5 +1,5 @@\n a\n\n-b\n+c\n\n\tfn d()\n@@ -9 +9 @@\n-k\n+l\n\n",
        "
unified_diff
x: patch 2
@@ 1
=a
=
-b
+c
=
=\tfn d()
@@ 9
-k
+l
complete
MISSING_PREFIX
"
        .replace("\\t", "\t")
        .as_str(),
    );
}

#[test]
fn an_empty_line_at_the_end_counts_where_it_is_promised() {
    let body = "-a\n+b\n\n@@ -9 +9 @@\n-k\n+l\n";
    let promised = format!("--- x\n+++ x\n@@ -1,2 +1,2 @@\n{body}");
    let extra = format!("--- x\n+++ x\n@@ -1 +1 @@\n{body}");
    check(&promised, "unified_diff\nx: patch 2\n@@ 1\n-a\n+b\n=\n@@ 9\n-k\n+l\ncomplete\n");
    check(&extra, "unified_diff\nx: patch 2\n@@ 1\n-a\n+b\n@@ 9\n-k\n+l\ncomplete\n");
}

#[test]
fn c042_git_headers_create_delete_rename_and_set_modes() {
    check(
        "diff --git a/new.sh b/new.sh\nnew file mode 100755\nindex 0000000..1111111\n\
         --- /dev/null\n+++ b/new.sh\n@@ -0,0 +1,2 @@\n+#!/bin/sh\n+ls\n\
         diff --git a/gone b/gone\ndeleted file mode 100644\nindex 1111111..0000000\n\
         --- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
         diff --git a/old name b/new name\nsimilarity index 90%\nrename from old name\n\
         rename to new name\nindex 1..2 100644\n--- a/old name\n+++ b/new name\n\
         @@ -1 +1 @@\n-p\n+q\n\
         diff --git a/run b/run\nold mode 100644\nnew mode 100755\n\
         diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n\
         diff --git a/moved b/there\nsimilarity index 100%\nrename from moved\nrename to there\n",
        "
unified_diff
new.sh: create \"#!/bin/sh\\nls\\n\" mode 755
gone: patch 1
@@ 1
-x
gone: delete
old name: patch 1 to new name
@@ 1
-p
+q
run: keep mode 755
empty: create \"\"
moved: keep to there
complete
",
    );
}

#[test]
fn new_and_deleted_files_without_git_headers() {
    check(
        "--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n\
         --- d.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n",
        "unified_diff\nn.txt: create \"a\\nb\"\nd.txt: patch 1\n@@ 1\n-a\n-b\nd.txt: delete\ncomplete\n",
    );
    check(
        "--- a/e.txt\n+++ b/e.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n",
        "unified_diff\ne.txt: patch 1\n@@\ntext \"\" \"a\\nb\\n\"\ncomplete\n",
    );
}

#[test]
fn what_a_diff_cannot_say_here_is_refused() {
    for (input, why) in [
        ("diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 4\nabc\n", "binary"),
        ("diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n", "binary"),
        ("diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n", "copied file"),
        (
            "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+t\n",
            "links",
        ),
        (
            "diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,2 @@@\n- a\n -b\n",
            "combined",
        ),
        (
            "*** x 2024\n--- y 2024\n***************\n*** 1,4 ****\n! a\n--- 1,4 ----\n! b\n",
            "context diff",
        ),
        ("diff --git a/p b/p q/p\nnew file mode 100644\nindex 0..e69de29\n", "which file"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "/dev/null"),
        ("--- \"a/x\\q\"\n+++ \"b/x\\q\"\n@@ -1 +1 @@\n-a\n+b\n", "quoted"),
        ("--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "no lines to remove"),
        ("--- a/x\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "no new lines"),
        (
            "diff --git a/x b/y\nrename from x\nindex 1..2\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
            "rename",
        ),
        ("--- x\n+++ x\nand then some talk\n", "no hunk"),
        ("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+a\r\n", "line ends"),
    ] {
        let set = parse_edits(input, &EditOptions::default());
        let drawn = sketch(&set);
        assert!(drawn.contains("malformed at") && drawn.contains(why), "{input}\n{drawn}");
    }
}

#[test]
fn a_cut_diff_is_truncated_and_a_miscounted_one_is_not() {
    for (input, why) in [
        ("```diff\n--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", "fence"),
        ("```diff\n--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n``", "fence"),
        ("--- x\n+++ x\n@@ -1,4 +1,4 @@\n a\n-b\n+retur", "inside a line"),
        ("--- x\n+++ x\n@@ -1,4 +1,4 @@\n", "no lines"),
        ("--- x\n+++ x\n", "hunks are not"),
        ("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n--- y", "header"),
        ("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n--- y\n", "hunks are not"),
        ("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n--- y\n+++ y\n", "hunks are not"),
        ("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/y b/y\n", "hunks are not"),
        ("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\ndiff --g", "next change"),
        ("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n@", "next change"),
        ("diff --git a/x b/x\nnew file mode 100644\nindex 0..e69d", "header"),
        ("diff --git a/x b/x\nnew file mode 100644\nindex 0..1234567\n", "hunks are not"),
        ("diff --git a/x b/y\nrename from x\nrename to dir", "header"),
        ("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n@@ -5,5 +5,5 @@\n c\n d\n", "fewer lines"),
        ("--- x\n+++ x\n@@ -5,5 +5,5 @@\n c\n d\n", "fewer lines"),
        ("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n@@ -5,5 +5,4 @@\n c\n-d\n e\n", "fewer lines"),
        ("--- x\n+++ x\n@@ -1,5 +1,6 @@\n a\n-b\n", "fewer lines"),
        ("--- x\n+++ x\n@@ -1,7 +1,7 @@\n a\n b\n c\n-d\n+e\n f\n", "fewer lines"),
        ("--- x\n+++ x\n@@ -4,6 +4,7 @@\n a\n b\n c\n+e\n f\n g\n", "fewer lines"),
        ("--- x\n+++ x\n@@ -98,6 +98,2 @@\n \n-b\n-c\n", "fewer lines"),
        ("--- x\n+++ x\n@@ -9,8 +9,6 @@\n a\n b\n c\n-d\n", "fewer lines"),
    ] {
        let set = parse_edits(input, &EditOptions::default());
        let drawn = sketch(&set);
        assert!(drawn.contains("truncated at") && drawn.contains(why), "{input}\n{drawn}");
    }
    for whole in [
        "--- x\n+++ x\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n",
        "```diff\n--- x\n+++ x\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n```",
        "--- x\n+++ x\n@@ -1,2 +1,2 @@\n a\n-b\n+c",
        "--- x\n+++ x\n@@ -1,5 +1,5 @@\n a\n b\n c\n-d\n+e\n f\n",
        "--- x\n+++ x\n@@ -1,9 +1,9 @@\n a\n b\n c\n-d\n+e\n f\n",
        "--- x\n+++ x\n@@\n a\n-b\n+c",
    ] {
        let drawn = sketch(&parse_edits(whole, &EditOptions::default()));
        assert!(drawn.contains("\ncomplete\n"), "{whole}\n{drawn}");
    }
}

#[test]
fn mail_around_a_diff_does_not_confuse() {
    check(
        "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n\
         From: A <a@example.org>\nSubject: [PATCH] about diffs\n\n\
         Lines like this were misread:\n\ndiff --git a/x b/x\n\nand `+++ b/x` too.\n---\n \
         f.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n\
         diff --git a/f.txt b/f.txt\nindex 1..2 100644\n--- a/f.txt\n+++ b/f.txt\n\
         @@ -1,2 +1,2 @@\n k\n-a\n+b\n-- \n2.43.0\n\n",
        "unified_diff\nf.txt: patch 1\n@@ 1\n=k\n-a\n+b\ncomplete\n",
    );
    // Without counts the version below it tells the signature from a removed line.
    check(
        "--- f\n+++ f\n@@\n-a\n+b\n-- \n2.43.0\n",
        "unified_diff\nf: patch 1\n@@\n-a\n+b\ncomplete\n",
    );
    check(
        "--- f\n+++ f\n@@ -1,3 +1 @@\n-a\n-- \n-- x\n+b\n",
        "unified_diff\nf: patch 1\n@@ 1\n-a\n-- \n-- x\n+b\ncomplete\n",
    );
}

#[test]
fn removed_lines_that_look_like_headers_are_told_by_the_counts() {
    check(
        "--- q.sql\n+++ q.sql\n@@ -1,2 +1,2 @@\n k\n--- old note\n+++ new note\n@@ -9 +9 @@\n-a\n+b\n",
        "unified_diff\nq.sql: patch 2\n@@ 1\n=k\n--- old note\n+++ new note\n@@ 9\n-a\n+b\ncomplete\n",
    );
    // A header that follows a hunk whose counts promise too much.
    check(
        "--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n",
        "unified_diff\nx: patch 1\n@@ 1\n-a\n+b\ny: patch 1\n@@ 1\n-c\n+d\ncomplete\nHUNK_COUNT\n",
    );
    check(
        "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n",
        "unified_diff\nx: patch 1\n@@ 1\n-a\n+b\ny: patch 1\n@@ 1\n-c\n+d\ncomplete\nHUNK_COUNT\n",
    );
}

#[test]
fn missing_headers_are_noted() {
    check(
        "@@ -4,2 +4,2 @@\n a\n-b\n+c\n",
        "unified_diff\n?: patch 1\n@@ 4\n=a\n-b\n+c\ncomplete\nMISSING_HEADER\n",
    );
    check(
        "Change this:\n```diff\n-a = 1\n+a = 2\n```\n",
        "unified_diff\n?: patch 1\n@@\n-a = 1\n+a = 2\ncomplete\nMISSING_HEADER MISSING_HEADER\n",
    );
    check(
        "--- a/x\n+++ b/x\n-a = 1\n+a = 2\n",
        "unified_diff\nx: patch 1\n@@\n-a = 1\n+a = 2\ncomplete\nMISSING_HEADER\n",
    );
    check("+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "unified_diff\nx: patch 1\n@@ 1\n-a\n+b\ncomplete\n");
    check(
        "+++ b/x\n--- a/x\n@@ -1 +1 @@\n-a\n+b\n",
        "unified_diff\nx: patch 1\n@@ 1\n-a\n+b\ncomplete\n",
    );
}

#[test]
fn carriage_returns_belong_to_the_transport() {
    check(
        "--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+c\r\n",
        "unified_diff\nx: patch 1\n@@ 1\n=a\n-b\n+c\ncomplete\n",
    );
}

#[test]
fn c190_lines_with_minus_and_plus_are_marked_and_legal_ones_are_not() {
    let merged = "-def fibonacci(nn+def fibonacci(n: int) -> int:";
    check(
        &format!("--- f.py\n+++ f.py\n@@\n{merged}\n     return n\n"),
        "unified_diff\nf.py: patch 1\n@@\n-def fibonacci(nn+def fibonacci(n: int) -> int:\n\
         =    return n\ncomplete\nMERGED_LINE\n",
    );
    // The counts say that the line was two.
    check(
        &format!("--- f.py\n+++ f.py\n@@ -1,2 +1,2 @@\n{merged}\n     return n\n"),
        "unified_diff\nf.py: patch 1\n@@ 1\n-def fibonacci(nn\n+def fibonacci(n: int) -> int:\n\
         =    return n\ncomplete\nHUNK_COUNT MERGED_LINE\n",
    );
    for legal in ["-x = a+b\n", "-x = a+b\n+x = a-b\n", "-i++\n", "-total = one+one\n"] {
        let text = format!("--- f.py\n+++ f.py\n@@\n{legal}");
        let drawn = sketch(&parse_edits(&text, &EditOptions::default()));
        assert!(!drawn.contains("MERGED_LINE") && drawn.contains("complete"), "{drawn}");
    }
}

#[test]
fn c190_a_promised_change_that_no_line_makes_is_malformed() {
    let drawn = sketch(&parse_edits(
        "--- x\n+++ x\n@@ -1,2 +1,3 @@\n a\n b\n c\n",
        &EditOptions::default(),
    ));
    assert!(drawn.contains("malformed at 12: the hunk's header promises"), "{drawn}");
}

#[test]
fn c191_a_diff_without_effect_is_noted_and_no_error() {
    for body in ["-a\n+a\n", " a\n-b\n+b\n c\n", " a\n b\n"] {
        let count = body.lines().filter(|line| !line.starts_with('+')).count();
        let text = format!("--- x\n+++ x\n@@ -1,{count} +1,{count} @@\n{body}");
        check(&text, "unified_diff\nx: patch 0\ncomplete\nNO_EFFECT\n");
    }
}

#[test]
fn the_old_name_is_meant_unless_it_is_a_backup() {
    for (old, new, expected) in [
        ("before.c", "after.c", "before.c"),
        ("x.c.orig", "x.c", "x.c"),
        ("before/x.c", "after/x.c", "x.c"),
        ("dir with space/x", "dir with space/x", "dir with space/x"),
        ("x.c 2024-02-03 10:00:00.0 -0700 (main)", "y.c 2024-02-03", "x.c"),
        ("\"a/\\303\\244\"", "\"b/\\303\\244\"", "ä"),
    ] {
        check(
            &format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n"),
            &format!("unified_diff\n{expected}: patch 1\n@@ 1\n-a\n+b\ncomplete\n"),
        );
    }
}

#[test]
fn two_diffs_of_one_file_are_one() {
    check(
        "```diff\n--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n```\nand\n```diff\n--- x\n+++ x\n@@ -9 +9 @@\n-c\n+d\n```\n",
        "unified_diff\nx: patch 2\n@@ 1\n-a\n+b\n@@ 9\n-c\n+d\ncomplete\n",
    );
}

#[test]
fn code_that_only_looks_like_a_diff_is_none() {
    for text in [
        "@@count = 0\n@@ivar\n",
        "--- Title\n\ntext\n",
        "- one\n+ two\n",
        "Use `@@` for that:\n\n@@ like this\n",
        "+++ Breaking +++\n",
        "-- SQL comment\n--- another\n",
    ] {
        let drawn = sketch(&parse_edits(text, &EditOptions::default()));
        assert!(!drawn.starts_with("unified_diff"), "{text}\n{drawn}");
    }
}
