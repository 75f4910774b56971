//! From a cut text to a whole one: what to ask the model, and how to join what it answers.
//!
//! In: the text so far with its verdict; later the model's continuation. Out: a prompt; later the
//! joined text with a report of everything that was dropped, or a refusal with its reason. Never
//! calls a model, never invents code, and never joins where two readings are equally likely.

mod breaks;
mod candidate;
mod chat;
mod choice;
mod overlap;
mod prompt;
mod related;
mod repetition;
mod seam;
mod shape;
mod stitch;
mod tail;
mod template;
mod ties;
mod told;
mod weights;
mod wrapper;

pub use breaks::FinalBreak;
pub use chat::stitch_chat;
pub use prompt::{PromptOptions, resume_prompt, resume_prompt_for};
pub use stitch::{
    DropReason, Dropped, RefusalReason, Reindented, Stitch, StitchOptions, StitchOutcome, stitch,
    stitch_with,
};
pub use tail::{context_tail, fence_around};
pub use template::{Template, TemplateError};

/// The name under which checks of a text are logged.
pub const CHECK_SOURCE: &str = "inspect";

/// The name under which continuations of a cut text are logged; never the name of the check.
pub const CONTINUATION_SOURCE: &str = "resume";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t42_check_and_continuation_have_distinct_log_names() {
        assert_ne!(CHECK_SOURCE, CONTINUATION_SOURCE);
    }
}
