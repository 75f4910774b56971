//! A parsed command line, as data.
//!
//! In: nothing. Out: the types that the parser fills and the policy judges. Never holds a quote or
//! an escape that a shell would still have to read.

use crate::Joiner;
use salve_types::Span;

/// A line inside the subset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// The pipelines, at least one; the joiner of the first is [`Joiner::Then`].
    pub pipelines: Vec<Pipeline>,
}

/// Commands connected with `|`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// How it follows the pipeline before it.
    pub joiner: Joiner,
    /// The commands, at least one.
    pub commands: Vec<SimpleCommand>,
}

/// One program with its words and redirections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    /// Where it is in the line.
    pub span: Span,
    /// The words, at least one; the first is a plain ASCII name without quotes or separators.
    pub words: Vec<ShellWord>,
    /// The redirections, in the order written.
    pub redirects: Vec<Redirect>,
}

/// A word whose quotes and escapes are resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellWord {
    /// The word as the program would receive it, were it no pattern.
    pub text: String,
    /// The pattern to expand when an unquoted `*`, `?` or `[` is in the word; characters that
    /// were quoted and could mean something in a pattern have a backslash before them.
    pub pattern: Option<String>,
    /// Where it is in the line.
    pub span: Span,
}

/// One redirection; `&> file` is two of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// The descriptor that is redirected: 0, 1 or 2.
    pub descriptor: u8,
    /// Where it goes.
    pub target: WordTarget,
    /// Where it is in the line.
    pub span: Span,
}

/// Where a redirection leads; a word here is never a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordTarget {
    /// `< word`.
    Read(ShellWord),
    /// `> word`.
    Write(ShellWord),
    /// `>> word`.
    Append(ShellWord),
    /// `>&1`, `2>&1`, `<&0`: a copy of this descriptor.
    Same(u8),
}

impl CommandLine {
    /// Iterates over every command, in order.
    pub fn commands(&self) -> impl Iterator<Item = &SimpleCommand> {
        self.pipelines.iter().flat_map(|pipeline| &pipeline.commands)
    }
}

impl SimpleCommand {
    /// Returns the name of the program.
    pub fn name(&self) -> &str {
        self.words.first().map_or("", |word| word.text.as_str())
    }

    /// Returns the words without patterns expanded, as they would be received.
    pub fn argv(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| word.text.as_str())
    }
}

impl ShellWord {
    /// Returns what certainly comes before the first unquoted `*`, `?` or `[`, up to and with its
    /// last `/`: the folder that every match lies in. Empty when there is none, the whole text when
    /// the word is no pattern.
    pub fn literal_folder(&self) -> String {
        let Some(pattern) = &self.pattern else { return self.text.clone() };
        let mut literal = String::new();
        let mut chars = pattern.chars();
        while let Some(char) = chars.next() {
            match char {
                '*' | '?' | '[' => break,
                '\\' => literal.extend(chars.next()),
                other => literal.push(other),
            }
        }
        literal.truncate(literal.rfind('/').map_or(0, |at| at + 1));
        literal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_literal_folder_ends_before_the_first_pattern() {
        for (pattern, folder) in [
            ("src/*.rs", "src/"),
            ("*.rs", ""),
            ("a/b[c]/d/*", "a/"),
            ("a\\*/b/?", "a*/b/"),
            ("-rf*", ""),
            ("/*", "/"),
        ] {
            let pattern = Some(pattern.to_owned());
            let word = ShellWord { text: String::new(), pattern, span: Span::new(0, 0) };
            assert_eq!(word.literal_folder(), folder);
        }
    }
}
