//! The `[chat]` part of the user's settings.
//!
//! In: a table of a configuration file. Out: who helps with a turn, and what may be fetched for it. A workspace's own
//! file has no say here: it could have a person's requests fetch pages of its choice.

use salve_engine::jobs::WhichModel;
use salve_engine::session::{DrawHelp, FileTtl, MOST_DRAWN, TurnHelp, UploadSettings, UrlPolicy};
use salve_model::{Capabilities, MOST_FILE_BYTES, ModelSettings, Role, RoleSettings, Roles};
use serde::{Deserialize, Deserializer};

/// Who finds out which files a request is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PlanSetting {
    /// What the request mentions.
    Mentions,
    /// A fast model where one is named, but for requests with images.
    #[default]
    Model,
    /// A fast model where one is named.
    Always,
}

/// Whose pages are fetched when a request holds their address.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(crate) enum PagesSetting {
    /// Nobody's, or everyone's.
    Word(PagesWord),
    /// Those of these hosts, and of names below them.
    Hosts(Vec<String>),
}

/// Whose pages are fetched, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PagesWord {
    /// Nobody's.
    Off,
    /// Those of every public host.
    Public,
}

/// What a turn may use beside the model and the files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChatSettings {
    pub(crate) plan: Option<PlanSetting>,
    pub(crate) pages: Option<PagesSetting>,
    pub(crate) cleanup: Option<bool>,
    pub(crate) uploads: Option<UploadsTable>,
}

/// `[chat.uploads]`: files that are given to the provider, in place of their texts in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UploadsTable {
    pub(crate) on: Option<bool>,
    pub(crate) auto: Option<bool>,
    pub(crate) max_megabytes: Option<u64>,
    pub(crate) cleanup: Option<bool>,
    #[serde(default, deserialize_with = "hours")]
    pub(crate) ttl_hours: Option<FileTtl>,
}

impl UploadsTable {
    fn or(self, below: Self) -> Self {
        Self {
            on: self.on.or(below.on),
            auto: self.auto.or(below.auto),
            max_megabytes: self.max_megabytes.or(below.max_megabytes),
            cleanup: self.cleanup.or(below.cleanup),
            ttl_hours: self.ttl_hours.or(below.ttl_hours),
        }
    }

    /// Returns what may be uploaded, and for how long.
    pub(crate) fn settings(self) -> UploadSettings {
        let usual = UploadSettings::default();
        let max_bytes = self.max_megabytes.map(|megabytes| megabytes.saturating_mul(1 << 20));
        UploadSettings {
            on: self.on.unwrap_or(usual.on),
            auto: self.auto.unwrap_or(usual.auto),
            max_bytes: max_bytes.unwrap_or(usual.max_bytes).min(MOST_FILE_BYTES),
            cleanup: self.cleanup.unwrap_or(usual.cleanup),
            ttl: self.ttl_hours.unwrap_or(usual.ttl),
        }
    }
}

fn hours<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<FileTtl>, D::Error> {
    let hours = i64::deserialize(deserializer)?;
    let refused = || serde::de::Error::custom("hours are 0, a positive number, or -1 for ever");
    FileTtl::from_hours(hours).map(Some).ok_or_else(refused)
}

impl ChatSettings {
    /// Takes what a higher level says over what was said below.
    pub(crate) fn or(self, below: Self) -> Self {
        Self {
            plan: self.plan.or(below.plan),
            pages: self.pages.or(below.pages),
            cleanup: self.cleanup.or(below.cleanup),
            uploads: match (self.uploads, below.uploads) {
                (Some(own), Some(below)) => Some(own.or(below)),
                (own, below) => own.or(below),
            },
        }
    }

    /// Returns what may be uploaded.
    pub(crate) fn upload_settings(&self) -> UploadSettings {
        self.uploads.unwrap_or_default().settings()
    }

    /// Returns who and what else may be asked. One model that does everything is not asked twice for a plan.
    pub(crate) fn help(&self, roles: &RoleSettings) -> TurnHelp {
        let plan = self.plan.unwrap_or_default();
        let planner = if plan == PlanSetting::Mentions { None } else { planner(roles) };
        let cleaner = fast(roles).filter(|_| self.cleanup.unwrap_or(true));
        TurnHelp {
            planner: planner.map(WhichModel::Role),
            plan_with_images: plan == PlanSetting::Always,
            cleaner: cleaner.map(WhichModel::Role),
            pages: self.pages.as_ref().map(policy).unwrap_or_default(),
            output: None,
            draw: None,
            uploads: self.upload_settings(),
        }
    }

    /// Lists key and value of every setting.
    pub(crate) fn rows(&self) -> Vec<(String, String)> {
        let plan = match self.plan.unwrap_or_default() {
            PlanSetting::Mentions => "mentions",
            PlanSetting::Model => "model",
            PlanSetting::Always => "always",
        };
        let pages = match self.pages.as_ref().map(policy).unwrap_or_default() {
            UrlPolicy::Off => "off".to_owned(),
            UrlPolicy::Public => "public".to_owned(),
            UrlPolicy::Hosts(hosts) => hosts.join(" "),
        };
        let uploads = self.upload_settings();
        let row = |key: &str, value: String| (format!("chat.{key}"), value);
        vec![
            row("plan", plan.to_owned()),
            row("pages", pages),
            row("cleanup", self.cleanup.unwrap_or(true).to_string()),
            row("uploads.on", uploads.on.to_string()),
            row("uploads.auto", uploads.auto.to_string()),
            row("uploads.max_megabytes", (uploads.max_bytes >> 20).to_string()),
            row("uploads.cleanup", uploads.cleanup.to_string()),
            row("uploads.ttl_hours", uploads.ttl.hours().to_string()),
        ]
    }
}

