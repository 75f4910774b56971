//! The tables of the script languages: JavaScript and TypeScript, with markup and without.
//!
//! In: nothing. Out: data. Never behaviour.

use super::{
    BACKTICKED, BASE, Dialect, Escape, Form, Hole, MARKED_UP, Rules, backtick, classes, double,
    single,
};
use salve_types::Language;

/// Indexes into the forms of the script languages; the last two are attribute values.
pub(in crate::inspect) mod script_form {
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

pub(super) static TYPESCRIPT: Rules = Rules { language: Language::TypeScript, ..SCRIPT };
pub(super) static TSX: Rules = Rules { language: Language::Tsx, ..MARKUP_SCRIPT };
pub(super) static JAVASCRIPT: Rules = Rules { language: Language::JavaScript, ..MARKUP_SCRIPT };
pub(super) static JSX: Rules = Rules { language: Language::Jsx, ..MARKUP_SCRIPT };
