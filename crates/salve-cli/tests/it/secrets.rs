//! Secrets that people, files, models and commands bring into a conversation, and where they are not.
//!
//! In: keys of several kinds, made up here, in a request, in a file that is attached, in an answer that comes in
//! pieces of three bytes, and in the output of a command. Out: none of them in what any command shows of the
//! session, nor in any byte of the data folder.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::run::{folder, salve_in, toolchain_variables, write};
use salve_model::sim::{Script, SimServer};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Put together here, so that no scanner takes this file for a leak.
fn secrets() -> Vec<(&'static str, String)> {
    vec![
        ("github", ["ghp", "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat()),
        ("aws", ["AKIA", "QZ7XK4NDVJ2M5RTW"].concat()),
        ("openai", ["sk-", "proj-Zk3vTq8LmXw2RyBn5HcJd7FgPsAeUoIt1Q4Kz"].concat()),
        ("slack", ["xoxb-", "123456789012-123456789012-AbCdEfGhIjKlMnOpQrStUvWx"].concat()),
        ("variable", "my-own-value-Qx81-Zp".to_owned()),
    ]
}

const PASSWORD: &str = "Tr0ub4dor-Pw-77";

fn everywhere() -> String {
    let all: Vec<String> = secrets().into_iter().map(|(_, secret)| secret).collect();
    format!("{} postgres://app:{PASSWORD}@db.example/app", all.join(" "))
}

fn script() -> Script {
    let answer = json!({
        "summary": format!("Your keys: {}", everywhere()),
        "sections": [{"heading": "Keys", "content": everywhere()}],
        "todos": [{"text": format!("Keep {}", everywhere()), "completed": false}],
        "fileChanges": [{"path": "limit.py", "content": "LIMIT = 7\n", "todoIndex": 0}],
        "commands": [{"command": "cat config.py"}],
    });
    let talk = format!("The command says: {}", everywhere());
    let rules = [
        json!({"times": 1, "reply": {"text": answer.to_string(), "chunk": 3}}),
        json!({"reply": {"text": talk, "chunk": 1}}),
    ];
    Script::parse(&rules.map(|rule| rule.to_string()).join("\n")).unwrap()
}

fn files(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found
}

fn has(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

#[test]
fn x24_a_secret_is_in_no_event_export_audit_job_or_file_of_the_data_folder() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(SimServer::start(script(), ([127, 0, 0, 1], 0).into())).unwrap();
    let (place, user) = (folder("chat-secrets"), folder("chat-secrets-user"));
    write(&place.join("config.py"), &format!("def load():\n    return '''{}'''\n", everywhere()));
    write(&place.join("limit.py"), "LIMIT = 5\n");
    let config = format!(
        "[[provider]]\nname = \"sim\"\ndialect = \"chat\"\nbase_url = \"http://127.0.0.1:{}/v1\"\n\n\
         [roles]\nmodel = \"sim/only\"\n",
        server.addr().port()
    );
    write(&user.join("salve/config.toml"), &config);
    let data = user.join("data");
    let mut variables = toolchain_variables();
    variables.push(("XDG_CONFIG_HOME", user.display().to_string()));
    variables.push(("SALVE_DATA", data.display().to_string()));
    variables.push(("MY_API_TOKEN", "my-own-value-Qx81-Zp".to_owned()));
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let salve = |words: &[&str]| salve_in(words, "", &place, &variables);
    let request = format!("read config.py and limit.py; my keys are {}", everywhere());
    let chat = salve(&["--format", "jsonl", "chat", "--yes", "--audit", "-p", &request]);
    assert_eq!(chat.code, Some(0), "{chat:?}");
    assert_eq!(std::fs::read_to_string(place.join("limit.py")).unwrap(), "LIMIT = 7\n");
    let shown = salve(&["--format", "json", "sessions", "show", "last"]);
    assert!(shown.out.contains("cat config.py"), "the command ran: {}", shown.out);
    let mut told = vec![("chat".to_owned(), chat), ("show".to_owned(), shown)];
    for words in [
        &["sessions", "export", "last"][..],
        &["sessions", "export", "last", "--document", "audit"],
        &["sessions", "audit", "last"],
        &["--format", "jsonl", "sessions", "show", "last", "--events"],
        &["todos"],
        &["files", "--log"],
        &["--format", "json", "jobs", "list"],
        &["--format", "json", "calls"],
        &["history"],
    ] {
        let ended = salve(words);
        assert_eq!(ended.code, Some(0), "{words:?}: {ended:?}");
        told.push((words.join(" "), ended));
    }
    let mut wanted = secrets();
    wanted.push(("password", PASSWORD.to_owned()));
    for (kind, secret) in &wanted {
        for (command, ended) in &told {
            let text = format!("{}{}", ended.out, ended.err);
            assert!(!has(text.as_bytes(), secret), "{kind} is shown by {command}: {text}");
        }
        for file in files(&data) {
            let bytes = std::fs::read(&file).unwrap();
            assert!(!has(&bytes, secret), "{kind} is in {}", file.display());
        }
    }
    runtime.block_on(server.stop());
}
