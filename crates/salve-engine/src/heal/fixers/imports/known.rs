//! The standard libraries: which names are in which module.
//!
//! In: a language and a name. Out: the imports that bring it. For most languages only what people use every
//! day; a name that is not here is only not proposed.

use super::statement::Statement;
use salve_types::Language;

/// Returns the imports of a name of the standard library, the usual one first.
pub(super) fn statements(language: Language, name: &str) -> Vec<Statement> {
    match language {
        Language::Python => python(name),
        Language::C | Language::Cpp => {
            let header = module_of(C_NAMES, name);
            header.map(|header| Statement::Include(format!("<{header}>"))).into_iter().collect()
        }
        Language::Go => {
            let is_it = |module: &&&str| module.rsplit('/').next() == Some(name);
            let found = GO_MODULES.iter().find(is_it);
            found.map(|module| Statement::whole(language, module)).into_iter().collect()
        }
        Language::Java => {
            let package = module_of(JAVA_NAMES, name);
            let whole = |package| Statement::whole(language, &format!("{package}.{name}"));
            package.map(whole).into_iter().collect()
        }
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => {
            let found = NODE_MODULES.contains(&name).then(|| Statement::Script {
                written: format!("import * as {name} from '{name}';"),
                module: name.to_owned(),
            });
            found.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn python(name: &str) -> Vec<Statement> {
    if standard_modules(Language::Python).contains(&name) {
        return vec![Statement::PythonModule(name.to_owned())];
    }
    if let Some((_, module)) = PYTHON_ALIASES.iter().find(|(alias, _)| *alias == name) {
        return vec![Statement::PythonModule((*module).to_owned())];
    }
    let usual = module_of(PYTHON_NAMES, name).into_iter();
    let mut modules: Vec<&str> = Vec::new();
    for module in usual.chain(python_modules_with(name)) {
        if !modules.contains(&module) {
            modules.push(module);
        }
    }
    let from =
        |module: &str| Statement::PythonFrom { module: module.to_owned(), name: name.to_owned() };
    modules.into_iter().map(from).collect()
}

/// The public names of the modules of Python, each module with a colon, lines that go on indented.
const PYTHON_INDEX: &str = include_str!("python_names.txt");

/// Returns whether the standard library has a module, and knows it to offer other names only.
pub(super) fn is_without(language: Language, module: &str, name: &str) -> bool {
    let is_it = |line: &str| line.split_once(": ").is_some_and(|(head, _)| head == module);
    language == Language::Python
        && PYTHON_INDEX.lines().any(is_it)
        && !python_modules_with(name).any(|one| one == module)
}

fn python_modules_with(name: &str) -> impl Iterator<Item = &'static str> {
    let mut module = "";
    PYTHON_INDEX.lines().filter_map(move |line| {
        let names = match line.split_once(": ") {
            Some((head, names)) => {
                module = head;
                names
            }
            None => line,
        };
        names.split_whitespace().any(|one| one == name).then_some(module)
    })
}

/// Lists the modules of a standard library.
pub(super) fn standard_modules(language: Language) -> &'static [&'static str] {
    match language {
        Language::Python => PYTHON_MODULES,
        Language::C | Language::Cpp => C_HEADERS,
        Language::Go => GO_MODULES,
        Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => NODE_MODULES,
        _ => &[],
    }
}

type Names = &'static [(&'static str, &'static [&'static str])];

fn module_of(names: Names, name: &str) -> Option<&'static str> {
    names.iter().find(|(_, names)| names.contains(&name)).map(|(module, _)| *module)
}

const PYTHON_ALIASES: &[(&str, &str)] = &[
    ("np", "numpy as np"),
    ("pd", "pandas as pd"),
    ("plt", "matplotlib.pyplot as plt"),
    ("tf", "tensorflow as tf"),
    ("numpy", "numpy"),
    ("pandas", "pandas"),
    ("pytest", "pytest"),
    ("requests", "requests"),
];

#[rustfmt::skip]
const PYTHON_MODULES: &[&str] = &[
    "abc", "argparse", "array", "ast", "asyncio", "atexit", "base64", "bisect", "builtins", "calendar",
    "cmath", "codecs", "collections", "concurrent", "configparser", "contextlib", "contextvars", "copy",
    "csv", "ctypes", "dataclasses", "datetime", "decimal", "difflib", "dis", "email", "enum", "errno",
    "fcntl", "filecmp", "fnmatch", "fractions", "functools", "gc", "getopt", "getpass", "gettext", "glob",
    "gzip", "hashlib", "heapq", "hmac", "html", "http", "importlib", "inspect", "io", "ipaddress",
    "itertools", "json", "keyword", "linecache", "locale", "logging", "lzma", "math", "mimetypes",
    "multiprocessing", "numbers", "operator", "os", "pathlib", "pickle", "pkgutil", "platform", "pprint",
    "queue", "random", "re", "reprlib", "sched", "secrets", "select", "selectors", "shlex", "shutil",
    "signal", "site", "socket", "sqlite3", "ssl", "stat", "statistics", "string", "struct", "subprocess",
    "sys", "sysconfig", "tarfile", "tempfile", "textwrap", "threading", "time", "timeit", "token",
    "tokenize", "traceback", "tracemalloc", "types", "typing", "unicodedata", "unittest", "urllib", "uuid",
    "venv", "warnings", "weakref", "webbrowser", "xml", "zipfile", "zlib", "zoneinfo",
];

