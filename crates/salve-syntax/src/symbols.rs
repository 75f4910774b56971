//! The names that a text defines and uses.
//!
//! In: a text and its language. Out: its definitions with their kinds, places and enclosing items, and
//! every other name that occurs in it. Works on texts with errors as far as the grammar finds its way.
//! Never resolves a name: two definitions of one name are two symbols.

mod rules;

use crate::grammar::has_grammar;
use crate::parse::parse;
use rules::{Mode, Rules, is_class, is_item, is_member, is_word};
use salve_types::{Language, Span};
use std::collections::BTreeSet;

/// What a definition defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SymbolKind {
    /// A function that is in no class.
    Function,
    /// A function of a class, trait or implementation.
    Method,
    /// A struct, class, interface, trait, enum or alias.
    Type,
    /// A constant or static.
    Constant,
    /// A local variable or parameter; at the top of a script, a global.
    Variable,
    /// A module or namespace.
    Module,
    /// A field, property or variant.
    Member,
    /// A macro.
    Macro,
    /// A name that an import brings in.
    Import,
}

/// One definition.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Where its name is written.
    pub span: Span,
    /// The whole definition.
    pub item: Span,
    /// The definition it is in, as an index into [`FileSymbols::symbols`].
    pub parent: Option<usize>,
    /// Whether other files may use it.
    pub is_exported: bool,
}

/// The names of one text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct FileSymbols {
    /// The definitions, in reading order.
    pub symbols: Vec<Symbol>,
    /// Every name that occurs other than as a member.
    pub words: BTreeSet<String>,
    /// Every name that occurs after a dot or as a field.
    pub members: BTreeSet<String>,
}

impl FileSymbols {
    /// Lists the definitions that a name at `offset` may refer to, the innermost first.
    pub fn in_scope(&self, offset: usize) -> Vec<&Symbol> {
        let mut seen: Vec<(usize, &Symbol)> = self
            .symbols
            .iter()
            .filter(|symbol| !matches!(symbol.kind, SymbolKind::Member | SymbolKind::Method))
            .filter_map(|symbol| match symbol.parent {
                None => Some((0, symbol)),
                Some(parent) => {
                    let around = self.symbols.get(parent)?;
                    // What an item of a module or class holds is known inside that module or class.
                    let inside = around.item.start <= offset && offset <= around.item.end;
                    inside.then(|| (self.depth(parent), symbol))
                }
            })
            .collect();
        seen.sort_by_key(|(depth, _)| std::cmp::Reverse(*depth));
        seen.into_iter().map(|(_, symbol)| symbol).collect()
    }

    /// Returns the innermost function, type or module that `offset` is in.
    pub fn enclosing(&self, offset: usize) -> Option<&Symbol> {
        let holds = |symbol: &&Symbol| {
            symbol.item.start <= offset
                && offset <= symbol.item.end
                && matches!(
                    symbol.kind,
                    SymbolKind::Function
                        | SymbolKind::Method
                        | SymbolKind::Type
                        | SymbolKind::Module
                )
        };
        self.symbols.iter().filter(holds).min_by_key(|symbol| symbol.item.len())
    }

    /// Lists the definitions that are in no other.
    pub fn top_level(&self) -> impl Iterator<Item = &Symbol> {
        self.symbols.iter().filter(|symbol| symbol.parent.is_none())
    }

    fn depth(&self, mut at: usize) -> usize {
        let mut depth = 1;
        while let Some(parent) = self.symbols.get(at).and_then(|symbol| symbol.parent) {
            // A parent is always an earlier symbol; anything else would be no tree.
            if parent >= at {
                break;
            }
            (at, depth) = (parent, depth + 1);
        }
        depth
    }
}

/// Tells whether [`file_symbols`] knows the definitions of a language.
pub fn has_symbols(language: Language) -> bool {
    Rules::of(language).is_some() && has_grammar(language)
}

/// Reads the names of `text`; nothing without a grammar or when the text is too costly.
pub fn file_symbols(text: &str, language: Language) -> Option<FileSymbols> {
    let rules = Rules::of(language)?;
    let tree = parse(text, language)?.ok()?;
    let mut reader =
        Reader { text, rules, language, found: FileSymbols::default(), open: Vec::new() };
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        reader.enter(&node, cursor.field_name());
        if cursor.goto_first_child() {
            continue;
        }
        reader.open.pop();
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(reader.found);
            }
            reader.open.pop();
        }
    }
}

