//! `salve demo`: real failures through the real code.
//!
//! In: the scenes below, as models sent them. Out: for each, what arrived, what Salve says, and what
//! comes out; then what to try next. Never shows a canned answer: every line after "received" is
//! computed, and a scene that is not healed is counted as such.

mod dying_disk;
mod files;
mod heals;
mod processes;
mod scenes;
mod stage;
mod talk;

pub(crate) use files::die_applying;

use crate::failure::{CommandResult, Ending};
use crate::output;
use stage::Shown;
use std::time::Instant;

const NEXT: &str = "\
Try next
  salve inspect FILE                is it whole? where was it cut?
  salve resume prompt FILE          the prompt that makes a model continue there
  salve clean --explain < reply.md  the content, and what was set aside
  salve parse --format json < reply the JSON in a reply, repairs listed
  salve apply --dry-run < reply     where its edits would land, and by what evidence
  salve apply < reply; salve undo   one transaction, and back
  salve policy command 'ls; rm x'   would a model's command run unasked, and why not
  salve run -- cargo test           under policy, sandbox, deadline and caps
  salve check                       what the real toolchains say, as one list
  salve chat --practice DIR         ask for a change in words, with a scripted model
  salve heal                        until the check passes, or nothing is changed
  salve explain OPEN_DOUBLE_QUOTE   what a code means
  salve doctor                      what this installation has
";

/// Runs `salve demo`.
pub(crate) fn run() -> CommandResult {
    let bold = anstyle::Style::new().bold();
    let dim = anstyle::Style::new().dimmed();
    let started = Instant::now();
    output::result(&format!(
        "{bold}Salve heals what models send. Real failures, real code:{bold:#}\n\n"
    ))?;
    let mut scenes: Vec<(&str, Shown)> =
        scenes::all().into_iter().map(|scene| (scene.title, (scene.play)())).collect();
    scenes.extend(files::play()?);
    scenes.extend(processes::play()?);
    scenes.extend(heals::play()?);
    scenes.extend(talk::play()?);
    let mut healed = 0;
    for (number, (title, shown)) in scenes.iter().enumerate() {
        healed += usize::from(shown.healed);
        output::result(&format!("{bold}{}. {}{bold:#}\n{}\n", number + 1, title, shown.text))?;
    }
    let took = started.elapsed().as_micros();
    output::result(&format!(
        "{bold}{healed} of {} healed or held back{bold:#} {dim}in {}.{:03} ms, offline{dim:#}\n\n{NEXT}",
        scenes.len(),
        took / 1000,
        took % 1000,
    ))?;
    Ok(if healed == scenes.len() { Ending::Clean } else { Ending::Findings })
}
