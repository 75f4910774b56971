//! A text that arrives in pieces, as blocks that are each drawn once.
//!
//! In: pieces of Markdown. Out: what opens, what is added to the open block, and each block whole when it
//! closes. Feeding it in pieces gives the blocks of feeding it at once. Never holds more than the open block,
//! and never lets a block grow without bound: a longer one is closed and goes on in the next.

/// Where prose that has no empty line is divided, at the next end of a line.
const LONG_PROSE: usize = 8 * 1024;
/// Where it is divided even inside a line.
const LONGEST_PROSE: usize = 16 * 1024;
/// How many lines of code are one block.
const CODE_LINES: usize = 200;
/// How many bytes of code are one block, whatever its lines.
const LONGEST_CODE: usize = 32 * 1024;

/// What a block is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// Markdown other than a fence of its own.
    Prose,
    /// The lines between two fences, with the word after the first.
    Code {
        /// The language, as it was written; empty where none was.
        language: String,
        /// Whether the block goes on from the one before it.
        continued: bool,
    },
}

/// A block that is whole.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextBlock {
    /// What it is.
    pub kind: BlockKind,
    /// Its text, without fences.
    pub text: String,
}

/// What a piece of text did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockStep {
    /// A block began.
    Open(BlockKind),
    /// This was added to the open block.
    Text(String),
    /// The open block is whole.
    Close(TextBlock),
}

/// Divides a text into blocks while it arrives.
#[derive(Debug, Clone, Default)]
pub struct BlockSplitter {
    /// The open block, with its lines so far.
    open: Option<TextBlock>,
    /// The fence that ends the open block of code: its letter and how many.
    fence: Option<(char, usize)>,
    /// A fence inside prose, as in a list: empty lines do not divide there.
    inner_fence: Option<(char, usize)>,
    /// What arrived of a line that is not decided on.
    held: String,
    /// Whether the line at hand was begun and given out.
    in_line: bool,
    /// Empty lines after a list, which divide only if the list does not go on.
    pending_blank: String,
}

impl BlockSplitter {
    /// Takes a piece.
    pub fn push(&mut self, piece: &str) -> Vec<BlockStep> {
        let mut steps = Vec::new();
        for part in piece.split_inclusive('\n') {
            self.held.push_str(part);
            if self.held.ends_with('\n') {
                let line = std::mem::take(&mut self.held);
                self.line(&line, &mut steps);
                self.in_line = false;
            } else if self.in_line || !may_be_mark(&self.held) {
                let part = std::mem::take(&mut self.held);
                self.part(&part, &mut steps);
                self.in_line = true;
            }
        }
        merged(steps)
    }

    /// Ends the text.
    pub fn finish(&mut self) -> Vec<BlockStep> {
        let mut steps = Vec::new();
        let line = std::mem::take(&mut self.held);
        if !line.is_empty() {
            self.line(&line, &mut steps);
        }
        self.close(&mut steps);
        self.fence = None;
        merged(steps)
    }

    // The rest of a line, or all of it.
    fn line(&mut self, line: &str, steps: &mut Vec<BlockStep>) {
        if self.in_line {
            return self.add(line, steps);
        }
        if let Some(fence) = self.fence {
            if closes(line, fence) {
                self.close(steps);
                self.fence = None;
            } else {
                self.code_line(line, steps);
            }
            return;
        }
        if let Some((letter, count, language)) = opens_fence(line) {
            let indent = line.len() - line.trim_start_matches(' ').len();
            if indent > 0 && self.is_list() {
                self.inner_fence = match self.inner_fence {
                    None => Some((letter, count)),
                    Some(inner) if closes(line, inner) => None,
                    inner => inner,
                };
                self.prose_line(line, steps);
                return;
            }
            if self.inner_fence.is_none() {
                self.close(steps);
                self.fence = Some((letter, count));
                self.begin(BlockKind::Code { language, continued: false }, steps);
                return;
            }
        }
        if line.trim().is_empty() && self.inner_fence.is_none() {
            if self.is_list() {
                self.pending_blank.push_str(line);
            } else {
                self.close(steps);
            }
            return;
        }
        if self.inner_fence.is_some_and(|inner| closes(line, inner)) {
            self.inner_fence = None;
        }
        self.prose_line(line, steps);
    }

