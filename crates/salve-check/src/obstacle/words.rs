//! The words by which tools say what stopped them.
//!
//! In: the output of a run. Out: the obstacle they speak of. Read from the end, where a tool says why it
//! gave up. Never matches across lines.

use super::denied::{self, READ_ONLY};
use super::{Obstacle, Walls};

/// Words that say that a package manager misses a dependency, and the command that fetches it. Each is
/// looked for in lower case.
const UNFETCHED: &[(&[&str], &str)] = &[
    (
        &[
            "you may wish to retry without `--offline`",
            "retry without the --offline flag",
            "attempting to make an http request, but --offline was specified",
            "can't checkout from",
            "unable to update registry",
            "failed to download from `https",
            "failed to get `",
            "spurious network error",
            "download of config.json failed",
        ],
        "cargo fetch",
    ),
    (
        &[
            "npm error network",
            "npm err! network",
            "npm error code enotcached",
            "npm error code enotfound",
            "npm error code eai_again",
            "npm err! code enotfound",
            "npm err! code eai_again",
            "npm err! code enotcached",
            "npm error code econnrefused",
            "code: 'err_module_not_found'",
        ],
        "npm install",
    ),
    (
        &[
            "err_pnpm_no_offline",
            "err_pnpm_meta_fetch_fail",
            "err_pnpm_fetch_",
            "[warn] get https://registry",
        ],
        "pnpm install",
    ),
    (
        &[
            "there appears to be trouble with your network connection",
            "couldn't find any versions for",
            "➤ yn0001: │ requesterror",
            "yn0035",
        ],
        "yarn install",
    ),
    (
        &[
            "retrying (retry(total=",
            "newconnectionerror",
            "could not find a version that satisfies",
            "no matching distribution found for",
        ],
        "pip download",
    ),
    (
        &[
            "module lookup disabled by goproxy=off",
            "dial tcp: lookup proxy.golang.org",
            "proxy.golang.org/",
            "dial tcp: lookup sum.golang.org",
            // A module's place on any proxy.
            "/@v/",
        ],
        "go mod download",
    ),
    (&["network connectivity is disabled", "failed to fetch: `https://"], "uv sync"),
    (
        &[
            "could not create local repository",
            "could not transfer artifact",
            "the repository system is offline",
            "dependency resolution failed",
            "cannot access central",
        ],
        "mvn dependency:go-offline",
    ),
    (
        &[
            "could not resolve all files for configuration",
            "no cached version of",
            "could not resolve all dependencies",
        ],
        "gradle dependencies",
    ),
    (&["could not find gem", "could not reach host", "bundler::httperror"], "bundle install"),
];

const NETWORK: &[&str] = &[
    "could not resolve host",
    "couldn't resolve host",
    "could not resolve proxy",
    "temporary failure in name resolution",
    "name or service not known",
    "nodename nor servname provided",
    "no address associated with hostname",
    "unable to resolve host address",
    "getaddrinfo enotfound",
    "getaddrinfo eai_again",
    "network is unreachable",
    "network unreachable",
    "enetunreach",
    "unknownhostexception",
    "no such host",
    "dns error",
    "failed to lookup address information",
    "dial tcp: lookup",
    "socket.gaierror",
    "could not connect to server",
    "failed to establish a new connection",
    "err_internet_disconnected",
    "err_name_not_resolved",
];

const REFUSED: &[&str] =
    &["connection refused", "econnrefused", "actively refused", "could not connect"];
const LOCAL: &[&str] = &["127.0.0.1", "localhost", "[::1]", "::1", "0.0.0.0"];

const TRACING: &[&str] = &[
    "leaksanitizer has encountered a fatal error",
    "leaksanitizer does not work under ptrace",
    "ptrace: operation not permitted",
    "ptrace(ptrace_",
    "could not trace the inferior process",
    "could not attach to process",
];