#[rustfmt::skip]
const PYTHON_NAMES: Names = &[
    ("typing", &["Any", "Optional", "Union", "List", "Dict", "Set", "Tuple", "Callable", "Iterable",
        "Iterator", "Generator", "Sequence", "Mapping", "TypeVar", "Generic", "Protocol", "NamedTuple",
        "TypedDict", "Literal", "Final", "ClassVar", "cast", "overload", "TYPE_CHECKING", "Type", "NoReturn",
        "Awaitable", "Coroutine", "AsyncIterator", "IO", "Pattern", "FrozenSet", "Annotated", "ParamSpec"]),
    ("collections", &["defaultdict", "namedtuple", "OrderedDict", "Counter", "deque", "ChainMap", "UserDict"]),
    ("dataclasses", &["dataclass", "field", "asdict", "astuple", "replace", "fields"]),
    ("pathlib", &["Path", "PurePath", "PosixPath", "PurePosixPath"]),
    ("functools", &["partial", "wraps", "lru_cache", "reduce", "cached_property", "cache",
        "singledispatch", "total_ordering", "cmp_to_key"]),
    ("itertools", &["chain", "islice", "product", "combinations", "permutations", "groupby", "count",
        "cycle", "repeat", "zip_longest", "takewhile", "dropwhile", "accumulate", "starmap", "tee"]),
    ("contextlib", &["contextmanager", "suppress", "ExitStack", "closing", "redirect_stdout",
        "asynccontextmanager", "nullcontext"]),
    ("abc", &["ABC", "abstractmethod", "ABCMeta"]),
    ("enum", &["Enum", "IntEnum", "Flag", "auto", "unique", "IntFlag", "StrEnum"]),
    ("datetime", &["timedelta", "timezone", "date"]),
    ("decimal", &["Decimal"]),
    ("fractions", &["Fraction"]),
    ("io", &["StringIO", "BytesIO"]),
    ("copy", &["deepcopy"]),
    ("operator", &["itemgetter", "attrgetter", "methodcaller"]),
    ("unittest", &["TestCase", "mock"]),
    ("unittest.mock", &["Mock", "MagicMock", "patch"]),
    ("concurrent.futures", &["ThreadPoolExecutor", "ProcessPoolExecutor", "as_completed"]),
    ("threading", &["Thread", "Lock", "RLock", "Event"]),
    ("textwrap", &["dedent", "indent"]),
    ("urllib.parse", &["urlparse", "urljoin", "quote", "unquote", "urlencode"]),
    ("types", &["SimpleNamespace", "ModuleType", "TracebackType", "MappingProxyType"]),
    ("warnings", &["warn"]),
    ("shutil", &["rmtree", "copyfile", "which"]),
    ("math", &["sqrt", "floor", "ceil", "pi", "inf", "isclose", "gcd"]),
    ("random", &["randint", "shuffle"]),
    ("pprint", &["pformat"]),
];

#[rustfmt::skip]
const C_HEADERS: &[&str] = &[
    "assert.h", "ctype.h", "errno.h", "fcntl.h", "float.h", "inttypes.h", "limits.h", "locale.h", "math.h",
    "pthread.h", "setjmp.h", "signal.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h",
    "stdlib.h", "string.h", "strings.h", "sys/stat.h", "sys/time.h", "sys/types.h", "time.h", "unistd.h",
    "wchar.h", "vector", "string", "map", "memory", "iostream", "algorithm", "utility", "functional",
];

