//! What a model answers: the truth, or one of the things it sends instead.
//!
//! In: a fault with its truth. Out: replies in prose with a whole file, a search and replace block or a
//! unified diff. Never an answer that is right by chance: what is wrong leaves the fault where it is.

use crate::corpus::Random;
use crate::heal::case::Bench;
use crate::heal::plant::{self, Class, Fault};
use crate::heal::tokens::Source;
use anyhow::{Context, Result};
use serde_json::{Value, json};

/// The files of one case.
pub(super) struct Answers {
    path: String,
    fence: &'static str,
    truth: String,
    planted: String,
    /// The file with one more fault.
    worse: String,
    /// Another file of the project, or a program that has nothing to do with it.
    other: String,
}

// A longer file is not sent whole: the answer would not fit a small tier.
const LONGEST: usize = 6_000;

impl Answers {
    pub(super) fn new(bench: &Bench, fault: &Fault) -> Result<Self> {
        let text = |files: &crate::heal::folder::Files, path: &str| {
            files.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        };
        let truth = text(&bench.truth, &fault.path).context("the file of the fault is gone")?;
        let planted = fault.plant(&truth).context("the place of the fault is gone")?;
        let language = bench.project.language;
        let other = bench.sources().into_iter().find(|source| source.path != fault.path);
        let other = other.map_or_else(|| "int main(void) { return 0; }\n".to_owned(), |it| it.text);
        let source = Source::read(language, &fault.path, &planted);
        let more = plant::places(&[source], Class::MisspeltName, &Random::new(fault.at as u64));
        // A second fault at the first one might be the truth.
        let apart = more.iter().find(|more| more.at.abs_diff(fault.at) > fault.new.len() + 40);
        let worse = apart.and_then(|more| more.plant(&planted));
        let worse = worse.unwrap_or_else(|| format!("{planted}\n)\n"));
        Ok(Self { path: fault.path.clone(), fence: language.name(), truth, planted, worse, other })
    }

    /// The truth, in one of three formats.
    pub(super) fn right(&self, random: &mut Random) -> String {
        let edit = self.edit(&self.truth, random);
        let before = ["Sure!", "I looked at the error.", "The cause is a small mistake."];
        let before = before.get(random.below(before.len())).copied().unwrap_or_default();
        let after = ["This should compile now.", "Let me know if anything else fails.", ""];
        let after = after.get(random.below(after.len())).copied().unwrap_or_default();
        format!("{before} Here is the fix for `{}`:\n\n{edit}\n{after}\n", self.path)
    }

    /// The truth as an edit of the place alone: the model was not told what its user wrote meanwhile, and a whole
    /// file would take that out.
    pub(super) fn right_place(&self) -> String {
        self.prose(&self.blocks(&self.truth))
    }

    /// Something else.
    pub(super) fn wrong(&self, random: &mut Random) -> Value {
        match random.below(4) {
            0 => json!({ "text": self.prose(&self.whole_or_nothing(&self.planted)) }),
            1 => json!({ "text": self.prose(&self.edit(&self.worse, random)) }),
            2 => {
                let whole = self.right(random);
                let end = whole.len() / 3 + random.below(whole.len() / 3);
                let end = (0..=end).rev().find(|end| whole.is_char_boundary(*end)).unwrap_or(0);
                let finish = if random.below(2) == 0 { "length" } else { "stop" };
                json!({ "text": whole.get(..end).unwrap_or_default(), "finish": finish })
            }
            _ => json!({ "text": self.prose(&self.whole_or_nothing(&self.other)) }),
        }
    }

    fn prose(&self, edit: &str) -> String {
        format!("I changed `{}` as follows.\n\n{edit}\nThat fixes the error.\n", self.path)
    }

    fn whole_or_nothing(&self, text: &str) -> String {
        match text.len() <= LONGEST {
            true => self.whole(text),
            false => "Nothing has to be changed: the file is right as it is.\n".to_owned(),
        }
    }

    fn whole(&self, text: &str) -> String {
        format!("{}\n```{}\n{text}```\n", self.path, self.fence)
    }

