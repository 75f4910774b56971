//! Packages that are not installed.
//!
//! In: a diagnostic that a module is not found which the workspace does not have. Out: the command of the
//! project's package manager that adds it. Only proposed: the policy decides whether it runs.

use super::draft::Draft;
use super::view::View;
use salve_types::{Diagnostic, Hint, Language};

const AUTHOR: &str = "missing-dependency";

/// Drafts the commands that would add what is missing.
pub(super) fn fix(diagnostic: &Diagnostic, view: &View<'_>) -> Vec<Draft> {
    let path = diagnostic.primary().map_or("", |span| span.path.as_str());
    let language = Language::from_path(path).unwrap_or_default();
    let mut drafts = Vec::new();
    for hint in &diagnostic.hints {
        if let Hint::UnknownModule { name } = hint {
            drafts.extend(command(language, name, path, view));
        }
    }
    drafts
}

fn command(language: Language, module: &str, path: &str, view: &View<'_>) -> Option<Draft> {
    match language {
        Language::Rust => {
            let name = module.split("::").next().filter(|name| is_package(name))?;
            let folder = nearest(view, path, "Cargo.toml")?;
            let is_own = |other: &String| {
                other.ends_with(&format!("/{name}.rs")) || other.contains(&format!("/{name}/"))
            };
            (!view.paths().iter().any(is_own)).then(|| {
                Draft::command(AUTHOR, &folder, &["cargo", "add", &name.replace('_', "-")])
            })
        }
        Language::Python => {
            let name = module.split('.').next().filter(|name| is_package(name))?;
            let is_own = |other: &String| {
                other.ends_with(&format!("{name}.py")) || other.contains(&format!("{name}/"))
            };
            if view.paths().iter().any(is_own) {
                return None;
            }
            let package = PYTHON_PACKAGES.iter().find(|(module, _)| *module == name);
            let package = package.map_or(name, |(_, package)| package);
            Some(Draft::command(AUTHOR, "", &["python", "-m", "pip", "install", package]))
        }
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => {
            let name = package_of(module)?;
            let folder = nearest(view, path, "package.json")?;
            Some(Draft::command(AUTHOR, &folder, &["npm", "install", name]))
        }
        _ => None,
    }
}

// `@scope/name/inner` is of the package `@scope/name`; what begins with a dot is a file.
fn package_of(module: &str) -> Option<&str> {
    let module = module.split("node:").last()?;
    let parts = if module.starts_with('@') { 2 } else { 1 };
    let end = module.match_indices('/').nth(parts - 1).map_or(module.len(), |(at, _)| at);
    let name = &module[..end];
    let plain =
        |one: char| one.is_ascii_alphanumeric() || matches!(one, '-' | '_' | '.' | '@' | '/');
    let is_name = name.starts_with(|one: char| one.is_ascii_alphanumeric() || one == '@');
    (is_name && name.chars().all(plain)).then_some(name)
}

fn is_package(name: &str) -> bool {
    name.starts_with(|one: char| one.is_ascii_alphabetic())
        && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_' || one == '-')
        && !matches!(name, "crate" | "self" | "super" | "std" | "core" | "alloc")
}

// The nearest folder upwards that has a manifest.
fn nearest(view: &View<'_>, path: &str, manifest: &str) -> Option<String> {
    let mut folder = path;
    loop {
        folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
        let wanted =
            if folder.is_empty() { manifest.to_owned() } else { format!("{folder}/{manifest}") };
        if view.paths().binary_search(&wanted).is_ok() {
            return Some(folder.to_owned());
        }
        if folder.is_empty() {
            return None;
        }
    }
}

// Modules whose package has another name.
const PYTHON_PACKAGES: &[(&str, &str)] = &[
    ("yaml", "PyYAML"),
    ("cv2", "opencv-python"),
    ("PIL", "Pillow"),
    ("sklearn", "scikit-learn"),
    ("bs4", "beautifulsoup4"),
    ("dateutil", "python-dateutil"),
    ("dotenv", "python-dotenv"),
    ("jwt", "PyJWT"),
    ("git", "GitPython"),
    ("attr", "attrs"),
    ("OpenSSL", "pyOpenSSL"),
    ("serial", "pyserial"),
    ("Crypto", "pycryptodome"),
];

#[cfg(test)]
mod tests {
    use crate::heal::fixers::propose;
    use crate::heal::fixers::testing::{Files, said};

    #[test]
    fn a_package_that_is_not_there_is_added_by_its_manager() {
        for (tool, path, manifest, message, wanted) in [
            (
                "rustc",
                "a/src/main.rs",
                "a/Cargo.toml",
                "use of unresolved module or unlinked crate `serde_json`",
                Some("a: cargo add serde-json"),
            ),
            (
                "python",
                "a.py",
                "setup.py",
                "No module named 'yaml'",
                Some(": python -m pip install PyYAML"),
            ),
            (
                "tsc",
                "src/a.ts",
                "package.json",
                "Cannot find module '@scope/pkg/deep' or its corresponding type declarations.",
                Some(": npm install @scope/pkg"),
            ),
            (
                "tsc",
                "src/a.ts",
                "package.json",
                "Cannot find module './pkg' or its corresponding type declarations.",
                None,
            ),
            (
                "tsc",
                "src/a.ts",
                "other.json",
                "Cannot find module 'pkg' or its corresponding type declarations.",
                None,
            ),
        ] {
            let files = Files::new(&[(path, "x\n"), (manifest, "")]);
            let fixes = propose(&[said(tool, message, path, (1, 1))], &files);
            let command = fixes.iter().flat_map(|fix| &fix.commands).next();
            let command = command.map(|one| format!("{}: {}", one.folder, one.argv.join(" ")));
            assert_eq!(command.as_deref(), wanted, "{message}");
        }
    }
}
