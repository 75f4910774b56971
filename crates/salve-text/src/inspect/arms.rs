//! Conditions of template languages in a page.
//!
//! In: the bytes where a tag of a template may stand. Out: whether a condition begins there, turns to
//! another arm, or ends. Of the arms of a condition the first one decides what stays open, and the others
//! are passed over. Never reads what a tag computes.

use super::machine::Machine;

/// What a tag of a template does to the arms of conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Begins,
    Turns,
    Ends,
}

/// The conditions of a page; bounded, whatever it holds.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    open: u16,
    // How many conditions are open in an arm that is passed over, with the one it belongs to.
    passed: u16,
}

impl Machine {
    /// Follows a tag of a template; returns whether what is here belongs to an arm that is passed over.
    pub(super) fn passes_over(&mut self, ahead: &[u8]) -> bool {
        let Conditions { open, passed } = &mut self.habits.conditions;
        let was_passed = *passed > 0;
        match turn(ahead) {
            Some(Turn::Begins) if was_passed => *passed = passed.saturating_add(1),
            Some(Turn::Begins) => *open = open.saturating_add(1),
            Some(Turn::Turns) if !was_passed && *open > 0 => *passed = 1,
            Some(Turn::Ends) => {
                *passed = passed.saturating_sub(1);
                if *passed == 0 {
                    *open = open.saturating_sub(1);
                }
            }
            Some(Turn::Turns) | None => {}
        }
        was_passed
    }
}

/// Reads the tag of a template that starts with these bytes, if one does.
pub(super) fn turn(ahead: &[u8]) -> Option<Turn> {
    let (opener, rest) = ahead.split_at_checked(2)?;
    let inside = |closer: &[u8]| {
        let end = memchr::memmem::find(rest, closer);
        let body = rest[..end.unwrap_or(rest.len())].trim_ascii();
        let is_trim = |byte: Option<&u8>| matches!(byte, Some(b'-' | b'+' | b'~'));
        let body = &body[usize::from(is_trim(body.first()))..];
        body[..body.len() - usize::from(is_trim(body.last()))].trim_ascii()
    };
    match opener {
        b"{%" => by_name(word_of(inside(b"%}"))),
        b"{{" => by_section(inside(b"}}")),
        b"<%" => by_block(inside(b"%>")),
        b"<?" => {
            let body = inside(b"?>");
            let body = body.strip_prefix(b"php").unwrap_or(body).trim_ascii_start();
            by_brace(body)
                .or_else(|| by_name(word_of(body)).filter(|_| body.ends_with(b":") || is_end(body)))
        }
        _ if opener[0] == b'<' && opener[1].is_ascii_alphabetic() => {
            let name = &ahead[1..];
            let space = name.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            let local = name[space..].strip_prefix(b":")?;
            by_name(word_of(local))
        }
        _ => None,
    }
}

// `if … else … endif`, and the loops that have an `else` as well.
fn by_name(word: &[u8]) -> Option<Turn> {
    match word {
        b"if" | b"unless" | b"for" | b"foreach" | b"while" | b"ifequal" | b"ifnotequal"
        | b"ifchanged" => Some(Turn::Begins),
        b"else" | b"elif" | b"elsif" | b"elseif" | b"empty" => Some(Turn::Turns),
        _ => word
            .strip_prefix(b"end")
            .and_then(by_name)
            .filter(|turn| *turn == Turn::Begins)
            .map(|_| Turn::Ends),
    }
}

fn is_end(body: &[u8]) -> bool {
    by_name(word_of(body)) == Some(Turn::Ends)
}

// `{{#if}} … {{else}} … {{/if}}`, and `{{if}} … {{else}} … {{end}}`.
fn by_section(body: &[u8]) -> Option<Turn> {
    match (body.first()?, word_of(&body[1..])) {
        (b'#', _) => return Some(Turn::Begins),
        (b'/', _) => return Some(Turn::Ends),
        (b'^', b"") => return Some(Turn::Turns),
        (b'^', _) => return Some(Turn::Begins),
        _ => {}
    }
    let word = word_of(body);
    let has_more = body.len() > word.len() && body[word.len()].is_ascii_whitespace();
    match word {
        b"if" | b"range" | b"with" | b"block" | b"define" if has_more => Some(Turn::Begins),
        b"else" => Some(Turn::Turns),
        b"end" if !has_more => Some(Turn::Ends),
        _ => None,
    }
}

// `<% if … %> … <% else %> … <% end %>`, or the braces of a script.
fn by_block(body: &[u8]) -> Option<Turn> {
    let body = body.strip_prefix(b"=").unwrap_or(body);
    if let Some(turn) = by_brace(body) {
        return Some(turn);
    }
    if body.ends_with(b";") {
        return None;
    }
    let named =
        match body.strip_suffix(b"|").and_then(|rest| rest.iter().rposition(|&it| it == b'|')) {
            Some(at) => body[..at].trim_ascii_end(),
            None => body,
        };
    if named == b"do" || named.ends_with(b" do") {
        return Some(Turn::Begins);
    }
    match word_of(body.trim_ascii_start()) {
        b"if" | b"unless" | b"case" | b"for" | b"while" | b"until" | b"begin" => Some(Turn::Begins),
        b"else" | b"elsif" => Some(Turn::Turns),
        b"end" => Some(Turn::Ends),
        _ => None,
    }
}

fn by_brace(body: &[u8]) -> Option<Turn> {
    match (body.starts_with(b"}"), body.ends_with(b"{")) {
        (true, true) => Some(Turn::Turns),
        (true, false) => Some(Turn::Ends),
        (false, true) => Some(Turn::Begins),
        (false, false) => None,
    }
}

fn word_of(body: &[u8]) -> &[u8] {
    &body[..body.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()]
}
