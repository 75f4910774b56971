//! The class of a diagnostic: import, type, syntax, lint, test, build or runtime.
//!
//! In: the tool's name, its code and its message. Out: the class. The knowledge is the tables below.
//! Never looks at the source.

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

const RUSTC_CODES: &[(&str, ErrorClass)] = &[
    ("E0432", Import),
    ("E0433", Import),
    ("E0463", Import),
    ("E0583", Import),
    ("E0584", Syntax),
    ("E0460", Import),
    ("E0461", Import),
    ("E0462", Import),
    ("E0464", Import),
    ("E0514", Import),
    ("E0585", Syntax),
    ("E0586", Syntax),
    ("E0178", Syntax),
    ("E0670", Syntax),
    ("E0704", Syntax),
    ("E0742", Syntax),
    ("E0748", Syntax),
    ("E0753", Syntax),
    ("E0757", Syntax),
    ("E0758", Syntax),
    ("E0762", Syntax),
    ("E0763", Syntax),
    ("E0765", Syntax),
    ("E0766", Syntax),
    ("E0768", Syntax),
    ("E0601", Build),
    ("E0*", Type),
    ("E1*", Type),
];

// What rustc says without a code is about the text, but for these.
const RUSTC_WORDS: &[(&str, ErrorClass)] = &[
    ("linking with", Build),
    ("linker ", Build),
    ("could not compile", Build),
    ("could not find native", Build),
    ("could not write", Build),
    ("couldn't read", Import),
    ("environment variable", Build),
    ("failed to", Build),
    ("the compiler unexpectedly panicked", Build),
    ("internal compiler error", Build),
    ("cannot find macro", Type),
    ("cannot find attribute", Type),
    ("cannot find derive macro", Type),
    ("proc macro panicked", Build),
    ("proc-macro derive panicked", Build),
    ("format argument must be", Syntax),
    ("invalid format string", Syntax),
    ("argument never used", Type),
    ("lifetime may not live long enough", Type),
    ("implementation of ", Type),
    ("higher-ranked", Type),
    ("no rules expected", Type),
    ("captured variable cannot escape", Type),
    ("type annotations needed", Type),
    ("future cannot be", Type),
    ("evaluation of ", Type),
    ("any use of this value", Type),
    ("queries overflow the depth limit", Type),
    ("reached the recursion limit", Type),
    ("recursion limit reached", Type),
    ("unused ", Lint),
];

const TSC_CODES: &[(&str, ErrorClass)] = &[
    ("TS1192", Import),
    ("TS1259", Import),
    ("TS1261", Import),
    ("TS1149", Import),
    ("TS1479", Import),
    ("TS1484", Type),
    ("TS1361", Type),
    ("TS1362", Type),
    ("TS1208", Build),
    ("TS17004", Build),
    ("TS17*", Type),
    ("TS18002", Build),
    ("TS18003", Build),
    ("TS18*", Type),
    ("TS1*", Syntax),
    ("TS2307", Import),
    ("TS2305", Import),
    ("TS2306", Import),
    ("TS2614", Import),
    ("TS2724", Import),
    ("TS2691", Import),
    ("TS2732", Import),
    ("TS2792", Import),
    ("TS2834", Import),
    ("TS2835", Import),
    ("TS2882", Import),
    ("TS5097", Import),
    ("TS7016", Import),
    ("TS6133", Lint),
    ("TS6138", Lint),
    ("TS6192", Lint),
    ("TS6196", Lint),
    ("TS6198", Lint),
    ("TS6199", Lint),
    ("TS7027", Lint),
    ("TS7028", Lint),
    ("TS7029", Lint),
    ("TS5*", Build),
    ("TS6*", Build),
    ("TS8*", Syntax),
];

const PYTHON_CODES: &[(&str, ErrorClass)] = &[
    ("ModuleNotFoundError", Import),
    ("ImportError", Import),
    ("SyntaxError", Syntax),
    ("IndentationError", Syntax),
    ("TabError", Syntax),
    ("AssertionError", Test),
];

