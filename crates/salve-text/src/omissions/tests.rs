//! Wordings that stand for absent text, and those that do not.

use super::*;
use salve_types::Position;

fn codes(text: &str, language: Language) -> Vec<&'static str> {
    find_omissions(text, language).iter().map(|finding| finding.code.name()).collect()
}

#[test]
fn omissions_in_all_usual_wordings_and_comment_styles() {
    let cases: &[(&str, Language)] = &[
        ("// ... existing code ...", Language::TypeScript),
        ("    // ...existing code...", Language::TypeScript),
        ("// ... rest of the code ...", Language::Rust),
        ("// … rest of the code unchanged", Language::Rust),
        ("// rest of the code remains the same", Language::Java),
        ("// Rest of your component code here", Language::Tsx),
        ("{/* ... existing JSX ... */}", Language::Tsx),
        ("{/* rest of the component remains unchanged */}", Language::Jsx),
        ("# rest of file remains the same", Language::Python),
        ("# ... (rest of the function unchanged)", Language::Python),
        ("    # ... remaining methods ...", Language::Python),
        ("/* ... existing styles ... */", Language::Css),
        ("<!-- ... existing content ... -->", Language::Html),
        ("<!-- rest of the page unchanged -->", Language::Html),
        ("-- ... existing queries ...", Language::Sql),
        ("// (previous code)", Language::Go),
        ("// [existing code]", Language::Go),
        ("// previous code remains unchanged", Language::C),
        ("// existing imports here", Language::JavaScript),
        ("// other methods remain unchanged", Language::CSharp),
        ("// ... other methods ...", Language::Kotlin),
        ("// keep the rest of the file as is", Language::Swift),
        ("// Keep existing code", Language::Swift),
        ("// TODO: implement the rest of the code", Language::Cpp),
        ("// code omitted for brevity", Language::Cpp),
        ("// ... omitted for brevity ...", Language::Cpp),
        ("// everything else stays the same", Language::Php),
        ("// ... unchanged ...", Language::Rust),
        ("// ... same as before ...", Language::Rust),
        ("fn a() { /* ... existing code ... */ }", Language::Rust),
        ("const a = 1; // ... rest of the file unchanged", Language::JavaScript),
        ("... rest of the code ...", Language::Python),
        ("[... rest of file unchanged ...]", Language::Text),
        ("(rest of the code remains the same)", Language::Text),
        ("// ... Rest des Codes bleibt unverändert", Language::Java),
        ("// ... reste du code ...", Language::Java),
        ("# ... resto del código ...", Language::Python),
        ("// ... other imports", Language::Java),
        ("// [... existing code ...]", Language::Java),
        ("// ... (truncated)", Language::Java),
        ("// ... 40 lines omitted ...", Language::Java),
        ("// (lines 10-50 unchanged)", Language::Java),
        ("// ... existing handleSubmit function ...", Language::Tsx),
        ("# (Previous imports and setup remain the same)", Language::Python),
        ("# [The rest of the file remains unchanged]", Language::Python),
        ("// --snip--", Language::Rust),
        ("// No changes below this line", Language::Rust),
        ("... (rest of the file)", Language::Rust),
        ("// 其余代码保持不变", Language::Java),
        ("// ... 现有代码 ...", Language::Java),
    ];
    for (line, language) in cases {
        let text = format!("first\n{line}\nlast\n");
        let findings = find_omissions(&text, *language);
        assert_eq!(findings.len(), 1, "{line}");
        assert_eq!(findings[0].code, FindingCode::OmissionMarker, "{line}");
        assert_eq!(Position::of(&text, findings[0].span.start).line, 2, "{line}");
        assert!(line.contains(&text[findings[0].span.range()]), "{line}");
    }
}

