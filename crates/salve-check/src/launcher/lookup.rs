//! Finds the program a name stands for.
//!
//! In: a name, the PATH of the programs. Out: a file that can be executed, or why there is none.
//! Never looks into the PATH of Salve itself.

use rustix::fs::Access;
use std::path::{Path, PathBuf};

/// What a name stands for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// This file.
    Program(PathBuf),
    /// A file is there, but it is none that can be executed.
    NotExecutable,
    /// No file of that name is there.
    Nothing,
}

/// Looks a name up, as a shell does: one with a slash is a path, others are searched.
pub(super) fn find_program(name: &str, environment: &[(String, String)]) -> Found {
    if name.contains('/') {
        return examine(PathBuf::from(name));
    }
    if name.is_empty() {
        return Found::Nothing;
    }
    let path = environment.iter().rev().find(|(key, _)| key == "PATH");
    let mut seen = Found::Nothing;
    for folder in path.map_or("", |(_, value)| value.as_str()).split(':') {
        // An empty entry means the working folder to a shell, where anybody may have put a file.
        if !Path::new(folder).is_absolute() {
            continue;
        }
        match examine(Path::new(folder).join(name)) {
            Found::Nothing => {}
            Found::NotExecutable => seen = Found::NotExecutable,
            program => return program,
        }
    }
    seen
}

fn examine(path: PathBuf) -> Found {
    match std::fs::metadata(&path) {
        Ok(file) if file.is_file() && rustix::fs::access(&path, Access::EXEC_OK).is_ok() => {
            Found::Program(path)
        }
        Ok(_) => Found::NotExecutable,
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Found::NotExecutable,
        Err(_) => Found::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(value: &str) -> Vec<(String, String)> {
        vec![("PATH".to_owned(), value.to_owned())]
    }

    #[test]
    fn names_are_searched_in_the_given_path_only() {
        assert!(matches!(find_program("sh", &path("/usr/bin:/bin")), Found::Program(_)));
        for (name, searched) in
            [("sh", ""), ("sh", "/proc"), ("sh", ":.:bin"), ("", "/bin"), ("no-such-thing", "/bin")]
        {
            assert_eq!(find_program(name, &path(searched)), Found::Nothing, "{name} in {searched}");
        }
    }

    #[test]
    fn a_path_is_not_searched_and_must_be_executable() {
        assert_eq!(find_program("/bin/sh", &[]), Found::Program(PathBuf::from("/bin/sh")));
        assert_eq!(find_program("/etc/passwd", &[]), Found::NotExecutable);
        assert_eq!(find_program("/etc", &[]), Found::NotExecutable);
        assert_eq!(find_program("/no/such", &[]), Found::Nothing);
    }
}
