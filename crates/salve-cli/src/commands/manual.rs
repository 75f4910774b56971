//! `salve completions` and `salve man`: generated from the command line's own definition.
//!
//! In: a shell or a command's name. Out: a script or a manual page. Never drifts from `--help`:
//! both come from the same source.

use crate::arguments::{alike, command};
use crate::failure::{CommandResult, Ending, Failure};
use crate::output;

/// Prints the completion script of `shell`.
pub(crate) fn completions(shell: clap_complete::Shell) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "salve", &mut script);
    output::content(&String::from_utf8_lossy(&script))?;
    Ok(Ending::Clean)
}

/// Prints the manual page of `salve` or of one of its commands.
pub(crate) fn man(name: Option<&str>) -> CommandResult {
    let mut command = command();
    command.build();
    let chosen = match name {
        None => command,
        Some(name) => {
            let found = command.find_subcommand(name).cloned();
            found.ok_or_else(|| {
                let names: Vec<&str> =
                    command.get_subcommands().map(clap::Command::get_name).collect();
                let failure = Failure::new(format!("no such command: `{name}`"));
                match alike(name, names.iter().copied()).first() {
                    Some(meant) => failure.hint(format!("Did you mean `salve man {meant}`?")),
                    None => failure.hint(format!("Commands: {}", names.join(", "))),
                }
            })?
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(chosen).render(&mut page)?;
    output::content(&String::from_utf8_lossy(&page))?;
    Ok(Ending::Clean)
}
