//! The log of commands that serve.
//!
//! In: how it is written, and how much. Out: our own events on standard error. Never what libraries
//! log: that may quote a header or a password.

use crate::arguments::LogFormat;
use std::io::IsTerminal;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Starts the log. A second start in one process keeps the first.
pub(crate) fn start(format: LogFormat, verbose: bool) {
    let level = if verbose { LevelFilter::DEBUG } else { LevelFilter::INFO };
    let ours = Targets::new().with_target("salve", level);
    let registry = tracing_subscriber::registry();
    let writer = std::io::stderr;
    let _ = match format {
        LogFormat::Json => {
            let layer = tracing_subscriber::fmt::layer().json().flatten_event(true);
            registry.with(ours).with(layer.with_writer(writer)).try_init()
        }
        LogFormat::Human => {
            let layer = tracing_subscriber::fmt::layer().with_target(false).compact();
            let colours = std::io::stderr().is_terminal();
            registry.with(ours).with(layer.with_ansi(colours).with_writer(writer)).try_init()
        }
    };
}
