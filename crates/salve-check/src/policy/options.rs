//! Flags and operands: how the programs on the list read their words.
//!
//! In: the table of a program and its words. Out: each word's meaning, with long options completed
//! and bundles taken apart, or an objection to a flag that is not in the table. Never guesses: what
//! the table does not hold is asked about.

use super::objection::{Objection, Rule};
use std::collections::HashMap;
use std::sync::OnceLock;

/// What a flag means for the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Harmless, without a value.
    Switch,
    /// Harmless, with a value that is no path.
    Text,
    /// The same, and the value may begin with a dash.
    Pattern,
    /// Harmless; a value only when it is attached.
    OptionalText,
    /// Its value is a file that is read.
    Read,
    /// Its value is a file or folder that is written.
    Write,
    /// Its value is judged by the rules of its program.
    Own,
    /// The same; a value only when it is attached.
    OptionalOwn,
    /// Needs a person, for this reason.
    Ask(Hazard),
}

/// Why a known flag needs a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hazard {
    Executes,
    Deletes,
    Writes,
    Configures,
    ForeignProject,
    Uploads,
    NeverEnds,
    Network,
    Reads,
    Links,
}

impl Hazard {
    pub(super) const fn why(self) -> &'static str {
        match self {
            Self::Executes => "starts another program or loads code",
            Self::Deletes => "deletes or overwrites what is kept",
            Self::Writes => "writes files of its own choice",
            Self::Configures => "changes settings that this policy cannot see through",
            Self::ForeignProject => "works on another project",
            Self::Uploads => "sends data away",
            Self::NeverEnds => "waits, follows or repeats without an end",
            Self::Network => "changes whom is spoken to, or how that is checked",
            Self::Reads => "reads more than the files that are named",
            Self::Links => "follows or makes links, which can lead out of the workspace",
        }
    }

    /// Tells whether an entry of the list can agree to it.
    pub(super) const fn can_be_listed(self) -> bool {
        matches!(self, Self::NeverEnds | Self::Writes | Self::Reads | Self::Network)
    }
}

/// How a program reads flags.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// A long option may be cut short.
    pub(super) abbreviates: bool,
    /// `--flag=value` is understood.
    pub(super) equals: bool,
    /// `-20` is a number of lines.
    pub(super) numbers: bool,
    /// Flags may follow operands.
    pub(super) permutes: bool,
}

impl Style {
    /// As `getopt_long` reads.
    pub(super) const GNU: Self =
        Self { abbreviates: true, equals: true, numbers: false, permutes: true };
    /// The same with `-20`.
    pub(super) const GNU_NUMBERS: Self = Self { numbers: true, ..Self::GNU };
    /// Long options in full only.
    pub(super) const EXACT: Self = Self { abbreviates: false, ..Self::GNU };
    /// Everything after the first operand belongs to another program.
    pub(super) const LEADING: Self = Self { permutes: false, ..Self::EXACT };
}

/// The closed table of a program's flags. A row is a meaning and the flags that have it, separated
/// by blanks; a flag may be written with its whole value (`--watch=false`).
#[derive(Debug)]
pub(super) struct Table {
    rows: &'static [(Meaning, &'static str)],
    index: OnceLock<HashMap<&'static str, Meaning>>,
}

impl Table {
    pub(super) const fn new(rows: &'static [(Meaning, &'static str)]) -> Self {
        Self { rows, index: OnceLock::new() }
    }

    fn index(&self) -> &HashMap<&'static str, Meaning> {
        self.index.get_or_init(|| {
            let flags = self.rows.iter().flat_map(|(meaning, flags)| {
                flags.split_ascii_whitespace().map(move |flag| (flag, *meaning))
            });
            flags.collect()
        })
    }

    /// Looks a flag up as it is written.
    pub(super) fn find(&self, flag: &str) -> Option<(&'static str, Meaning)> {
        self.index().get_key_value(flag).map(|(name, meaning)| (*name, *meaning))
    }

    /// Looks up a long option that may be cut short; several that fit count as none.
    fn complete(&self, start: &str) -> Option<(&'static str, Meaning)> {
        let mut fitting = self.index().iter().filter(|(name, _)| name.starts_with(start));
        let (name, meaning) = fitting.next()?;
        fitting.next().is_none().then_some((*name, *meaning))
    }

    #[cfg(test)]
    pub(super) fn rows(&self) -> &'static [(Meaning, &'static str)] {
        self.rows
    }
}

/// A word, understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item<'a> {
    Flag {
        /// The flag as the table writes it.
        name: &'static str,
        meaning: Meaning,
        value: Option<&'a str>,
        /// The index of the last word it takes.
        at: usize,
    },
    Operand {
        text: &'a str,
        at: usize,
        /// Whether `--` is before it.
        after_dashes: bool,
    },
}

