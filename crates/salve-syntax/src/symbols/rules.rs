//! Where each grammar has its definitions.
//!
//! In: the kinds of a node and its parent, and the field it is in. Out: what a name there defines. The
//! knowledge is the tables; a language that has none has no symbols.

use super::SymbolKind::{
    self, Constant, Function, Import, Macro, Member, Method, Module, Type, Variable,
};
use salve_types::Language;

/// How a rule reads its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// The node is the name.
    Name,
    /// Every name in the node is defined, unless it is in an expression or a type.
    Names,
    /// Nothing in the node is defined.
    Nothing,
}

/// The rules of one language: parent, field (empty for any), mode, what is defined.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules(&'static [Rule]);

type Rule = (&'static str, &'static str, Mode, SymbolKind);

impl Rules {
    pub(super) fn of(language: Language) -> Option<Self> {
        let rows: &[Rule] = match language {
            Language::Rust => RUST,
            Language::Python => PYTHON,
            Language::TypeScript | Language::Tsx | Language::JavaScript | Language::Jsx => SCRIPT,
            Language::C | Language::Cpp => C,
            Language::Go => GO,
            Language::Java => JAVA,
            Language::Bash => BASH,
            Language::CSharp => CSHARP,
            Language::Kotlin => KOTLIN,
            Language::Php => PHP,
            Language::Ruby => RUBY,
            Language::Swift => SWIFT,
            // Data, markup and styles define nothing that code of another file names.
            _ => return None,
        };
        Some(Self(rows))
    }

    pub(super) fn find(self, parent: &str, field: &str, kind: &str) -> Option<(Mode, SymbolKind)> {
        let fits = |(of, within, mode, _): &&Rule| {
            *of == parent
                && (within.is_empty() && (*mode != Mode::Name || is_word(kind)) || *within == field)
        };
        self.0.iter().find(fits).map(|(_, _, mode, makes)| (*mode, *makes))
    }

    // A pattern may hold a type, a default value or a path; names in those are uses.
    pub(super) fn ends_binding(kind: &str, field: Option<&str>, binds: SymbolKind) -> bool {
        let in_expression = matches!(
            field,
            Some(
                "type"
                    | "value"
                    | "right"
                    | "default"
                    | "path"
                    | "index"
                    | "size"
                    | "body"
                    | "object"
            )
        );
        let is_expression = matches!(
            kind,
            "type_annotation"
                | "call_expression"
                | "call"
                | "block"
                | "arguments"
                | "subscript_expression"
                | "subscript"
                | "compound_statement"
                | "parameter_list"
        );
        in_expression || is_expression || (kind == "scoped_identifier" && binds != Import)
    }
}

/// Whether a function directly inside a node of this kind is a method.
pub(super) fn is_class(kind: &str) -> bool {
    matches!(
        kind,
        "impl_item"
            | "trait_item"
            | "class_definition"
            | "class_declaration"
            | "abstract_class_declaration"
            | "class_specifier"
            | "struct_specifier"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "struct_declaration"
            | "trait_declaration"
            | "object_declaration"
            | "protocol_declaration"
            | "class"
    )
}

/// Whether a node of this kind is the whole of a definition.
pub(super) fn is_item(kind: &str) -> bool {
    matches!(
        kind,
        "function_item"
            | "function_signature_item"
            | "function_signature"
            | "function_expression"
            | "class"
            | "struct_item"
            | "enum_item"
            | "union_item"
            | "trait_item"
            | "mod_item"
            | "type_item"
            | "macro_definition"
            | "function_definition"
            | "class_definition"
            | "function_declaration"
            | "generator_function_declaration"
            | "class_declaration"
            | "abstract_class_declaration"
            | "interface_declaration"
            | "type_alias_declaration"
            | "enum_declaration"
            | "method_definition"
            | "method_signature"
            | "internal_module"
            | "module"
            | "namespace_definition"
            | "struct_specifier"
            | "union_specifier"
            | "enum_specifier"
            | "class_specifier"
            | "type_definition"
            | "method_declaration"
            | "type_spec"
            | "constructor_declaration"
            | "record_declaration"
            | "preproc_function_def"
            | "preproc_def"
            | "associated_type"
            | "method_elem"
            | "struct_declaration"
            | "trait_declaration"
            | "object_declaration"
            | "protocol_declaration"
            | "delegate_declaration"
            | "namespace_declaration"
            | "init_declaration"
            | "protocol_function_declaration"
            | "typealias_declaration"
            | "method"
            | "singleton_method"
    )
}

