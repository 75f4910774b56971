//! The lists of names that imports have: `from m import a, b`, `import { a, b } from 'm'`,
//! `use m::{a, b}`, `const { a, b } = require('m')`.
//!
//! In: a file. Out: its lists with their modules and names, and the change by which a name joins one, in
//! its order and layout. Never a list that re-exports, or that is there only under a condition.

use super::super::view::SourceFile;
use super::order::{Entry, Order, preferred, slot};
use crate::heal::TextChange;
use salve_syntax::NodeTree;
use salve_types::{Language, Span};

/// One list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NameList {
    /// What the names are from, as it is written.
    pub(super) module: String,
    /// The names, as they are written.
    pub(super) items: Vec<Span>,
    /// Whether it brings types only.
    pub(super) is_types: bool,
    /// Where a name is written when there is none.
    empty_at: usize,
    /// The whole statement.
    pub(super) statement: Span,
}

impl NameList {
    /// Returns its names, as they are written.
    pub(super) fn names<'a>(&self, file: &'a SourceFile) -> Vec<&'a str> {
        self.items.iter().filter_map(|item| file.text().get(item.range())).collect()
    }

    /// Returns how a name is written that the list brings under this name: `a` or `b as a`.
    pub(super) fn written<'a>(&self, file: &'a SourceFile, name: &str) -> Option<&'a str> {
        self.names(file).into_iter().find(|item| {
            let known = item.rsplit([' ', ':']).next().unwrap_or(item);
            known == name
        })
    }
}

/// Lists the lists of a file.
pub(super) fn lists(file: &SourceFile) -> Vec<NameList> {
    let Some(tree) = file.tree() else { return Vec::new() };
    let read: fn(&SourceFile, &NodeTree, usize) -> Option<NameList> = match file.language() {
        Language::Python => python,
        Language::Rust => rust,
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => script,
        _ => return Vec::new(),
    };
    (0..tree.nodes().len()).filter_map(|at| read(file, tree, at)).collect()
}

fn text(file: &SourceFile, span: Span) -> &str {
    file.text().get(span.range()).unwrap_or_default()
}

fn python(file: &SourceFile, tree: &NodeTree, at: usize) -> Option<NameList> {
    let node = &tree.nodes()[at];
    if tree.kind(node) != "import_from_statement" {
        return None;
    }
    let mut module = None;
    let mut items = Vec::new();
    let mut is_past = false;
    for (_, child) in tree.children(at) {
        match tree.kind(child) {
            "import" => is_past = true,
            "dotted_name" | "relative_import" if !is_past => module = Some(text(file, child.span)),
            "dotted_name" | "aliased_import" => items.push(child.span),
            "wildcard_import" => return None,
            _ => {}
        }
    }
    let empty_at = items.first()?.start;
    let module = module?.to_owned();
    Some(NameList { module, items, is_types: false, empty_at, statement: node.span })
}

fn script(file: &SourceFile, tree: &NodeTree, at: usize) -> Option<NameList> {
    let node = &tree.nodes()[at];
    let (holder, names, is_name): (&str, &str, fn(&str) -> bool) = match tree.kind(node) {
        "import_statement" => ("import_clause", "named_imports", |kind| kind == "import_specifier"),
        "variable_declarator" => ("", "object_pattern", |kind| kind.contains("pattern")),
        _ => return None,
    };
    let child = |of: usize, kind: &str| {
        tree.children(of).find(|(_, child)| tree.kind(child) == kind).map(|(at, _)| at)
    };
    let list = match holder {
        "" => child(at, names)?,
        holder => child(child(at, holder)?, names)?,
    };
    let module = match holder {
        "" => {
            let call = text(file, tree.nodes()[child(at, "call_expression")?].span);
            call.strip_prefix("require(")?.strip_suffix(')')?
        }
        _ => text(file, tree.nodes()[child(at, "string")?].span),
    };
    let module = module.trim().trim_matches(['"', '\'', '`']).to_owned();
    let all = tree.children(list);
    let items = all.filter(|(_, one)| is_name(tree.kind(one))).map(|(_, one)| one.span).collect();
    let is_types = text(file, node.span).starts_with("import type");
    let empty_at = tree.nodes()[list].span.start + 1;
    Some(NameList { module, items, is_types, empty_at, statement: node.span })
}

