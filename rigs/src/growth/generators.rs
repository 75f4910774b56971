//! Hostile texts of any size.
//!
//! In: a number of bytes. Out: a text of about that length. Never random: the same text every time.

/// A kind of hostile text.
pub(super) struct Generator {
    /// Its name in the table.
    pub(super) name: &'static str,
    /// Makes a text of about this many bytes.
    pub(super) make: fn(usize) -> String,
}

fn again(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len() + 1)
}

fn around(start: &str, piece: &str, end: &str, size: usize) -> String {
    format!("{start}{}{end}", again(piece, size))
}

fn numbered(size: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(size + 64);
    for number in 0.. {
        if text.len() >= size {
            break;
        }
        text.push_str(&line(number));
    }
    text
}

#[rustfmt::skip]
pub(super) const GENERATORS: &[Generator] = &[
    Generator { name: "open braces", make: |size| again("{", size) },
    Generator { name: "inner quotes", make: |size| again("{\"a\":\"b\"c\"d\",", size) },
    Generator { name: "fence and braces", make: |size| around("```json\n", "{", "", size) },
    Generator { name: "escaped quotes", make: |size| again("\\\"", size) },
    Generator { name: "bare fences", make: |size| again("```\n", size) },
    Generator { name: "generic calls", make: |size| again("f<g<", size) },
    Generator { name: "open brackets", make: |size| again("[", size) },
    Generator { name: "open and closed", make: |size| again("[]", size) },
    Generator { name: "closers", make: |size| again("}", size) },
    Generator { name: "quotes", make: |size| again("\"", size) },
    Generator { name: "backticks", make: |size| again("`", size) },
    Generator { name: "small numbers", make: |size| around("[", "1,", "1]", size) },
    Generator { name: "small objects", make: |size| around("[", "{\"a\":0},", "0]", size) },
    Generator { name: "empty objects", make: |size| around("[", "{},", "0]", size) },
    Generator { name: "many keys", make: |size| format!("{{{}}}", numbered(size, |it| format!("\"k{it}\":1,"))) },
    Generator { name: "the same key", make: |size| around("{", "\"a\":1,", "\"a\":2}", size) },
    Generator { name: "bare keys", make: |size| around("{", "a:b,", "", size) },
    Generator { name: "commas", make: |size| around("[", ",", "]", size) },
    Generator { name: "colons", make: |size| around("{", ":", "}", size) },
    Generator { name: "comments", make: |size| around("[", "/**/1", "]", size) },
    Generator { name: "line comments", make: |size| around("[", "// x\n1,", "]", size) },
    Generator { name: "concatenation", make: |size| around("[\"a\"", "+\"a\"", "]", size) },
    Generator { name: "parentheses", make: |size| again("(", size) },
    Generator { name: "calls", make: |size| again("f(", size) },
    Generator { name: "lines of objects", make: |size| again("{\"a\":1}\n", size) },
    Generator { name: "words and objects", make: |size| again("x {} ", size) },
    Generator { name: "control characters", make: |size| around("[\"", "\u{1}", "\"]", size) },
    Generator { name: "bad escapes", make: |size| around("[\"", "\\q", "\"]", size) },
    Generator { name: "special quotes", make: |size| around("[", "“a”,", "]", size) },
    Generator { name: "apostrophes", make: |size| around("[", "'a',", "]", size) },
    Generator { name: "special blanks", make: |size| around("[1", "\u{a0}", "]", size) },
    Generator { name: "labelled fences", make: |size| again("```rust\nfn a() {}\n```\n", size) },
    Generator { name: "open labelled fences", make: |size| again("```rust\n", size) },
    Generator { name: "tildes", make: |size| again("~~~\n", size) },
    Generator { name: "tags", make: |size| again("<answer>", size) },
    Generator { name: "thinking", make: |size| again("<think>a</think>", size) },
    Generator { name: "special tokens", make: |size| again("<|im_end|>", size) },
    Generator { name: "numbered lines", make: |size| numbered(size, |it| format!("{it}: x\n")) },
    Generator { name: "escaped payload", make: |size| around("\"", "a\\n", "\"", size) },
    Generator { name: "escaped object", make: |size| around("{\"code\": \"", "\\n\\t", "\"}", size) },
    Generator { name: "templates", make: |size| again("`${", size) },
    Generator { name: "angle brackets", make: |size| again("<a", size) },
    Generator { name: "elements", make: |size| again("<a>", size) },
    Generator { name: "comment openers", make: |size| again("/*", size) },
    Generator { name: "slashes", make: |size| again("a/b ", size) },
    Generator { name: "mixed brackets", make: |size| again("([{", size) },
    Generator { name: "blocks", make: |size| again("if a then\n", size) },
    Generator { name: "headers of Python", make: |size| again("def f():\n", size) },
    Generator { name: "here documents", make: |size| again("cat <<A\n", size) },
    Generator { name: "directives", make: |size| again("#if A\n", size) },
    Generator { name: "omissions", make: |size| again("// ... existing code ...\n", size) },
    Generator { name: "equal lines", make: |size| again("a();\n", size) },
    Generator { name: "one long word", make: |size| again("a", size) },
    Generator { name: "empty lines", make: |size| again("\n", size) },
    Generator { name: "errors of gcc", make: |size| numbered(size, |it| format!("a.c:{it}:1: error: bad\n")) },
    Generator { name: "errors of rustc", make: |size| numbered(size, |it| format!("error[E0308]: bad {it}\n --> a.rs:{it}:1\n")) },
    Generator { name: "frames of Python", make: |size| numbered(size, |it| format!("  File \"a.py\", line {it}, in f\n    g()\n")) },
    Generator { name: "wide characters", make: |size| again("語", size) },
    Generator { name: "search blocks", make: |size| again("a.py\n<<<<<<< SEARCH\na();\n=======\nb();\n>>>>>>> REPLACE\n\n", size) },
    Generator { name: "open search blocks", make: |size| again("<<<<<<< SEARCH\n", size) },
    Generator { name: "dividers", make: |size| again("=======\n", size) },
    Generator { name: "hunks that fit nowhere", make: |size| around("--- a/a.py\n+++ b/a.py\n", "@@ -1,2 +1,2 @@\n nowhere\n-gone\n+new\n", "", size) },
    Generator { name: "hunks that fit everywhere", make: |size| around("--- a/a.py\n+++ b/a.py\n", "@@ -1,2 +1,2 @@\n a();\n-a();\n+b();\n", "", size) },
    Generator { name: "anchors", make: |size| around("*** Begin Patch\n*** Update File: a.py\n", "@@ def q\n a();\n-a();\n+b();\n", "*** End Patch\n", size) },
    Generator { name: "lazy markers", make: |size| around("a.py\n```python\n", "a();\n# ... existing code ...\n", "```\n", size) },
    Generator { name: "whole files", make: |size| again("a.py\n```python\nx = 1\n```\n\n", size) },
    Generator { name: "file headers", make: |size| again("--- a/a.py\n+++ b/a.py\n", size) },
    Generator { name: "tool calls", make: |size| around("[", "{\"path\":\"a.py\",\"old\":\"a\",\"new\":\"b\"},", "0]", size) },
    Generator { name: "texts", make: |size| around("[", "\"x\",", "\"x\"]", size) },
    Generator { name: "texts without commas", make: |size| around("[", "\"x\"\"y\" ", "]", size) },
    Generator { name: "keys without colons", make: |size| around("{", "\"a\"\"b\",", "}", size) },
    Generator { name: "keys without quotes", make: |size| around("{\"z\":\"x\",", "b\":2,", "}", size) },
    Generator { name: "stray numbers", make: |size| around("{", "\"a\":1,2,", "}", size) },
    Generator { name: "lost closing quotes", make: |size| around("[", "{\"k\":\"v},", "]", size) },
    Generator { name: "doubled quotes", make: |size| around("{", "\"a\"\":\"x\"\",", "}", size) },
    Generator { name: "string of members", make: |size| around("{\"a\":\"", "x\",\"b\" y ", "\"}", size) },
    Generator { name: "notes", make: |size| around("{", "# note\n", "\"a\":1}", size) },
    Generator { name: "blanks after numbers", make: |size| format!("[{}1]{}", again("1,", size / 2), again(" ", size / 2)) },
    Generator { name: "deep lists", make: |size| format!("{}{}", again("[", size / 2), again("]", size / 2)) },
    Generator { name: "deep objects", make: |size| again("{\"a\":", size) },
    Generator { name: "JSON in strings", make: |size| around("[", "\"{\\\"a\\\":1}\",", "0]", size) },
    Generator { name: "long keys", make: |size| numbered(size, |it| format!("{{\"{}\":{it}}}\n", "k".repeat(200))) },
    Generator { name: "thinking unclosed", make: |size| again("<think>", size) },
    Generator { name: "links", make: |size| again("[a](b) ", size) },
    Generator { name: "tables", make: |size| again("| a | b |\n", size) },
    Generator { name: "headings", make: |size| again("# a\n", size) },
    Generator { name: "front matter", make: |size| again("---\na: b\n", size) },
    Generator { name: "raw strings of Rust", make: |size| again("r#\"", size) },
    Generator { name: "interpolations", make: |size| again("f\"{", size) },
    Generator { name: "regular expressions", make: |size| again("/[/", size) },
    Generator { name: "carriage returns", make: |size| again("a\r\n", size) },
    Generator { name: "short lines", make: |size| again("abc\n", size) },
    Generator { name: "short statements", make: |size| again("ab;\r\n", size) },
    Generator { name: "thinking on lines", make: |size| again("<think>a</think> b\n", size) },
    Generator { name: "special tokens on lines", make: |size| again("<|im_end|>\n", size) },
    Generator { name: "edits of many files", make: |size| numbered(size, |it| format!("{it}.py\n<<<<<<< SEARCH\na();\n=======\nb();\n>>>>>>> REPLACE\n\n")) },
    Generator { name: "lists of objects of one key", make: |size| around("[", "{\"k\":{}},", "{}]", size) },
    Generator { name: "combining marks", make: |size| again("e\u{301}", size) },
    Generator { name: "placeholders", make: |size| again("// TODO: rest of the code\n", size) },
    Generator { name: "conflict on one line", make: |size| again("<<<<<<< a ======= b >>>>>>> ", size) },
];
