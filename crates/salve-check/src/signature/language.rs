//! Which words of a language are not a programmer's own.
//!
//! In: the name of a tool, then words of its messages and source lines. Out: the language the tool
//! speaks about, and whether a word is a keyword, a built-in type or a name of the standard
//! library. Never guesses from capital letters: a name that is not in the tables is someone's own.

/// The language a tool speaks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Rust,
    Python,
    Script,
    Java,
    Go,
    Shell,
    Other,
}

impl Language {
    /// Tells the language from a tool's name.
    pub(crate) fn of_tool(tool: &str) -> Self {
        match tool {
            "gcc" | "g++" | "clang" | "clang++" | "cc" | "ld" | "asan" | "ubsan" | "lsan"
            | "tsan" | "msan" | "valgrind" | "glibc" => Self::C,
            "rustc" | "cargo" | "clippy" | "cargo-test" | "rust-test" | "rust" => Self::Rust,
            "python" | "pytest" | "unittest" | "ruff" | "mypy" | "pyright" | "flake8"
            | "pylint" => Self::Python,
            "tsc" | "node" | "eslint" | "npm" | "deno" | "bun" | "jest" => Self::Script,
            "javac" | "java" | "kotlinc" | "maven" | "gradle" => Self::Java,
            "go" | "go-build" | "go-vet" | "go-test" => Self::Go,
            "bash" | "sh" | "make" | "shellcheck" => Self::Shell,
            _ => Self::Other,
        }
    }

    /// Returns the name that enters a signature.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Rust => "rust",
            Self::Python => "python",
            Self::Script => "javascript",
            Self::Java => "java",
            Self::Go => "go",
            Self::Shell => "shell",
            Self::Other => "text",
        }
    }

    /// Tells whether a word keeps its name in a shape, wherever it is.
    pub(crate) fn keeps(self, word: &str) -> bool {
        // Every table is sorted, which a test holds it to.
        let own = match self {
            Self::C => C,
            Self::Rust => RUST,
            Self::Python => PYTHON,
            Self::Script => SCRIPT,
            Self::Java => JAVA,
            Self::Go => GO,
            Self::Shell => SHELL,
            Self::Other => OTHER,
        };
        own.binary_search(&word).is_ok()
    }

    /// Tells whether a word keeps its name where it is called: people use these for their
    /// variables.
    pub(crate) fn keeps_called(self, word: &str) -> bool {
        let own = match self {
            Self::Python => PYTHON_CALLED,
            Self::C => C_CALLED,
            Self::Go => GO_CALLED,
            _ => &[],
        };
        own.binary_search(&word).is_ok()
    }
}

#[rustfmt::skip]
const C: &[&str] = &[
    "EOF", "FILE", "INT_MAX", "INT_MIN", "NULL", "_Bool", "auto", "bool", "break", "calloc", "case", "catch",
    "char", "class", "const", "constexpr", "continue", "cout", "default", "delete", "do", "double", "else",
    "endl", "enum", "exit", "extern", "false", "fclose", "fgets", "float", "fopen", "for", "fprintf", "fputs",
    "fread", "free", "fscanf", "fwrite", "getchar", "gets", "goto", "if", "include", "inline", "int",
    "int16_t", "int32_t", "int64_t", "int8_t", "long", "main", "malloc", "memcmp", "memcpy", "memmove",
    "memset", "namespace", "new", "nullptr", "operator", "printf", "private", "protected", "ptrdiff_t",
    "public", "putchar", "puts", "qsort", "realloc", "register", "restrict", "return", "scanf", "short",
    "signed", "size_t", "sizeof", "snprintf", "sprintf", "sqrt", "sscanf", "ssize_t", "static", "std",
    "stderr", "stdin", "stdout", "strcat", "strchr", "strcmp", "strcpy", "strdup", "string", "strlen",
    "strncat", "strncmp", "strncpy", "strstr", "strtok", "strtol", "struct", "switch", "template", "this",
    "throw", "true", "try", "typedef", "typename", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "union",
    "unsigned", "using", "va_list", "virtual", "void", "volatile", "while",
];

