//! The words around a mention: what names a kind of thing, and what names nothing.

/// What a noun says about the word before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Noun {
    /// It is a folder.
    pub(super) is_folder: bool,
    /// It is surely a file.
    pub(super) is_file: bool,
}

/// Reads a noun in lower case.
pub(super) fn noun(word: &str) -> Option<Noun> {
    let (is_folder, is_file) = match word {
        "folder" | "directory" | "dir" => (true, false),
        "module" | "file" | "script" | "package" | "crate" => (false, true),
        "class" | "component" | "service" | "function" | "handler" | "controller" | "model"
        | "view" | "page" | "test" | "tests" | "struct" | "trait" | "interface" | "type"
        | "method" | "library" | "plugin" | "parser" | "route" | "endpoint" | "hook" | "store"
        | "code" | "modules" | "files" => (false, false),
        _ => return None,
    };
    Some(Noun { is_folder, is_file })
}

/// Words that name nothing before a noun.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "a", "all", "an", "and", "another", "any", "big", "broken", "correct", "current", "different", "each", "empty",
    "entire", "every", "existing", "first", "following", "for", "from", "her", "his", "if", "in", "is", "it", "its",
    "large", "last", "missing", "my", "new", "next", "no", "of", "old", "on", "one", "only", "or", "other", "our",
    "own", "right", "same", "separate", "single", "small", "some", "that", "the", "their", "this", "those", "to",
    "two", "which", "whole", "with", "wrong", "your",
];

/// Words that say what kind of file is meant and not which.
#[rustfmt::skip]
const KINDS: &[&str] = &[
    "binary", "code", "core", "css", "csv", "go", "html", "input", "java", "javascript", "json", "lock", "log",
    "main", "output", "project", "python", "root", "rust", "shell", "source", "test", "text", "toml", "typescript",
    "xml", "yaml",
];

/// Words of requests, which name no file by themselves.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "about", "add", "after", "again", "also", "always", "because", "been", "before", "build", "call", "calls", "can",
    "change", "check", "code", "could", "create", "delete", "does", "done", "error", "errors", "explain", "fail",
    "fails", "file", "files", "find", "fix", "from", "function", "good", "have", "help", "here", "implement", "into",
    "just", "know", "like", "line", "lines", "list", "look", "make", "more", "move", "must", "need", "never", "only",
    "please", "problem", "project", "read", "refactor", "remove", "rename", "return", "returns", "review", "run",
    "running", "should", "show", "some", "step", "steps", "such", "sure", "take", "tell", "test", "tests", "than",
    "that", "their", "them", "then", "there", "these", "they", "this", "update", "using", "want", "what", "when",
    "where", "which", "will", "with", "without", "work", "works", "would", "write", "your",
];

/// Products whose names look like files.
#[rustfmt::skip]
const PRODUCTS: &[&str] = &[
    "alpine.js", "angular.js", "asp.net", "backbone.js", "chart.js", "d3.js", "discord.js", "ember.js", "express.js",
    "moment.js", "nest.js", "next.js", "node.js", "nuxt.js", "p5.js", "react.js", "socket.io", "solid.js",
    "three.js", "vue.js",
];

pub(super) fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word.to_lowercase().as_str())
}

pub(super) fn says_nothing(word: &str) -> bool {
    KINDS.contains(&word.to_lowercase().as_str())
}

pub(super) fn is_common(word: &str) -> bool {
    let word = word.to_lowercase();
    COMMON.contains(&word.as_str()) || FILLERS.contains(&word.as_str())
}

/// Tells whether a name is that of a product and not of a file.
pub(in super::super) fn is_product(name: &str) -> bool {
    PRODUCTS.contains(&name.to_lowercase().as_str())
}

/// Lists the words of a text that may be the name of something, in lower case, each once.
pub(in super::super) fn plain_words(text: &str) -> Vec<String> {
    const MOST: usize = 40;
    let mut words: Vec<String> = Vec::new();
    let letters = |letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '-';
    for word in super::beginning(text).split(letters).filter(|word| word.len() >= 4) {
        let word = word.to_lowercase();
        let is_number = word.starts_with(|first: char| first.is_ascii_digit());
        if words.len() < MOST
            && !is_number
            && !COMMON.contains(&word.as_str())
            && !words.contains(&word)
        {
            words.push(word);
        }
    }
    words
}
