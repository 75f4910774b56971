//! What other models were asked for: a plan, an answer written again, a result in the caller's shape.
//!
//! In: what such a model said, if anything. Out: a proposal beside the turn, for the step that judges it. Never
//! fails a turn: what cannot be used is left out.

use super::super::images::read_prompts;
use super::super::machine::{HelpWhy, Interruption, TurnResult, TurnStep};
use super::super::output::{Shape, shape_of};
use super::super::plan::read_plan;
use super::super::state::SavedTurn;
use super::super::work::TurnWork;
use super::{NewAnswer, take, text_in_force};
use crate::heal::RepairError;

/// Takes what a helper said.
///
/// # Errors
/// Never, while the turn asks for help.
pub fn take_help(saved: &mut SavedTurn, new: NewAnswer) -> Result<(), RepairError> {
    let NewAnswer { text, whole, over_budget, why: reason, usage, spent, .. } = new;
    (saved.effects.usage, saved.effects.micro_dollars) = (usage, spent.micro_dollars);
    let text = text.map(|(text, _)| text);
    if let TurnStep::Help(why) = saved.machine.next() {
        // Only what the caller wants is worth waiting for; with more to spend it is asked for again.
        if why == HelpWhy::Shape && over_budget {
            saved.why = reason;
            return take(&mut saved.machine, TurnResult::Interrupted(Interruption::Budget));
        }
        match why {
            HelpWhy::Prompts => {
                let count = saved.drawing.count;
                saved.drawing.prompts =
                    text.as_deref().map(|text| read_prompts(text, count)).unwrap_or_default();
            }
            HelpWhy::Plan => saved.proposed = text.as_deref().and_then(read_plan),
            HelpWhy::Clean => saved.cleaned = text.filter(|_| whole),
            HelpWhy::Shape => saved.shaped = text.filter(|_| whole),
        }
    }
    take(&mut saved.machine, TurnResult::Helped { spent })
}

/// Reads the result in the shape that the caller wants.
pub(super) fn shape(work: &TurnWork, saved: &mut SavedTurn) -> TurnResult {
    let Some(schema) = &work.input().help.output else { return TurnResult::Shaped { fits: true } };
    let shape = match &saved.shaped {
        Some(alone) => shape_of(alone, schema),
        None => shape_of(text_in_force(saved), schema),
    };
    let fits = match shape {
        Shape::Fits(value) => {
            (saved.output, saved.why) = (Some(value), None);
            true
        }
        Shape::Misfits(why) => {
            saved.why = Some(why);
            false
        }
    };
    TurnResult::Shaped { fits }
}
