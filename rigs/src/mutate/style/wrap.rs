//! What is around a document: talk, fences, tags, marks of byte order, lines of their own.
//!
//! In: the tokens of a document. Out: the same with more tokens that mean nothing. Never braces or
//! brackets in talk before a bare document: which of them the document is would be a guess.

use super::{Look, Writer, Written, number, token};
use crate::corpus::Random;
use crate::mutate::token::{Mark, Token};
use crate::mutate::words::{one_in, pick, word};
use serde_json::Value;

const BEFORE: &[&str] = &[
    "Here is the JSON you asked for:\n\n",
    "Sure! I've made the changes.\n\n",
    "Result:\n",
    "I'll call the tool now.\n\n",
    "The answer, as requested (it's short):\n\n",
    "Okay, so:\n\n",
];
const AFTER: &[&str] = &[
    "\n\nLet me know if you need anything else!",
    "\n\nThis sets the value to \"on\", as you said.",
    "\n",
    "",
    "\n\nNote: I haven't run the tests.",
    "\n\n- first point\n- second point\n",
];

/// Puts around the document what the style has there.
pub(super) fn wrap(tokens: &mut Vec<Token>, style: &str, random: &mut Random) {
    let (before, after) = match style {
        "fenced in talk" => {
            let name = pick(random, &["json", "json", "", "JSON", "json5"]);
            let fence = pick(random, &["```", "```", "````", "~~~"]);
            let before = if one_in(random, 4) { "" } else { pick(random, BEFORE) };
            (format!("{before}{fence}{name}\n"), format!("\n{fence}{}", pick(random, AFTER)))
        }
        "bare in talk" => (pick(random, BEFORE).to_owned(), pick(random, AFTER).to_owned()),
        "think first" => {
            let thought = format!(
                "<think>\nThe user wants {}. I'll answer with one object.\n</think>\n\n",
                word(random)
            );
            (thought, pick(random, &["", "\n"]).to_owned())
        }
        "tagged" => {
            let tag = pick(random, &["json", "tool_call", "answer", "output", "function_call"]);
            (format!("<{tag}>\n"), format!("\n</{tag}>"))
        }
        "bom" => ("\u{feff}".to_owned(), "\n".to_owned()),
        "assigned" => {
            let start = pick(
                random,
                &["const data = ", "data = ", "export default ", "result: ", "return ", "JSON: "],
            );
            (start.to_owned(), if start.starts_with("const") { ";\n" } else { "\n" }.to_owned())
        }
        _ => (String::new(), String::new()),
    };
    if !before.is_empty() {
        tokens.insert(0, token(Mark::Talk, &before));
    }
    if !after.is_empty() {
        tokens.push(token(Mark::Talk, &after));
    }
}

/// An array written as one element on each line, without its brackets.
pub(super) fn lines(value: &Value, look: &Look, random: &mut Random) -> Option<Written> {
    let items = value.as_array().filter(|items| items.len() > 1)?;
    items
        .iter()
        .all(|item| item.is_object() && item.as_object().is_some_and(|map| !map.is_empty()))
        .then_some(())?;
    let mut written = Writer::write(value, look, random);
    let last = written.tokens.len() - 1;
    let mut depth = 0usize;
    for (at, token) in written.tokens.iter_mut().enumerate() {
        match token.mark {
            Mark::Open(_) => depth += 1,
            Mark::Close(_) => depth -= 1,
            Mark::Comma if depth == 1 => token.open = "\n".to_owned(),
            _ => {}
        }
        if at == 0 || at == last {
            token.open.clear();
        }
    }
    written.tokens.retain(|token| token.mark != Mark::Space || token.open != " " || !look.spaced);
    number(&mut written.tokens);
    Some(written)
}
