//! Settings and where each of them came from.
//!
//! In: configuration files, `SALVE_*`, flags, from low to high. Out: one value per setting with its
//! origin. Never lets a workspace file loosen anything: there, only stricter values count.

use crate::automatic::Automatic;
use crate::chat_settings::ChatSettings;
use crate::config_files;
use crate::environment;
use crate::failure::Failure;
use crate::gateway_settings::GatewaySettings;
use crate::model_settings::Models;
use salve_check::quote_for_display;
use salve_engine::heal::machine::Strictness;
use salve_engine::heal::{AgentMeans, AgentSettings};
use salve_engine::knowledge::KnowledgeSettings;
use salve_model::{BudgetSettings, ModelEntry, ModelSettings, ProviderSettings, RoleSettings};
use salve_text::{DEFAULT_MARK, SentinelRule};
use salve_types::Mode;
use serde::Deserialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// The rule about the completion sentinel, by its name in files and flags, loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SentinelSetting {
    /// No sentinel is looked for.
    None,
    /// A missing sentinel is a warning.
    Optional,
    /// A missing sentinel is a cut.
    Required,
}

impl From<SentinelSetting> for SentinelRule {
    fn from(setting: SentinelSetting) -> Self {
        match setting {
            SentinelSetting::None => Self::None,
            SentinelSetting::Optional => Self::Optional,
            SentinelSetting::Required => Self::Required,
        }
    }
}

/// A value and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sourced<T> {
    /// The value in force.
    pub(crate) value: T,
    /// Where it was set.
    pub(crate) origin: Origin,
}

impl<T> Sourced<T> {
    fn built_in(value: T) -> Self {
        Self { value, origin: Origin::BuiltIn }
    }

    fn set(&mut self, value: Option<T>, origin: &Origin) {
        if let Some(value) = value {
            *self = Self { value, origin: origin.clone() };
        }
    }
}

/// Where a setting was set, from low to high.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    BuiltIn,
    File { level: Level, path: PathBuf },
    Environment(&'static str),
    Flag(&'static str),
}

/// The level of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    System,
    User,
    Workspace,
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => out.write_str("built in"),
            Self::File { level, path } => {
                let level = match level {
                    Level::System => "system",
                    Level::User => "user",
                    Level::Workspace => "workspace",
                };
                write!(out, "{level} file {}", path.display())
            }
            Self::Environment(name) | Self::Flag(name) => out.write_str(name),
        }
    }
}

/// Every setting.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Whether a cut text makes a command fail; never off.
    pub(crate) enforcement: Sourced<Mode>,
    pub(crate) sentinel: Sourced<SentinelSetting>,
    pub(crate) sentinel_mark: Sourced<String>,
    pub(crate) tail_characters: Sourced<usize>,
    pub(crate) resume_template: Sourced<Option<PathBuf>>,
    /// The master switch: off, and nothing happens without asking.
    pub(crate) auto_apply: Sourced<Automatic>,
    /// Whether edits are applied without asking.
    pub(crate) auto_apply_files: Sourced<Automatic>,
    /// Whether allowed commands run without asking.
    pub(crate) auto_apply_cli: Sourced<Automatic>,
    /// What may act in a heal.
    pub(crate) strictness: Sourced<Strictness>,
    /// Names of variables that a run gets beside the everyday ones.
    pub(crate) run_environment: Sourced<Vec<String>>,
    /// Ports of this machine whose services every run may reach.
    pub(crate) allow_ports: Sourced<Vec<u16>>,
    /// What a gateway is started with.
    pub(crate) gateway: GatewaySettings,
    /// What a turn of a conversation may use.
    pub(crate) chat: Sourced<ChatSettings>,
    /// Who is asked, for what, and what it may cost.
    pub(crate) models: Models,
    /// Agents that heals may ask, each with its origin.
    pub(crate) agents: Vec<Sourced<AgentSettings>>,
    /// Who else may see what is learned, and whose pins count.
    pub(crate) knowledge: Sourced<KnowledgeSettings>,
    /// What was set but not taken, with the reason.
    pub(crate) ignored: Vec<String>,
}