    // What is shown before its line ends.
    fn part(&mut self, part: &str, steps: &mut Vec<BlockStep>) {
        if self.in_line {
            self.add(part, steps);
        } else if self.fence.is_some() {
            self.code_line(part, steps);
        } else {
            self.prose_line(part, steps);
        }
    }

    fn prose_line(&mut self, line: &str, steps: &mut Vec<BlockStep>) {
        if !self.pending_blank.is_empty() {
            let goes_on = line.starts_with([' ', '\t']) || is_item(line);
            let blank = std::mem::take(&mut self.pending_blank);
            if goes_on {
                self.add(&blank, steps);
            } else {
                self.close(steps);
            }
        }
        if self.open.as_ref().is_some_and(|open| open.text.len() >= LONG_PROSE) {
            self.close(steps);
        }
        if self.open.is_none() {
            self.begin(BlockKind::Prose, steps);
        }
        self.add(line, steps);
    }

    fn code_line(&mut self, line: &str, steps: &mut Vec<BlockStep>) {
        let is_long = self.open.as_ref().is_some_and(|open| {
            open.text.len() >= LONGEST_CODE / 2 || open.text.lines().count() >= CODE_LINES
        });
        if is_long {
            self.go_on(steps);
        }
        self.add(line, steps);
    }

    // Closes the block and opens one of the same kind.
    fn go_on(&mut self, steps: &mut Vec<BlockStep>) {
        let Some(open) = &self.open else { return };
        let kind = match &open.kind {
            BlockKind::Prose => BlockKind::Prose,
            BlockKind::Code { language, .. } => {
                BlockKind::Code { language: language.clone(), continued: true }
            }
        };
        self.close(steps);
        self.begin(kind, steps);
    }

    fn begin(&mut self, kind: BlockKind, steps: &mut Vec<BlockStep>) {
        steps.push(BlockStep::Open(kind.clone()));
        self.open = Some(TextBlock { kind, text: String::new() });
    }

    // A text longer than a block is divided where a block ends, however it arrived.
    fn add(&mut self, text: &str, steps: &mut Vec<BlockStep>) {
        let most = if self.fence.is_some() { LONGEST_CODE } else { LONGEST_PROSE };
        let mut rest = text;
        while let Some(open) = &mut self.open {
            let mut end = rest.len().min(most.saturating_sub(open.text.len()));
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            let (now, later) = rest.split_at(end);
            if !now.is_empty() {
                open.text.push_str(now);
                steps.push(BlockStep::Text(now.to_owned()));
            }
            if later.is_empty() {
                return;
            }
            rest = later;
            self.go_on(steps);
        }
    }

    fn close(&mut self, steps: &mut Vec<BlockStep>) {
        self.pending_blank.clear();
        self.inner_fence = None;
        if let Some(open) = self.open.take() {
            steps.push(BlockStep::Close(open));
        }
    }

    fn is_list(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.kind == BlockKind::Prose && is_item(&open.text))
    }
}

/// Divides a whole text into blocks.
pub fn blocks_of(text: &str) -> Vec<TextBlock> {
    let mut splitter = BlockSplitter::default();
    let mut steps = splitter.push(text);
    steps.extend(splitter.finish());
    let whole = |step| match step {
        BlockStep::Close(block) => Some(block),
        BlockStep::Open(_) | BlockStep::Text(_) => None,
    };
    steps.into_iter().filter_map(whole).collect()
}

// Texts that follow each other are one.
fn merged(steps: Vec<BlockStep>) -> Vec<BlockStep> {
    let mut merged: Vec<BlockStep> = Vec::with_capacity(steps.len());
    for step in steps {
        match (merged.last_mut(), step) {
            (Some(BlockStep::Text(before)), BlockStep::Text(more)) => before.push_str(&more),
            (_, step) => merged.push(step),
        }
    }
    merged
}

// The beginning of a line that may yet be a fence, an item of a list or an empty line.
fn may_be_mark(line: &str) -> bool {
    let rest = line.trim_start();
    rest.is_empty()
        || rest.starts_with(['`', '~'])
        || (rest.len() < 12 && rest.chars().all(|one| is_marker_letter(one) || one == ' '))
}

