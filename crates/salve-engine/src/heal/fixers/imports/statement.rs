//! An import as a statement of its language.
//!
//! In: what is imported, and how. Out: the statement, as it would be written in a given file. Knows Python,
//! the family of JavaScript, C, and the paths of Rust; of Go and Java whole statements only.

use super::super::view::{SourceFile, View};
use super::groups::groups;
use super::lists::lists;
use super::modules::{joined, module_file, module_path, relative};
use salve_types::Language;

/// One import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::heal::fixers) enum Statement {
    /// `from MODULE import NAME`.
    PythonFrom { module: String, name: String },
    /// `import MODULE` or `import MODULE as NAME`.
    PythonModule(String),
    /// `import { NAME } from 'MODULE'`.
    ScriptNamed { module: String, name: String, marks: Marks },
    /// Another statement of the family of JavaScript, whole.
    Script { written: String, module: String },
    /// `#include <…>` or `#include "…"`.
    Include(String),
    /// `use PATH;`.
    RustUse(String),
    /// A statement of Go or Java, whole.
    Other(String),
}

/// How a file of the family of JavaScript writes its imports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::heal::fixers) struct Marks {
    quote: char,
    has_semicolons: bool,
    /// Whether it calls `require`.
    requires: bool,
}

impl Marks {
    /// Reads them of a file, or of another one where the file has no imports.
    fn of(user: &SourceFile, other: &SourceFile) -> Self {
        let read = |file: &SourceFile| {
            let all = groups(file, 0);
            let lines: Vec<&str> =
                all.iter().flat_map(|group| &group.lines).map(|line| line.text).collect();
            let count = |what: &str| lines.iter().filter(|line| line.contains(what)).count();
            let ends = lines.iter().filter(|line| line.ends_with(';')).count();
            (!lines.is_empty()).then(|| Self {
                quote: if count("\"") * 2 > lines.len() { '"' } else { '\'' },
                has_semicolons: ends * 2 >= lines.len(),
                requires: count("= require(") * 2 > lines.len(),
            })
        };
        let usual = Self { quote: '\'', has_semicolons: true, requires: false };
        read(user).or_else(|| read(other)).unwrap_or(usual)
    }

    fn written(self, name: &str, module: &str) -> String {
        let Self { quote, .. } = self;
        let end = if self.has_semicolons { ";" } else { "" };
        match self.requires {
            true => {
                let name = name.replace(" as ", ": ");
                format!("const {{ {name} }} = require({quote}{module}{quote}){end}")
            }
            false => format!("import {{ {name} }} from {quote}{module}{quote}{end}"),
        }
    }
}

impl Statement {
    /// The import of a whole module or header.
    pub(super) fn whole(language: Language, name: &str) -> Self {
        match language {
            Language::Python => Self::PythonModule(name.to_owned()),
            Language::C | Language::Cpp => Self::Include(format!("<{name}>")),
            Language::Go => Self::Other(format!("import \"{name}\"")),
            Language::Java => Self::Other(format!("import {name};")),
            _ => Self::Script {
                written: format!("import {name} from '{name}';"),
                module: name.to_owned(),
            },
        }
    }

    /// The import of a Python module under its last name.
    pub(super) fn of_module(module: String, name: &str) -> Self {
        match module.strip_suffix(name).and_then(|package| package.strip_suffix('.')) {
            Some(package) => Self::PythonFrom { module: package.to_owned(), name: name.to_owned() },
            None => Self::PythonModule(module),
        }
    }

    /// The import of a name that a file of the workspace defines, as another file writes it.
    pub(super) fn from_file(
        user: &SourceFile,
        path: &str,
        name: &str,
        view: &View<'_>,
    ) -> Option<Self> {
        let name = name.to_owned();
        match user.language() {
            Language::Python => {
                if let Some(module) = written_module(user, path, view) {
                    return Some(Self::PythonFrom { module, name });
                }
                let same_folder = folder(user.path()) == folder(path);
                let stem = path.rsplit('/').next()?.strip_suffix(".py")?.to_owned();
                let dotted = user.text().contains("\nfrom .") || user.text().starts_with("from .");
                let module = if same_folder && dotted && stem != "__init__" {
                    format!(".{stem}")
                } else {
                    module_path(path, Language::Python)?
                };
                Some(Self::PythonFrom { module, name })
            }
            Language::C | Language::Cpp => {
                let is_header =
                    path.ends_with(".h") || path.ends_with(".hpp") || path.ends_with(".hh");
                let written = relative(user.path(), path);
                let written = written.strip_prefix("./").unwrap_or(&written);
                is_header.then(|| Self::Include(format!("\"{written}\"")))
            }
            Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => {
                let module =
                    written_module(user, path, view).unwrap_or_else(|| script_module(user, path));
                Some(Self::ScriptNamed { module, name, marks: Marks::of(user, user) })
            }
            _ => None,
        }
    }

