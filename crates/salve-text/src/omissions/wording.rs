//! The wordings by which models leave code out, as data.
//!
//! In: the words of a comment. Out: whether they stand for text that is absent. Never takes a
//! comment that says more than that: the wording must be the whole comment.

use super::comment::Place;
use super::pattern::{Sets, fits};

#[rustfmt::skip]
const SETS: Sets = &[
    ("DET", &[
        "the", "your", "this", "that", "these", "our", "my", "all", "its", "of", "any", "as",
        "in", "from",
    ]),
    ("STILL", &[
        "existing", "previous", "original", "remaining", "unchanged", "unmodified", "other",
        "same", "rest", "current", "earlier",
    ]),
    ("LIKE", &[
        "existing", "previous", "original", "remaining", "unchanged", "other", "same", "current",
        "component", "class", "function", "method", "event", "import", "helper", "test", "api",
        "and", "html", "css", "js", "python", "source", "old", "unit", "setup", "utility", "jsx",
        "render", "route", "state", "app",
    ]),
    ("CODE", &[
        "code", "implementation", "implementations", "logic", "functionality", "codebase",
    ]),
    ("PART", &[
        "code", "implementation", "logic", "imports", "methods", "functions", "routes",
        "handlers", "components", "styles", "tests", "classes", "hooks", "endpoints", "helpers",
        "jsx", "html",
    ]),
    ("NOUN", &[
        "code", "file", "files", "implementation", "implementations", "function", "functions",
        "method", "methods", "class", "classes", "component", "components", "logic",
        "functionality", "import", "imports", "content", "contents", "body", "script", "module",
        "program", "tests", "route", "routes", "handler", "handlers", "style", "styles",
        "definition", "definitions", "section", "sections", "document", "props", "jsx", "html",
        "markup", "template", "config", "configuration", "codebase", "setup", "statements",
        "endpoints", "helpers", "hooks", "declarations", "exports", "rules", "queries",
        "migrations", "types", "interfaces", "cases", "structs", "lines", "fields", "properties",
        "styling", "page", "middleware", "css", "text", "state",
    ]),
    ("STAYS", &[
        "remains", "remain", "stays", "stay", "is", "are", "continues", "continue", "goes", "go",
        "kept", "left", "follows", "follow", "be", "will", "unchanged", "exactly",
    ]),
    ("STATE", &[
        "unchanged", "same", "unmodified", "untouched", "intact", "here", "omitted", "elided",
        "before", "is", "above", "below", "as", "the", "brevity", "for", "shown", "not",
        "follows", "continues", "existing",
    ]),
    ("FIRM", &[
        "unchanged", "same", "unmodified", "untouched", "intact", "omitted", "elided", "here",
        "before", "brevity", "shown", "continues", "follows",
    ]),
];

// The whole comment, with or without an ellipsis.
const ALWAYS: &[&str] = &[
    "DET* rest of DET* LIKE* NOUN NOUN? STAYS* STATE* FIRM",
    "DET* rest of DET* LIKE* CODE|css|html|jsx|markup",
    "DET* rest of DET* LIKE* NOUN STAYS as is",
    "todo rest of DET* LIKE* CODE|NOUN STATE*",
    "DET* rest STAYS STAYS* STATE* unchanged|same",
    "DET* rest unchanged",
    "everything else STAYS STAYS* STATE* unchanged|same|is",
    "everything else unchanged",
    "DET* existing|previous|original|unchanged|unmodified LIKE* code STATE*",
    "DET* existing|previous|original|unchanged LIKE* CODE STATE* FIRM",
    "DET* STILL LIKE* NOUN and? NOUN? STAYS* STATE* unchanged|same|omitted|elided|brevity",
    "DET* existing|previous|original|remaining LIKE* NOUN and? NOUN? STAYS* STATE* here",
    "other existing LIKE* PART",
    "keep|leave|retain|preserve DET* existing|remaining|other LIKE* PART STATE* STAYS?",
    "keep|leave|retain|preserve DET* STILL LIKE* NOUN NOUN? STATE* as|unchanged|same|intact is?",
    "keep|leave|retain|preserve DET* rest of? DET* LIKE* NOUN? NOUN? STATE* STAYS?",
    "include|insert|paste|add|put DET* STILL DET* LIKE* NOUN NOUN? here",
    "todo? implement DET* rest|remaining of? DET* LIKE* PART? here?",
    "LIKE* NOUN details? omitted|elided|truncated|shortened for brevity",
    "CODE details? omitted|elided|unchanged",
    "LIKE* NOUN NOUN? remains|remain|stays|stay the? same|unchanged as? before?",
    "omitted|elided|truncated|shortened for brevity",
    "no change|changes to|in DET* rest of DET* LIKE* NOUN",
    "no change|changes needed? here|below|above this? line|point?",
    "same CODE as before|previously",
    "your existing|original|previous LIKE* PART goes? STATE*",
    "snip",
];