#[rustfmt::skip]
const C_CALLED: &[&str] = &[
    "abs", "assert", "atof", "atoi", "ceil", "floor", "isalpha", "isdigit", "pow", "rand", "read",
];

#[rustfmt::skip]
const RUST: &[&str] = &[
    "Arc", "BTreeMap", "BTreeSet", "Box", "Cell", "Clone", "Copy", "Cow", "Debug", "Default", "Deref",
    "Display", "Drop", "Eq", "Err", "Error", "Fn", "FnMut", "FnOnce", "From", "Future", "Hash", "HashMap",
    "HashSet", "Into", "IntoIterator", "Iterator", "Mutex", "None", "Ok", "Option", "Ord", "Output",
    "PartialEq", "PartialOrd", "Path", "PathBuf", "PhantomData", "Pin", "Rc", "RefCell", "Result", "RwLock",
    "Self", "Send", "Sized", "Some", "String", "Sync", "ToString", "Vec", "alloc", "as", "assert",
    "assert_eq", "async", "await", "bool", "box", "break", "char", "clone", "collect", "const", "continue",
    "core", "crate", "dyn", "else", "enum", "expect", "extern", "f32", "f64", "false", "fn", "for", "format",
    "i128", "i16", "i32", "i64", "i8", "if", "impl", "in", "integer", "into", "isize", "iter", "let", "loop",
    "macro_rules", "main", "match", "mod", "move", "mut", "panic", "print", "println", "pub", "ref", "return",
    "self", "static", "std", "str", "struct", "super", "to_owned", "to_string", "trait", "true", "try",
    "type", "u128", "u16", "u32", "u64", "u8", "union", "unsafe", "unwrap", "use", "usize", "vec", "where",
    "while", "yield",
];

#[rustfmt::skip]
const PYTHON: &[&str] = &[
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BlockingIOError",
    "BrokenPipeError", "BufferError", "ChildProcessError", "ConnectionError", "ConnectionRefusedError",
    "ConnectionResetError", "EOFError", "Exception", "ExceptionGroup", "False", "FileExistsError",
    "FileNotFoundError", "IOError", "ImportError", "IndentationError", "IndexError", "InterruptedError",
    "IsADirectoryError", "JSONDecodeError", "KeyError", "KeyboardInterrupt", "LookupError", "MemoryError",
    "ModuleNotFoundError", "NameError", "None", "NoneType", "NotADirectoryError", "NotImplementedError",
    "OSError", "OverflowError", "PermissionError", "ProcessLookupError", "RecursionError", "ReferenceError",
    "RuntimeError", "StopAsyncIteration", "StopIteration", "SyntaxError", "SystemError", "SystemExit",
    "TabError", "TimeoutError", "True", "TypeError", "UnboundLocalError", "UnicodeDecodeError",
    "UnicodeEncodeError", "UnicodeError", "ValueError", "ZeroDivisionError", "__init__", "__main__",
    "__name__", "and", "append", "as", "assert", "async", "await", "bool", "break",
    "builtin_function_or_method", "bytes", "class", "continue", "def", "del", "dict", "elif", "else",
    "enumerate", "except", "finally", "float", "for", "from", "function", "generator", "getattr", "global",
    "if", "import", "in", "int", "is", "isinstance", "lambda", "len", "list", "module", "nonlocal", "not",
    "object", "open", "or", "pass", "print", "raise", "range", "return", "self", "set", "setattr", "sorted",
    "str", "super", "try", "tuple", "while", "with", "xrange", "yield",
];

#[rustfmt::skip]
const PYTHON_CALLED: &[&str] = &[
    "abs", "all", "any", "bytearray", "callable", "chr", "divmod", "exec", "filter", "format", "hash", "id",
    "input", "iter", "map", "max", "min", "next", "ord", "pow", "property", "repr", "reversed", "round",
    "sum", "type", "vars", "zip",
];

