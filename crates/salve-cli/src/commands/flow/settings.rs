//! What a workflow is started with, from arguments, a file and settings.
//!
//! In: arguments, the input document. Out: the input of the flow. Never lets `--yes` run a command that is not on
//! the list.

use crate::arguments::FlowRunArguments;
use crate::automatic::Automatic;
use crate::commands::heal::options_of_turn;
use crate::failure::Failure;
use crate::input;
use crate::settings::Settings;
use salve_check::{Attendance, AutoApply, AutoRunMode, NextStep, next_step_of_edits};
use salve_engine::heal::CommandConsent;
use salve_engine::host::Place;
use salve_engine::jobs::WhichModel;
use salve_engine::workflow::{FlowInput, FlowManifest};
use salve_model::Role;
use serde::Deserialize;
use serde_json::Value;
use std::io::IsTerminal;

/// What is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// The words.
    pub(super) request: String,
    /// The file that is written.
    #[serde(default)]
    pub(super) path: Option<String>,
}

/// Reads the request: of `-p`, of `--input`, or of standard input.
pub(super) fn request(arguments: &FlowRunArguments) -> Result<Request, Failure> {
    let mut request = match (&arguments.prompt, &arguments.input) {
        (Some(words), _) => Request { request: words.clone(), path: None },
        (None, Some(file)) => document(&input::text(Some(file))?)?,
        (None, None) => document(&input::text(None)?)?,
    };
    if request.request.trim().is_empty() {
        return Err(Failure::new("the request is empty")
            .hint("Say what is wanted with `-p TEXT`, or in the file of `--input`."));
    }
    if arguments.path.is_some() {
        request.path.clone_from(&arguments.path);
    }
    Ok(request)
}

// An object has named fields; anything else is the words themselves.
fn document(text: &str) -> Result<Request, Failure> {
    match serde_json::from_str::<Value>(text) {
        Ok(value @ Value::Object(_)) => serde_json::from_value(value).map_err(|error| {
            Failure::new(format!("the input cannot be used: {error}"))
                .hint("It is `{\"request\": TEXT, \"path\": PATH}`; `path` may be absent.")
        }),
        _ => Ok(Request { request: text.to_owned(), path: None }),
    }
}

/// Makes the input of the flow; the text of the request is still to be kept.
pub(super) fn input(
    arguments: &FlowRunArguments,
    settings: &Settings,
    place: &Place,
    mut manifest: FlowManifest,
    request: &Request,
) -> Result<FlowInput, Failure> {
    let attendance = match arguments.yes {
        true => Attendance::Agreed,
        false if std::io::stdin().is_terminal() => Attendance::Interactive,
        false => Attendance::Unattended,
    };
    // Nobody typed what a manifest proposes, so the switch must have been turned on.
    let commands = settings.auto_apply_cli.value == Automatic::On || arguments.yes;
    let switches = AutoApply { commands, ..settings.auto_apply() };
    let switches = if arguments.yes { AutoApply { all: true, ..switches } } else { switches };
    if let Some(most) = arguments.max_tokens {
        let budget = &mut manifest.limits.budget;
        budget.tokens = Some(budget.tokens.map_or(most, |before| before.min(most)));
    }
    Ok(FlowInput {
        root: place.root.clone(),
        here: place.here.clone(),
        manifest,
        request: String::new(),
        path: request.path.clone(),
        model: arguments.model.as_deref().map(which),
        commands: CommandConsent {
            mode: switches.command_mode(AutoRunMode::Listed),
            agreed: false,
        },
        heal: options_of_turn(settings)?,
        apply: next_step_of_edits(settings.auto_apply(), attendance) == NextStep::Run,
    })
}

fn which(name: &str) -> WhichModel {
    match serde_json::from_value::<Role>(Value::String(name.to_owned())) {
        Ok(role) => WhichModel::Role(role),
        Err(_) => WhichModel::Name(name.to_owned()),
    }
}
