//! `salve signature`: one error, one signature, wherever it appears.
//!
//! In: outputs of tools. Out: the contract of the command.

use crate::run::salve;

const HERE: &str = "prog.c: In function ‘main’:\nprog.c:3:5: error: ‘count’ undeclared (first use in this function)\n    3 |     count = 1;\n      |     ^~~~~\n";
const THERE: &str = "2026-03-16T04:33:57.740Z /srv/My Project/t1.c: In function ‘main’:\n2026-03-16T04:33:58.000Z /srv/My Project/t1.c:41:5: error: ‘count’ undeclared (first use in this function)\n2026-03-16T04:33:58.000Z    41 |     count = 1;\n2026-03-16T04:33:58.000Z       |     ^~~~~\n";

#[test]
fn h09_the_batch_answers_with_sixteen_digits_and_echoes_the_id() {
    let lines: String = [("a", HERE), ("b", THERE), ("c", &HERE.replace("count", "total"))]
        .iter()
        .map(|(id, text)| serde_json::json!({ "id": id, "text": text }).to_string() + "\n")
        .collect();
    let answers = salve(&["signature", "--batch"], &lines).lines();
    let exact: Vec<&str> =
        answers.iter().map(|answer| answer["exact"].as_str().unwrap_or("")).collect();
    assert_eq!(answers[1]["id"], "b");
    assert!(exact[0].len() == 16 && exact[0].bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(exact[0], exact[1]);
    assert_ne!(exact[0], exact[2]);
    assert_eq!(answers[0]["shape"], answers[2]["shape"]);
    assert_eq!(answers[0]["class"], answers[2]["class"]);
}

#[test]
fn h09_a_document_keeps_the_full_digest() {
    let document = salve(&["signature", "--format", "json", "--explain"], HERE).json();
    let full = document["full"]["exact"].as_str().unwrap_or_default();
    assert_eq!(full.len(), 64);
    assert!(full.starts_with(document["exact"].as_str().unwrap_or("-")));
    let diagnostic = &document["diagnostics"][0];
    assert_eq!(diagnostic["diagnostic"]["tool"], "gcc");
    assert_eq!(diagnostic["diagnostic"]["spans"][0]["line_text"], "    count = 1;");
    let shape = diagnostic["canonical"]["shape"].as_str().unwrap_or_default();
    assert!(shape.ends_with("$1 = 1 ;"), "{shape}");
}

#[test]
fn people_see_signatures_diagnostics_and_what_was_hashed() {
    let shown = salve(&["signature", "--explain"], HERE);
    assert_eq!(shown.code, Some(0));
    assert!(shown.out.contains("gcc (type): ‘count’ undeclared"), "{}", shown.out);
    assert!(shown.out.contains("salve-signature/1 exact"), "{}", shown.out);
    let lines = salve(&["signature", "--format", "jsonl"], HERE).lines();
    assert_eq!(lines.len(), 1);
    let refused = salve(&["signature", "--format", "sarif"], HERE);
    assert_eq!(refused.code, Some(2));
}
