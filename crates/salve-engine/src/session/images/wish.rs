//! Whether a request is one for images, and for how many.
//!
//! In: what a person said. Out: no, yes, or unsure, with a number. A request counts where it tells someone to make
//! something to look at; "drawback" and "draw a conclusion" do not, nor an image that is a component, a file or a
//! machine. Unsure means that a person is asked. Never looks at code that is part of a request.

use super::words::{
    AFTER, BEFORE, BREAKS, CODE, DIAGRAMS, DRAWING_VERBS, IDIOMS, MACHINES, MEASURES, NOT, NOUNS,
    OTHER_WORK, VERBS,
};
use serde::{Deserialize, Serialize};

/// The most images of one request: each costs money.
pub const MOST_DRAWN: u32 = 8;

/// How far behind its verb the word for an image is looked for.
const REACH: usize = 7;

/// What a request says about images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageWish {
    /// It asks for none.
    #[default]
    No,
    /// It may ask for this many.
    Unsure(u32),
    /// It asks for this many.
    Sure(u32),
}

/// Reads what a request says about images. The number is as it was said: it may be more than are made.
#[must_use]
pub fn image_wish(request: &str) -> ImageWish {
    // What follows a fence is code, whatever its words are.
    let prose = request.split("```").next().unwrap_or_default();
    let words = words_of(prose);
    let found = (0..words.len()).filter_map(|at| asked_at(&words, at));
    // The plainest place counts.
    let Some(found) = found.reduce(plainer) else { return ImageWish::No };
    let works = (0..words.len()).any(|at| is_told(&words, at, OTHER_WORK));
    match found {
        ImageWish::Sure(count) if works => ImageWish::Unsure(count),
        found => found,
    }
}

/// Returns whether what is to be seen depends on the project.
#[must_use]
pub fn needs_project(request: &str) -> bool {
    let words = words_of(request);
    let is_named =
        |word: &&str| matches!(*word, "readme" | "project" | "repo" | "repository" | "app");
    words.iter().map(|word| word.text.as_str()).any(|word| is_named(&word))
}

fn plainer(one: ImageWish, other: ImageWish) -> ImageWish {
    match (one, other) {
        (ImageWish::Sure(_), _) | (ImageWish::Unsure(_), ImageWish::No) => one,
        (_, ImageWish::Sure(_)) | (ImageWish::No, _) => other,
        _ => one,
    }
}

struct Word {
    text: String,
    /// Whether a sentence or a part of one begins here.
    first: bool,
}

fn words_of(text: &str) -> Vec<Word> {
    let (mut words, mut first) = (Vec::new(), true);
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '\'' || letter == '_';
    let text = text.to_lowercase().replace('’', "'");
    for piece in text.split_inclusive(|letter: char| !is_part(letter)) {
        let word = piece.trim_end_matches(|letter: char| !is_part(letter));
        if !word.is_empty() {
            words.push(Word { text: word.to_owned(), first });
            first = false;
        }
        first |= piece.ends_with(['.', '!', '?', ':', ';', ',', '\n', '-', '*']);
    }
    words
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.contains(&word)
}

// Whether someone is told to do this: it stands first, or behind a word that tells so.
fn is_told(words: &[Word], at: usize, verbs: &[&str]) -> bool {
    let Some(word) = words.get(at).filter(|word| is_one_of(&word.text, verbs)) else {
        return false;
    };
    let before = |back: usize| at.checked_sub(back).and_then(|at| words.get(at));
    let text = |back: usize| before(back).map_or("", |word| word.text.as_str());
    if is_one_of(text(1), NOT) {
        return false;
    }
    // "I want you to draw", "I would like to draw" is no such word: one who draws needs no model.
    let is_asked = text(1) == "to" && is_one_of(text(2), &["you", "want", "need"]);
    word.first || is_one_of(text(1), BEFORE) || is_asked
}

// What the verb at this place asks for.
fn asked_at(words: &[Word], at: usize) -> Option<ImageWish> {
    if !is_told(words, at, VERBS) {
        return None;
    }
    let verb = words.get(at)?.text.as_str();
    let behind = words.get(at + 1..)?;
    let has = |list: &[&str]| words.iter().any(|word| is_one_of(&word.text, list));
    // Up to where the sentence turns to something else; "a couple of images" does not.
    let is_counted = |place: usize| {
        let before = place.checked_sub(1).and_then(|at| behind.get(at));
        before.is_some_and(|word| number(&word.text, "").is_some())
    };
    let end = |(place, word): &(usize, &Word)| {
        let turns = word.first || is_one_of(&word.text, BREAKS) && !is_counted(*place);
        *place > 0 && turns || *place >= REACH
    };
    let reach = behind.iter().enumerate().find(end).map_or(behind.len().min(REACH), |(at, _)| at);
    let near = behind.get(..reach)?;
    let noun = near.iter().position(|word| is_one_of(&word.text, NOUNS));
    let Some(noun) = noun else { return drawn(verb, near, has(CODE)) };
    // "5 logo ideas", "4 icon images": the last of several words for images is the thing.
    let more = near.get(noun..)?.iter().take_while(|word| is_one_of(&word.text, NOUNS)).count();
    let noun = noun + more.max(1) - 1;
    let count = count_in(near.get(..=noun)?)?;
    let is_machine =
        near.get(noun).is_some_and(|word| word.text.starts_with("image")) && has(MACHINES);
    let is_code = near.get(..noun)?.iter().any(|word| is_one_of(&word.text, CODE));
    let next =
        behind.get(noun + 1).filter(|word| !word.first).map_or("", |word| word.text.as_str());
    if is_machine || is_code || is_one_of(next, CODE) {
        return Some(ImageWish::No);
    }
    let is_plain = next.is_empty() || is_one_of(next, AFTER);
    Some(if is_plain && !has(CODE) { ImageWish::Sure(count) } else { ImageWish::Unsure(count) })
}

