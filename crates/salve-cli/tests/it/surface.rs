//! The rest of the surface: demo, doctor, explain, completions, man, errors.
//!
//! In: commands as a new user types them. Out: that they work and say what to do next.

use crate::run::{folder, salve, salve_in, toolchain_variables, write};
use std::process::{Command, Stdio};

#[test]
fn the_demo_heals_every_scene_and_says_what_to_try_next() {
    let place = folder("demo");
    let variables = toolchain_variables();
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let ended = salve_in(&["demo"], "", &place, &variables);
    assert_eq!(ended.code, Some(0), "{}", ended.out);
    assert!(ended.out.contains("17 of 17 healed or held back"), "{}", ended.out);
    for words in [
        "without a model; cargo passes; one change of src/lib.rs",
        "by a model, 2 calls",
        "refused: ",
        "4/4 done, each by an applied change",
        "to before turn 2: every byte is as it was",
    ] {
        assert!(ended.out.contains(words), "{words}: {}", ended.out);
    }
    assert_eq!(ended.out.matches("every byte is as it was").count(), 6, "{}", ended.out);
    assert!(!ended.out.contains("NOT"), "{}", ended.out);
    assert_eq!(std::fs::read_dir(&place).map(Iterator::count).ok(), Some(1), "nothing but .git");
    assert!(ended.out.contains("Try next"));
    assert!(!ended.out.contains('\u{1b}'), "colours on a pipe");
}

#[test]
fn the_doctor_finds_everything_working() {
    let ended = salve(&["doctor"], "");
    assert_eq!(ended.code, Some(0), "{}", ended.out);
    assert!(ended.out.contains("grammars"));
}

#[test]
fn explain_knows_codes_in_any_case_and_helps_with_unknown_ones() {
    let ended = salve(&["explain", "open-double-quote"], "");
    assert!(ended.out.contains("double quote"), "{}", ended.out);
    let unknown = salve(&["explain", "OPEN_NOTHING"], "");
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("OPEN_"), "{}", unknown.err);
    assert!(salve(&["explain"], "").out.lines().count() > 20);
}

#[test]
fn completions_and_manual_pages_are_generated() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(salve(&["completions", shell], "").out.contains("inspect"));
    }
    assert!(salve(&["man"], "").out.contains(".TH"));
    assert!(salve(&["man", "inspect"], "").out.contains("sentinel"));
    assert_eq!(salve(&["man", "nothing"], "").code, Some(2));
    let meant = salve(&["man", "aply"], "");
    assert_eq!(meant.code, Some(2));
    assert!(meant.err.contains("Did you mean `salve man apply`?"), "{}", meant.err);
}

#[test]
fn a_mistyped_word_gets_a_hint_in_the_words_of_every_failure() {
    for (arguments, words) in [
        (&["aply"][..], " hint: a similar subcommand exists: 'apply'\n"),
        (&["jobs", "lits"], " hint: a similar subcommand exists: 'list'\n"),
        (&["apply", "--dryrun"], " hint: a similar argument exists: '--dry-run'\n"),
    ] {
        let ended = salve(arguments, "");
        assert_eq!(ended.code, Some(2));
        assert!(ended.err.starts_with("error: ") && ended.err.contains(words), "{}", ended.err);
        assert!(!ended.err.contains("tip:"), "{}", ended.err);
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test starts the binary it is about")]
fn what_could_not_be_written_is_said_in_every_format() {
    let place = folder("full");
    write(&place.join("cut.rs"), "fn main() {");
    let commands: [(&[&str], &[&str]); 6] = [
        (&["inspect", "cut.rs"], &["human", "json", "jsonl", "sarif", "github"]),
        (&["config", "show"], &["human", "json", "jsonl"]),
        (&["explain", "OPEN_DOUBLE_QUOTE"], &["human", "json", "jsonl"]),
        (&["clean", "cut.rs"], &["human", "json", "jsonl"]),
        (&["policy", "path", "a"], &["human", "json", "jsonl"]),
        (&["clean", "--batch"], &["human"]),
    ];
    for (command, formats) in commands {
        for format in formats {
            let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
            let mut child = Command::new(env!("CARGO_BIN_EXE_salve"))
                .args(command)
                .args(["--format", format])
                .current_dir(&place)
                .env_clear()
                .env("XDG_CONFIG_HOME", &place)
                .stdin(Stdio::piped())
                .stdout(full)
                .stderr(Stdio::piped())
                .spawn()
                .expect("started");
            let line = b"{\"id\": 1, \"text\": \"x\"}\n";
            let _ = std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), line);
            let ended = child.wait_with_output().expect("ended");
            let err = String::from_utf8_lossy(&ended.stderr).into_owned();
            assert_eq!(ended.status.code(), Some(2), "{command:?} {format}: {err}");
            let words = "error: cannot write to standard output: No space left on device";
            assert!(err.starts_with(words), "{command:?} {format}: {err}");
            assert_eq!(err.matches("No space").count(), 1, "{command:?} {format}: {err}");
        }
    }
}

#[test]
fn a_refusal_that_a_person_can_lift_names_the_flag() {
    let place = folder("flags_named");
    let reply = |path: &str| format!("{path}\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n");
    for path in [".env", ".github/workflows/ci.yml", "CLAUDE.md", ".vscode/settings.json"] {
        write(&place.join(path), "a\n");
        let ended = salve_in(&["apply"], &reply(path), &place, &[]);
        assert!(ended.code == Some(4) || ended.code == Some(1), "{path}: {ended:?}");
        let said = format!("{}{}", ended.out, ended.err);
        assert!(said.contains("`--allow protected`"), "{path}: {said}");
        let allowed = salve_in(&["apply", "--allow", "protected"], &reply(path), &place, &[]);
        assert_eq!(allowed.code, Some(0), "{path}: {allowed:?}");
    }
}

#[test]
fn runs_are_listed_on_one_line_each() {
    let place = folder("runs_listed");
    let long = format!("import sys\n{}", "print(1)\n".repeat(200));
    for _ in 0..2 {
        salve_in(&["run", "--yes", "--", "echo", &long, "a", "b"], "", &place, &[]);
    }
    let listed = salve_in(&["runs"], "", &place, &[]);
    assert_eq!(listed.out.lines().count(), 2, "{}", listed.out);
    let ids = salve_in(&["runs", "--format", "json"], "", &place, &[]).json();
    for (at, line) in listed.out.lines().enumerate() {
        assert!(line.chars().count() <= 160, "{line}");
        assert!(line.starts_with(ids[at]["id"].as_str().expect("an id")), "{line}");
    }
}

#[test]
fn bad_usage_is_exit_code_2_with_a_way_out() {
    let missing = salve(&["inspect", "no-such-file.rs"], "");
    assert_eq!(missing.code, Some(2));
    assert!(missing.err.contains("no-such-file.rs"));
    let language = salve(&["inspect", "--lang", "klingon"], "");
    assert_eq!(language.code, Some(2));
    assert!(language.err.contains("rust"));
    let format = salve(&["clean", "--format", "sarif"], "x");
    assert_eq!(format.code, Some(2));
}

#[test]
fn schemas_are_listed_shown_and_used() {
    let list = salve(&["schema", "list"], "").out;
    for name in ["CodeAndExplanation", "CodeOnly", "Preamble", "ChatResponse"] {
        assert!(list.contains(name), "{name}: {list}");
    }
    let shown = salve(&["schema", "show", "ChatResponse"], "").json();
    assert_eq!(shown["required"], serde_json::json!(["summary"]));
    let unknown = salve(&["schema", "show", "Nothing"], "");
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("CodeOnly"), "{}", unknown.err);
}
