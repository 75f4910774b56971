//! Where an import is written.
//!
//! In: a file and a statement. Out: the change that adds it: to the list of an import of the same module,
//! else among the imports of its kind, in their order where they have one, else beside those that are most
//! like it, else at the top below what must be first. Never above a module's docstring, a `from __future__`
//! import or an include guard.

use super::super::view::{SourceFile, View};
use super::groups::{Group, Line, below_head, groups};
use super::known::standard_modules;
use super::lists::{NameList, joined, lists};
use super::order::{Entry, Order, preferred, slot};
use super::statement::{Statement, folder};
use crate::heal::TextChange;
use salve_types::{Language, Span};

/// Returns the change that adds a statement to a file.
pub(super) fn inserted(file: &SourceFile, statement: &Statement, view: &View<'_>) -> TextChange {
    joined_list(file, statement).unwrap_or_else(|| new_line(file, statement, 0, view))
}

/// The same for a path of Rust, in the module that holds the offset; nothing where that has no imports.
pub(super) fn inserted_at(
    file: &SourceFile,
    path: &str,
    offset: usize,
    view: &View<'_>,
) -> Option<TextChange> {
    if groups(file, offset).is_empty() {
        return None;
    }
    let statement = Statement::RustUse(path.to_owned());
    let joined = joined_path(file, path, offset);
    Some(joined.unwrap_or_else(|| new_line(file, &statement, offset, view)))
}

// `from m import a, b` and `import { a, b } from 'm'` take one name more.
fn joined_list(file: &SourceFile, statement: &Statement) -> Option<TextChange> {
    let (module, name) = match statement {
        Statement::PythonFrom { module, name } => (module, name),
        Statement::ScriptNamed { module, name, .. } => (module, name),
        _ => return None,
    };
    let all = lists(file);
    let mut of_module = all.iter().filter(|list| list.module == *module);
    let first = of_module.next()?;
    let list = [first].into_iter().chain(of_module).find(|list| !list.is_types).unwrap_or(first);
    Some(joined(file, list, name))
}

// `use a::{b, c}` takes one name more, or one path from there.
fn joined_path(file: &SourceFile, path: &str, offset: usize) -> Option<TextChange> {
    let all = lists(file);
    let here = groups(file, offset);
    let is_here = |list: &&NameList| {
        let spans = here.iter().flat_map(|group| &group.lines).map(|line| line.span);
        spans
            .into_iter()
            .any(|span| span.start <= list.statement.start && list.statement.end <= span.end)
    };
    let all: Vec<&NameList> = all.iter().filter(is_here).collect();
    let below = |list: &NameList| {
        path.strip_prefix(list.module.as_str()).and_then(|rest| rest.strip_prefix("::"))
    };
    if let Some(list) = all.iter().find(|list| list.module == path) {
        return Some(joined(file, list, "self"));
    }
    let deepest = all
        .iter()
        .filter(|list| !list.module.is_empty())
        .filter_map(|list| Some((list.module.len(), *list, below(list)?)))
        .max_by_key(|(length, ..)| *length)?;
    let (_, list, rest) = deepest;
    // Where other statements go on from the same path, and no name of the list does, a statement of its
    // own is the custom.
    let lines = here.iter().flat_map(|group| &group.lines);
    let is_apart = lines.into_iter().any(|line| {
        line.span.start != list.statement.start
            && line.module.strip_prefix(list.module.as_str()).is_some_and(|it| it.starts_with("::"))
    });
    let is_nested = list.names(file).iter().any(|name| name.contains("::"));
    (!rest.contains("::") || is_nested || !is_apart).then(|| joined(file, list, rest))
}

