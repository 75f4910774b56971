//! What verification asks of a grammar, without knowing one.
//!
//! In: a path and a text. Out: how many errors the grammar sees, the nodes of its tree, and the lines
//! that stand for code. Never: an implementation; the adapter is in salve-engine.

use salve_types::Span;

/// A grammar's answers about a text.
pub trait SyntaxProbe {
    /// Counts the places the grammar does not accept; `None` where it has no opinion.
    fn errors(&self, path: &str, text: &str) -> Option<usize>;

    /// Lists the nodes of the tree in document order, parents before children; `None` where there
    /// is no grammar or the text costs too much.
    fn nodes(&self, path: &str, text: &str) -> Option<Vec<ProbeNode>>;

    /// Lists the lines on which a comment stands for code that was left out, such as
    /// "... existing code ..."; without a reader of comments there are none.
    fn omissions(&self, _path: &str, _text: &str) -> Vec<OmissionLine> {
        Vec::new()
    }
}

/// A line that stands for code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OmissionLine {
    /// Its number, from 1.
    pub line: usize,
    /// What it stands for.
    pub stands_for: StandsFor,
}

/// What a comment stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandsFor {
    /// Code of the old file that stays; the words have no other meaning.
    KeptCode,
    /// The same, if the text leaves code out; elsewhere it is a comment like others.
    MaybeKeptCode,
    /// Code of the old file that goes.
    RemovedCode,
}

/// One node of a grammar's tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeNode {
    /// The grammar's name of the node.
    pub kind: String,
    /// Its bytes in the text.
    pub span: Span,
    /// Its depth; the root has none.
    pub depth: u32,
    /// Whether the grammar names it (and not only its punctuation).
    pub named: bool,
}

/// The absence of a grammar.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProbe;

impl SyntaxProbe for NoProbe {
    fn errors(&self, _path: &str, _text: &str) -> Option<usize> {
        None
    }

    fn nodes(&self, _path: &str, _text: &str) -> Option<Vec<ProbeNode>> {
        None
    }
}
