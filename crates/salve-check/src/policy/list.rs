//! The list: which leading words are allowed, and what each can do at worst.
//!
//! In: the words of a command. Out: the longest entry that they begin with. Never compares anything
//! but whole words: `ls` is not `lsof`.

use crate::RiskClass;
use crate::RiskClass::{Build, Network, Read, Write};
use serde::{Deserialize, Serialize};

/// The built-in entries.
pub const DEFAULT_LIST: &[(&str, RiskClass)] = &[
    ("npm install", Network),
    ("npm run", Build),
    ("npm test", Build),
    ("yarn install", Network),
    ("yarn add", Network),
    ("yarn test", Build),
    ("yarn build", Build),
    ("pnpm install", Network),
    ("pnpm run", Build),
    ("git status", Read),
    ("git diff", Read),
    ("git log", Read),
    ("git branch", Read),
    ("ls", Read),
    ("pwd", Read),
    ("cat", Read),
    ("head", Read),
    ("tail", Read),
    ("grep", Read),
    ("find", Read),
    ("mkdir", Write),
    ("touch", Write),
    ("echo", Read),
    ("curl", Network),
    ("wget", Network),
    ("cp", Write),
    ("mv", Write),
    ("tsc", Build),
    ("tsc --noEmit", Build),
    ("python", Build),
    ("python3", Build),
    ("pip install", Network),
    ("pip3 install", Network),
    ("cargo build", Build),
    ("cargo run", Build),
    ("cargo test", Build),
    ("cargo check", Build),
    ("go build", Build),
    ("go run", Build),
    ("go test", Build),
];

/// A ready list of entries beside the built-in one, which a person asks for once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// What developers type every day to look, to build and to check.
    Everyday,
}

impl Profile {
    /// Lists every profile.
    pub const ALL: &[Self] = &[Self::Everyday];

    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Everyday => "everyday",
        }
    }

    fn entry(self, words: &[String]) -> Option<ListEntry> {
        match self {
            Self::Everyday => super::family::everyday::entry(words)
                .map(|(words, risk)| ListEntry::new(words, risk)),
        }
    }

    /// Returns its entries.
    pub fn entries(self) -> Vec<ListEntry> {
        match self {
            Self::Everyday => super::family::everyday::entries()
                .map(|(words, risk)| ListEntry::new(words, risk))
                .collect(),
        }
    }
}

/// One entry: the words a command must begin with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListEntry {
    /// The leading words.
    pub words: Vec<String>,
    /// What a command that begins so can do at worst.
    pub risk: RiskClass,
}

/// Everything the policy is told by people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRules {
    /// What is allowed.
    pub allowed: Vec<ListEntry>,
    /// What is asked about, even where an allowed entry fits: a project can only tighten.
    pub refused: Vec<ListEntry>,
    /// What is not run, whatever anyone answers.
    pub denied: Vec<ListEntry>,
    /// The ready lists that a person asked for; each program of theirs has a closed table of flags.
    pub profiles: Vec<Profile>,
}

/// Where the entry that allows a command comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryOrigin {
    /// The built-in list, a rule or an approval.
    List,
    /// A profile.
    Profile,
}

impl Default for PolicyRules {
    /// The built-in list.
    fn default() -> Self {
        let entry = |(words, risk): &(&str, RiskClass)| ListEntry::new(words, *risk);
        let allowed = DEFAULT_LIST.iter().map(entry).collect();
        Self { allowed, refused: Vec::new(), denied: Vec::new(), profiles: Vec::new() }
    }
}

impl ListEntry {
    /// Makes an entry of words separated by blanks.
    pub fn new(words: &str, risk: RiskClass) -> Self {
        Self { words: words.split_ascii_whitespace().map(str::to_owned).collect(), risk }
    }

    fn fits(&self, words: &[String]) -> bool {
        !self.words.is_empty() && words.starts_with(&self.words)
    }
}

impl PolicyRules {
    /// Adds a profile.
    pub fn add_profile(&mut self, profile: Profile) {
        if !self.profiles.contains(&profile) {
            self.profiles.push(profile);
        }
    }

    /// Returns the longest allowed entry that a command begins with; a person's own wins over one of
    /// a profile.
    pub(super) fn entry(&self, words: &[String]) -> Option<(ListEntry, EntryOrigin)> {
        let length = |entry: &ListEntry| entry.words.len();
        let listed =
            self.allowed.iter().filter(|entry| entry.fits(words)).max_by_key(|one| length(one));
        let ready =
            self.profiles.iter().filter_map(|profile| profile.entry(words)).max_by_key(length);
        match (listed, ready) {
            (Some(listed), Some(ready)) if length(&ready) > length(listed) => {
                Some((ready, EntryOrigin::Profile))
            }
            (None, Some(ready)) => Some((ready, EntryOrigin::Profile)),
            (listed, _) => listed.map(|entry| (entry.clone(), EntryOrigin::List)),
        }
    }

