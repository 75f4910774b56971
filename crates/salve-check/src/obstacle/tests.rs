//! Outputs of tools that the sandbox stopped, and of tools that failed by themselves.

use super::*;
use crate::{Plan, RunClass, StartedBy};

const FAILED: RunEnding = RunEnding::Exited { code: 1 };

fn record(ending: RunEnding) -> RunRecord {
    RunRecord {
        id: "1".to_owned(),
        started_at: 0,
        plan: Plan { pipelines: Vec::new() },
        cwd: "/home/u/Shop/web".into(),
        class: RunClass::Proposed,
        risk: RiskClass::Build,
        gate: Gate::Approved,
        by: StartedBy::User,
        ending,
        duration_ms: 0,
        output_bytes: 0,
        output_hash: String::new(),
        output_file: None,
        orphans: 0,
        missing_layers: Vec::new(),
        missing_guarantees: Vec::new(),
        ports: Vec::new(),
    }
}

/// The record of a run that rules alone held.
fn by_rules(ending: RunEnding) -> RunRecord {
    let missing = Layer::OF_NAMESPACES.iter().map(|layer| layer.name().to_owned());
    RunRecord { missing_layers: missing.collect(), ..record(ending) }
}

fn of(text: &str) -> Option<Obstacle> {
    obstacle_in(&record(FAILED), text)
}

#[test]
fn the_words_of_tools_are_known() {
    let unfetched = |fetch| Some(Obstacle::Unfetched { fetch });
    let service = |port| Some(Obstacle::Service { port });
    let cases = [
        (
            "error: failed to download `serde v1.0.1`\n\nCaused by:\n  attempting to make an HTTP request, but --offline was specified",
            unfetched("cargo fetch"),
        ),
        (
            "As a reminder, you're using offline mode (--offline) which can sometimes cause surprising resolution failures, if this error is too confusing you may wish to retry without `--offline`.",
            unfetched("cargo fetch"),
        ),
        (
            "warning: spurious network error (3 tries remaining): [6] Could not resolve hostname",
            unfetched("cargo fetch"),
        ),
        ("npm error code EAI_AGAIN\nnpm error syscall getaddrinfo", unfetched("npm install")),
        (
            "npm ERR! code ENOTFOUND\nnpm ERR! network request to https://registry.example/x failed",
            unfetched("npm install"),
        ),
        (" ERR_PNPM_META_FETCH_FAIL  GET https://registry.example/x", unfetched("pnpm install")),
        (
            "WARNING: Retrying (Retry(total=4, connect=None)) after connection broken by 'NewConnectionError'\nERROR: No matching distribution found for six",
            unfetched("pip download"),
        ),
        (
            "go: example.com/x@v1.0.0: Get \"https://proxy.example/example.com/x/@v/v1.0.0.mod\": dial tcp: lookup proxy.example: no such host",
            unfetched("go mod download"),
        ),
        ("> x@1.0.0 test\n> jest\n\nsh: 1: jest: not found", unfetched("npm install")),
        (
            "[ERROR] Could not create local repository at /home/u/.m2/repository -> [Help 1]",
            unfetched("mvn dependency:go-offline"),
        ),
        (
            "==4==LeakSanitizer has encountered a fatal error.\n==4==HINT: LeakSanitizer does not work under ptrace (strace, gdb, etc)",
            Some(Obstacle::Tracing),
        ),
        ("warning: ptrace: Operation not permitted", Some(Obstacle::Tracing)),
        (
            "strace: test_ptrace_get_syscall_info: PTRACE_TRACEME: Operation not permitted\nstrace: ptrace(PTRACE_TRACEME, ...): Operation not permitted",
            Some(Obstacle::Tracing),
        ),
        ("curl: (6) Could not resolve host: example.com", Some(Obstacle::Network)),
        ("Error: getaddrinfo EAI_AGAIN api.example.com", Some(Obstacle::Network)),
        (
            "socket.gaierror: [Errno -3] Temporary failure in name resolution",
            Some(Obstacle::Network),
        ),
        ("java.net.UnknownHostException: example.com", Some(Obstacle::Network)),
        ("Error: connect ECONNREFUSED 127.0.0.1:5432", service(Some(5432))),
        (
            "psql: error: connection to server at \"localhost\" (127.0.0.1), port 5433 failed: Connection refused",
            service(Some(5433)),
        ),
        ("Could not connect to Redis at 127.0.0.1:6379: Connection refused", service(Some(6379))),
        ("dial tcp [::1]:9200: connect: connection refused", service(Some(9200))),
        ("connection to localhost was refused: connection refused", service(None)),
        (
            "fatal: Unable to create '/w/p/.git/index.lock': Read-only file system",
            Some(Obstacle::Repository),
        ),
        (
            "error: could not lock config file .git/config: Permission denied",
            Some(Obstacle::Repository),
        ),
        ("error: could not write index", Some(Obstacle::Repository)),
        ("fatal: Unable to write new index file", Some(Obstacle::Repository)),
        ("MemoryError", Some(Obstacle::Memory)),
        ("memory allocation of 3221225472 bytes failed", Some(Obstacle::Memory)),
        (
            "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
            Some(Obstacle::Memory),
        ),
        (
            "==3==ERROR: AddressSanitizer failed to allocate\nPerhaps you're using ulimit -v",
            Some(Obstacle::Memory),
        ),
        ("dd: error writing 'big': File too large", Some(Obstacle::FileSize)),
        ("OSError: [Errno 24] Too many open files: 'x'", Some(Obstacle::OpenFiles)),
        ("bash: fork: retry: Resource temporarily unavailable", Some(Obstacle::Processes)),
        (
            "java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory",
            Some(Obstacle::Processes),
        ),
        ("RuntimeError: can't start new thread", Some(Obstacle::Processes)),
        ("cp: error writing '/tmp/x': No space left on device", Some(Obstacle::Space)),
        ("npm error code ENOSPC", Some(Obstacle::Space)),
    ];
    for (text, expected) in cases {
        assert_eq!(of(text), expected, "{text}");
    }
}

