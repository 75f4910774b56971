//! Python 2 in a Python 3 program.
//!
//! In: a syntax error of Python at a line. Out: drafts that write what that line says in the words of
//! Python 3: `print x`, `except A, e`, `raise E, v`, `<>`, backquotes, `0755`, `12L`, `ur''`. Looks at the
//! line alone, and only at code: a line with a string that holds the form is left to its compiler.

use super::draft::{Draft, Likelihood};
use super::view::{SourceFile, View};
use salve_types::{Diagnostic, ErrorClass, Language, Span};

const AUTHOR: &str = "python-2";

/// Drafts the line of a syntax error in Python 3.
pub(super) fn fix(diagnostic: &Diagnostic, view: &View<'_>) -> Vec<Draft> {
    let Some(span) = diagnostic.primary().filter(|_| diagnostic.class == ErrorClass::Syntax) else {
        return Vec::new();
    };
    let Some(file) = view.file(&span.path).filter(|file| file.language() == Language::Python)
    else {
        return Vec::new();
    };
    let Some(line) = span.start.and_then(|start| file.line(start.line)) else { return Vec::new() };
    let text = file.text().get(line.range()).unwrap_or_default();
    let all = every_line(&file);
    let whole = (all != file.text())
        .then(|| draft(&file, Span::new(0, file.text().len()), &all, Likelihood::Fair));
    let one = modern(text).map(|new| draft(&file, line, &new, Likelihood::Strong));
    one.into_iter().chain(whole).collect()
}

fn draft(file: &SourceFile, span: Span, new: &str, likelihood: Likelihood) -> Draft {
    // Only what differs is a change.
    let old = file.text().get(span.range()).unwrap_or_default();
    let changes = old
        .split_inclusive('\n')
        .zip(new.split_inclusive('\n'))
        .scan(span.start, |at, (old, new)| {
            let start = *at;
            *at += old.len();
            Some((Span::new(start, *at), old, new))
        })
        .filter(|(_, old, new)| old != new)
        .map(|(span, _, new)| file.change(span, new))
        .collect();
    Draft::derived(AUTHOR, likelihood, "write it in Python 3".to_owned(), changes)
}

fn every_line(file: &SourceFile) -> String {
    let line = |line: &str| {
        let body = line.trim_end_matches(['\n', '\r']);
        modern(body).map_or_else(|| line.to_owned(), |new| [&new, &line[body.len()..]].concat())
    };
    file.text().split_inclusive('\n').map(line).collect()
}

// The line in Python 3, when it holds something of Python 2.
fn modern(line: &str) -> Option<String> {
    let indent = line.len() - line.trim_start().len();
    let (blank, code) = line.split_at(indent);
    let code = statement(code).unwrap_or_else(|| code.to_owned());
    let code = expressions(&code);
    let new = format!("{blank}{code}");
    (new != line).then_some(new)
}

fn statement(code: &str) -> Option<String> {
    let (body, comment) = match code.find('#') {
        Some(at) if !code[..at].contains(['"', '\'']) => code.split_at(at),
        _ => (code, ""),
    };
    let trimmed = body.trim_end();
    let made = of_print(trimmed)
        .or_else(|| of_except(trimmed))
        .or_else(|| of_raise(trimmed))
        .or_else(|| of_exec(trimmed))?;
    Some(format!("{made}{}{comment}", &body[trimmed.len()..]))
}

fn of_print(code: &str) -> Option<String> {
    let said = code
        .strip_prefix("print")
        .filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))?;
    let said = said.trim();
    if said.starts_with('(') && said.ends_with(')') && !said.contains("),") {
        return None;
    }
    if let Some(rest) = said.strip_prefix(">>") {
        let (stream, said) = rest.split_once(',').unwrap_or((rest, ""));
        let said = said.trim();
        let comma = if said.is_empty() { "" } else { ", " };
        return Some(format!("print({said}{comma}file={})", stream.trim()));
    }
    match said.strip_suffix(',') {
        Some(said) => Some(format!("print({said}, end=' ')")),
        None => Some(format!("print({said})")),
    }
}

fn of_except(code: &str) -> Option<String> {
    let caught = code.strip_prefix("except ")?;
    let (caught, after) = caught.split_once(':')?;
    let (kinds, name) = caught.rsplit_once(',')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || one == '_');
    let open = kinds.matches('(').count() == kinds.matches(')').count();
    (is_name && open).then(|| format!("except {} as {name}:{after}", kinds.trim_end()))
}

