//! cargo, go, make, cmake, compilers and the build tools of Java and .NET.
//!
//! In: their words. Out: nothing, or an objection. Never takes a compiler, a linker, a plugin or
//! another project from the command line.

use super::super::Starts::{self, Code, Installer, Nothing};
use super::super::systems as rules;
use super::Operands::{self, Files, Foreign, None, Own, Text, Whole};
use super::Program;
use crate::RiskClass::{self, Build, Network, Read, Write};
use crate::policy::context::{Context, Judged, operands};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{Configures, Executes, ForeignProject, Reads, Writes};
use crate::policy::options::Meaning::{self, Ask, OptionalText, Pattern, Switch};
use crate::policy::options::{Item, Style, Table};

type Rows = &'static [(Meaning, &'static str)];

const fn tool(words: &'static str, operands: Operands, rows: Rows) -> Program {
    program(words, Build, Code, operands, rows)
}

const fn program(
    words: &'static str,
    risk: RiskClass,
    starts: Starts,
    operands: Operands,
    rows: Rows,
) -> Program {
    Program { words, risk, starts, style: Style::EXACT, operands, table: Table::new(rows) }
}

#[rustfmt::skip]
const CARGO_LOOKS: Rows = &[
    (Switch, "-d --duplicates --all-features --no-default-features --workspace --no-dedupe --locked --offline --frozen --no-deps -q --quiet -v --verbose -a --all"),
    (Meaning::Text, "-e --edges -i --invert -p --package --depth --prefix --charset -f --format --target -F --features --format-version --filter-platform --color --exclude --prune"), (Meaning::Read, "--manifest-path"), (Ask(Configures), "--config -Z"),
];
#[rustfmt::skip]
const NEXTEST: Rows = &[
    (Switch, "-r --release --all --workspace --lib --bins --examples --tests --benches --all-targets --all-features --no-default-features --locked --offline --frozen --no-capture --nocapture --no-fail-fast --fail-fast --hide-progress-bar --no-run -v --verbose --ignore-default-filter"),
    (Meaning::Text, "-p --package --exclude -F --features --test --bin --example -j --test-threads --partition --retries --run-ignored --success-output --failure-output --status-level --final-status-level -P --profile --cargo-profile --no-tests --max-fail --color --build-jobs --flaky-result"),
    (Pattern, "-E --filter-expr --filterset"), (Meaning::Read, "--manifest-path"), (Ask(Configures), "--config --config-file --tool-config-file -Z --user-config-file"), (Ask(Reads), "--archive-file --workspace-remap --binaries-metadata --cargo-metadata"),
];
#[rustfmt::skip]
const DOTNET: Rows = &[
    (Switch, "--no-restore --nologo --no-build --no-incremental --warnaserror -warnaserror --force --blame"), (Meaning::Text, "-c --configuration -f --framework -v --verbosity --filter -r --runtime --collect"), (Meaning::Write, "-o --output --results-directory"), (Meaning::Read, "-s --settings"), (Ask(Executes), "-l --logger -a --test-adapter-path -p --property"),
];
#[rustfmt::skip]
const GRADLE: Rows = &[
    (Switch, "-q --quiet -i --info -d --debug -s --stacktrace -S --full-stacktrace --offline --no-daemon --daemon --parallel --no-parallel --continue --rerun-tasks --build-cache --no-build-cache --configuration-cache --no-configuration-cache -v --version --dry-run -m"), (Meaning::Text, "--console --warning-mode -x --exclude-task --max-workers"), (Pattern, "--tests"),
    (Ask(Executes), "-I --init-script -D --system-prop -P --project-prop"), (Ask(ForeignProject), "-p --project-dir -b --build-file -c --settings-file --include-build -g --gradle-user-home --project-cache-dir"), (Ask(Writes), "--scan --write-locks --write-verification-metadata -M"),
];
#[rustfmt::skip]
const MAKE: Rows = &[
    (Switch, "-k --keep-going -n --dry-run --just-print -s --silent --quiet -B --always-make -q --question -w --print-directory --no-print-directory -i --ignore-errors -S -r -R -v --version --trace -p -d"), (OptionalText, "-j --jobs -l --load-average -O --output-sync"),
    (Ask(ForeignProject), "-C --directory -I --include-dir"), (Ask(Executes), "-f --file --makefile -E --eval -e --environment-overrides"), (Ask(Configures), "-o --old-file -W --what-if -t --touch"),
];
const VERSION: Rows = &[(Switch, "-v -V --version -h --help")];

