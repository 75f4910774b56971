//! The wordings by which models leave code out, as data.
//!
//! In: the words of a comment. Out: whether they stand for text that is absent. Never takes a
//! comment that says more than that: the wording must be the whole comment.

use super::comment::Place;
use super::pattern::{Sets, fits};

const SETS: Sets = &[
    (
        "DET",
        &[
            "the", "your", "this", "that", "these", "our", "my", "all", "its", "of", "any", "as",
            "in", "from",
        ],
    ),
    (
        "STILL",
        &[
            "existing",
            "previous",
            "original",
            "remaining",
            "unchanged",
            "unmodified",
            "other",
            "same",
            "rest",
            "current",
            "earlier",
        ],
    ),
    (
        "LIKE",
        &[
            "existing",
            "previous",
            "original",
            "remaining",
            "unchanged",
            "other",
            "same",
            "current",
            "component",
            "class",
            "function",
            "method",
            "event",
            "import",
            "helper",
            "test",
            "api",
            "and",
            "html",
            "css",
            "js",
            "python",
            "source",
            "old",
            "unit",
            "setup",
            "utility",
            "jsx",
            "render",
            "route",
            "state",
            "app",
        ],
    ),
    ("CODE", &["code", "implementation", "implementations", "logic", "functionality", "codebase"]),
    (
        "NOUN",
        &[
            "code",
            "file",
            "files",
            "implementation",
            "implementations",
            "function",
            "functions",
            "method",
            "methods",
            "class",
            "classes",
            "component",
            "components",
            "logic",
            "functionality",
            "import",
            "imports",
            "content",
            "contents",
            "body",
            "script",
            "module",
            "program",
            "tests",
            "route",
            "routes",
            "handler",
            "handlers",
            "style",
            "styles",
            "definition",
            "definitions",
            "section",
            "sections",
            "document",
            "props",
            "jsx",
            "html",
            "markup",
            "template",
            "config",
            "configuration",
            "codebase",
            "setup",
            "statements",
            "endpoints",
            "helpers",
            "hooks",
            "declarations",
            "exports",
            "rules",
            "queries",
            "migrations",
            "types",
            "interfaces",
            "cases",
            "structs",
            "lines",
            "fields",
            "properties",
            "styling",
            "page",
            "text",
            "state",
        ],
    ),
    (
        "STAYS",
        &[
            "remains",
            "remain",
            "stays",
            "stay",
            "is",
            "are",
            "continues",
            "continue",
            "goes",
            "go",
            "kept",
            "left",
            "follows",
            "follow",
            "be",
            "will",
            "unchanged",
            "exactly",
        ],
    ),
    (
        "STATE",
        &[
            "unchanged",
            "same",
            "unmodified",
            "untouched",
            "intact",
            "here",
            "omitted",
            "elided",
            "before",
            "is",
            "above",
            "below",
            "as",
            "the",
            "brevity",
            "for",
            "shown",
            "not",
            "follows",
            "continues",
            "existing",
        ],
    ),
    (
        "FIRM",
        &[
            "unchanged",
            "same",
            "unmodified",
            "untouched",
            "intact",
            "omitted",
            "elided",
            "here",
            "before",
            "brevity",
            "shown",
            "continues",
            "follows",
        ],
    ),
];

// The whole comment, with or without an ellipsis.
const ALWAYS: &[&str] = &[
    "the? rest of DET* LIKE* NOUN NOUN? STAYS* STATE* FIRM",
    "the? rest of DET* LIKE* CODE",
    "the? rest of DET* LIKE* NOUN STAYS as is",
    "the? rest STAYS STAYS* STATE* unchanged|same",
    "the? rest unchanged",
    "everything else STAYS STAYS* STATE* unchanged|same|is",
    "everything else unchanged",
    "DET? existing|previous|original|unchanged|unmodified LIKE* CODE STATE*",
    "DET? existing|previous|original|remaining|other LIKE* NOUN STAYS* STATE* unchanged|same|omitted|elided|brevity|here",
    "all? other NOUN NOUN? STAYS STAYS* STATE* unchanged|same",
    "keep|leave|retain|preserve DET* existing|remaining|other|original LIKE* NOUN NOUN? STATE* STAYS?",
    "keep|leave|retain|preserve DET* rest of? DET* LIKE* NOUN? NOUN? STATE* STAYS?",
    "include|insert|paste|add|put DET* rest|existing|remaining|previous|original DET* LIKE* NOUN NOUN? here",
    "todo? implement DET* rest|remaining of? DET* LIKE* CODE|methods|functions|endpoints? here?",
    "todo implement DET* rest",
    "LIKE* NOUN omitted|elided|truncated|shortened for brevity",
    "LIKE* NOUN remains|remain|stays|stay the? same|unchanged as? before?",
    "omitted|elided|truncated|shortened for brevity",
    "no changes? needed? STATE* here|below|above",
    "same CODE as before|above|previously",
    "your existing|original|previous LIKE* CODE|imports|styles goes? STATE*",
];

