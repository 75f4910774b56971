//! Words, sentences and programs for the documents.
//!
//! In: a stream of choices. Out: text with everything that makes a string hard to read: quotes of all
//! kinds, braces, commas, escapes, line breaks, other scripts. Never the same twice but by chance.

use crate::corpus::Random;

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "alpha", "branch", "cache", "delta", "error", "field", "graph", "handle", "index", "job",
    "kernel", "limit", "model", "node", "order", "parser", "queue", "retry", "stream", "token",
    "update", "value", "worker", "yield", "zone", "the", "a", "of", "and", "is", "not", "with",
    "größer", "naïve", "été", "日本語", "данные", "🚀", "señal", "Ω", "don't", "it's", "user's", "true",
    "null", "key:", "e.g.", "100%", "a/b", "x=1", "#1", "C++", "@home", "--flag", "…",
];
#[rustfmt::skip]
const HARD: &[&str] = &[
    "he said \"yes\"", "\"quoted\", then more", "C:\\temp\\new", "a {b} c", "[1, 2]", "x: y",
    "{\"a\": 1}", "it's \"fine\"", "tab\there", "// not a comment", "# not a comment", "a, b, c",
    "https://example.com/a?b=c&d=%20#e", "```sh\nls -l\n```", "\\d+\\.\\d*", "'single'", "`tick`",
    "line one\nline two", "ends with a backslash \\", "\"", ",", "}", "]", ": ", "a\r\nb",
    "<b>x</b>", "“smart”", "true", "null", "None", "12", "1.5e3", "- item", "key: \"value\"",
    "say \"a\": \"b\"",
];
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "id", "name", "type", "path", "content", "value", "items", "data", "options", "status", "count",
    "title", "text", "user", "created_at", "updatedAt", "is_ok", "tags", "url", "meta", "args",
    "score", "kind", "size", "ref", "parent", "children", "level", "code", "message", "x", "y",
];
#[rustfmt::skip]
const ODD_NAMES: &[&str] = &[
    "content-type", "a.b", "with space", "größe", "1st", "@id", "$ref", "x y z", "key's", "", "a:b",
    "a,b", "{k}", "名前", "*", "/v1/users", "say \"hi\"", "true", "null", "-", "🙂",
];
#[rustfmt::skip]
const STEMS: &[&str] = &[
    "total", "load", "parse", "render", "item", "user", "config", "result", "merge", "path",
    "find", "buffer", "client", "state", "event", "token", "index", "line", "cursor", "batch",
    "score",
];

/// Returns one of the items.
pub(super) fn pick<'a, T: ?Sized>(random: &mut Random, items: &[&'a T]) -> &'a T {
    items[random.below(items.len())]
}

/// Returns true once in `n`.
pub(super) fn one_in(random: &mut Random, n: usize) -> bool {
    random.below(n) == 0
}

/// A plain key, rarely an odd one.
pub(super) fn key(random: &mut Random) -> String {
    match random.below(14) {
        0 => pick(random, ODD_NAMES).to_owned(),
        1..=4 => format!("{}_{}", pick(random, STEMS), pick(random, NAMES)),
        _ => pick(random, NAMES).to_owned(),
    }
}

/// A key from the odd ones.
pub(super) fn odd_key(random: &mut Random) -> String {
    pick(random, ODD_NAMES).to_owned()
}

/// An identifier.
pub(super) fn identifier(random: &mut Random) -> String {
    match random.below(3) {
        0 => pick(random, STEMS).to_owned(),
        1 => format!("{}_{}", pick(random, STEMS), pick(random, STEMS)),
        _ => format!("{}{}", pick(random, STEMS), random.below(90)),
    }
}

/// One word.
pub(super) fn word(random: &mut Random) -> String {
    pick(random, WORDS).to_owned()
}