#[rustfmt::skip]
const SCRIPT: &[&str] = &[
    "AggregateError", "Array", "AssertionError", "Boolean", "Buffer", "Date", "Error", "EvalError",
    "Function", "Infinity", "JSON", "Map", "Math", "NaN", "Number", "Object", "Partial", "Promise",
    "RangeError", "Readonly", "Record", "ReferenceError", "RegExp", "Set", "String", "Symbol", "SyntaxError",
    "TypeError", "URIError", "WeakMap", "__dirname", "abstract", "any", "arguments", "as", "async", "await",
    "bigint", "boolean", "break", "case", "catch", "class", "clearTimeout", "console", "const", "constructor",
    "continue", "debugger", "declare", "default", "delete", "do", "document", "else", "enum", "export",
    "exports", "extends", "false", "finally", "for", "from", "function", "get", "if", "implements", "import",
    "in", "infer", "instanceof", "interface", "is", "keyof", "length", "let", "log", "module", "namespace",
    "never", "new", "null", "number", "object", "of", "override", "package", "parseInt", "private", "process",
    "protected", "prototype", "public", "readonly", "require", "return", "satisfies", "set", "setTimeout",
    "static", "string", "super", "switch", "symbol", "this", "throw", "true", "try", "type", "typeof",
    "undefined", "unique", "unknown", "using", "var", "void", "while", "window", "with", "yield",
];

#[rustfmt::skip]
const JAVA: &[&str] = &[
    "ArithmeticException", "ArrayIndexOutOfBoundsException", "ArrayList", "Boolean", "Character", "Class",
    "ClassCastException", "ClassNotFoundException", "ConcurrentModificationException", "Double", "Error",
    "Exception", "FileNotFoundException", "FileReader", "Float", "HashMap", "HashSet", "IOException",
    "IllegalArgumentException", "IllegalStateException", "IndexOutOfBoundsException", "Integer",
    "InterruptedException", "Iterator", "List", "Long", "Map", "Math", "NoClassDefFoundError",
    "NullPointerException", "NumberFormatException", "Object", "Optional", "OutOfMemoryError", "Override",
    "Runnable", "RuntimeException", "Scanner", "Set", "StackOverflowError", "String", "StringBuilder",
    "System", "Thread", "Throwable", "UnsupportedOperationException", "Void", "abstract", "assert", "boolean",
    "break", "byte", "case", "catch", "char", "class", "const", "continue", "default", "do", "double", "else",
    "enum", "extends", "false", "final", "finally", "float", "for", "goto", "if", "implements", "import",
    "instanceof", "int", "interface", "io", "java", "javax", "lang", "long", "main", "native", "new", "null",
    "out", "package", "print", "printf", "println", "private", "protected", "public", "record", "return",
    "short", "static", "strictfp", "super", "switch", "synchronized", "this", "throw", "throws", "transient",
    "true", "try", "util", "var", "void", "volatile", "while", "yield",
];

#[rustfmt::skip]
const GO: &[&str] = &[
    "Errorf", "Fatal", "Fatalf", "Printf", "Println", "Sprintf", "any", "append", "bool", "break", "byte",
    "case", "chan", "complex128", "complex64", "const", "continue", "default", "defer", "else", "error",
    "fallthrough", "false", "float32", "float64", "fmt", "for", "func", "go", "goto", "if", "import", "int",
    "int16", "int32", "int64", "int8", "interface", "iota", "main", "make", "map", "nil", "package", "panic",
    "range", "recover", "return", "rune", "select", "string", "struct", "switch", "true", "type", "uint",
    "uint16", "uint32", "uint64", "uint8", "uintptr", "untyped", "var",
];

#[rustfmt::skip]
const GO_CALLED: &[&str] = &[
    "cap", "close", "copy", "delete", "len", "max", "min", "new",
];

#[rustfmt::skip]
const SHELL: &[&str] = &[
    "case", "cd", "do", "done", "echo", "elif", "else", "esac", "exit", "export", "fi", "for", "function",
    "if", "in", "local", "read", "return", "set", "shift", "test", "then", "unset", "until", "while",
];

#[rustfmt::skip]
const OTHER: &[&str] = &[
    "false", "nil", "null", "true", "undefined",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        let tables =
            [C, C_CALLED, RUST, PYTHON, PYTHON_CALLED, SCRIPT, JAVA, GO, GO_CALLED, SHELL, OTHER];
        for table in tables {
            let wrong = table.windows(2).find(|pair| pair[0] >= pair[1]);
            assert_eq!(wrong, None);
        }
    }
}