#[rustfmt::skip]
pub(super) static PROGRAMS: [Program; 48] = [
    tool("cargo clippy", Whole(cargo), &[]), tool("cargo doc", Whole(cargo), &[]), tool("cargo bench", Whole(cargo), &[]),
    program("cargo fmt", Write, Nothing, Own(cargo_fmt), &[(Switch, "--check --all -v --verbose -q --quiet"), (Meaning::Text, "-p --package --message-format"), (Meaning::Read, "--manifest-path")]),
    tool("cargo tree", None, CARGO_LOOKS), tool("cargo metadata", None, CARGO_LOOKS), tool("cargo nextest run", Foreign, NEXTEST), tool("cargo nextest list", Foreign, NEXTEST),
    program("cargo --version", Read, Nothing, None, VERSION), program("cargo -V", Read, Nothing, None, VERSION), program("rustc --version", Read, Nothing, None, &[(Switch, "-v --verbose -V")]), program("rustc -V", Read, Nothing, None, VERSION),
    program("rustfmt --check", Read, Nothing, Files, &[(Switch, "-l -q -v"), (Meaning::Text, "--edition --color"), (Ask(Configures), "--config-path --config")]),
    tool("go vet", Whole(go), &[]), program("go fmt", Write, Code, Own(packages), &[(Switch, "-n -x")]),
    program("go mod tidy", Network, Installer, None, &[(Switch, "-v -e -x")]), program("go mod download", Network, Installer, None, &[(Switch, "-x -json")]), program("go mod verify", Read, Code, None, &[]), program("go mod graph", Read, Code, None, &[]),
    tool("go list", Own(packages), &[(Switch, "-m -u -deps -e -test -find -json -compiled -export -versions"), (Meaning::Text, "-f -tags")]),
    program("go version", Read, Code, None, &[]), program("go env", Read, Code, Text, &[(Switch, "-json -changed"), (Ask(Configures), "-w -u")]),
    program("gofmt -l", Read, Nothing, Files, &[(Switch, "-l -d -s -e"), (Ask(Writes), "-w"), (Ask(Configures), "-r -cpuprofile")]), program("gofmt -d", Read, Nothing, Files, &[(Switch, "-l -d -s -e"), (Ask(Writes), "-w"), (Ask(Configures), "-r -cpuprofile")]),
    tool("golangci-lint run", Own(packages), &[(Switch, "--fast --fast-only -v --verbose --new --allow-parallel-runners --no-config --tests"), (Meaning::Text, "--timeout -E --enable -D --disable --max-issues-per-linter --max-same-issues --build-tags -j --concurrency --new-from-rev"), (Meaning::Read, "-c --config"), (Ask(Writes), "--fix --out-format --cpu-profile-path --mem-profile-path --trace-path --output.text.path --output.json.path")]),
    tool("make", Own(targets), MAKE),
    tool("ninja", Own(targets), &[(Switch, "-v --verbose -n --quiet --version"), (Meaning::Text, "-j -k -l"), (Meaning::Write, "-C"), (Ask(Executes), "-f -t"), (Ask(Configures), "-d -w")]),
    tool("cmake --build", Own(cmake_build), &[(Switch, "--clean-first -v --verbose"), (Meaning::Text, "-t --target --config"), (OptionalText, "-j --parallel"), (Meaning::Read, "--preset")]),
    tool("cmake -S", Whole(cmake), &[]), tool("cmake -B", Whole(cmake), &[]), program("cmake --version", Read, Nothing, None, VERSION),
    tool("ctest", None, &[(Switch, "-V --verbose -VV --extra-verbose --output-on-failure -Q --quiet --rerun-failed -N --show-only --progress --stop-on-failure --schedule-random --no-tests=error"), (Meaning::Text, "-j --parallel -C --build-config --timeout --repeat -I"), (Pattern, "-R --tests-regex -E --exclude-regex -L --label-regex"), (Meaning::Read, "--test-dir"), (Ask(Executes), "-S --script -SP -D --dashboard -T -M --build-and-test"), (Ask(Writes), "-O --output-log --output-junit")]),
    tool("gcc", Whole(compiler), &[]), tool("g++", Whole(compiler), &[]), tool("cc", Whole(compiler), &[]), tool("c++", Whole(compiler), &[]), tool("clang", Whole(compiler), &[]), tool("clang++", Whole(compiler), &[]),
    tool("mvn", Own(goals), &[(Switch, "-q --quiet -B --batch-mode -o --offline -U -e -X -V -am -amd -ntp --no-transfer-progress -v --version -DskipTests -DskipTests=true -Dmaven.test.skip=true -fae -ff -fn"), (Meaning::Text, "-pl --projects -P --activate-profiles -T --threads -Dtest"), (Meaning::Read, "-f --file"), (Ask(Configures), "-s --settings -gs --global-settings -t --toolchains -b --builder")]),
    tool("gradle", Own(goals), GRADLE), tool("./gradlew", Own(goals), GRADLE), tool("./mvnw", Own(goals), &[(Switch, "-q -B -o -e -ntp -v --version -DskipTests"), (Meaning::Text, "-pl -P -T -Dtest")]),
    tool("javac", Files, &[(Switch, "-g -Werror -deprecation -nowarn -version --version -verbose -parameters -Xlint -Xlint:all"), (Meaning::Text, "-source -target --release -encoding"), (Meaning::Write, "-d"), (Meaning::Read, "-cp -classpath --class-path -sourcepath"), (Ask(Executes), "-processor -processorpath --processor-path -J")]),
    tool("dotnet build", Files, DOTNET), tool("dotnet test", Files, DOTNET), program("dotnet --version", Read, Nothing, None, VERSION), tool("dotnet restore", Files, DOTNET), program("java --version", Read, Nothing, None, VERSION),
];

