//! Names that every program of a language knows.
//!
//! In: a language. Out: its keywords, the names it has without an import, and members that most values of
//! its standard library have. Never more than people use every day: a name that is not here is only not
//! proposed.

use salve_types::Language;

/// The keywords of a language.
pub(in crate::heal::fixers) fn keywords(language: Language) -> &'static [&'static str] {
    match language {
        Language::Rust => RUST_KEYWORDS,
        Language::Python => PYTHON_KEYWORDS,
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => {
            SCRIPT_KEYWORDS
        }
        Language::C | Language::Cpp => C_KEYWORDS,
        Language::Go => GO_KEYWORDS,
        Language::Java => JAVA_KEYWORDS,
        _ => &[],
    }
}

/// The names a language has without an import.
pub(super) fn builtins(language: Language) -> &'static [&'static str] {
    match language {
        Language::Rust => RUST_PRELUDE,
        Language::Python => PYTHON_BUILTINS,
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => {
            SCRIPT_GLOBALS
        }
        Language::C | Language::Cpp => C_LIBRARY,
        Language::Go => GO_BUILTINS,
        Language::Java => JAVA_LANG,
        _ => &[],
    }
}

/// Members that values of the standard library have.
pub(super) fn well_known_members(language: Language) -> &'static [&'static str] {
    match language {
        Language::Python => PYTHON_MEMBERS,
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => {
            SCRIPT_MEMBERS
        }
        Language::Rust => RUST_MEMBERS,
        Language::Java => JAVA_MEMBERS,
        Language::Go => GO_MEMBERS,
        _ => &[],
    }
}

#[rustfmt::skip]
const RUST_KEYWORDS: &[&str] = &[
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false",
    "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return",
    "self", "Self", "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where", "while",
];

#[rustfmt::skip]
const RUST_PRELUDE: &[&str] = &[
    "String", "Vec", "Option", "Some", "None", "Result", "Ok", "Err", "Box", "Default", "Clone", "Copy",
    "Debug", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash", "Iterator", "IntoIterator", "Into", "From",
    "TryFrom", "TryInto", "ToString", "AsRef", "AsMut", "Drop", "Fn", "FnMut", "FnOnce", "Send", "Sync",
    "Sized", "drop", "usize", "isize", "u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64", "i128",
    "f32", "f64", "bool", "char", "str", "std", "core", "alloc", "println", "print", "eprintln", "format",
    "vec", "assert", "assert_eq", "assert_ne", "panic", "write", "writeln", "matches", "todo",
    "unreachable", "debug_assert", "include_str", "concat", "stringify", "env",
];

#[rustfmt::skip]
const RUST_MEMBERS: &[&str] = &[
    "len", "is_empty", "push", "pop", "push_str", "iter", "iter_mut", "into_iter", "collect", "map",
    "filter", "filter_map", "flat_map", "fold", "unwrap", "unwrap_or", "unwrap_or_default",
    "unwrap_or_else", "expect", "clone", "to_string", "to_owned", "into", "as_str", "as_ref", "as_bytes",
    "get", "get_mut", "insert", "remove", "contains", "contains_key", "entry", "or_insert", "or_default",
    "keys", "values", "first", "last", "chars", "bytes", "lines", "split", "trim", "starts_with",
    "ends_with", "strip_prefix", "replace", "parse", "join", "sort", "sort_by", "sort_by_key", "dedup",
    "retain", "extend", "drain", "take", "skip", "rev", "zip", "enumerate", "chain", "any", "all", "find",
    "position", "count", "sum", "min", "max", "next", "peek", "ok_or", "ok_or_else", "and_then", "map_err",
    "is_some", "is_none", "is_ok", "is_err", "ok", "err", "lock", "read", "write", "borrow", "borrow_mut",
];

#[rustfmt::skip]
const PYTHON_KEYWORDS: &[&str] = &[
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
    "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not",
    "or", "pass", "raise", "return", "try", "while", "with", "yield", "True", "False", "None",
];

