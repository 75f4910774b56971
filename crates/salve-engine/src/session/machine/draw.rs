//! Images in place of an answer: meant or not, prompted, made.
//!
//! In: what a person says about a request that is not plain, and how many images there are. Out: the step after it. An
//! image that could not be made loses no other; where none could, the turn has failed. Never beyond the budget.

use super::help::first_step;
use super::{AttentionCode, DrawWish, TurnEnding, TurnMachine, TurnOptions, TurnStep};
use salve_types::Spend;

impl TurnMachine {
    /// Returns whether the turn is one for images.
    #[must_use]
    pub const fn draws(&self) -> bool {
        matches!(self.options.draw, DrawWish::Direct | DrawWish::Prompted)
    }

    pub(super) fn draw(&mut self) -> TurnStep {
        self.within_budget(TurnStep::Draw)
    }

    pub(super) fn intended(&mut self, wish: DrawWish) -> TurnStep {
        // Who was asked has answered.
        let draw = if wish == DrawWish::Unsure { DrawWish::No } else { wish };
        self.options = TurnOptions { draw, ..self.options };
        let next = first_step(&self.options);
        if draw == DrawWish::No { next } else { self.within_budget(next) }
    }

    pub(super) const fn drawn(&mut self, made: u32, missing: u32, spent: Spend) -> TurnStep {
        self.spent = self.spent.plus(spent);
        TurnStep::Done(match (made, missing) {
            (0, _) => TurnEnding::Failed,
            (_, 0) => TurnEnding::Completed,
            _ => TurnEnding::NeedsAttention(AttentionCode::ImagesMissing),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{HelpWhy, TurnResult};
    use super::*;
    use salve_types::SpendLimit;

    fn turn(draw: DrawWish) -> TurnMachine {
        TurnMachine::new(TurnOptions { draw, shape: true, ..TurnOptions::default() })
    }

    fn told(mut turn: TurnMachine, results: Vec<TurnResult>) -> TurnStep {
        results.into_iter().for_each(|result| turn.take(result).unwrap());
        turn.next()
    }

    fn drawn(made: u32, missing: u32) -> TurnResult {
        let spent = Spend { tokens: 1, micro_dollars: 70_000 * u64::from(made) };
        TurnResult::Drawn { made, missing, spent }
    }

    #[test]
    fn c234_one_image_is_made_at_once_several_are_prompted_first() {
        assert_eq!(turn(DrawWish::Direct).next(), TurnStep::Draw);
        assert_eq!(turn(DrawWish::Prompted).next(), TurnStep::Help(HelpWhy::Prompts));
        let helped = TurnResult::Helped { spent: Spend::default() };
        assert_eq!(told(turn(DrawWish::Prompted), vec![helped]), TurnStep::Draw);
    }

    #[test]
    fn c242_an_image_that_fails_loses_no_other() {
        let ending = |made, missing| told(turn(DrawWish::Direct), vec![drawn(made, missing)]);
        assert_eq!(ending(4, 0), TurnStep::Done(TurnEnding::Completed));
        let some = TurnEnding::NeedsAttention(AttentionCode::ImagesMissing);
        assert_eq!(ending(3, 1), TurnStep::Done(some));
        assert_eq!(ending(0, 4), TurnStep::Done(TurnEnding::Failed));
    }

    #[test]
    fn c232_a_person_is_asked_where_it_is_not_plain() {
        let mut asked = turn(DrawWish::Unsure);
        assert_eq!(asked.next(), TurnStep::Intent);
        asked.take(TurnResult::Held).unwrap();
        assert_eq!(asked.next(), TurnStep::Done(TurnEnding::Waiting));
        assert!(asked.resume(SpendLimit::default()));
        let no = told(asked.clone(), vec![TurnResult::Meant(DrawWish::No)]);
        assert_eq!(no, TurnStep::Plan);
        let yes = told(asked, vec![TurnResult::Meant(DrawWish::Direct)]);
        assert_eq!(yes, TurnStep::Draw);
    }

    #[test]
    fn c240_images_keep_to_the_budget() {
        let budget = SpendLimit { tokens: None, micro_dollars: Some(0) };
        let options = TurnOptions { draw: DrawWish::Unsure, budget, ..TurnOptions::default() };
        let meant = vec![TurnResult::Meant(DrawWish::Direct)];
        let over = told(TurnMachine::new(options), meant);
        assert_eq!(over, TurnStep::Done(TurnEnding::OverBudget));
    }
}
