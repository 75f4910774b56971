//! Edits that make a check green without repairing anything, and innocent ones that look like them, a line
//! each: the file, what is replaced by what, and the rule that refuses it.

use super::*;

/// In the code itself; the error is in the function that is changed.
const RUST_CODE: &str = "\
use std::fs;

pub fn total(values: &[u32], limit: u32) -> u32 {
    let mut sum = 0;
    for value in values {
        sum += value.min(&limit);
    }
    sum
}

#[test]
fn totals() {
    assert_eq!(total(&[1, 2], 9), 3);
}
";

const PYTHON_CODE: &str = "\
import sys


def total(values, limit):
    \"\"\"Adds.\"\"\"
    result = 0
    for value in values:
        result += min(value, limit)
    return result


def limit():
    return 7


def main(arguments):
    try:
        print(total(map(int, arguments), limit()))
    except ValueError:
        return 1
    return 0
";

const SCRIPT_CODE: &str = "\
import { limit } from './limit';

export function total(values: number[]): number {
  let result = 0;
  for (const value of values) {
    result += Math.min(value, limit);
  }
  return result;
}

export async function load(path: string): Promise<string> {
  return await read(path);
}
";

const C_CODE: &str = "\
#include <stdlib.h>

int total(const int *values, int count) {
    int result = 0;
    for (int index = 0; index < count; index++) {
        result += values[index];
    }
    return result;
}

int main(void) {
    int values[2] = {1, 2};
    if (total(values, 2) != 3) return 1;
    return 0;
}
";

/// Path, text, what is replaced by what, the line of the error, the rule.
type Row = (&'static str, &'static str, &'static str, &'static str, u32, Option<GateRule>);