const GO_WORDS: &[(&str, ErrorClass)] = &[
    ("syntax error", Syntax),
    ("illegal character", Syntax),
    ("illegal label", Syntax),
    ("newline in ", Syntax),
    ("expected ", Syntax),
    ("missing return", Type),
    ("string not terminated", Syntax),
    ("string literal not terminated", Syntax),
    ("comment not terminated", Syntax),
    ("rune literal not terminated", Syntax),
    ("invalid character", Syntax),
    ("no required module provides", Import),
    ("cannot find package", Import),
    ("cannot find module", Import),
    ("could not import", Import),
    ("import cycle", Import),
    ("missing go.sum entry", Import),
    ("updates to go.mod needed", Build),
    ("go.mod file not found", Build),
    ("no Go files in", Build),
    ("*is not in std", Import),
    ("*is not in goroot", Import),
    ("*no required module provides", Import),
    ("*import cycle not allowed", Import),
    ("*directory not found", Build),
    ("*build constraints exclude all", Build),
    ("*matched no packages", Build),
    ("errors parsing go.mod", Build),
    ("*cannot find main module", Build),
    ("link: ", Build),
    // `go test` runs the printf analyser of vet first, and does not say so.
    ("*printf format %", Lint),
    ("*possible formatting directive", Lint),
];

const C_CODES: &[(&str, ErrorClass)] = &[
    // Since C99 these are no matter of taste: the call or the conversion does not fit.
    ("-Wimplicit-function-declaration", Type),
    ("-Wimplicit-int", Type),
    ("-Wint-conversion", Type),
    ("-Wincompatible-pointer-types*", Type),
    ("-Wincompatible-library-redeclaration", Type),
    ("-Wreturn-mismatch", Type),
    ("-Wformat*", Type),
];

const C_WORDS: &[(&str, ErrorClass)] = &[
    ("*: no such file or directory", Import),
    ("*file not found", Import),
    ("no such file or directory", Build),
    ("no input files", Build),
    ("linker command failed", Build),
    ("unable to execute command", Build),
    ("cannot find", Build),
    ("expected ", Syntax),
    ("unterminated", Syntax),
    ("missing terminating", Syntax),
    ("stray ", Syntax),
    ("extraneous ", Syntax),
    ("unknown type name", Type),
    ("invalid preprocessing directive", Syntax),
    ("#if", Syntax),
    ("#el", Syntax),
    ("unmatched", Syntax),
    ("*without a previous ", Syntax),
    ("*at end of input", Syntax),
    ("*before numeric constant", Syntax),
    ("invalid suffix", Syntax),
    ("too many decimal points", Syntax),
    ("empty character constant", Syntax),
    ("two or more data types", Syntax),
    ("a label can only be part of a statement", Syntax),
];

const JAVAC_CODES: &[(&str, ErrorClass)] = &[
    ("compiler.err.doesnt.exist", Import),
    ("compiler.err.package.not.visible", Import),
    ("compiler.err.module.not.found", Import),
    ("compiler.err.expected*", Syntax),
    ("compiler.err.premature.eof", Syntax),
    ("compiler.err.illegal.*", Syntax),
    ("compiler.err.not.stmt", Syntax),
    ("compiler.err.unclosed.*", Syntax),
    ("compiler.err.else.without.if", Syntax),
    ("compiler.err.catch.without.try", Syntax),
    ("compiler.err.finally.without.try", Syntax),
    ("compiler.err.try.without.*", Syntax),
    ("compiler.err.orphaned", Syntax),
    ("compiler.err.class.public.should.be.in.file", Build),
    ("compiler.err.invalid.meth.decl.ret.type.req", Syntax),
    ("compiler.err.variable.not.allowed", Syntax),
    ("compiler.err.malformed.*", Syntax),
    ("compiler.err.int.number.too.large", Syntax),
    ("compiler.err.restricted.*", Syntax),
    ("compiler.err.file.not.found", Build),
    ("compiler.err.cant.read.file", Build),
    ("compiler.err.error.reading.file", Build),
    ("compiler.err.warnings.and.werror", Build),
    ("compiler.err.cant.access", Import),
    ("compiler.err.*", Type),
    // Everything else with a code is a category of -Xlint.
    ("*", Lint),
];

const JAVAC_WORDS: &[(&str, ErrorClass)] = &[
    ("package ", Import),
    ("module not found", Import),
    ("file not found", Build),
    ("*expected", Syntax),
    ("reached end of file", Syntax),
    ("illegal start", Syntax),
    ("illegal character", Syntax),
    ("unclosed ", Syntax),
    ("not a statement", Syntax),
    ("class, interface", Syntax),
    ("'else' without", Syntax),
    ("'catch' without", Syntax),
    ("'try' without", Syntax),
    ("orphaned ", Syntax),
    ("invalid method declaration", Syntax),
    ("no source files", Build),
    ("invalid flag", Build),
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
