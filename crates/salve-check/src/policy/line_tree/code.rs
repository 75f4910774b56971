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
    ".work", ".lock", ".pkl", ".pickle", ".pth", ".tmpl", ".njk", ".ejs", ".hbs", ".snap",
];

/// Whole names of what tools obey, in lower case.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "makefile", "gnumakefile", "justfile", "rakefile", "gemfile", "dockerfile", "package.json",
    "package-lock.json", "tsconfig.json", "jsconfig.json", "composer.json", "project.json", "nx.json",
    "turbo.json", "lerna.json", "deno.json", "cmakelists.txt", "cmakepresets.json", "pom.xml", "build.xml",
    "pipfile", "procfile", "build", "workspace", "meson.build", "yarn.lock", "pnpm-lock.yaml",
];

/// Beginnings of names of the same kind, in lower case.
const STARTS: &[&str] =
    &["requirements", "constraints", ".eslintrc", ".babelrc", ".mocharc", ".nycrc"];

/// Endings of what is data, no matter what made it.
#[rustfmt::skip]
const DATA: &[&str] = &[
    ".txt", ".md", ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xml", ".html", ".htm", ".log", ".yml",
    ".yaml", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".pdf", ".parquet", ".arrow", ".geojson",
    ".sql", ".mp3", ".mp4", ".wav", ".out", ".diff", ".patch", ".rss", ".ics", ".bin", ".dat",
];

/// Tells whether a command may run a file that was written before it.
pub(super) fn matters(path: &str, content: Content, words: &[String], tree: &LineTree<'_>) -> bool {
    if content == Content::Known {
        return false;
    }
    let name = last_name(path).to_ascii_lowercase();
    let is_code = is_code(path);
    let is_data = !is_code && DATA.iter().any(|ending| name.ends_with(ending));
    is_code || (content == Content::Fetched && !is_data) || is_the_script(path, words, tree)
}

/// Tells whether a file is code, or tells tools what to run, by its name.
pub(in crate::policy) fn is_code(path: &str) -> bool {
    let name = last_name(path).to_ascii_lowercase();
    NAMES.contains(&name.as_str())
        || STARTS.iter().any(|start| name.starts_with(start))
        || CODE.iter().any(|ending| name.ends_with(ending))
}

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
        [word.as_str(), value].iter().any(|word| plain(word) == path || tree.real(word) == path)
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
