//! A second, unrelated parser must read the same line.
//!
//! In: a line and what our own parser made of it. Out: nothing, or a refusal because the two differ.
//! Never makes a line acceptable: `brush-parser` only sees lines that are inside the subset already,
//! and if it fails, panics or reads anything else, the answer is to ask.

use super::line::{CommandLine, Pipeline, Redirect, ShellWord, SimpleCommand, WordTarget};
use super::refusal::{ShellRefusal, ShellRule};
use crate::Joiner;
use brush_parser::ast::{self, CommandPrefixOrSuffixItem as Item, IoFileRedirectKind as Kind};
use brush_parser::word::{self, WordPiece};
use brush_parser::{Parser, ParserOptions, SourceInfo};
use salve_types::Span;
use std::panic::catch_unwind;

/// Checks that the other parser reads the same commands, words, patterns and redirections.
pub(super) fn check(line: &str, ours: &CommandLine) -> Result<(), ShellRefusal> {
    let theirs = catch_unwind(|| read(line)).ok().flatten();
    if theirs.is_some_and(|theirs| without_spans(ours) == theirs) {
        return Ok(());
    }
    Err(ShellRefusal::new(
        ShellRule::P1,
        "ambiguous line",
        Span::new(0, line.len()),
        "the two parsers disagree on it; write it in a simpler way",
    ))
}

// Nothing means that it is outside the subset for the other parser.
fn read(line: &str) -> Option<CommandLine> {
    let options = ParserOptions::default();
    let mut parser = Parser::new(line.as_bytes(), &options, &SourceInfo::default());
    let program = parser.parse_program().ok()?;
    let mut pipelines = Vec::new();
    for list in &program.complete_commands {
        for ast::CompoundListItem(and_or, separator) in &list.0 {
            if matches!(separator, ast::SeparatorOperator::Async) {
                return None;
            }
            pipelines.push(pipeline(Joiner::Then, &and_or.first, &options)?);
            for next in &and_or.additional {
                let (joiner, next) = match next {
                    ast::AndOr::And(next) => (Joiner::And, next),
                    ast::AndOr::Or(next) => (Joiner::Or, next),
                };
                pipelines.push(pipeline(joiner, next, &options)?);
            }
        }
    }
    Some(CommandLine { pipelines })
}

fn pipeline(joiner: Joiner, from: &ast::Pipeline, options: &ParserOptions) -> Option<Pipeline> {
    if from.bang || from.timed.is_some() {
        return None;
    }
    let commands = from.seq.iter().map(|one| command(one, options)).collect::<Option<_>>()?;
    Some(Pipeline { joiner, commands })
}

fn command(from: &ast::Command, options: &ParserOptions) -> Option<SimpleCommand> {
    let ast::Command::Simple(from) = from else { return None };
    let mut command = SimpleCommand { span: NOWHERE, words: Vec::new(), redirects: Vec::new() };
    for item in from.prefix.iter().flat_map(|prefix| &prefix.0) {
        let Item::IoRedirect(from) = item else { return None };
        command.redirects.extend(redirects(from, options)?);
    }
    command.words.push(shell_word(from.word_or_name.as_ref()?, options)?);
    for item in from.suffix.iter().flat_map(|suffix| &suffix.0) {
        match item {
            Item::Word(word) | Item::AssignmentWord(_, word) => {
                command.words.push(shell_word(word, options)?);
            }
            Item::IoRedirect(from) => command.redirects.extend(redirects(from, options)?),
            Item::ProcessSubstitution(..) => return None,
        }
    }
    Some(command)
}

