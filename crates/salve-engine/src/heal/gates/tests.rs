//! Each rule of the gates, language by language: a text, what is changed in it, what the tools said.

mod silencing;

use super::*;
use crate::heal::machine::Confidence;
use crate::heal::testing::Files;
use crate::heal::{FixCommand, FixSource, Patch};
use salve_types::{ErrorClass, Position, Severity, SourceSpan};

/// A diagnostic of a kind at a line of a file.
fn said(path: &str, line: u32, class: ErrorClass, message: &str) -> Diagnostic {
    let mut diagnostic = Diagnostic::new("tool", Severity::Error, class, message);
    diagnostic.spans.push(SourceSpan {
        path: path.to_owned(),
        start: Some(Position { line, column: 1 }),
        end: None,
        bytes: None,
        primary: true,
        label: None,
        line_text: None,
    });
    diagnostic
}

fn candidate(path: &str, after: Option<&str>) -> Candidate {
    let files = [(path.to_owned(), after.map(str::to_owned))].into();
    Candidate {
        source: FixSource::Model,
        author: "model".to_owned(),
        description: String::new(),
        confidence: Confidence::Unstated,
        origin: FixOrigin::Derived,
        pinned: false,
        patch: Patch { files },
        commands: Vec::new(),
        changed_lines: 1,
        round: 0,
    }
}

fn judged(path: &str, before: &str, after: &str, said: &[Diagnostic]) -> Option<GateRule> {
    let files = Files::of([(path, before)]);
    let judged = judge(&candidate(path, Some(after)), &files, said, GateOptions::default());
    judged.err().map(|refusal| refusal.rule)
}

/// Replaces the first occurrence, which must be there.
fn with(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "{old}");
    text.replacen(old, new, 1)
}

const RUST: &str = "\
use std::fs;

/// Reads.
pub fn read(path: &str) -> String {
    let text = fs::read_to_string(path);
    text.unwrap_or_default()
}

struct Counter {
    count: u32,
}

impl Counter {
    fn add(&mut self, by: u32) {
        assert!(by < 100);
        self.count += by;
    }

    fn get(&self) -> u32 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let mut counter = Counter { count: 0 };
        counter.add(2);
        assert_eq!(counter.get(), 2);
    }
}
";

const PYTHON: &str = "\
import os

LIMIT = 10


def load(path):
    \"\"\"Loads.\"\"\"
    with open(path) as file:
        return file.read()


class Box:
    def __init__(self):
        self.items = []

    def put(self, item):
        if len(self.items) > LIMIT:
            raise ValueError(item)
        self.items.append(item)

    def size(self):
        return len(self.items)
";

const SCRIPT: &str = "\
import { join } from 'path';

export const limit = 10;

export function load(path: string): string {
  const full = join('a', path);
  return full;
}

export class Box {
  items: string[] = [];

  put(item: string) {
    if (this.items.length > limit) throw new Error(item);
    this.items.push(item);
  }

  size(): number {
    return this.items.length;
  }
}
";

const C: &str = "\
#include <stdio.h>

static int limit = 10;

