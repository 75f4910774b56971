//! The class of a diagnostic: import, type, syntax, lint, test, build or runtime.
//!
//! In: the tool's name, its code and its message. Out: the class. The knowledge is the tables below
//! and in `codes.rs`. Never looks at the source.

mod codes;

use codes::{
    C_CODES, C_WORDS, GO_WORDS, JAVAC_CODES, JAVAC_WORDS, PYTHON_CODES, RUSTC_CODES, RUSTC_WORDS,
    TSC_CODES,
};
use salve_types::ErrorClass;

/// Tells the class of what `tool` said. Knows `rustc`, `clippy`, `cargo`, `rust-test`, `tsc`,
/// `eslint`, `ruff`, `mypy`, `pyright`, `pytest`, `unittest`, `python`, `node`, `go`, `go-vet`,
/// `go-test`, `gcc`, `clang`, `ld`, `javac`, `bash` and `json-schema`; another tool is judged by its
/// words alone.
#[must_use]
pub fn classify(tool: &str, code: Option<&str>, message: &str) -> ErrorClass {
    let code = code.unwrap_or_default();
    let table = TABLES.iter().find(|table| table.tools.contains(&tool)).unwrap_or(&OTHER);
    by_code(table.codes, code)
        .or_else(|| by_words(table.words, message))
        .or_else(|| (!code.is_empty()).then_some(table.with_code).flatten())
        .unwrap_or(table.otherwise)
}

struct Table {
    tools: &'static [&'static str],
    /// Codes, or beginnings of codes when they end in `*`; the first that fits counts.
    codes: &'static [(&'static str, ErrorClass)],
    /// Beginnings of the message, or parts of it when they begin with `*`.
    words: &'static [(&'static str, ErrorClass)],
    /// The class of a code that is in no row.
    with_code: Option<ErrorClass>,
    otherwise: ErrorClass,
}

use ErrorClass::{Build, Import, Lint, Runtime, Syntax, Test, Type};

const OTHER: Table = Table {
    tools: &[],
    codes: PYTHON_CODES,
    words: &[
        ("*syntax error", Syntax),
        ("*unexpected token", Syntax),
        ("*cannot find module", Import),
        ("*no module named", Import),
        ("*assertion failed", Test),
        ("*undefined reference", Build),
    ],
    with_code: None,
    otherwise: Build,
};

