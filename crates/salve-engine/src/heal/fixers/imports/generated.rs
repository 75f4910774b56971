//! Every import of files as people write them, lost one at a time: the first proposal is the file as it was.
//!
//! A name is taken out of its list, or a statement out of its group; where the file keeps an order, what
//! comes back is equal byte for byte. A statement that was a group of its own may come back with other blank
//! lines around it.

use super::groups::groups;
use super::lists::lists;
use crate::heal::fixers::propose;
use crate::heal::fixers::testing::{Files, fixed, said};
use crate::heal::fixers::view::View;
use salve_types::{
    Applicability, Diagnostic, Language, Position, SourceSpan, Span, SuggestedEdit, Suggestion,
};

/// A file, and the others of its workspace.
struct Fixture {
    path: &'static str,
    text: &'static str,
    others: &'static [(&'static str, &'static str)],
    /// For includes: a name that the header brings.
    brings: &'static [(&'static str, &'static str)],
}

const PYTHON: &[Fixture] = &[
    Fixture {
        path: "app/shelf.py",
        text: "\"\"\"A shelf.\"\"\"\n\nfrom __future__ import annotations\n\nimport json\nimport re\nfrom collections import Counter, OrderedDict, defaultdict\nfrom dataclasses import dataclass, field\nfrom pathlib import Path\n\nimport requests\n\nfrom app.books import (\n    LIMIT,\n    Book,\n    Page,\n    parse,\n)\nfrom app.errors import ShelfError\n\n\n@dataclass\nclass Shelf:\n    books: list = field(default_factory=list)\n\n    def load(self, text):\n        counts = Counter()\n        other = defaultdict(OrderedDict)\n        match = re.match(text, str(Path(text)))\n        if len(text) > LIMIT or match is None:\n            raise ShelfError(requests.get(text))\n        json.loads(text)\n        return Book(Page(parse(text)), counts, other)\n",
        others: &[
            ("app/__init__.py", ""),
            (
                "app/books.py",
                "LIMIT = 3\n\n\nclass Book:\n    pass\n\n\nclass Page:\n    pass\n\n\ndef parse(text):\n    return text\n",
            ),
            ("app/errors.py", "class ShelfError(Exception):\n    pass\n"),
            ("app/web.py", "import requests\n\nrequests.get('a')\n"),
        ],
        brings: &[],
    },
    Fixture {
        path: "pkg/core.py",
        text: "from abc import ABC\nimport glob\nfrom itertools import chain, groupby, islice\nimport operator\n\nfrom .util import first, second, third\nfrom .errors import CoreError, UsageError\n\nimport builtins\n\n\nclass Run(ABC):\n    pass\n\n\ndef run(items):\n    if first(glob.glob(items)):\n        raise CoreError(second(items))\n    for key, group in groupby(chain(items), operator.itemgetter(0)):\n        if third(islice(builtins.list(group), 3)):\n            raise UsageError(key)\n",
        others: &[
            ("pkg/__init__.py", ""),
            (
                "pkg/util.py",
                "def first(a):\n    return a\n\n\ndef second(a):\n    return a\n\n\ndef third(a):\n    return a\n",
            ),
            (
                "pkg/errors.py",
                "class CoreError(Exception):\n    pass\n\n\nclass UsageError(Exception):\n    pass\n",
            ),
        ],
        brings: &[],
    },
];

const SCRIPT: &[Fixture] = &[
    Fixture {
        path: "src/shelf.ts",
        text: "import { readFile, writeFile } from 'fs/promises';\nimport { basename, join } from 'path';\n\nimport { Book, type Page, parse } from './books';\nimport { ShelfError } from './errors';\nimport defaults from './settings';\n\nexport async function load(path: string): Promise<Book> {\n  const text = await readFile(join(path, basename(path)));\n  if (!text) throw new ShelfError(defaults.name);\n  await writeFile(path, text);\n  const page: Page = parse(String(text));\n  return new Book(page);\n}\n",
        others: &[
            (
                "src/books.ts",
                "export class Book {}\nexport interface Page {}\nexport function parse(text: string): Page {\n  return {};\n}\n",
            ),
            ("src/errors.ts", "export class ShelfError extends Error {}\n"),
            ("src/settings.ts", "export default { name: 'a' };\n"),
            (
                "src/other.ts",
                "import { readFile, writeFile } from 'fs/promises';\nimport { basename, join } from 'path';\n\nimport defaults from './settings';\n\nreadFile(join(basename('a'), defaults.name));\nwriteFile('a', 'b');\n",
            ),
        ],
        brings: &[],
    },
    Fixture {
        path: "lib/main.js",
        text: "const { join, resolve } = require(\"path\")\nconst { first, second } = require(\"./util\")\n\nmodule.exports = () => first(second(join(resolve(\"a\"))))\n",
        others: &[
            (
                "lib/util.js",
                "function first(a) {\n  return a\n}\nfunction second(a) {\n  return a\n}\nmodule.exports = { first, second }\n",
            ),
            (
                "lib/more.js",
                "const { join, resolve } = require(\"path\")\nconst { first, second } = require(\"./util\")\n\nfirst(second(join(resolve(\"b\"))))\n",
            ),
        ],
        brings: &[],
    },
];