fn new_line(
    file: &SourceFile,
    statement: &Statement,
    offset: usize,
    view: &View<'_>,
) -> TextChange {
    let written = statement.written();
    let module = statement.module();
    let all = groups(file, offset);
    let kind = |text: &str, module: &str| kind(text, module, file, view);
    let own = kind(&written, &module);
    let kinds = |group: &Group<'_>| -> Vec<u8> {
        group.lines.iter().map(|line| kind(line.text, &line.module)).collect()
    };
    let shared = |group: &Group<'_>| {
        group.lines.iter().map(|line| common(&line.module, &module)).max().unwrap_or(0)
    };
    let of_kind = all.iter().filter(|group| kinds(group).contains(&own));
    // Of equals the first one that has more of the kind.
    let fit = |group: &&Group<'_>| {
        (shared(group), kinds(group).iter().filter(|one| **one == own).count())
    };
    let Some(group) = of_kind.rev().max_by_key(fit) else {
        return new_group(file, &all, &written, |group| kinds(group).iter().all(|one| *one > own));
    };
    let same: Vec<&Line<'_>> =
        group.lines.iter().filter(|line| kind(line.text, &line.module) == own).collect();
    let lines: Vec<&Line<'_>> = group.lines.iter().collect();
    let entry = Entry { text: &written, module: &module };
    let samples: Vec<Vec<Entry<'_>>> = all
        .iter()
        .filter(|group| group.lines.len() > 1)
        .map(|group| group.lines.iter().map(Line::entry).collect())
        .collect();
    let orders = preferred(Order::of_lines(file.language()), &samples);
    let (lines, at) = match slot(&entries(&lines), &entry, &orders) {
        Some(at) => (lines, at),
        None => {
            let at = slot(&entries(&same), &entry, &orders)
                .or_else(|| as_elsewhere(file, &same, &written, view))
                .or_else(|| beside(&same, &module))
                .unwrap_or(same.len());
            (same, at)
        }
    };
    between(file, &lines, at, &written)
}

fn entries<'a>(lines: &[&'a Line<'a>]) -> Vec<Entry<'a>> {
    lines.iter().map(|line| line.entry()).collect()
}

