//! The list of fuzz targets.
//!
//! In: a name. Out: the property check of that name and the words its mutator may insert. Never
//! keeps state between two inputs.

mod answer;
mod clean;
mod coerce;
mod console;
mod diagnostics;
mod edits;
mod graph;
mod inspect;
mod knowledge;
mod manifest;
mod normalise;
mod parse;
mod policy;
mod redact;
mod rules;
mod shell;
mod stitch;
mod syntax;
mod wire;
mod workflow;

/// One property check.
pub struct Target {
    /// Its name, which is also the name of its folder of seeds.
    pub name: &'static str,
    /// Panics when a property does not hold for these bytes.
    pub check: fn(&[u8]),
    /// Pieces of text that lead to interesting places.
    pub dictionary: &'static [&'static str],
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "answer", check: answer::check, dictionary: ANSWERS },
    Target { name: "clean", check: clean::check, dictionary: CHAT },
    Target { name: "coerce", check: coerce::check, dictionary: JSON },
    Target { name: "console", check: console::check, dictionary: CONSOLE },
    Target { name: "diagnostics", check: diagnostics::check, dictionary: OUTPUTS },
    Target { name: "edits", check: edits::check, dictionary: EDITS },
    Target { name: "graph", check: graph::check, dictionary: GRAPHS },
    Target { name: "inspect", check: inspect::check, dictionary: CODE },
    Target { name: "knowledge", check: knowledge::check, dictionary: KNOWLEDGE },
    Target { name: "manifest", check: manifest::check, dictionary: MANIFEST },
    Target { name: "normalise", check: normalise::check, dictionary: CONSOLE },
    Target { name: "parse", check: parse::check, dictionary: JSON },
    Target { name: "policy", check: policy::check, dictionary: COMMANDS },
    Target { name: "redact", check: redact::check, dictionary: SECRETS },
    Target { name: "rules", check: rules::check, dictionary: RULES },
    Target { name: "shell", check: shell::check, dictionary: SHELL },
    Target { name: "stitch", check: stitch::check, dictionary: CODE },
    Target { name: "syntax", check: syntax::check, dictionary: CODE },
    Target { name: "wire", check: wire::check, dictionary: WIRE },
    Target { name: "workflow", check: workflow::check, dictionary: WORKFLOWS },
];

#[rustfmt::skip]
const GRAPHS: &[&str] = &[
    "{\"nodes\":[", "{\"id\":\"a\",\"step\":\"work\"}", "\"flow\":\"Graph@1\"", "\"depends_on\":[\"a\"]",
    "\"edges\":[{\"from\":\"a\",\"to\":\"b\"}]", "\"join\":\"any\"", "\"parallel\":1", "\"input\":",
    "{\"$from\":\"a\",\"at\":\"/x\"}", "\"output\":", "\"on_fail\":\"continue\"", "\"retry\":{\"attempts\":1}",
];

#[rustfmt::skip]
const WORKFLOWS: &[&str] = &[
    "\"Block:A\": {", "\"worker\": \"Worker:CodeGenerator\",", "\"worker\": \"Internal:FileSystemWriter\",", "\"validationSchema\": \"CodeOnly\",",
    "\"payload_merge_strategy\": [\"latest\"],", "\"transitions\": [", "{ \"on_signal\": \"SIGNAL:SUCCESS\", \"action\": \"JUMP:Core_Halt__Success\" },",
    "\"JUMP:Block:A\"", "\"SIGNAL:CHECK_FAIL\"", "\"nodes\": {", "\"blocks\": {", "\"limits\": { \"runs\": 3 },", "\"schemas\": { \"S\": {} },", "\"start\": \"A\",",
    "/* c */", "// c\n", "/*", "]", "}", ",", "\u{feff}",
];

