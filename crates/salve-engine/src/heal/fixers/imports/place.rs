//! Where an import is written.
//!
//! In: a file and a statement. Out: the change that adds it: to the list of an import of the same module,
//! else among the imports of its kind, in their order where they have one, else at the top below what must
//! be first. Never above a module's docstring or a `from __future__` import.

use super::super::view::SourceFile;
use super::known::standard_modules;
use super::statement::Statement;
use crate::heal::TextChange;
use salve_types::{Language, Span};

/// Returns the change that adds a statement to a file.
pub(super) fn inserted(file: &SourceFile, statement: &Statement) -> TextChange {
    if let Some(change) = joined_list(file, statement) {
        return change;
    }
    let written = statement.written();
    let groups = groups(file);
    let kind = kind(&written, file.language());
    let of_kind = |group: &&Vec<Span>| {
        group.iter().any(|&span| self::kind(line(file, span), file.language()) == kind)
    };
    let Some(group) = groups.iter().rev().find(of_kind).or(groups.last()) else {
        let at = below_head(file);
        return file.change(Span::new(at, at), &format!("{written}\n"));
    };
    let lines: Vec<&str> = group.iter().map(|&span| line(file, span)).collect();
    let is_sorted = lines.len() > 1 && lines.windows(2).all(|pair| pair[0] <= pair[1]);
    let before = lines.iter().position(|other| *other > written.as_str()).filter(|_| is_sorted);
    match before.and_then(|at| group.get(at)) {
        Some(span) => file.change(Span::new(span.start, span.start), &format!("{written}\n")),
        None => {
            let end = group.last().map_or(0, |span| span.end);
            file.change(Span::new(end, end), &format!("\n{written}"))
        }
    }
}

fn line(file: &SourceFile, span: Span) -> &str {
    file.text().get(span.range()).unwrap_or_default()
}

// What imports are kept together: the standard library, packages, own files.
fn kind(written: &str, language: Language) -> u8 {
    match language {
        Language::Python => {
            let module = written.split_whitespace().nth(1).unwrap_or_default();
            let first = module.split('.').next().unwrap_or_default();
            match first {
                "__future__" => 0,
                "" => 3,
                first if standard_modules(language).contains(&first) => 1,
                _ => 2,
            }
        }
        Language::C | Language::Cpp => u8::from(written.contains('"')),
        _ => u8::from(written.contains("'.") || written.contains("\".")),
    }
}

// The imports at the top of the file, by the blank lines between them.
fn groups(file: &SourceFile) -> Vec<Vec<Span>> {
    let Some(tree) = file.tree() else { return Vec::new() };
    let mut groups: Vec<Vec<Span>> = Vec::new();
    for (_, node) in tree.children(0) {
        let is_import = matches!(
            tree.kind(node),
            "import_statement"
                | "import_from_statement"
                | "future_import_statement"
                | "import_declaration"
                | "preproc_include"
        );
        if !is_import {
            continue;
        }
        let text = file.text().get(node.span.range()).unwrap_or_default();
        let span = Span::new(node.span.start, node.span.start + text.trim_end().len());
        let last = groups.last().and_then(|group| group.last()).map(|last| file.line_of(last.end));
        match (last, groups.last_mut()) {
            (Some(last), Some(group)) if file.line_of(span.start) <= last + 1 => group.push(span),
            _ => groups.push(vec![span]),
        }
    }
    groups
}

// Below comments, a docstring and directives.
fn below_head(file: &SourceFile) -> usize {
    let Some(tree) = file.tree() else { return 0 };
    let mut at = 0;
    for (_, node) in tree.children(0) {
        let text = file.text().get(node.span.range()).unwrap_or_default();
        let is_head = tree.kind(node).ends_with("comment")
            || tree.kind(node) == "hash_bang_line"
            || tree.kind(node) == "package_declaration"
            || tree.kind(node) == "package_clause"
            || (tree.kind(node) == "expression_statement" && text.starts_with(['"', '\'']));
        if !is_head {
            break;
        }
        let end = node.span.start + text.trim_end().len();
        at = file
            .text()
            .get(end..)
            .and_then(|rest| rest.find('\n'))
            .map_or(file.text().len(), |more| end + more + 1);
    }
    at
}

// `from m import a, b` and `import { a, b } from 'm'` take one name more.
fn joined_list(file: &SourceFile, statement: &Statement) -> Option<TextChange> {
    let tree = file.tree()?;
    for (_, node) in tree.children(0) {
        let text = file.text().get(node.span.range())?;
        let (list, name) = match statement {
            Statement::PythonFrom { module, name } => {
                let rest = text.strip_prefix("from ")?.strip_prefix(module.as_str());
                let Some(list) = rest.and_then(|rest| rest.strip_prefix(" import ")) else {
                    continue;
                };
                (Some(list), name)
            }
            Statement::ScriptNamed { module, name, .. } => {
                let is_it = text.starts_with("import ")
                    && (text.contains(&format!("'{module}'"))
                        || text.contains(&format!("\"{module}\"")));
                let list = text.find('{').and_then(|at| text.get(at + 1..text.find('}')?));
                (list.filter(|_| is_it), name)
            }
            _ => return None,
        };
        let Some(list) = list.filter(|list| !list.contains('#') && !list.contains('*')) else {
            continue;
        };
        let start = node.span.start + text.find(list)?;
        let inner = list.trim_matches(['(', ')', ' ', '\n', ',', '\t', '\r']);
        let names: Vec<&str> = inner.split(',').map(str::trim).collect();
        let is_sorted = names.len() > 1 && names.windows(2).all(|pair| pair[0] <= pair[1]);
        let next = names.iter().find(|other| **other > name.as_str()).filter(|_| is_sorted);
        let inner_at = start + list.find(inner)?;
        return Some(match next.and_then(|next| inner.find(next)) {
            Some(at) => file.change(Span::new(inner_at + at, inner_at + at), &format!("{name}, ")),
            None => {
                let end = inner_at + inner.len();
                file.change(Span::new(end, end), &format!(", {name}"))
            }
        });
    }
    None
}
