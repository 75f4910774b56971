//! An answer while it arrives: the parts of it that people read, as blocks.
//!
//! In: pieces of the text of a reply, which is one JSON object as a rule. Out: text for the summary and the sections,
//! and for the files that it writes, as soon as it is there. Feeding it in pieces gives what feeding it at once gives.
//! Never shows a key, a bracket or an escape, and never decides anything: what is applied is read elsewhere, whole.

mod reader;

pub use reader::{AnswerReader, Field, FieldPart};

use super::blocks::{BlockSplitter, BlockStep, TextBlock};

/// What a block of an answer is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Shown {
    /// The summary, or the whole of an answer that has no fields.
    Lead,
    /// The heading of a section.
    Heading,
    /// The text of a section.
    Section,
    /// What is written into a file; replaced by the change itself when the answer was read.
    File {
        /// The path, as far as it is known.
        path: String,
    },
}

/// A block of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AnswerBlock {
    /// What it belongs to.
    pub of: Shown,
    /// Its text.
    pub block: TextBlock,
}

/// What a piece of an answer did to its blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveStep {
    /// A block began.
    Open(AnswerBlock),
    /// This was added to the open block.
    Text(String),
    /// The open block is whole.
    Close(AnswerBlock),
}

/// Turns the pieces of one reply into steps of blocks.
#[derive(Debug, Clone, Default)]
pub struct LiveAnswer {
    reader: AnswerReader,
    splitter: BlockSplitter,
    of: Option<Shown>,
    path: String,
}

impl LiveAnswer {
    /// Takes a piece.
    pub fn push(&mut self, piece: &str) -> Vec<LiveStep> {
        let mut steps = Vec::new();
        for part in self.reader.push(piece) {
            self.part(part, &mut steps);
        }
        steps
    }

    /// Ends the answer.
    pub fn finish(&mut self) -> Vec<LiveStep> {
        let mut steps = Vec::new();
        for part in self.reader.finish() {
            self.part(part, &mut steps);
        }
        self.end(&mut steps);
        steps
    }

    fn part(&mut self, part: FieldPart, steps: &mut Vec<LiveStep>) {
        match part {
            FieldPart::Begin(Field::Path) => self.path.clear(),
            FieldPart::Begin(field) => {
                self.end(steps);
                let of = match field {
                    Field::Summary | Field::Plain => Shown::Lead,
                    Field::Heading => Shown::Heading,
                    Field::Content => Shown::Section,
                    Field::Path => return,
                    Field::File => Shown::File { path: self.path.clone() },
                };
                if let Shown::File { path } = &of {
                    // Code has no blocks of its own: it is fed as one.
                    let fence = format!("~~~~~~~~~~~~ {}\n", path.replace(char::is_whitespace, ""));
                    let opened = self.splitter.push(&fence);
                    self.of = Some(of);
                    self.take(opened, steps);
                } else {
                    self.of = Some(of);
                }
            }
            FieldPart::Text(Field::Path, text) => self.path.push_str(&text),
            FieldPart::Text(_, text) => {
                let found = self.splitter.push(&text);
                self.take(found, steps);
            }
            FieldPart::End(Field::Path) => {}
            FieldPart::End(_) => self.end(steps),
        }
    }

    fn end(&mut self, steps: &mut Vec<LiveStep>) {
        let found = self.splitter.finish();
        self.take(found, steps);
        self.splitter = BlockSplitter::default();
        self.of = None;
    }

    fn take(&self, found: Vec<BlockStep>, steps: &mut Vec<LiveStep>) {
        let Some(of) = &self.of else { return };
        let with = |block| AnswerBlock { of: of.clone(), block };
        steps.extend(found.into_iter().map(|step| match step {
            BlockStep::Open(kind) => LiveStep::Open(with(TextBlock { kind, text: String::new() })),
            BlockStep::Text(text) => LiveStep::Text(text),
            BlockStep::Close(block) => LiveStep::Close(with(block)),
        }));
    }
}

/// Tells whether a reply goes on where the one before it was cut: one that begins anew begins with its object.
pub fn goes_on(begins: &str) -> bool {
    let begins = begins.trim_start();
    !begins.is_empty() && !begins.starts_with(['{', '`'])
}

/// Divides what is known of a whole field into blocks.
pub fn field_blocks(of: &Shown, text: &str) -> Vec<AnswerBlock> {
    let blocks = super::blocks::blocks_of(text).into_iter();
    blocks.map(|block| AnswerBlock { of: of.clone(), block }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Vec<(String, String)> {
        let mut live = LiveAnswer::default();
        let mut steps = live.push(text);
        steps.extend(live.finish());
        let closed = |step| match step {
            LiveStep::Close(AnswerBlock { of, block }) => Some((format!("{of:?}"), block.text)),
            LiveStep::Open(_) | LiveStep::Text(_) => None,
        };
        steps.into_iter().filter_map(closed).collect()
    }

    #[test]
    fn c010_the_fields_that_people_read_are_shown_while_they_arrive() {
        let text = r#"{"summary": "Two \"things\".\n\nDone.", "sections": [{"heading": "Why", "content": "So.\n```py\nx = 1\n```"}],
            "fileChanges": [{"path": "a.py", "content": "x = 1\n"}], "todos": [{"text": "hidden"}]}"#;
        let expected = [
            ("Lead", "Two \"things\".\n"),
            ("Lead", "Done."),
            ("Heading", "Why"),
            ("Section", "So.\n"),
            ("Section", "x = 1\n"),
            ("File { path: \"a.py\" }", "x = 1\n"),
        ];
        let shown = whole(text);
        let shown: Vec<(&str, &str)> =
            shown.iter().map(|(of, text)| (of.as_str(), text.as_str())).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_is_cut_is_shown_as_far_as_it_came() {
        assert_eq!(
            whole("{\"summary\": \"Half a th"),
            [("Lead".to_owned(), "Half a th".to_owned())]
        );
        assert_eq!(whole("Just words."), [("Lead".to_owned(), "Just words.".to_owned())]);
    }
}