#[rustfmt::skip]
const KNOWLEDGE: &[&str] = &[
    "format = \"salve-rule/1\"\n", "target = \"c\"\n", "tool = \"gcc\"\n", "level = 3\n", "[rule.token]\n",
    "anchor = \"above\"\n", "anchor = \"first\"\n", "anchor = { token = { offset = -1 } }\n", "at = \"<end>\"\n",
    "head = \"int\"\n", "left = [\"<start>\"]\n", "remove = [\"$A\", \"<name>\"]\n", "insert = [{ piece = \"$A\" }]\n",
    "holes = [{ kind = \"name\", from = \"code\" }]\n", "{ message = 0 }", "{ near = 0 }", "[rule.structure]\n",
    "pattern = \"$A + $B\"\n", "rewrite = \"$$A\"\n", "[rule.template]\n", "{{ slot }}", "template = \"\"\n", "run = 1\n",
];

#[rustfmt::skip]
const CODE: &[&str] = &[
    "\"", "'", "`", "\"\"\"", "'''", "r#\"", "\"#", "b'", "\\", "\\\"", "${", "#{", "{{", "}}",
    "//", "/*", "*/", "#", "--", "<!--", "-->", "<<EOF\n", "EOF\n", "(", ")", "[", "]", "{", "}",
    "<div a=\"", "<br/>", "</div>", "<T>", "=>", "/a[/]b/g", "fn f<'a>(", "def f():\n    ",
    "if x:\n", "do\n", "end\n", "begin\n", "then\n", "```rust\n", "```\n", "~~~\n", "$$", "@\"",
    "#if X\n", "#endif\n", "<?php ", "?>", "<script>", "</script>", "<style>", "function ", "class A ",
    "\n", "\r\n", "\t", "    ", ";\n", ": ", "- a: |\n  ", "[[t]]\n", "// --- VIBECODER_COMPLETE ---\n",
];

#[rustfmt::skip]
const ANSWERS: &[&str] = &[
    "\u{1e}", "```rust\n", "```\n", "``", "`", "~~~\n", "fn f() {\n", "}\n", "{\"a\": ", "{\"a\": 1}",
    "[1, ", "\"", "\\", "]", "}", ": ", ", ", "Sure, here is the rest:\n", "The end.", "\n\n",
    "I'm sorry, I cannot continue. ", "    ", "# Title\n", "- item\n", "<think>", "</think>", "null",
];

#[rustfmt::skip]
const CHAT: &[&str] = &[
    "```", "````", "~~~", "```rust\n", "```ts title=\"a.ts\"\n", "\n```\n", "    ```\n", "> ", "`",
    "Sure! Here is the code:\n\n", "\nLet me know if you need more.\n", "Hope it helps!\n", "**a.rs**\n",
    "// src/a.rs\n", "# src/a.py\n", "File: `a.rs`\n", "<think>", "</think>", "<thinking>\n", "</thinking>\n",
    "<answer>", "</answer>", "<tool_call>\n", "</tool_call>", "<|im_end|>", "<file path=\"a.rs\">\n", "</file>\n",
    "1 | ", "\n2 | ", "  10: ", "\\n", "\\\"", "\"", "{\"code\": \"", "\"}", "\\u0041", "---\n", "## A\n", "# T\n",
    "// --- VIBECODER_COMPLETE ---\n", "<!-- --- VIBECODER_COMPLETE --- -->", "\n\n", "\r\n", "\u{feff}",
];

