//! A turn: which step comes next, and what its result means.
//!
//! In: options, and the result of each step. Out: the next step, until it is [`TurnStep::Done`]. Plan, load,
//! ask, read, apply, check, heal, commands; then the output of the commands goes to the model, for some
//! rounds. Never does anything: files, tools, models and clocks are the driver's. Never asks for an edit or a
//! command of an answer that is not whole. All of it can be written down after any step and read back.

mod draw;
mod help;
mod step;

pub use step::{
    AnswerFacts, AskTurn, AskWhy, AttentionCode, BatchNext, CheckEnd, CommandEnd, DrawWish,
    HelpWhy, Interruption, LoadWhy, TurnEnding, TurnResult, TurnStep, WrittenChange,
};

use salve_types::{Spend, SpendLimit};
use serde::{Deserialize, Serialize};

/// How many commands, and words about them, go by before a person has to look.
const MOST_UNSEEN: u32 = 200;

/// What a turn may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TurnOptions {
    /// How often the output of commands is told to the model.
    pub rounds: u32,
    /// How often the model is asked again because its answer could not be applied.
    pub corrections: u32,
    /// Whether a red check is healed.
    pub heal: bool,
    /// Whether a model is asked which files are meant.
    pub plan: bool,
    /// Whether a model may write an answer again that could not be read.
    pub clean: bool,
    /// Whether the caller wants the result in a shape of its own.
    pub shape: bool,
    /// Whether it is one for images.
    pub draw: DrawWish,
    /// Whether files are given to the provider before the model is asked.
    pub upload: bool,
    /// What the turn may take, its heals included.
    pub budget: SpendLimit,
}

impl Default for TurnOptions {
    fn default() -> Self {
        Self {
            rounds: 3,
            corrections: 1,
            heal: true,
            plan: false,
            clean: false,
            shape: false,
            draw: DrawWish::No,
            upload: false,
            budget: SpendLimit::default(),
        }
    }
}

/// A task that a change has done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tick {
    /// The task, by its id.
    pub todo: String,
    /// The change.
    pub change: String,
}

/// A turn between two steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct TurnMachine {
    options: TurnOptions,
    step: TurnStep,
    /// Where it goes on when it was interrupted.
    paused_at: Option<TurnStep>,
    /// How often the model was asked.
    asked: u32,
    corrections: u32,
    rounds: u32,
    spent: Spend,
    /// Whether the answer at hand is proven to be whole.
    whole: bool,
    answer: AnswerFacts,
    /// Changes that no check has looked at.
    unchecked: Vec<WrittenChange>,
    ticked: Vec<Tick>,
    /// How many parts of the edits at hand were written, and whether the check at hand is about one of them.
    #[serde(default)]
    parts: u32,
    #[serde(default)]
    in_part: bool,
    /// Whether a part was decided about since the turn went on: what is left waits for a person again.
    #[serde(default)]
    part_decided: bool,
    /// Commands of the answer at hand that ran, and those of them that failed.
    ran: u32,
    failed: u32,
    /// Commands of the whole turn that nobody was there to allow.
    skipped: u32,
    /// How often the model was asked what comes after a command.
    #[serde(default)]
    supervised: u32,
    /// The number of the command at hand.
    #[serde(default)]
    at_hand: u32,
    /// Commands and words about them since a person looked.
    #[serde(default)]
    unseen: u32,
    /// Where a row of commands goes on that the model stopped, while it is asked for a way out.
    #[serde(default)]
    rest: Option<u32>,
    #[serde(default)]
    help: help::Helped,
}

/// The driver answered a step with a result of another one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a turn was given a result that does not belong to its step")]
pub struct WrongTurnResult;

impl TurnMachine {
    /// Starts a turn.
    pub fn new(options: TurnOptions) -> Self {
        Self {
            options,
            step: help::first_step(&options),
            paused_at: None,
            asked: 0,
            corrections: 0,
            rounds: 0,
            spent: Spend::default(),
            whole: false,
            answer: AnswerFacts::default(),
            unchecked: Vec::new(),
            ticked: Vec::new(),
            parts: 0,
            in_part: false,
            part_decided: false,
            ran: 0,
            failed: 0,
            skipped: 0,
            supervised: 0,
            at_hand: 0,
            unseen: 0,
            rest: None,
            help: help::Helped::default(),
        }
    }

