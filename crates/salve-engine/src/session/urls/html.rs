//! The words of a page.
//!
//! In: a page in HTML. Out: what a reader of it sees, line by line, without scripts, styles and tags. Never fails:
//! what cannot be read as a tag stays as it is.

/// Elements whose content nobody reads.
const UNSEEN: [&str; 6] = ["script", "style", "noscript", "template", "svg", "head"];
/// Elements that go on in the same line.
const INLINE: [&str; 14] = [
    "a", "abbr", "b", "code", "em", "i", "kbd", "mark", "s", "small", "span", "strong", "sub", "u",
];

/// Returns the words of a page.
pub(super) fn words_of(html: &str) -> String {
    let mut out = String::with_capacity(html.len() / 2);
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (words, tag) = rest.split_at(at);
        say(&mut out, words);
        if let Some(comment) = tag.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let name = name_of(tag);
        let Some((_, after)) = tag.split_once('>').filter(|_| !name.is_empty()) else {
            out.push('<');
            rest = tag.get(1..).unwrap_or_default();
            continue;
        };
        rest = match UNSEEN.contains(&name.as_str()) && !tag.starts_with("</") {
            true => after_end_of(after, &name),
            false => after,
        };
        if !INLINE.contains(&name.as_str()) && !out.ends_with('\n') {
            out.push('\n');
        }
    }
    say(&mut out, rest);
    tidied(&out)
}

// The name of a tag that begins here; empty where none does.
fn name_of(tag: &str) -> String {
    let tag = tag.trim_start_matches(['<', '/', '!']);
    let name: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect();
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic());
    if is_name { name.to_ascii_lowercase() } else { String::new() }
}

fn after_end_of<'a>(text: &'a str, name: &str) -> &'a str {
    let end = format!("</{name}");
    let found = text.match_indices("</").find(|(at, _)| {
        text.get(*at..*at + end.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(&end))
    });
    let after = found.and_then(|(at, _)| text.get(at..)).and_then(|tag| tag.split_once('>'));
    after.map_or("", |(_, after)| after)
}

fn say(out: &mut String, words: &str) {
    let mut rest = words;
    while let Some(at) = rest.find('&') {
        let (before, entity) = rest.split_at(at);
        out.push_str(before);
        match meant(entity) {
            Some((letter, length)) => {
                out.push(letter);
                rest = entity.get(length..).unwrap_or_default();
            }
            None => {
                out.push('&');
                rest = entity.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
}

// The letter that an entity stands for, and how long it is.
fn meant(entity: &str) -> Option<(char, usize)> {
    let end = entity.find(';').filter(|end| *end <= 10)?;
    let name = entity.get(1..end)?;
    let letter = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|letter| !letter.is_control())?
        }
    };
    Some((letter, end + 1))
}

// Lines keep their indentation: it may be code. Of empty ones, one is enough.
fn tidied(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = true;
    for line in text.lines().map(str::trim_end) {
        if !(line.is_empty() && empty) {
            out.push_str(line);
            out.push('\n');
        }
        empty = line.is_empty();
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::words_of;

    #[test]
    fn c006_the_words_of_a_page_are_what_a_reader_sees() {
        let page = "<!DOCTYPE html><html><head><title>T</title><script>evil()</script></head><body>\n\
                    <!-- <p>not this</p> --><h1>Limits</h1><p>At <b>most</b> 7 &lt; 8 &amp; so&nbsp;on &#x2713; &nope;</p>\n\
                    <pre>if a < b:\n    go()</pre><SCRIPT>more < \"</p>\"</SCRIPT><ul><li>one<li>two</ul>";
        insta::assert_snapshot!(words_of(page), @"
        Limits
        At most 7 < 8 & so on ✓ &nope;

        if a < b:
            go()
        one
        two
        ");
    }

    #[test]
    fn c006_broken_pages_are_read_to_their_end() {
        for page in ["<", "<<<", "a <b", "<script>x", "<!-- x", "&", "&#xffffffff;", "</", "<é>"] {
            let _ = words_of(page);
        }
        assert_eq!(words_of("1 < 2 and 3 > 2"), "1 < 2 and 3 > 2");
    }
}
