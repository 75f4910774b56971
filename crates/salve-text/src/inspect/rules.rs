//! What the lexical machine must know about each language, as data.
//!
//! In: a [`Language`]. Out: its [`Rules`]: which bytes need a look in code, the string forms, the
//! comment signs, and a dialect that names the few habits no table can express. Never: behaviour;
//! one machine reads all of these tables.

use salve_types::{Language, OpenKind};

/// Why a byte of code needs a look; `PLAIN` bytes are skipped in runs.
pub(super) mod class {
    pub(in crate::inspect) const PLAIN: u8 = 0;
    pub(in crate::inspect) const NEWLINE: u8 = 1;
    pub(in crate::inspect) const QUOTE: u8 = 2;
    pub(in crate::inspect) const OPEN: u8 = 3;
    pub(in crate::inspect) const CLOSE: u8 = 4;
    pub(in crate::inspect) const SLASH: u8 = 5;
    pub(in crate::inspect) const HASH: u8 = 6;
    pub(in crate::inspect) const LESS: u8 = 7;
    pub(in crate::inspect) const DASH: u8 = 8;
    pub(in crate::inspect) const DOLLAR: u8 = 9;
    pub(in crate::inspect) const ESCAPE: u8 = 10;
    pub(in crate::inspect) const PERCENT: u8 = 11;
    pub(in crate::inspect) const QUESTION: u8 = 12;
    pub(in crate::inspect) const EQUALS: u8 = 13;
    pub(in crate::inspect) const WORD: u8 = 14;
    pub(in crate::inspect) const BAR: u8 = 15;
}

/// Habits of a language that are code rather than data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Nothing beyond the tables.
    Plain,
    Rust,
    /// Regular expressions by position; `markup` adds JSX.
    Script {
        markup: bool,
    },
    Python,
    /// Preprocessor lines.
    C,
    Java,
    CSharp,
    Swift,
    Ruby,
    Php,
    Bash,
    Sql,
    Html,
    Css,
    Json,
    Yaml,
    Markdown,
    Text,
}

/// How a string may contain its own closer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    None,
    Backslash,
    /// The closer written twice stands for itself.
    Doubled,
    /// SQL: doubled, and a backslash where it plainly escapes.
    Sql,
}

/// Which sign inside a string opens a hole that holds code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hole {
    None,
    /// `${`
    DollarBrace,
    /// `#{`
    HashBrace,
    /// `\(`
    BackslashParen,
    /// `{`, with `{{` as plain text.
    Brace,
    /// `$(`, `${` and a backtick.
    Shell,
}

/// One form of string.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) open: &'static [u8],
    pub(super) close: &'static [u8],
    pub(super) escape: Escape,
    /// Whether it may run over the end of a line.
    pub(super) lines: bool,
    pub(super) hole: Hole,
    pub(super) kind: OpenKind,
    /// Bytes inside the string that need a look.
    pub(super) stops: [bool; 256],
}

/// Everything the machine reads about a language.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) language: Language,
    pub(super) dialect: Dialect,
    /// Class of each byte at the top level.
    pub(super) classes: [u8; 256],
    /// Class of each byte inside brackets: line ends matter to few languages there.
    pub(super) inner_classes: [u8; 256],
    pub(super) forms: &'static [Form],
    /// Whether `//` starts a comment.
    pub(super) slash_comments: bool,
    /// Whether `/*` starts a comment, and whether these nest.
    pub(super) star_comments: bool,
    pub(super) nested_comments: bool,
    /// Whether the last three of several closing quotes close.
    pub(super) greedy_triple: bool,
    /// Whether crossing brackets may be called an error: the tables describe the language fully.
    pub(super) strict: bool,
}

/// Returns the tables of a language.
pub(super) fn rules_of(language: Language) -> &'static Rules {
    use Language as L;
    match language {
        L::Rust => &RUST,
        L::TypeScript => &TYPESCRIPT,
        L::Tsx => &TSX,
        L::JavaScript => &JAVASCRIPT,
        L::Jsx => &JSX,
        L::Python => &PYTHON,
        L::Go => &GO,
        L::C => &C,
        L::Cpp => &CPP,
        L::Java => &JAVA,
        L::CSharp => &CSHARP,
        L::Kotlin => &KOTLIN,
        L::Swift => &SWIFT,
        L::Ruby => &RUBY,
        L::Php => &PHP,
        L::Bash => &BASH,
        L::Sql => &SQL,
        L::Html => &HTML,
        L::Css => &CSS,
        L::Json => &JSON,
        L::Yaml => &YAML,
        L::Toml => &TOML,
        L::Markdown => &MARKDOWN,
        _ => &TEXT,
    }
}