    /// Returns what is to be done next. Asking again gives the same.
    pub fn next(&self) -> TurnStep {
        self.step.clone()
    }

    /// Takes the result of the step.
    ///
    /// # Errors
    /// When it is not one of that step; nothing changed then.
    pub fn take(&mut self, result: TurnResult) -> Result<(), WrongTurnResult> {
        let next = match (&self.step, result) {
            (TurnStep::Done(_), _) => return Err(WrongTurnResult),
            (_, TurnResult::Interrupted(why)) => self.interrupted(why),
            (TurnStep::Help(why), TurnResult::Helped { spent }) => {
                self.spent = self.spent.plus(spent);
                match *why {
                    HelpWhy::Prompts => self.draw(),
                    why => help::after(why),
                }
            }
            (TurnStep::Intent, TurnResult::Held) => self.stop_at(TurnEnding::Waiting),
            (TurnStep::Intent, TurnResult::Meant(wish)) => self.intended(wish),
            (TurnStep::Draw, TurnResult::Drawn { made, missing, spent }) => {
                self.drawn(made, missing, spent)
            }
            (TurnStep::Draw, TurnResult::NoAnswer { over_budget: true, spent }) => {
                self.spent = self.spent.plus(spent);
                self.interrupted(Interruption::Budget)
            }
            (TurnStep::Shape, TurnResult::Shaped { fits }) => self.was_shaped(fits),
            (TurnStep::Plan, TurnResult::Planned) => TurnStep::Load(LoadWhy::Planned),
            (TurnStep::Load(LoadWhy::Planned), TurnResult::Loaded) => self.loaded(AskWhy::Request),
            (TurnStep::Load(LoadWhy::Again), TurnResult::Loaded) => self.loaded(AskWhy::Refused),
            (TurnStep::Load(LoadWhy::Feedback), TurnResult::Loaded) => {
                self.loaded(AskWhy::Feedback)
            }
            (TurnStep::Upload(why), TurnResult::Uploaded) => {
                let why = *why;
                self.ask(why)
            }
            (TurnStep::Ask(_), TurnResult::Answered { whole, spent }) => {
                self.spent = self.spent.plus(spent);
                self.whole = whole;
                TurnStep::Read
            }
            (TurnStep::Ask(_), TurnResult::NoAnswer { over_budget, spent }) => {
                self.spent = self.spent.plus(spent);
                match over_budget {
                    true => self.interrupted(Interruption::Budget),
                    false => TurnStep::Done(TurnEnding::Failed),
                }
            }
            (TurnStep::Read, TurnResult::ReadAnswer(facts)) => self.was_read(facts),
            (TurnStep::Apply, TurnResult::Applied(change)) => {
                self.unchecked.push(change);
                TurnStep::Check
            }
            (TurnStep::Apply, TurnResult::AppliedPart(change)) if !self.part_decided => {
                self.unchecked.push(change);
                self.parts += 1;
                (self.in_part, self.part_decided) = (true, true);
                TurnStep::Check
            }
            (TurnStep::Apply, TurnResult::LeftPart) if !self.part_decided => {
                self.part_decided = true;
                TurnStep::Apply
            }
            (TurnStep::Apply, TurnResult::RanEarly { ok }) => {
                self.ran += 1;
                self.failed += u32::from(!ok);
                self.stop_at(TurnEnding::Waiting)
            }
            (TurnStep::Apply, TurnResult::NothingToApply) => self.edits_over(),
            (TurnStep::Apply, TurnResult::Held) => self.stop_at(TurnEnding::Waiting),
            // Commands are meant for the files as they would have been.
            (TurnStep::Apply, TurnResult::Declined) if self.parts == 0 => {
                TurnStep::Done(TurnEnding::Completed)
            }
            (TurnStep::Apply, TurnResult::Declined) => self.edits_over(),
            (TurnStep::Apply, TurnResult::Refused { answerable }) => self.was_refused(answerable),
            (TurnStep::Check, TurnResult::Checked(end)) => self.checked(end),
            (TurnStep::Heal, TurnResult::Healed { green, spent }) => {
                self.spent = self.spent.plus(spent);
                self.checked_after_heal(green)
            }
            (TurnStep::Command(number), TurnResult::Command { end, next }) => {
                let number = *number;
                self.command_ended(number, end, next)
            }
            (TurnStep::Supervise(_), TurnResult::Supervised { next, spent }) => {
                self.spent = self.spent.plus(spent);
                if next == BatchNext::Ask {
                    return Err(WrongTurnResult);
                }
                let number = self.at_hand;
                self.row_goes_on(number, next)
            }
            (TurnStep::Supervise(_), TurnResult::NoAnswer { over_budget: true, spent }) => {
                self.spent = self.spent.plus(spent);
                self.interrupted(Interruption::Budget)
            }
            _ => return Err(WrongTurnResult),
        };
        self.step = self.shaped_first(next);
        Ok(())
    }

