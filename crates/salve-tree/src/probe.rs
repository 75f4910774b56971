//! What verification asks of a grammar, without knowing one.
//!
//! In: a path and a text. Out: how many errors the grammar sees and the nodes of its tree. Never:
//! an implementation; the adapter to the grammars lives where the stages meet.

use salve_types::Span;

/// A grammar's answers about a text.
pub trait SyntaxProbe {
    /// Counts the places the grammar does not accept; `None` where it has no opinion.
    fn errors(&self, path: &str, text: &str) -> Option<usize>;

    /// Lists the nodes of the tree in document order, parents before children; `None` where there
    /// is no grammar or the text costs too much.
    fn nodes(&self, path: &str, text: &str) -> Option<Vec<ProbeNode>>;

    /// Lists the 1-based lines on which a comment stands for code that was left out
    /// ("... existing code ..."); none where nobody can say.
    fn omissions(&self, _path: &str, _text: &str) -> Vec<usize> {
        Vec::new()
    }
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