fn between(file: &SourceFile, lines: &[&Line<'_>], at: usize, written: &str) -> TextChange {
    if let Some(next) = lines.get(at) {
        let start = file.line(file.line_of(next.span.start)).map_or(0, |line| line.start);
        let indent = file.text().get(start..next.span.start).unwrap_or_default();
        let place = Span::new(next.span.start, next.span.start);
        return file.change(place, &format!("{written}\n{indent}"));
    }
    let end = lines.last().map_or(0, |line| line.span.end);
    let line = file.line(file.line_of(end)).unwrap_or(Span::new(end, end));
    let indent = lines.last().and_then(|last| {
        let start = file.line(file.line_of(last.span.start))?.start;
        file.text().get(start..last.span.start).filter(|lead| lead.trim().is_empty())
    });
    let place = Span::new(line.end, line.end);
    file.change(place, &format!("\n{}{written}", indent.unwrap_or_default()))
}

// No group has imports of this kind.
fn new_group(
    file: &SourceFile,
    all: &[Group<'_>],
    written: &str,
    is_after: impl Fn(&Group<'_>) -> bool,
) -> TextChange {
    let insert = |at: usize, text: &str| file.change(Span::new(at, at), text);
    if let Some(first) =
        all.iter().find(|group| is_after(group)).and_then(|group| group.lines.first())
    {
        let start = file.line(file.line_of(first.span.start)).map_or(0, |line| line.start);
        let indent = file.text().get(start..first.span.start).unwrap_or_default();
        return insert(first.span.start, &format!("{written}\n\n{indent}"));
    }
    match all.last().and_then(|group| group.lines.last()) {
        Some(last) => {
            let end = file.line(file.line_of(last.span.end)).map_or(last.span.end, |line| line.end);
            let start = file.line(file.line_of(last.span.start)).map_or(0, |line| line.start);
            let indent = file.text().get(start..last.span.start).unwrap_or_default();
            insert(end, &format!("\n\n{indent}{written}"))
        }
        None => insert(below_head(file), &format!("{written}\n")),
    }
}

// As another file has it: after what it has there before, or before what it has there after.
fn as_elsewhere(
    file: &SourceFile,
    lines: &[&Line<'_>],
    written: &str,
    view: &View<'_>,
) -> Option<usize> {
    const LOOKED_AT: usize = 200;
    let place = |text: &str| lines.iter().position(|line| line.text == text);
    let others = view.files_of(file.language()).filter(|other| other.path() != file.path());
    others.take(LOOKED_AT).filter(|other| other.text().contains(written)).find_map(|other| {
        let all = groups(&other, 0);
        let texts: Vec<&str> =
            all.iter().flat_map(|group| &group.lines).map(|line| line.text).collect();
        let own = texts.iter().position(|text| *text == written)?;
        let before = texts[..own].iter().rev().find_map(|text| place(text)).map(|at| at + 1);
        before.or_else(|| texts[own + 1..].iter().find_map(|text| place(text)))
    })
}

// After the last of those that have the most of the path in common.
fn beside(lines: &[&Line<'_>], module: &str) -> Option<usize> {
    let shared = |line: &Line<'_>| common(&line.module, module);
    let most = lines.iter().map(|line| shared(line)).max().filter(|most| *most > 0)?;
    lines.iter().rposition(|line| shared(line) == most).map(|at| at + 1)
}

/// Returns how many leading parts two modules share.
pub(super) fn common(one: &str, other: &str) -> usize {
    let parts = |module: &'_ str| -> Vec<String> {
        module.split(['.', '/', ':']).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    parts(one).iter().zip(&parts(other)).take_while(|(one, other)| one == other).count()
}

// What imports are kept together, in the usual order: the standard library, packages, own files.
fn kind(text: &str, module: &str, file: &SourceFile, view: &View<'_>) -> u8 {
    let first = module.split(['.', '/', ':']).next().unwrap_or_default();
    match file.language() {
        Language::Python => match first {
            "__future__" => 0,
            "" => 4,
            first if standard_modules(Language::Python).contains(&first) => 1,
            first if is_own_module(first, view) => 3,
            _ => 2,
        },
        Language::Rust => match first {
            "std" | "core" | "alloc" => 1,
            "crate" | "self" | "super" => 3,
            _ => 2,
        },
        Language::C | Language::Cpp => match text.contains('"') {
            true if is_own_header(file.path(), module) && own_header_first(file, view) => 0,
            true => 2,
            false => 1,
        },
        _ if module.starts_with('.') => 3,
        _ => 1,
    }
}

fn is_own_module(first: &str, view: &View<'_>) -> bool {
    view.paths().iter().any(|path| {
        let path = path.strip_prefix("src/").unwrap_or(path);
        path.strip_prefix(first).is_some_and(|rest| rest.starts_with('/') || rest == ".py")
    })
}

// `words.h` for `words.c`.
fn is_own_header(path: &str, header: &str) -> bool {
    let stem = |path: &str| {
        let name = path.strip_prefix(folder(path)).unwrap_or(path).trim_start_matches('/');
        name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
    };
    stem(path) == stem(header)
}

// Most sources include their own header first; where the workspace does otherwise, it is one of many.
fn own_header_first(file: &SourceFile, view: &View<'_>) -> bool {
    const ASKED: usize = 16;
    let others = view.files_of(file.language()).filter(|other| other.path() != file.path());
    let votes: Vec<bool> = others
        .take(ASKED)
        .filter_map(|other| {
            let all = groups(&other, 0);
            let lines: Vec<&Line<'_>> = all.iter().flat_map(|group| &group.lines).collect();
            let own = lines.iter().position(|line| is_own_header(other.path(), &line.module))?;
            (lines.len() > 1).then_some(own == 0)
        })
        .collect();
    let first = votes.iter().filter(|vote| **vote).count();
    first * 2 >= votes.len()
}