/// Whether a leaf of this kind is a name.
pub(super) fn is_word(kind: &str) -> bool {
    matches!(
        kind,
        "identifier"
            | "type_identifier"
            | "field_identifier"
            | "property_identifier"
            | "shorthand_property_identifier"
            | "shorthand_property_identifier_pattern"
            | "shorthand_field_identifier"
            | "private_property_identifier"
            | "package_identifier"
            | "namespace_identifier"
            | "statement_identifier"
            | "primitive_type"
    )
}

/// Whether a name is used as a member.
pub(super) fn is_member(kind: &str, parent: &str, field: Option<&str>) -> bool {
    matches!(
        kind,
        "field_identifier"
            | "property_identifier"
            | "private_property_identifier"
            | "shorthand_field_identifier"
    ) || (parent == "attribute" && field == Some("attribute"))
        || parent == "enum_variant"
        || (parent == "keyword_argument" && field == Some("name"))
        || (parent == "field_access" && field == Some("field"))
        || (parent == "method_invocation" && field == Some("name"))
}

use Mode::{Name, Names, Nothing};

const RUST: &[Rule] = &[
    ("function_item", "name", Name, Function),
    ("function_signature_item", "name", Name, Function),
    ("struct_item", "name", Name, Type),
    ("enum_item", "name", Name, Type),
    ("union_item", "name", Name, Type),
    ("trait_item", "name", Name, Type),
    ("type_item", "name", Name, Type),
    ("associated_type", "name", Name, Type),
    ("type_parameter", "name", Name, Type),
    ("const_parameter", "name", Name, Constant),
    ("const_item", "name", Name, Constant),
    ("static_item", "name", Name, Constant),
    ("mod_item", "name", Name, Module),
    ("macro_definition", "name", Name, Macro),
    ("field_declaration", "name", Name, Member),
    ("enum_variant", "name", Name, Member),
    ("let_declaration", "pattern", Names, Variable),
    ("let_condition", "pattern", Names, Variable),
    ("for_expression", "pattern", Names, Variable),
    ("match_arm", "pattern", Names, Variable),
    ("parameter", "pattern", Names, Variable),
    ("closure_parameters", "", Names, Variable),
    ("use_declaration", "argument", Names, Import),
    ("use_as_clause", "alias", Name, Import),
    ("use_list", "", Names, Import),
    ("use_as_clause", "path", Nothing, Import),
    ("scoped_use_list", "path", Nothing, Import),
    ("scoped_identifier", "path", Nothing, Import),
    ("extern_crate_declaration", "name", Name, Import),
];

const PYTHON: &[Rule] = &[
    ("function_definition", "name", Name, Function),
    ("class_definition", "name", Name, Type),
    ("parameters", "", Name, Variable),
    ("lambda_parameters", "", Name, Variable),
    ("default_parameter", "name", Name, Variable),
    ("typed_parameter", "", Name, Variable),
    ("typed_default_parameter", "name", Name, Variable),
    ("list_splat_pattern", "", Name, Variable),
    ("dictionary_splat_pattern", "", Name, Variable),
    ("attribute", "object", Nothing, Variable),
    ("assignment", "left", Names, Variable),
    ("augmented_assignment", "left", Nothing, Variable),
    ("for_statement", "left", Names, Variable),
    ("for_in_clause", "left", Names, Variable),
    ("named_expression", "name", Name, Variable),
    ("as_pattern_target", "", Name, Variable),
    ("import_statement", "name", Names, Import),
    ("import_from_statement", "name", Names, Import),
    ("aliased_import", "alias", Name, Import),
    ("aliased_import", "name", Nothing, Import),
];

const SCRIPT: &[Rule] = &[
    ("function_declaration", "name", Name, Function),
    ("generator_function_declaration", "name", Name, Function),
    ("function_expression", "name", Name, Function),
    ("function_signature", "name", Name, Function),
    ("class_declaration", "name", Name, Type),
    ("abstract_class_declaration", "name", Name, Type),
    ("class", "name", Name, Type),
    ("interface_declaration", "name", Name, Type),
    ("type_alias_declaration", "name", Name, Type),
    ("enum_declaration", "name", Name, Type),
    ("type_parameter", "name", Name, Type),
    ("internal_module", "name", Name, Module),
    ("method_definition", "name", Name, Method),
    ("method_signature", "name", Name, Method),
    ("abstract_method_signature", "name", Name, Method),
    ("property_signature", "name", Name, Member),
    ("public_field_definition", "name", Name, Member),
    ("field_definition", "property", Name, Member),
    ("pair", "key", Name, Member),
    ("enum_body", "", Name, Member),
    ("enum_assignment", "name", Name, Member),
    ("variable_declarator", "name", Names, Variable),
    ("required_parameter", "pattern", Names, Variable),
    ("optional_parameter", "pattern", Names, Variable),
    ("formal_parameters", "", Names, Variable),
    ("arrow_function", "parameter", Name, Variable),
    ("catch_clause", "parameter", Names, Variable),
    ("for_in_statement", "left", Names, Variable),
    ("pair_pattern", "key", Nothing, Variable),
    ("pair_pattern", "value", Names, Variable),
    ("import_specifier", "alias", Name, Import),
    ("import_specifier", "name", Name, Import),
    ("namespace_import", "", Name, Import),
    ("import_clause", "", Name, Import),
];

