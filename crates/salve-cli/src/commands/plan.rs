//! `salve plan`: a task split into sub-tasks, run side by side and merged.
//!
//! In: a request or a document, then decisions. Out: the plan, or what it came to: exit code 0 (written), 1 (in part,
//! or given up), 4 (a person decides), 5 (a budget). A plan runs as a durable job in this process; killed, it goes on
//! when it is run again. Never starts a plan that was not approved.

mod draw;
mod edit;
mod follow;

use crate::arguments::{
    FolderArguments, Format, PlaceArguments, PlanArguments, PlanCommand, PlanMakeArguments,
    PlanShowArguments,
};
use crate::failure::{CommandResult, Ending, Failure};
use crate::heal_host::CommandHost;
use crate::job_place::{self, OpenJobs};
use crate::settings::Settings;
use crate::{input, output, run_environment, workspace};
use salve_engine::host::Place;
use salve_engine::jobs::WhichModel;
use salve_engine::plan::{
    Orchestrator, OrchestratorError, PartUndone, PlanRequest, SubTaskPlan, matching_files,
    read_plan_document, sub_task_document,
};
use salve_model::Role;
use salve_store::PlanRecord;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// Runs `salve plan`.
pub(crate) fn run(arguments: &PlanArguments, format: Format) -> CommandResult {
    match &arguments.command {
        PlanCommand::Make(make) => run_make(make, &arguments.place, format),
        PlanCommand::Show(show) => run_show(show, &arguments.place, format),
        PlanCommand::Edit(options) => edit::run(options, &arguments.place, format),
        PlanCommand::Run(options) => follow::run(options, &arguments.place, format),
        PlanCommand::Undo { id, task } => run_undo(id, task, &arguments.place, format),
    }
}

/// Opens plans in the place where jobs are.
pub(super) fn with_plans<T>(
    place: &Place,
    act: impl AsyncFnOnce(&Orchestrator, &OpenJobs<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let settings = Settings::load_for(Some(&place.folder()))?;
    let environment = run_environment::chosen(&settings, &[])?.values;
    job_place::with(&PlaceArguments::default(), "plan", async |open: &OpenJobs<'_>| {
        let plans = open.orchestrator(Arc::new(CommandHost { environment }))?;
        act(&plans, open).await
    })
}

/// Finds a plan by its id, the beginning of one, or `last`.
pub(super) async fn find(
    plans: &Orchestrator,
    place: &Place,
    named: &str,
) -> Result<(PlanRecord, SubTaskPlan), Failure> {
    let root = place.root.display().to_string();
    let all = plans.store().plans(Some(&root), 1_000).await?;
    let fits = |plan: &&PlanRecord| named == "last" || plan.id.starts_with(named);
    let found: Vec<&PlanRecord> = match named {
        "last" => all.iter().take(1).collect(),
        _ => all.iter().filter(fits).collect(),
    };
    match found.as_slice() {
        [one] => Ok(plans.plan(&one.id).await.map_err(failure)?),
        [] => Err(Failure::new(format!("there is no plan `{named}` of this workspace"))
            .hint("`salve plan make -p TEXT` makes one; `last` is the newest.")),
        several => {
            Err(Failure::new(format!("`{named}` begins the names of {} plans", several.len()))
                .hint("Write more of its id."))
        }
    }
}

/// Turns an error of a plan into words and hints.
pub(super) fn failure(error: OrchestratorError) -> Failure {
    let hint = match &error {
        OrchestratorError::HasBegun(_) => {
            Some("`salve plan make` makes another; `salve plan run ID --cancel` gives up.")
        }
        OrchestratorError::NoPlan(_) => {
            Some("`salve jobs list` shows the call; `--import FILE` takes a plan of yours.")
        }
        OrchestratorError::OverBudget(_) => {
            Some("`salve config show` shows the limits of a day and a session.")
        }
        _ => None,
    };
    hint.into_iter().fold(Failure::from(anyhow::Error::from(error)), Failure::hint)
}

fn run_make(make: &PlanMakeArguments, folder: &FolderArguments, format: Format) -> CommandResult {
    let place = workspace::place(folder)?;
    let request = match (&make.prompt, &make.import) {
        (Some(prompt), _) => prompt.clone(),
        (None, Some(_)) => String::new(),
        (None, None) => input::text(None)?,
    };
    if request.trim().is_empty() && make.import.is_none() {
        return Err(Failure::new("nothing is asked for")
            .hint("`salve plan make -p 'add authentication to the app'`."));
    }
    let files = mapped(&place.root, &make.map)?;
    let wanted = PlanRequest {
        root: place.root.clone(),
        request: request.trim().to_owned(),
        granularity: make.granularity.into(),
        order: make.strategy.into(),
        files,
        reduce: make.reduce.clone(),
        session: make.session.clone(),
        model: make.model.as_deref().map(which),
    };
    let import = make.import.as_deref().map(|file| document(Some(file), &request)).transpose()?;
    let made = with_plans(&place, async |plans, _| {
        let made = match import {
            Some(plan) => {
                let plan = SubTaskPlan { execution_order: wanted.order, ..plan };
                plans.import(&wanted.root, &plan, wanted.session).await
            }
            None => plans.plan_sub_tasks(wanted).await,
        };
        let made = made.map_err(failure)?;
        plans.plan(&made.id).await.map_err(failure)
    })?;
    show_plan(&made, format)?;
    Ok(Ending::Clean)
}

