//! The languages Salve reads, and the names people give them.
//!
//! In: a fence label, a hint, a file name. Out: a language or nothing. Never guesses from content:
//! that is the inspector's job.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A language the text stages know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum Language {
    /// Rust.
    Rust,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// JavaScript.
    JavaScript,
    /// JavaScript with JSX.
    Jsx,
    /// Python.
    Python,
    /// Go.
    Go,
    /// C.
    C,
    /// C++.
    Cpp,
    /// Java.
    Java,
    /// C#.
    CSharp,
    /// Kotlin.
    Kotlin,
    /// Swift.
    Swift,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Bash and other POSIX shells.
    Bash,
    /// SQL, all dialects.
    Sql,
    /// HTML and its relatives, XML among them.
    Html,
    /// CSS and its supersets.
    Css,
    /// JSON and its supersets.
    Json,
    /// YAML.
    Yaml,
    /// TOML.
    Toml,
    /// Markdown.
    Markdown,
    /// Plain text, or a language that was not named: only weak checks apply.
    #[default]
    Text,
}

// One row per language: name on the wire, other labels, file endings.
type Row = (Language, &'static str, &'static [&'static str], &'static [&'static str]);

#[rustfmt::skip]
const TABLE: &[Row] = &[
    (Language::Rust, "rust", &["rs"], &["rs"]),
    (Language::TypeScript, "typescript", &["ts", "mts", "cts"], &["ts", "mts", "cts"]),
    (Language::Tsx, "tsx", &[], &["tsx"]),
    (Language::JavaScript, "javascript", &["js", "mjs", "cjs", "node"], &["js", "mjs", "cjs"]),
    (Language::Jsx, "jsx", &[], &["jsx"]),
    (Language::Python, "python", &["py", "python3", "py3"], &["py", "pyi", "pyw"]),
    (Language::Go, "go", &["golang"], &["go"]),
    (Language::C, "c", &["h"], &["c", "h"]),
    (Language::Cpp, "cpp", &["c++", "cxx", "cc", "hpp"], &["cpp", "cc", "cxx", "hpp", "hh", "hxx", "ipp"]),
    (Language::Java, "java", &[], &["java"]),
    (Language::CSharp, "csharp", &["c#", "cs"], &["cs"]),
    (Language::Kotlin, "kotlin", &["kt", "kts"], &["kt", "kts"]),
    (Language::Swift, "swift", &[], &["swift"]),
    (Language::Ruby, "ruby", &["rb"], &["rb", "rake", "gemspec"]),
    (Language::Php, "php", &[], &["php", "phtml"]),
    (Language::Bash, "bash", &["sh", "shell", "zsh", "ksh", "shellscript"], &["sh", "bash", "zsh", "ksh"]),
    (Language::Sql, "sql", &["postgresql", "postgres", "mysql", "sqlite", "plpgsql"], &["sql"]),
    (Language::Html, "html", &["htm", "xhtml", "xml", "svg", "vue", "svelte"], &["html", "htm", "xhtml", "xml", "svg", "vue", "svelte"]),
    (Language::Css, "css", &["scss", "less"], &["css", "scss", "less"]),
    (Language::Json, "json", &["jsonc", "json5", "jsonl", "ndjson"], &["json", "jsonc", "json5", "webmanifest", "ipynb"]),
    (Language::Yaml, "yaml", &["yml"], &["yaml", "yml"]),
    (Language::Toml, "toml", &[], &["toml"]),
    (Language::Markdown, "markdown", &["md", "mdx"], &["md", "markdown", "mdx"]),
    (Language::Text, "text", &["txt", "plain", "plaintext", "none"], &["txt", "text"]),
];

impl Language {
    /// Lists every language, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }

    /// Returns the name used on the wire and in fences.
    pub fn name(self) -> &'static str {
        TABLE.iter().find(|row| row.0 == self).map_or("text", |row| row.1)
    }

    /// Reads a hint or fence label such as `rs`, `TypeScript` or `c++`.
    pub fn from_name(label: &str) -> Option<Self> {
        let label = label.trim().to_ascii_lowercase();
        TABLE.iter().find(|row| row.1 == label || row.2.contains(&label.as_str())).map(|row| row.0)
    }

    /// Tells the language from the ending or the whole name of a file.
    pub fn from_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
        match name.as_str() {
            "dockerfile" | "makefile" => return Some(Self::Text),
            "cargo.lock" | "pipfile" | "poetry.lock" => return Some(Self::Toml),
            "gemfile" | "rakefile" => return Some(Self::Ruby),
            ".bashrc" | ".zshrc" | ".profile" => return Some(Self::Bash),
            _ => {}
        }
        let (_, ending) = name.rsplit_once('.')?;
        TABLE.iter().find(|row| row.3.contains(&ending)).map(|row| row.0)
    }
}

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::from_name(&name).ok_or_else(|| D::Error::custom(format!("no language `{name}`")))
    }
}