const C: &[Fixture] = &[
    Fixture {
        path: "src/words.c",
        text: "#include \"words.h\"\n\n#include <ctype.h>\n#include <stdlib.h>\n#include <string.h>\n\n#include \"stack.h\"\n#include \"tables.h\"\n\nsize_t count(const char *text) {\n  char *copy = malloc(strlen(text));\n  push(copy);\n  look_up(copy);\n  split(copy);\n  return isdigit(*copy);\n}\n",
        others: &[
            (
                "src/words.h",
                "#ifndef WORDS_H\n#define WORDS_H\n\n#include <stddef.h>\n\nvoid split(char *text);\nsize_t count(const char *text);\n\n#endif\n",
            ),
            ("src/stack.h", "void push(char *text);\n"),
            ("src/tables.h", "void look_up(char *text);\n"),
        ],
        brings: &[
            ("words.h", "split"),
            ("ctype.h", "isdigit"),
            ("stdlib.h", "malloc"),
            ("string.h", "strlen"),
            ("stack.h", "push"),
            ("tables.h", "look_up"),
        ],
    },
    Fixture {
        path: "src/words.h",
        text: "#ifndef WORDS_H\n#define WORDS_H\n\n#include <stddef.h>\n#include <stdint.h>\n\nsize_t count(const char *text, uint8_t limit);\n\n#endif\n",
        others: &[],
        brings: &[("stddef.h", "size_t"), ("stdint.h", "uint8_t")],
    },
];

const RUST: &[Fixture] = &[
    Fixture {
        path: "src/lib.rs",
        text: "//! A shelf.\n\nmod books;\n\nuse crate::books::{Book, parse};\nuse std::cmp::{Ordering, max, min};\nuse std::collections::BTreeMap;\nuse std::fmt;\nuse std::io::{self, Read, Write};\n\npub fn load() -> io::Result<()> {\n    let _: (Book, Ordering) = parse();\n    Ok(())\n}\n",
        others: &[],
        brings: &[],
    },
    Fixture {
        path: "src/old.rs",
        text: "use std::cmp::{max, min, Ordering};\nuse std::{\n    collections::HashMap,\n    fmt::{self, Display},\n    io,\n};\n\nuse crate::other::{load, Other};\n\nfn f() {}\n\nmod inner {\n    use super::{f, Other};\n    use std::mem::swap;\n\n    fn g() {}\n}\n",
        others: &[],
        brings: &[],
    },
];

// A message that the name is not known, at its first use.
fn unknown(fixture: &Fixture, text: &str, name: &str) -> Option<Diagnostic> {
    let files = Files::new(&[(fixture.path, text)]);
    let view = View::new(&files);
    let file = view.file(fixture.path)?;
    let imports: Vec<Span> =
        groups(&file, 0).iter().flat_map(|group| &group.lines).map(|line| line.span).collect();
    let outside =
        |span: &Span| !imports.iter().any(|one| one.start <= span.start && span.end <= one.end);
    let place = file.words(name).find(outside)?;
    let line = file.line_of(place.start);
    let start = file.line(line)?.start;
    let column = u32::try_from(place.start - start).ok()? + 1;
    let (tool, message) = match Language::from_path(fixture.path)? {
        Language::Python => ("python", format!("name '{name}' is not defined")),
        Language::C => ("gcc", format!("implicit declaration of function '{name}'")),
        _ => ("tsc", format!("Cannot find name '{name}'.")),
    };
    Some(said(tool, &message, fixture.path, (line, column)))
}

// What rustc proposes: the import on a line of its own before everything else of the module.
fn proposed(path: &str, text: &str, offset: usize, import: &str) -> Diagnostic {
    let line = u32::try_from(text[..offset].matches('\n').count()).unwrap() + 1;
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let place = Position { line, column: u32::try_from(offset - start).unwrap() + 1 };
    let span = SourceSpan {
        path: path.to_owned(),
        start: Some(place),
        end: Some(place),
        bytes: None,
        primary: true,
        label: None,
        line_text: None,
    };
    let mut diagnostic = said("rustc", "cannot find it", path, (1, 1));
    diagnostic.suggestions.push(Suggestion {
        message: "consider importing it".to_owned(),
        applicability: Applicability::MaybeIncorrect,
        edits: vec![SuggestedEdit { span, replacement: format!("use {import};\n") }],
    });
    diagnostic
}

