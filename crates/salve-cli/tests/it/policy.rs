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
    assert_eq!(shown.code, Some(1));
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
    assert_eq!(asked.code, Some(1));
    assert!(asked.out.contains("P6_repository"), "{}", asked.out);
}