fn cargo(context: &Context<'_>, start: usize) -> Judged {
    rules::cargo_build(&Context { named: start, ..*context })
}

fn go(context: &Context<'_>, start: usize) -> Judged {
    rules::go_build(&Context { named: start, ..*context })
}

fn refused<T>(word: &str, why: &str) -> Judged<T> {
    Err(Objection::never(Rule::Argument, format!("`{}` {why}", word.escape_debug())))
}

fn cargo_fmt(_: &Context<'_>, items: &[Item<'_>]) -> Judged {
    let harmless =
        ["--check", "-l", "-q", "-v", "--files-with-diff", "--edition=2021", "--edition=2024"];
    match operands(items).find(|(word, _)| !harmless.contains(word)) {
        Option::None => Ok(()),
        Some((word, _)) => refused(word, "is handed on to rustfmt"),
    }
}

fn packages(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    // go asks git for the version of what it lists.
    super::super::git::repository(context)?;
    operands(items).try_for_each(|(word, _)| {
        let folder = word.trim_end_matches("...");
        context.read(if folder.is_empty() { "." } else { folder })
    })
}

// A target is a plain name: no assignment but of how much is said, and nothing that tools obey.
fn targets(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    operands(items).try_for_each(|(word, _)| {
        let plain =
            word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:+%/".contains(&byte));
        if ["V=0", "V=1", "V=2", "VERBOSE=1", "DEBUG=1", "DEBUG=0"].contains(&word) {
            return Ok(());
        }
        if plain { context.write(word) } else { refused(word, "is more than the name of a target") }
    })
}

/// Goals and tasks that build and check.
#[rustfmt::skip]
const GOALS: &[&str] = &[
    "test", "build", "check", "compile", "package", "verify", "clean", "validate", "test-compile", "assemble",
    "classes", "testClasses", "jar", "tasks", "lint", "compileJava", "compileTestJava", "compileKotlin",
    "dependencies", "dependency:tree", "projects", "help", "ktlintCheck", "spotlessCheck", "detekt", "checkstyleMain",
];

fn goals(_: &Context<'_>, items: &[Item<'_>]) -> Judged {
    let known = |word: &str| {
        GOALS.contains(&word.rsplit_once(':').map_or(word, |(_, task)| task))
            || GOALS.contains(&word)
    };
    match operands(items).find(|(word, _)| !known(word)) {
        Option::None => Ok(()),
        Some((word, _)) => refused(word, "is no goal that only builds or checks"),
    }
}

