//! What a project's own build files declare: scripts of a package, targets of a make file.
//!
//! In: the text of the file. Out: whether it declares a name. Never guesses: what `npm init` writes in
//! place of a test is none, and a make file's default target is not asked for.

use serde::Deserialize;

/// Something that a build file declares.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Declared {
    /// A script of `package.json`.
    Script(String),
    /// A target of a make file.
    Target(String),
}

/// The words that `npm init` puts in place of a test.
const PLACEHOLDER: &str = "no test specified";

impl Declared {
    /// Tells whether the text of a build file declares it.
    pub(super) fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Script(name) => has_script(text, name),
            Self::Target(name) => text.lines().any(|line| is_rule(line, name)),
        }
    }
}

fn has_script(text: &str, name: &str) -> bool {
    let package: serde_json::Value = match serde_json::from_str(text) {
        Ok(package) => package,
        Err(_) => return false,
    };
    let script = package.get("scripts").and_then(|scripts| scripts.get(name));
    script
        .and_then(serde_json::Value::as_str)
        .is_some_and(|script| !script.trim().is_empty() && !script.contains(PLACEHOLDER))
}

// `test:`, `check test: deps`, `test::`; not `test := x`, not a recipe, not `.PHONY: test`.
fn is_rule(line: &str, name: &str) -> bool {
    if line.starts_with(['\t', '#', ' ']) {
        return false;
    }
    let Some((targets, rest)) = line.split_once(':') else { return false };
    let assigns = rest.starts_with('=') || rest.starts_with(":=") || targets.contains('=');
    !assigns && targets.split_whitespace().any(|target| target == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_counts_when_it_tests_something() {
        let script = Declared::Script("test".to_owned());
        for (text, expected) in [
            (r#"{"scripts": {"test": "jest"}}"#, true),
            (r#"{"scripts": {"test": "node --test"}}"#, true),
            (r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#, false),
            (r#"{"scripts": {"test": " "}}"#, false),
            (r#"{"scripts": {"build": "tsc"}, "test": "jest"}"#, false),
            (r#"{"jest": {"test": "x"}}"#, false),
            ("{", false),
        ] {
            assert_eq!(script.is_in(text), expected, "{text}");
        }
    }

    #[test]
    fn a_target_counts_when_it_is_a_rule() {
        let target = Declared::Target("test".to_owned());
        for (text, expected) in [
            ("all: x\n\ntest: all\n\t./run\n", true),
            ("check test:\n\t./run\n", true),
            ("test::\n", true),
            ("test:; ./run\n", true),
            ("all:\n\tmake test: x\n", false),
            ("test := 1\n", false),
            ("test ::= 1\n", false),
            (".PHONY: test\n", false),
            ("# test: none\n", false),
            ("tests: x\n", false),
            ("X = test: y\n", false),
        ] {
            assert_eq!(target.is_in(text), expected, "{text:?}");
        }
    }
}
