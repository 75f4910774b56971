//! What a reply says about its edits, in one line.
//!
//! In: a reply. Out: its first sentence of talk, for the history. Never: a line of an edit, of a file
//! or of a thought.

use super::names::begins_edit;
use crate::clean::{blank_thinking, path_label};

/// Longer lines are cut.
const LONGEST: usize = 60;
/// Fewer words are a name or a heading.
const FEWEST_WORDS: usize = 2;
/// Below these no talk is looked for.
const MOST_LINES: usize = 40;

/// Returns the first line of talk of a reply, shortened; nothing where an edit comes first.
pub fn reply_summary(text: &str) -> Option<String> {
    let text = blank_thinking(text);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(MOST_LINES);
    let line = lines.find(|line| !is_name(line))?;
    let talk = line.trim_start_matches(['#', '>', '*', '-', ' ']);
    let first = talk.chars().next()?;
    let said = talk.split_whitespace().count() >= FEWEST_WORDS && first.is_alphabetic();
    let edit =
        begins_edit(line) || talk.starts_with("Begin Patch") || talk.contains(['{', '}', ';']);
    (said && !edit).then(|| shortened(&talk.replace(['*', '`'], "")))
}

fn is_name(line: &str) -> bool {
    path_label(line).is_some()
}

fn shortened(talk: &str) -> String {
    let talk = talk.trim_end_matches([':', '.', ' ']);
    let visible = |character: char| if character.is_control() { ' ' } else { character };
    if talk.chars().count() <= LONGEST {
        return talk.chars().map(visible).collect();
    }
    let cut: String = talk.chars().map(visible).take(LONGEST - 1).collect();
    // Whole words, unless one word is all there is.
    let end = cut.rfind(' ').filter(|end| *end > LONGEST / 2).unwrap_or(cut.len());
    format!("{}…", &cut[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_of_a_reply_names_the_change() {
        let edit = "a.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
        for (talk, expected) in [
            ("Fix the off-by-one in `parse`.\n\n", Some("Fix the off-by-one in parse")),
            ("<think>Hm, what now?</think>\nRename the field:\n", Some("Rename the field")),
            ("## Make it faster\n\nBy a cache.\n", Some("Make it faster")),
            ("src/a.py\n", None),
            ("", None),
            ("```\n", None),
            ("*** Begin Patch\n", None),
            ("{\"edits\": [\n", None),
            ("--- a/x y\n", None),
            ("Done.\n", None),
        ] {
            let reply = format!("{talk}{edit}");
            assert_eq!(reply_summary(&reply).as_deref(), expected, "{talk}");
        }
        let long = reply_summary(&format!("Change {} at the end.\n", "word ".repeat(30))).unwrap();
        assert!(long.chars().count() <= LONGEST && long.ends_with("word…"), "{long}");
    }
}
