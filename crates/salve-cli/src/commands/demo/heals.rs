//! The scenes of the demo in which a real project is healed.
//!
//! In: small cargo packages in a temporary folder (one that does not compile, one whose test fails, two with
//! the same error in other words) and a simulated provider on this machine. Out: each healed by `salve heal`'s own function and taken back
//! by that of `salve undo`, compared byte for byte. Never reads the user's models, and leaves nothing in
//! their data folder.

use super::stage::{Shown, Stage};
use crate::arguments::FormatChoice;
use crate::commands::heal::heal_in;
use crate::failure::Failure;
use crate::job_place::{self, OpenJobs};
use crate::settings::Settings;
use crate::workspace::meta;
use crate::{run_environment, runtime};
use salve_check::project_files;
use salve_engine::heal::machine::{HealOptions, TierPlan};
use salve_engine::heal::{CommandConsent, FixSource, HealInput, HealReport, Outcome, Then};
use salve_engine::host::OpenWorkspace;
use salve_model::ModelSettings;
use salve_model::sim::{Script, SimServer};
use salve_tree::{OnChanged, Origin, RewindOutcome, WorkspaceOptions, undo};
use salve_types::Severity;
use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::path::Path;

const MANIFEST: &str = "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";

const UNCOMPILED: &str = "\
pub fn sum(numbers: &[u32]) -> u32 {
    let total = 0;
    for number in numbers {
        total += number;
    }
    total
}
";

const WRONG: &str = "\
pub fn largest(numbers: &[u32]) -> u32 {
    numbers.iter().copied().min().unwrap_or(0)
}

#[test]
fn the_largest_is_found() {
    assert_eq!(largest(&[1, 3, 2]), 3);
}
";

const CALLED: &str = "\
pub fn next(count: u32) -> u32 {
    count(1)
}
";

const CALLED_AGAIN: &str = "\
/// Twice the next one.
pub fn twice(total: u64) -> u64 {
    let next = total(2);
    next * 2
}
";

/// What the simulated model says: first it bends the test, then it mends the code, and then that of the next
/// project.
const SCRIPT: &str = r#"
{"times": 1, "reply": {"text": "src/lib.rs\n<<<<<<< SEARCH\n    assert_eq!(largest(&[1, 3, 2]), 3);\n=======\n    assert_eq!(largest(&[1, 3, 2]), 1);\n>>>>>>> REPLACE\n"}}
{"times": 1, "reply": {"text": "src/lib.rs\n<<<<<<< SEARCH\n    numbers.iter().copied().min().unwrap_or(0)\n=======\n    numbers.iter().copied().max().unwrap_or(0)\n>>>>>>> REPLACE\n"}}
{"reply": {"text": "src/lib.rs\n<<<<<<< SEARCH\n    count(1)\n=======\n    count + 1\n>>>>>>> REPLACE\n"}}
"#;

/// A project and what is to become of it.
struct Broken {
    name: &'static str,
    /// `src/lib.rs` as it is.
    before: &'static str,
    /// The line that is wrong, and the one that is right.
    line: (&'static str, &'static str),
    tiers: Vec<TierPlan>,
    /// Where the fix must be from.
    source: FixSource,
}

/// Plays the scenes in which a project is healed.
pub(super) fn play() -> Result<Vec<(&'static str, Shown)>, Failure> {
    let folder = tempfile::Builder::new().prefix("salve-demo-").tempdir()?;
    let place = folder.path().canonicalize()?;
    let scenes = runtime::run(async {
        let script = Script::parse(SCRIPT.trim())
            .map_err(|problem| Failure::new(format!("the demo's script: {problem}")))?;
        let sim = SimServer::start(script, (Ipv4Addr::LOCALHOST, 0).into()).await?;
        let models = models(sim.addr().port())?;
        let scenes = job_place::in_folder(&place.join("data"), "demo", models, async |open| {
            Ok(vec![
                ("A project that does not compile, no model", played(open, &place, free()).await?),
                ("A project whose test fails, and a model", played(open, &place, asked()).await?),
                ("An error that a model heals", played(open, &place, taught()).await?),
                (
                    "The same error elsewhere, by the rule learned from it",
                    played(open, &place, known()).await?,
                ),
            ])
        })
        .await;
        sim.stop().await;
        scenes
    })??;
    folder.close()?;
    Ok(scenes)
}