#[rustfmt::skip]
const CONSOLE: &[&str] = &[
    "a.c:1:2: error: ", "a.c: In function ‘f’:\n", "    1 | x;\n", "      | ^~~\n", "note: ", "warning: ", "error[E0308]: ", " --> src/a.rs:1:2\n",
    "Traceback (most recent call last):\n", "  File \"/a/b.py\", line 3, in f\n", "    x()\n", "ValueError: bad\n", "  + Exception Group Traceback (most recent call last):\n", "  | ",
    "During handling of the above exception, another exception occurred:\n", "E       assert 1 == 2\n", ">       assert f()\n", "____ test_x ____\n", "FAILED a.py::t - X: y\n",
    "/a/b.js:2\n", "TypeError: x\n", "    at f (/a/b.js:1:2)\n", "  [cause]: Error: y\n", "a.ts(1,2): error TS2304: ", "A.java:1: error: ", "  symbol:   variable x\n", "Caused by: a.B: c\n", "\tat a.B.c(B.java:1)\n",
    "thread 'main' (1) panicked at src/a.rs:1:2:\n", "panic: x\n", "goroutine 1 [running]:\n", "==1==ERROR: AddressSanitizer: x on y\n", "    #0 0x1 in f /a.c:1\n", "make: *** ", "npm ERR! code X\n", "bash: line 1: ", "undefined reference to `x'",
    "2026-03-16T04:33:57.740Z ", "Nov 16 03:31:02 h p[1]: ", "web-1  | ", "[pid 1] ", "pid 7", "port 80", "0x7ffd12345678", "/home/a b/c.rs:1:2", "'/a b/c'", "localhost:1", "12 ms", "1m2s", "45%", "@1b6d3586", "<PATH>", "<TIME> ",
    "‘", "’", "`", "'", "\u{1b}[31m", "\u{1b}]0;", "\r", "\u{8}", "====", "; did you mean ‘x’?",
];

#[rustfmt::skip]
const JSON: &[&str] = &[
    "{", "}", "[", "]", "\"", "'", "`", ":", ",", "\"a\": ", "'b': ", "c: ", "\\\"", "\\", "\\n", "\\u00e9",
    "\\ud834", "\\udd1e", "\\u00", "\\x41", "true", "false", "null", "True", "None", "undefined", "NaN", "tru",
    "1", "-", ".5", "1e", "0x1F", "1,234", "007", "+1", "// c\n", "/* c */", "/*", "# c\n", "...", "…", "+",
    "```json\n", "```", "Here is the JSON: ", " Hope it helps.", "callback(", ")", ");", "ObjectId(\"", "=>", "=",
    "“", "”", "‘", "’", "\"\"", "\\\\\"", "<answer>", "</answer>", "\n", "\r\n", "\t", " ", "\u{a0}", "\u{feff}", ";",
];

#[rustfmt::skip]
const EDITS: &[&str] = &[
    "diff --git a/x b/x\n", "--- a/x\n", "+++ b/x\n", "--- /dev/null\n", "@@\n", "@@ -1,2 +1,2 @@ fn f\n", "@@ ... @@\n",
    "\n ", "\n-", "\n+", "\\ No newline at end of file\n", "-- \n2.43.0\n", "new file mode 100755\n", "deleted file mode 100644\n",
    "rename from a\n", "rename to b\n", "index 1..2 100644\n", "GIT binary patch\n", "\"a/\\303\\244\"", "\t2024-01-01", "@@@ -1 -1 +1 @@@\n",
    "*** Begin Patch\n", "*** End Patch\n", "*** Add File: a\n", "*** Update File: a\n", "*** Delete File: a\n", "*** Move to: b\n", "*** End of File\n",
    "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n", "------- SEARCH\n", "+++++++ REPLACE\n", ":start_line:2\n-------\n", "2 | ", "...\n",
    "```diff\n", "```\n", "a.rs\n```rust\n", "// ... existing code ...\n", "ORIGINAL LINES:\n", "CHANGED LINES:\n", "\r\n", "\n\n", "\u{feff}",
    "{\"path\": \"a\", \"old_string\": \"", "\", \"new_string\": \"", "\"}", "\"insert_line\": 3", "\"content\": \"", "\"replace_all\": true", "\"lineOperations\": [",
];

