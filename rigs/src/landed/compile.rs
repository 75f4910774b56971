//! What the compilers say about the files after landing, and before.
//!
//! In: landed diffs. Out: per language how many files compile before and after. Never writes
//! outside the target folder; a compiler that is not here is said to be missing.

use super::Landing;
use anyhow::Context;
use std::path::Path;
use std::process::{Command, Stdio};
use xtask::{tools, workspace};

/// One language: the ending of its files and the command that checks one.
struct Compiler {
    ending: &'static str,
    name: &'static str,
    command: fn(&Path, &Path) -> Command,
}

const COMPILERS: &[Compiler] = &[
    Compiler { ending: "c", name: "gcc", command: gcc },
    Compiler { ending: "java", name: "javac", command: javac },
    Compiler { ending: "ts", name: "tsc", command: tsc },
    Compiler { ending: "py", name: "python3", command: python },
];

/// Prints the table of compile rates.
pub(super) fn report(landings: &[Landing<'_>]) -> anyhow::Result<()> {
    let folder = workspace::target_dir()?.join("landed");
    println!(
        "\n{:<10} {:>8} {:>16} {:>16}",
        "compiler", "landed", "compiled before", "compile after"
    );
    for compiler in COMPILERS {
        let ending = format!(".{}", compiler.ending);
        let mine: Vec<_> = landings.iter().filter(|one| one.case.file.ends_with(&ending)).collect();
        if compiler.ending == "ts" && !tsc_is_there()? {
            println!(
                "{:<10} {:>8}  skipped: the package `typescript` could not be installed",
                compiler.name,
                mine.len()
            );
            continue;
        }
        let (mut before, mut after) = (0, 0);
        for landing in &mine {
            before += usize::from(compiles(compiler, &folder, &landing.case.before)?);
            after += usize::from(compiles(compiler, &folder, &landing.after)?);
        }
        println!("{:<10} {:>8} {before:>16} {after:>16}", compiler.name, mine.len());
    }
    Ok(())
}

fn compiles(compiler: &Compiler, folder: &Path, text: &str) -> anyhow::Result<bool> {
    let place = folder.join("one");
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place).context("could not make a folder under target")?;
    let file = place.join(file_name(compiler.ending, text));
    std::fs::write(&file, text).context("could not write under target")?;
    let mut command = (compiler.command)(&place, &file);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    Ok(status.with_context(|| format!("could not start {}", compiler.name))?.success())
}

// Java wants the file to be called like its public class.
fn file_name(ending: &str, text: &str) -> String {
    let class = text.split("public class ").nth(1).and_then(|rest| {
        rest.split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
            .filter(|name| !name.is_empty())
    });
    match (ending, class) {
        ("java", Some(class)) => format!("{class}.java"),
        _ => format!("Landed.{ending}"),
    }
}

fn gcc(_place: &Path, file: &Path) -> Command {
    let mut command = Command::new("gcc");
    command.arg("-fsyntax-only").arg(file);
    command
}

fn javac(place: &Path, file: &Path) -> Command {
    let mut command = Command::new("javac");
    command.arg("-d").arg(place).arg(file);
    command
}

fn python(_place: &Path, file: &Path) -> Command {
    let mut command = Command::new("python3");
    command.args(["-B", "-c", "import ast,sys; ast.parse(open(sys.argv[1]).read())"]).arg(file);
    command
}

fn tsc(_place: &Path, file: &Path) -> Command {
    let mut command = Command::new("node");
    let package = |name| tools::npm_package(name).unwrap_or_default();
    command.arg(package("typescript").join("lib/tsc.js")).arg("--typeRoots").arg(package("@types"));
    command.args(["--noEmit", "--target", "es2022", "--skipLibCheck", "--types", "node"]).arg(file);
    command
}

fn tsc_is_there() -> anyhow::Result<bool> {
    let script = tools::npm_package("typescript")?.join("lib/tsc.js");
    if !script.is_file() {
        tools::install()?;
    }
    Ok(script.is_file())
}
