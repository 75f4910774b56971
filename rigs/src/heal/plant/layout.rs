//! What is lost or moved: a token, an arm of a match, the indentation of a line.
//!
//! In: a source. Out: places. Never more than one token, one arm or one line.

use super::{Places, is_test_code};
use crate::heal::tokens::{Kind, Source};
use salve_types::Language;

/// Takes one mark away.
pub(super) fn lost_token(places: &mut Places<'_>) {
    let source = places.source;
    for index in 0..source.tokens.len() {
        let word = source.word(index);
        if source.is(index, Kind::Mark)
            && matches!(word, ";" | ")" | "," | ":" | "}" | "]")
            && !is_test_code(source, index)
        {
            places.token(&format!("lost {word}"), index, "");
        }
    }
}

/// Takes one arm of a match, one case of a switch or one `elif` away.
pub(super) fn missing_arm(places: &mut Places<'_>) {
    let source = places.source;
    for index in 0..source.tokens.len() {
        if is_test_code(source, index) {
            continue;
        }
        match (source.language, source.word(index)) {
            (Language::Rust, "match") => arms(places, index),
            (Language::C | Language::TypeScript, "switch") => cases(places, index),
            (Language::Python, "elif") => branch(places, index),
            _ => {}
        }
    }
}

// The first and last token of the block that follows, both exclusive.
fn block(source: &Source, index: usize) -> Option<(usize, usize)> {
    let depth = source.depth.get(index)?;
    let opens = |open: &usize| source.word(*open) == "{" && source.depth.get(*open) == Some(depth);
    let open = (index + 1..source.tokens.len()).find(opens)?;
    Some((open, source.closing.get(open).copied().flatten()?))
}

fn arms(places: &mut Places<'_>, index: usize) {
    let source = places.source;
    let Some((open, close)) = block(source, index) else { return };
    let inner = source.depth.get(open).map_or(0, |depth| depth + 1);
    let at_depth = |token: usize| source.depth.get(token) == Some(&inner);
    let mut found = Vec::new();
    let mut first = open + 1;
    while first < close {
        let arrow = (first..close).find(|token| source.word(*token) == "=>" && at_depth(*token));
        let Some(arrow) = arrow else { break };
        let comma = |from: usize| {
            (from..close).find(|token| source.word(*token) == "," && at_depth(*token))
        };
        let braces = (source.word(arrow + 1) == "{")
            .then(|| source.closing.get(arrow + 1).copied().flatten())
            .flatten();
        let last = match braces {
            Some(end) if source.word(end + 1) == "," => end + 1,
            Some(end) => end,
            None => comma(arrow).unwrap_or(close - 1),
        };
        found.push((first, last));
        first = last + 1;
    }
    if found.len() > 1 {
        for (first, last) in found {
            places.add("an arm", source.span(first, last), "");
        }
    }
}

fn cases(places: &mut Places<'_>, index: usize) {
    let source = places.source;
    let Some((open, close)) = block(source, index) else { return };
    let inner = source.depth.get(open).map_or(0, |depth| depth + 1);
    let begins = |token: &usize| {
        matches!(source.word(*token), "case" | "default")
            && source.depth.get(*token) == Some(&inner)
    };
    let mut starts: Vec<usize> = (open + 1..close).filter(begins).collect();
    starts.push(close);
    if starts.len() > 2 {
        for pair in starts.windows(2) {
            if let [first, next] = pair {
                places.add("a case", source.span(*first, next - 1), "");
            }
        }
    }
}

fn branch(places: &mut Places<'_>, index: usize) {
    let source = places.source;
    let Some(token) = source.tokens.get(index).filter(|_| source.opens_line(index)) else { return };
    let start = source.line_start(token.at.start);
    let own = token.at.start - start;
    let mut end = source.line_end(start);
    while let Some(rest) = source.text.get(end..).filter(|rest| !rest.is_empty()) {
        let line = rest.split_inclusive('\n').next().unwrap_or("");
        let indent = line.len() - line.trim_start().len();
        if !line.trim().is_empty() && indent <= own {
            break;
        }
        end += line.len();
    }
    places.add("an elif", start..end, "");
}

/// Moves a line of Python to the right or to the left.
pub(super) fn indentation(places: &mut Places<'_>) {
    let source = places.source;
    if source.language != Language::Python {
        return;
    }
    for (index, token) in source.tokens.iter().enumerate() {
        let start = source.line_start(token.at.start);
        let indent = source.text.get(start..token.at.start).unwrap_or("");
        let statement = source.depth.get(index) == Some(&0) && source.opens_line(index);
        let continued = source.text.get(..start).is_some_and(|text| text.ends_with("\\\n"));
        if !statement || continued || indent.is_empty() || source.is(index, Kind::Text) {
            continue;
        }
        let less = |by: usize| indent.get(by.min(indent.len())..).unwrap_or("").to_owned();
        let at = start..token.at.start;
        places.add("one space more", at.clone(), &format!("{indent} "));
        places.add("one space less", at.clone(), &less(1));
        places.add("one level more", at.clone(), &format!("{indent}    "));
        places.add("one level less", at.clone(), &less(4));
        places.add("a tab", at, &indent.replacen("    ", "\t", 1));
    }
}
