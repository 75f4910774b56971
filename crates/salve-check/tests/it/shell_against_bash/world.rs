//! Two equal folders: in one `bash` runs a line, in the other the parsed line runs.
//!
//! In: a line and what our parser made of it. Out: what the stub programs saw on each side, and
//! what the folders hold afterwards. Never a real program: every name in `PATH` is the stub. Never
//! a line that would write outside its folder, and never with the rights of root: should the two
//! readings of a line differ, nothing but the test is hurt.

use salve_check::{
    CommandLine, GlobMatches, Joiner, ListFolder, Pipeline, ShellWord, SimpleCommand, WordTarget,
    expand_pattern,
};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The stub and the two folders.
pub(crate) struct World {
    root: tempfile::TempDir,
    /// A redirection failed: `bash` says so, perhaps into a file of the folder.
    has_complained: Cell<bool>,
}

/// What one side did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// One entry per program that ran: words and where its descriptors went.
    records: Vec<String>,
    /// Every path and, where it can be compared, the size of the file.
    files: BTreeMap<String, Option<u64>>,
    /// The status of the line.
    status: i32,
}

const FILES: &[&str] = &[
    "a",
    "b",
    "ab",
    "a.txt",
    "b.txt",
    "c.TXT",
    ".hidden",
    ".h.txt",
    "é.txt",
    "-n",
    "b c",
    "[x]",
    "a[b",
    "*star",
    "input.txt",
    "sub/x",
    "sub/y.txt",
    "sub/.z",
    "src/a.rs",
    "src/Cargo.toml",
    "src/b.toml",
    "sub/deep/x",
    "zz/x",
];

