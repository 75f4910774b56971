//! What is kept of an answer on its way: raw, partial, result.
//!
//! In: every piece before anything is made of it, then what it became. Out: nothing. The three slots
//! are apart: a raw text is always there, a result only when it is whole.

use salve_model::{ModelReply, Purpose};

/// Someone who keeps texts. Each method does nothing unless it is written.
pub trait Keep: Send {
    /// A reply arrived, and nothing has read it yet.
    fn raw(&mut self, purpose: Purpose, reply: &ModelReply) {
        let _ = (purpose, reply);
    }

    /// The answer as far as it came; it may be shown, never used.
    fn partial(&mut self, reply: &ModelReply) {
        let _ = reply;
    }

    /// The whole answer.
    fn result(&mut self, reply: &ModelReply) {
        let _ = reply;
    }
}

/// Keeps nothing.
impl Keep for () {}
