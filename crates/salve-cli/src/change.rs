//! Draws what a change does to files.
//!
//! In: the contents before and after. Out: a unified diff as git draws it, coloured. Never shows a
//! control character as one: the text is foreign.

use anstyle::{AnsiColor, Style};
use salve_tree::{ChangeHunk, PlannedFile, ShownAs, VerifiedEdits, change_hunks};

/// One side of a file: its content and permission bits, or nothing.
pub(crate) type Side<'a> = Option<(&'a [u8], u32)>;

/// Draws one file's change.
pub(crate) fn file(path: &str, before: Side<'_>, after: Side<'_>) -> String {
    let bold = Style::new().bold();
    let mut text = heading(path, before, after);
    let (old, new) =
        (before.map_or(&b""[..], |side| side.0), after.map_or(&b""[..], |side| side.0));
    if old == new {
        return text;
    }
    let name = |side: Side<'_>, prefix: &str| match side {
        Some(_) => format!("{prefix}/{}", visible(path)),
        None => "/dev/null".to_owned(),
    };
    text.push_str(&format!("{bold}--- {}{bold:#}\n", name(before, "a")));
    text.push_str(&format!("{bold}+++ {}{bold:#}\n", name(after, "b")));
    if is_binary(old) || is_binary(new) {
        text.push_str(&format!("  {} bytes become {} bytes\n", old.len(), new.len()));
        return text;
    }
    text.extend(change_hunks(old, new).iter().map(hunk));
    text
}

/// Draws one hunk.
pub(crate) fn hunk(hunk: &ChangeHunk) -> String {
    let cyan = AnsiColor::Cyan.on_default();
    let mut text = format!(
        "{cyan}@@ -{},{} +{},{} @@{cyan:#}\n",
        hunk.old_first_line, hunk.old_lines, hunk.new_first_line, hunk.new_lines
    );
    for (kind, bytes) in &hunk.lines {
        let (mark, style) = match kind {
            ShownAs::Context => (' ', Style::new()),
            ShownAs::Removed => ('-', AnsiColor::Red.on_default()),
            ShownAs::Added => ('+', AnsiColor::Green.on_default()),
        };
        let line = String::from_utf8_lossy(bytes);
        let body = line.strip_suffix('\n').unwrap_or(&line);
        text.push_str(&format!("{style}{mark}{}{style:#}\n", visible(body)));
        if !line.ends_with('\n') {
            text.push_str("\\ No newline at end of file\n");
        }
    }
    text
}

fn heading(path: &str, before: Side<'_>, after: Side<'_>) -> String {
    let path = visible(path);
    match (before, after) {
        (None, Some((_, mode))) => format!("new file {path}, mode {mode:03o}\n"),
        (Some(_), None) => format!("deleted file {path}\n"),
        (Some((_, old)), Some((_, new))) if old != new => {
            format!("mode of {path} {old:03o} becomes {new:03o}\n")
        }
        _ => String::new(),
    }
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes.contains(&0)
}

/// Shows a text with its control characters made visible, tabs and a carriage return excepted.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        let spoofs = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        match letter {
            '\t' => shown.push('\t'),
            '\r' => shown.push('␍'),
            letter if letter.is_control() || spoofs => shown.extend(letter.escape_default()),
            letter => shown.push(letter),
        }
    }
    shown
}

/// Draws one file of a plan.
pub(crate) fn planned(planned: &PlannedFile) -> String {
    let mut text = String::new();
    if let Some(from) = &planned.moved_from {
        text.push_str(&format!("moved here from {}\n", visible(from.as_str())));
    }
    let before = planned.before.as_ref().map(|state| (state.bytes.as_slice(), state.mode));
    let after = planned.after.as_ref().map(|content| (content.bytes.as_slice(), content.mode));
    text.push_str(&file(planned.path.as_str(), before, after));
    text
}

/// Draws a whole plan.
pub(crate) fn plan(verified: &VerifiedEdits) -> String {
    verified.files().iter().map(planned).collect()
}
