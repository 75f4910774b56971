//! The scene of the demo in which a person and a model talk: four turns, and back.
//!
//! In: a small project in a temporary folder, and a simulated provider on this machine that is as sloppy as real
//! ones are. Out: the turns of `salve chat`'s own function (a chatty answer cleaned, a cut one continued, a stale
//! edit asked for again), then a rewind and its undo by those of `salve sessions rewind`, both compared byte for
//! byte. Never reads the user's settings, and leaves nothing in their data folder.

use super::stage::{Shown, Stage};
use crate::arguments::{FolderArguments, Format};
use crate::commands::chat::{Chat, TurnSettings};
use crate::failure::Failure;
use crate::job_place::{self, OpenJobs};
use crate::runtime;
use crate::workspace::{self, meta};
use salve_engine::host::OpenWorkspace;
use salve_engine::session::machine::TurnEnding;
use salve_engine::session::{RewindDone, RewindRequest, RewindScope, rewind_session, undo_rewind};
use salve_model::ModelSettings;
use salve_model::sim::{Script, SimServer};
use salve_store::{NewSession, SessionRecord};
use salve_tree::{OnChanged, Origin, WorkspaceOptions};
use salve_types::TodoItem;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::path::Path;

type Files = BTreeMap<String, String>;

const PRICE: &str = "def price(amount):\n    return amount\n";
const TAXED: &str = "def price(amount):\n    return amount * 1.2\n";
const ROUNDED: &str = "def price(amount):\n    return round(amount * 1.2, 2)\n";
/// What a colleague wrote meanwhile, and what the model makes of it when it sees it.
const BY_HAND: &str = "# Prices in euros.\ndef price(amount):\n    return round(amount * 1.2, 2)\n";
const CHECKED: &str = "# Prices in euros.\ndef price(amount):\n    assert amount >= 0\n    return round(amount * 1.2, 2)\n";
const NOTES: &str = "Prices include the tax and are rounded to cents.\n";

/// What is asked, what the files are then, and what is shown of it.
struct Asked {
    words: &'static str,
    what: &'static str,
    calls: u32,
    price: &'static str,
    notes: Option<&'static str>,
}

const TURNS: [Asked; 4] = [
    Asked {
        words: "add the tax in price.py",
        what: "the answer came in talk and a fence: cleaned, applied",
        calls: 1,
        price: TAXED,
        notes: None,
    },
    Asked {
        words: "round the price in price.py",
        what: "the answer was cut in the middle of a string: continued, applied",
        calls: 1,
        price: ROUNDED,
        notes: None,
    },
    Asked {
        words: "refuse negative amounts in price.py",
        what: "the edit was made on an older file: refused, asked for again with the file of now, applied",
        calls: 2,
        price: CHECKED,
        notes: None,
    },
    Asked {
        words: "write notes.md about it",
        what: "a new file",
        calls: 1,
        price: CHECKED,
        notes: Some(NOTES),
    },
];

/// Plays the scene.
pub(super) fn play() -> Result<Vec<(&'static str, Shown)>, Failure> {
    let folder = tempfile::Builder::new().prefix("salve-demo-").tempdir()?;
    let place = folder.path().canonicalize()?;
    let shown = runtime::run(async {
        let script = Script::parse(&script())
            .map_err(|problem| Failure::new(format!("the demo's script: {problem}")))?;
        let sim = SimServer::start(script, (Ipv4Addr::LOCALHOST, 0).into()).await?;
        let models = models(sim.addr().port())?;
        let talk = async |open: &OpenJobs<'_>| talked(open, &place).await;
        let shown = job_place::in_folder(&place.join("data"), "demo", models, talk).await;
        sim.stop().await;
        shown
    })??;
    folder.close()?;
    Ok(vec![("A conversation in four turns, and back", shown)])
}

async fn talked(open: &OpenJobs<'_>, place: &Path) -> Result<Shown, Failure> {
    let mut stage = Stage::default();
    let root = place.join("talk");
    std::fs::create_dir(&root)?;
    put(&root.join("price.py"), PRICE)?;
    let folder = FolderArguments { directory: Some(root.clone()), root: Some(root.clone()) };
    let at = workspace::place(&folder)?;
    let settings = TurnSettings::unasked()?;
    let mut chat = Chat::new(open, &at, &settings, Format::Json)?;
    let workspace = at.root.display().to_string();
    let new = NewSession { workspace, title: "demo".to_owned(), ..NewSession::default() };
    chat.session = Some(open.store().new_session(new).await?);
    let mut good = true;
    let mut states = vec![files(&root)?];
    for (number, asked) in TURNS.iter().enumerate() {
        if number == 2 {
            put(&root.join("price.py"), BY_HAND)?;
            stage.says("by hand", "price.py gets a comment");
        }
        stage.received(asked.words);
        let report = chat.turn(asked.words).await?;
        states.push(files(&root)?);
        let fits = report.ending == TurnEnding::Completed
            && report.asked == asked.calls
            && states.last() == Some(&expected(asked));
        good &= fits;
        let why = report.why.unwrap_or_default();
        stage.says("salve", &if fits { asked.what.to_owned() } else { format!("NOT: {why}") });
    }
    let session = open.store().session(chat.session()?).await?;
    let session = session.ok_or_else(|| Failure::new("the demo's session is gone"))?;
    let todos = open.store().todos(&session.id).await?;
    good &= tasks(&todos) == (4, 4);
    stage.says(
        "tasks",
        &format!("{}/{} done, each by an applied change", tasks(&todos).0, tasks(&todos).1),
    );
    good &= back(&mut stage, open, &session, &root, &states).await?;
    Ok(stage.end(good))
}

