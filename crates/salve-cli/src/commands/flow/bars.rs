//! A bar for each block of a workflow, while it runs.
//!
//! In: what begins and what ended. Out: standard error, at a terminal. Never a bar for what does not run.

use crate::change::visible;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use salve_engine::workflow::StepLine;
use salve_types::Signal;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::Duration;

const TICK: Duration = Duration::from_millis(100);

/// The bars.
pub(super) struct Bars {
    all: MultiProgress,
    blocks: BTreeMap<String, ProgressBar>,
}

impl Bars {
    /// Begins to show bars; nothing where standard error is no terminal.
    pub(super) fn new() -> Option<Self> {
        let all = MultiProgress::new();
        std::io::stderr().is_terminal().then(|| Self { all, blocks: BTreeMap::new() })
    }

    /// A block begins.
    pub(super) fn begins(&mut self, block: &str, worker: &str, run: u64) {
        let bar = self.blocks.entry(block.to_owned()).or_insert_with(|| {
            let bar = self.all.add(ProgressBar::new_spinner());
            bar.set_prefix(visible(block));
            bar
        });
        bar.reset();
        bar.set_style(style("{spinner:.cyan} {prefix:.bold}  {msg}  {elapsed}"));
        bar.enable_steady_tick(TICK);
        let run = if run > 1 { format!(", run {run}") } else { String::new() };
        bar.set_message(visible(&format!("{worker}{run}")));
    }

    /// A block ended.
    pub(super) fn ended(&mut self, line: &StepLine) {
        let Some(bar) = self.blocks.get(&line.block) else { return };
        let sign = if line.signal == Signal::Success {
            "\u{1b}[32m✓\u{1b}[0m"
        } else {
            "\u{1b}[33m↺\u{1b}[0m"
        };
        bar.disable_steady_tick();
        bar.set_style(style(&format!("{sign} {{prefix:.bold}}  {{msg}}  {{elapsed}}")));
        bar.set_message(format!("{}, run {}", line.signal.name(), line.run));
        bar.tick();
    }

    /// Leaves the bars as they are.
    pub(super) fn finish(self) {
        self.blocks.values().for_each(ProgressBar::abandon);
    }
}

fn style(template: &str) -> ProgressStyle {
    // A template of ours that cannot be read shows as the plain spinner.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
