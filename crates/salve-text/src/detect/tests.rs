//! Detection by every means, for every language.

use super::{LanguageHints, WINDOW, detect_language};
use proptest::prelude::*;
use salve_types::Language;

fn by_content(text: &str) -> Language {
    detect_language(text, &LanguageHints::default())
}

#[rustfmt::skip]
const SNIPPETS: &[(Language, &str)] = &[
    (Language::Rust, "use std::fmt;\n\npub struct Point { x: i32 }\n\nimpl fmt::Display for Point {\n"),
    (Language::Rust, "fn first<'a>(words: &'a str) -> Option<&'a str> {\n    words.split(' ').next()\n}\n"),
    (Language::TypeScript, "export interface User {\n  id: number;\n  name: string;\n}\n\nexport const find = async (id: number): Promise<User> => {\n"),
    (Language::TypeScript, "const pick = <T>(items: T[]): T | undefined => items[0];\nlet count: number = 0;\n"),
    (Language::Tsx, "import { useState } from 'react';\n\ninterface Props { title: string }\n\nexport function Card({ title }: Props) {\n  return (\n    <div className=\"card\">{title}</div>\n  );\n}\n"),
    (Language::JavaScript, "const http = require('http');\n\nhttp.createServer((request, response) => {\n  response.end('ok');\n});\n"),
    (Language::JavaScript, "import fs from 'fs';\nexport function read(path) {\n  return fs.readFileSync(path);\n}\n"),
    (Language::Jsx, "import React from 'react';\n\nexport default function App() {\n  return <Panel open={true} />;\n}\n"),
    (Language::Jsx, "<Button onClick={go}"),
    (Language::Python, "import os\n\ndef main():\n    for name in os.listdir('.'):\n        print(name)\n"),
    (Language::Python, "class Shape:\n    def __init__(self, sides):\n        self.sides = sides\n"),
    (Language::Go, "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hi\")\n}\n"),
    (Language::Go, "func (s *Store) Get(key string) ([]byte, error) {\n\tvalue, err := s.read(key)\n\tif err != nil {\n"),
    (Language::C, "#include <stdio.h>\n\nint main(void) {\n    printf(\"hi\\n\");\n    return 0;\n}\n"),
    (Language::C, "typedef struct node {\n    struct node *next;\n    char *name;\n} node_t;\n"),
    (Language::Cpp, "#include <vector>\n\nint main() {\n    std::vector<int> numbers{1, 2};\n    return 0;\n}\n"),
    (Language::Cpp, "template <typename T>\nclass Stack {\npublic:\n    void push(const T& value);\n};\n"),
    (Language::Java, "package demo;\n\nimport java.util.List;\n\npublic class Demo {\n    public static void main(String[] args) {\n"),
    (Language::CSharp, "using System;\n\nnamespace Demo\n{\n    public class User\n    {\n        public string Name { get; set; }\n"),
    (Language::Kotlin, "data class User(val name: String, val age: Int)\n\nfun main() {\n    val users = listOf(User(\"a\", 1))\n"),
    (Language::Swift, "import Foundation\n\nstruct User: Codable {\n    let name: String\n}\n\nfunc load() -> User? {\n    guard let data = read() else { return nil }\n"),
    (Language::Ruby, "require 'json'\n\nclass Reader < Base\n  def initialize(path)\n    @path = path\n  end\nend\n"),
    (Language::Php, "<?php\n\nnamespace App;\n\nfunction hello($name) {\n    echo \"Hi $name\";\n}\n"),
    (Language::Php, "public function name(): string\n{\n    return $this->name;\n}\n"),
    (Language::Bash, "set -euo pipefail\nfor file in *.txt; do\n  echo \"$file\"\ndone\n"),
    (Language::Sql, "SELECT id, name\nFROM users\nWHERE age > 30\nORDER BY name;\n"),
    (Language::Sql, "create table users (\n  id integer primary key\n);\ninsert into users values (1);\n"),
    (Language::Html, "<!DOCTYPE html>\n<html>\n<body><p>Hi</p></body>\n</html>\n"),
    (Language::Html, "<div class=\"row\">\n  <p>It's fine</p>\n</div>\n"),
    (Language::Css, ".card {\n  display: flex;\n  padding: 4px;\n}\n\n@media (max-width: 40em) {\n"),
    (Language::Json, "{\n  \"name\": \"demo\",\n  \"tags\": [\"a\", \"b\"]\n}\n"),
    (Language::Json, "[1, 2, {\"a\": null}"),
    (Language::Yaml, "name: build\non: push\njobs:\n  test:\n    runs-on: linux\n    steps:\n      - run: make\n"),
    (Language::Toml, "[package]\nname = \"demo\"\nversion = \"0.1.0\"\n\n[dependencies]\nserde = \"1\"\n"),
    (Language::Markdown, "# Title\n\nSome words with a [link](https://example.org).\n\n## Part\n\n- one\n- two\n"),
    (Language::Markdown, "# Use\n\nRun this:\n\n```rust\nfn main() {\n    let mut x = 1;\n}\n```\n\nThen **stop**.\n"),
    (Language::Text, "Dear all,\n\nthe meeting is moved to Friday. Please select a seat from the plan.\n"),
    (Language::Text, ""),
    (Language::Text, "   \n\n"),
];

