//! `salve run` and `salve runs` as other programs see them.
//!
//! In: commands in a folder of their own. Out: that the program's streams are ours, that the exit
//! code tells how it ended, and that nothing runs without being allowed.

use crate::run::{Ended, folder, salve_in, write};
use std::path::Path;

fn here(folder: &Path, arguments: &[&str]) -> Ended {
    salve_in(arguments, "", folder, &[])
}

#[test]
fn c061_an_allowed_command_runs_and_its_streams_are_ours() {
    let folder = folder("run-c061-0");
    let ended = here(&folder, &["run", "--no-input", "--", "echo", "a  b", "c"]);
    assert_eq!((ended.code, ended.out.as_str(), ended.err.as_str()), (Some(0), "a  b c\n", ""));
}

#[test]
fn c072_a_command_that_fails_is_exit_code_1() {
    let folder = folder("run-c072-1");
    let ended = here(&folder, &["run", "--no-input", "--", "cat", "missing"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.err.contains("No such file") && ended.err.contains("✗ exit 1"), "{}", ended.err);
}

#[test]
fn x22_what_needs_a_yes_is_skipped_with_exit_code_4_when_nobody_is_asked() {
    let folder = folder("run-x22-2");
    for arguments in [
        &["run", "--no-input", "--", "touch-nothing-known", "x"][..],
        &["run", "--no-input", "--line", "ls; rm -rf x"],
        &["run", "--no-input", "--line", "echo $(id)"],
        &["run", "--no-input", "--network", "--", "ls"],
        &["run", "--", "bash", "-c", "touch ran"],
    ] {
        let ended = here(&folder, arguments);
        assert_eq!(ended.code, Some(4), "{arguments:?}: {ended:?}");
        assert!(ended.out.is_empty() && !ended.err.is_empty());
    }
    assert!(!folder.join("ran").exists());
}

#[test]
fn c056_yes_runs_what_the_policy_would_ask_about() {
    let folder = folder("run-c056-3");
    let ended =
        here(&folder, &["run", "--yes", "--", "bash", "-c", "echo out; echo err >&2; exit 3"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(1), "out\n"));
    assert!(ended.err.starts_with("err\n"), "{}", ended.err);
}

#[test]
fn c059_a_line_runs_without_a_shell() {
    let folder = folder("run-c059-4");
    let ended = here(
        &folder,
        &["run", "--no-input", "--line", "echo b > f && echo a >> f; cat f | head -n 1"],
    );
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "b\n"), "{ended:?}");
}

