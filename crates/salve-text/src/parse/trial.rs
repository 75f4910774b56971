//! Looks at the value of a prefix and goes back.
//!
//! In: a machine that is somewhere in a text. Out: its tree as if the text ended here, and the
//! machine as it was when more text comes. Costs the depth of the stack and the undecided tail,
//! never the length of the text.

use super::machine::{Found, Frame, Machine, State, Token};
use super::repair::Edit;
use super::top::TopState;
use super::tree::Node;

/// What is needed to go back.
#[derive(Debug)]
pub(super) struct Trial {
    pos: usize,
    state: State,
    token: Option<Token>,
    stack: Vec<Frame>,
    open: [u32; 4],
    found: usize,
    closed_list: u32,
    begun: (usize, usize, usize),
    top: TopState,
    nodes: usize,
    edits: usize,
    selected: usize,
    /// Nodes from before that were changed, with what they were.
    changed_nodes: Vec<(u32, Node)>,
    /// The edits from some place on, as they were, once one of them was changed.
    changed_edits: Option<(usize, Vec<Edit>)>,
    /// The selection as it was, once it was replaced.
    pub(super) replaced_selection: Option<Vec<u32>>,
    /// The values found, once they were read again.
    pub(super) replaced_found: Option<Vec<Found>>,
    suspect: Option<usize>,
    by_layout: bool,
    laid: usize,
}

impl Machine {
    /// Reads on as if the text ended here. `undo_trial` must follow before more text comes.
    pub(super) fn start_trial(&mut self) {
        self.undo_trial();
        self.trial = Some(Box::new(Trial {
            pos: self.pos,
            state: self.state,
            token: self.token,
            stack: self.stack.clone(),
            open: self.open,
            found: self.found.len(),
            closed_list: self.closed_list,
            begun: self.begun,
            top: self.top,
            nodes: self.tree.nodes.len(),
            edits: self.tree.edits.len(),
            selected: self.tree.selected.len(),
            changed_nodes: Vec::new(),
            changed_edits: None,
            replaced_selection: None,
            replaced_found: None,
            suspect: self.suspect,
            by_layout: self.by_layout,
            laid: self.laid,
        }));
        self.last = true;
        self.run();
    }

    /// Goes back to where the trial began.
    pub(super) fn undo_trial(&mut self) {
        let Some(trial) = self.trial.take() else { return };
        self.last = false;
        self.pos = trial.pos;
        self.state = trial.state;
        self.token = trial.token;
        self.stack = trial.stack;
        self.open = trial.open;
        if let Some(found) = trial.replaced_found {
            self.found = found;
        }
        self.found.truncate(trial.found);
        (self.suspect, self.by_layout, self.laid) = (trial.suspect, trial.by_layout, trial.laid);
        self.closed_list = trial.closed_list;
        self.begun = trial.begun;
        self.top = trial.top;
        self.tree.nodes.truncate(trial.nodes);
        // The first note of a node is the oldest, so notes are undone from the last to the first.
        for (index, node) in trial.changed_nodes.into_iter().rev() {
            if let Some(place) = self.tree.nodes.get_mut(index as usize) {
                *place = node;
            }
        }
        if let Some((from, edits)) = trial.changed_edits {
            self.tree.edits.truncate(from);
            self.tree.edits.extend(edits);
        }
        self.tree.edits.truncate(trial.edits);
        if let Some(selection) = trial.replaced_selection {
            self.tree.selected = selection;
        }
        self.tree.selected.truncate(trial.selected);
    }

    /// Notes a node that a trial is about to change.
    pub(super) fn remember_node(&mut self, index: u32) {
        let Some(trial) = &mut self.trial else { return };
        let known = (index as usize) < trial.nodes;
        if let Some(node) = self.tree.nodes.get(index as usize).filter(|_| known) {
            trial.changed_nodes.push((index, *node));
        }
    }

    /// Notes the edits that a trial is about to change, from index `from` on.
    pub(super) fn remember_edits(&mut self, from: usize) {
        let Some(trial) = &mut self.trial else { return };
        let known = trial.changed_edits.as_ref().map_or(trial.edits, |(known, _)| *known);
        if from >= known {
            return;
        }
        // Below `known` nothing has been changed yet, so the places still agree.
        let mut saved: Vec<Edit> = self.tree.edits[from..known].to_vec();
        if let Some((_, later)) = trial.changed_edits.take() {
            saved.extend(later);
        }
        trial.changed_edits = Some((from, saved));
    }
}