const BRACKETS: &[(&[u8], u8)] = &[(b"([{", class::OPEN), (b")]}", class::CLOSE)];

const fn classes(list: &[(&[u8], u8)], newline: bool, words: bool) -> [u8; 256] {
    let mut table = [class::PLAIN; 256];
    let mut index = 0;
    while words && index < 128 {
        let byte = index as u8;
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            table[index] = class::WORD;
        }
        index += 1;
    }
    mark(&mut table, BRACKETS);
    mark(&mut table, list);
    if newline {
        table[b'\n' as usize] = class::NEWLINE;
    }
    table
}

const fn mark(table: &mut [u8; 256], list: &[(&[u8], u8)]) {
    let mut row = 0;
    while row < list.len() {
        let (bytes, value) = list[row];
        let mut at = 0;
        while at < bytes.len() {
            table[bytes[at] as usize] = value;
            at += 1;
        }
        row += 1;
    }
}

const fn form(
    open: &'static [u8],
    close: &'static [u8],
    escape: Escape,
    lines: bool,
    hole: Hole,
    kind: OpenKind,
) -> Form {
    let mut stops = [false; 256];
    stops[close[0] as usize] = true;
    stops[b'\\' as usize] = !matches!(escape, Escape::None | Escape::Doubled);
    stops[b'\n' as usize] = !lines;
    match hole {
        Hole::None => {}
        Hole::DollarBrace => stops[b'$' as usize] = true,
        Hole::HashBrace => stops[b'#' as usize] = true,
        Hole::BackslashParen => stops[b'\\' as usize] = true,
        Hole::Brace => {
            stops[b'{' as usize] = true;
            stops[b'}' as usize] = true;
        }
        Hole::Shell => {
            stops[b'$' as usize] = true;
            stops[b'`' as usize] = true;
        }
    }
    Form { open, close, escape, lines, hole, kind, stops }
}

// The common shapes, so that the tables below read as a list of differences.
const fn double(escape: Escape, lines: bool, hole: Hole) -> Form {
    form(b"\"", b"\"", escape, lines, hole, OpenKind::DoubleQuote)
}

const fn single(escape: Escape, lines: bool) -> Form {
    form(b"'", b"'", escape, lines, Hole::None, OpenKind::SingleQuote)
}

const fn triple_double(escape: Escape, hole: Hole) -> Form {
    form(b"\"\"\"", b"\"\"\"", escape, true, hole, OpenKind::DoubleQuote)
}

const fn triple_single(escape: Escape, hole: Hole) -> Form {
    form(b"'''", b"'''", escape, true, hole, OpenKind::SingleQuote)
}

const fn backtick(escape: Escape, hole: Hole) -> Form {
    form(b"`", b"`", escape, true, hole, OpenKind::Template)
}

const BASE: Rules = Rules {
    language: Language::Text,
    dialect: Dialect::Plain,
    classes: [class::PLAIN; 256],
    inner_classes: [class::PLAIN; 256],
    forms: &[],
    slash_comments: false,
    star_comments: false,
    nested_comments: false,
    greedy_triple: false,
    strict: true,
};

const C_LIKE: &[(&[u8], u8)] = &[(b"\"'", class::QUOTE), (b"/", class::SLASH)];
const BACKTICKED: &[(&[u8], u8)] = &[(b"\"'`", class::QUOTE), (b"/", class::SLASH)];
const MARKED_UP: &[(&[u8], u8)] =
    &[(b"\"'`", class::QUOTE), (b"/", class::SLASH), (b"<", class::LESS)];

/// Indexes into the forms of Rust.
pub(super) mod rust_form {
    pub(in crate::inspect) const STRING: usize = 0;
    pub(in crate::inspect) const RAW: usize = 1;
    pub(in crate::inspect) const CHAR: usize = 2;
}

static RUST: Rules = Rules {
    language: Language::Rust,
    dialect: Dialect::Rust,
    classes: classes(C_LIKE, true, false),
    inner_classes: classes(C_LIKE, false, false),
    forms: &[
        double(Escape::Backslash, true, Hole::None),
        double(Escape::None, true, Hole::None),
        single(Escape::Backslash, false),
    ],
    slash_comments: true,
    star_comments: true,
    nested_comments: true,
    ..BASE
};

/// Indexes into the forms of the script languages; the last two are attribute values.
pub(super) mod script_form {
    pub(in crate::inspect) const ATTRIBUTE_DOUBLE: usize = 3;
    pub(in crate::inspect) const ATTRIBUTE_SINGLE: usize = 4;
}

