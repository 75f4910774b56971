//! The tables of the languages with braces: Rust, Go, C, C++, Java, C#, Kotlin, Swift.
//!
//! In: nothing. Out: data. Never behaviour.

use super::{
    BACKTICKED, BASE, C_LIKE, Dialect, Escape, Hole, Rules, backtick, class, classes, double, form,
    single, triple_double,
};
use salve_types::{Language, OpenKind};

/// Indexes into the forms of Rust.
pub(in crate::inspect) mod rust_form {
    pub(in crate::inspect) const STRING: usize = 0;
    pub(in crate::inspect) const RAW: usize = 1;
    pub(in crate::inspect) const CHAR: usize = 2;
}

pub(super) static RUST: Rules = Rules {
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

pub(super) static GO: Rules = Rules {
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
pub(in crate::inspect) mod c_form {
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

pub(super) static C: Rules = Rules { language: Language::C, ..C_FAMILY };
pub(super) static CPP: Rules = Rules { language: Language::Cpp, ..C_FAMILY };

pub(super) static JAVA: Rules = Rules {
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
pub(in crate::inspect) mod csharp_form {
    pub(in crate::inspect) const STRING: usize = 0;
    pub(in crate::inspect) const VERBATIM: usize = 1;
    pub(in crate::inspect) const FORMATTED: usize = 2;
    pub(in crate::inspect) const FORMATTED_VERBATIM: usize = 3;
    pub(in crate::inspect) const RAW: usize = 4;
    pub(in crate::inspect) const CHAR: usize = 5;
}

const HASHED: &[(&[u8], u8)] = &[(b"\"'", class::QUOTE), (b"/", class::SLASH), (b"#", class::HASH)];

pub(super) static CSHARP: Rules = Rules {
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

pub(super) static KOTLIN: Rules = Rules {
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
pub(in crate::inspect) mod swift_form {
    pub(in crate::inspect) const RAW_TRIPLE: usize = 2;
    pub(in crate::inspect) const RAW: usize = 3;
}

const SWIFT_CLASSES: &[(&[u8], u8)] =
    &[(b"\"`", class::QUOTE), (b"/", class::SLASH), (b"#", class::HASH)];

pub(super) static SWIFT: Rules = Rules {
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
