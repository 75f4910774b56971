//! The tools that judge the pairs.
//!
//! In: a pair. Out: a folder of its own in which its files are written and checked. The folder is deleted
//! with it.

use super::{Pair, is_error};
use anyhow::Context;
use salve_check::{CheckedFolder, OutputParser, parse_output};
use salve_types::{Diagnostic, Severity};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One set of pairs and the tool that judges it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Rust,
    RustWarnings,
    C,
    Python,
    TypeScript,
    JavaScript,
}

impl Tool {
    pub(crate) const ALL: [Self; 6] =
        [Self::Rust, Self::RustWarnings, Self::C, Self::Python, Self::TypeScript, Self::JavaScript];

    pub(crate) const fn set(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::RustWarnings => "rust_warn",
            Self::C => "c",
            Self::Python => "python",
            Self::TypeScript => "typescript",
            Self::JavaScript => "javascript",
        }
    }

    /// Whether a diagnostic makes this check fail.
    pub(crate) fn counts(self, severity: Severity) -> bool {
        is_error(severity) || (self == Self::RustWarnings && severity == Severity::Warning)
    }

    /// Makes the folder of one pair.
    pub(crate) fn place(self, pair: &Pair, tools: Option<&Path>) -> anyhow::Result<Place> {
        let folder = tempfile::tempdir().context("no temporary folder")?;
        let text =
            |key: &str| pair.more.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let file = match self {
            Self::Rust | Self::RustWarnings => "main.rs".to_owned(),
            Self::C => "prog.c".to_owned(),
            Self::Python => "main.py".to_owned(),
            Self::TypeScript => text("file").trim_start_matches('/').to_owned(),
            Self::JavaScript => "main.js".to_owned(),
        };
        let others = pair.more.get("files").and_then(Value::as_object).into_iter().flatten();
        let others: BTreeMap<String, String> = others
            .filter_map(|(path, text)| {
                Some((path.trim_start_matches('/').to_owned(), text.as_str()?.to_owned()))
            })
            .collect();
        let command = self.command(pair, &file, &others, tools);
        if self == Self::JavaScript {
            std::fs::write(folder.path().join("eslint.config.mjs"), eslint_configuration(pair))?;
        }
        Ok(Place { tool: self, folder, file, others, command })
    }

    fn command(
        self,
        pair: &Pair,
        file: &str,
        others: &BTreeMap<String, String>,
        tools: Option<&Path>,
    ) -> Vec<String> {
        let text = |key: &str| pair.more.get(key).and_then(Value::as_str).unwrap_or_default();
        let flags = pair.more.get("flags").and_then(Value::as_array).into_iter().flatten();
        let flags: Vec<String> = flags.filter_map(Value::as_str).map(str::to_owned).collect();
        let of_node = |name: &str| {
            let path = tools.map(|tools| tools.join("node_modules/.bin").join(name));
            path.unwrap_or_else(|| PathBuf::from(name)).to_string_lossy().into_owned()
        };
        let mut command: Vec<String> = match self {
            Self::Rust | Self::RustWarnings => {
                let edition = format!("--edition={}", text("edition"));
                [
                    "rustc",
                    &edition,
                    "--error-format=json",
                    "--emit=metadata",
                    "-o",
                    "out.rmeta",
                    file,
                ]
                .map(str::to_owned)
                .to_vec()
            }
            Self::C => ["gcc", "-fdiagnostics-format=json", file].map(str::to_owned).to_vec(),
            Self::Python => ["python3", "-m", "py_compile", file].map(str::to_owned).to_vec(),
            Self::TypeScript => {
                let mut command = vec![of_node("tsc")];
                command.extend(["--noEmit", "--pretty", "false"].map(str::to_owned));
                for (option, value) in
                    pair.more.get("options").and_then(Value::as_object).into_iter().flatten()
                {
                    if !matches!(option.as_str(), "noemit" | "stabletypeordering") {
                        command.extend([
                            format!("--{option}"),
                            value.as_str().unwrap_or("true").to_owned(),
                        ]);
                    }
                }
                let is_source = |path: &&String| {
                    [".ts", ".tsx", ".js", ".jsx", ".mts", ".cts"]
                        .iter()
                        .any(|ending| path.ends_with(ending))
                        && !path.contains("node_modules/")
                };
                command.push(file.to_owned());
                command.extend(others.keys().filter(is_source).cloned());
                command
            }
            Self::JavaScript => {
                let mut command = vec![of_node("eslint")];
                command.extend(["--no-ignore", "--format", "json", file].map(str::to_owned));
                command
            }
        };
        command.extend(flags);
        command
    }

    const fn parser(self) -> OutputParser {
        match self {
            Self::Rust | Self::RustWarnings => OutputParser::CargoJson,
            Self::C => OutputParser::Gcc,
            Self::Python => OutputParser::PythonCompile,
            Self::TypeScript => OutputParser::Tsc,
            Self::JavaScript => OutputParser::EslintJson,
        }
    }
}

fn eslint_configuration(pair: &Pair) -> String {
    let rule = pair.more.get("rule").and_then(Value::as_str).unwrap_or_default();
    let mut levels = vec![json!("error")];
    let options = pair.more.get("options").and_then(Value::as_array).into_iter().flatten();
    levels.extend(options.cloned());
    let language = pair.more.get("languageOptions").cloned().unwrap_or_else(|| json!({}));
    let rules = json!({ rule: levels });
    let configuration =
        json!({ "files": ["**/*.js"], "languageOptions": language, "rules": rules });
    format!("export default [{configuration}];\n")
}

/// The folder of one pair.
pub(crate) struct Place {
    tool: Tool,
    folder: tempfile::TempDir,
    file: String,
    others: BTreeMap<String, String>,
    command: Vec<String>,
}

impl Place {
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Returns the files of the pair, with its program as `text`.
    pub(crate) fn files(&self, text: &str) -> BTreeMap<String, String> {
        let mut files = self.others.clone();
        files.insert(self.file.clone(), text.to_owned());
        files
    }

    /// Writes the files and runs the tool; returns whether it passed, and what it said.
    pub(crate) fn check(
        &self,
        files: &BTreeMap<String, String>,
    ) -> anyhow::Result<(bool, Vec<Diagnostic>)> {
        for (path, text) in files {
            let path = self.folder.path().join(path);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(path, text)?;
        }
        let (program, arguments) = self.command.split_first().context("no command")?;
        let run = Command::new(program)
            .args(arguments)
            .current_dir(self.folder.path())
            .env("RUSTC_BOOTSTRAP", "1")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .with_context(|| format!("could not start {program}"))?;
        let source = |path: &str| std::fs::read_to_string(self.folder.path().join(path)).ok();
        let folder = CheckedFolder { path: self.folder.path(), source: &source };
        let (stdout, stderr) =
            (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        Ok((run.status.success(), parse_output(self.tool.parser(), &stdout, &stderr, folder)))
    }
}