const SCRIPT_FORMS: &[Form] = &[
    double(Escape::Backslash, false, Hole::None),
    single(Escape::Backslash, false),
    backtick(Escape::Backslash, Hole::DollarBrace),
    double(Escape::None, true, Hole::None),
    single(Escape::None, true),
];

const SCRIPT: Rules = Rules {
    dialect: Dialect::Script { markup: false },
    classes: classes(BACKTICKED, true, false),
    inner_classes: classes(BACKTICKED, false, false),
    forms: SCRIPT_FORMS,
    slash_comments: true,
    star_comments: true,
    ..BASE
};

const MARKUP_SCRIPT: Rules = Rules {
    dialect: Dialect::Script { markup: true },
    classes: classes(MARKED_UP, true, false),
    inner_classes: classes(MARKED_UP, false, false),
    ..SCRIPT
};

static TYPESCRIPT: Rules = Rules { language: Language::TypeScript, ..SCRIPT };
static TSX: Rules = Rules { language: Language::Tsx, ..MARKUP_SCRIPT };
static JAVASCRIPT: Rules = Rules { language: Language::JavaScript, ..MARKUP_SCRIPT };
static JSX: Rules = Rules { language: Language::Jsx, ..MARKUP_SCRIPT };

/// Indexes into the forms of Python: plain forms first, then formatted ones.
pub(super) mod python_form {
    pub(in crate::inspect) const TRIPLE_DOUBLE: usize = 0;
    pub(in crate::inspect) const TRIPLE_SINGLE: usize = 1;
    pub(in crate::inspect) const DOUBLE: usize = 2;
    pub(in crate::inspect) const SINGLE: usize = 3;
    /// Added to an index above when the prefix holds an `f`.
    pub(in crate::inspect) const FORMATTED: usize = 4;
}

const PYTHON_CLASSES: &[(&[u8], u8)] = &[(b"\"'", class::QUOTE), (b"#", class::HASH)];

static PYTHON: Rules = Rules {
    language: Language::Python,
    dialect: Dialect::Python,
    classes: classes(PYTHON_CLASSES, true, false),
    inner_classes: classes(PYTHON_CLASSES, false, false),
    forms: &[
        triple_double(Escape::Backslash, Hole::None),
        triple_single(Escape::Backslash, Hole::None),
        double(Escape::Backslash, false, Hole::None),
        single(Escape::Backslash, false),
        triple_double(Escape::Backslash, Hole::Brace),
        triple_single(Escape::Backslash, Hole::Brace),
        double(Escape::Backslash, false, Hole::Brace),
        form(b"'", b"'", Escape::Backslash, false, Hole::Brace, OpenKind::SingleQuote),
    ],
    ..BASE
};

static GO: Rules = Rules {
    language: Language::Go,
    classes: classes(BACKTICKED, true, false),
    inner_classes: classes(BACKTICKED, false, false),
    forms: &[
        double(Escape::Backslash, false, Hole::None),
        single(Escape::Backslash, false),
        backtick(Escape::None, Hole::None),
    ],
    slash_comments: true,
    star_comments: true,
    ..BASE
};

/// Indexes into the forms of C and C++.
pub(super) mod c_form {
    pub(in crate::inspect) const STRING: usize = 0;
    pub(in crate::inspect) const CHAR: usize = 1;
}

const C_CLASSES: &[(&[u8], u8)] =
    &[(b"\"'", class::QUOTE), (b"/", class::SLASH), (b"#", class::HASH)];

const C_FAMILY: Rules = Rules {
    dialect: Dialect::C,
    classes: classes(C_CLASSES, true, false),
    inner_classes: classes(C_CLASSES, true, false),
    forms: &[double(Escape::Backslash, false, Hole::None), single(Escape::Backslash, false)],
    slash_comments: true,
    star_comments: true,
    strict: false,
    ..BASE
};

static C: Rules = Rules { language: Language::C, ..C_FAMILY };
static CPP: Rules = Rules { language: Language::Cpp, ..C_FAMILY };

static JAVA: Rules = Rules {
    language: Language::Java,
    dialect: Dialect::Java,
    classes: classes(C_LIKE, true, false),
    inner_classes: classes(C_LIKE, false, false),
    forms: &[
        triple_double(Escape::Backslash, Hole::None),
        double(Escape::Backslash, false, Hole::None),
        single(Escape::Backslash, false),
    ],
    slash_comments: true,
    star_comments: true,
    ..BASE
};