    /// Goes on with the step that was interrupted, that a person is asked about, or that did not fit the
    /// budget, with this budget in place of the one before. Returns whether there is such a step.
    pub fn resume(&mut self, budget: SpendLimit) -> bool {
        let Some(step) = self.paused_at.take() else { return false };
        self.options.budget = budget;
        self.unseen = 0;
        self.part_decided = false;
        self.step = step;
        true
    }

    /// Returns whether the turn is over for now, and can be gone on with.
    pub const fn can_resume(&self) -> bool {
        self.paused_at.is_some()
    }

    /// Returns its options.
    pub const fn options(&self) -> &TurnOptions {
        &self.options
    }

    /// Returns what its calls and heals took.
    pub const fn spent(&self) -> Spend {
        self.spent
    }

    /// Returns what is left of the budget.
    pub fn left(&self) -> SpendLimit {
        self.options.budget.less(self.spent)
    }

    /// Returns the tasks that were done, each with the change that did it.
    pub fn ticked(&self) -> &[Tick] {
        &self.ticked
    }

    /// Returns how often the model was asked.
    pub const fn asked(&self) -> u32 {
        self.asked
    }

    /// Returns how many commands nobody was there to allow.
    pub const fn skipped(&self) -> u32 {
        self.skipped
    }

    /// Returns whether the answer at hand is proven to be whole.
    pub const fn is_whole(&self) -> bool {
        self.whole
    }

    fn loaded(&mut self, why: AskWhy) -> TurnStep {
        if self.options.upload { TurnStep::Upload(why) } else { self.ask(why) }
    }

    fn ask(&mut self, why: AskWhy) -> TurnStep {
        self.asked += 1;
        self.within_budget(TurnStep::Ask(AskTurn { number: self.asked, why }))
    }

    fn within_budget(&mut self, ask: TurnStep) -> TurnStep {
        let left = self.left();
        if left.tokens == Some(0) || left.micro_dollars == Some(0) {
            self.paused_at = Some(ask);
            return TurnStep::Done(TurnEnding::OverBudget);
        }
        ask
    }

    fn was_read(&mut self, facts: AnswerFacts) -> TurnStep {
        self.answer = facts;
        (self.ran, self.failed) = (0, 0);
        (self.parts, self.in_part) = (0, false);
        if self.is_to_be_cleaned(facts) {
            return self.clean();
        }
        let attention = |code| TurnStep::Done(TurnEnding::NeedsAttention(code));
        if !facts.readable {
            return attention(AttentionCode::Unreadable);
        }
        if !self.whole || facts.recovered {
            return attention(AttentionCode::Recovered);
        }
        if facts.redacted {
            return match self.may_correct() {
                true => self.ask(AskWhy::Redacted),
                false => attention(AttentionCode::Redacted),
            };
        }
        if let Some(number) = self.rest.take()
            && !facts.edits
            && facts.commands == 0
        {
            // It knows no way out. What is left still waits.
            self.paused_at = Some(TurnStep::Command(number));
            return TurnStep::Done(TurnEnding::Waiting);
        }
        if facts.edits { TurnStep::Apply } else { self.command_from(0) }
    }

    fn was_refused(&mut self, answerable: bool) -> TurnStep {
        match answerable && self.may_correct() {
            true => TurnStep::Load(LoadWhy::Again),
            false => TurnStep::Done(TurnEnding::NeedsAttention(AttentionCode::Refused)),
        }
    }

    const fn may_correct(&mut self) -> bool {
        let may = self.corrections < self.options.corrections;
        if may {
            self.corrections += 1;
        }
        may
    }

