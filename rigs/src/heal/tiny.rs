//! Small projects that need only what the machine has: two in C, two in Python.
//!
//! In: nothing. Out: their files, in a folder. Never fetched: the short form works without a network.

mod more;

use super::projects::Project;
use anyhow::Result;
use salve_types::Language;
use std::path::Path;

const C: &[(&str, &str)] = &[
    (".gitignore", "build\n"),
    (
        "Makefile",
        "CFLAGS = -O0 -Wall -Wextra -Isrc\n\n.PHONY: test\n\ntest: build/suite\n\t./build/suite\n\n\
         build/suite: src/words.c src/stack.c tests/suite.c src/words.h src/stack.h\n\t@mkdir -p build\n\t\
         $(CC) $(CFLAGS) -o $@ src/words.c src/stack.c tests/suite.c\n",
    ),
    (
        "src/words.h",
        "#ifndef WORDS_H\n#define WORDS_H\n\n#include <stddef.h>\n\nsize_t count_words(const char *text);\n\
         size_t longest_word(const char *text);\nint is_palindrome(const char *word);\n\n#endif\n",
    ),
    (
        "src/words.c",
        "#include \"words.h\"\n\n#include <ctype.h>\n#include <string.h>\n\n\
static int is_letter(char letter) {\n  return isalnum((unsigned char)letter) || letter == '_';\n}\n\n\
size_t count_words(const char *text) {\n  size_t count = 0;\n  int inside = 0;\n  \
for (size_t index = 0; text[index] != '\\0'; index++) {\n    int letter = is_letter(text[index]);\n    \
if (letter && !inside) {\n      count++;\n    }\n    inside = letter;\n  }\n  return count;\n}\n\n\
size_t longest_word(const char *text) {\n  size_t longest = 0;\n  size_t length = 0;\n  \
for (size_t index = 0; text[index] != '\\0'; index++) {\n    \
length = is_letter(text[index]) ? length + 1 : 0;\n    if (length > longest) {\n      longest = length;\n    }\n  }\n  \
return longest;\n}\n\n\
int is_palindrome(const char *word) {\n  size_t left = 0;\n  size_t right = strlen(word);\n  \
while (left < right) {\n    right--;\n    if (word[left] != word[right]) {\n      return 0;\n    }\n    left++;\n  }\n  \
return 1;\n}\n",
    ),
    (
        "src/stack.h",
        "#ifndef STACK_H\n#define STACK_H\n\n#include <stddef.h>\n\n#define STACK_SIZE 8\n\n\
typedef struct {\n  int values[STACK_SIZE];\n  size_t used;\n} Stack;\n\n\
void stack_clear(Stack *stack);\nint stack_push(Stack *stack, int value);\nint stack_pop(Stack *stack, int *value);\n\
int evaluate(const char *text, int *result);\n\n#endif\n",
    ),
    (
        "src/stack.c",
        "#include \"stack.h\"\n\n#include <ctype.h>\n\n\
void stack_clear(Stack *stack) {\n  stack->used = 0;\n}\n\n\
int stack_push(Stack *stack, int value) {\n  if (stack->used == STACK_SIZE) {\n    return 0;\n  }\n  \
stack->values[stack->used] = value;\n  stack->used++;\n  return 1;\n}\n\n\
int stack_pop(Stack *stack, int *value) {\n  if (stack->used == 0) {\n    return 0;\n  }\n  stack->used--;\n  \
*value = stack->values[stack->used];\n  return 1;\n}\n\n\
static int combine(Stack *stack, char sign) {\n  int left = 0;\n  int right = 0;\n  \
if (!stack_pop(stack, &right) || !stack_pop(stack, &left)) {\n    return 0;\n  }\n  switch (sign) {\n    \
case '+':\n      return stack_push(stack, left + right);\n    case '-':\n      \
return stack_push(stack, left - right);\n    case '*':\n      return stack_push(stack, left * right);\n    \
default:\n      return 0;\n  }\n}\n\n\
int evaluate(const char *text, int *result) {\n  Stack stack;\n  stack_clear(&stack);\n  \
for (; *text != '\\0'; text++) {\n    if (isdigit((unsigned char)*text)) {\n      \
if (!stack_push(&stack, *text - '0')) {\n        return 0;\n      }\n    } else if (*text != ' ') {\n      \
if (!combine(&stack, *text)) {\n        return 0;\n      }\n    }\n  }\n  \
return stack_pop(&stack, result) && stack.used == 0;\n}\n",
    ),
    (
        "tests/suite.c",
        "#include <stdio.h>\n\n#include \"stack.h\"\n#include \"words.h\"\n\nstatic int failures = 0;\n\n\
static void expect(const char *what, long wanted, long found) {\n  if (wanted != found) {\n    \
printf(\"tests/suite.c: %s: expected %ld, found %ld\\n\", what, wanted, found);\n    failures++;\n  }\n}\n\n\
int main(void) {\n  int value = 0;\n  expect(\"no words\", 0, (long)count_words(\" , \"));\n  \
expect(\"three words\", 3, (long)count_words(\"one, two_b 3\"));\n  \
expect(\"longest\", 5, (long)longest_word(\"a three of\"));\n  expect(\"palindrome\", 1, is_palindrome(\"level\"));\n  \
expect(\"even palindrome\", 1, is_palindrome(\"abba\"));\n  expect(\"no palindrome\", 0, is_palindrome(\"levee\"));\n  \
expect(\"sum\", 1, evaluate(\"1 2 + 4 *\", &value));\n  expect(\"its value\", 12, value);\n  \
expect(\"difference\", 1, evaluate(\"7 2 -\", &value));\n  expect(\"its value\", 5, value);\n  \
expect(\"too few\", 0, evaluate(\"1 +\", &value));\n  expect(\"too many\", 0, evaluate(\"1 2\", &value));\n  \
expect(\"unknown\", 0, evaluate(\"1 2 ?\", &value));\n  return failures == 0 ? 0 : 1;\n}\n",
    ),
];

