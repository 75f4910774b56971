//! The executor beside real bash: the same line, the same outputs, the same ending, the same files.

use crate::workplace::{PATH, Workplace};
use salve_check::RunEnding;
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

/// Files that every line finds.
const FILES: [(&str, &str); 2] =
    [("numbers", "3\n1\n2\n"), ("noisy", "#!/bin/sh\necho out\necho err >&2\nexit 3\n")];

const LINES: &[&str] = &[
    "echo a b",
    "echo 'a  b' \"c\"",
    "true",
    "false",
    "false; echo after",
    "true && echo yes",
    "false && echo no",
    "false || echo yes",
    "true || echo no",
    "false && echo a || echo b",
    "true || echo a && echo b",
    "false || false || echo c && false; echo d",
    "false && echo a; echo b && echo c || echo d",
    "cat numbers | sort | head -n 1",
    "cat < numbers",
    "sort < numbers > sorted; cat sorted",
    "echo one > file; echo two >> file; cat file",
    "echo lost > file > other; cat file other",
    "sh noisy 2>&1",
    "sh noisy > both 2>&1; cat both",
    "sh noisy 2>&1 > out; cat out",
    "sh noisy 2>/dev/null",
    "sh noisy >/dev/null",
    "sh noisy 1>&2",
    "sh noisy | cat",
    "sh noisy 2>&1 | sort",
    "false | true",
    "true | false",
    "false | true && echo went on",
    "yes | head -n 3",
    "cat missing",
    "cat missing 2>/dev/null || echo no file",
    "cat < missing",
    "cat < missing; echo on",
    "echo a > missing/file; echo on",
    "echo a > .; echo on",
    "no-such-program-at-all; echo on",
    "no-such-program-at-all || echo fallback",
    "no-such-program-at-all 2> complaint; cat complaint",
    "echo a | no-such-program-at-all; echo on",
    "no-such-program-at-all | cat; echo on",
    "sh -c 'kill -9 $$'; echo on",
    "sh -c 'kill -9 $$' || echo killed",
    "sh -c 'kill -TERM $$'",
    "sh -c 'exit 200'",
    "echo a 0</dev/null",
    "wc -c < /dev/null",
    "cat",
    "printf '%s' '' | wc -c",
    "echo a 2>&1 >/dev/null | cat",
    "head -c 100000 /dev/zero | wc -c",
];

#[test]
fn c061_a_line_does_what_bash_would_do() {
    for line in LINES {
        let ours = ours(line);
        let theirs = theirs(line);
        assert_eq!(ours, theirs, "{line}");
    }
}

/// Everything that can be told apart afterwards.
#[derive(Debug, PartialEq)]
struct Seen {
    code: i32,
    out: String,
    err: String,
    files: BTreeMap<String, String>,
}

fn ours(line: &str) -> Seen {
    let place = Workplace::new();
    furnish(&place.work());
    let request = place.request(crate::workplace::plan(line));
    let run = salve_check::RunPrograms::run(&place.runner, &request);
    let run = run.unwrap_or_else(|error| panic!("{line}: {error}"));
    let code = match run.record.ending {
        RunEnding::Exited { code } => code,
        RunEnding::Signalled { signal } => 128 + signal,
        other => panic!("{line}: {other:?}"),
    };
    let err = text(&run.stderr.read_full(1 << 20).unwrap());
    Seen {
        code,
        out: text(&run.stdout.read_full(1 << 20).unwrap()),
        err,
        files: files(&place.work()),
    }
}

#[expect(clippy::disallowed_methods, reason = "the peer that the executor is compared with")]
fn theirs(line: &str) -> Seen {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let output = Command::new("/bin/bash")
        .args(["--noprofile", "--norc", "-c", line])
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", PATH)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    // Bash also tells of signals that ended a program.
    let err: String = text(&output.stderr)
        .lines()
        .filter(|line| !line.contains("Killed") && !line.contains("Terminated"))
        .map(|line| format!("{line}\n"))
        .collect();
    let signal = output.status.signal().map(|signal| 128 + signal);
    Seen {
        code: output.status.code().or(signal).unwrap(),
        out: text(&output.stdout),
        err,
        files: files(folder.path()),
    }
}

fn furnish(folder: &Path) {
    for (name, content) in FILES {
        std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(folder.join(name))
            .and_then(|mut file| std::io::Write::write_all(&mut file, content.as_bytes()))
            .unwrap();
    }
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name == ".salve" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            let inside = files(&entry.path());
            found.extend(inside.into_iter().map(|(below, text)| (format!("{name}/{below}"), text)));
        } else {
            found.insert(name, text(&std::fs::read(entry.path()).unwrap()));
        }
    }
    found
}

/// What was written, without the name of who complains.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("salve: ", "").replace("/bin/bash: line 1: ", "")
}