fn which(model: &str) -> WhichModel {
    let role = Role::ALL.into_iter().find(|role| role.name() == model);
    role.map_or_else(|| WhichModel::Name(model.to_owned()), WhichModel::Role)
}

// The files of the workspace that one of the patterns matches.
fn mapped(root: &Path, patterns: &[String]) -> Result<Vec<String>, Failure> {
    if patterns.is_empty() {
        return Ok(Vec::new());
    }
    matching_files(root, patterns).map_err(|error| {
        Failure::new(error)
            .hint("Patterns are relative to the root of the workspace, such as `src/**/*.py`.")
    })
}

/// Reads a plan from a file of JSON.
pub(super) fn document(file: Option<&Path>, request: &str) -> Result<SubTaskPlan, Failure> {
    let file = file.filter(|file| *file != Path::new("-"));
    let name = file.map_or_else(|| "standard input".to_owned(), |file| file.display().to_string());
    let text = input::text(file)?;
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("{name} is no JSON: {error}")))?;
    read_plan_document(&value, request).map_err(|error| {
        Failure::new(format!("{name} is no plan: {error}")).hint(
            "`salve plan show ID --format json` shows one; docs/plans.md describes both spellings.",
        )
    })
}

/// Writes a plan as the documents describe it.
pub(super) fn show_plan(
    (kept, plan): &(PlanRecord, SubTaskPlan),
    format: Format,
) -> Result<(), Failure> {
    match format {
        Format::Human => output::result(&draw::plan(kept, plan)),
        _ => output::value(format, &plan_document(kept, plan)),
    }
}

fn plan_document(kept: &PlanRecord, plan: &SubTaskPlan) -> Value {
    let field = |name: &str| kept.estimate.get(name).cloned().unwrap_or_default();
    json!({
        "id": kept.id,
        "request": plan.request,
        "tasks": plan.tasks,
        "executionOrder": plan.execution_order,
        "estimatedCost": field("estimatedCost"),
        "estimatedTimeMs": field("estimatedTimeMs"),
        "basis": field("basis"),
        "granularity": plan.granularity,
        "reason": field("reason"),
        "strategies": field("strategies"),
        "status": kept.status,
    })
}

fn run_show(show: &PlanShowArguments, folder: &FolderArguments, format: Format) -> CommandResult {
    let place = workspace::place(folder)?;
    let (found, parts) = with_plans(&place, async |plans, _| {
        let found = find(plans, &place, &show.id).await?;
        let parts = plans.store().sub_tasks(&found.0.id).await?;
        Ok((found, parts))
    })?;
    let (kept, plan) = &found;
    let state = |id: &str| parts.iter().find(|part| part.note.id == id);
    if show.documents {
        let documents = plan.tasks.iter().map(|task| {
            let state = state(&task.id).map(serde_json::to_value).transpose();
            Ok::<_, Failure>(sub_task_document(
                task,
                kept.session.as_deref(),
                &state?.unwrap_or_default(),
            ))
        });
        let documents = documents.collect::<Result<Vec<Value>, _>>()?;
        let format = if format == Format::Human { Format::Json } else { format };
        output::values(format, &documents)?;
        return Ok(Ending::Clean);
    }
    match format {
        Format::Human => {
            output::result(&format!(
                "{}{}",
                draw::plan(kept, plan),
                draw::states(kept, plan, &parts)
            ))?;
        }
        _ => {
            let mut document = plan_document(kept, plan);
            document["took"] = json!(kept.took);
            document["states"] = json!(parts);
            output::value(format, &document)?;
        }
    }
    Ok(Ending::Clean)
}

fn run_undo(id: &str, task: &str, folder: &FolderArguments, format: Format) -> CommandResult {
    let place = workspace::place(folder)?;
    let undone = with_plans(&place, async |plans, _| {
        let (kept, _) = find(plans, &place, id).await?;
        plans.undo_part(&kept.id, task).await.map_err(failure)
    })?;
    let (document, ending) = match &undone {
        PartUndone::Undone { change, files } => {
            (json!({"outcome": "undone", "change": change, "files": files}), Ending::Clean)
        }
        PartUndone::Nothing => (json!({"outcome": "nothing_to_do"}), Ending::Clean),
        PartUndone::Conflict(conflicts) => {
            (json!({"outcome": "conflict", "conflicts": conflicts}), Ending::NeedsApproval)
        }
    };
    match (format, &undone) {
        (Format::Human, PartUndone::Undone { change, files }) => output::result(&format!(
            "Part {task} is out of {}; the others stay. Change: {change}\n",
            files.join(", ")
        ))?,
        (Format::Human, PartUndone::Nothing) => {
            output::result("nothing of this part is in the files\n")?;
        }
        (Format::Human, PartUndone::Conflict(conflicts)) => {
            output::result(&draw::conflicts(conflicts))?;
        }
        _ => output::value(format, &document)?,
    }
    Ok(ending)
}
