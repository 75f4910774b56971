//! What javac says: with `-XDrawDiagnostics` its own keys, otherwise text.
//!
//! In: both streams. Out: one diagnostic for each complaint. The raw form has stable codes and a
//! column but no sentence; the sentence of the common keys is in a table, in javac's own words.

use super::classify;
use super::places::{Columns, Places, characters, number};
use salve_types::{Diagnostic, DiagnosticNote, ErrorClass, Position, Severity, SourceSpan};

// How far below a headline of the text form its source line may stand.
const SOURCE_BELOW: usize = 24;

pub(super) fn parse(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let lines: Vec<&str> = stderr.lines().chain(stdout.lines()).collect();
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if let Some(diagnostic) = raw_line(lines[at], places) {
            found.push(diagnostic);
            at += 1;
        } else if let Some(headline) = headline(lines[at]) {
            let end =
                (at + 1..lines.len()).find(|&below| ends_text(lines[below])).unwrap_or(lines.len());
            found.push(from_text(&headline, &lines[at..end], places));
            at = end;
        } else {
            at += 1;
        }
    }
    found
}

// `Main.java:5:44: compiler.err.prob.found.req: (compiler.misc.…)`, `- compiler.err.…`.
fn raw_line(line: &str, places: &Places<'_>) -> Option<Diagnostic> {
    let (place, said) = match line.strip_prefix("- ") {
        Some(said) => ("", said),
        None => line.find(": compiler.").map(|at| (&line[..at], &line[at + 2..]))?,
    };
    let (code, arguments) = said.split_once(": ").unwrap_or((said.trim_end(), ""));
    let severity = match code.strip_prefix("compiler.")?.split('.').next()? {
        "err" => Severity::Error,
        "warn" => Severity::Warning,
        _ => Severity::Note,
    };
    let words = sentence(code, arguments);
    let mut class = classify("javac", Some(code), &words);
    if code.starts_with("compiler.err.cant.resolve") && arguments.contains("kindname.package, ") {
        class = ErrorClass::Import;
    }
    let mut diagnostic = Diagnostic::new("javac", severity, class, &words);
    diagnostic.code = Some(code.to_owned());
    diagnostic.raw = line.to_owned();
    if !place.is_empty() {
        let mut parts = place.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        diagnostic.spans.push(places.point(parts.next()?, Some((line, column)), Columns::Tabbed));
    }
    Some(diagnostic)
}