const fn is_marker_letter(letter: char) -> bool {
    letter.is_ascii_digit() || matches!(letter, '-' | '*' | '+' | '.' | ')')
}

fn is_item(line: &str) -> bool {
    let rest = line.trim_start();
    let marked = rest.strip_prefix(['-', '*', '+']).or_else(|| {
        let digits = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let has_number = digits.len() < rest.len() && rest.len() - digits.len() < 10;
        digits.strip_prefix(['.', ')']).filter(|_| has_number)
    });
    marked.is_some_and(|rest| rest.starts_with([' ', '\t', '\n', '\r']))
}

fn opens_fence(line: &str) -> Option<(char, usize, String)> {
    let rest = line.trim_start_matches(' ');
    let letter = rest.chars().next().filter(|letter| matches!(letter, '`' | '~'))?;
    let count = rest.chars().take_while(|one| *one == letter).count();
    let info = rest.get(count..)?.trim();
    let is_fence = count >= 3 && !(letter == '`' && info.contains('`'));
    let language = info.split([' ', ',', '{', '\t']).next().unwrap_or_default();
    is_fence.then(|| (letter, count, language.to_owned()))
}

fn closes(line: &str, (letter, count): (char, usize)) -> bool {
    let rest = line.trim();
    rest.chars().count() >= count && rest.chars().all(|one| one == letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Vec<(String, String)> {
        let kind = |kind: BlockKind| match kind {
            BlockKind::Prose => "prose".to_owned(),
            BlockKind::Code { language, continued } => {
                format!("code {language}{}", if continued { " more" } else { "" })
            }
        };
        blocks_of(text).into_iter().map(|block| (kind(block.kind), block.text)).collect()
    }

    #[test]
    fn paragraphs_lists_and_code_are_blocks() {
        let text = "One\ntwo\n\n- a\n\n  more of a\n- b\n\n```rust\nfn main() {}\n\n```\nlast";
        let expected = [
            ("prose", "One\ntwo\n"),
            ("prose", "- a\n\n  more of a\n- b\n"),
            ("code rust", "fn main() {}\n\n"),
            ("prose", "last"),
        ];
        let expected: Vec<(String, String)> =
            expected.iter().map(|(kind, text)| ((*kind).to_owned(), (*text).to_owned())).collect();
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn a_fence_ends_only_at_its_own_kind_and_length() {
        let text = "````md\n```\ninner\n```\n````\n~~~\n```\n~~~\n";
        let texts: Vec<String> = shown(text).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["```\ninner\n```\n", "```\n"]);
    }

    #[test]
    fn what_has_no_end_is_divided() {
        let long = "word ".repeat(40_000);
        let blocks = blocks_of(&long);
        assert!(
            blocks.iter().all(|block| block.text.len() <= 2 * LONGEST_PROSE),
            "{}",
            blocks.len()
        );
        let code = format!("```\n{}", "let x = 1;\n".repeat(2_000));
        let blocks = blocks_of(&code);
        assert!(blocks.iter().all(|block| block.text.lines().count() <= CODE_LINES));
        assert_eq!(
            blocks.iter().map(|block| block.text.as_str()).collect::<String>().len(),
            22_000
        );
    }

    proptest! {
        #[test]
        fn in_pieces_is_at_once(
            text in "([a-z`~ \\-*1.)\n]{0,12}(\n|```|~~~|- |1\\. |  ){0,3}){0,12}",
            cuts in proptest::collection::vec(1_usize..9, 0..60),
        ) {
            let mut splitter = BlockSplitter::default();
            let (mut rest, mut steps) = (text.as_str(), Vec::new());
            for cut in cuts {
                let (piece, left) = rest.split_at(cut.min(rest.len()));
                steps.extend(splitter.push(piece));
                rest = left;
            }
            steps.extend(splitter.push(rest));
            steps.extend(splitter.finish());
            let mut live = String::new();
            let mut blocks = Vec::new();
            for step in steps {
                match step {
                    BlockStep::Open(_) => live.clear(),
                    BlockStep::Text(text) => live.push_str(&text),
                    BlockStep::Close(block) => {
                        prop_assert_eq!(&live, &block.text);
                        blocks.push(block);
                    }
                }
            }
            prop_assert_eq!(blocks, blocks_of(&text));
        }
    }
}