#[rustfmt::skip]
const MANIFEST: &[&str] = &[
    "{\"txn\":\"t\",\"files\":[", "],\"dirs\":[", "],\"prune\":[", "]}", "{\"path\":\"", "\",\"old\":", ",\"new\":",
    "null", "{\"hash\":\"", "\",\"mode\":420}", ",\"temp\":\".salve-t-0\"", ",\"beside\":false}", "true", "a", "b", "d/c",
    "../x", ".git/config", ".salve/lock", "/etc/x", "\\u0000", "salve-journal 1 ", "\n", ",", "\"d\"",
    // The contents that the tree of the target has, by their hashes.
    "OLD", "NEW", "OTHER",
];

#[rustfmt::skip]
const COMMANDS: &[&str] = &[
    "npm install ", "npm run ", "npm test ", "yarn add ", "pnpm run ", "git status ", "git diff ", "git log ", "git branch ", "ls ", "pwd ",
    "cat ", "head ", "tail ", "grep ", "find ", "mkdir ", "touch ", "echo ", "curl ", "wget ", "cp ", "mv ", "tsc ", "python ", "python3 -m ",
    "pip install ", "cargo run ", "cargo test ", "go build ", "go run ", "go test ", " -- ", "-o", "--output", "=", "../x", "/etc/x", ".env", "-",
    "--", "-exec ", "-delete", "-c ", "-f", "-rf", "-C ", "https://example.com/x", "file:///", " && ", " | ", "; ", " > ", " 2>&1", "'", "\"", "*", "src/*",
];

#[rustfmt::skip]
const OUTPUTS: &[&str] = &[
    "error: ", "error[E0308]: ", "warning: ", "note: ", ": error: ", ": note: ", " [-Wformat]", "fatal error: ", "fix-it:\"a.c\":{1:2-3:4}:\"x\"\n",
    "a.rs:1:2", "a.ts(3,4): error TS2304: ", " --> src/a.rs:1:2\n", "thread 'a' panicked at src/a.rs:1:2:\n", "---- a stdout ----\n", "test a ... FAILED\n",
    "Traceback (most recent call last):\n", "  File \"a.py\", line 3, in f\n", "    ^^^\n", "ValueError: ", "E   ", "____ test_a ____\n", "FAILED a.py::t - ",
    "====================\n", "FAIL: t (a.T)\n", "--------------------\n", "Sorry: ", "    at f (/project/a.js:1:2)\n", "Require stack:\n- ", "/project/a.js:1\n",
    "a.go:1:2: ", "\t", "# pkg\n", "go: ", "A.java:1:2: compiler.err.cant.resolve: ", "A.java:1: error: ", "a.sh: line 2: ", "a.o: in function `f':\n", "undefined reference to `x'\n",
    "{\"reason\":\"compiler-message\",\"message\":", "\"spans\":[", "\"children\":[", "\"expansion\":{\"span\":", "\"range\":[0,9]", "\"fix\":{", "\"line\": 1", "\"column\": 0",
    "{\"runs\":[{\"results\":[", "\"region\":{\"startLine\":1", "\"ruleIndex\":0", "{", "}", "[", "]", ",", ":", "\"", "null", "-1", "1e9", "18446744073709551615", "\u{0}", "\n", "é", "😀", "file:///a%20b",
];

#[rustfmt::skip]
const SHELL: &[&str] = &[
    "ls", "echo ", "git status", " ", "\t", "'", "\"", "\\", "\\\"", "\\$", "$", "$(", "${", "`", "$'", "$\"", "&&", "||", "|", ";",
    "&", "|&", ";;", "<", ">", ">>", "2>&1", ">&2", "&>", "&>>", ">|", "<>", "<<", "<<<", "<(", ">(", "(", ")", "{", "}", "{a,b}",
    "*", "?", "[", "]", "[!a-z]", "[[:alpha:]]", "~", "~/", "=~", "#", " #", "!", "!!", "!=", "=", "A=b ", "A[0]=", "0", "1", "2", "12",
    "if ", "time ", "! ", "cd ", "/", "./", "..", "//", "-", "é", "✅", "\u{a0}", "\u{200b}", "\u{202e}", "\n", "\r", "\0", "/dev/null",
];

