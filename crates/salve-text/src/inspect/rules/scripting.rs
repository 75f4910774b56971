//! The tables of Python, Ruby, PHP and Bash.
//!
//! In: nothing. Out: data. Never behaviour.

use super::{
    BASE, Dialect, Escape, Hole, Rules, backtick, class, classes, double, form, single,
    triple_double, triple_single,
};
use salve_types::{Language, OpenKind};

/// Indexes into the forms of Python: plain forms first, then formatted ones.
pub(in crate::inspect) mod python_form {
    pub(in crate::inspect) const TRIPLE_DOUBLE: usize = 0;
    pub(in crate::inspect) const TRIPLE_SINGLE: usize = 1;
    pub(in crate::inspect) const DOUBLE: usize = 2;
    pub(in crate::inspect) const SINGLE: usize = 3;
    /// Added to an index above when the prefix holds an `f`.
    pub(in crate::inspect) const FORMATTED: usize = 4;
}

const PYTHON_CLASSES: &[(&[u8], u8)] = &[(b"\"'", class::QUOTE), (b"#", class::HASH)];

pub(super) static PYTHON: Rules = Rules {
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

/// Indexes into the forms of Ruby.
pub(in crate::inspect) mod ruby_form {
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
    (b"$", class::DOLLAR),
    (b":", class::COLON),
];

pub(super) static RUBY: Rules = Rules {
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

pub(super) static PHP: Rules = Rules {
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
pub(in crate::inspect) mod bash_form {
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

pub(super) static BASH: Rules = Rules {
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