    /// Returns what it imports from, as [`groups`] reads it of a file.
    pub(super) fn module(&self) -> String {
        match self {
            Self::PythonFrom { module, .. }
            | Self::ScriptNamed { module, .. }
            | Self::Script { module, .. } => module.clone(),
            Self::PythonModule(module) => {
                module.split_whitespace().next().unwrap_or_default().to_owned()
            }
            Self::Include(header) => header.trim_matches(['<', '>', '"']).to_owned(),
            Self::RustUse(path) => path.clone(),
            Self::Other(written) => {
                let rest = written.trim_start_matches("import").trim_end_matches(';');
                rest.trim().trim_matches('"').to_owned()
            }
        }
    }

    /// Returns the statement as it is written.
    pub(super) fn written(&self) -> String {
        match self {
            Self::PythonFrom { module, name } => format!("from {module} import {name}"),
            Self::PythonModule(module) => format!("import {module}"),
            Self::ScriptNamed { module, name, marks } => marks.written(name, module),
            Self::Script { written, .. } => written.clone(),
            Self::Include(header) => format!("#include {header}"),
            Self::RustUse(path) => format!("use {path};"),
            Self::Other(written) => written.clone(),
        }
    }
}

/// Returns how a file already writes the module that a file of the workspace is.
fn written_module(user: &SourceFile, path: &str, view: &View<'_>) -> Option<String> {
    let mut all = groups(user, 0).into_iter().flat_map(|group| group.lines);
    all.find(|line| module_file(view, user, &line.module).as_deref() == Some(path))
        .map(|line| line.module)
}

// Modules of the same project are written with the ending that the file writes elsewhere.
fn script_module(user: &SourceFile, path: &str) -> String {
    let mut module = relative(user.path(), path);
    let with_ending = user.text().contains(".js'") || user.text().contains(".js\"");
    for ending in [".d.ts", ".ts", ".tsx", ".jsx", ".js", ".mjs", ".mts"] {
        if let Some(stem) = module.strip_suffix(ending) {
            module = if with_ending { format!("{stem}.js") } else { stem.to_owned() };
            break;
        }
    }
    match module.strip_suffix("/index") {
        Some(folder) if !with_ending => folder.to_owned(),
        _ => module,
    }
}

pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Lists how another file imports a name, as `user` would have to write it.
pub(super) fn imported_as(other: &SourceFile, name: &str, user: &SourceFile) -> Vec<Statement> {
    const KEPT: usize = 2;
    let from_lists = lists(other).into_iter().filter_map(|list| {
        let part = list.written(other, name)?.to_owned();
        let module = as_written_in(&list.module, other, user)?;
        Some(match other.language() {
            Language::Python => Statement::PythonFrom { module, name: part },
            _ => Statement::ScriptNamed { module, name: part, marks: Marks::of(user, other) },
        })
    });
    let all = groups(other, 0);
    let lines = all.iter().flat_map(|group| &group.lines);
    let whole = lines.filter_map(|line| match other.language() {
        Language::Python => python(line.text, name),
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => {
            let module = as_written_in(&line.module, other, user)?;
            script(line.text, name, &line.module, module)
        }
        _ => None,
    });
    let mut found: Vec<Statement> = Vec::new();
    for statement in from_lists.chain(whole) {
        if !found.contains(&statement) && found.len() < KEPT {
            found.push(statement);
        }
    }
    found
}

// A relative module means another one in another folder.
fn as_written_in(module: &str, other: &SourceFile, user: &SourceFile) -> Option<String> {
    if !module.starts_with('.') || folder(other.path()) == folder(user.path()) {
        return Some(module.to_owned());
    }
    if other.language() == Language::Python {
        return None;
    }
    joined(folder(other.path()), module).map(|target| relative(user.path(), &target))
}

fn python(line: &str, name: &str) -> Option<Statement> {
    let is_it = |part: &&str| {
        *part == name
            || part.ends_with(&format!(" as {name}"))
            || part.split('.').next() == Some(name)
    };
    let module = line.strip_prefix("import ")?.split(',').map(str::trim).find(is_it)?;
    Some(Statement::PythonModule(module.to_owned()))
}

fn script(line: &str, name: &str, old: &str, module: String) -> Option<Statement> {
    let is_bound = |head: &str| {
        let head = head.split('{').next().unwrap_or(head).trim().trim_end_matches(',').trim();
        (head == name || head.ends_with(&format!("as {name}"))).then(|| head.to_owned())
    };
    let written = match line.strip_prefix("import ") {
        Some(rest) => {
            let (names, _) = rest.rsplit_once(" from ")?;
            let head = is_bound(names.strip_prefix("type ").unwrap_or(names))?;
            let tail = line.get(line.rfind(" from ")?..)?;
            format!("import {head}{}", tail.replacen(old, &module, 1))
        }
        None => {
            let (left, _) = line.split_once("= require(")?;
            is_bound(left.split_whitespace().nth(1)?)?;
            line.replacen(old, &module, 1)
        }
    };
    Some(Statement::Script { written, module })
}
