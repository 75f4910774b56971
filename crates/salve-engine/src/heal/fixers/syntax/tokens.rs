//! The tokens of a file, as its grammar cuts them even where it does not accept them.
//!
//! In: a file. Out: its tokens in order; a string or a comment is one token, whatever is in it.

use super::super::view::SourceFile;
use salve_types::Span;

/// One token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) span: Span,
    /// Whether it is a word: a name or keyword.
    pub(super) is_word: bool,
    pub(super) is_comment: bool,
}

/// Lists the tokens of a file whose language has a grammar.
pub(super) fn tokens(file: &SourceFile) -> Option<Vec<Token>> {
    let tree = file.tree()?;
    let nodes = tree.nodes();
    let mut found: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(node) = nodes.get(at) {
        let kind = tree.kind(node);
        let is_comment = kind.ends_with("comment");
        let is_text = (kind.contains("string") && !kind.starts_with("concatenated"))
            || kind == "char_literal"
            || kind == "character";
        let is_leaf = node.end_index == at + 1;
        if is_comment || (is_text && node.is_named) || is_leaf {
            let after = found.last().map_or(0, |last| last.span.end);
            // Line breaks are tokens in some grammars.
            let text = file.text().get(node.span.range()).unwrap_or_default();
            if node.span.start >= after && !text.trim().is_empty() {
                let is_word =
                    is_leaf && text.starts_with(|one: char| one.is_alphabetic() || one == '_');
                let span = Span::new(node.span.start, node.span.start + text.trim_end().len());
                found.push(Token { span, is_word, is_comment });
            }
            at = node.end_index;
        } else {
            at += 1;
        }
    }
    Some(found)
}

/// Returns the index of the first token that ends after `offset`.
pub(super) fn token_at(tokens: &[Token], offset: usize) -> usize {
    tokens.partition_point(|token| token.span.end <= offset)
}