fn of_raise(code: &str) -> Option<String> {
    let raised = code.strip_prefix("raise ")?;
    let parts = top_level_parts(raised);
    match parts.as_slice() {
        [kind, value] => Some(format!("raise {}({})", kind.trim(), value.trim())),
        [kind, value, trace] => Some(format!(
            "raise {}({}).with_traceback({})",
            kind.trim(),
            value.trim(),
            trace.trim()
        )),
        _ => None,
    }
}

fn of_exec(code: &str) -> Option<String> {
    let run = code.strip_prefix("exec ").filter(|rest| !rest.trim_start().starts_with('('))?;
    match run.split_once(" in ") {
        Some((code, names)) => Some(format!("exec({}, {})", code.trim(), names.trim())),
        None => Some(format!("exec({})", run.trim())),
    }
}

// The parts between commas that are in no bracket or string.
fn top_level_parts(text: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut start) = (0_usize, None, 0);
    let mut parts = Vec::new();
    for (at, one) in text.char_indices() {
        match (quote, one) {
            (Some(open), one) if open == one => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(one),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

// `<>`, backquotes, old numbers and prefixes, outside of strings.
fn expressions(code: &str) -> String {
    let mut made = String::with_capacity(code.len());
    let mut quote: Option<char> = None;
    let mut is_quoted = false;
    let characters: Vec<char> = code.chars().collect();
    let mut at = 0;
    while let Some(&one) = characters.get(at) {
        let before = at.checked_sub(1).and_then(|at| characters.get(at)).copied();
        let is_start = !before.is_some_and(|one| one.is_alphanumeric() || one == '_' || one == '.');
        match (quote, one) {
            (Some(open), one) if one == open => quote = None,
            (Some(_), _) => {}
            (None, '#') => {
                made.extend(&characters[at..]);
                return made;
            }
            (None, '"' | '\'') => quote = Some(one),
            (None, '`') => {
                made.push_str(if is_quoted { ")" } else { "repr(" });
                is_quoted = !is_quoted;
                at += 1;
                continue;
            }
            (None, '<') if characters.get(at + 1) == Some(&'>') => {
                made.push_str("!=");
                at += 2;
                continue;
            }
            (None, 'u' | 'U')
                if is_start
                    && matches!(characters.get(at + 1), Some('r' | 'R'))
                    && matches!(characters.get(at + 2), Some('"' | '\'')) =>
            {
                at += 1;
                continue;
            }
            (None, digit) if digit.is_ascii_digit() && is_start => {
                let end = (at..characters.len())
                    .find(|&at| !characters[at].is_ascii_alphanumeric())
                    .unwrap_or(characters.len());
                let number: String = characters[at..end].iter().collect();
                made.push_str(&modern_number(&number));
                at = end;
                continue;
            }
            _ => {}
        }
        made.push(one);
        at += 1;
    }
    made
}

fn modern_number(number: &str) -> String {
    let number = number.trim_end_matches(['l', 'L']);
    let digits = number.strip_prefix('0').unwrap_or_default();
    let is_octal = !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.bytes().any(|byte| byte != b'0');
    if is_octal { format!("0o{digits}") } else { number.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::modern;

    #[test]
    fn old_forms_are_written_anew_and_others_left() {
        for (old, new) in [
            ("print 'a', b", Some("print('a', b)")),
            ("    print x  # why", Some("    print(x)  # why")),
            ("print >>sys.stderr, 'a'", Some("print('a', file=sys.stderr)")),
            ("print x,", Some("print(x, end=' ')")),
            ("print(x)", None),
            ("except (A, B), e:", Some("except (A, B) as e:")),
            ("except A, e: pass", Some("except A as e: pass")),
            ("except (A, B):", None),
            ("raise E, 'x, y'", Some("raise E('x, y')")),
            ("raise E('x, y')", None),
            ("exec code in space", Some("exec(code, space)")),
            ("if a <> b:", Some("if a != b:")),
            ("x = `y`", Some("x = repr(y)")),
            ("x = 0755 + 12L + 0 + 0.5", Some("x = 0o755 + 12 + 0 + 0.5")),
            ("x = ur'a' + '<>`12L'", Some("x = r'a' + '<>`12L'")),
            ("printer = 3", None),
        ] {
            assert_eq!(modern(old).as_deref(), new, "{old}");
        }
    }
}
