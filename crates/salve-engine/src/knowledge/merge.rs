//! Two rules of one key made one.
//!
//! In: two token rules and the examples they were learned from. Out: the most specific rule that says what
//! both say: tokens that differ are left open, context that cannot be said is dropped from outside. Only
//! where every example still holds: the rule makes the fix of two at least, and nothing else of any.

use super::replay::KnownFixes;
use super::rule::{FixExample, FixRule, Piece, RuleBody, TokenRule, WordKind};
use super::tokens::Tokens;
use salve_types::Language;

/// Merges two rules; nothing when they differ in what they write, when the outcome is one of them, or when
/// an example would not hold any more.
pub fn merge(one: &FixRule, other: &FixRule, examples: &[FixExample]) -> Option<FixRule> {
    merge_on(one, other, &KnownFixes::of(examples))
}

/// The same with examples that were read.
pub(super) fn merge_on(
    one: &FixRule,
    other: &FixRule,
    examples: &KnownFixes<'_>,
) -> Option<FixRule> {
    if one.key != other.key || one.language != other.language {
        return None;
    }
    let (RuleBody::Token(left), RuleBody::Token(right)) = (&one.body, &other.body) else {
        return None;
    };
    let body = common(left, right, one.language)?;
    let level = one.level.max(other.level).max(1);
    let merged = FixRule::new(one.key.clone(), one.language, level, RuleBody::Token(body));
    if merged.body == one.body || merged.body == other.body {
        return None;
    }
    let made = examples.replay(&merged);
    (made.right > 1 && made.fired == made.right).then_some(merged)
}

fn common(one: &TokenRule, other: &TokenRule, language: Language) -> Option<TokenRule> {
    let same = one.anchor == other.anchor
        && one.insert == other.insert
        && one.holes == other.holes
        && one.before_next == other.before_next
        && one.remove.len() == other.remove.len();
    if !same {
        return None;
    }
    let open = |one: &Piece, other: &Piece| opened(one, other, language);
    let remove: Option<Vec<Piece>> =
        one.remove.iter().zip(&other.remove).map(|(one, other)| open(one, other)).collect();
    // From the edit outwards, up to the first token that cannot be said in general.
    let mut left: Vec<Piece> = one
        .left
        .iter()
        .rev()
        .zip(other.left.iter().rev())
        .map_while(|(one, other)| open(one, other))
        .collect();
    left.reverse();
    let right =
        one.right.iter().zip(&other.right).map_while(|(one, other)| open(one, other)).collect();
    let both = |one: &Option<Piece>, other: &Option<Piece>| open(one.as_ref()?, other.as_ref()?);
    let mut needs = one.needs.clone();
    needs.extend(other.needs.iter().filter(|name| !one.needs.contains(name)).cloned());
    Some(TokenRule {
        at: both(&one.at, &other.at),
        head: both(&one.head, &other.head),
        left,
        remove: remove?,
        right,
        needs,
        ..one.clone()
    })
}

fn opened(one: &Piece, other: &Piece, language: Language) -> Option<Piece> {
    if one == other {
        return Some(one.clone());
    }
    let kind = |piece: &Piece| match piece {
        Piece::Any(kind) => Some(*kind),
        Piece::Exact(word) => {
            let tokens = Tokens::of(word, language)?;
            tokens.all.first().map(|token| token.kind)
        }
        Piece::Hole(_) | Piece::Start | Piece::End => None,
    };
    let (one, other) = (kind(one)?, kind(other)?);
    // Two marks that differ say nothing in common.
    (one == other && one != WordKind::Mark).then_some(Piece::Any(one))
}
