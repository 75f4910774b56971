//! The name of a command (rule P3).
//!
//! In: the first word of a command. Out: nothing, or the reason why it is no plain name. Never looks
//! at the words after it: which program may run is the policy's question.

use crate::shell::lexer::Lexed;
use crate::shell::refusal::{ShellRefusal, ShellRule};

/// Checks that a word is a plain ASCII name of a program.
pub(super) fn check(lexed: &Lexed) -> Result<(), ShellRefusal> {
    let name = lexed.word.text.as_str();
    let refuse =
        |rule, construct, why: &str| Err(ShellRefusal::new(rule, construct, lexed.word.span, why));
    if !name.is_ascii() {
        return refuse(
            ShellRule::P0,
            "command name",
            "the name of a command is written in ASCII; other letters can look alike",
        );
    }
    if !lexed.is_plain {
        return refuse(
            ShellRule::P3,
            "quoted command name",
            "the name of a command is written without quotes and escapes",
        );
    }
    if RESERVED.contains(&name) {
        return refuse(ShellRule::P1, "reserved word", "control flow is outside the subset");
    }
    if is_assignment(name) {
        return refuse(
            ShellRule::P3,
            "assignment",
            "a variable set before a command can change what it does",
        );
    }
    // A program of the folder itself is one that a person may have listed; the policy decides.
    if name.contains('/') && !is_path_inside(name) {
        return refuse(
            ShellRule::P3,
            "path as command",
            "a command is a plain name that is looked up, or a path below this folder",
        );
    }
    if BUILTINS.contains(&name) {
        return refuse(
            ShellRule::P3,
            "shell builtin",
            "this changes the shell itself, and no shell runs here",
        );
    }
    let is_tail = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
    let starts_well = name.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_');
    let is_name = starts_well && name.bytes().all(|byte| is_tail(byte) || byte == b'_');
    if !is_name && !is_path_inside(name) {
        return refuse(
            ShellRule::P3,
            "command name",
            "the name of a command has letters, digits and `._+-` only",
        );
    }
    Ok(())
}

// `.venv/bin/pytest`, `./gradlew`: names of plain letters, and no way up.
fn is_path_inside(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
    let mut steps = name.split('/');
    name.contains('/')
        && steps.clone().next_back().is_some_and(|last| !matches!(last, "" | "."))
        && steps.all(|step| {
            !matches!(step, "" | "..") && !step.starts_with('-') && step.bytes().all(plain)
        })
}

// `a=`, `a+=`, `a[…]=`: what `bash` takes as an assignment, and a little more.
fn is_assignment(word: &str) -> bool {
    let name =
        word.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let rest = word.get(name..).unwrap_or("");
    name > 0 && (rest.starts_with('=') || rest.starts_with("+=") || rest.starts_with('['))
}

#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do",
    "done", "in", "function", "time", "coproc", "!", "[[", "]]", "{", "}",
];

// Builtins that have no program of the same meaning; `echo`, `pwd`, `printf`, `test`, `true`,
// `false` and `kill` have one, and that is the one that would run.
#[rustfmt::skip]
const BUILTINS: &[&str] = &[
    ".", ":", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen",
    "complete", "compopt", "continue", "declare", "dirs", "disown", "enable", "eval", "exec", "exit",
    "export", "fc", "fg", "getopts", "hash", "help", "history", "jobs", "let", "local", "logout",
    "mapfile", "popd", "pushd", "read", "readarray", "readonly", "return", "set", "shift", "shopt",
    "source", "suspend", "times", "trap", "type", "typeset", "ulimit", "umask", "unalias", "unset",
    "wait",
];
