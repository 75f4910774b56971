//! What holds for every turn, whatever the driver answers.
//!
//! It ends; it never asks beyond its caps; it asks other models once for each thing, and completes without their
//! help unless the caller wants a shape; nothing of an answer that was recovered, redacted or not whole is
//! applied or run; a task is ticked only by a change that was applied and passed; and written down and read
//! back at any step it goes on as if nothing had happened.

use super::tests::spent;
use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// What a driver answers, as numbers that are used up one by one.
struct Dice {
    numbers: Vec<u8>,
    at: usize,
    /// Whether a part of the edits was decided about since the turn went on.
    parted: bool,
}

impl Dice {
    fn throw(&mut self, sides: u8) -> u8 {
        let number = self.numbers.get(self.at % self.numbers.len()).copied().unwrap_or_default();
        self.at += 1;
        number.wrapping_add(u8::try_from(self.at % 7).unwrap_or_default()) % sides
    }

    fn often(&mut self) -> bool {
        self.throw(5) != 0
    }

    // Often another command: a row need not end by itself.
    fn row(&mut self) -> BatchNext {
        match self.throw(12) {
            0 => BatchNext::Paused,
            1 => BatchNext::Fix,
            2 => BatchNext::Over,
            _ => BatchNext::Command,
        }
    }

    fn answer(&mut self, step: &TurnStep) -> TurnResult {
        match self.throw(50) {
            0 => return TurnResult::Interrupted(Interruption::Paused),
            1 => return TurnResult::Interrupted(Interruption::Cancelled),
            2 => return TurnResult::Interrupted(Interruption::Budget),
            _ => {}
        }
        match step {
            TurnStep::Help(_) => TurnResult::Helped { spent: spent(u64::from(self.throw(3))) },
            TurnStep::Intent if self.throw(3) == 0 => TurnResult::Held,
            TurnStep::Intent => TurnResult::Meant(match self.throw(3) {
                0 => DrawWish::No,
                1 => DrawWish::Direct,
                _ => DrawWish::Prompted,
            }),
            TurnStep::Draw if self.throw(12) == 0 => {
                TurnResult::NoAnswer { over_budget: true, spent: spent(0) }
            }
            TurnStep::Draw => TurnResult::Drawn {
                made: u32::from(self.throw(3)),
                missing: u32::from(self.throw(2)),
                spent: spent(2),
            },
            TurnStep::Shape => TurnResult::Shaped { fits: self.throw(3) != 0 },
            TurnStep::Plan => TurnResult::Planned,
            TurnStep::Load(_) => TurnResult::Loaded,
            TurnStep::Upload(_) => TurnResult::Uploaded,
            TurnStep::Ask(_) if self.throw(12) == 0 => {
                TurnResult::NoAnswer { over_budget: self.throw(2) == 0, spent: spent(2) }
            }
            TurnStep::Ask(_) => {
                let tokens = u64::from(self.throw(9));
                TurnResult::Answered { whole: self.often(), spent: spent(tokens) }
            }
            TurnStep::Read => TurnResult::ReadAnswer(AnswerFacts {
                recovered: self.throw(8) == 0,
                unformed: self.throw(8) == 0,
                readable: self.throw(20) != 0,
                redacted: self.throw(6) == 0,
                edits: self.often(),
                commands: u32::from(self.throw(4)),
            }),
            TurnStep::Apply => match self.throw(10) {
                0 => TurnResult::Held,
                8 => TurnResult::RanEarly { ok: self.often() },
                // One decision of a person is about one part.
                7 | 9 if self.parted => TurnResult::Held,
                7 => {
                    self.parted = true;
                    TurnResult::LeftPart
                }
                9 => {
                    self.parted = true;
                    let change = format!("c{}", self.at);
                    let todos = (0..self.throw(3)).map(|_| format!("t{}", self.throw(5)));
                    TurnResult::AppliedPart(WrittenChange { change, todos: todos.collect() })
                }
                3 => TurnResult::Declined,
                1 => TurnResult::Refused { answerable: self.often() },
                2 => TurnResult::NothingToApply,
                _ => {
                    let change = format!("c{}", self.at);
                    let todos = (0..self.throw(3)).map(|_| format!("t{}", self.throw(5)));
                    TurnResult::Applied(WrittenChange { change, todos: todos.collect() })
                }
            },
            TurnStep::Check => TurnResult::Checked(match self.throw(5) {
                0 => CheckEnd::Nothing,
                1 => CheckEnd::NotRun,
                2 => CheckEnd::Red,
                _ => CheckEnd::Green,
            }),
            TurnStep::Heal => TurnResult::Healed { green: self.often(), spent: spent(4) },
            TurnStep::Command(_) => {
                let end = match self.throw(6) {
                    0 => CommandEnd::Waits,
                    1 => CommandEnd::Denied,
                    3 => CommandEnd::Skipped,
                    2 => CommandEnd::Ran { ok: false },
                    _ => CommandEnd::Ran { ok: true },
                };
                let next = if self.throw(3) == 0 { BatchNext::Ask } else { self.row() };
                TurnResult::Command { end, next }
            }
            TurnStep::Supervise(_) if self.throw(12) == 0 => {
                TurnResult::NoAnswer { over_budget: true, spent: spent(1) }
            }
            TurnStep::Supervise(_) => TurnResult::Supervised { next: self.row(), spent: spent(1) },
            TurnStep::Done(_) => unreachable!("asked after the end"),
        }
    }
}

