//! What can go wrong at a step, as values and as text.
//!
//! In: a fault and the number of a step. Out: one word such as `kill@12`, and back, so that a
//! failing point can be run again by hand. Never does anything; the disk in `faulty` does.

use anyhow::{Context, bail};
use rustix::io::Errno;
use std::fmt;
use std::str::FromStr;

/// What the user writes while a transaction runs; these bytes must survive it.
pub(crate) const USER_BYTES: &[u8] = b"the user's own words, written meanwhile\n";

/// One fault, at one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Planned {
    /// The step, counted from 1.
    pub(crate) at: usize,
    /// What happens there.
    pub(crate) fault: Fault,
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The process ends before the step.
    Kill,
    /// The process ends inside a write, after this many eighths of it.
    Torn(usize),
    /// The step fails once.
    Refuse(Errno),
    /// From this step on there is no space left.
    Full,
    /// The write takes only some of its bytes.
    Short,
    /// The process says so and waits to be ended.
    Hold,
    /// Another process does something to a file of the tree just before the step.
    Meanwhile(Deed, String),
}

/// What another process does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Writes into it, or makes it.
    InPlace,
    /// Puts another file in its place, as editors do.
    Replace,
    /// Removes it.
    Remove,
}

const ERRORS: &[(&str, Errno)] = &[
    ("enospc", Errno::NOSPC),
    ("eio", Errno::IO),
    ("eacces", Errno::ACCESS),
    ("eintr", Errno::INTR),
];

const DEEDS: &[(&str, Deed)] =
    &[("in-place", Deed::InPlace), ("replace", Deed::Replace), ("remove", Deed::Remove)];

impl Planned {
    /// Plans a fault.
    pub(crate) fn new(fault: Fault, at: usize) -> Self {
        Self { at, fault }
    }
}

/// Reads faults with commas between them; nothing means none.
pub(crate) fn read_all(text: &str) -> anyhow::Result<Vec<Planned>> {
    text.split(',').filter(|word| !word.is_empty()).map(str::parse).collect()
}

/// Writes faults with commas between them.
pub(crate) fn write_all(faults: &[Planned]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

impl fmt::Display for Planned {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            Fault::Kill => write!(out, "kill@{}", self.at),
            Fault::Torn(eighths) => write!(out, "torn{eighths}@{}", self.at),
            Fault::Full => write!(out, "full@{}", self.at),
            Fault::Short => write!(out, "short@{}", self.at),
            Fault::Hold => write!(out, "hold@{}", self.at),
            Fault::Refuse(errno) => {
                let name = ERRORS.iter().find(|(_, known)| known == errno);
                write!(out, "{}@{}", name.map_or("eio", |(name, _)| name), self.at)
            }
            Fault::Meanwhile(deed, path) => {
                let name = DEEDS.iter().find(|(_, known)| known == deed);
                write!(out, "{}:{path}@{}", name.map_or("in-place", |(name, _)| name), self.at)
            }
        }
    }
}

impl FromStr for Planned {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let (word, at) = text.rsplit_once('@').context("a fault is written NAME@STEP")?;
        let at = at.parse().with_context(|| format!("{at} is no step"))?;
        let fault = match word {
            "kill" => Fault::Kill,
            "torn1" => Fault::Torn(1),
            "torn4" => Fault::Torn(4),
            "torn7" => Fault::Torn(7),
            "full" => Fault::Full,
            "short" => Fault::Short,
            "hold" => Fault::Hold,
            _ => named(word)?,
        };
        Ok(Self { at, fault })
    }
}

fn named(word: &str) -> anyhow::Result<Fault> {
    if let Some((_, errno)) = ERRORS.iter().find(|(name, _)| *name == word) {
        return Ok(Fault::Refuse(*errno));
    }
    if let Some((name, path)) = word.split_once(':')
        && let Some((_, deed)) = DEEDS.iter().find(|(known, _)| *known == name)
    {
        return Ok(Fault::Meanwhile(*deed, path.to_owned()));
    }
    bail!("no such fault: {word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_survives_its_text_form() {
        let text = "kill@1,torn7@2,eio@3,enospc@4,eacces@5,eintr@6,full@7,short@8,hold@9,\
                    in-place:src/a.txt@10,replace:b@11,remove:c@12";
        let faults = read_all(text).unwrap();
        assert_eq!(write_all(&faults), text);
        assert_eq!(read_all("").unwrap(), []);
        for wrong in ["kill", "kill@x", "burn@3", "in-place@3"] {
            assert!(read_all(wrong).is_err(), "{wrong}");
        }
    }
}
