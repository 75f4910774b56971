//! `salve policy path`: allowed or not, the rule, and why.
//!
//! In: paths as models write them. Out: the contract of the command.

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