const C: &[Rule] = &[
    ("function_declarator", "declarator", Names, Function),
    ("declaration", "declarator", Names, Variable),
    ("init_declarator", "declarator", Names, Variable),
    ("parameter_declaration", "declarator", Names, Variable),
    ("struct_specifier", "name", Name, Type),
    ("union_specifier", "name", Name, Type),
    ("enum_specifier", "name", Name, Type),
    ("class_specifier", "name", Name, Type),
    ("type_definition", "declarator", Names, Type),
    ("namespace_definition", "name", Name, Module),
    ("enumerator", "name", Name, Constant),
    ("field_declaration", "declarator", Names, Member),
    ("preproc_def", "name", Name, Macro),
    ("preproc_function_def", "name", Name, Macro),
];

const GO: &[Rule] = &[
    ("function_declaration", "name", Name, Function),
    ("method_declaration", "name", Name, Method),
    ("method_elem", "name", Name, Method),
    ("type_spec", "name", Name, Type),
    ("const_spec", "name", Name, Constant),
    ("var_spec", "name", Name, Variable),
    ("short_var_declaration", "left", Names, Variable),
    ("range_clause", "left", Names, Variable),
    ("parameter_declaration", "name", Name, Variable),
    ("field_declaration", "name", Name, Member),
    ("import_spec", "name", Name, Import),
];

const JAVA: &[Rule] = &[
    ("class_declaration", "name", Name, Type),
    ("interface_declaration", "name", Name, Type),
    ("enum_declaration", "name", Name, Type),
    ("record_declaration", "name", Name, Type),
    ("type_parameter", "", Name, Type),
    ("method_declaration", "name", Name, Method),
    ("constructor_declaration", "name", Name, Function),
    ("enum_constant", "name", Name, Constant),
    ("variable_declarator", "name", Name, Variable),
    ("formal_parameter", "name", Name, Variable),
    ("enhanced_for_statement", "name", Name, Variable),
    ("catch_formal_parameter", "name", Name, Variable),
];

const BASH: &[Rule] = &[
    ("function_definition", "name", Name, Function),
    ("variable_assignment", "name", Name, Variable),
];

const CSHARP: &[Rule] = &[
    ("class_declaration", "name", Name, Type),
    ("struct_declaration", "name", Name, Type),
    ("interface_declaration", "name", Name, Type),
    ("enum_declaration", "name", Name, Type),
    ("record_declaration", "name", Name, Type),
    ("delegate_declaration", "name", Name, Type),
    ("namespace_declaration", "name", Name, Module),
    ("method_declaration", "name", Name, Method),
    ("constructor_declaration", "name", Name, Function),
    ("property_declaration", "name", Name, Member),
    ("enum_member_declaration", "name", Name, Constant),
    ("variable_declarator", "name", Name, Variable),
    ("parameter", "name", Name, Variable),
];

const KOTLIN: &[Rule] = &[
    ("class_declaration", "name", Name, Type),
    ("object_declaration", "name", Name, Type),
    ("function_declaration", "name", Name, Function),
    ("variable_declaration", "", Name, Variable),
    ("parameter", "", Name, Variable),
];

const PHP: &[Rule] = &[
    ("class_declaration", "name", Name, Type),
    ("interface_declaration", "name", Name, Type),
    ("trait_declaration", "name", Name, Type),
    ("enum_declaration", "name", Name, Type),
    ("function_definition", "name", Name, Function),
    ("method_declaration", "name", Name, Method),
    ("const_element", "", Name, Constant),
];

const RUBY: &[Rule] = &[
    ("class", "name", Name, Type),
    ("module", "name", Name, Module),
    ("method", "name", Name, Method),
    ("singleton_method", "name", Name, Method),
];

const SWIFT: &[Rule] = &[
    ("class_declaration", "name", Name, Type),
    ("protocol_declaration", "name", Name, Type),
    ("typealias_declaration", "name", Name, Type),
    ("function_declaration", "name", Name, Function),
    ("protocol_function_declaration", "name", Name, Method),
];
