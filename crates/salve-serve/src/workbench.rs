//! The workbench: pages and an API on this machine, for one workspace.
//!
//! In: requests of a person's browser and of their programs, past the guard. Out: pages that Rust renders, events,
//! and turns of conversations. Never lets anything in without a token, never has an effect on a GET, and trusts no
//! text of a model as HTML.

mod access;
mod answer;
mod api;
mod assets;
mod check;
mod config;
mod face;
mod pages;
mod plan_runs;
mod state;
mod stream;
pub mod view;

pub use check::{CheckedTurn, TurnCheckError, check_turn};
pub use config::{
    CommandChoice, DoctorRow, HostFault, SettingChanged, SettingRow, WorkbenchConfig,
    WorkbenchHost, WorkbenchLabel,
};

use crate::http::{ListenError, Server, ServerHandle};
use access::Access;
use face::WorkbenchFace;
use salve_engine::session::ConversationError;
use state::WorkbenchState;
use std::net::SocketAddr;
use std::sync::Arc;

/// Why a workbench does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkbenchError {
    /// It cannot listen where it should.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// Turns that were interrupted cannot be gone on with.
    #[error("the turns that were interrupted cannot be read")]
    Turns(#[source] ConversationError),
}

/// A workbench that is running. Dropping it stops it without waiting.
pub struct Workbench {
    server: ServerHandle,
    state: Arc<WorkbenchState>,
}

impl Workbench {
    /// Starts to listen, in the runtime it is called in. Turns that were interrupted go on.
    ///
    /// # Errors
    /// When it cannot listen, or what is remembered cannot be read.
    pub async fn start(config: WorkbenchConfig) -> Result<Self, WorkbenchError> {
        let server = Server::bind(config.server.clone()).await?.with_pages();
        let access = Access::new(server.addr().port());
        let state = Arc::new(WorkbenchState::new(config, access));
        state.go_on().await.map_err(WorkbenchError::Turns)?;
        let server = server.serve(Arc::new(WorkbenchFace::new(Arc::clone(&state))));
        Ok(Self { server, state })
    }

    /// Returns where it listens.
    pub const fn addr(&self) -> SocketAddr {
        self.server.addr
    }

    /// Returns an address that lets one browser in, once. The one before it lets nobody in any more.
    pub fn fresh_address(&self) -> String {
        format!("http://{}/#token={}", self.server.addr, self.state.access.fresh_token())
    }

    /// Returns the token that programs send as `Authorization: Bearer`.
    pub fn api_token(&self) -> &str {
        self.state.access.api_token()
    }

    /// Takes no more requests, ends the streams, and hands back the turn that runs.
    pub async fn stop(self) {
        self.state.close();
        let _ = self.server.stop().await;
        self.state.stop().await;
    }
}
