//! Whole files, and texts that must not become one.

use super::read;
use crate::edits::EditOptions;
use crate::edits::blocks::shown::shown;
use proptest::prelude::*;
use salve_types::{EditEnd, EditFormat, FileChange};

fn parsed(text: &str) -> String {
    shown(read(text, &EditOptions::default()).as_ref())
}

fn with_target(text: &str, target: &str, format: Option<EditFormat>) -> String {
    let options = EditOptions { format, target: Some(target.to_owned()), ..EditOptions::default() };
    shown(read(text, &options).as_ref())
}

#[test]
fn a_block_is_named_in_many_ways() {
    let cases = [
        "src/x.py\n```\nx = 1\n```",
        "src/x.py\n```python\nx = 1\n```\n",
        "**src/x.py**\n\n```python\nx = 1\n```\n",
        "### `src/x.py`\n```python\nx = 1\n```\nThat is all.\n",
        "Here it is:\n```python title=\"src/x.py\"\nx = 1\n```\n",
        "```src/x.py\nx = 1\n```\n",
        "Here is the new version of `src/x.py`:\n\n```python\nx = 1\n```\n",
        "```python:src/x.py\nx = 1\n```\n",
        "1. src/x.py\n\n   ```python\n   x = 1\n   ```\n",
    ];
    for text in cases {
        assert_eq!(parsed(text), "whole_file\nsrc/x.py: write \"x = 1\\n\"", "{text}");
    }
    let commented = parsed("```rust\n// src/x.rs\nfn x() {}\n```\n");
    assert_eq!(commented, "whole_file\nsrc/x.rs: write \"// src/x.rs\\nfn x() {}\\n\"");
}

#[test]
fn files_stand_in_tags_too() {
    let call = "<write_to_file>\n<path>src/x.py</path>\n<content>\nx = 1\n</content>\n\
                <line_count>1</line_count>\n</write_to_file>\n";
    assert_eq!(parsed(call), "whole_file\nsrc/x.py: write \"x = 1\\n\"");
    let files = "Sure.\n\n<file path=\"a.py\">\na\n</file>\n<file path=\"b.py\">\nb\n</file>\n";
    assert_eq!(parsed(files), "whole_file\na.py: write \"a\\n\"\nb.py: write \"b\\n\"");
    for cut in [call.len() - 3, call.len() - 20, call.len() - 60] {
        let shown = parsed(&call[..cut]);
        assert!(shown.contains("truncated at 0"), "{shown}");
    }
    assert_eq!(parsed("Use <file path=\"a.py\"> for that.\n"), "none");
}

