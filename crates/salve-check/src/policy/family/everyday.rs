//! The programs of the profile `everyday`: what developers type all day and what only looks or builds.
//!
//! In: the words of a command. Out: nothing, or an objection. Never lets a flag through that is not
//! in the program's table: what starts another program, reads a secret or writes elsewhere is asked.

mod build;
mod formatters;
mod node;
mod python;
mod reports;
mod repository;
mod scripts;
mod text;

use super::{Family, Starts};
use crate::RiskClass;
use crate::policy::context::{Context, Judged, operands, own_values};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::{Item, Style, Table};

/// One program of the profile, or one of its subcommands.
pub(super) struct Program {
    /// The words that a command begins with.
    pub(super) words: &'static str,
    pub(super) risk: RiskClass,
    pub(super) starts: Starts,
    pub(super) style: Style,
    pub(super) operands: Operands,
    pub(super) table: Table,
}

/// What the words that are no flags are.
pub(super) enum Operands {
    /// There are none.
    None,
    /// Text that names no file.
    Text,
    /// Files that are read.
    Files,
    /// One file that is read; a second one would be written.
    OneFile,
    /// Words of a program that only that program understands.
    Foreign,
    /// Judged by a rule of their own, with the flags.
    Own(fn(&Context<'_>, &[Item<'_>]) -> Judged),
    /// The whole command is judged by a rule of its own, from the word after its name.
    Whole(fn(&Context<'_>, usize) -> Judged),
}

fn programs() -> impl Iterator<Item = &'static Program> {
    text::PROGRAMS
        .iter()
        .chain(&scripts::PROGRAMS)
        .chain(&repository::PROGRAMS)
        .chain(&node::PROGRAMS)
        .chain(&python::PROGRAMS)
        .chain(&build::PROGRAMS)
        .chain(&formatters::PROGRAMS)
        .chain(&reports::PROGRAMS)
}

/// Lists the entries of the profile.
pub(in crate::policy) fn entries() -> impl Iterator<Item = (&'static str, RiskClass)> {
    programs().map(|program| (program.words, program.risk))
}

/// Returns the entry of the profile that a command begins with, the longest first.
pub(in crate::policy) fn entry(words: &[String]) -> Option<(&'static str, RiskClass)> {
    find(words).map(|program| (program.words, program.risk))
}

/// Returns the rules for a command of the profile.
pub(in crate::policy) fn family(words: &[String]) -> Option<Family> {
    let program = find(words)?;
    let named = program.words.split(' ').count();
    Some(Family { named, judge, starts: program.starts })
}

fn find(words: &[String]) -> Option<&'static Program> {
    let fits = |program: &&Program| {
        let mut own = program.words.split(' ');
        let same = own.by_ref().zip(words).all(|(own, word)| own == word);
        same && program.words.split(' ').count() <= words.len()
    };
    programs().filter(fits).max_by_key(|program| program.words.split(' ').count())
}

fn judge(context: &Context<'_>) -> Judged {
    match find(context.words) {
        Some(program) => program.judge(context, context.named),
        None => Err(Objection::never(Rule::NotListed, "the program has no rules of its own")),
    }
}

impl Program {
    fn judge(&self, context: &Context<'_>, start: usize) -> Judged {
        self.judge_words(context, start)?;
        // Whatever git is asked for, it may refresh its index, and so run what the repository names.
        if self.starts == Starts::Git { super::git::repository(context) } else { Ok(()) }
    }

    fn judge_words(&self, context: &Context<'_>, start: usize) -> Judged {
        if let Operands::Whole(judge) = self.operands {
            return judge(context, start);
        }
        let items = context.items_from(start, &self.table, self.style)?;
        for (_, value, _) in own_values(&items) {
            // The flags that are judged here choose files by a pattern.
            context.no_secret_pattern(value.unwrap_or_default())?;
        }
        let words = || operands(&items).map(|(text, _)| text);
        if let Some(word) = words().find(|word| word.starts_with('@')) {
            let why = format!("`{}` hides arguments in a file", word.escape_debug());
            return Err(Objection::never(Rule::Argument, why));
        }
        match &self.operands {
            Operands::None => match words().next() {
                None => Ok(()),
                Some(word) => {
                    let why =
                        format!("`{}` takes no word such as `{}`", self.words, word.escape_debug());
                    Err(Objection::never(Rule::Argument, why))
                }
            },
            Operands::Text => Ok(()),
            Operands::Files => words().try_for_each(|word| context.read(word)),
            Operands::OneFile => {
                if words().nth(1).is_some() {
                    let why = format!("the second file of `{}` is written", self.words);
                    return Err(Objection::never(Rule::Argument, why));
                }
                words().try_for_each(|word| context.read(word))
            }
            Operands::Foreign => words().try_for_each(|word| context.foreign_word(word)),
            Operands::Own(judge) => judge(context, &items),
            Operands::Whole(_) => Ok(()),
        }
    }
}

#[cfg(test)]
pub(super) fn tables() -> impl Iterator<Item = &'static Table> {
    programs().map(|program| &program.table)
}