#[test]
fn real_code_is_not_an_omission() {
    let cases: &[(&str, Language)] = &[
        ("const copy = { ...existing, ...rest };", Language::JavaScript),
        ("    ...rest,", Language::TypeScript),
        ("def f(x): ...", Language::Python),
        ("    ...", Language::Python),
        ("Tuple[int, ...]", Language::Python),
        ("let Point { x, .. } = point;", Language::Rust),
        ("for i in 0..rest {", Language::Rust),
        ("int printf(const char *format, ...);", Language::C),
        ("func f(args ...string) {}", Language::Go),
        ("// ...", Language::JavaScript),
        ("// ... and so on", Language::JavaScript),
        ("// ... and the rest is handled by the caller", Language::C),
        ("// read the rest of the file", Language::C),
        ("// the remaining bytes are the body", Language::Rust),
        ("// Skip the rest of the line.", Language::Rust),
        ("/// // ... existing code ...", Language::Rust),
        ("// same as above", Language::Go),
        ("// This is the same as the existing code path, but faster", Language::Go),
        ("# Loading...", Language::Bash),
        ("echo \"... rest of the code ...\" # prints", Language::Bash),
        ("print('// ... existing code ...')", Language::Python),
        ("raise NotImplementedError  # TODO: implement", Language::Python),
        ("// Your code here", Language::JavaScript),
        ("// Keep the original file", Language::JavaScript),
        ("// keep existing entries", Language::JavaScript),
        ("// previous implementation", Language::JavaScript),
        ("// Same code as above", Language::JavaScript),
        ("// Existing code relies on this behaviour.", Language::JavaScript),
        ("// The content remains in memory.", Language::JavaScript),
        ("// Leave the existing file alone", Language::JavaScript),
        ("// ...but keep the existing value", Language::JavaScript),
        ("# the rest of the file is ignored", Language::Python),
        ("// all other cases", Language::Go),
        ("Title\n=======\n", Language::Markdown),
        ("1. first\n2. second\n3. third\n4. fourth\n", Language::Markdown),
    ];
    for (line, language) in cases {
        assert_eq!(codes(line, *language), [""; 0], "{line}");
    }
}

#[test]
fn conflict_markers_count_as_a_whole() {
    let text = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\nd\n";
    assert_eq!(codes(text, Language::Rust), ["CONFLICT_MARKER"; 3]);
    let base = "<<<<<<< a\nb\n||||||| base\nx\n=======\nc\n>>>>>>> d\n";
    assert_eq!(codes(base, Language::Rust), ["CONFLICT_MARKER"; 4]);
    for text in [
        "Title\n=======\n\n>>>>>>> quoted\n",
        "<<<<<<< only\n",
        "a <<<<<<< b\n=======\n>>>>>>> c\n",
    ] {
        assert_eq!(codes(text, Language::Text), [""; 0], "{text}");
    }
}

#[test]
fn leaked_line_numbers_are_found_with_their_place() {
    let text = "fn a() {}\n1 | fn f() {\n2 |     g();\n3 | }\n4 | \n5 | fn h() {}\n";
    let findings = find_omissions(text, Language::Rust);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].code, FindingCode::LeakedLineNumbers);
    assert!(text[findings[0].span.range()].starts_with("1 | fn"));
    assert_eq!(
        codes("x = {\n  1: 'a',\n  2: 'b',\n  3: 'c',\n  4: 'd',\n}\n", Language::Python),
        [""; 0]
    );
}

#[test]
fn hostile_lines_are_answered() {
    for piece in [
        "...",
        "…",
        "/*",
        "// ",
        "<!--",
        "<<<<<<<\n",
        "=======\n",
        "1 | \n",
        "rest of the ",
        "existing ",
        "\r",
        "é",
    ] {
        let text = piece.repeat(100_000);
        for language in [Language::Rust, Language::Text, Language::Tsx] {
            let _ = find_omissions(&text, language);
        }
    }
    let lines =
        "// the rest of the the the the existing existing code code here here\n".repeat(20_000);
    let _ = find_omissions(&lines, Language::Rust);
}