int load(const char *path) {
    FILE *file = fopen(path, \"r\");
    return file != NULL;
}

struct box {
    int size;
};

int put(struct box *box, int item) {
    if (box->size > limit) return -1;
    box->size += item;
    return 0;
}
";

/// Path, text, what is replaced by what, the line and message of the error, and the rule.
type Case =
    (&'static str, &'static str, &'static str, &'static str, u32, &'static str, Option<GateRule>);

fn check_cases(cases: &[Case]) {
    for (index, (path, text, old, new, line, message, expected)) in cases.iter().enumerate() {
        let said = [said(path, *line, ErrorClass::Type, message)];
        let found = judged(path, text, &with(text, old, new), &said);
        assert_eq!(found, *expected, "case {index}: {path} `{old}` -> `{new}`");
    }
}

#[test]
fn a_repair_stays_in_what_the_errors_speak_of() {
    use GateRule::OtherItem;
    let other = Some(OtherItem);
    check_cases(&[
        // Where it is pointed at.
        ("a.rs", RUST, "fs::read_to_string(path)", "fs::read_to_string(&path)", 5, "E", None),
        ("a.rs", RUST, "self.count += by", "self.count -= by", 5, "mismatched", other),
        ("a.py", PYTHON, "open(path)", "open(str(path))", 8, "E", None),
        ("a.py", PYTHON, "self.items.append(item)", "self.items.insert(0, item)", 8, "E", other),
        ("a.ts", SCRIPT, "join('a', path)", "join('a', path, '')", 6, "E", None),
        ("a.ts", SCRIPT, "this.items.push(item)", "this.items.unshift(item)", 6, "E", other),
        ("a.c", C, "fopen(path, \"r\")", "fopen(path, \"rb\")", 6, "E", None),
        ("a.c", C, "box->size += item", "box->size -= item", 6, "E", other),
        // By name.
        ("a.rs", RUST, "by: u32", "by: u64", 5, "no method `add`", None),
        ("a.rs", RUST, "count: u32,", "count: u64,", 5, "expected `Counter`", None),
        ("a.rs", RUST, "self.count += by", "self.count -= by", 5, "of `Counter`", None),
        ("a.py", PYTHON, "def size(self)", "def size(self, x=1)", 8, "no attribute 'size'", None),
        ("a.ts", SCRIPT, "size(): number", "size(): string", 6, "Property 'size' is missing", None),
        (
            "a.c",
            C,
            "int put(struct box *box",
            "long put(struct box *box",
            6,
            "conflicting 'put'",
            None,
        ),
        ("a.c", C, "int limit = 10", "long limit = 10", 6, "'limit' undeclared", None),
        // Imports are free, wherever the error is.
        ("a.rs", RUST, "use std::fs;", "use std::fs;\nuse std::io::Read;", 19, "E", None),
        ("a.py", PYTHON, "import os", "import os\nimport sys", 20, "E", None),
        ("a.ts", SCRIPT, "{ join }", "{ join, resolve }", 18, "E", None),
        ("a.c", C, "#include <stdio.h>", "#include <stdio.h>\n#include <stdlib.h>", 16, "E", None),
        // Something new beside an error of the file.
        (
            "a.rs",
            RUST,
            "struct Counter",
            "impl Clone for Counter {}\n\nstruct Counter",
            5,
            "E",
            None,
        ),
        ("a.py", PYTHON, "class Box", "def new():\n    return 1\n\n\nclass Box", 8, "E", None),
        ("a.py", PYTHON, "\n\nclass Box", "\nload('x')\n\n\nclass Box", 8, "E", other),
    ]);
}

#[test]
fn an_error_of_another_file_gives_no_leave_here() {
    let said = [said("b.rs", 3, ErrorClass::Type, "cannot find `thing`")];
    let changed = with(RUST, "self.count += by", "self.count -= by");
    assert_eq!(judged("a.rs", RUST, &changed, &said), Some(GateRule::OtherItem));
    let added = with(RUST, "struct Counter", "fn thing() {}\n\nstruct Counter");
    assert_eq!(judged("a.rs", RUST, &added, &said), None, "it asks for it");
    let added = with(RUST, "struct Counter", "fn other() {}\n\nstruct Counter");
    assert_eq!(judged("a.rs", RUST, &added, &said), Some(GateRule::OtherItem));
}

#[test]
fn a_failing_test_leaves_a_few_items_free() {
    let said = [said("tests/b.rs", 3, ErrorClass::Test, "assertion failed")];
    let one = with(RUST, "self.count += by", "self.count -= by");
    assert_eq!(judged("a.rs", RUST, &one, &said), None);
    let mut text =
        (0..8).map(|at| format!("fn f{at}() -> u8 {{\n    {at}\n}}\n\n")).collect::<String>();
    text.push_str(&"// …\n".repeat(80));
    let many = (0..4).fold(text.clone(), |made, at| with(&made, &format!("    {at}\n"), "    9\n"));
    assert_eq!(judged("a.rs", &text, &many, &said), Some(GateRule::OtherItem));
}

#[test]
fn a_failed_program_of_a_build_file_leaves_a_few_items_free() {
    let one = with(RUST, "self.count += by", "self.count -= by");
    let make = said("Makefile", 2, ErrorClass::Build, "[Makefile:2: check] Aborted");
    assert_eq!(judged("a.rs", RUST, &one, std::slice::from_ref(&make)), None);
    let compiler = said("b.rs", 3, ErrorClass::Type, "cannot find `thing`");
    assert_eq!(judged("a.rs", RUST, &one, &[make, compiler]), Some(GateRule::OtherItem));
}

#[test]
fn a_text_that_is_not_of_its_language_may_be_mended_anywhere() {
    let broken = with(RUST, "    self.count\n    }", "    self.count\n");
    let said = [said("a.rs", 33, ErrorClass::Syntax, "this file contains an unclosed delimiter")];
    assert_eq!(judged("a.rs", &broken, RUST, &said), None);
    let broken = with(PYTHON, "        if len", "      if len");
    let said = [self::said("a.py", 17, ErrorClass::Syntax, "unindent does not match")];
    assert_eq!(judged("a.py", &broken, PYTHON, &said), None);
    let broken = with(SCRIPT, "  return full;\n}", "  return full;\n");
    let said = [self::said("a.ts", 20, ErrorClass::Syntax, "'}' expected")];
    assert_eq!(judged("a.ts", &broken, SCRIPT, &said), None);
}

#[test]
fn another_program_is_no_repair() {
    let said = [said("a.rs", 5, ErrorClass::Type, "E")];
    let other = "pub fn read(path: &str) -> String {\n    String::new()\n}\n";
    assert_eq!(judged("a.rs", RUST, other, &said), Some(GateRule::TestFile), "its tests go");
    let plain = RUST.split("#[cfg(test)]").next().unwrap();
    assert_eq!(
        judged("a.rs", plain, other, &said),
        Some(GateRule::WeakenedTest),
        "an assertion goes"
    );
    assert_eq!(judged("a.py", PYTHON, "import os\n", &said), Some(GateRule::TooMuch));
    assert_eq!(judged("a.ts", SCRIPT, C, &said), Some(GateRule::TooMuch));
    let lost = with(RUST, "    fn get(&self) -> u32 {\n        self.count\n    }\n", "");
    assert_eq!(judged("a.rs", RUST, &lost, &said), Some(GateRule::LostDefinition));
    let lost = with(C, "struct box {\n    int size;\n};\n", "");
    assert_eq!(judged("a.c", C, &lost, &said), Some(GateRule::LostDefinition));
    let lost = with(SCRIPT, "  size(): number {\n    return this.items.length;\n  }\n", "");
    assert_eq!(judged("a.ts", SCRIPT, &lost, &said), Some(GateRule::LostDefinition));
    let moved = PYTHON.lines().map(|line| format!("  {line}\n")).collect::<String>();
    let at_fault = [self::said("a.py", 2, ErrorClass::Syntax, "unexpected indent")];
    assert_eq!(judged("a.py", &moved, PYTHON, &at_fault), None, "indentation is no rewriting");
    // Of two definitions of one name, one may go.
    let twice = format!("{C}\nint put(struct box *box, int item) {{\n    return item;\n}}\n");
    let said = [self::said("a.c", 19, ErrorClass::Type, "redefinition of 'put'")];
    assert_eq!(judged("a.c", &twice, C, &said), None);
}

#[test]
fn a_tool_and_a_person_may_change_more() {
    let said = [said("a.py", 8, ErrorClass::Lint, "E")];
    let files = Files::of([("a.py", PYTHON)]);
    let changed = with(PYTHON, "return len(self.items)", "return sum(1 for _ in self.items)");
    let mut fix = candidate("a.py", Some(&changed));
    let by_tool = Candidate { origin: FixOrigin::Tool, ..fix.clone() };
    assert!(judge(&fix, &files, &said, GateOptions::default()).is_err());
    assert!(judge(&by_tool, &files, &said, GateOptions::default()).is_ok());
    assert!(judge(&fix, &files, &said, GateOptions { allow_large: true }).is_ok());
    // Silencing is for nobody but a tool or a pin.
    let silenced = with(PYTHON, "return file.read()", "return file.read()  # noqa");
    fix = candidate("a.py", Some(&silenced));
    assert!(judge(&fix, &files, &said, GateOptions { allow_large: true }).is_err());
    let pinned = Candidate { pinned: true, ..fix };
    assert!(judge(&pinned, &files, &said, GateOptions { allow_large: true }).is_ok());
}

#[test]
fn silencing_is_named_and_refused() {
    use GateRule::{Silenced, Stub, SwallowedError};
    let (rust, python, script, c) = ("a.rs", "a.py", "a.ts", "a.c");
    let (silenced, swallowed, stub) = (Some(Silenced), Some(SwallowedError), Some(Stub));
    let (read, load) = ("    let text = fs::read_to_string(path);", "        return file.read()");
    let full = "  const full = join('a', path);";
    let file = "    FILE *file = fopen(path, \"r\");";
    check_cases(&[
        (rust, RUST, "/// Reads.", "/// Reads.\n#[allow(unused)]", 5, "E", silenced),
        (rust, RUST, "use std::fs;", "#![allow(warnings)]\nuse std::fs;", 5, "E", silenced),
        (
            rust,
            RUST,
            "/// Reads.",
            "/// Reads.\n#[cfg_attr(all(), allow(dead_code))]",
            5,
            "E",
            silenced,
        ),
        (rust, RUST, "/// Reads.", "/// Reads.\n#[expect(unused)]", 5, "E", silenced),
        (
            rust,
            RUST,
            read,
            "    let text = unsafe { std::mem::zeroed::<Result<String, ()>>() };",
            5,
            "E",
            silenced,
        ),
        (
            rust,
            RUST,
            read,
            "    let _ = fs::read(path);\n    let text = fs::read_to_string(path);",
            5,
            "E",
            swallowed,
        ),
        (
            rust,
            RUST,
            read,
            "    fs::read(path).ok();\n    let text = fs::read_to_string(path);",
            5,
            "E",
            swallowed,
        ),
        (rust, RUST, "    text.unwrap_or_default()", "    todo!()", 5, "E", stub),
        (rust, RUST, "    text.unwrap_or_default()", "    unimplemented!(\"later\")", 5, "E", stub),
        (rust, RUST, read, "    let text = fs::read_to_string(path); // #[allow(x)]", 5, "E", None),
        (python, PYTHON, load, "        return file.read()  # noqa: F821", 8, "E", silenced),
        (python, PYTHON, load, "        return file.read()  #type:ignore", 8, "E", silenced),
        (
            python,
            PYTHON,
            load,
            "        return file.read()  # pylint: disable=all",
            8,
            "E",
            silenced,
        ),
        (
            python,
            PYTHON,
            load,
            "        try:\n            return file.read()\n        except Exception:\n            pass",
            8,
            "E",
            swallowed,
        ),
        (
            python,
            PYTHON,
            load,
            "        try:\n            return file.read()\n        except OSError:\n            raise ValueError(path)",
            8,
            "E",
            None,
        ),
        (python, PYTHON, load, "        raise NotImplementedError", 8, "E", stub),
        (
            python,
            PYTHON,
            "    with open(path) as file:\n        return file.read()",
            "    pass",
            8,
            "E",
            stub,
        ),
        (
            script,
            SCRIPT,
            full,
            "  // @ts-ignore\n  const full = join('a', path);",
            6,
            "E",
            silenced,
        ),
        (
            script,
            SCRIPT,
            full,
            "  // @ts-expect-error\n  const full = join('a', path);",
            6,
            "E",
            silenced,
        ),
        (
            script,
            SCRIPT,
            full,
            "  /* eslint-disable */\n  const full = join('a', path);",
            6,
            "E",
            silenced,
        ),
        (script, SCRIPT, "import {", "// @ts-nocheck\nimport {", 6, "E", silenced),
        (script, SCRIPT, full, "  const full = join('a', path as  any);", 6, "E", silenced),
        (script, SCRIPT, full, "  const full = <any>join('a', path);", 6, "E", silenced),
        (script, SCRIPT, full, "  const full: any = join('a', path);", 6, "E", silenced),
        (
            script,
            SCRIPT,
            full,
            "  let full = '';\n  try { full = join('a', path); } catch (e) { /* */ }",
            6,
            "E",
            swallowed,
        ),
        (script, SCRIPT, full, "  const full = join('a', path); // as any", 6, "E", None),
        (
            c,
            C,
            file,
            "#pragma GCC diagnostic ignored \"-Wall\"\n    FILE *file = fopen(path, \"r\");",
            6,
            "E",
            silenced,
        ),
        (c, C, file, "    FILE *file = fopen(path, \"r\"); // NOLINT", 6, "E", silenced),
    ]);
    // What is there may stay, and move.
    let had = with(PYTHON, "return file.read()", "return file.read()  # noqa");
    let moved = with(&had, "open(path)", "open(str(path))");
    assert_eq!(judged("a.py", &had, &moved, &[said("a.py", 8, ErrorClass::Type, "E")]), None);
    // An error that asks for it.
    let mut asks = said("a.rs", 5, ErrorClass::Type, "requires unsafe");
    asks.code = Some("E0133".to_owned());
    let fixed = with(RUST, "fs::read_to_string(path)", "unsafe { raw(path) }");
    assert_eq!(judged("a.rs", RUST, &fixed, &[asks]), None);
}

#[test]
fn tests_and_assertions_stay_what_they_are() {
    use GateRule::{LoadedFile, SkippedTest, TestFile, WeakenedTest};
    let test = "import unittest\n\nfrom box import Box\n\n\nclass TestBox(unittest.TestCase):\n    def test_put(self):\n        box = Box()\n        box.put(1)\n        self.assertEqual(box.size(), 1)\n\n    def test_empty(self):\n        assert Box().size() == 0\n";
    let path = "tests/test_box.py";
    let failing = [said(path, 10, ErrorClass::Test, "AssertionError: 0 != 1")];
    let broken = [said(path, 3, ErrorClass::Import, "cannot import name 'Box'")];
    let unknown = [said(path, 9, ErrorClass::Type, "no attribute `put`; did you mean `putt`?")];
    let cases: &[(&str, &str, &[Diagnostic], Option<GateRule>)] = &[
        ("box.size(), 1)", "box.size(), 0)", &failing, Some(TestFile)),
        ("from box import Box", "from boxes import Box", &failing, Some(TestFile)),
        ("from box import Box", "from boxes import Box", &broken, None),
        (
            "from box import Box",
            "from boxes import Box\n\n\n@unittest.skip('x')",
            &broken,
            Some(SkippedTest),
        ),
        ("        self.assertEqual(box.size(), 1)\n", "", &broken, Some(WeakenedTest)),
        ("        self.assertEqual", "        # self.assertEqual", &broken, Some(WeakenedTest)),
        ("box.size(), 1)", "box.size(), 0)", &broken, Some(WeakenedTest)),
        ("def test_empty", "def empty", &broken, Some(WeakenedTest)),
        // The definition may be what is misspelt.
        ("box.put(1)", "box.putt(1)", &unknown, Some(TestFile)),
        ("box.put(1)", "box.size(1)", &unknown, None),
    ];
    for (index, (old, new, said, expected)) in cases.iter().enumerate() {
        assert_eq!(judged(path, test, &with(test, old, new), said), *expected, "case {index}");
    }
    let inner = "assert_eq!(counter.get(), 2)";
    let failing = [said("a.rs", 32, ErrorClass::Test, "assertion failed")];
    let weaker = with(RUST, inner, "assert_eq!(counter.get(), 0)");
    assert_eq!(judged("a.rs", RUST, &weaker, &failing), Some(TestFile), "a test inside the file");
    let ignored = with(RUST, "    #[test]\n", "    #[test]\n    #[ignore]\n");
    assert_eq!(judged("a.rs", RUST, &ignored, &failing), Some(TestFile));
    let broken = [said("a.rs", 32, ErrorClass::Type, "no method `gets`")];
    let before = with(RUST, "assert_eq!(counter.get()", "assert_eq!(counter.gets()");
    assert_eq!(judged("a.rs", &before, RUST, &broken), None, "the assertion does not compile");
    let unasserted = with(RUST, "        assert!(by < 100);\n", "");
    let at = [said("a.rs", 15, ErrorClass::Runtime, "assertion failed: by < 100")];
    assert_eq!(judged("a.rs", RUST, &unasserted, &at), Some(WeakenedTest));
    let script = "import { Box } from './box';\n\nit('puts', () => {\n  expect(new Box().size()).toBe(0);\n});\n";
    let broken = [said("src/box.test.ts", 1, ErrorClass::Type, "no exported member 'Box'")];
    for skip in ["it.skip('puts'", "xit('puts'", "test.todo('puts'"] {
        let skipped = with(script, "it('puts'", skip);
        let found = judged("src/box.test.ts", script, &skipped, &broken);
        assert_eq!(found, Some(SkippedTest), "{skip}");
    }
    let files = Files::of([("a.py", PYTHON)]);
    for path in ["tests/conftest.py", "tests/test_new.py", "src/new.test.ts", "build.rs"] {
        let refusal = judge(&candidate(path, Some("x\n")), &files, &broken, GateOptions::default());
        assert_eq!(refusal.err().map(|refusal| refusal.rule), Some(LoadedFile), "{path}");
    }
}

#[test]
fn what_defines_the_check_is_not_changed() {
    use GateRule::{CheckSettings, DeletedFile, LockFile, ProtectedFile, Snapshot};
    let cases: &[(&str, &str, &str, Option<GateRule>)] = &[
        ("Makefile", "test:\n\tpytest\n", "test:\n\ttrue\n", Some(CheckSettings)),
        ("tsconfig.json", "{\"strict\": true}", "{\"strict\": false}", Some(CheckSettings)),
        ("pytest.ini", "[pytest]\n", "[pytest]\naddopts = -k nothing\n", Some(CheckSettings)),
        ("clippy.toml", "a = 1\n", "a = 2\n", Some(CheckSettings)),
        ("src/a.snap", "1\n", "2\n", Some(Snapshot)),
        ("Cargo.lock", "a\n", "b\n", Some(LockFile)),
        (".github/workflows/ci.yml", "a\n", "b\n", Some(ProtectedFile)),
        (".cargo/config.toml", "a = 1\n", "a = 2\n", Some(ProtectedFile)),
        (
            "Cargo.toml",
            "[package]\nname = \"a\"\n",
            "[package]\nname = \"a\"\n\n[profile.dev]\nopt-level = 0\n",
            Some(CheckSettings),
        ),
        (
            "Cargo.toml",
            "[package]\nname = \"a\"\n",
            "[package]\nname = \"a\"\n\n[lints.rust]\nunused = \"allow\"\n",
            Some(CheckSettings),
        ),
        ("Cargo.toml", "[dependencies]\n", "[dependencies]\nserde = \"1\"\n", None),
        (
            "Cargo.toml",
            "[dependencies]\n",
            "[dependencies]\nother = \"1\"\n",
            Some(GateRule::OtherItem),
        ),
        (
            "package.json",
            "{\"scripts\": {\"test\": \"jest\"}}",
            "{\"scripts\": {\"test\": \"true\"}}",
            Some(CheckSettings),
        ),
        ("package.json", "{\"dependencies\": {}}", "{\"dependencies\": {\"serde\": \"1\"}}", None),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\na = 1\n",
            "[tool.pytest.ini_options]\na = 2\n",
            Some(CheckSettings),
        ),
        (
            "setup.cfg",
            "[options]\na = 1\n[flake8]\nb = 1\n",
            "[options]\na = 1\n[flake8]\nb = 2\n",
            Some(CheckSettings),
        ),
        (
            "setup.cfg",
            "[options]\na = 1\n[flake8]\nb = 1\n",
            "[options]\na = serde\n[flake8]\nb = 1\n",
            None,
        ),
    ];
    let said = [said("src/main.rs", 1, ErrorClass::Import, "unresolved import `serde`")];
    for (index, (path, before, after, expected)) in cases.iter().enumerate() {
        assert_eq!(judged(path, before, after, &said), *expected, "case {index}: {path}");
    }
    let files = Files::of([("a.py", PYTHON), ("Cargo.lock", "a")]);
    let deleted = judge(&candidate("a.py", None), &files, &said, GateOptions::default());
    assert_eq!(deleted.err().map(|refusal| refusal.rule), Some(DeletedFile));
    // A package manager writes its own lock.
    let argv = ["cargo", "add", "serde"].map(str::to_owned).to_vec();
    let mut fix = candidate("Cargo.lock", Some("serde"));
    fix.commands = vec![FixCommand { argv, folder: String::new() }];
    assert_eq!(judge(&fix, &files, &said, GateOptions::default()), Ok(()));
}

#[test]
fn a_new_file_is_one_that_an_error_asks_for() {
    let files = Files::of([("src/main.rs", "mod parser;\nfn main() {}\n")]);
    let said = [said("src/main.rs", 1, ErrorClass::Import, "file not found for module `parser`")];
    let new = |path: &str| {
        judge(&candidate(path, Some("pub fn x() {}\n")), &files, &said, GateOptions::default())
    };
    assert!(new("src/parser.rs").is_ok());
    assert!(new("src/parser/mod.rs").is_ok());
    let refusal = new("src/helper.rs").unwrap_err();
    assert_eq!(refusal.rule, GateRule::OtherItem);
    assert_eq!(refusal.to_string(), "makes a file that no error asks for in `src/helper.rs`");
}
