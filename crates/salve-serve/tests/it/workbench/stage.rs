//! A workbench on a small folder, with a scripted model behind it.

use crate::stage::client;
use futures_util::StreamExt;
use reqwest::{Method, RequestBuilder, Response};
use salve_check::Launcher;
use salve_engine::facts::TextRedactor;
use salve_engine::heal::{HealParts, RepairError};
use salve_engine::host::{
    Host, HostConfig, MachineConfig, Place, RootReason, WorkspaceConfig, WorkspaceHost,
};
use salve_engine::jobs::{HealHost, JobsPlace, WhichModel};
use salve_engine::knowledge::KnowledgeSettings;
use salve_engine::session::{Conversation, ConversationParts, DrawHelp, TurnInput};
use salve_model::Role;
use salve_model::sim::{Script, SimHandle, SimServer};
use salve_serve::workbench::{
    CommandChoice, DoctorRow, HostFault, SettingChanged, SettingRow, Workbench, WorkbenchConfig,
    WorkbenchHost, WorkbenchLabel,
};
use salve_text::RedactOptions;
use salve_types::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

/// How long an event is waited for.
const PATIENCE: Duration = Duration::from_secs(50);

/// The time: the durable engine's leases are of it.
#[expect(clippy::disallowed_methods, reason = "a test has no command line that passes it a clock")]
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

fn machine() -> MachineConfig {
    MachineConfig {
        clock: now,
        launcher: Launcher { program: "/bin/false".into(), arguments: Vec::new() },
        variables: BTreeMap::new(),
        temporary: std::env::temp_dir(),
        caches: None,
    }
}

/// What outlives a workbench: the folder, what is remembered, and the model.
pub(crate) struct World {
    pub(crate) root: PathBuf,
    data: PathBuf,
    pub(crate) sim: SimHandle,
    /// Whether files are uploaded, to a model that can search in them.
    uploads: bool,
    _folders: [TempDir; 2],
}

impl World {
    pub(crate) async fn new(script: &str) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let root = folders[0].path().canonicalize().unwrap();
        let mut file = std::fs::File::create_new(root.join("notes.txt")).unwrap();
        std::io::Write::write_all(&mut file, b"one\ntwo\nthree\n").unwrap();
        let script = Script::parse(script.trim()).unwrap();
        let sim = SimServer::start(script, ([127, 0, 0, 1], 0).into()).await.unwrap();
        let data = folders[1].path().to_owned();
        Self { root, data, sim, uploads: false, _folders: folders }
    }

    /// The same, with uploads on.
    pub(crate) async fn uploading(script: &str) -> Self {
        Self { uploads: true, ..Self::new(script).await }
    }

    /// Reads a file of the workspace.
    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap()
    }
}

/// A workbench that runs, and a program that may use it.
pub(crate) struct Bench {
    pub(crate) workbench: Workbench,
    host: Host,
    pub(crate) client: reqwest::Client,
}

impl Bench {
    pub(crate) async fn start(world: &World) -> Self {
        let settings = format!(
            "[[provider]]\nname = \"sim\"\ndialect = \"chat\"\nbase_url = \"http://{}/v1\"\n\
             files = {}\n\n[roles]\nmodel = \"sim/{}\"\nimage = \"sim/draw\"\n\n\
             [[model]]\nnames = [\"draw\"]\nimage = true\n\
             price = {{ input = \"0\", output = \"0\", image = \"0.07\" }}\n",
            world.sim.addr(),
            world.uploads,
            if world.uploads { "grok-4" } else { "only" }
        );
        let host = Host::new(HostConfig {
            machine: machine(),
            worker: "test".to_owned(),
            place: JobsPlace::Folder(world.data.clone()),
            secrets: RedactOptions::default(),
            models: toml::from_str(&settings).unwrap(),
            keys: Arc::new(|_| Err("there is no key".into())),
        });
        let jobs = host.jobs().await.unwrap();
        let conversation = Conversation::new(ConversationParts {
            store: jobs.store.clone(),
            jobs: Arc::clone(&jobs.jobs),
            models: host.models().unwrap().lineup,
            hosts: Arc::new(Plain),
            clock: Arc::new(now as fn() -> Timestamp),
            folder: world.data.clone(),
            worker: "test".to_owned(),
        });
        let place = Place {
            root: world.root.clone(),
            here: String::new(),
            why: RootReason::Named,
            passed_over: Vec::new(),
        };
        let config = WorkbenchConfig {
            server: salve_serve::http::ServerConfig {
                drain: Duration::from_secs(2),
                ..salve_serve::http::ServerConfig::default()
            },
            conversation,
            host: Arc::new(Told { root: world.root.clone(), uploads: world.uploads }),
            place,
            label: WorkbenchLabel::default(),
        };
        let workbench = Workbench::start(config).await.unwrap();
        Self { workbench, host, client: client() }
    }

