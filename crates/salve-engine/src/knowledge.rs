//! What accepted fixes teach: rules that heal the same kind of error without a model.
//!
//! In: fixes that a check accepted, and rules as people write them. Out: rules from specific to general,
//! and what they propose for a diagnostic, best first; fixes as they were, found again by the error they
//! ended. All of it is pure but `recall` and `remember`, which read and write the store. Never a claim that a
//! proposal holds: the check decides.

mod again;
mod context;
mod edit;
mod fit;
mod index;
mod learn;
mod lesson;
mod merge;
mod near;
mod pairs;
mod parts;
mod rank;
mod recall;
mod remember;
mod replay;
mod rule;
mod settings;
mod structure;
mod template;
mod text;
mod tokens;

pub use again::made_again;
pub use context::rule_classes;
pub use edit::RuleEdit;
pub use fit::apply_rule;
pub use index::{RuleIndex, RuleRecord};
pub use learn::learn;
pub use lesson::{Lesson, LessonFile, StoredFile, StoredFix, StoredHunk};
pub use merge::merge;
pub use pairs::{LearnPair, PairError, example_of};
pub use parts::FileParts;
pub use recall::{Recalled, failed_before, is_known_source, recall};
pub use remember::{Remembering, Taught};
pub use replay::{Replay, replay};
pub use rule::{
    Anchor, FixExample, FixRule, Hole, HoleSource, Insertion, NamedHole, Piece, RuleBody, RuleKey,
    StructureRule, TemplateRule, TokenRule, WordKind,
};
pub use settings::KnowledgeSettings;
pub use text::{RuleFileError, read_rule, rule_text};

use again::Names;

const KNOWN: &str = "known:";
/// The author of a rule's fix, before the id of the rule.
const RULE: &str = "rule:";

#[cfg(test)]
mod poison;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod testing;

// The author of a fix that is made again: which fix, and for which error, by its exact signature.
fn known_author(fix: &str, exact: &str) -> String {
    format!("{KNOWN}{fix} for {exact}")
}

// The fix and the error that such an author names.
fn known_fix(author: &str) -> Option<(&str, &str)> {
    author.strip_prefix(KNOWN)?.split_once(" for ")
}

// Whether a path names a file below the folder it is relative to.
fn is_inside(path: &str) -> bool {
    let normal = |part| matches!(part, std::path::Component::Normal(_));
    !path.is_empty() && std::path::Path::new(path).components().all(normal)
}
