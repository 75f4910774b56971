//! The flags after a command's name.
//!
//! In: the remaining arguments. Out: values by name. Never guesses: a flag that a command did not
//! ask for is an error when the command calls `finish`.

use anyhow::{Context, bail};
use std::str::FromStr;

/// The arguments of one command, each used at most once.
pub struct Flags {
    left: Vec<String>,
}

impl Flags {
    /// Takes the arguments that follow the command's name.
    pub fn new(arguments: impl Iterator<Item = String>) -> Self {
        Self { left: arguments.collect() }
    }

    /// Returns whether the switch was given.
    pub fn switch(&mut self, name: &str) -> bool {
        let left = &mut self.left;
        let at = left.iter().position(|argument| argument == name);
        at.map(|at| left.remove(at)).is_some()
    }

    /// Returns the value of `name VALUE` or `name=VALUE`, if given.
    pub fn value<T: FromStr>(&mut self, name: &str) -> anyhow::Result<Option<T>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match text.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => bail!("{name} cannot be read: {text}"),
        }
    }

    /// Takes everything that is left, to hand it on.
    pub fn rest(&mut self) -> Vec<String> {
        std::mem::take(&mut self.left)
    }

    /// Fails when an argument was not asked for.
    pub fn finish(&self) -> anyhow::Result<()> {
        match self.left.first() {
            Some(argument) => bail!("unknown argument: {argument}"),
            None => Ok(()),
        }
    }

    fn text(&mut self, name: &str) -> anyhow::Result<Option<String>> {
        let left = &mut self.left;
        let joined = format!("{name}=");
        if let Some(at) = left.iter().position(|argument| argument.starts_with(&joined)) {
            return Ok(Some(left.remove(at)[joined.len()..].to_owned()));
        }
        let Some(at) = left.iter().position(|argument| argument == name) else { return Ok(None) };
        left.remove(at);
        let missing = || format!("{name} needs a value");
        Ok(Some((at < left.len()).then(|| left.remove(at)).with_context(missing)?))
    }
}