    /// Stops it as a service manager does.
    pub(crate) async fn stop(self) {
        self.workbench.stop().await;
        self.host.close(Duration::from_secs(2)).await;
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.workbench.addr())
    }

    /// A request of a program with the token.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path)).bearer_auth(self.workbench.api_token())
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, Value) {
        answered(self.request(Method::GET, path).send().await.unwrap()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let request = self.request(Method::POST, path);
        let request = request.header("content-type", "application/json").body(body.to_string());
        answered(request.send().await.unwrap()).await
    }

    /// Begins a session.
    pub(crate) async fn session(&self) -> String {
        let (status, begun) = self.post("/api/v1/sessions", &json!({})).await;
        assert_eq!(status, 201, "{begun}");
        begun["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn say(&self, session: &str, text: &str) -> Value {
        let message = json!({ "type": "sendMessage", "text": text, "images": [] });
        let path = format!("/api/v1/sessions/{session}/messages");
        let (status, asked) = self.post(&path, &message).await;
        assert_eq!(status, 202, "{asked}");
        asked
    }

    pub(crate) async fn act(&self, session: &str, action: &Value) -> (u16, Value) {
        self.post(&format!("/api/v1/sessions/{session}/actions"), action).await
    }

    /// Follows the events until one is the last.
    pub(crate) async fn events_until(
        &self,
        query: &str,
        is_last: impl Fn(&Value) -> bool,
    ) -> Vec<Value> {
        let path = format!("/api/v1/events?{query}");
        let response = self.request(Method::GET, &path).send().await.unwrap();
        assert_eq!(response.status(), 200);
        let (mut seen, mut text) = (Vec::new(), String::new());
        let mut pieces = response.bytes_stream();
        loop {
            let piece = tokio::time::timeout(PATIENCE, pieces.next()).await;
            let Ok(Some(piece)) = piece else { panic!("the events ended: {seen:#?}") };
            text.push_str(std::str::from_utf8(&piece.unwrap()).unwrap());
            while let Some((event, rest)) = text.split_once("\n\n") {
                let event = read_event(event);
                text = rest.to_owned();
                if let Some(event) = event {
                    let last = is_last(&event);
                    seen.push(event);
                    if last {
                        return seen;
                    }
                }
            }
        }
    }
}

// The id on the wire is the id in the event, and so is the name.
fn read_event(text: &str) -> Option<Value> {
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let data: Value = serde_json::from_str(field("data: ")?).unwrap();
    assert_eq!(field("id: "), Some(data["id"].to_string().as_str()), "{text}");
    assert_eq!(field("event: "), data["name"].as_str(), "{text}");
    Some(data)
}

pub(crate) async fn answered(response: Response) -> (u16, Value) {
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    let value = serde_json::from_str(&text).unwrap_or_else(|_| json!(text));
    (status, value)
}

/// The turn of a session has ended, or waits.
pub(crate) fn is_over(event: &Value) -> bool {
    ["requestComplete", "turnFailed", "turnCancelled"].contains(&event["name"].as_str().unwrap())
}

/// Opens the folder with no rules and no toolchains of anybody.
struct Plain;

impl HealHost for Plain {
    fn open(&self, root: &Path) -> Result<HealParts, RepairError> {
        let config = WorkspaceConfig { folder: root.to_owned(), ..WorkspaceConfig::default() };
        let workspace = WorkspaceHost::new(&machine(), config);
        Ok(HealParts {
            workspace: workspace.map_err(|error| RepairError::Io(error.to_string()))?,
            environment: Vec::new(),
            lock: None,
            knowledge: KnowledgeSettings::default(),
            agents: Vec::new(),
            redact: Arc::new(TextRedactor::new(&RedactOptions::default())),
            rules: Vec::new(),
        })
    }
}

/// A host that says the same every time.
struct Told {
    root: PathBuf,
    uploads: bool,
}

impl WorkbenchHost for Told {
    fn now(&self) -> Timestamp {
        now()
    }

    fn turn(&self) -> Result<TurnInput, HostFault> {
        let draw = DrawHelp {
            model: WhichModel::Role(Role::Image),
            prompter: WhichModel::Role(Role::Fast),
            micro_dollars: Some(70_000),
            most: 8,
        };
        let input = json!({
            "root": self.root, "session": "", "turn": 0, "attended": true,
            "help": { "draw": draw, "uploads": { "on": self.uploads } },
        });
        serde_json::from_value(input).map_err(|error| HostFault(error.to_string()))
    }

    fn settings(&self) -> Result<Vec<SettingRow>, HostFault> {
        let row = |name: &str| SettingRow {
            name: name.to_owned(),
            value: "on".to_owned(),
            origin: "built in".to_owned(),
            choices: vec!["on".to_owned(), "off".to_owned()],
        };
        Ok(vec![row("auto_apply")])
    }

    fn change_setting(&self, name: &str, value: &str) -> Result<(), HostFault> {
        Err(HostFault(format!("{name} is not {value} here")))
    }

    fn changed_setting(&self) -> Option<SettingChanged> {
        None
    }

    fn undo_setting(&self) -> Result<bool, HostFault> {
        Ok(false)
    }

    fn doctor(&self) -> Vec<DoctorRow> {
        Vec::new()
    }

    fn choices(&self, _: &str) -> Result<CommandChoice, HostFault> {
        Ok(CommandChoice::default())
    }

    fn allow(&self, _: &str) -> Result<(), HostFault> {
        Err(HostFault("no entry of the list would allow this command".to_owned()))
    }

    fn report(&self, report: &str) -> Result<Value, HostFault> {
        let report: Value = serde_json::from_str(report).unwrap();
        Ok(json!({ "id": report["from"], "heal": null }))
    }
}
