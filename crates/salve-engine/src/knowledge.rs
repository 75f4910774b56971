//! What accepted fixes teach: rules that heal the same kind of error without a model.
//!
//! In: fixes that a check accepted, and rules as people write them. Out: rules from specific to general,
//! and what they propose for a diagnostic, best first. Everything here is pure: no file, no clock, no
//! store, the same result for the same input. Never a claim that a proposal holds: the check decides.

mod context;
mod edit;
mod fit;
mod index;
mod learn;
mod merge;
mod near;
mod rank;
mod replay;
mod rule;
mod structure;
mod template;
mod text;
mod tokens;

pub use context::rule_classes;
pub use edit::RuleEdit;
pub use fit::apply_rule;
pub use index::{RuleIndex, RuleRecord};
pub use learn::learn;
pub use merge::merge;
pub use rank::{FixerRecord, Ranking};
pub use replay::{Replay, replay};
pub use rule::{
    Anchor, FixExample, FixRule, Hole, HoleSource, Insertion, NamedHole, Piece, RuleBody, RuleKey,
    StructureRule, TemplateRule, TokenRule, WordKind,
};
pub use text::{RuleFileError, read_rule, rule_text};
