//! Reading and signing outputs: any text, the same answer twice, and none that depends on a folder.
//!
//! In: text. Out: a panic when signing is not repeatable, or when another folder and another line
//! before an error change its exact signature. Never judges whether the right tool was told.

use crate::input;
use salve_check::{parse_console, primary_diagnostics, sign, sign_text, summary};

pub(super) fn check(bytes: &[u8]) {
    let text = input::text(bytes);
    let signed = sign_text(None, &text);
    assert_eq!(signed, sign_text(None, &text), "signing twice gives two answers");
    let found = parse_console(None, &text);
    let primary = primary_diagnostics(found.clone());
    assert!(primary.len() <= found.len());
    assert_eq!(found.is_empty(), primary.is_empty(), "every error of a run was set aside");
    assert!(summary(&text).chars().count() <= 515);
    for diagnostic in &primary {
        assert_eq!(sign(diagnostic), sign(diagnostic));
    }
    moved(&text);
}

// The first line of the text as the source line of an error at two places.
fn moved(text: &str) {
    let source = text.lines().next().unwrap_or_default().replace(['\r', '\u{1b}', '\u{8}'], " ");
    let at = |folder: &str, line: u32| {
        let header = format!("{folder}/a.c:{line}:3: error: 'x' undeclared");
        sign_text(None, &format!("{header}\n {line:>5} | {source}\n       | ^\n"))
    };
    let (here, there) = (at("/srv/app", 7), at("/home/me/My Project", 4711));
    assert_eq!(here.run.exact, there.run.exact, "a folder and a line changed a signature");
}
