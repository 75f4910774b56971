//! One run of characters without blanks, quotes or brackets: a path, a number, a word.
//!
//! In: the rest of a line. Out: how long the run is and what is written for it. Never looks past the
//! run but for a place `(12,3)` or ` 12:33` that belongs to its path.

use super::{is_delimiter, run_length, time};

/// What the word before says about a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    None,
    Line,
    Pid,
    Port,
    Seed,
    /// After `@`: the identity of an object.
    Identity,
}

impl Context {
    fn of_word(word: &str) -> Self {
        let is = |known: &[&str]| known.iter().any(|known| word.eq_ignore_ascii_case(known));
        // The letters these words begin or end with; most words have neither.
        let first = word.bytes().next().unwrap_or(0).to_ascii_lowercase();
        let seeded = word.len() >= 4 && word.ends_with(['d', 'D']);
        if word.len() > 24 || !(seeded || matches!(first, b'l' | b'c' | b'p' | b't' | b'o' | b'r'))
        {
            Self::None
        } else if is(&["line", "lines", "column", "col", "char", "position", "offset", "ln", "row"])
        {
            Self::Line
        } else if is(&["pid", "tid", "process", "ppid", "thread-id", "threadid"]) {
            Self::Pid
        } else if is(&["port"]) {
            Self::Port
        } else if seeded && word.to_ascii_lowercase().ends_with("seed") {
            Self::Seed
        } else {
            Self::None
        }
    }

    const fn placeholder(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Line => Some("<LINE>"),
            Self::Pid => Some("<PID>"),
            Self::Port => Some("<PORT>"),
            Self::Seed => Some("<SEED>"),
            Self::Identity => Some("<ADDR>"),
        }
    }
}

/// One run.
pub(crate) struct Run<'a> {
    /// The run without the punctuation that ends a clause.
    core: &'a str,
    /// That punctuation.
    tail: &'a str,
    /// Whether the core is a path that a place follows.
    placed: bool,
    /// Bytes of the line that belong to it, its place included.
    pub(crate) length: usize,
}

impl<'a> Run<'a> {
    /// Takes the run at the beginning of `rest`, which is not empty.
    pub(crate) fn take(rest: &'a str) -> Self {
        let end = run_length(rest);
        let whole = &rest[..end];
        let core = whole.trim_end_matches([':', '.']);
        // A run of points alone is its own core.
        let core = if core.is_empty() { whole } else { core };
        let run = Self { core, tail: &whole[core.len()..], placed: false, length: end };
        run.with_place(rest)
    }

    /// Returns what this run says about the number after it.
    pub(crate) fn context(&self) -> Context {
        Context::of_word(self.core.trim_start_matches('-'))
    }

    /// Writes what stands for the run.
    pub(crate) fn write(&self, before: Context, out: &mut String) {
        let fits = match before {
            Context::Identity => {
                (5..=16).contains(&self.core.len())
                    && self.core.bytes().all(|byte| byte.is_ascii_hexdigit())
            }
            _ => self.core.bytes().all(|byte| byte.is_ascii_digit()),
        };
        if fits && let Some(placeholder) = before.placeholder() {
            out.push_str(placeholder);
        } else if self.placed {
            out.push_str("<PATH>:<LINE>");
        } else if !write_short(self.core, out) {
            write_core(self.core, out);
        }
        out.push_str(self.tail);
    }

    // `path:12:3`, `path:12:3: 14:5` (a range of rustc) and `path(12,3)`.
    fn with_place(mut self, rest: &'a str) -> Self {
        if let Some((path, _)) = split_place(self.core).filter(|(path, _)| looks_like_file(path)) {
            self.core = path;
            self.placed = true;
            self.length -= self.tail.len();
        } else if self.tail.is_empty() && time::is_time(self.core) {
            // Python's logs write the milliseconds after a comma.
            let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
            let after = rest[self.length..].strip_prefix(',');
            self.length += after.filter(|after| digits(after) == 3).map_or(0, |_| 4);
        } else if self.tail.is_empty() && looks_like_file(self.core) {
            let after = &rest[self.length..];
            if let Some(length) = bracketed_place(after).or_else(|| spaced_place(self.core, after))
            {
                self.length += length;
                self.placed = true;
            }
        }
        if self.placed {
            // The end of a range, then the punctuation that was set aside.
            let after = &rest[self.length..];
            let range =
                after.strip_prefix(": ").and_then(place_length).map_or(0, |range| 2 + range);
            let tail =
                after[range..].bytes().take_while(|byte| matches!(byte, b':' | b'.')).count();
            self.tail = &after[range..range + tail];
            self.length += range + tail;
        }
        self
    }
}

