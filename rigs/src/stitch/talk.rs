//! What models say around code, for the generator.
//!
//! In: a random source. Out: sentences. Never read by the stitcher, which has its own idea of talk.

use crate::corpus::Random;

/// Picks one of the texts.
pub(crate) fn pick<'a>(texts: &[&'a str], random: &mut Random) -> &'a str {
    texts[random.below(texts.len())]
}

/// Sentences before a continuation.
pub(crate) const PREAMBLES: &[&str] = &[
    "Sure, continuing:",
    "Sure! Here's the rest of the code:",
    "Here is the rest of the file:",
    "Here is the continuation:",
    "Certainly! Continuing from where I left off:",
    "Continuing from the cutoff point:",
    "Of course. Here is the remaining code:",
    "Apologies for the interruption. Here is the remainder:",
    "I'll continue from where the response was cut off.",
    "Okay, picking up exactly where it stopped:",
    "Continuing...",
    "Here's the continuation of the code from the exact cutoff point:",
];

/// Sentences after a closing fence.
pub(crate) const TRAILERS: &[&str] = &[
    "Let me know if you need anything else!",
    "This completes the file.",
    "The code is now complete and picks up exactly where it was cut off.",
    "I hope this helps! Feel free to ask if something is unclear.",
    "That's the rest of the implementation.",
];

/// Replies that are no continuation at all.
pub(crate) const REFUSALS: &[&str] = &[
    "I'm sorry, but I can't continue the previous response.",
    "I apologize for the confusion. Could you please provide the full file so that I can continue?",
    "I cannot help with that request.",
    "It looks like the message was cut off. What would you like me to do next?",
    "I'm sorry, I don't have access to the earlier part of the conversation.\n\nPlease share the code again and I will take a look.",
    "As an AI language model, I do not keep state between messages.",
    "Unfortunately I am unable to see where the previous output ended.",
    "There is nothing left to add. The previous response was already complete.",
];