fn rust(file: &SourceFile, tree: &NodeTree, at: usize) -> Option<NameList> {
    let node = &tree.nodes()[at];
    if tree.kind(node) != "use_list" {
        return None;
    }
    let mut parts = Vec::new();
    let mut above = node.parent?;
    loop {
        let around = &tree.nodes()[above];
        match tree.kind(around) {
            "scoped_use_list" => {
                // A list that is preceded by `::` alone has no path.
                let path = tree.children(above).next().filter(|(_, first)| first.is_named);
                parts.extend(path.map(|(_, path)| text(file, path.span).to_owned()));
            }
            "use_list" => {}
            "use_declaration" => break,
            _ => return None,
        }
        above = around.parent?;
    }
    let whole = &tree.nodes()[above];
    if text(file, whole.span).starts_with("pub") || has_attribute(tree, above) {
        return None;
    }
    parts.reverse();
    let named =
        tree.children(at).filter(|(_, one)| one.is_named && !tree.kind(one).ends_with("comment"));
    let items = named.map(|(_, one)| one.span).collect();
    let (module, empty_at) = (parts.join("::"), node.span.start + 1);
    Some(NameList { module, items, is_types: false, empty_at, statement: whole.span })
}

/// Returns whether an attribute is written above a node.
pub(super) fn has_attribute(tree: &NodeTree, at: usize) -> bool {
    let Some(parent) = tree.nodes()[at].parent else { return false };
    let mut before = None;
    for (index, child) in tree.children(parent) {
        if index == at {
            break;
        }
        if !tree.kind(child).ends_with("comment") {
            before = Some(tree.kind(child));
        }
    }
    before == Some("attribute_item")
}

/// Returns the change by which a name joins a list of the file.
pub(super) fn joined(file: &SourceFile, list: &NameList, name: &str) -> TextChange {
    let all = lists(file);
    let entries = |list: &NameList| -> Vec<Entry<'_>> {
        list.names(file).into_iter().map(Entry::name).collect()
    };
    let samples: Vec<Vec<Entry<'_>>> =
        all.iter().filter(|list| list.items.len() > 1).map(entries).collect();
    let orders = preferred(Order::of_names(file.language()), &samples);
    let at = slot(&entries(list), &Entry::name(name), &orders).unwrap_or(list.items.len());
    let insert = |at: usize, text: &str| file.change(Span::new(at, at), text);
    if let Some(next) = list.items.get(at) {
        return match own_line(file, *next) {
            Some(indent) => insert(next.start, &format!("{name},\n{indent}")),
            None => insert(next.start, &format!("{name}, ")),
        };
    }
    let Some(last) = list.items.last() else {
        let is_spaced = file.text().get(list.empty_at..).is_some_and(|rest| rest.starts_with(' '));
        let text = if is_spaced || file.language() == Language::Rust {
            name.to_owned()
        } else {
            format!(" {name} ")
        };
        return insert(list.empty_at, &text);
    };
    let rest = file.text().get(last.end..).unwrap_or_default();
    let has_comma = rest.trim_start().starts_with(',');
    let after = if has_comma { last.end + rest.find(',').unwrap_or(0) + 1 } else { last.end };
    match (own_line(file, *last).filter(|_| list.items.len() > 1 || has_comma), has_comma) {
        (Some(indent), true) => {
            // A remark beside the last name stays beside it.
            let end = file.line(file.line_of(after)).map_or(after, |line| line.end);
            let remark = file.text().get(after..end).unwrap_or_default().trim_start();
            let at = if remark.starts_with(['#', '/']) { end } else { after };
            insert(at, &format!("\n{indent}{name},"))
        }
        (Some(indent), false) => insert(after, &format!(",\n{indent}{name}")),
        (None, true) => insert(after, &format!(" {name},")),
        (None, false) => insert(after, &format!(", {name}")),
    }
}

// The indentation of a name that begins its line.
fn own_line(file: &SourceFile, item: Span) -> Option<&str> {
    let line = file.line(file.line_of(item.start))?;
    file.text().get(line.start..item.start).filter(|lead| lead.trim().is_empty())
}
