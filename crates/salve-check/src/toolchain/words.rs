//! The words a toolchain is started with.
//!
//! In: a spec, its arguments for the version at hand, and what it is to check. Out: the final words.
//! A placeholder stands for whole words or a part of one; a file name never becomes an option. Never
//! quotes anything, because nothing reads the words but the program.

use super::{BuildProfile, ToolchainSpec};

/// The folder for what a run leaves behind; the sandbox gives each run an empty one.
const TEMPORARY: &str = "/tmp";

/// What the placeholders stand for.
pub(super) struct Given<'a> {
    /// The program, in place of the first word of the command.
    pub(super) program: &'a str,
    /// The arguments for the version at hand.
    pub(super) arguments: &'a [String],
    /// The files to check, relative to the folder it runs in.
    pub(super) files: &'a [String],
    /// The folders with headers, relative to the folder it runs in.
    pub(super) headers: &'a [String],
    /// Whether a release is built.
    pub(super) profile: BuildProfile,
}

/// Builds the words.
pub(super) fn words(spec: &ToolchainSpec, given: &Given<'_>) -> Vec<String> {
    let mut words = vec![given.program.to_owned()];
    words.extend(spec.compile_command.split_whitespace().skip(1).map(str::to_owned));
    if given.profile == BuildProfile::Release {
        words.extend(spec.release_args.iter().cloned());
    }
    for argument in given.arguments {
        match argument.as_str() {
            "{files}" => words.extend(given.files.iter().map(|file| as_operand(file))),
            "{includes}" => words.extend(given.headers.iter().map(|folder| include(folder))),
            "{path}" => words.push(path(given.files)),
            other => words.push(replaced(other)),
        }
    }
    let named = |name: &str| given.arguments.iter().any(|argument| argument == name);
    if !named("{files}") && !named("{path}") {
        words.extend(given.files.iter().map(|file| as_operand(file)));
    }
    words
}

fn replaced(argument: &str) -> String {
    match argument {
        "{script:node_check}" => include_str!("scripts/node_check.js").to_owned(),
        "{script:python_compile}" => include_str!("scripts/python_compile.py").to_owned(),
        other => other.replace("{temp}", TEMPORARY),
    }
}

// A file called `-rf` or `@list` would be read as something else than a file.
fn as_operand(file: &str) -> String {
    if file.starts_with(['-', '@', '+']) { format!("./{file}") } else { file.to_owned() }
}

fn include(folder: &str) -> String {
    if folder.is_empty() { "-I.".to_owned() } else { format!("-I{folder}") }
}

fn path(files: &[String]) -> String {
    match files {
        [file] => as_operand(file),
        _ => ".".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(arguments: &[&str], files: &[&str], profile: BuildProfile) -> String {
        let mut spec = ToolchainSpec::named("fake");
        spec.compile_command = "fake check".to_owned();
        spec.release_args = vec!["--release".to_owned()];
        let owned = |list: &[&str]| list.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let headers = owned(&["", "include"]);
        let (arguments, files) = (owned(arguments), owned(files));
        let given = Given {
            program: "/bin/fake",
            arguments: &arguments,
            files: &files,
            headers: &headers,
            profile,
        };
        words(&spec, &given).join(" ")
    }

    #[test]
    fn placeholders_become_words_and_a_file_never_becomes_an_option() {
        use BuildProfile::{Development, Release};
        for (arguments, files, profile, expected) in [
            (&["-x"][..], &[][..], Development, "/bin/fake check -x"),
            (&["-x"], &["a", "b"], Development, "/bin/fake check -x a b"),
            (&["-x"], &["a"], Release, "/bin/fake check --release -x a"),
            (
                &["{files}", "-o", "{temp}/o"],
                &["-rf", "@l"],
                Development,
                "/bin/fake check ./-rf ./@l -o /tmp/o",
            ),
            (&["{includes}"], &[], Development, "/bin/fake check -I. -Iinclude"),
            (&["{path}"], &[], Development, "/bin/fake check ."),
            (&["{path}"], &["a b;c"], Development, "/bin/fake check a b;c"),
        ] {
            assert_eq!(built(arguments, files, profile), expected);
        }
    }
}
