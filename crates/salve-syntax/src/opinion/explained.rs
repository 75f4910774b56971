//! Ends of whole texts that a grammar objects to.
//!
//! In: what the grammar reported, and the text. Out: whether its objection to the end is known to be its
//! own: a dialect, a relative, a macro, an arm of a condition, a template. Never looks at anything but the end.

use crate::check::{SyntaxReport, check_syntax};
use salve_types::Language;

// Objections to the end of a whole text that are known to be the grammar's own: it does not know the
// supersets of CSS, so a rule or declaration that has its end is complete; it misses the `;` after a
// macro of C that needs none; and what a template puts into a text is of no language.
pub(super) fn is_explained(report: &SyntaxReport, text: &str) -> bool {
    if is_template(report, text) {
        return true;
    }
    match report.language {
        Language::Css => {
            let text = without_comments_at_end(text);
            let line = last_line(text);
            let said = line.split_once("//").map_or(line, |(said, _)| said.trim_end());
            said.ends_with(['}', ';'])
        }
        Language::Html => {
            ["?>", "%>"].iter().any(|end| text.trim_end().ends_with(end)) || has_arms(text)
        }
        Language::Bash => is_after_exit(report, text),
        // The word between two batches, which is the client's and not of the language.
        Language::Sql => matches!(last_line(text).trim(), "GO" | "go" | "/" | "\\." | "$$"),
        // The arms of conditions are all read at once, so that what one of them opens and another one
        // closes breaks the tree; a text that ends with the end of its last condition has its end.
        Language::C | Language::Cpp => {
            let problem = report.first().map_or(text.len(), |problem| problem.span.end);
            ends_with_macro_call(text.get(..problem).unwrap_or_default())
                || ends_with_macro_call(text)
                || ends_with_plain_macro(text)
                || ends_with_condition(text)
                // A brace at the margin ends the last item, whatever macros are in it: it closes all.
                || without_comments_at_end(text).ends_with("\n}")
                || is_included(text)
                || is_whole_in_first_arms(report.language, text)
                || (report.language == Language::C && is_of_relative(text))
        }
        _ => false,
    }
}

fn last_line(text: &str) -> &str {
    text.trim_end().rsplit('\n').next().unwrap_or_default()
}

// What the grammar objects to holds a tag of a template, opened and closed.
fn is_template(report: &SyntaxReport, text: &str) -> bool {
    let Some(problem) = report.first() else { return false };
    let line = text[..problem.span.start].rfind('\n').map_or(0, |at| at + 1);
    let rejected = text.get(line..).unwrap_or_default();
    let holds = |opener: &str, closer: &str| {
        rejected.split_once(opener).is_some_and(|(_, rest)| rest.contains(closer))
    };
    holds("{%", "%}")
        || holds("{{ .", "}}")
        || holds("{{-", "}}")
        || holds("<%", "%>")
        || holds_name(rejected)
}

// Tags of a template that are written as elements open the same element once in each arm.
fn has_arms(text: &str) -> bool {
    text.match_indices(":else").any(|(at, _)| {
        let before = text[..at].trim_end_matches(|sign: char| sign.is_ascii_alphanumeric());
        before.ends_with('<')
    })
}

// `{{name}} word`: braces after a value are not followed by one.
fn holds_name(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.split("{{").skip(1).any(|rest| {
        rest.split_once("}}").is_some_and(|(name, after)| {
            let name = name.trim();
            let after = after.trim_start_matches(' ');
            !name.is_empty()
                && name.bytes().all(is_word)
                && after.bytes().next().is_some_and(is_word)
        })
    })
}

// A text that is a part of another one by design: it begins with a value, which no text of its own does,
// or the file named on its last line goes on with what it leaves open.
fn is_included(text: &str) -> bool {
    let last = last_line(without_comments_at_end(text)).trim_start();
    let ends = text.ends_with('\n') && last.starts_with('#') && last.contains("include");
    let begins = first_code(text).is_some_and(|first| {
        first == '{' || first == '"' || first == ',' || first.is_ascii_digit()
    });
    ends || begins
}

// The first sign that is in no comment and no directive.
fn first_code(text: &str) -> Option<char> {
    let mut rest = text.trim_start();
    loop {
        let end = if rest.starts_with("/*") {
            rest.find("*/").map(|at| at + 2)?
        } else if rest.starts_with("//") || rest.starts_with('#') {
            end_of_directive(rest)
        } else {
            return rest.chars().next();
        };
        rest = rest[end..].trim_start();
    }
}

// A line that ends in a backslash goes on with the next one.
fn end_of_directive(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    end
}

// A script may carry anything after the command that ends it.
fn is_after_exit(report: &SyntaxReport, text: &str) -> bool {
    let start = report.first().map_or(0, |problem| problem.span.start);
    let before = text.get(..start).unwrap_or_default();
    before.lines().any(|line| {
        let mut words = line.split(' ');
        words.next() == Some("exit")
            && words.next().is_none_or(|code| code.bytes().all(|byte| byte.is_ascii_digit()))
            && words.next().is_none()
    })
}

