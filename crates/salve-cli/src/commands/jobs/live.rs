//! Shows a job while it runs: a line for each step on a terminal, plain lines elsewhere.
//!
//! In: events. Out: standard error. Never on standard output, which is the result's, and never a
//! moving picture where there is no terminal.

use super::progress::{Line, Progress, named};
use crate::change::visible;
use crate::environment;
use crate::output;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use salve_jobs::{Happened, JobEvent};
use std::io::IsTerminal;
use std::time::Duration;

const TICK: Duration = Duration::from_millis(100);

/// What is shown.
pub(super) struct Live {
    /// What is known of the job.
    pub(super) progress: Progress,
    screen: Option<Screen>,
    quiet: bool,
}

struct Screen {
    all: MultiProgress,
    head: ProgressBar,
    steps: Vec<ProgressBar>,
}

impl Live {
    /// Begins to show a job. `quiet` keeps to what has to be said.
    pub(super) fn new(title: &str, quiet: bool) -> Self {
        let screen = (!quiet && std::io::stderr().is_terminal()).then(|| Screen::new(title));
        Self { progress: Progress::default(), screen, quiet }
    }

    /// Takes the next event and shows what it changed.
    pub(super) fn take(&mut self, event: &JobEvent) {
        let line = self.progress.take(event);
        match &mut self.screen {
            Some(screen) => screen.draw(&self.progress),
            None if self.quiet => {}
            // A step is reported when it is done: one line each.
            None if is_beginning(event) => {}
            None => {
                if let Some(line) = line {
                    output::story(&format!("{}\n", visible(&line)));
                }
            }
        }
    }

    /// Draws again what time alone changes.
    pub(super) fn tick(&mut self) {
        if let Some(screen) = &mut self.screen {
            screen.draw(&self.progress);
        }
    }

    /// Leaves what is shown as it is, and ends it.
    pub(super) fn finish(&mut self) {
        if let Some(mut screen) = self.screen.take() {
            screen.draw(&self.progress);
            screen.head.abandon();
            for step in &screen.steps {
                step.abandon();
            }
            // What follows begins on a line of its own.
            output::story("\n");
        }
    }
}

fn is_beginning(event: &JobEvent) -> bool {
    matches!(event.what, Happened::StepScheduled { attempt: 0 | 1, .. })
}

impl Screen {
    fn new(title: &str) -> Self {
        let all = MultiProgress::new();
        let head = all.add(ProgressBar::new_spinner());
        head.set_style(style("{spinner:.cyan} {prefix:.bold}  {wide_msg}"));
        head.set_prefix(visible(title));
        head.enable_steady_tick(TICK);
        Self { all, head, steps: Vec::new() }
    }

    fn draw(&mut self, progress: &Progress) {
        for (at, line) in progress.lines.iter().enumerate() {
            if self.steps.len() <= at {
                let step = self.all.add(ProgressBar::new_spinner());
                step.set_style(style("  {spinner:.yellow} {wide_msg}"));
                step.enable_steady_tick(TICK);
                self.steps.push(step);
            }
            let step = &self.steps[at];
            if !step.is_finished() {
                show(step, line);
            }
        }
        let stage = progress.stage.as_deref().unwrap_or("pending");
        let rest = match (&progress.toast, progress.waiting_on(environment::now())) {
            (Some(toast), _) => format!(": {toast}"),
            (None, Some(waits)) => format!(", waits for {waits}"),
            (None, None) => String::new(),
        };
        self.head.set_message(visible(&format!("{stage}{rest}")));
    }
}

fn show(step: &ProgressBar, line: &Line) {
    let name = visible(&named(&line.name, line.attempt));
    let until = line.ended.as_ref().map_or_else(environment::now, |(at, _)| *at);
    let tenths = (until.0 - line.began.0).max(0) / 100;
    let took = format!("{}.{} s", tenths / 10, tenths % 10);
    match &line.ended {
        None => step.set_message(format!("{name}  {took}")),
        Some((_, None)) => {
            step.set_style(style("  {wide_msg}"));
            step.abandon_with_message(format!("\u{1b}[32m✓\u{1b}[0m {name}  {took}"));
        }
        Some((_, Some(wrong))) => {
            step.set_style(style("  {wide_msg}"));
            let wrong = visible(wrong);
            step.abandon_with_message(format!("\u{1b}[31m✗\u{1b}[0m {name}  {took}  {wrong}"));
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    // A template of ours that cannot be read shows as the plain spinner.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
