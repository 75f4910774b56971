//! Setup: one agent's own file, shown, changed, taken back.
//!
//! In: a home folder with or without a configuration. Out: what is in it afterwards. Never the home of
//! the one who runs the tests.

use crate::run::{Ended, folder, salve_in, write};
use std::path::Path;

const URL: &str = "http://127.0.0.1:8790";

fn setup(home: &Path, arguments: &[&str]) -> Ended {
    let home_text = home.to_string_lossy().into_owned();
    let config = home.join(".config").to_string_lossy().into_owned();
    let arguments: Vec<&str> = std::iter::once("setup").chain(arguments.iter().copied()).collect();
    salve_in(&arguments, "", home, &[("HOME", &home_text), ("XDG_CONFIG_HOME", &config)])
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// Agent, file, the file before, the file after.
type Case = (&'static str, &'static str, Option<&'static str>, &'static str);

const CASES: &[Case] = &[
    ("aider", ".aider.conf.yml", None, "openai-api-base: http://127.0.0.1:8790/v1\n"),
    (
        "aider",
        ".aider.conf.yml",
        Some("# mine\nmodel: x  # best\n"),
        "# mine\nmodel: x  # best\nopenai-api-base: http://127.0.0.1:8790/v1\n",
    ),
    (
        "goose",
        ".config/goose/config.yaml",
        Some(
            "GOOSE_PROVIDER: openai\nOPENAI_HOST: https://api.openai.com # own\nextensions:\n  a:\n    enabled: true\n",
        ),
        "GOOSE_PROVIDER: openai\nOPENAI_HOST: http://127.0.0.1:8790 # own\nextensions:\n  a:\n    enabled: true\n",
    ),
    (
        "opencode",
        ".config/opencode/opencode.json",
        Some("{\n  // mine\n  \"theme\": \"dark\",\n}\n"),
        "{\n  // mine\n  \"theme\": \"dark\",\n  \"provider\": {\n    \"openai\": {\n      \"options\": {\n        \"baseURL\": \"http://127.0.0.1:8790/v1\"\n      }\n    }\n  },\n}\n",
    ),
    (
        "continue",
        ".continue/config.yaml",
        Some("name: a\nmodels:\n  - name: b # fast\n    provider: openai\n    model: c\n"),
        "name: a\nmodels:\n  - name: b # fast\n    provider: openai\n    apiBase: http://127.0.0.1:8790/v1\n    model: c\n",
    ),
    (
        "codex",
        ".codex/config.toml",
        Some("model = \"x\" # mine\n\n[tui]\nnotifications = true\n"),
        "model = \"x\" # mine\nopenai_base_url = \"http://127.0.0.1:8790/v1\"\n\n[tui]\nnotifications = true\n",
    ),
    (
        "claude-code",
        ".claude/settings.json",
        Some("{\n  \"env\": {\n    \"A\": \"b\"\n  }\n}\n"),
        "{\n  \"env\": {\n    \"A\": \"b\",\n    \"ANTHROPIC_BASE_URL\": \"http://127.0.0.1:8790\"\n  }\n}\n",
    ),
    (
        "claude-code",
        ".claude/settings.json",
        None,
        "{\n  \"env\": {\n    \"ANTHROPIC_BASE_URL\": \"http://127.0.0.1:8790\"\n  }\n}\n",
    ),
];

#[test]
fn every_agent_is_pointed_at_the_gateway_and_back() {
    for (number, (agent, file, before, after)) in CASES.iter().enumerate() {
        let home = folder(&format!("setup_{agent}_{number}"));
        let path = home.join(file);
        if let Some(before) = before {
            write(&path, before);
        }
        let shown = setup(&home, &[agent, "--dry-run"]);
        assert_eq!(shown.code, Some(0), "{agent}: {}", shown.err);
        assert!(shown.err.contains("+++ b/"), "{agent}: {}", shown.err);
        assert_eq!(read(&path).as_deref(), *before, "{agent}: a dry run changed something");
        let done = setup(&home, &[agent, "--yes"]);
        assert_eq!(done.code, Some(0), "{agent}: {}", done.err);
        assert_eq!(read(&path).as_deref(), Some(*after), "{agent}");
        let again = setup(&home, &[agent, "--yes"]);
        assert!(
            again.code == Some(0) && again.out.contains("nothing was changed"),
            "{agent}: {}",
            again.out
        );
        let removed = setup(&home, &[agent, "--remove", "--yes"]);
        assert_eq!(removed.code, Some(0), "{agent}: {}", removed.err);
        if before.is_some() {
            assert_eq!(read(&path).as_deref(), *before, "{agent}: `--remove` is not the way back");
        }
        let states = [home.join(".salve"), path.with_file_name(".salve")];
        assert!(!states.iter().any(|state| state.exists()), "{agent}: a workspace was made");
    }
}

#[test]
fn what_was_there_before_comes_back_and_later_changes_stay() {
    let home = folder("setup_former");
    let path = home.join(".aider.conf.yml");
    write(&path, "openai-api-base: https://mine.example/v1\nmodel: x\n");
    assert_eq!(setup(&home, &["aider", "--yes"]).code, Some(0));
    write(&path, &format!("dark-mode: true\n{}", read(&path).unwrap_or_default()));
    assert_eq!(setup(&home, &["aider", "--remove", "--yes"]).code, Some(0));
    assert_eq!(
        read(&path).as_deref(),
        Some("dark-mode: true\nopenai-api-base: https://mine.example/v1\nmodel: x\n")
    );
}

#[test]
fn without_a_yes_nothing_changes() {
    let home = folder("setup_unasked");
    let ended = setup(&home, &["aider"]);
    assert_eq!(ended.code, Some(4), "{}", ended.err);
    assert!(ended.err.contains("--yes"), "{}", ended.err);
    assert!(read(&home.join(".aider.conf.yml")).is_none() && !home.join(".salve").exists());
}

#[test]
fn what_was_set_up_is_taken_out_again() {
    let home = folder("setup_removed");
    let path = home.join(".codex/config.toml");
    write(&path, "a = 1\n");
    assert_eq!(setup(&home, &["codex", "--yes", "--url", "https://gate.example/x/"]).code, Some(0));
    assert_eq!(
        read(&path).as_deref(),
        Some("a = 1\nopenai_base_url = \"https://gate.example/x/v1\"\n")
    );
    let other = setup(&home, &["codex", "--yes", "--remove"]);
    assert!(other.code == Some(4) && other.err.contains("not the gateway"), "{}", other.err);
    assert_eq!(
        setup(&home, &["codex", "--yes", "--remove", "--url", "https://gate.example/x"]).code,
        Some(0)
    );
    assert_eq!(read(&path).as_deref(), Some("a = 1\n"));
}

#[test]
fn what_is_not_certain_is_refused_with_the_lines_to_paste() {
    let cases = [
        ("claude-code", ".claude/settings.json", "{ not json", "ANTHROPIC_BASE_URL"),
        ("aider", ".aider.conf.yml", "{model: x}\n", "openai-api-base: "),
        ("codex", ".codex/config.toml", "model_provider = \"mine\"\n", "openai_base_url = "),
        ("continue", ".continue/config.yaml", "name: x\n", "apiBase: "),
    ];
    for (agent, file, text, line) in cases {
        let home = folder(&format!("setup_refused_{agent}"));
        write(&home.join(file), text);
        let ended = setup(&home, &[agent, "--yes"]);
        assert_eq!(ended.code, Some(4), "{agent}: {}", ended.err);
        assert!(ended.out.contains(line) && ended.out.contains(URL), "{agent}: {}", ended.out);
        assert_eq!(read(&home.join(file)).as_deref(), Some(text));
    }
    let home = folder("setup_cline");
    let ended = setup(&home, &["cline", "--yes"]);
    assert!(
        ended.code == Some(4) && ended.out.contains("Base URL: http://127.0.0.1:8790/v1"),
        "{}",
        ended.out
    );
    let wrong = setup(&home, &["aider", "--url", "nowhere"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.err);
}