impl World {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(root.path().join("bin")).expect("a folder of programs");
        fs::copy(env!("CARGO_BIN_EXE_salve-argv-stub"), root.path().join("stub"))
            .expect("the stub");
        open_to_all(root.path());
        let world = Self { root, has_complained: Cell::new(false) };
        for side in ["bash", "ours"] {
            world.lay_out(side);
        }
        world
    }

    /// Returns whether a line writes to nothing but its folder, and lists nothing but it and what
    /// does not change meanwhile.
    pub(crate) fn holds(parsed: &CommandLine) -> bool {
        let stays = |path: &str| {
            path == "/dev/null"
                || (!path.starts_with('/') && path.split('/').all(|name| name != ".."))
        };
        let redirects = parsed.commands().flat_map(|command| &command.redirects);
        let patterns = parsed
            .commands()
            .flat_map(|command| &command.words)
            .filter_map(|word| word.pattern.as_ref());
        let is_steady =
            |pattern: &String| pattern.starts_with("/dev/nul") || !pattern.starts_with(['/', '\\']);
        // The stand-ins are found by their names; the folder itself has no program.
        let is_named = parsed.commands().all(|command| !command.name().contains('/'));
        is_named
            && patterns.into_iter().all(is_steady)
            && redirects.into_iter().all(|redirect| match &redirect.target {
                WordTarget::Write(word) | WordTarget::Append(word) | WordTarget::Read(word) => {
                    stays(&word.text)
                }
                WordTarget::Same(_) => true,
            })
            && !parsed.pipelines.iter().any(|pipeline| is_race(&pipeline.commands))
    }

    /// Runs a line on both sides.
    pub(crate) fn run(&self, line: &str, parsed: &CommandLine) -> (Seen, Seen) {
        assert!(Self::holds(parsed), "{line:?} would leave its folder");
        for command in parsed.commands() {
            self.install(command.name());
        }
        self.has_complained.set(false);
        let real = self.in_bash(line, has_pattern(parsed));
        let ours = self.by_plan(parsed);
        let one_at_a_time = parsed.pipelines.iter().all(|pipeline| pipeline.commands.len() == 1);
        let seen = (self.seen("bash", real, one_at_a_time), self.seen("ours", ours, one_at_a_time));
        for command in parsed.commands() {
            for redirect in &command.redirects {
                if let WordTarget::Write(word) | WordTarget::Append(word) = &redirect.target {
                    self.mend(&word.text);
                }
            }
        }
        seen
    }

    fn folder(&self, side: &str) -> PathBuf {
        self.root.path().join(side).join("work")
    }

    fn lay_out(&self, side: &str) {
        let folder = self.folder(side);
        let _ = fs::remove_dir_all(&folder);
        for file in FILES {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            File::create(&path).and_then(|mut file| file.write_all(b"old")).expect("a file");
            for made in path.ancestors().take_while(|made| *made != self.root.path()) {
                open_to_all(made);
            }
        }
        std::os::unix::fs::symlink("sub", folder.join("link")).expect("a symlink");
        std::os::unix::fs::symlink("nothing", folder.join("dangling")).expect("a symlink");
    }

    // Takes back what a redirection did, on both sides.
    #[expect(clippy::disallowed_methods, reason = "the folders are the test's own")]
    fn mend(&self, target: &str) {
        for side in ["bash", "ours"] {
            let path = self.folder(side).join(target);
            if target != "/dev/null" && path.is_file() {
                fs::remove_file(path.canonicalize().expect("a file")).expect("it goes");
            }
            for file in FILES {
                let path = self.folder(side).join(file);
                if !path.exists() {
                    File::create(&path)
                        .and_then(|mut file| file.write_all(b"old"))
                        .expect("a file");
                    open_to_all(&path);
                }
            }
        }
    }

    fn install(&self, name: &str) {
        let link = self.root.path().join("bin").join(name);
        if !link.exists() {
            std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_salve-argv-stub"), link)
                .expect("a link");
        }
    }

    // Builtins are switched off, so that `echo` is the program that we would start.
    fn in_bash(&self, line: &str, has_pattern: bool) -> i32 {
        let script = format!("enable -n echo pwd printf test true false kill [\n{line}");
        // Only patterns look at letters, and those are defined for the C locale.
        let locale = if has_pattern { "C" } else { "C.UTF-8" };
        #[expect(clippy::disallowed_methods, reason = "the test compares with a real shell")]
        let mut bash = Command::new("/bin/bash");
        bash.args(["--norc", "--noprofile", "-c", &script]);
        bash.env_clear().env("PATH", self.root.path().join("bin")).env("LC_ALL", locale);
        bash.current_dir(self.folder("bash")).stdin(Stdio::null());
        bash.stdout(Stdio::null()).stderr(Stdio::null());
        without_rights(&mut bash);
        bash.status().expect("bash starts").code().expect("bash ends by itself")
    }

    fn by_plan(&self, parsed: &CommandLine) -> i32 {
        let mut status = 0;
        for pipeline in &parsed.pipelines {
            let runs = match pipeline.joiner {
                Joiner::Then => true,
                Joiner::And => status == 0,
                Joiner::Or => status != 0,
            };
            if runs {
                status = self.run_pipeline(pipeline);
            }
        }
        status
    }

    fn run_pipeline(&self, pipeline: &Pipeline) -> i32 {
        let mut children: Vec<Option<Child>> = Vec::new();
        let mut input: OwnedFd = null();
        let last = pipeline.commands.len() - 1;
        for (index, command) in pipeline.commands.iter().enumerate() {
            let (next, output): (OwnedFd, OwnedFd) = if index == last {
                (null(), null_for_output())
            } else {
                let (reader, writer) = std::io::pipe().expect("a pipe");
                (reader.into(), writer.into())
            };
            let child = self.start(command, input, output);
            self.has_complained.set(self.has_complained.get() || child.is_none());
            children.push(child);
            input = next;
        }
        let mut status = 1;
        for child in children {
            status = child.map_or(1, |mut child| {
                child.wait().expect("a child ends").code().expect("by itself")
            });
        }
        status
    }

    // A redirection that fails means that the command does not run.
    fn start(&self, command: &SimpleCommand, input: OwnedFd, output: OwnedFd) -> Option<Child> {
        let folder = self.folder("ours");
        let argv = expanded(command, &folder);
        let mut descriptors = [input, output, null_for_output()];
        for redirect in &command.redirects {
            let opened: OwnedFd = match &redirect.target {
                WordTarget::Read(word) => File::open(folder.join(&word.text)).ok()?.into(),
                WordTarget::Write(word) => File::create(folder.join(&word.text)).ok()?.into(),
                WordTarget::Append(word) => {
                    let mut options = OpenOptions::new();
                    options.append(true).create(true).open(folder.join(&word.text)).ok()?.into()
                }
                WordTarget::Same(number) => {
                    descriptors[usize::from(*number)].try_clone().expect("a copy")
                }
            };
            descriptors[usize::from(redirect.descriptor)] = opened;
        }
        let [input, output, errors] = descriptors;
        #[expect(clippy::disallowed_methods, reason = "the stub stands for every program")]
        let mut child = Command::new(self.root.path().join("stub"));
        child.arg0(&argv[0]).args(&argv[1..]).current_dir(folder);
        without_rights(&mut child);
        child.stdin(input).stdout(output).stderr(errors);
        Some(child.spawn().expect("the stub starts"))
    }

    fn seen(&self, side: &str, status: i32, one_at_a_time: bool) -> Seen {
        let folder = self.folder(side);
        let log = folder.with_file_name("log");
        let text = fs::read(&log).unwrap_or_default();
        if !text.is_empty() {
            File::create(&log).expect("an empty log");
        }
        let text = String::from_utf8(text).expect("a log of text");
        let folder_name = folder.display().to_string();
        let mut records: Vec<String> =
            text.split_terminator("\n\n").map(|record| record.replace(&folder_name, "@")).collect();
        if !one_at_a_time {
            records.sort_unstable();
        }
        let mut files = BTreeMap::new();
        list(&folder, "", &mut files);
        if self.has_complained.get() {
            files.values_mut().for_each(|size| *size = None);
        }
        Seen { records, files, status }
    }
}

