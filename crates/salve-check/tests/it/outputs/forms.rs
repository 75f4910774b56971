//! Forms that the kept outputs do not show: other versions, other systems, cut and joined streams.

use super::table;
use salve_check::{CheckedFolder, OutputParser, parse_output};
use std::path::Path;

fn read(parser: OutputParser, stdout: &str, stderr: &str) -> String {
    let folder = CheckedFolder::unread(Path::new("/project"));
    table(&parse_output(parser, stdout, stderr, folder))
}

#[test]
fn tsc_on_windows_in_odd_folders_and_in_its_pretty_form() {
    let text = "C:\\repo\\app (x)\\a.ts(3,4): error TS2304: Cannot find name 'é': x.\r\n\
        src/routes/(group)/[id].ts(1,2): error TS2307: Cannot find module 'y'.\n\
        src/a.ts:3:4 - error TS6133: 'z' is declared but its value is never read.\n\
        Found 3 errors in 3 files.\n";
    insta::assert_snapshot!(read(OutputParser::Tsc, text, ""), @r#"
    tsc error type TS2304 C:\repo\app (x)\a.ts:3:4 Cannot find name 'é': x.
    tsc error import TS2307 src/routes/(group)/[id].ts:1:2 Cannot find module 'y'.
    tsc error lint TS6133 src/a.ts:3:4 'z' is declared but its value is never read.
    "#);
}

#[test]
fn tests_of_old_harnesses_and_joined_streams() {
    let old = "---- tests::a stdout ----\nthread 'tests::a' panicked at 'boom: 'x', y', src/a.rs:3:5\nnote: run with `RUST_BACKTRACE=1`\n\nfailures:\n    tests::a\n";
    insta::assert_snapshot!(read(OutputParser::CargoTest, old, ""), @r#"
    rust-test error test - src/a.rs:3:5 boom: 'x', y
      test: tests::a
    "#);
    let joined = "   Compiling x v0.1.0\n     Running unittests src/lib.rs\n\nrunning 2 tests\ntest a ... FAILED\ntest b ... FAILED\n\nfailures:\n\n---- a stdout ----\n\nthread 'a' panicked at src/a.rs:9:1:\nerror: not cargo's\n\nfailures:\n    a\n    b\n\ntest result: FAILED.\n\nerror: test failed, to rerun pass `--lib`\n";
    insta::assert_snapshot!(read(OutputParser::CargoTest, joined, ""), @r#"
    rust-test error test - src/a.rs:9:1 error: not cargo's
      test: a
    rust-test error test - - the test failed
      test: b
    "#);
}

#[test]
fn rustc_offers_choices_and_walks_out_of_foreign_macros() {
    let span = |file: &str, line: u32, expansion: &str| {
        format!(
            r#"{{"file_name":"{file}","byte_start":0,"byte_end":1,"line_start":{line},"line_end":{line},"column_start":1,"column_end":2,"is_primary":true,"text":[],"label":"here","suggested_replacement":null,"suggestion_applicability":null,"expansion":{expansion}}}"#
        )
    };
    let user = span("src/main.rs", 7, "null");
    let registry = span("/cargo/registry/src/x-1/src/lib.rs", 5, &format!(r#"{{"span":{user}}}"#));
    let std =
        span("/rustc/abc/library/core/src/macros.rs", 3, &format!(r#"{{"span":{registry}}}"#));
    let choice = |text: &str| {
        span("src/main.rs", 1, "null")
            .replace(
                r#""suggested_replacement":null"#,
                &format!(r#""suggested_replacement":"{text}""#),
            )
            .replace(
                r#""suggestion_applicability":null"#,
                r#""suggestion_applicability":"MaybeIncorrect""#,
            )
    };
    let message = format!(
        r#"{{"$message_type":"diagnostic","message":"m","code":null,"level":"error","spans":[{std}],"children":[{{"message":"consider importing one of these","code":null,"level":"help","spans":[{},{}],"children":[]}}],"rendered":"error: m\n"}}"#,
        choice("use a::X;"),
        choice("use b::X;"),
    );
    insta::assert_snapshot!(read(OutputParser::CargoJson, "", &message), @r#"
    rustc error syntax - src/main.rs:7:1-7:2 (here) m
      fix MaybeIncorrect: consider importing one of these | src/main.rs:1:1-1:2 (here) -> "use a::X;"
      fix MaybeIncorrect: consider importing one of these | src/main.rs:1:1-1:2 (here) -> "use b::X;"
    "#);
}

#[test]
fn pytest_with_only_its_summary_and_with_odd_arguments() {
    let text = "FFE\nFAILED tests/test_a.py::TestA::test_x[a - b] - ValueError: no\nFAILED tests/test_b.py::test_y\nERROR tests/test_c.py - ImportError: cannot import name 'z'\nERROR: file or directory not found: nope\n3 failed in 0.1s\n";
    insta::assert_snapshot!(read(OutputParser::Pytest, text, ""), @r#"
    pytest error build - - file or directory not found: nope
    pytest error test ValueError tests/test_a.py no
      test: tests/test_a.py::TestA::test_x[a - b]
    pytest error test - tests/test_b.py the test failed
      test: tests/test_b.py::test_y
    pytest error import ImportError tests/test_c.py cannot import name 'z'
      test: tests/test_c.py
    "#);
}

#[test]
fn compilers_name_the_files_that_led_there() {
    let text = "In file included from src/a.h:3,\n                 from src/main.c:1:\nsrc/b.h:2:1: error: unknown type name 'foo'\n    2 | foo x;\n      | ^~~\nsrc/main.c:9: warning: control reaches end [-Werror,-Wreturn-type]\n/usr/bin/ld: cannot find -lmissing\n/usr/bin/ld: /tmp/x.o: in function `main':\n/project/src/main.c:12: undefined reference to `f'\ncollect2: error: ld returned 1 exit status\n";
    insta::assert_snapshot!(read(OutputParser::Gcc, "", text), @r#"
    gcc error type - src/b.h:2:1 unknown type name 'foo'
      included from: src/a.h src/a.h:3:1
      included from: src/main.c src/main.c:1:1
    gcc warning lint -Wreturn-type src/main.c:9:1 control reaches end
    ld error build - - cannot find -lmissing
    ld error build - src/main.c:12:1 undefined reference to `f'
    "#);
}

#[test]
fn the_three_forms_of_schema_errors() {
    let basic = r#"{"valid":false,"errors":[{"valid":false,"keywordLocation":"/properties/a/type","instanceLocation":"/a","error":"1 is not of type \"string\""}]}"#;
    insta::assert_snapshot!(read(OutputParser::JsonSchema, basic, ""), @r#"
    json-schema error type type - 1 is not of type "string"
      at: /a
    "#);
    let list = r#"{"valid":false,"details":[{"valid":false,"evaluationPath":"","instanceLocation":"","errors":{"required":"\"b\" is a required property"}}]}"#;
    insta::assert_snapshot!(read(OutputParser::JsonSchema, list, ""), @r#"
    json-schema error type required - "b" is a required property
      at: /
    "#);
}

#[test]
fn sarif_of_others() {
    let log = r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"CodeQL","rules":[{"id":"js/xss","defaultConfiguration":{"level":"error"},"messageStrings":{"m":{"text":"{0} flows to {1}"}}}]}},"originalUriBaseIds":{"SRC":{"uri":"file:///project/"}},"results":[{"ruleIndex":0,"message":{"id":"m","arguments":["a","b"]},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/my%20file.js","uriBaseId":"SRC"},"region":{"startLine":4,"endColumn":9}}}],"relatedLocations":[{"message":{"text":"from here"},"physicalLocation":{"artifactLocation":{"uri":"lib.js"},"region":{"startLine":1,"startColumn":2}}}]},{"ruleId":"x","message":{"text":"gone"},"suppressions":[{"kind":"inSource"}]},{"kind":"pass","message":{"text":"fine"}}],"invocations":[{"executionSuccessful":false,"toolExecutionNotifications":[{"level":"error","message":{"text":"out of memory"}}]}]}]}"#;
    insta::assert_snapshot!(read(OutputParser::Sarif, log, ""), @r#"
    codeql error lint js/xss src/my file.js:4:1-4:9 a flows to b
      also lib.js:1:2 (from here)
    codeql error build - - out of memory
    "#);
}

#[test]
fn tools_that_fail_before_they_check() {
    let eslint = "\nOops! Something went wrong! :(\n\nESLint: 9.0.0\n\nESLint couldn't find an eslint.config.(js|mjs|cjs) file.\n";
    let ruff = "ruff failed\n  Cause: Failed to parse /project/pyproject.toml\n";
    let mypy = "mypy: can't read file 'x.py': No such file or directory\napp.py: error: Duplicate module named \"app\"\n";
    let all = [
        read(OutputParser::EslintJson, "", eslint),
        read(OutputParser::RuffJson, "", ruff),
        read(OutputParser::MypyJson, "", mypy),
        read(
            OutputParser::Javac,
            "",
            "- compiler.err.cant.read.file: x.jar\nerror: invalid flag: --x\n",
        ),
        read(
            OutputParser::GoBuild,
            "",
            "go: go.mod file not found in current directory or any parent directory\n",
        ),
    ];
    insta::assert_snapshot!(all.join("\n"), @r#"
    eslint error build - - ESLint couldn't find an eslint.config.(js|mjs|cjs) file.
    ruff error build - - Failed to parse /project/pyproject.toml
    mypy error build - - can't read file 'x.py': No such file or directory
    mypy error build - app.py Duplicate module named "app"
    javac error build compiler.err.cant.read.file - cant read file: x.jar
    javac error build - - invalid flag: --x
    go error build - - go.mod file not found in current directory or any parent directory
    "#);
}

#[test]
fn python_exceptions_that_led_to_others_and_messages_of_many_lines() {
    let text = "Traceback (most recent call last):\n  File \"/project/a.py\", line 2, in load\n    open(x)\nFileNotFoundError: [Errno 2] No such file: 'é'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"/project/a.py\", line 9, in <module>\n    main()\n  File \"/usr/lib/python3.11/json/decoder.py\", line 355, in raw_decode\n    raise JSONDecodeError(\"x\", s, 0)\njson.decoder.JSONDecodeError: Expecting value:\nline two\n";
    insta::assert_snapshot!(read(OutputParser::PythonCompile, "", text), @r#"
    python error runtime FileNotFoundError a.py:2:1 (in load) [Errno 2] No such file: 'é'
      then raised: JSONDecodeError: Expecting value: a.py:9:1 /usr/lib/python3.11/json/decoder.py:355:1 (in raw_decode)
    "#);
}

#[test]
fn colours_and_packages_inside_the_project_do_not_mislead() {
    let tsc = "\u{1b}[96mfile.ts\u{1b}[0m:\u{1b}[93m1\u{1b}[0m:\u{1b}[93m14\u{1b}[0m - \u{1b}[91merror\u{1b}[0m\u{1b}[90m TS2369: \u{1b}[0mA parameter property.\n";
    let python = "Traceback (most recent call last):\n  File \"/project/a.py\", line 2, in main\n    x()\n  File \"/project/.venv/lib/python3.12/site-packages/lib.py\", line 9, in x\n    raise ValueError(\"no\")\nValueError: no\n";
    let node = "/project/node_modules/lib/index.js:3\n  throw new Error('no');\n  ^\n\nError: no\n    at x (/project/node_modules/lib/index.js:3:9)\n    at main (/project/a.js:7:1)\n\nNode.js v22.0.0\n";
    let all = [
        read(OutputParser::Tsc, tsc, ""),
        read(OutputParser::PythonCompile, "", python),
        read(OutputParser::NodeCheck, "", node),
    ];
    insta::assert_snapshot!(all.join("\n"), @r#"
    tsc error type TS2369 file.ts:1:14 A parameter property.
    python error runtime ValueError a.py:2:1 (in main) no
      also .venv/lib/python3.12/site-packages/lib.py:9:1 (in x)
    node error runtime Error a.js:7:1 (in main) no
      also node_modules/lib/index.js:3:9
    "#);
}

#[test]
fn newer_gcc_writes_sarif_over_many_lines() {
    let log = "{\n  \"version\": \"2.1.0\",\n  \"runs\": [{\n    \"tool\": {\"driver\": {\"name\": \"GNU C17\"}},\n    \"columnKind\": \"unicodeCodePoints\",\n    \"results\": [\n      {\"ruleId\": \"error\", \"level\": \"error\", \"message\": {\"text\": \"expected ';' before '}' token\"},\n       \"locations\": [{\"physicalLocation\": {\"artifactLocation\": {\"uri\": \"a.c\"}, \"region\": {\"startLine\": 4, \"startColumn\": 41, \"endColumn\": 42}}}]},\n      {\"ruleId\": \"-Wunused-variable\", \"level\": \"warning\", \"message\": {\"text\": \"unused variable 'x'\"},\n       \"locations\": [{\"physicalLocation\": {\"artifactLocation\": {\"uri\": \"a.c\"}, \"region\": {\"startLine\": 9}}}]}\n    ]\n  }]\n}\n";
    insta::assert_snapshot!(read(OutputParser::Gcc, "", log), @r#"
    gcc error syntax - a.c:4:41-4:42 expected ';' before '}' token
    gcc warning lint -Wunused-variable a.c:9:1 unused variable 'x'
    "#);
}
