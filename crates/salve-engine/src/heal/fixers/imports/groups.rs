//! The imports of a file, line by line, in the groups that blank lines make of them.
//!
//! In: a file, and a place in it where the question is about an inner module. Out: the statements there.
//! Re-exports are left out, and so is what is imported inside functions.

use super::super::view::SourceFile;
use super::order::Entry;
use salve_syntax::{NodeTree, SyntaxNode};
use salve_types::{Language, Span};

/// Imports without a blank line between them.
pub(super) struct Group<'a> {
    pub(super) lines: Vec<Line<'a>>,
}

/// One import.
pub(super) struct Line<'a> {
    /// The statement, with the attributes above it.
    pub(super) span: Span,
    pub(super) text: &'a str,
    /// What it imports from: `std::cmp::{max, min}`, `os.path`, `./util`, `stdio.h`.
    pub(super) module: String,
}

impl Line<'_> {
    /// Returns what it is ordered by.
    pub(super) fn entry(&self) -> Entry<'_> {
        Entry { text: self.text, module: &self.module }
    }
}

/// Lists the imports of the file, or of the inner module that holds the offset, by their groups.
pub(super) fn groups(file: &SourceFile, offset: usize) -> Vec<Group<'_>> {
    let Some(tree) = file.tree() else { return Vec::new() };
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut above: Option<usize> = None;
    for (_, node) in tree.children(holder(file, tree, offset)) {
        let kind = tree.kind(node);
        if kind == "attribute_item" {
            above = above.or(Some(node.span.start));
            continue;
        }
        let start = above.take().unwrap_or(node.span.start);
        let Some((text, module)) = import(file, tree, node) else { continue };
        let span = Span::new(start, node.span.start + text.len());
        let line = Line { span, text, module };
        let last = groups.last().and_then(|group| group.lines.last());
        let last = last.map(|last| file.line_of(last.span.end));
        match (last, groups.last_mut()) {
            (Some(last), Some(group)) if file.line_of(span.start) <= last + 1 => {
                group.lines.push(line);
            }
            _ => groups.push(Group { lines: vec![line] }),
        }
    }
    groups
}

// The node whose children are the imports: the file, an inner module, or what an include guard holds.
fn holder(file: &SourceFile, tree: &NodeTree, offset: usize) -> usize {
    match file.language() {
        Language::Rust => {
            let holds = |node: &SyntaxNode| {
                tree.kind(node) == "declaration_list"
                    && node.span.start < offset
                    && offset < node.span.end
                    && node.parent.is_some_and(|at| tree.kind(&tree.nodes()[at]) == "mod_item")
            };
            tree.nodes().iter().rposition(holds).unwrap_or(0)
        }
        Language::C | Language::Cpp => guard(file, tree).unwrap_or(0),
        _ => 0,
    }
}

// `#ifndef NAME`, `#define NAME` around everything.
fn guard(file: &SourceFile, tree: &NodeTree) -> Option<usize> {
    let is_code = |node: &SyntaxNode| !tree.kind(node).ends_with("comment");
    let (at, node) = tree.children(0).find(|(_, node)| is_code(node))?;
    if tree.kind(node) != "preproc_ifdef" {
        return None;
    }
    let text = |node: &SyntaxNode| file.text().get(node.span.range()).unwrap_or_default();
    let named: Vec<&SyntaxNode> =
        tree.children(at).map(|(_, child)| child).filter(|child| child.is_named).collect();
    let name = named.iter().find(|child| tree.kind(child) == "identifier")?;
    let defined = named.iter().find(|child| tree.kind(child) == "preproc_def")?;
    text(defined).split_whitespace().nth(1).filter(|word| *word == text(name)).map(|_| at)
}

// The text of an import without the blanks at its end, and its module.
fn import<'a>(
    file: &'a SourceFile,
    tree: &NodeTree,
    node: &SyntaxNode,
) -> Option<(&'a str, String)> {
    let text = file.text().get(node.span.range())?.trim_end();
    let word = |at: usize| text.split_whitespace().nth(at).map(str::to_owned);
    let module = match tree.kind(node) {
        "import_statement" if file.language() == Language::Python => {
            word(1)?.trim_end_matches(',').to_owned()
        }
        "import_from_statement" | "future_import_statement" => word(1)?,
        "use_declaration" if text.starts_with("use") => {
            let path = text.strip_prefix("use")?.trim_end_matches(';').trim();
            path.trim_start_matches("::").to_owned()
        }
        "preproc_include" => header(text)?,
        "import_statement" | "import_declaration" => quoted(text)?,
        "lexical_declaration" | "variable_declaration" if text.contains("= require(") => {
            quoted(text)?
        }
        _ => return None,
    };
    Some((text, module))
}

/// Returns the header of an include: what is between its brackets or quotes.
pub(super) fn header(text: &str) -> Option<String> {
    let rest = text.trim_start_matches('#').trim_start().strip_prefix("include")?.trim_start();
    let end = match rest.chars().next()? {
        '<' => '>',
        '"' => '"',
        _ => return None,
    };
    rest.get(1..)?.split(end).next().map(str::to_owned)
}

// The last text in quotes; all of it where there is none.
fn quoted(text: &str) -> Option<String> {
    let Some(end) = text.rfind(['"', '\'']) else {
        return Some(text.trim_start_matches("import").trim_end_matches(';').trim().to_owned());
    };
    let start = text.get(..end)?.rfind(['"', '\''])?;
    text.get(start + 1..end).map(str::to_owned)
}

/// Returns the place below comments, a docstring, directives and the head of an include guard.
pub(super) fn below_head(file: &SourceFile) -> usize {
    let Some(tree) = file.tree() else { return 0 };
    let holder = holder(file, tree, 0);
    let past_line = |end: usize| {
        let rest = file.text().get(end..).unwrap_or_default();
        rest.find('\n').map_or(file.text().len(), |more| end + more + 1)
    };
    let mut at = 0;
    for (_, node) in tree.children(holder) {
        let text = file.text().get(node.span.range()).unwrap_or_default();
        let kind = tree.kind(node);
        let is_head = kind.ends_with("comment")
            || matches!(kind, "hash_bang_line" | "package_declaration" | "package_clause")
            || (kind == "preproc_call" && text.contains("once"))
            || (holder != 0 && is_guard_head(kind))
            || (kind == "expression_statement" && text.starts_with(['"', '\'']));
        if !is_head {
            break;
        }
        at = past_line(node.span.start + text.trim_end().len());
        if kind == "preproc_def" {
            break;
        }
    }
    at
}

fn is_guard_head(kind: &str) -> bool {
    matches!(kind, "#ifndef" | "#ifdef" | "identifier" | "preproc_def" | "\n")
}