// Whichever user runs the test, the folder is all that its programs can write to.
fn without_rights(command: &mut Command) {
    const NOBODY: u32 = 65534;
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
}

fn open_to_all(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o777)).expect("its mode");
}

/// Returns whether one command of a pipeline makes a file that another one reads or may list: what
/// happens then depends on who is first.
fn is_race(commands: &[SimpleCommand]) -> bool {
    let made = |command: &SimpleCommand| -> Vec<String> {
        let targets = command.redirects.iter().map(|redirect| &redirect.target);
        let files = targets.filter_map(|target| match target {
            WordTarget::Write(word) | WordTarget::Append(word) => Some(word.text.clone()),
            _ => None,
        });
        files.filter(|path| path != "/dev/null").collect()
    };
    let looks_at = |command: &SimpleCommand, files: &[String]| {
        let reads = command.redirects.iter().any(
            |redirect| matches!(&redirect.target, WordTarget::Read(word) if files.contains(&word.text)),
        );
        reads || (!files.is_empty() && command.words.iter().any(|word| word.pattern.is_some()))
    };
    commands.iter().enumerate().any(|(at, command)| {
        let files = made(command);
        commands.iter().enumerate().any(|(other, command)| other != at && looks_at(command, &files))
    })
}

fn has_pattern(parsed: &CommandLine) -> bool {
    parsed.commands().flat_map(|command| &command.words).any(|word| word.pattern.is_some())
}

fn null() -> OwnedFd {
    File::open("/dev/null").expect("the null device").into()
}

fn null_for_output() -> OwnedFd {
    OpenOptions::new().write(true).open("/dev/null").expect("the null device").into()
}

fn expanded(command: &SimpleCommand, folder: &Path) -> Vec<String> {
    let mut argv = Vec::new();
    for ShellWord { text, pattern, .. } in &command.words {
        let matches = pattern.as_ref().map(|pattern| {
            expand_pattern(pattern, &Folder(folder), &mut salve_check::ListingBudget::default())
        });
        match matches {
            Some(GlobMatches::Names(names)) if !names.is_empty() => argv.extend(names),
            Some(GlobMatches::Unknown(why)) => unreachable!("{text}: {why}"),
            Some(GlobMatches::Names(_)) | None => argv.push(text.clone()),
        }
    }
    argv
}

struct Folder<'a>(&'a Path);

impl ListFolder for Folder<'_> {
    fn names(&self, folder: &str) -> Result<Vec<String>, String> {
        let entries = fs::read_dir(self.0.join(folder)).map_err(|error| error.to_string())?;
        Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
    }

    fn exists(&self, path: &str) -> bool {
        self.0.join(path).symlink_metadata().is_ok()
    }

    fn is_folder(&self, path: &str) -> bool {
        self.0.join(path).is_dir()
    }
}

fn list(root: &Path, under: &str, files: &mut BTreeMap<String, Option<u64>>) {
    for entry in fs::read_dir(root.join(under)).expect("a folder").flatten() {
        let path = format!("{under}{}", entry.file_name().to_string_lossy());
        let data = entry.metadata().expect("its data");
        files.insert(path.clone(), data.is_file().then_some(data.len()));
        if data.is_dir() {
            list(root, &format!("{path}/"), files);
        }
    }
}