// Keys of javac's own message file, without `compiler.err.` or `compiler.warn.`.
const SENTENCES: &[(&str, &str)] = &[
    ("abstract.cant.be.instantiated", "{0} is abstract; cannot be instantiated"),
    ("already.defined", "{0} {1} is already defined in {2} {3}"),
    (
        "cant.apply.symbol",
        "{0} {1} in {4} {5} cannot be applied to given types: required {2}, found {3}",
    ),
    ("cant.apply.symbols", "no suitable {0} found for {1}({2})"),
    ("cant.assign.val.to.var", "cannot assign a value to {0} variable {1}"),
    ("cant.deref", "{0} cannot be dereferenced"),
    ("cant.inherit.from.final", "cannot inherit from final {0}"),
    ("cant.resolve", "cannot find symbol: {0} {1}"),
    ("cant.resolve.args", "cannot find symbol: {0} {1}({3})"),
    ("cant.resolve.location", "cannot find symbol: {0} {1}"),
    ("cant.resolve.location.args", "cannot find symbol: {0} {1}({3})"),
    (
        "class.public.should.be.in.file",
        "{0} {1} is public, should be declared in a file named {1}.java",
    ),
    (
        "does.not.override.abstract",
        "{0} is not abstract and does not override abstract method {1} in {2}",
    ),
    ("doesnt.exist", "package {0} does not exist"),
    ("duplicate.class", "duplicate class: {0}"),
    ("expected", "{0} expected"),
    ("expected2", "{0} or {1} expected"),
    ("expected3", "{0}, {1}, or {2} expected"),
    ("expected4", "{0}, {1}, {2}, or {3} expected"),
    ("has.been.deprecated", "{0} in {1} has been deprecated"),
    ("illegal.char", "illegal character: {0}"),
    ("illegal.start.of.expr", "illegal start of expression"),
    ("illegal.start.of.type", "illegal start of type"),
    ("incomparable.types", "incomparable types: {0} and {1}"),
    ("int.number.too.large", "integer number too large: {0}"),
    ("missing.ret.stmt", "missing return statement"),
    ("non-static.cant.be.ref", "non-static {0} {1} cannot be referenced from a static context"),
    (
        "not.def.public.cant.access",
        "{0} is not public in {1}; cannot be accessed from outside package",
    ),
    ("not.stmt", "not a statement"),
    ("operator.cant.be.applied.1", "bad operand types for binary operator {0}: {1} and {2}"),
    ("premature.eof", "reached end of file while parsing"),
    ("prob.found.req", "incompatible types: {0}"),
    ("raw.class.use", "found raw type: {0}"),
    ("ref.ambiguous", "reference to {0} is ambiguous"),
    ("report.access", "{0} has {1} access in {2}"),
    ("unchecked.call.mbr.of.raw.type", "unchecked call to {0} as a member of the raw type {1}"),
    ("unclosed.comment", "unclosed comment"),
    ("unclosed.str.lit", "unclosed string literal"),
    ("unreachable.stmt", "unreachable statement"),
    (
        "unreported.exception.need.to.catch.or.throw",
        "unreported exception {0}; must be caught or declared to be thrown",
    ),
    ("var.might.already.be.assigned", "variable {0} might already have been assigned"),
    ("var.might.not.have.been.initialized", "variable {0} might not have been initialized"),
];

const INNER_SENTENCES: &[(&str, &str)] = &[
    ("inconvertible.types", "{0} cannot be converted to {1}"),
    ("possible.loss.of.precision", "possible lossy conversion from {0} to {1}"),
    ("incompatible.ret.type.in.lambda", "bad return type in lambda expression: {0}"),
    ("arg.length.mismatch", "actual and formal argument lists differ in length"),
    ("no.args", "no arguments"),
];

fn sentence(code: &str, arguments: &str) -> String {
    let key = code.splitn(3, '.').nth(2).unwrap_or(code);
    let known = SENTENCES.iter().find(|(row, _)| *row == key);
    let arguments: Vec<String> = split_arguments(arguments).into_iter().map(inner).collect();
    match known {
        Some((_, template)) => filled(template, &arguments),
        None if arguments.is_empty() => key.replace('.', " "),
        None => format!("{}: {}", key.replace('.', " "), arguments.join(", ")),
    }
}

// `(compiler.misc.inconvertible.types: java.lang.String, int)`, `kindname.class`, `compiler.misc.no.args`.
fn inner(argument: &str) -> String {
    if let Some(kind) = argument.strip_prefix("kindname.") {
        return kind.to_owned();
    }
    let bare = argument.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let Some(key) = bare.unwrap_or(argument).strip_prefix("compiler.misc.") else {
        return argument.to_owned();
    };
    let (key, arguments) = key.split_once(": ").unwrap_or((key, ""));
    let arguments: Vec<String> =
        split_arguments(arguments).into_iter().map(str::to_owned).collect();
    match INNER_SENTENCES.iter().find(|(row, _)| *row == key) {
        Some((_, template)) => filled(template, &arguments),
        None => format!("{} {}", key.replace('.', " "), arguments.join(", ")).trim_end().to_owned(),
    }
}

// Commas inside brackets do not part arguments.
fn split_arguments(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'<' => depth += 1,
            b')' | b'>' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text.is_empty() {
        parts.push(text[start..].trim());
    }
    parts
}

fn filled(template: &str, arguments: &[String]) -> String {
    let mut words = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        words.push_str(before);
        let (index, after) = after.split_once('}').unwrap_or((after, ""));
        let argument = index.parse().ok().and_then(|index: usize| arguments.get(index));
        words.push_str(argument.map_or("?", String::as_str));
        rest = after;
    }
    words + rest
}