const TABLES: &[Table] = &[
    Table {
        tools: &["rustc", "clippy"],
        codes: RUSTC_CODES,
        words: RUSTC_WORDS,
        with_code: Some(Lint),
        otherwise: Syntax,
    },
    Table {
        tools: &["cargo"],
        codes: &[],
        words: &[
            ("no matching package", Import),
            ("failed to select a version", Import),
            ("*(signal: ", Runtime),
        ],
        with_code: None,
        otherwise: Build,
    },
    Table {
        tools: &["rust-test", "go-test"],
        codes: RUSTC_CODES,
        words: &[],
        with_code: None,
        otherwise: Test,
    },
    Table {
        tools: &["tsc"],
        codes: TSC_CODES,
        words: &[],
        with_code: Some(Type),
        otherwise: Build,
    },
    Table {
        tools: &["eslint"],
        codes: &[
            ("import/no-unresolved", Import),
            ("import/named", Import),
            ("import-x/no-unresolved", Import),
            ("n/no-missing-import", Import),
            ("n/no-missing-require", Import),
            ("node/no-missing-import", Import),
            ("node/no-missing-require", Import),
        ],
        words: &[("Parsing error", Syntax)],
        with_code: Some(Lint),
        otherwise: Build,
    },
    Table {
        tools: &["ruff"],
        codes: &[("invalid-syntax*", Syntax), ("E999", Syntax), ("E902", Build), ("F999", Syntax)],
        words: &[("SyntaxError", Syntax)],
        with_code: Some(Lint),
        otherwise: Syntax,
    },
    Table {
        tools: &["mypy"],
        codes: &[("import*", Import), ("syntax", Syntax), ("unused-*", Lint), ("deprecated", Lint)],
        words: &[],
        with_code: Some(Type),
        otherwise: Build,
    },
    Table {
        tools: &["pyright"],
        codes: &[
            ("reportMissingImports", Import),
            ("reportMissingModuleSource", Import),
            ("reportImportCycles", Import),
            ("reportMissingTypeStubs", Import),
            ("reportUnused*", Lint),
            ("reportDuplicateImport", Lint),
            ("reportDeprecated", Lint),
            ("reportPrivate*", Lint),
            ("reportMissingSuperCall", Lint),
            ("reportWildcardImportFromLibrary", Lint),
            ("reportUnnecessary*", Lint),
            ("reportInvalidStringEscapeSequence", Lint),
        ],
        words: &[("Import cycles", Import)],
        with_code: Some(Type),
        otherwise: Syntax,
    },
    Table {
        tools: &["pytest", "unittest"],
        codes: PYTHON_CODES,
        words: &[],
        with_code: Some(Test),
        otherwise: Test,
    },
    Table {
        tools: &["python"],
        codes: PYTHON_CODES,
        words: &[],
        with_code: Some(Runtime),
        otherwise: Build,
    },
    Table {
        tools: &["node"],
        codes: &[
            ("ERR_MODULE_NOT_FOUND", Import),
            ("MODULE_NOT_FOUND", Import),
            ("ERR_PACKAGE_PATH_NOT_EXPORTED", Import),
            ("ERR_UNSUPPORTED_DIR_IMPORT", Import),
            ("ERR_UNKNOWN_BUILTIN_MODULE", Import),
            ("ERR_REQUIRE_ESM", Import),
            ("ERR_ASSERTION", Test),
            ("ERR_TEST_FAILURE", Test),
        ],
        words: &[
            ("Cannot find module", Import),
            ("Cannot find package", Import),
            ("The requested module", Import),
            ("Named export", Import),
        ],
        with_code: None,
        otherwise: Runtime,
    },
    Table { tools: &["go"], codes: &[], words: GO_WORDS, with_code: Some(Type), otherwise: Type },
    Table {
        tools: &["go-vet"],
        codes: &[],
        words: GO_WORDS,
        with_code: Some(Lint),
        otherwise: Type,
    },
    Table {
        tools: &["gcc", "clang"],
        codes: C_CODES,
        words: C_WORDS,
        with_code: Some(Lint),
        otherwise: Type,
    },
    Table { tools: &["ld"], codes: &[], words: &[], with_code: None, otherwise: Build },
    Table {
        tools: &["javac"],
        codes: JAVAC_CODES,
        words: JAVAC_WORDS,
        with_code: Some(Type),
        otherwise: Type,
    },
    Table {
        tools: &["bash"],
        codes: &[],
        words: &[("*no such file or directory", Build), ("*command not found", Runtime)],
        with_code: None,
        otherwise: Syntax,
    },
    Table {
        tools: &["json-schema"],
        codes: &[],
        words: &[("*failed to parse", Syntax)],
        with_code: Some(Type),
        otherwise: Type,
    },
];

fn by_code(table: &[(&str, ErrorClass)], code: &str) -> Option<ErrorClass> {
    if code.is_empty() {
        return None;
    }
    let fits = |row: &str| match row.strip_suffix('*') {
        Some(beginning) => code.starts_with(beginning),
        None => code == row,
    };
    table.iter().find(|(row, _)| fits(row)).map(|&(_, class)| class)
}