// A verb for drawing alone: "draw a cat".
fn drawn(verb: &str, near: &[Word], is_code: bool) -> Option<ImageWish> {
    let is_idiom = near.iter().any(|word| is_one_of(&word.text, IDIOMS));
    if !is_one_of(verb, DRAWING_VERBS) || is_idiom || near.is_empty() {
        return None;
    }
    let count = count_in(near)?;
    let is_diagram = near.iter().any(|word| is_one_of(&word.text, DIAGRAMS));
    Some(match (is_diagram, is_code) {
        (true, true) => ImageWish::No,
        (true, false) | (false, true) => ImageWish::Unsure(count),
        (false, false) => ImageWish::Sure(count),
    })
}

// How many, where it is said; nothing where none are wanted.
fn count_in(words: &[Word]) -> Option<u32> {
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    for at in 0..words.len() {
        let Some(count) = number(text(at), text(at + 1)) else { continue };
        if !is_one_of(text(at + 1), MEASURES) {
            return (count > 0).then_some(count);
        }
    }
    Some(1)
}

fn number(word: &str, next: &str) -> Option<u32> {
    let words = [
        ("two", 2),
        ("three", 3),
        ("four", 4),
        ("five", 5),
        ("six", 6),
        ("seven", 7),
        ("eight", 8),
        ("nine", 9),
        ("ten", 10),
        ("dozen", 12),
        ("couple", 2),
        ("few", 3),
        ("several", 4),
    ];
    let said = words.iter().find(|(name, _)| *name == word).map(|(_, count)| *count);
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    // "half a dozen" is no word of its own.
    said.filter(|_| next != "times").or_else(|| word.parse().ok().filter(|_| digits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ImageWish::{No, Sure, Unsure};

    fn check(cases: &[(&str, ImageWish)]) {
        for (request, wish) in cases {
            assert_eq!(image_wish(request), *wish, "{request}");
        }
    }

    #[test]
    fn c232_every_phrase_of_the_documents_asks_for_an_image() {
        check(&[
            ("Create an image of a sunset", Sure(1)),
            ("generate an image", Sure(1)),
            ("Please make an image of a red bicycle.", Sure(1)),
            ("draw a cat sitting on a rainbow bridge in space", Sure(1)),
            ("Can you draw me a friendly robot?", Sure(1)),
            ("create a picture of my house", Sure(1)),
            ("generate a picture with two dogs", Sure(1)),
            ("create icons for the toolbar", Sure(1)),
            ("generate an icon", Sure(1)),
            ("create logo", Sure(1)),
            ("Create a minimalist logo for a bakery", Sure(1)),
            ("create an illustration of a lighthouse", Sure(1)),
            ("generate artwork for the landing page", Sure(1)),
            ("design an image of a mountain", Sure(1)),
            ("produce an image that shows a market", Sure(1)),
            ("I want you to draw a fox", Sure(1)),
        ]);
    }

    #[test]
    fn c232_what_only_looks_like_it_does_not() {
        check(&[
            ("What is the drawback of this approach?", No),
            ("draw a conclusion from the logs", No),
            ("Draw on the existing helpers", No),
            ("Draw attention to the error message", No),
            ("draw up a list of open tasks", No),
            ("why does it draw twice", No),
            ("fix the draw function", No),
            ("The code to generate an image is slow", No),
            ("How do I create an image in this API?", No),
            ("Don't create an image", No),
            ("create an image upload component", No),
            ("Make an image carousel", No),
            ("create a Docker image for the service", No),
            ("Build the container image", No),
            ("make the image component lazy", No),
            ("add an icon button to the header", No),
            ("write a function that draws a circle", No),
            ("redraw the canvas", No),
            ("", No),
            ("hello\n```\ncreate an image of a cat\n```", No),
        ]);
    }

    #[test]
    fn c232_where_it_is_not_plain_a_person_is_asked() {
        check(&[
            ("draw a diagram of the architecture", Unsure(1)),
            ("create an icon for the app in svg", Unsure(1)),
            ("Fix the login page and create a logo for it", Unsure(1)),
            ("make the picture nicer", Unsure(1)),
        ]);
    }

    #[test]
    fn c233_the_number_is_read_from_the_words() {
        check(&[
            ("create 4 icons", Sure(4)),
            ("Generate 3 images of cats", Sure(3)),
            ("design 5 logo ideas", Sure(5)),
            ("create five logo ideas", Sure(5)),
            (
                "Create 4 icon ideas for my mobile app logo based on the README of the project",
                Sure(4),
            ),
            ("draw 3 cats", Sure(3)),
            ("make a couple of images", Sure(2)),
            ("make an image of 3 dogs", Sure(1)),
            ("create a 512 pixel icon", Sure(1)),
            ("create a 3d icon", Sure(1)),
            ("generate 100 icons", Sure(100)),
            ("create 0 images", No),
        ]);
    }

    #[test]
    fn c235_what_names_the_project_depends_on_it() {
        assert!(needs_project("4 icons based on the README of the project"));
        assert!(!needs_project("a cat in space"));
    }
}
