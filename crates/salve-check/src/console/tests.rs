//! One output of each tool, and what is read out of it.

use super::parse_console;
use salve_types::Diagnostic;

// tool | class | severity | code | message | place | source line
fn shown(diagnostic: &Diagnostic) -> String {
    let place = diagnostic.primary().map(|span| {
        let start = span.start.map(|start| format!(":{}", start.line)).unwrap_or_default();
        format!("{}{start}", span.path)
    });
    let line = diagnostic.primary().and_then(|span| span.line_text.as_deref());
    [
        diagnostic.tool.as_str(),
        diagnostic.class.name(),
        diagnostic.code.as_deref().unwrap_or("-"),
        &diagnostic.message.replace('\n', " / "),
        place.as_deref().unwrap_or("-"),
        line.map_or("-", str::trim),
    ]
    .join(" | ")
}

fn check(text: &str, expected: &[&str]) {
    let found: Vec<String> = parse_console(None, text).iter().map(shown).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn c_compilers_and_linkers_are_read() {
    check(
        "In file included from a.c:1:\n/usr/include/bits/string_fortified.h: In function ‘strcpy’,\n    inlined from ‘main’ at a.c:7:3:\n/usr/include/bits/string_fortified.h:79:10: warning: ‘__builtin_memcpy’ writing 17 bytes overflows the destination [-Wstringop-overflow=]\n   79 |   return __builtin___strcpy_chk (d, s);\n      |          ^~~~~\n",
        &[
            "gcc | lint | -Wstringop-overflow= | ‘__builtin_memcpy’ writing 17 bytes overflows the destination | a.c:7 | -",
        ],
    );
    check(
        "a.c:3:5: error: use of undeclared identifier 'x'\n    x = 1;\n    ^\n1 error generated.\n",
        &["clang | type | - | use of undeclared identifier 'x' | a.c:3 | x = 1;"],
    );
    check(
        "/usr/bin/ld: /tmp/ccAb12Cd.o: in function `main':\na.c:(.text+0x9): undefined reference to `frob'\ncollect2: error: ld returned 1 exit status\n",
        &[
            "ld | build | - | undefined reference to `frob' | - | -",
            "gcc | type | - | ld returned 1 exit status | - | -",
        ],
    );
    check(
        "*** stack smashing detected ***: terminated\nAborted (core dumped)\n",
        &["glibc | runtime | - | stack smashing detected | - | -"],
    );
}

#[test]
fn javac_and_java_are_read() {
    check(
        "src/Main.java:3: error: cannot find symbol\n    cuont = 1;\n    ^\n  symbol:   variable cuont\n  location: class Main\n1 error\n",
        &[
            "javac | type | - | cannot find symbol / symbol: variable cuont | src/Main.java:3 | cuont = 1;",
        ],
    );
    check(
        "Exception in thread \"main\" java.lang.RuntimeException: high\n\tat Main.main(Main.java:9)\nCaused by: java.lang.IllegalStateException: low\n\tat java.base/java.util.Objects.requireNonNull(Objects.java:233)\n\tat Main.low(Main.java:3)\n\t... 1 more\n",
        &["java | runtime | IllegalStateException | low | Main.java:3 | -"],
    );
}

#[test]
fn rustc_cargo_and_panics_are_read() {
    check(
        "error[E0308]: mismatched types\n  --> src/main.rs:14:18\n   |\n14 |     let n: u32 = \"a\";\n   |            ---   ^^^ expected `u32`, found `&str`\n   |\nhelp: try this\n   |\n14 |     let n: u32 = 1;\n\nerror: could not compile `a` (bin \"a\") due to 1 previous error\n",
        &[
            "rustc | type | E0308 | mismatched types | src/main.rs:14 | let n: u32 = \"a\";",
            "cargo | build | - | could not compile `a` (bin \"a\") due to 1 previous error | - | -",
        ],
    );
    check(
        "---- adds stdout ----\n\nthread 'adds' (5206) panicked at src/lib.rs:3:13:\nassertion `left == right` failed\n  left: -1\n right: 3\nnote: run with `RUST_BACKTRACE=1`\n",
        &[
            "rust-test | test | panic | assertion `left == right` failed / left: -1 / right: 3 | src/lib.rs:3 | -",
        ],
    );
    check(
        "thread 'main' panicked at 'index out of bounds', src/main.rs:2:5\n",
        &["rust-test | runtime | panic | index out of bounds | src/main.rs:2 | -"],
    );
    check(
        "---- reads stdout ----\nError: \"no input\"\n",
        &["rust-test | test | error | \"no input\" | - | -"],
    );
}

#[test]
fn tsc_is_read_plain_and_pretty() {
    check(
        "src/a.ts(24,7): error TS2420: Class 'A' incorrectly implements interface 'B'.\n  Property 'x' is missing.\n",
        &[
            "tsc | type | TS2420 | Class 'A' incorrectly implements interface 'B'. / Property 'x' is missing. | src/a.ts:24 | -",
        ],
    );
    check(
        "\u{1b}[96ma.ts\u{1b}[0m:\u{1b}[93m1\u{1b}[0m:\u{1b}[93m7\u{1b}[0m - \u{1b}[91merror\u{1b}[0m\u{1b}[90m TS2304: \u{1b}[0mCannot find name 'x'.\n\n\u{1b}[7m1\u{1b}[0m let a = x;\n\u{1b}[7m \u{1b}[0m \u{1b}[91m        ~\u{1b}[0m\n",
        &["tsc | type | TS2304 | Cannot find name 'x'. | a.ts:1 | let a = x;"],
    );
}

#[test]
fn python_is_read_with_causes_groups_and_tests() {
    check(
        "Traceback (most recent call last):\n  File \"/a/m.py\", line 2, in low\n    return cfg['host']\n           ~~~^^^^^^^^\nKeyError: 'host'\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File \"/a/m.py\", line 9, in <module>\n    run()\nRuntimeError: wrapped\n",
        &["python | runtime | KeyError | 'host' | /a/m.py:2 | return cfg['host']"],
    );
    check(
        "  File \"/a/m.py\", line 1\n    print((1, 2)\n         ^\nSyntaxError: '(' was never closed\n",
        &["python | syntax | SyntaxError | '(' was never closed | /a/m.py:1 | print((1, 2)"],
    );
    check(
        "  + Exception Group Traceback (most recent call last):\n  |   File \"/a/m.py\", line 9, in <module>\n  |     run()\n  | ExceptionGroup: many (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | ValueError: a1\n    +---------------- 2 ----------------\n    | Traceback (most recent call last):\n    |   File \"/a/m.py\", line 3, in f\n    |     g()\n    | TypeError: b2\n    +------------------------------------\n",
        &["python | runtime | TypeError | b2 | /a/m.py:3 | g()"],
    );
    check(
        "____________ test_add ____________\n\n    def test_add():\n>       assert add(1, 2) == 3\nE       assert -1 == 3\nE        +  where -1 = add(1, 2)\n\ntest_a.py:4: AssertionError\n",
        &["pytest | test | AssertionError | assert -1 == 3 | test_a.py:4 | assert add(1, 2) == 3"],
    );
    check(
        "FAILED tests/a.py::test_x - AssertionError: assert 1 == 2\n",
        &["pytest | test | AssertionError | assert 1 == 2 | tests/a.py | -"],
    );
    check(
        "FAIL: test_add (__main__.Sums.test_add)\n----------\nTraceback (most recent call last):\n  File \"/a/m.py\", line 4, in test_add\n    self.assertEqual(1, 3)\nAssertionError: 1 != 3\n",
        &["unittest | test | AssertionError | 1 != 3 | /a/m.py:4 | self.assertEqual(1, 3)"],
    );
}

#[test]
fn node_and_eslint_are_read() {
    check(
        "/a/main.js:2\nval();\n^\n\nTypeError: val is not a function\n    at Object.<anonymous> (/a/main.js:2:1)\n    at Module._compile (node:internal/modules/cjs/loader:1521:14)\n\nNode.js v20.20.2\n",
        &["node | runtime | TypeError | val is not a function | /a/main.js:2 | val();"],
    );
    check(
        "Error: high failed\n    at Object.<anonymous> (/a/m.js:2:34)\n    at node:internal/main/run_main_module:28:49 {\n  [cause]: TypeError: low failed\n      at low (/a/m.js:1:24)\n}\n",
        &["node | runtime | TypeError | low failed | /a/m.js:2 | -"],
    );
    check(
        "\n/a/b.js\n  3:10  error  'x' is defined but never used  no-unused-vars\n\n✖ 1 problem\n",
        &["eslint | lint | no-unused-vars | 'x' is defined but never used | /a/b.js:3 | -"],
    );
}

#[test]
fn go_is_read() {
    check(
        "# command-line-arguments\n./main.go:2:31: undefined: totla\n",
        &["go | type | - | undefined: totla | ./main.go:2 | -"],
    );
    check(
        "--- FAIL: TestAdd (0.00s)\n    add_test.go:10: got 3, want 4\nFAIL\n",
        &["go-test | test | - | got 3, want 4 | add_test.go:10 | -"],
    );
    check(
        "panic: cannot boot\n\ngoroutine 1 [running]:\nmain.boot(...)\n\t/a/main.go:2 +0x1d\nexit status 2\n",
        &["go | runtime | panic | cannot boot | /a/main.go:2 | -"],
    );
}

#[test]
fn sanitizers_and_valgrind_are_read() {
    check(
        "==9==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x5 bp 0x7 sp 0x7 T0)\n==9==The signal is caused by a READ memory access.\n    #0 0x56 in main /a/p.c:1\n\nSUMMARY: AddressSanitizer: SEGV /a/p.c:1 in main\n",
        &["asan | runtime | SEGV | caused by a READ memory access | /a/p.c:1 | -"],
    );
    check(
        "a.c:1:34: runtime error: shift exponent 41 is too large for 32-bit type 'int'\n",
        &["ubsan | runtime | - | shift exponent 41 is too large for 32-bit type 'int' | a.c:1 | -"],
    );
    check(
        "==123== Invalid read of size 4\n==123==    at 0x109193: main (a.c:3)\n==123==  Address 0x4a is 0 bytes after\n",
        &["valgrind | runtime | Invalid read | Invalid read of size 4 | a.c:3 | -"],
    );
}

#[test]
fn linters_shells_and_builds_are_read() {
    check(
        "a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n",
        &["ruff | lint | F401 | `os` imported but unused | a.py:1 | -"],
    );
    check(
        "F401 [*] `os` imported but unused\n --> a.py:1:8\n  |\n1 | import os\n  |        ^^\n",
        &["ruff | lint | F401 | `os` imported but unused | a.py:1 | import os"],
    );
    check(
        "bash: line 3: frob: command not found\n",
        &["bash | runtime | - | frob: command not found | bash:3 | -"],
    );
    check(
        "make: *** No rule to make target 'x', needed by 'all'.  Stop.\n",
        &["make | build | - | No rule to make target 'x', needed by 'all'. | - | -"],
    );
    check(
        "npm ERR! code E404\nnpm ERR! 404 Not Found - GET frob\nnpm ERR! A complete log of this run\n",
        &["npm | build | E404 | 404 Not Found - GET frob | - | -"],
    );
}

#[test]
fn wrapped_torn_and_cut_output_is_read() {
    check(
        "web-1  | a.c:3:5: error: 'x' undeclared\nweb-1  |     3 |   x;\nweb-1  |       |   ^\n",
        &["gcc | type | - | 'x' undeclared | a.c:3 | x;"],
    );
    check(
        "2026-03-16 04:33:57,740 [9] INFO Traceback (most recent call last):\n2026-03-16 04:33:57,741 [9] INFO   File \"/a/m.py\", line 1, in f\nother process says hello\n2026-03-16 04:33:57,741 [9] INFO     g()\n2026-03-16 04:33:57,741 [9] INFO NameError: name 'g' is not defined\n",
        &["python | runtime | NameError | name 'g' is not defined | /a/m.py:1 | -"],
    );
    check("a.c:3:5: error: 'x' undecl", &["gcc | type | - | 'x' undecl | a.c:3 | -"]);
    check("Traceback (most recent call last):\n  File \"/a", &[]);
    check("hello\nerror handling is fun\nINFO: nothing happened\n", &[]);
}