fn by_words(table: &[(&str, ErrorClass)], message: &str) -> Option<ErrorClass> {
    // A class is told by the headline; a message of megabytes is not searched for each row.
    let head: String = message.chars().take(400).collect();
    let lower = head.to_lowercase();
    let fits = |row: &str| match row.strip_prefix('*') {
        Some(part) => lower.contains(part),
        None => head.starts_with(row),
    };
    table.iter().find(|(row, _)| fits(row)).map(|&(_, class)| class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h16_a_class_is_told_by_tool_code_and_words() {
        #[rustfmt::skip]
        let rows: &[(&str, &str, &str, ErrorClass)] = &[
            ("rustc", "E0432", "unresolved import `x`", Import),
            ("rustc", "E0583", "file not found for module `x`", Import),
            ("rustc", "E0308", "mismatched types", Type),
            ("rustc", "E0382", "use of moved value: `x`", Type),
            ("rustc", "E0765", "unterminated double quote string", Syntax),
            ("rustc", "", "expected `;`, found `}`", Syntax),
            ("rustc", "", "this file contains an unclosed delimiter", Syntax),
            ("rustc", "", "cannot find macro `x` in this scope", Type),
            ("rustc", "", "linking with `cc` failed: exit status: 1", Build),
            ("rustc", "dead_code", "function `x` is never used", Lint),
            ("clippy", "clippy::needless_return", "unneeded `return` statement", Lint),
            ("cargo", "", "no matching package named `x` found", Import),
            ("cargo", "", "failed to run custom build command for `x`", Build),
            ("cargo", "", "process didn't exit successfully: `x` (signal: 11, SIGSEGV)", Runtime),
            ("rust-test", "", "assertion `left == right` failed", Test),
            ("tsc", "TS1005", "';' expected.", Syntax),
            ("tsc", "TS2307", "Cannot find module 'x'", Import),
            ("tsc", "TS2322", "Type 'string' is not assignable to type 'number'.", Type),
            ("tsc", "TS6133", "'x' is declared but its value is never read.", Lint),
            ("tsc", "TS18003", "No inputs were found in config file", Build),
            ("tsc", "TS17004", "Cannot use JSX unless the '--jsx' flag is provided.", Build),
            ("tsc", "TS18048", "'x' is possibly 'undefined'.", Type),
            ("eslint", "no-unused-vars", "'x' is defined but never used.", Lint),
            ("eslint", "import/no-unresolved", "Unable to resolve path to module 'x'.", Import),
            ("ruff", "F401", "`os` imported but unused", Lint),
            ("ruff", "invalid-syntax", "Expected an expression", Syntax),
            ("mypy", "import-not-found", "Cannot find implementation", Import),
            ("mypy", "arg-type", "Argument 1 has incompatible type", Type),
            ("pyright", "reportMissingImports", "Import \"x\" could not be resolved", Import),
            ("pyright", "reportUnusedVariable", "Variable \"x\" is not accessed", Lint),
            ("pyright", "", "Expected expression", Syntax),
            ("pytest", "AssertionError", "assert 1 == 2", Test),
            ("pytest", "ZeroDivisionError", "division by zero", Test),
            ("pytest", "ModuleNotFoundError", "No module named 'x'", Import),
            ("python", "TypeError", "unsupported operand", Runtime),
            ("python", "IndentationError", "unexpected indent", Syntax),
            ("node", "ERR_MODULE_NOT_FOUND", "Cannot find package 'x'", Import),
            ("node", "TypeError", "x is not a function", Runtime),
            ("go", "", "syntax error: unexpected {", Syntax),
            ("go", "", "no required module provides package x", Import),
            ("go", "", "package x is not in std", Import),
            ("go", "", "undefined: x", Type),
            ("go-vet", "printf", "fmt.Printf format %d has arg of wrong type", Lint),
            ("gcc", "", "x.h: No such file or directory", Import),
            ("gcc", "", "expected ‘;’ before ‘}’ token", Syntax),
            ("gcc", "-Wunused-variable", "unused variable ‘x’", Lint),
            ("gcc", "-Wimplicit-function-declaration", "implicit declaration of function ‘x’", Type),
            ("clang", "", "'x.h' file not found", Import),
            ("clang", "", "use of undeclared identifier 'x'", Type),
            ("ld", "", "undefined reference to `x'", Build),
            ("javac", "compiler.err.doesnt.exist", "package x does not exist", Import),
            ("javac", "compiler.err.expected", "';' expected", Syntax),
            ("javac", "compiler.err.cant.resolve", "cannot find symbol", Type),
            ("javac", "compiler.warn.raw.class.use", "found raw type", Lint),
            ("javac", "", "package x does not exist", Import),
            ("javac", "", "';' expected", Syntax),
            ("bash", "", "syntax error near unexpected token `}'", Syntax),
            ("json-schema", "type", "must be string", Type),
            ("some-linter", "", "Syntax error on line 3", Syntax),
            ("some-runner", "ModuleNotFoundError", "No module named 'x'", Import),
        ];
        for &(tool, code, message, wanted) in rows {
            let code = Some(code).filter(|code| !code.is_empty());
            assert_eq!(classify(tool, code, message), wanted, "{tool} {code:?} {message}");
        }
    }
}