/// Returns who makes images, where the model of that role does.
pub(crate) fn draw_help(models: &ModelSettings) -> Option<DrawHelp> {
    let names: Vec<String> = models.provider.iter().map(|one| one.name.clone()).collect();
    let roles = Roles::resolve(&models.roles, &names).ok()?;
    let chosen = roles.of(Role::Image).ok()?;
    let known = Capabilities::built_in().with(models.model.clone()).of(&chosen.model);
    let price = known.price.and_then(|price| price.image);
    known.image.then(|| DrawHelp {
        model: WhichModel::Role(Role::Image),
        prompter: fast(&models.roles).map_or_else(WhichModel::default, WhichModel::Role),
        micro_dollars: price.map(|price| price.0),
        most: MOST_DRAWN,
    })
}

fn policy(pages: &PagesSetting) -> UrlPolicy {
    match pages {
        PagesSetting::Word(PagesWord::Off) => UrlPolicy::Off,
        PagesSetting::Word(PagesWord::Public) => UrlPolicy::Public,
        PagesSetting::Hosts(hosts) => UrlPolicy::Hosts(hosts.clone()),
    }
}

fn planner(roles: &RoleSettings) -> Option<Role> {
    let preset = roles.preset.filter(|_| roles.model.is_none());
    let own = roles.planner.is_some() || preset.is_some_and(|it| it.model(Role::Planner).is_some());
    if own { Some(Role::Planner) } else { fast(roles) }
}

fn fast(roles: &RoleSettings) -> Option<Role> {
    let preset = roles.preset.filter(|_| roles.model.is_none());
    let own = roles.fast.is_some() || preset.is_some_and(|it| it.model(Role::Fast).is_some());
    own.then_some(Role::Fast)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(chat: &str, roles: &str) -> TurnHelp {
        let chat: ChatSettings = toml::from_str(chat).unwrap();
        chat.help(&toml::from_str(roles).unwrap())
    }

    #[test]
    fn c005_a_model_plans_only_where_a_fast_one_is_named() {
        let planner = |chat: &str, roles: &str| help(chat, roles).planner;
        assert_eq!(planner("", "model = 'a/b'"), None);
        assert_eq!(planner("", "fast = 'a/b'"), Some(WhichModel::Role(Role::Fast)));
        assert_eq!(
            planner("", "fast = 'a/b'\nplanner = 'a/c'"),
            Some(WhichModel::Role(Role::Planner))
        );
        assert_eq!(planner("", "preset = 'claude'"), Some(WhichModel::Role(Role::Planner)));
        assert_eq!(planner("", "preset = 'claude'\nmodel = 'a/b'"), None);
        assert_eq!(planner("plan = 'mentions'", "fast = 'a/b'"), None);
        assert!(help("plan = 'always'", "fast = 'a/b'").plan_with_images);
    }

    #[test]
    fn c006_pages_are_off_until_they_are_named() {
        assert_eq!(help("", "").pages, UrlPolicy::Off);
        assert_eq!(help("pages = 'public'", "").pages, UrlPolicy::Public);
        let hosts = vec!["docs.rs".to_owned()];
        assert_eq!(help("pages = ['docs.rs']", "").pages, UrlPolicy::Hosts(hosts));
        assert!(toml::from_str::<ChatSettings>("pages = 'all'").is_err());
    }

    #[test]
    fn c230_images_are_made_only_by_a_model_that_makes_them() {
        let help = |roles: &str| {
            let provider = "[[provider]]\nname = 'xai'\n[[provider]]\nname = 'openai'";
            draw_help(&toml::from_str(&format!("{provider}\n[roles]\n{roles}")).unwrap())
        };
        let grok = help("preset = 'grok'").unwrap();
        assert_eq!(grok.model, WhichModel::Role(Role::Image));
        assert_eq!(grok.prompter, WhichModel::Role(Role::Fast));
        assert_eq!(grok.micro_dollars, Some(70_000), "C-240");
        // One model for everything is one for words.
        assert_eq!(help("model = 'xai/grok-4'"), None);
        assert_eq!(help("preset = 'claude'"), None);
        assert!(help("model = 'xai/grok-4'\nimage = 'openai/gpt-image-1'").is_some());
    }

    #[test]
    fn c131_uploads_are_off_and_have_the_defaults_of_the_documents() {
        let uploads = |chat: &str| help(chat, "").uploads;
        assert_eq!(uploads(""), UploadSettings::default());
        let rows = ChatSettings::default().rows();
        let shown: Vec<&str> = rows.iter().skip(3).map(|(_, value)| value.as_str()).collect();
        assert_eq!(shown, ["false", "true", "10", "true", "24"]);
        let own = uploads("[uploads]\non = true\nmax_megabytes = 900\nttl_hours = -1");
        assert!(own.on && own.auto && own.cleanup);
        assert_eq!((own.max_bytes, own.ttl), (MOST_FILE_BYTES, FileTtl::Never));
        assert_eq!(uploads("[uploads]\nttl_hours = 0").ttl, FileTtl::Session);
        assert!(toml::from_str::<ChatSettings>("[uploads]\nttl_hours = -2").is_err());
        let low: ChatSettings = toml::from_str("[uploads]\non = true").unwrap();
        let high: ChatSettings = toml::from_str("[uploads]\nauto = false").unwrap();
        let both = high.or(low).upload_settings();
        assert!(both.on && !both.auto);
    }

    #[test]
    fn c027_the_cleanup_can_be_switched_off() {
        assert_eq!(help("", "fast = 'a/b'").cleaner, Some(WhichModel::Role(Role::Fast)));
        assert_eq!(help("cleanup = false", "fast = 'a/b'").cleaner, None);
        assert_eq!(help("", "model = 'a/b'").cleaner, None);
    }
}