/// One configuration file; every key is optional, an unknown key is an error.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConfigFile {
    #[serde(default, deserialize_with = "Mode::judging")]
    enforcement: Option<Mode>,
    sentinel: Option<SentinelSetting>,
    sentinel_mark: Option<String>,
    tail_characters: Option<usize>,
    resume_template: Option<PathBuf>,
    auto_apply: Option<Automatic>,
    auto_apply_files: Option<Automatic>,
    auto_apply_cli: Option<Automatic>,
    strictness: Option<Strictness>,
    run_environment: Option<Vec<String>>,
    allow_ports: Option<Vec<u16>>,
    gateway: Option<GatewaySettings>,
    chat: Option<ChatSettings>,
    provider: Option<Vec<ProviderSettings>>,
    roles: Option<RoleSettings>,
    model: Option<Vec<ModelEntry>>,
    budget: Option<BudgetSettings>,
    agent: Option<Vec<AgentSettings>>,
    knowledge: Option<KnowledgeSettings>,
    // Read where they are used and where trust is known.
    #[serde(default, rename = "toolchain")]
    _toolchains: Vec<toml::Table>,
}

impl Settings {
    /// Returns the values in force before any file, variable or flag.
    pub(crate) fn built_in() -> Self {
        Self {
            enforcement: Sourced::built_in(Mode::Enforce),
            sentinel: Sourced::built_in(SentinelSetting::Optional),
            sentinel_mark: Sourced::built_in(DEFAULT_MARK.to_owned()),
            tail_characters: Sourced::built_in(400),
            resume_template: Sourced::built_in(None),
            auto_apply: Sourced::built_in(Automatic::On),
            auto_apply_files: Sourced::built_in(Automatic::On),
            auto_apply_cli: Sourced::built_in(Automatic::Off),
            strictness: Sourced::built_in(Strictness::default()),
            run_environment: Sourced::built_in(Vec::new()),
            allow_ports: Sourced::built_in(Vec::new()),
            gateway: GatewaySettings::default(),
            chat: Sourced::built_in(ChatSettings::default()),
            models: Models::default(),
            agents: Vec::new(),
            knowledge: Sourced::built_in(KnowledgeSettings::default()),
            ignored: Vec::new(),
        }
    }

    /// Reads all levels below the flags, for the folder the command was started in.
    pub(crate) fn load() -> Result<Self, Failure> {
        Self::load_for(environment::start_folder().as_deref())
    }

    /// Reads all levels below the flags, for a workspace.
    pub(crate) fn load_for(workspace: Option<&Path>) -> Result<Self, Failure> {
        let mut settings = Self::built_in();
        settings.read_file(Level::System, Path::new("/etc/salve/config.toml"))?;
        if let Some(folder) = environment::user_config_folder() {
            settings.read_file(Level::User, &folder.join("config.toml"))?;
        }
        if let Some(path) = workspace.and_then(workspace_file) {
            settings.read_file(Level::Workspace, &path)?;
        }
        settings.read_environment()?;
        Ok(settings)
    }

    fn read_file(&mut self, level: Level, path: &Path) -> Result<(), Failure> {
        let Some(text) = config_files::read(path)? else { return Ok(()) };
        let file: ConfigFile = toml::from_str(&text).map_err(|error| {
            config_files::unusable(path, &text, &error)
                .hint("`salve config show --origin` lists every setting and its values.")
        })?;
        self.merge(file, &Origin::File { level, path: path.to_owned() });
        Ok(())
    }

    fn merge(&mut self, file: ConfigFile, origin: &Origin) {
        let mut said = Said { origin, ignored: &mut self.ignored };
        said.ordered("enforcement", file.enforcement, &mut self.enforcement);
        said.ordered("sentinel", file.sentinel, &mut self.sentinel);
        said.ordered("auto_apply", file.auto_apply, &mut self.auto_apply);
        said.ordered("auto_apply_files", file.auto_apply_files, &mut self.auto_apply_files);
        said.ordered("auto_apply_cli", file.auto_apply_cli, &mut self.auto_apply_cli);
        said.ordered("strictness", file.strictness, &mut self.strictness);
        let mark = said.by_user("sentinel_mark", file.sentinel_mark);
        self.sentinel_mark.set(mark, origin);
        let tail = said.by_user("tail_characters", file.tail_characters);
        self.tail_characters.set(tail, origin);
        let template = said.by_user("resume_template", file.resume_template);
        self.resume_template.set(template.map(Some), origin);
        let names = said.by_user("run_environment", file.run_environment);
        self.run_environment.set(names, origin);
        let ports = said.by_user("allow_ports", file.allow_ports);
        self.allow_ports.set(ports, origin);
        let knowledge = said.by_user("knowledge", file.knowledge);
        self.knowledge.set(knowledge, origin);
        let gateway = said.by_user("gateway", file.gateway).unwrap_or_default();
        self.gateway = gateway.or(std::mem::take(&mut self.gateway));
        let chat = said.by_user("chat", file.chat);
        let chat = chat.map(|chat| chat.or(self.chat.value.clone()));
        self.chat.set(chat, origin);
        for agent in said.by_user("agent", file.agent).unwrap_or_default() {
            self.agents.retain(|other| other.value.name != agent.name);
            self.agents.push(Sourced { value: agent, origin: origin.clone() });
        }
        let models = ModelSettings {
            provider: said.by_user("provider", file.provider).unwrap_or_default(),
            roles: said.by_user("roles", file.roles).unwrap_or_default(),
            model: said.by_user("model", file.model).unwrap_or_default(),
            budget: said.by_user("budget", file.budget).unwrap_or_default(),
        };
        self.models.overlay(models, origin);
    }