    fn edit(&self, wanted: &str, random: &mut Random) -> String {
        let formats = if wanted.len() <= LONGEST { 3 } else { 2 };
        match random.below(formats) {
            0 => self.blocks(wanted),
            1 => self.diff(wanted),
            _ => self.whole(wanted),
        }
    }

    // Lines of the two files around the one place where they differ, both ends, with context that makes
    // the place unique.
    fn place(&self, wanted: &str) -> (usize, Vec<String>, Vec<String>) {
        let lines =
            |text: &str| -> Vec<String> { text.split_inclusive('\n').map(str::to_owned).collect() };
        let (old, new) = (lines(&self.planted), lines(wanted));
        let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        let rest = old.len().min(new.len()) - same;
        let tail = old.iter().rev().zip(new.iter().rev());
        let tail = tail.take(rest).take_while(|(old, new)| old == new).count();
        let mut context = 3;
        loop {
            let first = same.saturating_sub(context);
            let after = tail.saturating_sub(context);
            let shown = old.get(first..old.len() - after).unwrap_or_default().to_vec();
            let unique = self.planted.matches(&shown.concat()).count() <= 1;
            if unique || context > old.len() {
                let other = new.get(first..new.len() - after).unwrap_or_default().to_vec();
                return (first, shown, other);
            }
            context += 3;
        }
    }

    fn blocks(&self, wanted: &str) -> String {
        let (_, old, new) = self.place(wanted);
        let (old, new) = (ended(&old.concat()), ended(&new.concat()));
        format!("{}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n", self.path)
    }

    fn diff(&self, wanted: &str) -> String {
        let (first, old, new) = self.place(wanted);
        let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        let rest = old.len().min(new.len()) - same;
        let tail = old.iter().rev().zip(new.iter().rev());
        let tail = tail.take(rest).take_while(|(old, new)| old == new).count();
        let mut hunk = String::new();
        let mut add = |sign: &str, lines: Option<&[String]>| {
            for line in lines.unwrap_or_default() {
                hunk.push_str(&format!("{sign}{}", ended(line)));
            }
        };
        add(" ", old.get(..same));
        add("-", old.get(same..old.len() - tail));
        add("+", new.get(same..new.len() - tail));
        add(" ", old.get(old.len() - tail..));
        let (path, from) = (&self.path, first + 1);
        let head = format!("@@ -{from},{} +{from},{} @@", old.len(), new.len());
        format!("```diff\n--- a/{path}\n+++ b/{path}\n{head}\n{hunk}```\n")
    }
}

fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers() -> Answers {
        let truth = "a\nb\nc\nd\ne\nf\ng\nh\n".to_owned();
        let planted = truth.replace("d\n", "x\n");
        Answers {
            path: "src/a.c".to_owned(),
            fence: "c",
            worse: planted.replace("g\n", "y\n"),
            other: "int other;\n".to_owned(),
            truth,
            planted,
        }
    }

    #[test]
    fn a_diff_says_the_one_place() {
        let diff = answers().diff(&answers().truth);
        let expected = "```diff\n--- a/src/a.c\n+++ b/src/a.c\n@@ -1,7 +1,7 @@\n a\n b\n c\n-x\n+d\n e\n f\n g\n```\n";
        assert_eq!(diff, expected);
    }

    #[test]
    fn a_block_replaces_the_one_place() {
        let block = answers().blocks(&answers().truth);
        let expected = "src/a.c\n<<<<<<< SEARCH\na\nb\nc\nx\ne\nf\ng\n=======\na\nb\nc\nd\ne\nf\ng\n>>>>>>> REPLACE\n";
        assert_eq!(block, expected);
    }

    #[test]
    fn what_is_wrong_is_never_the_truth() {
        let answers = answers();
        let mut random = Random::new(3);
        let right: Vec<String> = (0..50).map(|_| answers.right(&mut random)).collect();
        for _ in 0..200 {
            let wrong = answers.wrong(&mut random);
            let text = wrong["text"].as_str().expect("a text").to_owned();
            assert!(!right.contains(&text));
        }
    }
}