// With an ellipsis before or after, or in brackets.
const WITH_ELLIPSIS: &[&str] = &[
    "and? the? rest|remainder of DET* LIKE* NOUN NOUN? STAYS* STATE*",
    "the? rest|remainder unchanged|omitted|same",
    "DET? existing|previous|original|remaining|unchanged|unmodified LIKE* NOUN NOUN? STAYS* STATE*",
    "existing|unchanged|unmodified",
    "no changes?",
    "same as before|previous|previously|original",
    "code unchanged|omitted|elided|continues|here|same|remains STATE*",
    "NOUN NOUN? unchanged|omitted|elided|unmodified|continues|remain|remains|stay|stays STATE*",
    "LIKE* NOUN STAYS STAYS* STATE* unchanged|same",
    "keep DET* LIKE* NOUN STATE*",
    "continue|continues with DET* LIKE* NOUN",
];

// With an ellipsis on both sides even less will do.
const BETWEEN_ELLIPSES: &[&str] = &[
    "DET? STILL LIKE* NOUN? NOUN? STAYS* STATE*",
    "the? rest of DET* LIKE* NOUN? STAYS* STATE*",
    "your? code here?",
    "more|additional|other LIKE* NOUN",
    "omitted|snip|snipped|truncated|elided|unchanged",
    "same as before|above",
];

// Other languages: the comment begins with one of these, and is short.
const ELSEWHERE: &[&str] = &[
    "rest des codes",
    "rest der datei",
    "restlicher code",
    "der rest bleibt",
    "der restliche code",
    "bestehender code",
    "vorhandener code",
    "bisheriger code",
    "rest unverändert",
    "übriger code",
    "reste du code",
    "le reste du code",
    "reste du fichier",
    "le reste du fichier",
    "code existant",
    "le reste reste inchangé",
    "code inchangé",
    "le code existant",
    "resto del código",
    "el resto del código",
    "resto del archivo",
    "el resto del archivo",
    "código existente",
    "el código existente",
    "código sin cambios",
    "resto do código",
    "o resto do código",
    "código existente",
    "其余代码",
    "其他代码",
    "剩余代码",
    "现有代码",
    "原有代码",
    "之前的代码",
    "代码不变",
    "代码保持不变",
    "其余部分保持不变",
    "省略其",
    "此处省略",
    "其余不变",
    "既存のコード",
    "残りのコード",
    "以下省略",
    "以降は変更なし",
    "기존 코드",
    "나머지 코드",
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
        || (marks.before && (marks.after || marks.bracketed) && any(BETWEEN_ELLIPSES))
}

struct Marks {
    before: bool,
    after: bool,
    bracketed: bool,
}

impl Marks {
    fn of(comment: &str) -> Self {
        let bracketed =
            comment.starts_with(['(', '[', '<', '{']) && comment.ends_with([')', ']', '>', '}']);
        let core =
            comment.trim_matches(['(', ')', '[', ']', '<', '>', '{', '}', ' ', '-', '*', '=']);
        let before = core.starts_with("...") || core.starts_with('…') || core.starts_with("..");
        let after = core.ends_with("...") || core.ends_with('…');
        Self { before, after, bracketed }
    }

    const fn any(&self) -> bool {
        self.before || self.after || self.bracketed
    }
}