#[test]
fn c064_a_deadline_is_exit_code_5() {
    let folder = folder("run-c064-5");
    let ended = here(&folder, &["run", "--yes", "--timeout", "1", "--", "sleep", "60"]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert!(ended.err.contains("deadline passed"), "{}", ended.err);
}

#[test]
fn c065_the_document_has_the_record_and_both_forms() {
    let folder = folder("run-c065-6");
    let ended = here(&folder, &["run", "--yes", "--format", "json", "--", "seq", "20000"]);
    let document = ended.json();
    assert_eq!(document["record"]["ending"]["kind"], "exited");
    assert_eq!(document["record"]["output_bytes"], 108_894);
    assert!(
        document["model"]
            .as_str()
            .is_some_and(|text| text.len() <= 3072 && text.contains("bytes cut"))
    );
    assert!(document["display"].as_str().is_some_and(|text| text.len() <= 5120));
    assert_eq!(document["succeeded"], true);
}

#[test]
fn c075_runs_lists_what_was_run_and_shows_one_of_them() {
    let folder = folder("run-c075-7");
    assert!(here(&folder, &["runs"]).out.contains("nothing was run"));
    let _ = here(&folder, &["run", "--no-input", "--", "echo", "first"]);
    let _ = here(&folder, &["run", "--yes", "--", "false"]);
    let listed = here(&folder, &["runs"]).out;
    assert!(listed.contains("✓ exit 0") && listed.contains("echo first"), "{listed}");
    assert!(listed.contains("✗ exit 1") && listed.contains("user"), "{listed}");
    let records = here(&folder, &["runs", "--format", "json"]).json();
    let id = records[0]["id"].as_str().map(str::to_owned).expect("an id");
    assert_eq!(here(&folder, &["runs", &id]).out, "first\n");
    assert_eq!(here(&folder, &["runs", "nothing"]).code, Some(2));
}

#[test]
fn h46_a_paused_workspace_runs_nothing() {
    let folder = folder("run-h46-8");
    let _ = here(&folder, &["run", "--no-input", "--", "echo", "x"]);
    let control = folder.join(".salve/CONTROL.md");
    std::io::Write::write_all(&mut std::fs::File::create(control).expect("a file"), b"PAUSE\n")
        .expect("room");
    let ended = here(&folder, &["run", "--yes", "--", "touch", "ran"]);
    assert_eq!(ended.code, Some(4));
    assert!(ended.err.contains("CONTROL.md"), "{}", ended.err);
    assert!(!folder.join("ran").exists());
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let folder = folder("run-a-9");
    let ended = here(&folder, &["run", "--yes", "--", "no-such-program-at-all"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("no-such-program-at-all"), "{}", ended.err);
}

#[test]
fn c060_a_project_rule_can_only_tighten() {
    let folder = folder("run-c060-10");
    let rules = "[[rule]]\nprefix = [\"echo\"]\ndecision = \"ask\"\n[[rule]]\nprefix = [\"make\"]\ndecision = \"allow\"\n";
    std::io::Write::write_all(
        &mut std::fs::File::create(folder.join("salve-rules.toml")).expect("a file"),
        rules.as_bytes(),
    )
    .expect("room");
    assert_eq!(here(&folder, &["run", "--no-input", "--", "echo", "x"]).code, Some(4));
    let ignored = here(&folder, &["run", "--no-input", "--", "make"]);
    assert_eq!(ignored.code, Some(4));
    assert!(ignored.err.contains("only tighten"), "{}", ignored.err);
}

#[test]
fn c056_an_allowed_command_waits_when_a_switch_is_off() {
    for (text, named) in [
        ("auto_apply = false", "`auto_apply` is false (workspace file"),
        ("auto_apply_cli = false", "`auto_apply_cli` is false (workspace file"),
    ] {
        let folder = folder(&format!("run-c056-off-{}", text.len()));
        write(&folder.join("salve.toml"), text);
        let held = here(&folder, &["run", "--no-input", "--", "echo", "x"]);
        assert_eq!((held.code, held.out.as_str()), (Some(4), ""), "{held:?}");
        assert!(held.err.starts_with("asks  echo x\n  ") && held.err.contains(named), "{held:?}");
        let agreed = here(&folder, &["run", "--yes", "--", "echo", "x"]);
        assert_eq!((agreed.code, agreed.out.as_str()), (Some(0), "x\n"), "{agreed:?}");
    }
}

#[test]
fn c056_what_a_rule_denies_is_not_run_whatever_is_answered() {
    let folder = folder("run-c056-denied");
    let rules = "[[rule]]\nprefix = [\"echo\"]\ndecision = \"deny\"\n";
    write(&folder.join("salve-rules.toml"), rules);
    for flag in ["--yes", "--no-input"] {
        let denied = here(&folder, &["run", flag, "--", "echo", "x"]);
        assert_eq!((denied.code, denied.out.as_str()), (Some(4), ""), "{denied:?}");
        assert_eq!(denied.err, "denied  echo x\n  P4_denied: a rule denies `echo`\n");
    }
}

#[test]
fn a_run_gets_everyday_variables_and_those_that_are_named() {
    let folder = folder("run-env-0");
    let user = [("CI", "1"), ("RUST_LOG", "debug"), ("DB_PASSWORD", "hush"), ("MY_URL", "here")];
    let run = |arguments: &[&str]| {
        let all: Vec<&str> = [&["run", "--yes"], arguments, &["--", "env"]].concat();
        salve_in(&all, "", &folder, &user)
    };
    let plain = run(&[]);
    assert!(plain.out.contains("CI=1\n") && plain.out.contains("RUST_LOG=debug\n"), "{plain:?}");
    assert!(!plain.out.contains("hush") && !plain.out.contains("MY_URL"), "{plain:?}");
    let named =
        run(&["--env", "MY_URL", "--env", "DB_PASSWORD", "--env", "CI=2", "--env", "X=a=b"]);
    for line in ["MY_URL=here\n", "DB_PASSWORD=hush\n", "CI=2\n", "X=a=b\n"] {
        assert!(named.out.contains(line), "{line}: {named:?}");
    }
    write(&folder.join("salve/config.toml"), "run_environment = ['MY_URL', 'DB_PASSWORD']\n");
    let by_setting = run(&[]);
    assert!(by_setting.out.contains("MY_URL=here\n"), "{by_setting:?}");
    assert!(!by_setting.out.contains("hush"), "{by_setting:?}");
    assert!(by_setting.err.contains("`--env DB_PASSWORD` passes it"), "{by_setting:?}");
    let missing = run(&["--env", "NOT_SET_HERE"]);
    assert!(missing.code == Some(2) && missing.err.contains("NOT_SET_HERE=VALUE"), "{missing:?}");
}

#[test]
fn a_variable_that_can_execute_something_is_asked_about() {
    let folder = folder("run-env-1");
    let ended = here(&folder, &["run", "--no-input", "--env", "LD_PRELOAD=./x.so", "--", "ls"]);
    assert!(ended.code == Some(4) && ended.err.contains("LD_PRELOAD"), "{ended:?}");
    let ended = here(&folder, &["run", "--no-input", "--env", "NODE_ENV=test", "--", "ls"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn a_run_reads_what_the_caller_gives_it() {
    let folder = folder("run-input-0");
    let piped = salve_in(&["run", "--no-input", "--", "cat"], "one\ntwo\n", &folder, &[]);
    assert_eq!((piped.code, piped.out.as_str()), (Some(0), "one\ntwo\n"), "{piped:?}");
    let line = ["run", "--no-input", "--line", "cat | head -n 1"];
    let first = salve_in(&line, "one\ntwo\n", &folder, &[]);
    assert_eq!(first.out, "one\n", "{first:?}");
}

#[test]
fn the_programs_own_exit_code_is_given_on_request() {
    let folder = folder("run-code-0");
    let run = |code: &str, script: &str| {
        let arguments = ["run", "--yes", "--exit-code", code, "--", "bash", "-c", script];
        here(&folder, &arguments).code
    };
    assert_eq!(run("program", "exit 7"), Some(7));
    assert_eq!(run("program", "exit 0"), Some(0));
    assert_eq!(run("program", "kill -TERM $$"), Some(143));
    assert_eq!(run("salve", "exit 7"), Some(1));
    let missing =
        |code: &str| here(&folder, &["run", "--yes", "--exit-code", code, "--", "no-such"]);
    assert_eq!(missing("salve").code, Some(2));
    let missing = missing("program");
    assert!(
        missing.code == Some(127) && missing.err.contains("no program `no-such`"),
        "{missing:?}"
    );
}

#[test]
fn what_the_sandbox_stops_comes_with_a_hint() {
    let folder = folder("run-hint-0");
    let run = |arguments: &[&str]| here(&folder, &[&["run", "--yes"], arguments].concat());
    write(&folder.join("said"), "curl: (6) Could not resolve host: example.com\n");
    let offline = run(&["--", "cat", "said", "missing"]);
    assert!(offline.err.contains("--network"), "{offline:?}");
    let late = run(&["--timeout", "1", "--", "sleep", "60"]);
    assert!(late.code == Some(5) && late.err.contains("`--timeout SECONDS`"), "{late:?}");
    let json = run(&["--format", "json", "--", "cat", "said", "missing"]).json();
    assert!(json["hint"].as_str().is_some_and(|hint| hint.contains("no network")), "{json}");
}

/// Greets one caller on a free port of this machine.
fn service() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for mut caller in listener.incoming().flatten() {
            let _ = std::io::Write::write_all(&mut caller, b"hello\n");
        }
    });
    port
}

#[test]
fn a_service_is_reached_by_naming_its_port() {
    let folder = folder("run-port-0");
    let port = service().to_string();
    let script = format!(
        "import socket, sys\n\
         try: print(socket.create_connection(('127.0.0.1', {port})).recv(5).decode())\n\
         except OSError as error: sys.exit('127.0.0.1:{port}: %s' % error.strerror)\n"
    );
    write(&folder.join("asks.py"), &script);
    let run = |flags: &[&str]| {
        here(&folder, &[&["run", "--yes"], flags, &["--", "python3", "asks.py"]].concat())
    };
    let refused = run(&[]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.err.contains("salve run --allow-port"), "{refused:?}");
    write(&folder.join("salve.toml"), &format!("allow_ports = [{port}]\n"));
    assert_eq!(run(&[]).code, Some(1), "a workspace cannot name a port");
    let named = run(&["--allow-port", &port]);
    assert_eq!((named.code, named.out.as_str()), (Some(0), "hello\n"), "{named:?}");
    write(&folder.join("salve/config.toml"), &format!("allow_ports = [{port}]\n"));
    let by_setting = run(&["--format", "json"]).json();
    assert_eq!(by_setting["succeeded"], true, "{by_setting}");
    assert_eq!(by_setting["record"]["ports"][0].to_string(), port);
    let id = by_setting["record"]["id"].as_str().unwrap_or_default().to_owned();
    let shown = here(&folder, &["runs", &id]);
    assert!(shown.err.contains(&format!("ports {port}")), "{shown:?}");
}

#[test]
fn salves_own_ports_are_refused() {
    let folder = folder("run-port-1");
    let run = |port: &str| here(&folder, &["run", "--yes", "--allow-port", port, "--", "true"]);
    write(&folder.join("salve/config.toml"), "[gateway]\nport = 9177\n");
    for port in ["8790", "9177"] {
        let refused = run(port);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains(port) && refused.err.contains("the gateway"), "{refused:?}");
    }
    write(&folder.join("script.jsonl"), "{\"reply\":{\"text\":\"x\"}}\n");
    let sim = crate::sim::Sim::start(&folder, &["--script", "script.jsonl"]);
    let port = sim.line.rsplit(':').next().unwrap_or_default().trim_end_matches('/').to_owned();
    let refused = run(&port);
    assert!(refused.code == Some(2) && refused.err.contains("a running Salve"), "{refused:?}");
    write(&folder.join("salve/config.toml"), "allow_ports = [8790]\n");
    let refused = here(&folder, &["run", "--yes", "--", "true"]);
    assert!(refused.code == Some(2) && refused.err.contains("config.toml"), "{refused:?}");
}

#[test]
fn an_installation_that_would_be_thrown_away_is_not_run() {
    let folder = folder("run-forgotten-0");
    let ended = here(&folder, &["run", "--", "pip", "install", "six"]);
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(ended.err.contains("nothing a run writes is kept"), "{ended:?}");
    assert!(ended.err.contains("venv") && ended.err.contains("--yes"), "{ended:?}");
}
