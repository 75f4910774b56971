//! From tokens to commands.
//!
//! In: the tokens of a line. Out: pipelines of simple commands, or a refusal. Never accepts an empty
//! segment, and never lets a word be a command's name that means something to the shell itself.

mod name;

use super::lexer::{self, Join, Lexed, RedirectOperator, Token};
use super::line::{CommandLine, Pipeline, Redirect, ShellWord, SimpleCommand, WordTarget};
use super::refusal::{ShellRefusal, ShellRule};
use crate::Joiner;
use salve_types::Span;

/// The most commands that one line may have.
const MAX_COMMANDS: usize = 64;

/// Parses a line that passed the input rules.
pub(super) fn parse(line: &str) -> Result<CommandLine, ShellRefusal> {
    let mut tokens = lexer::tokens(line)?.into_iter().peekable();
    let end = Span::new(line.len(), line.len());
    let mut pipelines: Vec<Pipeline> = Vec::new();
    let mut joiner = Joiner::Then;
    let mut left = MAX_COMMANDS;
    loop {
        let (commands, ended_by) = pipeline(&mut tokens, &mut left, end)?;
        pipelines.push(Pipeline { joiner, commands });
        joiner = match ended_by {
            None => break,
            Some((Join::And, _)) => Joiner::And,
            Some((Join::Or, _)) => Joiner::Or,
            // A last `;` ends the line as nothing does.
            Some((Join::Then | Join::Pipe, _)) if tokens.peek().is_none() => break,
            Some((Join::Then | Join::Pipe, _)) => Joiner::Then,
        };
    }
    Ok(CommandLine { pipelines })
}

// The joint that ended a command, if the line did not.
type Ended = Option<(Join, Span)>;
type Tokens = std::iter::Peekable<std::vec::IntoIter<Token>>;

// Reads commands up to a joint that is no pipe, or the end.
fn pipeline(
    tokens: &mut Tokens,
    left: &mut usize,
    end: Span,
) -> Result<(Vec<SimpleCommand>, Ended), ShellRefusal> {
    let mut commands = Vec::new();
    loop {
        let (command, ended_by) = simple_command(tokens, end)?;
        *left = left.checked_sub(1).ok_or_else(|| {
            let why = format!("a line has at most {MAX_COMMANDS} commands; run them in parts");
            ShellRefusal::new(ShellRule::P4, "too many commands", command.span, why)
        })?;
        commands.push(command);
        match ended_by {
            Some((Join::Pipe, _)) => {}
            other => return Ok((commands, other)),
        }
    }
}

fn simple_command(tokens: &mut Tokens, end: Span) -> Result<(SimpleCommand, Ended), ShellRefusal> {
    let mut words = Vec::new();
    let mut redirects = Vec::new();
    let mut covered: Option<Span> = None;
    let ended_by = loop {
        let token_end = match tokens.next() {
            None => break None,
            Some(Token::Join(join, span)) => break Some((join, span)),
            Some(Token::Word(lexed)) => {
                if words.is_empty() {
                    name::check(&lexed)?;
                }
                words.push(lexed.word);
                words.last().map(|word| word.span)
            }
            Some(Token::Redirect(operator, span)) => {
                redirects.extend(redirect(tokens, operator, span)?);
                redirects.last().map(|redirect: &Redirect| redirect.span)
            }
        };
        let Some(span) = token_end else { continue };
        covered = Some(Span::new(covered.map_or(span.start, |all| all.start), span.end));
    };
    let place = covered.or(ended_by.map(|(_, span)| span)).unwrap_or(end);
    if words.is_empty() {
        let why = if redirects.is_empty() {
            "a command is missing here"
        } else {
            "a redirection alone empties a file; name a command"
        };
        return Err(ShellRefusal::new(ShellRule::P1, "empty command", place, why));
    }
    Ok((SimpleCommand { span: place, words, redirects }, ended_by))
}

// `&> file` is `> file 2>&1`.
fn redirect(
    tokens: &mut Tokens,
    operator: RedirectOperator,
    span: Span,
) -> Result<Vec<Redirect>, ShellRefusal> {
    let Some(Token::Word(lexed)) = tokens.next_if(|token| matches!(token, Token::Word(_))) else {
        let why = "this redirection has no target";
        return Err(ShellRefusal::new(ShellRule::P1, "redirection", span, why));
    };
    let span = Span::new(span.start, lexed.word.span.end);
    let one = |descriptor, target| vec![Redirect { descriptor, target, span }];
    Ok(match operator {
        RedirectOperator::Copy(descriptor) => one(descriptor, copied(&lexed)?),
        RedirectOperator::Read(descriptor) => one(descriptor, WordTarget::Read(file(lexed)?)),
        RedirectOperator::Write(descriptor) => one(descriptor, WordTarget::Write(file(lexed)?)),
        RedirectOperator::Append(descriptor) => one(descriptor, WordTarget::Append(file(lexed)?)),
        RedirectOperator::WriteBoth => both(WordTarget::Write(file(lexed)?), span),
        RedirectOperator::AppendBoth => both(WordTarget::Append(file(lexed)?), span),
    })
}

fn both(target: WordTarget, span: Span) -> Vec<Redirect> {
    let output = Redirect { descriptor: 1, target, span };
    vec![output, Redirect { descriptor: 2, target: WordTarget::Same(1), span }]
}

fn file(lexed: Lexed) -> Result<ShellWord, ShellRefusal> {
    let refuse = |why: &str| {
        Err(ShellRefusal::new(ShellRule::P5, "redirection target", lexed.word.span, why))
    };
    if lexed.word.pattern.is_some() {
        return refuse("a pattern can stand for several files; name one");
    }
    if lexed.word.text.is_empty() {
        return refuse("an empty word names no file");
    }
    Ok(lexed.word)
}

fn copied(lexed: &Lexed) -> Result<WordTarget, ShellRefusal> {
    match (lexed.is_plain, lexed.word.text.as_bytes()) {
        (true, [digit @ b'0'..=b'2']) => Ok(WordTarget::Same(digit - b'0')),
        _ => Err(ShellRefusal::new(
            ShellRule::P5,
            "descriptor",
            lexed.word.span,
            "`>&` copies the descriptor 0, 1 or 2; write `> file` for a file",
        )),
    }
}
