//! Which tool a command of the user's own starts, and how its output is read.
//!
//! In: the words of the command. Out: the parser for what it prints, and the words with the tool's
//! machine-readable form asked for where that changes nothing else. Never changes what is checked: a
//! form that the user asked for stays.

use super::Phase;
use super::name_pattern::file_name;
use crate::OutputParser;

/// A command, and how its output is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UserCommand {
    /// The words that are executed.
    pub(crate) words: Vec<String>,
    /// How what it prints is read.
    pub(crate) parser: OutputParser,
    /// What kind of errors it looks for.
    pub(crate) phase: Phase,
}

/// Programs whose next word is the program that matters, after these words.
const STARTERS: &[(&str, &[&str])] = &[
    ("npx", &[""]),
    ("bunx", &[""]),
    ("npm", &["exec", "x"]),
    ("pnpm", &["exec", "dlx"]),
    ("yarn", &["exec", "dlx"]),
    ("bun", &["x"]),
    ("uv", &["run"]),
    ("poetry", &["run"]),
    ("pipenv", &["run"]),
    ("pdm", &["run"]),
    ("hatch", &["run"]),
    ("rye", &["run"]),
    ("env", &[""]),
];

/// Reads the words of a command.
pub(crate) fn read_command(argv: &[String]) -> UserCommand {
    let at = tool_at(argv);
    let tool = argv.get(at).map_or("", |word| file_name(word));
    let after: Vec<&str> = argv.iter().skip(at + 1).map(String::as_str).collect();
    let Recognised { parser, phase, ask } = recognise(tool, &after);
    let mut words = argv.to_vec();
    if let Some(Ask { place, option, unless, reads_any }) = ask {
        let mut own = after.iter().take_while(|word| **word != "--");
        let is_chosen = own.any(|word| unless.iter().any(|start| word.starts_with(start)));
        if is_chosen && !reads_any {
            // The user wants text; what is known of it is read.
            return UserCommand { words, parser: OutputParser::Console, phase };
        }
        if !is_chosen {
            let place = (at + 1 + place).min(words.len());
            words.splice(place..place, option.iter().map(|word| (*word).to_owned()));
        }
    }
    UserCommand { words, parser, phase }
}

/// How a tool is asked for the form that is read best.
#[derive(Debug, Clone, Copy)]
struct Ask {
    /// After how many words behind the program.
    place: usize,
    option: &'static [&'static str],
    /// Options with which the user has chosen a form.
    unless: &'static [&'static str],
    /// Whether the parser reads that one too.
    reads_any: bool,
}

struct Recognised {
    parser: OutputParser,
    phase: Phase,
    ask: Option<Ask>,
}

fn plain(parser: OutputParser, phase: Phase) -> Recognised {
    Recognised { parser, phase, ask: None }
}

fn asked(
    parser: OutputParser,
    phase: Phase,
    place: usize,
    option: &'static [&'static str],
    unless: &'static [&'static str],
) -> Recognised {
    Recognised { parser, phase, ask: Some(Ask { place, option, unless, reads_any: false }) }
}

/// Finds the program behind those that only start it.
fn tool_at(argv: &[String]) -> usize {
    let mut at = 0;
    while let Some(word) = argv.get(at) {
        let name = file_name(word);
        if is_python(name) {
            let module = argv.iter().skip(at + 1).position(|word| word == "-m");
            let options = |to: usize| argv.iter().skip(at + 1).take(to).all(|w| w.starts_with('-'));
            return match module {
                Some(place) if options(place) && argv.len() > at + place + 2 => at + place + 2,
                _ => at,
            };
        }
        let Some((_, verbs)) = STARTERS.iter().find(|(starter, _)| *starter == name) else {
            return at;
        };
        let next = argv.get(at + 1).map_or("", String::as_str);
        let skipped = match (verbs.contains(&""), verbs.contains(&next)) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => return at,
        };
        let is_prefix = |word: &&String| word.starts_with('-') || word.contains('=');
        let options = argv.iter().skip(at + skipped).take_while(is_prefix).count();
        at += skipped + options;
    }
    0
}

fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python");
    version.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

fn recognise(tool: &str, after: &[&str]) -> Recognised {
    use OutputParser as P;
    use Phase::{Lint, Syntax, Tests, Types};
    let verb = after.first().copied().unwrap_or_default();
    match tool {
        "cargo" => cargo(after),
        "rustc" => asked(P::CargoJson, Types, 0, &["--error-format=json"], &["--error-format"]),
        "tsc" | "vue-tsc" => plain(P::Tsc, Types),
        "eslint" => asked(P::EslintJson, Lint, 0, &["--format", "json"], &["-f", "--format"]),
        "ruff" if verb == "check" => {
            let option = &["--output-format", "json"];
            asked(P::RuffJson, Lint, 1, option, &["--output-format", "--format"])
        }
        "pyright" | "basedpyright" => {
            asked(P::PyrightJson, Types, 0, &["--outputjson"], &["--outputjson"]).read_anyway()
        }
        "pytest" | "py.test" => {
            asked(P::Pytest, Tests, 0, &["--tb=short", "-rfE", "--color=no"], &["--tb", "-r"])
                .read_anyway()
        }
        "unittest" => plain(P::Unittest, Tests),
        "py_compile" | "compileall" => plain(P::PythonCompile, Syntax),
        _ if is_python(tool) => plain(P::PythonCompile, Tests),
        "node" if after.contains(&"--test") => plain(P::TestRunner, Tests),
        "node" => plain(P::NodeCheck, Tests),
        "go" => match verb {
            "test" => asked(P::GoTest, Tests, 1, &["-json"], &["-json", "--json"]).read_anyway(),
            "vet" => plain(P::GoVet, Lint),
            _ => plain(P::GoBuild, Types),
        },
        "gcc" | "cc" | "g++" | "c++" => plain(P::Gcc, Types),
        "clang" | "clang++" => plain(P::Clang, Types),
        "javac" => plain(P::Javac, Types),
        "bash" if verb == "-n" => plain(P::BashN, Syntax),
        "npm" | "pnpm" | "yarn" | "bun" if is_test_script(after) => plain(P::TestRunner, Tests),
        "jest" | "vitest" | "mocha" | "ava" | "ctest" => plain(P::TestRunner, Tests),
        "mvn" | "mvnw" | "gradle" | "gradlew" | "make" | "gmake" | "ninja"
            if after.iter().any(|word| matches!(*word, "test" | "check" | "verify")) =>
        {
            plain(P::TestRunner, Tests)
        }
        _ => plain(P::Console, Types),
    }
}

