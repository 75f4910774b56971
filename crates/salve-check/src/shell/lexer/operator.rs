//! The operators, longest first.
//!
//! In: a cursor at an operator character. Out: one operator of the subset, or a refusal that names
//! what `bash` would have read there. Never reads a word.

use super::{Cursor, Join, RedirectOperator, Token};
use crate::shell::refusal::{ShellRefusal, ShellRule};
use salve_types::Span;

/// Reads an operator; `descriptor` is the number before it and where that begins.
pub(super) fn next_operator(
    cursor: &mut Cursor<'_>,
    descriptor: Option<(u8, usize)>,
) -> Result<Token, ShellRefusal> {
    let start = descriptor.map_or(cursor.at, |(_, start)| start);
    let input = descriptor.map_or(0, |(number, _)| number);
    let output = descriptor.map_or(1, |(number, _)| number);
    let found = OPERATORS.iter().find(|(text, _)| cursor.eat(text));
    let Some((_, meaning)) = found else {
        return Err(cursor.refuse(ShellRule::P1, "operator", "this operator is not known"));
    };
    let span = Span::new(start, cursor.at);
    let redirect = match *meaning {
        Meaning::Join(join) => return Ok(Token::Join(join, span)),
        Meaning::Refused(rule, construct, why) => {
            return Err(ShellRefusal::new(rule, construct, span, why));
        }
        Meaning::Read => RedirectOperator::Read(input),
        Meaning::CopyInput => RedirectOperator::Copy(input),
        Meaning::Write => RedirectOperator::Write(output),
        Meaning::Append => RedirectOperator::Append(output),
        Meaning::CopyOutput => RedirectOperator::Copy(output),
        Meaning::WriteBoth => RedirectOperator::WriteBoth,
        Meaning::AppendBoth => RedirectOperator::AppendBoth,
    };
    Ok(Token::Redirect(redirect, span))
}

enum Meaning {
    Join(Join),
    Read,
    CopyInput,
    Write,
    Append,
    CopyOutput,
    WriteBoth,
    AppendBoth,
    Refused(ShellRule, &'static str, &'static str),
}

use Meaning::Refused;
use ShellRule::{P1, P2, P5};

const HERE: &str = "text for standard input belongs in a file that is named with `<`";
const SUBSTITUTION: &str = "a second command would run and its output be a file name";
const PARENTHESIS: &str =
    "subshells, functions and arrays are outside the subset; put it in quotes";
const CASE: &str = "one `;` separates two commands";

// Longest first, so that the first that fits is the one `bash` reads.
const OPERATORS: &[(&str, Meaning)] = &[
    ("&>>", Meaning::AppendBoth),
    ("<<<", Refused(P1, "here-string", HERE)),
    ("<<-", Refused(P1, "here-document", HERE)),
    (";;&", Refused(P1, "empty command", CASE)),
    ("&&", Meaning::Join(Join::And)),
    ("||", Meaning::Join(Join::Or)),
    ("|&", Refused(P1, "`|&`", "write `2>&1 |` instead")),
    (";;", Refused(P1, "empty command", CASE)),
    (";&", Refused(P1, "empty command", CASE)),
    ("&>", Meaning::WriteBoth),
    (">>", Meaning::Append),
    (">&", Meaning::CopyOutput),
    ("<&", Meaning::CopyInput),
    (">|", Refused(P5, "`>|`", "write `>` instead")),
    ("<>", Refused(P5, "`<>`", "a file is opened to be read or to be written, not for both")),
    ("<<", Refused(P1, "here-document", HERE)),
    ("<(", Refused(P2, "process substitution", SUBSTITUTION)),
    (">(", Refused(P2, "process substitution", SUBSTITUTION)),
    ("((", Refused(P1, "arithmetic", PARENTHESIS)),
    (";", Meaning::Join(Join::Then)),
    ("|", Meaning::Join(Join::Pipe)),
    ("<", Meaning::Read),
    (">", Meaning::Write),
    ("&", Refused(P1, "background", "a command in the background outlives its deadline")),
    ("(", Refused(P1, "parenthesis", PARENTHESIS)),
    (")", Refused(P1, "parenthesis", PARENTHESIS)),
];