    fn read_environment(&mut self) -> Result<(), Failure> {
        use environment as env;
        self.enforcement
            .set(judging_mode(env::ENFORCEMENT)?, &Origin::Environment(env::ENFORCEMENT));
        self.sentinel.set(named(env::SENTINEL)?, &Origin::Environment(env::SENTINEL));
        self.sentinel_mark
            .set(env::value(env::SENTINEL_MARK), &Origin::Environment(env::SENTINEL_MARK));
        let tail = env::value(env::TAIL_CHARACTERS)
            .map(|text| {
                text.parse::<usize>().map_err(|_| {
                    Failure::new(format!("{} is not a number: `{text}`", env::TAIL_CHARACTERS))
                })
            })
            .transpose()?;
        self.tail_characters.set(tail, &Origin::Environment(env::TAIL_CHARACTERS));
        let template = env::value(env::RESUME_TEMPLATE).map(|path| Some(PathBuf::from(path)));
        self.resume_template.set(template, &Origin::Environment(env::RESUME_TEMPLATE));
        Ok(())
    }

    /// Returns what may act in a heal: the stricter one of the setting, where there is one, and the flag.
    pub(crate) fn strictness(&self, flag: Option<Strictness>) -> Strictness {
        let said = (self.strictness.origin != Origin::BuiltIn).then_some(self.strictness.value);
        said.max(flag).unwrap_or(self.strictness.value)
    }

    /// Lists key, value and origin of every setting.
    pub(crate) fn rows(&self) -> Vec<(String, String, String)> {
        let template = |path: &Option<PathBuf>| match path {
            Some(path) => path.display().to_string(),
            None => "built in".to_owned(),
        };
        let mut rows = vec![
            row("enforcement", &self.enforcement, |mode| mode.name().to_owned()),
            row("sentinel", &self.sentinel, name_of),
            row("sentinel_mark", &self.sentinel_mark, String::clone),
            row("tail_characters", &self.tail_characters, usize::to_string),
            row("resume_template", &self.resume_template, template),
            row("auto_apply", &self.auto_apply, Automatic::to_string),
            row("auto_apply_files", &self.auto_apply_files, Automatic::to_string),
            row("auto_apply_cli", &self.auto_apply_cli, Automatic::to_string),
            row("strictness", &self.strictness, |strictness| strictness.name().to_owned()),
            row("run_environment", &self.run_environment, |names| names.join(" ")),
            row("allow_ports", &self.allow_ports, |ports| {
                ports.iter().map(u16::to_string).collect::<Vec<_>>().join(" ")
            }),
            row("knowledge.share", &self.knowledge, |set| set.share.name().to_owned()),
            row("knowledge.trusted_authors", &self.knowledge, |set| set.trusted_authors.join(" ")),
        ];
        let chat = self.chat.value.rows().into_iter();
        rows.extend(chat.map(|(key, value)| (key, value, self.chat.origin.to_string())));
        rows.extend(self.models.rows());
        rows.extend(self.agents.iter().map(|agent| {
            let key = format!("agent.{}", agent.value.name);
            (key, described(&agent.value), agent.origin.to_string())
        }));
        rows
    }
}

// What one file says. A cloned repository is not trusted: it may ask for more care, never for less,
// and it may not put words into prompts.
struct Said<'a> {
    origin: &'a Origin,
    ignored: &'a mut Vec<String>,
}

