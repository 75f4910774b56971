//! How deep the elements of a page are nested.
//!
//! In: a page. Out: whether it is deeper than any that is written to be shown: its scanner keeps all open
//! elements with every one of its tokens. Never judges whether they are closed rightly.

/// Elements that have no end, or whose end may be left out.
const WITHOUT_END: &[&str] = &[
    "area", "base", "br", "col", "colgroup", "dd", "dt", "embed", "hr", "img", "input", "li",
    "link", "meta", "option", "p", "param", "source", "tbody", "td", "tfoot", "th", "thead", "tr",
    "track", "wbr",
];

/// Tells whether elements are nested deeper than any page nests them.
pub(super) fn are_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.split('<').skip(1).any(|rest| {
        if rest.starts_with('/') {
            depth = depth.saturating_sub(1);
        } else if opens(rest) {
            depth += 1;
        }
        depth > super::DEEPEST
    })
}

// What comes after a `<` up to the next one: whether it opens an element that has to be closed.
fn opens(rest: &str) -> bool {
    let end = rest.find(|it: char| !(it.is_ascii_alphanumeric() || matches!(it, '-' | ':' | '_')));
    let name = &rest[..end.unwrap_or(rest.len())];
    let starts_well = name.starts_with(|it: char| it.is_ascii_alphabetic());
    let ends_itself = rest.find('>').is_some_and(|at| rest[..at].ends_with('/'));
    starts_well && !ends_itself && !WITHOUT_END.iter().any(|other| other.eq_ignore_ascii_case(name))
}