// To before the second turn, and forward again.
async fn back(
    stage: &mut Stage,
    open: &OpenJobs<'_>,
    session: &SessionRecord,
    root: &Path,
    states: &[Files],
) -> Result<bool, Failure> {
    let opened = OpenWorkspace::open(root, WorkspaceOptions::default())?;
    let (on_changed, meta) = (OnChanged::Refuse, meta(Origin::User));
    let request = RewindRequest { turn: 2, scope: RewindScope::Both, on_changed };
    let done = rewind_session(open.store(), session, &opened.tree, request, &meta).await;
    let moved = matches!(done.map_err(Failure::new)?, RewindDone::Moved { .. });
    let todos = open.store().todos(&session.id).await?;
    let there = moved && states.get(1) == Some(&files(root)?) && tasks(&todos).0 == 1;
    let words = if there { "to before turn 2: every byte is as it was" } else { "NOT as it was" };
    stage.says("rewind", words);
    let done = undo_rewind(open.store(), session, &opened.tree, on_changed, &meta).await;
    let moved = matches!(done.map_err(Failure::new)?, RewindDone::Moved { .. });
    let here = moved && states.last() == Some(&files(root)?);
    stage.says("forward", if here { "every byte is as it was" } else { "NOT as it was" });
    Ok(there && here)
}

fn put(path: &Path, text: &str) -> Result<(), Failure> {
    use std::io::Write;
    Ok(std::fs::File::create(path)?.write_all(text.as_bytes())?)
}

fn tasks(todos: &[TodoItem]) -> (usize, usize) {
    (todos.iter().filter(|todo| todo.completed).count(), todos.len())
}

fn expected(asked: &Asked) -> Files {
    let notes = asked.notes.map(|notes| ("notes.md".to_owned(), notes.to_owned()));
    [("price.py".to_owned(), asked.price.to_owned())].into_iter().chain(notes).collect()
}

fn files(root: &Path) -> Result<Files, Failure> {
    let read = |path: String| Ok((path.clone(), std::fs::read_to_string(root.join(path))?));
    salve_check::project_files(root)?.into_iter().map(read).collect()
}

// What the model says to each turn. The first is chatty, the second is cut, the third is about a file that is gone.
fn script() -> String {
    let chatty = format!(
        "Sure! Here is what I would do:\n\n```json\n{}\n```\n\nHope that helps!",
        whole("Add the tax", TAXED)
    );
    let stale = json!({
        "summary": "Refuses negative amounts.",
        "todos": [{ "text": "Refuse negative amounts", "completed": false }],
        "fileChanges": [{
            "path": "price.py", "todoIndex": 0, "isDiff": true,
            "content": "--- a/price.py\n+++ b/price.py\n@@ -1,2 +1,2 @@\n def price(amount):\n-    return amount * 1.2\n+    return max(amount, 0) * 1.2\n",
        }],
    });
    let notes = json!({
        "summary": "Notes.", "todos": [{ "text": "Write the notes", "completed": true }],
        "fileChanges": [{ "path": "notes.md", "content": NOTES, "todoIndex": 0 }],
    });
    let cut = whole("Round the price", ROUNDED).to_string();
    let middle = cut.find("round(").unwrap_or(0);
    let fitting = whole("Refuse negative amounts", CHECKED).to_string();
    let rules = [
        json!({ "when": { "contains": "were not applied" }, "reply": { "text": fitting } }),
        json!({ "when": { "contains": "write notes.md" }, "reply": { "text": notes.to_string() } }),
        json!({ "when": { "contains": "refuse negative" }, "reply": { "text": stale.to_string() } }),
        json!({ "when": { "contains": "round the price" }, "reply": { "text": cut, "continues": true, "cuts": [middle] } }),
        json!({ "reply": { "text": chatty } }),
    ];
    rules.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

fn whole(task: &str, price: &str) -> Value {
    json!({
        "summary": format!("{task}."),
        "todos": [{ "text": task, "completed": false }],
        "fileChanges": [{ "path": "price.py", "content": price, "todoIndex": 0 }],
    })
}

fn models(port: u16) -> Result<ModelSettings, Failure> {
    let text = format!(
        "[[provider]]\nname = \"sim\"\ndialect = \"chat\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n\
         [roles]\nmodel = \"sim/sloppy\"\n"
    );
    toml::from_str(&text).map_err(|problem| Failure::new(format!("the demo's models: {problem}")))
}