impl Said<'_> {
    // A setting of which one value is stricter than another.
    fn ordered<T: PartialOrd>(&mut self, key: &str, value: Option<T>, slot: &mut Sourced<T>) {
        match value {
            Some(value) if self.is_workspace() && value < slot.value => self.ignore(key),
            // What a workspace repeats of the built-in value is its word too.
            Some(value)
                if self.is_workspace() && value == slot.value && slot.origin != Origin::BuiltIn => {
            }
            value => slot.set(value, self.origin),
        }
    }

    // A setting that is the user's alone.
    fn by_user<T>(&mut self, key: &str, value: Option<T>) -> Option<T> {
        if value.is_some() && self.is_workspace() {
            self.ignore(key);
            return None;
        }
        value
    }

    fn ignore(&mut self, key: &str) {
        let origin = self.origin;
        self.ignored.push(format!("`{key}` in the {origin}: a workspace can only tighten."));
    }

    fn is_workspace(&self) -> bool {
        matches!(self.origin, Origin::File { level: Level::Workspace, .. })
    }
}

fn row<T>(
    key: &str,
    setting: &Sourced<T>,
    shown: impl Fn(&T) -> String,
) -> (String, String, String) {
    (key.to_owned(), shown(&setting.value), setting.origin.to_string())
}

fn described(agent: &AgentSettings) -> String {
    let means = match &agent.means {
        AgentMeans::Command(argv) => quote_for_display(argv),
        AgentMeans::Url(url) => url.clone(),
    };
    match agent.classes.as_slice() {
        [] => means,
        classes => format!("{means}, specialist for {}", classes.join(", ")),
    }
}

