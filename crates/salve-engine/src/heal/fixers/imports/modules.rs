//! Modules and the files they are.
//!
//! In: a path, or a module as it is written. Out: the one for the other. Never looks outside the workspace.

use super::super::view::{SourceFile, View};
use super::known::standard_modules;
use super::statement::folder;
use salve_types::Language;
use std::collections::BTreeSet;

/// Returns the module that a file of Python is: `src/app/util.py` is `app.util`.
pub(super) fn module_path(path: &str, language: Language) -> Option<String> {
    if language != Language::Python {
        return None;
    }
    let stem = path.strip_suffix(".py")?;
    let stem = stem.strip_suffix("/__init__").unwrap_or(stem);
    let stem = stem.strip_prefix("src/").unwrap_or(stem);
    let is_name = |part: &str| {
        !part.is_empty() && part.chars().all(|one| one.is_alphanumeric() || one == '_')
    };
    stem.split('/').all(is_name).then(|| stem.replace('/', "."))
}

/// Returns the file that a module as it is written in `user` is.
pub(super) fn module_file(view: &View<'_>, user: &SourceFile, module: &str) -> Option<String> {
    let exists = |path: &String| view.paths().binary_search(path).is_ok();
    if user.language() == Language::Python {
        let dots = module.bytes().take_while(|byte| *byte == b'.').count();
        let rest = module[dots..].replace('.', "/");
        let below = match dots {
            0 => String::new(),
            _ => (1..dots).fold(folder(user.path()).to_owned(), |at, _| folder(&at).to_owned()),
        };
        let base = if below.is_empty() { rest } else { format!("{below}/{rest}") };
        let ends = [
            format!("{base}.py"),
            format!("{base}/__init__.py"),
            format!("src/{base}.py"),
            format!("src/{base}/__init__.py"),
        ];
        return ends.into_iter().find(exists);
    }
    let base = joined(folder(user.path()), module).filter(|_| module.starts_with('.'))?;
    let stem = base.strip_suffix(".js").unwrap_or(&base).to_owned();
    let endings = ["", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", "/index.ts", "/index.js"];
    let all =
        endings.iter().flat_map(|ending| [format!("{base}{ending}"), format!("{stem}{ending}")]);
    all.into_iter().find(exists)
}

/// Lists the modules that a file may import: those of the workspace, of the standard library, and those
/// that other files import.
pub(super) fn module_names(view: &View<'_>, user: &SourceFile) -> BTreeSet<String> {
    let mut names: BTreeSet<String> =
        standard_modules(user.language()).iter().map(|&name| name.to_owned()).collect();
    for path in view.paths() {
        match user.language() {
            Language::Python => names.extend(module_path(path, Language::Python)),
            Language::C | Language::Cpp if path.ends_with(".h") || path.ends_with(".hpp") => {
                let written = relative(user.path(), path);
                names.insert(written.strip_prefix("./").unwrap_or(&written).to_owned());
                names.insert(path.rsplit('/').next().unwrap_or(path).to_owned());
            }
            Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => {
                let written = relative(user.path(), path);
                for ending in [".d.ts", ".ts", ".tsx", ".jsx", ".js", ".mjs"] {
                    if let Some(stem) = written.strip_suffix(ending) {
                        names.insert(stem.to_owned());
                        names.insert(format!("{stem}.js"));
                        names.extend(stem.strip_suffix("/index").map(str::to_owned));
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    names
}

/// Returns the path to `target` as a file at `user` writes it, with `./` or `../` before it.
pub(super) fn relative(user: &str, target: &str) -> String {
    let from: Vec<&str> = folder(user).split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = target.split('/').collect();
    let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = from.len() - common;
    let mut parts: Vec<&str> = if up == 0 { vec!["."] } else { vec![".."; up] };
    parts.extend(&to[common..]);
    parts.join("/")
}

/// Joins a folder and a path with dots; nothing when it leaves the workspace.
pub(super) fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_between_files_are_written_as_scripts_write_them() {
        for (user, target, wanted) in [
            ("a.ts", "b.ts", "./b.ts"),
            ("src/a.ts", "src/util/b.ts", "./util/b.ts"),
            ("src/x/a.ts", "src/b.ts", "../b.ts"),
            ("src/x/a.ts", "lib/b.ts", "../../lib/b.ts"),
        ] {
            assert_eq!(relative(user, target), wanted);
            assert_eq!(joined(folder(user), wanted).as_deref(), Some(target));
        }
        assert_eq!(joined("a", "../../b"), None);
        assert_eq!(module_path("src/app/util.py", Language::Python).as_deref(), Some("app.util"));
        assert_eq!(module_path("app/__init__.py", Language::Python).as_deref(), Some("app"));
        assert_eq!(module_path("my-app/x.py", Language::Python), None);
    }
}