#[rustfmt::skip]
const RULES: &[&str] = &[
    "[[rule]]\n", "prefix = [\"", "\", \"", "\"]\n", "decision = \"allow\"\n", "decision = \"ask\"\n", "decision = \"deny\"\n",
    "match = [\"", "not_match = [\"", "risk = \"network\"\n", "rm", "git clean", "{\"action\": \"", "continue", "stop", "replace",
    "\", \"command\": \"", "\"}", "no error, ", "do not ", "```bash\n", "\n```\n", "ls -la", "git log --oneline", "cargo test", "curl ",
    "find . -name x", "python -m pytest", "npm run build", "npm install ", "go test ./...", "pip install ", "tsc --noEmit", "wget -O ",
    " -o ", " --output=", " 2>&1", " > out.txt", " && ", " | ", "; ", " -- ", " ../x", " /etc/x", " .env", " *", " --", " -", "=", "@",
];

#[rustfmt::skip]
const SECRETS: &[&str] = &[
    "password", "token", "secret", "api_key", "_auth", "sig=", "heroku", " = ", ": ", "=", "=>", "\"", "'", "`", "\\\"", "\\n", "\\", "\n", "\r\n",
    "authorization", "Bearer ", "Basic ", "://", "a:", "@", ":", "--", "-", "%20", "\\u0020", "\\x20", "\u{1b}[31m", "[redacted:", "key]", "[", "]",
    "ghp_", "github_pat_", "sk-", "sk-ant-", "xoxb-", "AKIA", "AIza", "eyJ", ".eyJ", ".", "MII", "IBAA", "LS0t", "8Q~", "-us1", "1234567", "8:", "|", "NRAL", ".atlasv1.",
    "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "-----END PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED\n", "Private-Lines: 3\n", "+", "\"+\n\"", "MTIz", "=",
    "Zx9Cv7Bn5Mq3We1Rt2Yu4Io6Pa8Sd0Fg1Hj3", "9f86d081884c7d659a2feaa0c55ad015", "Q7Z5X3L0R6N4H8J2", "Horse99!", "exact-value", "xxxx", "example", "é", "\0",
];

#[rustfmt::skip]
const WIRE: &[&str] = &[
    "data: ", "data:", "event: ", "id: 1\n", ": ping\n", "\n\n", "\r\n\r\n", "\r\r", "\n", "\r", "\u{feff}", "data: [DONE]\n\n",
    "{\"choices\":[{\"index\":0,\"delta\":{", "\"content\":\"a\"", "\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]",
    "}}]}", "\"finish_reason\":\"length\"", "\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}", "\"index\":4000000000", "\"role\":\"assistant\"",
    "{\"type\":\"message_start\",\"message\":{", "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\"}}",
    "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}", "{\"type\":\"content_block_stop\",\"index\":0}",
    "\"partial_json\":\"{\"", "\"type\":\"input_json_delta\"", "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}", "{\"type\":\"message_stop\"}",
    "\"type\":\"response.created\",", "\"type\":\"response.output_item.added\",", "\"type\":\"response.output_item.done\",", "\"type\":\"response.content_part.added\",",
    "\"type\":\"response.output_text.delta\",", "\"type\":\"response.output_text.done\",", "\"type\":\"response.completed\",", "\"sequence_number\":7", "\"output_index\":0",
    "\"item\":{\"type\":\"message\"}", "\"item\":{\"type\":\"function_call\",\"call_id\":\"c\"}", "\"part\":{\"type\":\"output_text\",\"text\":\"\"}", "\"delta\":\"a\"",
    "\"output\":[", "\"content\":[", "\"messages\":[", "\"input\":", "null", "[]", "{}", "5", "1e400", "\"\\ud800\"", "\\u0000", "\u{0}", ",", "{", "}", "[", "]",
];
