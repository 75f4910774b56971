//! What the normaliser takes out and what it leaves.

use super::normalise;
use proptest::prelude::*;

#[test]
fn h08_the_name_after_a_path_survives() {
    assert_eq!(normalise("No module named /srv/app/foo"), "No module named <PATH>foo");
    assert_eq!(normalise("No module named /home/me/foo"), "No module named <PATH>foo");
    assert_ne!(normalise("No module named foo"), normalise("No module named bar"));
    assert_ne!(normalise("No module named /a/foo"), normalise("No module named /a/bar"));
}

#[test]
fn h07_what_changes_from_run_to_run_becomes_a_placeholder() {
    let cases = [
        ("at /srv/app/main.py:12:5: bad", "at <PATH>:<LINE>: bad"),
        ("src/main.rs:7:12", "<PATH>:<LINE>"),
        ("{closure@src/a.rs:12:25: 12:33}", "{closure@<PATH>:<LINE>}"),
        ("/home/dev/My Project/a.rs:3:4: x", "<PATH>:<LINE>: x"),
        ("open '/home/dev/My Project/n.txt'", "open '<PATH>n.txt'"),
        ("open '/tmp/tmpzengkr7c/x.txt'", "open '<PATH>x.txt'"),
        ("C:\\Users\\me\\a.txt is gone", "<PATH>a.txt is gone"),
        ("file.ts(1,14): error TS2304", "<PATH>:<LINE>: error TS2304"),
        ("File \"/srv/a.py\", line 14, in f", "File \"<PATH>a.py\", line <LINE>, in f"),
        ("12 | let x = 1;", "<LINE> | let x = 1;"),
        ("2026-03-16T04:33:57.740Z [pid 68823] go", "<TIME> [pid <PID>] go"),
        ("2026-03-16 04:33:57,740 go", "<TIME> go"),
        ("Mon, 16 Nov 2026 03:31:02 +0000 go", "<TIME> go"),
        ("Nov 16 03:31:02 host x", "<TIME> host x"),
        ("at 1763262662.123 end", "at <TIME> end"),
        ("finished in 0.81s", "finished in <DURATION>"),
        ("took 1m02.5s and 12 ms", "took <DURATION> and <DURATION>"),
        ("==4692==ERROR: x", "==<PID>==ERROR: x"),
        ("frob[4711]: bad", "frob[<PID>]: bad"),
        ("object at 0x7f2920bb5790>", "object at <ADDR>>"),
        ("java.lang.Object@1b6d3586", "java.lang.Object@<ADDR>"),
        ("offset 0x18 of it", "offset 0x18 of it"),
        ("id 123e4567-e89b-12d3-a456-426614174000", "id <UUID>"),
        ("/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/x", "<PATH>x"),
        ("commit 59807616e1fa2540724bfbac14d7976d7e4a3860", "commit <HASH>"),
        ("a::b::h0123456789abcdef", "a::b::<HASH>"),
        ("listening on localhost:34567", "listening on localhost:<PORT>"),
        ("http://127.0.0.1:8080/a/b.js", "http://127.0.0.1:<PORT>/a/b.js"),
        ("port 8080 in use", "port <PORT> in use"),
        ("PYTHONHASHSEED=42 seed: 77", "PYTHONHASHSEED=<SEED> seed: <SEED>"),
        ("/tmp/ccAb12Cd.o", "<PATH><TMP>"),
        ("45% done ==========", "<PROGRESS> done ==="),
        ("\u{1b}[31merror\u{1b}[0m: x", "error: x"),
        ("10%\r50%\r100% ok", "<PROGRESS> ok"),
        ("read/write of key/value", "read/write of key/value"),
        ("github.com/pkg/errors", "github.com/pkg/errors"),
        ("E0425 and 3 of 4", "E0425 and 3 of 4"),
    ];
    for (text, expected) in cases {
        assert_eq!(normalise(text), expected, "{text}");
        assert_eq!(normalise(expected), expected, "twice: {text}");
    }
}

#[test]
fn h07_one_error_of_two_runs_is_one_text() {
    let first = "2026-11-16T03:31:02Z [pid 17] frob: /srv/a/conf.ini:3: bad key near 0x7ffd1234abcd after 0.5s";
    let second = "2026-12-24T18:00:00Z [pid 99123] frob: /home/x y/b/conf.ini:41: bad key near 0x7ffc0000beef after 12.25s";
    assert_eq!(normalise(first), normalise(second));
}

#[test]
fn hostile_text_is_taken() {
    let cases = [
        "\0\u{1b}\u{1b}[[[".to_owned(),
        "/".repeat(100_000),
        ":1".repeat(100_000),
        "\u{1b}]".repeat(50_000),
        "'/a b".repeat(50_000),
        "/a b ".repeat(50_000),
        "é’𝄞<PATH".repeat(10_000),
        "x@/".repeat(50_000),
    ];
    for text in cases {
        let once = normalise(&text);
        assert_eq!(normalise(&once), once);
    }
}

proptest! {
    #[test]
    fn normalising_twice_is_normalising_once(text in "[ -~é‘’\n\t]{0,80}") {
        let once = normalise(&text);
        prop_assert_eq!(normalise(&once), once);
    }

    #[test]
    fn no_text_is_refused(text in any::<String>()) {
        let once = normalise(&text);
        prop_assert_eq!(normalise(&once), once);
    }
}