#[test]
fn several_files_and_the_talk_between_them() {
    let text = "First:\n\na.py\n```python\na\n```\n\nthen run it:\n\n```sh\npython a.py\n```\n\n\
                docs/b.md\n````markdown\n# B\n\n```sh\nls\n```\n````\n";
    insta::assert_snapshot!(parsed(text), @r##"
    whole_file
    a.py: write "a\n"
    docs/b.md: write "# B\n\n```sh\nls\n```\n"
    "##);
}

#[test]
fn a_place_that_stands_for_more_makes_it_lazy() {
    let lazy = parsed("a.js\n```js\n// ... existing code ...\nlet x = 1;\n```\n");
    assert!(lazy.starts_with("lazy_file\na.js: lazy"), "{lazy}");
    let spread = parsed("a.js\n```js\nf(...rest);\n```\n");
    assert!(spread.starts_with("whole_file\na.js: write"), "{spread}");
    let removed = parsed("a.go\n```go\na()\n// Plandex: removed code\nb()\n```\n");
    assert_eq!(removed, "whole_file\na.go: write \"a()\\nb()\\n\"");
}

#[test]
fn an_open_fence_is_a_cut() {
    insta::assert_snapshot!(parsed("a.py\n```python\nx = 1\n"), @r#"
    whole_file
    a.py: write "x = 1\n"
    truncated at 5: the block of a.py is not closed
    "#);
    let cut = with_target("Sure:\n```python\nx = 1\n", "a.py", Some(EditFormat::WholeFile));
    assert!(cut.contains("truncated"), "{cut}");
}

#[test]
fn a_bare_text_is_the_target_s_content() {
    let whole = Some(EditFormat::WholeFile);
    let bare = with_target("\n    func a() {\n    }", "a.go", whole);
    assert_eq!(bare, "whole_file\n?: write \"\\n    func a() {\\n    }\"");
    let fenced = with_target("Sure:\n```go\nfunc a() {}\n```\n", "a.go", None);
    assert_eq!(fenced, "whole_file\n?: write \"func a() {}\\n\"");
    let document = "# Title\n\nsrc/a.py\n```python\nx\n```\n\nMore.\n";
    let kept = with_target(document, "README.md", whole);
    assert_eq!(kept, format!("whole_file\n?: write {document:?}"));
}

#[test]
fn what_was_only_thought_of_is_no_edit() {
    let draft = "<think>\nMaybe:\n\na.py\n```python\ndraft\n```\n</think>\n\n";
    assert_eq!(parsed(draft), "none");
    let answer = format!("{draft}b.py\n```python\nx = 1\n```\n");
    assert_eq!(parsed(&answer), "whole_file\nb.py: write \"x = 1\\n\"");
    let bare = format!("{draft}def f():\n    return 1\n");
    let bare = with_target(&bare, "a.py", Some(EditFormat::WholeFile));
    assert_eq!(bare, "whole_file\n?: write \"def f():\\n    return 1\\n\"");
    let block = "<<<<<<< SEARCH\na\n=======\nDRAFT\n>>>>>>> REPLACE\n";
    let text = format!("<think>\n{block}</think>\n\n{}", block.replace("DRAFT", "b"));
    let set = crate::parse_edits(&text, &EditOptions::default());
    assert_eq!(shown(Some(&set)), "search_replace\n?: [\"a\"] => [\"b\"]");
}

#[test]
fn talk_is_no_file() {
    let talk = "I am sorry, but I cannot help with that request. The document is not here.\n\n\
                You may want to look at the original question and its answers again.\n";
    assert_eq!(parsed(talk), "none");
    assert_eq!(with_target(talk, "a.py", None), "none");
    assert_eq!(with_target(talk, "a.py", Some(EditFormat::UnifiedDiff)), "none");
    assert_eq!(with_target("fn a() {}\n", "a.rs", Some(EditFormat::UnifiedDiff)), "none");
    let several = "Do this:\n```py\na\n```\nor this:\n```py\nb\n```\n";
    assert_eq!(with_target(several, "a.py", None), "none");
    assert_eq!(parsed("```python\nx = 1\n```\n"), "none");
    assert_eq!(parsed("a.py\n```diff\n-x\n+y\n```\n"), "none");
    assert_eq!(parsed("In `a.py`, add this function:\n```python\ndef f(): pass\n```\n"), "none");
    assert_eq!(parsed(" \n"), "none");
}

#[test]
fn hostile_texts_are_survived() {
    for text in [
        "```\n".repeat(5_000),
        "a.py\n```\n".repeat(5_000),
        "<file path=\"a\">\n".repeat(5_000),
        "<write_to_file>\n".repeat(2_000),
        "<file path=\n".repeat(5_000),
        "`".repeat(100_000),
        "a.py\n```py\n\u{0}\u{feff}\n```\n".to_owned(),
    ] {
        let _ = read(&text, &EditOptions::default());
    }
}

proptest! {
    #[test]
    fn written_files_are_read_back(content in "([a-z =().]{0,12}\n){0,6}", ticks in 3usize..6) {
        let fence = "`".repeat(ticks);
        let text = format!("src/x.py\n{fence}python\n{content}{fence}\n");
        let set = read(&text, &EditOptions::default()).expect("a file");
        prop_assert_eq!(&set.end, &EditEnd::Complete);
        let (FileChange::Write(read) | FileChange::Lazy(read)) = &set.files[0].change else {
            panic!("a whole file")
        };
        prop_assert_eq!(read, &content);
    }

    #[test]
    fn no_text_makes_the_reader_panic(
        text in "(```|~~~|a\\.py|\n|é| |#|//|title=|\"|:|[a-z]|\u{0}){0,60}", target: bool,
    ) {
        let target = target.then(|| "a.py".to_owned());
        let options = EditOptions { target, ..EditOptions::default() };
        if let Some(set) = read(&text, &options) {
            for file in &set.files {
                prop_assert!(text.get(file.span.range()).is_some());
            }
        }
    }
}
