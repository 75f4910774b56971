//! Relatives: JavaScript, TypeScript and their JSX forms; C and C++.
//!
//! In: a language and the head of a text. Out: the same language or a relative. Never leaves the
//! family.

use super::rules::Scores;
use salve_types::Language;

/// Tells relatives apart when a person or a model named the language: `ts` is said of TSX too.
pub(super) fn refine_name(language: Language, text: &str) -> Language {
    match language {
        Language::TypeScript if has_jsx(text) => Language::Tsx,
        Language::JavaScript if has_jsx(text) => Language::Jsx,
        other => other,
    }
}

/// Tells relatives apart when a file name gave the language. `.ts` never holds JSX; `.js` may, and
/// `.h` may be C++.
pub(super) fn refine_path(language: Language, path: &str, text: &str) -> Language {
    match language {
        Language::JavaScript if has_jsx(text) => Language::Jsx,
        Language::C if path.ends_with(".h") => {
            let mut scores = super::rules::score(text);
            share(&mut scores);
            let is_cpp = scores.of(Language::Cpp) > scores.of(Language::C);
            if is_cpp { Language::Cpp } else { Language::C }
        }
        other => other,
    }
}

/// Lets the dialect inherit what speaks for its base, once something of its own was seen.
pub(super) fn share(scores: &mut Scores) {
    for (base, dialect) in
        [(Language::C, Language::Cpp), (Language::JavaScript, Language::TypeScript)]
    {
        if scores.of(dialect) >= 3 {
            scores.add(dialect, scores.of(base));
        }
    }
}

/// Tells relatives apart after content decided for the family.
pub(super) fn refine_guess(language: Language, scores: &Scores, text: &str) -> Language {
    match language {
        // Markup alone, with the marks that only JSX has.
        Language::Html if has_braced_attribute(text) => {
            if scores.of(Language::TypeScript) >= 3 {
                Language::Tsx
            } else {
                Language::Jsx
            }
        }
        other => refine_name(other, text),
    }
}

/// Tells whether a script holds JSX. A cast such as `<any>window` or a generic call is not enough.
fn has_jsx(text: &str) -> bool {
    let mut evidence = 0;
    let mut after_open = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("//") || line.starts_with('*') {
            continue;
        }
        if line.contains("className=") || line.contains("<>") || line.contains("</>") {
            evidence += 2;
        }
        if after_open && begins_tag(line) {
            evidence += 2;
        }
        evidence += line
            .match_indices('<')
            .filter(|(at, _)| is_jsx_position(&line[..*at]))
            .map(|(at, _)| tag_weight(&line[at + 1..]))
            .sum::<u32>();
        if is_end_tag_line(line) {
            evidence += 1;
        }
        if evidence >= 2 {
            return true;
        }
        after_open = line.ends_with("return (") || line.ends_with("=> (") || line.ends_with("= (");
    }
    false
}

fn begins_tag(line: &str) -> bool {
    line.strip_prefix('<').is_some_and(|rest| rest.starts_with(|it: char| it.is_alphabetic()))
}

// An expression may begin here: after `return`, an arrow, an opening bracket or an assignment.
fn is_jsx_position(before: &str) -> bool {
    let before = before.trim_end();
    ["return", "=>", "(", "&&", "?", "= "].iter().any(|it| before.ends_with(it.trim_end()))
        && !before.ends_with("==")
}

fn tag_weight(rest: &str) -> u32 {
    let name = rest.find(|it: char| !it.is_alphanumeric() && it != '.' && it != '-');
    let (name, after) = rest.split_at(name.unwrap_or(rest.len()));
    if !name.starts_with(|it: char| it.is_alphabetic()) {
        return 0;
    }
    let after = after.trim_start();
    if after.starts_with("/>") {
        return 2;
    }
    // An attribute follows: `<Button onClick={…}`. A type parameter has `,`, `extends` or `>(`.
    let attribute = after.find(|it: char| !it.is_alphanumeric() && it != '-' && it != '_');
    let (attribute, tail) = after.split_at(attribute.unwrap_or(after.len()));
    if !attribute.is_empty() && attribute != "extends" && tail.starts_with(['=', ' ', '/', '>']) {
        return 2;
    }
    u32::from(after.starts_with('>') && rest.contains("</"))
}

fn is_end_tag_line(line: &str) -> bool {
    line.strip_prefix("</").is_some_and(|rest| rest.starts_with(|it: char| it.is_alphabetic()))
}

fn has_braced_attribute(text: &str) -> bool {
    text.contains("={") || text.contains("className=")
}
