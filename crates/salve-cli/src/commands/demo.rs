//! `salve demo`: five real failures through the real code.
//!
//! In: the scenes below, as models sent them. Out: for each, what arrived, what Salve says, and what
//! comes out; then what to try next. Never shows a canned answer: every line after "received" is
//! computed, and a scene that is not healed is counted as such.

mod scenes;
mod stage;

use crate::failure::{CommandResult, Ending};
use crate::output;
use std::time::Instant;

const NEXT: &str = "\
Try next
  salve inspect FILE                is it whole? where was it cut?
  salve resume prompt FILE          the prompt that makes a model continue there
  salve clean --explain < reply.md  the content, and what was set aside
  salve parse --format json < reply the JSON in a reply, repairs listed
  salve explain OPEN_DOUBLE_QUOTE   what a code means
  salve doctor                      what this installation has
";

/// Runs `salve demo`.
pub(crate) fn run() -> CommandResult {
    let bold = anstyle::Style::new().bold();
    let dim = anstyle::Style::new().dimmed();
    let started = Instant::now();
    output::result(&format!(
        "{bold}Salve heals what models send. Five real failures:{bold:#}\n\n"
    ))?;
    let scenes = scenes::all();
    let mut healed = 0;
    for (number, scene) in scenes.iter().enumerate() {
        let shown = (scene.play)();
        healed += usize::from(shown.healed);
        output::result(&format!(
            "{bold}{}. {}{bold:#}\n{}\n",
            number + 1,
            scene.title,
            shown.text
        ))?;
    }
    let took = started.elapsed().as_micros();
    output::result(&format!(
        "{bold}{healed} of {} healed{bold:#} {dim}in {}.{:03} ms, offline{dim:#}\n\n{NEXT}",
        scenes.len(),
        took / 1000,
        took % 1000,
    ))?;
    Ok(if healed == scenes.len() { Ending::Clean } else { Ending::Findings })
}
