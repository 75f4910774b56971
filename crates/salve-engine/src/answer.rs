//! One answer of a model, judged and completed.
//!
//! In: a reply as it came and what was wanted. Out: a verdict; and a [`Ladder`], which says what to ask
//! for next until the answer is proven whole or nothing more can be done. Never asks anyone itself,
//! never closes or fills in what is missing, never goes beyond its caps.
//!
//! ```
//! use salve_engine::answer::{AlreadySent, AskError, Caps, Completion, Ladder, LadderAction, Wanted};
//! use salve_model::{FollowUp, ModelReply};
//! use salve_types::FinishReason;
//!
//! let reply = |text: &str, finish| ModelReply {
//!     text: text.to_owned(),
//!     finish: Some(finish),
//!     ..ModelReply::default()
//! };
//! // Stands for the model. Asking it is the caller's part.
//! let ask = |_: FollowUp| -> Result<ModelReply, AskError> {
//!     Ok(reply(" true}", FinishReason::Stop))
//! };
//! let first = reply("{\"done\":", FinishReason::Length);
//! let wanted = Wanted { json: true, ..Wanted::default() };
//! let mut ladder = Ladder::new(first, wanted, Caps::default(), AlreadySent::default());
//! let completed = loop {
//!     match ladder.next() {
//!         LadderAction::Ask(follow_up) => ladder.take(ask(follow_up)),
//!         LadderAction::Done(completed) => break completed,
//!     }
//! };
//! assert_eq!(completed.state, Completion::Whole);
//! assert_eq!(completed.reply.text, "{\"done\": true}");
//! ```

mod calls;
mod climb;
mod completed;
mod generate;
mod judge;
mod ladder;
mod prompt;
mod replies;
mod rungs;
mod stream;
mod strict;
mod tools;
mod verdict;
mod wanted;

pub use completed::{
    Completed, Completion, IncompleteCode, LadderStep, PassedBecause, StepOutcome, Truncation,
    TruncationOutcome,
};
pub use generate::{GenerateOptions, Generated, SCHEMA_NAME, complete, generate};
pub(crate) use generate::{followed_up, may_go_well_later};
pub use judge::judge;
pub use ladder::{Ladder, LadderAction};
pub use prompt::NOTE_PREFIX;
pub(crate) use prompt::note_text;
pub use stream::StreamJudge;
pub(crate) use strict::{fault_of, fault_of_value};
pub use verdict::{AnswerCut, AnswerVerdict, Fault, FaultKind, Part, WholeAnswer, WrongFinish};
pub use wanted::{AlreadySent, AskError, Caps, Wanted, WantedTool};