/// Reads the words from `start` on. Flags among the first `agreed` words are not asked about,
/// because a person has put them on the list word for word.
pub(super) fn read_words<'a>(
    table: &Table,
    style: Style,
    words: &'a [String],
    start: usize,
    agreed: usize,
) -> Result<Vec<Item<'a>>, Objection> {
    let mut reader = Reader { table, style, words, next: start, agreed, items: Vec::new() };
    reader.read()?;
    Ok(reader.items)
}

struct Reader<'a, 't> {
    table: &'t Table,
    style: Style,
    words: &'a [String],
    next: usize,
    agreed: usize,
    items: Vec<Item<'a>>,
}

impl<'a> Reader<'a, '_> {
    fn read(&mut self) -> Result<(), Objection> {
        let mut only_operands = false;
        while let Some(word) = self.words.get(self.next) {
            let word = word.as_str();
            let at = self.next;
            self.next += 1;
            if only_operands || word == "-" || !word.starts_with('-') {
                self.items.push(Item::Operand { text: word, at, after_dashes: only_operands });
                only_operands |= !self.style.permutes;
            } else if word == "--" {
                only_operands = true;
            } else if let Some((name, meaning)) = self.table.find(word) {
                self.flag(name, meaning, None, at)?;
            } else if word.starts_with("--") {
                self.long(word, at)?;
            } else {
                self.bundle(word, at)?;
            }
        }
        Ok(())
    }

    fn long(&mut self, word: &'a str, at: usize) -> Result<(), Objection> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if self.style.equals => (name, Some(value)),
            _ => (word, None),
        };
        let exact = self.table.find(name);
        let found = exact.or_else(|| self.style.abbreviates.then(|| self.table.complete(name))?);
        match found {
            Some((name, meaning)) => self.flag(name, meaning, value, at),
            None => self.unknown(name, at),
        }
    }

    fn bundle(&mut self, word: &'a str, at: usize) -> Result<(), Objection> {
        for (offset, letter) in word.char_indices().skip(1) {
            if self.style.numbers && letter.is_ascii_digit() {
                continue;
            }
            let mut buffer = [0; 5];
            buffer[0] = b'-';
            let length = 1 + letter.encode_utf8(&mut buffer[1..]).len();
            let flag = std::str::from_utf8(&buffer[..length]).unwrap_or_default();
            let Some((name, meaning)) = self.table.find(flag) else {
                return self.unknown(word, at);
            };
            let rest = &word[offset + letter.len_utf8()..];
            match meaning {
                Meaning::Switch | Meaning::Ask(_) => self.flag(name, meaning, None, at)?,
                _ => {
                    let value = (!rest.is_empty()).then_some(rest);
                    return self.flag(name, meaning, value, at);
                }
            }
        }
        Ok(())
    }

    fn flag(
        &mut self,
        name: &'static str,
        meaning: Meaning,
        attached: Option<&'a str>,
        at: usize,
    ) -> Result<(), Objection> {
        let takes = match meaning {
            Meaning::Switch if attached.is_some() => {
                return self.unknown(&format!("{name}=…"), at);
            }
            Meaning::Switch | Meaning::OptionalText | Meaning::OptionalOwn => attached,
            Meaning::Ask(hazard) => {
                if at < self.agreed && hazard.can_be_listed() {
                    return Ok(());
                }
                let why = format!("`{name}` {}", hazard.why());
                return Err(match hazard.can_be_listed() {
                    true => Objection::unless_listed(Rule::Flag, at + 1, why),
                    false => Objection::never(Rule::Flag, why),
                });
            }
            _ => match attached {
                Some(value) => Some(value),
                None => Some(self.separate_value(name, meaning)?),
            },
        };
        self.items.push(Item::Flag { name, meaning, value: takes, at: self.next - 1 });
        Ok(())
    }

    fn separate_value(&mut self, name: &str, meaning: Meaning) -> Result<&'a str, Objection> {
        let Some(value) = self.words.get(self.next) else {
            return Err(Objection::never(Rule::Argument, format!("`{name}` lacks its value")));
        };
        let looks_like_a_flag = value
            .strip_prefix('-')
            .is_some_and(|rest| rest.bytes().any(|byte| !byte.is_ascii_digit()));
        if looks_like_a_flag && meaning != Meaning::Pattern {
            let why = format!("the value of `{name}` looks like a flag; attach it with `=`");
            return Err(Objection::never(Rule::Argument, why));
        }
        self.next += 1;
        Ok(value)
    }

    fn unknown(&mut self, flag: &str, at: usize) -> Result<(), Objection> {
        if at < self.agreed {
            return Ok(());
        }
        let program = self.words.first().map_or("", String::as_str);
        let why = format!("`{}` is not in the table of `{program}`", flag.escape_debug());
        Err(Objection::unless_listed(Rule::UnknownFlag, at + 1, why))
    }
}
