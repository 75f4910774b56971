//! The list of fuzz targets.
//!
//! In: a name. Out: the property check of that name and the words its mutator may insert. Never
//! keeps state between two inputs.

mod syntax;

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
pub const TARGETS: &[Target] = &[Target { name: "syntax", check: syntax::check, dictionary: CODE }];

#[rustfmt::skip]
const CODE: &[&str] = &[
    "\"", "'", "`", "\"\"\"", "'''", "r#\"", "\"#", "b'", "\\", "\\\"", "${", "#{", "{{", "}}",
    "//", "/*", "*/", "#", "--", "<!--", "-->", "<<EOF\n", "EOF\n", "(", ")", "[", "]", "{", "}",
    "<div a=\"", "<br/>", "</div>", "<T>", "=>", "/a[/]b/g", "fn f<'a>(", "def f():\n    ",
    "if x:\n", "do\n", "end\n", "begin\n", "then\n", "```rust\n", "```\n", "~~~\n", "$$", "@\"",
    "#if X\n", "#endif\n", "<?php ", "?>", "<script>", "</script>", "<style>", "function ", "class A ",
    "\n", "\r\n", "\t", "    ", ";\n", ": ", "- a: |\n  ", "[[t]]\n", "// --- VIBECODER_COMPLETE ---\n",
];