#[rustfmt::skip]
const PYTHON_BUILTINS: &[&str] = &[
    "abs", "all", "any", "bool", "bytes", "bytearray", "callable", "chr", "classmethod", "dict", "dir",
    "divmod", "enumerate", "eval", "exec", "filter", "float", "format", "frozenset", "getattr", "globals",
    "hasattr", "hash", "hex", "id", "input", "int", "isinstance", "issubclass", "iter", "len", "list",
    "locals", "map", "max", "min", "next", "object", "open", "ord", "pow", "print", "property", "range",
    "repr", "reversed", "round", "set", "setattr", "slice", "sorted", "staticmethod", "str", "sum", "super",
    "tuple", "type", "vars", "zip", "self", "Exception", "ValueError", "TypeError", "KeyError",
    "IndexError", "AttributeError", "RuntimeError", "ImportError", "ModuleNotFoundError", "OSError",
    "FileNotFoundError", "NotImplementedError", "StopIteration", "AssertionError", "ZeroDivisionError",
    "UnicodeDecodeError", "KeyboardInterrupt", "BaseException", "NotImplemented", "__name__", "__file__",
];

#[rustfmt::skip]
const PYTHON_MEMBERS: &[&str] = &[
    "append", "extend", "insert", "remove", "pop", "clear", "index", "count", "sort", "reverse", "copy",
    "keys", "values", "items", "get", "update", "setdefault", "add", "discard", "union", "intersection",
    "difference", "upper", "lower", "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "join",
    "replace", "startswith", "endswith", "find", "rfind", "format", "encode", "decode", "isdigit",
    "isalpha", "isspace", "title", "capitalize", "zfill", "partition", "read", "write", "readline",
    "readlines", "close", "seek", "flush", "path", "environ", "exists", "dirname", "basename", "abspath",
    "dumps", "loads", "compile", "match", "search", "findall", "sub", "group", "groups",
];

#[rustfmt::skip]
const SCRIPT_KEYWORDS: &[&str] = &[
    "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default",
    "delete", "do", "else", "export", "extends", "false", "finally", "for", "function", "if", "import",
    "in", "instanceof", "interface", "let", "new", "null", "of", "return", "static", "super", "switch",
    "this", "throw", "true", "try", "type", "typeof", "undefined", "var", "void", "while", "yield", "from",
];

#[rustfmt::skip]
const SCRIPT_GLOBALS: &[&str] = &[
    "Array", "Boolean", "Date", "Error", "TypeError", "RangeError", "JSON", "Map", "WeakMap", "Set",
    "WeakSet", "Math", "Number", "Object", "Promise", "Proxy", "Reflect", "RegExp", "String", "Symbol",
    "BigInt", "Infinity", "NaN", "console", "document", "window", "globalThis", "process", "require",
    "module", "exports", "Buffer", "setTimeout", "setInterval", "clearTimeout", "clearInterval",
    "parseInt", "parseFloat", "isNaN", "encodeURIComponent", "decodeURIComponent", "fetch", "string",
    "number", "boolean", "unknown", "never", "any", "object", "symbol", "Record", "Partial", "Readonly",
    "Required", "Pick", "Omit", "Exclude", "Extract", "ReturnType", "Parameters", "Iterable", "Uint8Array",
];

#[rustfmt::skip]
const SCRIPT_MEMBERS: &[&str] = &[
    "length", "push", "pop", "shift", "unshift", "slice", "splice", "concat", "join", "reverse", "sort",
    "indexOf", "lastIndexOf", "includes", "find", "findIndex", "filter", "map", "forEach", "reduce",
    "some", "every", "flat", "flatMap", "fill", "keys", "values", "entries", "charAt", "charCodeAt",
    "split", "substring", "toLowerCase", "toUpperCase", "trim", "trimStart", "trimEnd", "padStart",
    "padEnd", "repeat", "replace", "replaceAll", "match", "matchAll", "search", "startsWith", "endsWith",
    "toString", "toFixed", "hasOwnProperty", "prototype", "constructor", "then", "catch", "finally", "log",
    "error", "warn", "info", "parse", "stringify", "assign", "freeze", "fromEntries", "isArray", "from",
    "get", "set", "has", "delete", "clear", "size", "add", "floor", "ceil", "round", "max", "min", "abs",
    "random", "sqrt", "pow", "resolve", "reject", "all", "race", "now", "getTime", "toISOString", "apply",
    "call", "bind", "name", "message", "stack", "addEventListener", "querySelector", "getElementById",
];

