//! What holds for every heal, whatever the driver answers.
//!
//! It ends; it never takes more attempts, tokens or rollbacks than allowed; no state is tried twice; no
//! success without a check that passed and its confirmation; and written down and read back at any step
//! it goes on as if nothing had happened.

use super::tests::{candidate, check};
use super::*;
use crate::heal::gates::{GateRefusal, GateRule};
use proptest::prelude::*;

/// What a driver answers, as numbers that are used up one by one.
struct Dice {
    numbers: Vec<u8>,
    at: usize,
}

impl Dice {
    fn throw(&mut self, sides: u8) -> u8 {
        let number = self.numbers.get(self.at % self.numbers.len()).copied().unwrap_or_default();
        self.at += 1;
        number.wrapping_add(u8::try_from(self.at % 7).unwrap_or_default()) % sides
    }

    fn check(&mut self) -> CheckSummary {
        let errors = ["a", "ab", "abc", "b", "z", "az", "", "abcd"][usize::from(self.throw(8))];
        CheckSummary { orphans: u32::from(self.throw(40) == 0), ..check(errors) }
    }

    fn candidates(&mut self, source: FixSource) -> Vec<Candidate> {
        (0..self.throw(4))
            .map(|_| {
                let text = format!("text {}", self.throw(30));
                let confidence = match self.throw(6) {
                    0 => Some(0.1),
                    1 => Some(f64::NAN),
                    2 => Some(0.9),
                    _ => None,
                };
                let mut made = candidate(source, &text);
                made.round = u32::from(self.throw(2));
                made.pinned = self.throw(4) == 0;
                if source == FixSource::Model {
                    made.confidence = confidence.into();
                }
                made
            })
            .collect()
    }

    fn trial(&mut self) -> TrialResult {
        match self.throw(8) {
            0 => TrialResult::NotTried("no".to_owned()),
            1 => TrialResult::Refused(GateRefusal {
                rule: GateRule::TooMuch,
                path: "a.rs".to_owned(),
                line: None,
                what: "much".to_owned(),
            }),
            2 => TrialResult::NeedsApproval(vec!["npm install".to_owned()]),
            _ => TrialResult::Checked(self.check()),
        }
    }

    fn answer(&mut self, step: &Step) -> StepResult {
        match self.throw(60) {
            0 => return StepResult::TreeChanged,
            1 => return StepResult::Interrupted(HaltReason::ControlFile),
            2 => return StepResult::Interrupted(HaltReason::TimeLimit),
            _ => {}
        }
        match step {
            Step::Check => StepResult::Checked(self.check()),
            Step::Propose(source) => StepResult::Proposed(self.candidates(*source)),
            Step::Consult(_) => StepResult::Proposed(self.candidates(FixSource::Proposal)),
            Step::Try(candidates) => {
                StepResult::Tried(candidates.iter().map(|_| self.trial()).collect())
            }
            Step::Ask(ask) if self.throw(6) == 0 => {
                StepResult::NoAnswer { message: "no".to_owned(), tokens: ask.tokens / 2 }
            }
            Step::Ask(ask) => StepResult::Answered {
                candidates: self.candidates(FixSource::Model),
                unusable: None,
                tokens: ask.tokens * u64::from(self.throw(5)) / 4,
            },
            Step::Confirm(_) => {
                let after = if self.throw(3) == 0 { vec!["t".to_owned()] } else { Vec::new() };
                StepResult::Confirmed(Confirmation {
                    after: after.into_iter().collect(),
                    ..Confirmation::default()
                })
            }
            Step::RollBack(_) => StepResult::RolledBack { checkpoint: "c".to_owned() },
            Step::Done(_) => unreachable!("asked after the end"),
        }
    }
}