#[test]
fn protected_files_are_told_by_their_name() {
    for (text, expected) in [
        (
            "OSError: [Errno 30] Read-only file system: '.vscode/settings.json'",
            Some(".vscode/settings.json"),
        ),
        ("cp: cannot create regular file '.github/workflows/ci.yml': Read-only file system", None),
        ("sh: 1: cannot create .github/workflows/ci.yml: Read-only file system", None),
        ("mv: cannot move 'x' to '/home/u/Shop/.husky/pre-commit': Device or resource busy", None),
        ("Error: EROFS: read-only file system, open '/home/u/Shop/web/.vscode/tasks.json'", None),
    ] {
        let found = of(text);
        let Some(Obstacle::Protected { path }) = found else { panic!("{text}: {found:?}") };
        assert!(expected.is_none_or(|expected| expected == path), "{text}: {path}");
    }
    for text in [
        "OSError: [Errno 30] Read-only file system: '/usr/lib/x'",
        "cat: /home/other/.vscode/settings.json: Permission denied",
        ".vscode/settings.json: expected a comma",
        "OSError: [Errno 30] Read-only file system: 'src/main.rs'",
    ] {
        assert_eq!(of(text), None, "{text}");
    }
}

#[test]
fn what_rules_alone_refuse_is_told_apart() {
    use Obstacle::{Loopback, TemporaryFolder, WorkspaceFolder};
    for (text, expected) in [
        ("touch: cannot touch 'new': Permission denied", WorkspaceFolder),
        ("mkdir: cannot create directory ‘node_modules’: Permission denied", WorkspaceFolder),
        ("sh: 1: cannot create out.txt: Permission denied", WorkspaceFolder),
        ("PermissionError: [Errno 13] Permission denied: 'go.sum'", WorkspaceFolder),
        (
            "npm error code EACCES\nnpm error syscall mkdir\nnpm error path /home/u/Shop/node_modules",
            WorkspaceFolder,
        ),
        (
            "error: failed to write `/home/u/Shop/web/uv.lock`: Permission denied (os error 13)",
            WorkspaceFolder,
        ),
        ("cp: cannot create regular file '/tmp/x': Permission denied", TemporaryFolder),
        ("open /var/tmp/lock: permission denied", TemporaryFolder),
        ("Error: listen EPERM: operation not permitted 0.0.0.0:3000", Loopback),
        ("socket: Operation not permitted", Loopback),
        (
            "    _socket.socket.__init__(self, family, type)\nPermissionError: [Errno 1] Operation not permitted",
            Loopback,
        ),
    ] {
        assert_eq!(obstacle_in(&by_rules(FAILED), text).as_ref(), Some(&expected), "{text}");
        assert_ne!(of(text).as_ref(), Some(&expected), "with namespaces it is none: {text}");
    }
    let of_rules = |text: &str| obstacle_in(&by_rules(FAILED), text);
    assert_eq!(of_rules("cat: /etc/shadow: Permission denied"), None);
    assert_eq!(of_rules("open src/deep/x: permission denied"), None);
    assert_eq!(of_rules("cp: error writing 'x': No space left on device"), None);
    let not_executable = by_rules(RunEnding::Exited { code: 126 });
    assert_eq!(obstacle_in(&not_executable, "sh: 1: ./run.sh: Permission denied"), None);
}

