//! The clean reply: content, and an account of everything that is not content.
//!
//! In: what the cleaner decided. Out: read-only views of it. Never made outside the cleaner, so a
//! stage that takes one knows that cleaning took place.

use salve_types::{FinishReason, Language, Span};
use serde::Serialize;

/// A reply reduced to its content, with everything that was set aside.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanReply {
    pub(super) raw: String,
    pub(super) text: String,
    pub(super) aside: Vec<Aside>,
    pub(super) blocks: Vec<Block>,
    pub(super) language: Option<Language>,
    pub(super) path: Option<String>,
    pub(super) unclosed_fence: bool,
    pub(super) unclosed_thinking: bool,
    pub(super) unclosed_wrapper: bool,
    pub(super) sentinel_seen: bool,
    pub(super) finish_reason: Option<FinishReason>,
}

impl CleanReply {
    /// Returns the content.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Gives up the account and keeps the content.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Returns the reply as it came.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// Returns the language that was asked for, or else the one the reply names.
    pub const fn language(&self) -> Option<Language> {
        self.language
    }

    /// Returns the path that was asked for, or else the one the reply names.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// Lists what was set aside or changed, in the order of the raw text.
    ///
    /// Going through the raw text and putting what each aside `becomes` (mostly nothing) in the
    /// place of its span gives the content, byte for byte.
    pub fn aside(&self) -> &[Aside] {
        &self.aside
    }

    /// Returns the raw text of an aside.
    pub fn aside_text(&self, aside: &Aside) -> &str {
        self.raw.get(aside.span.range()).unwrap_or_default()
    }

    /// Lists the fenced blocks and files of the reply, the one that was taken and the others.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns whether the fence of the content was never closed: the reply was cut.
    pub const fn unclosed_fence(&self) -> bool {
        self.unclosed_fence
    }

    /// Returns whether the reply ends inside the model's thinking: no content was reached.
    pub const fn unclosed_thinking(&self) -> bool {
        self.unclosed_thinking
    }

    /// Returns whether a tag around the content (`<answer>`, `<tool_call>`) was never closed.
    pub const fn unclosed_wrapper(&self) -> bool {
        self.unclosed_wrapper
    }

    /// Returns whether the completion sentinel ended the content.
    pub const fn sentinel_seen(&self) -> bool {
        self.sentinel_seen
    }

    /// Returns why the provider says the model stopped, if it said so.
    pub const fn finish_reason(&self) -> Option<&FinishReason> {
        self.finish_reason.as_ref()
    }
}

/// A part of the raw text that is not in the content as it stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Aside {
    /// Where, in bytes of the raw text.
    pub span: Span,
    /// Why it is not content.
    pub reason: AsideReason,
    /// What is in its place in the content: a character for an escape, otherwise nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub becomes: Option<char>,
}

/// Why a part of a reply is not content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AsideReason {
    /// A byte order mark or characters without width before the text.
    Invisible,
    /// A token of the model's own alphabet, such as `<|im_end|>`.
    SpecialToken,
    /// The model's thinking, with its tags.
    Thinking,
    /// Thinking that was never closed.
    UnclosedThinking,
    /// A tag around the content, such as `<answer>` or `<tool_call>`.
    Wrapper,
    /// The line of a fence.
    Fence,
    /// Indentation that belongs to the fence, not to the content.
    FenceIndent,
    /// A fenced block or file that was not the one wanted.
    OtherBlock,
    /// A line outside a block that names the block's file.
    PathLabel,
    /// Talk before the content.
    ChatBefore,
    /// Talk after the content.
    ChatAfter,
    /// Everything before a document's first heading or front matter.
    Preamble,
    /// The completion sentinel.
    Sentinel,
    /// A line number copied from a listing.
    LineNumber,
    /// Quotes and escapes of a JSON string that holds the content.
    Escape,
    /// The JSON object around the code.
    Carrier,
}

impl AsideReason {
    /// Returns the reason as it is on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Invisible => "invisible",
            Self::SpecialToken => "special_token",
            Self::Thinking => "thinking",
            Self::UnclosedThinking => "unclosed_thinking",
            Self::Wrapper => "wrapper",
            Self::Fence => "fence",
            Self::FenceIndent => "fence_indent",
            Self::OtherBlock => "other_block",
            Self::PathLabel => "path_label",
            Self::ChatBefore => "chat_before",
            Self::ChatAfter => "chat_after",
            Self::Preamble => "preamble",
            Self::Sentinel => "sentinel",
            Self::LineNumber => "line_number",
            Self::Escape => "escape",
            Self::Carrier => "carrier",
        }
    }
}

/// A fenced block or tagged file of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Block {
    /// The language its label names, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// The file its label names, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The label after the fence as it stood.
    pub info: String,
    /// Its content, in bytes of the raw text.
    pub span: Span,
    /// Whether it was closed.
    pub closed: bool,
    /// Whether it became the content.
    pub chosen: bool,
}
