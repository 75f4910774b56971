//! Outputs of tools that the sandbox stopped, and of tools that failed by themselves.

use super::*;

const FAILED: RunEnding = RunEnding::Exited { code: 1 };

fn of(text: &str) -> Option<Obstacle> {
    obstacle_in(&FAILED, RiskClass::Build, text)
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
    ];
    for (text, expected) in cases {
        assert_eq!(of(text), expected, "{text}");
    }
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
    let risk = RiskClass::Build;
    let offline = "curl: (6) Could not resolve host: x";
    assert_eq!(obstacle_in(&RunEnding::Exited { code: 0 }, risk, offline), None);
    assert_eq!(
        obstacle_in(&RunEnding::Signalled { signal: 25 }, risk, ""),
        Some(Obstacle::FileSize)
    );
    assert_eq!(obstacle_in(&RunEnding::DeadlinePassed, risk, ""), Some(Obstacle::Deadline));
    assert_eq!(obstacle_in(&FAILED, RiskClass::Network, offline), None);
}