/// Indexes into the forms of C#.
pub(super) mod csharp_form {
    pub(in crate::inspect) const STRING: usize = 0;
    pub(in crate::inspect) const VERBATIM: usize = 1;
    pub(in crate::inspect) const FORMATTED: usize = 2;
    pub(in crate::inspect) const FORMATTED_VERBATIM: usize = 3;
    pub(in crate::inspect) const RAW: usize = 4;
    pub(in crate::inspect) const CHAR: usize = 5;
}

const HASHED: &[(&[u8], u8)] = &[(b"\"'", class::QUOTE), (b"/", class::SLASH), (b"#", class::HASH)];

static CSHARP: Rules = Rules {
    language: Language::CSharp,
    dialect: Dialect::CSharp,
    classes: classes(HASHED, true, false),
    inner_classes: classes(HASHED, true, false),
    forms: &[
        double(Escape::Backslash, false, Hole::None),
        double(Escape::Doubled, true, Hole::None),
        double(Escape::Backslash, false, Hole::Brace),
        double(Escape::Doubled, true, Hole::Brace),
        double(Escape::None, true, Hole::None),
        single(Escape::Backslash, false),
    ],
    slash_comments: true,
    star_comments: true,
    strict: false,
    ..BASE
};

static KOTLIN: Rules = Rules {
    language: Language::Kotlin,
    classes: classes(BACKTICKED, true, false),
    inner_classes: classes(BACKTICKED, false, false),
    forms: &[
        triple_double(Escape::None, Hole::DollarBrace),
        double(Escape::Backslash, false, Hole::DollarBrace),
        single(Escape::Backslash, false),
        form(b"`", b"`", Escape::None, false, Hole::None, OpenKind::Template),
    ],
    slash_comments: true,
    star_comments: true,
    nested_comments: true,
    greedy_triple: true,
    strict: false,
    ..BASE
};

/// Indexes into the forms of Swift.
pub(super) mod swift_form {
    pub(in crate::inspect) const RAW_TRIPLE: usize = 2;
    pub(in crate::inspect) const RAW: usize = 3;
}

const SWIFT_CLASSES: &[(&[u8], u8)] =
    &[(b"\"`", class::QUOTE), (b"/", class::SLASH), (b"#", class::HASH)];

static SWIFT: Rules = Rules {
    language: Language::Swift,
    dialect: Dialect::Swift,
    classes: classes(SWIFT_CLASSES, true, false),
    inner_classes: classes(SWIFT_CLASSES, false, false),
    forms: &[
        triple_double(Escape::Backslash, Hole::BackslashParen),
        double(Escape::Backslash, false, Hole::BackslashParen),
        triple_double(Escape::None, Hole::None),
        double(Escape::None, false, Hole::None),
        form(b"`", b"`", Escape::None, false, Hole::None, OpenKind::Template),
    ],
    slash_comments: true,
    star_comments: true,
    nested_comments: true,
    strict: false,
    ..BASE
};

/// Indexes into the forms of Ruby.
pub(super) mod ruby_form {
    pub(in crate::inspect) const PERCENT: usize = 3;
    pub(in crate::inspect) const PERCENT_RAW: usize = 4;
}

const RUBY_CLASSES: &[(&[u8], u8)] = &[
    (b"\"'`", class::QUOTE),
    (b"/", class::SLASH),
    (b"#", class::HASH),
    (b"<", class::LESS),
    (b"%", class::PERCENT),
    (b"?", class::QUESTION),
    (b"=", class::EQUALS),
];

static RUBY: Rules = Rules {
    language: Language::Ruby,
    dialect: Dialect::Ruby,
    classes: classes(RUBY_CLASSES, true, true),
    inner_classes: classes(RUBY_CLASSES, true, true),
    forms: &[
        double(Escape::Backslash, true, Hole::HashBrace),
        single(Escape::Backslash, true),
        backtick(Escape::Backslash, Hole::HashBrace),
        form(b"%", b")", Escape::Backslash, true, Hole::HashBrace, OpenKind::DoubleQuote),
        form(b"%", b")", Escape::Backslash, true, Hole::None, OpenKind::SingleQuote),
    ],
    strict: false,
    ..BASE
};

const PHP_CLASSES: &[(&[u8], u8)] = &[
    (b"\"'`", class::QUOTE),
    (b"/", class::SLASH),
    (b"#", class::HASH),
    (b"<", class::LESS),
    (b"?", class::QUESTION),
];

static PHP: Rules = Rules {
    language: Language::Php,
    dialect: Dialect::Php,
    classes: classes(PHP_CLASSES, true, false),
    inner_classes: classes(PHP_CLASSES, true, false),
    forms: &[
        double(Escape::Backslash, true, Hole::None),
        single(Escape::Backslash, true),
        backtick(Escape::Backslash, Hole::None),
    ],
    slash_comments: true,
    star_comments: true,
    strict: false,
    ..BASE
};