struct Reader<'a, 't> {
    text: &'a str,
    rules: Rules,
    language: Language,
    found: FileSymbols,
    open: Vec<Frame<'t>>,
}

// A node on the way down.
struct Frame<'t> {
    kind: &'t str,
    span: Span,
    /// What names below it define, while that is so.
    binds: Option<SymbolKind>,
    /// The symbol whose definition it is.
    symbol: Option<usize>,
}

impl<'t> Reader<'_, 't> {
    fn enter(&mut self, node: &tree_sitter::Node<'t>, field: Option<&str>) {
        let span = Span::from(node.byte_range());
        let kind = node.kind();
        let above = self.open.last();
        let parent_kind = above.map_or("", |frame| frame.kind);
        let rule = self.rules.find(parent_kind, field.unwrap_or(""), kind);
        let inherited = above
            .and_then(|frame| frame.binds)
            .filter(|&binds| !Rules::ends_binding(kind, field, binds));
        let binds = match rule {
            Some((Mode::Nothing, _)) => None,
            Some((_, makes)) => Some(makes),
            None => inherited,
        };
        let is_leaf = node.child_count() == 0;
        let is_name = is_leaf && is_word(kind);
        self.open.push(Frame { kind, span, binds, symbol: None });
        if !is_name && !matches!(rule, Some((Mode::Name, _))) {
            return;
        }
        let Some(name) = self.text.get(span.range()).filter(|name| is_identifier(name)) else {
            return;
        };
        if let Some(makes) = binds {
            self.define(name, makes, span);
        }
        if is_leaf {
            let known = if is_member(kind, parent_kind, field) {
                &mut self.found.members
            } else {
                &mut self.found.words
            };
            if !known.contains(name) {
                known.insert(name.to_owned());
            }
        }
    }

    fn define(&mut self, name: &str, kind: SymbolKind, span: Span) {
        let index = self.found.symbols.len();
        // The node of the name itself is open as well.
        let above = self.open.len().saturating_sub(1);
        let owns = matches!(
            kind,
            SymbolKind::Function
                | SymbolKind::Method
                | SymbolKind::Type
                | SymbolKind::Module
                | SymbolKind::Macro
        );
        let own = self.open[..above]
            .iter()
            .rposition(|frame| is_item(frame.kind))
            .filter(|&at| owns && self.open[at].symbol.is_none());
        let item = own.or_else(|| above.checked_sub(1)).map_or(span, |at| self.open[at].span);
        let outside = own.unwrap_or(above);
        let is_around = |frame: &&Frame<'_>| is_item(frame.kind) || is_class(frame.kind);
        let around = self.open[..outside].iter().rev().find(is_around);
        let kind = match kind {
            SymbolKind::Function if around.is_some_and(|frame| is_class(frame.kind)) => {
                SymbolKind::Method
            }
            kind => kind,
        };
        let parent = self.open[..outside].iter().rev().find_map(|frame| frame.symbol);
        let is_exported = self.is_exported(item, own, above);
        if let Some(at) = own {
            self.open[at].symbol = Some(index);
        }
        let name = name.to_owned();
        self.found.symbols.push(Symbol { name, kind, span, item, parent, is_exported });
    }

    fn is_exported(&self, item: Span, own: Option<usize>, above: usize) -> bool {
        let written = self.text.get(item.range()).unwrap_or_default();
        match self.language {
            Language::Rust => written.starts_with("pub"),
            Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => {
                // `export function` is directly above; `export const` has a declaration between.
                let around = match own {
                    Some(own) => &self.open[own.saturating_sub(1)..own],
                    None => &self.open[above.saturating_sub(3)..above],
                };
                around.iter().any(|frame| frame.kind == "export_statement")
            }
            Language::C | Language::Cpp => !written.starts_with("static"),
            _ => true,
        }
    }
}

fn is_identifier(text: &str) -> bool {
    let word = |one: char| one.is_alphanumeric() || matches!(one, '_' | '$' | '#');
    text.len() <= 128
        && text.chars().all(word)
        && text.starts_with(|one: char| one.is_alphabetic() || matches!(one, '_' | '$' | '#'))
}

#[cfg(test)]
mod tests;