// Most runs are plain words; they are told apart before anything is measured.
fn write_short(core: &str, out: &mut String) -> bool {
    let plain = core.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'-');
    let hex = core.len() >= 40 && core.bytes().all(|byte| byte.is_ascii_hexdigit());
    let temporary = core.starts_with("tmp") && core.len() > 8;
    if plain && !hex && !temporary {
        out.push_str(core);
    }
    plain && !hex && !temporary
}

fn write_core(core: &str, out: &mut String) {
    if core.contains("://") {
        return write_address(core, out);
    }
    if looks_like_path(core) {
        out.push_str("<PATH>");
        let name = core.rsplit(['/', '\\']).next().unwrap_or_default();
        return write_value(name, out);
    }
    if let Some((host, port)) = core.rsplit_once(':')
        && is_host(host)
        && !port.is_empty()
        && port.bytes().all(|byte| byte.is_ascii_digit())
    {
        out.push_str(host);
        return out.push_str(":<PORT>");
    }
    if core.len() > 16
        && let Some((name, hash)) = core.rsplit_once("::h")
        && hash.len() == 16
        && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        write_value(name, out);
        return out.push_str("::<HASH>");
    }
    write_value(core, out);
}

// A value without slashes: a time, a number, a hash, a temporary name, or itself.
fn write_value(core: &str, out: &mut String) {
    let known = if time::is_time(core) {
        "<TIME>"
    } else if time::is_duration(core) {
        "<DURATION>"
    } else if is_uuid(core) {
        "<UUID>"
    } else if is_address(core) {
        "<ADDR>"
    } else if is_hash(core) {
        "<HASH>"
    } else if core.len() > 1 && core.ends_with('%') && is_decimal(&core[..core.len() - 1]) {
        "<PROGRESS>"
    } else if is_temporary(core) {
        "<TMP>"
    } else {
        core
    };
    out.push_str(known);
}

// The port of a local server is chosen anew each time; the rest of an address says what was asked.
fn write_address(core: &str, out: &mut String) {
    let Some((scheme, after)) = core.split_once("://") else { return out.push_str(core) };
    if scheme == "file" {
        out.push_str("file://");
        return write_core(after.trim_end_matches(':'), out);
    }
    let (host, path) = after.split_at(after.find('/').unwrap_or(after.len()));
    out.push_str(scheme);
    out.push_str("://");
    match host.rsplit_once(':') {
        Some((name, port))
            if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            out.push_str(name);
            out.push_str(":<PORT>");
        }
        _ => out.push_str(host),
    }
    out.push_str(path);
}

fn looks_like_path(core: &str) -> bool {
    let Some(slash) = memchr::memchr2(b'/', b'\\', core.as_bytes()) else { return false };
    if core.bytes().all(|byte| matches!(byte, b'/' | b'\\' | b'.')) {
        return false;
    }
    let rooted = slash == 0 && core.len() > 1 && core.starts_with('/') && !core.starts_with("//");
    let start = &core[..slash];
    let drive =
        start.len() == 2 && start.as_bytes()[0].is_ascii_alphabetic() && start.ends_with(':');
    rooted
        || drive
        || matches!(start, "." | ".." | "~")
        || (core.contains('/') && core.rsplit('/').next().is_some_and(has_extension))
}

// A path, or a bare name with an extension.
fn looks_like_file(core: &str) -> bool {
    looks_like_path(core) || (has_extension(core) && !core.contains("://"))
}

fn has_extension(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'~');
    !stem.is_empty()
        && (1..=5).contains(&extension.len())
        && extension.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && (stem.bytes().all(plain) || stem.contains('/') || !stem.is_ascii())
}