/// A sentence of words, sometimes with something hard inside.
pub(super) fn sentence(random: &mut Random) -> String {
    let count = 2 + random.below(9);
    let mut words: Vec<String> = (0..count).map(|_| word(random)).collect();
    if one_in(random, 3) {
        let at = random.below(words.len());
        words[at] = pick(random, HARD).to_owned();
    }
    let end = pick(random, &[".", ".", "", "!", "?", ":", ", and so on", " (see above)"]);
    let text = format!("{}{end}", words.join(pick(random, &[" ", " ", " ", " ", ", "])));
    if one_in(random, 3) { text } else { capital(&text) }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().collect::<String>() + letters.as_str())
        .unwrap_or_default()
}

/// Something short: a word, a name, a date, a version, something hard, or nothing.
pub(super) fn short(random: &mut Random) -> String {
    match random.below(12) {
        0 => String::new(),
        1 => pick(random, HARD).to_owned(),
        2 => format!(
            "20{:02}-{:02}-{:02}T{:02}:30:00Z",
            random.below(40),
            1 + random.below(12),
            1 + random.below(28),
            random.below(24)
        ),
        3 => format!("{}.{}.{}", random.below(9), random.below(30), random.below(9)),
        4 => format!("{:08x}-{:04x}", random.next() as u32, random.below(65_536)),
        5 => path(random),
        6 => sentence(random),
        _ => word(random),
    }
}

/// A path of a file.
pub(super) fn path(random: &mut Random) -> String {
    let end = pick(random, &["rs", "py", "ts", "go", "md", "json", "tsx", "sql", "html"]);
    match random.below(3) {
        0 => format!("{}.{end}", identifier(random)),
        1 => format!("src/{}.{end}", identifier(random)),
        _ => format!("packages/{}/lib/{}.{end}", identifier(random), identifier(random)),
    }
}

/// Several sentences with breaks between them.
pub(super) fn paragraphs(random: &mut Random) -> String {
    let count = 2 + random.below(6);
    let mut text = String::new();
    for _ in 0..count {
        text.push_str(pick(random, &["", "", "- ", "* ", "  ", "> ", "1. ", "## "]));
        text.push_str(&sentence(random));
        text.push_str(pick(random, &["\n", "\n", "\n\n", " ", "\r\n", "\t"]));
    }
    if one_in(random, 2) { text } else { text.trim_end().to_owned() }
}

