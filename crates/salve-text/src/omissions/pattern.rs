//! A very small language for phrases.
//!
//! In: a pattern and words in small letters. Out: whether the words, all of them, fit. Never scans:
//! a pattern covers the whole phrase, so a long comment that merely mentions one does not fit.
//!
//! A pattern is a list of elements: `code`, `code|file`, a set such as `NOUN`, `NUMBER` or `ANY`,
//! each with `?` (may be absent) or `*` (any number of times).

/// Named sets of words.
pub(super) type Sets = &'static [(&'static str, &'static [&'static str])];

/// Returns whether the words fit the pattern from the first to the last.
pub(super) fn fits(pattern: &str, words: &[&str], sets: Sets) -> bool {
    let elements: Vec<&str> = pattern.split(' ').collect();
    fits_from(&elements, words, sets)
}

fn fits_from(elements: &[&str], words: &[&str], sets: Sets) -> bool {
    let Some((element, rest)) = elements.split_first() else { return words.is_empty() };
    let (choice, optional, repeats) = match (element.strip_suffix('?'), element.strip_suffix('*')) {
        (Some(choice), _) => (choice, true, false),
        (_, Some(choice)) => (choice, true, true),
        _ => (*element, false, false),
    };
    let takes = words.first().is_some_and(|word| is_one_of(choice, word, sets));
    // Phrases have a dozen words and patterns as many elements: trying both ways is cheap.
    (takes && repeats && fits_from(elements, &words[1..], sets))
        || (takes && fits_from(rest, &words[1..], sets))
        || (optional && fits_from(rest, words, sets))
}

fn is_one_of(choice: &str, word: &str, sets: Sets) -> bool {
    choice.split('|').any(|option| {
        option == word
            || option == "ANY"
            || (option == "NUMBER" && word.bytes().all(|byte| byte.is_ascii_digit()))
            || sets.iter().any(|(name, members)| *name == option && members.contains(&word))
    })
}