fn begins_place(text: &str) -> bool {
    text.starts_with('/')
        || split_place(text.trim_end_matches(':')).is_some_and(|(path, _)| looks_like_file(path))
}

// The rest of `/home/me/My Project/a.rs:12:3` after its first blank: words, then a path with a place.
fn spaced_place(core: &str, after: &str) -> Option<usize> {
    if !core.starts_with('/') || has_extension(core) {
        return None;
    }
    let mut at = 0;
    for _ in 0..3 {
        let word = after.get(at..)?.strip_prefix(' ')?;
        let end = word.bytes().take(512).position(|byte| byte == b' ').unwrap_or(word.len());
        let word = word.get(..end)?.split(is_delimiter).next()?;
        let placed = word.trim_end_matches(':');
        at += 1 + placed.len();
        if word.contains('/') {
            let inside = !word.starts_with(['/', '.', '~']);
            return (inside && begins_place(placed)).then_some(at);
        }
        if word.is_empty()
            || word.len() != placed.len()
            || !word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        {
            return None;
        }
    }
    None
}

// Splits `path:12:3` or `path:12` into the path and the place.
fn split_place(core: &str) -> Option<(&str, &str)> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (before, last) = core.rsplit_once(':').filter(|(_, last)| is_number(last))?;
    match before.rsplit_once(':').filter(|(_, first)| is_number(first)) {
        Some((path, _)) => Some((path, &core[path.len()..])),
        None => Some((before, last)),
    }
}

// `12:33` at the beginning of a text.
fn place_length(text: &str) -> Option<usize> {
    let line = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = text.get(line..)?.strip_prefix(':')?;
    let column = after.bytes().take_while(u8::is_ascii_digit).count();
    (line > 0 && column > 0).then_some(line + 1 + column)
}

// `(12,3)`, `(12)` or `[12,3]` at the beginning of a text.
fn bracketed_place(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('(')?;
    let body =
        inner.bytes().take(24).take_while(|byte| byte.is_ascii_digit() || *byte == b',').count();
    let closed = inner.as_bytes().get(body) == Some(&b')');
    (body > 0 && closed && inner.starts_with(|letter: char| letter.is_ascii_digit()))
        .then_some(body + 2)
}

fn is_host(host: &str) -> bool {
    host == "localhost"
        || (host.split('.').count() == 4
            && host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

fn is_decimal(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && text.starts_with(|letter: char| letter.is_ascii_digit())
}

fn is_uuid(core: &str) -> bool {
    core.len() == 36
        && core.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

// Shorter ones are offsets and constants, which say what went wrong.
fn is_address(core: &str) -> bool {
    let digits = core.strip_prefix("0x").or_else(|| core.strip_prefix("0X"));
    digits.is_some_and(|digits| {
        digits.len() >= 5 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

fn is_hash(core: &str) -> bool {
    let hexadecimal =
        core.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    let digit = core.bytes().any(|byte| byte.is_ascii_digit());
    let letter = core.bytes().any(|byte| byte.is_ascii_alphabetic());
    match core.len() {
        7..=31 => hexadecimal && digit && letter,
        32 | 40 | 56 | 64 | 128 => hexadecimal,
        _ => false,
    }
}

// `tmpab12cd`, `tmp.Xy12Zw`, `.tmpAbC123`, `ccAb12Cd.o`: made up by a library for one run.
fn is_temporary(core: &str) -> bool {
    let name = core.trim_start_matches('.');
    let random = |text: &str| {
        text.len() >= 6
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && (text.len() == 8
                || text.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()))
    };
    if let Some(rest) = name.strip_prefix("tmp") {
        return random(rest.trim_start_matches(['.', '-', '_']));
    }
    if let Some(rest) = name.strip_prefix("rustc").filter(|_| core.len() == 11) {
        return random(rest);
    }
    let object = name.strip_prefix("cc").and_then(|rest| rest.split_once('.'));
    object.is_some_and(|(stem, extension)| {
        stem.len() == 6 && random(stem) && matches!(extension, "o" | "s" | "res" | "c" | "out")
    })
}