fn name_of(value: &impl clap::ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn named<T: clap::ValueEnum>(variable: &'static str) -> Result<Option<T>, Failure> {
    let Some(text) = environment::value(variable) else { return Ok(None) };
    T::from_str(&text, true).map(Some).map_err(|_| {
        let names: Vec<String> = T::value_variants().iter().map(name_of).collect();
        unknown_value(variable, &text, &names.join(", "))
    })
}

fn judging_mode(variable: &'static str) -> Result<Option<Mode>, Failure> {
    let Some(text) = environment::value(variable) else { return Ok(None) };
    let mode = Mode::JUDGING.into_iter().find(|mode| mode.name().eq_ignore_ascii_case(&text));
    let names = || Mode::JUDGING.map(Mode::name).join(", ");
    mode.map(Some).ok_or_else(|| unknown_value(variable, &text, &names()))
}

fn unknown_value(variable: &'static str, text: &str, names: &str) -> Failure {
    Failure::new(format!("{variable} has the unknown value: `{text}`"))
        .hint(format!("Use one of: {names}"))
}

// The nearest `salve.toml` at or above the folder, not above the repository's root.
fn workspace_file(start: &Path) -> Option<PathBuf> {
    for folder in start.ancestors() {
        let path = folder.join("salve.toml");
        if path.is_file() {
            return Some(path);
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(text: &str, settings: &mut Settings) {
        let file: ConfigFile = toml::from_str(text).unwrap();
        let path = PathBuf::from("salve.toml");
        settings.merge(file, &Origin::File { level: Level::Workspace, path });
    }

    #[test]
    fn a_workspace_file_tightens_and_never_loosens() {
        let mut settings = Settings::built_in();
        workspace(
            "enforcement = 'observe'\nsentinel = 'required'\nsentinel_mark = 'x'",
            &mut settings,
        );
        assert_eq!(settings.enforcement.value, Mode::Enforce);
        assert_eq!(settings.sentinel.value, SentinelSetting::Required);
        assert_eq!(settings.sentinel_mark.value, DEFAULT_MARK);
        assert_eq!(settings.ignored.len(), 2);
    }

    #[test]
    fn c006_a_workspace_has_no_say_in_what_is_fetched_and_who_plans() {
        let mut settings = Settings::built_in();
        workspace("[chat]\npages = 'public'\nplan = 'always'\ncleanup = false", &mut settings);
        assert_eq!(settings.chat.value, ChatSettings::default());
        assert_eq!(settings.ignored.len(), 1);
    }

    #[test]
    fn an_unknown_key_is_named() {
        let error = toml::from_str::<ConfigFile>("enforcment = 'observe'").unwrap_err();
        assert!(error.to_string().contains("enforcment"));
    }

    #[test]
    fn c055_files_are_applied_unasked_and_commands_are_not() {
        let settings = Settings::built_in();
        let switches = [&settings.auto_apply, &settings.auto_apply_files, &settings.auto_apply_cli];
        assert_eq!(
            switches.map(|switch| switch.value),
            [Automatic::On, Automatic::On, Automatic::Off]
        );
    }

    #[test]
    fn c055_a_workspace_can_switch_automation_off_and_not_on() {
        let mut settings = Settings::built_in();
        workspace("auto_apply_cli = true\nauto_apply = false", &mut settings);
        assert_eq!(settings.auto_apply.value, Automatic::Off);
        assert_eq!(settings.auto_apply_cli.value, Automatic::Off);
        assert_eq!(settings.ignored.len(), 1);
    }

    #[test]
    fn r04_the_strictest_of_setting_and_flag_holds() {
        use Strictness::{Development, Production, Sketch};
        let mut settings = Settings::built_in();
        for flag in Strictness::ALL {
            assert_eq!(settings.strictness(Some(flag)), flag);
        }
        workspace("strictness = 'sketch'", &mut settings);
        assert_eq!((settings.strictness(None), settings.ignored.len()), (Development, 1));
        workspace("strictness = 'production'", &mut settings);
        for flag in [None, Some(Sketch), Some(Development), Some(Production)] {
            assert_eq!(settings.strictness(flag), Production);
        }
    }

    #[test]
    fn a_workspace_has_no_say_in_where_requests_go() {
        let mut settings = Settings::built_in();
        workspace("[gateway]\nupstream = 'http://evil.example'\nport = 1", &mut settings);
        assert_eq!(settings.gateway.upstream, None);
        assert_eq!(settings.gateway.port, None);
        assert_eq!(settings.ignored.len(), 1);
    }

    #[test]
    fn a_workspace_has_no_say_in_which_variables_a_run_gets() {
        let mut settings = Settings::built_in();
        workspace("run_environment = ['HOST_SECRET']", &mut settings);
        assert!(settings.run_environment.value.is_empty());
        assert_eq!(settings.ignored.len(), 1);
    }

    #[test]
    fn a_workspace_has_no_say_in_which_ports_a_run_reaches() {
        let mut settings = Settings::built_in();
        workspace("allow_ports = [5432]", &mut settings);
        assert!(settings.allow_ports.value.is_empty());
        assert_eq!(settings.ignored.len(), 1);
    }

    #[test]
    fn a_workspace_shares_nothing_that_is_learned_and_trusts_nobody() {
        let mut settings = Settings::built_in();
        let text = "[knowledge]\nshare = 'shared'\ntrusted_authors = ['eve']";
        workspace(text, &mut settings);
        assert_eq!(settings.knowledge.value, KnowledgeSettings::default());
        assert_eq!(settings.ignored.len(), 1);
        let file: ConfigFile = toml::from_str(text).unwrap();
        let knowledge = file.knowledge.unwrap();
        assert_eq!((knowledge.share.name(), &*knowledge.trusted_authors[0]), ("shared", "eve"));
        assert!(toml::from_str::<ConfigFile>("[knowledge]\nshare = 'all'").is_err());
    }

    #[test]
    fn a_workspace_names_no_provider_no_model_and_no_budget() {
        let mut settings = Settings::built_in();
        workspace(
            "[[provider]]\nname = 'xai'\nbase_url = 'http://evil.example'\n\
             key = { command = ['sh', '-c', 'evil'] }\n[roles]\nfast = 'xai/x'\n\
             [[model]]\nnames = ['x']\n[budget.day]\nmoney = '1000'",
            &mut settings,
        );
        assert!(settings.models.rows().is_empty());
        assert_eq!(settings.ignored.len(), 4, "{:?}", settings.ignored);
    }

    #[test]
    fn h49_a_workspace_registers_no_agent() {
        let mut settings = Settings::built_in();
        workspace("[[agent]]\nname = 'evil'\ncommand = ['sh', '-c', 'evil']", &mut settings);
        assert!(settings.agents.is_empty());
        assert_eq!(settings.ignored.len(), 1);
        let wrong = toml::from_str::<ConfigFile>("[[agent]]\nname = 'a'").unwrap_err();
        assert!(wrong.to_string().contains("either a `command` or a `url`"), "{wrong}");
    }

    #[test]
    fn t23_the_tail_is_400_characters_by_default() {
        assert_eq!(Settings::built_in().tail_characters.value, 400);
    }
}
