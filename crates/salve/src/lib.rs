//! Salve: the self-healing layer between AI models and your code.
//!
//! In: what a model sent. Out: its content, proven whole, or a cut that can be continued, or a value
//! with every repair listed. Never: a guess passed off as what the model said.
//!
//! This page is the tutorial; every example runs.
//!
//! # Receive a reply
//!
//! [`receive`] cleans a reply and judges whether its content is whole. The types carry the order:
//! only a [`WholeReply`] can be parsed for use, only a [`Cut`] can be resumed.
//!
//! ```
//! use salve::{Language, PipelineOptions, RawReply, Received, receive};
//!
//! let raw = RawReply {
//!     language: Some(Language::TypeScript),
//!     ..RawReply::from_text("Sure!\n```ts\nexport const answer = 42;\n```\nHope it helps!")
//! };
//! let Received::Whole(reply) = receive(&raw, &PipelineOptions::default()) else {
//!     panic!("the reply is whole");
//! };
//! assert_eq!(reply.text(), "export const answer = 42;\n");
//! ```
//!
//! # Continue a cut
//!
//! A cut knows where and how it happened, and [`resume_prompt`] asks a model for the rest. What the
//! model sends is joined by [`resume`], which drops echoes, fences and talk, and judges the result
//! anew.
//!
//! ```
//! use salve::{
//!     Language, PipelineOptions, PromptOptions, RawReply, Received, Resumed, TruncationKind,
//!     receive, resume, resume_prompt,
//! };
//!
//! let options = PipelineOptions::default();
//! let raw = RawReply {
//!     language: Some(Language::Python),
//!     ..RawReply::from_text("def greet(name):\n    return \"Hello, ")
//! };
//! let Received::Cut(cut) = receive(&raw, &options) else { panic!("the reply is cut") };
//! assert_eq!(cut.verdict().kind, Some(TruncationKind::OpenDoubleQuote));
//!
//! let prompt = resume_prompt(cut.text(), cut.verdict(), &PromptOptions::default())?;
//! assert!(prompt.contains("OPEN_DOUBLE_QUOTE"));
//!
//! let answer = "    return \"Hello, \" + name\n";
//! let Resumed::Joined { received, .. } = resume(&cut, answer, &options) else {
//!     panic!("the parts fit");
//! };
//! assert_eq!(received.text(), "def greet(name):\n    return \"Hello, \" + name\n");
//! # Ok::<(), salve::TemplateError>(())
//! ```
//!
//! # Read JSON, however broken
//!
//! [`parse_json`] reads what is there. Every value is `Complete`, `Inferred` or `Truncated`, and
//! every repair says what it did to which bytes.
//!
//! ```
//! use salve::{ParseOptions, parse_json};
//!
//! let parsed = parse_json("Here you go: {name: 'Ada', tags: ['x', 'y',", &ParseOptions::default());
//! assert_eq!(parsed.value()["name"], "Ada");
//! assert!(!parsed.complete);
//! ```
//!
//! # Change files
//!
//! [`read_edits`] reads edits in whatever format a model writes them. [`tree::verify`] finds their
//! places or says why there is none; only what it verified can be given to [`tree::apply`], which
//! writes all files or none and can be taken back by [`tree::undo`].
//!
//! ```
//! use salve::tree::{AdmitOptions, MemoryView, Verification, VerifyOptions, verify};
//! use salve::{EditOptions, GrammarProbe, PipelineOptions, RawReply, read_edits};
//!
//! let reply = RawReply::from_text(
//!     "greet.py\n<<<<<<< SEARCH\n    return 'bye'\n=======\n    return 'see you'\n>>>>>>> REPLACE\n",
//! );
//! let edits = read_edits(&reply, &EditOptions::default(), &PipelineOptions::default());
//! let view = MemoryView::new([("greet.py", "def part():\n    return 'bye'\n")], AdmitOptions::default());
//! let options = VerifyOptions { probe: &GrammarProbe, ..VerifyOptions::default() };
//! let Verification::Verified { edits, .. } = verify(&edits, &view, &options) else {
//!     panic!("the edit fits");
//! };
//! let after = edits.files()[0].after.as_ref().map(|file| file.bytes.as_slice());
//! assert_eq!(after, Some(&b"def part():\n    return 'see you'\n"[..]));
//! ```
//!
//! # Judge a command, know an error
//!
//! [`check::judge_command`] says whether a proposed line may run and gives out the words that would;
//! [`check::Runner`] runs them in the sandbox; [`check::sign_text`] knows an error wherever it appears.
//!
//! ```
//! use salve::check::sign_text;
//!
//! let one = sign_text(None, "a.c:3:5: error: 'x' undeclared (first use in this function)\n");
//! let other = sign_text(None, "/tmp/b/a.c:91:2: error: 'x' undeclared (first use in this function)\n");
//! assert_eq!(one.run.exact, other.run.exact);
//! ```
//!
//! Text that arrives in pieces goes through the same machines: [`Cleaner`], [`Inspector`] and
//! [`JsonParser`] take `push` and `finish`, and answer the same for any way of cutting the pieces.

pub use salve_engine::facts::{CommandPaths, GrammarProbe, RepositoryFacts};
pub use salve_engine::pipeline::{
    Judgement, PipelineOptions, Received, Resumed, judge_text, read_edits, receive, resume,
};
pub use salve_syntax::{SyntaxReport, check_syntax};
pub use salve_text::*;
pub use salve_types::*;

/// The files: verify edits against them, apply them as one transaction, undo them.
pub mod tree {
    pub use salve_tree::*;
}

/// Processes: the command policy, the sandboxed runner, toolchains, diagnostics, signatures.
pub mod check {
    pub use salve_check::*;
}