#[test]
fn a_failure_of_its_own_is_no_obstacle() {
    for text in [
        "",
        "error[E0308]: mismatched types\n --> src/main.rs:2:5",
        "FAILED tests/test_a.py::test_x - assert 1 == 2",
        "npm error Missing script: \"build\"",
        "assertion failed: host resolved",
        "thread 'main' panicked at src/lib.rs:1:1",
        "fatal: not a git repository",
        "connection refused by example.com",
        "/bin/sh: 1: foo: not found\nmake: *** [Makefile:2: test] Error 127",
    ] {
        assert_eq!(of(text), None, "{text}");
    }
}

#[test]
fn endings_speak_for_themselves() {
    let offline = "curl: (6) Could not resolve host: x";
    let limit = |limit| RunEnding::LimitExceeded { limit };
    for (ending, expected) in [
        (RunEnding::Exited { code: 0 }, None),
        (RunEnding::TooMuchOutput, None),
        (RunEnding::Signalled { signal: 25 }, Some(Obstacle::FileSize)),
        (RunEnding::DeadlinePassed, Some(Obstacle::Deadline { target: None })),
        (limit(RunLimit::Memory), Some(Obstacle::Memory)),
        (limit(RunLimit::Processes), Some(Obstacle::Processes)),
        (limit(RunLimit::Disk), Some(Obstacle::Disk)),
        (limit(RunLimit::Files), Some(Obstacle::NewFiles)),
    ] {
        assert_eq!(obstacle_in(&record(ending.clone()), offline), expected, "{ending:?}");
    }
    let online = RunRecord { risk: RiskClass::Network, ..record(FAILED) };
    assert_eq!(obstacle_in(&online, offline), None);
    let gate = Gate::Toolchain { target: "pytest".to_owned() };
    let slow = RunRecord { gate, ..record(RunEnding::DeadlinePassed) };
    let hint = obstacle_in(&slow, "").unwrap().to_string();
    assert!(hint.contains("timeout_seconds") && hint.contains("\"pytest\""), "{hint}");
}

#[test]
fn every_hint_says_what_to_do() {
    let memory = Obstacle::Memory.to_string();
    assert!(memory.contains("all of its processes together"), "{memory}");
    for obstacle in [Obstacle::WorkspaceFolder, Obstacle::TemporaryFolder, Obstacle::Loopback] {
        let hint = obstacle.to_string();
        assert!(hint.contains("without namespaces") && hint.contains("`salve doctor`"), "{hint}");
    }
    let protected = Obstacle::Protected { path: ".vscode/x".to_owned() }.to_string();
    assert!(protected.contains("`.vscode/x`") && protected.contains("--allow-protected"));
}
