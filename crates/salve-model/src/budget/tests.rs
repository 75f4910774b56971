//! Budgets under any order of reserving, settling and giving up.

use super::*;
use crate::cost::MicroDollars;
use proptest::prelude::*;
use salve_types::{Spend, Timestamp};
use std::sync::atomic::{AtomicI64, Ordering};

fn still() -> Arc<dyn Clock> {
    Arc::new(|| Timestamp(0))
}

fn spend(tokens: u64, micro_dollars: u64) -> Consumption {
    Consumption { spend: Spend { tokens, micro_dollars }, ..Consumption::default() }
}

fn tokens(tokens: u64) -> Consumption {
    spend(tokens, 0)
}

fn limit(tokens: u64) -> BudgetLimits {
    BudgetLimits { tokens: Some(tokens), ..BudgetLimits::default() }
}

fn budget(limits: BudgetLimits) -> Budget {
    Budget::new(BudgetLevel::Run, limits, Consumption::default(), still())
}

#[test]
fn a_call_that_cannot_be_reserved_is_told_what_is_left() {
    let run = budget(BudgetLimits { money: Some(MicroDollars(1_500_000)), ..limit(100) });
    let hold = run.reserve(tokens(60)).unwrap();
    let over = run.reserve(tokens(41)).map(drop).unwrap_err();
    insta::assert_snapshot!(over, @"the run budget has 40 tokens left and this call may take 41 tokens; raise `tokens` in `[budget.run]`");
    let dear = spend(0, 2_000_000);
    let over = run.reserve(dear).map(drop).unwrap_err();
    insta::assert_snapshot!(over, @"the run budget has $1.50 left and this call may take $2.00; raise `money` in `[budget.run]`");
    drop(hold);
    assert!(run.reserve(tokens(100)).is_ok());
}

#[test]
fn what_is_not_needed_is_returned_and_what_is_unknown_is_spent() {
    let run = budget(limit(100));
    let settled = run.reserve(tokens(60)).unwrap().settle(tokens(10));
    assert_eq!((settled.returned, settled.beyond), (tokens(50), Consumption::default()));
    assert_eq!((run.spent(), run.held()), (tokens(10), Consumption::default()));
    drop(run.reserve(tokens(50)).unwrap());
    assert_eq!(run.spent(), tokens(10), "never sent, so given back");
    let mut hold = run.reserve(tokens(50)).unwrap();
    hold.sent();
    drop(hold);
    assert_eq!((run.spent(), run.left(Measure::Tokens)), (tokens(60), Some(40)));
    let settled = run.reserve(tokens(10)).unwrap().settle(tokens(15));
    assert_eq!(settled.beyond, tokens(5), "told, and spent all the same");
    assert_eq!(run.spent(), tokens(75));
}

#[test]
fn a_reservation_goes_through_every_level_or_none() {
    let day = Budget::new(BudgetLevel::Day, limit(100), tokens(30), still());
    let session = day.narrow(BudgetLevel::Session, limit(90));
    let run = session.narrow(BudgetLevel::Run, limit(1000));
    let over = run.reserve(tokens(80)).map(drop).unwrap_err();
    assert!(matches!(over, BudgetError::Limit { scope: BudgetLevel::Day, left: 70, .. }));
    for level in [&day, &session, &run] {
        assert_eq!(level.held(), Consumption::default());
    }
    let hold = run.reserve(tokens(70)).unwrap();
    assert_eq!(run.left(Measure::Tokens), Some(0));
    let sibling = session.narrow(BudgetLevel::Run, BudgetLimits::default());
    assert!(sibling.reserve(tokens(1)).is_err(), "the day is one for all");
    hold.settle(tokens(20));
    assert_eq!((run.spent(), session.spent(), day.spent()), (tokens(20), tokens(20), tokens(50)));
    assert_eq!(sibling.left(Measure::Tokens), Some(50));
    assert!(sibling.limits(Measure::Tokens) && !sibling.limits(Measure::Money));
}

#[test]
fn a_day_begins_anew_at_midnight_and_a_clock_set_back_gives_nothing_back() {
    const DAY: i64 = 86_400_000;
    let now = Arc::new(AtomicI64::new(10 * DAY));
    let told = Arc::clone(&now);
    let clock: Arc<dyn Clock> = Arc::new(move || Timestamp(told.load(Ordering::SeqCst)));
    let day = Budget::new(BudgetLevel::Day, limit(100), Consumption::default(), Arc::clone(&clock));
    let session = Budget::new(BudgetLevel::Session, limit(100), Consumption::default(), clock);
    for budget in [&day, &session] {
        budget.reserve(tokens(90)).unwrap().settle(tokens(90));
        assert!(budget.reserve(tokens(20)).is_err());
    }
    let over_midnight = day.reserve(tokens(10)).unwrap();
    now.store(11 * DAY, Ordering::SeqCst);
    assert_eq!(day.left(Measure::Tokens), Some(90), "what is held stays held");
    over_midnight.settle(tokens(10));
    assert_eq!(day.spent(), tokens(10));
    assert!(session.reserve(tokens(20)).is_err(), "a session does not end at midnight");
    now.store(9 * DAY, Ordering::SeqCst);
    assert_eq!(day.spent(), tokens(10));
}

