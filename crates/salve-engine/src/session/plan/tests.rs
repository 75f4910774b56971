//! Words of people, and what is looked for because of them.

use super::*;
use proptest::prelude::*;

fn names() -> WorkspaceNames {
    let paths = [
        "Makefile",
        "README.md",
        "app/[slug]/page.tsx",
        "docs/my notes.txt",
        "src/a.rs",
        "src/handlers/login.rs",
        "src/handlers/logout.rs",
        "src/mail/email.py",
        "src/mail/email_test.py",
        "src/mail/smtp.py",
        "src/tokenizer.rs",
        "src/utils.py",
        "web/Button.tsx",
        "web/button.css",
    ];
    WorkspaceNames::new(paths.map(str::to_owned).to_vec())
        .with_symbols([("send_all", "src/mail/smtp.py"), ("LoginForm", "src/handlers/login.rs")])
}

fn patterns(text: &str) -> Vec<String> {
    let shown = |action: &PlanAction| match action {
        PlanAction::File { pattern } => pattern.clone(),
        PlanAction::Url { url } => format!("url {url}"),
    };
    plan_by_mentions(text, &names()).actions.iter().map(shown).collect()
}

#[test]
fn c005_c103_mentions_become_patterns() {
    let cases: &[(&str, &[&str])] = &[
        ("review email.py", &["**/email*.py"]),
        ("Modify utils.py, please.", &["**/utils*.py"]),
        ("What does src/a.rs do?", &["src/a.rs"]),
        ("see ./src/a.rs:12:5 and `src/tokenizer.rs#L10`", &["src/a.rs", "src/tokenizer.rs"]),
        ("error in src/tokenizer.rs(3,4)", &["src/tokenizer.rs"]),
        ("@src/a.rs is wrong", &["src/a.rs"]),
        ("look at @src/handlers", &["src/handlers/**"]),
        ("everything in src/handlers/", &["src/handlers/**"]),
        ("the handlers folder is a mess", &["src/handlers/**"]),
        ("@\"docs/my notes.txt\" has the list", &["docs/my notes.txt"]),
        ("clean up the email module", &["**/email*.py"]),
        ("the Email module's tests", &["**/email*.py"]),
        ("the mail package", &["src/mail/**"]),
        ("the button component", &["**/Button*.tsx", "**/button*.css"]),
        ("why does send_all() hang?", &["src/mail/smtp.py"]),
        ("rename `LoginForm`", &["src/handlers/login.rs"]),
        ("rename smtp::send_all to send", &["src/mail/smtp.py"]),
        ("all of src/**/*.rs and `*.css`", &["src/**/*.rs", "*.css"]),
        ("change the Makefile", &["**/Makefile"]),
        ("the file handlers/login.rs", &["src/handlers/login.rs"]),
        ("app/[slug]/page.tsx is slow", &["app/[[]slug[]]/page.tsx"]),
        ("in C:\\proj\\src\\a.rs the loop", &["src/a.rs"]),
        ("look at app/handlers/login.rs", &["src/handlers/login.rs"]),
        ("EMAIL.PY is broken", &["**/email*.py"]),
        ("read https://example.com/a?b=1.", &["url https://example.com/a?b=1"]),
        ("what about ftp://example.com/x", &["url ftp://example.com/x"]),
        ("fix the tokenizer", &["**/tokenizer*.rs"]),
        ("```\n  File \"src/utils.py\", line 3\n  gone.py\n```", &["src/utils.py"]),
        ("**README.md** is old", &["**/README*.md"]),
        // Not there: looked for all the same, so that the model is told.
        ("review payment.py", &["**/payment*.py"]),
        ("edit src/none.rs", &["src/none.rs"]),
        ("the payment module", &["**/payment*"]),
        // No mention at all.
        ("say hello", &[]),
        ("use Node.js 20.1 and/or Deno, e.g. v1.2.3", &[]),
        ("write to me@example.com about 3.5", &[]),
        ("the whole module in this file", &[]),
        ("don't break it's tests", &[]),
        ("", &[]),
    ];
    for (text, wanted) in cases {
        assert_eq!(patterns(text), *wanted, "{text}");
    }
}

#[test]
fn c005_listed_tasks_are_todos_and_steps() {
    let plan = plan_by_mentions("Do:\n1. add a test\n2) fix email.py\n- done?\n", &names());
    assert_eq!(plan.todos, ["add a test", "fix email.py", "done?"]);
    assert_eq!(plan.steps, 3);
    let plan = plan_by_mentions("- only one", &names());
    assert_eq!((plan.todos.len(), plan.steps), (0, 1));
}

#[test]
fn c005_a_models_plan_is_read_however_it_is_wrapped() {
    let file = |pattern: &str| PlanAction::File { pattern: pattern.to_owned() };
    let url = |url: &str| PlanAction::Url { url: url.to_owned() };
    type Read = (usize, Vec<PlanAction>, usize);
    let cases: &[(&str, Option<Read>)] = &[
        (
            r#"{"todos":["a","b"],"actions":[{"type":"file","pattern":"**/email*.py"}],"steps":2}"#,
            Some((2, vec![file("**/email*.py")], 2)),
        ),
        (
            "Sure! Here is the plan:\n```json\n{\"todos\": [\"a\"], \"actions\": [{\"type\": \"url\", \"url\": \"https://x.example/\"},],}\n```\nGood luck.",
            Some((1, vec![url("https://x.example/")], 1)),
        ),
        (
            r#"{"todos":["a"],"actions":[{"pattern":"src/*.rs"},{"pattern":"https://x.example"},{"type":"file"}]}"#,
            Some((1, vec![file("src/*.rs"), url("https://x.example")], 1)),
        ),
        // Cut: what was written out counts.
        (
            r#"{"todos":["a","b"],"actions":[{"type":"file","pattern":"src/a.rs"},{"type":"fi"#,
            Some((2, vec![file("src/a.rs")], 1)),
        ),
        (r#"{"todos":[],"actions":[]}"#, None),
        ("I cannot do that.", None),
        ("", None),
    ];
    for (text, wanted) in cases {
        let read = read_plan(text).map(|plan| (plan.todos.len(), plan.actions, plan.steps));
        assert_eq!(read, *wanted, "{text}");
    }
}

#[test]
fn c005_the_prompt_holds_the_request_and_the_map() {
    let (system, user) = plan_prompt("fix a.rs", "src/a.rs:\n  1: fn a()");
    assert!(system.contains("\"pattern\": \"**/email*.py\""), "{system}");
    assert!(user.contains("fix a.rs") && user.contains("fn a()"), "{user}");
    assert!(!plan_prompt("x", " ").1.contains("Map"));
}

#[test]
fn words_of_a_text_rank_its_map() {
    let words = mentioned_words("Please fix `send_all` in src/mail/email.py, the retry loop");
    assert_eq!(words, ["send_all", "email.py", "email", "mail", "retry", "loop"]);
}

proptest! {
    #[test]
    fn any_text_gives_a_bounded_plan_twice_the_same(text in "[ -~\\n`@\u{201c}é]{0,300}") {
        let names = names();
        let plan = plan_by_mentions(&text, &names);
        prop_assert_eq!(&plan, &plan_by_mentions(&text, &names));
        prop_assert!(plan.actions.len() <= MAX_ACTIONS && plan.todos.len() <= MAX_TODOS);
        let _ = read_plan(&text);
    }
}