const MEMORY: &[&str] = &[
    "memoryerror",
    "cannot allocate memory",
    "out of memory",
    "std::bad_alloc",
    "bad_alloc",
    "memory exhausted",
    "outofmemoryerror",
    "perhaps you're using ulimit -v",
    "could not reserve enough space for",
    "failed to reserve memory",
];
const FILE_SIZE: &[&str] = &["file size limit exceeded", "file too large", "efbig"];
const OPEN_FILES: &[&str] = &["too many open files", "emfile"];

const PROCESSES: &[&str] = &[
    "cannot fork",
    "can't fork",
    "fork: retry",
    "fork: resource temporarily unavailable",
    "unable to create native thread",
    "unable to create new native thread",
    "can't start new thread",
    "failed to spawn thread",
    "pthread_create failed",
    "pthread_create: resource temporarily unavailable",
];
/// Words of git where it does not say which file it could not write.
const GIT_WRITES: &[&str] = &[
    "could not write index",
    "unable to write new index file",
    "unable to write new_index file",
    "cannot save the current index state",
    "cannot save the current worktree state",
    "insufficient permission for adding an object to repository database",
];
const SPACE: &[&str] = &["no space left on device", "enospc", "disk quota exceeded"];

/// How many lines from the end are read.
const LINES: usize = 400;

pub(super) fn read(text: &str, walls: &Walls) -> Option<Obstacle> {
    let lower = text.to_lowercase();
    let lines: Vec<&str> = lower.lines().rev().take(LINES).collect();
    let holds = |line: &str, words: &[&str]| words.iter().any(|word| line.contains(word));
    let any = |words: &[&str]| lines.iter().any(|line| holds(line, words));
    let in_git = |line: &&str| line.contains(".git/") && holds(line, READ_ONLY);
    if any(GIT_WRITES) || lines.iter().any(in_git) {
        return Some(Obstacle::Repository);
    }
    if any(TRACING) {
        return Some(Obstacle::Tracing);
    }
    if any(PROCESSES) {
        return Some(Obstacle::Processes);
    }
    let allocates =
        |line: &&str| line.contains("memory allocation of ") && line.contains(" failed");
    if any(MEMORY) || lines.iter().any(allocates) {
        return Some(Obstacle::Memory);
    }
    if any(FILE_SIZE) {
        return Some(Obstacle::FileSize);
    }
    if any(OPEN_FILES) {
        return Some(Obstacle::OpenFiles);
    }
    // Rules leave the disk as it is.
    if any(SPACE) && !walls.by_rules {
        return Some(Obstacle::Space);
    }
    if let Some(denied) = denied::read(&lines, walls) {
        return Some(denied);
    }
    if walls.has_network {
        return None;
    }
    let service = |line: &&&str| holds(line, REFUSED) && holds(line, LOCAL);
    if let Some(line) = lines.iter().find(service) {
        return Some(Obstacle::Service { port: port_in(line) });
    }
    // npm's shell, which does not write where it is: `sh: 1: jest: not found`.
    let script = |line: &str| {
        line.starts_with("sh: ")
            && (line.ends_with(": not found") || line.ends_with(": command not found"))
    };
    if lines.iter().any(|line| script(line)) {
        return Some(Obstacle::Unfetched { fetch: "npm install" });
    }
    let unfetched = UNFETCHED.iter().find(|(words, _)| any(words));
    match unfetched {
        Some((_, fetch)) => Some(Obstacle::Unfetched { fetch }),
        None => any(NETWORK).then_some(Obstacle::Network),
    }
}

// The number after the address, or after the word.
fn port_in(line: &str) -> Option<u16> {
    let after_word = line.split("port").nth(1);
    let after_address =
        LOCAL.iter().filter_map(|address| line.split(address).nth(1)?.strip_prefix(':')).next();
    [after_address, after_word].into_iter().flatten().find_map(|rest| {
        let rest = rest.trim_start_matches([' ', '=', ':']);
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok().filter(|port| *port > 0)
    })
}
