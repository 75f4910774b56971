//! `salve policy`: allowed or not, the rule, and why.
//!
//! In: paths and command lines as models write them. Out: the contract of the commands.

use crate::run::{folder, salve_in, write};

#[test]
fn c016_paths_are_judged_with_rule_and_reason() {
    let place = folder("policy");
    write(&place.join("src/main.rs"), "fn main() {}\n");
    let lines = "{\"id\":1,\"path\":\"src/main.rs\"}\n{\"id\":2,\"path\":\"../x\"}\n{\"id\":3,\"path\":\".git/config\"}\n";
    let answers = salve_in(&["policy", "path", "--batch"], lines, &place, &[]).lines();
    let allowed: Vec<bool> = answers.iter().map(|answer| answer["allow"] == true).collect();
    assert_eq!(allowed, [true, false, false]);
    assert!(answers.iter().all(|answer| answer["rule"].is_string() && answer["why"].is_string()));
    let human = salve_in(&["policy", "path", "src/main.rs", "/etc/passwd"], "", &place, &[]);
    assert_eq!(human.code, Some(1));
    assert!(human.out.contains("allowed  src/main.rs"), "{}", human.out);
    assert!(human.out.contains("refused  /etc/passwd"), "{}", human.out);
}

#[test]
fn c059_commands_are_judged_word_by_word() {
    let place = folder("policy-command");
    write(&place.join("src/main.rs"), "fn main() {}\n");
    let lines = [
        ("npm run build", true),
        ("npm runx", false),
        ("lsof", false),
        ("ls; rm -rf x", false),
        ("ls $(rm x)", false),
        ("cat src/*.rs", true),
        ("cat .env", false),
        ("git status && cat ../x", false),
    ];
    let input: String = lines
        .iter()
        .enumerate()
        .map(|(id, (line, _))| format!("{}\n", serde_json::json!({ "id": id, "command": line })))
        .collect();
    let ended = salve_in(&["policy", "command", "--batch"], &input, &place, &[]);
    let answers = ended.lines();
    assert_eq!(answers.len(), lines.len());
    for (answer, (line, allow)) in answers.iter().zip(lines) {
        assert_eq!(answer["allow"], allow, "{line}: {answer}");
        assert!(
            answer["rule"].is_string() && answer["why"].is_string() && answer["risk"].is_string()
        );
    }
    assert_eq!(answers[5]["argv"], serde_json::json!([["cat", "src/main.rs"]]));
    assert_eq!(
        answers[3]["segment"],
        serde_json::json!({ "index": 1, "argv": ["rm", "-rf", "x"] })
    );
}

#[test]
fn c060_a_delete_is_asked_about_and_shown_as_it_was_parsed() {
    let place = folder("policy-human");
    let lines = ["ls 2>&1; rm -rf 'a b'", "make\u{1b}[2Kx\u{202e}", "make test"];
    let shown = salve_in(&[&["policy", "command"], &lines[..]].concat(), "", &place, &[]);
    assert_eq!(shown.code, Some(4), "asked is exit code 4, as everywhere");
    insta::assert_snapshot!(shown.out, @r"
    asked    ls 2>&1; rm -rf 'a b'
             P4_never: `rm` deletes, or runs what cannot be seen here; that is always asked
             1  ls 2>&1
             2  rm -rf 'a b' <- this one
             at worst: network
    asked    make\u{1b}[2Kx\u{202e}
             P0_input: control character: U+001B has no place in a command line
             at worst: network
    asked    make test
             P4_not_listed: `make test` is not on the list
             1  make test <- this one
             at worst: network
             on the list it would be: make test
    ");
    let json = salve_in(&["policy", "command", "make test", "--format", "json"], "", &place, &[]);
    assert_eq!(json.json()[0]["smallest"], serde_json::json!(["make", "test"]));
    let fine = salve_in(&["policy", "command", "git status"], "", &place, &[]);
    assert_eq!(fine.code, Some(0), "{}", fine.out);
}

#[test]
fn x12_a_hostile_repository_stops_git() {
    let place = folder("policy-git");
    write(&place.join("sub/.git/config"), "[core]\n\tfsmonitor = ./x\n");
    let sub = place.join("sub");
    let asked = salve_in(&["policy", "command", "git status"], "", &sub, &[]);
    assert_eq!(asked.code, Some(4));
    assert!(asked.out.contains("P6_repository"), "{}", asked.out);
}

#[test]
fn a_profile_is_shown_entry_by_entry_and_kept_with_a_yes() {
    let place = folder("policy-profile");
    let command = |arguments: &[&str]| salve_in(arguments, "", &place, &[]);
    assert_eq!(command(&["policy", "command", "wc -l notes.txt"]).code, Some(4));
    let asked = command(&["policy", "profile", "everyday"]);
    assert_eq!(asked.code, Some(4), "{}", asked.err);
    assert!(
        asked.out.contains("git show\n") && asked.out.contains("cargo clippy\n"),
        "{}",
        asked.out
    );
    assert_eq!(
        command(&["policy", "command", "wc -l notes.txt"]).code,
        Some(4),
        "nothing was said"
    );
    assert_eq!(command(&["policy", "profile", "everyday", "--yes"]).code, Some(0));
    assert_eq!(command(&["policy", "command", "wc -l notes.txt"]).code, Some(0));
    assert_eq!(command(&["policy", "command", ".venv/bin/pytest -p evil"]).code, Some(4));
    assert!(command(&["policy", "profile"]).out.starts_with("everyday  on  "));
    assert_eq!(command(&["policy", "profile", "everyday", "--remove"]).code, Some(0));
    assert_eq!(command(&["policy", "command", "wc -l notes.txt"]).code, Some(4));
    let unknown = command(&["policy", "profile", "nightly"]);
    assert_eq!((unknown.code, unknown.err.contains("everyday")), (Some(2), true));
}

#[test]
fn approvals_are_listed_narrowed_and_taken_back() {
    let place = folder("policy-approvals");
    let command = |arguments: &[&str]| salve_in(arguments, "", &place, &[]);
    assert_eq!(command(&["policy", "approvals"]).out, "nothing is approved for good\n");
    let workspace = place.canonicalize().unwrap();
    let entry = |words: &str| {
        let workspace = workspace.display();
        format!(
            "[[approval]]\nscope = \"project\"\nworkspace = \"{workspace}\"\nwords = {words}\nrisk = \"write\"\n"
        )
    };
    let kept = entry("[\"make\"]") + &entry("[\"just\", \"lint\"]");
    write(&place.join("salve/approvals.toml"), &kept);
    let listed = command(&["policy", "approvals", "list", "--format", "json"]).json();
    assert_eq!(listed[1]["words"], serde_json::json!(["just", "lint"]));
    assert_eq!(command(&["policy", "command", "make clean"]).code, Some(0));
    assert_eq!(command(&["policy", "approvals", "narrow", "1", "test", "-k"]).code, Some(0));
    assert_eq!(command(&["policy", "command", "make clean"]).code, Some(4));
    assert_eq!(command(&["policy", "command", "make test -k"]).code, Some(0));
    assert_eq!(command(&["policy", "approvals", "revoke", "1"]).code, Some(0));
    assert_eq!(command(&["policy", "command", "make test -k"]).code, Some(4));
    assert_eq!(
        command(&["policy", "command", "just lint"]).code,
        Some(0),
        "the other is still there"
    );
    let none = command(&["policy", "approvals", "revoke", "7"]);
    assert_eq!((none.code, none.err.contains("no approval 7")), (Some(2), true));
}
