//! Parse: from a text that should be JSON to a tree, and what had to be repaired.
//!
//! In: text, whole or in pieces, strict JSON or something like it. Out: a tree whose values say how
//! sure they are, the repairs with their byte spans, and every value found on the way. Never fails,
//! never invents a string, and takes time linear in the text however it is cut into pieces.

mod again;
mod bare;
mod block;
mod call;
mod container;
mod decode;
mod doubt;
mod escape;
mod layout;
mod losses;
mod machine;
mod number;
mod odd_key;
mod outlook;
mod patch;
mod paths;
mod quote;
mod repair;
mod repeat;
mod reply;
mod report;
mod strict;
mod string;
mod string_end;
mod structure;
#[cfg(test)]
mod tests;
mod top;
mod tree;
mod trial;
mod view;

pub use repair::{Repair, RepairCode, replay};
pub use reply::{ParsedReply, parse};
pub use tree::{Entries, Items, Kind, NodeId, NodeState, Tree};
pub use view::ValueView;

use machine::Machine;
use salve_types::Span;

/// How many repairs [`Parsed::first_repairs`] lists.
pub const MOST_REPAIRS: usize = 1_000;

/// Whose reading applies where the world disagrees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ParseMode {
    /// Find the JSON in a model's reply and drop the talk around it.
    #[default]
    Llm,
    /// The whole text is one document.
    Text,
}

/// What is known about a text before it is parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseOptions {
    /// Which reading applies where the two worlds disagree.
    pub mode: ParseMode,
    /// How deep brackets may nest; what is deeper becomes null, and is reported.
    pub max_depth: usize,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self { mode: ParseMode::Llm, max_depth: 512 }
    }
}

/// A value found in the text, whether or not it became part of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// Its value in the tree.
    pub node: NodeId,
    /// Its bytes in the text.
    pub span: Span,
    /// Whether it is in a code fence.
    pub fenced: bool,
}

/// What a text was read as.
#[must_use]
#[derive(Debug)]
pub struct Parsed {
    /// The tree; its root is the answer.
    pub tree: Tree,
    /// Whether there is an answer, and the text holds all of it. Repaired is not complete: a value
    /// that was closed or filled in makes the whole incomplete.
    pub complete: bool,
    found: Vec<machine::Found>,
    unread: usize,
    // Values in whose place another one of the same key was.
    winners: Vec<u32>,
}

impl Parsed {
    /// Lists the repairs that make the text strict JSON, in order.
    ///
    /// Hostile text needs about as many as it has bytes: who only shows them asks for
    /// [`Parsed::first_repairs`].
    pub fn repairs(&self) -> Vec<Repair> {
        self.listed(usize::MAX).0
    }

    /// Lists the first of the repairs, as many as anybody reads, and says how many more there are.
    pub fn first_repairs(&self) -> (Vec<Repair>, usize) {
        self.listed(MOST_REPAIRS)
    }

    fn listed(&self, most: usize) -> (Vec<Repair>, usize) {
        let (mut repairs, more) = report::repairs(&self.tree, &self.found, most);
        if self.unread > 0 {
            let end = self.tree.source().len();
            let (before, after) = (String::new(), String::new());
            let span = Span::new(end, end);
            repairs.push(Repair { code: RepairCode::InputLimit, span, before, after });
        }
        (repairs, more)
    }

    /// Lists the places of values whose end is not in the text, such as `$.files[2]`, and of values that
    /// came twice.
    pub fn incomplete_paths(&self) -> Vec<String> {
        paths::incomplete_paths(&self.tree, &self.winners)
    }

    /// Gives every value found, in the order of the text. They are not kept as a list: a hostile text
    /// has one for every other byte.
    pub fn candidates(&self) -> impl ExactSizeIterator<Item = Candidate> + '_ {
        self.found.iter().map(|found| self.candidate(found))
    }

    /// Returns the last value that begins at a byte or before it.
    pub(crate) fn candidate_before(&self, at: usize) -> Option<Candidate> {
        let after = self.found.partition_point(|found| found.start as usize <= at);
        self.found.get(after.checked_sub(1)?).map(|found| self.candidate(found))
    }

    fn candidate(&self, found: &machine::Found) -> Candidate {
        Candidate {
            node: self.tree.resolve(found.node),
            span: Span::new(found.start as usize, found.end as usize),
            fenced: found.fenced,
        }
    }

    /// Returns the bytes that the answer was read from, a pair of parentheses around it included.
    pub(crate) fn answer_span(&self) -> Option<Span> {
        let (first, last) = (self.tree.selected.first()?, self.tree.selected.last()?);
        let start = self.found.iter().find(|found| found.node == *first)?.start;
        let end = self.found.iter().rfind(|found| found.node == *last)?.end;
        Some(Span::new(start as usize, end as usize))
    }

    /// Returns whether a value is not in the answer because its key came again.
    pub fn has_lost_values(&self) -> bool {
        !self.winners.is_empty()
    }

    /// Shows the value of the answer without building it, to be written.
    pub fn view(&self) -> ValueView<'_> {
        self.tree.view()
    }

    /// Builds the value of the answer; null where there is none.
    pub fn value(&self) -> serde_json::Value {
        self.tree.root().map_or(serde_json::Value::Null, |root| self.tree.to_value(root))
    }
}

/// Reads a whole text.
pub fn parse_json(text: &str, options: &ParseOptions) -> Parsed {
    let mut parser = JsonParser::new(options);
    parser.push(text);
    parser.finish()
}

/// Reads a text that comes in pieces.
#[derive(Debug)]
pub struct JsonParser {
    machine: Machine,
    options: ParseOptions,
    // Positions are 32 bits wide; what is longer is not read, and said so.
    limit: usize,
    unread: usize,
}

impl JsonParser {
    /// Makes a parser that has seen nothing yet.
    pub fn new(options: &ParseOptions) -> Self {
        let machine = Machine::new(options.mode, options.max_depth.max(1));
        let options = options.clone();
        Self { machine, options, limit: u32::MAX as usize - 2, unread: 0 }
    }

    /// Takes the next piece.
    pub fn push(&mut self, piece: &str) {
        self.machine.undo_trial();
        let room = self.limit.saturating_sub(self.machine.tree.source.len());
        // What comes after a part that was left out would not follow what was read.
        let mut taken = if self.unread == 0 { piece.len().min(room) } else { 0 };
        while !piece.is_char_boundary(taken) {
            taken -= 1;
        }
        self.unread += piece.len() - taken;
        self.machine.tree.source.push_str(&piece[..taken]);
        self.machine.run();
    }

    /// Shows the tree as if the text ended here. Costs the depth of the value, not its length.
    pub fn snapshot(&mut self) -> &Tree {
        self.machine.start_trial();
        &self.machine.tree
    }

    /// Ends the text. Where it has faults, the reading with the least repairs is chosen, which may be
    /// another one than the last snapshot showed.
    pub fn finish(self) -> Parsed {
        let options = self.options.clone();
        again::least_cost(self.first_reading(), &options)
    }

    // What the text was read as while it came.
    fn first_reading(mut self) -> Parsed {
        self.machine.undo_trial();
        self.machine.last = true;
        self.machine.run();
        let Machine { tree, found, .. } = self.machine;
        let winners = losses::winners(&tree);
        let complete = tree.is_complete() && self.unread == 0 && winners.is_empty();
        Parsed { tree, complete, found, unread: self.unread, winners }
    }
}
