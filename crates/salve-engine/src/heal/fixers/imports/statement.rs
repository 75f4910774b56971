//! An import as a statement of its language.
//!
//! In: what is imported, and how. Out: the statement, as it would be written in a given file. Knows Python,
//! the family of JavaScript, and C; other languages have no statements here.

use super::super::view::SourceFile;
use super::modules::{module_path, relative};
use salve_types::Language;

/// One import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::heal::fixers) enum Statement {
    /// `from MODULE import NAME`.
    PythonFrom { module: String, name: String },
    /// `import MODULE` or `import MODULE as NAME`.
    PythonModule(String),
    /// `import { NAME } from 'MODULE'`.
    ScriptNamed { module: String, name: String, quote: char },
    /// Another statement of the family of JavaScript, whole.
    Script { written: String, module: String },
    /// `#include <…>` or `#include "…"`.
    Include(String),
    /// A statement of Go or Java, whole.
    Other(String),
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
    pub(super) fn from_file(user: &SourceFile, path: &str, name: &str) -> Option<Self> {
        let name = name.to_owned();
        match user.language() {
            Language::Python => {
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
                let module = script_module(user, path);
                Some(Self::ScriptNamed { module, name, quote: quote(user.text()) })
            }
            _ => None,
        }
    }

    /// Returns the statement as it is written.
    pub(super) fn written(&self) -> String {
        match self {
            Self::PythonFrom { module, name } => format!("from {module} import {name}"),
            Self::PythonModule(module) => format!("import {module}"),
            Self::ScriptNamed { module, name, quote } => {
                format!("import {{ {name} }} from {quote}{module}{quote};")
            }
            Self::Script { written, .. } => written.clone(),
            Self::Include(header) => format!("#include {header}"),
            Self::Other(written) => written.clone(),
        }
    }
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

/// Returns the quote that a file writes around its modules.
pub(super) fn quote(text: &str) -> char {
    let (double, single) = (text.matches("from \"").count(), text.matches("from '").count());
    if double > single { '"' } else { '\'' }
}

pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Lists how another file imports a name, as `user` would have to write it.
pub(super) fn imported_as(other: &SourceFile, name: &str, user: &str) -> Vec<Statement> {
    let mut found = Vec::new();
    for span in other.words(name) {
        let line =
            other.line(other.line_of(span.start)).and_then(|line| other.text().get(line.range()));
        let Some(line) = line.map(str::trim) else { continue };
        let statement = match other.language() {
            Language::Python => python(other, line, name, user),
            Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => {
                script(other, line, name, user)
            }
            _ => None,
        };
        if let Some(statement) = statement
            && !found.contains(&statement)
        {
            found.push(statement);
        }
        if found.len() >= 2 {
            break;
        }
    }
    found
}

fn python(other: &SourceFile, line: &str, name: &str, user: &str) -> Option<Statement> {
    if let Some(rest) = line.strip_prefix("import ") {
        let is_it = |part: &&str| {
            *part == name
                || part.ends_with(&format!(" as {name}"))
                || part.split('.').next() == Some(name)
        };
        let module = rest.split(',').map(str::trim).find(is_it)?;
        return Some(Statement::PythonModule(module.to_owned()));
    }
    let (module, names) = line.strip_prefix("from ")?.split_once(" import ")?;
    let names = names.trim_matches(['(', ')', ' ']);
    let part = names
        .split(',')
        .map(str::trim)
        .find(|part| *part == name || part.ends_with(&format!(" as {name}")))?;
    // A relative module means another one in another folder.
    if module.starts_with('.') && folder(other.path()) != folder(user) {
        return None;
    }
    Some(Statement::PythonFrom { module: module.to_owned(), name: part.to_owned() })
}

fn script(other: &SourceFile, line: &str, name: &str, user: &str) -> Option<Statement> {
    let rest = line.strip_prefix("import ")?;
    let (names, module) = rest.rsplit_once(" from ")?;
    let module = module.trim_end_matches(';').trim();
    let mark = module.chars().next().filter(|one| matches!(one, '"' | '\''))?;
    let module = module.trim_matches(mark);
    let module = if module.starts_with('.') && folder(other.path()) != folder(user) {
        let target = super::modules::joined(folder(other.path()), module)?;
        relative(user, &target)
    } else {
        module.to_owned()
    };
    let braced =
        names.find('{').zip(names.find('}')).and_then(|(from, to)| names.get(from + 1..to));
    let named = braced.and_then(|list| {
        list.split(',')
            .map(str::trim)
            .find(|part| *part == name || part.ends_with(&format!(" as {name}")))
    });
    if let Some(part) = named {
        return Some(Statement::ScriptNamed { module, name: part.to_owned(), quote: mark });
    }
    let head = names.split('{').next()?.trim().trim_end_matches(',').trim();
    let is_it = head == name || head.ends_with(&format!("as {name}"));
    is_it.then(|| Statement::Script {
        written: format!("import {head} from {mark}{module}{mark};"),
        module: module.clone(),
    })
}