/// Indexes into the forms of Bash.
pub(super) mod bash_form {
    pub(in crate::inspect) const DOUBLE: usize = 0;
    pub(in crate::inspect) const SINGLE: usize = 1;
    pub(in crate::inspect) const ESCAPED_SINGLE: usize = 2;
}

const BASH_CLASSES: &[(&[u8], u8)] = &[
    (b"\"'`", class::QUOTE),
    (b"#", class::HASH),
    (b"<", class::LESS),
    (b"$", class::DOLLAR),
    (b"\\", class::ESCAPE),
];

static BASH: Rules = Rules {
    language: Language::Bash,
    dialect: Dialect::Bash,
    classes: classes(BASH_CLASSES, true, true),
    inner_classes: classes(BASH_CLASSES, true, true),
    forms: &[
        double(Escape::Backslash, true, Hole::Shell),
        single(Escape::None, true),
        single(Escape::Backslash, true),
    ],
    strict: false,
    ..BASE
};

/// Indexes into the forms of SQL.
pub(super) mod sql_form {
    pub(in crate::inspect) const ESCAPED_STRING: usize = 3;
}

const SQL_CLASSES: &[(&[u8], u8)] = &[
    (b"\"'`", class::QUOTE),
    (b"/", class::SLASH),
    (b"-", class::DASH),
    (b"$", class::DOLLAR),
    (b"#", class::HASH),
];

static SQL: Rules = Rules {
    language: Language::Sql,
    dialect: Dialect::Sql,
    classes: classes(SQL_CLASSES, true, true),
    inner_classes: classes(SQL_CLASSES, true, true),
    forms: &[
        double(Escape::Doubled, true, Hole::None),
        single(Escape::Sql, true),
        backtick(Escape::Doubled, Hole::None),
        single(Escape::Backslash, true),
    ],
    star_comments: true,
    strict: false,
    ..BASE
};

/// Indexes into the forms of HTML: attribute values.
pub(super) mod html_form {
    pub(in crate::inspect) const DOUBLE: usize = 0;
    pub(in crate::inspect) const SINGLE: usize = 1;
}

static HTML: Rules = Rules {
    language: Language::Html,
    dialect: Dialect::Html,
    forms: &[double(Escape::None, true, Hole::None), single(Escape::None, true)],
    strict: false,
    ..BASE
};

static CSS: Rules = Rules {
    language: Language::Css,
    dialect: Dialect::Css,
    classes: classes(C_LIKE, true, false),
    inner_classes: classes(C_LIKE, false, false),
    forms: &[double(Escape::Backslash, false, Hole::None), single(Escape::Backslash, false)],
    slash_comments: true,
    star_comments: true,
    ..BASE
};

static JSON: Rules = Rules {
    language: Language::Json,
    dialect: Dialect::Json,
    classes: classes(C_LIKE, true, false),
    inner_classes: classes(C_LIKE, false, false),
    forms: &[double(Escape::Backslash, true, Hole::None), single(Escape::Backslash, true)],
    slash_comments: true,
    star_comments: true,
    ..BASE
};

const YAML_CLASSES: &[(&[u8], u8)] =
    &[(b"\"'", class::QUOTE), (b"#", class::HASH), (b"|>", class::BAR)];

static YAML: Rules = Rules {
    language: Language::Yaml,
    dialect: Dialect::Yaml,
    classes: classes(YAML_CLASSES, true, false),
    inner_classes: classes(YAML_CLASSES, true, false),
    forms: &[double(Escape::Backslash, true, Hole::None), single(Escape::Doubled, true)],
    strict: false,
    ..BASE
};

const TOML_CLASSES: &[(&[u8], u8)] = &[(b"\"'", class::QUOTE), (b"#", class::HASH)];

static TOML: Rules = Rules {
    language: Language::Toml,
    classes: classes(TOML_CLASSES, true, false),
    inner_classes: classes(TOML_CLASSES, false, false),
    forms: &[
        triple_double(Escape::Backslash, Hole::None),
        triple_single(Escape::None, Hole::None),
        double(Escape::Backslash, false, Hole::None),
        single(Escape::None, false),
    ],
    greedy_triple: true,
    ..BASE
};

static MARKDOWN: Rules =
    Rules { language: Language::Markdown, dialect: Dialect::Markdown, strict: false, ..BASE };

static TEXT: Rules = Rules { dialect: Dialect::Text, strict: false, ..BASE };