// One line of each is a statement that can follow any other; `N` is a name, `S` a sentence, `I` a number.
const LANGUAGES: &[(&str, &[&str])] = &[
    (
        "python",
        &[
            "import N",
            "def N(N, *, limit=I):\n    \"\"\"S\"\"\"\n    return N[:limit]\n",
            "print(f\"{N!r}: {I}\")",
            "N = {'a': I, \"b\": [I, I]}",
            "if N is None:\n    raise ValueError('S')\n",
            "# S",
            "for N, N in zip(N, N):\n\tpass\n",
            "N = r'\\d+\\s*\"'",
            "x = N[\"N\"]  # S",
            "assert N == 'it\\'s'",
        ],
    ),
    (
        "rust",
        &[
            "use std::N;",
            "fn N(N: &str) -> Option<&'static str> {\n    println!(\"{N:?}, {}\", I);\n    None\n}\n",
            "let N = vec![I, I];",
            "match N { 'a' => \"N\", _ => \"\" }",
            "// S",
            "#[derive(Debug)]\nstruct N { N: u8 }\n",
            "impl<T: Send + 'static> N for T {}",
            "let s = r#\"{\"N\": I}\"#;",
        ],
    ),
    (
        "typescript",
        &[
            "import { N } from './N';",
            "export const N = (N: string): number => N.length;",
            "const N = `${N}: I`;",
            "// S",
            "if (N !== \"N\") { throw new Error('S'); }",
            "type N = { N?: string; N: Array<I> };",
            "const re = /^\"[a-z]+\"$/i;",
            "return { N, ...N };",
            "console.log(\"N\", N);",
        ],
    ),
    (
        "go",
        &[
            "package N",
            "func N(N string) error {\n\treturn fmt.Errorf(\"N %q: %w\", N, err)\n}\n",
            "var N = []int{I, I}",
            "N := map[string]int{\"N\": I}",
            "// S",
            "if err != nil {\n\treturn nil, err\n}\n",
            "c := '\\n'",
        ],
    ),
    (
        "c",
        &[
            "#include <N.h>",
            "int N(const char *N) {\n  printf(\"N: %d\\n\", I);\n  return N[0] == '\"';\n}\n",
            "/* S */",
            "static int N[] = { I, I };",
            "#define N(x) ((x) + I)",
            "char N = '\\'';",
        ],
    ),
    (
        "html",
        &[
            "<div class=\"N\" data-x='{\"N\": I}'>",
            "</div>",
            "<p>S</p>",
            "<a href=\"/N?x=I\">N</a>",
            "<!-- S -->",
            "<br/>",
        ],
    ),
    (
        "css",
        &[
            ".N { color: #fff; width: Ipx; }",
            "#N::before { content: \"\\201C\"; }",
            "/* S */",
            "@media (min-width: Ipx) {\n  .N { margin: 0 }\n}\n",
        ],
    ),
    (
        "sql",
        &[
            "SELECT N, \"N\" FROM N WHERE N = 'it''s' AND N > I;",
            "-- S",
            "INSERT INTO N (N) VALUES ('N', I);",
        ],
    ),
    (
        "bash",
        &[
            "#!/bin/sh",
            "echo \"N: $N\" 'N' | grep -v '^#'",
            "for N in \"$@\"; do N; done",
            "N=$(N \"I\")",
            "# S",
            "if [ \"$N\" = \"\" ]; then exit I; fi",
        ],
    ),
    ("yaml", &["N: I", "N:\n  - N\n  - \"N: N\"", "# S", "N: {N: I, N: [I, I]}", "N: 'it''s'"]),
    (
        "java",
        &[
            "public class N { }",
            "String N = \"N\\t\\\"N\\\"\";",
            "@Override public int N() { return I; }",
            "// S",
            "Map<String, List<Integer>> N = Map.of(\"N\", List.of(I));",
        ],
    ),
    (
        "kotlin",
        &[
            "val N = \"$N and ${N.size}\"",
            "fun N(N: Int = I) = N",
            "data class N(val N: String?)",
            "/* S */",
        ],
    ),
    ("markdown", &["# N", "S", "- `N`: S", "| N | I |", "> S", "**N** _N_", "1. S"]),
];

/// A language and a short program in it.
pub(super) fn program(random: &mut Random) -> (&'static str, String) {
    let (language, statements) = LANGUAGES[random.below(LANGUAGES.len())];
    let indent = if one_in(random, 6) { "    " } else { "" };
    let mut text = String::new();
    for _ in 0..1 + random.below(7) {
        for line in filled(pick(random, statements), random).split_inclusive('\n') {
            text.push_str(indent);
            text.push_str(line);
        }
        if !text.ends_with('\n') || one_in(random, 4) {
            text.push('\n');
        }
    }
    match random.below(3) {
        0 => (language, text.trim_end().to_owned()),
        _ => (language, text),
    }
}

fn filled(template: &str, random: &mut Random) -> String {
    let mut text = String::new();
    let letters: Vec<char> = template.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let alone = |at: Option<&char>| at.is_none_or(|other| !other.is_alphanumeric());
        let lone = alone(at.checked_sub(1).and_then(|before| letters.get(before)))
            && alone(letters.get(at + 1));
        match letter {
            'N' if lone => text.push_str(&identifier(random)),
            'S' if lone => {
                text.push_str(&sentence(random).replace(['\n', '\r'], " ").replace("*/", ""));
            }
            'I' if lone || letters.get(at + 1) == Some(&'p') => {
                text.push_str(&random.below(1000).to_string());
            }
            other => text.push(*other),
        }
    }
    text
}
