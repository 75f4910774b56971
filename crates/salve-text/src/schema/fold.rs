//! Comparing words as people do: without case, accents and punctuation.
//!
//! In: what the model wrote and the words a schema knows. Out: which word was meant and how far the
//! match had to be stretched. Never guesses between two words that fit equally well.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

// How a text and the words are made comparable.
type View<'v> = &'v dyn Fn(&str) -> String;

/// How a text was found to mean a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// The very word.
    Exact,
    /// The word but for case, accents, punctuation or space.
    Folded,
    /// The word is in a longer text.
    Within,
    /// The word is in a longer text, in other case or accents.
    FoldedWithin,
    /// The word is part of a longer word of the text.
    PartOfWord,
}

// In a longer text than this no word is looked for: no one answers a choice with a book.
const LONGEST: usize = 1 << 18;

/// Finds the one entry of `table` that `text` means; an entry is a list of words.
pub(super) fn choose(text: &str, table: &[Vec<&str>]) -> Option<(usize, Fit)> {
    let text = text.trim();
    let holds = |test: &dyn Fn(&str) -> bool| {
        table.iter().position(|words| words.iter().any(|word| test(word)))
    };
    if let Some(index) = holds(&|word| word == text) {
        return Some((index, Fit::Exact));
    }
    if text.len() > LONGEST {
        return None;
    }
    let compact = fold(text);
    if !compact.is_empty()
        && let Some(index) = holds(&|word| fold(word) == compact)
    {
        return Some((index, Fit::Folded));
    }
    let plain = |text: &str| spaced(text, false);
    let folded = |text: &str| spaced(text, true);
    let part = |text: &str| folded(text).trim().to_owned();
    // The looser the view, the longer a word must be to say anything: `a` is rarely an answer.
    let attempts: [(View<'_>, usize, Fit); 3] =
        [(&plain, 1, Fit::Within), (&folded, 2, Fit::FoldedWithin), (&part, 3, Fit::PartOfWord)];
    for (view, shortest, fit) in attempts {
        match most_mentioned(&view(text), table, view, shortest) {
            Mention::One(index) => return Some((index, fit)),
            Mention::Several => return None,
            Mention::None => {}
        }
    }
    None
}

/// Folds a text to its letters and digits: no case, accents, punctuation or space.
pub(super) fn fold(text: &str) -> String {
    folded_chars(text).filter(|c| c.is_alphanumeric()).collect()
}

enum Mention {
    None,
    One(usize),
    Several,
}

/// Counts which entry the text mentions most, longest words first so that `NOT_SPAM` is not `SPAM`.
fn most_mentioned(text: &str, table: &[Vec<&str>], view: View<'_>, shortest: usize) -> Mention {
    let mut words: Vec<(String, usize)> = Vec::new();
    for (index, entry) in table.iter().enumerate() {
        words.extend(entry.iter().map(|word| (view(word), index)));
    }
    words.retain(|(word, _)| {
        let length = word.trim().chars().count();
        length >= shortest || (length > 0 && word.chars().any(is_unspaced_script))
    });
    words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
    let mut counts = vec![0_usize; table.len()];
    let mut taken: Vec<(usize, usize)> = Vec::new();
    for (word, index) in &words {
        let mut from = 0;
        while let Some(found) = text.get(from..).and_then(|rest| rest.find(word.as_str())) {
            let (start, end) = (from + found, from + found + word.len());
            // Neighbours share the space between them.
            let (inner_start, inner_end) =
                if word.starts_with(' ') { (start + 1, end - 1) } else { (start, end) };
            if taken.iter().all(|&(a, b)| inner_end <= a || b <= inner_start) {
                taken.push((inner_start, inner_end));
                counts[*index] += 1;
            }
            if taken.len() > MENTIONS {
                break;
            }
            from = if inner_end > from { inner_end } else { end };
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    let mut winners = counts.iter().enumerate().filter(|(_, count)| **count == most);
    match (most, winners.next(), winners.next()) {
        (0, _, _) => Mention::None,
        (_, Some((index, _)), None) => Mention::One(index),
        _ => Mention::Several,
    }
}

// Counting further mentions than this would not change the answer in any honest text, and it keeps
// the work linear in hostile ones.
const MENTIONS: usize = 64;

/// Turns everything but letters and digits into single spaces, with one at each end.
fn spaced(text: &str, fold_letters: bool) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(' ');
    let mut push = |c: char| {
        if c.is_alphanumeric() {
            if is_unspaced_script(c) && !out.ends_with(' ') {
                out.push(' ');
            }
            out.push(c);
            if is_unspaced_script(c) {
                out.push(' ');
            }
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    };
    if fold_letters {
        folded_chars(text).for_each(&mut push);
    } else {
        text.chars().for_each(&mut push);
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
    out
}

/// Tells scripts that write words without spaces between them.
fn is_unspaced_script(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0EFF | 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xF900..=0xFAFF)
}

fn folded_chars(text: &str) -> impl Iterator<Item = char> {
    text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).flat_map(spell_out)
}

/// Spells letters that have no decomposition the way people type them without the key.
fn spell_out(c: char) -> impl Iterator<Item = char> {
    let (first, second) = match c {
        'ß' => ('s', Some('s')),
        'æ' => ('a', Some('e')),
        'œ' => ('o', Some('e')),
        'þ' => ('t', Some('h')),
        'ø' => ('o', None),
        'ł' => ('l', None),
        'đ' | 'ð' => ('d', None),
        'ı' => ('i', None),
        other => (other, None),
    };
    std::iter::once(first).chain(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str, words: &[&'static str]) -> Option<(&'static str, Fit)> {
        let table: Vec<Vec<&str>> = words.iter().map(|word| vec![*word]).collect();
        choose(text, &table).map(|(index, fit)| (words[index], fit))
    }

    #[test]
    fn words_are_found_by_the_nearest_fit() {
        type Case = (&'static str, &'static [&'static str], Option<(&'static str, Fit)>);
        let cases: &[Case] = &[
            ("RED", &["RED", "BLUE"], Some(("RED", Fit::Exact))),
            (" red ", &["RED", "BLUE"], Some(("RED", Fit::Folded))),
            ("dark blue", &["DARK_BLUE", "BLUE"], Some(("DARK_BLUE", Fit::Folded))),
            ("creme brulee", &["Crème Brûlée"], Some(("Crème Brûlée", Fit::Folded))),
            ("STRASSE", &["Straße"], Some(("Straße", Fit::Folded))),
            ("I pick RED, not that one", &["RED", "ONE"], Some(("RED", Fit::Within))),
            ("i pick red", &["RED", "BLUE"], Some(("RED", Fit::FoldedWithin))),
            ("it is DARK_BLUE", &["DARK_BLUE", "BLUE"], Some(("DARK_BLUE", Fit::Within))),
            ("RED or BLUE", &["RED", "BLUE"], None),
            ("RED, really RED, not BLUE", &["RED", "BLUE"], Some(("RED", Fit::Within))),
            ("reddish", &["RED", "BLUE"], Some(("RED", Fit::PartOfWord))),
            ("an apple", &["A", "B"], None),
            ("这是中式餐厅", &["中式", "日式"], Some(("中式", Fit::Within))),
            ("", &["RED"], None),
            ("!!!", &["RED"], None),
        ];
        for (text, words, expected) in cases {
            assert_eq!(chosen(text, words), *expected, "{text:?} among {words:?}");
        }
    }
}
