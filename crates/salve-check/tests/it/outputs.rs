//! Real outputs of real tools, read.
//!
//! Each folder of `data/outputs` holds what one command printed and the small programs it was run
//! on. What is read out of it is in `snapshots`, one line for each diagnostic: severity, class,
//! code, place, message; below it what else came with it.

mod forms;
mod hostile;
mod sarif;

use salve_check::{CheckedFolder, OutputParser, parse_output};
use salve_types::{Diagnostic, ErrorClass, SourceSpan};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const CASES: &[(&str, OutputParser)] = &[
    ("bash", OutputParser::BashN),
    ("cargo-borrow", OutputParser::CargoJson),
    ("cargo-check", OutputParser::CargoJson),
    ("cargo-clippy", OutputParser::CargoJson),
    ("cargo-dependency", OutputParser::CargoJson),
    ("cargo-manifest", OutputParser::CargoJson),
    ("cargo-test", OutputParser::CargoTest),
    ("cargo-test-abort", OutputParser::CargoTest),
    ("cargo-test-broken", OutputParser::CargoTest),
    ("clang", OutputParser::Clang),
    ("clang-sarif", OutputParser::Clang),
    ("eslint", OutputParser::EslintJson),
    ("gcc", OutputParser::Gcc),
    ("gcc-cpp", OutputParser::Gcc),
    ("gcc-text", OutputParser::Gcc),
    ("go-build", OutputParser::GoBuild),
    ("go-build-json", OutputParser::GoBuild),
    ("go-test", OutputParser::GoTest),
    ("go-test-new", OutputParser::GoTest),
    ("go-vet", OutputParser::GoVet),
    ("go-vet-new", OutputParser::GoVet),
    ("javac", OutputParser::Javac),
    ("javac-text", OutputParser::Javac),
    ("mypy", OutputParser::MypyJson),
    ("node-assert", OutputParser::NodeCheck),
    ("node-esm-syntax", OutputParser::NodeCheck),
    ("node-import", OutputParser::NodeCheck),
    ("node-require", OutputParser::NodeCheck),
    ("node-syntax", OutputParser::NodeCheck),
    ("node-throw", OutputParser::NodeCheck),
    ("pyright", OutputParser::PyrightJson),
    ("pytest", OutputParser::Pytest),
    ("pytest-chain", OutputParser::Pytest),
    ("pytest-conftest", OutputParser::Pytest),
    ("pytest-long", OutputParser::Pytest),
    ("python-compile", OutputParser::PythonCompile),
    ("python-compileall", OutputParser::PythonCompile),
    ("python-import", OutputParser::PythonCompile),
    ("python-run", OutputParser::PythonCompile),
    ("ruff", OutputParser::RuffJson),
    ("ruff-sarif", OutputParser::Sarif),
    ("rustc-link", OutputParser::CargoJson),
    ("rustc-module", OutputParser::CargoJson),
    ("rustc-syntax", OutputParser::CargoJson),
    ("schema-ajv", OutputParser::JsonSchema),
    ("schema-check-jsonschema", OutputParser::JsonSchema),
    ("tsc-config", OutputParser::Tsc),
    ("tsc-syntax", OutputParser::Tsc),
    ("tsc-types", OutputParser::Tsc),
    ("unittest", OutputParser::Unittest),
];

#[test]
fn h16_every_real_output_is_read_with_file_line_code_and_class() {
    for &(name, parser) in CASES {
        insta::assert_snapshot!(name, table(&read(name, parser, Path::new("/project"))));
    }
}

#[test]
fn every_folder_of_outputs_is_in_the_table() {
    let kept: BTreeSet<String> = std::fs::read_dir(outputs())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    let listed: BTreeSet<String> = CASES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(kept, listed);
}

#[test]
fn h16_the_seven_classes_appear_over_the_toolchains() {
    let mut classes: BTreeSet<ErrorClass> = BTreeSet::new();
    let mut tools: BTreeSet<String> = BTreeSet::new();
    for &(name, parser) in CASES {
        for diagnostic in read(name, parser, Path::new("/project")) {
            classes.insert(diagnostic.class);
            tools.insert(diagnostic.tool);
        }
    }
    assert_eq!(classes.into_iter().collect::<Vec<_>>(), ErrorClass::ALL);
    assert!(tools.len() >= 20, "{tools:?}");
}

