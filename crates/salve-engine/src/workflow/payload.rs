//! Which segments of a payload the next block sees.
//!
//! In: the `payload_merge_strategy` of a block, the payload that it leaves. Out: the payload that goes on. Never a
//! segment that was not there, and never another order.

use salve_types::{Segment, SegmentKind, Signal};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A merge strategy.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MergeRule {
    /// The kinds that go on; all where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<SegmentKind>,
    /// Whether of each kind only the newest goes on; without kinds, only the newest of all.
    #[serde(default)]
    pub latest: bool,
}

/// Returns the payload that goes on. What a block that did not succeed leaves goes on as it is: the note says to the
/// next run what was wrong.
pub fn merged(payload: Vec<Segment>, rule: &MergeRule, signal: Signal) -> Vec<Segment> {
    if signal != Signal::Success {
        return payload;
    }
    if rule.kinds.is_empty() {
        return match (rule.latest, payload.last()) {
            (true, Some(newest)) => vec![newest.clone()],
            _ => payload,
        };
    }
    let mut newest = BTreeSet::new();
    let mut kept: Vec<Segment> = payload
        .into_iter()
        .rev()
        .filter(|segment| rule.kinds.contains(&segment.kind))
        .filter(|segment| !rule.latest || newest.insert(segment.kind.name()))
        .collect();
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o36_the_strategy_decides_what_the_next_block_sees() {
        use SegmentKind::{CodeOutput, FileWritten, Request};
        let segment = |kind, content: &str| Segment {
            id: String::new(),
            kind,
            content: content.to_owned(),
            timestamp: String::new(),
        };
        let payload = || {
            vec![
                segment(Request, "r"),
                segment(CodeOutput, "a"),
                segment(FileWritten, "f"),
                segment(CodeOutput, "b"),
            ]
        };
        let texts = |kinds: &[SegmentKind], latest, signal| {
            let rule = MergeRule { kinds: kinds.to_vec(), latest };
            let kept = merged(payload(), &rule, signal);
            kept.into_iter().map(|segment| segment.content).collect::<Vec<_>>().join("")
        };
        let success = Signal::Success;
        assert_eq!(texts(&[], false, success), "rafb");
        assert_eq!(texts(&[], true, success), "b");
        assert_eq!(texts(&[CodeOutput], false, success), "ab");
        assert_eq!(texts(&[CodeOutput, Request], false, success), "rab");
        assert_eq!(texts(&[CodeOutput, Request], true, success), "rb");
        assert_eq!(texts(&[CodeOutput], true, Signal::ValidationFail), "rafb");
    }
}
