//! Simulated models: scripted and recorded, as a library and as an HTTP server.
//!
//! In: a script or a recording. Out: answers and failures, the same every time, in no provider's
//! words (`Model`) or in all three dialects (`SimServer`). Never reaches beyond this machine.

mod answer;
mod body;
mod calls;
mod compare;
mod continuer;
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

pub use calls::{Calls, Keep, RuleCalls, SeenRequest};
pub use recorded::{RecordedModel, Recorder, RecordingError};
pub use relay::Relay;
pub use script::{
    Chatty, Chunk, CutAt, Delay, Finish, Garbage, Nth, Reply, Rule, Script, ScriptError,
    ScriptedCall, Told, When,
};
pub use scripted::ScriptedModel;
pub use server::{SimError, SimHandle, SimServer};
pub use tape::Tape;
pub use write::{Envelope, Frames, write_error, write_reply, write_stream};

#[cfg(test)]
mod tests;
