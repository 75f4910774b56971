//! What a list of packages asks pip for, beside names of the registry.
//!
//! In: the path of a list. Out: nothing, or an objection to a line of it that a person would be asked
//! about on the command line. Never follows more lists than a bound.

use crate::policy::context::{Context, Judged};
use crate::policy::objection::{Objection, Rule};

/// How many lists are read for one command.
const MAX_LISTS: usize = 32;

/// Asks where a list, or one that it names, does more than name packages of the registry.
pub(super) fn names_only(context: &Context<'_>, list: &str) -> Judged {
    let mut open = vec![list.to_owned()];
    let mut seen: Vec<String> = Vec::new();
    while let Some(list) = open.pop() {
        let real = context.paths.real(&list);
        if seen.contains(&real) {
            continue;
        }
        if seen.len() >= MAX_LISTS {
            return Err(Objection::never(
                Rule::Argument,
                "the lists of packages name too many others",
            ));
        }
        seen.push(real);
        let text = match context.paths.text(&list) {
            Ok(Some(text)) => text,
            Ok(None) => continue,
            Err(why) => {
                let why = format!("`{}` cannot be read: {why}", list.escape_debug());
                return Err(Objection::never(Rule::Argument, why));
            }
        };
        for line in lines(&text) {
            match read(&line) {
                Line::Name => {}
                Line::List(other) => {
                    let other = beside(&list, other);
                    context.read(&other)?;
                    open.push(other);
                }
                Line::More => {
                    let (list, line) = (list.escape_debug(), line.escape_debug());
                    let why =
                        format!("`{list}` holds `{line}`, which is no plain name of a package");
                    return Err(Objection::never(Rule::Argument, why));
                }
            }
        }
    }
    Ok(())
}

/// What a line of a list is.
#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    /// A package by its name, perhaps with a version, a condition and hashes.
    Name,
    /// Another list.
    List(&'a str),
    /// An address, a file, or an option.
    More,
}

// As pip does: a backslash at the end of a line goes on with the next one, but not in a comment, and
// a comment begins after a blank.
fn lines(text: &str) -> Vec<String> {
    let breaks = [
        '\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}',
        '\u{2029}',
    ];
    let mut found = Vec::new();
    let mut whole = String::new();
    for line in text.trim_start_matches('\u{feff}').split(breaks) {
        let is_comment = line.trim_start().starts_with('#');
        if line.ends_with('\\') && !is_comment {
            whole.push_str(line.trim_matches('\\'));
            continue;
        }
        if is_comment {
            whole.push(' ');
        }
        whole.push_str(line);
        found.push(without_comment(&std::mem::take(&mut whole)));
    }
    found.push(without_comment(&whole));
    found.retain(|line| !line.is_empty());
    found
}

fn without_comment(line: &str) -> String {
    let begins = |at: usize| {
        let before = line.get(..at).unwrap_or_default();
        before.is_empty() || before.ends_with(char::is_whitespace)
    };
    let comment = line.match_indices('#').map(|(at, _)| at).find(|at| begins(*at));
    line.get(..comment.unwrap_or(line.len())).unwrap_or_default().trim().to_owned()
}

fn read(line: &str) -> Line<'_> {
    for flag in ["--requirement", "--constraint", "-r", "-c"] {
        if let Some(rest) = line.strip_prefix(flag) {
            let file = rest.trim_start_matches(['=', ' ', '\t']);
            let is_other_flag = flag.starts_with("--") && !rest.starts_with(['=', ' ', '\t']);
            let is_plain =
                !file.is_empty() && !file.contains("://") && !file.contains(char::is_whitespace);
            return if is_plain && !is_other_flag { Line::List(file) } else { Line::More };
        }
    }
    // The hashes of a package are after its name.
    let name = line.split(" --hash").next().unwrap_or_default();
    let requirement = name.split(';').next().unwrap_or_default().trim();
    let rest_is_plain = !line.contains("://")
        && line
            .split_ascii_whitespace()
            .skip(1)
            .all(|word| !word.starts_with('-') || word.starts_with("--hash"));
    if rest_is_plain && super::is_requirement(requirement) { Line::Name } else { Line::More }
}

// A list names another one from the folder that it is in.
fn beside(list: &str, other: &str) -> String {
    match list.rsplit_once('/') {
        Some((folder, _)) if !other.starts_with('/') => format!("{folder}/{other}"),
        _ => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_names_is_told_from_one_that_does_more() {
        for line in [
            "requests",
            "numpy==2.1.0",
            "a>=1,<2",
            "uvicorn[standard]~=0.30",
            "x==1 ; python_version < '3.9'",
            "x==1 --hash=sha256:00 --hash=sha256:11",
            "black >= 24 ; extra == \"dev\"",
        ] {
            assert_eq!(read(line), Line::Name, "{line}");
        }
        for line in [
            "-e .",
            "--index-url https://evil.example.com/simple",
            "-i https://evil.example.com",
            "--extra-index-url=x",
            "-fhttps://evil.example.com",
            "git+https://evil.example.com/x",
            "x @ https://evil.example.com/x.whl",
            "x@ file:evil.zip",
            "https://evil.example.com/x.whl",
            "./evil",
            "evil.zip",
            "../evil",
            "--no-binary :all:",
            "--trusted-host evil",
            "-r https://evil.example.com/r.txt",
            "--requirements-x y",
            "x --global-option=y",
            "$EVIL",
            "${X}",
        ] {
            assert_eq!(read(line), Line::More, "{line}");
        }
        for line in ["-r base.txt", "-rbase.txt", "--requirement=base.txt", "-c base.txt"] {
            assert_eq!(read(line), Line::List("base.txt"), "{line}");
        }
    }

    #[test]
    fn lines_are_joined_and_freed_of_comments_as_pip_does() {
        let text = "a # --index-url x\n# b \\\n--index\\\n-url c\r\n\nd#e\nlast\\";
        assert_eq!(lines(text), ["a", "--index-url c", "d#e", "last"]);
        assert_eq!(beside("sub/dev.txt", "base.txt"), "sub/base.txt");
        assert_eq!(beside("dev.txt", "base.txt"), "base.txt");
    }
}
