//! Which of the user's variables a proposed command gets beside those every run has.
//!
//! In: the user's variables, the names of a setting, and what was asked for by flag. Out: names and
//! values, and what was left out or is unusual. Never passes a name that promises a secret unless the
//! flag names it: a setting is written once and forgotten, a flag is in sight.

use salve_text::is_secret_name;
use std::collections::BTreeMap;

/// Names that change how much a tool says, where and in what colour, and nothing that it executes.
pub const EVERYDAY_VARIABLES: &[&str] = &[
    "CARGO_BUILD_JOBS",
    "CARGO_INCREMENTAL",
    "CARGO_NET_OFFLINE",
    "CARGO_TERM_COLOR",
    "CARGO_TERM_PROGRESS_WHEN",
    "CGO_ENABLED",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "CONTINUOUS_INTEGRATION",
    "CTEST_OUTPUT_ON_FAILURE",
    "CTEST_PARALLEL_LEVEL",
    "DEBUG",
    "FORCE_COLOR",
    "GITHUB_ACTIONS",
    "GOARCH",
    "GOMAXPROCS",
    "GOOS",
    "GOTRACEBACK",
    "LINES",
    "LOG_LEVEL",
    "NODE_ENV",
    "NO_COLOR",
    "PROPTEST_CASES",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONFAULTHANDLER",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
    "PYTHONWARNINGS",
    "PY_COLORS",
    "RAYON_NUM_THREADS",
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    "RUST_LOG",
    "RUST_MIN_STACK",
    "RUST_TEST_THREADS",
    "TERM",
    "VERBOSE",
];

/// The variables of one run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunVariables {
    /// Names and values, in the order they were chosen.
    pub values: Vec<(String, String)>,
    /// Names of the setting that were left out because they promise a secret.
    pub withheld: Vec<String>,
    /// Names given by flag that are not everyday ones: they can change what a program executes.
    pub unusual: Vec<String>,
}

/// Why a variable cannot be passed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VariableError {
    /// The name is none.
    #[error("`{name}` cannot be the name of a variable")]
    Name {
        /// As given.
        name: String,
    },
    /// It has no value here.
    #[error("the variable `{name}` is not set")]
    NotSet {
        /// The name.
        name: String,
    },
    /// Its value holds a NUL byte.
    #[error("the value of `{name}` holds a NUL byte")]
    Value {
        /// The name.
        name: String,
    },
}

/// Chooses the variables of a run: everyday names that are set, names of the setting that are set, and
/// what the flags say, which wins. A flag without a value passes the user's own.
///
/// # Errors
/// When a flag names nothing that can be passed.
pub fn run_variables(
    inherited: &BTreeMap<String, String>,
    setting: &[String],
    flags: &[(String, Option<String>)],
) -> Result<RunVariables, VariableError> {
    let mut chosen = RunVariables::default();
    let own = |name: &str| inherited.get(name).filter(|value| !value.contains('\0')).cloned();
    for name in EVERYDAY_VARIABLES {
        chosen.values.extend(own(name).map(|value| ((*name).to_owned(), value)));
    }
    for name in setting {
        match own(name) {
            Some(_) if is_secret_name(name) => chosen.withheld.push(name.clone()),
            Some(value) if is_name(name) => chosen.set(name, value),
            _ => {}
        }
    }
    for (name, value) in flags {
        let name = name.clone();
        if !is_name(&name) {
            return Err(VariableError::Name { name });
        }
        let Some(value) = value.clone().or_else(|| inherited.get(&name).cloned()) else {
            return Err(VariableError::NotSet { name });
        };
        if value.contains('\0') {
            return Err(VariableError::Value { name });
        }
        if !EVERYDAY_VARIABLES.contains(&name.as_str()) {
            chosen.unusual.push(name.clone());
        }
        chosen.set(&name, value);
    }
    Ok(chosen)
}

impl RunVariables {
    fn set(&mut self, name: &str, value: String) {
        self.values.retain(|(other, _)| other != name);
        self.values.push((name.to_owned(), value));
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user() -> BTreeMap<String, String> {
        [
            ("CI", "1"),
            ("NODE_ENV", "test"),
            ("RUST_LOG", "debug"),
            ("TERM", "xterm-256color"),
            ("DATABASE_URL", "postgres://localhost/x"),
            ("GITHUB_TOKEN", "t"),
            ("AWS_SECRET_ACCESS_KEY", "s"),
            ("LD_PRELOAD", "/x.so"),
            ("MY_FLAG", "on"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
    }

    fn names(chosen: &RunVariables) -> Vec<&str> {
        chosen.values.iter().map(|(name, _)| name.as_str()).collect()
    }

    #[test]
    fn everyday_names_pass_and_nothing_else_by_itself() {
        let chosen = run_variables(&user(), &[], &[]).unwrap();
        assert_eq!(names(&chosen), ["CI", "NODE_ENV", "RUST_LOG", "TERM"]);
    }

    #[test]
    fn a_setting_passes_names_but_never_secrets() {
        let setting = ["MY_FLAG", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "ABSENT", ""];
        let chosen = run_variables(&user(), &setting.map(str::to_owned), &[]).unwrap();
        assert!(names(&chosen).contains(&"MY_FLAG"));
        assert_eq!(chosen.withheld, ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY"]);
        assert!(!chosen.values.iter().any(|(_, value)| value == "t" || value == "s"));
    }

    #[test]
    fn a_flag_passes_what_it_names_and_wins() {
        let flags =
            [("CI", Some("0")), ("GITHUB_TOKEN", None), ("NEW", Some("a=b")), ("E", Some(""))];
        let flags = flags.map(|(name, value)| (name.to_owned(), value.map(str::to_owned)));
        let chosen = run_variables(&user(), &["CI".to_owned()], &flags).unwrap();
        let value = |name: &str| {
            let found: Vec<&str> = chosen
                .values
                .iter()
                .filter(|(other, _)| other == name)
                .map(|(_, value)| value.as_str())
                .collect();
            found.join(" and ")
        };
        assert_eq!(
            [value("CI"), value("GITHUB_TOKEN"), value("NEW"), value("E")],
            ["0", "t", "a=b", ""]
        );
        assert_eq!(chosen.unusual, ["GITHUB_TOKEN", "NEW", "E"]);
    }

    #[test]
    fn a_flag_that_passes_nothing_is_an_error() {
        let refused = |name: &str, value: Option<&str>| {
            let flag = (name.to_owned(), value.map(str::to_owned));
            run_variables(&user(), &[], &[flag]).unwrap_err()
        };
        assert_eq!(refused("", Some("x")), VariableError::Name { name: String::new() });
        assert_eq!(
            refused("NOT_HERE", None),
            VariableError::NotSet { name: "NOT_HERE".to_owned() }
        );
        assert_eq!(refused("X", Some("a\0b")), VariableError::Value { name: "X".to_owned() });
    }

    #[test]
    fn no_everyday_name_promises_a_secret_or_loads_code() {
        for name in EVERYDAY_VARIABLES {
            assert!(!is_secret_name(name), "{name}");
            let loads = ["PATH", "PRELOAD", "OPTIONS", "FLAGS", "WRAPPER", "STARTUP", "GIT_"];
            assert!(!loads.iter().any(|part| name.contains(part)), "{name}");
        }
    }
}
