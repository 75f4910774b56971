//! `salve jobs start`: begins a job, and on a machine of its own does it too.
//!
//! In: a flow and what it needs. Out: its result on standard output and its story on standard error,
//! or with `--detach` its name. Never starts a second job under a name that has one.

use super::follow::{self, View};
use crate::arguments::{Format, InDoubtSetting, JobsStartArguments, PlaceArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::job_place::{self, OpenJobs};
use crate::{input, output};
use salve_engine::jobs::{GENERATE_FLOW, GenerateInput, WhichModel};
use salve_jobs::{
    DoubtPolicy, EventId, FlowName, JobId, Json, Needs, StartOptions, Started, fresh_job_id,
};
use salve_model::Role;
use salve_text::SchemaName;
use serde_json::json;

/// Runs `salve jobs start`.
pub(super) fn run(
    place: &PlaceArguments,
    options: &JobsStartArguments,
    format: Format,
) -> CommandResult {
    let flow = flow(&options.flow)?;
    let id = match &options.id {
        Some(name) => JobId::new(name)?,
        None => fresh_job_id(),
    };
    // Everything that can be wrong is found before anything is kept.
    let asked = Asked::read(&flow, options)?;
    job_place::with(place, "jobs", async |open| {
        let own = (!options.detach).then_some(&id);
        follow::while_running(open, own, async || {
            let input = asked.kept(open).await?;
            let needs = Needs { toolchain: options.toolchain.clone(), root: options.root.clone() };
            let started = open.jobs.start(&flow, id.clone(), input, StartOptions { needs }).await?;
            if options.detach {
                return announce(&id, &started, open, format);
            }
            match &started {
                Started::New => output::story(&format!("job {id}\n")),
                Started::Existing(state) => {
                    let state = state.name();
                    output::story(&format!("job {id} was started before and is {state}\n"));
                }
            }
            let view = View { format, until_person: true };
            follow::follow_and_show(open, &id, EventId(0), view).await
        })
        .await
    })
}

fn announce(id: &JobId, started: &Started, open: &OpenJobs<'_>, format: Format) -> CommandResult {
    let new = matches!(started, Started::New);
    match format {
        Format::Human => output::result(&format!("{id}\n"))?,
        _ => output::json_line(&json!({ "id": id, "new": new }))?,
    }
    if open.is_local() {
        output::story("It waits for a worker: `salve worker`.\n");
    }
    Ok(Ending::Clean)
}

// A name without a version is the newest there is.
fn flow(name: &str) -> Result<FlowName, Failure> {
    let known = job_place::flow_names()?;
    let exact = FlowName::try_from(name.to_owned()).ok();
    let found = match exact {
        Some(exact) => known.iter().find(|flow| **flow == exact),
        None => known.iter().filter(|flow| flow.name() == name).max(),
    };
    found.cloned().ok_or_else(|| {
        let known: Vec<String> = known.iter().map(ToString::to_string).collect();
        Failure::new(format!("there is no flow `{name}`"))
            .hint(format!("Known flows: {}.", known.join(", ")))
    })
}

/// What a flow is asked, read and checked; texts are not kept yet.
struct Asked {
    prompt: String,
    system: Option<String>,
    input: Option<GenerateInput>,
}

impl Asked {
    fn read(flow: &FlowName, options: &JobsStartArguments) -> Result<Self, Failure> {
        if flow.to_string() != GENERATE_FLOW {
            let prompt = input::text(options.prompt.as_deref())?;
            return Ok(Self { prompt, system: None, input: None });
        }
        let mut wanted = GenerateInput::new(String::new());
        wanted.language = options.lang.map(|language| language.name().to_owned());
        wanted.schema = options.schema.as_deref().map(schema).transpose()?;
        wanted.json = wanted.schema.is_some();
        wanted.model = model(options)?;
        wanted.max_tokens = options.max_tokens;
        if let Some(doubt) = options.in_doubt {
            wanted.doubt = match doubt {
                InDoubtSetting::Retry => DoubtPolicy::Retry,
                InDoubtSetting::Ask => DoubtPolicy::Ask,
                InDoubtSetting::Fail => DoubtPolicy::Fail,
            };
        }
        // Standard input comes last: a prompt need not be typed for a command that is refused.
        let system = options.system.as_deref().map(|path| input::text(Some(path))).transpose()?;
        let prompt = input::text(options.prompt.as_deref())?;
        if prompt.trim().is_empty() {
            return Err(Failure::new("the prompt is empty")
                .hint("Give one with `salve jobs start --prompt FILE` or on standard input."));
        }
        Ok(Self { prompt, system, input: Some(wanted) })
    }

    // Texts are in the store, and their ids are what a history holds. A flow of another kind takes its
    // input as JSON.
    async fn kept(&self, open: &OpenJobs<'_>) -> Result<Json, Failure> {
        let Some(wanted) = &self.input else {
            return serde_json::from_str(&self.prompt).map_err(|error| {
                Failure::new(format!("the input of this flow must be JSON: {error}"))
            });
        };
        let mut wanted = wanted.clone();
        wanted.prompt = open.keep_text(&self.prompt).await?;
        if let Some(system) = &self.system {
            wanted.system = Some(open.keep_text(system).await?);
        }
        Ok(serde_json::to_value(wanted)?)
    }
}

fn model(options: &JobsStartArguments) -> Result<WhichModel, Failure> {
    if let Some(name) = &options.model {
        return Ok(WhichModel::Name(name.clone()));
    }
    let role = Role::ALL.into_iter().find(|role| role.name() == options.role);
    role.map(WhichModel::Role).ok_or_else(|| {
        let known = Role::ALL.map(Role::name).join(", ");
        Failure::new(format!("there is no role `{}`", options.role))
            .hint(format!("Known: {known}."))
    })
}

fn schema(name_or_path: &str) -> Result<Json, Failure> {
    crate::schemas::Schema::find(name_or_path)?;
    if let Ok(name) = name_or_path.parse::<SchemaName>() {
        return Ok(name.schema());
    }
    Ok(serde_json::from_str(&input::text(Some(name_or_path.as_ref()))?)?)
}