// A last line of its own that is `NAME` in capitals or `name(…)`, after an item that has its end. It
// cannot be the beginning of a declaration, which begins with a type.
fn ends_with_plain_macro(text: &str) -> bool {
    if !text.ends_with('\n') {
        return false;
    }
    let text = without_comments_at_end(text);
    let (before, line) = text.rsplit_once('\n').unwrap_or(("", text));
    let before = without_comments_at_end(before);
    let is_after_item = before.ends_with(['}', ';', ')']) || last_line(before).starts_with('#');
    let name = line.split_once('(').map_or(line, |(name, _)| name.trim_end());
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_name = name.len() > 2 && name.bytes().all(is_word);
    let is_call = name.len() < line.len()
        && line.ends_with(')')
        && line.matches('(').count() == line.matches(')').count();
    let is_capital = !name.bytes().any(|byte| byte.is_ascii_lowercase());
    is_after_item && is_name && (is_call || (name == line && is_capital))
}

// Headers of C, C++ and Objective-C have the same ending in their names. The grammar of C knows neither
// of the others: C++ is asked again, and a text of Objective-C that has its end is whole.
fn is_of_relative(text: &str) -> bool {
    const OBJECTIVE: &[&str] =
        &["@interface", "@protocol", "@class", "@end", "@import", "NS_", "#import"];
    const PLUS_PLUS: &[&str] = &["namespace ", "template", "class ", "using ", "enum class "];
    let begins = |starts: &[&str]| {
        text.lines().any(|line| starts.iter().any(|start| line.trim_start().starts_with(start)))
    };
    if begins(OBJECTIVE) || text.contains("NS_ENUM(") || text.contains("NS_OPTIONS(") {
        let end = without_comments_at_end(text);
        return end.ends_with(['}', ';']) || last_line(end).starts_with(['@', '#', 'N']);
    }
    let fine = |report: SyntaxReport| report.unread.is_none() && !report.broken_at_end;
    (begins(PLUS_PLUS) || text.contains("::"))
        && check_syntax(text, Language::Cpp).is_some_and(fine)
}

// With the first arm of each condition alone the end is fine: the others open or close it again.
fn is_whole_in_first_arms(language: Language, text: &str) -> bool {
    let mut arms: Vec<bool> = Vec::new();
    let mut kept = String::with_capacity(text.len());
    let mut has_other_arm = false;
    for line in text.split_inclusive('\n') {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        match directive {
            Some(word) if word.starts_with("if") => arms.push(true),
            Some(word) if word.starts_with("else") || word.starts_with("elif") => {
                has_other_arm = true;
                if let Some(arm) = arms.last_mut() {
                    *arm = false;
                }
            }
            Some(word) if word.starts_with("endif") => drop(arms.pop()),
            _ if arms.iter().all(|is_first| *is_first) => kept.push_str(line),
            _ => {}
        }
    }
    let is_fine = |report: SyntaxReport| report.unread.is_none() && !report.broken_at_end;
    has_other_arm && arms.is_empty() && check_syntax(&kept, language).is_some_and(is_fine)
}

// The last line is `#endif`, and every condition is closed.
fn ends_with_condition(text: &str) -> bool {
    let text = without_comments_at_end(text);
    let (mut open, mut last) = (0_i64, "");
    for line in text.lines() {
        let Some(directive) = line.trim_start().strip_prefix('#') else { continue };
        let word = directive.trim_start();
        if word.starts_with("if") {
            open += 1;
        } else if word.starts_with("endif") {
            open -= 1;
        }
        last = line;
    }
    let is_last = text.lines().next_back().is_some_and(|line| line == last);
    open == 0 && is_last && last.contains("endif")
}

// `NAME(…)`, the name in capitals and first on its line; comments may follow.
fn ends_with_macro_call(text: &str) -> bool {
    let text = without_comments_at_end(text);
    let mut depth = 0_usize;
    let opener = text.bytes().rposition(|byte| {
        match byte {
            b')' => depth += 1,
            b'(' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    let Some(opener) = opener.filter(|_| text.ends_with(')')) else { return false };
    let line = text[..opener].rsplit('\n').next().unwrap_or_default().trim();
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    line.len() > 2 && line.bytes().all(is_capital)
}

fn without_comments_at_end(text: &str) -> &str {
    let mut text = text.trim_end();
    loop {
        let line_start = text.rfind('\n').map_or(0, |at| at + 1);
        let cut = if text.ends_with("*/") {
            text.rfind("/*")
        } else {
            text[line_start..].trim_start().starts_with("//").then_some(line_start)
        };
        match cut {
            Some(at) => text = text[..at].trim_end(),
            None => return text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_last_condition_is_the_end_of_a_header() {
        assert!(ends_with_condition("#ifndef A_H\n#if X\n}\n# endif\n}\n#endif  /* A_H */\n\n"));
        assert!(ends_with_condition("#if A\nint a\n#endif // A\n// the end\n"));
        assert!(!ends_with_condition("#ifndef A_H\n#if X\nint a(\n#endif\n"));
        assert!(!ends_with_condition("#if X\n#endif\nint a("));
        assert!(!ends_with_condition("int a("));
    }

    #[test]
    fn a_client_s_own_words_between_batches_are_not_a_cut() {
        let report = SyntaxReport {
            language: Language::Sql,
            problems: Vec::new(),
            errors: 1,
            missing: 0,
            broken_at_end: true,
            unread: None,
        };
        for text in ["SELECT 1;\nGO\n", "BEGIN\nNULL;\nEND;\n/\n", "COPY a FROM stdin;\n1\n\\.\n"] {
            assert!(is_explained(&report, text), "{text}");
        }
        assert!(!is_explained(&report, "SELECT 1;\nSELECT"));
    }
}
