//! How runs end, and what is shown of them.

use crate::workplace::{Workplace, options};
use salve_check::{
    Gate, Layer, Limits, Plan, RunClass, RunEnding, RunError, RunPrograms, Runner, StartedBy,
};
use std::time::{Duration, Instant};

#[test]
fn c072_a_command_that_does_not_exit_with_zero_has_failed() {
    let place = Workplace::new();
    for (argv, ending, succeeded) in [
        (&["true"][..], RunEnding::Exited { code: 0 }, true),
        (&["false"], RunEnding::Exited { code: 1 }, false),
        (&["sh", "-c", "exit 42"], RunEnding::Exited { code: 42 }, false),
        (&["sh", "-c", "kill -9 $$"], RunEnding::Signalled { signal: 9 }, false),
    ] {
        let run = place.argv(argv).unwrap();
        assert_eq!(run.record.ending, ending, "{argv:?}");
        assert_eq!(run.succeeded(), succeeded, "{argv:?}");
    }
}

#[test]
fn c061_both_streams_are_kept_and_shown() {
    let place = Workplace::new();
    let run = place.argv(&["sh", "-c", "echo to out; echo to err >&2; exit 2"]).unwrap();
    insta::assert_snapshot!(run.for_model(), @r"
    exit 2
    stdout:
    to out
    stderr:
    to err
    ");
    assert_eq!(run.for_display(), run.for_model());
    let quiet = place.argv(&["true"]).unwrap();
    assert_eq!(quiet.for_model(), "exit 0\n(no output)\n");
    assert_eq!(quiet.record.output_file, None);
}

#[test]
fn r26_an_error_text_names_the_exit_and_keeps_both_streams() {
    let place = Workplace::new();
    for (script, text) in [
        (
            "echo notice >&2; echo 'a.ts(1,1): error TS1' ; exit 2",
            "exit 2: notice\na.ts(1,1): error TS1",
        ),
        ("echo only out; exit 1", "exit 1: only out"),
        ("echo gone >&2; kill -9 $$", "exit signal: gone"),
        ("exit 7", "exit 7: "),
    ] {
        assert_eq!(place.argv(&["sh", "-c", script]).unwrap().error_text(), text, "{script}");
    }
}

#[test]
fn c064_a_command_is_ended_after_its_deadline() {
    let place = Workplace::new();
    let mut request = place.request(Plan::of_argv(["sleep", "31"]));
    request.limits.deadline = Duration::from_millis(300);
    let started = Instant::now();
    let run = place.runner.run(&request).unwrap();
    assert_eq!(run.record.ending, RunEnding::DeadlinePassed);
    assert!(run.error_text().starts_with("exit signal: deadline passed"), "{}", run.error_text());
    assert!(started.elapsed() < Duration::from_secs(25));
}

#[test]
fn c064_nothing_is_started_after_the_deadline() {
    let place = Workplace::new();
    let mut request = place.request(crate::workplace::plan("sleep 31; touch late || touch later"));
    request.limits.deadline = Duration::from_millis(200);
    assert_eq!(place.runner.run(&request).unwrap().record.ending, RunEnding::DeadlinePassed);
    assert!(!place.work().join("late").exists() && !place.work().join("later").exists());
}

#[test]
fn x16_every_class_has_its_own_deadline() {
    let seconds = |class| Limits::of(class).deadline.as_secs();
    assert_eq!(seconds(RunClass::Proposed), 30);
    assert_eq!(seconds(RunClass::Toolchain), 300);
    assert_eq!(seconds(RunClass::Probe), 10);
}

#[test]
fn x16_a_toolchain_that_hangs_is_ended_and_what_it_said_is_kept() {
    let place = Workplace::new();
    let mut request = place.request(Plan::of_argv(["sh", "-c", "echo compiling; sleep 100"]));
    request.class = RunClass::Toolchain;
    request.gate = Gate::Toolchain { target: "sh".to_owned() };
    request.by = StartedBy::Salve;
    // Long enough for the first line on a busy machine, too.
    request.limits.deadline = Duration::from_secs(4);
    let run = place.runner.run(&request).unwrap();
    assert_eq!(run.record.ending, RunEnding::DeadlinePassed);
    assert_eq!(run.stdout.head, b"compiling\n");
}

#[test]
fn c065_too_much_output_ends_the_command_and_both_ends_are_kept() {
    let place = Workplace::new();
    let mut request = place.request(Plan::of_argv(["yes", "abcdefg"]));
    request.limits.output_bytes = 1 << 20;
    let run = place.runner.run(&request).unwrap();
    assert_eq!(run.record.ending, RunEnding::TooMuchOutput);
    assert_eq!(run.record.output_bytes, 1 << 20);
    let full = run.stdout.read_full(u64::MAX).unwrap();
    assert_eq!(full.len(), 1 << 20);
    assert!(full.chunks(8).all(|line| line == b"abcdefg\n"));
    assert!(run.for_model().len() <= 3072 && run.for_model().contains(" bytes cut "));
    assert!(run.for_display().len() <= 5120);
}

#[test]
fn c061_a_program_that_is_not_there_is_an_error_and_leaves_no_record() {
    let place = Workplace::new();
    let error = place.argv(&["no-such-program-at-all", "x"]).unwrap_err();
    assert!(
        matches!(error, RunError::NoSuchProgram { program } if program == "no-such-program-at-all")
    );
    assert!(salve_check::RunLog::read(&place.work()).unwrap().records.is_empty());
    assert_eq!(std::fs::read_dir(place.work().join(".salve/runs")).unwrap().count(), 0);
}

#[test]
fn c061_programs_find_nothing_to_read_and_a_home_of_their_own() {
    let place = Workplace::new();
    let run = place.argv(&["sh", "-c", "cat; echo $HOME; touch $HOME/x $TMPDIR/y; env"]).unwrap();
    assert!(run.succeeded(), "{}", run.for_model());
    let said = String::from_utf8(run.stdout.head).unwrap();
    assert!(said.starts_with(place.temporary().to_str().unwrap()), "{said}");
    assert!(said.contains("TERM=dumb") && !said.contains("CARGO_MANIFEST_DIR"), "{said}");
    assert_eq!(std::fs::read_dir(place.temporary()).unwrap().count(), 0);
}

#[test]
fn c061_a_home_vanishes_however_deep_a_program_made_it() {
    let place = Workplace::new();
    let script = "cd $HOME; mkdir -p $(printf 'd/%.0s' $(seq 1900)) && ln -s / root; mkdir ../moved-1; touch ../moved-2; chmod -R 500 d";
    let run = place.argv(&["bash", "-c", script]).unwrap();
    assert!(run.succeeded(), "{}", run.for_model());
    assert_eq!(std::fs::read_dir(place.temporary()).unwrap().count(), 0);
}

#[test]
fn c061_git_starts_nothing_that_a_repository_asks_for() {
    let place = Workplace::new();
    let set_up = "git init -q . && git config core.fsmonitor 'touch ran-fsmonitor' && git config core.pager 'touch ran-pager' && printf '#!/bin/sh\\ntouch ran-hook\\n' > .git/hooks/post-index-change && chmod +x .git/hooks/post-index-change && touch a";
    // The repository is made outside of the sandbox, as a user would have it.
    #[expect(clippy::disallowed_methods, reason = "sets the stage")]
    let made = std::process::Command::new("sh")
        .args(["-c", set_up])
        .current_dir(place.work())
        .env("HOME", place.temporary())
        .status()
        .unwrap();
    assert!(made.success());
    let run = place.line("git status --short && git log").unwrap();
    assert!(run.stdout.head.starts_with(b"?? a\n"), "{}", run.for_model());
    let names: Vec<_> = std::fs::read_dir(place.work()).unwrap().flatten().collect();
    assert!(!names.iter().any(|entry| entry.file_name().to_string_lossy().starts_with("ran-")));
}

#[test]
fn c061_without_a_layer_only_a_person_can_run() {
    let place = Workplace::without(&[Layer::Seccomp, Layer::Landlock]);
    let mut request = place.request(Plan::of_argv(["true"]));
    assert!(
        place.runner.run(&request).unwrap().record.missing_layers.contains(&"seccomp".to_owned())
    );
    request.gate = Gate::Policy { rule: "true".to_owned() };
    request.by = StartedBy::Model;
    let error = place.runner.run(&request).unwrap_err();
    assert!(
        matches!(&error, RunError::MissingLayers { missing, .. } if missing.contains(&"seccomp".to_owned()))
    );
    assert!(error.to_string().contains("--yes"), "{error}");
    request.gate = Gate::Toolchain { target: "true".to_owned() };
    for (by, runs) in
        [(StartedBy::Model, false), (StartedBy::Salve, false), (StartedBy::User, true)]
    {
        request.by = by;
        assert_eq!(place.runner.run(&request).is_ok(), runs, "{by:?}");
    }
}

#[test]
fn c061_a_redirection_stays_inside_when_nobody_was_asked() {
    let place = Workplace::new();
    std::os::unix::fs::symlink(place.temporary(), place.work().join("way-out")).unwrap();
    for line in ["echo x > way-out/file", "echo x > ../file", "echo x > /tmp/salve-escape"] {
        let mut request = place.request(crate::workplace::plan(line));
        request.gate = Gate::Policy { rule: "echo".to_owned() };
        let run = place.runner.run(&request).unwrap();
        assert!(!run.succeeded(), "{line}");
    }
    assert_eq!(std::fs::read_dir(place.temporary()).unwrap().count(), 0);
}

#[test]
fn c061_a_folder_outside_of_the_workspace_is_refused() {
    let place = Workplace::new();
    let mut request = place.request(Plan::of_argv(["true"]));
    request.cwd = place.temporary();
    assert!(matches!(place.runner.run(&request), Err(RunError::System { .. })));
}

#[test]
fn c061_a_launcher_that_is_none_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["work", "temporary"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    for program in ["/bin/true", "/bin/no-such-launcher"] {
        let mut options = options(folder.path(), Layer::ALL);
        options.launcher.program = program.into();
        let place = Workplace::new();
        let mut request = place.request(Plan::of_argv(["true"]));
        request.cwd = folder.path().join("work");
        let error = Runner::new(options).unwrap().run(&request).unwrap_err();
        assert!(matches!(error, RunError::System { .. }), "{error}");
    }
}
