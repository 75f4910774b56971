//! What clang says, what gcc says in text, and what the linker says.
//!
//! In: lines `FILE:LINE:COLUMN: error: MESSAGE [-Wflag]` with source, notes and `fix-it:` lines
//! below. Out: one diagnostic for each error or warning; notes and fixes belong to the one before.

use super::json;
use super::places::{Columns, Places, primary_first};
use super::{classify, concise, sarif};
use salve_types::{
    Applicability, Diagnostic, DiagnosticNote, ErrorClass, Severity, SourceSpan, SuggestedEdit,
    Suggestion,
};

pub(super) fn clang(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for stream in [stderr, stdout] {
        let logs = json::documents(stream, 5);
        found.extend(logs.iter().flat_map(|log| sarif::log(log, places)).map(of_clang));
        found.extend(complaints("clang", stream, places));
    }
    without_summaries(found)
}

// clang numbers its rules by their place in its own tables, which changes with every version.
fn of_clang(mut diagnostic: Diagnostic) -> Diagnostic {
    let numbered = |code: &String| code.bytes().all(|byte| byte.is_ascii_digit());
    diagnostic.code = diagnostic.code.filter(|code| !numbered(code));
    diagnostic.tool = "clang".to_owned();
    // It lists what it underlines first and the place it points at last.
    let last = diagnostic.spans.iter().rposition(|span| span.primary);
    for (index, span) in diagnostic.spans.iter_mut().enumerate() {
        span.primary = Some(index) == last;
    }
    primary_first(&mut diagnostic.spans);
    diagnostic.raw = concise(&diagnostic);
    let code = diagnostic.code.as_deref();
    diagnostic.class = classify("clang", code, &diagnostic.message);
    diagnostic
}

/// Leaves out "ld returned 1 exit status" and the like where the reason was told.
pub(super) fn without_summaries(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    // The words of ld and clang.
    let is_summary = |one: &Diagnostic| {
        one.message.starts_with("ld returned ")
            || one.message.starts_with("linker command failed")
            || one.code.as_deref() == Some("-Wsarif-format-unstable")
    };
    let told = |one: &Diagnostic| one.severity == Severity::Error && !is_summary(one);
    if found.iter().any(told) {
        found.retain(|one| !is_summary(one));
    }
    found
}

/// Reads the text of a C compiler and of its linker.
pub(super) fn complaints(tool: &str, text: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut context: Vec<DiagnosticNote> = Vec::new();
    let mut awaited = Awaited::Nothing;
    // clang counts bytes; gcc counts what a terminal shows.
    let columns = if tool == "gcc" { Columns::Display } else { Columns::Bytes };
    for line in text.lines() {
        // Only a line with a colon says something; source lines mostly have none.
        let words = if memchr::memchr(b':', line.as_bytes()).is_some() { line } else { "" };
        if let Some(said) = said(words, columns, places) {
            if let (Severity::Note, Some(last)) = (said.severity, found.last_mut()) {
                extend_raw(last, line);
                last.notes.push(note("note", said.message, said.span.into_iter().collect()));
                awaited = Awaited::SourceOfNote;
            } else {
                let mut diagnostic = said.diagnostic(tool);
                diagnostic.notes.append(&mut context);
                diagnostic.raw = line.to_owned();
                found.push(diagnostic);
                awaited = Awaited::Source;
            }
        } else if let Some(diagnostic) = linker(words, places) {
            awaited = Awaited::Nothing;
            found.push(diagnostic);
        } else if let Some(led) = led_here(words, columns, places) {
            context.push(led);
        } else if let Some(last) = found.last_mut() {
            if let Some(edit) = fix_it(line, places) {
                add_fix(last, edit);
            } else if line.starts_with([' ', '\t']) || awaited != Awaited::Nothing {
                extend_raw(last, line);
                show(last, line, std::mem::replace(&mut awaited, Awaited::Nothing));
            }
        }
    }
    found
}

// Below a complaint with a place is the source line, if anything is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaited {
    Nothing,
    Source,
    SourceOfNote,
}

struct Said<'a> {
    severity: Severity,
    span: Option<SourceSpan>,
    message: &'a str,
    code: Option<&'a str>,
}

impl Said<'_> {
    fn diagnostic(self, tool: &str) -> Diagnostic {
        let mut class = classify(tool, self.code, self.message);
        // A file that the command itself names is not an import.
        if self.span.is_none() && class != ErrorClass::Lint {
            class = ErrorClass::Build;
        }
        let mut diagnostic = Diagnostic::new(tool, self.severity, class, self.message);
        diagnostic.code = self.code.map(str::to_owned);
        diagnostic.spans.extend(self.span);
        diagnostic
    }
}

fn said<'a>(line: &'a str, columns: Columns, places: &Places<'_>) -> Option<Said<'a>> {
    const WORDS: [(&str, Severity); 6] = [
        (": fatal error: ", Severity::Error),
        (": error: ", Severity::Error),
        (": warning: ", Severity::Warning),
        (": note: ", Severity::Note),
        (": remark: ", Severity::Note),
        (": sorry, unimplemented: ", Severity::Error),
    ];
    if line.is_empty() || line.starts_with([' ', '\t']) {
        return None;
    }
    let (at, word, severity) = WORDS
        .iter()
        .filter_map(|&(word, severity)| Some((line.find(word)?, word, severity)))
        .min_by_key(|&(at, ..)| at)?;
    let (place, rest) = (&line[..at], &line[at + word.len()..]);
    let (message, code) = match rest.strip_suffix(']').and_then(|rest| rest.rsplit_once(" [-W")) {
        Some((message, flag)) => (message, rest.get(rest.len() - flag.len() - 3..rest.len() - 1)),
        None => (rest, None),
    };
    // clang writes `[-Werror,-Wformat]`; the flag that counts is the last.
    let code = code.map(|code| code.rsplit(',').next().unwrap_or(code));
    // `gcc: error: …` and `clang: error: …` are the driver's, and `collect2: error: …` is too.
    let span = located(place, columns, places);
    Some(Said { severity, span, message, code })
}