// With an ellipsis before or after, or in brackets.
const WITH_ELLIPSIS: &[&str] = &[
    "and? DET* rest|remainder of DET* LIKE* NOUN NOUN? STAYS* STATE*",
    "DET* rest|remainder unchanged|omitted|same",
    "DET* existing|previous|original|remaining|unchanged LIKE* NOUN and? NOUN? STAYS* STATE*",
    "existing|unchanged|unmodified|snip|truncated",
    "no change|changes",
    "same as before|previous|previously|original",
    "code unchanged|omitted|elided|continues|here|same|remains STATE*",
    "NOUN NOUN? unchanged|omitted|elided|continues|remain|remains|stay|stays STATE*",
    "LIKE* NOUN STAYS STAYS* STATE* unchanged|same",
    "keep DET* LIKE* NOUN STATE*",
    "continue|continues with? DET* LIKE* rest? of? DET* LIKE* NOUN",
    "NUMBER? lines NUMBER? NUMBER? omitted|unchanged|elided|truncated|skipped STATE*",
];

// With an ellipsis before.
const AFTER_ELLIPSIS: &[&str] = &[
    "DET* other|additional|more LIKE* NOUN and? NOUN?",
    "DET* same LIKE* NOUN as before|above|previously",
    "omitted|snipped|elided|remainder",
];

// With an ellipsis on both sides even less will do.
const BETWEEN_ELLIPSES: &[&str] = &[
    "DET* existing|previous|original|remaining|unchanged|rest|other ANY? ANY? ANY? ANY? ANY? ANY?",
    "your? code here?",
    "CODE details?",
    "NOUN NOUN? here",
    "more|additional LIKE* NOUN",
    "same as before|above",
];

// Other languages: the comment begins with one of these, and is short.
#[rustfmt::skip]
const ELSEWHERE: &[&str] = &[
    "rest des codes", "rest der datei", "restlicher code", "der rest bleibt",
    "der restliche code", "bestehender code", "vorhandener code", "bisheriger code",
    "rest unverändert", "übriger code", "reste du code", "le reste du code", "reste du fichier",
    "le reste du fichier", "code existant", "le reste reste inchangé", "code inchangé",
    "le code existant", "resto del código", "el resto del código", "resto del archivo",
    "el resto del archivo", "código existente", "el código existente", "código sin cambios",
    "resto do código", "o resto do código", "其余代码", "其他代码", "剩余代码", "现有代码", "原有代码", "之前的代码",
    "代码不变", "代码保持不变", "其余部分保持不变", "省略其", "此处省略", "其余不变", "既存のコード", "残りのコード", "以下省略", "以降は変更なし",
    "기존 코드", "나머지 코드",
];

const LONGEST_WORDS: usize = 14;

/// Returns whether a comment stands for text that is absent.
pub(super) fn stands_for_more(comment: &str, place: Place) -> bool {
    let comment = comment.trim();
    let lower = comment.to_lowercase();
    let inner = lower.trim_matches(|c: char| !c.is_alphanumeric());
    if inner.is_empty() || inner.len() > 120 || comment.contains(['=', ';']) {
        return false;
    }
    let marks = Marks::of(comment);
    if place == Place::BesideCode && !marks.before && !marks.bracketed {
        return false;
    }
    if place == Place::Bare && !(marks.before || marks.bracketed) {
        return false;
    }
    if ELSEWHERE.iter().any(|phrase| inner.starts_with(phrase)) && inner.chars().count() <= 48 {
        return true;
    }
    let words: Vec<&str> = inner
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '_'))
        .filter(|word| !word.is_empty())
        .take(LONGEST_WORDS + 1)
        .collect();
    if words.len() > LONGEST_WORDS {
        return false;
    }
    let any = |patterns: &[&str]| patterns.iter().any(|pattern| fits(pattern, &words, SETS));
    any(ALWAYS)
        || (marks.any() && any(WITH_ELLIPSIS))
        || (marks.before && any(AFTER_ELLIPSIS))
        || (marks.before && (marks.after || marks.bracketed) && any(BETWEEN_ELLIPSES))
}

struct Marks {
    before: bool,
    after: bool,
    bracketed: bool,
}

impl Marks {
    fn of(comment: &str) -> Self {
        let core = comment.trim_matches(|c: char| "()[]<>{} -*".contains(c));
        let before = core.starts_with("...") || core.starts_with('…');
        let after = core.ends_with("...") || core.ends_with('…');
        let inner = comment.trim_matches(|c: char| ". …".contains(c));
        let bracketed =
            inner.starts_with(['(', '[', '<', '{']) && inner.ends_with([')', ']', '>', '}']);
        Self { before, after, bracketed }
    }

    const fn any(&self) -> bool {
        self.before || self.after || self.bracketed
    }
}
