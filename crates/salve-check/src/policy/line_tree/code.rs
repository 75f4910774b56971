//! Whether a file that a line wrote may be run by one of its later commands.
//!
//! In: the file's name, where its content came from, the words of the command. Out: yes or no. Never
//! looks at a file.

use super::{Content, LineTree, last_name};

/// Endings of what is code or tells tools what to run.
#[rustfmt::skip]
const CODE: &[&str] = &[
    ".py", ".pyi", ".pyx", ".ipynb", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue",
    ".svelte", ".rs", ".go", ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".java", ".kt", ".kts", ".gradle",
    ".groovy", ".scala", ".cs", ".csproj", ".props", ".targets", ".sln", ".fs", ".vb", ".rb", ".php", ".pl",
    ".pm", ".lua", ".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd", ".mk", ".cmake", ".toml", ".cfg",
    ".ini", ".wasm", ".so", ".node", ".jar", ".class", ".exe", ".s", ".asm", ".swift", ".dart", ".ex", ".exs",
    ".erl", ".hs", ".ml", ".nim", ".zig", ".proto", ".bazel", ".bzl", ".awk", ".sed", ".jq", ".mod", ".sum",
    ".work", ".lock", ".mdx", ".pkl", ".pickle", ".pth", ".tmpl", ".njk", ".ejs", ".hbs", ".snap",
];

/// Whole names of what tools obey, in lower case.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "makefile", "gnumakefile", "justfile", "rakefile", "gemfile", "dockerfile", "package.json",
    "package-lock.json", "composer.json", "project.json", "nx.json", "angular.json", "rush.json", "workspace.json",
    "turbo.json", "lerna.json", "deno.json", "deno.jsonc", "biome.json", "nodemon.json", "cypress.json",
    "cmakelists.txt", "cmakepresets.json", "cmakeuserpresets.json", "pom.xml", "build.xml", "global.json",
    "pipfile", "procfile", "build", "workspace", "meson.build", "yarn.lock", "pnpm-lock.yaml", "environment.yml",
    "manifest.in", "pylintrc", ".flake8", ".rspec", ".golangci.yml", ".golangci.yaml", ".golangci.json",
    "taskfile.yml", "taskfile.yaml", "noxfile", "codegen.yml", "docker-compose.yml", "docker-compose.yaml",
];

/// Beginnings of names of the same kind, in lower case.
const STARTS: &[&str] = &["requirements", "constraints", "tsconfig", "jsconfig"];

/// Parts of names of the same kind: `jest.config.json`, `vitest.workspace.json`, `karma.conf.json`.
const PARTS: &[&str] = &[".config.", ".conf.", ".workspace.", ".setup.", ".preset."];

/// Endings of what no tool runs or obeys, whatever it holds: tables, pictures, sound.
#[rustfmt::skip]
const INERT: &[&str] = &[
    ".csv", ".tsv", ".parquet", ".arrow", ".feather", ".orc", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp",
    ".ico", ".tif", ".tiff", ".avif", ".heic", ".pdf", ".mp3", ".mp4", ".wav", ".ogg", ".flac", ".m4a", ".webm",
    ".mov", ".avi", ".mkv", ".woff", ".woff2", ".ttf", ".otf", ".log", ".geojson", ".ics",
];

/// Endings of text in which runners of tests look for examples to run.
const TEXT: &[&str] = &[".txt", ".md", ".markdown", ".rst", ".html", ".adoc"];

/// Programs that run examples in text, or that build text into what they run.
const READS_TEXT: &[&str] = &["pytest", "py.test", "cargo", "tox", "nox", "make", "doctest"];

/// Tells whether a command may run a file that was written before it.
pub(super) fn matters(path: &str, content: Content, words: &[String], tree: &LineTree<'_>) -> bool {
    if content == Content::Known {
        return false;
    }
    let name = last_name(path).to_ascii_lowercase();
    let is_inert = INERT.iter().any(|ending| name.ends_with(ending));
    is_code(path)
        || (content == Content::Fetched && !is_inert)
        || (is_text(path) && reads_text(words))
        || is_the_script(path, words, tree)
}

/// Tells whether a file is text in which examples may be found.
pub(in crate::policy) fn is_text(path: &str) -> bool {
    let name = last_name(path).to_ascii_lowercase();
    TEXT.iter().any(|ending| name.ends_with(ending))
}

// `cargo test`, `python -m pytest`, `python -mpytest`, `.venv/bin/pytest`.
fn reads_text(words: &[String]) -> bool {
    words.iter().any(|word| {
        let name = last_name(word);
        READS_TEXT
            .iter()
            .any(|program| name == *program || name.strip_prefix("-m") == Some(program))
    })
}

/// Tells whether a file is code, or tells tools what to run, by its name.
pub(in crate::policy) fn is_code(path: &str) -> bool {
    let name = last_name(path).to_ascii_lowercase();
    // `.babelrc`, `.mocharc.yml`, `.coveragerc`: the settings of a tool, which may name code.
    let is_settings =
        name.strip_prefix('.').is_some_and(|name| name.ends_with("rc") || name.contains("rc."));
    // The examples that pytest looks for by itself.
    let is_doctest = name.starts_with("test") && name.ends_with(".txt");
    NAMES.contains(&name.as_str())
        || is_settings
        || is_doctest
        || STARTS.iter().any(|start| name.starts_with(start))
        || PARTS.iter().any(|part| name.contains(part))
        || CODE.iter().any(|ending| name.ends_with(ending))
}

/// How many flags before a value are tried.
const GLUED: usize = 12;

/// Programs for which every file they are given is code.
const INSTALLERS: &[&str] = &["pip", "pip3", "npm", "yarn", "pnpm", "uv", "poetry"];

// `python data.csv`: what is given before any script is the script.
fn is_the_script(path: &str, words: &[String], tree: &LineTree<'_>) -> bool {
    let installs = words.first().is_some_and(|program| INSTALLERS.contains(&program.as_str()));
    let scripts = |word: &&String| {
        let word = word.to_ascii_lowercase();
        installs || ![".py", ".js", ".mjs", ".cjs", ".ts"].iter().any(|end| word.ends_with(end))
    };
    let is_named = |word: &String| {
        let value = word.split_once('=').map_or(word.as_str(), |(_, value)| value);
        let mut readings = vec![word.as_str(), value];
        if word.starts_with('-') {
            // `-rdeps.txt`, `-qrdeps.txt`: a value may be glued to flags, in whatever spelling.
            if word.ends_with(last_name(path)) {
                return true;
            }
            let glued = word.char_indices().skip(2).take(GLUED).map(|(at, _)| &word[at..]);
            readings.extend(glued);
        }
        readings.iter().any(|word| plain(word) == path || tree.real(word) == path)
    };
    // A program that is named by its path may be the file itself.
    let is_path = words.first().is_some_and(|program| program.contains('/'));
    words.iter().skip(usize::from(!is_path)).take_while(scripts).any(is_named)
}

/// Writes a path without `.`, and without the `..` that names alone can resolve.
pub(super) fn plain(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for step in path.split('/').filter(|step| !step.is_empty() && *step != ".") {
        match step {
            ".." if names.last().is_some_and(|name| *name != "..") => {
                let _ = names.pop();
            }
            name => names.push(name),
        }
    }
    let start = if path.starts_with('/') { "/" } else { "" };
    format!("{start}{}", names.join("/"))
}
