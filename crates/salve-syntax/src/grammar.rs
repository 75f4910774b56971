//! Which grammars are built in.
//!
//! In: a language. Out: its grammar, or nothing. Never falls back to a neighbouring grammar: a
//! wrong opinion is worse than none.

use salve_types::Language;

/// A grammar as `doctor` lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Grammar {
    /// The language it reads.
    pub language: Language,
    /// The version its authors wrote into it, where they did.
    pub version: Option<String>,
    /// The version of the table format, which decides whether the runtime can load it.
    pub abi: usize,
}

/// Tells whether a grammar for `language` is built in.
pub fn has_grammar(language: Language) -> bool {
    table(language).is_some()
}

/// Lists the grammars that are built in, in the order of [`Language::all`].
pub fn grammars() -> Vec<Grammar> {
    Language::all()
        .filter_map(|language| {
            let table = table(language)?;
            let version = table
                .metadata()
                .map(|it| format!("{}.{}.{}", it.major_version, it.minor_version, it.patch_version))
                .filter(|version| version != "0.0.0");
            Some(Grammar { language, version, abi: table.abi_version() })
        })
        .collect()
}

/// Returns the parse table of `language`.
pub(crate) fn table(language: Language) -> Option<tree_sitter::Language> {
    let table = match language {
        Language::Rust => tree_sitter_rust::LANGUAGE,
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
        Language::JavaScript | Language::Jsx => tree_sitter_javascript::LANGUAGE,
        Language::Python => tree_sitter_python::LANGUAGE,
        Language::Go => tree_sitter_go::LANGUAGE,
        Language::C => tree_sitter_c::LANGUAGE,
        Language::Cpp => tree_sitter_cpp::LANGUAGE,
        Language::Java => tree_sitter_java::LANGUAGE,
        Language::Json => tree_sitter_json::LANGUAGE,
        Language::Bash => tree_sitter_bash::LANGUAGE,
        Language::Html => tree_sitter_html::LANGUAGE,
        Language::Css => tree_sitter_css::LANGUAGE,
        #[cfg(feature = "csharp")]
        Language::CSharp => tree_sitter_c_sharp::LANGUAGE,
        #[cfg(feature = "kotlin")]
        Language::Kotlin => tree_sitter_kotlin_ng::LANGUAGE,
        #[cfg(feature = "php")]
        Language::Php => tree_sitter_php::LANGUAGE_PHP,
        #[cfg(feature = "ruby")]
        Language::Ruby => tree_sitter_ruby::LANGUAGE,
        #[cfg(feature = "swift")]
        Language::Swift => tree_sitter_swift::LANGUAGE,
        #[cfg(feature = "toml")]
        Language::Toml => tree_sitter_toml_ng::LANGUAGE,
        #[cfg(feature = "yaml")]
        Language::Yaml => tree_sitter_yaml::LANGUAGE,
        #[cfg(feature = "sql")]
        Language::Sql => tree_sitter_sequel::LANGUAGE,
        _ => return None,
    };
    Some(table.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_languages_have_grammars_and_the_runtime_loads_each() {
        for name in [
            "rust",
            "typescript",
            "tsx",
            "javascript",
            "jsx",
            "python",
            "go",
            "c",
            "cpp",
            "java",
            "json",
            "bash",
            "html",
            "css",
        ] {
            let language = Language::from_name(name).unwrap();
            assert!(has_grammar(language), "{name}");
        }
        for grammar in grammars() {
            let table = table(grammar.language).unwrap();
            let mut parser = tree_sitter::Parser::new();
            assert!(parser.set_language(&table).is_ok(), "{}", grammar.language.name());
        }
        assert!(!has_grammar(Language::Text));
    }
}
