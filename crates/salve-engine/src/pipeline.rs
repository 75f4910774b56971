//! The pipeline, top to bottom: the table of contents of Salve.
//!
//! In: a reply as received. Out: a whole text, ready to be parsed, or a cut that can be resumed.
//! Never decides anything itself: each step is a stage's function.
//!
//! | stage | function | crate |
//! |---|---|---|
//! | clean | `salve_text::clean` | salve-text |
//! | inspect | `salve_text::inspect`, then the grammar's second opinion | salve-text, salve-syntax |
//! | resume | `salve_text::resume_prompt`, then `salve_text::stitch` | salve-text |
//! | parse | `salve_text::parse`; edits: `read_edits` beside this file | salve-text |
//! | verify | `salve_tree::verify`, the grammars through `GrammarProbe` | salve-tree |
//! | apply | `salve_tree::apply` | salve-tree |
//! | roll back | `salve_tree::recover` at every start; `salve_tree::undo` | salve-tree |

use salve_syntax::second_opinion;
use salve_text::{
    CleanOptions, CleanReply, Cut, InspectOptions, Inspection, Stitch, StitchOptions,
    StitchOutcome, WholeReply, clean, inspect, stitch,
};
use salve_types::{RawReply, Verdict};

/// What the stages need to know beyond the reply itself.
#[derive(Debug, Clone, Default)]
pub struct PipelineOptions {
    /// For the cleaner.
    pub clean: CleanOptions,
    /// For the inspector.
    pub inspect: InspectOptions,
}

/// What became of a reply: the types carry the order of the stages.
#[must_use]
#[derive(Debug)]
pub enum Received {
    /// Nothing proves the text incomplete; it may be parsed.
    Whole(WholeReply),
    /// The text is cut; it may be resumed or shown, never written.
    Cut(Cut),
}

/// What became of a continuation.
#[must_use]
#[derive(Debug)]
pub enum Resumed {
    /// The parts were joined; the joined text was received anew.
    Joined {
        /// Whole, or cut again.
        received: Box<Received>,
        /// What the stitcher did.
        stitch: Stitch,
    },
    /// No join is safe.
    Refused(Stitch),
}

/// Cleans and inspects a reply.
pub fn receive(raw: &RawReply, options: &PipelineOptions) -> Received {
    admit(clean(raw, &clean_options(raw, options)), &inspect_options(raw, options))
}

/// Joins a cut and its continuation, and receives the result anew.
pub fn resume(cut: &Cut, continuation: &str, options: &PipelineOptions) -> Resumed {
    let language = Some(cut.verdict().language);
    let joined =
        stitch(cut.text(), continuation, &StitchOptions { language, ..StitchOptions::default() });
    match &joined.outcome {
        StitchOutcome::Refused { .. } => Resumed::Refused(joined),
        StitchOutcome::Joined { text } => {
            let raw = RawReply { language, ..RawReply::from_text(text.clone()) };
            Resumed::Joined { received: Box::new(receive(&raw, options)), stitch: joined }
        }
    }
}

impl Received {
    /// Returns the cleaned text.
    pub fn text(&self) -> &str {
        match self {
            Self::Whole(whole) => whole.text(),
            Self::Cut(cut) => cut.text(),
        }
    }

    /// Returns the verdict, the second opinion included.
    pub fn verdict(&self) -> &Verdict {
        match self {
            Self::Whole(whole) => whole.verdict(),
            Self::Cut(cut) => cut.verdict(),
        }
    }
}

/// Inspects a cleaned reply and lets the grammar have its say.
pub(crate) fn admit(cleaned: CleanReply, options: &InspectOptions) -> Received {
    match inspect(cleaned, options) {
        Inspection::Cut(cut) => Received::Cut(cut),
        Inspection::Whole(whole) => {
            let verdict = second_opinion(whole.verdict().clone(), whole.text());
            match whole.reconsider(verdict) {
                Inspection::Whole(whole) => Received::Whole(whole),
                Inspection::Cut(cut) => Received::Cut(cut),
            }
        }
    }
}

/// What the caller knows about the reply goes before what the options say in general.
pub(crate) fn clean_options(raw: &RawReply, options: &PipelineOptions) -> CleanOptions {
    let mut clean = options.clean.clone();
    clean.language = raw.language.or(clean.language);
    clean.path = raw.path.clone().or(clean.path);
    clean
}

/// As [`clean_options`], for the inspector.
pub(crate) fn inspect_options(raw: &RawReply, options: &PipelineOptions) -> InspectOptions {
    let mut inspect = options.inspect.clone();
    inspect.language = raw.language.or(inspect.language);
    inspect.path = raw.path.clone().or(inspect.path);
    inspect.finish_reason = raw.finish_reason.clone().or(inspect.finish_reason);
    inspect
}
