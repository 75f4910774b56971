//! The `salve` command: reads arguments, calls the stages, prints, chooses the exit code.
//!
//! In: arguments, standard input, configuration. Out: the result on standard output, the story on
//! standard error, and a documented exit code. Never holds logic of a stage.

mod arguments;
mod automatic;
mod batch;
mod change;
mod chat_settings;
mod commands;
mod config_files;
mod environment;
mod failure;
mod gateway_settings;
mod heal_host;
mod host;
mod input;
mod job_place;
mod keys;
mod log;
mod model_keys;
mod model_settings;
mod output;
mod postgres_url;
mod render;
mod review_keys;
mod run_environment;
mod runtime;
mod schemas;
mod settings;
mod settings_change;
#[cfg(test)]
mod settings_page;
mod table;
mod trust;
mod unguarded;
mod workspace;
mod workspace_config;
mod workspace_rules;
mod wrap;

use arguments::{Arguments, Command};
use clap::{ArgMatches, FromArgMatches};
use failure::{CommandResult, Failure};
use std::process::ExitCode;

// A gateway allocates and frees small things on every request, from several threads at once.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Some(code) = host::as_launcher() {
        return code;
    }
    let matches = match arguments::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return refused(error),
    };
    let arguments = match Arguments::from_arg_matches(&matches) {
        Ok(arguments) => arguments,
        Err(error) => return refused(error),
    };
    arguments.color.write_global();
    match run(arguments, &named(&matches)) {
        Ok(ending) => ending.into(),
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            let text = wrap::wrap(&failure.render(), wrap::width_of_story(), 7);
            output::story_as_drawn(&text);
            ExitCode::from(failure.exit_code())
        }
    }
}

// Help and versions are results; everything else is bad usage, in the words of every other failure.
fn refused(error: clap::Error) -> ExitCode {
    if !error.use_stderr() {
        error.exit();
    }
    let typed: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    output::story(&arguments::usage_error(error, &typed));
    ExitCode::from(2)
}

// The words of a command, such as `jobs list`.
fn named(matches: &ArgMatches) -> String {
    let mut words = Vec::new();
    let mut next = matches.subcommand();
    while let Some((word, matches)) = next {
        words.push(word);
        next = matches.subcommand();
    }
    words.join(" ")
}

// Whether a command reads a text and starts no program.
const fn only_reads(command: &Command) -> bool {
    match command {
        Command::Clean(_)
        | Command::Inspect(_)
        | Command::Resume { .. }
        | Command::Parse(_)
        | Command::Signature(_) => true,
        Command::Apply(options) => options.batch,
        _ => false,
    }
}

fn run(arguments: Arguments, name: &str) -> CommandResult {
    // The allocator asks for pages of 2 MiB, and a short text would take one for every kind of thing
    // that is made of it. A program that is started would inherit this, and may want them.
    #[cfg(target_os = "linux")]
    if only_reads(&arguments.command) {
        // A kernel without this setting has no such pages, or gives them all the same.
        let _ = rustix::thread::disable_transparent_huge_pages(true);
    }
    let choice = arguments.format;
    let format = || {
        choice.common().ok_or_else(|| {
            Failure::new(format!("`salve {name}` has no output in the format: {}", choice.name()))
                .hint("Formats of this command: human, json, jsonl")
        })
    };
    match arguments.command {
        Command::Clean(options) => commands::clean::run(&options, format()?),
        Command::Inspect(options) => commands::inspect::run(&options, choice),
        Command::Resume { command } => commands::resume::run(&command, format()?),
        Command::Parse(options) => commands::parse::run(&options, format()?),
        Command::Apply(options) => commands::apply::run(&options, format()?),
        Command::Diff(options) => commands::history::run_diff(&options, format()?),
        Command::Undo(options) => commands::undo::run_undo(&options, format()?),
        Command::Redo(options) => commands::undo::run_redo(&options, format()?),
        Command::Rewind(options) => commands::undo::run_rewind(&options, format()?),
        Command::History(options) => commands::history::run(&options, format()?),
        Command::Checkpoint(options) => commands::checkpoint::run(&options, format()?),
        Command::Recover(options) => commands::recover::run(&options, format()?),
        Command::Check(options) => commands::check::run(&options, choice),
        Command::Heal(options) => commands::heal::run(&options, choice),
        Command::Chat(options) => commands::chat::run(&options, format()?),
        Command::Plan(options) => commands::plan::run(&options, format()?),
        Command::Flow(options) => commands::flow::run(&options, format()?),
        Command::Serve(options) => commands::serve::run(&options, format()?),
        Command::Report(options) => commands::report::run(&options, format()?),
        Command::Run(options) => commands::run::run(&options, format()?),
        Command::Runs(options) => commands::runs::run(&options, format()?),
        Command::Cache(options) => commands::cache::run(&options, format()?),
        Command::Gateway(options) => commands::gateway::run(&options, format()?),
        Command::Keys(options) => commands::gateway_keys::run(&options, format()?),
        Command::Calls(options) => commands::calls::run(&options, format()?),
        Command::Stats(options) => commands::stats::run(&options, format()?),
        Command::Jobs(options) => commands::jobs::run(&options, format()?),
        Command::Knowledge(options) => commands::knowledge::run(&options, format()?),
        Command::Decisions(options) => commands::decisions::run(&options, format()?),
        Command::Sessions(options) => commands::sessions::run(&options, format()?),
        Command::Todos(options) => commands::todos::run(&options, format()?),
        Command::Files(options) => commands::files::run(&options, format()?),
        Command::Worker(options) => commands::worker::run(&options, format()?),
        Command::Policy { command } => commands::policy::run(&command, format()?),
        Command::Trust(options) => commands::trust::run(&options, format()?),
        Command::Sim(options) => commands::sim::run(&options, format()?),
        Command::Setup(options) => commands::setup::run(&options, format()?),
        Command::Signature(options) => commands::signature::run(&options, format()?),
        Command::Schema { command } => commands::schema::run(&command, format()?),
        Command::Explain { code } => commands::explain::run(code.as_deref(), format()?),
        Command::Demo { die_in: None } => commands::demo::run(),
        Command::Demo { die_in: Some(folder) } => {
            commands::demo::die_applying(&folder).map(|()| failure::Ending::Findings)
        }
        Command::Doctor => commands::doctor::run(format()?),
        Command::Config { command } => commands::config::run(&command, format()?),
        Command::Completions { shell } => commands::manual::completions(shell),
        Command::Man { command } => commands::manual::man(command.as_deref()),
    }
}
