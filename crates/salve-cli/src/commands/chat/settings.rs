//! What a turn may do, from arguments and settings.
//!
//! In: arguments, the user's settings. Out: the input of a turn, but for its place in a session. Never lets
//! `--yes` run a command that is not on the list.

use crate::arguments::TurnArguments;
use crate::automatic::Automatic;
use crate::chat_settings::draw_help;
use crate::commands::heal::options_of_turn;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::{config_files, environment, run_environment};
use salve_check::{Attendance, AutoApply, AutoRunMode, NextStep, next_step_of_edits};
use salve_engine::heal::CommandConsent;
use salve_engine::heal::machine::HealOptions;
use salve_engine::host::Place;
use salve_engine::jobs::WhichModel;
use salve_engine::session::machine::TurnOptions;
use salve_engine::session::{TurnHelp, TurnInput, WINDOW_TOKENS};
use salve_model::Role;
use salve_types::{SessionId, SpendLimit};
use std::io::IsTerminal;

/// The user's own sections of the standing instructions.
const TEMPLATE: &str = "system-prompt.json";

/// What every turn of a run may do.
pub(crate) struct TurnSettings {
    pub(crate) options: TurnOptions,
    pub(crate) model: WhichModel,
    pub(crate) apply: bool,
    pub(crate) attended: bool,
    pub(crate) commands: CommandConsent,
    pub(crate) heal: HealOptions,
    /// The most tokens of earlier exchanges that the model gets.
    pub(crate) window: u64,
    pub(crate) environment: Vec<(String, String)>,
    /// The text of the user's own sections.
    pub(crate) template: Option<String>,
    /// Who and what else may be asked.
    pub(crate) help: TurnHelp,
}

impl TurnSettings {
    /// Puts them together.
    pub(crate) fn of(
        arguments: &TurnArguments,
        model: Option<&str>,
        place: &Place,
    ) -> Result<Self, Failure> {
        let person = std::io::stdin().is_terminal() && !arguments.no_input;
        Self::with(arguments, model, place, person)
    }

    /// Puts them together for a person who is asked by other means than this terminal.
    pub(crate) fn attended(place: &Place) -> Result<Self, Failure> {
        Self::with(&TurnArguments::default(), None, place, true)
    }

    /// Leaves out the models that help: a script that is the only model has one answer for everything.
    pub(crate) fn for_practice(&mut self) {
        (self.help.planner, self.help.cleaner) = (None, None);
    }

    /// Returns what a turn in a place may do. Its place in a session is left to fill, and the text of the user's own
    /// sections is to be kept first.
    pub(crate) fn input(&self, place: &Place) -> TurnInput {
        TurnInput {
            root: place.root.clone(),
            here: place.here.clone(),
            session: SessionId(String::new()),
            turn: 0,
            options: self.options,
            model: self.model.clone(),
            apply: self.apply,
            attended: self.attended,
            commands: self.commands,
            template: self.template.clone(),
            heal: self.heal.clone(),
            window: self.window,
            help: self.help.clone(),
            attempt: 1,
        }
    }

    fn with(
        arguments: &TurnArguments,
        model: Option<&str>,
        place: &Place,
        person: bool,
    ) -> Result<Self, Failure> {
        let settings = Settings::load_for(Some(&place.folder()))?;
        let attendance = match arguments.yes {
            true => Attendance::Agreed,
            false if person => Attendance::Interactive,
            false => Attendance::Unattended,
        };
        // Nobody typed what a model proposes, so the switch must have been turned on.
        let commands = settings.auto_apply_cli.value == Automatic::On || arguments.yes;
        let switches = AutoApply { commands, ..settings.auto_apply() };
        let switches = if arguments.yes { AutoApply { all: true, ..switches } } else { switches };
        let mode = switches.command_mode(AutoRunMode::Listed);
        let template = match environment::user_config_folder() {
            Some(folder) => config_files::read(&folder.join(TEMPLATE))?,
            None => None,
        };
        Ok(Self {
            options: TurnOptions {
                heal: !arguments.no_heal,
                budget: budget(arguments)?,
                ..TurnOptions::default()
            },
            model: which(model)?,
            apply: next_step_of_edits(settings.auto_apply(), attendance) == NextStep::Run,
            attended: person && !arguments.yes,
            commands: CommandConsent { mode, agreed: false },
            heal: options_of_turn(&settings)?,
            window: arguments.window.unwrap_or(WINDOW_TOKENS),
            environment: run_environment::chosen(&settings, &[])?.values,
            template,
            help: TurnHelp {
                draw: draw_help(&settings.models.settings),
                ..settings.chat.value.help(&settings.models.settings.roles)
            },
        })
    }

    /// What a turn does where nobody is asked and nothing is set: edits are written, no command runs.
    pub(crate) fn unasked() -> Result<Self, Failure> {
        let settings = Settings::built_in();
        Ok(Self {
            options: TurnOptions::default(),
            model: WhichModel::default(),
            apply: true,
            attended: false,
            commands: CommandConsent::default(),
            heal: HealOptions::default(),
            window: WINDOW_TOKENS,
            environment: run_environment::chosen(&settings, &[])?.values,
            template: None,
            help: TurnHelp::default(),
        })
    }

    /// Returns what a run may take.
    pub(crate) const fn budget(&self) -> SpendLimit {
        self.options.budget
    }

    /// Returns whether a run was given a limit.
    pub(crate) const fn has_budget(&self) -> bool {
        self.options.budget.tokens.is_some() || self.options.budget.micro_dollars.is_some()
    }
}

fn budget(arguments: &TurnArguments) -> Result<SpendLimit, Failure> {
    let micro_dollars = match arguments.max_cost {
        None => None,
        Some(dollars) if dollars.is_finite() && dollars >= 0.0 => Some((dollars * 1e6) as u64),
        Some(dollars) => return Err(Failure::new(format!("`--max-cost {dollars}` is no price"))),
    };
    Ok(SpendLimit { tokens: arguments.max_tokens, micro_dollars })
}

fn which(model: Option<&str>) -> Result<WhichModel, Failure> {
    let Some(model) = model else { return Ok(WhichModel::default()) };
    let role = [Role::Fast, Role::Medium, Role::Deep].into_iter().find(|role| role.name() == model);
    match role {
        Some(role) => Ok(WhichModel::Role(role)),
        None if model.contains('/') => Ok(WhichModel::Name(model.to_owned())),
        None => Err(Failure::new(format!("`{model}` is no role and no model"))
            .hint("A role is fast, medium or deep; a model is named as `provider/model`.")),
    }
}
