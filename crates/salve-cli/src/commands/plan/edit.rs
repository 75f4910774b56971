//! `salve plan edit`: a plan is changed before it starts.
//!
//! In: a plan and what is to change. Out: the plan as it is now, checked and estimated again. Never edits a plan that
//! has begun, and never leaves a dependency on a part that was removed.

use super::{document, failure, find, show_plan, with_plans};
use crate::arguments::{FolderArguments, Format, PlanEditArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::workspace;
use salve_engine::plan::{SubTask, SubTaskPlan};

/// Runs `salve plan edit`.
pub(super) fn run(
    options: &PlanEditArguments,
    folder: &FolderArguments,
    format: Format,
) -> CommandResult {
    let place = workspace::place(folder)?;
    let edited = with_plans(&place, async |plans, _| {
        let (kept, plan) = find(plans, &place, &options.id).await?;
        let plan = changed(plan, options)?;
        let kept = plans.edit(&kept.id, plan).await.map_err(failure)?;
        plans.plan(&kept.id).await.map_err(failure)
    })?;
    show_plan(&edited, format)?;
    Ok(Ending::Clean)
}

fn changed(plan: SubTaskPlan, options: &PlanEditArguments) -> Result<SubTaskPlan, Failure> {
    let mut plan = match &options.file {
        Some(file) => {
            let read = document(Some(file), &plan.request)?;
            SubTaskPlan { tasks: read.tasks, ..plan }
        }
        None => plan,
    };
    if let Some(strategy) = options.strategy {
        plan.execution_order = strategy.into();
    }
    for id in &options.remove {
        let at = place_of(&plan.tasks, id)?;
        plan.tasks.remove(at);
        plan.tasks.iter_mut().for_each(|task| task.depends_on.retain(|one| one != id));
    }
    for (id, text) in &options.set {
        let at = place_of(&plan.tasks, id)?;
        plan.tasks[at].instruction.clone_from(text);
    }
    for (id, number) in &options.priority {
        let at = place_of(&plan.tasks, id)?;
        let number = number.parse();
        plan.tasks[at].priority = number.map_err(|_| {
            Failure::new(format!("the priority of `{id}` must be a whole number; 1 goes first"))
        })?;
    }
    let mut first = Vec::new();
    for id in &options.reorder {
        let at = place_of(&plan.tasks, id)?;
        first.push(plan.tasks.remove(at));
    }
    first.append(&mut plan.tasks);
    plan.tasks = first;
    if plan.tasks.is_empty() {
        return Err(Failure::new("no part would be left").hint("A plan has at least one."));
    }
    Ok(plan)
}

fn place_of(tasks: &[SubTask], id: &str) -> Result<usize, Failure> {
    let found = tasks.iter().position(|task| task.id == id);
    found.ok_or_else(|| {
        let known: Vec<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
        Failure::new(format!("the plan has no part `{id}`"))
            .hint(format!("There is {}.", known.join(", ")))
    })
}