fn options() -> impl Strategy<Value = HealOptions> {
    (0_usize..3, 0..3_u8, 1..4_usize, any::<bool>(), 0..3_u32, any::<bool>()).prop_map(
        |(strictness, tiers, parallel, partial, unhealed, fixers)| HealOptions {
            strictness: Strictness::ALL[strictness],
            tiers: match tiers {
                0 => Vec::new(),
                1 => TierPlan::single(Role::Deep).to_vec(),
                _ => TierPlan::ladder().to_vec(),
            },
            parallel,
            partial,
            fixers,
            consults: 2 * u32::from(tiers),
            unhealed: [("b".to_owned(), unhealed)].into(),
            ..HealOptions::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_heal_ends_within_its_limits(
        options in options(),
        numbers in prop::collection::vec(any::<u8>(), 1..200),
    ) {
        let mut dice = Dice { numbers, at: 0 };
        let mut machine = Loop::new(options.clone());
        let mut tried = BTreeSet::new();
        let mut green = BTreeSet::new();
        let mut confirmed = None;
        let (mut steps, mut asks, mut consults, mut rollbacks, mut pauses) = (0, 0, 0, 0, 0);
        loop {
            steps += 1;
            prop_assert!(steps < 2000, "it does not end");
            let step = machine.next();
            match &step {
                Step::Done(Outcome::Paused { .. }) if pauses < 3 => {
                    pauses += 1;
                    machine.resume(0);
                    if matches!(machine.next(), Step::Done(_)) {
                        break;
                    }
                    continue;
                }
                Step::Done(_) => break,
                Step::Try(candidates) => for one in candidates {
                    prop_assert!(tried.insert(one.hash()), "tried twice");
                    let pinned = one.pinned || one.source == FixSource::PinnedRule;
                    prop_assert!(pinned || options.strictness != Strictness::Production);
                },
                Step::Ask(ask) => {
                    asks += 1;
                    prop_assert!(machine.tokens() + ask.tokens <= options.tokens);
                    prop_assert!(options.strictness != Strictness::Production);
                }
                Step::Consult(_) => {
                    consults += 1;
                    prop_assert!(options.strictness != Strictness::Production);
                }
                _ => {}
            }
            let result = dice.answer(&step);
            rollbacks += u32::from(matches!(result, StepResult::RolledBack { .. }));
            match (&step, &result) {
                (Step::Try(candidates), StepResult::Tried(results)) => {
                    for (one, result) in candidates.iter().zip(results) {
                        if matches!(result, TrialResult::Checked(check) if check.green) {
                            green.insert(one.hash());
                        }
                    }
                }
                (Step::Confirm(one), StepResult::Confirmed(result)) => {
                    confirmed = result.newly_failing().next().is_none().then(|| one.hash());
                }
                // It did not run.
                (Step::Try(candidates), StepResult::Interrupted(_)) => {
                    tried.retain(|hash| !candidates.iter().any(|one| one.hash() == *hash));
                }
                // Of another tree everything may be tried again.
                (_, StepResult::TreeChanged) => {
                    tried.clear();
                    green.clear();
                }
                _ => {}
            }
            let written = serde_json::to_string(&machine).unwrap();
            let mut read: Loop = serde_json::from_str(&written).unwrap();
            prop_assert_eq!(&read, &machine);
            let result_read: StepResult =
                serde_json::from_str(&serde_json::to_string(&result).unwrap()).unwrap();
            prop_assert!(machine.take(result).is_ok());
            prop_assert!(read.take(result_read).is_ok());
            prop_assert_eq!(&read, &machine, "read back, it goes on differently");
        }
        let ladder: u32 = options.tiers.iter().map(|tier| tier.attempts).sum();
        prop_assert!(asks <= ladder * 5, "{} calls", asks);
        // Interrupted, a wave is asked once more.
        prop_assert!(consults <= options.consults + pauses, "{} waves", consults);
        prop_assert!(machine.tokens() <= options.tokens);
        prop_assert!(rollbacks <= 1);
        let Step::Done(outcome) = machine.next() else { panic!("not over") };
        let hash = machine.accepted().map(|accepted| accepted.candidate.hash());
        if matches!(outcome, Outcome::Repaired { .. }) {
            prop_assert!(hash.as_ref().is_some_and(|hash| green.contains(hash)));
        } else {
            prop_assert!(machine.accepted().is_none_or(|one| one.partial && options.partial));
        }
        prop_assert!(hash.is_none() || hash == confirmed, "accepted without confirmation");
    }
}
