//! Manifests of workflows: whatever is in one, it loads or is refused with a place, and twice alike.
//!
//! In: a text that may be a manifest. Out: a panic when loading fails on its own, when a problem has no place in the
//! text, when a manifest that was loaded changes on its way to a disk, or when a flow by it does not end. Never runs
//! a worker.

use crate::input;
use salve_engine::workflow::machine::{BlockDone, FlowMachine, FlowStep};
use salve_engine::workflow::{FlowManifest, graph, load};
use salve_types::{Signal, Spend, WorkerResult};

pub(super) fn check(bytes: &[u8]) {
    let text = input::text(bytes);
    match load(&text) {
        Err(broken) => {
            assert!(!broken.problems.is_empty(), "refused without a reason");
            let lines = text.split('\n').count();
            for problem in &broken.problems {
                assert!(problem.line >= 1 && problem.line as usize <= lines, "{problem}");
                assert!(problem.column >= 1 && !problem.message.is_empty(), "{problem}");
            }
            assert_eq!(load(&text), Err(broken), "refused in another way");
        }
        Ok(manifest) => {
            let again = serde_json::to_string(&manifest).expect("a manifest can be written");
            let again: FlowManifest = serde_json::from_str(&again).expect("and read again");
            assert_eq!(again, manifest, "a manifest changed on its way");
            let drawn = graph::svg(&manifest);
            assert!(drawn.ends_with("</svg>\n") && !graph::text(&manifest).is_empty());
            play(manifest, bytes);
        }
    }
}

// The bytes of the text are the signals.
fn play(manifest: FlowManifest, bytes: &[u8]) {
    let most = manifest.limits.runs;
    let mut machine = FlowMachine::new(manifest, Vec::new());
    let mut signals = bytes.iter().cycle();
    for _ in 0..=most {
        if let FlowStep::Done(_) = machine.next() {
            return;
        }
        let byte = usize::from(signals.next().copied().unwrap_or_default());
        let signal = Signal::ALL[byte % Signal::ALL.len()];
        machine.take(BlockDone {
            result: WorkerResult { new_payload: Vec::new(), signal },
            stages: Vec::new(),
            removed: Vec::new(),
            why: None,
            change: None,
            spent: Spend { tokens: 1, micro_dollars: 1 },
            over_budget: false,
        });
    }
    assert!(matches!(machine.next(), FlowStep::Done(_)), "the flow does not end");
}