/// One step of someone who spends.
#[derive(Debug, Clone)]
enum Step {
    Reserve { run: usize, tokens: u64, money: u64 },
    Send(usize),
    Settle { hold: usize, share: u64 },
    Drop(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0..4_usize, 0..60_u64, 0..60_u64).prop_map(|(run, tokens, money)| Step::Reserve {
            run,
            tokens,
            money
        }),
        (0..8_usize).prop_map(Step::Send),
        (0..8_usize, 0..=100_u64).prop_map(|(hold, share)| Step::Settle { hold, share }),
        (0..8_usize).prop_map(Step::Drop),
    ];
    proptest::collection::vec(step, 0..80)
}

fn attempt(tokens: u64, money: u64) -> Consumption {
    Consumption { attempts: 1, ..spend(tokens, money) }
}

struct World {
    day: Budget,
    sessions: Vec<Budget>,
    runs: Vec<Budget>,
    holds: Vec<(usize, Hold, bool)>,
    // What each run spent, counted by hand.
    counted: Vec<Consumption>,
}

impl World {
    fn new() -> Self {
        let limits = |tokens, money| BudgetLimits {
            tokens: Some(tokens),
            money: Some(MicroDollars(money)),
            attempts: Some(20),
            seconds: None,
        };
        let day = Budget::new(BudgetLevel::Day, limits(300, 250), Consumption::default(), still());
        let sessions: Vec<Budget> =
            (0..2).map(|_| day.narrow(BudgetLevel::Session, limits(200, 200))).collect();
        let runs: Vec<Budget> = (0..4)
            .map(|run: usize| sessions[run % 2].narrow(BudgetLevel::Run, limits(120, 150)))
            .collect();
        Self { day, sessions, runs, holds: Vec::new(), counted: vec![Consumption::default(); 4] }
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Reserve { run, tokens, money } => {
                if let Ok(hold) = self.runs[run].reserve(attempt(tokens, money)) {
                    self.holds.push((run, hold, false));
                }
            }
            Step::Send(hold) => {
                if let Some((_, hold, sent)) = self.holds.get_mut(hold) {
                    hold.sent();
                    *sent = true;
                }
            }
            Step::Settle { hold, share } if hold < self.holds.len() => {
                let (run, hold, _) = self.holds.remove(hold);
                let worst = hold.worst();
                let Spend { tokens, micro_dollars } = worst.spend;
                let actual = attempt(tokens * share / 100, micro_dollars * share / 100);
                self.counted[run] = self.counted[run].plus(actual);
                hold.settle(actual);
            }
            Step::Drop(hold) if hold < self.holds.len() => {
                let (run, hold, sent) = self.holds.remove(hold);
                if sent {
                    self.counted[run] = self.counted[run].plus(hold.worst());
                }
            }
            Step::Settle { .. } | Step::Drop(_) => {}
        }
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let sum = |of: &mut dyn Iterator<Item = Consumption>| {
            of.fold(Consumption::default(), Consumption::plus)
        };
        for (run, counted) in self.runs.iter().zip(&self.counted) {
            prop_assert_eq!(run.spent(), *counted);
        }
        let held = sum(&mut self.holds.iter().map(|(_, hold, _)| hold.worst()));
        prop_assert_eq!(self.day.held(), held);
        prop_assert_eq!(self.day.spent(), sum(&mut self.sessions.iter().map(Budget::spent)));
        prop_assert_eq!(self.day.spent(), sum(&mut self.runs.iter().map(Budget::spent)));
        for budget in self.runs.iter().chain(&self.sessions).chain([&self.day]) {
            for measure in Measure::ALL {
                let taken = budget.spent().of(measure) + budget.held().of(measure);
                prop_assert!(budget.0.limits.of(measure).is_none_or(|limit| taken <= limit));
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_order_of_reserving_settling_and_dropping_adds_up_and_never_overruns(steps in steps()) {
        let mut world = World::new();
        for step in &steps {
            world.step(step);
            world.check()?;
        }
    }
}

#[test]
fn threads_together_never_overrun() {
    let day = Budget::new(BudgetLevel::Day, limit(1000), Consumption::default(), still());
    std::thread::scope(|scope| {
        for thread in 0..8_u64 {
            let run = day.narrow(BudgetLevel::Run, limit(400));
            let day = &day;
            scope.spawn(move || {
                for round in 0..200_u64 {
                    let worst = 1 + (thread * 31 + round * 7) % 40;
                    if let Ok(mut hold) = run.reserve(tokens(worst)) {
                        assert!(day.spent().spend.tokens + day.held().spend.tokens <= 2000);
                        match round % 4 {
                            0 => drop(hold),
                            1 => {
                                hold.sent();
                                drop(hold);
                            }
                            _ => {
                                hold.settle(tokens(worst / 3));
                            }
                        }
                    }
                    assert!(run.spent().spend.tokens + run.held().spend.tokens <= 400);
                }
            });
        }
    });
    assert_eq!(day.held(), Consumption::default());
    assert!(day.spent().spend.tokens <= 1000);
}
