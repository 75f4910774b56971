//! Programs that die natively: sanitizers, valgrind, the C library's own checks, signals.
//!
//! In: a report's first line. Out: one diagnostic with the kind of the fault as its code and the
//! first function of the programmer's own. Addresses, process numbers and shadow bytes are left.

use super::Reading;
use super::location::{Located, trailing};
use super::log::{Log, is_foreign, note, place};
use salve_types::{Diagnostic, ErrorClass, Severity};

/// Reads the report of a sanitizer or of valgrind.
pub(crate) fn read(log: &Log<'_>, at: usize) -> Option<Reading> {
    let line = log.line(at);
    sanitizer(log, at, line).or_else(|| valgrind(log, at, line)).or_else(|| ended(line, at))
}

/// Reads `a.c:3:5: runtime error: signed integer overflow: …`.
pub(crate) fn undefined_behaviour(
    located: &Located<'_>,
    log: &Log<'_>,
    at: usize,
) -> Option<Reading> {
    let message = located.text.strip_prefix("runtime error: ")?;
    let mut diagnostic = Diagnostic::new("ubsan", Severity::Error, ErrorClass::Runtime, message);
    diagnostic.spans.push(place(located.path, Some(located.line), located.column));
    diagnostic.raw = log.line(at).to_owned();
    Some(Reading::one(diagnostic, at + 1))
}

/// Reads the last words of a process: a check of the C library, a signal.
pub(crate) fn ended(line: &str, at: usize) -> Option<Reading> {
    const WORDS: &[&str] = &[
        "Segmentation fault",
        "double free",
        "free(): ",
        "malloc(): ",
        "munmap_chunk(): ",
        "corrupted size",
        "realloc(): ",
        "Bus error",
        "Floating point exception",
        "Illegal instruction",
        "terminate called after throwing",
    ];
    let fortified = line.strip_prefix("*** ").and_then(|rest| rest.split_once(" ***"));
    let message = match fortified {
        Some((message, _)) if message.ends_with("detected") => message,
        _ if WORDS.iter().any(|word| line.starts_with(word)) => {
            line.trim_end_matches(" (core dumped)")
        }
        _ => return None,
    };
    let mut diagnostic = Diagnostic::new("glibc", Severity::Error, ErrorClass::Runtime, message);
    diagnostic.raw = line.to_owned();
    Some(Reading::one(diagnostic, at + 1))
}

fn sanitizer(log: &Log<'_>, at: usize, line: &str) -> Option<Reading> {
    let mark = memchr::memmem::find(line.as_bytes(), b"Sanitizer: ")?;
    let (before, rest) = (&line[..mark], &line[mark + "Sanitizer: ".len()..]);
    if before.starts_with("SUMMARY")
        || !(before.contains("ERROR: ") || before.contains("WARNING: "))
    {
        return None;
    }
    let tool = match before.rsplit(' ').next() {
        Some("Address") => "asan",
        Some("Leak") => "lsan",
        Some("Thread") => "tsan",
        Some("Memory") => "msan",
        _ => "ubsan",
    };
    let kind = rest.split(" on ").next().unwrap_or(rest).split(" (").next().unwrap_or(rest);
    let mut diagnostic =
        Diagnostic::new(tool, Severity::Error, ErrorClass::Runtime, &access(log, at));
    diagnostic.code = Some(kind.trim_end_matches(':').to_owned());
    add_frame(log, at, &mut diagnostic);
    // The report ends with its summary; the shadow bytes after it are skipped as unknown lines.
    let end = (at + 1..(at + 120).min(log.len()))
        .find(|line| log.line(*line).starts_with("SUMMARY: "))
        .map_or(at + 1, |line| line + 1);
    diagnostic.raw = log.raw(at, end);
    Some(Reading::one(diagnostic, end))
}

// `READ of size 4 at 0x… thread T0`, `The signal is caused by a READ memory access.`
fn access(log: &Log<'_>, at: usize) -> String {
    for line in at + 1..at + 5 {
        let text = log.line(line);
        if text.starts_with("READ of") || text.starts_with("WRITE of") {
            return text.split(" at ").next().unwrap_or(text).to_owned();
        }
        if let Some((_, caused)) = text.split_once("==The signal is ") {
            return caused.trim_end_matches('.').to_owned();
        }
        if text.starts_with("Direct leak of") || text.starts_with("Indirect leak of") {
            return "memory leak".to_owned();
        }
    }
    String::new()
}

// The first frame that is in the programmer's own files: `#0 0x… in main /a/b.c:2`.
fn add_frame(log: &Log<'_>, at: usize, diagnostic: &mut Diagnostic) {
    let mut fallback = None;
    for line in at + 1..(at + 24).min(log.len()) {
        let text = log.line(line).trim_start();
        let Some(frame) =
            text.strip_prefix('#').and_then(|rest| rest.split_once(" in ")).map(|(_, frame)| frame)
        else {
            if fallback.is_some() && text.is_empty() {
                break;
            }
            continue;
        };
        let (function, location) = frame.split_once(' ').unwrap_or((frame, ""));
        let library = location.starts_with("../")
            || location.starts_with('(')
            || function.starts_with("__")
            || is_foreign(location);
        if library {
            fallback = fallback.or(Some(function));
            continue;
        }
        if let Some((path, number, column)) = trailing(location) {
            diagnostic.spans.push(place(path, Some(number), column));
        }
        note(diagnostic, "function", function);
        return;
    }
    if let Some(function) = fallback {
        note(diagnostic, "function", function);
    }
}

// `==123== Invalid read of size 4`, then `==123==    at 0x…: main (a.c:3)`.
fn valgrind(log: &Log<'_>, at: usize, line: &str) -> Option<Reading> {
    const KINDS: &[&str] = &[
        "Invalid read",
        "Invalid write",
        "Invalid free",
        "Mismatched free",
        "Conditional jump",
        "Use of uninitialised",
        "Syscall param",
        "Source and destination overlap",
        "Process terminating with",
        "Jump to the invalid",
    ];
    // The words of valgrind.
    let message = after_number(line)?;
    let kind = KINDS.iter().find(|kind| message.starts_with(**kind))?;
    let mut diagnostic =
        Diagnostic::new("valgrind", Severity::Error, ErrorClass::Runtime, message.trim_end());
    diagnostic.code = Some((*kind).to_owned());
    let mut end = at + 1;
    while let Some(frame) = after_number(log.line(end))
        .map(str::trim)
        .filter(|text| text.starts_with("at 0x") || text.starts_with("by 0x"))
    {
        if diagnostic.spans.is_empty()
            && let Some((function, location)) =
                frame.split_once(": ").and_then(|(_, rest)| rest.split_once(" ("))
            && let Some((path, number, _)) = trailing(location)
            && !path.starts_with("vg_")
        {
            diagnostic.spans.push(place(path, Some(number), None));
            note(&mut diagnostic, "function", function);
        }
        end += 1;
    }
    diagnostic.raw = log.raw(at, end);
    Some(Reading::one(diagnostic, end))
}

fn after_number(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("==")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[digits..].strip_prefix("== ").filter(|_| digits > 0)
}