    /// Returns an entry that makes a command one to ask about.
    pub(super) fn refusal(&self, words: &[String]) -> Option<&ListEntry> {
        self.refused.iter().find(|entry| entry.fits(words))
    }

    /// Returns an entry that forbids a command.
    pub(super) fn denial(&self, words: &[String]) -> Option<&ListEntry> {
        self.denied.iter().find(|entry| entry.fits(words))
    }
}

/// Programs that delete, or that run another program out of the policy's sight. No entry allows one.
const NEVER: &[&str] = &[
    "rm",
    "rmdir",
    "unlink",
    "shred",
    "srm",
    "wipe",
    "truncate",
    "dd",
    "mkfs",
    "fdisk",
    "parted",
    "wipefs",
    "sudo",
    "su",
    "doas",
    "pkexec",
    "runuser",
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "fish",
    "csh",
    "tcsh",
    "busybox",
    "eval",
    "exec",
    "source",
    "command",
    "builtin",
    "env",
    "xargs",
    "parallel",
    "nohup",
    "nice",
    "ionice",
    "time",
    "timeout",
    "setsid",
    "stdbuf",
    "script",
    "watch",
    "chroot",
    "unshare",
    "nsenter",
    "ssh",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "telnet",
    "at",
    "batch",
    "crontab",
    "systemctl",
    "service",
    "kill",
    "killall",
    "pkill",
    "reboot",
    "shutdown",
    "halt",
    "poweroff",
    "mount",
    "umount",
    "insmod",
    "modprobe",
];

/// Tells whether a command deletes or hides what it runs, whatever the list says.
pub(super) fn is_never(words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let program = word(0);
    NEVER.contains(&program)
        || program.starts_with("mkfs.")
        || (program, word(1)) == ("git", "clean")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c058_the_default_list_is_exactly_the_forty_prefixes() {
        let listed: Vec<&str> = DEFAULT_LIST.iter().map(|entry| entry.0).collect();
        let asked = "npm install, npm run, npm test, yarn install, yarn add, yarn test, yarn build, \
            pnpm install, pnpm run, git status, git diff, git log, git branch, ls, pwd, cat, head, \
            tail, grep, find, mkdir, touch, echo, curl, wget, cp, mv, tsc, tsc --noEmit, python, \
            python3, pip install, pip3 install, cargo build, cargo run, cargo test, cargo check, \
            go build, go run, go test";
        assert_eq!(listed, asked.split(", ").collect::<Vec<_>>());
        assert_eq!(listed.len(), 40);
        assert_eq!(PolicyRules::default().allowed.len(), 40);
    }

    #[test]
    fn c055_the_list_is_what_the_default_rules_hold() {
        let rules = PolicyRules::default();
        for (words, risk) in DEFAULT_LIST {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            assert_eq!(rules.entry(&words).map(|found| found.0.risk), Some(*risk), "{words:?}");
        }
        assert!(rules.refused.is_empty());
    }

    #[test]
    fn the_profile_is_beside_the_list_and_holds_no_program_that_is_always_asked() {
        let mut rules = PolicyRules::default();
        rules.add_profile(Profile::Everyday);
        rules.add_profile(Profile::Everyday);
        assert_eq!((rules.allowed.len(), rules.profiles.len()), (40, 1));
        let entries = Profile::Everyday.entries();
        let mut seen = std::collections::HashSet::new();
        for entry in &entries {
            assert!(!is_never(&entry.words), "{entry:?}");
            assert!(seen.insert(entry.words.clone()), "{entry:?} is there twice");
        }
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let origin = |line: &str| rules.entry(&words(line)).map(|found| found.1);
        assert_eq!(origin("python -m mypy src"), Some(EntryOrigin::Profile));
        assert_eq!(origin("python x.py"), Some(EntryOrigin::List));
        assert_eq!(origin("wc -l x"), Some(EntryOrigin::Profile));
        rules.allowed.push(ListEntry::new("wc", Read));
        assert_eq!(rules.entry(&words("wc -l")).map(|found| found.1), Some(EntryOrigin::List));
    }

    #[test]
    fn c060_no_deleting_program_is_on_the_list() {
        for (words, _) in DEFAULT_LIST {
            assert!(!is_never(&[words.to_string()]), "{words}");
        }
        for line in ["rm", "rm -rf x", "git clean", "xargs rm", "sudo ls", "mkfs.ext4 x"] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert!(is_never(&words), "{line}");
        }
    }
}
