//! Every fault is one place, and can be taken back.

use super::*;
use salve_types::Language;

const RUST: &str = "use std::collections::{BTreeMap, BTreeSet};\nuse std::fmt;\n\n\
pub fn count(words: &[String], least: usize) -> BTreeMap<String, usize> {\n    \
let mut counts = BTreeMap::new();\n    for word in words {\n        \
if word.len() >= least && !word.is_empty() { *counts.entry(word.clone()).or_insert(0) += 1; }\n    }\n    \
match counts.len() {\n        0 => least_of(&counts, 1),\n        _ => { least_of(&counts, 2) }\n    }\n    counts\n}\n\
fn least_of(counts: &BTreeMap<String, usize>, least: usize) {}\n";

const PYTHON: &str = "import os\nfrom typing import List, Dict\n\n\ndef load(path, deep):\n    \
\"\"\"Reads.\"\"\"\n    if path == \"a\" and deep:\n        return read(path, 1)\n    elif deep:\n        \
return None\n    return read(path, 2)\n\n\ndef read(path, depth):\n    return os.stat(path)\n";

const SCRIPT: &str = "import { a, b } from './a';\nimport c from 'c';\n\n\
export function size(path: string, deep: boolean): number {\n  switch (path) {\n    case 'x':\n      return 1;\n    \
default:\n      return deep === true ? size(a(path), false) : size(b(c), deep);\n  }\n}\n";

const C: &str = "#include <stdio.h>\n#include \"own.h\"\n\nint add(int left, int right) {\n  return left + right;\n}\n\
int main(void) {\n  int sum = add(1, 2) + add(sum, 3);\n  switch (sum) { case 1: puts(\"a\"); break; default: break; }\n  \
return take(&sum, *own) == 0;\n}\n";

fn sources() -> Vec<Source> {
    [
        (Language::Rust, "a.rs", RUST),
        (Language::Python, "a.py", PYTHON),
        (Language::TypeScript, "a.ts", SCRIPT),
        (Language::C, "a.c", C),
    ]
    .into_iter()
    .map(|(language, path, text)| Source::read(language, path, text))
    .collect()
}

#[test]
fn a_fault_is_one_place_and_its_inverse_restores_the_file() {
    for seed in 0..20 {
        for source in sources() {
            let own = std::slice::from_ref(&source);
            for class in Class::ALL {
                for fault in places(own, class, &Random::new(seed)) {
                    let planted = fault.plant(&source.text).expect("the place is there");
                    assert_ne!(planted, source.text, "{fault:?}");
                    assert_eq!(fault.repair(&planted).as_deref(), Some(source.text.as_str()));
                    let (before, after) = (fault.at, fault.at + fault.new.len());
                    assert_eq!(planted.get(..before), source.text.get(..before));
                    assert_eq!(planted.get(after..), source.text.get(fault.at + fault.old.len()..));
                }
            }
        }
    }
}

#[test]
fn every_class_has_places_where_its_language_has_such_faults() {
    for source in sources() {
        let own = std::slice::from_ref(&source);
        for class in Class::ALL {
            let possible = match class {
                Class::Indentation => source.language == Language::Python,
                Class::LostBorrow => matches!(source.language, Language::Rust | Language::C),
                _ => true,
            };
            let found = places(own, class, &Random::new(1));
            assert_eq!(!found.is_empty(), possible, "{class:?} in {}", source.path);
        }
    }
}

#[test]
fn the_seed_decides() {
    let all = |seed| Class::ALL.map(|class| places(&sources(), class, &Random::new(seed)));
    assert_eq!(all(7), all(7));
    assert_ne!(all(7), all(8));
}

#[test]
fn tests_are_left_alone() {
    let text = "fn a() { b(1, 2); }\n#[cfg(test)]\nmod tests { fn c() { a(1, 2, d == e); } }\n";
    let source = Source::read(Language::Rust, "a.rs", text);
    let own = std::slice::from_ref(&source);
    for class in Class::ALL {
        for fault in places(own, class, &Random::new(1)) {
            assert!(fault.at < 20, "{fault:?}");
        }
    }
}
