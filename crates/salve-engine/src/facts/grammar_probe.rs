//! The grammars and the reader of omissions as the verifier sees them.
//!
//! In: a path and a text. Out: the answers of salve-syntax and salve-text in the words of salve-tree. Never: an
//! opinion where no grammar reads the language.

use salve_syntax::{check_syntax, parse_nodes};
use salve_text::{LanguageHints, Omission, OmissionKind, detect_language, list_omissions};
use salve_tree::{OmissionLine, ProbeNode, StandsFor, SyntaxProbe};
use salve_types::Language;

/// Answers for every language that has a grammar.
#[derive(Debug, Clone, Copy, Default)]
pub struct GrammarProbe;

impl SyntaxProbe for GrammarProbe {
    fn errors(&self, path: &str, text: &str) -> Option<usize> {
        let report = check_syntax(text, language_of(path, text))?;
        report.unread.is_none().then_some(report.errors + report.missing)
    }

    fn nodes(&self, path: &str, text: &str) -> Option<Vec<ProbeNode>> {
        let tree = parse_nodes(text, language_of(path, text))?;
        let mut depths: Vec<u32> = Vec::with_capacity(tree.nodes().len());
        let nodes = tree.nodes().iter().map(|node| {
            let depth = node.parent.and_then(|parent| depths.get(parent)).map_or(0, |up| up + 1);
            depths.push(depth);
            let kind = tree.kind(node).to_owned();
            ProbeNode { kind, span: node.span, depth, named: node.is_named }
        });
        Some(nodes.collect())
    }

    fn omissions(&self, path: &str, text: &str) -> Vec<OmissionLine> {
        let line = |omission: Omission| OmissionLine {
            line: omission.line,
            stands_for: match omission.kind {
                OmissionKind::Kept => StandsFor::KeptCode,
                OmissionKind::MaybeKept => StandsFor::MaybeKeptCode,
                OmissionKind::Removed => StandsFor::RemovedCode,
            },
        };
        list_omissions(text, language_of(path, text)).into_iter().map(line).collect()
    }
}

fn language_of(path: &str, text: &str) -> Language {
    detect_language(text, &LanguageHints { path: Some(path), ..LanguageHints::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_where_there_is_a_grammar_and_only_there() {
        for (path, text, expected) in [
            ("a.rs", "fn main() {}\n", Some(0)),
            ("a.txt", "fn main( {\n", None),
            ("a.json", "{\"a\": 1}\n", Some(0)),
        ] {
            assert_eq!(GrammarProbe.errors(path, text), expected, "{path}");
        }
        assert!(GrammarProbe.errors("a.rs", "fn main( {\n").is_some_and(|errors| errors > 0));
    }

    #[test]
    fn nodes_come_with_their_depth() {
        let nodes = GrammarProbe.nodes("a.py", "def f():\n    return 1\n").unwrap();
        let function = nodes.iter().find(|node| node.kind == "function_definition").unwrap();
        assert_eq!((function.depth, function.named, function.span.start), (1, true, 0));
    }
}
