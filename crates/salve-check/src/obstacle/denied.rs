//! Files and sockets that a run was refused, by the words of the tools.
//!
//! In: the lines of a run's output in lower case, last first, and what was around it. Out: the obstacle
//! when a line says that something was refused that the sandbox refuses. Never takes a tool's own
//! refusal for the sandbox's where the path tells them apart.

use super::{Obstacle, Walls};
use salve_types::{Binds, protected_entry};
use std::path::Path;

/// Words of the system when it does not let something be written or made.
pub(super) const READ_ONLY: &[&str] = &[
    "read-only file system",
    "permission denied",
    "operation not permitted",
    "erofs",
    "eacces",
    "eperm",
];
/// What a file that is mounted for itself answers when it is to be replaced.
const BUSY: &[&str] = &["device or resource busy", "resource busy or locked", "ebusy"];
const SOCKETS: &[&str] = &["socket", "listen", "bind", "connect", "127.0.0.1", "localhost", "::1"];
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];
/// Letters around a path that are not part of it.
const AROUND: &[char] = &['\'', '"', '`', '(', ')', ',', ';', ':', '[', ']', '‘', '’', '“', '”'];

pub(super) fn read(lines: &[&str], walls: &Walls) -> Option<Obstacle> {
    let holds = |line: &str, words: &[&str]| words.iter().any(|word| line.contains(word));
    let refused = |line: &&&str| holds(line, READ_ONLY) || holds(line, BUSY);
    if let Some(path) = lines.iter().filter(refused).find_map(|line| protected_in(line, walls)) {
        return Some(Obstacle::Protected { path });
    }
    if !walls.by_rules {
        return None;
    }
    let denied: Vec<&str> = lines.iter().copied().filter(|line| holds(line, READ_ONLY)).collect();
    if denied.iter().any(|line| paths(line).any(|path| is_temporary(path, walls))) {
        return Some(Obstacle::TemporaryFolder);
    }
    // Some tools name the call in one line and the refusal in the next.
    let by_filter =
        |line: &&str| line.contains("operation not permitted") || line.contains("eperm");
    if !walls.has_network
        && denied.iter().any(by_filter)
        && lines.iter().any(|line| holds(line, SOCKETS))
    {
        return Some(Obstacle::Loopback);
    }
    // npm writes the path on a line of its own.
    let of_npm = lines.iter().filter(|line| line.starts_with("npm err") && !denied.is_empty());
    let told = denied.iter().chain(of_npm);
    let first_level = |line: &&str| paths(line).any(|path| is_first_level(path, walls));
    told.copied().any(|line| first_level(&line)).then_some(Obstacle::WorkspaceFolder)
}

// What may be a path in a line: words with a slash or a dot, what is in quotes, and what was denied.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    const QUOTES: &[char] = &['\'', '"', '`', '‘', '’'];
    let words = line.split(&[' ', '\t', '=', '\'', '"', '`', '‘', '’'][..]);
    let words = words.filter(|word| word.contains(['/', '.']));
    let quoted = line.split(QUOTES).skip(1).filter(|part| !part.contains(' '));
    let before = line.split(": permission denied").next().filter(|before| *before != line);
    let denied = before.and_then(|before| before.rsplit(' ').next());
    let all = words.chain(quoted).chain(denied).map(|word| word.trim_matches(AROUND));
    all.filter(|word| !word.contains('@') && word.chars().any(char::is_alphanumeric))
}

fn protected_in(line: &str, walls: &Walls) -> Option<String> {
    let found = paths(line).find(|path| {
        let names: Vec<&str> = below_workspace(path, walls).split('/').collect();
        protected_entry(&names).is_some_and(|entry| entry.binds == Binds::EditsAndRuns)
    });
    found.map(str::to_owned)
}

// Only what is below the common folder of a path and of where the run was can be the workspace's.
fn below_workspace<'a>(path: &'a str, walls: &Walls) -> &'a str {
    if !path.starts_with('/') {
        return path.trim_start_matches("./");
    }
    let is_shared = |above: &str| {
        let rest = walls.cwd.strip_prefix(above);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let mut cuts = path.rmatch_indices('/').map(|(at, _)| path.split_at(at));
    let shared = cuts.find(|(above, _)| is_shared(above));
    // Folders such as `/home` are shared with strangers.
    let deep = |above: &str| above == walls.cwd || above.matches('/').count() > 1;
    shared.filter(|(above, _)| deep(above)).map_or("", |(_, below)| below.trim_start_matches('/'))
}

fn is_temporary(path: &str, walls: &Walls) -> bool {
    let is_below =
        |folder: &&str| path.strip_prefix(*folder).is_some_and(|rest| rest.starts_with('/'));
    TEMPORARY.iter().any(is_below) && !is_first_level(path, walls)
}

// A name beside the folder that the run started in, or a name without a folder.
fn is_first_level(path: &str, walls: &Walls) -> bool {
    if !path.starts_with('/') {
        return !path.trim_start_matches("./").trim_end_matches('/').contains('/');
    }
    let folder = Path::new(path).parent().unwrap_or(Path::new("/"));
    folder.components().count() > 2 && Path::new(&walls.cwd).starts_with(folder)
}
