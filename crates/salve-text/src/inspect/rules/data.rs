//! The tables of what holds data, queries, pages and prose.
//!
//! In: nothing. Out: data. Never behaviour.

use super::{
    BASE, C_LIKE, Dialect, Escape, Hole, Rules, backtick, class, classes, double, single,
    triple_double, triple_single,
};
use salve_types::Language;

/// Indexes into the forms of SQL.
pub(in crate::inspect) mod sql_form {
    pub(in crate::inspect) const ESCAPED_STRING: usize = 3;
}

const SQL_CLASSES: &[(&[u8], u8)] = &[
    (b"\"'`", class::QUOTE),
    (b"/", class::SLASH),
    (b"-", class::DASH),
    (b"$", class::DOLLAR),
    (b"#", class::HASH),
];

pub(super) static SQL: Rules = Rules {
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
pub(in crate::inspect) mod html_form {
    pub(in crate::inspect) const DOUBLE: usize = 0;
    pub(in crate::inspect) const SINGLE: usize = 1;
}

pub(super) static HTML: Rules = Rules {
    language: Language::Html,
    dialect: Dialect::Html,
    forms: &[double(Escape::None, true, Hole::None), single(Escape::None, true)],
    strict: false,
    ..BASE
};

const CSS_CLASSES: &[(&[u8], u8)] =
    &[(b"\"'", class::QUOTE), (b"/", class::SLASH), (b"\\", class::ESCAPE)];

pub(super) static CSS: Rules = Rules {
    language: Language::Css,
    dialect: Dialect::Css,
    classes: classes(CSS_CLASSES, true, false),
    inner_classes: classes(CSS_CLASSES, false, false),
    forms: &[double(Escape::Backslash, false, Hole::None), single(Escape::Backslash, false)],
    slash_comments: true,
    star_comments: true,
    ..BASE
};

pub(super) static JSON: Rules = Rules {
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

pub(super) static YAML: Rules = Rules {
    language: Language::Yaml,
    dialect: Dialect::Yaml,
    classes: classes(YAML_CLASSES, true, false),
    inner_classes: classes(YAML_CLASSES, true, false),
    forms: &[double(Escape::Backslash, true, Hole::None), single(Escape::Doubled, true)],
    strict: false,
    ..BASE
};

const TOML_CLASSES: &[(&[u8], u8)] = &[(b"\"'", class::QUOTE), (b"#", class::HASH)];

pub(super) static TOML: Rules = Rules {
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

pub(super) static MARKDOWN: Rules =
    Rules { language: Language::Markdown, dialect: Dialect::Markdown, strict: false, ..BASE };

pub(super) static TEXT: Rules = Rules { dialect: Dialect::Text, strict: false, ..BASE };