/// Takes an item out of a list of others, with its comma.
fn without(text: &str, items: &[Span], index: usize) -> String {
    let item = items[index];
    let mut cut = match (items.get(index + 1), index.checked_sub(1).and_then(|at| items.get(at))) {
        (Some(next), _) => Span::new(item.start, next.start),
        (None, Some(before)) => Span::new(before.end, item.end),
        (None, None) => item,
    };
    // The comma after the last one is kept by the one before it.
    if items.get(index + 1).is_none() && text[item.end..].starts_with(",\n") {
        cut = Span::new(cut.start, item.end);
    }
    format!("{}{}", &text[..cut.start], &text[cut.end..])
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

fn first_proposal(fixture: &Fixture, text: &str, diagnostic: &Diagnostic) -> Option<String> {
    let mut all = vec![(fixture.path, text)];
    all.extend(fixture.others);
    let files = Files::new(&all);
    let fixes = propose(std::slice::from_ref(diagnostic), &files);
    fixes.first().map(|fix| fixed(fix, &files, fixture.path))
}

struct Lost {
    text: String,
    diagnostic: Option<Diagnostic>,
    what: String,
    is_whole_group: bool,
}

fn lost_names(fixture: &Fixture) -> Vec<Lost> {
    let files = Files::new(&[(fixture.path, fixture.text)]);
    let view = View::new(&files);
    let file = view.file(fixture.path).unwrap();
    let is_rust = file.language() == Language::Rust;
    let mut lost = Vec::new();
    for list in lists(&file).iter().filter(|list| list.items.len() > 1) {
        for (index, item) in list.items.iter().enumerate() {
            let written = &fixture.text[item.range()];
            // A list is lost whole, and nothing says that a type is wanted as one.
            if written.contains('{') || written.starts_with("type ") {
                continue;
            }
            let text = without(fixture.text, &list.items, index);
            let name = written;
            let diagnostic = if is_rust {
                let path = match name {
                    "self" => list.module.clone(),
                    name => format!("{}::{name}", list.module),
                };
                Some(proposed(fixture.path, &text, list.statement.start, &path))
            } else {
                unknown(fixture, &text, name)
            };
            let what = format!("`{name}` of `{}`", list.module);
            lost.push(Lost { text, diagnostic, what, is_whole_group: false });
        }
    }
    lost
}

fn lost_statements(fixture: &Fixture) -> Vec<Lost> {
    let files = Files::new(&[(fixture.path, fixture.text)]);
    let view = View::new(&files);
    let file = view.file(fixture.path).unwrap();
    let all = groups(&file, 0);
    let mut lost = Vec::new();
    for group in &all {
        // What stands apart from its kind cannot be told to have stood there.
        let is_told = |text: &str| !text.contains("__future__") && !text.contains("builtins");
        for line in group.lines.iter().filter(|line| is_told(line.text)) {
            let end = (line.span.end + 1).min(fixture.text.len());
            let text = format!("{}{}", &fixture.text[..line.span.start], &fixture.text[end..]);
            let known = line.text.rsplit([' ', '.', ';']).find(|word| !word.is_empty());
            let name = match file.language() {
                Language::C => fixture
                    .brings
                    .iter()
                    .find(|(header, _)| *header == line.module)
                    .map(|(_, name)| *name),
                Language::Python => known,
                // What a list of several brings is lost at several places at once.
                Language::Rust => None,
                _ if line.text.contains("ShelfError") => Some("ShelfError"),
                _ if line.text.contains("defaults") => Some("defaults"),
                _ => None,
            };
            let is_several = line.text.contains([',', '(']) && file.language() == Language::Python;
            let diagnostic = match file.language() {
                Language::Rust if !line.module.contains('{') => {
                    let first = all[0].lines[0].span.start;
                    Some(proposed(fixture.path, &text, first, &line.module))
                }
                _ if is_several => None,
                _ => name.and_then(|name| unknown(fixture, &text, name)),
            };
            let is_whole_group = group.lines.len() == 1;
            lost.push(Lost { text, diagnostic, what: line.text.to_owned(), is_whole_group });
        }
    }
    lost
}

#[test]
fn an_import_that_is_lost_comes_back_to_its_place() {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for fixture in PYTHON.iter().chain(SCRIPT).chain(C).chain(RUST) {
        for lost in lost_names(fixture).into_iter().chain(lost_statements(fixture)) {
            let Some(diagnostic) = &lost.diagnostic else { continue };
            asked += 1;
            let found = first_proposal(fixture, &lost.text, diagnostic).unwrap_or_default();
            let is_it = match lost.is_whole_group {
                true => squeezed(&found) == squeezed(fixture.text),
                false => found == fixture.text,
            };
            if !is_it {
                wrong.push(format!("{}: {}: {found:?}", fixture.path, lost.what));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {asked}: {wrong:#?}", wrong.len());
    assert!(asked > 60, "{asked}");
}
