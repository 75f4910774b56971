//! Who is asked, what they are told, and what settings are refused.

use super::*;
use crate::facts::TextRedactor;
use salve_text::{ExactSecret, RedactOptions};
use salve_types::{ErrorClass, Severity};

fn agent(text: &str) -> Result<AgentSettings, String> {
    toml::from_str(text).map_err(|error| error.to_string())
}

fn error(tool: &str, class: ErrorClass, code: &str) -> Diagnostic {
    let mut made = Diagnostic::new(tool, Severity::Error, class, "wrong");
    made.code = Some(code.to_owned());
    made
}

#[test]
fn h49_an_agent_has_one_way_to_be_asked() {
    for (text, why) in [
        ("name = 'a'\ncommand = ['x']", None),
        ("name = 'a'\nurl = 'http://127.0.0.1:1/'\ntimeout_seconds = 600", None),
        ("name = 'a'", Some("either a `command` or a `url`")),
        ("name = 'a'\ncommand = []", Some("either a `command` or a `url`")),
        ("name = 'a'\ncommand = ['x']\nurl = 'https://x/'", Some("either a `command`")),
        ("name = 'a'\nurl = 'http://agents.example/'", Some("must be https")),
        ("name = ''\ncommand = ['x']", Some("a word or a few")),
        ("name = 'a'\ncommand = ['x']\ntimeout_seconds = 0", Some("from 1 to 600")),
        ("name = 'a'\ncommand = ['x']\nshell = true", Some("unknown field `shell`")),
    ] {
        let found = agent(text).err();
        let same = match why {
            Some(why) => found.as_deref().is_some_and(|found| found.contains(why)),
            None => found.is_none(),
        };
        assert!(same, "{text}: {found:?}");
    }
}

#[test]
fn h49_h50_specialists_are_asked_first_and_all_others_after() {
    let agents = [
        agent("name = 'types'\ncommand = ['x']\nclasses = ['type']").unwrap(),
        agent("name = 'borrows'\ncommand = ['x']\nclasses = ['e0382']\nbroadcast = false").unwrap(),
        agent("name = 'python'\ncommand = ['x']\nclasses = ['python', 'pytest']").unwrap(),
        agent("name = 'anything'\ncommand = ['x']").unwrap(),
    ];
    let asked = |wave: AgentWave, errors: &[Diagnostic]| {
        let names = wave.of(&agents, errors).into_iter().map(|agent| agent.name.as_str());
        names.collect::<Vec<_>>().join(" ")
    };
    let moved = [error("rustc", ErrorClass::Type, "E0382")];
    assert_eq!(asked(AgentWave::Specialist, &moved), "types borrows");
    assert_eq!(asked(AgentWave::Broadcast, &moved), "python anything");
    let failed = [error("pytest", ErrorClass::Test, "AssertionError")];
    assert_eq!(asked(AgentWave::Specialist, &failed), "python");
    assert_eq!(asked(AgentWave::Broadcast, &failed), "types anything");
}

#[test]
fn h49_the_question_holds_the_error_and_no_secret() {
    let exact = vec![ExactSecret { name: "key".into(), value: "correct-horse-battery".into() }];
    let redact = TextRedactor::new(&RedactOptions { exact, ..RedactOptions::default() });
    let mut wrong = error("rustc", ErrorClass::Type, "E0308");
    wrong.raw = "let key = \"correct-horse-battery\";".to_owned();
    let prompt = HealPrompt {
        system: String::new(),
        prompt: "the code: correct-horse-battery".to_owned(),
        target: Some("src/a.rs".to_owned()),
        answer_tokens: 0,
    };
    let agent = agent("name = 'a'\ncommand = ['x']").unwrap();
    let text = question(&agent, AgentWave::Specialist, "cargo check", &[wrong], &prompt, &redact);
    assert!(!text.contains("horse"), "{text}");
    let read: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read["diagnostics"][0]["code"], "E0308");
    assert_eq!(read["file"], "src/a.rs");
    assert_eq!(read["asked"], "specialist");
    assert!(read["context"].as_str().is_some_and(|text| text.starts_with("the code: ")), "{text}");
}

#[test]
fn h49_an_answer_is_one_object() {
    let both = read("{\"edit\": \"x\", \"text\": \"y\", \"other\": [1]}\n");
    assert_eq!(both, Ok(AgentAnswer { edit: Some("x".to_owned()), text: Some("y".to_owned()) }));
    assert_eq!(read("{\"edit\": \" \"}"), Ok(AgentAnswer::default()));
    for text in ["", "I do not know", "[1]", "{\"edit\": 1}", "{\"edit\": \"x\"", "{} {}"] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn h50_what_a_model_is_told_of_an_answer_is_short() {
    let told = advice("a", &"é".repeat(MOST_WORDS));
    assert!(told.len() <= MOST_WORDS + 3, "{}", told.len());
    assert_eq!(advice("a", " because "), "a: because");
}