#[rustfmt::skip]
const C_NAMES: Names = &[
    ("stdio.h", &["printf", "scanf", "fprintf", "sprintf", "snprintf", "sscanf", "fscanf", "vprintf",
        "vfprintf", "vsnprintf", "getchar", "putchar", "puts", "fgets", "fputs", "fputc", "fgetc", "getc",
        "putc", "ungetc", "fopen", "fclose", "fread", "fwrite", "fseek", "ftell", "rewind", "fflush",
        "perror", "remove", "rename", "FILE", "stdin", "stdout", "stderr", "EOF", "SEEK_SET", "SEEK_END"]),
    ("stdlib.h", &["malloc", "calloc", "realloc", "free", "exit", "abort", "atoi", "atol", "atof",
        "strtol", "strtoul", "strtoll", "strtoull", "strtod", "rand", "srand", "qsort", "bsearch", "abs",
        "labs", "getenv", "system", "EXIT_SUCCESS", "EXIT_FAILURE", "atexit"]),
    ("string.h", &["strlen", "strcpy", "strncpy", "strcat", "strncat", "strcmp", "strncmp", "strchr",
        "strrchr", "strstr", "strtok", "strdup", "strerror", "strspn", "strcspn", "strpbrk", "memset",
        "memcpy", "memmove", "memcmp", "memchr", "strndup", "strnlen"]),
    ("ctype.h", &["isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower", "ispunct", "isprint",
        "isxdigit", "iscntrl", "toupper", "tolower"]),
    ("math.h", &["sqrt", "pow", "fabs", "floor", "ceil", "round", "sin", "cos", "tan", "atan", "atan2",
        "log", "log2", "log10", "exp", "fmod", "isnan", "isinf", "NAN", "INFINITY", "M_PI", "hypot"]),
    ("stdbool.h", &["bool", "true", "false"]),
    ("stdint.h", &["int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t",
        "uint64_t", "intptr_t", "uintptr_t", "SIZE_MAX", "INT32_MAX", "UINT32_MAX", "UINT64_MAX",
        "INT64_MAX", "INT64_MIN", "UINT8_MAX", "UINT16_MAX"]),
    ("inttypes.h", &["PRIu64", "PRId64", "PRIx64", "PRIu32"]),
    ("stddef.h", &["size_t", "NULL", "ptrdiff_t", "offsetof", "wchar_t"]),
    ("limits.h", &["INT_MAX", "INT_MIN", "UINT_MAX", "LONG_MAX", "LONG_MIN", "ULONG_MAX", "CHAR_BIT",
        "CHAR_MAX", "LLONG_MAX", "LLONG_MIN", "SHRT_MAX", "UCHAR_MAX", "PATH_MAX"]),
    ("float.h", &["DBL_MAX", "DBL_MIN", "DBL_EPSILON", "FLT_MAX", "FLT_EPSILON"]),
    ("assert.h", &["assert", "static_assert"]),
    ("stdarg.h", &["va_list", "va_start", "va_end", "va_arg", "va_copy"]),
    ("errno.h", &["errno", "ENOMEM", "EINVAL", "ENOENT", "EINTR", "EAGAIN"]),
    ("time.h", &["time", "clock", "time_t", "clock_t", "CLOCKS_PER_SEC", "localtime", "gmtime",
        "strftime", "difftime", "mktime", "nanosleep", "clock_gettime"]),
    ("unistd.h", &["read", "write", "close", "sleep", "usleep", "fork", "getpid", "access", "unlink",
        "isatty", "chdir", "getcwd", "ssize_t"]),
    ("pthread.h", &["pthread_create", "pthread_join", "pthread_t", "pthread_mutex_t"]),
    ("signal.h", &["signal", "SIGINT", "SIGTERM", "raise"]),
];

#[rustfmt::skip]
const NODE_MODULES: &[&str] = &[
    "assert", "buffer", "child_process", "cluster", "crypto", "dns", "events", "fs", "http", "https",
    "net", "os", "path", "process", "querystring", "readline", "stream", "tls", "url", "util", "vm", "zlib",
];

#[rustfmt::skip]
const GO_MODULES: &[&str] = &[
    "bufio", "bytes", "context", "crypto/sha256", "encoding/base64", "encoding/hex", "encoding/json",
    "errors", "flag", "fmt", "html/template", "io", "log", "math", "math/rand", "net", "net/http",
    "net/url", "os", "os/exec", "os/signal", "path", "path/filepath", "reflect", "regexp", "runtime",
    "sort", "strconv", "strings", "sync", "sync/atomic", "syscall", "testing", "time", "unicode",
    "unicode/utf8",
];

#[rustfmt::skip]
const JAVA_NAMES: Names = &[
    ("java.util", &["List", "ArrayList", "LinkedList", "Map", "HashMap", "TreeMap", "LinkedHashMap", "Set",
        "HashSet", "TreeSet", "LinkedHashSet", "Arrays", "Collections", "Collection", "Iterator",
        "Optional", "Scanner", "Random", "Objects", "Date", "Queue", "Deque", "ArrayDeque",
        "PriorityQueue", "Comparator", "UUID", "Properties", "StringJoiner", "NoSuchElementException"]),
    ("java.io", &["File", "IOException", "InputStream", "OutputStream", "BufferedReader", "FileReader",
        "InputStreamReader", "PrintWriter", "FileWriter", "Serializable", "UncheckedIOException",
        "ByteArrayOutputStream", "ByteArrayInputStream", "FileInputStream", "FileNotFoundException"]),
    ("java.nio.file", &["Path", "Paths", "Files"]),
    ("java.util.function", &["Function", "Consumer", "Supplier", "Predicate", "BiFunction", "UnaryOperator"]),
    ("java.util.stream", &["Collectors", "Stream", "IntStream"]),
    ("java.util.concurrent", &["ExecutorService", "Executors", "TimeUnit", "CompletableFuture",
        "ConcurrentHashMap", "Future", "Callable", "CountDownLatch"]),
    ("java.time", &["LocalDate", "LocalDateTime", "Instant", "Duration", "ZoneId"]),
    ("java.math", &["BigDecimal", "BigInteger"]),
    ("java.util.regex", &["Pattern", "Matcher"]),
];