fn options() -> impl Strategy<Value = TurnOptions> {
    let caps = (0..4_u32, 0..3_u32, any::<bool>(), prop::option::of(0..40_u64));
    (caps, any::<[bool; 4]>(), 0..8_u8).prop_map(
        |((rounds, corrections, heal, tokens), [plan, clean, shape, upload], draw)| TurnOptions {
            draw: match draw {
                0 => DrawWish::Unsure,
                1 => DrawWish::Direct,
                2 => DrawWish::Prompted,
                _ => DrawWish::No,
            },
            rounds,
            corrections,
            heal,
            plan,
            clean,
            shape,
            upload,
            budget: SpendLimit { tokens, micro_dollars: None },
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn every_turn_ends_within_its_limits(
        options in options(),
        numbers in prop::collection::vec(any::<u8>(), 1..200),
    ) {
        let mut dice = Dice { numbers, at: 0, parted: false };
        let mut machine = TurnMachine::new(options);
        // Whether something of the answer at hand may be applied or run.
        let mut usable = false;
        let (mut asked, mut again, mut pauses, mut steps) = (BTreeSet::new(), 0_u32, 0, 0);
        let (mut waiting, mut passed) = (Vec::new(), BTreeSet::new());
        // Whether commands of an answer before wait, which was whole.
        let (mut whole, mut left) = (false, false);
        // What was asked of other models, each with the answer it is about; whether the result has its shape.
        let (mut helped, mut shaped, mut unformed) = (Vec::new(), false, false);
        loop {
            steps += 1;
            prop_assert!(steps < 4_000, "it does not end");
            let step = machine.next();
            match &step {
                TurnStep::Done(ending) => {
                    if *ending == TurnEnding::Completed {
                        let owed = options.shape && !machine.draws();
                        prop_assert_eq!(shaped, owed, "completed without its shape");
                    }
                    pauses += 1;
                    if pauses > 3 || !machine.resume(options.budget) {
                        break;
                    }
                    dice.parted = false;
                    continue;
                }
                TurnStep::Ask(ask) => {
                    asked.insert(ask.number);
                    let left = machine.left();
                    prop_assert!(left.tokens != Some(0) || pauses > 0, "asked without a budget");
                    usable = false;
                }
                TurnStep::Help(why) => {
                    let allowed = match why {
                        HelpWhy::Plan => options.plan && machine.asked() == 0,
                        HelpWhy::Clean => options.clean && whole && unformed,
                        HelpWhy::Shape => options.shape && usable,
                        HelpWhy::Prompts => options.draw != DrawWish::No,
                    };
                    prop_assert!(allowed, "{:?} was asked for", why);
                }
                TurnStep::Load(LoadWhy::Again) => again += 1,
                TurnStep::Apply | TurnStep::Check | TurnStep::Heal => {
                    prop_assert!(usable, "{:?} of an answer that is not whole", step);
                }
                TurnStep::Command(number) => {
                    prop_assert!(usable || left, "a command of an answer that is not whole");
                    prop_assert!(*number < 2_000, "commands without an end");
                }
                TurnStep::Supervise(_) => {
                    prop_assert!(usable, "a word about a command that did not run");
                    let left = machine.left();
                    prop_assert!(left.tokens != Some(0) || pauses > 0, "asked without a budget");
                }
                _ => {}
            }
            let result = dice.answer(&step);
            match &result {
                TurnResult::Helped { .. } => {
                    let TurnStep::Help(why) = step else { unreachable!("it helps with nothing") };
                    helped.push((why, if why == HelpWhy::Clean { machine.asked() } else { 0 }));
                }
                TurnResult::Shaped { fits } => shaped = *fits,
                TurnResult::Answered { whole: proven, .. } => whole = *proven,
                TurnResult::Command { next: BatchNext::Fix, .. }
                | TurnResult::Supervised { next: BatchNext::Fix, .. } => left = true,
                TurnResult::ReadAnswer(facts) => {
                    usable = whole && facts.readable && !facts.recovered && !facts.redacted;
                    unformed = facts.unformed;
                }
                TurnResult::Applied(change) | TurnResult::AppliedPart(change) => waiting.push(change.clone()),
                TurnResult::Checked(CheckEnd::Green | CheckEnd::Nothing)
                | TurnResult::Healed { green: true, .. } => {
                    passed.extend(waiting.drain(..).map(|change| change.change));
                }
                TurnResult::Checked(CheckEnd::NotRun) | TurnResult::Healed { .. } => waiting.clear(),
                // Looked at once more by the heal, where there is one.
                TurnResult::Interrupted(_) if matches!(step, TurnStep::Load(LoadWhy::Again)) => {
                    again -= 1;
                }
                _ => {}
            }
            let written = serde_json::to_string(&machine).unwrap();
            let mut read: TurnMachine = serde_json::from_str(&written).unwrap();
            prop_assert_eq!(&read, &machine);
            let result_read: TurnResult =
                serde_json::from_str(&serde_json::to_string(&result).unwrap()).unwrap();
            prop_assert!(machine.take(result).is_ok());
            prop_assert!(read.take(result_read).is_ok());
            prop_assert_eq!(&read, &machine, "read back, it goes on differently");
            for tick in machine.ticked() {
                prop_assert!(passed.contains(&tick.change), "{:?} was not checked", tick);
            }
        }
        let once: BTreeSet<_> = helped.iter().collect();
        prop_assert_eq!(once.len(), helped.len(), "asked twice for the same help: {:?}", helped);
        let most = 1 + options.corrections + options.rounds;
        prop_assert!(asked.len() <= usize::try_from(most).unwrap_or(usize::MAX));
        prop_assert!(again <= options.corrections, "asked again {} times", again);
        let todos: BTreeSet<&str> = machine.ticked().iter().map(|tick| tick.todo.as_str()).collect();
        prop_assert_eq!(todos.len(), machine.ticked().len(), "ticked twice");
    }
}
