//! Draws a report for people: each diagnostic in its source, then what ran.
//!
//! In: a report and the checked folder. Out: text as compilers draw it. A tool's words are
//! another's: control characters in them are made visible. Never draws more of a line than a screen
//! can hold, and says how many diagnostics it leaves out.

use crate::change::visible;
use crate::{output, wrap};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use salve_check::{CheckProgress, CheckReport, CheckRun};
use salve_types::{Diagnostic, Position, Severity, SourceSpan, Suggestion};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path};

/// The most diagnostics that are drawn.
const MOST_DRAWN: usize = 100;
/// A line longer than this is not drawn.
const LONGEST_LINE: usize = 400;
const MOST_SOURCE: u64 = 4 << 20;

/// Draws everything.
pub(super) fn report(report: &CheckReport, folder: &Path) -> String {
    let mut sources = Sources { folder, texts: BTreeMap::new() };
    let mut drawn = String::new();
    for diagnostic in report.diagnostics().take(MOST_DRAWN) {
        drawn.push_str(&draw(diagnostic, &mut sources));
        drawn.push('\n');
    }
    let left_out = report.diagnostics().count().saturating_sub(MOST_DRAWN);
    if left_out > 0 {
        drawn.push_str(&format!("… and {left_out} more; `--format json` has all of them\n\n"));
    }
    drawn.push_str(&table(report));
    drawn
}

fn draw(diagnostic: &Diagnostic, sources: &mut Sources<'_>) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = one_line(&diagnostic.message);
    let code = diagnostic.code.as_deref().map(visible);
    let mut head = level.primary_title(&title);
    if let Some(code) = &code {
        head = head.id(code.as_str());
    }
    let place = diagnostic.primary();
    let excerpt = place.and_then(|span| sources.excerpt(span));
    let label = place.and_then(|span| span.label.as_deref()).map(one_line);
    let mut group = Group::with_title(head);
    if let (Some(excerpt), Some(span)) = (&excerpt, place) {
        let mut annotation = AnnotationKind::Primary.span(excerpt.marked.clone());
        if let Some(label) = &label {
            annotation = annotation.label(label.as_str());
        }
        let snippet = Snippet::source(excerpt.line.as_str())
            .line_start(excerpt.number)
            .path(visible(&span.path))
            .annotation(annotation);
        group = group.element(snippet);
    }
    let mut words: Vec<String> = Vec::new();
    if let (None, Some(span)) = (&excerpt, place) {
        words.push(format!("in {}", in_words(span)));
    }
    words.extend(diagnostic.notes.iter().map(|note| format!("{}: {}", note.kind, note.message)));
    words.extend(diagnostic.suggestions.iter().map(|one| proposed(one, diagnostic)));
    for word in &words {
        group = group.element(Level::NOTE.no_name().message(visible_lines(word)));
    }
    let tool = format!("said by {}", visible(&diagnostic.tool));
    group = group.element(Level::NOTE.no_name().message(tool));
    let mut drawn = Renderer::styled().decor_style(DecorStyle::Unicode).render(&[group]);
    drawn.push('\n');
    drawn
}

// Some tools have no words for what they propose but those of the headline.
fn proposed(suggestion: &Suggestion, diagnostic: &Diagnostic) -> String {
    let texts: Vec<&str> = suggestion.edits.iter().map(|edit| edit.replacement.trim()).collect();
    match texts.as_slice() {
        [text] if suggestion.message == diagnostic.message && !text.is_empty() => {
            format!("help: write `{text}`")
        }
        _ => format!("help: {}", suggestion.message),
    }
}

fn in_words(span: &SourceSpan) -> String {
    let path = visible(&span.path);
    span.start.map_or_else(|| path.clone(), |at| format!("{path}:{}:{}", at.line, at.column))
}

fn one_line(text: &str) -> String {
    visible(&text.lines().map(str::trim).collect::<Vec<_>>().join(" "))
}

fn visible_lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}

/// One line of a source, and what is marked in it.
struct Excerpt {
    line: String,
    number: usize,
    marked: Range<usize>,
}

/// The sources that were read, each once.
struct Sources<'a> {
    folder: &'a Path,
    texts: BTreeMap<String, Option<String>>,
}