fn rows_hold(rows: &[Row], class: ErrorClass) {
    let mut wrong = Vec::new();
    for (path, text, old, new, line, expected) in rows {
        let found = judged(path, text, &with(text, old, new), &[said(path, *line, class, "E")]);
        if found != *expected {
            wrong.push(format!("{path}: `{old}` -> `{new}`: {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const SILENCED: Option<GateRule> = Some(GateRule::Silenced);
const SWALLOWED: Option<GateRule> = Some(GateRule::SwallowedError);
const STUB: Option<GateRule> = Some(GateRule::Stub);
const WEAKENED: Option<GateRule> = Some(GateRule::WeakenedTest);
const SKIPPED: Option<GateRule> = Some(GateRule::SkippedTest);

#[rustfmt::skip]
const CODE: &[Row] = &[
    // Code that is never reached.
    ("a.rs", RUST_CODE, "    let mut sum = 0;", "    return 3;\n    let mut sum = 0;", 4, STUB),
    ("a.rs", RUST_CODE, "    let mut sum = 0;", "    if limit == 0 {\n        return 0;\n    }\n    let mut sum = 0;", 4, None),
    ("a.rs", RUST_CODE, "        sum += value", "        continue;\n        sum += value", 6, STUB),
    ("a.rs", RUST_CODE, "    let mut sum = 0;", "    let mut sum = 0;\n    if false {\n        sum = 1;\n    }", 4, SILENCED),
    ("a.py", PYTHON_CODE, "    result = 0", "    return 3\n    result = 0", 6, STUB),
    ("a.py", PYTHON_CODE, "    result = 0", "    raise ValueError(values)\n    result = 0", 6, STUB),
    ("a.py", PYTHON_CODE, "    result = 0", "    if not values:\n        return 0\n    result = 0", 6, None),
    ("a.py", PYTHON_CODE, "    for value in values:", "    if False:\n        result = 1\n    for value in values:", 6, SILENCED),
    ("a.ts", SCRIPT_CODE, "  let result = 0;", "  return 3;\n  let result = 0;", 4, STUB),
    ("a.ts", SCRIPT_CODE, "  let result = 0;", "  if (values.length === 0) return 0;\n  let result = 0;", 4, None),
    ("a.ts", SCRIPT_CODE, "  return result;", "  return given();\n  function given() { return result; }", 8, None),
    ("a.c", C_CODE, "    int result = 0;", "    return 3;\n    int result = 0;", 4, STUB),
    ("a.c", C_CODE, "    int result = 0;", "    int result = 0;\n#if 0\n    result = 1;\n#endif", 4, SILENCED),
    ("a.c", C_CODE, "    int result = 0;", "    int result = 0;\n    if (0) result = 1;", 4, SILENCED),
    ("a.c", C_CODE, "    int result = 0;", "    int result = 0;\n    if (0 < count) result = values[0] - values[0];", 4, None),
    ("a.c", C_CODE, "    return result;", "    if (result) goto done;\n    return 0;\ndone:\n    return result;", 8, None),
    // A fixed answer.
    ("a.rs", RUST_CODE, "    let mut sum = 0;\n    for value in values {\n        sum += value.min(&limit);\n    }\n    sum\n", "    3\n", 4, STUB),
    ("a.py", PYTHON_CODE, "    result = 0\n    for value in values:\n        result += min(value, limit)\n    return result\n", "    return 3\n", 6, STUB),
    ("a.ts", SCRIPT_CODE, "  let result = 0;\n  for (const value of values) {\n    result += Math.min(value, limit);\n  }\n  return result;\n", "  return 3;\n", 4, STUB),
    ("a.c", C_CODE, "    int result = 0;\n    for (int index = 0; index < count; index++) {\n        result += values[index];\n    }\n    return result;\n", "    return 3;\n", 4, STUB),
    ("a.py", PYTHON_CODE, "    return 7", "    return 8", 13, None),
    ("a.py", PYTHON_CODE, "    result = 0\n    for value in values:\n        result += min(value, limit)\n    return result\n", "    return sum(min(value, limit) for value in values)\n", 6, None),
    ("a.ts", SCRIPT_CODE, "  return await read(path);", "  return 'text';", 12, STUB),
    ("a.ts", SCRIPT_CODE, "  return await read(path);", "  return await read(`${path}`);", 12, None),
    // The program ends before anything can fail.
    ("a.rs", RUST_CODE, "    let mut sum = 0;", "    std::process::exit(0);\n    let mut sum = 0;", 4, SILENCED),
    ("a.py", PYTHON_CODE, "    result = 0", "    sys.exit(0)\n    result = 0", 6, SILENCED),
    ("a.py", PYTHON_CODE, "    result = 0", "    exit(0)\n    result = 0", 6, SILENCED),
    ("a.py", PYTHON_CODE, "    result = 0", "    raise SystemExit\n    result = 0", 6, SILENCED),
    ("a.py", PYTHON_CODE, "    result = 0", "    result = 0\n    if limit is None:\n        sys.exit('no limit')", 6, None),
    ("a.ts", SCRIPT_CODE, "  let result = 0;", "  process.exit(0);\n  let result = 0;", 4, SILENCED),
    ("a.c", C_CODE, "    int values[2]", "    exit(0);\n    int values[2]", 12, SILENCED),
    ("a.c", C_CODE, "    int values[2]", "    exit(EXIT_SUCCESS);\n    int values[2]", 12, SILENCED),
    ("a.c", C_CODE, "return 1;", "exit(EXIT_FAILURE);", 13, None),
    // Types that say nothing, and results that are thrown away.
    ("a.py", PYTHON_CODE, "def total(values, limit):", "def total(values: Any, limit):", 6, SILENCED),
    ("a.py", PYTHON_CODE, "def total(values, limit):", "def total(values: list, limit: int):", 6, None),
    ("a.c", C_CODE, "    int result = 0;", "    int result = 0;\n    (void)count;", 4, SILENCED),
    ("a.c", C_CODE, "int total(const int *values, int count)", "int total(int const *values, int count)", 4, None),
    ("a.rs", RUST_CODE, "    let mut sum = 0;", "    let _ = fs::read(\"a\");\n    let mut sum = 0;", 4, SWALLOWED),
    ("a.rs", RUST_CODE, "    let mut sum = 0;", "    let _limit = limit;\n    let mut sum = 0;", 4, None),
    // Handlers.
    ("a.py", PYTHON_CODE, "    except ValueError:\n        return 1", "    except ValueError:\n        return 1\n    except TypeError:\n        pass", 18, SWALLOWED),
    ("a.py", PYTHON_CODE, "        return 1", "        pass", 18, SWALLOWED),
    ("a.py", PYTHON_CODE, "    except ValueError:", "    except (TypeError, ValueError):", 18, None),
    ("a.ts", SCRIPT_CODE, "  return await read(path);", "  try {\n    return await read(path);\n  } catch {}\n  throw new Error(path);", 12, SWALLOWED),
    ("a.ts", SCRIPT_CODE, "  return await read(path);", "  try {\n    return await read(path);\n  } catch (error) {\n    throw new Error(path);\n  }", 12, None),
];

#[test]
fn code_that_only_looks_repaired_is_refused() {
    rows_hold(CODE, ErrorClass::Type);
}

const PYTHON_TEST: &str = "\
import unittest

from box import Box


class BoxTest(unittest.TestCase):
    def test_put(self):
        box = Box()
        box.put(1)
        self.assertEqual(box.size(), 1)

    def test_empty(self):
        assert Box().size() == 0
";

const RUST_TEST: &str = "\
use boxes::Box;

#[test]
fn puts() {
    let mut it = Box::new();
    it.put(1);
    assert_eq!(it.size(), 1);
}
";

const SCRIPT_TEST: &str = "\
import { Box } from '../src/box';

test('puts', () => {
  const box = new Box();
  box.put(1);
  expect(box.size()).toBe(1);
});
";

const C_TEST: &str = "\
#include <gtest/gtest.h>
#include \"box.h\"

TEST(Box, Puts) {
    Box box;
    box.put(1);
    EXPECT_EQ(box.size(), 1);
}
";

// The line of the error is the line that is changed, or near it: the test does not compile.
#[rustfmt::skip]
const TESTS: &[Row] = &[
    ("tests/test_box.py", PYTHON_TEST, "self.assertEqual(box.size(), 1)", "self.assertTrue(True)", 10, WEAKENED),
    ("tests/test_box.py", PYTHON_TEST, "self.assertEqual(box.size(), 1)", "self.assertEqual(1, 1)", 10, WEAKENED),
    ("tests/test_box.py", PYTHON_TEST, "assert Box().size() == 0", "assert True", 13, WEAKENED),
    ("tests/test_box.py", PYTHON_TEST, "assert Box().size() == 0", "assert Box().size() == 0 or True", 13, WEAKENED),
    ("tests/test_box.py", PYTHON_TEST, "assert Box().size() == 0", "assert Box().size == 0", 13, None),
    ("tests/test_box.py", PYTHON_TEST, "assert Box().size() == 0", "pass", 13, WEAKENED),
    ("tests/test_box.py", PYTHON_TEST, "        box.put(1)", "        return\n        box.put(1)", 9, STUB),
    ("tests/test_box.py", PYTHON_TEST, "        box.put(1)", "        box.put(item=1)", 9, None),
    ("tests/test_box.py", PYTHON_TEST, "    def test_put", "    @unittest.skip('later')\n    def test_put", 7, SKIPPED),
    ("tests/test_box.py", PYTHON_TEST, "    def test_put", "    @unittest.expectedFailure\n    def test_put", 7, SKIPPED),
    ("tests/test_box.py", PYTHON_TEST, "        box = Box()\n", "        self.skipTest('later')\n        box = Box()\n", 8, SKIPPED),
    ("tests/test_box.py", PYTHON_TEST, "import unittest\n", "import sys\nimport unittest\nsys.exit(0)\n", 3, SILENCED),
    ("tests/test_box.py", PYTHON_TEST, "import unittest\n", "import unittest\nimport sys\n", 3, None),
    ("tests/box.rs", RUST_TEST, "assert_eq!(it.size(), 1)", "assert!(true)", 7, WEAKENED),
    ("tests/box.rs", RUST_TEST, "assert_eq!(it.size(), 1)", "assert!(it.size() == 1 || true)", 7, WEAKENED),
    ("tests/box.rs", RUST_TEST, "assert_eq!(it.size(), 1)", "assert_eq!(it.size(), 1usize)", 7, None),
    ("tests/box.rs", RUST_TEST, "    it.put(1);", "    return;\n    it.put(1);", 6, STUB),
    ("tests/box.rs", RUST_TEST, "#[test]", "#[test]\n#[ignore]", 5, SKIPPED),
    ("tests/box.rs", RUST_TEST, "#[test]", "#[test]\n#[should_panic]", 5, SKIPPED),
    ("tests/box.rs", RUST_TEST, "#[test]", "#[test]\n#[cfg_attr(all(), ignore)]", 5, SKIPPED),
    ("tests/box.rs", RUST_TEST, "use boxes::Box;", "use boxes::{Box, Size};", 1, None),
    ("tests/box.test.ts", SCRIPT_TEST, "expect(box.size()).toBe(1)", "expect(true).toBe(true)", 6, WEAKENED),
    ("tests/box.test.ts", SCRIPT_TEST, "expect(box.size()).toBe(1)", "expect(box.size).toBe(1)", 6, None),
    ("tests/box.test.ts", SCRIPT_TEST, "  box.put(1);", "  return;\n  box.put(1);", 5, STUB),
    ("tests/box.test.ts", SCRIPT_TEST, "test('puts'", "test.skip('puts'", 3, SKIPPED),
    ("tests/box.test.ts", SCRIPT_TEST, "test('puts'", "test.failing('puts'", 3, SKIPPED),
    ("tests/box_test.cc", C_TEST, "TEST(Box, Puts)", "TEST(Box, DISABLED_Puts)", 5, SKIPPED),
    ("tests/box_test.cc", C_TEST, "    box.put(1);", "    GTEST_SKIP();\n    box.put(1);", 6, SKIPPED),
    ("tests/box_test.cc", C_TEST, "EXPECT_EQ(box.size(), 1)", "EXPECT_TRUE(true)", 7, WEAKENED),
    ("tests/box_test.cc", C_TEST, "EXPECT_EQ(box.size(), 1)", "EXPECT_EQ(box.size(), 1u)", 7, None),
    ("tests/box_test.cc", C_TEST, "    box.put(1);", "    return;\n    box.put(1);", 6, STUB),
];

#[test]
fn tests_that_only_look_repaired_are_refused() {
    rows_hold(TESTS, ErrorClass::Type);
}

#[test]
fn a_handler_that_was_there_may_be_empty() {
    let said = [said("a.py", 3, ErrorClass::Syntax, "expected ':'")];
    for (before, after, expected) in [
        // The grammar does not see the handler, a reader does.
        (
            "try:\n    import a\nexcept ImportError\n    pass\n",
            "try:\n    import a\nexcept ImportError:\n    pass\n",
            None,
        ),
        (
            "try:\n    import a\nexcpet ImportError:\n    pass\n",
            "try:\n    import a\nexcept ImportError:\n    pass\n",
            None,
        ),
        (
            "try\n    import a\nexcept ImportError:\n    pass\n",
            "try:\n    import a\nexcept ImportError:\n    pass\n",
            None,
        ),
        (
            "try:\n    import a\nexcept ImportError:\npass\n",
            "try:\n    import a\nexcept ImportError:\n    pass\n",
            None,
        ),
        (
            "try:\n    import a\nexcept ImportError\n    b = None\n",
            "try:\n    import a\nexcept ImportError:\n    pass\n",
            SWALLOWED,
        ),
        ("import a\n", "try:\n    import a\nexcept ImportError:\n    pass\n", SWALLOWED),
    ] {
        assert_eq!(judged("a.py", before, after, &said), expected, "{before}");
    }
    let before = "try { a() } catch (error { }\n";
    let after = "try { a() } catch (error) { }\n";
    let said = [self::said("a.js", 1, ErrorClass::Syntax, "')' expected")];
    assert_eq!(judged("a.js", before, after, &said), None);
}