fn located(place: &str, columns: Columns, places: &Places<'_>) -> Option<SourceSpan> {
    let (before, last) = place.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    let with_column = before
        .rsplit_once(':')
        .and_then(|(path, line)| Some((path, (line.parse::<u32>().ok()?, last))));
    let (path, at) = with_column.unwrap_or((before, (last, 1)));
    Some(places.point(path, Some(at), columns))
}

// `In file included from a.c:1:`, `t.cpp:7:12:   required from here`.
fn led_here(line: &str, columns: Columns, places: &Places<'_>) -> Option<DiagnosticNote> {
    let included = line
        .strip_prefix("In file included from ")
        .or_else(|| line.strip_prefix("                 from "));
    if let Some(place) = included {
        let span = located(place.trim_end_matches([',', ':']), columns, places)?;
        return Some(note("included from", &span.path.clone(), vec![span]));
    }
    let (place, words) = line.split_once(":   ")?;
    let required = words.starts_with("required ") || words.starts_with("in ");
    let span = located(place, columns, places).filter(|_| required)?;
    Some(note("note", words, vec![span]))
}

// gcc shows `    4 | source` and clang `source`, both followed by markers.
fn show(last: &mut Diagnostic, line: &str, awaited: Awaited) {
    let span = match awaited {
        Awaited::Nothing => None,
        Awaited::Source => last.spans.first_mut(),
        Awaited::SourceOfNote => last.notes.last_mut().and_then(|note| note.spans.first_mut()),
    };
    let gutter = line.split_once(" | ").filter(|(number, _)| {
        let number = number.trim();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    if let Some(span) = span {
        span.line_text = Some(gutter.map_or(line, |(_, source)| source).to_owned());
    }
}

// `fix-it:"t.c":{4:41-4:41}:";"`
fn fix_it(line: &str, places: &Places<'_>) -> Option<SuggestedEdit> {
    let rest = line.strip_prefix("fix-it:\"")?;
    let (path, rest) = rest.split_once("\":{")?;
    let (range, replacement) = rest.split_once("}:\"")?;
    let (start, end) = range.split_once('-')?;
    let place = |text: &str| {
        let (line, column) = text.split_once(':')?;
        Some((line.parse().ok()?, column.parse().ok()?))
    };
    let span = places.range(path, place(start)?, place(end)?, Columns::Bytes);
    Some(SuggestedEdit { span, replacement: unescaped(replacement.strip_suffix('"')?) })
}

fn add_fix(last: &mut Diagnostic, edit: SuggestedEdit) {
    // The fixes of one complaint belong together; a note's fix is a choice of its own.
    let said = last.notes.last().map_or(&last.message, |note| &note.message).clone();
    match last.suggestions.last_mut().filter(|one| one.message == said) {
        Some(suggestion) => suggestion.edits.push(edit),
        None => last.suggestions.push(Suggestion {
            message: said,
            applicability: Applicability::Unspecified,
            edits: vec![edit],
        }),
    }
}

// Backslashes, quotes, line breaks, and bytes as three octal digits.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let octal = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(value) = octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            bytes.push(value);
            rest = &after[3..];
        } else if let Some((&escaped, after)) = after.split_first() {
            bytes.push(match escaped {
                b'n' => b'\n',
                b't' => b'\t',
                other => other,
            });
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

// `/usr/bin/ld: a.o: in function `main':` is followed by `a.c:(.text+0xa): undefined reference …`.
fn linker(line: &str, places: &Places<'_>) -> Option<Diagnostic> {
    const WORDS: [&str; 6] = [
        "undefined reference to ",
        "multiple definition of ",
        "cannot find -l",
        "cannot find ",
        "undefined symbol: ",
        "duplicate symbol",
    ];
    if line.is_empty() {
        return None;
    }
    let (before, spoken) = match line.split_once("ld: ") {
        Some((program, spoken)) if !program.contains(' ') => (true, spoken),
        _ => (false, line),
    };
    let at = WORDS.iter().filter_map(|word| spoken.find(word)).min()?;
    let place = spoken[..at].trim_end_matches([' ', ':']);
    let section = place.ends_with(')') && place.contains(":(");
    if !before && !section && located(place, Columns::Bytes, places).is_none() {
        return None;
    }
    let mut diagnostic =
        Diagnostic::new("ld", Severity::Error, ErrorClass::Build, spoken[at..].trim_end());
    diagnostic.raw = line.to_owned();
    let file = place.split(":(").next().unwrap_or(place);
    let span = located(file, Columns::Bytes, places)
        .or_else(|| (!file.is_empty()).then(|| places.point(file, None, Columns::Bytes)));
    diagnostic.spans.extend(span);
    Some(diagnostic)
}

fn extend_raw(diagnostic: &mut Diagnostic, line: &str) {
    diagnostic.raw.push('\n');
    diagnostic.raw.push_str(line);
}

fn note(kind: &str, message: &str, spans: Vec<SourceSpan>) -> DiagnosticNote {
    DiagnosticNote { kind: kind.to_owned(), message: message.to_owned(), spans }
}