impl Sources<'_> {
    fn excerpt(&mut self, span: &SourceSpan) -> Option<Excerpt> {
        let start = span.start?;
        let folder = self.folder;
        let text = self.texts.entry(span.path.clone()).or_insert_with(|| read(folder, &span.path));
        let number = usize::try_from(start.line).ok()?;
        let line = text.as_deref()?.lines().nth(number.checked_sub(1)?)?;
        // What is not shown as it is would shift the marks.
        if line.len() > LONGEST_LINE || line.chars().any(|c| c.is_control() && c != '\t') {
            return None;
        }
        Some(Excerpt { marked: marked(line, start, span.end), line: line.to_owned(), number })
    }
}

// The bytes of a line from one position to another, at least one character where there is one.
fn marked(line: &str, start: Position, end: Option<Position>) -> Range<usize> {
    let offset = |column: u32| {
        let before = usize::try_from(column.saturating_sub(1)).unwrap_or(usize::MAX);
        line.char_indices().nth(before).map_or(line.len(), |(at, _)| at)
    };
    let from = offset(start.column);
    let to = match end {
        Some(end) if end.line == start.line => offset(end.column),
        Some(_) => line.len(),
        None => from,
    };
    let next = line.get(from..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    from..to.max(from + next)
}

// The path is a tool's word: nothing outside the folder is opened.
fn read(folder: &Path, path: &str) -> Option<String> {
    let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let path = folder.join(path);
    let meta = std::fs::symlink_metadata(&path).ok()?;
    let good = inside && meta.is_file() && meta.len() <= MOST_SOURCE;
    good.then(|| std::fs::read_to_string(&path).ok()).flatten()
}

/// Says how far a check is, in a line.
pub(super) fn progress(progress: &CheckProgress<'_>) -> String {
    match progress {
        CheckProgress::Starts { target_id, folder, step: (number, all) } => {
            format!("[{number}/{all}] {} …\n", named(target_id, folder))
        }
        CheckProgress::Ended(run) => {
            let word = if run.is_red() { "red" } else { "green" };
            let seconds = run.duration_ms() as f64 / 1000.0;
            format!("      {}: {word} after {seconds:.1} s\n", named(run.target_id(), run.folder()))
        }
        _ => String::new(),
    }
}

// A toolchain, and where it runs.
fn named(target_id: &str, folder: &str) -> String {
    match folder {
        "" => target_id.to_owned(),
        folder => format!("{target_id} in {}", visible(folder)),
    }
}

fn table(report: &CheckReport) -> String {
    let name = |run: &CheckRun| named(run.target_id(), run.folder());
    let ran = report.runs.iter().map(name);
    let held_back = report.held_back.iter().map(|one| named(&one.target_id, &one.folder));
    let missing = report.missing.iter().map(|one| named(&one.target_id, &one.folder));
    let names = ran.chain(held_back).chain(missing).chain(["toolchain".to_owned()]);
    let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
    let mut text = format!("{:width$}  result  seconds  errors  warnings\n", "toolchain");
    let green = anstyle::AnsiColor::Green.on_default().bold();
    let red = anstyle::AnsiColor::Red.on_default().bold();
    for run in &report.runs {
        let count = |severity| run.diagnostics().iter().filter(|d| d.severity == severity).count();
        let (style, word) = if run.is_red() { (red, "red   ") } else { (green, "green ") };
        let seconds = run.duration_ms() as f64 / 1000.0;
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        text.push_str(&format!(
            "{:width$}  {style}{word}{style:#}  {seconds:>7.2}  {errors:>6}  {warnings:>8}",
            name(run)
        ));
        if run.files_left_out() > 0 {
            let files = output::counted(run.files_left_out(), "file");
            text.push_str(&format!("  not looked at: {files}"));
        }
        text.push('\n');
    }
    for one in &report.held_back {
        let name = named(&one.target_id, &one.folder);
        text.push_str(&format!("{name:width$}  not run: {} is red\n", one.because_of));
    }
    for one in &report.missing {
        let name = named(&one.target_id, &one.folder);
        text.push_str(&format!("{name:width$}  not installed: {}\n", one.install_hint));
    }
    let calm = anstyle::AnsiColor::Cyan.on_default();
    let mut hints: Vec<String> = Vec::new();
    for run in &report.runs {
        let hint = run.hint().map(|hint| visible(&hint.to_string()));
        hints.extend(hint.filter(|hint| !hints.contains(hint)));
    }
    for hint in hints {
        let hint = format!(" {calm}hint{calm:#}: {hint}\n");
        text.push_str(&wrap::wrap(&hint, wrap::width_of_result(), 7));
    }
    if report.cut {
        text.push_str("the folder has more files than were examined\n");
    }
    text
}