fn cmake_build(context: &Context<'_>, items: &[Item<'_>]) -> Judged {
    for item in items {
        if let Item::Operand { text, after_dashes, .. } = item {
            if *after_dashes {
                return refused(text, "is handed on to the build tool");
            }
            context.write(text)?;
        }
    }
    Ok(())
}

/// Settings of cmake by whose names a program or code is chosen.
const CHOOSES: &[&str] = &[
    "COMPILER",
    "LAUNCHER",
    "TOOLCHAIN",
    "COMMAND",
    "PROGRAM",
    "FLAGS",
    "MODULE_PATH",
    "INCLUDE",
    "LINKER",
    "EXECUTABLE",
    "EMULATOR",
    "PREFIX",
    "PATH",
    "DIR",
];

fn cmake(context: &Context<'_>, start: usize) -> Judged {
    let mut words = context.words.iter().map(String::as_str).skip(start - 1);
    while let Some(word) = words.next() {
        match word {
            "-S" => context.read(words.next().unwrap_or_default())?,
            "-B" => context.write(words.next().unwrap_or_default())?,
            "-G" | "-A" => context.foreign_word(words.next().unwrap_or_default())?,
            "-Wno-dev" | "-Wdev" | "--fresh" | "--log-level=WARNING" => {}
            _ => {
                let Some((name, value)) =
                    word.strip_prefix("-D").and_then(|rest| rest.split_once('='))
                else {
                    return refused(word, "is not in the table of `cmake`");
                };
                let name = name.to_ascii_uppercase();
                if CHOOSES.iter().any(|choice| name.contains(choice))
                    || value.contains(['/', ';', '$', '@'])
                {
                    return refused(word, "may choose a program or a place");
                }
            }
        }
    }
    Ok(())
}

fn compiler(context: &Context<'_>, start: usize) -> Judged {
    const PLAIN: &[&str] = &[
        "-c",
        "-S",
        "-E",
        "-g",
        "-shared",
        "-static",
        "-pthread",
        "-pedantic",
        "-pedantic-errors",
        "-v",
        "-w",
        "--version",
        "-MMD",
        "-MP",
        "-MD",
        "-fPIC",
        "-pipe",
        "-ansi",
    ];
    const CHOOSES_CODE: &[&str] = &[
        "-fplugin",
        "-fuse-ld",
        "-fpass-plugin",
        "-fload",
        "-fprofile-use",
        "-fmodule",
        "-fcompare-debug",
        "-mllvm",
    ];
    let mut words = context.words.iter().map(String::as_str).skip(start);
    while let Some(word) = words.next() {
        let value = |flag: &str| word.strip_prefix(flag).filter(|value| !value.is_empty());
        let warns = word.starts_with("-W")
            && !["-Wl,", "-Wa,", "-Wp,"].iter().any(|to| word.starts_with(to));
        let shapes = ["-O", "-g", "-std=", "-D", "-U", "-m", "-f", "-l"]
            .iter()
            .any(|start| word.starts_with(start));
        if word == "-o" {
            context.write(words.next().unwrap_or_default())?;
        } else if ["-I", "-L", "-isystem", "-include", "-iquote"].contains(&word) {
            context.read(words.next().unwrap_or_default())?;
        } else if let Some(path) = value("-I").or_else(|| value("-L")) {
            context.read(path)?;
        } else if let Some(path) = value("-o") {
            context.write(path)?;
        } else if CHOOSES_CODE.iter().any(|start| word.starts_with(start)) {
            return refused(word, "chooses code that the compiler loads");
        } else if !(PLAIN.contains(&word) || warns || (shapes && word != "-main-file-name")) {
            if word.starts_with(['-', '@']) {
                return refused(word, "is not in the table of the compiler");
            }
            context.read(word)?;
        } else if !word.starts_with("-D") {
            // `-fsanitize-ignorelist=FILE`, `-ftime-trace=FILE`, `-l:FILE`: a value may be a file.
            context.foreign_word(word)?;
        }
    }
    Ok(())
}