struct Headline<'a> {
    place: &'a str,
    severity: Severity,
    code: Option<&'a str>,
    message: &'a str,
}

// `Main.java:5: error: …`, `Warn.java:3: warning: [rawtypes] …`, `error: file not found: x`.
fn headline(line: &str) -> Option<Headline<'_>> {
    const WORDS: [(&str, Severity); 3] = [
        ("error: ", Severity::Error),
        ("warning: ", Severity::Warning),
        ("Note: ", Severity::Note),
    ];
    for (word, severity) in WORDS {
        let at = if line.starts_with(word) {
            0
        } else {
            match line.find(word).filter(|&at| line[..at].ends_with(": ")) {
                Some(at) => at,
                None => continue,
            }
        };
        let place = line[..at].trim_end_matches([':', ' ']);
        if at > 0 && (!place.contains(".java:") || place.starts_with(' ')) {
            continue;
        }
        let said = &line[at + word.len()..];
        let lint = said.strip_prefix('[').and_then(|rest| rest.split_once("] "));
        let (code, message) = lint.map_or((None, said), |(code, rest)| (Some(code), rest));
        return Some(Headline { place, severity, code, message });
    }
    None
}

fn ends_text(line: &str) -> bool {
    let counted = |line: &str| {
        let (count, rest) = line.split_once(' ').unwrap_or_default();
        count.parse::<u32>().is_ok() && (rest.starts_with("error") || rest.starts_with("warning"))
    };
    headline(line).is_some() || counted(line) || line.contains(": compiler.")
}

fn from_text(headline: &Headline<'_>, block: &[&str], places: &Places<'_>) -> Diagnostic {
    let marker = |line: &&str| line.trim() == "^";
    let caret = block.iter().take(SOURCE_BELOW).position(marker).filter(|&at| at > 1);
    let source = caret.map(|at| block[at - 1]);
    let mut class = classify("javac", headline.code, headline.message);
    let imports = source.is_some_and(|line| line.trim_start().starts_with("import "));
    if class == ErrorClass::Type && imports {
        class = ErrorClass::Import;
    }
    let mut message = headline.message.trim_end().to_owned();
    let symbol = block.iter().find_map(|line| line.trim_start().strip_prefix("symbol:"));
    // The words of javac.
    if let Some(symbol) = symbol.filter(|_| message == "cannot find symbol") {
        // Which symbol it is belongs to the headline, as in the raw form.
        message = format!("{message}: {}", symbol.trim());
    }
    let mut diagnostic = Diagnostic::new("javac", headline.severity, class, &message);
    diagnostic.code = headline.code.map(str::to_owned);
    diagnostic.raw = block.join("\n").trim_end().to_owned();
    diagnostic.spans.extend(text_span(headline.place, source, caret.map(|at| block[at]), places));
    let details = block.iter().enumerate().skip(1).filter(|(at, line)| {
        let shown = caret.is_some_and(|caret| *at == caret || *at + 1 == caret);
        !shown && line.starts_with("  ")
    });
    diagnostic.notes.extend(details.map(|(_, line)| DiagnosticNote {
        kind: "note".into(),
        message: line.trim().to_owned(),
        spans: Vec::new(),
    }));
    diagnostic
}

fn text_span(
    place: &str,
    source: Option<&str>,
    caret: Option<&str>,
    places: &Places<'_>,
) -> Option<SourceSpan> {
    let (path, line) = place.rsplit_once(':')?;
    let line: u32 = line.parse().ok()?;
    let mut span = places.point(path, Some((line, 1)), Columns::Characters);
    span.line_text = source.map(str::to_owned);
    // The marker line repeats the tabs of the source, so characters can be counted.
    if let (Some(source), Some(caret)) = (source, caret) {
        let before = caret.chars().take_while(|&character| character != '^').count();
        let column = characters(source, number(before).saturating_add(1), Columns::Utf16);
        span.start = column.map(|column| Position { line: line.max(1), column }).or(span.start);
    }
    Some(span)
}