fn free() -> Broken {
    Broken {
        name: "free",
        before: UNCOMPILED,
        line: ("    let total = 0;", "    let mut total = 0;"),
        tiers: Vec::new(),
        source: FixSource::Fixer,
    }
}

fn asked() -> Broken {
    Broken {
        name: "asked",
        before: WRONG,
        line: (".min()", ".max()"),
        tiers: TierPlan::ladder().to_vec(),
        source: FixSource::Model,
    }
}

fn taught() -> Broken {
    Broken {
        name: "taught",
        before: CALLED,
        line: ("count(1)", "count + 1"),
        tiers: TierPlan::ladder().to_vec(),
        source: FixSource::Model,
    }
}

fn known() -> Broken {
    Broken {
        name: "known",
        before: CALLED_AGAIN,
        line: ("total(2)", "total + 2"),
        tiers: TierPlan::ladder().to_vec(),
        source: FixSource::Rule,
    }
}

fn models(port: u16) -> Result<ModelSettings, Failure> {
    let text = format!(
        "[[provider]]\nname = \"sim\"\ndialect = \"chat\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n\
         [roles]\nfast = \"sim/fast\"\nmedium = \"sim/medium\"\ndeep = \"sim/deep\"\n"
    );
    toml::from_str(&text).map_err(|problem| Failure::new(format!("the demo's models: {problem}")))
}

async fn played(open: &OpenJobs<'_>, place: &Path, broken: Broken) -> Result<Shown, Failure> {
    let mut stage = Stage::default();
    let root = place.join(broken.name);
    std::fs::create_dir_all(root.join("src"))?;
    create(&root.join("Cargo.toml"), MANIFEST)?;
    create(&root.join("src/lib.rs"), broken.before)?;
    stage.received(broken.before);
    let before = contents(&root)?;
    let environment = run_environment::chosen(&Settings::built_in(), &[])?.values;
    let healed = heal_in(open, input(&root, &broken), environment, FormatChoice::Json).await;
    let report = match healed {
        Ok((_, report)) => report,
        // No compiler, for example.
        Err(failure) => {
            stage.says("skipped", &failure.message());
            return Ok(stage.end(false));
        }
    };
    for line in &report.story {
        stage.says("tried", line);
    }
    let after = broken.before.replace(broken.line.0, broken.line.1);
    let good =
        is_healed(&report, &broken) && std::fs::read_to_string(root.join("src/lib.rs"))? == after;
    stage.says("healed", &told(&report, good));
    let workspace = OpenWorkspace::open(&root, WorkspaceOptions::default())?;
    let undone = undo(&workspace.tree, OnChanged::Refuse, &meta(Origin::User))?;
    let back = matches!(undone, RewindOutcome::Moved(_)) && contents(&root)? == before;
    stage.says("undo", if back { "every byte is as it was" } else { "NOT as it was" });
    Ok(stage.end(good && back))
}

fn input(root: &Path, broken: &Broken) -> HealInput {
    HealInput {
        root: root.to_owned(),
        here: String::new(),
        command: Vec::new(),
        targets: Vec::new(),
        scope: Vec::new(),
        fail_on: Severity::Error,
        options: HealOptions { tiers: broken.tiers.clone(), ..HealOptions::default() },
        then: Then::Apply,
        time_limit: 300,
        commands: CommandConsent::default(),
        proposal: None,
    }
}

fn is_healed(report: &HealReport, broken: &Broken) -> bool {
    matches!(report.ending, Outcome::Repaired { .. })
        && report.source == Some(broken.source)
        && report.change.is_some()
}

fn told(report: &HealReport, good: bool) -> String {
    let calls = match report.model_calls {
        0 => "without a model".to_owned(),
        calls => format!("by a model, {calls} calls, {} tokens", report.tokens),
    };
    match good {
        true => format!("{calls}; cargo passes; one change of {}", report.files.join(", ")),
        false => format!("NOT: {}", report.outcome),
    }
}

fn create(path: &Path, text: &str) -> Result<(), Failure> {
    use std::io::Write;
    Ok(std::fs::File::create_new(path)?.write_all(text.as_bytes())?)
}

// Every file of the project, with its bytes.
fn contents(root: &Path) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let files = project_files(root)?;
    let read = |path: String| Ok((path.clone(), std::fs::read(root.join(path))?));
    files.into_iter().map(read).collect()
}
