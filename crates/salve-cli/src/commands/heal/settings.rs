//! What a heal may do, from arguments and settings.
//!
//! In: arguments, the configured models. Out: the options of the loop. Never asks for a key: a provider
//! without one is found out when it is asked.

use crate::arguments::{HealArguments, SourceChoice};
use crate::failure::Failure;
use crate::settings::Settings;
use salve_engine::heal::machine::{HealOptions, TierPlan};
use salve_model::{ModelSettings, Role, Roles};

/// How many waves of agents one heal may ask: specialists and the others, and again after progress.
const CONSULTS: u32 = 6;

/// Makes the options of the loop.
pub(super) fn options(
    arguments: &HealArguments,
    settings: &Settings,
) -> Result<HealOptions, Failure> {
    let wanted = |source| arguments.sources.is_empty() || arguments.sources.contains(&source);
    let models = wanted(SourceChoice::Model) && !arguments.no_model;
    let tiers = if models { tiers(&settings.models.settings)? } else { Vec::new() };
    // An agent may well be a model, so a person who wants none wants no agent either.
    let agents = wanted(SourceChoice::Agent) && !arguments.no_model && !settings.agents.is_empty();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(HealOptions {
        strictness: settings.strictness(arguments.strictness.map(Into::into)),
        fixers: wanted(SourceChoice::Fixer),
        tiers,
        consults: if agents { CONSULTS } else { 0 },
        tokens: arguments.max_tokens,
        parallel: cores,
        partial: arguments.partial,
        ..HealOptions::default()
    })
}

/// Makes the options of a heal that a turn of a session asks for.
pub(crate) fn options_of_turn(settings: &Settings) -> Result<HealOptions, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(HealOptions {
        strictness: settings.strictness(None),
        tiers: tiers(&settings.models.settings)?,
        consults: if settings.agents.is_empty() { 0 } else { CONSULTS },
        parallel: cores,
        ..HealOptions::default()
    })
}

// Where one model fills every role, asking it again as another one gains nothing.
fn tiers(settings: &ModelSettings) -> Result<Vec<TierPlan>, Failure> {
    if settings.provider.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<String> = settings.provider.iter().map(|one| one.name.clone()).collect();
    let roles = Roles::resolve(&settings.roles, &names)?;
    let filled: Vec<_> = TierPlan::ladder()
        .into_iter()
        .filter_map(|tier| Some((tier, roles.of(tier.role).ok()?)))
        .collect();
    let Some((_, first)) = filled.first() else { return Ok(Vec::new()) };
    if filled.iter().all(|(_, choice)| choice == first) {
        return Ok(TierPlan::single(Role::Medium).to_vec());
    }
    Ok(filled.into_iter().map(|(tier, _)| tier).collect())
}
