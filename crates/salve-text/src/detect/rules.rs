//! Distinctive lines.
//!
//! In: the head of a text. Out: a score per language from a table of line patterns. Never lets one
//! pattern decide by repetition.

use super::telling_lines;
use salve_types::Language as L;

/// What was found for each language.
#[derive(Debug, Default)]
pub(super) struct Scores(Vec<(L, u32)>);

impl Scores {
    /// Returns the score of one language.
    pub(super) fn of(&self, language: L) -> u32 {
        self.0.iter().find(|row| row.0 == language).map_or(0, |row| row.1)
    }

    /// Adds evidence.
    pub(super) fn add(&mut self, language: L, weight: u32) {
        match self.0.iter_mut().find(|row| row.0 == language) {
            Some(row) => row.1 += weight,
            None => self.0.push((language, weight)),
        }
    }

    /// Returns the best language; of equals, the one that comes first in the list of languages.
    pub(super) fn best(&self) -> Option<(L, u32)> {
        self.0.iter().copied().max_by(|left, right| left.1.cmp(&right.1).then(right.0.cmp(&left.0)))
    }
}

// A line speaks for a language when it begins with, holds and ends with the three texts, after
// trimming. Empty means no condition.
type Rule = (L, &'static str, &'static str, &'static str, u32);

// A pattern that repeats is not ever more convincing.
const COUNTED: u32 = 3;

/// Scores the lines of `text`.
pub(super) fn score(text: &str) -> Scores {
    let mut scores = Scores::default();
    let mut counts = vec![0_u32; RULES.len()];
    for (_, line) in telling_lines(text) {
        for (rule, count) in RULES.iter().zip(&mut counts) {
            if *count < COUNTED && matches(rule, line) {
                *count += 1;
                scores.add(rule.0, rule.4);
            }
        }
    }
    scores
}

fn matches(&(_, start, inside, end, _): &Rule, line: &str) -> bool {
    line.starts_with(start) && line.ends_with(end) && (inside.is_empty() || line.contains(inside))
}

#[rustfmt::skip]
const RULES: &[Rule] = &[
    (L::Rust, "pub fn ", "", "", 6), (L::Rust, "fn ", "(", "{", 4), (L::Rust, "fn ", "(", "", 2),
    (L::Rust, "impl", " for ", "{", 5), (L::Rust, "impl ", "", "{", 4), (L::Rust, "impl<", "", "", 6),
    (L::Rust, "let mut ", "", "", 6), (L::Rust, "use ", "::", ";", 5), (L::Rust, "#[derive(", "", "", 8),
    (L::Rust, "#[cfg(", "", "", 6), (L::Rust, "#![", "", "]", 5), (L::Rust, "", "println!(", "", 5),
    (L::Rust, "", "&mut ", "", 4), (L::Rust, "", "&self", "", 4), (L::Rust, "", "-> Result<", "", 4),
    (L::Rust, "", "-> Option<", "", 4), (L::Rust, "match ", "", "{", 3), (L::Rust, "mod ", "", ";", 4),
    (L::Rust, "pub struct ", "", "", 5), (L::Rust, "pub enum ", "", "", 5), (L::Rust, "pub mod ", "", "", 6),
    (L::Rust, "//!", "", "", 3), (L::Rust, "///", "", "", 2), (L::Rust, "", "vec![", "", 4),
    (L::Rust, "", ".unwrap()", "", 4), (L::Rust, "macro_rules! ", "", "", 8), (L::Rust, "pub use ", "", "", 5),
    (L::Rust, "pub(crate)", "", "", 6), (L::Rust, "", "&str", "", 3), (L::Rust, "", "Some(", "", 1),

    (L::JavaScript, "import ", " from '", "", 5), (L::JavaScript, "import ", " from \"", "", 5),
    (L::JavaScript, "import {", "", "", 3), (L::JavaScript, "} from '", "", "", 5), (L::JavaScript, "} from \"", "", "", 5),
    (L::JavaScript, "import '", "", "", 4), (L::JavaScript, "const ", " = ", "", 3), (L::JavaScript, "let ", " = ", "", 1),
    (L::JavaScript, "export default ", "", "", 5), (L::JavaScript, "export const ", "", "", 5),
    (L::JavaScript, "export function ", "", "", 5), (L::JavaScript, "export class ", "", "", 5),
    (L::JavaScript, "export * from", "", "", 6), (L::JavaScript, "export {", "", "", 4),
    (L::JavaScript, "export async function ", "", "", 6), (L::JavaScript, "async function ", "", "", 5),
    (L::JavaScript, "function ", "(", "{", 3), (L::JavaScript, "", "require('", "", 4), (L::JavaScript, "", "require(\"", "", 4),
    (L::JavaScript, "module.exports", "", "", 6), (L::JavaScript, "'use strict'", "", "", 6), (L::JavaScript, "\"use strict\"", "", "", 6),
    (L::JavaScript, "\"use client\"", "", "", 6), (L::JavaScript, "'use client'", "", "", 6), (L::JavaScript, "", "console.log(", "", 4),
    (L::JavaScript, "", "=> {", "", 2), (L::JavaScript, "", "document.", "", 2), (L::JavaScript, "", "window.", "", 1),
    (L::JavaScript, "", " === ", "", 3), (L::JavaScript, "", " !== ", "", 3), (L::JavaScript, "var ", " = ", ";", 2),
    (L::JavaScript, "var ", "require", "", 3), (L::JavaScript, "", "function(", "", 2), (L::JavaScript, "", "function (", "", 2),
    (L::JavaScript, "", "await ", ";", 1), (L::JavaScript, "", "${", "", 1), (L::JavaScript, "", "useState(", "", 4),
    (L::JavaScript, "", "prototype.", "", 3), (L::JavaScript, "define( [", "", "", 4), (L::JavaScript, "", "undefined", "", 2),

    (L::TypeScript, "interface ", "", "{", 2), (L::TypeScript, "export interface ", "", "", 5), (L::TypeScript, "type ", " = ", "", 3),
    (L::TypeScript, "export type ", "", "", 6), (L::TypeScript, "import type ", "", "", 7), (L::TypeScript, "", ": string", "", 3),
    (L::TypeScript, "", ": number", "", 3), (L::TypeScript, "", ": boolean", "", 3), (L::TypeScript, "", ": any", "", 3),
    (L::TypeScript, "", ": unknown", "", 3), (L::TypeScript, "", " as const", "", 4), (L::TypeScript, "", "Promise<", "", 3),
    (L::TypeScript, "declare ", "", "", 4), (L::TypeScript, "export enum ", "", "", 5), (L::TypeScript, "export abstract class ", "", "", 6),
    (L::TypeScript, "", "Record<string", "", 5), (L::TypeScript, "", "React.FC", "", 4), (L::TypeScript, "", ": void", "", 2),
    (L::TypeScript, "", "useState<", "", 4), (L::TypeScript, "", "Array<", "", 2), (L::TypeScript, "", "): ", "{", 2),
    (L::TypeScript, "", " as any", "", 3), (L::TypeScript, "private readonly ", "", "", 5), (L::TypeScript, "readonly ", ":", "", 3),
    (L::TypeScript, "", "?: ", ";", 3), (L::TypeScript, "", "keyof ", "", 3), (L::TypeScript, "", ", type ", "", 2),
    (L::TypeScript, "import { type ", "", "", 5), (L::TypeScript, "", "<T>(", "", 2),

    (L::Python, "def ", "(", ":", 6), (L::Python, "def ", "(", "", 1), (L::Python, "async def ", "", "", 6), (L::Python, "class ", "", ":", 4),
    (L::Python, "from ", " import ", "", 6), (L::Python, "if __name__", "", "", 8), (L::Python, "elif ", "", ":", 6),
    (L::Python, "", "self.", "", 2), (L::Python, "", "(self", "", 4), (L::Python, "for ", " in ", ":", 5), (L::Python, "except", "", ":", 5),
    (L::Python, "try:", "", "", 4), (L::Python, "else:", "", "", 3), (L::Python, "if ", "", ":", 4), (L::Python, "while ", "", ":", 3),
    (L::Python, "with ", "", ":", 4), (L::Python, "print(", "", ")", 2), (L::Python, "\"\"\"", "", "", 2), (L::Python, "", "\"\"\"", "", 1),
    (L::Python, "return ", "", "", 1), (L::Python, "raise ", "", "", 3), (L::Python, "", "None", "", 1), (L::Python, "", " = [", "", 1),
    (L::Python, "", "lambda ", "", 1), (L::Python, "@", "", "", 1), (L::Python, "__all__ = ", "", "", 8), (L::Python, "", "__init__", "", 3),
    (L::Python, "", "True", "", 1), (L::Python, "", "self)", ":", 3), (L::Python, "pass", "", "pass", 2), (L::Python, "import os", "", "", 5),
    (L::Python, "import sys", "", "", 5), (L::Python, "import re", "", "", 4), (L::Python, "import numpy", "", "", 6), (L::Python, "import json", "", "json", 5),

    (L::Go, "package main", "", "", 8), (L::Go, "package ", "", "", 2), (L::Go, "func ", "(", "{", 4), (L::Go, "func (", "", "", 6), (L::Go, "func Test", "*testing.", "", 6),
    (L::Go, "", " := ", "", 4), (L::Go, "import (", "", "", 6), (L::Go, "import \"", "", "\"", 5), (L::Go, "type ", " struct {", "", 6), (L::Go, "type ", " interface {", "", 6),
    (L::Go, "if err != nil", "", "", 6), (L::Go, "", "fmt.", "", 3), (L::Go, "defer ", "", "", 4), (L::Go, "go func", "", "", 5), (L::Go, "", "[]byte", "", 4),
    (L::Go, "", "[]string", "", 4), (L::Go, "", "chan ", "", 2), (L::Go, "//go:", "", "", 6), (L::Go, "", "map[string]", "", 4), (L::Go, "", "nil {", "", 3),
    (L::Go, "var ", "", "", 1), (L::Go, "const (", "", "", 5), (L::Go, "var (", "", "", 5), (L::Go, "", "*testing.T", "", 5),

    (L::C, "#include <", "", ".h>", 6), (L::C, "#include \"", "", "\"", 5), (L::C, "#define ", "", "", 5), (L::C, "#ifdef ", "", "", 4), (L::C, "#ifndef ", "", "", 4),
    (L::C, "#endif", "", "", 3), (L::C, "#if ", "", "", 3), (L::C, "int main(", "", "", 5), (L::C, "", "printf(", "", 2), (L::C, "", "malloc(", "", 4), (L::C, "typedef ", "", "", 4),
    (L::C, "typedef struct", "", "", 5), (L::C, "struct ", "", "{", 2), (L::C, "static ", "(", "", 2), (L::C, "", "->", ";", 2), (L::C, "", "NULL", "", 2), (L::C, "", "char *", "", 4),
    (L::C, "", "size_t ", "", 3), (L::C, "void ", "(", "", 2), (L::C, "static int ", "", "", 4), (L::C, "int ", "", ";", 2), (L::C, "", "uint8_t", "", 3), (L::C, "", "sizeof(", "", 3),
    (L::C, "", "const char", "", 3), (L::C, "unsigned ", "", "", 3), (L::C, "extern ", "", ";", 3),

    (L::Cpp, "", "std::", "", 6), (L::Cpp, "#include <iostream>", "", "", 6), (L::Cpp, "#include <vector>", "", "", 6), (L::Cpp, "#include <string>", "", "", 6),
    (L::Cpp, "#include <memory>", "", "", 6), (L::Cpp, "#include <algorithm>", "", "", 6), (L::Cpp, "#include <map>", "", "", 6), (L::Cpp, "#include \"", ".hh\"", "", 5), (L::Cpp, "#include \"", ".hpp\"", "", 5),
    (L::Cpp, "template <", "", "", 6), (L::Cpp, "template<", "", "", 6), (L::Cpp, "namespace ", "", "{", 4), (L::Cpp, "using namespace ", "", ";", 6), (L::Cpp, "", "nullptr", "", 5),
    (L::Cpp, "public:", "", "", 5), (L::Cpp, "private:", "", "", 5), (L::Cpp, "protected:", "", "", 5), (L::Cpp, "class ", "", "{", 2), (L::Cpp, "", "cout <<", "", 6), (L::Cpp, "virtual ", "", "", 4),
    (L::Cpp, "", "constexpr ", "", 4), (L::Cpp, "", "const auto&", "", 5), (L::Cpp, "", "static_cast<", "", 6), (L::Cpp, "", " override", "", 2), (L::Cpp, "", "::", "{", 2), (L::Cpp, "", "operator", "(", 2),
    (L::Cpp, "enum class ", "", "", 2), (L::Cpp, "explicit ", "", "", 5), (L::Cpp, "", "const std::string&", "", 6), (L::Cpp, "", "::", "", 1),

    (L::Java, "import java", "", ";", 7), (L::Java, "package ", "", ";", 5), (L::Java, "public class ", "", "", 5), (L::Java, "", "System.out.", "", 6), (L::Java, "public static void main", "", "", 7),
    (L::Java, "private final ", "", "", 6), (L::Java, "@Override", "", "", 6), (L::Java, "import org.", "", ";", 5), (L::Java, "import com.", "", ";", 5), (L::Java, "import static ", "", ";", 6),
    (L::Java, "", " implements ", "", 2), (L::Java, "", " throws ", "", 4), (L::Java, "public ", " void ", "", 2), (L::Java, "", "new ArrayList<", "", 5), (L::Java, "public final class ", "", "", 6),
    (L::Java, "public interface ", "", "", 4), (L::Java, "private static final ", "", "", 6), (L::Java, "public static final ", "", "", 6), (L::Java, "", "String[]", "", 3), (L::Java, "", " extends ", "{", 1),
    (L::Java, "private ", "", ";", 1), (L::Java, "public ", "(", "{", 2), (L::Java, "@Test", "", "", 2), (L::Java, "public record ", "", "", 3), (L::Java, "public abstract class ", "", "", 4), (L::Java, "* @param", "", "", 1),

    (L::CSharp, "using System", "", ";", 8), (L::CSharp, "using ", "", ";", 3), (L::CSharp, "namespace ", "", "", 3), (L::CSharp, "", "{ get; set; }", "", 8), (L::CSharp, "", "{ get;", "", 6),
    (L::CSharp, "", "Console.Write", "", 7), (L::CSharp, "", "async Task", "", 6), (L::CSharp, "", "IEnumerable<", "", 5), (L::CSharp, "foreach (", " in ", "", 5), (L::CSharp, "", "static void Main(", "", 7),
    (L::CSharp, "internal ", "", "", 3), (L::CSharp, "public class ", "", "", 4), (L::CSharp, "public record ", "", "", 4), (L::CSharp, "", "$\"", "", 3), (L::CSharp, "public ", " override ", "", 4),
    (L::CSharp, "private readonly ", "", ";", 4), (L::CSharp, "public ", " string ", "", 4), (L::CSharp, "public ", "(", ")", 2), (L::CSharp, "/// <summary>", "", "", 8), (L::CSharp, "", "string.", "", 3), (L::CSharp, "public sealed class ", "", "", 6),

    (L::Kotlin, "fun ", "", "", 6), (L::Kotlin, "val ", " = ", "", 5), (L::Kotlin, "data class ", "", "", 7), (L::Kotlin, "import kotlin", "", "", 8), (L::Kotlin, "import android", "", "", 4),
    (L::Kotlin, "", "companion object", "", 7), (L::Kotlin, "override fun ", "", "", 8), (L::Kotlin, "suspend fun ", "", "", 8), (L::Kotlin, "private fun ", "", "", 8), (L::Kotlin, "private val ", "", "", 6),
    (L::Kotlin, "", "listOf(", "", 5), (L::Kotlin, "", "mutableListOf(", "", 5), (L::Kotlin, "when (", "", "{", 5), (L::Kotlin, "object ", "", "{", 4), (L::Kotlin, "", " by lazy", "", 6), (L::Kotlin, "sealed class ", "", "", 5),
    (L::Kotlin, "", "println(", "", 1), (L::Kotlin, "", ": String", "", 2), (L::Kotlin, "", ": Int", "", 2), (L::Kotlin, "class ", "(val ", "", 7), (L::Kotlin, "enum class ", "", "", 4), (L::Kotlin, "", "-> ", "", 1),

    (L::Swift, "import Foundation", "", "", 8), (L::Swift, "import UIKit", "", "", 8), (L::Swift, "import SwiftUI", "", "", 8), (L::Swift, "func ", "->", "{", 5), (L::Swift, "func ", ": ", "", 4), (L::Swift, "guard ", "", "", 7),
    (L::Swift, "if let ", "", "{", 2), (L::Swift, "var ", ": ", "{", 4), (L::Swift, "var body: ", "", "", 8), (L::Swift, "struct ", ": ", "{", 4), (L::Swift, "extension ", "", "{", 6), (L::Swift, "protocol ", "", "{", 6),
    (L::Swift, "@State", "", "", 5), (L::Swift, "@Published", "", "", 7), (L::Swift, "init(", "", "", 5), (L::Swift, "override func ", "", "", 8), (L::Swift, "private func ", "", "", 7), (L::Swift, "public func ", "", "", 7),
    (L::Swift, "static func ", "", "", 7), (L::Swift, "case .", "", "", 5), (L::Swift, "", "\\(", "", 3), (L::Swift, "class ", ": ", "{", 2), (L::Swift, "let ", ": ", "", 1), (L::Swift, "", "String?", "", 3), (L::Swift, "", ": [String", "", 4), (L::Swift, "enum ", ": ", "{", 5),
    (L::Swift, "let ", " = ", "", 1), (L::Swift, "", "-> Bool", "", 3), (L::Swift, "", ": Int", "", 1), (L::Swift, "func ", "(_ ", "", 6),

    (L::Ruby, "def ", "", "", 2), (L::Ruby, "end", "", "end", 3), (L::Ruby, "require '", "", "'", 6), (L::Ruby, "require \"", "", "\"", 6), (L::Ruby, "require_relative ", "", "", 8), (L::Ruby, "module ", "", "", 2),
    (L::Ruby, "attr_accessor ", "", "", 8), (L::Ruby, "attr_reader ", "", "", 8), (L::Ruby, "puts ", "", "", 5), (L::Ruby, "", " do |", "", 6), (L::Ruby, "unless ", "", "", 4), (L::Ruby, "elsif ", "", "", 5), (L::Ruby, "class ", " < ", "", 6),
    (L::Ruby, "", ".each do", "", 6), (L::Ruby, "", ".map { |", "", 6), (L::Ruby, "", ".each { |", "", 6), (L::Ruby, "@", " = ", "", 3), (L::Ruby, "", ".nil?", "", 4), (L::Ruby, "", ".empty?", "", 4), (L::Ruby, "", "#{", "", 3), (L::Ruby, "class ", "", "", 1),
    (L::Ruby, "# frozen_string_literal", "", "", 9), (L::Ruby, "gem '", "", "", 6), (L::Ruby, "describe ", "", " do", 6), (L::Ruby, "", "", " do", 2), (L::Ruby, "private", "", "private", 3), (L::Ruby, "def ", "self.", "", 4),

    (L::Php, "<?php", "", "", 20), (L::Php, "<?=", "", "", 6), (L::Php, "$", " = ", ";", 5), (L::Php, "", "$this->", "", 8), (L::Php, "namespace ", "\\", ";", 8), (L::Php, "use ", "\\", ";", 8), (L::Php, "public function ", "", "", 8),
    (L::Php, "private function ", "", "", 8), (L::Php, "protected function ", "", "", 8), (L::Php, "function ", "$", "", 6), (L::Php, "echo ", "", ";", 4), (L::Php, "", " as $", "", 7), (L::Php, "require_once", "", "", 4), (L::Php, "return $", "", ";", 6), (L::Php, "if (", "$", "", 4),

    (L::Bash, "fi", "", "fi", 4), (L::Bash, "done", "", "done", 4), (L::Bash, "esac", "", "esac", 6), (L::Bash, "if [", "", "", 6), (L::Bash, "then", "", "then", 3), (L::Bash, "", "", "; then", 6), (L::Bash, "", "", "; do", 5), (L::Bash, "", " ;;", "", 2),
    (L::Bash, "", "", ";;", 4), (L::Bash, "echo \"", "", "\"", 3), (L::Bash, "echo ", "$", "", 3), (L::Bash, "set -", "", "", 6), (L::Bash, "", "\"$", "", 3), (L::Bash, "", "=$(", "", 5), (L::Bash, "local ", "", "", 4), (L::Bash, "", " | grep", "", 5), (L::Bash, "", "$1", "", 3),
    (L::Bash, "sudo ", "", "", 5), (L::Bash, "cd ", "", "", 3), (L::Bash, "mkdir ", "", "", 4), (L::Bash, "npm ", "", "", 3), (L::Bash, "git ", "", "", 3), (L::Bash, "curl ", "", "", 4), (L::Bash, "case ", "", " in", 5), (L::Bash, "", "/dev/null", "", 4), (L::Bash, "_", "()", "", 3), (L::Bash, "", "() {", "", 1), (L::Bash, "export ", "=\"", "", 2),
    (L::Bash, "for ", " in ", "do", 4), (L::Bash, "complete -", "", "", 5), (L::Bash, "", "[[ ", "", 4), (L::Bash, "$ ", "", "", 2), (L::Bash, "chmod ", "", "", 4), (L::Bash, "cargo ", "", "", 3), (L::Bash, "docker ", "", "", 3), (L::Bash, "pip install", "", "", 4), (L::Bash, "rm -", "", "", 4),

    (L::Html, "<html", "", "", 10), (L::Html, "<head", "", "", 5), (L::Html, "<body", "", "", 5), (L::Html, "<div", "", "", 4), (L::Html, "<p>", "", "", 4), (L::Html, "<p ", "", "", 3), (L::Html, "<span", "", "", 3), (L::Html, "<a ", "href", "", 4),
    (L::Html, "<ul", "", "", 3), (L::Html, "<li", "", "", 3), (L::Html, "<script", "", "", 4), (L::Html, "<style", "", "", 4), (L::Html, "<template", "", "", 4), (L::Html, "</", "", ">", 2), (L::Html, "<!--", "", "", 3), (L::Html, "<meta", "", "", 5), (L::Html, "<link ", "", "", 4),
    (L::Html, "<h1", "", "", 4), (L::Html, "<h2", "", "", 4), (L::Html, "<table", "", "", 4), (L::Html, "<form", "", "", 4), (L::Html, "<img ", "", "", 4), (L::Html, "<section", "", "", 4), (L::Html, "<nav", "", "", 4), (L::Html, "<", "", ">", 2), (L::Html, "<button", "", "", 4), (L::Html, "<input", "", "", 4), (L::Html, "<svg", "", "", 4),
];