#[test]
fn content_tells_every_language() {
    let wrong: Vec<String> = SNIPPETS
        .iter()
        .filter(|(language, text)| by_content(text) != *language)
        .map(|(language, text)| format!("{language:?} read as {:?}: {text}", by_content(text)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for language in Language::all() {
        assert!(SNIPPETS.iter().any(|row| row.0 == language), "no snippet for {language:?}");
    }
}

#[test]
fn names_come_before_content_and_in_order() {
    let python = "import os\n\ndef main():\n    pass\n";
    let hints = LanguageHints { path: Some("src/a.rs"), fence: Some("go"), ..Default::default() };
    assert_eq!(detect_language(python, &hints), Language::Rust);
    let with_hint = LanguageHints { hint: Some(Language::Sql), ..hints };
    assert_eq!(detect_language(python, &with_hint), Language::Sql);
    let fence_only = LanguageHints { fence: Some("go"), ..Default::default() };
    assert_eq!(detect_language(python, &fence_only), Language::Go);
    let useless = LanguageHints { path: Some("notes"), fence: Some("???"), ..Default::default() };
    assert_eq!(detect_language(python, &useless), Language::Python);
}

#[test]
fn fence_labels_come_in_many_forms() {
    let cases = [
        ("tsx", Language::Tsx),
        ("TypeScript", Language::TypeScript),
        ("python title=\"a.py\"", Language::Python),
        ("rust,ignore", Language::Rust),
        ("js {1,3}", Language::JavaScript),
        ("language-css", Language::Css),
        ("ts:src/app.ts", Language::TypeScript),
        ("src/main.go", Language::Go),
        ("title=\"lib/a.rb\"", Language::Ruby),
        (".html", Language::Html),
    ];
    for (label, language) in cases {
        let hints = LanguageHints { fence: Some(label), ..Default::default() };
        assert_eq!(detect_language("", &hints), language, "{label}");
    }
}

#[test]
fn shebangs_name_the_interpreter() {
    let cases = [
        ("#!/bin/sh\n", Language::Bash),
        ("#!/usr/bin/env bash\n", Language::Bash),
        ("#!/usr/bin/env python3.12\n", Language::Python),
        ("#!/usr/bin/env -S node --no-warnings\n", Language::JavaScript),
        ("#!/usr/bin/ruby -w\n", Language::Ruby),
        ("#!/usr/bin/env php\n<?php\n", Language::Php),
    ];
    for (text, language) in cases {
        assert_eq!(by_content(text), language, "{text}");
    }
}

#[test]
fn the_program_that_a_script_names_is_surer_than_its_ending() {
    for (path, text, language) in [
        ("a.sh", "#!/usr/bin/env php\n<?php\n", Language::Php),
        ("a.sh", "#!/usr/bin/python3\n", Language::Python),
        ("a.sh", "#!/bin/bash\n", Language::Bash),
        ("a.py", "#!/bin/sh\n\"exec\" \"python3\" \"$0\"\n", Language::Python),
        ("a.ts", "#!/usr/bin/env node\n", Language::TypeScript),
        ("a.rb", "#!/opt/own/program\n", Language::Ruby),
    ] {
        let hints = LanguageHints { path: Some(path), ..Default::default() };
        assert_eq!(detect_language(text, &hints), language, "{path} {text}");
    }
}

#[test]
fn relatives_are_told_apart_under_one_name() {
    let jsx = "export const A = () => <Panel open />;\n";
    let cast = "export const a = <any>window;\nreturn <Foo>bar;\n";
    let named = |language, text| {
        detect_language(text, &LanguageHints { hint: Some(language), ..Default::default() })
    };
    assert_eq!(named(Language::TypeScript, jsx), Language::Tsx);
    assert_eq!(named(Language::JavaScript, jsx), Language::Jsx);
    assert_eq!(named(Language::TypeScript, cast), Language::TypeScript);
    assert_eq!(
        named(Language::TypeScript, "if (a < b && c > d) { f<T>(x) }"),
        Language::TypeScript
    );
    let at = |path, text| {
        detect_language(text, &LanguageHints { path: Some(path), ..Default::default() })
    };
    assert_eq!(at("a.ts", jsx), Language::TypeScript);
    assert_eq!(at("a.js", jsx), Language::Jsx);
    assert_eq!(at("a.h", "namespace x {\ntemplate <class T> struct Y {};\n}\n"), Language::Cpp);
    assert_eq!(at("a.h", "#ifndef A_H\n#define A_H\nint f(void);\n#endif\n"), Language::C);
}

#[test]
fn hostile_texts_are_answered() {
    for text in [
        "\u{feff}".to_owned(),
        "{".repeat(100_000),
        "[".repeat(100_000),
        "<".repeat(100_000),
        "é".repeat(WINDOW),
        "```\n".repeat(10_000),
        "a: b\n".repeat(50_000),
        "\"".repeat(9_000),
    ] {
        let _ = by_content(&text);
    }
}

proptest! {
    #[test]
    fn any_text_is_answered_and_only_its_head_counts(text in "\\PC{0,400}", more in "\\PC{0,40}") {
        let padded = format!("{text}{}", " ".repeat(WINDOW));
        prop_assert_eq!(by_content(&padded), by_content(&format!("{padded}{more}")));
    }
}
