//! The asynchronous runtime for commands that serve, and the signals that end them.
//!
//! In: a future. Out: what it returns, after everything it started is gone. Never started by
//! commands that only read and print.

use crate::failure::Failure;
use std::future::Future;
use std::time::Duration;

/// Runs a future to its end on all cores.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("salve")
        .build()
        .map_err(|error| Failure::new(format!("the runtime cannot be started: {error}")))?;
    let result = runtime.block_on(future);
    // What still hangs in a system call must not keep the command from ending.
    runtime.shutdown_timeout(Duration::from_secs(2));
    Ok(result)
}

/// Waits for Ctrl-C, or for the request to terminate that service managers send.
pub(crate) async fn interrupted() -> Result<(), Failure> {
    interruption().await.map(drop)
}

/// What ended a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interruption {
    /// A person pressed Ctrl-C.
    CtrlC,
    /// A service manager ends the process.
    Terminate,
}

/// Waits as [`interrupted`] does, and says for what.
pub(crate) async fn interruption() -> Result<Interruption, Failure> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            ended = tokio::signal::ctrl_c() => ended?,
            _ = terminate.recv() => return Ok(Interruption::Terminate),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await?;
    Ok(Interruption::CtrlC)
}