const PYTHON: &[(&str, &str)] = &[
    (".gitignore", "__pycache__\n"),
    ("shelf/__init__.py", "\"\"\"A shelf of books.\"\"\"\n"),
    (
        "shelf/books.py",
        "\"\"\"Books and how they are named.\"\"\"\n\nimport re\nfrom dataclasses import dataclass, field\n\n\n\
@dataclass(order=True)\nclass Book:\n    \"\"\"One book.\"\"\"\n\n    title: str\n    year: int = 0\n    \
tags: list = field(default_factory=list)\n\n    def has_tag(self, tag):\n        return tag in self.tags\n\n\n\
def parse_book(line):\n    \"\"\"Reads `title (year) #tag #tag`.\"\"\"\n    \
match = re.match(r\"(.+?) \\((\\d{4})\\)((?: #\\w+)*)$\", line.strip())\n    if match is None:\n        \
raise ValueError(f\"not a book: {line!r}\")\n    title, year, tags = match.groups()\n    \
return Book(title, int(year), tags.replace(\"#\", \"\").split())\n\n\n\
def sort_key(book):\n    \"\"\"Leaves articles out.\"\"\"\n    lowered = book.title.lower()\n    \
for article in (\"the \", \"a \", \"an \"):\n        if lowered.startswith(article):\n            \
return lowered[len(article):]\n    return lowered\n",
    ),
    (
        "shelf/shelf.py",
        "\"\"\"Many books in order.\"\"\"\n\nfrom collections import Counter\n\n\
from shelf.books import parse_book, sort_key\n\n\n\
class Shelf:\n    \"\"\"Books in order.\"\"\"\n\n    def __init__(self, books=()):\n        \
self.books = sorted(books, key=sort_key)\n\n    @classmethod\n    def load(cls, text):\n        \
lines = [line for line in text.splitlines() if line.strip()]\n        \
return cls(parse_book(line) for line in lines)\n\n    def between(self, first, last):\n        \
return [book for book in self.books if first <= book.year <= last]\n\n    def tagged(self, tag):\n        \
return [book.title for book in self.books if book.has_tag(tag)]\n\n    def tags(self):\n        \
counts = Counter()\n        for book in self.books:\n            counts.update(book.tags)\n        \
return counts.most_common()\n\n    def decade(self, year):\n        start = year - year % 10\n        \
if start < 0:\n            return []\n        elif start == 0:\n            \
return self.between(0, 9)\n        return self.between(start, start + 9)\n",
    ),
    (
        "tests/test_shelf.py",
        "import unittest\n\nfrom shelf.books import parse_book\nfrom shelf.shelf import Shelf\n\n\
TEXT = \"\"\"\nThe Trial (1925) #novel\nEmma (1815) #novel #love\nA Room (1929) #essay\n\"\"\"\n\n\n\
class ShelfTest(unittest.TestCase):\n    def setUp(self):\n        self.shelf = Shelf.load(TEXT)\n\n    \
def test_order(self):\n        titles = [book.title for book in self.shelf.books]\n        \
self.assertEqual(titles, [\"Emma\", \"A Room\", \"The Trial\"])\n\n    def test_years(self):\n        \
self.assertEqual(len(self.shelf.between(1925, 1929)), 2)\n        \
self.assertEqual(len(self.shelf.decade(1927)), 2)\n        self.assertEqual(self.shelf.decade(-5), [])\n        \
self.assertEqual(self.shelf.decade(5), [])\n\n    \
def test_tags(self):\n        self.assertEqual(self.shelf.tagged(\"love\"), [\"Emma\"])\n        \
self.assertEqual(self.shelf.tags()[0], (\"novel\", 2))\n\n    def test_refusal(self):\n        \
with self.assertRaises(ValueError):\n            parse_book(\"no year\")\n\n\n\
if __name__ == \"__main__\":\n    unittest.main()\n",
    ),
];

/// Writes one project of each language below a folder.
pub(crate) fn two(root: &Path) -> Result<Vec<Project>> {
    written(root, &ALL[..2])
}

/// Writes all projects below a folder.
pub(crate) fn all(root: &Path) -> Result<Vec<Project>> {
    written(root, &ALL)
}

/// Its name, language, files, and what runs its tests.
type Tiny =
    (&'static str, Language, &'static [(&'static str, &'static str)], &'static [&'static str]);

const ALL: [Tiny; 4] = [
    ("tiny-c", Language::C, C, &["make", "test"]),
    (
        "tiny-python",
        Language::Python,
        PYTHON,
        &["python3", "-m", "unittest", "-q", "tests/test_shelf.py"],
    ),
    ("tiny-ring", Language::C, more::RING, &["make", "test"]),
    (
        "tiny-ledger",
        Language::Python,
        more::LEDGER,
        &["python3", "-m", "unittest", "-q", "tests/test_ledger.py"],
    ),
];

fn written(root: &Path, projects: &[Tiny]) -> Result<Vec<Project>> {
    projects
        .iter()
        .map(|&(name, language, files, tests)| {
            let folder = root.join(name);
            for (path, text) in files {
                let path = folder.join(path);
                std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
                std::fs::write(path, text)?;
            }
            Ok(Project { name: name.to_owned(), language, folder, programs: Vec::new(), tests })
        })
        .collect()
}