fn redirects(from: &ast::IoRedirect, options: &ParserOptions) -> Option<Vec<Redirect>> {
    let one = |descriptor, target| Redirect { descriptor, target, span: NOWHERE };
    match from {
        ast::IoRedirect::OutputAndError(word, is_append) => {
            let word = shell_word(word, options)?;
            let output =
                if *is_append { WordTarget::Append(word) } else { WordTarget::Write(word) };
            Some(vec![one(1, output), one(2, WordTarget::Same(1))])
        }
        ast::IoRedirect::File(descriptor, kind, target) => {
            let by_default = i32::from(!matches!(kind, Kind::Read | Kind::DuplicateInput));
            let descriptor = u8::try_from(descriptor.unwrap_or(by_default)).ok()?;
            let target = match (kind, target) {
                (Kind::DuplicateInput | Kind::DuplicateOutput, target) => copied(target, options)?,
                (Kind::Read, ast::IoFileRedirectTarget::Filename(word)) => {
                    WordTarget::Read(shell_word(word, options)?)
                }
                (Kind::Write, ast::IoFileRedirectTarget::Filename(word)) => {
                    WordTarget::Write(shell_word(word, options)?)
                }
                (Kind::Append, ast::IoFileRedirectTarget::Filename(word)) => {
                    WordTarget::Append(shell_word(word, options)?)
                }
                _ => return None,
            };
            Some(vec![one(descriptor, target)])
        }
        ast::IoRedirect::HereDocument(..) | ast::IoRedirect::HereString(..) => None,
    }
}

fn copied(target: &ast::IoFileRedirectTarget, options: &ParserOptions) -> Option<WordTarget> {
    let number = match target {
        ast::IoFileRedirectTarget::Fd(number) => u8::try_from(*number).ok()?,
        ast::IoFileRedirectTarget::Duplicate(word) => {
            shell_word(word, options)?.text.parse().ok()?
        }
        _ => return None,
    };
    Some(WordTarget::Same(number))
}

fn shell_word(from: &ast::Word, options: &ParserOptions) -> Option<ShellWord> {
    let mut read = ReadWord::default();
    for piece in word::parse(&from.value, options).ok()? {
        match piece.piece {
            WordPiece::Text(text) => read.live(&text),
            WordPiece::SingleQuotedText(text) => read.quoted(&text),
            WordPiece::EscapeSequence(text) => read.quoted(text.strip_prefix('\\')?),
            WordPiece::DoubleQuotedSequence(pieces) => {
                for piece in pieces {
                    match piece.piece {
                        WordPiece::Text(text) => read.quoted(&text),
                        WordPiece::EscapeSequence(text) => read.quoted(text.strip_prefix('\\')?),
                        _ => return None,
                    }
                }
            }
            _ => return None,
        }
    }
    let pattern = read.is_pattern.then_some(read.pattern);
    Some(ShellWord { text: read.text, pattern, span: NOWHERE })
}

#[derive(Default)]
struct ReadWord {
    text: String,
    pattern: String,
    is_pattern: bool,
}

impl ReadWord {
    fn live(&mut self, text: &str) {
        self.is_pattern |= text.contains(['*', '?', '[']);
        self.text.push_str(text);
        self.pattern.push_str(text);
    }

    fn quoted(&mut self, text: &str) {
        self.text.push_str(text);
        for char in text.chars() {
            if char.is_ascii_punctuation() && char != '/' {
                self.pattern.push('\\');
            }
            self.pattern.push(char);
        }
    }
}

const NOWHERE: Span = Span::new(0, 0);

// The other parser counts places in its own way; what is compared is what would run.
fn without_spans(line: &CommandLine) -> CommandLine {
    let mut line = line.clone();
    for command in line.pipelines.iter_mut().flat_map(|pipeline| &mut pipeline.commands) {
        command.span = NOWHERE;
        command.words.iter_mut().for_each(|word| word.span = NOWHERE);
        for redirect in &mut command.redirects {
            redirect.span = NOWHERE;
            match &mut redirect.target {
                WordTarget::Read(word) | WordTarget::Write(word) | WordTarget::Append(word) => {
                    word.span = NOWHERE;
                }
                WordTarget::Same(_) => {}
            }
        }
    }
    line
}
