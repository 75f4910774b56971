//! Simulated models: scripted and recorded, as a library and as an HTTP server.
//!
//! In: a script or a recording. Out: answers and failures, the same every time, in no provider's
//! words (`Model`) or in all three dialects (`SimServer`). Never reaches beyond this machine, except
//! to record.
//!
//! A script is JSON lines, one rule each; `docs/sim.md` lists every field:
//!
//! ```
//! use salve_model::sim::{Script, ScriptedModel};
//! use salve_model::{Model, ModelRequest, Turn};
//!
//! let script = Script::parse(
//!     r#"{"reply":{"continues":true,"text":"one two three","cuts":[4]}}"#,
//! )?;
//! let model = ScriptedModel::new(script);
//! let ask = async |turns| {
//!     let request = ModelRequest { turns, max_output_tokens: 100, ..ModelRequest::default() };
//!     model.call(&request, &mut ()).await
//! };
//! let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! let cut = runtime.block_on(ask(vec![Turn::user("count")]))?;
//! assert_eq!(cut.text, "one ");
//! let turns = vec![Turn::user("count"), Turn::assistant("one "), Turn::user("continue")];
//! let rest = runtime.block_on(ask(turns))?;
//! assert_eq!(rest.text, "two three");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! From script to bytes: `script` reads rules; `heard` is what a request says; `play` chooses a rule,
//! asks `continuer` where an answer goes on, and cuts with `answer`; `write` spells the reply;
//! `template` keeps it encoded; `stage` and `server` answer HTTP with a `body` that breaks as told.
//! `files` keeps what is uploaded. `recorded`, `tape` and `relay` do the same from recordings.

mod answer;
mod body;
mod calls;
mod compare;
mod continuer;
mod draw;
mod files;
mod heard;
mod play;
mod recorded;
mod relay;
mod script;
mod scripted;
mod server;
mod stage;
mod tape;
mod template;
mod write;

pub use calls::{Calls, KeptRequests, RuleCalls, SeenRequest};
pub use files::SimFile;
pub use recorded::{RecordedModel, Recorder, RecordingError};
pub use relay::Relay;
pub use script::{
    Chatty, Chunk, CutAt, Delay, Finish, Garbage, Nth, Reply, Script, ScriptError, ScriptRule,
    ScriptedCall, Told, When,
};
pub use scripted::ScriptedModel;
pub use server::{SimError, SimHandle, SimServer};
pub use tape::Tape;
pub use write::{Envelope, Frames, write_error, write_reply, write_stream};

#[cfg(test)]
mod tests;