// tsc prints its findings on standard output while npm's notices go to standard error; both are
// kept and read.
#[test]
fn r26_findings_are_read_from_whichever_stream_has_them() {
    for &(name, parser) in CASES {
        let (stdout, stderr) = streams(name);
        let folder = CheckedFolder::unread(Path::new("/project"));
        let as_printed = parse_output(parser, &stdout, &stderr, folder).len();
        let notice = "npm warn config production Use `--omit=dev` instead.\n";
        let with_notice = |text: &str| format!("{notice}{text}");
        let noticed = parse_output(parser, &with_notice(&stdout), &with_notice(&stderr), folder);
        assert_eq!(noticed.len(), as_printed, "{name}: a notice changes what is found");
        let swapped = parse_output(parser, &stderr, &stdout, folder);
        assert_eq!(swapped.len(), as_printed, "{name}: the other stream is not read");
    }
}

#[test]
fn a_member_of_a_workspace_has_paths_of_its_own() {
    let member = read("cargo-check", OutputParser::CargoJson, Path::new("/project/app"));
    let paths: BTreeSet<&str> =
        member.iter().filter_map(Diagnostic::primary).map(|span| span.path.as_str()).collect();
    // The other member lies outside the checked folder and keeps the path the tool wrote.
    assert_eq!(paths, BTreeSet::from(["src/main.rs", "src/shapes.rs", "util/src/lib.rs"]));
}

#[test]
fn a_cut_output_gives_what_was_whole() {
    for &(name, parser) in CASES {
        let (stdout, stderr) = streams(name);
        let folder = CheckedFolder::unread(Path::new("/project"));
        let whole = parse_output(parser, &stdout, &stderr, folder);
        let longest = stdout.len().max(stderr.len());
        for cut in (0..longest).step_by((longest / 40).max(1)) {
            let found = parse_output(parser, head(&stdout, cut), head(&stderr, cut), folder);
            // A headline that is cut may be read as its beginning, and a cut log of gcc has lost
            // its reasons; nothing may appear beyond one such leftover for each part.
            assert!(found.len() <= whole.len() + 1, "{name} cut at {cut}");
        }
    }
}

fn head(text: &str, mut cut: usize) -> &str {
    cut = cut.min(text.len());
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    &text[..cut]
}

fn outputs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/outputs")
}

fn streams(name: &str) -> (String, String) {
    let stream = |which: &str| {
        std::fs::read_to_string(outputs().join(name).join(which)).expect("the stream is kept")
    };
    (stream("stdout"), stream("stderr"))
}

fn read(name: &str, parser: OutputParser, folder: &Path) -> Vec<Diagnostic> {
    let (stdout, stderr) = streams(name);
    let below = folder.strip_prefix("/project").expect("below the project").to_owned();
    let project = outputs().join(name).join("project").join(below);
    let source = |path: &str| std::fs::read_to_string(project.join(path)).ok();
    parse_output(parser, &stdout, &stderr, CheckedFolder { path: folder, source: &source })
}

fn table(diagnostics: &[Diagnostic]) -> String {
    let mut table = String::new();
    for one in diagnostics {
        let severity = format!("{:?}", one.severity).to_lowercase();
        let code = one.code.as_deref().unwrap_or("-");
        let place = one.primary().map_or("-".to_owned(), shown);
        writeln!(
            table,
            "{} {severity} {} {code} {place} {}",
            one.tool,
            one.class.name(),
            one.message
        )
        .expect("text can be written");
        for span in one.spans.iter().skip(1) {
            writeln!(table, "  also {}{}", shown(span), if span.primary { " primary" } else { "" })
                .expect("text can be written");
        }
        for note in &one.notes {
            let places: Vec<String> = note.spans.iter().map(shown).collect();
            writeln!(table, "  {}: {} {}", note.kind, note.message, places.join(" "))
                .expect("text can be written");
        }
        for suggestion in &one.suggestions {
            let edits: Vec<String> = suggestion
                .edits
                .iter()
                .map(|edit| format!("{} -> {:?}", shown(&edit.span), edit.replacement))
                .collect();
            let applicability = suggestion.applicability;
            writeln!(
                table,
                "  fix {applicability:?}: {} | {}",
                suggestion.message,
                edits.join("; ")
            )
            .expect("text can be written");
        }
        assert!(!one.raw.trim().is_empty(), "no words of the tool's own: {one:?}");
    }
    table.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn shown(span: &SourceSpan) -> String {
    let mut text = span.path.clone();
    if let Some(start) = span.start {
        write!(text, ":{}:{}", start.line, start.column).expect("text can be written");
    }
    if let Some(end) = span.end {
        write!(text, "-{}:{}", end.line, end.column).expect("text can be written");
    }
    if let Some(label) = &span.label {
        write!(text, " ({label})").expect("text can be written");
    }
    text
}