    // No more of them waits; a part whose check was red is looked at again.
    fn edits_over(&mut self) -> TurnStep {
        if self.unchecked.is_empty() { self.command_from(0) } else { TurnStep::Check }
    }

    fn checked(&mut self, end: CheckEnd) -> TurnStep {
        if std::mem::take(&mut self.in_part) {
            // A part alone may well be red: what is left is what it needs.
            match end {
                CheckEnd::Green | CheckEnd::Nothing => self.tick(),
                CheckEnd::NotRun => self.unchecked.clear(),
                CheckEnd::Red => {}
            }
            return TurnStep::Apply;
        }
        match end {
            CheckEnd::Green | CheckEnd::Nothing => {
                self.tick();
                self.command_from(0)
            }
            // It is written, and nothing is known of it.
            CheckEnd::NotRun => {
                self.unchecked.clear();
                self.command_from(0)
            }
            CheckEnd::Red if self.options.heal => TurnStep::Heal,
            CheckEnd::Red => self.checked_after_heal(false),
        }
    }

    fn checked_after_heal(&mut self, green: bool) -> TurnStep {
        if green {
            self.tick();
            return self.command_from(0);
        }
        self.unchecked.clear();
        TurnStep::Done(TurnEnding::NeedsAttention(AttentionCode::Red))
    }

    fn tick(&mut self) {
        for WrittenChange { change, todos } in std::mem::take(&mut self.unchecked) {
            for todo in todos {
                if !self.ticked.iter().any(|tick| tick.todo == todo) {
                    self.ticked.push(Tick { todo, change: change.clone() });
                }
            }
        }
    }

    fn command_ended(&mut self, number: u32, end: CommandEnd, next: BatchNext) -> TurnStep {
        match end {
            CommandEnd::Ran { ok } => {
                self.ran += 1;
                self.failed += u32::from(!ok);
            }
            CommandEnd::Waits => return self.stop_at(TurnEnding::Waiting),
            CommandEnd::Skipped => self.skipped += 1,
            CommandEnd::Denied => {}
        }
        self.row_goes_on(number, next)
    }

    fn row_goes_on(&mut self, number: u32, next: BatchNext) -> TurnStep {
        self.at_hand = number;
        self.unseen += 1;
        let following = TurnStep::Command(number + 1);
        match next {
            BatchNext::Over => self.commands_over(),
            BatchNext::Fix if self.rounds < self.options.rounds => {
                self.rounds += 1;
                self.rest = Some(number + 1);
                TurnStep::Load(LoadWhy::Feedback)
            }
            BatchNext::Command if self.unseen < MOST_UNSEEN => following,
            BatchNext::Ask if self.unseen < MOST_UNSEEN => self.supervise(),
            _ => {
                self.paused_at = Some(following);
                TurnStep::Done(TurnEnding::Waiting)
            }
        }
    }

    fn supervise(&mut self) -> TurnStep {
        self.supervised += 1;
        self.within_budget(TurnStep::Supervise(self.supervised))
    }

    fn command_from(&mut self, number: u32) -> TurnStep {
        if number < self.answer.commands {
            return TurnStep::Command(number);
        }
        self.commands_over()
    }

    fn commands_over(&mut self) -> TurnStep {
        if self.ran > 0 && self.rounds < self.options.rounds {
            self.rounds += 1;
            return TurnStep::Load(LoadWhy::Feedback);
        }
        TurnStep::Done(match (self.failed, self.skipped) {
            (0, 0) => TurnEnding::Completed,
            (0, _) => TurnEnding::Waiting,
            _ => TurnEnding::NeedsAttention(AttentionCode::CommandFailed),
        })
    }

    fn interrupted(&mut self, why: Interruption) -> TurnStep {
        match why {
            Interruption::Cancelled => TurnStep::Done(TurnEnding::Cancelled),
            Interruption::Budget => self.stop_at(TurnEnding::OverBudget),
            Interruption::Paused => self.stop_at(TurnEnding::Paused),
        }
    }

    // It goes on with the same step.
    fn stop_at(&mut self, ending: TurnEnding) -> TurnStep {
        self.paused_at = Some(self.step.clone());
        TurnStep::Done(ending)
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