#[rustfmt::skip]
const C_KEYWORDS: &[&str] = &[
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "return", "short",
    "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile",
    "while",
];

#[rustfmt::skip]
const C_LIBRARY: &[&str] = &[
    "printf", "scanf", "fprintf", "sprintf", "snprintf", "sscanf", "fscanf", "getchar", "putchar", "puts",
    "gets", "fgets", "fputs", "fopen", "fclose", "fread", "fwrite", "stdin", "stdout", "stderr", "EOF",
    "NULL", "malloc", "calloc", "realloc", "free", "exit", "atoi", "atof", "strtol", "rand", "srand",
    "qsort", "abs", "strlen", "strcpy", "strncpy", "strcat", "strncat", "strcmp", "strncmp", "strchr",
    "strstr", "strtok", "memset", "memcpy", "memmove", "memcmp", "isdigit", "isalpha", "isalnum",
    "isspace", "isupper", "islower", "toupper", "tolower", "sqrt", "pow", "fabs", "floor", "ceil", "sin",
    "cos", "tan", "log", "exp", "assert", "size_t", "bool", "true", "false", "int8_t", "uint8_t",
    "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "FILE", "main", "time",
];

#[rustfmt::skip]
const GO_KEYWORDS: &[&str] = &[
    "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func",
    "go", "goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct",
    "switch", "type", "var",
];

#[rustfmt::skip]
const GO_BUILTINS: &[&str] = &[
    "append", "cap", "close", "copy", "delete", "len", "make", "new", "panic", "print", "println",
    "recover", "string", "int", "int64", "float64", "bool", "byte", "rune", "error", "nil", "true", "false",
];

#[rustfmt::skip]
const GO_MEMBERS: &[&str] = &[
    "Println", "Printf", "Print", "Sprintf", "Errorf", "Fprintf", "Error", "String", "Join", "Split",
    "Contains", "HasPrefix", "HasSuffix", "TrimSpace", "Replace", "ToUpper", "ToLower", "Atoi", "Itoa",
    "Marshal", "Unmarshal", "New", "Lock", "Unlock", "Close", "Read", "Write", "Fatal", "Fatalf",
];

#[rustfmt::skip]
const JAVA_KEYWORDS: &[&str] = &[
    "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const",
    "continue", "default", "do", "double", "else", "enum", "extends", "final", "finally", "float", "for",
    "if", "implements", "import", "instanceof", "int", "interface", "long", "native", "new", "package",
    "private", "protected", "public", "return", "short", "static", "super", "switch", "synchronized",
    "this", "throw", "throws", "try", "void", "volatile", "while", "var", "null", "true", "false",
];

#[rustfmt::skip]
const JAVA_LANG: &[&str] = &[
    "String", "Integer", "Long", "Double", "Float", "Boolean", "Character", "Byte", "Short", "Object",
    "Math", "System", "StringBuilder", "Thread", "Runnable", "Exception", "RuntimeException",
    "IllegalArgumentException", "IllegalStateException", "NullPointerException", "Iterable", "Comparable",
    "Override", "Deprecated", "Class", "Number", "Void", "Throwable", "Error",
];

#[rustfmt::skip]
const JAVA_MEMBERS: &[&str] = &[
    "length", "size", "get", "set", "add", "remove", "contains", "isEmpty", "put", "containsKey", "keySet",
    "values", "entrySet", "charAt", "substring", "indexOf", "equals", "hashCode", "toString", "split",
    "trim", "toLowerCase", "toUpperCase", "startsWith", "endsWith", "replace", "format", "println",
    "print", "printf", "append", "parseInt", "valueOf", "getKey", "getValue", "stream", "forEach",
];