impl Recognised {
    /// The parser reads the user's form as well.
    fn read_anyway(mut self) -> Self {
        if let Some(ask) = &mut self.ask {
            ask.reads_any = true;
        }
        self
    }
}

/// `test`, `run test`, `run test:unit`, `t`.
fn is_test_script(after: &[&str]) -> bool {
    let script = match after {
        ["run" | "run-script", script, ..] | [script, ..] => script,
        [] => "",
    };
    matches!(script, "test" | "t" | "tst") || script.starts_with("test:")
}

fn cargo(after: &[&str]) -> Recognised {
    use OutputParser as P;
    const JSON: &[&str] = &["--message-format=json"];
    const CHOSEN: &[&str] = &["--message-format"];
    // `cargo +nightly --locked check`.
    let is_option = |word: &&&str| word.starts_with('+') || word.starts_with('-');
    let place = after.iter().take_while(is_option).count();
    match after.get(place).copied().unwrap_or_default() {
        "check" | "c" | "build" | "b" | "run" | "r" | "doc" | "d" | "rustc" => {
            asked(P::CargoJson, Phase::Types, place + 1, JSON, CHOSEN)
        }
        "clippy" => asked(P::CargoJson, Phase::Lint, place + 1, JSON, CHOSEN),
        "test" | "t" | "bench" => asked(P::CargoTest, Phase::Tests, place + 1, JSON, CHOSEN),
        "nextest" => plain(P::CargoTest, Phase::Tests),
        _ => plain(P::Console, Phase::Types),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_by_the_tool_that_it_starts() {
        use OutputParser as P;
        for (line, parser, words) in [
            ("cargo check", P::CargoJson, "cargo check --message-format=json"),
            (
                "cargo +nightly --locked t -p x -- --nocapture",
                P::CargoTest,
                "cargo +nightly --locked t --message-format=json -p x -- --nocapture",
            ),
            (
                "cargo clippy -- -D warnings --message-format",
                P::CargoJson,
                "cargo clippy --message-format=json -- -D warnings --message-format",
            ),
            ("cargo build --message-format=short", P::Console, ""),
            ("cargo xtask test", P::Console, ""),
            ("tsc -p .", P::Tsc, ""),
            ("./node_modules/.bin/tsc", P::Tsc, ""),
            (
                "npx --no-install eslint src",
                P::EslintJson,
                "npx --no-install eslint --format json src",
            ),
            ("eslint -f unix .", P::Console, ""),
            ("ruff check .", P::RuffJson, "ruff check --output-format json ."),
            ("ruff format", P::Console, ""),
            ("pytest --tb=long", P::Pytest, ""),
            ("go test -json", P::GoTest, ""),
            ("pytest -q", P::Pytest, "pytest --tb=short -rfE --color=no -q"),
            ("python3 -X dev -m pytest tests", P::PythonCompile, ""),
            (
                "python3 -B -m pytest tests",
                P::Pytest,
                "python3 -B -m pytest --tb=short -rfE --color=no tests",
            ),
            ("uv run pytest", P::Pytest, "uv run pytest --tb=short -rfE --color=no"),
            ("python3.12 -m unittest", P::Unittest, ""),
            ("python app.py -m pytest", P::PythonCompile, ""),
            ("env A=1 node app.js", P::NodeCheck, ""),
            ("node --test", P::TestRunner, ""),
            ("npm test", P::TestRunner, ""),
            ("npm run test:unit", P::TestRunner, ""),
            ("npm run build", P::Console, ""),
            ("npm exec -- tsc", P::Tsc, ""),
            ("go test ./...", P::GoTest, "go test -json ./..."),
            ("go build", P::GoBuild, ""),
            ("gcc -c a.c", P::Gcc, ""),
            ("make", P::Console, ""),
            ("make test", P::TestRunner, ""),
            ("sh -c true", P::Console, ""),
            ("npx", P::Console, ""),
            ("", P::Console, ""),
        ] {
            let argv: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let read = read_command(&argv);
            let expected = if words.is_empty() { line } else { words };
            assert_eq!((read.words.join(" ").as_str(), read.parser), (expected, parser), "{line}");
        }
    }
}
